/*
 * model/query: reading the record. Results are plain values of record.h; strings live until the
 * next call with the same object or its _free.
 */
#ifndef TICKMARK_MODEL_QUERY_H
#define TICKMARK_MODEL_QUERY_H

#include "model.h"
struct ref; /* text.h */
struct review_mark; /* model/review.h */
struct review_note;
struct list_filter; /* model/filtering.h */

/* A record for reading: that of a workspace, or a file elsewhere (evidence). */
struct query;
struct query *query_open(struct workspace *ws, struct err *e);
struct query *query_open_file(const char *path, struct err *e);
void query_close(struct query *q);
/* A foreign record is read without locks: false (ERR_BUSY) when somebody wrote it meanwhile. */
bool query_is_unchanged(struct query *q, struct err *e);
/* Around many queries in a row, of one slice of work: they see one state, and cost less. */
bool query_hold(struct query *q);
void query_release(struct query *q, bool held);
/* query_detail will be called soon: gets ready for it, while there is time. */
void query_expect_detail(struct query *q);
bool query_is_evidence(const struct query *q);

/* Id of what a reference means; ERR_NOTFOUND "there is no 7.3: step 7 has 2 attempts". A plain step
 * number means its last attempt. */
bool query_resolve(struct query *q, const struct ref *ref, int64_t *attempt, struct err *e);
bool query_resolve_text(struct query *q, const char *text, int64_t *attempt, struct err *e);
/* The attempt that a call with this identifier ("name=value", run_request.calls) made; 0: none. */
bool query_by_call(struct query *q, const char *call, int64_t *attempt, struct err *e);
/* "7.2", "7.2r1" */
#define REF_TEXT 48
bool query_ref(struct query *q, int64_t attempt, char out[REF_TEXT], struct err *e);

/* Everything about one attempt or check. state is the outcome, or queued, running, interrupted, as
 * far as it can be told from here. */
struct detail {
	char ref[REF_TEXT];
	struct step step;
	struct attempt attempt;
	struct attempt_end end;      /* end.attempt 0: no end recorded */
	enum outcome state;
	struct environment env;
	struct policy policy;
	struct entry *inputs;        /* with missing ones */
	size_t inputs_n;
	struct entry *artifacts;
	size_t artifacts_n;
	struct refusal *refusals;
	size_t refusals_n;
	int64_t offered_files, offered_bytes;
	char retry_of[REF_TEXT];     /* "" */
	char check_of[REF_TEXT];     /* "" */
	enum verdict verdict;
	const char *first_at;        /* NULL */
	const char *qualified;       /* NULL */
	int64_t last_number;         /* newest attempt of the step */
	int64_t messages;            /* that cite it */
	struct review_mark *marks;   /* oldest first; the last counts */
	size_t marks_n;
	struct review_note *notes;
	size_t notes_n;
	void *arena;                 /* private */
};
bool query_detail(struct query *q, int64_t attempt, struct detail *out, struct err *e);
void query_detail_free(struct detail *d);

/* Whether what a new attempt would be offered at an input's path (the attached file, hashed, or what a step made)
 * differs from what the attempt read. OWN: it is nothing but the attempt's own update of it. In a review of evidence
 * unknown: the folder is not the one that it ran in. */
enum since { SINCE_SAME, SINCE_CHANGED, SINCE_MISSING, SINCE_UNKNOWN, SINCE_OWN };
enum since query_since(struct query *q, struct workspace *ws, const struct entry *input);
/* From now on reading a file for that ends, SINCE_UNKNOWN, when asked; so does writing an artifact into a file,
 * ERR_CANCELLED. */
void query_set_cancel(struct query *q, struct cancel c);
/* Where the bytes are that a new attempt would be offered at a path: a file (owned path), or else a content of the
 * record. False: nowhere. */
bool query_now(struct query *q, struct workspace *ws, const char *input, char **path, struct digest *content);
/* Has the folder, or the file attached from elsewhere, the input as it was, whoever is seen there? */
bool query_lends(struct query *q, struct workspace *ws, const struct entry *input);

