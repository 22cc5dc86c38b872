/*
 * statement: every SQL text that takes parameters, in one table (sqltext.c); binding and reading in order.
 *
 *	struct sql q;
 *	if (!sql_start(st, SQL_STEP_GET, &q, e)) return false;
 *	bind_int(&q, number);
 *	switch (sql_row(&q, e)) { case SQL_ROW: title = col_text(&q); … }
 *	sql_end(&q);
 *
 * A statement that is in use already (a callback that reads the same list) is prepared a second time.
 */
#ifndef TICKMARK_STORE_STATEMENT_H
#define TICKMARK_STORE_STATEMENT_H

#include <sqlite3.h>

#include "store.h"

enum sql_id {
	SQL_BEGIN,
	SQL_BEGIN_READ,
	SQL_COMMIT,
	SQL_ROLLBACK,
	SQL_NEST,
	SQL_UNNEST,
	SQL_NEST_UNDO,
	SQL_DATA_VERSION,
	SQL_RECORD_GET,
	SQL_RECORD_ADD,
	SQL_PERMIT_OPEN,
	SQL_PERMIT_CLOSE,

	SQL_BLOB_FIND,
	SQL_BLOB_ADD,
	SQL_BLOB_NEXT_ID,
	SQL_BLOB_CHUNK_ADD,
	SQL_BLOB_CHUNK_GET,
	SQL_BLOB_CHUNKS_DROP,
	SQL_UPLOAD_ADD,
	SQL_UPLOAD_FIND,
	SQL_UPLOAD_DROP,
	SQL_UPLOAD_EACH,

	SQL_MANIFEST_FIND,
	SQL_MANIFEST_GET,
	SQL_MANIFEST_ADD,
	SQL_MANIFEST_ENTRY_ADD,
	SQL_MANIFEST_ENTRIES,
	SQL_MANIFEST_ENTRY_GET,
	SQL_MANIFEST_LACKS,

	SQL_ATTACHMENT_ADD,
	SQL_ATTACHMENT_EACH,

	SQL_ENVIRONMENT_FIND,
	SQL_ENVIRONMENT_ADD,
	SQL_ENVIRONMENT_GET,
	SQL_POLICY_FIND,
	SQL_POLICY_ADD,
	SQL_POLICY_GET,
	SQL_ASKER_FIND,
	SQL_ASKER_ADD,
	SQL_PLACE_FIND,
	SQL_PLACE_ADD,

	SQL_STEP_ADD,
	SQL_STEP_LAST,
	SQL_STEP_CREATED,
	SQL_STEP_BY_SCRIPT,
	SQL_ATTEMPT_ADD,
	SQL_ATTEMPT_NEXT_NUMBER,
	SQL_ATTEMPT_NEXT_CHECK,
	SQL_ATTEMPT_NUMBERS,
	SQL_ARG_ADD,
	SQL_ENV_ADD,
	SQL_CALL_ADD,
	SQL_CALL_EACH,
	SQL_ATTEMPT_BY_CALL,
	SQL_ATTEMPT_GET,
	SQL_ARG_EACH,
	SQL_ENV_EACH,
	SQL_ATTEMPT_BY_NUMBER,
	SQL_ATTEMPT_BY_STEP,
	SQL_ATTEMPT_BY_CHECK,
	SQL_ATTEMPT_LAST,

	SQL_CHUNK_LAST,
	SQL_CHUNK_ADD,
	SQL_CHUNK_TWIN,
	SQL_CHUNK_EACH,

	SQL_END_ADD,
	SQL_END_GET,
	SQL_REFUSAL_ADD,
	SQL_REFUSAL_EACH,
	SQL_GLANCE,

	SQL_STEPS_UP,
	SQL_STEPS_DOWN,
	SQL_STEP_ATTEMPTS,
	SQL_ATTEMPT_CHECKS,
	SQL_ATTEMPTS_UP,
	SQL_ATTEMPTS_DOWN,
	SQL_RUNNING_EACH,
	SQL_RUNNING_ANY,

	SQL_TALLY_GET,
	SQL_TALLY_ADD,
	SQL_STEP_TALLY_ADD,
	SQL_STEP_TALLY_MARK,
	SQL_STEP_TALLY_STATE,
	SQL_RUNNING_ADD,
	SQL_RUNNING_DROP,
	SQL_CHANGE_ADD,
	SQL_CHANGE_DROP,
	SQL_CHANGE_FIRST,
	SQL_CHANGE_EACH,
	SQL_PRODUCED_ADD,
	SQL_PRODUCED_EACH,
	SQL_PRODUCED_AT,

