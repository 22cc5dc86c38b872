/* Lines as numbers: equal numbers are equal lines. */
#ifndef TICKMARK_TEXT_INTERN_H
#define TICKMARK_TEXT_INTERN_H

#include "text/diff.h"

/* Cuts a text into lines (LF, CRLF, lone CR); a byte order mark in front is taken off. With DIFF_EXACT at LF alone,
 * and nothing is taken off. */
void intern_cut(struct span text, unsigned flags, struct diff_text *out);

struct interned {
	uint32_t *id[2];   /* of each line */
	uint32_t ids;      /* ids are below */
	uint8_t *sides;    /* of each id: 1 in the left text, 2 in the right one, 3 both */
};
void intern_lines(const struct diff_text side[2], unsigned flags, struct interned *out);
void intern_free(struct interned *t);
/* Equal in bytes once runs of blanks and tabs are one blank, and none at the end. */
bool intern_same_folded(struct span a, struct span b);

#endif
