/* Two images by size and pixel, and both of them as pictures. */
#include "frames.h"
#include "rowmake.h"
#include "text/picture.h"

#include <stdlib.h>
#include <string.h>

/* ---- comparing ---- */

static bool same_size(const struct image *a, const struct image *b)
{
	return a->width == b->width && a->height == b->height;
}

static void say_place(const struct image_diff *d, struct diffrows *out)
{
	diffrows_sayf(out, DIFFROW_SENTENCE, "they lie within columns %u to %u and rows %u to %u", d->x0 + 1, d->x1 + 1, d->y0 + 1,
	              d->y1 + 1);
}

/* All frames; which one differs first is where pictures are taken from. */
static size_t say_frames(const struct frames *a, const struct frames *b, struct diffrows *out)
{
	int64_t changed = 0, all = 0;
	size_t first = SIZE_MAX, differing = 0, sizes = 0;
	struct image_diff d, at = { 0 };

	for (size_t i = 0; i < MIN(a->n, b->n); i++) {
		d = (struct image_diff){ .n = 1 };
		if (same_size(&a->v[i], &b->v[i])) {
			image_compare(&a->v[i], &b->v[i], &d);
			changed += d.n;
			all += (int64_t)a->v[i].width * a->v[i].height;
		} else {
			sizes++;
		}
		if (d.n == 0)
			continue;
		at = first == SIZE_MAX ? d : at;
		first = MIN(first, i);
		differing++;
	}
	diffrows_count(out, "pixels", all);
	diffrows_count(out, "pixels_changed", changed);
	diffrows_count(out, "frames_changed", (int64_t)differing);
	if (a->n == 1 && b->n == 1 && sizes == 0)
		diffrows_sayf(out, DIFFROW_SENTENCE, "%u x %u pixels on both sides", a->v->width, a->v->height);
	else if (a->n > 1 || b->n > 1)
		diffrows_sayf(out, DIFFROW_SENTENCE, "%zu frame%s on the left, %zu on the right; %zu of them differ", a->n, a->n == 1 ? "" : "s",
		              b->n, differing);
	if (changed && differing == 1 && sizes == 0)
		say_place(&at, out);
	if (sizes && first < SIZE_MAX && !same_size(&a->v[first], &b->v[first]))
		out->summary = xasprintf("%u x %u pixels, now %u x %u", a->v[first].width, a->v[first].height, b->v[first].width,
		                         b->v[first].height);
	else if (changed)
		out->summary = xasprintf("%lld of %lld pixels differ", (long long)changed, (long long)all);
	return first == SIZE_MAX ? 0 : first;
}

static void compare_frames(const struct frames *a, const struct frames *b, struct diffrows *out)
{
	size_t first = say_frames(a, b, out);

	out->method = xstrdup("pixels");
	if (a->cut || b->cut)
		diffrows_sayf(out, DIFFROW_SENTENCE, "animated: there are images behind those that were compared");
	if (!out->summary && a->n == b->n)
		diffrows_sayf(out, DIFFROW_SENTENCE, "the same pixels: the files differ in their texts, times or packing");
	if (!out->summary)
		out->summary = xstrdup(a->n == b->n ? "the same pixels" : "another number of frames");
	out->pictures = xcalloc(2, sizeof(*out->pictures));
	image_reduce(&a->v[first], &out->pictures[0]);
	image_reduce(&b->v[first], &out->pictures[1]);
}

static bool make(struct span a, struct span b, bool (*read)(struct span s, struct frames *f, struct err *e),
                 const struct diffrows_options *o, struct diffrows *out, struct err *e)
{
	struct frames x = { 0 }, y = { 0 };
	bool ok = read(a, &x, e) && !rowmake_is_cancelled(o, e) && read(b, &y, e) && !rowmake_is_cancelled(o, e);

	if (ok)
		compare_frames(&x, &y, out);
	frames_free(&x);
	frames_free(&y);
	return ok;
}

bool rowmake_image(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e)
{
	if (!make(a, b, frames_read_png, o, out, e))
		return false;
	out->differs = a.n != b.n || memcmp(a.p, b.p, a.n) != 0;
	return true;
}

bool rowmake_frames(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e)
{
	out->differs = true; /* readers are asked of different bytes only */
	return make(a, b, frames_read, o, out, e);
}
