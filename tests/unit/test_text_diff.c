/* diff.c and its parts: applying gives the other side, hunks are minimal, what looks alike is named. */
#include "text/diff.h"

#include "text/intern.h"
#include "text/myers.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 7;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static struct span span_of(const char *s)
{
	return (struct span){ s, strlen(s) };
}

/* ---- making texts ---- */

static const char *const ends[] = { "\n", "\n", "\n", "\r\n", "\r" };

static void add_line(struct buf *b, int alphabet, int kind)
{
	if (draw(12) == 0)
		buf_adds(b, "");
	else if (alphabet > 50)
		buf_addf(b, "line %u of a text", draw((uint32_t)alphabet));
	else
		buf_addf(b, "%*s%c", (int)draw(3), "", 'a' + (char)draw((uint32_t)alphabet));
	buf_adds(b, ends[kind == 0 ? 0 : draw(ARRAY_LEN(ends))]);
}

static void make_text(struct buf *b, int lines, int alphabet, int kind)
{
	buf_clear(b);
	if (draw(20) == 0)
		buf_adds(b, "\xEF\xBB\xBF");
	for (int i = 0; i < lines; i++)
		add_line(b, alphabet, kind);
	if (b->len && draw(3) == 0)
		b->len--; /* no final newline, or half of one */
}

/* Takes lines of `from` with some left out, some new, some swapped. */
static void edit_text(const struct buf *from, struct buf *out, int alphabet, int kind)
{
	struct diff_text t;

	buf_clear(out);
	intern_cut((struct span){ from->data, from->len }, 0, &t);
	for (uint32_t i = 0; i < t.lines; i++) {
		uint32_t what = draw(10), other = draw(t.lines);
		if (what == 0)
			continue;
		if (what == 1)
			add_line(out, alphabet, kind);
		if (what == 2)
			buf_add(out, t.p + t.start[other], t.start[other + 1] - t.start[other]);
		buf_add(out, t.p + t.start[i], t.start[i + 1] - t.start[i]);
	}
	free(t.start);
}

/* ---- the judge ---- */

/* The right text, made of the left one, the hunks and the right text's ends of partners. */
static void apply(const struct diff *d, struct buf *out)
{
	uint32_t a = 0, b = 0;
	const struct diff_text *x = &d->side[0], *y = &d->side[1];

	for (size_t i = 0; i <= d->hunks_n; i++) {
		uint32_t to = i < d->hunks_n ? d->hunks[i].a : x->lines;
		for (; a < to; a++, b++) {
			struct span left = diff_line(x, a, NULL), right = diff_line(y, b, NULL);
			assert_true(b < y->lines);
			buf_add(out, left.p, left.n);
			buf_add(out, right.p + right.n, y->start[b + 1] - y->start[b] - right.n);
		}
		if (i == d->hunks_n)
			break;
		assert_int_equal(d->hunks[i].b, b);
		assert_true(d->hunks[i].a_n + d->hunks[i].b_n > 0);
		assert_true(i == 0 || d->hunks[i].a > d->hunks[i - 1].a + d->hunks[i - 1].a_n);
		a += d->hunks[i].a_n;
		b += d->hunks[i].b_n;
		assert_true(a <= x->lines && b <= y->lines);
		buf_add(out, y->p + y->start[d->hunks[i].b], y->start[b] - y->start[d->hunks[i].b]);
	}
	assert_int_equal(a, x->lines);
	assert_int_equal(b, y->lines);
}

static bool same_line(const struct diff *d, uint32_t a, uint32_t b)
{
	struct span x = diff_line(&d->side[0], a, NULL), y = diff_line(&d->side[1], b, NULL);

	return x.n == y.n && memcmp(x.p, y.p, x.n) == 0;
}

/* Lines of a longest common subsequence, the slow and plain way. */
static uint32_t common_lines(const struct diff *d)
{
	uint32_t n = d->side[0].lines, m = d->side[1].lines;
	uint32_t *row = xcalloc((size_t)m + 1, sizeof(*row));

	for (uint32_t i = 0; i < n; i++) {
		uint32_t corner = 0;
		for (uint32_t k = 0; k < m; k++) {
			uint32_t above = row[k + 1];
			row[k + 1] = same_line(d, i, k) ? corner + 1 : MAX(row[k + 1], row[k]);
			corner = above;
		}
	}
	uint32_t found = row[m];
	free(row);
	return found;
}

