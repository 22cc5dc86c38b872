/*
 * text/pyfilter: where Python code decides which data count. A reviewer of analysis code must look at
 * each such place, so they are found among the tokens, however a call is broken over lines, and by whatever name
 * a method was imported or kept: never in comments, in strings only SQL.
 * What the code means nobody here knows: a name that is none of pandas' may be found.
 */
#ifndef TICKMARK_TEXT_PYFILTER_H
#define TICKMARK_TEXT_PYFILTER_H

#include "base.h"

#define PYFILTER_CODE_MAX ((size_t)1 << 20) /* bytes of code that callers look at */

struct py_filter {
	uint32_t line;       /* from 1 */
	uint32_t start, len; /* bytes of the code */
	const char *what;    /* "boolean mask", "dropna", "nrows=", "SQL WHERE": constant */
};

struct py_filters {
	struct py_filter *at; /* in order */
	size_t n, cap;
};

/* Zero *out before; pyfilter_free when done. */
void pyfilter_find(const char *code, size_t n, struct py_filters *out);
void pyfilter_free(struct py_filters *f);

#endif
