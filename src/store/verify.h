/* verify: the parts of store_verify, which stands in verify.c. Each works on pieces, on several threads. */
#ifndef TICKMARK_STORE_VERIFY_H
#define TICKMARK_STORE_VERIFY_H

#include "db.h"
#include "ledger.h"

struct verify_run; /* what the threads share (verify_jobs.c) */

/* One thread at work. */
struct verify {
	struct store *st;           /* a connection of its own, in one read transaction */
	struct verify_run *run;
	struct strv *faults;        /* of the piece at work */
	struct verify_result found; /* in its pieces */
	bool caller;                /* this is the caller's thread: it tells the progress */
	bool pruned;                /* something was pruned: entries may stand for rows that are gone */
	struct ledger_walk walk;    /* facts of attempts */
	int cache_kib;
	struct ledger_head before;  /* the ledger entry before the one at work, as it is recorded … */
	struct digest computed;     /* … and its hash as it should be, if that is known */
	bool computed_known;
};

void verify_fault(struct verify *v, const char *fmt, ...) PRINTF(2, 3);
/* Between two items: false (ERR_CANCELLED) when the caller had enough. */
bool verify_step(struct verify *v, struct err *e);

/* "7.2r1", "attempt 12 (missing)". */
#define VERIFY_NAME 48
const char *verify_name(struct verify *v, int64_t attempt, char out[VERIFY_NAME]);

/* Runs `check` on every row of a statement that takes the first and the last key. */
typedef bool (*verify_row_fn)(struct verify *v, struct sql *q, struct err *e);
bool verify_each(struct verify *v, enum sql_id sql, int64_t from, int64_t to, verify_row_fn check, struct err *e);

/* A question to the whole file: every row of its answer is a fault. */
struct verify_query {
	const char *sql;   /* first column: an id or a name */
	const char *what;  /* its one "%s" becomes the first column, or the attempt of that id */
	bool attempt;
	const char *quick; /* NULL, or gives 1 where that question has no answer, for less */
};
bool verify_ask(struct verify *v, const struct verify_query *queries, size_t n, struct err *e);
/* Damage that one question met is no reason not to ask the next. */
bool verify_goes_on(bool ok, const struct err *e);

/*
 * A part of the work, cut into pieces: ranges of the keys of a table. `check` gets the first and the last key. One
 * without a table is one piece: what the questions of a part read is read by one connection, once. False only when
 * the file cannot be read.
 */
typedef bool (*verify_check_fn)(struct verify *v, int64_t from, int64_t to, struct err *e);
struct verify_part {
	verify_check_fn check;
	const char *table, *key; /* NULL: one piece */
	int cache_kib;           /* for pages: small, where each is read once and should stay near the processor */
	verify_check_fn kin;     /* of a part in one piece that reads the same pages; NULL */
};

/* Threads, and connections that all read the same state of the record; v[0] is the caller's thread. */
#define VERIFY_THREADS 8
struct verify_team {
	struct store *st;           /* the caller's connection, which reads that state, too */
	struct verify v[VERIFY_THREADS];
	size_t n;
	bool begun;                 /* the caller's read transaction is ours */
};
void verify_team_open(struct verify_team *t, struct store *st);
void verify_team_close(struct verify_team *t);
/* All parts, the pieces taken in this order and their faults told in it, whichever thread had them. The progress
 * counts pieces. */
bool verify_jobs(struct verify_team *t, const struct verify_part *parts, size_t n, store_fault_fn fault,
                 store_progress_fn progress, void *ctx, struct verify_result *out, struct err *e);

bool verify_chain(struct verify *v, int64_t from, int64_t to, struct err *e);       /* of ledger.seq */
bool verify_sets(struct verify *v, int64_t from, int64_t to, struct err *e);        /* of manifest.id */
bool verify_blobs(struct verify *v, int64_t from, int64_t to, struct err *e);       /* of blob.id */
bool verify_rows(struct verify *v, struct err *e);        /* what nothing covers, types, references */
bool verify_shared(struct verify *v, struct err *e);      /* environments, policies */
bool verify_rebuildable(struct verify *v, struct err *e); /* tables that are derived from facts */

#endif
