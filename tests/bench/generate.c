/*
 * generate RECORD STEPS [ATTEMPTS [BYTES]]: makes a record of many attempts that verifies, for
 * benchmarks: every fifth one failed, BYTES on stdout each, one input, one artifact, some marks. Nothing
 * of it survives a crash half way: many attempts share one transaction, and nothing is synced.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/db.h"
#include "store/review.h"

static const struct environment environment = {
	.python = "/usr/bin/python3", .version = "3.11.2", .implementation = "CPython", .prefix = "/usr",
	.base_prefix = "/usr", .platform = "Linux-6.1-x86_64-with-glibc2.36", .locale = "C.UTF-8",
	.zone = "Europe/Berlin", .packages = "numpy 1.24.2\npandas 1.5.3\n",
};
static const struct policy policy = {
	.tier = TIER_A, .scratch = SCRATCH_TMPFS,
	.limits = { .wall_ms = 600000, .memory_bytes = 4294967296, .processes = 128 },
};

static void must(bool ok, const struct err *e)
{
	if (!ok) {
		fprintf(stderr, "generate: %s\n", e->msg);
		exit(2);
	}
}

static int64_t queue(struct store *st, int64_t step, long i, int64_t *new_step)
{
	static struct digest schedule;
	char title[64], code[64];
	struct err e = { 0 };

	if (digest_is_zero(&schedule))
		schedule = hash_bytes("schedule", 8);
	snprintf(title, sizeof(title), "Roll up TIV by postcode, part %ld", i);
	snprintf(code, sizeof(code), "print(%ld)", i % 1000);
	struct entry offered = { .path = "schedule.csv", .mode = 0644, .size = 8, .mtime_us = 1700000000000000, .sha256 = schedule };
	struct step s = { .title = title, .purpose = "for the treaty", .script = "rollup.py", .asker = { ASKER_PERSON, "jm", NULL } };
	struct queue_with with = { .step = &s, .environment = &environment, .policy = &policy, .code = code, .code_len = strlen(code),
		                   .offered = &offered, .offered_n = 1 };
	struct attempt a = { .uuid = uuid_new(), .step = step, .asker = { i % 3 ? ASKER_PERSON : ASKER_ASSISTANT, i % 3 ? "jm" : "codex", NULL },
		             .script = "rollup.py", .box = "/home/jm/premium-check", .cwd = ".", .host = "desk", .boot_id = "b0b0" };
	must(store_attempt_queue(st, &a, &with, &e), &e);
	*new_step = a.step;
	return a.id;
}

static void end(struct store *st, int64_t id, long i, const char *text, size_t n)
{
	struct err e = { 0 };
	struct uuid owner = uuid_new();
	char made[32];
	struct entry input = { .path = "schedule.csv", .what = INPUT_READ, .size = 8 };
	struct entry artifact = { .path = "tiv.csv", .what = ARTIFACT_CREATED, .mode = 0644 };
	struct chunk c = { .stream = STREAM_OUT, .group = 1, .offset_us = 1000, .bytes = text, .len = n };
	struct attempt_end end = { .attempt = id, .started_us = clock_now_us(), .ended_us = clock_now_us(), .wall_us = 410000 + i % 1000,
		                   .outcome = i % 5 ? OUTCOME_OK : OUTCOME_ERROR, .exit_code = i % 5 ? 0 : 1,
		                   .detail = i % 5 ? "" : "KeyError: 'TIV'", .cpu_user_us = 300000, .peak_memory = 42000000,
		                   .out_bytes = (int64_t)n, .out_sha256 = hash_bytes(text, n), .inputs_complete = true };
	struct end_with with = { .chunks = &c, .chunks_n = n > 0, .inputs = &input, .inputs_n = 1, .artifacts = &artifact, .artifacts_n = 1 };
	struct chunks_hash h;

	store_chunks_hash_begin(&h);
	if (n > 0)
		store_chunks_hash_add(&h, &c);
	end.chunks_sha256 = store_chunks_hash_end(&h, NULL);
	artifact.size = snprintf(made, sizeof(made), "made %ld\n", i % 1000);
	must(store_blob_put(st, &owner, "schedule", 8, &input.sha256, &e), &e);
	must(store_blob_put(st, &owner, made, (size_t)artifact.size, &artifact.sha256, &e), &e);
	must(store_attempt_end(st, &end, &with, &e), &e);
}

/* ---- many at once ---------------------------------------------------------------------------- */

#define TOGETHER 2000 /* attempts in one transaction */

static void run(struct store *st, const char *sql)
{
	if (sqlite3_exec(st->db, sql, NULL, NULL, NULL) != SQLITE_OK) {
		fprintf(stderr, "generate: %s: %s\n", sql, sqlite3_errmsg(st->db));
		exit(2);
	}
}

static void replace(struct store *st, enum sql_id id, const char *sql)
{
	sqlite3_finalize(st->statements[id]);
	st->statements[id] = NULL;
	if (sqlite3_prepare_v2(st->db, sql, -1, &st->statements[id], NULL) != SQLITE_OK)
		exit(2);
}

/* What the store does in a transaction of its own becomes a savepoint in ours. */
static void share_transactions(struct store *st)
{
	run(st, "PRAGMA synchronous = OFF; PRAGMA cache_size = -200000");
	st->sync = DB_FULL; /* and it need not be set again, which it could not be inside of one */
	st->wal = false;
	replace(st, SQL_BEGIN, "SAVEPOINT one");
	replace(st, SQL_COMMIT, "RELEASE one");
	run(st, "BEGIN IMMEDIATE");
}

static void share_another(struct store *st)
{
	run(st, "COMMIT; BEGIN IMMEDIATE");
}

static void share_no_more(struct store *st)
{
	run(st, "COMMIT");
	st->wal = true;
}

int main(int argc, char **argv)
{
	struct err e = { 0 };

	if (argc < 3)
		return fprintf(stderr, "usage: generate RECORD STEPS [ATTEMPTS [BYTES]]\n"), 3;
	long steps = atol(argv[2]), attempts = argc > 3 ? atol(argv[3]) : 1;
	size_t bytes = argc > 4 ? (size_t)atol(argv[4]) : 100;
	char *text = xmalloc(bytes + 1);
	must(store_create(argv[1], "/home/jm/premium-check", &e), &e);
	struct store *st = store_open(argv[1], STORE_WRITE, &e);
	must(st != NULL, &e);
	share_transactions(st);
	for (long i = 0; i < steps; i++) {
		int64_t step = 0;
		for (long k = 0; k < attempts; k++) {
			for (size_t b = 0; b < bytes; b++)
				text[b] = b % 64 == 63 ? '\n' : (char)('a' + ((size_t)(i * 31 + k * 7) + b * (b / 64 + 1)) % 26);
			int64_t id = queue(st, step, i * attempts + k, &step);
			end(st, id, i * attempts + k, text, bytes);
			if (i % 10 == 3 && k == attempts - 1) {
				struct mark m = { .attempt = id, .judgement = JUDGED_ACCEPTED, .reviewer = "mb", .how = "screen" };
				must(store_mark_add(st, &m, &e), &e);
			}
			if ((i * attempts + k) % TOGETHER == TOGETHER - 1)
				share_another(st);
		}
	}
	share_no_more(st);
	must(store_checkpoint(st, &e), &e);
	store_close(st);
	free(text);
	return 0;
}