typedef bool (*bytes_fn)(void *ctx, const void *p, size_t n, struct err *e);
bool query_code(struct query *q, int64_t attempt, bytes_fn fn, void *ctx, struct err *e);
bool query_blob(struct query *q, const struct digest *d, bytes_fn fn, void *ctx, struct err *e);
/* stream 0: both in arrival order. What is not kept, and what a prune took, is a chunk with `gap`. */
typedef bool (*chunk_fn)(void *ctx, const struct chunk *c, struct err *e);
bool query_chunks(struct query *q, int64_t attempt, int stream, chunk_fn fn, void *ctx, struct err *e);
bool query_offered(struct query *q, int64_t attempt, bool (*fn)(void *ctx, const struct entry *f), void *ctx, struct err *e);

/* Rows of lists. */
struct row {
	int64_t attempt, step, number, check;
	char ref[REF_TEXT];
	const char *title;
	const char *asker;
	int64_t queued_us, wall_us;
	enum outcome state;
	int exit_code, signal;
	const char *limit;
	const char *detail;
	int64_t step_attempts, artifacts;
	enum verdict verdict;
	enum judgement judgement; /* of its newest mark */
	const char *reviewer;     /* who filed that; NULL */
	enum judgement stale;     /* last attempt of a step without a mark: of an earlier attempt */
};
struct log_filter {
	int64_t step;        /* 0: all */
	bool steps;          /* each step once, as its last attempt */
	bool checks;         /* with checks */
	bool oldest_first;
	int64_t after;       /* keyset: attempt id (step number with `steps`) to go on behind; 0 */
	size_t limit;        /* 0: all */
	const struct list_filter *fits; /* model/filtering.h; NULL: every row */
};
bool query_log(struct query *q, const struct log_filter *f, bool (*fn)(void *ctx, const struct row *r), void *ctx,
               struct err *e);
int64_t query_tally(struct query *q, const char *name); /* "steps", "attempts", "checks", outcome words */

/* Puts one artifact or stream into a file that must not exist (unless `force`), 0600 less umask as a
 * normal file of the user; records an 'exported' event when q belongs to a workspace. */
bool export_artifact(struct query *q, int64_t attempt, const char *path, const char *to, bool force, struct err *e);
bool export_stream(struct query *q, int64_t attempt, enum stream_id stream, const char *to, bool force, int64_t *written, struct err *e);
/* Puts what `fill` writes into a file that is for readers: the mode of an ordinary one. Whole or not at all. */
bool export_made(const char *to, bool force, bool (*fill)(void *ctx, int fd, struct err *e), void *ctx, struct err *e);
/* The names below that folder of code ("_code/SCRIPT") and streams; NULL: code without a name. */
#define EXPORT_STDOUT "_stdout.txt"
#define EXPORT_STDERR "_stderr.txt"
char *export_code_dup(const char *script);
/* All artifacts (and streams and code when `whole`) below folder `to`; hostile names are made safe,
 * each said through `told`. */
bool export_many(struct query *q, int64_t attempt, const char *to, bool whole, bool force,
                 void (*told)(void *ctx, const char *path, int64_t size), void *ctx, struct err *e);

/* verify: see the store's words. */
struct verify_report {
	int64_t entries, attempts, checks, blobs, bytes, faults;
	int64_t newest_us;
	int64_t head_seq;
	struct digest head;
	bool running;
};
/* Waits until `record` can be written; false when that was cancelled (query_set_cancel) or cannot be. */
bool query_wait_for_record(struct query *q, const char *record, struct err *e);
/* ERR_VERSION: it was made by a newer tickmark, so that it cannot be verified here. */
bool query_knows_all(struct query *q, struct err *e);
bool query_verify(struct query *q, void (*fault)(void *ctx, const char *what), bool (*progress)(void *ctx, int64_t done, int64_t total),
                  void *ctx, struct verify_report *out, struct err *e);

#endif
