/* Runs of other processes: stopping them, waiting, and what is said of runners that vanished. */
#include "run_case.h"

#include "model/control.h"
#include "model/runfile.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <time.h>

static const char endless[] = "import time\nprint('started', flush=True)\nopen('part.csv', 'w').write('1')\ntime.sleep(3600)\n";

/* Starts it and waits until its script has said something. */
static struct run *start(struct place *p, int64_t *attempt)
{
	struct run_request req = request();
	struct run_event ev;

	put("step.py", endless);
	req.script = "step.py";
	struct run *r = run_start(p->ws, &req, &p->e);
	assert_done(p, r);
	while (run_next(r, &ev, 60000, &p->e) == 1 && ev.kind != RUN_BYTES)
		;
	*attempt = ev.attempt;
	return r;
}

static bool note(void *ctx, const struct runfile *f)
{
	*(struct runfile *)ctx = *f;
	return true;
}

static void test_stop_attempt(void **state)
{
	struct place *p = *state;
	struct detail d;
	int64_t attempt, n;

	need_sandbox(p);
	run_free(start(p, &attempt));
	assert_int_equal(run_state(p->ws, attempt, &p->e), RUNNER_ALIVE);
	assert_fails(p, ERR_NOTFOUND, "not running", run_stop_attempt(p->ws, attempt + 1, "x", &p->e));
	assert_fails(p, ERR_BUSY, "still running", run_wait(p->ws, attempt, 10, &p->e));
	/* Alive, so nobody speaks for it. */
	assert_done(p, run_reap(p->ws, &n, &p->e));
	assert_int_equal(n, 0);
	read_detail(p, attempt, &d);
	assert_int_equal(d.state, OUTCOME_RUNNING);
	query_detail_free(&d);

	assert_done(p, run_stop_attempt(p->ws, attempt, "tickmark stop by jm", &p->e));
	assert_done(p, run_wait(p->ws, attempt, 60000, &p->e));
	read_detail(p, attempt, &d);
	assert_int_equal(d.state, OUTCOME_STOPPED);
	assert_string_equal(d.end.stopped_by, "tickmark stop by jm");
	assert_int_equal(d.artifacts_n, 1);
	query_detail_free(&d);
	assert_int_equal(run_state(p->ws, attempt, &p->e), RUNNER_GONE);
	assert_fails(p, ERR_NOTFOUND, "not running", run_stop_attempt(p->ws, attempt, "x", &p->e));
}

static void test_stop_all(void **state)
{
	struct place *p = *state;
	struct detail d;
	int64_t attempts[2], n;

	need_sandbox(p);
	for (int i = 0; i < 2; i++)
		run_free(start(p, &attempts[i]));
	assert_done(p, run_stop_all(p->ws, "jm", &n, &p->e));
	assert_int_equal(n, 2);
	for (int i = 0; i < 2; i++) {
		assert_done(p, run_wait(p->ws, attempts[i], 60000, &p->e));
		read_detail(p, attempts[i], &d);
		assert_int_equal(d.state, OUTCOME_STOPPED);
		query_detail_free(&d);
	}
	assert_done(p, run_stop_all(p->ws, "jm", &n, &p->e));
	assert_int_equal(n, 0);
}

/* A plain kill: the record names who sent it, as far as a signal tells. */
static void test_bare_signal(void **state)
{
	struct place *p = *state;
	struct runfile f = { 0 };
	struct detail d;
	int64_t attempt;

	need_sandbox(p);
	run_free(start(p, &attempt));
	assert_done(p, runfile_each(p->ws, note, &f, &p->e));
	assert_int_equal(f.attempt, attempt);
	assert_int_equal(kill(f.pid, SIGTERM), 0);
	assert_done(p, run_wait(p->ws, attempt, 60000, &p->e));
	read_detail(p, attempt, &d);
	assert_int_equal(d.state, OUTCOME_STOPPED);
	assert_has(d.end.stopped_by, "process ");
	query_detail_free(&d);
}

