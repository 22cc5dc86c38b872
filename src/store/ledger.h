/*
 * ledger: the chain of everything that happened. An entry is the hash of itself, of the one before
 * and of its content: all columns of all rows that it is about, read back from the tables. The writer
 * and `verify` run the same SELECTs.
 */
#ifndef TICKMARK_STORE_LEDGER_H
#define TICKMARK_STORE_LEDGER_H

#include "db.h"

/* Kinds of entries that have facts. */
struct ledger_kind {
	const char *kind;           /* "attempt queued" */
	const char *table;          /* each row of it has one such entry */
	const char *key;            /* the column that is the entry's subject */
	const char *where;          /* which rows of it; NULL: all */
	const enum sql_id *facts;   /* SELECTs by subject */
	size_t facts_n;
	bool streams;               /* and the pieces of its streams (store_chunks_hash_end) */
};
extern const struct ledger_kind ledger_kinds[];
extern const size_t ledger_kinds_n;
const struct ledger_kind *ledger_kind_find(const char *kind); /* NULL: an event */

/*
 * Facts of attempts for who asks for one after the other: each SELECT goes on to the next subject, instead of being
 * begun anew for it. Begins as { 0 }, inside a read transaction; any order gives the same answers.
 */
#define LEDGER_WALKS 6
struct ledger_walk {
	struct ledger_steps {
		struct sql q;
		bool begun;
		int64_t asked; /* subject that was asked for last */
		int64_t at;    /* subject of the row at hand, behind it; INT64_MAX: there is none */
	} of[LEDGER_WALKS];
};
void ledger_walk_end(struct ledger_walk *w);

/* `chunks` is the hash of the streams, for kinds that have them; `walk` may be NULL. */
bool ledger_content(struct store *st, const struct ledger_kind *kind, int64_t subject, const struct digest *chunks,
                    struct ledger_walk *walk, struct digest *out, struct err *e);
/* A value as it is stored, so that 1, 1.0, '1', x'31' and NULL differ. */
void ledger_hash_column(struct hasher *h, sqlite3_stmt *s, int i);
/* Where prune took the rows of an entry, or the streams of an attempt, what was their hash. */
bool ledger_pruned_content(struct store *st, int64_t seq, bool *pruned, struct digest *content, struct err *e);
bool ledger_pruned_streams(struct store *st, int64_t attempt, bool *pruned, struct digest *chunks, struct err *e);
/* Content of an event: its text. */
struct digest ledger_event_content(const char *text);

struct ledger_entry {
	int64_t seq, at_us;
	const char *kind;
	int64_t subject;        /* 0: none */
	const char *text;       /* NULL */
	struct digest content;  /* not stored: that of its rows, or of its text */
};
/* Hash of an entry behind `before` (NULL for the first). */
struct digest ledger_entry_hash(const struct ledger_entry *entry, const struct digest *before);

/* The newest entry before `seq` as it is recorded; seq 0 when there is none. */
bool ledger_before(struct store *st, int64_t seq, struct ledger_head *out, struct err *e);

/* Appends the entry of facts just written; `chunks` as above or NULL. Inside a transaction. */
bool ledger_append(struct store *st, const char *kind, int64_t subject, const struct digest *chunks, struct err *e);

#endif
