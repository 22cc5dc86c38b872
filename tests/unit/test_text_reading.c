/* What readers' lines become: sheets as CSV, pages as text, pictures; and lines that are none. */
#include "text/reading.h"
#include "text/picture.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct span lines(const char *s)
{
	return (struct span){ s, strlen(s) };
}

static void assert_sheet(const char *from, size_t part, bool formulas, const char *csv)
{
	struct reading_sheet s;
	struct err e = { 0 };

	assert_true(reading_sheet(lines(from), part, formulas, &s, &e));
	assert_string_equal(s.csv.data, csv);
	reading_sheet_free(&s);
}

static void cells_stand_where_they_belong(void **state)
{
	(void)state;
	assert_sheet("[\"A\"]\n[\"A\",1,1,\"x\",null,null]\n[\"A\",1,2,\"y\",null,null]\n", 0, false, "\"x\",\"y\"\n");
	/* gaps, in both directions, and out of order */
	assert_sheet("[\"A\"]\n[\"A\",3,2,\"late\",null,null]\n[\"A\",1,3,\"c\",null,null]\n", 0, false, "\"\",,\"c\"\n\"\"\n\"\",\"late\"\n");
	/* what is CSV's own */
	assert_sheet("[\"A\"]\n[\"A\",1,1,\"say \\\"a,b\\\"\\n\",null,null]\n", 0, false, "\"say \"\"a,b\"\"\n\"\n");
	/* a date is shown as one, a formula where formulas are asked for */
	const char *both = "[\"A\"]\n[\"A\",1,1,\"45000\",null,\"2023-03-15\"]\n[\"A\",1,2,\"3\",\"=1+2\",null]\n";
	assert_sheet(both, 0, false, "\"2023-03-15\",\"3\"\n");
	assert_sheet(both, 0, true, "\"2023-03-15\",\"=1+2\"\n");
	assert_sheet("[\"A\"]\n", 0, false, "\n");
}

static void sheets_are_told_apart(void **state)
{
	const char *two = "[\"A\"]\n[\"A\",1,1,\"a\",\"=B!A1\",null]\n[\"B\"]\n[\"B\",1,1,\"b\",null,null]\n{\"more\":true}\n";
	struct reading_sheet s;
	struct err e = { 0 };

	(void)state;
	assert_true(reading_sheet(lines(two), 1, false, &s, &e));
	assert_string_equal(s.name, "B");
	assert_int_equal(s.parts, 2);
	assert_int_equal(s.formulas, 0);
	assert_true(s.cut);
	reading_sheet_free(&s);
	assert_true(reading_sheet(lines(two), 99, false, &s, &e)); /* a part that is not there any more */
	assert_string_equal(s.name, "B");
	reading_sheet_free(&s);
	assert_true(reading_sheet(lines(two), 0, false, &s, &e));
	assert_int_equal(s.formulas, 1);
	reading_sheet_free(&s);
}

/* A cell too far out, a place taken twice, a place that is none. */
static void what_has_no_room_is_counted(void **state)
{
	const char *odd = "[\"A\"]\n[\"A\",1,1,\"a\",null,null]\n[\"A\",1,1,\"again\",null,null]\n[\"A\",4000000000,1,\"far\",null,null]\n"
	                  "[\"A\",2,16385,\"wide\",null,null]\n[\"A\",0,1,\"none\",null,null]\n";
	struct reading_sheet s;
	struct err e = { 0 };

	(void)state;
	assert_true(reading_sheet(lines(odd), 0, false, &s, &e));
	assert_string_equal(s.csv.data, "\"a\"\n");
	assert_int_equal(s.left_out, 4);
	reading_sheet_free(&s);
}

static void lines_that_are_none(void **state)
{
	static const char *const bad[] = { "", "[", "[\"A\",1,1,\"before any sheet\",null,null]\n", "[\"A\"]\n[\"A\",-1,1,\"x\",null,null]\n",
		"[\"A\"]\n[1]\n", "\x01\n", "{}\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct reading_sheet s;
		struct err e = { 0 };
		assert_false(reading_sheet(lines(bad[i]), 0, false, &s, &e));
		assert_true(e.code != ERR_NONE);
		reading_sheet_free(&s);
	}
}

static void pages_have_heads(void **state)
{
	struct reading_pages p;
	struct err e = { 0 };

	(void)state;
	assert_true(reading_pages(lines("[\"page 1\"]\n[\"page 1\",1,1,null,null,\"one\"]\n[\"page 1\",2,1,null,null,\"two\\nlines\"]\n"
	                                "[\"page 2\"]\n[\"page 2\",1,1,null,null,\"three\"]\n"), &p, &e));
	assert_string_equal(p.text.data, "[page 1]\none\ntwo\nlines\n[page 2]\nthree\n");
	assert_int_equal(p.n, 2);
	assert_int_equal(p.heads[0], 1);
	assert_int_equal(p.heads[1], 5);
	reading_pages_free(&p);
	assert_false(reading_pages(lines("nonsense"), &p, &e));
	reading_pages_free(&p);
}

static void images_become_pictures(void **state)
{
	struct reading_image facts;
	struct picture p = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_true(reading_image(lines("[\"frame 1\"]\n[\"frame 1\",1,1,null,null,\"ff0000ff00ff00ff\"]\n[\"frame 2\"]\n"
	                                "[\"frame 2\",1,1,null,null,\"000000ff\"]\n"), false, &facts, &p, &e));
	assert_int_equal(facts.width, 2);
	assert_int_equal(facts.height, 1);
	assert_int_equal(facts.frames, 2);
	assert_int_equal(p.rgb[0], 255);
	assert_int_equal(p.rgb[4], 255);
	picture_free(&p);
	assert_false(reading_image(lines("[\"frame 1\"]\n[\"frame 1\",1,1,null,null,\"ff\"]\n"), false, &facts, &p, &e));
	assert_false(reading_image(lines("\x89PNG\r\n\x1a\ncut"), true, &facts, &p, &e));
	assert_true(png_is(lines("\x89PNG\r\n\x1a\n")));
	assert_false(png_is(lines("\x89PNG")));
	assert_int_equal(reading_parts(lines("PK\3\4garbage"), "xlsx"), 0);
	assert_int_equal(reading_parts(lines(""), "pdf"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_stand_where_they_belong),
		cmocka_unit_test(sheets_are_told_apart),
		cmocka_unit_test(what_has_no_room_is_counted),
		cmocka_unit_test(lines_that_are_none),
		cmocka_unit_test(pages_have_heads),
		cmocka_unit_test(images_become_pictures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
