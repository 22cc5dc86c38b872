/* glyph: the first thing in some bytes that is shown as one: a glyph with its marks, or the visible form
 * of what is none. */
#ifndef TICKMARK_TEXT_GLYPH_H
#define TICKMARK_TEXT_GLYPH_H

#include "text/ansi.h"

struct item {
	uint8_t len;   /* source bytes */
	uint8_t cells; /* 0: an SGR sequence; of a tab 1, whatever its width */
	uint8_t kind;  /* GLYPH_TEXT, GLYPH_BLANK (a tab), GLYPH_ESCAPE, GLYPH_NUL */
	uint8_t n;     /* bytes below; an ESCAPE has one for each cell */
	char form[GLYPH_BYTES];
};

/* False: p is empty, or (`more` bytes follow) it cannot be told yet. An SGR sequence is applied to *s. */
bool glyph_next(const char *p, size_t n, bool more, struct style *s, struct item *out);

#endif
