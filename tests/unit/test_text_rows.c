/* rows.c: the same rows from wherever one comes, nothing lost, bounded work. */
#include "text/rows.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

/* ---- one text ready for reading -------------------------------------------------------------------- */

struct page {
	struct memory m;
	struct window *w;
	struct lines *l;
	struct rows r;
};

static void page_open(struct page *p, const char *text, size_t n, bool indexed, int cols, bool wrap)
{
	p->m = (struct memory){ text, n };
	p->w = window_new(bytes_of_memory(&p->m));
	p->l = lines_new();
	if (indexed)
		lines_feed(p->l, text, n);
	p->r = (struct rows){ .w = p->w, .l = indexed ? p->l : NULL, .size = (int64_t)n, .cols = cols, .wrap = wrap };
}

static void page_close(struct page *p)
{
	rows_done(&p->r);
	lines_free(p->l);
	window_free(p->w);
}

static char shown[100000];

static const char *text_of_row(struct rows *r, const struct text_row *row, int64_t skip)
{
	static struct glyph g[4096];
	int64_t n = rows_draw(r, row, skip, g, ARRAY_LEN(g));
	size_t len = 0, cells = 0;

	assert_true(n >= 0);
	for (int64_t i = 0; i < n; i++) {
		memcpy(shown + len, g[i].bytes, g[i].n);
		len += g[i].n;
		cells += g[i].width;
	}
	assert_true(cells <= (size_t)r->cols);
	shown[len] = '\0';
	return shown;
}

/* All rows, each behind a '|'. */
static char *dump(struct rows *r)
{
	struct buf b = { 0 };
	struct text_row row;

	for (bool any = rows_at(r, 0, &row); any; any = rows_next(r, &row, &row))
		buf_addf(&b, "|%s", text_of_row(r, &row, 0));
	return buf_take(&b);
}

static void check_dump(const char *text, size_t n, int cols, bool wrap, bool states, const char *expected)
{
	for (int indexed = 0; indexed < 2; indexed++) {
		struct page p;
		char *got;

		page_open(&p, text, n, indexed, cols, wrap);
		p.r.states = states;
		got = dump(&p.r);
		assert_string_equal(got, expected);
		free(got);
		page_close(&p);
	}
}

#define TEXT(s) s, sizeof(s) - 1

static void rows_of_small_texts(void **state)
{
	(void)state;
	check_dump(TEXT(""), 10, true, false, "");
	check_dump(TEXT("\n"), 10, true, false, "|");
	check_dump(TEXT("a\n\nb"), 10, true, false, "|a||b");
	check_dump(TEXT("abcdefgh\nij"), 3, true, false, "|abc|def|gh|ij");
	check_dump(TEXT("abcdef\n"), 3, true, false, "|abc|def");
	check_dump(TEXT("abcdef\033[0m\n"), 3, true, false, "|abc|def");
	check_dump(TEXT("abcdefgh\nij"), 3, false, false, "|abc|ij");
	check_dump(TEXT("a\u6f22\u5b57b\n"), 2, true, false, "|a |\u6f22|\u5b57|b");
	check_dump(TEXT("\u6f22\u5b57b\n"), 1, true, false, "| | |b");
	check_dump(TEXT("\u202e\n"), 3, true, false, "|<U+|202|E>");
	check_dump(TEXT("row one\r\nrow two\r\n"), 40, true, false, "|row one|row two");
	check_dump(TEXT("a\0b\n"), 40, true, false, "|a^@b");
}

static void rows_end_behind_blanks(void **state)
{
	static const struct {
		const char *text, *rows;
	} cases[] = {
		{ "one two three four\n", "|one two |three four" },
		{ "one two three\n", "|one two |three" },
		{ "exactly9 ten\n", "|exactly9 |ten" },
		{ "exactly_10 x\n", "|exactly_10| x" },       /* where the row is full at a blank it ends there anyhow */
		{ "a bcdefghijklmn\n", "|a bcdefghi|jklmn" }, /* no blank in the last half */
		{ "abcdefghijklmno\n", "|abcdefghij|klmno" },
		{ "one \xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\n", "|one \xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2|\xe5\xad\x97" },
		{ "one two \033[1mthree\n", "|one two th|ree" }, /* what a sequence holds is no word */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct page p;

		page_open(&p, cases[i].text, strlen(cases[i].text), true, 10, true);
		p.r.words = true;
		char *got = dump(&p.r);
		assert_string_equal(got, cases[i].rows);
		free(got);
		page_close(&p);
	}
}

