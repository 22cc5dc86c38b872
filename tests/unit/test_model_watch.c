/* watch.c: whoever watches a record is told what changed, soon and once. */
#include "model/watch.h"

#include <poll.h>

#include "store_case.h"

struct told {
	int64_t ids[64];
	size_t n;
};

static void note(void *ctx, int64_t attempt)
{
	struct told *t = ctx;

	assert_true(t->n < ARRAY_LEN(t->ids));
	t->ids[t->n++] = attempt;
}

static struct watch *opened(struct place *p)
{
	struct watch *w = watch_open(p->db, false, &p->e);

	if (!w)
		fail_msg("watch_open: %s", p->e.msg);
	return w;
}

/* Waits for news (a hang guard is all the time there is in it); adds the attempts to *t. */
static unsigned await(struct place *p, struct watch *w, struct told *t)
{
	for (int wakes = 0; wakes < 2000; wakes++) {
		struct pollfd fd = { .fd = watch_fd(w), .events = POLLIN };
		unsigned news;
		assert_int_equal(poll(&fd, 1, 10000), 1);
		news = watch_read(w, note, t, &p->e);
		if (news)
			return news;
	}
	fail_msg("no news");
	return 0;
}

static bool has(const struct told *t, int64_t id)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->ids[i] == id)
			return true;
	return false;
}

/* Waits until it was told of this attempt; a call tells of each once. */
static void await_attempt(struct place *p, struct watch *w, int64_t id)
{
	struct told t;

	do {
		t.n = 0;
		assert_int_equal(await(p, w, &t), WATCH_RECORD);
		for (size_t i = 0; i < t.n; i++)
			for (size_t k = 0; k < i; k++)
				assert_int_not_equal(t.ids[i], t.ids[k]);
	} while (!has(&t, id));
}

/* Everything that can be told now has been told: three looks without news. */
static void settle(struct place *p, struct watch *w)
{
	struct told t = { 0 };

	for (int quiet = 0; quiet < 3; quiet++) {
		struct pollfd fd = { .fd = watch_fd(w), .events = POLLIN };
		assert_int_equal(poll(&fd, 1, 10000), 1);
		assert_int_equal(watch_read(w, note, &t, &p->e), WATCH_NOTHING);
	}
}

static void told_of_queue_growth_and_end(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t before = case_queue(p, st, 0), a, b;
	struct watch *w = opened(p);
	struct chunk c = { .stream = STREAM_OUT, .group = 1, .bytes = "x", .len = 1 };
	struct told t = { 0 };

	settle(p, w); /* what was there before is no news */
	a = case_queue(p, st, 0);
	await_attempt(p, w, a);
	settle(p, w);
	assert_done(p, store_chunks_add(st, a, &c, 1, &p->e));
	await_attempt(p, w, a);
	b = case_queue(p, st, 0);
	await_attempt(p, w, b);
	case_end(p, st, a, "out", VERDICT_NONE);
	await_attempt(p, w, a);
	settle(p, w);
	assert_done(p, store_event(st, "exported", 0, "a file", &p->e));
	assert_int_equal(await(p, w, &t), WATCH_RECORD); /* what ended is no news any more */
	assert_false(has(&t, a));
	assert_true(has(&t, before) && has(&t, b));
	watch_close(w);
	store_close(st);
}

/* Something that is about no attempt. */
static void told_of_the_record(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct watch *w = opened(p);
	struct told t = { 0 };

	assert_done(p, store_event(st, "exported", 0, "a file", &p->e));
	assert_int_equal(await(p, w, &t), WATCH_RECORD);
	assert_int_equal(t.n, 0);
	watch_close(w);
	watch_close(NULL);
	store_close(st);
}

/* Another process writes; the WAL is emptied meanwhile. */
static void told_of_other_processes(void **state)
{
	struct place *p = *state;
	struct watch *w = opened(p);
	int status;
	pid_t child = fork();

	if (child == 0) {
		struct store *st = store_open(p->db, STORE_WRITE, &p->e);
		for (int i = 0; st && i < 30; i++) {
			case_queue(p, st, 0);
			if (i % 10 == 5)
				store_checkpoint(st, NULL);
		}
		store_close(st);
		_exit(st ? 0 : 1);
	}
	await_attempt(p, w, 30);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	settle(p, w);
	watch_close(w);
}

/* No transaction of the watch holds up a checkpoint. */
static void holds_nothing(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct watch *w = opened(p);
	struct told t = { 0 };

	for (int i = 0; i < 5; i++) {
		case_queue(p, st, 0);
		await(p, w, &t);
		assert_done(p, store_checkpoint(st, &p->e));
	}
	watch_close(w);
	store_close(st);
}

static void too_much_is_lost(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct watch *w = opened(p);
	struct told t = { 0 };
	unsigned news;

	case_sql(p, "INSERT INTO change (seq, attempt) VALUES (1000, 1), (1001, 2)");
	do
		news = await(p, w, &t);
	while (!(news & WATCH_LOST));
	assert_int_equal(t.n, 2);
	case_sql(p, "INSERT INTO change (seq, attempt) VALUES (1002, 3)");
	t.n = 0;
	assert_int_equal(await(p, w, &t), WATCH_RECORD);
	assert_int_equal(t.n, 1);
	watch_close(w);
	store_close(st);
}

static void failure_is_told_and_mends(void **state)
{
	struct place *p = *state;
	struct watch *w = opened(p);
	struct told t = { 0 };
	unsigned news;

	case_sql(p, "ALTER TABLE change RENAME TO gone");
	assert_int_equal(await(p, w, &t), WATCH_FAILED);
	assert_int_not_equal(p->e.code, ERR_NONE);
	case_sql(p, "ALTER TABLE gone RENAME TO change");
	do
		news = await(p, w, &t);
	while (news == WATCH_FAILED);
	assert_true(news & WATCH_RECORD);
	case_sql(p, "INSERT INTO change (attempt) VALUES (7)");
	await_attempt(p, w, 7);
	watch_close(w);
}

static void evidence_is_silent(void **state)
{
	struct place *p = *state;
	struct watch *w = watch_open(p->db, true, &p->e);
	struct pollfd fd;

	assert_non_null(w);
	fd = (struct pollfd){ .fd = watch_fd(w), .events = POLLIN };
	assert_int_equal(poll(&fd, 1, 0), 0);
	assert_int_equal(watch_read(w, note, NULL, &p->e), WATCH_NOTHING);
	watch_close(w);
	assert_null(watch_open("/nonexistent/record.db", false, &p->e));
	assert_int_equal(p->e.code, ERR_NOTFOUND);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, case_setup, case_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(told_of_queue_growth_and_end),
		CASE(told_of_the_record),
		CASE(told_of_other_processes),
		CASE(holds_nothing),
		CASE(too_much_is_lost),
		CASE(failure_is_told_and_mends),
		CASE(evidence_is_silent),
	};

	return cmocka_run_group_tests_name("model/watch", tests, NULL, NULL);
}
