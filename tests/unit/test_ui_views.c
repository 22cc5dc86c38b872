/* Views of the screen when something fails or goes on beneath them. */
#define place case_place /* those of the screen are places of keys */
#include "store_case.h"
#undef place

#include <poll.h>

#include "ui/pager.h"
#include "ui/set.h"

static struct ui ui;

static int begin(void **state)
{
	struct err e = { 0 };

	if (case_setup(state))
		return -1;
	ui = (struct ui){ .cols = 80, .rows = 24, .mouse = true, .workers = workers_new(1, &e), .keymap = keymap_new() };
	return ui.workers ? 0 : -1;
}

static int end(void **state)
{
	while (ui.depth > 0) {
		struct view *v = ui.stack[--ui.depth];
		v->ops->free(v);
	}
	workers_free(ui.workers);
	source_record_close(ui.source);
	query_close(ui.query);
	keymap_free(ui.keymap);
	for (size_t i = 0; i < ui.notices_n; i++)
		free(ui.notices[i].text);
	free(ui.notices);
	free(ui.record);
	free(ui.root);
	return case_teardown(state);
}

static void open_record(struct case_place *p)
{
	ui.evidence = true;
	ui.record = xstrdup(p->db);
	assert_done(p, (ui.query = query_open_file(p->db, &p->e)) != NULL);
	assert_done(p, (ui.source = source_record_open(p->db, false, &p->e)) != NULL);
}

static void until_workers_are_done(void)
{
	while (workers_busy(ui.workers) > 0) {
		struct pollfd fd = { .fd = workers_fd(ui.workers), .events = POLLIN };

		poll(&fd, 1, -1);
		workers_collect(ui.workers);
	}
}

/* What the first line says on the right. */
static void assert_title(struct view *v, const char *begins)
{
	struct buf left = { 0 }, right = { 0 };

	v->ops->title(v, &left, &right);
	if (!right.data || strncmp(right.data, begins, strlen(begins)) != 0)
		fail_msg("'%s' does not begin with '%s'", right.data ? right.data : "", begins);
	buf_free(&left);
	buf_free(&right);
}

static void assert_last_notice(const char *part)
{
	assert_true(ui.notices_n > 0);
	if (!strstr(ui.notices[ui.notices_n - 1].text, part))
		fail_msg("'%s' lacks '%s'", ui.notices[ui.notices_n - 1].text, part);
}

/* ---- a search in a stream that grows -------------------------------------------------------------------- */

static void put(struct case_place *p, struct store *st, int64_t attempt, int64_t *at, const char *s)
{
	struct chunk c = { .stream = STREAM_OUT, .group = *at + 1, .offset_us = *at, .position = *at, .bytes = s, .len = strlen(s) };

	assert_done(p, store_chunks_add(st, attempt, &c, 1, &p->e));
	*at += (int64_t)c.len;
}

static void assert_found(struct view *v, int64_t pos)
{
	struct pager *pager = pager_of(v);

	for (bool more = true; more;) {
		more = false;
		view_idle(v, &more);
	}
	assert_false(pager->hunt.on);
	assert_int_equal(pager->hit.start, pos);
}

static void what_comes_during_a_search_is_searched(void **state)
{
	struct case_place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t attempt = case_queue(p, st, 0), at = 0, hit;
	char *much = xmalloc((1 << 20) + 1);
	struct view *v;

	memset(much, 'x', 1 << 20);
	for (size_t i = 99; i < 1 << 20; i += 100)
		much[i] = '\n';
	much[1 << 20] = '\0';
	for (int i = 0; i < 3; i++)
		put(p, st, attempt, &at, much);
	put(p, st, attempt, &at, "\nNEE");
	open_record(p);
	assert_done(p, (v = pager_plain_new(&ui, &(struct pager_spec){ .attempt = attempt, .section = SECTION_STDOUT }, &p->e)) != NULL);
	ui_push(&ui, v);
	pager_stand_at(pager_of(v), 0);
	v->ops->search(v, "NEEDLE");
	assert_true(pager_of(v)->hunt.on);
	hit = at - 3;
	put(p, st, attempt, &at, "DLE\n");
	v->ops->changed(v, attempt);
	assert_found(v, hit);

	/* backwards, once around */
	pager_of(v)->hit = (struct range){ 10, 11 };
	pager_stand_at(pager_of(v), 0);
	v->ops->search(v, "STRAW");
	pager_of(v)->hunt.on = false;
	pager_search_prev(v, NULL);
	assert_true(pager_of(v)->hunt.on);
	hit = at;
	put(p, st, attempt, &at, "STRAW\n");
	v->ops->changed(v, attempt);
	assert_found(v, hit);
	for (size_t i = 0; i < ui.notices_n; i++)
		assert_null(strstr(ui.notices[i].text, "not found"));
	free(much);
	store_close(st);
}

