/* table.c, table_diff.c, table_key.c, number.c: cells as they stand, rows by key, nothing guessed. */
#include "text/table.h"

#include "text/number.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 11;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static struct span span_of(const char *s)
{
	return (struct span){ s, strlen(s) };
}

/* ---- reading ---- */

static void cells_are_as_they_stand(void **state)
{
	(void)state;
	static const char text[] = "\xEF\xBB\xBF" "a,b,c\r\n1,\"x,\"\"y\"\"\nz\", 007 \r\n\r\n2,,\n3";
	struct table t;
	struct buf v = { 0 };

	assert_true(table_read(span_of(text), ',', &t, NULL));
	assert_int_equal(t.delimiter, ',');
	assert_true(t.header);
	assert_int_equal(t.rows, 3);
	assert_int_equal(t.cols, 3);
	assert_int_equal(t.ragged, 1);
	table_value(table_raw(&t, 0, 1), &v);
	assert_string_equal(v.data, "x,\"y\"\nz");
	assert_memory_equal(table_raw(&t, 0, 2).p, " 007 ", 5);
	assert_int_equal(table_raw(&t, 1, 2).n, 0);
	assert_non_null(table_raw(&t, 1, 2).p);
	assert_null(table_raw(&t, 2, 1).p);
	assert_null(table_raw(&t, 9, 0).p);
	buf_free(&v);
	table_free(&t);
}

static void delimiters_are_found(void **state)
{
	(void)state;
	static const struct { const char *text; char delimiter; bool header; } rows[] = {
		{ "a,b\n1,2\n", ',', true },      { "a;b\n1,5;2,5\n3,5;4,5\n", ';', true }, { "a\tb\n1\t2\n", '\t', true },
		{ "a|b\n1|2\n", '|', true },      { "1,2\n3,4\n", ',', false },              { "a,a\n1,2\n", ',', true },
		{ "a,a\nb,c\n", ',', false },     { ",a,b\n0,1,2\n", ',', true },            { "x,,y\nz,a,b\n", ',', false },
		{ "region,2023,2024\nN,1,2\n", ',', true }, { "N,2023,2020\nS,1,2\n", ',', false }, { "N,2023,2024\nS,2021,2022\n", ',', false },
		{ "N,12,13\nS,1,2\n", ',', false }, { "a,b,\n1,2,\n", ',', true },
		{ "\"a;x\",b\n\"1;y\",2\n", ',', true },
	};
	struct table t;
	struct err e = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_true(table_read(span_of(rows[i].text), 0, &t, NULL));
		assert_int_equal(t.delimiter, rows[i].delimiter);
		assert_int_equal(t.header, rows[i].header);
		table_free(&t);
	}
	assert_false(table_read(span_of("just words\nand more of them\n"), 0, &t, &e));
	assert_int_equal(e.code, ERR_INPUT);
	assert_false(table_read((struct span){ "a,\0b\n", 5 }, 0, &t, &e));
}

static void hostile_bytes_end_well(void **state)
{
	(void)state;
	static const char letters[] = "\"\",;\n\rab\t|";

	for (int i = 0; i < 20000; i++) {
		char text[40];
		size_t n = draw(sizeof(text));
		struct table a, b;
		struct table_diff d;
		for (size_t k = 0; k < n; k++)
			text[k] = letters[draw(sizeof(letters) - 1)];
		if (!table_read((struct span){ text, n }, draw(2) ? ',' : 0, &a, NULL))
			continue;
		assert_true(table_read((struct span){ text, n / 2 }, a.delimiter, &b, NULL));
		for (uint32_t r = 0; r < a.rows; r++)
			for (uint32_t c = 0; c < a.cols; c++)
				assert_true(table_raw(&a, r, c).n <= n);
		assert_true(table_compare(&a, &b, &(struct table_options){ 0 }, &d, NULL));
		table_diff_free(&d);
		table_free(&a);
		table_free(&b);
	}
}

/* ---- comparing ---- */

struct two { struct table a, b; struct table_diff d; };

static void compare(struct two *t, const char *a, const char *b, const struct table_options *o)
{
	assert_true(table_read(span_of(a), ',', &t->a, NULL));
	assert_true(table_read(span_of(b), ',', &t->b, NULL));
	assert_true(table_compare(&t->a, &t->b, o, &t->d, NULL));
}

static void two_free(struct two *t)
{
	table_diff_free(&t->d);
	table_free(&t->a);
	table_free(&t->b);
}

