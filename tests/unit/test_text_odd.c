/* odd.c: characters that do not show what they are. */
#include "text/odd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void counted(void **state)
{
	static const struct {
		const char *text;
		int hidden, bidi, alike;
	} table[] = {
		{ "plain ascii, with (signs) and 123", 0, 0, 0 },
		{ "Zoë, naïve, Straße", 0, 0, 0 },
		{ "漢字 かな 한국어", 0, 0, 0 },
		{ "Привет, мир", 0, 0, 0 },
		{ "αβγ Δx σ_y 2π", 0, 0, 0 },
		{ "pаypal", 0, 0, 1 },           /* Cyrillic a */
		{ "аdmin", 0, 0, 1 },            /* at the beginning */
		{ "xΑ", 0, 0, 1 },               /* Greek capital alpha */
		{ "total_ѕum = сount", 0, 0, 2 },
		{ "ａbc", 0, 0, 1 },             /* wide a */
		{ "сор = 1", 0, 0, 3 },             /* a whole Cyrillic word that reads as a Latin one */
		{ "а = b", 0, 0, 1 },
		{ "а_1 = 2", 0, 0, 1 },
		{ "сор и жук", 0, 0, 0 },           /* among words of its own language */
		{ "жук\nсор = 1", 0, 0, 3 },        /* of another line */
		{ "сор = 1\nжук", 0, 0, 3 },
		{ "ρ = 2; ν = 3", 0, 0, 0 },             /* Greek letters, as who calculates writes them */
		{ "ΟΚ = 1", 0, 0, 2 },
		{ "ｔｏｔａｌ = 1", 0, 0, 5 },           /* wide letters */
		{ "漢字 ＡＢＣ", 0, 0, 0 },
		{ "user\u202e", 0, 1, 0 },
		{ "a\u2066b\u2069", 0, 2, 0 },
		{ "a\u200bb", 1, 0, 0 },
		{ "\ufeffimport x", 0, 0, 0 },   /* a byte order mark at the beginning … */
		{ "x\ufeffy", 1, 0, 0 },         /* … and elsewhere */
		{ "❤️ 👩‍💻", 0, 0, 0 },
		{ "a\u200db", 1, 0, 0 },
		{ "\xff\xfe plain \x80", 0, 0, 0 },
		{ "", 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		struct odd_sum sum = { 0 };

		odd_count(&sum, table[i].text, strlen(table[i].text));
		if (sum.hidden != table[i].hidden || sum.bidi != table[i].bidi || sum.alike != table[i].alike)
			fail_msg("%s: %d hidden, %d of direction, %d alike", table[i].text, (int)sum.hidden, (int)sum.bidi, (int)sum.alike);
	}
}

static void places(void **state)
{
	static const char text[] = "ok p\xd0\xb0y \xe2\x80\xae.";
	struct odd_span found[4];

	(void)state;
	assert_int_equal(odd_find(text, sizeof(text) - 1, found, 4), 2);
	assert_int_equal(found[0].start, 4);
	assert_int_equal(found[0].len, 2);
	assert_int_equal(found[0].kind, ODD_ALIKE);
	assert_int_equal(found[1].start, 8);
	assert_int_equal(found[1].kind, ODD_BIDI);
	assert_int_equal(odd_find(text, sizeof(text) - 1, found, 1), 1);
}

/* More than fit into one piece are all counted. */
static void many(void **state)
{
	struct buf text = { 0 };
	struct odd_sum sum = { 0 };

	(void)state;
	for (int i = 0; i < 5000; i++)
		buf_adds(&text, "a\u200bb ");
	odd_count(&sum, text.data, text.len);
	assert_int_equal(sum.hidden, 5000);
	buf_clear(&text);
	for (int i = 0; i < 1000; i++)
		buf_adds(&text, "о");
	buf_adds(&text, " жук a\u200bb");
	sum = (struct odd_sum){ 0 };
	odd_count(&sum, text.data, text.len);
	assert_int_equal(sum.hidden, 1); /* what was taken back hides nothing behind it */
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(counted), cmocka_unit_test(places), cmocka_unit_test(many) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
