/* Citations: what is one, where it stands, and that nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text/cite.h"

/* All citations of a text as "START-END:STEP.ATTEMPTrCHECK ". */
static void expect(const char *text, size_t n, const char *wanted)
{
	struct buf got = { 0 };
	struct cite c = { 0 };

	buf_adds(&got, "");
	for (size_t at = 0; cite_next(text, n, at, &c); at = c.end) {
		assert_true(c.start >= at && c.end > c.start && c.end <= n);
		assert_true(text[c.start] == '[' && text[c.end - 1] == ']');
		buf_addf(&got, "%zu-%zu:%lld.%lldr%lld ", c.start, c.end, (long long)c.ref.step, (long long)c.ref.attempt, (long long)c.ref.check);
		assert_int_equal(c.ref.kind, c.ref.check ? REF_CHECK : REF_ATTEMPT);
	}
	assert_string_equal(got.data ? got.data : "", wanted);
	buf_free(&got);
}

static void is_one(void **state)
{
	static const struct { const char *text, *wanted; } cases[] = {
		{ "[7.2]", "0-5:7.2r0 " },
		{ "see [7.2r1].", "4-11:7.2r1 " },
		{ "[1.1][2.2] [3.10r20]", "0-5:1.1r0 5-10:2.2r0 11-20:3.10r20 " },
		{ "[[1.1]]", "1-6:1.1r0 " },
		{ "[ [1.1]", "2-7:1.1r0 " },
		{ "a[7][7.2", "" },
		{ "Zoë [1.1] 漢字", "5-10:1.1r0 " },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(cases[i].text, strlen(cases[i].text), cases[i].wanted);
}

static void is_none(void **state)
{
	static const char *const cases[] = {
		"", "[", "]", "[]", "[7]", "[7.]", "[.2]", "[0.5]", "[1.05]", "[01.1]", "[1.0]", "[-1.1]", "[+1.1]", "[1.1.1]", "[1.1r]",
		"[1.1r0]", "[1.1r01]", "[1.1R1]", "[1,1]", "[ 1.1]", "[1.1 ]", "[see 1.1]", "(1.1)", "1.1", "[last]", "[3@branch]",
		"[99999999999999999999999.1]", "[1.99999999999999999999999]", "[1.1\n]", "[１.１]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(cases[i], strlen(cases[i]), "");
}

/* Bytes behind the end are not looked at, wherever that is. */
static void stays_inside(void **state)
{
	static const char text[] = "x [12.34r56] y";

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		char *copy = xmemdup(text, n + !n);
		expect(copy, n, n >= 12 ? "2-12:12.34r56 " : "");
		free(copy);
	}
}

static void takes_its_time_only_once(void **state)
{
	size_t n = 1 << 20;
	char *brackets = xmalloc(n);

	(void)state;
	memset(brackets, '[', n);
	expect(brackets, n, "");
	free(brackets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_one),
		cmocka_unit_test(is_none),
		cmocka_unit_test(stays_inside),
		cmocka_unit_test(takes_its_time_only_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