/* ---- what fails half way ---------------------------------------------------------------------------------- */

static void a_search_that_failed_is_not_whole(void **state)
{
	struct case_place *p = *state;

	open_record(p);
	free(ui.record);
	ui.record = xstrdup("/nonexistent/record.db");
	act_search_record(&(struct view){ .ui = &ui }, "x");
	until_workers_are_done();
	assert_title(ui_top(&ui), "FAILED, NOT ALL SEARCHED · 0 hits");
	assert_last_notice("/nonexistent/record.db");
}

static void a_queue_that_failed_is_of_before(void **state)
{
	struct case_place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t attempt = case_queue(p, st, 0);
	char *away = xasprintf("%s.away", p->db);
	struct view *v;

	case_end(p, st, attempt, "1\n", VERDICT_NONE);
	store_close(st);
	open_record(p);
	ui_push(&ui, v = view_queue_new(&ui, &(struct queue_request){ 0 }, 0));
	until_workers_are_done();
	assert_title(v, "1 to review");
	assert_int_equal(rename(p->db, away), 0);
	v->ops->changed(v, attempt);
	until_workers_are_done();
	assert_title(v, "FAILED, AS IT WAS BEFORE · 1 to review");
	assert_last_notice("the queue could not be looked at again");
	assert_int_equal(rename(away, p->db), 0);
	v->ops->changed(v, 0);
	until_workers_are_done();
	assert_title(v, "1 to review");
	free(away);
}

/* Nothing is run that was asked for with more than is known. */
static void a_rerun_without_its_later_steps_is_not_begun(void **state)
{
	struct case_place *p = *state;
	struct view *v;

	ui.root = xstrdup(p->dir); /* which is no workspace */
	v = view_rerun_new(&ui, &(struct subject){ .attempt = 1, .step = 1, .ref = "1.1" }, 1);
	ui_push(&ui, v);
	until_workers_are_done();
	assert_int_equal(view_action(v, CMD_RERUN, NULL), TURN_DRAW);
	assert_last_notice("which later ones follow is not known");
	assert_null(ui.children);
}

static void what_cannot_be_kept_is_not_set(void **state)
{
	struct view v = { .ui = &ui };

	(void)state;
	setenv("XDG_CONFIG_HOME", "/dev/null", 1);
	act_set(&v, "mouse off");
	assert_last_notice("not set");
	assert_true(ui.mouse);
	act_set(&v, "key.wrap X");
	assert_last_notice("not set");
	assert_int_equal(keymap_find(ui.keymap, PLACE_PAGER, 'X'), CMD_NONE);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_comes_during_a_search_is_searched, begin, end),
		cmocka_unit_test_setup_teardown(a_search_that_failed_is_not_whole, begin, end),
		cmocka_unit_test_setup_teardown(a_queue_that_failed_is_of_before, begin, end),
		cmocka_unit_test_setup_teardown(a_rerun_without_its_later_steps_is_not_begun, begin, end),
		cmocka_unit_test_setup_teardown(what_cannot_be_kept_is_not_set, begin, end),
	};

	(void)argv;
	if (argc > 1) /* a run that should not have been begun: `tickmark` is this program */
		return 0;
	alarm(300);
	return cmocka_run_group_tests_name("ui/views", tests, NULL, NULL);
}
