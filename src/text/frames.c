/* The frames of an image file, from a PNG itself or from the lines of a reader. */
#include "frames.h"
#include "book.h"
#include "png.h"

#include <stdlib.h>
#include <string.h>

void frames_free(struct frames *f)
{
	for (size_t i = 0; i < f->n; i++)
		image_free(&f->v[i]);
	free(f->v);
}

static struct image *add_frame(struct frames *f)
{
	f->v = grow(f->v, f->n, &f->cap, sizeof(*f->v));
	f->v[f->n] = (struct image){ .depth = 1 };
	f->rows = 0;
	f->row_cap = 0;
	return &f->v[f->n++];
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool add_row(struct frames *f, struct image *p, const char *hex, size_t n)
{
	if (n == 0 || n % 8 || (p->width && n / 8 != p->width) || n / 8 * (f->rows + (size_t)1) > IMAGE_PIXELS)
		return false;
	p->width = (uint32_t)(n / 8);
	if (f->rows == f->row_cap) {
		f->row_cap = MAX(2 * f->row_cap, (size_t)64);
		p->rgba = xreallocarray(p->rgba, f->row_cap, (size_t)p->width * 4);
	}
	for (size_t i = 0; i < n / 2; i++) {
		int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		p->rgba[(size_t)f->rows * p->width * 4 + i] = (uint8_t)(high << 4 | low);
	}
	p->height = ++f->rows;
	return true;
}

static bool take_line(void *ctx, const struct json_value *v, struct err *e)
{
	struct frames *f = ctx;

	if (json_get(v, "more")) {
		f->cut = true;
		return true;
	}
	if (json_count(v) == 1 && json_text(json_at(v, 0), NULL)) {
		(void)add_frame(f);
		return true;
	}
	const char *hex = json_text(json_at(v, 5), NULL);
	return (f->n && hex && add_row(f, &f->v[f->n - 1], hex, json_text_len(json_at(v, 5)))) ||
	       err_set(e, ERR_CORRUPT, "the reader's lines are no image");
}

bool frames_read(struct span s, struct frames *f, struct err *e)
{
	if (!book_each_line(s, take_line, f, e))
		return false;
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].height == 0)
			return err_set(e, ERR_CORRUPT, "the reader's lines are no image");
	return f->n > 0 || err_set(e, ERR_CORRUPT, "the reader found no image");
}

bool frames_read_png(struct span s, struct frames *f, struct err *e)
{
	return png_read(s, add_frame(f), &f->cut, e);
}
