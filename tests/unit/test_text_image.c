/* png.c, image.c, picture.c: pixels of both depths, pictures in cells, files that lie. */
#include "text/image.h"

#include "text/picture.h"
#include "text/png.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

static uint64_t seed = 5;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static struct image make(uint32_t w, uint32_t h, uint8_t depth, uint8_t value)
{
	struct image p = { .width = w, .height = h, .depth = depth, .rgba = xmalloc((size_t)w * h * 4 * depth) };

	memset(p.rgba, value, (size_t)w * h * 4 * depth);
	return p;
}

static void depths_are_the_same_light(void **state)
{
	(void)state;
	struct image a = make(5, 4, 1, 0x40), b = make(5, 4, 2, 0x40);
	struct image_diff d;

	image_compare(&a, &b, &d);
	assert_int_equal(d.n, 0);
	b.rgba[(2 * 5 + 3) * 8 + 1]++; /* the lower byte of one red sample */
	image_compare(&a, &b, &d);
	assert_int_equal(d.n, 1);
	assert_int_equal(d.x0, 3);
	assert_int_equal(d.x1, 3);
	assert_int_equal(d.y0, 2);
	assert_int_equal(d.y1, 2);
	image_free(&a);
	image_free(&b);
}

static void pictures_keep_their_shape(void **state)
{
	(void)state;
	static const struct { uint32_t w, h, cols, rows, want_cols, want_rows; } cases[] = {
		{ 100, 100, 50, 50, 50, 25 }, { 100, 100, 80, 10, 20, 10 }, { 4, 4, 80, 24, 4, 2 }, { 240, 1, 40, 10, 40, 1 },
		{ 1, 240, 40, 10, 1, 10 },    { 3, 3, 1, 1, 1, 1 },
	};
	uint32_t cols, rows;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		picture_fit(&(struct picture){ .width = cases[i].w, .height = cases[i].h }, cases[i].cols, cases[i].rows, &cols, &rows);
		assert_int_equal(cols, cases[i].want_cols);
		assert_int_equal(rows, cases[i].want_rows);
	}
}

static void cells_are_means(void **state)
{
	(void)state;
	struct image white = make(1000, 600, 1, 255);
	struct picture p;
	uint8_t up[3], low[3];

	memset(white.rgba, 0, (size_t)1000 * 300 * 4); /* the upper half: black, and transparent: shown on white */
	for (size_t i = 0; i < (size_t)1000 * 300; i++)
		white.rgba[i * 4 + 3] = i % 1000 < 500 ? 255 : 0;
	image_reduce(&white, &p);
	assert_int_equal(p.width, PICTURE_MOST);
	assert_int_equal(p.height, PICTURE_MOST * 6 / 10);
	picture_cell(&p, 2, 1, 0, 0, up, low);
	assert_int_equal(up[0], 0);
	assert_int_equal(low[0], 255);
	picture_cell(&p, 2, 1, 1, 0, up, low);
	assert_int_equal(up[0], 255);
	assert_int_equal(picture_sign(up, low), ' ');
	assert_int_equal(picture_sign((uint8_t[]){ 0, 0, 0 }, (uint8_t[]){ 0, 0, 0 }), '@');
	picture_free(&p);
	image_free(&white);
}

/* ---- files ---- */

static void add_chunk(struct buf *b, const char *type, const void *p, uint32_t n)
{
	unsigned char head[4] = { (unsigned char)(n >> 24), (unsigned char)(n >> 16), (unsigned char)(n >> 8), (unsigned char)n };
	size_t from = b->len + 4;

	buf_add(b, head, 4);
	buf_add(b, type, 4);
	buf_add(b, p, n);
	uint32_t sum = (uint32_t)crc32(0, (const Bytef *)b->data + from, n + 4);
	for (int i = 3; i >= 0; i--)
		buf_addc(b, (char)(sum >> 8 * i));
}

/* A PNG of w x h with that head, and so many bytes of rows. */
static struct buf make_png(uint32_t w, uint32_t h, uint8_t bits, uint8_t colour, uint8_t interlaced, size_t rows)
{
	unsigned char head[13] = { (unsigned char)(w >> 24), (unsigned char)(w >> 16), (unsigned char)(w >> 8), (unsigned char)w,
		(unsigned char)(h >> 24), (unsigned char)(h >> 16), (unsigned char)(h >> 8), (unsigned char)h, bits, colour, 0, 0, interlaced };
	struct buf b = { 0 };
	unsigned char *raw = xcalloc(rows + 1, 1), packed[4096];
	uLongf n = sizeof(packed);

	assert_int_equal(compress(packed, &n, raw, rows), Z_OK);
	buf_add(&b, "\x89PNG\r\n\x1a\n", 8);
	add_chunk(&b, "IHDR", head, 13);
	add_chunk(&b, "IDAT", packed, (uint32_t)n);
	add_chunk(&b, "IEND", "", 0);
	free(raw);
	return b;
}

static void heads_are_not_believed(void **state)
{
	(void)state;
	static const struct { uint32_t w, h; uint8_t bits, colour, interlaced; size_t rows; enum err_code code; } cases[] = {
		{ 3, 2, 8, 2, 0, 20, ERR_NONE },        { 3, 2, 1, 0, 0, 4, ERR_NONE },
		{ 3, 2, 16, 6, 0, 50, ERR_NONE },       { 3, 2, 1, 0, 1, 8, ERR_NONE },  /* passes 1, 4, 6 and 7 */
		{ 3, 2, 8, 2, 0, 19, ERR_CORRUPT },     { 3, 2, 8, 2, 0, 21, ERR_NONE }, { 3, 2, 3, 0, 0, 4, ERR_CORRUPT },
		{ 3, 2, 16, 3, 0, 14, ERR_CORRUPT },    { 3, 2, 4, 2, 0, 12, ERR_CORRUPT }, { 3, 2, 8, 1, 0, 8, ERR_CORRUPT },
		{ 3, 2, 8, 2, 2, 20, ERR_CORRUPT },     { 0, 2, 8, 2, 0, 2, ERR_LIMIT },    { 100000, 100000, 1, 0, 0, 100, ERR_LIMIT },
		{ 4000000000u, 2, 1, 0, 0, 100, ERR_LIMIT },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf b = make_png(cases[i].w, cases[i].h, cases[i].bits, cases[i].colour, cases[i].interlaced, cases[i].rows);
		struct image p;
		struct err e = { 0 };
		bool animated;
		bool ok = png_read((struct span){ b.data, b.len }, &p, &animated, &e);
		assert_int_equal(ok ? ERR_NONE : e.code, cases[i].code);
		if (ok)
			image_free(&p);
		buf_free(&b);
	}
}

static void damaged_files_end_well(void **state)
{
	(void)state;

	for (int round = 0; round < 3000; round++) {
		static const uint8_t colours[] = { 0, 2, 3, 4, 6 };
		struct buf b = make_png(1 + draw(9), 1 + draw(9), (uint8_t)(1u << draw(5)), colours[draw(5)], (uint8_t)draw(2), draw(400));
		struct image p;
		bool animated;
		size_t at = 8 + draw((uint32_t)b.len - 8);
		b.data[at] = (char)(b.data[at] ^ (1 << draw(8)));
		if (png_read((struct span){ b.data, b.len - draw(3) }, &p, &animated, NULL))
			image_free(&p);
		buf_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depths_are_the_same_light), cmocka_unit_test(pictures_keep_their_shape), cmocka_unit_test(cells_are_means),
		cmocka_unit_test(heads_are_not_believed),    cmocka_unit_test(damaged_files_end_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
