/* jsontree.c: JSON as rows that fold. */
#include "text/jsontree.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct json_tree tree_of(const char *text)
{
	struct json_tree t;

	if (!json_tree_read(text, strlen(text), &t))
		fail_msg("%s: no tree", text);
	return t;
}

/* What is shown, a row a line: indentation, name, value. */
static char *shown(const struct json_tree *t, const char *text)
{
	struct buf out = { 0 };
	size_t row = 0;

	do {
		const struct json_row *r = &t->rows[row];

		buf_addf(&out, "%*s%.*s%s", r->depth, "", (int)r->key_len, text + r->key_start, r->named ? "=" : "");
		if (r->kind == '{' || r->kind == '[')
			buf_addf(&out, "%c%u%s\n", r->kind, r->count, r->folded ? "+" : "");
		else
			buf_addf(&out, "%.*s\n", (int)r->len, text + r->start);
	} while (json_tree_step(t, &row, 1));
	return buf_take(&out);
}

static const char text[] = " {\"a\" : [1, 2.50 ,\"x\\\"]\", []],\n\"b\":{\"c\":null,\"c\":1e3},\"\": {} } ";

static void rows_in_order(void **state)
{
	(void)state;
	struct json_tree t = tree_of(text);
	char *got = shown(&t, text);

	assert_string_equal(got, "{3\n a=[4\n  1\n  2.50\n  \"x\\\"]\"\n  [0\n b={2\n  c=null\n  c=1e3\n ={0\n");
	free(got);
	json_tree_free(&t);
}

static void folding(void **state)
{
	(void)state;
	struct json_tree t = tree_of(text);
	size_t row = 0;

	json_tree_fold_all(&t, 0, true);
	char *got = shown(&t, text);
	assert_string_equal(got, "{3\n a=[4+\n b={2+\n ={0\n");
	free(got);
	row = json_tree_last(&t);
	assert_true(json_tree_step(&t, &row, -1));
	assert_int_equal(row, 6);
	assert_true(json_tree_step(&t, &row, -1));
	assert_int_equal(row, 1);
	json_tree_show(&t, 8);
	got = shown(&t, text);
	assert_string_equal(got, "{3\n a=[4+\n b={2\n  c=null\n  c=1e3\n ={0\n");
	free(got);
	t.rows[0].folded = true;
	assert_int_equal(json_tree_last(&t), 0);
	row = 0;
	assert_false(json_tree_step(&t, &row, 1));
	assert_false(json_tree_step(&t, &row, -1));
	json_tree_free(&t);
}

static void paths(void **state)
{
	(void)state;
	static const struct { size_t row; const char *path; } table[] = {
		{ 0, "$" }, { 1, "$.a" }, { 3, "$.a[1]" }, { 5, "$.a[3]" }, { 8, "$.b.c" }, { 9, "$[\"\"]" },
	};
	static const char odd[] = "{\"a b\":{\"x.y\":1},\"\\u00e9\":1,\"q\\\"\\\\\":1,\"7\":1,\"_k9\":1}";
	static const char *const places[] = {
		"$", "$[\"a b\"]", "$[\"a b\"][\"x.y\"]", "$[\"\xc3\xa9\"]", "$[\"q\\\"\\\\\"]", "$[\"7\"]", "$._k9",
	};
	struct json_tree t = tree_of(text);

	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		struct buf out = { 0 };

		json_tree_path(&t, text, table[i].row, &out);
		assert_string_equal(out.data, table[i].path);
		buf_free(&out);
	}
	json_tree_free(&t);
	t = tree_of(odd); /* names that are no words, as a difference spells them */
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		struct buf out = { 0 };

		json_tree_path(&t, odd, i, &out);
		assert_string_equal(out.data, places[i]);
		buf_free(&out);
	}
	json_tree_free(&t);
}

/* What is no JSON is told by json_read; nothing is read beyond the bytes, and nothing hangs. */
static void other_texts(void **state)
{
	(void)state;
	static const char *const bad[] = { "", " ", "{", "[1", "}", "[}", "{]", "\"", "\"\\", "{\"a", "[[[" };
	struct json_tree t;
	struct buf deep = { 0 };
	uint64_t seed = 5;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(json_tree_read(bad[i], strlen(bad[i]), &t));
	for (int i = 0; i < JSONTREE_DEPTH + 1; i++)
		buf_addc(&deep, '[');
	for (int i = 0; i < JSONTREE_DEPTH + 1; i++)
		buf_addc(&deep, ']');
	assert_false(json_tree_read(deep.data, deep.len, &t));
	assert_true(json_tree_read(deep.data + 1, deep.len - 2, &t));
	json_tree_free(&t);
	buf_free(&deep);
	for (int round = 0; round < 20000; round++) {
		char some[24];
		size_t n = 0;

		for (; n < sizeof(some); n++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			some[n] = "{}[],:\"\\a1 \0"[(seed >> 33) % 12];
			if ((seed >> 50) % 16 == 0)
				break;
		}
		char *exact = xmemdup(some, n);
		if (json_tree_read(exact, n, &t))
			for (size_t i = 0; i < t.n; i++)
				assert_true(t.rows[i].start + t.rows[i].len <= n && t.rows[i].next > i && t.rows[i].next <= t.n);
		json_tree_free(&t);
		free(exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_in_order), cmocka_unit_test(folding), cmocka_unit_test(paths), cmocka_unit_test(other_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
