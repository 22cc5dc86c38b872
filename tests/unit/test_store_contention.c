/* Several writers, locks held by others, writers that are killed, disks that are full. */
#include <signal.h>
#include <sys/resource.h>

#include "store_case.h"

static int64_t faults_n;

static void count_fault(void *ctx, const char *what)
{
	(void)ctx;
	faults_n++;
	print_error("%s\n", what);
}

static void assert_verifies(struct place *p)
{
	struct store *st = case_open(p, STORE_READ);
	struct verify_result r;

	faults_n = 0;
	assert_done(p, store_verify(st, count_fault, NULL, NULL, &r, &p->e));
	assert_int_equal(faults_n, 0);
	store_close(st);
}

static void put_attempt(struct place *p, struct store *st, int64_t step, struct chunks_hash *h)
{
	struct attempt_end end = { .attempt = case_queue(p, st, step), .outcome = OUTCOME_OK, .ended_us = 1 };

	store_chunks_hash_begin(h);
	for (int i = 0; i < 5; i++)
		case_chunk(p, st, end.attempt, "a line\n", h);
	end.chunks_sha256 = store_chunks_hash_end(h, NULL);
	end.out_bytes = 35;
	assert_done(p, store_attempt_end(st, &end, NULL, &p->e));
}

/* ---- many writers --------------------------------------------------------------------------------- */

static void eight_writers_lose_nothing(void **state)
{
	enum { WRITERS = 8, ATTEMPTS = 5 };
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	pid_t pids[WRITERS];
	int status;

	case_queue(p, st, 0);
	store_close(st); /* before the forks: no connection crosses one */
	for (int i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			struct chunks_hash h;

			st = case_open(p, STORE_WRITE);
			for (int k = 0; k < ATTEMPTS; k++)
				put_attempt(p, st, i % 2, &h); /* of one step, or new ones */
			store_close(st);
			_exit(0);
		}
	}
	for (int i = 0; i < WRITERS; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_int_equal(case_number(p, "SELECT count(*) FROM attempt"), WRITERS * ATTEMPTS + 1);
	assert_int_equal(case_number(p, "SELECT max(number) FROM attempt WHERE step = 1"), WRITERS / 2 * ATTEMPTS + 1);
	assert_int_equal(case_number(p, "SELECT count(*) FROM stream_chunk"), WRITERS * ATTEMPTS * 5);
	assert_verifies(p);
}

/* ---- locks ------------------------------------------------------------------------------------------ */

/* Another process that holds the write lock until it is told, or for good. */
struct holder {
	pid_t pid;
	int tell;
};

static struct holder hold(struct place *p)
{
	int ready[2], tell[2];
	struct holder h;
	char c;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(tell), 0);
	h.pid = fork();
	if (h.pid == 0) {
		sqlite3 *db;

		close(tell[1]);
		sqlite3_open(p->db, &db);
		if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK || write(ready[1], "x", 1) != 1)
			_exit(1);
		if (read(tell[0], &c, 1) < 0)
			_exit(1);
		sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
		_exit(0);
	}
	close(ready[1]);
	close(tell[0]);
	h.tell = tell[1];
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return h;
}

static void let_go(struct holder *h)
{
	int status;

	close(h->tell);
	assert_int_equal(waitpid(h->pid, &status, 0), h->pid);
	assert_int_equal(status, 0);
}

/* A second process queues while the lock is held and is done once it is free. */
static void short_locks_are_waited_for(void **state)
{
	struct place *p = *state;
	struct holder h = hold(p);
	int began[2], status;
	pid_t pid;
	char c;

	assert_int_equal(pipe(began), 0);
	pid = fork();
	if (pid == 0) {
		struct store *st;

		close(h.tell); /* or the holder would never see it closed */
		st = case_open(p, STORE_WRITE); /* opening needs no lock of writers */
		if (write(began[1], "x", 1) != 1)
			_exit(1);
		case_queue(p, st, 0);
		store_close(st);
		_exit(0);
	}
	assert_int_equal(read(began[0], &c, 1), 1);
	assert_int_equal(case_number(p, "SELECT count(*) FROM attempt"), 0);
	let_go(&h);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(case_number(p, "SELECT count(*) FROM attempt"), 1);
	close(began[0]);
	close(began[1]);
}

