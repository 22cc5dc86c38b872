/*
 * Finding plain bytes in large blocks. Two bytes of the needle are looked for at once, at many places at a
 * time: those two that the data holds least often, which the data itself tells. Data that defeats this is
 * left to memmem, so that the work stays linear.
 */
#ifndef TICKMARK_TEXT_NEEDLE_H
#define TICKMARK_TEXT_NEEDLE_H

#include "base.h"

struct needle {
	char *bytes;   /* owned; NULL: none */
	size_t n;
	size_t a, b;   /* places in it of the two bytes */
	bool wide;     /* the processor has wide registers */
	bool chosen;   /* by a sample of the data; false: the next call takes one */
};

void needle_set(struct needle *nd, const char *p, size_t n); /* n > 0 */
void needle_clear(struct needle *nd);
const char *needle_find(struct needle *nd, const char *p, size_t n); /* NULL: it is not there */

#endif
