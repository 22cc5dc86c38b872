/* units.c: both ways, and the edges. */
#include "base.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void sizes_parse(void **state)
{
	static const struct {
		const char *text;
		int64_t bytes;
	} cases[] = {
		{ "0", 0 },              { "512", 512 },              { "64K", 65536 },
		{ "1.5G", 1610612736 },  { "2GiB", 2147483648 },      { "2 gib", 2147483648 },
		{ "1k", 1024 },          { "1KB", 1024 },             { "7B", 7 },
		{ "0.5K", 512 },         { "1.0001K", 1024 },         { "0.1K", 102 },
		{ "1M", 1048576 },       { "1TiB", 1099511627776 },   { "1P", 1125899906842624 },
		{ "7E", 8070450532247928832 },                        { "9223372036854775807", INT64_MAX },
		{ "0007", 7 },           { "1.000000000000000000000000001G", 1073741824 },
		{ "7.99999999999999999E", 9223372036854775796 },
		{ "0.00000000000000000000000000000000000000001E", 0 },
		{ "000000000000000000000000000000000000000001K", 1024 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = { 0 };
		int64_t bytes = -1;
		if (!size_parse(cases[i].text, &bytes, &e))
			fail_msg("%s", e.msg);
		if (bytes != cases[i].bytes)
			fail_msg("%s: %lld", cases[i].text, (long long)bytes);
	}
}

static void bad_sizes_are_refused(void **state)
{
	static const char *const cases[] = {
		"", " ", "K", "-1", "+1", "1.", ".5", ".", "1..5", "1.5.5", "1X", "1KK", "1 ", " 1", "1  K", "1e3",
		"0x10", "1,5K", "1Ki", "12 monkeys", "\xC2\xB2", "1\n", "NaN", "inf",
	};
	static const char *const too_large[] = {
		"8E", "9223372036854775808", "99999999999999999999999999", "9999999999999G", "9E", "100000000E",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = { 0 };
		int64_t bytes = 77;
		if (size_parse(cases[i], &bytes, &e))
			fail_msg("'%s' was taken for %lld", cases[i], (long long)bytes);
		assert_int_equal(bytes, 77);
		assert_int_equal(e.code, ERR_INPUT);
		assert_non_null(strstr(e.msg, "is not a size"));
	}
	for (size_t i = 0; i < ARRAY_LEN(too_large); i++) {
		struct err e = { 0 };
		int64_t bytes = 77;
		if (size_parse(too_large[i], &bytes, &e))
			fail_msg("'%s' was taken for %lld", too_large[i], (long long)bytes);
		assert_non_null(strstr(e.msg, "too large"));
	}
}

static void durations_parse(void **state)
{
	static const struct {
		const char *text;
		int64_t ms;
	} cases[] = {
		{ "0", 0 },           { "90", 90000 },     { "1.5s", 1500 },   { "10m", 600000 },
		{ "2h", 7200000 },    { "250ms", 250 },    { "1d", 86400000 }, { "0.25", 250 },
		{ "10 min", 600000 }, { "1.5H", 5400000 }, { "0.0001s", 0 },   { "30sec", 30000 },
		{ "2305843009213693ms", 2305843009213693 },
	};
	static const char *const bad[] = { "", "s", "-1s", "1h30m", "1w", "1.s", "ms", "1:30", "forever" };
	struct err e = { 0 };
	int64_t ms = 77;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_false(duration_parse(bad[i], &ms, &e));
		assert_non_null(strstr(e.msg, "is not a duration"));
	}
	assert_false(duration_parse("9223372036854775807s", &ms, &e));
	assert_non_null(strstr(e.msg, "too long"));
	assert_false(duration_parse("2305843009213694ms", &ms, &e)); /* in microseconds, and added to now, it must fit */
	assert_non_null(strstr(e.msg, "too long"));
	assert_int_equal(ms, 77);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_true(duration_parse(cases[i].text, &ms, &e));
		assert_int_equal(ms, cases[i].ms);
	}
}

