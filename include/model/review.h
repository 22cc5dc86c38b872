/*
 * model/review: what a reviewer says of what ran, and what is left for him. Marks and notes are facts:
 * appended, each with who, when and how, never changed. What "own work", "stale" and "to review" mean
 * is decided here and nowhere else.
 */
#ifndef TICKMARK_MODEL_REVIEW_H
#define TICKMARK_MODEL_REVIEW_H

#include "model/query.h"

/* ---- marks and notes (reviewing.c) -------------------------------------------------------------------- */

/* A mark as it is read; the last one of an attempt counts. */
struct review_mark {
	enum judgement judgement;
	const char *note;         /* NULL */
	const char *reviewer;
	int64_t at_us;
	const char *how;          /* "screen", "command", "command without a terminal" */
	bool own_work;            /* reviewer and asker are one */
	bool is_signed;
};

/* Where in an attempt a note stands. Zero: the attempt as a whole. */
struct review_place {
	const char *section;      /* "code", "stdout", "stderr", "file"; NULL */
	const char *path;         /* of a file; NULL */
	int64_t line;             /* from 1; 0: none */
	const char *cell;         /* "B7"; NULL */
};

struct review_note {
	struct review_place at;
	const char *text;
	const char *reviewer;
	int64_t at_us;
	const char *how;
};

#define REVIEW_TEXT_MAX 4000  /* bytes of a note */

/* Name of the reviewer: setting `reviewer` of the user (never a workspace's: that can come from
 * anywhere), else the name that git knows, else the login; owned. NULL where the settings cannot be read, unless `e` is NULL. */
char *review_person(struct err *e);
/* Files a mark, signed when the user's setting signing-key names a key; attempt 0: of the whole record, the opinion. Durable when it returns. A note or name with
 * control characters, or one that is too long, is refused (ERR_INPUT). */
bool review_mark(struct workspace *ws, int64_t attempt, enum judgement j, const char *note, const char *how,
                 struct err *e);
/* A signature under a mark, and whether it fits what the record says of the mark. */
struct review_signed {
	const char *ref;          /* "7.2", "record" */
	enum judgement judgement;
	const char *reviewer;
	bool good;
	const char *signer;       /* name in the allowed-signers file; without one, the key; not good: ssh-keygen's reason */
	const char *unseen;       /* why it could not be looked at (no ssh-keygen here); NULL */
};
/* Each signed mark; `signers` is an allowed-signers file of ssh-keygen(1), NULL: any key will do. */
bool review_check_signatures(struct query *q, const char *signers, bool (*fn)(void *ctx, const struct review_signed *s),
                             void *ctx, struct err *e);
bool review_note(struct workspace *ws, int64_t attempt, const struct review_place *at, const char *text,
                 const char *how, struct err *e);
/* Marks of the whole record, oldest first. */
bool review_opinions(struct query *q, bool (*fn)(void *ctx, const struct review_mark *m), void *ctx, struct err *e);
/* The opinion: the last of them. */
struct review_opinion {
	enum judgement judgement; /* JUDGED_NONE: there never was one */
	char *reviewer, *note;    /* owned; NULL */
	int64_t at_us;
	bool is_signed;
	bool stale;               /* attempts were asked for since; one that was withdrawn never is */
};
bool review_opinion(struct query *q, struct review_opinion *out, struct err *e);
void review_opinion_free(struct review_opinion *o);
/* "? questioned (stale)", for a line that has no room for more; nothing where none counts. */
void review_opinion_brief(const struct review_opinion *o, struct buf *out);
/* The one that counts for this attempt; NULL: none, or withdrawn. */
const struct review_mark *review_counts(const struct detail *d);
/* Whether what was said of it is about code that has a newer attempt. */
bool review_is_stale(const struct detail *d);
/* "code line 12", "file layers.csv", "" for the attempt as a whole. The path is not escaped. */
void review_place_text(const struct review_place *at, struct buf *out);
const char *judgement_glyph(enum judgement j); /* "✓" "?" "✗", "" for none and withdrawn */

