/* search.c: patterns that end, in lines of any bytes and any length. */
#include "text/search.h"

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

static struct search *compiled(const char *pattern, unsigned flags)
{
	struct err e = { 0 };
	struct search *s = search_compile(pattern, strlen(pattern), flags, NULL, &e);

	if (!s)
		fail_msg("%s: %s", pattern, e.msg);
	return s;
}

/* ---- one line --------------------------------------------------------------------------------------- */

static void matches_in_a_line(void **state)
{
	(void)state;
	static const struct {
		const char *pattern;
		unsigned flags;
		const char *line;
		size_t n;
		int start, end; /* -1: none */
	} table[] = {
#define ROW(pattern, flags, line, start, end) { pattern, flags, line, sizeof(line) - 1, start, end }
		ROW("bc", 0, "abcd", 1, 3),
		ROW("BC", 0, "abcd", -1, -1),                 /* upper case: it counts */
		ROW("bc", 0, "aBCd", 1, 3),
		ROW("bc", SEARCH_CASE, "aBCd", -1, -1),
		ROW("BC", SEARCH_NOCASE, "abcd", 1, 3),
		ROW("b.d", 0, "aBCD", 1, 4),
		ROW("\\Wd", 0, "a D", 1, 3),                  /* \W is no upper-case letter */
		ROW("\\p{Lu}", 0, "aBc", 1, 2),
		ROW("[B]c", 0, "abc", -1, -1),
		ROW("\u00e9", 0, "CAF\u00c9", 3, 5),
		ROW("\u00c9", 0, "caf\u00e9", -1, -1),
		ROW("a.c", SEARCH_LITERAL, "abc a.c", 4, 7),
		ROW("1.5", 0, "145 1.5", 0, 3),
		ROW("1.5", SEARCH_LITERAL, "145 1.5", 4, 7),
		ROW("^b", 0, "ab", -1, -1),
		ROW("b$", 0, "ab", 1, 2),
		ROW("x*", 0, "ab", 0, 0),
		ROW("needle", 0, "\0\0needle", 2, 8),         /* NUL hides nothing */
		ROW("a.b", 0, "a\0b", 0, 3),
		ROW("\\x00", 0, "a\0b", 1, 2),
		ROW("after", 0, "\xff\xfe\xe2\x82 after", 5, 10), /* nor does a bad byte */
		ROW("f.*r", 0, "caf\xe9 before after", 7, 17),
		ROW("caf\xe9", SEARCH_LITERAL, "un caf\xe9", 3, 7),
		ROW("\\w+", 0, "\u00e9t\u00e9", 0, 5),
		ROW("100%", 0, " 50%\r100%", 5, 9),           /* earlier states are searched too */
		ROW("(?<=a)b", 0, "ab", 1, 2),
		ROW("a{2}", 0, "a{2} aa", 5, 7),
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		struct search *s = compiled(table[i].pattern, table[i].flags);
		struct match m = { 99, 99 };
		enum search_answer answer = search_line(s, table[i].line, table[i].n, 0, &m);
		if ((answer == SEARCH_HIT) != (table[i].start >= 0))
			fail_msg("%s: answer %d", table[i].pattern, answer);
		if (answer == SEARCH_HIT) {
			assert_int_equal(m.start, table[i].start);
			assert_int_equal(m.end, table[i].end);
		}
		search_free(s);
	}
}

static void matches_one_after_the_other(void **state)
{
	(void)state;
	struct search *s = compiled("a+", 0);
	struct match m;

	assert_int_equal(search_line(s, "aa b aaa", 8, 0, &m), SEARCH_HIT);
	assert_int_equal(search_line(s, "aa b aaa", 8, m.end, &m), SEARCH_HIT);
	assert_int_equal(m.start, 5);
	assert_int_equal(search_line(s, "aa b aaa", 8, 8, &m), SEARCH_NONE);
	assert_int_equal(search_line(s, "aa b aaa", 8, 9, &m), SEARCH_NONE);
	assert_int_equal(search_line(s, NULL, 0, 0, &m), SEARCH_NONE);
	search_free(s);
	search_free(NULL);
}

