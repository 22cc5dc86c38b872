/* noise_zip.c, zip.c: all that an archive holds is compared, and no archive is work without end. */
#include "text/noise.h"

#include "text/zip.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

/* 2026-11-30 10:15:00 to :03 UTC, and a day later. */
#define FIRST 1796033700000000
static const struct noise_run runs[2] = { { FIRST, FIRST + 3000000 }, { FIRST + 86400000000, FIRST + 86403000000 } };

#define STAMP(year, month, day, h, m, s) \
	((uint32_t)(((year) - 1980) << 25 | (month) << 21 | (day) << 16 | (h) << 11 | (m) << 5 | (s) / 2))
#define FIXED STAMP(1980, 1, 1, 0, 0, 0)
#define DAY_1 STAMP(2026, 11, 30, 10, 15, 2)
#define DAY_2 STAMP(2026, 12, 1, 10, 15, 0)

#define TEXT "total 5\n"
struct member {
	const char *name;
	const char *text;   /* NULL: TEXT */
	uint32_t stamp;     /* 0: FIXED */
	uint32_t attributes;
	uint32_t extra;  /* a time stamp in seconds; 0: none */
	bool deflated;   /* in blocks that are stored … */
	size_t block;    /* … of so many bytes each; 0: in one */
	bool later;      /* check sum and sizes behind it */
	uint32_t local;  /* stamp before it, where that is another */
};
struct recipe {
	struct member v[3];
	const char *front, *between, *comment;
	bool backwards;  /* the directory has the last member first */
	bool shared;     /* all its entries are of the first member */
	uint32_t crc;    /* told of every member in place of its own; 0: that */
};

static void number(struct buf *b, uint32_t v, size_t n)
{
	for (; n > 0; n--, v >>= 8)
		buf_addc(b, (char)v);
}

static const char *text_of(const struct member *m)
{
	return m->text ? m->text : TEXT;
}

static void put_sizes(struct buf *b, const struct recipe *r, const struct member *m, size_t packed)
{
	const char *text = text_of(m);

	number(b, r->crc ? r->crc : (uint32_t)crc32(0, (const Bytef *)text, (uInt)strlen(text)), 4);
	number(b, (uint32_t)packed, 4);
	number(b, (uint32_t)strlen(text), 4);
}

static void put_head(struct buf *b, const struct member *m, uint32_t stamp)
{
	number(b, 20, 2);
	number(b, m->later ? ZIP_LATER : 0, 2);
	number(b, m->deflated ? 8 : 0, 2);
	number(b, stamp ? stamp : FIXED, 4);
}

static void put_lengths(struct buf *b, const struct member *m)
{
	number(b, (uint32_t)strlen(m->name), 2);
	number(b, m->extra ? 9 : 0, 2);
}

static void put_name(struct buf *b, const struct member *m)
{
	buf_adds(b, m->name);
	if (!m->extra)
		return;
	number(b, 0x5455, 2);
	number(b, 5, 2);
	number(b, 1, 1);
	number(b, m->extra, 4);
}

/* Returns the bytes that it has packed. */
static size_t put_member(struct buf *b, const struct recipe *r, const struct member *m)
{
	const char *text = text_of(m);
	size_t n = strlen(text), most = m->block ? m->block : n, packed = m->deflated ? n + 5 * ((n + most - 1) / most) : n;

	buf_adds(b, "PK\3\4");
	put_head(b, m, m->local ? m->local : m->stamp);
	if (m->later)
		buf_add(b, (const char[12]){ 0 }, 12);
	else
		put_sizes(b, r, m, packed);
	put_lengths(b, m);
	put_name(b, m);
	for (size_t at = 0; at < n; at += most) {
		size_t some = MIN(most, n - at);
		if (m->deflated) {
			number(b, at + some == n, 1);
			number(b, (uint32_t)some, 2);
			number(b, (uint32_t)~some, 2);
		}
		buf_add(b, text + at, some);
	}
	if (m->later) {
		buf_adds(b, "PK\7\10");
		put_sizes(b, r, m, packed);
	}
	buf_adds(b, r->between ? r->between : "");
	return packed;
}