static void lasting_locks_are_called_locks(void **state)
{
	struct place *p = *state;
	struct holder h = hold(p);
	struct store *st = case_open(p, STORE_WRITE);
	struct attempt_full a;
	int64_t began = clock_mono_us();

	assert_fails(p, ERR_BUSY, "locked by another process", store_event(st, "x", 0, NULL, &p->e));
	assert_true(clock_mono_us() - began >= 4900000);
	assert_fails(p, ERR_NOTFOUND, "no attempt", store_attempt_get(st, 1, &a, &p->e)); /* reading goes on */
	let_go(&h);
	assert_done(p, store_event(st, "x", 0, NULL, &p->e)); /* and the connection is as good as before */
	store_close(st);
}

/* ---- kills ------------------------------------------------------------------------------------------- */

/* Queues attempts for ever, telling each that is said to be durable. */
static void write_until_killed(struct place *p, int out)
{
	struct store *st = case_open(p, STORE_WRITE);
	struct uuid owner = uuid_new();
	char *large = xcalloc(1, 5 << 20);
	struct digest d;
	struct chunks_hash h;

	for (int i = 0;; i++) {
		int64_t id;

		put_attempt(p, st, 0, &h);
		assert_done(p, store_attempt_last(st, 0, &id, &p->e));
		large[0] = (char)i;
		large[1] = (char)(i >> 8);
		if (write(out, &id, sizeof(id)) != sizeof(id))
			_exit(1);
		if (i % 8 == 7)
			assert_done(p, store_blob_put(st, &owner, large, 5 << 20, &d, &p->e));
	}
}

static bool nobody_lives(void *ctx, const struct uuid *owner)
{
	(void)ctx;
	(void)owner;
	return false;
}

#ifdef __SANITIZE_ADDRESS__
#define ROUNDS 12 /* a sanitized child takes long to fork and to begin */
#else
#define ROUNDS 63 /* seven of each number of attempts */
#endif

static void killed_writers_leave_a_whole_record(void **state)
{
	struct place *p = *state;
	int64_t told = 0, id;
	int rounds = getenv("SOAK") ? 2000 : ROUNDS; /* tests/cli/19-kills.t kills whole runners besides */

	for (int round = 0; round < rounds; round++) {
		struct store *st;
		int fds[2], status;
		pid_t pid;

		assert_int_equal(pipe(fds), 0);
		pid = fork();
		if (pid == 0) {
			close(fds[0]);
			write_until_killed(p, fds[1]);
		}
		close(fds[1]);
		/* After another number of attempts each time: the kill meets the next one anywhere. */
		for (int i = 0; i < 1 + round % 9; i++) {
			assert_int_equal(read(fds[0], &id, sizeof(id)), sizeof(id));
			told = id;
		}
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		while (read(fds[0], &id, sizeof(id)) == sizeof(id))
			told = id;
		close(fds[0]);

		st = case_open(p, STORE_WRITE);
		assert_done(p, store_attempt_last(st, 0, &id, &p->e));
		assert_true(id >= told);
		assert_done(p, store_blob_collect(st, nobody_lives, NULL, &p->e));
		store_close(st);
		assert_int_equal(case_number(p, "SELECT count(*) FROM blob_chunk WHERE id >> 24 NOT IN (SELECT id FROM blob)"), 0);
		if (round % 50 == 0 || round == rounds - 1)
			assert_verifies(p);
	}
	print_message("%d kills, no acknowledged attempt lost\n", rounds);
}

/* ---- full disks ---------------------------------------------------------------------------------------- */

/* A limit on the size of files answers as a full disk does, with EFBIG for ENOSPC. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void full_disk_is_called_so_and_passes(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct uuid owner = uuid_new();
	size_t n = 6 << 20;
	char *bytes = xmalloc(n);
	struct digest d;
	int64_t first = case_queue(p, st, 0);

	random_bytes(bytes, n);
	limit_files(2 << 20);
	assert_fails(p, ERR_FULL, "over a limit", store_blob_put(st, &owner, bytes, n, &d, &p->e));
	assert_null(strstr(p->e.msg, "damaged"));
	assert_null(strstr(p->e.msg, "corrupt"));
	limit_files(1 << 10);
	assert_fails(p, ERR_FULL, "over a limit", store_event(st, "x", 0, NULL, &p->e));
	limit_files(RLIM_INFINITY);
	case_end(p, st, first, "42\n", VERDICT_NONE); /* the same connection works on */
	assert_done(p, store_blob_put(st, &owner, bytes, n, &d, &p->e));
	store_close(st);
	free(bytes);
	assert_verifies(p);
}

