/* Pictures in cells. */
#include "text/picture.h"

#include <stdlib.h>
#include <string.h>

void picture_free(struct picture *p)
{
	free(p->rgb);
	*p = (struct picture){ 0 };
}

void picture_fit(const struct picture *p, uint32_t cols, uint32_t rows, uint32_t *used_cols, uint32_t *used_rows)
{
	uint64_t w = MAX(p->width, 1u), h = MAX(p->height, 1u), high = 2 * (uint64_t)MAX(rows, 1u);
	uint64_t wide = MIN((uint64_t)MAX(cols, 1u), w), tall = wide * h / w;

	if (tall > high) {
		tall = high;
		wide = tall * w / h;
	}
	*used_cols = (uint32_t)MAX(wide, 1u);
	*used_rows = (uint32_t)MAX((tall + 1) / 2, 1u);
}

/* The mean of the pixels [x0, x1) x [y0, y1), at least one. */
static void mean(const struct picture *p, uint32_t x0, uint32_t x1, uint32_t y0, uint32_t y1, uint8_t out[3])
{
	uint64_t sum[3] = { 0 }, n = 0;

	x0 = MIN(x0, p->width - 1);
	y0 = MIN(y0, p->height - 1);
	x1 = MIN(MAX(x1, x0 + 1), p->width);
	y1 = MIN(MAX(y1, y0 + 1), p->height);
	for (uint32_t y = y0; y < y1; y++) {
		for (uint32_t x = x0; x < x1; x++, n++) {
			const uint8_t *rgb = p->rgb + ((size_t)y * p->width + x) * 3;
			for (int i = 0; i < 3; i++)
				sum[i] += rgb[i];
		}
	}
	for (int i = 0; i < 3; i++)
		out[i] = (uint8_t)(sum[i] / n);
}

void picture_cell(const struct picture *p, uint32_t cols, uint32_t rows, uint32_t x, uint32_t y, uint8_t upper[3], uint8_t lower[3])
{
	uint32_t x0 = (uint32_t)((uint64_t)x * p->width / cols), x1 = (uint32_t)((uint64_t)(x + 1) * p->width / cols);
	uint32_t edge[3];

	for (uint32_t i = 0; i < 3; i++)
		edge[i] = (uint32_t)((uint64_t)(2 * y + i) * p->height / (2 * (uint64_t)rows));
	mean(p, x0, x1, edge[0], edge[1], upper);
	mean(p, x0, x1, edge[1], edge[2], lower);
}

char picture_sign(const uint8_t upper[3], const uint8_t lower[3])
{
	static const char signs[] = "@%#*+=-:. ";
	unsigned light = 0;

	for (int i = 0; i < 3; i++) {
		static const unsigned share[3] = { 299, 587, 114 }; /* of red, green and blue, by ITU-R BT.601 */
		light += share[i] * ((unsigned)upper[i] + lower[i]);
	}
	return signs[light * (sizeof(signs) - 2) / (2 * 255 * 1000)];
}
