/* Shared by the tests of the store: a record in a folder of its own, attempts to put into it. */
#ifndef STORE_CASE_H
#define STORE_CASE_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "store/review.h"

#define UNUSED __attribute__((unused))

struct place {
	char dir[64];   /* of its own */
	char db[96];    /* the record in it */
	struct err e;
};

#define assert_done(place, call)                                                  \
	do {                                                                      \
		if (!(call))                                                      \
			fail_msg("%s: %s", #call, (place)->e.msg);                \
	} while (0)

#define assert_fails(place, code_, part, call)                                            \
	do {                                                                              \
		(place)->e = (struct err){ 0 };                                           \
		if (call)                                                                 \
			fail_msg("%s: should fail", #call);                               \
		if ((place)->e.code != (code_) || !strstr((place)->e.msg, part))          \
			fail_msg("%s: %d, %s", #call, (place)->e.code, (place)->e.msg);   \
	} while (0)

static UNUSED int case_setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	const char *tmp = getenv("TMPDIR");

	snprintf(p->dir, sizeof(p->dir), "%.40s/store-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(p->dir))
		return -1;
	snprintf(p->db, sizeof(p->db), "%s/record.db", p->dir);
	*state = p;
	if (!store_create(p->db, "/home/jm/premium-check", &p->e)) {
		print_error("%s\n", p->e.msg);
		return -1;
	}
	return 0;
}

static UNUSED int case_teardown(void **state)
{
	struct place *p = *state;

	fs_remove_tree(AT_FDCWD, p->dir, NULL);
	free(p);
	return 0;
}

static UNUSED struct store *case_open(struct place *p, enum store_mode mode)
{
	struct store *st = store_open(p->db, mode, &p->e);

	if (!st)
		fail_msg("store_open: %s", p->e.msg);
	return st;
}

/* Runs SQL as anybody with a shell could, triggers and all. */
static UNUSED int case_sql_rc(struct place *p, const char *sql)
{
	sqlite3 *db;
	int rc;

	assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 5000);
	rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_close(db);
	return rc;
}

static UNUSED void case_sql(struct place *p, const char *sql)
{
	int rc = case_sql_rc(p, sql);

	if (rc != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errstr(rc));
}

static UNUSED int64_t case_number(struct place *p, const char *sql)
{
	sqlite3_stmt *s;
	int64_t n = -1;
	sqlite3 *db;

	assert_int_equal(sqlite3_open_v2(p->db, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	sqlite3_busy_timeout(db, 5000);
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	if (sqlite3_step(s) == SQLITE_ROW)
		n = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	sqlite3_close(db);
	return n;
}

/* ---- things to record ---------------------------------------------------------------------- */

static const struct environment case_environment UNUSED = {
	.python = "/usr/bin/python3", .version = "3.11.2", .implementation = "CPython", .prefix = "/usr",
	.base_prefix = "/usr", .platform = "Linux-6.1-x86_64-with-glibc2.36", .locale = "C.UTF-8",
	.zone = "Europe/Berlin", .packages = "numpy 1.24.2\npandas 1.5.3\n",
};

static const struct policy case_policy UNUSED = {
	.tier = TIER_A, .scratch = SCRATCH_TMPFS,
	.limits = { .wall_ms = 600000, .memory_bytes = 4294967296, .processes = 128 },
};

static const struct step case_step UNUSED = {
	.title = "Roll up TIV by postcode", .purpose = "for the treaty", .script = "rollup.py",
	.asker = { ASKER_PERSON, "jm", NULL },
};

static UNUSED struct digest case_digest(const char *s)
{
	return hash_bytes(s, strlen(s));
}

static const struct entry case_offered_plain UNUSED = {
	.path = "schedule.csv", .mode = 0644, .size = 1400, .mtime_us = 1700000000000000,
};

/* Queues an attempt of `step` (0: a new one) with the code "print(1)". */
static UNUSED int64_t case_queue_as(struct place *p, struct store *st, int64_t step, int64_t check_of)
{
	struct entry offered[] = { case_offered_plain };
	struct queue_with with = {
		.step = &case_step, .environment = &case_environment, .policy = &case_policy, .code = "print(1)",
		.code_len = 8, .offered = offered, .offered_n = 1,
	};
	static char year[] = "--year", y2024[] = "2024", rate[] = "RATE", token[] = "TOKEN", half[] = "0.5";
	char *args[] = { year, y2024, NULL };
	char *names[] = { rate, token, NULL };
	char *values[] = { half, NULL, NULL };
	char call[] = "example.com/toolUseId=t1", *calls[] = { call, NULL };
	struct attempt a = {
		.uuid = uuid_new(), .step = step, .check_of = check_of, .asker = { ASKER_ASSISTANT, "codex", "1.2" },
		.script = "rollup.py", .box = "/home/jm/premium-check", .cwd = ".", .args = args, .env_names = names,
		.env_values = values, .host = "desk", .boot_id = "b0b0", .purpose = "try again", .calls = calls,
	};

	offered[0].sha256 = case_digest("schedule");
	assert_done(p, store_attempt_queue(st, &a, &with, &p->e));
	return a.id;
}

static UNUSED int64_t case_queue(struct place *p, struct store *st, int64_t step)
{
	return case_queue_as(p, st, step, 0);
}

static UNUSED void case_chunk(struct place *p, struct store *st, int64_t attempt, const char *text, struct chunks_hash *h)
{
	struct chunk c = { .stream = STREAM_OUT, .group = 1, .offset_us = 1000, .bytes = text, .len = strlen(text) };

	store_chunks_hash_add(h, &c);
	assert_done(p, store_chunks_add(st, attempt, &c, 1, &p->e));
}

/* Ends it with one input, one artifact, one refusal and (checks) a verdict; `text` on stdout. */
static UNUSED void case_end(struct place *p, struct store *st, int64_t attempt, const char *text, enum verdict verdict)
{
	struct uuid owner = uuid_new();
	struct entry input = { .path = "schedule.csv", .what = INPUT_READ, .size = 8 };
	struct entry artifact = { .path = "tiv.csv", .what = ARTIFACT_CREATED, .size = (int64_t)strlen(text), .mode = 0644 };
	struct refusal refusal = { .kind = "network", .call = "socket", .argument = "AF_INET", .count = 2, .first_us = 5,
		                   .last_us = 9 };
	struct chunk c = { .stream = STREAM_OUT, .group = 1, .offset_us = 1000, .bytes = text, .len = strlen(text) };
	struct attempt_end end = {
		.attempt = attempt, .started_us = clock_now_us(), .ended_us = clock_now_us(), .wall_us = 410000,
		.outcome = OUTCOME_OK, .detail = "", .cpu_user_us = 300000, .cpu_system_us = 20000, .peak_memory = 42000000,
		.out_bytes = (int64_t)strlen(text), .out_sha256 = case_digest(text), .inputs_complete = true,
	};
	struct end_with with = {
		.chunks = &c, .chunks_n = 1, .inputs = &input, .inputs_n = 1, .artifacts = &artifact, .artifacts_n = 1,
		.refusals = &refusal, .refusals_n = 1, .verdict = verdict, .first_at = verdict ? "stdout byte 1" : NULL,
	};
	struct chunks_hash h;

	store_chunks_hash_begin(&h);
	store_chunks_hash_add(&h, &c);
	end.chunks_sha256 = store_chunks_hash_end(&h, NULL);
	assert_done(p, store_blob_put(st, &owner, "schedule", 8, &input.sha256, &p->e));
	assert_done(p, store_blob_put(st, &owner, text, strlen(text), &artifact.sha256, &p->e));
	assert_done(p, store_attempt_end(st, &end, &with, &p->e));
}

/* One of each thing that can be said of an attempt. */
static UNUSED void case_review(struct place *p, struct store *st, int64_t attempt)
{
	struct mark m = { .attempt = attempt, .judgement = JUDGED_QUESTIONED, .note = "why", .reviewer = "mb", .how = "screen",
		          .signer = "ssh-ed25519 A", .signature = "s", .signature_len = 1 };
	struct note n = { .attempt = attempt, .section = "file", .path = "t.csv", .line = 3, .cell = "B7", .text = "agreed",
		          .reviewer = "mb", .how = "screen" };
	struct message said = { .by = { ASKER_ASSISTANT, "codex", "1.2" }, .text = "as in [1.1]", .how = "mcp" };

	assert_done(p, store_mark_add(st, &m, &p->e));
	assert_done(p, store_note_add(st, &n, &p->e));
	assert_done(p, store_message_add(st, &said, &attempt, 1, &p->e));
}

#endif