static void rows_go_by_their_key(void **state)
{
	(void)state;
	struct two t;

	compare(&t, "id,name,qty\n1,north,10\n2,south,20\n3,east,30\n4,west,40\n",
	        "id,region,name,qty\n4,EU,west,40\n2,EU,south,21\n1,EU,north,10\n5,EU,centre,50\n3,EU,east,30\n",
	        &(struct table_options){ 0 });
	assert_int_equal(t.d.keys, 1);
	assert_int_equal(t.d.key[0][0], 0);
	assert_false(t.d.key_given);
	assert_int_equal(t.d.cols_added_n, 1);
	assert_int_equal(t.d.rows_added_n, 1);
	assert_int_equal(t.d.rows_removed_n, 0);
	assert_int_equal(t.d.changes_n, 1);
	assert_int_equal(t.d.changes[0].a_row, 1);
	assert_int_equal(t.d.changes[0].a_col, 2);
	assert_int_equal(t.d.changes[0].b_col, 3);
	assert_int_equal(t.d.rows_changed, 1);
	assert_int_equal(t.d.rows_same, 3);
	assert_int_equal(t.d.rows_moved, 2);
	two_free(&t);
}

static void doubled_and_empty_keys_are_reported(void **state)
{
	(void)state;
	struct two t;

	compare(&t, "id,name,qty\n1,north,10\n2,south,20\n", "id,name,qty\n1,north,10\n1,north,10\n1,north,11\n,blank,1\n",
	        &(struct table_options){ .key = "id" });
	assert_int_equal(t.d.doubled_n, 1);
	assert_int_equal(t.d.doubled[0].a_n, 1);
	assert_int_equal(t.d.doubled[0].b_n, 3);
	assert_int_equal(t.d.empty[1], 1);
	assert_int_equal(t.d.empty[0], 0);
	assert_int_equal(t.d.unmatched[1], 3);
	assert_int_equal(t.d.changes_n, 0);
	assert_int_equal(t.d.rows_removed_n, 1);
	assert_int_equal(t.d.rows_added_n, 0);
	two_free(&t);
}

static void columns_are_renamed(void **state)
{
	(void)state;
	struct two t;

	compare(&t, "id,qty\n1,10\n2,20\n", "id,amount\n1,10\n2,20\n", &(struct table_options){ 0 });
	assert_int_equal(t.d.renamed_n, 1);
	assert_int_equal(t.d.cols_added_n + t.d.cols_removed_n, 0);
	assert_int_equal(t.d.changes_n, 0);
	two_free(&t);
	compare(&t, "id,qty\n1,10\n2,20\n", "id,amount\n1,10\n2,21\n", &(struct table_options){ 0 });
	assert_int_equal(t.d.renamed_n, 0);
	assert_int_equal(t.d.cols_added_n + t.d.cols_removed_n, 2);
	two_free(&t);
}

static void a_key_that_is_not_there_is_refused(void **state)
{
	(void)state;
	struct table a, b;
	struct table_diff d;
	struct err e = { 0 };

	assert_true(table_read(span_of("id,qty\n1,2\n"), ',', &a, NULL));
	assert_true(table_read(span_of("id,qty\n1,2\n"), ',', &b, NULL));
	assert_false(table_compare(&a, &b, &(struct table_options){ .key = "nr" }, &d, &e));
	assert_string_equal(e.msg, "there is no column 'nr' in the left table");
	table_free(&a);
	table_free(&b);
}

static void without_a_key_rows_are_wholes(void **state)
{
	(void)state;
	struct two t;

	compare(&t, "a,b\nx,y\nx,y\nx,z\n", "a,b\nx,z\nx,y\nu,y\n", &(struct table_options){ 0 });
	assert_int_equal(t.d.keys, 0);
	assert_int_equal(t.d.rows_removed_n, 1);
	assert_int_equal(t.d.rows_added_n, 1);
	assert_int_equal(t.d.rows_moved, 1);
	two_free(&t);
}

static void only_notation_is_folded(void **state)
{
	(void)state;
	static const char a[] = "k,v\na,0.3\nb,0.0001\nc,1\nd,-0.0\ne,nan\nf,1000.00\ng,1234567.891\nh,0.0000012\ni,007\n";
	static const char b[] = "k,v\na,0.30000000000000004\nb,1E-4\nc,1.0\nd,0.0\ne,NaN\nf,1000.01\ng,1234567.892\nh,0.0000021\ni,7\n";
	struct two t;

	compare(&t, a, b, &(struct table_options){ 0 });
	assert_int_equal(t.d.changes_n, 9);
	two_free(&t);
	compare(&t, a, b, &(struct table_options){ .tolerant = true });
	assert_int_equal(t.d.changes_n, 4);
	assert_int_equal(t.d.folded_digits, 1);
	assert_int_equal(t.d.folded_notation, 4);
	assert_int_equal(t.d.changes[0].a_row, 5);
	two_free(&t);
}

