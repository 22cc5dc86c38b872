/* Pixels: what differs, and a smaller picture of them. */
#include "image.h"

#include "text/picture.h"

#include <stdlib.h>
#include <string.h>

void image_free(struct image *p)
{
	free(p->rgba);
	p->rgba = NULL;
}

static uint16_t sample(const struct image *p, size_t i)
{
	if (p->depth == 1)
		return (uint16_t)(p->rgba[i] * 257);
	return (uint16_t)(p->rgba[2 * i] << 8 | p->rgba[2 * i + 1]);
}

static bool same_pixel(const struct image *a, const struct image *b, size_t i)
{
	if (a->depth == b->depth)
		return memcmp(a->rgba + i * 4 * a->depth, b->rgba + i * 4 * b->depth, (size_t)4 * a->depth) == 0;
	for (size_t k = 4 * i; k < 4 * i + 4; k++)
		if (sample(a, k) != sample(b, k))
			return false;
	return true;
}

void image_compare(const struct image *a, const struct image *b, struct image_diff *out)
{
	size_t row = (size_t)a->width * 4 * a->depth;

	*out = (struct image_diff){ 0, UINT32_MAX, 0, UINT32_MAX, 0 };
	for (uint32_t y = 0; y < a->height; y++) {
		if (a->depth == b->depth && memcmp(a->rgba + row * y, b->rgba + row * y, row) == 0)
			continue;
		for (uint32_t x = 0; x < a->width; x++) {
			if (same_pixel(a, b, (size_t)y * a->width + x))
				continue;
			out->n++;
			out->x0 = MIN(out->x0, x);
			out->x1 = MAX(out->x1, x);
			out->y0 = MIN(out->y0, y);
			out->y1 = y;
		}
	}
}

/* The mean of the pixels under one of the picture's, on white. */
static void mean(const struct image *p, const uint32_t x[2], const uint32_t y[2], uint8_t rgb[3])
{
	uint64_t sum[3] = { 0 }, n = (uint64_t)(x[1] - x[0]) * (y[1] - y[0]);

	for (uint32_t r = y[0]; r < y[1]; r++) {
		for (uint32_t c = x[0]; c < x[1]; c++) {
			size_t at = ((size_t)r * p->width + c) * 4;
			uint64_t alpha = sample(p, at + 3) >> 8;
			for (size_t i = 0; i < 3; i++)
				sum[i] += ((uint64_t)(sample(p, at + i) >> 8) * alpha + 255 * (255 - alpha)) / 255;
		}
	}
	for (int i = 0; i < 3; i++)
		rgb[i] = (uint8_t)(sum[i] / n);
}

void image_reduce(const struct image *p, struct picture *out)
{
	uint32_t longer = MAX(p->width, p->height), most = MIN(longer, (uint32_t)PICTURE_MOST);

	out->width = (uint32_t)MAX((uint64_t)p->width * most / longer, 1u);
	out->height = (uint32_t)MAX((uint64_t)p->height * most / longer, 1u);
	out->rgb = xmalloc((size_t)out->width * out->height * 3);
	for (uint32_t r = 0; r < out->height; r++) {
		for (uint32_t c = 0; c < out->width; c++) {
			const uint32_t x[2] = { (uint32_t)((uint64_t)c * p->width / out->width), (uint32_t)((uint64_t)(c + 1) * p->width / out->width) };
			const uint32_t y[2] = { (uint32_t)((uint64_t)r * p->height / out->height), (uint32_t)((uint64_t)(r + 1) * p->height / out->height) };
			mean(p, x, y, out->rgb + ((size_t)r * out->width + c) * 3);
		}
	}
}
