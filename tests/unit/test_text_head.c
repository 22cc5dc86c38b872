/* head.c: real beginnings of scripts, and hostile ones. */
#include "text.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_head(const char *code, const char *title, const char *purpose)
{
	struct head h;

	memset(&h, 'x', sizeof(h));
	head_parse(code, strlen(code), &h);
	assert_string_equal(h.title, title);
	assert_string_equal(h.purpose, purpose);
}

static void first_lines_of_code(void **state)
{
	static const struct {
		const char *code, *first;
	} cases[] = {
		{ "print(5)\n", "print(5)" },
		{ "print(5)", "print(5)" },
		{ "# Title: \n# Purpose: \n\nimport csv\nfrom os import path\n# more\n  x  =  1\ny = 2\n", "x = 1" },
		{ "import csv\nimport os\n", "import csv" },
		{ "x = '\x1b[31m'\n", "x = '\xEF\xBF\xBD[31m'" },
		{ "# only a comment\n", "" },
		{ "", "" },
	};
	struct head h;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		head_parse(cases[i].code, strlen(cases[i].code), &h);
		assert_string_equal(h.first, cases[i].first);
	}
	head_parse("# Title: \n# Purpose: \n\nprint(5)\n", 33, &h); /* what the screen begins with, left as it is */
	assert_string_equal(h.title, "");
	assert_string_equal(h.purpose, "");
}

