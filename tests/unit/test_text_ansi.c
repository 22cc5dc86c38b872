/* sgr.c, glyph.c, cells.c: recorded bytes as cells that can do no harm. */
#include "text/ansi.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text.h"

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static char shown[65536];

/* The glyphs as text. */
static const char *text_of(const struct glyph *g, size_t n)
{
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		memcpy(shown + len, g[i].bytes, g[i].n);
		len += g[i].n;
	}
	shown[len] = '\0';
	return shown;
}

static struct glyph glyphs[8192];
static size_t glyphs_n;

/* Lays out a whole line. */
static const char *show(const char *p, size_t n)
{
	struct cells_state s = { 0 };
	size_t used;

	glyphs_n = cells_put(&s, 0, p, n, false, 4096, glyphs, ARRAY_LEN(glyphs), &used);
	assert_int_equal(used, n);
	return text_of(glyphs, glyphs_n);
}

#define SHOW(s) show(s, sizeof(s) - 1)

static void everything_is_visible(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		size_t n;
		const char *text;
	} table[] = {
#define ROW(bytes, text) { bytes, sizeof(bytes) - 1, text }
		ROW("plain", "plain"),
		ROW("a\0b", "a^@b"),
		ROW("\001\037\177", "^A^_^?"),
		ROW("PASS\b\b\b\bFAIL", "PASS^H^H^H^HFAIL"),
		ROW("bell\a", "bell^G"),
		ROW("caf\xe9 cr", "caf\\xe9 cr"),
		ROW("\xe2\x82 then", "\\xe2\\x82 then"),
		ROW("\xc0\x80", "\\xc0\\x80"),
		ROW("\xed\xa0\x80", "\\xed\\xa0\\x80"),
		ROW("\xf5\x80\x80\x80 \xff\xfe", "\\xf5\\x80\\x80\\x80 \\xff\\xfe"),
		ROW("half \xf0\x9f\x98", "half \\xf0\\x9f\\x98"),
		ROW("\x9b" "31mred", "\\x9b31mred"),
		ROW("\xc2\x9b" "31mred", "<U+009B>31mred"),
		ROW("\u202ecba\u202c", "<U+202E>cba<U+202C>"),
		ROW("zero\u200bwidth\u200d", "zero<U+200B>width<U+200D>"),
		ROW("\ufeffBOM", "<U+FEFF>BOM"),
		ROW("soft\u00adhyphen", "soft<U+00AD>hyphen"),
		ROW("tag\U000e0041", "tag<U+E0041>"),
		ROW("e\u0301", "e\u0301"),
		ROW("\u0301e", "<U+0301>e"),
		ROW("\x01\u0301", "^A<U+0301>"),
		ROW("\u26a0\ufe0f!", "\u26a0!"),
		ROW("a\ufe0f!", "a<U+FE0F>!"),
		ROW("\u26a0\ufe0f\ufe0f!", "\u26a0<U+FE0F>!"),
		ROW("\U0001f44d\U0001f3fd", "\U0001f44d<U+1F3FD>"),
		ROW("\u6f22\u5b57", "\u6f22\u5b57"),
		ROW("\033]52;c;dGlja21hcms=\a", "^[]52;c;dGlja21hcms=^G"),
		ROW("\033]0;t\033\\x", "^[]0;t^[\\x"),
		ROW("\033[2J\033[H", "^[[2J^[[H"),
		ROW("\033[?1049h", "^[[?1049h"),
		ROW("\033[6n\033[c\033c", "^[[6n^[[c^[c"),
		ROW("\033(0lqqk\033(B", "^[(0lqqk^[(B"),
		ROW("\033Pq#\033_x", "^[Pq#^[_x"),
		ROW("\033[31", "^[[31"),
		ROW("\033[>4;1m\033[?4m", "^[[>4;1m^[[?4m"),
		ROW("\033[12m", "^[[12m"),
		ROW("\033[38;5m", "^[[38;5m"),
		ROW("\033[38;5;256m", "^[[38;5;256m"),
		ROW("\033[99999999999999999999m", "^[[99999999999999999999m"),
		ROW("\033[1;31mred\033[0m", "red"),
		ROW("\033", "^["),
		ROW("line\nend\r", "line^Jend^M"),
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		assert_string_equal(show(table[i].bytes, table[i].n), table[i].text);
}

