/*
 * Keeping a record: what takes its space, taking parts of it away, copies of it. The record stays
 * verifiable through all of it.
 */
#ifndef TICKMARK_MODEL_KEEP_H
#define TICKMARK_MODEL_KEEP_H

#include "model/query.h"

/* The tables of a record as commented SQL, for who reads it without us. */
const char *keep_schema(void);

/* `cache` gets the bytes of .tickmark/cache, which can be deleted at any time; -1 in evidence. */
bool keep_sizes(struct query *q, struct record_sizes *out, int64_t *cache, struct err *e);
bool keep_largest(struct query *q, size_t n, bool (*fn)(void *ctx, const struct large_content *l), void *ctx, struct err *e);

/* Ids of what a reference names: all attempts of a step ("7"), or one attempt ("7.2", "last"). A check
 * is refused: it goes with its attempt. Appends to *ids (owned by the caller). */
struct keep_list { int64_t *ids; size_t n, cap; };
bool keep_collect(struct query *q, const char *ref, struct keep_list *list, struct err *e);

/* See struct prune_rule. Nothing changes without `apply`; with it, copies in the cache go as well. The
 * query of the same record must be closed. */
bool keep_prune(struct workspace *ws, const struct prune_rule *rule, bool apply,
                void (*fn)(void *ctx, const struct tombstone *t), void *ctx, struct prune_result *out, struct err *e);

/* What a copy is known by, to be put in the mail that carries it. */
struct keep_copy { int64_t attempts, entries, size; struct digest head; };
/* As it is at this moment, while others write. Never over a file. */
bool keep_backup(struct query *q, const char *path, struct keep_copy *out, struct err *e);
/* Without unused space; with `only`, nothing but these attempts and their checks (and those that the
 * chosen ones need to be understood: see struct prune_result). */
bool keep_pack(struct query *q, const char *path, const struct keep_list *only, struct prune_result *left,
               struct keep_copy *out, struct err *e);

/* Marks, notes and messages of a reviewed copy, `path` being its file or its folder. */
bool keep_merge(struct workspace *ws, const char *path, struct merge_result *out, struct err *e);

/* Makes the folder `dir` with a copy of the record `path` in it, to be reviewed there: marks, notes, messages
 * and checks go into the copy, the original is never written. *faults: what verify says of it. */
bool keep_review(const char *path, const char *dir, struct keep_copy *out, int64_t *faults, struct err *e);

#endif
