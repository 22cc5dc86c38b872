/* verify: the parts of store_verify, which stands in verify.c. */
#ifndef TICKMARK_STORE_VERIFY_H
#define TICKMARK_STORE_VERIFY_H

#include "db.h"

struct verify {
	struct store *st;
	store_fault_fn fault;
	store_progress_fn progress; /* or NULL */
	void *ctx;
	struct verify_result *out;
	int64_t done, total;        /* items of all parts */
	struct digest computed;     /* of the ledger entry before, as it should be */
};

void verify_fault(struct verify *v, const char *fmt, ...) PRINTF(2, 3);
/* One more item is done; false (ERR_CANCELLED) when the caller had enough. */
bool verify_step(struct verify *v, struct err *e);

/* "7.2r1", "attempt 12 (missing)". */
#define VERIFY_NAME 48
const char *verify_name(struct verify *v, int64_t attempt, char out[VERIFY_NAME]);

/* Runs `check` on every row of a statement without parameters. */
typedef bool (*verify_row_fn)(struct verify *v, struct sql *q, struct err *e);
bool verify_each(struct verify *v, enum sql_id sql, verify_row_fn check, struct err *e);

/* A question to the whole file: every row of its answer is a fault. */
struct verify_query {
	const char *sql;   /* first column: an id or a name */
	const char *what;  /* its one "%s" becomes the first column, or the attempt of that id */
	bool attempt;
};
bool verify_ask(struct verify *v, const struct verify_query *queries, size_t n, struct err *e);

/* The parts. False only when the file cannot be read. */
bool verify_rows(struct verify *v, struct err *e);        /* rows that nothing covers, types, references */
bool verify_contents(struct verify *v, struct err *e);    /* what is known by its own hash */
bool verify_rebuildable(struct verify *v, struct err *e); /* tables that are derived from facts */

#endif
