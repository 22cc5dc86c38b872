/* window.c and lines.c: any piece of a large source, and which line begins where. */
#include "text/lines.h"

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

/* ---- a source that is never in memory, and counts what is read of it ----------------------------- */

struct made {
	int64_t size;
	int64_t line;   /* bytes of a line, LF included; 0: none ends */
	int64_t returns; /* so many CRs it begins with */
	int64_t reads;  /* bytes read */
	bool broken;
};

static int64_t read_made(void *ctx, int64_t pos, void *buf, size_t n)
{
	struct made *m = ctx;
	char *out = buf;

	if (m->broken)
		return -1;
	if (pos >= m->size)
		return 0;
	n = (size_t)MIN((int64_t)n, m->size - pos);
	for (size_t i = 0; i < n; i++)
		out[i] = pos + (int64_t)i < m->returns ? '\r' : m->line && (pos + (int64_t)i) % m->line == m->line - 1 ? '\n' : 'a';
	m->reads += (int64_t)n;
	return (int64_t)n;
}

static void feed_made(struct lines *l, struct made *m)
{
	static char buf[1 << 20];

	while (lines_fed(l) < m->size)
		lines_feed(l, buf, (size_t)read_made(m, lines_fed(l), buf, sizeof(buf)));
	m->reads = 0;
}

/* ---- the window ------------------------------------------------------------------------------------ */

static void window_shows_every_piece(void **state)
{
	(void)state;
	static char text[700000];
	struct memory m = { text, sizeof(text) };
	struct window *w = window_new(bytes_of_memory(&m));
	size_t got;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)draw(256);
	for (int i = 0; i < 3000; i++) {
		int64_t pos = draw(sizeof(text) + 1000);
		size_t want = draw(10) ? draw(2000) : draw(WINDOW_MAX + 1);
		const char *p = window_at(w, pos, want, &got);

		if (pos < (int64_t)sizeof(text)) {
			assert_true(got >= MIN(want, sizeof(text) - (size_t)pos));
			assert_memory_equal(p, text + pos, got);
		} else {
			assert_int_equal(got, 0);
		}
		pos = MIN(pos, (int64_t)sizeof(text));
		p = window_before(w, pos, want, &got);
		assert_int_equal(got, MIN(want, (size_t)pos));
		if (got)
			assert_memory_equal(p, text + pos - got, got);
	}
	assert_null(window_at(w, -1, 1, &got));
	assert_false(window_failed(w));
	window_free(w);
	window_free(NULL);
}

static void window_sees_growth_and_failure(void **state)
{
	(void)state;
	struct memory m = { "abcdef", 3 };
	struct window *w = window_new(bytes_of_memory(&m));
	struct made bad = { .size = 10, .broken = true };
	size_t got;

	assert_memory_equal(window_at(w, 1, 10, &got), "bc", 2);
	assert_int_equal(got, 2);
	m.n = 6;
	assert_memory_equal(window_at(w, 1, 10, &got), "bcdef", 5);
	assert_int_equal(got, 5);
	m.p = "ABCDEF";
	window_forget(w);
	assert_memory_equal(window_at(w, 0, 1, &got), "ABCDEF", 6);
	window_free(w);
	w = window_new((struct bytes){ read_made, &bad });
	assert_null(window_at(w, 0, 1, &got));
	assert_true(window_failed(w));
	window_free(w);
}

static void window_going_on_reads_once(void **state)
{
	(void)state;
	struct made m = { .size = 4 << 20, .line = 80 };
	struct window *w = window_new((struct bytes){ read_made, &m });
	size_t got;

	for (int64_t pos = 0; pos < m.size; pos += 100)
		window_at(w, pos, 200, &got);
	assert_in_range(m.reads, m.size, m.size + m.size / 8);
	m.reads = 0;
	for (int64_t pos = m.size; pos > 0; pos -= 100)
		window_before(w, pos, 200, &got);
	assert_in_range(m.reads, m.size / 2, m.size + m.size / 8);
	window_free(w);
}

/* ---- against a plain way of doing it ---------------------------------------------------------------- */

struct expected {
	int64_t start, end, next, shown, earlier;
};

/* The line that holds `pos`, by looking at every byte. */
static struct expected plainly(const char *t, int64_t size, int64_t pos)
{
	struct expected x = { 0 };
	int64_t lf = pos;

