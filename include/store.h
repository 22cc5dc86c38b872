/*
 * store: the record file. The only user of sqlite3.
 *
 * One `struct store` is one connection; it belongs to one thread. Writers wait for each other, up to
 * 5 s in which none of the others gets on (then ERR_BUSY "locked by another process"); write
 * transactions are BEGIN IMMEDIATE and short. Whatever is written about an attempt is written by its
 * runner alone. Facts are appended, never changed (triggers refuse). Every function that writes makes
 * its own transaction unless the header says "inside a transaction".
 *
 * Paths, names and streams are bytes: text columns hold them escaped when they are not UTF-8, the
 * column behind holds the exact bytes; readers of this header always get the exact bytes.
 */
#ifndef TICKMARK_STORE_H
#define TICKMARK_STORE_H

#include "record.h"

#define STORE_APPLICATION_ID 0x7469636b /* "tick" */
#define STORE_SCHEMA_VERSION 1
#define STORE_CHUNK (1 << 20)           /* most bytes in one blob chunk */

struct store;

enum store_mode {
	STORE_WRITE,    /* read and append; the schema must equal ours */
	STORE_READ,     /* read only; works on a live record of our own, without creating files */
	STORE_EVIDENCE, /* a foreign file: never a byte written beside it, nothing in it trusted */
};

/* ---- the file (db.c, schema.c) ---------------------------------------------------------- */

/* Makes a new record at `path` (0600), for the workspace folder `workspace`. ERR_EXISTS if there. */
bool store_create(const char *path, const char *workspace, struct err *e);
/* ERR_EXISTS: beside that name, which is free, lies what SQLite would play into a file of that name. */
bool store_left_nothing(const char *path, struct err *e);
/* ERR_NOTFOUND; ERR_CORRUPT "is not a tickmark record"; ERR_VERSION for a newer one (STORE_WRITE);
 * ERR_READONLY; an older one is copied beside itself and migrated in one transaction (STORE_WRITE). */
struct store *store_open(const char *path, enum store_mode mode, struct err *e);
int store_newer(struct store *st); /* the record version, if it is of a newer tickmark: its facts are not all known here; else 0 */
void store_close(struct store *st); /* NULL is fine; checkpoints nothing */
/* Many readings in a row see one state of the record and cost less each. Short: meanwhile no page of it can be
 * reclaimed. Returns whether it is held now, which store_release is told. */
bool store_hold(struct store *st);
void store_release(struct store *st, bool held);
/* Could it be written now? False with ERR_BUSY, at once, where another process writes. */
bool store_is_free(struct store *st, struct err *e);
/* Brings the WAL into the file and empties it if nobody else is busy; false with ERR_BUSY otherwise. */
bool store_checkpoint(struct store *st, struct err *e);
/* What will be asked for soon: its statements are prepared, for which there is time while a program runs.
 * Nothing depends on it. */
enum store_work { STORE_END, STORE_DETAIL };
void store_expect(struct store *st, enum store_work work);
/* Evidence is read without locks: ERR_BUSY when somebody wrote it since it was opened, so that what was read may be of
 * two states. To be asked behind the last reading, before anything is made of it. */
bool store_is_unchanged(struct store *st, struct err *e);
/* Grows by one whenever another connection wrote (PRAGMA data_version). */
int64_t store_data_version(struct store *st);
/* "wal", or "delete" with the reason (network file system …) in *why. */
const char *store_journal(struct store *st, const char **why);
const char *store_path(const struct store *st);
/* Device and inode of the file that is open, whatever its path leads to by now. */
void store_file(const struct store *st, int64_t *device, int64_t *inode);
bool store_uuid(struct store *st, struct uuid *out, struct err *e);
/* Path of the workspace when the record was made (exact bytes; owned). */
char *store_workspace(struct store *st, struct err *e);

/* ---- contents (blob.c) ------------------------------------------------------------------- */

/* Makes sure the bytes are kept; `owner` is the uuid of the attempt whose runner writes, or of somebody else who shows
 * a sign of life under it (orphan collection asks for it; ERR_BUSY when it took what had come in). Large ones go in by
 * transactions of at most 4 MiB, synchronous NORMAL. As long as no row names them a prune may take them, so that who
 * names them asks again whether they are there, in the same transaction. */
bool store_blob_put(struct store *st, const struct uuid *owner, const void *p, size_t n,
                    struct digest *out, struct err *e);
