/*
 * own_python: what Python has in the user's own shell and not in a run: packages of `pip install --user`,
 * folders of PYTHONPATH, and what other variables of Python's do.
 */
#ifndef TICKMARK_MODEL_OWN_PYTHON_H
#define TICKMARK_MODEL_OWN_PYTHON_H

#include "private.h"

/* The folder below which pip keeps the user's own packages (PYTHONUSERBASE, ~/.local); owned, NULL: none. */
char *own_python_base(void);
/* Folders of packages below it, of any version of Python 3. */
void own_python_sites(const char *base, struct strv *out);
/* Where this interpreter finds the module (n bytes; its first part decides) in the user's own shell and not in a run,
 * with what to do; owned, NULL: nowhere. */
char *own_python_find(const struct interpreter *i, const char *module, size_t n);
/* One finding for doctor each: as what it is set, and what to do. */
void own_python_each(const char *version, bool user_site, void (*fn)(void *ctx, char *state, const char *remedy), void *ctx);

#endif