static void states_of_a_line(void **state)
{
	(void)state;
	check_dump(TEXT("long old text\rshort"), 60, true, false, "|+1 earlier state short");
	check_dump(TEXT("long old text\rshort"), 60, true, true, "|long old text|short");
	check_dump(TEXT("long old text\rshort"), 60, false, false, "|+1 earlier state short");
	check_dump(TEXT("long old text\rshort"), 20, true, false, "|+1 short");
	check_dump(TEXT("long old text\rshort"), 4, true, false, "|shor|t");
	check_dump(TEXT("x\n\r 0%\r 50%\r100%\ny\n"), 60, true, false, "|x|+2 earlier states 100%|y");
	check_dump(TEXT("x\n\r 0%\r 50%\r100%\ny\n"), 60, true, true, "|x| 0%| 50%|100%|y");
	check_dump(TEXT("\r 0%\r 50%\r"), 60, true, false, "|+1 earlier state  50%");
	check_dump(TEXT("\rtext"), 60, true, false, "|text");
}

static bool open_second(void *ctx, int64_t line)
{
	(void)ctx;
	return line == 6;
}

static void one_line_is_opened(void **state)
{
	(void)state;
	struct page p;
	struct text_row row;
	char *got;

	page_open(&p, TEXT("a\rb\rc\nd\re\rf\n"), true, 40, true);
	got = dump(&p.r);
	assert_string_equal(got, "|+2 earlier states c|+2 earlier states f");
	free(got);
	p.r.open = open_second;
	rows_forget(&p.r);
	got = dump(&p.r);
	assert_string_equal(got, "|+2 earlier states c|d|e|f");
	free(got);
	assert_true(rows_at(&p.r, 8, &row));
	assert_int_equal(row.start, 8);
	assert_int_equal(row.line, 6);
	assert_false(row.first);
	assert_false(row.last);
	assert_true(rows_at(&p.r, 2, &row)); /* a byte of a hidden state */
	assert_int_equal(row.start, 4);
	assert_int_equal(row.earlier, 2);
	assert_true(row.first && row.last);
	page_close(&p);
}

/* ---- walking ------------------------------------------------------------------------------------------- */

static bool same(const struct text_row *a, const struct text_row *b)
{
	return a->start == b->start && a->end == b->end && a->next == b->next && a->line == b->line &&
	       a->earlier == b->earlier && a->first == b->first && a->last == b->last && a->state.sub == b->state.sub &&
	       a->state.col == b->state.col && style_equal(&a->state.style, &b->state.style);
}

/* Forwards, backwards, by jumps and by pages: always the same rows. */
static void check_walks(struct rows *r)
{
	struct text_row *all = NULL, row, page[40];
	size_t n = 0, cap = 0;

	for (bool any = rows_at(r, 0, &row); any; any = rows_next(r, &row, &row)) {
		all = grow(all, n, &cap, sizeof(*all));
		all[n++] = row;
	}
	assert_true(n > 0);
	assert_int_equal(all[n - 1].next, -1);
	assert_true(rows_at(r, r->size + 5, &row));
	assert_true(same(&row, &all[n - 1]));
	for (size_t i = n - 1, steps = 0; i > 0 && steps < 100; i--, steps++) {
		assert_true(rows_before(r, &row, &row));
		assert_true(same(&row, &all[i - 1]));
	}
	assert_false(rows_before(r, &all[0], &row));
	for (int k = 0; k < 60; k++) {
		size_t i = draw((uint32_t)n), max = 1 + draw(ARRAY_LEN(page)), got;
		assert_true(rows_at(r, all[i].start, &row));
		if (all[i].state.sub) /* the item began in an earlier row */
			assert_true(row.start <= all[i].start && i > 0);
		else
			assert_true(same(&row, &all[i]));
		if (i + 1 < n && all[i].next > all[i].end) {
			assert_true(rows_at(r, all[i].next, &row));
			assert_true(same(&row, &all[i + 1]));
		}
		got = rows_back(r, &all[i], page, max);
		assert_int_equal(got, MIN(max, i));
		for (size_t j = 0; j < got; j++)
			assert_true(same(&page[j], &all[i - got + j]));
	}
	assert_int_equal(rows_back(r, NULL, page, 7), MIN(n, 7));
	assert_true(same(&page[MIN(n, 7) - 1], &all[n - 1]));
	free(all);
}

