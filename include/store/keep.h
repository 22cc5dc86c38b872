/*
 * Keeping a record: what takes its space, taking parts of it away with a tombstone, and copies of it.
 */
#ifndef TICKMARK_STORE_KEEP_H
#define TICKMARK_STORE_KEEP_H

#include "store.h"

/* The tables of a record as commented SQL. */
const char *store_schema(void);

/* ---- what takes the space (size.c) -------------------------------------------------------------- */

bool store_sizes(struct store *st, struct record_sizes *out, struct err *e);
/* The largest contents, largest first. */
bool store_largest(struct store *st, size_t n, bool (*fn)(void *ctx, const struct large_content *l), void *ctx, struct err *e);

/* ---- taking away (prune.c) ------------------------------------------------------------------------ */

/* Tells what goes, one by one; with `apply` it is gone, else nothing has changed. A check goes with its
 * attempt. What remains verifies: the ledger keeps the hash of what it was about. */
bool store_prune(struct store *st, const struct prune_rule *rule, bool apply, void (*fn)(void *ctx, const struct tombstone *t),
                 void *ctx, struct prune_result *out, struct err *e);
/* Bytes that the streams of an attempt had (by enum stream_id) where a prune took them; else 0. */
bool store_pruned_streams(struct store *st, int64_t attempt, int64_t bytes[3], struct err *e);
/* When a reference ("7.2") was taken away; 0: it was not. */
int64_t store_pruned_at(struct store *st, const char *ref);

/* ---- copies (copy.c) -------------------------------------------------------------------------------- */

/* Page by page while others write; what it holds is the state at one moment. Never over a file. */
bool store_backup(struct store *st, const char *path, struct err *e);
/* Without unused pages, in the order of its tables. */
bool store_pack(struct store *st, const char *path, struct err *e);
/* The same without the attempts that the rule (PRUNE_ATTEMPTS) would take away, as if they had been pruned in the copy;
 * what is left out is hashed, but not written. */
bool store_pack_chosen(struct store *st, const char *path, const struct prune_rule *left_out, struct prune_result *left,
                       struct err *e);

/* ---- what was said in a copy (merge.c) ----------------------------------------------------------------- */

/* Marks, notes, messages and ended checks of `from`, a copy of this record that somebody reviewed, with their
 * time, name and signature (a check gets the next number here); what is here already stays as it is, so that
 * the same merge twice changes nothing. Refuses a copy of another record, and one that does not verify. `owner`: as
 * for store_blob_put. */
bool store_merge(struct store *st, const struct uuid *owner, struct store *from, struct merge_result *out, struct err *e);

#endif
