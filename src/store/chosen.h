/*
 * chosen: which attempts prune takes away, or pack leaves out, and what stands in their place. Both read the record
 * (`st`); prune writes into it, pack into a copy that grows (`to`).
 */
#ifndef TICKMARK_STORE_CHOSEN_H
#define TICKMARK_STORE_CHOSEN_H

#include "ledger.h"
#include "store/keep.h"

struct pruning {
	struct store *st;          /* what is read */
	struct store *to;          /* what is written; the same one, or a copy without these attempts */
	const struct prune_rule *rule;
	void (*fn)(void *ctx, const struct tombstone *t);
	void *ctx;
	bool preview;              /* nothing is written: it is told and counted alone */
	struct prune_result *out;
	int64_t id;                /* of the prune */
	struct ledger_walk walk;   /* facts of what goes */
	int64_t entries;           /* of the ledger whose facts go */
};

/* Runs statements built of fixed text and numbers; *changes may be NULL. */
bool chosen_run(struct pruning *p, int64_t *changes, struct err *e, const char *fmt, ...) PRINTF(4, 5);
/* Every row of a statement that does not change while it is read. */
typedef bool (*chosen_row_fn)(struct pruning *p, sqlite3_stmt *s, struct err *e);
bool chosen_each(struct pruning *p, const char *sql, chosen_row_fn fn, struct err *e);

/* Fills temp.chosen with attempts and their checks by the rule, and counts what stays in spite of it. */
bool chosen_make(struct pruning *p, struct err *e);
/* Drops it, and every other table of ours that is not in the file. */
void chosen_forget(struct pruning *p);

/* The row that tombstones name. */
bool chosen_begin(struct pruning *p, struct err *e);
bool chosen_tombstone(struct pruning *p, const struct tombstone *t, int64_t attempt, const struct digest *sha256, struct err *e);
/* Of an attempt, as the ledger's entry of its end has it. */
bool chosen_streams(struct pruning *p, int64_t attempt, struct digest *out, struct err *e);
/* For each of them a tombstone, for each ledger entry about them the hash of what it was about. */
bool chosen_bury(struct pruning *p, struct err *e);

/* Of attempt a. */
#define CHOSEN_REF "a.step || '.' || a.number || coalesce('r' || a.check_number, '')"
#define CHOSEN_STREAM_BYTES "(SELECT coalesce(sum(length(bytes)), 0) FROM stream_chunk WHERE id >= a.id << 32 AND id < (a.id + 1) << 32)"

#endif
