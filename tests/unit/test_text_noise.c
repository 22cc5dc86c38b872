/* noise.c, moment.c: what is folded, by which rule, and that figures never are. */
#include "text/noise.h"

#include "text/moment.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct span span_of(const char *s)
{
	return (struct span){ s, strlen(s) };
}

/* 2026-11-30 10:15:00 to :03 UTC, and a day later. */
#define FIRST 1796033700000000
static const struct noise_run runs[2] = { { FIRST, FIRST + 3000000 }, { FIRST + 86400000000, FIRST + 86403000000 } };

static void compare(const char *own, const char *a, const char *b, struct noise_sum *sum)
{
	struct noise *n = noise_new(own, true, NULL);

	assert_non_null(n);
	*sum = (struct noise_sum){ 0 };
	noise_compare(n, span_of(a), span_of(b), runs, sum);
	noise_free(n);
}

static void noise_is_folded_by_its_rule(void **state)
{
	(void)state;
	static const struct { const char *a, *b, *told; } rows[] = {
		{ "x\n<A object at 0x7f1234567890>\n", "x\n<A object at 0x7fabcdef0120>\n", "1 object address" },
		{ "wrote /tmp/tmpab12cd_x/out.csv", "wrote /tmp/tmpzz99zz_y/out.csv", "1 temporary path" },
		{ "at 2026-11-30 10:15:01.25 ok", "at 2026-12-01 10:15:02 ok", "1 time stamp" },
		{ "at 2026-11-30T11:15:01+01:00", "at 2026-12-01T11:15:02+01:00", "1 time stamp" },
		{ "10:15:01 INFO x", "10:15:03 INFO x", "1 time stamp" },
		{ "15:45:01 INFO x", "15:45:03 INFO x", "1 time stamp" },       /* of another zone, the same on both sides */
		{ "15:45:01 INFO x", "14:45:03 INFO x", "1 time stamp" },       /* summer time between them */
		{ "Mon Nov 30 10:15:01 2026", "Tue Dec  1 10:15:02 2026", "1 time stamp" },
		{ "run 20261130-101501", "run 20261201-101502", "1 time stamp" },
		{ "t=1796033701.1234", "t=1796120101.5", "1 time stamp" },
		{ "2026-11-30 10:15", "2026-12-01 10:15", "1 time stamp" },
		{ "done in 0.41 s", "done in 1.2 s", "1 duration" },
		{ "elapsed: 412ms", "elapsed: 39ms", "1 duration" },
		{ "{'a', 'b', 'c'}", "{'c', 'a', 'b'}", "1 order of a set" },
		{ "x 0.1 y", "x 0.10000000000000001 y", "1 number beyond 15 digits" },
		{ "1.0000000000000002,5\n2.0000000000000004,6\n", "1.0,5\n2.0,6\n", "2 numbers beyond 15 digits" },
		{ "<A at 0x7f1234567890> took 0.5s", "<A at 0x7f1234567899> took 0.6s", "1 object address, 1 duration" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf told = { 0 };
		struct noise_sum sum;
		compare(NULL, rows[i].a, rows[i].b, &sum);
		noise_tell(&sum, &told);
		if (!sum.same || strcmp(told.data ? told.data : "", rows[i].told) != 0)
			fail_msg("%s | %s: %d %s", rows[i].a, rows[i].b, sum.same, told.data ? told.data : "");
		buf_free(&told);
	}
}

static void figures_are_never_folded(void **state)
{
	(void)state;
	static const struct { const char *a, *b; } rows[] = {
		{ "total 100", "total 101" },
		{ "0.5", "0.6" },
		{ "1.5", "1.50" },
		{ "rate 1234567.891", "rate 1234567.892" },
		{ "as of 2024-12-31 00:00:00", "as of 2025-12-31 00:00:00" },   /* a date of the data, not of the run */
		{ "as of 2026-11-30", "as of 2026-12-01" },                     /* no clock */
		{ "due 2026-11-30 18:07:44", "due 2026-12-01 18:07:44" },       /* not when it ran */
		{ "12:07:44", "12:09:12" },
		{ "t=1796030000.5", "t=1796033701.5" },
		{ "1796033701123456789", "1796033702123456789" },
		{ "duration 5.2", "duration 5.3" },                             /* of a bond */
		{ "total 12 s", "total 15 s" },                                 /* longer than it ran */
		{ "{'a', 'b'}", "{'a', 'c'}" },
		{ "{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}" },
		{ "0x7f1234567890", "0x7f1234567891" },                         /* a number of its own */
		{ "/tmp/result_1", "/tmp/result_2" },
		{ "007", "7" },
		{ "a\nb\n", "a\nb\nc\n" },
		{ "a\r\n", "a\n" },
		{ "12345678901234567", "12345678901234568" },
		{ "took 0.5s total 5", "took 0.6s total 6" },
		{ "10:15:01 x", "15:45:03 x" },                                 /* one clock, two zones */
		{ "opens 03:15:01", "opens 10:15:02" },
		{ "rise time 0.5 s", "rise time 0.6 s" },
		{ "time: 0.5 s", "time: 0.6 s" },
		{ "total 1 s", "total 2 s" },
		{ "peak in 0.5 s", "peak in 0.6 s" },
		{ "{1, 2, 3}", "{3, 1, 2}" },                                   /* a point, or limits */
		{ "{'a', 1}", "{1, 'a'}" },
		{ "{('a', 1), ('b', 2)}", "{('a', 2), ('b', 1)}" },
		{ "{'a, b', 'c'}", "{'a', 'b, c'}" },
		{ "id at 0xdeadbeef", "id at 0xdeadbee0" },
		{ "<id at 0xDEADBEEF>", "<id at 0xDEADBEE0>" },
		{ "/tmp/tmp20260101/x", "/tmp/tmp20260102/x" },
		{ "/tmp/tmpab12cd_x/5", "/tmp/tmpzz99zz_y/6" },
		{ "12345678901234.56", "12345678901234.57" },
		{ "1234567890123.4567", "1234567890123.4568" },
		{ "1e-17", "2e-16" },
		{ "-0.0", "0.0" },
		{ "f47ac10b-58cc-4372-a567-0e02b2c3d479", "f47ac10b-58cc-4372-a567-0e02b2c3d470" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct noise_sum sum;
		compare(NULL, rows[i].a, rows[i].b, &sum);
		if (sum.same)
			fail_msg("%s | %s", rows[i].a, rows[i].b);
		compare(NULL, rows[i].a, rows[i].a, &sum);
		assert_true(sum.same);
	}
}

static void the_first_figure_is_found_behind_noise(void **state)
{
	(void)state;
	struct noise_sum sum;

	compare(NULL, "<A at 0x7f1234567890>\ntook 0.5s total 5\n", "<A at 0x7f1234567891>\ntook 0.6s total 6\n", &sum);
	assert_false(sum.same);
	assert_int_equal(sum.at[0], 22 + 16);
	compare(NULL, "a\n", "a\nb\n", &sum);
	assert_int_equal(sum.at[1], 2);
}

static void own_rules_hold(void **state)
{
	(void)state;
	struct noise_sum sum;
	struct err e = { 0 };

	compare("run id [0-9a-f]+", "run id 12ab total 5", "run id ff00 total 5", &sum);
	assert_true(sum.same);
	assert_int_equal(sum.counts[NOISE_USER], 1);
	compare("run id [0-9a-f]+", "run id 12ab total 5", "run id ff00 total 6", &sum);
	assert_false(sum.same);
	assert_null(noise_new("(", true, &e));
	assert_int_equal(e.code, ERR_INPUT);
}

static void own_rules_take_no_bare_figures(void **state)
{
	(void)state;
	static const char *const refused[] = { ".*", ".+", "\\d+", "[0-9.]+", "[0-9a-f]{8,}", "total.*|\\S+", "\\w+$", "(a+)+$", "(" };
	static const char *const taken[] = { "run id [0-9a-f]+", "run id [0-9a-f]+|seed=\\d+", "\\b[0-9a-f]{32}\\b", "pid \\d+", "(?<=session )\\w+",
		                                 "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]+" };
	struct noise_sum sum;
	struct buf told = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		struct err e = { 0 };
		if (noise_check(refused[i], &e) || e.code != ERR_INPUT)
			fail_msg("%s was taken: %s", refused[i], e.msg);
	}
	for (size_t i = 0; i < ARRAY_LEN(taken); i++) {
		struct err e = { 0 };
		if (!noise_check(taken[i], &e))
			fail_msg("%s was refused: %s", taken[i], e.msg);
	}
	compare("premium .*", "premium 100.50 net\npremium 7 a1b2\n", "premium 101.50 net\npremium 8 a1b3\n", &sum);
	noise_tell(&sum, &told);
	assert_true(sum.same);
	assert_string_equal(told.data, "2 by the workspace's own rule, in 2 of which figures changed (first '100.50' -> '101.50')");
	buf_clear(&told);
	compare("run id [0-9a-f]+", "run id 12ab", "run id 12ac", &sum);
	noise_tell(&sum, &told);
	assert_string_equal(told.data, "1 by the workspace's own rule");
	buf_free(&told);
}

static void clocks_of_long_runs_are_figures(void **state)
{
	(void)state;
	static const struct noise_run hours[2] = { { FIRST, FIRST + 7200000000 }, { FIRST + 86400000000, FIRST + 93600000000 } };
	struct noise *n = noise_new(NULL, true, NULL);
	struct noise_sum sum = { 0 };

	noise_compare(n, span_of("opens 11:00:00\n"), span_of("opens 11:30:00\n"), hours, &sum);
	assert_false(sum.same);
	noise_compare(n, span_of("2026-11-30 11:00:00 x\n"), span_of("2026-12-01 11:30:00 x\n"), hours, &sum);
	assert_true(sum.same);
	noise_compare(n, span_of("2026-11-30 11:00:00 x\n"), span_of("2026-11-30 11:30:00 x\n"), hours, &sum);
	assert_false(sum.same);
	noise_free(n);
}

#define ID_A " [<00112233445566778899aabbccddeeff>\n<00112233445566778899aabbccddeeff>]"
#define ID_B " [<ff112233445566778899aabbccddeeff>\n<ff112233445566778899aabbccddeeee>]"

static void pdfs_differ_in_when_they_were_made(void **state)
{
	(void)state;
	static const struct { const char *a, *b; bool pdf, same; } rows[] = {
		{ "%PDF-1.4 x (D:20261130101501Z) 5\x01", "%PDF-1.4 x (D:20261201101502Z) 5\x01", true, true },
		{ "%PDF-1.4 (D:20261130101501) (D:20261130101502)", "%PDF-1.4 (D:20261201101502) (D:20261201101502)", true, true },
		{ "%PDF-1.4 (D:20261130101501+01'00')", "%PDF-1.4 (D:20261201101502+01'00')", true, true },
		{ "%PDF-1.4 (D:20261130101501+01'00')", "%PDF-1.4 (D:20261201101502+02'00')", true, false }, /* another zone */
		{ "%PDF-1.4 (D:20261130101501Z) 5", "%PDF-1.4 (D:20261201101502Z) 6", true, false },
		{ "%PDF-1.4 6 (D:20261130101501Z)", "%PDF-1.4 5 (D:20261201101502Z)", true, false },
		{ "%PDF-1.4 (D:20261130101501Z)", "%PDF-1.4 (D:20201201101502Z)", true, false },       /* not of the run */
		{ "%PDF-1.4 (20261130101501Z)", "%PDF-1.4 (20261201101502Z)", true, false },
		{ "%PDF-1.4 (D:2026113010150", "%PDF-1.4 (D:2026113010151", true, false },
		{ "%PDF-1.4 (D:20261130101501", "%PDF-1.4 (D:20261201101501.", true, false },
		{ "%PDF-1.4 <xmp:CreateDate>2026-11-30T10:15:01Z<", "%PDF-1.4 <xmp:CreateDate>2026-12-01T10:15:02Z<", true, true },
		{ "%PDF-1.4 xmp:ModifyDate=\"2026-11-30T10:15:01Z\"", "%PDF-1.4 xmp:ModifyDate=\"2026-12-01T10:15:02Z\"", true, true },
		{ "%PDF-1.4 <xmp:CreateDate>2026-11-30T10:15:01Z<", "%PDF-1.4 <xmp:CreateDate>2020-12-01T10:15:02Z<", true, false },
		{ "%PDF-1.4 <total>2026-11-30T10:15:01Z<", "%PDF-1.4 <total>2026-12-01T10:15:02Z<", true, false },
		{ "%PDF-1.4 <xmp:CreateDate>2026-11-30T10:15", "%PDF-1.4 <xmp:CreateDate>2026-12-01T10:15", true, false },
		{ "%PDF-1.4 (D:20261130101501) /ID" ID_A "5", "%PDF-1.4 (D:20261201101502) /ID" ID_B "5", true, true },
		{ "%PDF-1.4 (D:20261130101501) /ID" ID_A "5", "%PDF-1.4 (D:20261201101502) /ID" ID_B "6", true, false },
		{ "%PDF-1.4 (D:20261130101501) /XD" ID_A, "%PDF-1.4 (D:20261201101502) /XD" ID_B, true, false },
		{ "%PDF-1.4 /ID" ID_A, "%PDF-1.4 /ID" ID_B, true, false },                              /* nothing was dated */
		{ "%PDF-1.4 (D:20261130101501) /ID [<00><01>]", "%PDF-1.4 (D:20261201101502) /ID [<00><02>]", true, false },
		{ "%PDF-1.4 (D:20261130101501) /ID [<0", "%PDF-1.4 (D:20261201101502) /ID [<1", true, false },
		{ "%PDF-1.4", "%PDF-1.4", true, true },
		{ "%PDF", "%PDF-1.4", false, false },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct noise_sum sum = { 0 };

		assert_int_equal(noise_compare_pdf(span_of(rows[i].a), span_of(rows[i].b), runs, &sum), rows[i].pdf);
		assert_int_equal(sum.same, rows[i].same);
		if (rows[i].same)
			assert_int_equal(sum.counts[NOISE_TIME], i == 1 || strstr(rows[i].a, "/ID") ? 2 : strcmp(rows[i].a, rows[i].b) != 0);
	}
}

static void durations_have_units(void **state)
{
	(void)state;
	assert_int_equal(moment_duration_us(span_of("0.41 s")), 410000);
	assert_int_equal(moment_duration_us(span_of("12ms")), 12000);
	assert_int_equal(moment_duration_us(span_of("5 us")), 5);
	assert_int_equal(moment_duration_us(span_of("5 m")), -1);
	assert_false(moment_lies_in(span_of(""), 1, 2));
	assert_false(moment_lies_in(span_of("9999"), 1, 2));
}

static void hostile_lines_end_well(void **state)
{
	(void)state;
	static const char letters[] = "{}, 0123456789:-.xat/tmp\n<";
	uint64_t seed = 5;
	struct noise *n = noise_new(NULL, true, NULL);

	for (int i = 0; i < 3000; i++) {
		char a[200], b[200];
		struct noise_sum sum = { 0 };
		for (size_t k = 0; k < sizeof(a); k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			a[k] = letters[(seed >> 33) % (sizeof(letters) - 1)];
			b[k] = (seed >> 60) ? a[k] : letters[(seed >> 40) % (sizeof(letters) - 1)];
		}
		noise_compare(n, (struct span){ a, sizeof(a) }, (struct span){ b, sizeof(b) - (size_t)(i % 3) }, runs, &sum);
		noise_compare(n, (struct span){ a, sizeof(a) }, (struct span){ a, sizeof(a) }, runs, &sum);
		assert_true(sum.same);
	}
	noise_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noise_is_folded_by_its_rule),
		cmocka_unit_test(figures_are_never_folded),
		cmocka_unit_test(the_first_figure_is_found_behind_noise),
		cmocka_unit_test(own_rules_hold),
		cmocka_unit_test(own_rules_take_no_bare_figures),
		cmocka_unit_test(clocks_of_long_runs_are_figures),
		cmocka_unit_test(pdfs_differ_in_when_they_were_made),
		cmocka_unit_test(durations_have_units),
		cmocka_unit_test(hostile_lines_end_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