static void titles_from_comments(void **state)
{
	static const char *const cases[][2] = {
		{ "# Total of premiums\nimport csv\n", "Total of premiums" },
		{ "#Total\n", "Total" },
		{ "# Total", "Total" },
		{ "\n\n  \n# Total\n", "Total" },
		{ "#!/usr/bin/env python3\n# Total\n", "Total" },
		{ "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n# Total\n", "Total" },
		{ "# coding=latin-1\n# Total\n", "Total" },
		{ "# vim: set fileencoding=utf8 :\n\n# Total\n", "Total" },
		{ "# first\n# second\n", "first" },
		{ "#\n# ------------\n# Total\n# ------------\n", "Total" },
		{ "################\n## Total\n################\n", "Total" },
		{ "# ===== Total =====\n", "Total" },
		{ "# %% Total\nx = 1\n", "Total" },
		{ "# %%\n# Total\n", "Total" },
		{ "# # Total\n", "Total" },
		{ "# Title: Total\n", "Total" },
		{ "# Copyright 2026 Somebody\n# SPDX-License-Identifier: MIT\n# Total\n", "Total" },
		{ "# pylint: disable=all\n# type: ignore\n# Total\n", "Total" },
		{ "# /// script\n# dependencies = [\"rich\"]\n# ///\n\n# Total\n", "Total" },
		{ "#!/usr/bin/env python\n# coding: utf-8\n\n# # Sales\n\n# In[1]:\n\nimport x\n", "Sales" },
		{ "\xEF\xBB\xBF# Total\r\nimport csv\r\n", "Total" },
		{ "#  Much \t white   space  \n", "Much white space" },
		{ "# __init__ is read\n", "__init__ is read" },
		{ "# Zo\xC3\xAB's \xE2\x82\xAC\n", "Zo\xC3\xAB's \xE2\x82\xAC" },
		{ "# a line\n# encoding: of names\nimport x\n", "a line" },
		{ "# one\n\n# coding: is a title here, in line 3\n", "one" },
		{ "\n\n# coding: is a title here, in line 3\n", "coding: is a title here, in line 3" },
		{ "import csv\n# Total\n", "" },
		{ "", "" },
		{ "\n\n", "" },
		{ "#!/usr/bin/python3\n", "" },
		{ "#!/usr/bin/python3", "" },
		{ "x = 1 # Total\n", "" },
		{ "   # indented\n", "indented" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_head(cases[i][0], cases[i][1], "");
}

static void purposes(void **state)
{
	(void)state;
	assert_head("# Total\n# purpose: check the sum\nimport x\n", "Total", "check the sum");
	assert_head("# Total\n# Purpose:  check the sum\n#   of all states\n# and years\n", "Total",
	            "check the sum of all states and years");
	assert_head("# Total\n# PURPOSE: a\n#\n# not more\n", "Total", "a");
	assert_head("# Total\n# purpose: a\n\n# not more\n", "Total", "a");
	assert_head("# Total\n# purpose: a\n# ------\n# not more\n", "Total", "a");
	assert_head("# Total\n# purpose: a\n# Author: somebody\n# b\n", "Total", "a");
	assert_head("# Total\n# purpose: a\n# author:\n", "Total", "a");
	assert_head("# Total\n# purpose: see\n# https://example.org/x: y\n", "Total", "see https://example.org/x: y");
	assert_head("# Total\n# purpose:\n# on the next line\n", "Total", "on the next line");
	assert_head("# purpose: a\n# b\n\n# Total\n", "Total", "a b");
	assert_head("# purpose: a\n# title: Total\n", "Total", "a");
	assert_head("# purpose: a\n\"\"\"Total\"\"\"\n", "Total", "a");
	assert_head("# Total\n# purpose: a\n# purpose: b\n", "Total", "a");
	assert_head("# Total\nx = 1\n# purpose: too late\n", "Total", "");
	assert_head("# The purpose: none\n", "The purpose: none", "");
	assert_head("# Total\n# purpose: a\nx = 1\n# b\n", "Total", "a");
}

static void titles_from_docstrings(void **state)
{
	static const char *const cases[][2] = {
		{ "\"\"\"Total of premiums.\"\"\"\nimport csv\n", "Total of premiums." },
		{ "'''Total'''\n", "Total" },
		{ "\"\"\"\nTotal\n\nmore\n\"\"\"\n", "Total" },
		{ "\"\"\"Total\nmore\"\"\"\n", "Total" },
		{ "r\"\"\"Total\"\"\"\n", "Total" },
		{ "'Total'\n", "Total" },
		{ "\"Total\"\n", "Total" },
		{ "#!/usr/bin/python3\n\n\"\"\"\n=====\nTotal\n=====\n\"\"\"\n", "Total" },
		{ "\"\"\"\"\"\"\n# late\n", "" },
		{ "\"\"\" \"\"\"\n", "" },
		{ "\"\"\"never closed", "never closed" },
		{ "\"\"\"", "" },
		{ "\"", "" },
		{ "''\n", "" },
		{ "b\"\"\"bytes\"\"\"\n", "" },
		{ "f\"x\"\n", "" },
		{ "# Comment first\n\"\"\"Docstring\"\"\"\n", "Comment first" },
		{ "r", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_head(cases[i][0], cases[i][1], "");
}

static void what_comes_out_is_clean(void **state)
{
	struct head h;

	(void)state;
	assert_head("# a\033[31mb\x07\x9B\xC2\x9B" "c\n", "a\xEF\xBF\xBD[31mb\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD" "c", "");
	assert_head("# abc\xE2\x80\xAEtxt \xE2\x9A\xA0\xEF\xB8\x8F\n", "abctxt \xE2\x9A\xA0", "");
	assert_head("# a\xC2\xA0" "b\n", "a b", "");
	head_parse("# a\0b\n", 6, &h);
	assert_string_equal(h.title, "a\xEF\xBF\xBD" "b");
	head_parse(NULL, 0, &h);
	assert_string_equal(h.title, "");
}

/* Around the size of the arrays, with characters of 1 to 4 bytes and continued lines. */
static void long_ones_are_cut(void **state)
{
	static const char *const pieces[] = { "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "ab " };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		for (size_t pad = 0; pad < 12; pad++) {
			struct buf b = { 0 };
			struct head h;
			buf_addf(&b, "# %.*s", (int)pad + 1, "xxxxxxxxxxxxx");
			while (b.len < 300)
				buf_adds(&b, pieces[i]);
			buf_addf(&b, "\n# purpose: %.*s", (int)pad + 1, "xxxxxxxxxxxxx");
			for (size_t n = 0; n < 1500; n += strlen(pieces[i]))
				buf_addf(&b, "%s%s", n % 97 == 96 ? "\n# " : "", pieces[i]);
			buf_adds(&b, "\n# more\n# and more\n");
			head_parse(b.data, b.len, &h);
			assert_true(strlen(h.title) < HEAD_TITLE && strlen(h.title) > HEAD_TITLE - 9);
			assert_string_equal(h.title + strlen(h.title) - 3, "\xE2\x80\xA6");
			assert_true(utf8_valid(h.title, strlen(h.title)));
			assert_true(strlen(h.purpose) < HEAD_PURPOSE && strlen(h.purpose) > HEAD_PURPOSE - 9);
			assert_string_equal(h.purpose + strlen(h.purpose) - 3, "\xE2\x80\xA6");
			assert_true(utf8_valid(h.purpose, strlen(h.purpose)));
			buf_free(&b);
		}
	}
}

/* Only the start of a file is looked at, and every prefix of one can be parsed. */
static void hostile_input_is_bounded(void **state)
{
	static const char code[] = "#!x\n# coding: y\n# /// script\n# z\n# ///\n# T\n# purpose: p\n# q\n\"\"\"d\"\"\"\n";
	struct head h;

	(void)state;
	char *large = xmalloc(1 << 20);
	memset(large, '\n', 1 << 20);
	memcpy(large + (1 << 19), "# far", 5);
	head_parse(large, 1 << 20, &h);
	assert_string_equal(h.title, "");
	memset(large, '#', 1 << 20);
	head_parse(large, 1 << 20, &h);
	assert_string_equal(h.title, "");
	free(large);

	for (size_t n = 0; n < sizeof(code); n++) {
		char *exact = xmemdup(code, n); /* so that the sanitizer sees a step too far */
		head_parse(exact, n, &h);
		free(exact);
	}
	uint32_t x = 1;
	for (int i = 0; i < 20000; i++) {
		static const char alphabet[] = "# \n\"'/:=-*%rcodingpurpose\xE2\x80\xAE\xFF";
		char in[40];
		size_t n = (size_t)i % sizeof(in);
		for (size_t k = 0; k < n; k++) {
			x = x * 1103515245 + 12345;
			in[k] = alphabet[(x >> 16) % (sizeof(alphabet) - 1)];
		}
		head_parse(in, n, &h);
		assert_true(utf8_valid(h.title, strlen(h.title)));
		assert_true(utf8_valid(h.purpose, strlen(h.purpose)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(titles_from_comments),
		cmocka_unit_test(first_lines_of_code),
		cmocka_unit_test(purposes),
		cmocka_unit_test(titles_from_docstrings),
		cmocka_unit_test(what_comes_out_is_clean),
		cmocka_unit_test(long_ones_are_cut),
		cmocka_unit_test(hostile_input_is_bounded),
	};
	return cmocka_run_group_tests_name("text/head", tests, NULL, NULL);
}