/* From a file, from its start; `want` (may be NULL) is the hash it must have: ERR_CHANGED when the
 * bytes read differ ("changed while it was read"). Nothing is read when `want` is kept already. */
bool store_blob_put_fd(struct store *st, const struct uuid *owner, int fd, const char *what,
                       const struct digest *want, struct digest *out, int64_t *size, struct err *e);
/* From now on (a copy is kept) store_blob_put_fd asks between parts of a large file whether to go on: ERR_CANCELLED.
 * What came in already stays as an upload of `owner` for store_blob_collect, for taking it out costs as much as
 * putting it in. */
void store_set_cancel(struct store *st, const struct cancel *c);
/* From another record; its hash is checked. */
bool store_blob_copy(struct store *st, const struct uuid *owner, struct store *from, const struct digest *d, struct err *e);
bool store_blob_has(struct store *st, const struct digest *d, int64_t *size);
/* Calls `add` with its bytes in order; the hash is checked at the end (ERR_CORRUPT). add returns
 * false to stop (the error it set is handed on). ERR_NOTFOUND when the bytes are not kept. */
typedef bool (*store_bytes_fn)(void *ctx, const void *p, size_t n, struct err *e);
bool store_blob_each(struct store *st, const struct digest *d, store_bytes_fn add, void *ctx, struct err *e);
bool store_blob_read(struct store *st, const struct digest *d, size_t max, struct buf *out, struct err *e);
bool store_blob_write(struct store *st, const struct digest *d, int fd, const char *what, struct err *e);
/* Collects chunks of uploads whose owner is gone; `alive` tells by uuid. */
bool store_blob_collect(struct store *st, bool (*alive)(void *ctx, const struct uuid *owner), void *ctx,
                        struct err *e);

/* ---- sets of files (manifest.c) -------------------------------------------------------------- */

/* Hash of a set: entries sorted by path (memcmp), each once. */
struct digest store_manifest_hash(const struct entry *entries, size_t n);
/* Id of the set with exactly these entries (sorted, each path once), stored if it is new; as a
 * difference to `base` (0: none) when that is much smaller. */
bool store_manifest_put(struct store *st, const struct entry *entries, size_t n, int64_t base,
                        int64_t *id, struct err *e);
bool store_manifest_find(struct store *st, const struct digest *hash, int64_t *id); /* false: not there */

/* A whole set, resolved, sorted by path. */
struct manifest {
	int64_t id;
	struct digest sha256;
	struct entry *entries; /* owned, as all they point at */
	size_t n;
	void *arena;           /* private */
};
bool store_manifest_get(struct store *st, int64_t id, struct manifest *out, struct err *e);
void store_manifest_free(struct manifest *m);
const struct entry *manifest_find(const struct manifest *m, const char *path); /* NULL: not in it */
bool store_manifest_count(struct store *st, int64_t id, int64_t *files, int64_t *bytes, struct err *e);

/* ---- attachments (attachment.c) --------------------------------------------------------------- */

struct attachment {
	bool removed;          /* taken out of the default set */
	const char *name;      /* as attempts see it */
	const char *source;    /* absolute path elsewhere; NULL */
	struct digest sha256;  /* kept bytes; zero */
	const char *origin;    /* what the user said about piped data; NULL */
	int64_t at_us;
};
/* ERR_NOTFOUND: its bytes are not kept. */
bool store_attach(struct store *st, const struct attachment *a, struct err *e);
/* The newest event of each name, by name. */
bool store_attachment_each(struct store *st, bool (*fn)(void *ctx, const struct attachment *a), void *ctx,
                           struct err *e);

/* ---- steps and attempts (attempt.c) ----------------------------------------------------------- */

/* Its fingerprint: of all texts; env->fingerprint itself is never read, only filled by _get. */
struct digest store_environment_hash(const struct environment *env);
bool store_environment_put(struct store *st, const struct environment *env, int64_t *id, struct err *e);
bool store_environment_get(struct store *st, int64_t id, struct environment *out, struct err *e);
bool store_environment_find(struct store *st, const struct digest *fingerprint, int64_t *id);
void store_environment_free(struct environment *env);
bool store_policy_put(struct store *st, const struct policy *p, int64_t *id, struct err *e);
bool store_policy_get(struct store *st, int64_t id, struct policy *out, struct err *e);

/* Queues: one transaction, durable when it returns (synchronous FULL). `a->step` 0 makes a new step
 * from *step; else the attempt is the step's next. A check gets the next check number of check_of.
 * Environment, policy, offered set and code blob must be there already, or be given in `with`, which
 * are then put inside the same transaction (so that a trivial run costs one commit). Fills a->id,
 * step, number, check and offered. */