/* What names a record and how far it was when somebody looked: for reports. */
struct record_identity {
	char uuid[UUID_TEXT];
	int64_t head_seq, head_us;
	struct digest head;
};
bool review_identity(struct query *q, struct record_identity *out, struct err *e);
/* Tells the ledger that something left the record ("report audit.html: 12 attempts"). */
bool review_exported(struct workspace *ws, const char *what, struct err *e);

/* ---- the queue (review_queue.c) ------------------------------------------------------------------------ */

/* Why a step should be looked at, worst first. */
enum risk {
	RISK_FAILED = 1,          /* its last attempt is not ok */
	RISK_DIFFERS = 2,         /* a check came out otherwise */
	RISK_REFUSED = 4,         /* the sandbox denied something, and it went on */
	RISK_HIDDEN = 8,          /* hidden, bidirectional or look-alike characters in code, output or names */
	RISK_INPUT_CHANGED = 16,  /* a file that it read is another one now */
	RISK_INPUT_REJECTED = 32, /* it read what a rejected attempt made */
	RISK_NO_PURPOSE = 64,
};

struct queue_entry {
	int64_t attempt, step;
	char ref[REF_TEXT];
	char *title;              /* all owned */
	char *asker;
	char *reason;             /* "failed: KeyError: 'TIV'; no purpose"; "not looked at yet" */
	enum outcome state;
	unsigned risks;           /* of enum risk */
	enum judgement stale;     /* of an earlier attempt of the step */
};

struct queue;
struct queue_request {
	size_t sample;            /* draw so many steps; 0: all */
	int64_t seed;             /* the same seed draws the same steps, whatever was marked meanwhile */
	bool (*cancelled)(void *ctx); /* NULL: never */
	/* Now and then while steps are looked at, first before the second one: what failed is at its place already, and
	 * of the others `looked` have all their reasons. NULL: not wanted. */
	void (*progress)(void *ctx, const struct queue *so_far);
	void *ctx;
};
struct queue {
	struct queue_entry *v;    /* owned, worst first */
	size_t n;
	size_t looked;            /* of them: all, once it is loaded */
	int64_t steps;            /* with an ended last attempt: what is drawn from */
	int64_t drawn;            /* of them looked at: all, or the sample */
	int64_t reviewed;         /* of those marked already */
	int64_t running;          /* steps whose last attempt has no end yet */
};
/* ws NULL: evidence, nothing can have changed since. False also when cancelled (ERR_CANCELLED). */
bool queue_load(struct query *q, struct workspace *ws, const struct queue_request *r, struct queue *out, struct err *e);
void queue_copy(const struct queue *from, struct queue *out);
void queue_free(struct queue *l);
/* One step again, after a mark or an attempt. */
struct queue_again {
	int64_t step;
	bool open;                /* it is to be reviewed; else there is no entry */
	struct queue_entry entry; /* owned */
	int64_t reviewed;         /* steps of the record that are reviewed */
	bool alone;               /* nothing can have changed for other steps */
};
bool queue_look(struct query *q, struct workspace *ws, int64_t attempt, struct queue_again *out, struct err *e);
/* Brings a whole queue (no sample) up to it; takes over the entry. */
void queue_put(struct queue *l, struct queue_again *a);
void queue_again_free(struct queue_again *a);
/* The step next to `step` in the order of numbers whose last attempt is to be reviewed; 0: none. */
bool queue_beside(struct query *q, int64_t step, int dir, int64_t *attempt, struct err *e);

/* ---- odd characters (oddities.c) ------------------------------------------------------------------------ */

/* What in code, output and names does not look like what it is. */
struct oddities {
	int64_t code_hidden, code_bidi, code_alike; /* characters; words that mix scripts */
	int64_t out_hidden, out_bidi, out_alike;    /* of the streams' beginnings */
	int64_t names;                              /* files whose name holds any of them */
	int64_t code_lines;                         /* -1 unknown */
	int64_t filters;                            /* lines of code that select data (text/pyfilter.h) */
};
bool query_oddities(struct query *q, const struct detail *d, bool streams, struct oddities *out, struct err *e);
/* "2 hidden characters in the code, 1 file name"; nothing when there is none. */
void oddities_text(const struct oddities *o, struct buf *out);
bool oddities_any(const struct oddities *o);

#endif
