/* json.c: what comes out is always UTF-8, what goes in may be hostile. */
#include "base.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BAD "\xEF\xBF\xBD" /* U+FFFD */

static void assert_text(struct json_writer *w, const char *expect)
{
	char *text = json_writer_text(w);

	assert_string_equal(text, expect);
	free(text);
}

/* The same text, however often it is shed on the way. */
static void a_list_goes_out_as_it_comes(void **state)
{
	static const char *const expect[] = { "{\"n\":1,\"list\":[],\"more\":true}\n", "{\"n\":1,\"list\":[0],\"more\":true}\n",
		                              "{\"n\":1,\"list\":[0,1],\"more\":true}\n", "{\"n\":1,\"list\":[0,1,2],\"more\":true}\n" };

	(void)state;
	for (int n = 0; n < 4; n++)
		for (unsigned shed = 0; shed < 16; shed++) {
			struct json_writer *w = json_writer_new();
			char *text = NULL;
			size_t len = 0;
			FILE *f = open_memstream(&text, &len);

			json_put_int(w, "n", 1);
			json_open(w, "list", '[');
			for (int i = 0; i <= n; i++) {
				if (shed & 1U << i)
					json_writer_shed(w, f);
				if (i < n)
					json_put_int(w, NULL, i);
			}
			json_close(w);
			json_put_bool(w, "more", true);
			assert_true(json_writer_print(w, f, false));
			fclose(f);
			assert_string_equal(text, expect[n]);
			free(text);
		}
}

static void every_kind_is_written(void **state)
{
	struct json_writer *w = json_writer_new();
	struct digest d = hash_bytes("", 0), zero = { { 0 } };

	(void)state;
	json_put_text(w, "t", "caf\xC3\xA9 \"q\"\n");
	json_put_text(w, "none", NULL);
	json_put_int(w, "i", INT64_MIN);
	json_put_int(w, "j", INT64_MAX);
	json_put_bool(w, "yes", true);
	json_put_bool(w, "no", false);
	json_put_null(w, "n");
	json_put_digest(w, "d", &d);
	json_put_digest(w, "z", &zero);
	json_put_time(w, "at", 1796047387123456);
	json_put_time(w, "never", 0);
	json_open(w, "list", '[');
	json_put_int(w, NULL, 1);
	json_put_text(w, NULL, "two");
	json_open(w, NULL, '{');
	json_close(w);
	json_open(w, NULL, '[');
	json_put_null(w, NULL);
	json_close(w);
	json_close(w);
	json_open(w, "o", '{');
	json_put_bool(w, "in", true);
	json_close(w);
	json_put_int(w, "after", 0);
	assert_text(w, "{\"t\":\"caf\xC3\xA9 \\\"q\\\"\\n\",\"none\":null,\"i\":-9223372036854775808,"
	               "\"j\":9223372036854775807,\"yes\":true,\"no\":false,\"n\":null,"
	               "\"d\":\"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\",\"z\":null,"
	               "\"at\":\"2026-11-30T14:03:07.123456Z\",\"never\":null,\"list\":[1,\"two\",{},[null]],"
	               "\"o\":{\"in\":true},\"after\":0}");
	assert_text(json_writer_new(), "{}");
}

static void bad_bytes_are_replaced_and_kept(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *expect;
	} cases[] = {
		{ "", 0, "{\"k\":\"\"}" },
		{ "a\0b", 3, "{\"k\":\"a\\u0000b\"}" },
		{ "\x80", 1, "{\"k\":\"" BAD "\",\"k_base64\":\"gA==\"}" },
		{ "a\xFFz", 3, "{\"k\":\"a" BAD "z\",\"k_base64\":\"Yf96\"}" },
		{ "\xC0\xAF", 2, "{\"k\":\"" BAD BAD "\",\"k_base64\":\"wK8=\"}" },             /* overlong */
		{ "\xED\xA0\x80", 3, "{\"k\":\"" BAD BAD BAD "\",\"k_base64\":\"7aCA\"}" },     /* surrogate */
		{ "\xF4\x90\x80\x80", 4, "{\"k\":\"" BAD BAD BAD BAD "\",\"k_base64\":\"9JCAgA==\"}" },
		{ "\xE2\x82", 2, "{\"k\":\"" BAD BAD "\",\"k_base64\":\"4oI=\"}" },             /* cut off */
		{ "\xE2\x82\xAC\xE2", 4, "{\"k\":\"\xE2\x82\xAC" BAD "\",\"k_base64\":\"4oKs4g==\"}" },
		{ "\xF0\x9F\x98\x80\xFE", 5, "{\"k\":\"\xF0\x9F\x98\x80" BAD "\",\"k_base64\":\"8J+YgP4=\"}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct json_writer *w = json_writer_new();
		json_put_bytes(w, "k", cases[i].bytes, cases[i].n);
		assert_text(w, cases[i].expect);
	}
	struct json_writer *w = json_writer_new();
	json_put_bytes(w, "null", NULL, 0);
	json_put_text(w, "t", "\xFF");
	json_open(w, "a", '[');
	json_put_bytes(w, NULL, "good", 4);
	json_put_text(w, NULL, "\xFF");
	json_close(w);
	assert_text(w, "{\"null\":\"\",\"t\":\"" BAD "\",\"t_base64\":\"/w==\",\"a\":[\"good\",{\"text\":\"" BAD
	               "\",\"base64\":\"/w==\"}]}");
}