static void put_entry(struct buf *b, const struct recipe *r, const struct member *m, size_t packed, size_t at)
{
	buf_adds(b, "PK\1\2");
	number(b, 20, 2);
	put_head(b, m, m->stamp);
	put_sizes(b, r, m, packed);
	put_lengths(b, m);
	number(b, 0, 2 + 2 + 2);
	number(b, m->attributes, 4);
	number(b, (uint32_t)at, 4);
	put_name(b, m);
}

static void make(const struct recipe *r, struct buf *out)
{
	const char *comment = r->comment ? r->comment : "";
	size_t n = 0, at[3], packed[3];

	buf_adds(out, r->front ? r->front : "");
	for (; n < 3 && r->v[n].name; n++) {
		at[n] = out->len;
		packed[n] = put_member(out, r, &r->v[n]);
	}
	size_t directory = out->len;
	for (size_t i = 0; i < n; i++) {
		size_t k = r->backwards ? n - 1 - i : i;
		put_entry(out, r, &r->v[k], packed[k], r->shared ? at[0] : at[k]);
	}
	size_t end = out->len;
	buf_adds(out, "PK\5\6");
	number(out, 0, 4);
	number(out, (uint32_t)n, 2);
	number(out, (uint32_t)n, 2);
	number(out, (uint32_t)(end - directory), 4);
	number(out, (uint32_t)directory, 4);
	number(out, (uint32_t)strlen(comment), 2);
	buf_adds(out, comment);
}

/* What is told of the two; "differs", "no archives". */
static char *compare(const struct recipe *x, const struct recipe *y, struct noise_limits *limits)
{
	struct noise *n = noise_new(NULL, true, NULL);
	struct noise_sum sum = { 0 };
	struct buf a = { 0 }, b = { 0 }, told = { 0 };

	make(x, &a);
	make(y, &b);
	if (!noise_compare_zip(n, (struct span){ a.data, a.len }, (struct span){ b.data, b.len }, runs, limits, &sum))
		buf_adds(&told, "no archives");
	else if (!sum.same)
		buf_adds(&told, "differs");
	else
		noise_tell(&sum, &told);
	/* No byte differs uncounted. */
	assert_int_equal(a.len == b.len && memcmp(a.data, b.data, a.len) == 0, told.len == 0);
	noise_free(n);
	buf_free(&a);
	buf_free(&b);
	return told.len ? buf_take(&told) : xstrdup("");
}

#define ONE(...) { .v = { { .name = "a", __VA_ARGS__ } } }
#define TWO { { .name = "a" }, { .name = "b", .text = "5" } }

