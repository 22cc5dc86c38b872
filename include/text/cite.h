/*
 * text/cite: citations of attempts in what people and assistants say: [7.2], and [7.2r1] of a check.
 * Nothing else in brackets is one: [7], [0.5], [1.05] and [see 7.2] are text.
 */
#ifndef TICKMARK_TEXT_CITE_H
#define TICKMARK_TEXT_CITE_H

#include "text.h"

struct cite {
	size_t start, end; /* bytes of the text, brackets included */
	struct ref ref;    /* REF_ATTEMPT or REF_CHECK */
};
/* The first citation at byte `from` or behind; false: no more. */
bool cite_next(const char *p, size_t n, size_t from, struct cite *out);

#endif
