/*
 * text/picture: an image made small enough to be shown in cells of a terminal, and how it looks there.
 *
 * A cell holds two pixels of a picture, one above the other; so that shapes keep their proportions,
 * pictures are cut into cells that are twice as high as wide.
 */
#ifndef TICKMARK_TEXT_PICTURE_H
#define TICKMARK_TEXT_PICTURE_H

#include "text.h"

#define PICTURE_MOST 240 /* pixels along a side */

struct picture {
	uint32_t width, height; /* pixels, at most PICTURE_MOST */
	uint8_t *rgb;           /* 3 bytes a pixel, what is transparent on white; owned */
};
void picture_free(struct picture *p);

/* How many cells it fills of at most cols x rows; never enlarged. */
void picture_fit(const struct picture *p, uint32_t cols, uint32_t rows, uint32_t *used_cols, uint32_t *used_rows);
/* The mean colours of cell (x, y) of cols x rows: its upper and its lower half. */
void picture_cell(const struct picture *p, uint32_t cols, uint32_t rows, uint32_t x, uint32_t y, uint8_t upper[3], uint8_t lower[3]);
/* The sign that stands for a cell where there are no colours: the darker, the denser. */
char picture_sign(const uint8_t upper[3], const uint8_t lower[3]);

#endif
