/* utf8.c: every encoding by rule, every code point once. */
#include "text.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* By the definition of RFC 3629, independently of the decoder. */
static size_t encode(uint32_t cp, unsigned char out[4])
{
	if (cp < 0x80) {
		out[0] = (unsigned char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (unsigned char)(0xC0 | cp >> 6);
		out[1] = (unsigned char)(0x80 | (cp & 63));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (unsigned char)(0xE0 | cp >> 12);
		out[1] = (unsigned char)(0x80 | (cp >> 6 & 63));
		out[2] = (unsigned char)(0x80 | (cp & 63));
		return 3;
	}
	out[0] = (unsigned char)(0xF0 | cp >> 18);
	out[1] = (unsigned char)(0x80 | (cp >> 12 & 63));
	out[2] = (unsigned char)(0x80 | (cp >> 6 & 63));
	out[3] = (unsigned char)(0x80 | (cp & 63));
	return 4;
}

static void every_code_point_decodes(void **state)
{
	(void)state;
	for (uint32_t cp = 0; cp < 0x110000; cp++) {
		unsigned char bytes[4];
		uint32_t got = 0xFFFFFFFF;
		size_t len = encode(cp, bytes);
		bool surrogate = cp >= 0xD800 && cp < 0xE000;
		size_t decoded = utf8_decode(bytes, len, &got);
		if (decoded != (surrogate ? 0 : len) || (!surrogate && got != cp))
			fail_msg("U+%04X: %zu bytes, U+%04X", cp, decoded, got);
		for (size_t cut = 0; cut < len; cut++)
			if (utf8_decode(bytes, cut, &got) != 0)
				fail_msg("U+%04X cut to %zu", cp, cut);
	}
}

/* All four-byte beginnings of a class each: what decodes is exactly what encode() makes. */
static void nothing_else_decodes(void **state)
{
	static const unsigned char seconds[] = { 0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF };

	(void)state;
	for (unsigned lead = 0; lead < 256; lead++) {
		for (size_t i = 0; i < 1000; i++) {
			unsigned char in[4] = { (unsigned char)lead, seconds[i % 10], seconds[i / 10 % 10],
			                        seconds[i / 100] };
			unsigned char again[4];
			uint32_t cp = 0xFFFFFFFF;
			size_t len = utf8_decode(in, 4, &cp);
			if (len == 0)
				assert_int_equal(cp, 0xFFFFFFFF);
			else if (encode(cp, again) != len || memcmp(in, again, len) != 0)
				fail_msg("%02x %02x %02x %02x", in[0], in[1], in[2], in[3]);
		}
	}
}

static void validity(void **state)
{
	static const char *const good[] = { "", "abc", "caf\xC3\xA9", "\xE2\x82\xAC\xF0\x9F\x98\x80", "\x7F\n" };
	static const char *const bad[] = {
		"\x80", "a\xFF", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
		"\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3", "\xE2\x82", "\xF0\x9F\x98", "\xC3\xA9\xC3", "\xFE",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		assert_true(utf8_valid(good[i], strlen(good[i])));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(utf8_valid(bad[i], strlen(bad[i])));
	assert_true(utf8_valid("a\0b", 3));
	assert_true(utf8_valid(NULL, 0));
}

static void widths(void **state)
{
	static const struct {
		uint32_t cp;
		int width;
	} cases[] = {
		{ 0, -1 },       { '\n', -1 },    { 0x1B, -1 },    { 0x7F, -1 },    { 0x9B, -1 },    { ' ', 1 },
		{ 'a', 1 },      { 0xE9, 1 },     { 0xAD, 0 },     { 0x301, 0 },    { 0x200B, 0 },   { 0x202E, 0 },
		{ 0xFEFF, 0 },   { 0x1100, 2 },   { 0x1161, 0 },   { 0x3042, 2 },   { 0x4E00, 2 },   { 0x8868, 2 },
		{ 0xAC00, 2 },   { 0xFF21, 2 },   { 0xFF71, 1 },   { 0x1F600, 2 },  { 0x2705, 2 },   { 0x2714, 1 },
		{ 0x20000, 2 },  { 0x2500, 1 },   { 0xE000, 1 },   { 0x0905, 1 },   { 0x0941, 0 },   { 0x0E31, 0 },
		{ 0x10FFFD, 1 }, { 0xFE0F, 0 },   { 0x1F1E6, 1 },  { 0x0600, 1 },   { 0x303F, 1 },   { 0xE0041, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (utf8_width(cases[i].cp) != cases[i].width)
			fail_msg("U+%04X: %d", cases[i].cp, utf8_width(cases[i].cp));
}

/* The tables are searched by halves: out of order they would lose entries without a sign. */
static void properties_hold_everywhere(void **state)
{
	size_t zero = 0, two = 0, hidden = 0, composing = 0, spaces = 0;

	(void)state;
	for (uint32_t cp = 0; cp < 0x110000; cp++) {
		int width = utf8_width(cp);
		assert_int_equal(width < 0, utf8_is_control(cp));
		if (utf8_is_hidden(cp) && width != 0 && (cp & 0xFFFE) != 0xFFFE && (cp < 0xFDD0 || cp > 0xFDEF))
			fail_msg("U+%04X is hidden and %d wide", cp, width);
		if (cp < 0x80)
			assert_false(utf8_is_hidden(cp) || utf8_is_composing(cp) || utf8_is_odd_space(cp));
		zero += width == 0;
		two += width == 2;
		hidden += utf8_is_hidden(cp);
		composing += utf8_is_composing(cp);
		spaces += utf8_is_odd_space(cp);
	}
	/* counted once from the same tables by a linear search */
	assert_int_equal(zero, 10934);
	assert_int_equal(two, 191846);
	assert_int_equal(hidden, 4254);
	assert_int_equal(composing, 521);
	assert_int_equal(spaces, 17);
}

static void what_deceives_is_known(void **state)
{
	static const uint32_t hidden[] = {
		0xAD, 0x34F, 0x61C, 0x115F, 0x180E, 0x200B, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E,
		0x2060, 0x2066, 0x2069, 0x3164, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF9, 0xFFFE, 0xFFFF, 0xFDD0, 0x1D173,
		0xE0001, 0xE0041, 0xE0100, 0x1FFFE, 0x10FFFF,
	};
	static const uint32_t shown[] = { 'a', 0xE9, 0x301, 0x600, 0x905, 0x200A, 0x4E00, 0x1F600, 0xE000, 0xFFFD };
	static const uint32_t spaces[] = { 0xA0, 0x1680, 0x2003, 0x202F, 0x205F, 0x2800, 0x3000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
		if (!utf8_is_hidden(hidden[i]))
			fail_msg("U+%04X", hidden[i]);
	for (size_t i = 0; i < ARRAY_LEN(shown); i++)
		if (utf8_is_hidden(shown[i]))
			fail_msg("U+%04X", shown[i]);
	for (size_t i = 0; i < ARRAY_LEN(spaces); i++)
		assert_true(utf8_is_odd_space(spaces[i]));
	assert_false(utf8_is_odd_space(' '));
	assert_true(utf8_is_composing(0x301) && utf8_is_composing(0x3099) && utf8_is_composing(0x1161));
	assert_false(utf8_is_composing(0xE9) || utf8_is_composing(0x0941) || utf8_is_composing(0x0E31));
}

static void columns(void **state)
{
	static const struct {
		const char *text;
		size_t cols;
	} cases[] = {
		{ "", 0 }, { "abc", 3 }, { "caf\xC3\xA9", 4 }, { "cafe\xCC\x81", 4 }, { "\xE8\xA1\xA8\xF0\x9F\x98\x80", 4 },
		{ "a\xFFz", 3 }, { "\xE8\xA1", 2 }, { "\xE2\x80\x8B", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(utf8_cols(cases[i].text, strlen(cases[i].text)), cases[i].cols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_point_decodes),
		cmocka_unit_test(nothing_else_decodes),
		cmocka_unit_test(validity),
		cmocka_unit_test(widths),
		cmocka_unit_test(properties_hold_everywhere),
		cmocka_unit_test(what_deceives_is_known),
		cmocka_unit_test(columns),
	};
	return cmocka_run_group_tests_name("text/utf8", tests, NULL, NULL);
}
