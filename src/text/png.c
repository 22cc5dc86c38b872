/* Reading PNG: chunks, the deflated rows of one or seven passes, their filters, samples of every width. */
#include "png.h"
#include "text/reading.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SIGNATURE "\x89PNG\r\n\x1a\n"

bool png_is(struct span file)
{
	return file.n >= strlen(SIGNATURE) && memcmp(file.p, SIGNATURE, strlen(SIGNATURE)) == 0;
}

enum { GREY = 0, RGB = 2, PALETTE = 3, GREY_ALPHA = 4, RGBA = 6 };

struct reading {
	uint32_t width, height;
	unsigned bits;            /* of a sample */
	unsigned colour, channels;
	bool interlaced;
	struct span palette, transparency; /* chunks; into the file */
	bool animated;
	z_stream z;
	unsigned char *raw;       /* all rows as they were before packing; owned */
	size_t size;
	bool begun, ended, failed;
};

/* A pass: every dx-th pixel from x0 on, of every dy-th row from y0 on. */
struct pass { uint32_t x0, y0, dx, dy; };
static const struct pass whole = { 0, 0, 1, 1 };
static const struct pass adam7[] = {
	{ 0, 0, 8, 8 }, { 4, 0, 8, 8 }, { 0, 4, 4, 8 }, { 2, 0, 4, 4 }, { 0, 2, 2, 4 }, { 1, 0, 2, 2 }, { 0, 1, 1, 2 },
};

static size_t passes_of(const struct reading *r)
{
	return r->interlaced ? ARRAY_LEN(adam7) : 1;
}

static const struct pass *pass_at(const struct reading *r, size_t i)
{
	return r->interlaced ? &adam7[i] : &whole;
}

/* Pixels of a pass along a side of n. */
static uint32_t along(uint32_t n, uint32_t first, uint32_t step)
{
	return n > first ? (n - first + step - 1) / step : 0;
}

static size_t row_bytes(const struct reading *r, uint32_t width)
{
	return ((size_t)width * r->channels * r->bits + 7) / 8;
}

static size_t raw_size(const struct reading *r)
{
	size_t n = 0;

	for (size_t i = 0; i < passes_of(r); i++) {
		const struct pass *p = pass_at(r, i);
		uint32_t w = along(r->width, p->x0, p->dx), h = along(r->height, p->y0, p->dy);
		n += w ? (row_bytes(r, w) + 1) * h : 0;
	}
	return n;
}

/* ---- chunks ---- */

