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

/* Marks, notes, messages and checks of a review, `path` being its file, or a folder with a copy of the record. */
bool keep_merge(struct workspace *ws, const char *path, struct merge_result *out, struct err *e);

/* What a file is known by. */
bool keep_describe(const char *path, struct keep_copy *out, struct err *e);

/* ---- reviewing a record from elsewhere (review_file.c) ----------------------------------------------- */

/* Where the review of a record file is looked for: "for-mail.db" has "for-mail.review.db" beside it. Owned. */
char *keep_review_name(const char *file);
/* Begins one: `review` becomes a copy of the record `file`, bound to its head, into which marks, notes, messages
 * and checks go; its name ends as that of keep_review_name does; `file` is never written. *faults: what verify says of it. ERR_EXISTS. */
bool keep_review(const char *file, const char *review, struct keep_copy *out, int64_t *faults, struct err *e);
/* The review file of `file` (owned): itself, when it is one that was begun here, or the one beside it; NULL when there
 * is none. False when the one beside it belongs to another state of `file`. */
bool keep_find_review(const char *file, char **review, struct err *e);
/* Folder of a review file that workspace_open takes; owned. */
char *keep_review_folder(const char *review, struct err *e);

/* ---- the head (signed_head.c) --------------------------------------------------------------------- */

/* The newest ledger entry as a text with an SSH signature behind it, by the key of the user's setting
 * signing-key: to be put in a mail, and given to verify later. */
bool keep_sign_head(struct query *q, struct buf *out, struct err *e);
struct keep_head {
	struct uuid record;
	int64_t entries;
	struct digest head;
	int64_t at_us;            /* when it was signed, by its own word */
	size_t said;              /* bytes of the text that are signed */
};
/* Takes such a text apart; false: it is none. */
bool keep_read_head(const char *text, struct keep_head *out);
/* Does its signature fit? See review_check_signatures. False: that could not be looked at. */
bool keep_check_head(const char *text, const struct keep_head *head, const char *signers, bool *good, struct buf *who,
                     struct err *e);
/* The ledger entry with this hash; 0: the record has none. */
bool keep_find_head(struct query *q, const struct digest *head, int64_t *seq, struct err *e);
bool keep_is_record(struct query *q, const struct uuid *record, bool *same, struct err *e);

#endif