	for (x.start = pos; x.start > 0 && t[x.start - 1] != '\n';)
		x.start--;
	while (lf < size && t[lf] != '\n')
		lf++;
	x.next = lf + 1 < size ? lf + 1 : -1;
	for (x.end = lf; x.end > x.start && t[x.end - 1] == '\r';)
		x.end--;
	x.shown = x.start;
	for (int64_t i = x.start; i < x.end; i++)
		if (t[i] == '\r') {
			x.shown = i + 1;
			x.earlier += i > x.start && t[i - 1] != '\r';
		}
	return x;
}

static void check_line(const struct lines *l, struct window *w, const char *t, int64_t size, int64_t pos)
{
	struct expected x = plainly(t, size, pos);
	struct line line;

	assert_true(lines_get(l, w, pos, size, &line));
	assert_true(line.whole);
	assert_int_equal(line.start, x.start);
	assert_int_equal(line.end, x.end);
	assert_int_equal(line.next, x.next);
	assert_int_equal(line.shown, x.shown);
	assert_int_equal(line.earlier, x.earlier);
}

/* States of one line, walked forwards; every byte of the line leads to its state. */
static void check_states(const struct lines *l, struct window *w, const char *t, int64_t size, int64_t pos)
{
	struct line line;
	struct line_state s, again;
	int64_t states = 0;

	assert_true(lines_get(l, w, pos, size, &line));
	if (line.start == line.end)
		return;
	for (int64_t at = line.start; at >= 0; at = s.next) {
		assert_true(lines_state(l, w, &line, at, &s));
		assert_true(s.start < s.end);
		assert_int_equal(s.first, at == line.start);
		assert_null(memchr(t + s.start, '\r', (size_t)(s.end - s.start)));
		assert_true(s.next > s.end || (s.next < 0 && s.end == line.end));
		for (int i = 0; i < 3; i++) {
			int64_t until = s.next < 0 ? line.end + 1 : s.next, in = at + draw((uint32_t)(until - at));
			assert_true(lines_state(l, w, &line, in, &again));
			assert_int_equal(again.start, s.start);
			assert_int_equal(again.end, s.end);
			assert_int_equal(again.next, s.next);
		}
		states++;
	}
	assert_int_equal(states, line.earlier + 1);
	assert_int_equal(s.start, line.shown);
}

static void fill(char *t, int64_t size, uint32_t every)
{
	for (int64_t i = 0; i < size; i++) {
		uint32_t c = draw(every);
		t[i] = c == 0 ? '\n' : c == 1 ? '\r' : c == 2 ? '\0' : "abc"[c % 3];
	}
	for (int64_t i = 0; i + 1 < size; i++)
		if (t[i] == '\n' && draw(3) == 0)
			t[i] = '\r', t[i + 1] = '\n';
}

static void random_texts_are_indexed(void **state)
{
	(void)state;
	static const uint32_t every[] = { 2, 3, 5, 20, 100, 2000, 50000, 10000000 };
	int64_t size = 3 * LINES_BLOCK + 77;
	char *t = xmalloc((size_t)size);

	for (size_t k = 0; k < ARRAY_LEN(every) * 4; k++) {
		int64_t n = draw(4) ? size : draw((uint32_t)size), line = 0;
		struct memory m = { t, (size_t)n };
		struct window *w = window_new(bytes_of_memory(&m));
		struct lines *l = lines_new();

		fill(t, n, every[k % ARRAY_LEN(every)]);
		while (lines_fed(l) < n) {
			int64_t piece = 1 + draw(draw(2) ? 10000 : 50);
			lines_feed(l, t + lines_fed(l), (size_t)MIN(n - lines_fed(l), piece));
		}
		for (int64_t i = 0; i < n; i++) {
			if ((i == 0 || t[i - 1] == '\n') && (line < 5 || draw(1 + (uint32_t)n / 500) == 0 || i > n - 20)) {
				assert_int_equal(lines_begin(l, w, line), i);
				assert_int_equal(lines_number(l, w, i), line);
				check_line(l, w, t, n, i);
				check_states(l, w, t, n, i);
			}
			line += t[i] == '\n';
		}
		assert_int_equal(lines_breaks(t, (size_t)n), line);
		assert_int_equal(lines_count(l), line + (n && t[n - 1] != '\n'));
		assert_int_equal(lines_begin(l, w, lines_count(l) + 1), -1);
		for (int i = 0; i < 200 && n; i++) {
			int64_t pos = draw((uint32_t)n);
			int64_t start = plainly(t, n, pos).start;
			assert_int_equal(lines_start(l, w, pos), start);
			assert_int_equal(lines_number(l, w, pos), lines_breaks(t, (size_t)pos));
			check_line(l, w, t, n, pos);
		}
		lines_free(l);
		window_free(w);
	}
	free(t);
}

