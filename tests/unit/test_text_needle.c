/* needle.c and required.c: plain bytes in blocks, and those that every match of an expression holds. */
#include "text/needle.h"

#include "text/required.h"
#include "text/search.h"

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

/* ---- needles -------------------------------------------------------------------------------------------- */

static void finds_what_memmem_finds(void **state)
{
	(void)state;
	char *text = xmalloc(20000);

	for (int round = 0; round < 4000; round++) {
		size_t n = draw(4) ? 4096 + draw(9000) : draw(200), len = 1 + draw(draw(9) ? 6 : 5000);
		uint32_t letters = 1 + draw(5);
		struct needle nd;
		char *what = xmalloc(len);

		for (size_t i = 0; i < n; i++)
			text[i] = "ab\n\0c"[draw(letters)];
		for (size_t i = 0; i < len; i++)
			what[i] = "ab\n\0c"[draw(letters)];
		if (draw(2) && n >= len) /* at the border, too */
			memcpy(text + (draw(2) ? n - len : draw((uint32_t)(n - len) + 1)), what, len);
		needle_set(&nd, what, len);
		nd.wide = nd.wide && round % 2;
		const char *at = text;
		for (int i = 0; i < 20; i++) {
			const char *hit = needle_find(&nd, at, n - (size_t)(at - text)), *expected = memmem(at, n - (size_t)(at - text), what, len);
			assert_ptr_equal(hit, expected);
			if (!hit)
				break;
			at = hit + 1;
		}
		needle_clear(&nd);
		free(what);
	}
	free(text);
}

/* The bytes that were rare at first are everywhere later, with a needle that fits up to its last byte. */
static void data_that_turns_against_it(void **state)
{
	(void)state;
	size_t n = 4 << 20, len = 60000;
	char *text = xmalloc(n), *what = xmalloc(len);
	struct needle nd;

	memset(what, 'a', len);
	what[len / 2] = 'b';
	needle_set(&nd, what, len);
	memset(text, 'x', n);
	assert_null(needle_find(&nd, text, n));
	memset(text, 'a', n);
	for (size_t i = 0; i < n; i += len / 2 - 1)
		text[i] = 'b';
	assert_null(needle_find(&nd, text + 1, n - 1));
	memcpy(text + n - len, what, len);
	assert_ptr_equal(needle_find(&nd, text, n), text + n - len);
	needle_clear(&nd);
	free(text);
	free(what);
}

/* ---- what is required -------------------------------------------------------------------------------------- */

static void runs_of_expressions(void **state)
{
	(void)state;
	static const struct {
		const char *pattern;
		bool any_case;
		const char *runs; /* with / between them */
	} table[] = {
		{ "total [0-9]{3}\\.99 [A-Z]{3}", false, "total /.99 " },
		{ "total [0-9]{3}\\.99 x", true, " /.99 " },
		{ "abc", false, "abc" },
		{ "abc?d", false, "ab/d" },
		{ "abc*?d", false, "ab/d" },
		{ "abc+d", false, "abc/d" },
		{ "abc{2}d", false, "ab/d" },
		{ "caf\u00e9?s", false, "caf/s" },
		{ "caf\u00e9s", true, "" },
		{ "a(?:b|c)d", false, "a/d" },
		{ "a(b[)]c)?d", false, "a/d" },
		{ "a[]x]b[^]]c[[:alpha:]]d", false, "a/b/c/d" },
		{ "^a$b\\.c\\db\\bc", false, "a/b.c/b/c" },
		{ "x\\/y\\-z", false, "x/y-z" },
		/* what is not certain */
		{ "a|b", false, "" },
		{ "a{2}{0}b", false, "" },
		{ "a++{0}b", false, "" },
		{ "a{x", false, "" },
		{ "(?i)abc", false, "" },
		{ "a(?#x)b", false, "" },
		{ "(?=abc)a", false, "" },
		{ "\\Qa?b\\E", false, "" },
		{ "\\x41b", false, "" },
		{ "(*ACCEPT)abc", false, "" },
		{ "ab(c)\\1", false, "" },
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		struct run runs[8];
		char text[100];
		struct buf got = { 0 };
		size_t n = required_runs(table[i].pattern, strlen(table[i].pattern), table[i].any_case, text, runs, ARRAY_LEN(runs));

		for (size_t k = 0; k < n; k++)
			buf_addf(&got, "%s%.*s", k ? "/" : "", (int)runs[k].n, text + runs[k].at);
		if (strcmp(got.data ? got.data : "", table[i].runs) != 0)
			fail_msg("%s: %s, expected %s", table[i].pattern, got.data ? got.data : "", table[i].runs);
		buf_free(&got);
	}
}

