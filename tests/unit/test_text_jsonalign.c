/* jsonalign.c: every element of both sides has one place, partners are what they are said to be, and edits of random
 * arrays are found as they were made. */
#include "text/jsonalign.h"

#include "text/diffrows.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 11;

static uint32_t draw(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static struct span span_of(const char *s)
{
	return (struct span){ s, strlen(s) };
}

/* Rows of the difference, one a line, sentences apart. */
static char *rows_of(const char *a, const char *b, const char *key, struct diffrows *r)
{
	static const char signs[] = { [DIFFROW_REMOVED] = '-', [DIFFROW_ADDED] = '+', [DIFFROW_CHANGED] = '~' };
	struct buf out = { 0 };

	buf_adds(&out, "");
	assert_true(diffrows_make(DIFFROWS_JSON, span_of(a), span_of(b), &(struct diffrows_options){ .key = key }, r, NULL));
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].kind != DIFFROW_SENTENCE)
			buf_addf(&out, "%c%.*s\n", signs[r->v[i].kind], (int)r->v[i].text.n, r->v[i].text.p);
	return buf_take(&out);
}

static void elements_find_their_partners(void **state)
{
	(void)state;
	static const struct { const char *a, *b, *key, *rows, *method; } cases[] = {
		{ "[1,2,3]", "[0,1,2,3]", NULL, "+$[0]: 0\n", "same in them" },
		{ "[1,2,3]", "[1,3]", NULL, "-$[1]: 2\n", "same in them" },
		{ "[1,2,3]", "[3,1,2]", NULL, "~$[2->0]: moved from place 2 to 0\n", "same in them" },
		{ "[1,2,3]", "[1,5,3]", NULL, "-$[1]: 2\n+$[1]: 5\n", "same in them" },
		{ "[[1],[2]]", "[[0],[1],[2]]", NULL, "+$[0]: [0]\n", "same in them" },
		{ "[{\"a\":1,\"b\":2,\"c\":3}]", "[{\"x\":9},{\"a\":1,\"b\":7,\"c\":3}]", NULL, "+$[0]: {\"x\":9}\n-$[0->1].b: 2\n+$[0->1].b: 7\n", "same in them" },
		{ "[{\"id\":1,\"v\":1},{\"id\":2,\"v\":2}]", "[{\"id\":2,\"v\":3},{\"id\":3,\"v\":1}]", NULL,
		  "-$[id=1]: {\"id\":1,\"v\":1}\n-$[id=2].v: 2\n+$[id=2].v: 3\n+$[id=3]: {\"id\":3,\"v\":1}\n", "member id (found)" },
		{ "[{\"id\":1},{\"id\":1}]", "[{\"id\":1},{\"id\":2}]", NULL, "-$[1].id: 1\n+$[1].id: 2\n", "same in them" },
		{ "[{\"n\":\"x\",\"k\":1},{\"n\":\"y\",\"k\":2}]", "[{\"n\":\"y\",\"k\":1},{\"n\":\"x\",\"k\":2}]", "k",
		  "-$[k=1].n: \"x\"\n+$[k=1].n: \"y\"\n-$[k=2].n: \"y\"\n+$[k=2].n: \"x\"\n", "member k" },
		{ "[{\"n\":\"x\",\"k\":1},{\"n\":\"y\",\"k\":2}]", "[{\"n\":\"y\",\"k\":2},{\"n\":\"x\",\"k\":1}]", NULL, "~$[n=\"x\"]: moved from place 0 to 1\n", "member n (found)" },
		{ "[]", "[null]", NULL, "+$[0]: null\n", "same in them" },
		{ "[1]", "[1.0]", NULL, "-$[0]: 1\n+$[0]: 1.0\n", "same in them" },
		{ "{\"a\":[{\"id\":12345678901234567890123,\"v\":1},{\"id\":2}]}", "{\"a\":[{\"id\":2},{\"id\":12345678901234567890123,\"v\":2}]}", NULL,
		  "~$.a[id=12345678901234567890123]: moved from place 0 to 1\n-$.a[id=12345678901234567890123].v: 1\n+$.a[id=12345678901234567890123].v: 2\n", "member id (found)" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct diffrows r;
		char *rows = rows_of(cases[i].a, cases[i].b, cases[i].key, &r);
		if (strcmp(rows, cases[i].rows) != 0 || !strstr(r.method, cases[i].method) || r.v[0].kind != DIFFROW_SENTENCE)
			fail_msg("%s | %s:\n%s(%s)", cases[i].a, cases[i].b, rows, r.method);
		free(rows);
		diffrows_free(&r);
	}
}

/* A place is named as the side has it that the row is of. */
static void places_are_those_of_one_side(void **state)
{
	struct diffrows r;
	struct buf places = { 0 };
	char *rows = rows_of("[{\"a\":1,\"b\":2,\"c\":3}]", "[{\"x\":9},{\"a\":1,\"b\":7,\"c\":3}]", NULL, &r);

	(void)state;
	for (size_t i = 0; i < r.n; i++)
		if (diffrows_place(&r, &r.v[i], &places))
			buf_addc(&places, ' ');
	assert_string_equal(places.data, "$[0] $[0].b $[1].b ");
	free(rows);
	diffrows_free(&r);
	/* shown by the member that names it, noted on by its place; names as the view of JSON spells them */
	buf_clear(&places);
	rows = rows_of("[{\"id\":1,\"a b\":2},{\"id\":2,\"\u00e9\":3}]", "[{\"id\":2,\"\u00e9\":4},{\"id\":1,\"a b\":3}]", NULL, &r);
	for (size_t i = 0; i < r.n; i++)
		if (diffrows_place(&r, &r.v[i], &places))
			buf_addc(&places, ' ');
	assert_non_null(strstr(rows, "$[id=1]"));
	assert_string_equal(places.data, "$[1] $[0][\"a b\"] $[1][\"a b\"] $[1][\"\u00e9\"] $[0][\"\u00e9\"] ");
	buf_free(&places);
	free(rows);
	diffrows_free(&r);
}

static void add_element(struct buf *b, int kind)
{
	if (b->len > 1)
		buf_addc(b, ',');
	if (kind == 0)
		buf_addf(b, "%u", draw(6));
	else if (kind == 1)
		buf_addf(b, "{\"a\":%u,\"b\":%u,\"c\":\"%u\"}", draw(3), draw(3), draw(40));
	else
		buf_addf(b, "[%u,%u]", draw(3), draw(2));
}

/* What must hold of any alignment. */
static void check_alignment(const struct json_value *a, const struct json_value *b, const struct json_aligned *x)
{
	size_t n = json_count(a), m = json_count(b), moved = 0;
	uint8_t *left = xcalloc(n + 1, 1), *right = xcalloc(m + 1, 1);

	for (size_t i = 0; i < x->n; i++) {
		const struct json_pair *p = &x->v[i];
		bool both = p->a != JSONALIGN_NONE && p->b != JSONALIGN_NONE;
		assert_true(p->a != JSONALIGN_NONE || p->b != JSONALIGN_NONE);
		assert_true(p->a == JSONALIGN_NONE || (p->a < n && !left[p->a]++));
		assert_true(p->b == JSONALIGN_NONE || (p->b < m && !right[p->b]++));
		if (p->same)
			assert_true(both && json_same(json_at(a, p->a), json_at(b, p->b)));
		moved += p->moved;
	}
	assert_int_equal(moved, x->moved);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(left[i], 1);
	for (size_t i = 0; i < m; i++)
		assert_int_equal(right[i], 1);
	free(left);
	free(right);
}

static void every_element_has_one_place(void **state)
{
	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct buf a = { 0 }, b = { 0 };
		struct json_aligned x;
		int64_t work = i % 10 ? JSONALIGN_WORK : (int64_t)draw(200) - 1;
		for (struct buf *t = &a;; t = &b) {
			buf_addc(t, '[');
			for (uint32_t k = draw(i % 20 ? 12 : 120); k > 0; k--)
				add_element(t, (int)draw(3));
			buf_addc(t, ']');
			if (t == &b)
				break;
		}
		struct json_value *p = json_read(a.data, a.len, NULL), *q = json_read(b.data, b.len, NULL);
		jsonalign(p, q, i % 3 ? NULL : "c", NULL, &work, &x);
		check_alignment(p, q, &x);
		jsonalign_free(&x);
		jsonalign(p, p, NULL, NULL, &work, &x);
		check_alignment(p, p, &x);
		for (size_t k = 0; k < x.n && !x.by_index && json_count(p) > 1; k++)
			assert_true(x.v[k].same && !x.v[k].moved);
		jsonalign_free(&x);
		json_free(p);
		json_free(q);
		buf_free(&a);
		buf_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_find_their_partners),
		cmocka_unit_test(places_are_those_of_one_side),
		cmocka_unit_test(every_element_has_one_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
