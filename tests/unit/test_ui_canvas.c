/* ui/canvas.c: cells, borders, wide glyphs, dumps; ui/theme.c: what a pen comes to. */
#include "ui/canvas.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "ui/theme.h"

#include <cmocka.h>

static void assert_dump(const struct canvas *c, const char *expect)
{
	struct buf out = { 0 };

	canvas_dump_text(c, &out);
	assert_string_equal(out.data, expect);
	buf_free(&out);
}

static void text_is_clipped(void **state)
{
	struct canvas *c = canvas_new(6, 2);
	struct rect all = canvas_area(c);

	(void)state;
	assert_int_equal(canvas_text(c, all, 0, 0, PEN(ROLE_NORMAL), "abcdefgh"), 8);
	assert_int_equal(canvas_text(c, (struct rect){ 1, 1, 3, 1 }, 0, 1, PEN(ROLE_NORMAL), "abcdefgh"), 8);
	canvas_text(c, all, 0, 7, PEN(ROLE_NORMAL), "outside");
	canvas_text(c, all, -3, 0, PEN(ROLE_NORMAL), "abcX");
	assert_dump(c, "Xbcdef\n bcd\n");
	canvas_free(c);
}

static void wide_glyphs_keep_borders(void **state)
{
	struct canvas *c = canvas_new(6, 1);
	struct rect all = canvas_area(c);

	(void)state;
	/* does not fit before the edge: a filler */
	canvas_text(c, (struct rect){ 0, 0, 5, 1 }, 0, 0, PEN(ROLE_NORMAL), "a漢漢漢");
	assert_dump(c, "a漢漢\n");
	canvas_clear(c);
	canvas_text(c, (struct rect){ 0, 0, 4, 1 }, 0, 0, PEN(ROLE_NORMAL), "a漢漢|");
	canvas_text(c, all, 4, 0, PEN(ROLE_NORMAL), "|");
	assert_dump(c, "a漢 |\n");
	/* overwriting either half leaves no half */
	canvas_text(c, all, 1, 0, PEN(ROLE_NORMAL), "x");
	assert_dump(c, "ax  |\n");
	canvas_clear(c);
	canvas_text(c, all, 0, 0, PEN(ROLE_NORMAL), "漢");
	canvas_text(c, all, 1, 0, PEN(ROLE_NORMAL), "x");
	assert_dump(c, " x\n");
	canvas_clear(c);
	canvas_text(c, all, 0, 0, PEN(ROLE_NORMAL), "漢漢");
	canvas_text(c, all, 1, 0, PEN(ROLE_NORMAL), "漢");
	assert_dump(c, " 漢\n");
	canvas_free(c);
}

/* Nothing that could act on a terminal is ever in a cell. */
static void control_bytes_are_visible(void **state)
{
	struct canvas *c = canvas_new(40, 1);
	static const char hostile[] = "a\x1b[31mb\x07\xff\xc2\x9b\xe2\x80\xae" "c";
	const struct cell *row;

	(void)state;
	canvas_bytes(c, canvas_area(c), 0, 0, PEN(ROLE_NORMAL), hostile, sizeof(hostile) - 1);
	row = canvas_row(c, 0);
	for (int x = 0; x < 40; x++)
		for (int i = 0; i < row[x].len; i++)
			assert_true((unsigned char)row[x].bytes[i] >= 0x20 && row[x].bytes[i] != 0x7F);
	assert_int_equal(row[0].pen.role, ROLE_NORMAL);
	assert_int_equal(row[1].pen.role, ROLE_CONTROL);
	assert_dump(c, "a^[[31mb^G\\xff<U+009B><U+202E>c\n");
	canvas_free(c);
}

static void fitting(void **state)
{
	struct canvas *c = canvas_new(8, 1);
	struct rect all = canvas_area(c);

	(void)state;
	assert_int_equal(canvas_fit(c, all, 0, 0, 5, PEN(ROLE_NORMAL), "abcde"), 5);
	assert_dump(c, "abcde\n");
	canvas_clear(c);
	assert_int_equal(canvas_fit(c, all, 0, 0, 4, PEN(ROLE_NORMAL), "abcde"), 4);
	assert_dump(c, "abc…\n");
	canvas_clear(c);
	assert_int_equal(canvas_fit(c, all, 0, 0, 4, PEN(ROLE_NORMAL), "a漢漢"), 4);
	assert_dump(c, "a漢…\n");
	canvas_clear(c);
	assert_int_equal(canvas_fit(c, all, 0, 0, 0, PEN(ROLE_NORMAL), "abc"), 0);
	assert_int_equal(canvas_measure(c, "a漢\x01"), 5);
	canvas_free(c);
}

