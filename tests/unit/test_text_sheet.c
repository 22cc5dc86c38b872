/* sheet.c: formulas as distances; two sheets by key, from the lines of a reader. */
#include "text/diffrows.h"

#include "text/sheet.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void formulas_are_distances(void **state)
{
	(void)state;
	static const struct { const char *formula; uint32_t row, col; const char *wanted; } cases[] = {
		{ "=B2*2", 2, 3, "=R[0]C[-1]*2" },
		{ "=B3*2", 3, 3, "=R[0]C[-1]*2" },
		{ "=$B$2+B$3+$AA4", 4, 3, "=R2C2+R3C[-1]+R[0]C27" },
		{ "=SUM(B2:B10)", 11, 2, "=SUM(R[-9]C[0]:R[-1]C[0])" },
		{ "=LOG10(A1)&\"B2\"&Sheet1!C3", 1, 1, "=LOG10(R[0]C[0])&\"B2\"&Sheet1!R[2]C[2]" },
		{ "='A 1'!B2", 2, 2, "='A 1'!R[0]C[0]" },
		{ "=name_A1+A1B+ABCD1+a1+A12345678", 1, 1, "=name_A1+A1B+ABCD1+a1+A12345678" },
		{ "=\"open", 1, 1, "=\"open" },
		{ "$", 1, 1, "$" },
		{ "", 1, 1, "" },
	};
	struct buf b = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		buf_clear(&b);
		sheet_formula(&b, cases[i].formula, cases[i].row, cases[i].col);
		assert_string_equal(b.data ? b.data : "", cases[i].wanted);
	}
	buf_free(&b);
}

static void places_are_named(void **state)
{
	(void)state;
	static const struct { uint32_t row, col; const char *wanted; } cases[] = {
		{ 1, 1, "A1" }, { 7, 26, "Z7" }, { 7, 27, "AA7" }, { 9, 702, "ZZ9" }, { 9, 703, "AAA9" }, { 3, 0, "3" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf b = { 0 };
		sheet_place(&b, cases[i].row, cases[i].col);
		assert_string_equal(b.data, cases[i].wanted);
		buf_free(&b);
	}
}

static struct span span_of(const char *s)
{
	return (struct span){ s, strlen(s) };
}

static int64_t count_of(const struct diffrows *r, const char *name)
{
	for (size_t i = 0; i < r->counts_n; i++)
		if (strcmp(r->counts[i].name, name) == 0)
			return r->counts[i].n;
	fail_msg("no count %s", name);
	return -1;
}

/* A row that is put in front moves all others, and changes nothing else. */
static void a_row_in_front_is_one_row(void **state)
{
	(void)state;
	static const char left[] = "[\"S\"]\n"
		"[\"S\",1,1,\"id\",null,null]\n[\"S\",1,2,\"x\",null,null]\n[\"S\",1,3,\"y\",null,null]\n"
		"[\"S\",2,1,\"a\",null,null]\n[\"S\",2,2,\"1\",null,null]\n[\"S\",2,3,\"2\",\"=B2*2\",null]\n"
		"[\"S\",3,1,\"b\",null,null]\n[\"S\",3,2,\"3\",null,null]\n[\"S\",3,3,\"6\",\"=B3*2\",null]\n";
	static const char right[] = "[\"S\"]\n"
		"[\"S\",1,1,\"id\",null,null]\n[\"S\",1,2,\"x\",null,null]\n[\"S\",1,3,\"y\",null,null]\n"
		"[\"S\",2,1,\"new\",null,null]\n[\"S\",2,2,\"9\",null,null]\n[\"S\",2,3,\"18\",\"=B2*2\",null]\n"
		"[\"S\",3,1,\"a\",null,null]\n[\"S\",3,2,\"1\",null,null]\n[\"S\",3,3,\"2\",\"=B3*2\",null]\n"
		"[\"S\",4,1,\"b\",null,null]\n[\"S\",4,2,\"3\",null,null]\n[\"S\",4,3,\"6\",\"=B4*2\",null]\n";
	struct diffrows r;
	const char *type;

	assert_true(diffrows_converted("xlsx", span_of(left), span_of(right), &(struct diffrows_options){ 0 }, &r, &type, NULL));
	assert_string_equal(type, "workbook");
	assert_int_equal(count_of(&r, "rows_added"), 1);
	assert_int_equal(count_of(&r, "values_changed") + count_of(&r, "formulas_changed") + count_of(&r, "rows_removed"), 0);
	assert_int_equal(r.v[r.n - 1].kind, DIFFROW_ADDED);
	assert_int_equal(r.v[r.n - 1].b, 2);
	diffrows_free(&r);
}

/* What a reader says is hostile too. */
static void lines_that_are_none_are_refused(void **state)
{
	(void)state;
	static const char *const lines[] = {
		"x", "{}", "[]", "[1]", "[\"S\",1,1,\"v\",null,null]", "[\"S\"]\n[\"S\",1,1,\"v\"]", "[\"S\"]\n[\"S\",-1,1,\"v\",null,null]",
		"[\"S\"]\n[\"S\",1,99999999999,\"v\",null,null]",
	};
	static const char *const readers[] = { "xlsx", "docx", "pdf", "image" };
	const char *type;

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		for (size_t k = 0; k < ARRAY_LEN(readers); k++) {
			struct diffrows r;
			struct err e = { 0 };
			assert_false(diffrows_converted(readers[k], span_of(lines[i]), span_of(""), &(struct diffrows_options){ 0 }, &r, &type, &e));
			assert_int_not_equal(e.code, ERR_NONE);
			diffrows_free(&r);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formulas_are_distances),
		cmocka_unit_test(places_are_named),
		cmocka_unit_test(a_row_in_front_is_one_row),
		cmocka_unit_test(lines_that_are_none_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
