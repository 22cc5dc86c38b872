/* shim: small scripts that stand for an interpreter (pyenv, asdf). Nothing of them is run. */
#ifndef TICKMARK_MODEL_SHIM_H
#define TICKMARK_MODEL_SHIM_H

#include "base.h"

/* Owned path of the first `name` in PATH that may be executed, shims resolved or passed over; NULL
 * (ERR_NOTFOUND) when there is none. `from` is the folder whose .python-version counts. */
char *shim_find(const char *name, const char *from, struct err *e);
/* Owned real program behind `path`: itself where it is no shim; NULL when it cannot be told. */
char *shim_resolve(const char *path, const char *from);
/* Calls fn with the bin folders of every version that pyenv and asdf have here. */
void shim_each_version(void (*fn)(void *ctx, const char *bin), void *ctx);

#endif
