/* Pixels of an image, whatever file they came from. */
#ifndef TICKMARK_TEXT_IMAGE_H
#define TICKMARK_TEXT_IMAGE_H

#include "text.h"

struct picture;

#define IMAGE_PIXELS ((size_t)32 << 20)

struct image {
	uint32_t width, height;
	uint8_t depth;   /* bytes of a sample: 1, or 2 with the higher one first */
	uint8_t *rgba;   /* four samples a pixel, rows without gap; owned */
};
void image_free(struct image *p);

struct image_diff {
	int64_t n;               /* pixels that differ in any sample */
	uint32_t x0, x1, y0, y1; /* where the first and last of them stand */
};
/* Both of one size. Samples of one byte and of two are the same where they stand for the same light. */
void image_compare(const struct image *a, const struct image *b, struct image_diff *out);
/* Made smaller where it has to be; owned by *out. */
void image_reduce(const struct image *p, struct picture *out);

#endif
