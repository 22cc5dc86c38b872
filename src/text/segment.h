/*
 * segment: the pieces that a text is laid out by, each by itself and without what lies before it: a
 * line, the shown state of one, each state of an open one, or a piece of a very long one.
 */
#ifndef TICKMARK_TEXT_SEGMENT_H
#define TICKMARK_TEXT_SEGMENT_H

#include "text/rows.h"

struct segment {
	int64_t low, high;        /* bytes it answers for */
	int64_t start, end;       /* bytes it shows */
	int64_t line;             /* where its line begins, -1 unknown */
	int64_t earlier;          /* states hidden before it */
	bool first, last;         /* of its line */
	struct cells_state state; /* at start */
};

/* The segment that answers for byte `pos`, which is there. Segments touch each other: the one before is
 * that of byte low - 1, the one behind that of byte high. *line is the line found by the call before, while
 * size and index are the same (a very long one is not looked for again), else zero; it gets the new one. */
void segment_find(struct rows *r, int64_t pos, struct line *line, struct segment *g);

#endif