static uint32_t be32(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

/* The chunk at *at, which moves behind it; its sum is checked. */
static bool next_chunk(struct span f, size_t *at, char type[5], struct span *data)
{
	if (f.n - *at < 12)
		return false;
	uint32_t n = be32(f.p + *at);
	if (n > f.n - *at - 12)
		return false;
	memcpy(type, f.p + *at + 4, 4);
	type[4] = '\0';
	*data = (struct span){ f.p + *at + 8, n };
	uint32_t sum = (uint32_t)crc32(crc32(0, NULL, 0), (const Bytef *)f.p + *at + 4, n + 4);
	bool good = sum == be32(f.p + *at + 8 + n);
	*at += (size_t)n + 12;
	return good;
}

static bool read_head(struct span d, struct reading *r, struct err *e)
{
	static const struct { uint8_t channels, depths; } kinds[] = { /* depths: bits that may be, added up */
		[GREY] = { 1, 1 + 2 + 4 + 8 + 16 }, [RGB] = { 3, 8 + 16 }, [PALETTE] = { 1, 1 + 2 + 4 + 8 }, [GREY_ALPHA] = { 2, 8 + 16 },
		[RGBA] = { 4, 8 + 16 },
	};

	if (d.n != 13)
		return err_set(e, ERR_CORRUPT, "no PNG: its head is damaged");
	r->width = be32(d.p);
	r->height = be32(d.p + 4);
	r->bits = (uint8_t)d.p[8];
	r->colour = (uint8_t)d.p[9];
	r->interlaced = d.p[12] == 1;
	bool known = r->colour < ARRAY_LEN(kinds) && r->bits && (r->bits & (r->bits - 1)) == 0 && (kinds[r->colour].depths & r->bits);
	if (!known || (uint8_t)d.p[12] > 1 || d.p[10] || d.p[11])
		return err_set(e, ERR_CORRUPT, "no PNG: there is no colour type %u of %u bits", r->colour, r->bits);
	r->channels = kinds[r->colour].channels;
	if (r->width == 0 || r->height == 0 || r->width > IMAGE_PIXELS / r->height)
		return err_set(e, ERR_LIMIT, "a PNG of %u x %u pixels is not read", r->width, r->height);
	return true;
}

static void unpack(struct reading *r, struct span d)
{
	r->z.next_in = (Bytef *)(uintptr_t)d.p;
	r->z.avail_in = (uInt)d.n;
	int rc = r->ended || d.n == 0 ? Z_OK : inflate(&r->z, Z_NO_FLUSH);
	r->ended = r->ended || rc == Z_STREAM_END;
	r->failed = r->failed || (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR);
}

static bool begin_unpacking(struct reading *r)
{
	r->size = raw_size(r);
	r->raw = xmalloc(r->size);
	r->z = (z_stream){ .next_out = r->raw, .avail_out = (uInt)r->size };
	r->begun = inflateInit(&r->z) == Z_OK;
	return r->begun;
}

static bool read_chunks(struct span f, struct reading *r, struct err *e)
{
	size_t at = 8;
	char type[5];
	struct span d;

	while (next_chunk(f, &at, type, &d)) {
		bool head = strcmp(type, "IHDR") == 0;
		if (head == (r->raw != NULL))
			return err_set(e, ERR_CORRUPT, "no PNG: its head is not where it should be");
		if (head && (!read_head(d, r, e) || !begin_unpacking(r)))
			return false;
		if (strcmp(type, "PLTE") == 0)
			r->palette = d;
		if (strcmp(type, "tRNS") == 0)
			r->transparency = d;
		r->animated = r->animated || strcmp(type, "acTL") == 0;
		if (strcmp(type, "IDAT") == 0)
			unpack(r, d);
		if (strcmp(type, "IEND") == 0)
			break;
	}
	if (!r->begun || r->failed || r->z.total_out != r->size)
		return err_set(e, ERR_CORRUPT, "no PNG that can be read: it is damaged or cut off");
	return true;
}

/* ---- rows ---- */

static int paeth(int a, int b, int c)
{
	int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);

	return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/* Takes the filter off one row; `up` is the row before. False: no such filter. */
static bool unfilter(int kind, unsigned char *row, const unsigned char *up, size_t n, size_t pixel)
{
	if (kind > 4)
		return false;
	for (size_t i = 0; i < n; i++) {
		int left = i >= pixel ? row[i - pixel] : 0, above = up ? up[i] : 0, corner = up && i >= pixel ? up[i - pixel] : 0;
		int add = kind == 1 ? left : kind == 2 ? above : kind == 3 ? (left + above) / 2 : kind == 4 ? paeth(left, above, corner) : 0;
		row[i] = (unsigned char)(row[i] + add);
	}
	return true;
}

static unsigned get_sample(const struct reading *r, const unsigned char *row, size_t i)
{
	if (r->bits == 16)
		return (unsigned)row[2 * i] << 8 | row[2 * i + 1];
	if (r->bits == 8)
		return row[i];
	size_t bit = i * r->bits;
	return (row[bit / 8] >> (8 - r->bits - bit % 8)) & ((1u << r->bits) - 1);
}

static void put_sample(const struct image *out, size_t i, unsigned v)
{
	if (out->depth == 1) {
		out->rgba[i] = (uint8_t)v;
		return;
	}
	out->rgba[2 * i] = (uint8_t)(v >> 8);
	out->rgba[2 * i + 1] = (uint8_t)v;
}

/* A sample in the whole range of a byte, or of two. */
static unsigned stretch(const struct reading *r, unsigned v)
{
	return r->bits < 8 ? v * 255 / ((1u << r->bits) - 1) : v;
}

/* Whether it is the one colour that stands for transparent. */
static bool is_key(const struct reading *r, const unsigned *v, unsigned n)
{
	if (r->transparency.n < 2 * n)
		return false;
	for (unsigned i = 0; i < n; i++) {
		const unsigned char *t = (const unsigned char *)r->transparency.p + 2 * i;
		if (v[i] != ((unsigned)t[0] << 8 | t[1]))
			return false;
	}
	return true;
}

static void put_palette(const struct reading *r, const struct image *out, size_t pixel, unsigned index)
{
	const unsigned char *rgb = (const unsigned char *)r->palette.p + 3 * (size_t)index;

	for (size_t i = 0; i < 3; i++) /* an index that is not there is black, as readers have it */
		put_sample(out, 4 * pixel + i, r->palette.n >= 3 * ((size_t)index + 1) ? rgb[i] : 0);
	put_sample(out, 4 * pixel + 3, index < r->transparency.n ? (unsigned char)r->transparency.p[index] : 255);
}

static void put_pixel(const struct reading *r, const struct image *out, size_t pixel, const unsigned char *row, size_t x)
{
	unsigned v[4], full = out->depth == 1 ? 255 : 65535, colours = r->colour == GREY || r->colour == GREY_ALPHA ? 1 : 3;

	for (unsigned i = 0; i < r->channels; i++)
		v[i] = get_sample(r, row, x * r->channels + i);
	if (r->colour == PALETTE) {
		put_palette(r, out, pixel, v[0]);
		return;
	}
	for (unsigned i = 0; i < 3; i++)
		put_sample(out, 4 * pixel + i, stretch(r, v[colours == 1 ? 0 : i]));
	put_sample(out, 4 * pixel + 3, r->channels > colours ? v[colours] : is_key(r, v, colours) ? 0 : full);
}

/* One pass, from `raw` on, which moves behind it. */
static bool put_pass(const struct reading *r, const struct pass *p, unsigned char **raw, const struct image *out)
{
	uint32_t w = along(r->width, p->x0, p->dx), h = along(r->height, p->y0, p->dy);
	size_t n = row_bytes(r, w), pixel = MAX((size_t)r->channels * r->bits / 8, 1u);

	for (uint32_t y = 0; w && y < h; y++, *raw += n + 1) {
		unsigned char *row = *raw + 1;
		if (!unfilter(row[-1], row, y ? row - n - 1 : NULL, n, pixel))
			return false;
		for (uint32_t x = 0; x < w; x++)
			put_pixel(r, out, (size_t)(p->y0 + y * p->dy) * r->width + p->x0 + x * p->dx, row, x);
	}
	return true;
}

static bool put_all(const struct reading *r, struct image *out, struct err *e)
{
	unsigned char *raw = r->raw;

	*out = (struct image){ .width = r->width, .height = r->height, .depth = r->bits == 16 ? 2 : 1 };
	out->rgba = xmalloc((size_t)r->width * r->height * 4 * out->depth);
	for (size_t i = 0; i < passes_of(r); i++)
		if (!put_pass(r, pass_at(r, i), &raw, out))
			return err_set(e, ERR_CORRUPT, "no PNG: an unknown filter");
	return true;
}

bool png_read(struct span file, struct image *out, bool *animated, struct err *e)
{
	struct reading r = { 0 };

	*out = (struct image){ 0 };
	if (file.n < 8 || memcmp(file.p, SIGNATURE, 8) != 0)
		return err_set(e, ERR_CORRUPT, "no PNG");
	bool ok = read_chunks(file, &r, e) && put_all(&r, out, e);
	if (!ok)
		image_free(out);
	if (r.begun)
		inflateEnd(&r.z);
	free(r.raw);
	*animated = r.animated;
	return ok;
}