static void check_pair(const struct buf *a, const struct buf *b, bool minimal)
{
	struct span x = { a->data, a->len }, y = { b->data, b->len };
	struct buf made = { 0 };
	struct diff d;

	assert_true(diff_lines(x, y, 0, NULL, &d, NULL));
	apply(&d, &made);
	assert_int_equal(made.len + (d.side[1].bom ? 3 : 0), b->len);
	assert_true(made.len == 0 || memcmp(made.data, d.side[1].p, made.len) == 0);
	assert_int_equal(diff_differs(&d), x.n != y.n || (x.n && memcmp(x.p, y.p, x.n) != 0));
	if (minimal) {
		assert_false(d.coarse);
		assert_int_equal(d.side[0].lines - d.removed, common_lines(&d));
	}
	assert_int_equal(d.side[0].lines - d.removed, d.side[1].lines - d.added);
	buf_free(&made);
	diff_free(&d);
}

static void add_lines(struct buf *out, const struct diff_text *t, uint32_t from, uint32_t n)
{
	buf_add(out, t->p + t->start[from], t->start[from + n] - t->start[from]);
}

/* As patch(1) does it: of the left text's bytes and the hunks alone. */
static void check_exact_pair(const struct buf *a, const struct buf *b)
{
	struct span x = { a->data, a->len }, y = { b->data, b->len };
	struct buf made = { 0 };
	struct diff d;
	uint32_t at = 0;

	assert_true(diff_lines(x, y, DIFF_EXACT, NULL, &d, NULL));
	for (size_t i = 0; i < d.hunks_n; i++) {
		add_lines(&made, &d.side[0], at, d.hunks[i].a - at);
		add_lines(&made, &d.side[1], d.hunks[i].b, d.hunks[i].b_n);
		at = d.hunks[i].a + d.hunks[i].a_n;
	}
	add_lines(&made, &d.side[0], at, d.side[0].lines - at);
	assert_int_equal(made.len, b->len);
	assert_true(made.len == 0 || memcmp(made.data, b->data, made.len) == 0);
	assert_int_equal(d.hunks_n > 0, x.n != y.n || (x.n && memcmp(x.p, y.p, x.n) != 0));
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < d.side[s].lines; i++)
			assert_null(memchr(d.side[s].p + d.side[s].start[i], '\n', d.side[s].start[i + 1] - d.side[s].start[i] - 1u));
	buf_free(&made);
	diff_free(&d);
}

static void applying_gives_the_other_side(void **state)
{
	(void)state;
	static const int alphabets[] = { 1, 2, 3, 26, 1000 };
	struct buf a = { 0 }, b = { 0 };

	for (int i = 0; i < 6000; i++) {
		int alphabet = alphabets[draw(ARRAY_LEN(alphabets))], kind = (int)draw(2), most = i % 50 == 0 ? 200 : 12;
		make_text(&a, (int)draw((uint32_t)most), alphabet, kind);
		if (draw(3))
			edit_text(&a, &b, alphabet, kind);
		else
			make_text(&b, (int)draw((uint32_t)most), alphabet, kind);
		check_pair(&a, &b, true);
		check_exact_pair(&a, &b);
	}
	buf_free(&a);
	buf_free(&b);
}

/* The worst of them cost the square of it, and under the sanitizers twenty times that. */
#ifdef __SANITIZE_ADDRESS__
#define LARGE 8000
#else
#define LARGE 30000
#endif

static void large_and_adversarial_pairs_apply(void **state)
{
	(void)state;
	struct buf a = { 0 }, b = { 0 };

	for (int i = 0; i < 12; i++) {
		int alphabet = i % 4 == 0 ? 2 : i % 4 == 1 ? 3000000 : i % 4 == 2 ? 26 : 60;
		make_text(&a, LARGE, alphabet, i % 2);
		if (i < 8)
			edit_text(&a, &b, alphabet, i % 2);
		else
			make_text(&b, LARGE, alphabet, 0);
		check_pair(&a, &b, false);
		check_exact_pair(&a, &b);
	}
	buf_free(&a);
	buf_free(&b);
}

/* Cut short at once, it is still right. */
static void cut_short_it_is_still_right(void **state)
{
	(void)state;
	uint32_t a[300], b[300];
	uint8_t x[300], y[300];

	for (int i = 0; i < 2000; i++) {
		uint32_t n = draw(300), m = draw(300), letters = 1 + draw(5), left = 0, right = 0;
		for (uint32_t k = 0; k < n; k++)
			a[k] = draw(letters);
		for (uint32_t k = 0; k < m; k++)
			b[k] = draw(letters);
		memset(x, 0, sizeof(x));
		memset(y, 0, sizeof(y));
		struct myers run = { .a = a, .b = b, .a_n = n, .b_n = m, .a_changed = x, .b_changed = y, .most = 1 + (int64_t)draw(20) };
		assert_true(myers_run(&run));
		while (left < n || right < m) {
			if (left < n && x[left]) {
				left++;
			} else if (right < m && y[right]) {
				right++;
			} else {
				assert_true(left < n && right < m && a[left] == b[right]);
				left++;
				right++;
			}
		}
	}
}