/* Hang-up, interrupt and the like do not end a run. */
static void test_other_signals(void **state)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTSTP, SIGXFSZ };
	struct place *p = *state;
	struct runfile f = { 0 };
	int64_t attempt, n;

	need_sandbox(p);
	run_free(start(p, &attempt));
	assert_done(p, runfile_each(p->ws, note, &f, &p->e));
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		assert_int_equal(kill(f.pid, signals[i]), 0);
	assert_fails(p, ERR_BUSY, "still running", run_wait(p->ws, attempt, 100, &p->e));
	assert_int_equal(run_state(p->ws, attempt, &p->e), RUNNER_ALIVE);
	assert_int_equal(getsid(f.pid), f.pid);
	assert_done(p, run_stop_all(p->ws, "the test", &n, &p->e));
	assert_done(p, run_wait(p->ws, attempt, 60000, &p->e));
}

/* kill -9 of the runner: the script dies with it, and whoever comes by says what became of it. */
static void test_vanished_runner(void **state)
{
	struct place *p = *state;
	struct runfile f = { 0 };
	struct run_event ev;
	struct detail d;
	int64_t attempt, n;
	int got;

	need_sandbox(p);
	struct run *r = start(p, &attempt);
	assert_done(p, runfile_each(p->ws, note, &f, &p->e));
	/* The first bytes are committed after a while; the record must have them before it is killed. */
	struct query *q;
	struct buf out = { 0 };
	for (int i = 0; i < 3000 && out.len < 8; i++) {
		static const struct timespec ms = { .tv_nsec = 1000000 };
		nanosleep(&ms, NULL);
		sqlite3 *db;
		assert_int_equal(sqlite3_open_v2(p->ws->record, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
		sqlite3_stmt *s;
		assert_int_equal(sqlite3_prepare_v2(db, "SELECT bytes FROM stream_chunk", -1, &s, NULL), SQLITE_OK);
		buf_clear(&out);
		while (sqlite3_step(s) == SQLITE_ROW)
			buf_add(&out, sqlite3_column_blob(s, 0), (size_t)sqlite3_column_bytes(s, 0));
		sqlite3_finalize(s);
		sqlite3_close(db);
	}
	assert_string_equal(out.data, "started\n");
	buf_free(&out);
	assert_int_equal(kill(f.pid, SIGKILL), 0);
	while ((got = run_next(r, &ev, 60000, &p->e)) == 1 && ev.kind == RUN_BYTES)
		;
	assert_int_equal(got, 1);
	assert_int_equal(ev.kind, RUN_GONE);
	run_free(r);

	assert_int_equal(run_state(p->ws, attempt, &p->e), RUNNER_GONE);
	read_detail(p, attempt, &d);
	assert_int_equal(d.state, OUTCOME_INTERRUPTED);
	assert_int_equal(d.end.attempt, 0);
	query_detail_free(&d);
	assert_done(p, run_reap(p->ws, &n, &p->e));
	assert_int_equal(n, 1);
	read_detail(p, attempt, &d);
	assert_int_equal(d.end.outcome, OUTCOME_INTERRUPTED);
	assert_int_equal(d.end.out_bytes, 8);
	assert_int_equal(d.end.answer, 1);
	/* It did start. */
	assert_true(d.end.started_us >= d.attempt.queued_us && d.end.started_us <= d.end.ended_us);
	query_detail_free(&d);
	assert_done(p, run_reap(p->ws, &n, &p->e));
	assert_int_equal(n, 0);
	assert_done(p, run_wait(p->ws, attempt, 0, &p->e));
	/* And the record is sound. */
	struct verify_report report;
	assert_done(p, q = query_open(p->ws, &p->e));
	assert_done(p, query_verify(q, NULL, NULL, NULL, &report, &p->e));
	assert_int_equal(report.faults, 0);
	query_close(q);
}

/* What is not of this machine, this boot or this file is judged accordingly. */
static void test_where_from(void **state)
{
	struct place *p = *state;
	struct uuid u = uuid_new();
	struct stat st;

	assert_int_equal(stat(p->ws->record, &st), 0);
	struct control_row here = { u, clock_host(), clock_boot_id(), (int64_t)st.st_dev, (int64_t)st.st_ino };
	struct control_row row = here;
	assert_int_equal(control_state(p->ws, &row), RUNNER_GONE);
	int fd = runfile_make(p->ws, &u, &p->e);
	assert_int_equal(control_state(p->ws, &row), RUNNER_ALIVE);
	row.host = "elsewhere";
	assert_int_equal(control_state(p->ws, &row), RUNNER_UNKNOWN);
	row = here;
	row.inode++; /* a copy: the original may still go on */
	assert_int_equal(control_state(p->ws, &row), RUNNER_UNKNOWN);
	row = here;
	row.device++;
	assert_int_equal(control_state(p->ws, &row), RUNNER_UNKNOWN);
	/* After a boot nothing of before is alive, whoever holds that lock now, and devices have new numbers. */
	row.boot_id = "another";
	assert_int_equal(control_state(p->ws, &row), RUNNER_GONE);
	close(fd);
}

/* ---- the file itself ---- */

static void test_runfile(void **state)
{
	struct place *p = *state;
	struct uuid u = uuid_new(), other = uuid_new();
	struct runfile f;
	int64_t n;

	assert_false(runfile_is_held(p->ws, &u));
	int fd = runfile_make(p->ws, &u, &p->e);
	assert_true(fd >= 0);
	assert_true(runfile_is_held(p->ws, &u));
	assert_false(runfile_is_held(p->ws, &other));
	assert_done(p, runfile_queued(fd, &u, 12, 345, p->ws->record, &p->e));
	assert_true(runfile_read(p->ws, &u, &f));
	assert_int_equal(f.pid, getpid());
	assert_int_equal(f.attempt, 12);
	assert_true(f.inode > 0);
	assert_fails(p, ERR_BUSY, "alive", runfile_take(p->ws, &u, &p->e) >= 0);
	assert_done(p, runfile_sweep(p->ws, &n, &p->e));
	assert_int_equal(n, 0);

	/* Whose start time is another one's is another process. */
	f.pid_start++;
	assert_fails(p, ERR_NOTFOUND, "not there any more", runfile_stop(p->ws, &f, "x", &p->e));

	close(fd);
	assert_false(runfile_is_held(p->ws, &u));
	fd = runfile_take(p->ws, &u, &p->e);
	assert_true(fd >= 0);
	close(fd);
	put(".tickmark/run/nonsense", "x");
	assert_done(p, runfile_sweep(p->ws, &n, &p->e));
	assert_int_equal(n, 1);
	assert_false(runfile_read(p->ws, &u, &f));
	assert_true(fs_exists(AT_FDCWD, ".tickmark/run/nonsense"));
}

/* Who brings contents in without a run shows a sign of life, too: whoever collects meanwhile leaves what came in. */
struct bringing {
	struct place *p;
	int parts, seen;
};

static bool collect_meanwhile(const void *ctx)
{
	struct bringing *b = *(struct bringing *const *)ctx;
	struct uuid dead = uuid_new();
	struct runfile f = { 0 };
	int64_t n;

	if (b->parts++ != 2)
		return false;
	close(runfile_make(b->p->ws, &dead, &b->p->e));
	assert_done(b->p, run_reap(b->p->ws, &n, &b->p->e));
	/* It is no runner that could be stopped. */
	assert_done(b->p, runfile_each(b->p->ws, note, &f, &b->p->e));
	assert_int_equal(f.pid, 0);
	assert_false(runfile_none(b->p->ws));
	b->seen++;
	return false;
}

static void test_bringing_in(void **state)
{
	struct place *p = *state;
	struct bringing b = { .p = p }, *at = &b;
	size_t n = 13 << 20;
	char *bytes = calloc(1, n);
	int fd = open("big", O_RDWR | O_CREAT, 0600);

	assert_true(fd >= 0);
	for (size_t i = 0; i < n; i += 4096)
		memcpy(bytes + i, &i, sizeof(i));
	assert_done(p, fs_write_fd(fd, bytes, n, "big", &p->e));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	store_set_cancel(workspace_store(p->ws, &p->e), &(struct cancel){ collect_meanwhile, &at });
	assert_done(p, attach_add_fd(p->ws, fd, "piped.bin", NULL, &p->e));
	assert_true(b.seen == 1);
	assert_true(runfile_none(p->ws));
	close(fd);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_stop_attempt), TEST(test_stop_all), TEST(test_bare_signal), TEST(test_other_signals),
		TEST(test_vanished_runner), TEST(test_where_from), TEST(test_runfile), TEST(test_bringing_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