/* Glyphs of all rows cover the bytes in order; only styles, line ends and hidden states are left out. */
static void check_cover(struct rows *r, const char *text, bool states)
{
	static struct glyph g[4096];
	struct text_row row;
	int64_t covered = 0;

	for (bool any = rows_at(r, 0, &row); any; any = rows_next(r, &row, &row)) {
		int64_t n = rows_draw(r, &row, 0, g, ARRAY_LEN(g));
		size_t cells = 0;
		if (row.earlier && !states)
			covered = row.start;
		for (int64_t i = 0; i < n; i++) {
			cells += g[i].width;
			if (g[i].kind == GLYPH_MARK || g[i].kind == GLYPH_FILL)
				continue;
			for (; covered < g[i].at; covered++) /* "\n", "\r" or in a sequence ESC [ … m */
				assert_non_null(strchr("\n\r\033[;:0123456789m", text[covered]));
			assert_true(covered == g[i].at || covered == g[i].at + g[i].len);
			covered = g[i].at + g[i].len;
		}
		assert_true(cells <= (size_t)r->cols);
	}
}

static void make(struct buf *b, size_t size, uint32_t newline, uint32_t returns)
{
	static const char *const bits[] = {
		"word ", "some longer text that goes on ", "\t", "\u6f22\u5b57", "e\u0301", "\U0001f600", "\u202e", "\033[31m",
		"\033[0m", "\033[1;38;5;200m", "\xff", "\xe2\x82", "\001",
	};

	while (b->len < size) {
		if (draw(newline) == 0)
			buf_adds(b, draw(3) ? "\n" : "\r\n");
		else if (returns && draw(returns) == 0)
			buf_adds(b, "\r");
		else
			buf_adds(b, bits[draw(ARRAY_LEN(bits))]);
	}
}

static void random_texts_walk_alike(void **state)
{
	(void)state;
	static const int widths[] = { 1, 2, 3, 7, 20, 80, 200 };

	for (int round = 0; round < 84; round++) {
		struct buf b = { 0 };
		struct page p;
		bool states = draw(2), words = draw(2);

		make(&b, 1 + draw(4000), 1 + draw(40), draw(2) ? 1 + draw(20) : 0);
		page_open(&p, b.data, b.len, draw(2), widths[round % 7], draw(3) != 0);
		p.r.words = words;
		p.r.states = states;
		check_walks(&p.r);
		if (p.r.wrap && p.r.cols > 1)
			check_cover(&p.r, b.data, states);
		page_close(&p);
		buf_free(&b);
	}
}

static void long_lines_walk_alike(void **state)
{
	(void)state;

	for (int round = 0; round < 3; round++) {
		struct buf b = { 0 };
		struct page p;

		make(&b, 200000 + draw(400000), 40000, round < 1 ? 0 : 30000);
		for (int wrap = 0; wrap < 2; wrap++)
			for (int indexed = 0; indexed < 2; indexed++) {
				page_open(&p, b.data, b.len, indexed, 60 + (int)draw(60), wrap);
				check_walks(&p.r);
				if (wrap)
					check_cover(&p.r, b.data, false);
				page_close(&p);
			}
		buf_free(&b);
	}
}

/* Rows of a wrapped long line without carriage returns do not depend on the index. */
static void index_does_not_move_rows(void **state)
{
	(void)state;
	struct buf b = { 0 };
	struct page with, without;
	struct text_row x, y;

	make(&b, 900000, 100000, 0);
	page_open(&with, b.data, b.len, true, 77, true);
	page_open(&without, b.data, b.len, false, 77, true);
	for (int i = 0; i < 400; i++) {
		int64_t pos = draw((uint32_t)b.len);
		assert_true(rows_at(&with.r, pos, &x));
		assert_true(rows_at(&without.r, pos, &y));
		assert_int_equal(x.start, y.start);
		assert_int_equal(x.end, y.end);
		assert_int_equal(x.state.sub, y.state.sub);
		assert_true(style_equal(&x.state.style, &y.state.style));
	}
	page_close(&with);
	page_close(&without);
	buf_free(&b);
}

