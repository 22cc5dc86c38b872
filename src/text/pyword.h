/* pyword: what a name means to Python by itself. */
#ifndef TICKMARK_TEXT_PYWORD_H
#define TICKMARK_TEXT_PYWORD_H

#include "text/pylex.h"

/* PY_KEYWORD (soft ones are none), PY_CONSTANT, PY_BUILTIN or PY_PLAIN. */
enum py_kind pyword_kind(const char *p, size_t len);

#endif