static void all_of_an_archive_is_compared(void **state)
{
	(void)state;
	static const struct { struct recipe a, b; const char *told; } rows[] = {
		{ ONE(.text = TEXT), ONE(.text = TEXT), "" },
		{ ONE(.text = TEXT), ONE(.text = "total 6\n"), "differs" },
		{ ONE(.text = "took 0.5 s\n"), ONE(.text = "took 0.75 s\n"), "1 duration" },
		{ ONE(.text = "took 0.5 s\n", .deflated = true), ONE(.text = "took 0.75 s\n", .deflated = true), "1 duration" },
		{ ONE(.text = "took 0.5 s\n", .later = true), ONE(.text = "took 0.75 s\n", .later = true), "1 duration" },
		/* stamps */
		{ ONE(.stamp = DAY_1), ONE(.stamp = DAY_2), "1 time stamp" },
		{ ONE(.stamp = DAY_1), ONE(.stamp = FIXED), "differs" },
		{ ONE(.stamp = DAY_1), ONE(.stamp = DAY_1 + 1), "differs" },      /* not of the second run */
		{ ONE(.stamp = STAMP(1990, 1, 1, 0, 0, 0)), ONE(.stamp = STAMP(2003, 1, 1, 0, 0, 0)), "differs" },
		{ ONE(.stamp = DAY_1), ONE(.stamp = DAY_2 + (5 << 11)), "differs" }, /* another zone */
		{ ONE(.stamp = 1), ONE(.stamp = UINT32_MAX), "differs" },
		{ ONE(.stamp = FIXED, .local = DAY_1), ONE(.stamp = FIXED, .local = DAY_2), "differs" }, /* no two of one member */
		{ ONE(.extra = 1796033701), ONE(.extra = 1796120101), "2 time stamps" },
		{ ONE(.extra = 1796033701), ONE(.extra = 1796033702), "differs" },
		{ ONE(.extra = 5), ONE(.extra = 6), "differs" },
		/* packing */
		{ ONE(.deflated = true, .block = 3), ONE(.deflated = true, .block = 5), "1 member packed otherwise" },
		{ ONE(.deflated = true), ONE(.deflated = true, .block = 3), "1 member packed otherwise" },
		{ ONE(.deflated = true), ONE(.deflated = false), "differs" },
		/* what is around the members */
		{ ONE(.attributes = 5), ONE(.attributes = 6), "differs" },
		{ { .v = { { .name = "a" } } }, { .v = { { .name = "b" } } }, "differs" },
		{ { .v = TWO }, ONE(.text = NULL), "differs" },
		{ { .v = TWO }, { .v = TWO, .backwards = true }, "differs" },
		{ { .v = TWO, .between = "5" }, { .v = TWO, .between = "6" }, "differs" },
		{ { .v = TWO, .front = "total 5" }, { .v = TWO, .front = "total 6" }, "differs" },
		{ { .comment = "total 5" }, { .comment = "total 6" }, "differs" },
		{ { .v = TWO, .comment = "total 5" }, { .v = TWO, .comment = "total 16" }, "differs" },
		{ { .v = TWO, .crc = 5 }, { .v = TWO, .crc = 6 }, "differs" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *told = compare(&rows[i].a, &rows[i].b, &(struct noise_limits){ .bytes = 1 << 20 });
		if (strcmp(told, rows[i].told) != 0)
			fail_msg("row %zu: %s", i, told);
		free(told);
	}
}

static void rules_are_of_texts(void **state)
{
	(void)state;
	static const char zeros[] = "took 0.5 s\n\0\0\0";
	struct noise *n = noise_new(NULL, true, NULL);

	for (size_t tail = 0; tail <= 2; tail += 2) {
		struct recipe x = ONE(.text = "took 0.5 s\n__"), y = ONE(.text = "took 0.6 s\n__");
		struct buf a = { 0 }, b = { 0 };
		struct noise_sum sum = { 0 };
		uint32_t crc[2];
		make(&x, &a);
		make(&y, &b);
		struct buf *both[2] = { &a, &b };
		for (int i = 0; i < 2; i++) {
			char *text = both[i]->data + ZIP_LOCAL + 1;
			memcpy(text + 11, zeros + 11, tail);
			crc[i] = (uint32_t)crc32(0, (const Bytef *)text, 13);
			memcpy(both[i]->data + 14, &crc[i], 4);
			memcpy(both[i]->data + ZIP_LOCAL + 1 + 13 + 16, &crc[i], 4);
		}
		assert_true(noise_compare_zip(n, (struct span){ a.data, a.len }, (struct span){ b.data, b.len }, runs,
		                              &(struct noise_limits){ .bytes = 1 << 20 }, &sum));
		assert_int_equal(sum.same, tail == 0);
		buf_free(&a);
		buf_free(&b);
	}
	noise_free(n);
}

static bool asked(const void *ctx)
{
	++*(int *)(uintptr_t)ctx;
	return true;
}

/* A stream that all entries share would be unpacked for each of them. */
static void work_has_an_end(void **state)
{
	(void)state;
	static const struct recipe x = { .v = { { .name = "a", .text = "took 0.5 s\n" }, { .name = "b", .text = "took 0.5 s\n" } } },
	                           y = { .v = { { .name = "a", .text = "took 0.6 s\n" }, { .name = "b", .text = "took 0.6 s\n" } } };
	struct recipe bomb = x;
	int times = 0;
	struct noise_limits all = { .bytes = 44 }, few = { .bytes = 43 }, stopped = { .bytes = 100, .cancel = { asked, &times } };
	char *told[4] = { compare(&x, &y, &all), compare(&x, &y, &few), compare(&x, &y, &stopped), NULL };

	assert_string_equal(told[0], "2 durations");
	assert_int_equal(all.bytes, 0);
	assert_string_equal(told[1], "differs");
	assert_string_equal(told[2], "differs");
	assert_int_equal(times, 1);
	bomb.shared = true;
	told[3] = compare(&bomb, &y, &all);
	assert_string_equal(told[3], "no archives");
	for (size_t i = 0; i < ARRAY_LEN(told); i++)
		free(told[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_an_archive_is_compared),
		cmocka_unit_test(rules_are_of_texts),
		cmocka_unit_test(work_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