/* ---- bounds ------------------------------------------------------------------------------------------------ */

struct giant {
	int64_t size, reads;
};

static int64_t read_giant(void *ctx, int64_t pos, void *buf, size_t n)
{
	struct giant *g = ctx;
	char *p = buf;

	if (pos >= g->size)
		return 0;
	n = (size_t)MIN((int64_t)n, g->size - pos);
	for (size_t i = 0; i < n; i++)
		p[i] = (char)('a' + (pos + (int64_t)i) % 26);
	g->reads += (int64_t)n;
	return (int64_t)n;
}

static void a_line_of_a_terabyte(void **state)
{
	(void)state;
	struct giant g = { .size = (int64_t)1 << 40 };
	struct window *w = window_new((struct bytes){ read_giant, &g });
	struct rows r = { .w = w, .size = g.size, .cols = 80, .wrap = true };
	struct text_row page[50], row;

	for (int wrap = 0; wrap < 2; wrap++) {
		r.wrap = wrap;
		g.reads = 0;
		assert_true(rows_at(&r, 0, &row));
		for (int i = 0; i < 50; i++)
			assert_true(rows_next(&r, &row, &row));
		assert_true(g.reads < (wrap ? 1 << 20 : 30 << 20)); /* 50 pieces of 64 KiB */
		g.reads = 0;
		assert_int_equal(rows_back(&r, NULL, page, 50), 50);
		assert_int_equal(page[49].end, g.size);
		assert_true(page[49].last && !page[0].first);
		assert_true(rows_at(&r, g.size / 2 + 12345, &row));
		assert_true(row.start <= g.size / 2 + 12345 && row.end > g.size / 2 + 12345);
		assert_true(g.reads < (wrap ? 2 << 20 : 30 << 20));
	}
	rows_done(&r);
	window_free(w);
}

static void sequences_without_end(void **state)
{
	(void)state;
	struct buf b = { 0 };
	struct page p;
	struct text_row row;
	int n = 0;

	while (b.len < 1000000) /* takes no cell at all */
		buf_adds(&b, "\033[31m");
	page_open(&p, b.data, b.len, true, 80, true);
	for (bool any = rows_at(&p.r, 0, &row); any; any = rows_next(&p.r, &row, &row))
		n++;
	assert_in_range(n, 10, 20);
	page_close(&p);
	buf_clear(&b);
	while (b.len < 300000)
		buf_adds(&b, "\r");
	buf_adds(&b, "\nx\n");
	page_open(&p, b.data, b.len, true, 80, true);
	check_walks(&p.r);
	page_close(&p);
	buf_free(&b);
}

/* ---- sideways ---------------------------------------------------------------------------------------------- */

static int64_t patiently(int64_t (*f)(struct rows *r, const struct text_row *row), struct rows *r, const struct text_row *row)
{
	int64_t n;
	int calls = 0;

	while ((n = f(r, row)) < 0)
		assert_true(++calls < 100);
	return n;
}

static void sideways(void **state)
{
	(void)state;
	struct page p;
	struct text_row row;

	page_open(&p, TEXT("ab\u6f22cd\tx\n"), true, 4, false);
	assert_true(rows_at(&p.r, 0, &row));
	assert_string_equal(text_of_row(&p.r, &row, 0), "ab\u6f22");
	assert_string_equal(text_of_row(&p.r, &row, 1), "b\u6f22c");
	assert_string_equal(text_of_row(&p.r, &row, 2), "\u6f22cd");
	assert_string_equal(text_of_row(&p.r, &row, 3), " cd ");
	assert_string_equal(text_of_row(&p.r, &row, 4), "cd  ");
	assert_string_equal(text_of_row(&p.r, &row, 8), "x");
	assert_string_equal(text_of_row(&p.r, &row, 9), "");
	assert_string_equal(text_of_row(&p.r, &row, 1000), "");
	assert_int_equal(rows_width(&p.r, &row), 9);
	assert_int_equal(rows_col(&p.r, &row, 5), 4);
	p.r.cols = 3;
	assert_string_equal(text_of_row(&p.r, &row, 0), "ab ");
	page_close(&p);

	page_open(&p, TEXT("old\rnew state of it\n"), true, 40, false);
	assert_true(rows_at(&p.r, 0, &row));
	assert_string_equal(text_of_row(&p.r, &row, 0), "+1 earlier state new state of it");
	assert_string_equal(text_of_row(&p.r, &row, 3), "earlier state new state of it");
	assert_string_equal(text_of_row(&p.r, &row, 17), "new state of it");
	assert_string_equal(text_of_row(&p.r, &row, 18), "ew state of it");
	assert_int_equal(rows_width(&p.r, &row), 32);
	assert_int_equal(rows_col(&p.r, &row, 8), 21);
	page_close(&p);
}

