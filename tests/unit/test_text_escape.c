/* escape.c: nothing that acts on a terminal comes out, names stay apart and come back. */
#include "text.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_text(const char *in, size_t n, int keep, const char *expect)
{
	struct buf b = { 0 };

	escape_text(&b, in, n, keep);
	assert_string_equal(b.data ? b.data : "", expect);
	buf_free(&b);
}

static void text_is_made_visible(void **state)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "plain text, 100 %", "plain text, 100 %" },
		{ "caf\xC3\xA9 \xE8\xA1\xA8 \xF0\x9F\x98\x80", "caf\xC3\xA9 \xE8\xA1\xA8 \xF0\x9F\x98\x80" },
		{ "cafe\xCC\x81", "cafe\xCC\x81" },
		{ "back\\slash", "back\\slash" },
		{ "\033[31mred\033[0m", "^[[31mred^[[0m" },
		{ "\033]52;c;dGlj\007", "^[]52;c;dGlj^G" },
		{ "PASS\b\b\b\bFAIL", "PASS^H^H^H^HFAIL" },
		{ "total 1,000\rtotal 9", "total 1,000^Mtotal 9" },
		{ "a\nb\tc", "a^Jb^Ic" },
		{ "\x01\x1F\x7F", "^A^_^?" },
		{ "\xC2\x9B" "31m", "<U+009B>31m" },
		{ "\x9B" "31m", "\\x9b31m" },
		{ "\xC2\x85", "<U+0085>" },
		{ "abc\xE2\x80\xAEtxt.exe", "abc<U+202E>txt.exe" },
		{ "a\xE2\x80\x8B" "b\xEF\xBB\xBF", "a<U+200B>b<U+FEFF>" },
		{ "\xF3\xA0\x81\x81", "<U+E0041>" },
		{ "\xEF\xBF\xBF", "<U+FFFF>" },
		{ "\xE8\xA1", "\\xe8\\xa1" },
		{ "\xC0\x80\xED\xA0\x80", "\\xc0\\x80\\xed\\xa0\\x80" },
		{ "\xC2\xA0", "\xC2\xA0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_text(cases[i][0], strlen(cases[i][0]), ESCAPE_ALL, cases[i][1]);
		char *owned = escape_text_dup(cases[i][0]);
		assert_string_equal(owned, cases[i][1]);
		free(owned);
	}
	assert_text("a\0b", 3, ESCAPE_ALL, "a^@b");
	assert_text(NULL, 0, ESCAPE_ALL, "");
}

static void newline_and_tab_can_stay(void **state)
{
	(void)state;
	assert_text("a\n\tb\r\n", 6, ESCAPE_NEWLINE, "a\n^Ib^M\n");
	assert_text("a\n\tb\r\n", 6, ESCAPE_TAB, "a^J\tb^M^J");
	assert_text("a\n\tb\r\n", 6, ESCAPE_NEWLINE | ESCAPE_TAB, "a\n\tb^M\n");
}

/* What comes out is UTF-8 without any control or hidden character but those that were to stay. */
static void assert_harmless(const struct buf *b, int keep)
{
	const char *p = b->data;
	uint32_t cp;

	for (size_t len, n = b->len; n > 0; p += len, n -= len) {
		len = utf8_decode(p, n, &cp);
		if (len == 0)
			fail_msg("bad UTF-8 came out");
		bool kept = (cp == '\n' && (keep & ESCAPE_NEWLINE)) || (cp == '\t' && (keep & ESCAPE_TAB));
		if (!kept && (utf8_is_control(cp) || utf8_is_hidden(cp)))
			fail_msg("U+%04X came out", cp);
	}
}

/* xorshift, so that a failure is the same everywhere. */
static uint32_t next_random(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

/* Bytes that often make up valid, hidden and broken sequences. */
static size_t hostile_bytes(uint32_t *seed, char *out, size_t max)
{
	static const char *const pieces[] = {
		"a", "\\", " ", "\n", "\033[", "\xC2\x9B", "\x9B", "\xE2\x80\xAE", "\xE2\x80", "\xF3\xA0\x81\x81", "\xCC\x81",
		"\xC3\xA9", "\xFF", "\x7F", "\t", "\r", "\\x41", "\\u202e", "x41", "u0041", "\xC2\xA0", "\xE8\xA1\xA8", "\xEF\xBF\xBE",
	};
	size_t n = 0;

	for (size_t count = next_random(seed) % 8; count > 0; count--) {
		const char *piece = pieces[next_random(seed) % ARRAY_LEN(pieces)];
		char odd[2] = { (char)(1 + next_random(seed) % 255), '\0' };
		if (next_random(seed) % 4 == 0)
			piece = odd;
		if (n + strlen(piece) >= max)
			break;
		memcpy(out + n, piece, strlen(piece));
		n += strlen(piece);
	}
	out[n] = '\0';
	return n;
}

static void hostile_text_is_harmless(void **state)
{
	uint32_t seed = 20261130;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char in[64];
		struct buf b = { 0 };
		size_t n = hostile_bytes(&seed, in, sizeof(in));
		escape_text(&b, in, n, i % 4);
		assert_harmless(&b, i % 4);
		buf_free(&b);
	}
}

