/* Pixels of a PNG (W3C PNG, third edition): 8 bits a channel, not interlaced, as plotting libraries write them. */
#ifndef TICKMARK_TEXT_PNG_H
#define TICKMARK_TEXT_PNG_H

#include "text.h"

#define PNG_BYTES ((size_t)256 << 20) /* unpacked */

struct png {
	uint32_t width, height;
	uint8_t colour;        /* 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA */
	size_t pixel;          /* bytes of one */
	struct span palette, transparency; /* chunks; into the file */
	unsigned char *pixels; /* owned; rows follow each other without gap */
};
/* ERR_CORRUPT, or ERR_INPUT for a kind that is not read; width and height are set as soon as they are known. */
bool png_read(struct span file, struct png *out, struct err *e);
void png_free(struct png *p);

#endif
