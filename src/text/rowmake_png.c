/* Two images by size and pixel. */
#include "png.h"
#include "rowmake.h"

#include <stdlib.h>
#include <string.h>

struct spread { int64_t n; uint32_t x0, x1, y0, y1; };

static struct spread count_pixels(const struct png *a, const struct png *b)
{
	struct spread s = { 0, UINT32_MAX, 0, UINT32_MAX, 0 };
	size_t row = (size_t)a->width * a->pixel;

	for (uint32_t y = 0; y < a->height; y++) {
		const unsigned char *p = a->pixels + row * y, *q = b->pixels + row * y;
		if (memcmp(p, q, row) == 0)
			continue;
		for (uint32_t x = 0; x < a->width; x++) {
			if (memcmp(p + x * a->pixel, q + x * a->pixel, a->pixel) == 0)
				continue;
			s.n++;
			s.x0 = MIN(s.x0, x);
			s.x1 = MAX(s.x1, x);
			s.y0 = MIN(s.y0, y);
			s.y1 = y;
		}
		s.y0 = MIN(s.y0, y);
	}
	return s;
}

static bool same_span(struct span a, struct span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static void say_pixels(const struct png *a, const struct png *b, struct diffrows *out)
{
	struct spread s = count_pixels(a, b);
	int64_t all = (int64_t)a->width * a->height;

	diffrows_count(out, "pixels", all);
	diffrows_count(out, "pixels_changed", s.n);
	diffrows_sayf(out, DIFFROW_SENTENCE, "%u x %u pixels on both sides", a->width, a->height);
	if (s.n == 0) {
		diffrows_sayf(out, DIFFROW_SENTENCE, "the same pixels: the files differ in their texts, times or packing");
		out->summary = xstrdup("the same pixels");
		return;
	}
	diffrows_sayf(out, DIFFROW_SENTENCE, "they lie within columns %u to %u and rows %u to %u", s.x0 + 1, s.x1 + 1, s.y0 + 1, s.y1 + 1);
	out->summary = xasprintf("%lld of %lld pixels differ", (long long)s.n, (long long)all);
}

bool rowmake_png(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e)
{
	struct png x, y = { 0 };

	(void)o;
	bool ok = png_read(a, &x, e) && png_read(b, &y, e);
	if (ok) {
		out->method = xstrdup("pixels");
		out->differs = !same_span(a, b);
		if (x.width != y.width || x.height != y.height)
			out->summary = xasprintf("%u x %u pixels, now %u x %u", x.width, x.height, y.width, y.height);
		else if (x.colour != y.colour || !same_span(x.palette, y.palette) || !same_span(x.transparency, y.transparency))
			out->summary = xasprintf("%u x %u pixels on both sides, of other kinds or palettes", x.width, x.height);
		else
			say_pixels(&x, &y, out);
	}
	png_free(&x);
	png_free(&y);
	return ok;
}
