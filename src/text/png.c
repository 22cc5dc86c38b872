/* Reading PNG: chunks, the deflated rows, their filters. */
#include "png.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SIGNATURE "\x89PNG\r\n\x1a\n"

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

static bool read_head(struct span d, struct png *p, struct err *e)
{
	static const uint8_t channels[] = { [0] = 1, [2] = 3, [3] = 1, [4] = 2, [6] = 4 };

	if (d.n != 13)
		return err_set(e, ERR_CORRUPT, "no PNG: its head is damaged");
	p->width = be32(d.p);
	p->height = be32(d.p + 4);
	p->colour = (uint8_t)d.p[9];
	if (d.p[8] != 8 || p->colour >= sizeof(channels) || channels[p->colour] == 0 || d.p[12] != 0)
		return err_set(e, ERR_INPUT, "a PNG of %d bits a channel%s is not read by pixel", d.p[8], d.p[12] ? ", interlaced," : "");
	p->pixel = channels[p->colour];
	if (p->width == 0 || p->height == 0 || ((size_t)p->width * p->pixel + 1) > PNG_BYTES / p->height)
		return err_set(e, ERR_LIMIT, "a PNG of %u x %u pixels is not read", p->width, p->height);
	return true;
}

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

/* Rows with a filter byte in front of each become rows without. */
static bool take_filters_off(struct png *p, const unsigned char *raw)
{
	size_t n = (size_t)p->width * p->pixel;

	p->pixels = xmalloc(n * p->height);
	for (uint32_t y = 0; y < p->height; y++) {
		unsigned char *row = p->pixels + n * y;
		memcpy(row, raw + (n + 1) * y + 1, n);
		if (!unfilter(raw[(n + 1) * y], row, y ? row - n : NULL, n, p->pixel))
			return false;
	}
	return true;
}

struct unpacking {
	z_stream z;
	unsigned char *raw;
	size_t size;
	bool begun, ended, failed;
};

static void unpack(struct unpacking *u, struct span d)
{
	u->z.next_in = (Bytef *)(uintptr_t)d.p;
	u->z.avail_in = (uInt)d.n;
	int rc = u->ended || d.n == 0 ? Z_OK : inflate(&u->z, Z_NO_FLUSH);
	u->ended = u->ended || rc == Z_STREAM_END;
	u->failed = u->failed || (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR);
}

static bool begin_unpacking(struct unpacking *u, const struct png *p)
{
	u->size = ((size_t)p->width * p->pixel + 1) * p->height;
	u->raw = xmalloc(u->size);
	u->z = (z_stream){ .next_out = u->raw, .avail_out = (uInt)u->size };
	u->begun = inflateInit(&u->z) == Z_OK;
	return u->begun;
}

static bool read_chunks(struct span f, struct png *p, struct unpacking *u, struct err *e)
{
	size_t at = 8;
	char type[5];
	struct span d;

	while (next_chunk(f, &at, type, &d)) {
		bool head = strcmp(type, "IHDR") == 0;
		if (head == (u->raw != NULL))
			return err_set(e, ERR_CORRUPT, "no PNG: its head is not where it should be");
		if (head && (!read_head(d, p, e) || !begin_unpacking(u, p)))
			return false;
		if (strcmp(type, "PLTE") == 0)
			p->palette = d;
		if (strcmp(type, "tRNS") == 0)
			p->transparency = d;
		if (strcmp(type, "IDAT") == 0)
			unpack(u, d);
		if (strcmp(type, "IEND") == 0)
			break;
	}
	if (!u->begun || u->failed || u->z.total_out != u->size)
		return err_set(e, ERR_CORRUPT, "no PNG that can be read: it is damaged or cut off");
	return true;
}

bool png_read(struct span file, struct png *out, struct err *e)
{
	struct unpacking u = { 0 };

	*out = (struct png){ 0 };
	if (file.n < 8 || memcmp(file.p, SIGNATURE, 8) != 0)
		return err_set(e, ERR_CORRUPT, "no PNG");
	bool ok = read_chunks(file, out, &u, e);
	if (ok && !take_filters_off(out, u.raw))
		ok = err_set(e, ERR_CORRUPT, "no PNG: an unknown filter");
	if (u.begun)
		inflateEnd(&u.z);
	free(u.raw);
	return ok;
}

void png_free(struct png *p)
{
	free(p->pixels);
	p->pixels = NULL;
}