static void cancel_ends_it(void **state)
{
	(void)state;
	struct buf a = { 0 }, b = { 0 };
	struct diff d;
	bool cancel = true;

	make_text(&a, 2000, 3, 0);
	make_text(&b, 2000, 3, 0);
	assert_true(diff_lines((struct span){ a.data, a.len }, (struct span){ b.data, b.len }, 0, &cancel, &d, NULL));
	assert_true(d.cancelled && d.coarse && diff_differs(&d));
	diff_free(&d);
	buf_free(&a);
	buf_free(&b);
}

/* ---- what looks alike ---- */

static char *told(const char *a, const char *b, unsigned flags, size_t *hunks)
{
	struct buf out = { 0 };
	struct diff d;

	assert_true(diff_lines(span_of(a), span_of(b), flags, NULL, &d, NULL));
	diff_tell(&d, &out);
	*hunks = d.hunks_n;
	assert_true(diff_differs(&d) || strcmp(a, b) == 0);
	diff_free(&d);
	return buf_take(&out);
}

static void invisible_changes_are_named(void **state)
{
	(void)state;
	static const struct { const char *a, *b; unsigned flags; size_t hunks; const char *told; } rows[] = {
		{ "a\n", "a", 0, 0, "final newline removed\n" },
		{ "a", "a\n", 0, 0, "final newline added\n" },
		{ "x", "x ", 0, 1, "1 line changed in trailing blanks only\n" },
		{ "\tx\n", "    x\n", 0, 1, "1 line changed in tabs and blanks only\n" },
		{ "a  b\n", "a b\n", 0, 1, "1 line changed in the number of blanks only\n" },
		{ "a b", "a\xC2\xA0" "b", 0, 1, "1 line changed in no-break or other odd spaces only\n" },
		{ "\xEF\xBB\xBFx\n", "x\n", 0, 0, "byte order mark removed\n" },
		{ "\xC3\xA9\n", "e\xCC\x81\n", 0, 1, "1 line changed in Unicode form only (composed or decomposed letters)\n" },
		{ "\xED\x95\x9C\n", "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB\n", 0, 1, "1 line changed in Unicode form only (composed or decomposed letters)\n" },
		{ "A Test\n", "ATest\n", 0, 1, "" },
		{ "A Test\n", "ATest\n", DIFF_FOLD_SPACE, 1, "" },
		{ "A  Test \n", "A\tTest\n", DIFF_FOLD_SPACE, 0, "1 line differing in white space only, not shown\n" },
		{ "a\r\nb\r\n", "a\nb\n", 0, 0, "2 of 2 line ends CRLF -> LF\n" },
		{ "a\nb\n", "a\r\nb\r\n", 0, 0, "2 of 2 line ends LF -> CRLF\n" },
		{ "a\rb\n", "a\nb\n", 0, 0, "1 of 2 line ends CR -> LF\nmixed line ends before: 1 LF 1 CR\n" },
		{ "a one b\r\nc\r\n", "a two b\nc\n", 0, 1, "1 of 1 line end CRLF -> LF\n" },
		{ "", "a\n", 0, 1, "" },
		{ "same\n", "same\n", 0, 0, "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t hunks;
		char *text = told(rows[i].a, rows[i].b, rows[i].flags, &hunks);
		assert_string_equal(text, rows[i].told);
		assert_int_equal(hunks, rows[i].hunks);
		free(text);
	}
}

static void moved_blocks_are_found(void **state)
{
	(void)state;
	struct diff d;

	assert_true(diff_lines(span_of("def first(x):\n    return x + 1\n    # done\none\ntwo\nthree\nfour\nfive\n"),
	                       span_of("one\ntwo\nthree\nfour\nfive\ndef first(x):\n    return x + 1\n    # done\n"), 0, NULL, &d, NULL));
	assert_int_equal(d.moves_n, 1);
	assert_int_equal(d.moves[0].a, 0);
	assert_int_equal(d.moves[0].b, 5);
	assert_int_equal(d.moves[0].n, 3);
	diff_free(&d);
}

static void hunks_slide_to_borders(void **state)
{
	(void)state;
	struct diff d;

	assert_true(diff_lines(span_of("def a():\n    x = 1\n\ndef c():\n    x = 3\n"),
	                       span_of("def a():\n    x = 1\n\ndef b():\n    x = 1\n\ndef c():\n    x = 3\n"), 0, NULL, &d, NULL));
	assert_int_equal(d.hunks_n, 1);
	assert_int_equal(d.hunks[0].b, 3);
	diff_free(&d);
}

/* ---- words ---- */

static void words_are_those_that_differ(void **state)
{
	(void)state;
	static const struct { const char *a, *b, *x, *y; } rows[] = {
		{ "total 1,234.50 EUR", "total 1,234.60 EUR", "1,234.50", "1,234.60" },
		{ "a b c", "a c", "b ", "" },
		{ "x = foo(1)", "x = bar(1)", "foo", "bar" },
		{ "x = 1.5e-7", "x = 1.5e-8", "1.5e-7", "1.5e-8" },
		{ "", "new", "", "new" },
		{ "one\ntwo\n", "one\n2\n", "two", "2" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf x = { 0 }, y = { 0 };
		struct diff_words w;
		diff_words(span_of(rows[i].a), span_of(rows[i].b), &w);
		for (size_t k = 0; k < w.a_n; k++)
			buf_add(&x, rows[i].a + w.a[k].start, w.a[k].len);
		for (size_t k = 0; k < w.b_n; k++)
			buf_add(&y, rows[i].b + w.b[k].start, w.b[k].len);
		assert_string_equal(x.data ? x.data : "", rows[i].x);
		assert_string_equal(y.data ? y.data : "", rows[i].y);
		diff_words_free(&w);
		buf_free(&x);
		buf_free(&y);
	}
}

static void words_outside_the_pieces_are_the_same(void **state)
{
	(void)state;

	for (int i = 0; i < 3000; i++) {
		struct buf a = { 0 }, b = { 0 }, x = { 0 }, y = { 0 };
		struct diff_words w;
		for (uint32_t k = draw(30); k > 0; k--)
			buf_addf(&a, "%c%s", 'a' + (char)draw(4), draw(2) ? " " : draw(2) ? "," : "12.5");
		for (uint32_t k = draw(30); k > 0; k--)
			buf_addf(&b, "%c%s", 'a' + (char)draw(4), draw(2) ? " " : draw(2) ? "," : "12.5");
		diff_words((struct span){ a.data, a.len }, (struct span){ b.data, b.len }, &w);
		size_t at = 0;
		for (size_t k = 0; k <= w.a_n; k++) {
			size_t to = k < w.a_n ? w.a[k].start : a.len;
			buf_add(&x, a.data + at, to - at);
			at = k < w.a_n ? to + w.a[k].len : to;
		}
		at = 0;
		for (size_t k = 0; k <= w.b_n; k++) {
			size_t to = k < w.b_n ? w.b[k].start : b.len;
			buf_add(&y, b.data + at, to - at);
			at = k < w.b_n ? to + w.b[k].len : to;
		}
		assert_int_equal(x.len, y.len);
		assert_true(x.len == 0 || memcmp(x.data, y.data, x.len) == 0);
		diff_words_free(&w);
		buf_free(&a);
		buf_free(&b);
		buf_free(&x);
		buf_free(&y);
	}
}

static void a_long_line_is_bounded(void **state)
{
	(void)state;
	size_t n = 4 << 20;
	char *a = xmalloc(n), *b = xmalloc(n);
	struct diff_words w;

	for (size_t i = 0; i < n; i++)
		a[i] = b[i] = i % 7 == 6 ? ' ' : 'a' + (char)draw(3);
	b[100] = 'z';
	b[n - 100] = 'z';
	diff_words((struct span){ a, n }, (struct span){ b, n }, &w);
	assert_true(w.coarse);
	assert_int_equal(w.a_n, 1);
	diff_words_free(&w);
	free(a);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(applying_gives_the_other_side),
		cmocka_unit_test(large_and_adversarial_pairs_apply),
		cmocka_unit_test(cut_short_it_is_still_right),
		cmocka_unit_test(cancel_ends_it),
		cmocka_unit_test(invisible_changes_are_named),
		cmocka_unit_test(moved_blocks_are_found),
		cmocka_unit_test(hunks_slide_to_borders),
		cmocka_unit_test(words_are_those_that_differ),
		cmocka_unit_test(words_outside_the_pieces_are_the_same),
		cmocka_unit_test(a_long_line_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