static void bad_keys_are_mended(void **state)
{
	struct json_writer *w = json_writer_new();

	(void)state;
	json_put_int(w, "a\xFF", 1);
	json_open(w, "\xC3", '{');
	json_put_text(w, "x", "\xFE");
	json_close(w);
	assert_text(w, "{\"a" BAD "\":1,\"" BAD "\":{\"x\":\"" BAD "\",\"x_base64\":\"/g==\"}}");
}

/* All sequences of two bytes and many of four: what the writer lets pass, the reader takes. */
static void output_is_always_json(void **state)
{
	(void)state;
	for (unsigned v = 0; v < 65536; v += 7) {
		unsigned char bytes[4] = { (unsigned char)(v >> 8), (unsigned char)v, (unsigned char)(v * 31), 0x80 };
		struct json_writer *w = json_writer_new();
		struct err e = { 0 };
		json_put_bytes(w, "k", bytes, 1 + v % 4);
		char *text = json_writer_text(w);
		struct json_value *back = json_read(text, strlen(text), &e);
		if (!back)
			fail_msg("%s", e.msg);
		if (!json_get(back, "k_base64"))
			assert_memory_equal(json_text(json_get(back, "k"), ""), bytes, 1 + v % 4);
		json_free(back);
		free(text);
	}
}

static void printing_ends_in_a_newline(void **state)
{
	char text[256] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	(void)state;
	for (int pretty = 0; pretty < 2; pretty++) {
		struct json_writer *w = json_writer_new();
		json_put_int(w, "a", 1);
		assert_true(json_writer_print(w, f, pretty));
	}
	fclose(f);
	assert_string_equal(text, "{\"a\":1}\n{\n  \"a\": 1\n}\n");

	f = fopen("/dev/full", "w");
	struct json_writer *w = json_writer_new();
	assert_false(json_writer_print(w, f, false));
	fclose(f);
}

static struct json_value *read_text(const char *text)
{
	struct err e = { 0 };
	struct json_value *v = json_read(text, strlen(text), &e);

	if (!v)
		fail_msg("%s", e.msg);
	return v;
}

static void values_are_read(void **state)
{
	struct json_value *v = read_text(" {\"t\":\"x\",\"i\":-7,\"b\":true,\"n\":null,\"r\":1.5,"
	                                 "\"whole\":3e2,\"l\":[1,[2],{\"k\":3}]} ");

	(void)state;
	assert_string_equal(json_text(json_get(v, "t"), "other"), "x");
	assert_int_equal(json_text_len(json_get(v, "t")), 1);
	assert_int_equal(json_int(json_get(v, "i"), 0), -7);
	assert_true(json_bool(json_get(v, "b"), false));
	assert_int_equal(json_int(json_get(v, "r"), 9), 9);
	assert_int_equal(json_int(json_get(v, "whole"), 0), 300);
	const struct json_value *list = json_get(v, "l");
	assert_int_equal(json_count(list), 3);
	assert_int_equal(json_int(json_at(list, 0), 0), 1);
	assert_int_equal(json_int(json_at(json_at(list, 1), 0), 0), 2);
	assert_int_equal(json_int(json_get(json_at(list, 2), "k"), 0), 3);
	assert_null(json_at(list, 3));
	json_free(v);
}

/* Of the wrong kind, or not there at all: what was asked for instead. */
static void otherwise_is_given(void **state)
{
	struct json_value *v = read_text("{\"t\":\"x\",\"i\":1,\"n\":null}");

	(void)state;
	assert_null(json_get(v, "none"));
	assert_null(json_get(json_get(v, "t"), "k"));
	assert_null(json_get(NULL, "k"));
	assert_null(json_at(v, 0));
	assert_null(json_at(NULL, 0));
	assert_int_equal(json_count(v), 0);
	assert_int_equal(json_count(NULL), 0);
	assert_null(json_text(json_get(v, "i"), NULL));
	assert_string_equal(json_text(NULL, "o"), "o");
	assert_int_equal(json_text_len(json_get(v, "i")), 0);
	assert_int_equal(json_text_len(NULL), 0);
	assert_int_equal(json_int(json_get(v, "t"), 5), 5);
	assert_int_equal(json_int(json_get(v, "n"), 6), 6);
	assert_true(json_bool(json_get(v, "i"), true));
	assert_false(json_bool(NULL, false));
	json_free(v);
	json_free(NULL);
}

