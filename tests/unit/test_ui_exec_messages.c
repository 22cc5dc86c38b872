/* ui/exec_messages.c within the tree of the Execution pane: where messages stand between steps. */
#include "store_case.h"

#include "model/query_private.h"
#include "ui/exec_tree.h"

static int64_t created(struct place *p, struct store *st, int64_t step)
{
	int64_t us = 0;

	assert_done(p, store_step_created(st, step, &us, &p->e));
	return us;
}

static void say(struct place *p, struct store *st, int64_t at_us, const char *text, int64_t cites)
{
	struct message m = { .by = { ASKER_ASSISTANT, "helper", NULL }, .text = text, .at_us = at_us, .how = "mcp" };

	assert_done(p, store_message_add(st, &m, &cites, cites != 0, &p->e));
}

static void add_row(struct buf *b, struct exec_tree *t, const struct list_key *key)
{
	if (b->len)
		buf_addc(b, ' ');
	if (exec_level(key) == LEVEL_MESSAGE)
		buf_addf(b, "m%lld", (long long)key->v[3]);
	else if (exec_level(key) == LEVEL_STEP)
		buf_addf(b, "%lld", (long long)key->v[0]);
	else
		buf_adds(b, exec_tree_item(t, key)->ref);
}

/* From one end to the other, each row once; and the other way round the same rows. */
static void assert_list(struct exec_tree *t, const char *down, const char *up)
{
	const char *wanted[] = { down, up };

	for (int i = 0; i < 2; i++) {
		int dir = i ? -1 : 1, rows = 0;
		struct buf b = { 0 };
		struct list_key key, before;
		bool any = exec_tree_ops.end(t, dir, &key);
		while (any) {
			add_row(&b, t, &key);
			before = key;
			assert_true(++rows < 100);
			any = exec_tree_ops.step(t, &key, dir);
			if (any)
				assert_int_equal(exec_tree_ops.compare(t, &before, &key), -dir);
		}
		assert_string_equal(b.data ? b.data : "", wanted[i]);
		buf_free(&b);
	}
}

struct open {
	struct store *st;
	struct query q;
	struct exec_tree *t;
};

static void open_tree(struct place *p, int steps, struct open *o)
{
	*o = (struct open){ .st = case_open(p, STORE_WRITE), .q.store = case_open(p, STORE_READ) };
	for (int i = 0; i < steps; i++)
		case_queue(p, o->st, 0);
	o->t = exec_tree_new((struct section_context){ .query = &o->q });
}

static void close_tree(struct open *o)
{
	exec_tree_free(o->t);
	store_close(o->q.store);
	store_close(o->st);
}

static void between_the_steps(void **state)
{
	struct place *p = *state;
	struct open o;

	open_tree(p, 3, &o);
	int64_t one = created(p, o.st, 1), two = created(p, o.st, 2), three = created(p, o.st, 3);

	assert_list(o.t, "1 2 3", "3 2 1");
	say(p, o.st, one - 5, "before all", 0);
	say(p, o.st, one, "at once", 0);
	say(p, o.st, three + 5, "behind all", 0);
	exec_tree_changed(o.t, 0);
	assert_list(o.t, "m1 1 m2 2 3 m3", "m3 3 2 m2 1 m1");
	/* A merged one is older than those that were there before it. */
	say(p, o.st, two + 1, "merged", 0);
	say(p, o.st, one + 1, "merged too", 0);
	say(p, o.st, three + 9, "the last", 0);
	assert_list(o.t, "m1 1 m2 2 3 m3", "m3 3 2 m2 1 m1"); /* nobody said that there was news */
	exec_tree_changed(o.t, 0);
	assert_list(o.t, "m1 1 m2 m5 2 m4 3 m3 m6", "m6 m3 3 m4 2 m5 m2 1 m1");
	close_tree(&o);
}