/* Whatever expression PCRE2 takes: a line that it matches holds every run. */
static void no_match_lacks_a_run(void **state)
{
	(void)state;
	static const char *const parts[] = {
		"a", "b", "ab", "c", "\\.", ".", "a?", "b*", "c+", "b{2}", "a{0,2}", "{", "}", "[ab]", "[^b]", "[]c]", "(", ")", "(?:", "|", "^", "$",
		"\\b", "\\w", "?", "+", "*", "\u00e9", "\\\\", "[[:alpha:]]", "-", "(?i)", "\\Q", "\\E", "\\d", "1", "{1,2}", "(?=", "(?!", "\\K",
	};
	int matched = 0;

	for (int round = 0; round < 60000; round++) {
		char pattern[100] = "", text[100];
		struct run runs[8];
		bool any_case = draw(2);

		for (uint32_t k = 1 + draw(7); k > 0; k--)
			strcat(pattern, parts[draw(ARRAY_LEN(parts))]);
		struct search *s = search_compile(pattern, strlen(pattern), any_case ? SEARCH_NOCASE : SEARCH_CASE, NULL, NULL);
		if (!s)
			continue;
		size_t n = required_runs(pattern, strlen(pattern), any_case, text, runs, ARRAY_LEN(runs));
		for (int line = 0; n > 0 && line < 20; line++) {
			struct buf b = { 0 };
			struct match m;

			for (uint32_t k = draw(8); k > 0; k--)
				buf_adds(&b, parts[draw(ARRAY_LEN(parts))]);
			if (draw(2))
				buf_adds(&b, "aabbccABC.1-{}\\\u00e9");
			if (search_line(s, b.data, b.len, 0, &m) == SEARCH_HIT) {
				matched++;
				for (size_t k = 0; k < n; k++)
					if (!memmem(b.data, b.len, text + runs[k].at, runs[k].n))
						fail_msg("%s matches %s without %.*s", pattern, b.data, (int)runs[k].n, text + runs[k].at);
			}
			buf_free(&b);
		}
		search_free(s);
	}
	assert_true(matched > 1000);
}

/* ---- blocks by what is required ------------------------------------------------------------------------------ */

struct seen {
	size_t n;
	uint64_t sum;
};

static bool note(void *ctx, size_t line, const struct match *m)
{
	struct seen *s = ctx;

	s->n++;
	s->sum = s->sum * 31 + line * 7 + m->start;
	return true;
}

static void blocks_find_what_lines_do(void **state)
{
	(void)state;
	static const char *const patterns[] = { "aba[bc]", "c.*ab", "ab+\\.c", "^abcab.", "aac.$", "b\\.\\.b[^a]", "[a-c]ccc", "x[abc]" };
	size_t n = 100000;
	char *text = xmalloc(n);

	for (size_t round = 0; round < 5 * ARRAY_LEN(patterns); round++) {
		struct search *s = search_compile(patterns[round % ARRAY_LEN(patterns)], strlen(patterns[round % ARRAY_LEN(patterns)]), 0, NULL, NULL);
		struct search_sum sum = { 0 };
		struct seen whole = { 0 }, single = { 0 };

		for (size_t i = 0; i < n; i++)
			text[i] = draw(30) == 0 ? '\n' : draw(200) == 0 ? '\r' : "abc."[draw(4)];
		assert_int_equal(search_block(s, text, n, true, note, &whole, &sum), n);
		for (size_t at = 0; at < n;) {
			const char *lf = memchr(text + at, '\n', n - at);
			size_t len = lf ? (size_t)(lf - text) - at : n - at, bare = len;
			struct match m;

			while (bare && text[at + bare - 1] == '\r')
				bare--;
			if (search_line(s, text + at, bare, 0, &m) == SEARCH_HIT)
				note(&single, at, &m);
			at += len + 1;
		}
		assert_int_equal(whole.n, single.n);
		assert_true(whole.sum == single.sum);
		assert_int_equal(sum.hits, whole.n);
		search_free(s);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_memmem_finds),
		cmocka_unit_test(data_that_turns_against_it),
		cmocka_unit_test(runs_of_expressions),
		cmocka_unit_test(no_match_lacks_a_run),
		cmocka_unit_test(blocks_find_what_lines_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