static void full_disk_at_creation(void **state)
{
	struct place *p = *state;
	char path[128];

	snprintf(path, sizeof(path), "%s/second.db", p->dir);
	limit_files(64 << 10);
	assert_fails(p, ERR_FULL, "over a limit", store_create(path, "/w", &p->e));
	limit_files(RLIM_INFINITY);
	assert_false(fs_exists(AT_FDCWD, path));
	assert_done(p, store_create(path, "/w", &p->e)); /* nothing half-made is in the way */
}

/* ---- rules ------------------------------------------------------------------------------------------------ */

static void an_attempt_ends_once(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct attempt_end end = { .attempt = case_queue(p, st, 0), .outcome = OUTCOME_INTERRUPTED, .ended_us = 1 };

	assert_done(p, store_attempt_end(st, &end, NULL, &p->e));
	assert_false(digest_is_zero(&end.chunks_sha256));
	end.outcome = OUTCOME_OK;
	assert_fails(p, ERR_EXISTS, "1.1 has ended already", store_attempt_end(st, &end, NULL, &p->e));
	end.attempt = 99;
	assert_fails(p, ERR_NOTFOUND, "no attempt with id 99", store_attempt_end(st, &end, NULL, &p->e));
	end.outcome = OUTCOME_RUNNING;
	assert_fails(p, ERR_INPUT, "\"running\" ends no attempt", store_attempt_end(st, &end, NULL, &p->e));
	store_close(st);
	assert_verifies(p);
}

static void what_cannot_be_queued(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct attempt a = { .uuid = uuid_new(), .step = 7, .asker = { ASKER_PERSON, "jm", NULL }, .script = "s.py", .box = "/w",
		             .cwd = "." };
	struct queue_with with = { .environment = &case_environment, .policy = &case_policy, .offered = &case_offered_plain,
		                   .offered_n = 1, .code = "1", .code_len = 1 };
	int64_t first = case_queue(p, st, 0), check = case_queue_as(p, st, 0, first);

	assert_fails(p, ERR_NOTFOUND, "no step 7", store_attempt_queue(st, &a, &with, &p->e));
	a.step = 0;
	assert_fails(p, ERR_INPUT, "new step", store_attempt_queue(st, &a, &with, &p->e));
	a.check_of = 99;
	assert_fails(p, ERR_NOTFOUND, "to repeat is not there", store_attempt_queue(st, &a, &with, &p->e));
	a.check_of = check;
	assert_fails(p, ERR_INPUT, "check is no attempt", store_attempt_queue(st, &a, &with, &p->e));
	a.check_of = 0;
	a.step = 1;
	with.code = NULL;
	assert_fails(p, ERR_NOTFOUND, "is not kept", store_attempt_queue(st, &a, &with, &p->e));
	assert_int_equal(a.id, 0);
	store_close(st);
	assert_int_equal(case_number(p, "SELECT count(*) FROM attempt"), 2);
	assert_verifies(p);
}

static bool join_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	(void)e;
	buf_addf(ctx, "%d:", c->stream);
	buf_add(ctx, c->bytes ? c->bytes : "", c->len);
	if (c->gap)
		buf_addf(ctx, "[%lld]", (long long)c->gap);
	return true;
}

/* Bytes of any kind, gaps, both streams in order; an attempt's chunks are its own. */
static void streams_round_trip(void **state)
{
	static const struct chunk chunks[] = {
		{ .stream = STREAM_OUT, .group = 1, .bytes = "a\0b\xff", .len = 4 },
		{ .stream = STREAM_ERR, .group = 1, .bytes = "err", .len = 3 },
		{ .stream = STREAM_OUT, .group = 2, .position = 4, .gap = 1000 },
		{ .stream = STREAM_OUT, .group = 3, .position = 1004, .bytes = "z", .len = 1 },
	};
	static const char both[] = "1:a\0b\xff" "2:err1:[1000]1:z", out[] = "1:a\0b\xff" "1:[1000]1:z";
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t first = case_queue(p, st, 0), second = case_queue(p, st, 0);
	struct buf b = { 0 };

	assert_done(p, store_chunks_add(st, first, chunks, 2, &p->e));
	assert_done(p, store_chunks_add(st, second, chunks, 4, &p->e));
	assert_done(p, store_chunks_add(st, first, chunks + 2, 2, &p->e));
	assert_done(p, store_chunks(st, first, 0, join_chunk, &b, &p->e));
	assert_int_equal(b.len, sizeof(both) - 1);
	assert_memory_equal(b.data, both, b.len);
	buf_clear(&b);
	assert_done(p, store_chunks(st, first, STREAM_OUT, join_chunk, &b, &p->e));
	assert_int_equal(b.len, sizeof(out) - 1);
	assert_memory_equal(b.data, out, b.len);
	buf_free(&b);
	store_close(st);
}