static void line_ends(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t pos;
		struct expected x;
	} table[] = {
		{ "a\nb", 0, { 0, 1, 2, 0, 0 } },
		{ "a\nb", 2, { 2, 3, -1, 2, 0 } },           /* no LF at the end */
		{ "a\n", 1, { 0, 1, -1, 0, 0 } },            /* nothing behind the last LF */
		{ "a\r\nb", 1, { 0, 1, 3, 0, 0 } },          /* CRLF */
		{ "a\r\r\nb", 2, { 0, 1, 4, 0, 0 } },        /* text mode twice */
		{ "long old text\rshort", 0, { 0, 19, -1, 14, 1 } },
		{ "\r  0%\r 50%\r100%\n", 7, { 0, 15, -1, 11, 2 } },
		{ "50%\r", 3, { 0, 3, -1, 0, 0 } },          /* a bar that is waiting */
		{ "10%\r50%\r", 0, { 0, 7, -1, 4, 1 } },
		{ "a\r\r\rb\n", 0, { 0, 5, -1, 4, 1 } },
		{ "\r\r\n", 0, { 0, 0, -1, 0, 0 } },
		{ "\n", 0, { 0, 0, -1, 0, 0 } },
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		for (int indexed = 0; indexed < 2; indexed++) {
			struct memory m = { table[i].text, strlen(table[i].text) };
			struct window *w = window_new(bytes_of_memory(&m));
			struct lines *l = lines_new();
			struct line x;

			lines_feed(l, m.p, m.n);
			assert_true(lines_get(indexed ? l : NULL, w, table[i].pos, (int64_t)m.n, &x));
			assert_true(x.whole);
			assert_int_equal(x.start, table[i].x.start);
			assert_int_equal(x.end, table[i].x.end);
			assert_int_equal(x.next, table[i].x.next);
			assert_int_equal(x.shown, table[i].x.shown);
			assert_int_equal(x.earlier, table[i].x.earlier);
			assert_false(lines_get(l, w, (int64_t)m.n, (int64_t)m.n, &x));
			lines_free(l);
			window_free(w);
		}
}

/* ---- bounds ---------------------------------------------------------------------------------------------- */

static void questions_read_little(void **state)
{
	(void)state;
	struct made m = { .size = 256 << 20, .line = 20 };
	struct window *w = window_new((struct bytes){ read_made, &m });
	struct lines *l = lines_new();

	feed_made(l, &m);
	assert_true(lines_memory(l) <= (size_t)(m.size / 1024));
	assert_int_equal(lines_count(l), (m.size + 19) / 20);
	for (int i = 0; i < 50; i++) {
		int64_t line = draw((uint32_t)(m.size / 20));
		m.reads = 0;
		assert_int_equal(lines_begin(l, w, line), line * 20);
		assert_in_range(m.reads, 0, 300 << 10);
		m.reads = 0;
		window_forget(w);
		assert_int_equal(lines_number(l, w, line * 20 + 7), line);
		assert_in_range(m.reads, 0, 300 << 10);
	}
	lines_free(l);
	window_free(w);
}

static void one_line_of_many_megabytes(void **state)
{
	(void)state;
	struct made m = { .size = 64 << 20 };
	struct window *w = window_new((struct bytes){ read_made, &m });
	struct lines *l = lines_new();
	struct line x;

	/* without the index: unknown, after little reading */
	assert_true(lines_get(NULL, w, m.size / 2, m.size, &x));
	assert_false(x.whole);
	assert_int_equal(x.start, -1);
	assert_int_equal(x.end, -1);
	assert_in_range(m.reads, 0, 1 << 20);
	assert_true(lines_get(NULL, w, m.size - 5, m.size, &x));
	assert_int_equal(x.end, m.size);
	assert_false(x.whole);
	assert_int_equal(lines_end(NULL, w, 5), -1);

	feed_made(l, &m);
	assert_true(lines_get(l, w, m.size / 2, m.size, &x));
	assert_true(x.whole);
	assert_int_equal(x.start, 0);
	assert_int_equal(x.end, m.size);
	assert_int_equal(x.shown, 0);
	assert_int_equal(x.earlier, 0);
	assert_in_range(m.reads, 0, 2 << 20);

	/* it ends, and another begins */
	lines_feed(l, "\nxy", 3);
	assert_int_equal(lines_count(l), 2);
	assert_int_equal(lines_begin(l, w, 1), -1); /* those bytes cannot be read: no answer, no crash */
	lines_free(l);
	window_free(w);
}