static void boxes(void **state)
{
	struct canvas *c = canvas_new(5, 3);

	(void)state;
	canvas_box(c, canvas_area(c), PEN(ROLE_BORDER));
	assert_dump(c, "┌───┐\n│   │\n└───┘\n");
	canvas_set_ascii(c, true);
	canvas_clear(c);
	canvas_box(c, canvas_area(c), PEN(ROLE_BORDER));
	assert_dump(c, "+---+\n|   |\n+---+\n");
	canvas_clear(c);
	canvas_box(c, (struct rect){ 0, 0, 1, 1 }, PEN(ROLE_BORDER));
	canvas_box(c, (struct rect){ -3, -3, 20, 20 }, PEN(ROLE_BORDER));
	assert_dump(c, "\n\n\n");
	canvas_free(c);
}

static void ascii_escapes(void **state)
{
	struct canvas *c = canvas_new(20, 1);

	(void)state;
	canvas_set_ascii(c, true);
	canvas_text(c, canvas_area(c), 0, 0, PEN(ROLE_NORMAL), "é▸漢");
	assert_dump(c, "<U+00E9>><U+6F22>\n");
	canvas_clear(c);
	canvas_put(c, canvas_area(c), 0, 0, "漢", 3, 2, PEN(ROLE_NORMAL));
	canvas_text(c, canvas_area(c), 2, 0, PEN(ROLE_NORMAL), "|");
	assert_dump(c, "? |\n");
	canvas_free(c);
}

static void style_dump(void **state)
{
	struct canvas *c = canvas_new(4, 1);
	struct buf out = { 0 };
	struct pen pen = PEN(ROLE_BAD);

	(void)state;
	pen.fg = (struct colour){ COLOUR_RGB, 1, 2, 255 };
	canvas_text(c, canvas_area(c), 1, 0, pen, "x");
	canvas_flag(c, (struct rect){ 2, 0, 9, 9 }, PEN_SELECTED);
	canvas_dump_style(c, &out);
	assert_string_equal(out.data, ".abb\na bad fg #0102ff\nb normal selected\n");
	buf_free(&out);
	canvas_free(c);
}

static void tiny(void **state)
{
	struct canvas *c = canvas_new(0, -5);

	(void)state;
	canvas_text(c, canvas_area(c), 0, 0, PEN(ROLE_NORMAL), "漢");
	canvas_cursor(c, 5, 5);
	int x, y;
	canvas_cursor_get(c, &x, &y);
	assert_int_equal(x, -1);
	canvas_resize(c, 2, 1);
	canvas_text(c, canvas_area(c), 0, 0, PEN(ROLE_NORMAL), "漢");
	assert_dump(c, "漢\n");
	canvas_free(c);
}

static void theme_lays_over(void **state)
{
	struct err e = { 0 };
	struct theme *t = theme_parse("bad = red bold\nselected = on 153 # comment\nhit = underline\n", "t", &e);
	struct pen pen = PEN(ROLE_BAD);
	struct look look;

	(void)state;
	assert_non_null(t);
	pen.flags = PEN_SELECTED | PEN_HIT;
	look = theme_look(t, pen, true);
	assert_int_equal(look.fg.kind, COLOUR_INDEX);
	assert_int_equal(look.fg.r, 1);
	assert_int_equal(look.bg.r, 153);
	assert_int_equal(look.attrs, STYLE_BOLD | STYLE_UNDERLINE);
	look = theme_look(t, pen, false);
	assert_int_equal(look.fg.kind, COLOUR_DEFAULT);
	assert_int_equal(look.attrs, STYLE_BOLD | STYLE_UNDERLINE);
	theme_free(t);
}

static void theme_faults(void **state)
{
	static const char *const bad[][2] = {
		{ "nosuch = red\n", "t:1: there is no role 'nosuch'" },
		{ "\nbad = rot\n", "t:2: 'rot' is no colour or attribute" },
		{ "bad red\n", "t:1: expected 'role = look'" },
		{ "bad = 256\n", "t:1: '256' is no colour or attribute" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e = { 0 };
		assert_null(theme_parse(bad[i][0], "t", &e));
		assert_string_equal(e.msg, bad[i][1]);
	}
	struct theme *t = theme_default();
	assert_non_null(t);
	theme_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_clipped), cmocka_unit_test(wide_glyphs_keep_borders),
		cmocka_unit_test(control_bytes_are_visible), cmocka_unit_test(fitting), cmocka_unit_test(boxes),
		cmocka_unit_test(ascii_escapes), cmocka_unit_test(style_dump), cmocka_unit_test(tiny),
		cmocka_unit_test(theme_lays_over), cmocka_unit_test(theme_faults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
