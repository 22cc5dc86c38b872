/* Comparing that was asked to stop says so, whatever is compared, and falls back on nothing. */
#include "text/diffrows.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const bool stop = true, go_on;

static void expect(bool ok, const struct err *e, const struct diffrows *r, const bool *cancel)
{
	assert_int_equal(ok, cancel == &go_on);
	assert_int_equal(e->code, cancel == &go_on ? ERR_NONE : ERR_CANCELLED);
	assert_int_equal(r->n > 0, cancel == &go_on);
}

static void each_type_stops(void **state)
{
	static const struct { enum diffrows_type type; const char *a, *b; } cases[] = {
		{ DIFFROWS_JSON, "{\"a\":1,\"b\":[1,2,3]}", "{\"a\":2,\"b\":[1,3,4]}" },
		{ DIFFROWS_JSON, "[1,2,3]", "[3,2,1]" },
		{ DIFFROWS_TABLE, "id,x\n1,2\n3,4\n", "id,x\n1,3\n4,4\n" },
	};
	static const bool *const flags[] = { &stop, &go_on };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		const char *a = cases[i / 2].a, *b = cases[i / 2].b;
		struct diffrows_options o = { .context = 3, .cancel = flags[i % 2] };
		struct diffrows r;
		struct err e = { 0 };
		bool ok = diffrows_make(cases[i / 2].type, (struct span){ a, strlen(a) }, (struct span){ b, strlen(b) }, &o, &r, &e);
		expect(ok, &e, &r, flags[i % 2]);
		diffrows_free(&r);
	}
}

static void each_reader_stops(void **state)
{
	static const struct { const char *reader, *a, *b; } cases[] = {
		{ "xlsx", "[\"S\"]\n[\"S\",1,1,\"5\",null,null]\n", "[\"S\"]\n[\"S\",1,1,\"6\",null,null]\n" },
		{ "docx", "[\"p\"]\n[\"p\",1,1,\"five\",null,null]\n", "[\"p\"]\n[\"p\",1,1,\"six\",null,null]\n" },
		{ "image", "[\"frame 1\"]\n[\"frame 1\",1,1,null,null,\"ff0000ff\"]\n", "[\"frame 1\"]\n[\"frame 1\",1,1,null,null,\"00ff00ff\"]\n" },
	};
	static const bool *const flags[] = { &stop, &go_on };

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		const char *a = cases[i / 2].a, *b = cases[i / 2].b, *type;
		struct diffrows_options o = { .context = 3, .cancel = flags[i % 2] };
		struct diffrows r;
		struct err e = { 0 };
		bool ok = diffrows_converted(cases[i / 2].reader, (struct span){ a, strlen(a) }, (struct span){ b, strlen(b) }, &o, &r, &type, &e);
		expect(ok, &e, &r, flags[i % 2]);
		diffrows_free(&r);
	}
}

static void reading_json_stops(void **state)
{
	struct err e = { 0 };
	struct json_value *v = json_read_unless(&go_on, "[1,99999999999999999999]", 24, &e);

	(void)state;
	assert_int_equal(json_count(v), 2);
	json_free(v);
	assert_null(json_read_unless(&stop, "[1,2]", 5, &e));
	assert_int_equal(e.code, ERR_CANCELLED);
	e = (struct err){ 0 };
	assert_null(json_read_unless(&go_on, "[1,", 3, &e));
	assert_int_equal(e.code, ERR_CORRUPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_type_stops),
		cmocka_unit_test(each_reader_stops),
		cmocka_unit_test(reading_json_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
