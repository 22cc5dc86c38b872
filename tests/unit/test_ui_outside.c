/* ui/outside.c: which files programs outside may open, and under what name. */
#include "ui/outside.h"

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

static const struct {
	const char *name, *head;
	const char *ending; /* NULL: not opened */
} cases[] = {
	{ "a.csv", "a,b\n1,2\n", "" },
	{ "A.CSV", "a,b\n", "" },
	{ "p.png", "\x89PNG\r\n\x1a\n", "" },
	{ "p.txt", "\x89PNG\r\n\x1a\n", ".png" },
	{ "photo", "\xff\xd8\xff\xe0", ".jpg" },
	{ "book.xlsx", "PK\x03\x04", "" },
	{ "page.html", "<p>hello</p>", "" },
	{ "page.html", "\xef\xbb\xbf<!doctype html>", "" },
	{ "empty.csv", "", "" },
	/* what a desktop would start by its name */
	{ "x.desktop", "#\n[Desktop Entry]\n", ".txt" },
	{ "x.sh", "rm -rf x\n", ".txt" },
	{ "x.py", "print(1)\n", ".txt" },
	{ "x.jar", "PK\x03\x04", ".zip" },
	{ "x.xlsm", "PK\x03\x04", ".zip" },
	{ "x.desktop", "\xef\xbb\xbf<html>", ".txt" },
	{ "x.hta", "<html>", ".txt" },
	{ "x.csv ", "a\n", ".txt" },
	{ "x.csv.", "a\n", ".txt" },
	{ "csv", "a\n", ".txt" },
	{ ".csv", "a\n", ".txt" },
	{ "x.", "a\n", ".txt" },
	{ "x.csv tsv", "a\n", ".txt" },
	/* and by its bytes */
	{ "x.csv", "#!/bin/sh\n", NULL },
	{ "x.png", "\x7f" "ELF", NULL },
	{ "x.pdf", "MZ\x90", NULL },
	{ "x.txt", "[Desktop Entry]\n", NULL },
	{ "x.txt", "\xef\xbb\xbf\n [desktop entry]\n", NULL },
};

static void names_and_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct outside out;
		struct err e = { 0 };
		bool ok = outside_judge(cases[i].name, cases[i].head, strlen(cases[i].head), &out, &e);

		if (ok != (cases[i].ending != NULL) || (ok && strcmp(out.ending, cases[i].ending) != 0))
			fail_msg("%s, case %zu: %s", cases[i].name, i, ok ? out.ending : e.msg);
		assert_int_equal(e.code != ERR_NONE, !ok);
	}
}

static void other_bytes(void **state)
{
	struct outside out;
	struct err e = { 0 };

	(void)state;
	assert_true(outside_judge("t.parquet", "PAR1\0\0", 6, &out, &e));
	assert_true(outside_judge("t.csv", "a\0,\0", 4, &out, &e)); /* UTF-16 */
	assert_string_equal(out.ending, "");
	assert_false(outside_judge("t.exe", "\0\1\2", 3, &out, &e));
	assert_int_equal(e.code, ERR_INPUT);
	assert_false(outside_judge("t", "\0\1\2", 3, &out, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names_and_bytes), cmocka_unit_test(other_bytes) };

	return cmocka_run_group_tests_name("ui/outside", tests, NULL, NULL);
}