static void names_are_one_word(void **state)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "plain.csv", "plain.csv" },
		{ "two words .csv", "two words .csv" },
		{ " leading space.csv", "\\x20leading space.csv" },
		{ "trailing ", "trailing\\x20" },
		{ " ", "\\x20" },
		{ "  ", "\\x20\\x20" },
		{ "-rf.csv", "-rf.csv" },
		{ "new\nline.csv", "new\\nline.csv" },
		{ "tab\there.csv", "tab\\there.csv" },
		{ "CR\rhidden.csv", "CR\\rhidden.csv" },
		{ "back\\slash.csv", "back\\\\slash.csv" },
		{ "latin-\xE9.csv", "latin-\\xe9.csv" },
		{ "esc-\033]0;t\007-name", "esc-\\x1b]0;t\\x07-name" },
		{ "del\x7F", "del\\x7f" },
		{ "\xC2\x9B", "\\u009b" },
		{ "caf\xC3\xA9.csv", "caf\xC3\xA9.csv" },
		{ "cafe\xCC\x81.csv", "cafe\\u0301.csv" },
		{ "\xE8\xA1\xA8\xF0\x9F\x98\x80.csv", "\xE8\xA1\xA8\xF0\x9F\x98\x80.csv" },
		{ "abc\xE2\x80\xAEtxt.exe", "abc\\u202etxt.exe" },
		{ "\xF3\xA0\x81\x81", "\\U000e0041" },
		{ "a\xC2\xA0" "b", "a\\u00a0b" },
		{ "%s%n", "%s%n" },
		{ "<U+202E>", "<U+202E>" },
		{ "dir/with space/f", "dir/with space/f" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf back = { 0 };
		char *got = escape_name_dup(cases[i][0]);
		assert_string_equal(got, cases[i][1]);
		assert_true(escape_name_undo(got, &back));
		assert_string_equal(back.data, cases[i][0]);
		buf_free(&back);
		free(got);
	}
	struct buf b = { 0 };
	escape_name(&b, "a\0b", 3);
	assert_string_equal(b.data, "a\\x00b");
	escape_name(&b, NULL, 0);
	assert_string_equal(b.data, "a\\x00b");
	buf_free(&b);
}

static void hostile_names_come_back(void **state)
{
	uint32_t seed = 20261130;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char in[64];
		struct buf b = { 0 }, back = { 0 };
		size_t n = hostile_bytes(&seed, in, sizeof(in));
		buf_adds(&b, "");
		escape_name(&b, in, n);
		assert_harmless(&b, ESCAPE_ALL);
		if (!escape_name_undo(b.data, &back))
			fail_msg("%s does not come back", b.data);
		assert_string_equal(back.data, in);
		buf_free(&b);
		buf_free(&back);
	}
}

static void typed_names(void **state)
{
	static const char *const good[][2] = {
		{ "\\x41\\u00e9\\U0001f600", "A\xC3\xA9\xF0\x9F\x98\x80" },
		{ "\\XE9", NULL },
		{ "\\xE9\\xe9", "\xE9\xE9" },
		{ "\\u0041\\U00000041", "AA" },
		{ "\\u07ff\\u0800\\uffff", "\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF" },
		{ "\\U0010ffff", "\xF4\x8F\xBF\xBF" },
	};
	static const char *const bad[] = {
		"\\", "a\\", "\\x", "\\x4", "\\x4g", "\\xg4", "\\u004", "\\U0010fff", "\\q", "\\ ", "\\x00", "\\u0000",
		"\\ud800", "\\udfff", "\\U00110000", "\\Uffffffff", "\\x\x14\x15", "\\x@1", "\\x\x11\x11", "\\N", "\\'",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct buf b = { 0 };
		assert_int_equal(escape_name_undo(good[i][0], &b), good[i][1] != NULL);
		if (good[i][1])
			assert_string_equal(b.data, good[i][1]);
		buf_free(&b);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct buf b = { 0 };
		buf_adds(&b, "kept");
		if (escape_name_undo(bad[i], &b))
			fail_msg("'%s' was taken", bad[i]);
		assert_string_equal(b.data, "kept");
		buf_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_made_visible),
		cmocka_unit_test(newline_and_tab_can_stay),
		cmocka_unit_test(hostile_text_is_harmless),
		cmocka_unit_test(names_are_one_word),
		cmocka_unit_test(hostile_names_come_back),
		cmocka_unit_test(typed_names),
	};
	return cmocka_run_group_tests_name("text/escape", tests, NULL, NULL);
}