static void anything_may_be_the_top(void **state)
{
	struct json_value *v = read_text("[1]");

	(void)state;
	assert_int_equal(json_count(v), 1);
	json_free(v);
	v = read_text("\"x\"");
	assert_string_equal(json_text(v, ""), "x");
	json_free(v);
	v = read_text("17");
	assert_int_equal(json_int(v, 0), 17);
	json_free(v);
}

static char *nested(size_t depth)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < depth; i++)
		buf_addc(&b, '[');
	for (size_t i = 0; i < depth; i++)
		buf_addc(&b, ']');
	return buf_take(&b);
}

static void bad_json_is_refused(void **state)
{
	static const char *const cases[] = {
		"", " ", "{", "}", "[1,]", "{\"a\":}", "{a:1}", "'x'", "nul", "1 2", "{} x", "[1", "\"\xFF\"", "\"\n\"",
		"{\"a\":1,\"a\":2}", "NaN", "Infinity", "-", "01", "1.", "\"\\x\"", "\"\\u12\"", "\"\\ud8", "1e999",
		"\"\\ud800", "\xEF\xBB\xBF", "// c\n1", "\"\\",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = { 0 };
		if (json_read(cases[i], strlen(cases[i]), &e))
			fail_msg("'%s' was taken", cases[i]);
		assert_int_equal(e.code, ERR_CORRUPT);
		assert_ptr_equal(strstr(e.msg, "not JSON at line "), e.msg);
		assert_null(json_read(cases[i], strlen(cases[i]), NULL));
	}
	assert_null(json_read("1\0", 2, NULL));
	assert_null(json_read(NULL, 0, NULL));

	char *deep = nested(100000), *fair = nested(1000);
	assert_null(json_read(deep, strlen(deep), NULL));
	struct json_value *v = read_text(fair);
	json_free(v);
	free(deep), free(fair);
}

static void faults_name_line_and_column(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_null(json_read("{\n \"a\": x}", 10, &e));
	assert_ptr_equal(strstr(e.msg, "not JSON at line 2, column "), e.msg);
}

/* What Python's json writes and jansson alone would refuse. */
static void foreign_habits_are_mended(void **state)
{
	static const struct {
		const char *json, *text;
	} cases[] = {
		{ "\"\\ud800\"", BAD },
		{ "\"\\udc80x\"", BAD "x" },
		{ "\"\\uD83D\\uDE00\"", "\xF0\x9F\x98\x80" },
		{ "\"\\ud800\\ud83d\\ude00\"", BAD "\xF0\x9F\x98\x80" },
		{ "\"\\ud800\\u0041\"", BAD "A" },
		{ "\"\\ude00\\ud83d\"", BAD BAD },
		{ "\"\\ud800 \\\\ud800\"", BAD " \\ud800" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct json_value *v = read_text(cases[i].json);
		assert_string_equal(json_text(v, NULL), cases[i].text);
		json_free(v);
	}
	struct json_value *v = read_text("{\"nul\":\"a\\u0000b\",\"seed\":18446744073709551615,\"i\":7}");
	assert_int_equal(json_text_len(json_get(v, "nul")), 3);
	assert_memory_equal(json_text(json_get(v, "nul"), ""), "a\0b", 4);
	assert_int_equal(json_int(json_get(v, "seed"), -1), -1);
	assert_int_equal(json_int(json_get(v, "i"), -1), 7);
	json_free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_goes_out_as_it_comes), cmocka_unit_test(every_kind_is_written),
		cmocka_unit_test(bad_bytes_are_replaced_and_kept),
		cmocka_unit_test(bad_keys_are_mended),
		cmocka_unit_test(output_is_always_json),
		cmocka_unit_test(printing_ends_in_a_newline),
		cmocka_unit_test(values_are_read),
		cmocka_unit_test(otherwise_is_given),
		cmocka_unit_test(anything_may_be_the_top),
		cmocka_unit_test(bad_json_is_refused),
		cmocka_unit_test(faults_name_line_and_column),
		cmocka_unit_test(foreign_habits_are_mended),
	};
	return cmocka_run_group_tests_name("base/json", tests, NULL, NULL);
}