static void kinds_and_places(void **state)
{
	(void)state;
	SHOW("a\0\t\xff\u6f22");
	assert_int_equal(glyphs_n, 1 + 2 + 5 + 4 + 1);
	assert_int_equal(glyphs[0].kind, GLYPH_TEXT);
	assert_int_equal(glyphs[1].kind, GLYPH_NUL);
	assert_int_equal(glyphs[2].at, 1);
	assert_int_equal(glyphs[3].kind, GLYPH_BLANK);
	assert_int_equal(glyphs[7].at, 2);
	assert_int_equal(glyphs[8].kind, GLYPH_ESCAPE);
	assert_int_equal(glyphs[11].len, 1);
	assert_int_equal(glyphs[12].width, 2);
	assert_int_equal(glyphs[12].len, 3);
	assert_int_equal(glyphs[12].at, 4);
	/* marks pile up to a bound; the others are shown */
	SHOW("x\u0301\u0302\u0303\u0304\u0305");
	assert_int_equal(glyphs_n, 1 + 8);
	assert_int_equal(glyphs[0].len, 9);
}

/* ---- styles ------------------------------------------------------------------------------------------ */

static void check_colour(struct colour c, int kind, int r, int g, int b)
{
	assert_int_equal(c.kind, kind);
	assert_int_equal(c.r, r);
	assert_int_equal(c.g, g);
	assert_int_equal(c.b, b);
}

static struct style style_behind(const char *sequence)
{
	struct cells_state s = { 0 };

	cells_styles(&s, sequence, strlen(sequence));
	return s.style;
}

static void colours(void **state)
{
	(void)state;
	check_colour(style_behind("\033[31m").fg, COLOUR_INDEX, 1, 0, 0);
	check_colour(style_behind("\033[97m").fg, COLOUR_INDEX, 15, 0, 0);
	check_colour(style_behind("\033[47m").bg, COLOUR_INDEX, 7, 0, 0);
	check_colour(style_behind("\033[100m").bg, COLOUR_INDEX, 8, 0, 0);
	check_colour(style_behind("\033[38;5;208m").fg, COLOUR_INDEX, 208, 0, 0);
	check_colour(style_behind("\033[48;2;1;2;3m").bg, COLOUR_RGB, 1, 2, 3);
	check_colour(style_behind("\033[38:5:9m").fg, COLOUR_INDEX, 9, 0, 0);
	check_colour(style_behind("\033[38:2:10:20:30m").fg, COLOUR_RGB, 10, 20, 30);
	check_colour(style_behind("\033[38:2::10:20:30m").fg, COLOUR_RGB, 10, 20, 30);
	check_colour(style_behind("\033[1;38;5;3;4m").fg, COLOUR_INDEX, 3, 0, 0);
	check_colour(style_behind("\033[31m\033[39m").fg, COLOUR_DEFAULT, 0, 0, 0);
	check_colour(style_behind("\033[41m\033[49m").bg, COLOUR_DEFAULT, 0, 0, 0);
	check_colour(style_behind("\033[58;5;1;32m").fg, COLOUR_INDEX, 2, 0, 0);
	/* one parameter that is not understood: nothing of it counts */
	check_colour(style_behind("\033[31;999m").fg, COLOUR_DEFAULT, 0, 0, 0);
}