static void kinds(void **state)
{
	(void)state;
	struct search *s = compiled("759999", 0);

	assert_true(search_is_literal(s));
	assert_false(search_minds_case(s));
	search_free(s);
	s = compiled("Total", 0);
	assert_true(search_is_literal(s) && search_minds_case(s));
	search_free(s);
	s = compiled("to.al", 0);
	assert_false(search_is_literal(s) || search_minds_case(s));
	search_free(s);
}

static void bad_patterns_show_where(void **state)
{
	(void)state;
	static const struct {
		const char *pattern;
		size_t at;
		const char *says; /* a part */
	} table[] = {
		{ "(", 1, "missing closing parenthesis" },
		{ "[", 1, "missing terminating ]" },
		{ "ab\\", 3, "at end of pattern" },
		{ "(?<=a+)b", 0, "not fixed length" },
		{ "\u00e9\u00e9)", 4, "(at character 3 of the pattern)" },
		{ "*a", 0, "" },
		{ "\\C", 2, "" },
		{ "a\xff.", 1, "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		struct err e = { 0 };
		size_t at = 999;
		assert_null(search_compile(table[i].pattern, strlen(table[i].pattern), 0, &at, &e));
		assert_int_equal(e.code, ERR_INPUT);
		if (*table[i].says || table[i].at) {
			assert_non_null(strstr(e.msg, table[i].says));
			if (at > strlen(table[i].pattern) || (table[i].at && at != table[i].at))
				fail_msg("%s: at %zu: %s", table[i].pattern, at, e.msg);
		}
	}
}

static void odd_patterns(void **state)
{
	(void)state;
	char *big = xmalloc(SEARCH_PATTERN + 1);
	struct err e = { 0 };
	struct search *s;
	struct match m;

	assert_null(search_compile("", 0, 0, NULL, &e));
	e = (struct err){ 0 };
	assert_null(search_compile("a\nb", 3, 0, NULL, &e));
	memset(big, 'a', SEARCH_PATTERN + 1);
	e = (struct err){ 0 };
	assert_null(search_compile(big, SEARCH_PATTERN + 1, 0, NULL, &e));
	e = (struct err){ 0 };
	s = search_compile(big, 10000, 0, NULL, &e); /* 10 kB of text */
	assert_non_null(s);
	assert_int_equal(search_line(s, big, 20000, 0, &m), SEARCH_HIT);
	assert_int_equal(m.end, 10000);
	search_free(s);
	memset(big, '(', SEARCH_PATTERN);
	e = (struct err){ 0 };
	assert_null(search_compile(big, SEARCH_PATTERN, 0, NULL, &e));
	e = (struct err){ 0 };
	assert_null(search_compile("(((a{1000}){1000}){1000}){1000}", 31, 0, NULL, &e));
	s = search_compile("a\0b", 3, 0, NULL, &e);
	assert_int_equal(search_line(s, "xa\0b", 4, 0, &m), SEARCH_HIT);
	search_free(s);
	free(big);
}

/* ---- runaways --------------------------------------------------------------------------------------------- */

struct hits {
	size_t lines[8];
	size_t n;
};

static bool note(void *ctx, size_t line, const struct match *m)
{
	struct hits *h = ctx;

	assert_true(m->start <= m->end);
	if (h->n < ARRAY_LEN(h->lines))
		h->lines[h->n] = line;
	h->n++;
	return true;
}

static void runaways_end_and_are_counted(void **state)
{
	(void)state;
	static const char *const patterns[] = { "^(a+)+$", "^(a|aa)+$", "(a*)*b$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*)*x{2}" };
	struct buf b = { 0 };

	for (int i = 0; i < 2000; i++)
		buf_addf(&b, "%.30s%s\n", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", i == 1500 ? "" : "b");
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		struct search *s = compiled(patterns[i], 0);
		struct search_sum sum = { 0 };
		struct hits h = { 0 };
		assert_int_equal(search_block(s, b.data, b.len, true, note, &h, &sum), b.len);
		assert_true(sum.lines <= 2000); /* fewer where a look at the whole block decides it */
		assert_int_equal(sum.hits, h.n);
		if (i == 0) {
			assert_int_equal(h.n, 1);
			assert_int_equal(h.lines[0], 1500 * 32);
			assert_int_equal(sum.undecided, 1999);
		}
		search_free(s);
	}
	buf_free(&b);
}

static void deep_recursion_ends(void **state)
{
	(void)state;
	char *line = xmalloc(100000);
	struct search *s = compiled("^(a(?1)?b|(x|a)*)+$", 0);
	struct match m;

	memset(line, 'a', 100000);
	assert_int_not_equal(search_line(s, line, 100000, 0, &m), SEARCH_HIT + 100);
	search_free(s);
	s = compiled("(?:.|\\w)*z", 0);
	search_line(s, line, 100000, 0, &m);
	search_free(s);
	free(line);
}

/* ---- blocks ------------------------------------------------------------------------------------------------- */

static void blocks(void **state)
{
	(void)state;
	static const char text[] = "one\r\ntwo\nthree\n\ntw";
	static const char *const patterns[] = { "t", "^t", "two$", "tw", "o" };
	static const size_t hits[] = { 2, 2, 1, 1, 2 }, all[] = { 3, 3, 1, 2, 2 };

	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		struct search *s = compiled(patterns[i], 0);
		struct search_sum sum = { 0 };
		struct hits h = { 0 };
		assert_int_equal(search_block(s, text, sizeof(text) - 1, false, note, &h, &sum), 16);
		assert_int_equal(h.n, hits[i]);
		h.n = 0;
		assert_int_equal(search_block(s, text, sizeof(text) - 1, true, note, &h, &sum), sizeof(text) - 1);
		assert_int_equal(h.n, all[i]);
		search_free(s);
	}
}