static void behind_an_unfolded_step(void **state)
{
	struct place *p = *state;
	struct open o;

	open_tree(p, 2, &o);
	struct list_key step = { { 1, 0, 0, 0 } }, up;

	case_queue(p, o.st, 1);
	say(p, o.st, created(p, o.st, 1) + 1, "see [1.1]", 1);
	exec_tree_fold(o.t, &step, true);
	assert_list(o.t, "1 1.1 1.2 m1 2", "2 m1 1.2 1.1 1");
	struct list_key said = { { 1, MESSAGE_ROW, created(p, o.st, 1) + 1, 1 } };
	assert_int_equal(exec_tree_attempt_id(o.t, &said), 1);
	assert_false(exec_can_unfold(&said));
	assert_null(exec_tree_item(o.t, &said));
	assert_true(exec_tree_parent(o.t, &said, &up));
	assert_true(listbox_key_equal(&up, &step));
	close_tree(&o);
}

static void messages_alone(void **state)
{
	struct place *p = *state;
	struct open o;
	struct list_key key, up;

	open_tree(p, 0, &o);
	assert_list(o.t, "", "");
	say(p, o.st, 10, "a\nb  \033[1mc", 0);
	say(p, o.st, 10, "d", 0);
	exec_tree_changed(o.t, 0);
	assert_list(o.t, "m1 m2", "m2 m1");
	assert_true(exec_tree_ops.end(o.t, 1, &key));
	assert_string_equal(exec_messages_line(exec_tree_messages(o.t), &key), "helper  a b \033[1mc");
	assert_int_equal(exec_tree_attempt_id(o.t, &key), 0);
	assert_false(exec_tree_parent(o.t, &key, &up));
	close_tree(&o);
}

/* Where the rows of a filtered list are few, messages would say nothing of them. */
static void not_in_a_filtered_list(void **state)
{
	struct place *p = *state;
	struct open o;
	struct list_key said;

	open_tree(p, 2, &o);
	say(p, o.st, created(p, o.st, 2) + 1, "x", 0);
	assert_true(exec_tree_ops.end(o.t, -1, &said));
	exec_steps_filter(exec_tree_steps(o.t), list_filter_new("outcome:error", &p->e));
	assert_list(o.t, "", "");
	exec_steps_filter(exec_tree_steps(o.t), list_filter_new("Roll", &p->e));
	assert_list(o.t, "1 2", "2 1");
	/* The cursor that stood on one leaves it. */
	struct list_key up = said, down = said;
	assert_true(exec_tree_ops.step(o.t, &up, -1));
	assert_int_equal(up.v[0], 2);
	assert_int_equal(exec_level(&up), LEVEL_STEP);
	assert_false(exec_tree_ops.step(o.t, &down, 1));
	exec_steps_filter(exec_tree_steps(o.t), NULL);
	assert_list(o.t, "1 2 m1", "m1 2 1");
	close_tree(&o);
}

/* Numbers of steps that are gone leave no row, and what was said behind them stands behind the one before. */
static void a_step_that_is_gone(void **state)
{
	struct place *p = *state;
	struct open o;

	open_tree(p, 3, &o);
	say(p, o.st, created(p, o.st, 2) + 1, "of 2", 0);
	case_sql(p, "DELETE FROM step_tally WHERE step = 2");
	exec_tree_changed(o.t, 0);
	assert_list(o.t, "1 m1 3", "3 m1 1");
	struct list_key old = { { 2, MESSAGE_ROW, created(p, o.st, 2) + 1, 1 } }, up = old, down = old;
	assert_true(exec_tree_ops.step(o.t, &up, -1));
	assert_int_equal(up.v[0], 1);
	assert_true(exec_tree_ops.step(o.t, &down, 1));
	assert_int_equal(down.v[0], 3);
	close_tree(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(between_the_steps, case_setup, case_teardown),
		cmocka_unit_test_setup_teardown(behind_an_unfolded_step, case_setup, case_teardown),
		cmocka_unit_test_setup_teardown(messages_alone, case_setup, case_teardown),
		cmocka_unit_test_setup_teardown(not_in_a_filtered_list, case_setup, case_teardown),
		cmocka_unit_test_setup_teardown(a_step_that_is_gone, case_setup, case_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