static void attributes(void **state)
{
	(void)state;
	static const struct {
		const char *sequence;
		uint16_t attrs;
	} table[] = {
		{ "\033[1m", STYLE_BOLD },
		{ "\033[1;2;3;4;5;7;9m", STYLE_BOLD | STYLE_DIM | STYLE_ITALIC | STYLE_UNDERLINE | STYLE_BLINK | STYLE_REVERSE | STYLE_STRIKE },
		{ "\033[1;2m\033[22m", 0 },
		{ "\033[4:3m", STYLE_UNDERLINE },
		{ "\033[4m\033[4:0m", 0 },
		{ "\033[7m\033[27m", 0 },
		{ "\033[8m", STYLE_CONCEAL },
		{ "\033[8m\033[28m", 0 },
		{ "\033[1m\033[m", 0 },
		{ "\033[1m\033[;3m", STYLE_ITALIC },
		{ "\033[1m\033[0m", 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		assert_int_equal(style_behind(table[i].sequence).attrs, table[i].attrs);
}

static struct style drawn(const char *sequence)
{
	char line[200];

	snprintf(line, sizeof(line), "%sx", sequence);
	show(line, strlen(line));
	assert_int_equal(glyphs_n, 1);
	return glyphs[0].style;
}

static void nothing_is_hidden_by_colour(void **state)
{
	(void)state;
	struct style s;

	SHOW("\033[8mconcealed\033[0m");
	assert_int_equal(glyphs_n, 9);
	assert_int_equal(glyphs[0].style.attrs, STYLE_CONCEAL);
	assert_int_equal(drawn("\033[31;41m").bg.kind, COLOUR_DEFAULT);
	assert_int_equal(drawn("\033[38;2;10;10;10;48;2;20;20;20m").bg.kind, COLOUR_DEFAULT);
	assert_int_equal(drawn("\033[30;48;5;16m").bg.kind, COLOUR_DEFAULT);
	assert_int_equal(drawn("\033[31;44m").bg.kind, COLOUR_INDEX);
	/* black or white text on whatever the terminal's background is */
	assert_int_equal(drawn("\033[30m").fg.kind, COLOUR_DEFAULT);
	assert_int_equal(drawn("\033[97m").fg.kind, COLOUR_DEFAULT);
	assert_int_equal(drawn("\033[38;5;231m").fg.kind, COLOUR_DEFAULT);
	assert_int_equal(drawn("\033[31m").fg.kind, COLOUR_INDEX);
	assert_int_equal(drawn("\033[90m").fg.kind, COLOUR_INDEX);
	/* the terminal's own text on a set background */
	check_colour(drawn("\033[40m").fg, COLOUR_INDEX, 15, 0, 0);
	check_colour(drawn("\033[103m").fg, COLOUR_INDEX, 0, 0, 0);
	/* escapes are drawn in the theme's way */
	show("\033[31m\x01", 6);
	assert_int_equal(glyphs[0].style.fg.kind, COLOUR_DEFAULT);
	s = style_behind("\033[1;31m");
	assert_true(style_equal(&s, &s));
	assert_false(style_equal(&s, &(struct style){ 0 }));
}

/* ---- rows of cells ---------------------------------------------------------------------------------------- */

static void tabs_and_edges(void **state)
{
	(void)state;
	struct cells_state s = { 0 };
	struct glyph g[16];
	size_t used;

	assert_string_equal(SHOW("a\tb"), "a       b");
	assert_string_equal(SHOW("12345678\tb"), "12345678        b");
	/* a wide glyph that does not fit */
	assert_int_equal(cells_put(&s, 0, "ab\u6f22", 5, false, 3, g, 16, &used), 3);
	assert_int_equal(used, 2);
	assert_int_equal(g[2].kind, GLYPH_FILL);
	assert_int_equal(cells_put(&s, 2, "\u6f22", 3, false, 3, g, 16, &used), 1);
	assert_int_equal(used, 3);
	/* and never will */
	s = (struct cells_state){ 0 };
	assert_int_equal(cells_put(&s, 0, "\u6f22x", 4, false, 1, g, 16, &used), 1);
	assert_int_equal(g[0].kind, GLYPH_FILL);
	assert_int_equal(used, 3);
	/* a visible form goes over the edge */
	s = (struct cells_state){ 0 };
	assert_int_equal(cells_put(&s, 0, "\u202e!", 4, false, 5, g, 16, &used), 5);
	assert_string_equal(text_of(g, 5), "<U+20");
	assert_int_equal(used, 0);
	assert_int_equal(s.sub, 5);
	assert_int_equal(cells_put(&s, 0, "\u202e!", 4, false, 5, g, 16, &used), 4);
	assert_string_equal(text_of(g, 4), "2E>!");
	assert_int_equal(used, 4);
	/* styles at the end belong to the row that is full */
	s = (struct cells_state){ 0 };
	assert_int_equal(cells_put(&s, 0, "\033[31mab\033[0m", 11, false, 2, g, 16, &used), 2);
	assert_int_equal(used, 11);
	/* few glyphs */
	s = (struct cells_state){ 0 };
	assert_int_equal(cells_put(&s, 0, "abcdef", 6, false, 6, g, 2, &used), 2);
	assert_int_equal(used, 2);
}

static void unfinished_items_wait(void **state)
{
	(void)state;
	static const char *const whole[] = { "\u6f22", "e\u0301", "\033[38;5;208mx", "\U0001f600" };
	struct glyph g[16];
	size_t used;

	for (size_t i = 0; i < ARRAY_LEN(whole); i++)
		for (size_t n = 1; n < strlen(whole[i]); n++) {
			struct cells_state s = { 0 };
			assert_int_equal(cells_put(&s, 0, whole[i], n, true, 16, g, 16, &used), 0);
			assert_true(used < n || whole[i][0] == '\033');
		}
}

/* What random lines are made of. */
static size_t make(char *out, size_t max)
{
	static const char *const bits[] = {
		"a", "word ", "0123456789012345678901234567890123456789012345678901234567890123456789", "\t", "\u6f22",
		"e\u0301\u0302", "\u0301", "\U0001f600", "\u26a0\ufe0f", "\u202e", "\033[31m", "\033[0m", "\033[1;38;5;200;48;2;1;2;3m",
		"\033[", "\033", "\033]0;x", "\xff", "\xe2\x82", "\xf0\x9f\x98", "\xc2\x9b", "\001", "\177", "\r", "\u0600", "\u1161",
	};
	size_t n = 0;

	while (n < max) {
		const char *bit = bits[draw(ARRAY_LEN(bits))];
		size_t len = draw(12) ? strlen(bit) : 1;
		if (draw(12) == 0)
			out[n++] = (char)draw(256);
		else if (n + len <= max)
			memcpy(out + n, bit, len), n += len;
		else
			break;
	}
	return n;
}

/* No byte that acts on a terminal: valid UTF-8 without controls and hidden characters, of its width. */
static void check_glyph(const struct glyph *g)
{
	uint32_t c;
	int width = 0;

	assert_in_range(g->n, 1, GLYPH_BYTES);
	assert_in_range(g->width, 1, 2);
	for (size_t i = 0, len; i < g->n; i += len) {
		len = utf8_decode(g->bytes + i, g->n - i, &c);
		assert_true(len > 0);
		assert_false(utf8_is_control(c) || utf8_is_hidden(c));
		width += utf8_width(c);
		assert_true(i == 0 || utf8_width(c) == 0);
	}
	assert_int_equal(width, g->width);
}

static void random_bytes_are_harmless(void **state)
{
	(void)state;
	char line[3000];

	for (int round = 0; round < 4000; round++) {
		size_t n = make(line, draw(20) ? draw(100) : draw(sizeof(line))), used, at = 0;
		struct cells_state s = { 0 }, before;
		size_t cols = 1 + draw(draw(2) ? 10 : 200);
		int64_t covered = 0;

		while (at < n) {
			size_t got, cells = 0;
			before = s;
			got = cells_put(&s, (int64_t)at, line + at, n - at, false, cols, glyphs, ARRAY_LEN(glyphs), &used);
			assert_true(used > 0 || s.sub > before.sub);
			assert_true(used <= n - at);
			for (size_t i = 0; i < got; i++) {
				check_glyph(&glyphs[i]);
				cells += glyphs[i].width;
				if (glyphs[i].kind == GLYPH_FILL)
					continue;
				assert_in_range(glyphs[i].at, at, n - 1);
				assert_true(glyphs[i].at >= covered || glyphs[i].at + glyphs[i].len == covered);
				covered = glyphs[i].at + glyphs[i].len;
			}
			assert_true(cells <= cols);
			at += used;
		}
	}
}

/* In pieces of any size, and without output, the answer is the same. */
static void pieces_equal_the_whole(void **state)
{
	(void)state;
	static struct glyph parts[8192];
	char line[2000];

	for (int round = 0; round < 3000; round++) {
		size_t n = make(line, draw(sizeof(line))), used, at = 0, put = 0;
		struct cells_state whole = { 0 }, s = { 0 }, skipped = { 0 };
		int64_t taken, all = 0;

		glyphs_n = cells_put(&whole, 0, line, n, false, 100000, glyphs, ARRAY_LEN(glyphs), &used);
		assert_int_equal(used, n);
		while (at < n) { /* the end is told only once there is no more */
			size_t piece = CELLS_ITEM + draw(200);
			bool more = at + piece < n;
			put += cells_put(&s, (int64_t)at, line + at, more ? piece : n - at, more, 100000, parts + put,
			                 ARRAY_LEN(parts) - put, &used);
			assert_true(used > 0);
			at += used;
		}
		assert_int_equal(put, glyphs_n);
		for (size_t i = 0; i < put; i++) {
			assert_int_equal(parts[i].at, glyphs[i].at);
			assert_int_equal(parts[i].n, glyphs[i].n);
			assert_memory_equal(parts[i].bytes, glyphs[i].bytes, parts[i].n);
			assert_true(style_equal(&parts[i].style, &glyphs[i].style));
		}
		assert_int_equal(s.col, whole.col);
		for (at = 0; at < n;) {
			int64_t step = 1 + draw(50);
			at += cells_skip(&skipped, line + at, n - at, false, step, &taken);
			assert_true(taken == step || taken == step - 1 || at == n);
			all += taken;
			if (!taken && at < n) /* a wide glyph and one cell */
				at += cells_skip(&skipped, line + at, n - at, false, 2, &taken), all += taken;
		}
		assert_int_equal(all, whole.col);
		assert_int_equal(skipped.col, whole.col);
	}
}

static void short_texts(void **state)
{
	(void)state;
	struct glyph g[64];
	static const char name[] = "a\tb\nc\033[31md\u202e\u6f22";

	assert_string_equal(text_of(g, cells_text(name, sizeof(name) - 1, false, g, 64)), "a^Ib^Jc^[[31md<U+202E>\u6f22");
	assert_int_equal(cells_width(name, sizeof(name) - 1), 24);
	assert_string_equal(text_of(g, cells_text(name, sizeof(name) - 1, true, g, 64)), "a^Ib^Jcd<U+202E>\u6f22");
	assert_int_equal(cells_text(name, sizeof(name) - 1, false, g, 4), 4);
	assert_int_equal(cells_text("", 0, false, g, 4), 0);
	assert_int_equal(cells_width("e\u0301", 3), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_is_visible),
		cmocka_unit_test(kinds_and_places),
		cmocka_unit_test(colours),
		cmocka_unit_test(attributes),
		cmocka_unit_test(nothing_is_hidden_by_colour),
		cmocka_unit_test(tabs_and_edges),
		cmocka_unit_test(unfinished_items_wait),
		cmocka_unit_test(random_bytes_are_harmless),
		cmocka_unit_test(pieces_equal_the_whole),
		cmocka_unit_test(short_texts),
	};

	seed = 20261130;
	return cmocka_run_group_tests_name("text/ansi", tests, NULL, NULL);
}