struct queue_with {
	const struct step *step;          /* for a new step: title, purpose, script, asker */
	const struct environment *environment; /* NULL: a->environment is set */
	const struct policy *policy;           /* NULL: a->policy is set */
	const void *code;                 /* NULL: the blob a->code is kept already */
	size_t code_len;
	const struct entry *offered;      /* NULL: a->offered is set */
	size_t offered_n;
	const struct digest *offered_sha256; /* of the set, where it is known; NULL */
	const struct digest *offered_base;   /* of a set to store the difference to, if that is still there; NULL */
};
bool store_attempt_queue(struct store *st, struct attempt *a, const struct queue_with *with, struct err *e);

/* Appends stream chunks, one transaction, synchronous NORMAL. */
bool store_chunks_add(struct store *st, int64_t attempt, const struct chunk *chunks, size_t n, struct err *e);
/* The running hash that attempt_end.chunks_sha256 ends with; it goes into the ledger entry of the end
 * and is not read back. It is made of the rows without their bytes and of the bytes of each stream by
 * themselves: of a stream that was kept whole that is the hash of the stream, so that whoever needs both
 * hashes each byte once. */
struct chunks_hash {
	struct hasher rows, bytes[2]; /* stdout, stderr */
};
void store_chunks_hash_begin(struct chunks_hash *h);
void store_chunks_hash_add(struct chunks_hash *h, const struct chunk *c);
/* streams (or NULL) gets the hashes of what is kept of stdout and stderr. */
struct digest store_chunks_hash_end(struct chunks_hash *h, struct digest streams[2]);

/* Ends an attempt: one transaction, durable when it returns: sets, refusals, verdict, end row,
 * ledger entry, tally, produced. `chunks` are the last ones. end->inputs and end->artifacts are
 * filled from the entries given, end->chunks_sha256 from the kept chunks when it is zero (a runner that
 * vanished). Refuses (ERR_EXISTS) a second end, and (ERR_NOTFOUND) one whose contents are not kept: those of inputs
 * that were read and of files that were made, but for entries with a note that says why not. */
struct end_with {
	const struct chunk *chunks;
	size_t chunks_n;
	const struct entry *inputs;
	size_t inputs_n;
	const struct entry *artifacts;
	size_t artifacts_n;
	const struct refusal *refusals;
	size_t refusals_n;
	enum verdict verdict;             /* checks; VERDICT_NONE: no row */
	const char *first_at;
	const char *qualified;
};
bool store_attempt_end(struct store *st, struct attempt_end *end, const struct end_with *with, struct err *e);

/* One attempt, whole. end->outcome is OUTCOME_RUNNING (and end->attempt 0) while no end is recorded. */
struct attempt_full {
	struct step step;
	struct attempt attempt;
	struct attempt_end end;
	enum verdict verdict;     /* of a check */
	const char *first_at;
	const char *qualified;
	struct refusal *refusals; /* owned */
	size_t refusals_n;
	int64_t last_number;      /* newest attempt of the step */
	void *arena;              /* private */
};
bool store_attempt_get(struct store *st, int64_t id, struct attempt_full *out, struct err *e);
void store_attempt_free(struct attempt_full *a);

/* Ids: 0 when there is none. number 0: the step's last attempt; check 0: the attempt itself. */
bool store_attempt_find(struct store *st, int64_t step, int64_t number, int64_t check, int64_t *id, struct err *e);
/* The attempt (no check) queued `back` attempts before the newest; 0 is the newest. */
bool store_attempt_last(struct store *st, int64_t back, int64_t *id, struct err *e);
/* The attempt that a call with this identifier made (attempt.calls); 0: none. */
bool store_attempt_by_call(struct store *st, const char *key, int64_t *id, struct err *e);
bool store_step_last(struct store *st, int64_t *number, struct err *e); /* newest step; 0: none */
/* Newest step whose script is this path; 0: none. */
bool store_step_by_script(struct store *st, const char *script, int64_t *number, struct err *e);

/* ---- lists (list.c): keyset paging, no blob or stream page read, nothing counted -------------- */