static bool stop(void *ctx, size_t line, const struct match *m)
{
	(void)m;
	*(size_t *)ctx = line;
	return false;
}

static void a_block_can_be_left(void **state)
{
	(void)state;
	static const char *const patterns[] = { "b", "b+" };

	for (size_t i = 0; i < 2; i++) {
		struct search *s = compiled(patterns[i], 0);
		struct search_sum sum = { 0 };
		size_t line = 0;
		assert_int_equal(search_block(s, "a\nab\nabb\n", 9, true, stop, &line, &sum), 5);
		assert_int_equal(line, 2);
		search_free(s);
	}
}

/* ---- ranges of a source ------------------------------------------------------------------------------------------ */

/* First (last) match that begins in [from, to), line by line, the plain way. */
static bool plainly(struct search *s, const char *t, int64_t n, int64_t from, int64_t to, bool back, struct range *hit)
{
	bool found = false;

	for (int64_t line = 0; line < n;) {
		const char *lf = memchr(t + line, '\n', (size_t)(n - line));
		int64_t end = lf ? lf - t : n, next = end + 1;
		struct match m = { 0 };
		while (end > line && t[end - 1] == '\r')
			end--;
		for (int64_t at = MAX(from - line, 0); at <= end - line; at = (int64_t)m.start + 1) {
			if (search_line(s, t + line, (size_t)(end - line), (size_t)at, &m) != SEARCH_HIT || line + (int64_t)m.start >= to)
				break;
			*hit = (struct range){ line + (int64_t)m.start, line + (int64_t)m.end };
			found = true;
			if (!back)
				return true;
		}
		line = next;
	}
	return found;
}