/* A progress bar that went on for hours: many states in one long line. */
static void states_of_a_long_line(void **state)
{
	(void)state;
	struct buf b = { 0 };
	struct memory m;
	struct window *w;
	struct lines *l = lines_new();
	struct line x;
	struct line_state s;

	buf_adds(&b, "before\n");
	for (int i = 0; i <= 30000; i++)
		buf_addf(&b, "\r%5d/30000 %s", i, i == 15000 ? "" : "#########");
	for (int i = 0; i < 200000; i++) /* and the last state is longer than LINES_NEAR */
		buf_addc(&b, 'z');
	buf_adds(&b, "\nafter\n");
	m = (struct memory){ b.data, b.len };
	w = window_new(bytes_of_memory(&m));
	lines_feed(l, b.data, b.len);
	for (int64_t pos = 7; pos < (int64_t)b.len - 6; pos += 9973) {
		assert_true(lines_get(l, w, pos, (int64_t)b.len, &x));
		assert_true(x.whole);
		assert_int_equal(x.start, 7);
		assert_int_equal(x.earlier, 30000);
		assert_memory_equal(b.data + x.shown - 1, "\r30000/30000", 12);
		assert_memory_equal(b.data + x.next, "after", 5);
		assert_true(lines_state(l, w, &x, pos, &s));
		assert_int_equal(b.data[s.start - 1], '\r');
		assert_true(s.start <= pos + 1 && pos <= s.end);
	}
	check_states(l, w, b.data, (int64_t)b.len, 7);
	lines_free(l);
	window_free(w);
	buf_free(&b);
}

/* However many CRs a line begins with, a few blocks are read of it. */
static void many_returns_are_not_read(void **state)
{
	static const int64_t behind[] = { 1, 5, LINES_NEAR + 1, 3 * LINES_NEAR };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(behind); i++) {
		struct made m = { .returns = 400 * (int64_t)LINES_BLOCK + 77 };
		struct window *w = window_new((struct bytes){ read_made, &m });
		struct lines *l = lines_new();
		struct line line;
		struct line_state s;

		m.size = m.returns + behind[i];
		feed_made(l, &m);
		for (int64_t pos = 0; pos < m.size; pos += m.size / 3) {
			m.reads = 0;
			assert_true(lines_get(l, w, pos, m.size, &line));
			assert_true(line.whole);
			assert_int_equal(line.shown, m.returns);
			assert_int_equal(line.earlier, 0);
			assert_true(lines_state(l, w, &line, pos, &s));
			assert_int_equal(s.start, m.returns);
			assert_int_equal(s.end, m.size);
			assert_true(m.reads <= 20 * (int64_t)LINES_NEAR);
		}
		lines_free(l);
		window_free(w);
	}
}

static void index_starts_again(void **state)
{
	(void)state;
	struct memory m = { "x\ny\n", 4 };
	struct window *w = window_new(bytes_of_memory(&m));
	struct lines *l = lines_new();

	assert_int_equal(lines_count(l), 0);
	assert_int_equal(lines_begin(l, w, 0), 0);
	assert_int_equal(lines_begin(l, w, 1), -1);
	lines_feed(l, "", 0);
	lines_feed(l, "x\ny\nz", 5);
	assert_int_equal(lines_count(l), 3);
	lines_reset(l);
	assert_int_equal(lines_fed(l), 0);
	assert_int_equal(lines_count(l), 0);
	lines_feed(l, m.p, m.n);
	assert_int_equal(lines_count(l), 2);
	assert_int_equal(lines_begin(l, w, 2), -1);
	assert_int_equal(lines_number(l, w, 5), -1);
	lines_free(l);
	lines_free(NULL);
	window_free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(window_shows_every_piece),
		cmocka_unit_test(window_sees_growth_and_failure),
		cmocka_unit_test(window_going_on_reads_once),
		cmocka_unit_test(line_ends),
		cmocka_unit_test(random_texts_are_indexed),
		cmocka_unit_test(questions_read_little),
		cmocka_unit_test(one_line_of_many_megabytes),
		cmocka_unit_test(states_of_a_long_line), cmocka_unit_test(many_returns_are_not_read),
		cmocka_unit_test(index_starts_again),
	};

	seed = 20261130;
	return cmocka_run_group_tests_name("text/lines", tests, NULL, NULL);
}
