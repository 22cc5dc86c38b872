/* compare.c, dependents.c, foresee.c, compare_agree: what is the same and what not, between two runs and within the graph. */
#include "run_case.h"

#include "model/compare.h"
#include "model/dependents.h"
#include "model/foresee.h"
#include "text/diffrows.h"

static int64_t run_it(struct place *p, const char *script, const char *code)
{
	struct detail d;
	struct told t;

	run_code(p, script, code, &t, &d);
	int64_t id = d.attempt.id;
	assert_int_equal(t.last, RUN_ENDED);
	query_detail_free(&d);
	told_free(&t);
	return id;
}

static struct query *open_query(struct place *p)
{
	struct query *q = query_open(p->ws, &p->e);

	assert_done(p, q);
	return q;
}

static const struct compare_item *item_of(const struct comparing *c, const char *name)
{
	for (size_t i = 0; i < compare_count(c); i++)
		if (strcmp(compare_item(c, i)->name, name) == 0)
			return compare_item(c, i);
	fail_msg("no item %s", name);
	return NULL;
}

static void test_parts(void **state)
{
	struct place *p = *state;
	struct buf b = { 0 };
	int64_t previous;

	need_sandbox(p);
	put("in.csv", "id,v\n1,2\n2,3\n");
	int64_t a = run_it(p, "s.py", "print(open('in.csv').read())\nopen('kept', 'w').write('k')\nopen('old', 'w').write('same bytes')\nopen('gone', 'w')\nopen('mode', 'w')\n");
	put("in.csv", "id,v\n1,2\n2,4\n");
	int64_t c = run_it(p, "s.py", "print(open('in.csv').read())\nopen('kept', 'w').write('k')\nopen('new', 'w').write('same bytes')\nopen('more', 'w')\n"
	                    "import os\nopen('mode', 'w')\nos.chmod('mode', 0o700)\n");
	struct query *q = open_query(p);
	assert_done(p, compare_previous(q, c, &previous, &p->e));
	assert_int_equal(previous, a);
	assert_done(p, compare_previous(q, a, &previous, &p->e));
	assert_int_equal(previous, 0);
	struct comparing *cmp = compare_open(q, a, c, &p->e);
	assert_done(p, cmp);
	compare_tell(cmp, &b);
	assert_string_equal(b.data, "code changed, inputs changed: in.csv; differs: stdout, 3 files, kind or mode of 1 file");
	assert_int_equal(item_of(cmp, "kept")->change, SIDES_SAME);
	assert_int_equal(item_of(cmp, "new")->change, SIDES_RENAMED);
	assert_string_equal(item_of(cmp, "new")->old_name, "old");
	assert_int_equal(item_of(cmp, "gone")->change, SIDES_REMOVED);
	assert_int_equal(item_of(cmp, "more")->change, SIDES_ADDED);
	assert_int_equal(item_of(cmp, "stderr")->change, SIDES_SAME);
	assert_true(compare_differs(cmp));
	for (size_t i = 0; i < compare_count(cmp); i++) {
		struct diffrows r;
		const char *type;
		assert_done(p, compare_rows(cmp, i, &(struct diffrows_options){ .context = 3 }, &r, &type, &p->e));
		assert_int_equal(r.differs, compare_item(cmp, i)->change != SIDES_SAME);
		if (strcmp(compare_item(cmp, i)->name, "in.csv") == 0)
			assert_string_equal(type, "table");
		diffrows_free(&r);
	}
	compare_close(cmp);
	cmp = compare_open(q, c, c, &p->e);
	assert_false(compare_differs(cmp));
	compare_close(cmp);
	/* An input as it was seen, and now. */
	cmp = compare_open_now(q, a, "in.csv", &p->e);
	assert_done(p, cmp);
	compare_close(cmp);
	assert_fails(p, ERR_NOTFOUND, "opened no file", compare_open_now(q, a, "../x", &p->e) != NULL);
	query_close(q);
	buf_free(&b);
}

static void test_agreement(void **state)
{
	static const struct { const char *code; enum verdict v; } cases[] = {
		{ "print(5)\n", VERDICT_SAME },
		{ "print(object())\n", VERDICT_NOISE },
		{ "import os\nprint(os.urandom(8).hex())\n", VERDICT_DIFFERS },
	};
	struct place *p = *state;

	need_sandbox(p);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		enum verdict v;
		int64_t a = run_it(p, "s.py", cases[i].code), b = run_it(p, "s.py", cases[i].code);
		struct query *q = open_query(p);
		assert_done(p, compare_agree(q, a, b, &v, &p->e));
		assert_int_equal(v, cases[i].v);
		query_close(q);
	}
}

static void note_step(void *ctx, const struct dependent *d)
{
	struct buf *b = ctx;

	buf_addf(b, "%s<%lld:%s ", d->ref, (long long)d->from, d->path);
}

