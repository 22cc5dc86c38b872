/*
 * text/pyfilter: where Python code decides which data count. A reviewer of analysis code must look at
 * each such place, so they are found by the lexer, line by line: never in comments, in strings only SQL.
 * What the code means nobody here knows: a name that is none of pandas' may be found, and a mask that
 * is kept in a variable is found where it is made only if a method of the table makes it.
 */
#ifndef TICKMARK_TEXT_PYFILTER_H
#define TICKMARK_TEXT_PYFILTER_H

#include "text/pylex.h"

#define PYFILTER_DEPTH 64 /* brackets inside each other; deeper ones hold no masks */
/* At the beginning of a line; zero at the beginning of a file. */
struct pyfilter_state {
	struct py_state py;
	uint8_t bracket[PYFILTER_DEPTH]; /* private */
	uint16_t depth;
	uint8_t last;                    /* private: the token before */
	bool sql;                        /* in a string that began as a query */
};

struct py_filter {
	uint32_t start, len; /* bytes of the line */
	const char *what;    /* "boolean mask", "dropna", "nrows=", "SQL WHERE": constant */
};

/* What the line holds, in order, at most `max`. Moves *st to the next line. */
size_t pyfilter_line(struct pyfilter_state *st, const char *line, size_t n, struct py_filter *out, size_t max);

#endif