static void integers_parse(void **state)
{
	static const char *const bad[] = { "", "-", "--1", "+1", " 1", "1 ", "1x", "0x1", "1.0", "a", "1e3" };
	struct err e = { 0 };
	int64_t v = 77;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_false(int_parse(bad[i], INT64_MIN, INT64_MAX, &v, &e));
		assert_non_null(strstr(e.msg, "is not a whole number"));
	}
	assert_false(int_parse("9223372036854775808", INT64_MIN, INT64_MAX, &v, &e));
	assert_false(int_parse("-9223372036854775809", INT64_MIN, INT64_MAX, &v, &e));
	assert_false(int_parse("5", 1, 4, &v, &e));
	assert_int_equal(e.code, ERR_INPUT);
	assert_string_equal(e.msg, "5 is not between 1 and 4");
	assert_false(int_parse("0", 1, 4, &v, NULL));
	assert_int_equal(v, 77);
	assert_true(int_parse("9223372036854775807", INT64_MIN, INT64_MAX, &v, &e));
	assert_int_equal(v, INT64_MAX);
	assert_true(int_parse("-9223372036854775808", INT64_MIN, INT64_MAX, &v, &e));
	assert_int_equal(v, INT64_MIN);
	assert_true(int_parse("-007", -10, 10, &v, &e));
	assert_int_equal(v, -7);
	assert_true(int_parse("1", 1, 1, &v, &e));
}

static void sizes_format(void **state)
{
	static const struct {
		int64_t bytes;
		const char *text;
	} cases[] = {
		{ 0, "0" },          { 330, "330" },       { 1023, "1023" },       { 1024, "1.0K" },
		{ 1434, "1.4K" },    { 10188, "9.9K" },    { 10189, "10K" },       { 152576, "149K" },
		{ 1048063, "1023K" }, { 1048064, "1.0M" }, { 1048576, "1.0M" },    { 2147483648, "2.0G" },
		{ -330, "-330" },    { -1434, "-1.4K" },   { INT64_MAX, "8.0E" },  { INT64_MIN, "-8.0E" },
		{ 1LL << 40, "1.0T" }, { 1LL << 50, "1.0P" }, { 1LL << 60, "1.0E" },
	};
	char text[UNIT_TEXT];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_format(cases[i].bytes, text);
		assert_string_equal(text, cases[i].text);
	}
	for (int64_t v = 1; v > 0 && v < INT64_MAX / 3; v = v * 3 + 1) {
		size_format(v, text);
		assert_true(strlen(text) <= 5);
	}
}

static void durations_format(void **state)
{
	static const struct {
		int64_t us;
		const char *text;
	} cases[] = {
		{ 0, "0.00s" },           { 410000, "0.41s" },      { 4999, "0.00s" },        { 5000, "0.01s" },
		{ 9994999, "9.99s" },     { 9995000, "10.0s" },     { 12340000, "12.3s" },    { 59949999, "59.9s" },
		{ 59950000, "1m 00s" },   { 185000000, "3m 05s" },  { 3599499999, "59m 59s" }, { 3599500000, "1h 00m" },
		{ 3720000000, "1h 02m" }, { 100000000000, "27h 47m" }, { -410000, "-0.41s" },
		{ INT64_MAX, "2562047788h 01m" }, { INT64_MIN, "-2562047788h 01m" },
	};
	char text[UNIT_TEXT];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		duration_format(cases[i].us, text);
		assert_string_equal(text, cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_parse),
		cmocka_unit_test(bad_sizes_are_refused),
		cmocka_unit_test(durations_parse),
		cmocka_unit_test(integers_parse),
		cmocka_unit_test(sizes_format),
		cmocka_unit_test(durations_format),
	};
	return cmocka_run_group_tests_name("base/units", tests, NULL, NULL);
}