static void note_input(void *ctx, const struct entry *input, enum input_now now)
{
	struct buf *b = ctx;

	buf_addf(b, "%s %s ", input->path, input_now_word(now));
}

static void note_doubt(void *ctx, const struct dependent *d)
{
	struct buf *b = ctx;

	note_step(b, d);
	if (d->doubt)
		buf_addf(b, "(%s) ", d->doubt);
}

/* Run again, a step may read what a later one makes; even in a circle. */
static void test_backward_graph(void **state)
{
	struct place *p = *state;
	struct buf b = { 0 };

	need_sandbox(p);
	put("in", "1");
	run_it(p, "a.py", "open('x', 'w').write(open('in').read())\n");
	run_it(p, "b.py", "open('y', 'w').write(open('x').read())\n");
	run_it(p, "c.py", "print(1)\n");
	run_it(p, "d.py", "open('w', 'w').write('1')\n");
	run_it(p, "e.py", "open('v', 'w').write('1')\n");
	int64_t d = run_it(p, "d.py", "open('w', 'w').write(open('v').read())\n");
	int64_t a = run_it(p, "a.py", "open('x', 'w').write(open('w').read())\n");
	int64_t b2 = run_it(p, "b.py", "open('y', 'w').write(open('x').read())\n");
	struct query *q = open_query(p);
	assert_done(p, dependents_each(q, &(int64_t){ 5 }, 1, note_doubt, &b, &p->e));
	assert_string_equal(b.data, "4.2<5:v 1.2<4:w 2.2<1:x ");
	int64_t order[] = { a, b2, d };
	assert_done(p, dependents_order(q, order, ARRAY_LEN(order), &p->e));
	assert_true(order[0] == d && order[1] == a && order[2] == b2);
	query_close(q);
	buf_clear(&b);
	run_it(p, "e.py", "open('v', 'w').write(open('y').read())\n");
	q = open_query(p);
	assert_done(p, dependents_each(q, &(int64_t){ 5 }, 1, note_doubt, &b, &p->e));
	assert_string_equal(b.data, "4.2<5:v (v of 5.1, replaced by 5.2) 1.2<4:w 2.2<1:x (a circle: step 5, before it, read what it makes; each runs once) ");
	query_close(q);
	buf_free(&b);
}

static void test_graph(void **state)
{
	struct place *p = *state;
	struct buf b = { 0 };
	size_t n;

	need_sandbox(p);
	put("in", "1");
	int64_t first = run_it(p, "a.py", "open('x', 'w').write(open('in').read())\n");
	run_it(p, "b.py", "open('y', 'w').write(open('x').read())\n");
	run_it(p, "c.py", "print(1)\n");
	run_it(p, "d.py", "print(open('y').read())\n");
	struct query *q = open_query(p);
	assert_done(p, dependents_each(q, &(int64_t){ 1 }, 1, note_step, &b, &p->e));
	assert_string_equal(b.data, "2.1<1:x 4.1<2:y ");
	buf_clear(&b);
	assert_done(p, dependents_each(q, &(int64_t){ 3 }, 1, note_step, &b, &p->e));
	assert_int_equal(b.len, 0);
	assert_done(p, dependents_inputs(q, p->ws, first, note_input, &b, &n, &p->e));
	assert_int_equal(b.len, 0);
	assert_int_equal(n, 1);
	put("in", "2");
	assert_done(p, dependents_inputs(q, p->ws, first, note_input, &b, &n, &p->e));
	assert_string_equal(b.data, "in changed since ");
	int64_t *ids = dependents_changed(q, p->ws, &n, &p->e);
	assert_int_equal(n, 1);
	assert_int_equal(ids[0], first);
	free(ids);
	query_close(q);
	buf_free(&b);
}

static void note_foreseen(void *ctx, const struct foreseen *f)
{
	buf_addf(ctx, "%d %s %lld ", f->kind, f->first, (long long)f->attempts);
}

static void test_foresight(void **state)
{
	struct place *p = *state;
	struct buf b = { 0 };

	need_sandbox(p);
	int64_t ids[] = { run_it(p, "s.py", "print(1)\n"), run_it(p, "s.py", "print(2)\n") };
	struct query *q = open_query(p);
	assert_done(p, foresee(p->ws, q, ids, 2, NULL, note_foreseen, &b, &p->e));
	assert_int_equal(b.len, 0);
	assert_done(p, foresee(p->ws, q, ids, 2, "/no/such/python", note_foreseen, &b, &p->e));
	assert_string_equal(b.data, "1 1.1 2 ");
	query_close(q);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_parts, case_setup, case_teardown),
		cmocka_unit_test_setup_teardown(test_agreement, case_setup, case_teardown),
		cmocka_unit_test_setup_teardown(test_graph, case_setup, case_teardown),
		cmocka_unit_test_setup_teardown(test_backward_graph, case_setup, case_teardown),
		cmocka_unit_test_setup_teardown(test_foresight, case_setup, case_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