static void random_ranges(void **state)
{
	(void)state;
	static const char *const patterns[] = { "ab", "a.c", "^b", "c$", "A", "bca", "a*c", "x", "(b|c)a", "\\r" };

	for (int round = 0; round < 3000; round++) {
		struct buf b = { 0 };
		size_t n = draw(20) ? draw(200) : draw(200000);
		uint32_t every = 2 + draw(30);
		struct memory m;
		struct window *w;
		struct search *s = compiled(patterns[round % (int)ARRAY_LEN(patterns)], 0);
		struct range todo, hit = { 0 }, expected = { 0 };
		struct search_sum sum = { 0 };
		bool back = draw(2), found;
		int64_t budget = draw(2) ? 0 : 1 + draw(300);
		int calls = 0;

		for (size_t i = 0; i < n; i++) {
			uint32_t c = draw(every);
			buf_addc(&b, c == 0 ? '\n' : c == 1 && draw(3) == 0 ? '\r' : "abcAB"[draw(5)]);
		}
		m = (struct memory){ b.data ? b.data : "", b.len };
		w = window_new(bytes_of_memory(&m));
		todo.start = draw((uint32_t)n + 1);
		todo.end = todo.start + draw((uint32_t)(n - (size_t)todo.start) + 1);
		found = plainly(s, m.p, (int64_t)n, todo.start, todo.end, back, &expected);
		enum search_answer answer;
		while ((answer = search_range(s, w, &todo, back, budget, &hit, &sum)) == SEARCH_NONE && todo.start < todo.end)
			assert_true(++calls < 300000);
		if ((answer == SEARCH_HIT) != found || (found && (hit.start != expected.start || hit.end != expected.end)))
			fail_msg("round %d pattern %s back %d n %zu: %d %ld-%ld, expected %d %ld-%ld", round, patterns[round % 10],
			         back, n, answer, (long)hit.start, (long)hit.end, found, (long)expected.start, (long)expected.end);
		search_free(s);
		window_free(w);
		buf_free(&b);
	}
}

static void long_lines_go_in_pieces(void **state)
{
	(void)state;
	static const char *const patterns[] = { "needle", "NEEDLE", "need[l]e", "ne+dle\\b" };
	size_t n = 3 << 20;
	char *t = xmalloc(n);
	struct memory m = { t, n };
	struct window *w = window_new(bytes_of_memory(&m));

	for (int round = 0; round < 40; round++) {
		size_t at = round < 12 ? (size_t)SEARCH_LINE * (1 + (size_t)round / 4) - 3 : draw((uint32_t)n - 6);
		struct range todo = { 0, (int64_t)n }, hit = { 0 };
		struct search_sum sum = { 0 };
		struct search *s = compiled(patterns[round % 4], 0);
		memset(t, ' ', n);
		memcpy(t + at, round % 4 == 1 ? "NEEDLE" : "needle", 6);
		window_forget(w);
		assert_int_equal(search_range(s, w, &todo, round & 4, 0, &hit, &sum), SEARCH_HIT);
		assert_int_equal(hit.start, at);
		assert_int_equal(hit.end, at + 6);
		search_free(s);
	}
	struct range todo = { 0, (int64_t)n }, hit;
	struct search_sum sum = { 0 };
	struct search *s = compiled("^x|x$", 0);
	t[SEARCH_LINE] = t[SEARCH_LINE - 1] = t[2 * SEARCH_LINE - SEARCH_OVERLAP] = 'x'; /* no beginning, no end */
	window_forget(w);
	assert_int_equal(search_range(s, w, &todo, false, 0, &hit, &sum), SEARCH_NONE);
	assert_int_equal(sum.lines, 1);
	assert_int_equal(sum.pieces, 1);
	assert_int_equal(todo.start, todo.end);
	search_free(s);
	window_free(w);
	free(t);
}

struct made {
	int64_t reads;
};

static int64_t read_made(void *ctx, int64_t pos, void *buf, size_t n)
{
	struct made *m = ctx;

	m->reads += (int64_t)n;
	for (size_t i = 0; i < n; i++)
		((char *)buf)[i] = (pos + (int64_t)i) % 50 == 49 ? '\n' : 'a';
	return (int64_t)n;
}

