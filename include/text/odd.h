/*
 * text/odd: characters that do not show what they are. Hidden ones show nothing, those of direction
 * change the order in which others show, look-alikes are letters of another script (or of a set of
 * styled letters) inside a word of Latin letters, or a whole word of such that read as Latin ones, where its
 * line holds no other word of a script of its own. All other words of another script are a language and no
 * matter; so are Greek letters that look like none of ours (Δx, σ_y), and single ones.
 */
#ifndef TICKMARK_TEXT_ODD_H
#define TICKMARK_TEXT_ODD_H

#include "base.h"

enum odd_kind { ODD_HIDDEN = 1, ODD_BIDI, ODD_ALIKE };
struct odd_span {
	size_t start, len; /* bytes of one character */
	uint8_t kind;      /* enum odd_kind */
};
/* The odd characters of a text in order, at most `max`; a byte order mark at its beginning is none, nor is
 * what belongs to an emoji. At memory speed over ASCII. */
size_t odd_find(const char *p, size_t n, struct odd_span *out, size_t max);

struct odd_sum { int64_t hidden, bidi, alike; };
/* Adds what is found; *sum is not cleared. */
void odd_count(struct odd_sum *sum, const char *p, size_t n);

#endif