struct attempt_row {
	int64_t id, step, number, check_of, check;
	struct uuid uuid;
	const char *title;
	const char *asker;
	enum asker_kind asker_kind;
	int64_t queued_us;
	enum outcome outcome;     /* OUTCOME_RUNNING while no end is recorded */
	int exit_code, signal;
	int64_t wall_us;
	const char *limit;
	const char *detail;
	int64_t step_attempts;    /* attempts of its step */
	int64_t artifacts;        /* files, 0 while running */
	enum verdict verdict;
	const char *host;
	const char *boot_id;
	int64_t device, inode;
	enum judgement judgement; /* of its newest mark */
	const char *reviewer;
	enum judgement stale;     /* last attempt of a step: newest mark of the step, when it is on an earlier one */
};
typedef bool (*store_row_fn)(void *ctx, const struct attempt_row *row); /* false stops */
/* Steps, newest or oldest first, starting behind step `after` (0: from the end); each as its last
 * attempt. */
bool store_steps(struct store *st, int64_t after, bool newest_first, size_t limit, store_row_fn fn, void *ctx,
                 struct err *e);
/* Attempts of a step in order; with their checks when `checks`. */
bool store_step_attempts(struct store *st, int64_t step, bool checks, store_row_fn fn, void *ctx, struct err *e);
/* All attempts and checks by id behind `after`. */
bool store_attempts(struct store *st, int64_t after, bool newest_first, size_t limit, store_row_fn fn, void *ctx,
                    struct err *e);
/* Those without an end. */
bool store_running(struct store *st, store_row_fn fn, void *ctx, struct err *e);
int64_t store_tally(struct store *st, const char *name);
/* Attempts that changed since `*seq` (0 at first), each once; *lost when some were dropped already. */
bool store_changes(struct store *st, int64_t *seq, bool *lost, bool (*fn)(void *ctx, int64_t attempt), void *ctx,
                   struct err *e);

/* Chunks of an attempt in order of arrival; stream 0: both. */
typedef bool (*store_chunk_fn)(void *ctx, const struct chunk *c, struct err *e);
bool store_chunks(struct store *st, int64_t attempt, int stream, store_chunk_fn fn, void *ctx, struct err *e);

/* What earlier steps produced: candidates for the offered set, by path, highest step first. */
struct produced {
	const char *path;
	int64_t step, attempt, size, at_us;
	uint16_t mode;
	struct digest sha256;
	struct digest replaced; /* content offered there to that attempt; zero: none */
	enum judgement judgement; /* of the attempt */
};
/* What `fn` wants to see after one: a path that many steps made costs no more than one that it has seen enough of. */
enum produced_next { PRODUCED_ENOUGH, PRODUCED_NEXT, PRODUCED_NEXT_PATH };
typedef enum produced_next (*store_produced_fn)(void *ctx, const struct produced *p);
bool store_produced(struct store *st, store_produced_fn fn, void *ctx, struct err *e);
/* The same for one path. */
bool store_produced_at(struct store *st, const char *path, store_produced_fn fn, void *ctx, struct err *e);

/* ---- the ledger (ledger.c, verify.c) ------------------------------------------------------------ */

/* An event that has no function of its own: "exported", "setting changed" … */
bool store_event(struct store *st, const char *kind, int64_t subject, const char *text, struct err *e);
/* An event of that kind: at place `at` of the ledger (0: the newest of them). *seq 0: there is none. `text` (or
 * NULL) is owned by the caller. */
bool store_event_at(struct store *st, int64_t at, const char *kind, int64_t *seq, char **text, struct err *e);
struct ledger_head { int64_t seq; int64_t at_us; struct digest entry; };
bool store_head(struct store *st, struct ledger_head *out, struct err *e);
/* The head as it was when the ledger had grown to `seq`. */
bool store_head_at(struct store *st, int64_t seq, struct ledger_head *out, struct err *e);
/* Place of the entry with this hash; 0: there is none. */
bool store_ledger_find(struct store *st, const struct digest *entry, int64_t *seq, struct err *e);

/* Recomputes everything: chain, facts against their entries, streams, sets, contents, and what no
 * entry covers. Faults go to `fault` one by one ("7.2: stdout differs from what its end recorded");
 * false only when the file could not be read. One read transaction. */
struct verify_result {
	int64_t entries, attempts, checks, blobs, bytes, faults;
	int64_t newest_us;
	struct ledger_head head;
	bool running;  /* attempts without an end were left out */
};
typedef void (*store_fault_fn)(void *ctx, const char *what);
typedef bool (*store_progress_fn)(void *ctx, int64_t done, int64_t total); /* false cancels */
bool store_verify(struct store *st, store_fault_fn fault, store_progress_fn progress, void *ctx,
                  struct verify_result *out, struct err *e);

#endif
