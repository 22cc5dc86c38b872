/* sheet.c: formulas as distances; two sheets by key, from the lines of a reader. */
#include "text/diffrows.h"

#include "text/sheet.h"
#include "text/table.h"

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
		table_place(&b, cases[i].row, cases[i].col);
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
	struct buf place = { 0 };
	assert_true(diffrows_place(&r, &r.v[r.n - 1], &place));
	assert_string_equal(place.data, "S!A2");
	buf_free(&place);
	diffrows_free(&r);
}

/* All rows, each behind its sign, and where those stand that are in cells. */
static char *rows_of(const char *left, const char *right)
{
	static const char signs[] = { [DIFFROW_SENTENCE] = '#', [DIFFROW_REMOVED] = '-', [DIFFROW_ADDED] = '+', [DIFFROW_CHANGED] = '~' };
	struct diffrows r;
	const char *type;
	struct buf b = { 0 };

	buf_adds(&b, "");
	assert_true(diffrows_converted("xlsx", span_of(left), span_of(right), &(struct diffrows_options){ 0 }, &r, &type, NULL));
	for (size_t i = 0; i < r.n; i++)
		buf_addf(&b, "%c%.*s\n", signs[r.v[i].kind], (int)r.v[i].text.n, r.v[i].text.p);
	for (size_t i = 0; i < r.n; i++)
		if (diffrows_place(&r, &r.v[i], &b))
			buf_addc(&b, ' ');
	diffrows_free(&r);
	return buf_take(&b);
}

#define CELL(row, col, value) "[\"S\"," #row "," #col ",\"" value "\",null,null]\n"
#define NAMES(row) CELL(row, 1, "id") CELL(row, 2, "rate") CELL(row, 3, "note")
#define LINE(row, id, rate) CELL(row, 1, id) CELL(row, 2, rate) CELL(row, 3, "x")

static void sheets_are_what_they_were(void **state)
{
	(void)state;
	static const struct { const char *left, *right, *rows; } cases[] = {
		/* titles above the names, and one more of them on the right */
		{ "[\"S\"]\n" CELL(1, 1, "Report") CELL(2, 1, "2023") NAMES(4) LINE(5, "a", "1") LINE(6, "b", "2"),
		  "[\"S\"]\n" CELL(1, 1, "Report") CELL(2, 1, "2024") CELL(3, 1, "draft") NAMES(5) LINE(6, "b", "3") LINE(7, "a", "1"),
		  "#S: the table begins in row 4 on the left, 5 on the right; what is above is compared by place\n"
		  "#S: rows by key id (found)\n#S: order of rows changed: 1 moved\n~S: id b: rate 2 -> 3\n"
		  "~S!A2: 2023 -> 2024\n+S!A3: draft\nS!B6 S!A2 S!A3 " },
		/* a name that changed: by all cells, and by most of them at the same place */
		{ "[\"S\"]\n" NAMES(1) LINE(2, "a", "1"), "[\"N\"]\n[\"T\"]\n" NAMES(1) LINE(2, "a", "1"), "#sheet renamed: S -> T\n#sheet added: N\n" },
		{ "[\"S\"]\n" NAMES(1) LINE(2, "a", "1"), "[\"T\"]\n" NAMES(1) LINE(2, "a", "2"),
		  "#sheet renamed: S -> T\n#S: rows by key id (found)\n~S: id a: rate 1 -> 2\nT!B2 " },
		{ "[\"S\"]\n" CELL(1, 1, "x"), "[\"T\"]\n" CELL(1, 1, "y"), "#sheet removed: S\n#sheet added: T\n-S!A1: x\n+T!A1: y\nS!A1 T!A1 " },
		/* shown or not */
		{ "[\"S\"]\n" CELL(1, 1, "x"), "[\"S\",\"hidden\"]\n" CELL(1, 1, "x"), "#sheet hidden now: S\n" },
		/* a key that became text */
		{ "[\"S\"]\n" NAMES(1) LINE(2, "k", "1") LINE(3, "7", "2"), "[\"S\"]\n" NAMES(1) LINE(2, "k", "1") LINE(3, "'7", "2"),
		  "#S: rows by key id (found)\n#S: 1 removed row has the key of an added one but for case, blanks or being text: id 7 -> id '7\n"
		  "-S: id 7, rate 2, note x\n+S: id '7, rate 2, note x\nS!A3 S!A3 " },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *rows = rows_of(cases[i].left, cases[i].right);
		if (strcmp(rows, cases[i].rows) != 0)
			fail_msg("case %zu:\n%s", i, rows);
		free(rows);
	}
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
		cmocka_unit_test(sheets_are_what_they_were),
		cmocka_unit_test(lines_that_are_none_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