static void numbers_fold_as_the_law_says(void **state)
{
	(void)state;
	static const struct { const char *a, *b; enum number_fold fold; } rows[] = {
		{ "1", "1.0", NUMBER_NOTATION }, { "1e3", "1000", NUMBER_NOTATION }, { "+5", "5", NUMBER_NOTATION },
		{ "100", "1.00E2", NUMBER_NOTATION }, { ".5", "0.5", NUMBER_NOTATION }, { "inf", "Infinity", NUMBER_NOTATION },
		{ "inf", "-inf", NUMBER_DIFFERS }, { "0.1", "-0.1", NUMBER_DIFFERS }, { "x", "y", NUMBER_DIFFERS },
		{ "1.0000000000000002", "1", NUMBER_DIGITS }, { "0.9999999999999999", "1.0", NUMBER_DIGITS },
		{ "9.99999999999999e22", "1e23", NUMBER_DIFFERS }, { "9.9999999999999999e22", "1e23", NUMBER_DIGITS },
		{ "0.123456789012345", "0.123456789012346", NUMBER_DIFFERS },
		{ "12345678901234567", "12345678901234568", NUMBER_DIFFERS }, { "00", "0", NUMBER_DIFFERS },
		{ "1,000", "1000", NUMBER_DIFFERS }, { "1.", "1", NUMBER_NOTATION }, { "", "0", NUMBER_DIFFERS },
		{ "1e999999", "1e999998", NUMBER_DIFFERS }, { "2026-01-01", "2026-01-02", NUMBER_DIFFERS },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (number_fold(span_of(rows[i].a), span_of(rows[i].b)) != rows[i].fold)
			fail_msg("%s and %s", rows[i].a, rows[i].b);
		assert_int_equal(number_fold(span_of(rows[i].b), span_of(rows[i].a)), rows[i].fold);
	}
	assert_int_equal(number_length("12.5e-3x", 8), 7);
	assert_int_equal(number_length("-7.", 3), 2);
	assert_int_equal(number_length("x", 1), 0);
}

/* ---- random tables with known edits ---- */

struct known { uint32_t id, v[3]; };

static void print_rows(struct buf *b, const struct known *rows, size_t n)
{
	buf_clear(b);
	buf_adds(b, "id,p,q,r\n");
	for (size_t i = 0; i < n; i++)
		buf_addf(b, "k%u,%u,%u,\"%u\"\n", rows[i].id, rows[i].v[0], rows[i].v[1], rows[i].v[2]);
}

static void known_edits_are_found(void **state)
{
	(void)state;

	for (int round = 0; round < 500; round++) {
		struct known a[60], b[80];
		uint32_t n = 2 + draw(50), m = 0, removed = 0, added = 0, cells = 0, changed = 0;
		struct buf x = { 0 }, y = { 0 };
		struct two t;
		for (uint32_t i = 0; i < n; i++) {
			a[i] = (struct known){ i, { draw(9), draw(9), draw(9) } };
			if (i > 1 && draw(8) == 0) {
				removed++;
				continue;
			}
			struct known r = a[i];
			uint32_t before = cells;
			for (int c = 0; c < 3; c++) {
				if (draw(6))
					continue;
				r.v[c] += 100;
				cells++;
			}
			changed += cells > before;
			b[m++] = r;
			if (draw(8) == 0) {
				b[m++] = (struct known){ 1000 + i, { 1, 2, 3 } };
				added++;
			}
		}
		print_rows(&x, a, n);
		print_rows(&y, b, m);
		compare(&t, x.data, y.data, &(struct table_options){ .key = draw(2) ? "id" : NULL });
		assert_int_equal(t.d.keys, 1);
		assert_int_equal(t.d.rows_removed_n, removed);
		assert_int_equal(t.d.rows_added_n, added);
		assert_int_equal(t.d.changes_n, cells);
		assert_int_equal(t.d.rows_changed, changed);
		assert_int_equal(t.d.rows_moved, 0);
		two_free(&t);
		buf_free(&x);
		buf_free(&y);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_as_they_stand),
		cmocka_unit_test(delimiters_are_found),
		cmocka_unit_test(hostile_bytes_end_well),
		cmocka_unit_test(rows_go_by_their_key),
		cmocka_unit_test(doubled_and_empty_keys_are_reported),
		cmocka_unit_test(columns_are_renamed),
		cmocka_unit_test(a_key_that_is_not_there_is_refused),
		cmocka_unit_test(without_a_key_rows_are_wholes),
		cmocka_unit_test(only_notation_is_folded),
		cmocka_unit_test(numbers_fold_as_the_law_says),
		cmocka_unit_test(known_edits_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
