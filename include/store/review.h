/*
 * What people and assistants said of what ran: marks, notes, messages. All are facts: appended, each
 * with its ledger entry, never changed. Strings of rows handed to callbacks live until they return.
 */
#ifndef TICKMARK_STORE_REVIEW_H
#define TICKMARK_STORE_REVIEW_H

#include "store.h"

/* ---- marks ------------------------------------------------------------------------------------ */

struct mark {
	int64_t id;
	struct uuid uuid;         /* zero: a new one is drawn */
	int64_t attempt;          /* no check; 0: the whole record, the opinion */
	enum judgement judgement;
	const char *note;         /* NULL */
	const char *reviewer;
	int64_t at_us;            /* 0: now */
	const char *how;          /* "screen", "command", "command without a terminal" */
	bool own_work;            /* reviewer and asker of the attempt are one */
	struct digest head;       /* ledger entry of the newest attempt's end when it was filed; zero: store_end_entry(0) */
	const char *signer;       /* NULL: not signed */
	const void *signature;
	size_t signature_len;
};
/* Durable when it returns; fills id. Refuses an attempt that is a check (ERR_INPUT), has no end yet
 * (ERR_BUSY) or does not exist (ERR_NOTFOUND), and a uuid that is there (ERR_EXISTS). */
bool store_mark_add(struct store *st, struct mark *m, struct err *e);
/* Of an attempt (0: of the record), oldest first; the last is the one that counts. */
bool store_marks(struct store *st, int64_t attempt, bool (*fn)(void *ctx, const struct mark *m), void *ctx,
                 struct err *e);

/* The ledger entry of an attempt's end, which stands for all that it recorded and all that came before. 0: of the newest
 * attempt (no check), before there is one the entry that made the record. ERR_NOTFOUND: it has none. */
bool store_end_entry(struct store *st, int64_t attempt, struct digest *out, struct err *e);
/* For each signed mark, by id, the entry that its reviewer stood for: of the end of its attempt; for the opinion m.head.
 * Zero: this record has no such entry. */
bool store_mark_ends(struct store *st, bool (*fn)(void *ctx, int64_t mark, const struct digest *entry), void *ctx, struct err *e);

/* The attempts whose newest mark is "rejected", in order. */
bool store_rejected(struct store *st, bool (*fn)(void *ctx, int64_t attempt), void *ctx, struct err *e);

/* Attempts that have a mark, or a note, by id. */
bool store_marked(struct store *st, bool (*fn)(void *ctx, int64_t attempt), void *ctx, struct err *e);
bool store_noted(struct store *st, bool (*fn)(void *ctx, int64_t attempt), void *ctx, struct err *e);

/* Counts of steps by the judgement of their last attempt stand in the tally: "accepted", "questioned",
 * "rejected", and "to review" for those without one or with a withdrawn one. */

/* ---- notes ------------------------------------------------------------------------------------ */

struct note {
	int64_t id;
	struct uuid uuid;         /* zero: a new one is drawn */
	int64_t attempt;
	const char *section;      /* "code", "stdout", "stderr", "file"; NULL: the attempt as a whole */
	const char *path;         /* of a file; NULL */
	int64_t line;             /* from 1; 0: none */
	const char *cell;         /* "B7"; NULL */
	const char *text;
	const char *reviewer;
	int64_t at_us;            /* 0: now */
	const char *how;
};
bool store_note_add(struct store *st, struct note *n, struct err *e);
bool store_notes(struct store *st, int64_t attempt, bool (*fn)(void *ctx, const struct note *n), void *ctx,
                 struct err *e);

/* ---- messages ----------------------------------------------------------------------------------- */

struct message {
	int64_t id;
	struct uuid uuid;         /* zero: a new one is drawn */
	struct asker by;
	const char *text;
	int64_t at_us;            /* 0: now */
	const char *how;          /* "mcp", "command", "screen" */
};
/* `cites`: ids of the attempts that its text cites. */
bool store_message_add(struct store *st, struct message *m, const int64_t *cites, size_t n, struct err *e);
typedef bool (*store_message_fn)(void *ctx, const struct message *m); /* false stops */
/* A page behind message `after` (0: from the end). */
bool store_messages(struct store *st, int64_t after, bool newest_first, size_t limit, store_message_fn fn, void *ctx,
                    struct err *e);
/* Those that cite an attempt. */
bool store_messages_of(struct store *st, int64_t attempt, store_message_fn fn, void *ctx, struct err *e);
/* When each message behind `after` was said, in order of their ids. */
bool store_message_times(struct store *st, int64_t after, bool (*fn)(void *ctx, int64_t id, int64_t at_us), void *ctx,
                         struct err *e);
/* When a step came into the record; 0: there is none of that number. */
bool store_step_created(struct store *st, int64_t step, int64_t *us, struct err *e);
/* What a message cites. */
bool store_message_cites(struct store *st, int64_t message, bool (*fn)(void *ctx, int64_t attempt), void *ctx,
                         struct err *e);

#endif