static void sideways_in_a_long_line(void **state)
{
	(void)state;
	struct buf b = { 0 };
	struct page p;
	struct text_row row;
	struct cells_state s = { 0 };
	int64_t width, taken;

	make(&b, 5 << 20, 1000000000, 0);
	page_open(&p, b.data, b.len, true, 50, false);
	cells_skip(&s, b.data, b.len, false, INT64_MAX, &taken);
	assert_true(rows_at(&p.r, 0, &row));
	assert_int_equal(row.end, b.len);
	assert_int_equal(rows_width(&p.r, &row), -1); /* too far for one call */
	width = patiently(rows_width, &p.r, &row);
	assert_int_equal(width, taken);
	for (int i = 0; i < 100; i++) {
		static struct glyph far[4096], near[4096];
		int64_t skip = draw((uint32_t)width), n = rows_draw(&p.r, &row, skip, far, 4096), m;
		size_t at, used;
		struct cells_state t = { 0 };
		assert_true(n >= 0);
		if (i >= 10)
			continue;
		at = cells_skip(&t, b.data, b.len, false, skip, &taken);
		if (taken < skip)
			continue;
		m = (int64_t)cells_put(&t, (int64_t)at, b.data + at, b.len - at, false, 50, near, 4096, &used);
		assert_int_equal(n, m);
		for (int64_t k = 0; k < n; k++) {
			assert_int_equal(far[k].at, near[k].at);
			assert_memory_equal(far[k].bytes, near[k].bytes, near[k].n);
		}
		assert_in_range(rows_col(&p.r, &row, far[n - 1].at), skip, skip + 50);
	}
	page_close(&p);
	buf_free(&b);
}

/* A stream that arrives: bytes behind the last row come, what was there stays. */
static void growth(void **state)
{
	(void)state;
	struct page p;
	struct text_row row, last;

	page_open(&p, TEXT("one\ntwo\nthree"), false, 20, true);
	p.r.l = p.l;
	p.r.size = 6;
	lines_feed(p.l, "one\ntw", 6);
	assert_true(rows_at(&p.r, 5, &last));
	assert_string_equal(text_of_row(&p.r, &last, 0), "tw");
	assert_false(rows_next(&p.r, &last, &row));
	p.r.size = 13;
	lines_feed(p.l, "o\nthree", 7);
	assert_true(rows_next(&p.r, &last, &row));
	assert_string_equal(text_of_row(&p.r, &row, 0), "three");
	assert_string_equal(text_of_row(&p.r, &last, 0), "two");
	assert_false(rows_next(&p.r, &row, &row));
	page_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_small_texts),
		cmocka_unit_test(states_of_a_line),
		cmocka_unit_test(one_line_is_opened),
		cmocka_unit_test(random_texts_walk_alike),
		cmocka_unit_test(rows_end_behind_blanks),
		cmocka_unit_test(long_lines_walk_alike),
		cmocka_unit_test(index_does_not_move_rows),
		cmocka_unit_test(a_line_of_a_terabyte),
		cmocka_unit_test(sequences_without_end),
		cmocka_unit_test(sideways),
		cmocka_unit_test(sideways_in_a_long_line),
		cmocka_unit_test(growth),
	};

	seed = 20261130;
	return cmocka_run_group_tests_name("text/rows", tests, NULL, NULL);
}