/* What a check says as its attempt did is kept once; all else is its own. */
static void same_pieces_are_kept_once(void **state)
{
	static const struct chunk said[] = {
		{ .stream = STREAM_OUT, .group = 1, .bytes = "the first line\n", .len = 15 },
		{ .stream = STREAM_ERR, .group = 1, .bytes = "a warning, say\n", .len = 15 },
		{ .stream = STREAM_OUT, .group = 2, .position = 15, .bytes = "the second line\n", .len = 16 },
		{ .stream = STREAM_OUT, .group = 3, .position = 31, .bytes = "short", .len = 5 },
	};
	/* Other order, other times, one other line. */
	static const struct chunk again[] = {
		{ .stream = STREAM_ERR, .group = 1, .offset_us = 7, .bytes = "a warning, say\n", .len = 15 },
		{ .stream = STREAM_OUT, .group = 2, .offset_us = 7, .bytes = "the first line\n", .len = 15 },
		{ .stream = STREAM_OUT, .group = 3, .position = 15, .bytes = "the second LINE\n", .len = 16 },
		{ .stream = STREAM_OUT, .group = 4, .position = 31, .bytes = "short", .len = 5 },
	};
	static const char heard[] = "2:a warning, say\n1:the first line\n1:the second LINE\n1:short";
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct attempt_end end = { .outcome = OUTCOME_OK, .ended_us = 1, .out_bytes = 36, .err_bytes = 15 };
	struct end_with with = { .chunks = again + 2, .chunks_n = 2 };
	struct buf b = { 0 };

	end.attempt = case_queue(p, st, 0);
	assert_done(p, store_chunks_add(st, end.attempt, said, 4, &p->e));
	assert_done(p, store_attempt_end(st, &end, NULL, &p->e));
	end.attempt = case_queue_as(p, st, 0, end.attempt);
	end.chunks_sha256 = (struct digest){ { 0 } };
	assert_done(p, store_chunks_add(st, end.attempt, again, 2, &p->e));
	assert_done(p, store_attempt_end(st, &end, &with, &p->e));
	assert_int_equal(case_number(p, "SELECT count(*) FROM stream_chunk WHERE id >> 32 = 2 AND twin IS NOT NULL"), 2);
	assert_done(p, store_chunks(st, end.attempt, 0, join_chunk, &b, &p->e));
	assert_int_equal(b.len, sizeof(heard) - 1);
	assert_memory_equal(b.data, heard, b.len);
	assert_int_equal(case_number(p, "SELECT count(*) FROM streams WHERE ref = '1.1r1' AND text LIKE '%line%'"), 2);
	buf_free(&b);
	store_close(st);
	assert_verifies(p);
}

static void facts_cannot_be_told_as_events(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct ledger_head before, after;

	assert_done(p, store_head(st, &before, &p->e));
	assert_fails(p, ERR_INPUT, "by the record itself", store_event(st, "ended", 1, NULL, &p->e));
	assert_done(p, store_event(st, "exported", 0, "to \xff", &p->e));
	assert_done(p, store_head(st, &after, &p->e));
	assert_int_equal(after.seq, before.seq + 1);
	assert_false(digest_equal(&before.entry, &after.entry));
	store_close(st);
	assert_int_equal(case_number(p, "SELECT count(*) FROM ledger WHERE text = 'to \\xFF'"), 1);
	assert_verifies(p);
}

#define WITH_RECORD(test) cmocka_unit_test_setup_teardown(test, case_setup, case_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_RECORD(eight_writers_lose_nothing),
		WITH_RECORD(short_locks_are_waited_for),
		WITH_RECORD(lasting_locks_are_called_locks),
		WITH_RECORD(killed_writers_leave_a_whole_record),
		WITH_RECORD(full_disk_is_called_so_and_passes),
		WITH_RECORD(full_disk_at_creation),
		WITH_RECORD(an_attempt_ends_once),
		WITH_RECORD(what_cannot_be_queued),
		WITH_RECORD(streams_round_trip),
		WITH_RECORD(same_pieces_are_kept_once),
		WITH_RECORD(facts_cannot_be_told_as_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