static void a_budget_is_kept(void **state)
{
	(void)state;
	static const char *const patterns[] = { "b", "B", "[b]" };

	for (size_t i = 0; i < 6; i++) {
		struct made m = { 0 };
		struct window *w = window_new((struct bytes){ read_made, &m });
		struct search *s = compiled(patterns[i / 2], 0);
		struct range todo = { (int64_t)1 << 40, (int64_t)2 << 40 }, before = todo, hit;
		struct search_sum sum = { 0 };
		assert_int_equal(search_range(s, w, &todo, i % 2, 1 << 20, &hit, &sum), SEARCH_NONE);
		assert_in_range(m.reads, 1 << 19, 4 << 20);
		assert_in_range(todo.start - before.start + before.end - todo.end, 900 << 10, 2 << 20);
		search_free(s);
		window_free(w);
	}
}

/* What a whole block decides is what its lines say one by one, for patterns that are taken so and others. */
static void blocks_find_what_lines_do(void **state)
{
	static const char *const patterns[] = {
		"a+b", "^a", "b$", "[^b]*c", "a.c", "\\bab\\b", "(?:a|bc)+$", "a\\s*b", "\\Aab", "ab\\z", "a(?!b)", "(?<=b)a", "a\\s*+$",
		"(?>a*)b", "^$", "a?", "\\D+a", "a{2,}c", "[a-c]{3}\\W", "(a)\\1",
	};
	static const char letters[] = "aaabbc \n\n\r";
	uint64_t state_of = 7;

	(void)state;
	for (int round = 0; round < 400; round++) {
		struct buf text = { 0 };

		for (int i = 0; i < 60; i++) {
			state_of = state_of * 6364136223846793005u + 1442695040888963407u;
			buf_addc(&text, letters[(state_of >> 33) % (sizeof(letters) - 1 - (round % 2))]);
		}
		for (size_t k = 0; k < ARRAY_LEN(patterns); k++) {
			struct search *s = compiled(patterns[k], SEARCH_CASE);
			struct search_sum sum = { 0 };
			struct hits h = { 0 };
			struct match m;
			size_t n = 0;

			assert_int_equal(search_block(s, text.data, text.len, true, note, &h, &sum), text.len);
			for (size_t at = 0; at < text.len;) {
				const char *lf = memchr(text.data + at, '\n', text.len - at);
				size_t len = lf ? (size_t)(lf - text.data) - at : text.len - at, plain = len;
				while (plain && text.data[at + plain - 1] == '\r')
					plain--;
				if (search_line(s, text.data + at, plain, 0, &m) == SEARCH_HIT) {
					if (n < ARRAY_LEN(h.lines) && h.lines[n] != at)
						fail_msg("%s: line at %zu", patterns[k], at);
					n++;
				}
				at += len + 1;
			}
			if (h.n != n)
				fail_msg("%s: %zu lines by block, %zu one by one", patterns[k], h.n, n);
			search_free(s);
		}
		buf_free(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches_in_a_line),
		cmocka_unit_test(matches_one_after_the_other),
		cmocka_unit_test(kinds),
		cmocka_unit_test(bad_patterns_show_where),
		cmocka_unit_test(odd_patterns),
		cmocka_unit_test(runaways_end_and_are_counted),
		cmocka_unit_test(blocks_find_what_lines_do),
		cmocka_unit_test(deep_recursion_ends),
		cmocka_unit_test(blocks),
		cmocka_unit_test(a_block_can_be_left),
		cmocka_unit_test(random_ranges),
		cmocka_unit_test(long_lines_go_in_pieces),
		cmocka_unit_test(a_budget_is_kept),
	};

	seed = 20261130;
	return cmocka_run_group_tests_name("text/search", tests, NULL, NULL);
}
