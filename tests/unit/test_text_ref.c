/* ref.c: what is a reference, and what is none. */
#include "text.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void references(void **state)
{
	static const struct {
		const char *text;
		struct ref ref;
	} cases[] = {
		{ "7", { .kind = REF_STEP, .step = 7 } },
		{ "10", { .kind = REF_STEP, .step = 10 } },
		{ "9223372036854775807", { .kind = REF_STEP, .step = INT64_MAX } },
		{ "7.2", { .kind = REF_ATTEMPT, .step = 7, .attempt = 2 } },
		{ "7.2r1", { .kind = REF_CHECK, .step = 7, .attempt = 2, .check = 1 } },
		{ "70.20r10", { .kind = REF_CHECK, .step = 70, .attempt = 20, .check = 10 } },
		{ "3@branch", { .kind = REF_STEP, .step = 3, .branch = "branch" } },
		{ "3.1@a-b_c.d/e+1", { .kind = REF_ATTEMPT, .step = 3, .attempt = 1, .branch = "a-b_c.d/e+1" } },
		{ "3.1r2@x", { .kind = REF_CHECK, .step = 3, .attempt = 1, .check = 2, .branch = "x" } },
		{ "3@caf\xC3\xA9", { .kind = REF_STEP, .step = 3, .branch = "caf\xC3\xA9" } },
		{ "last", { .kind = REF_LAST } },
		{ "last~0", { .kind = REF_LAST, .back = 0 } },
		{ "last~1", { .kind = REF_LAST, .back = 1 } },
		{ "last~12@main", { .kind = REF_LAST, .back = 12, .branch = "main" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct ref got;
		struct err e = { 0 };
		if (!ref_parse(cases[i].text, &got, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(got.kind, cases[i].ref.kind);
		assert_int_equal(got.step, cases[i].ref.step);
		assert_int_equal(got.attempt, cases[i].ref.attempt);
		assert_int_equal(got.check, cases[i].ref.check);
		assert_int_equal(got.back, cases[i].ref.back);
		assert_string_equal(got.branch, cases[i].ref.branch);
	}
}

static void none(void **state)
{
	static const char *const cases[] = {
		"", " ", "0", "07", "7.", "7.0", "7.02", ".2", "7.2.1", "7.2r", "7.2r0", "7.2r01", "7r1", "7.2R1", "-7", "+7",
		"7 ", " 7", "7,2", "7.2r1r2", "9223372036854775808", "7.99999999999999999999", "las", "last ", "last~",
		"last~x", "last~-1", "last~01", "last1", "last.2", "LAST", "7~1", "3@", "@main", "3@a b", "3@a@b", "3@a~1", "3@\xFF",
		"3@a\n", "last@", "[7.2]", "seven", "7x", "#7", "l",
	};
	struct ref got = { .kind = REF_CHECK, .step = 77 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = { 0 };
		if (ref_parse(cases[i], &got, &e))
			fail_msg("'%s' was taken", cases[i]);
		assert_int_equal(e.code, ERR_INPUT);
		assert_non_null(strstr(e.msg, "is no reference"));
		assert_false(ref_parse(cases[i], &got, NULL));
	}
	assert_int_equal(got.step, 77);
}

static void branches_have_a_length(void **state)
{
	char text[REF_BRANCH + 8] = "3@";
	struct ref got;

	(void)state;
	memset(text + 2, 'b', REF_BRANCH - 1);
	assert_true(ref_parse(text, &got, NULL));
	assert_int_equal(strlen(got.branch), REF_BRANCH - 1);
	text[2 + REF_BRANCH - 1] = 'b';
	assert_false(ref_parse(text, &got, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(references),
		cmocka_unit_test(none),
		cmocka_unit_test(branches_have_a_length),
	};
	return cmocka_run_group_tests_name("text/ref", tests, NULL, NULL);
}