	SQL_MARK_ADD,
	SQL_MARK_EACH,
	SQL_MARK_REJECTED,
	SQL_NOTE_ADD,
	SQL_NOTE_EACH,
	SQL_MESSAGE_ADD,
	SQL_MESSAGE_CITE_ADD,
	SQL_MESSAGES_UP,
	SQL_MESSAGES_DOWN,
	SQL_MESSAGES_OF,
	SQL_MESSAGE_CITES,
	SQL_MESSAGE_TIMES,
	SQL_MARKED_EACH,
	SQL_NOTED_EACH,
	SQL_ATTEMPT_UUID,
	SQL_UUID_EACH,
	SQL_CHECK_EACH,
	SQL_CHECK_BY_UUID,

	SQL_PRUNE_ADD,
	SQL_TOMBSTONE_ADD,
	SQL_TOMBSTONE_STREAMS,
	SQL_TOMBSTONE_LOST,
	SQL_TOMBSTONE_AT,
	SQL_TOMBSTONE_CONTENT,
	SQL_LEDGER_CONTENT_ADD,
	SQL_LEDGER_CONTENT_GET,
	SQL_LARGEST,

	SQL_LEDGER_ADD,
	SQL_LEDGER_EACH,
	SQL_LEDGER_BEFORE,
	SQL_LEDGER_FIND,
	SQL_LEDGER_EVENT,
	SQL_LEDGER_END,
	SQL_LEDGER_END_NEWEST,
	SQL_MARK_ENDS,
	SQL_FACTS_RECORD,
	SQL_FACTS_ATTACHMENT,
	SQL_FACTS_QUEUED,
	SQL_FACTS_ARGS,
	SQL_FACTS_ENV,
	SQL_FACTS_ENDED,
	SQL_FACTS_REFUSALS,
	SQL_FACTS_CALLS,
	SQL_FACTS_MARK,
	SQL_FACTS_NOTE,
	SQL_FACTS_MESSAGE,
	SQL_FACTS_CITES,
	SQL_FACTS_PRUNE,
	SQL_FACTS_TOMBSTONES,
	SQL_FACTS_CONTENTS,

	SQL_VERIFY_COUNTS,
	SQL_WALK_QUEUED,
	SQL_WALK_ARGS,
	SQL_WALK_ENV,
	SQL_WALK_CALLS,
	SQL_WALK_ENDED,
	SQL_WALK_REFUSALS,
	SQL_VERIFY_CHUNKS,
	SQL_VERIFY_STREAMS,
	SQL_VERIFY_MANIFESTS,
	SQL_VERIFY_MANIFEST_USER,
	SQL_VERIFY_NAMES,
	SQL_VERIFY_ENVIRONMENTS,
	SQL_VERIFY_POLICIES,
	SQL_VERIFY_BLOBS,
	SQL_VERIFY_BLOB_CHUNKS,
	SQL_VERIFY_PRODUCED,

	SQL_COUNT,
};

extern const char *const sql_table[SQL_COUNT]; /* sqltext.c */

/* A statement at work. Opaque but for its owner. */
struct sql {
	struct store *st;
	sqlite3_stmt *s;
	enum sql_id id;
	int i;            /* last parameter bound or column read */
	int rc;           /* last answer */
};

enum sql_answer { SQL_FAILED = -1, SQL_DONE = 0, SQL_ROW = 1 };

bool sql_start(struct store *st, enum sql_id id, struct sql *q, struct err *e);
/* The next row; once it is not SQL_ROW the statement is given back already. */
enum sql_answer sql_row(struct sql *q, struct err *e);
void sql_end(struct sql *q); /* gives it back; harmless a second time */
/* Runs one that gives no rows. */
bool sql_run(struct sql *q, struct err *e);
/* First column of the first row, 0 when there is none (or NULL). */
bool sql_int(struct sql *q, int64_t *out, struct err *e);

/* Each binds the next parameter (bind_name: the next two). Bytes must live until the row is done. */
void bind_int(struct sql *q, int64_t v);
void bind_id(struct sql *q, int64_t v);                      /* 0: NULL */
void bind_null(struct sql *q);
void bind_text(struct sql *q, const char *s);                /* words: escaped when not UTF-8 */
void bind_name(struct sql *q, const char *s);                /* text and, when escaped, exact bytes */
void bind_blob(struct sql *q, const void *p, size_t n);      /* p NULL with n 0: empty */
void bind_digest(struct sql *q, const struct digest *d);     /* zero: NULL */

/* Each reads the next column (col_name: the next two). Strings live until the next sql_ call. */
int64_t col_int(struct sql *q);                              /* NULL: 0 */
int64_t col_int_or(struct sql *q, int64_t otherwise);        /* NULL: otherwise */
const char *col_text(struct sql *q);                         /* NULL: NULL */
const char *col_name(struct sql *q);
const void *col_blob(struct sql *q, size_t *n);
struct digest col_digest(struct sql *q);                     /* NULL or of another length: zero */
struct uuid col_uuid(struct sql *q);

#endif
