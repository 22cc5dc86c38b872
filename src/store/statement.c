/* Statements by their number: running them, binding and reading in order. */
#include "statement.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "name.h"

/* ---- running ------------------------------------------------------------------------------- */

static bool prepare(struct store *st, enum sql_id id, sqlite3_stmt **s, struct err *e)
{
	int rc = sqlite3_prepare_v3(st->db, sql_table[id], -1, SQLITE_PREPARE_PERSISTENT, s, NULL);

	return rc == SQLITE_OK || db_fail(st, rc, "cannot read the record", e);
}

bool sql_start(struct store *st, enum sql_id id, struct sql *q, struct err *e)
{
	sqlite3_stmt **kept = &st->statements[id];

	*q = (struct sql){ .st = st, .id = id };
	if (*kept && sqlite3_stmt_busy(*kept))
		return prepare(st, id, &q->s, e);
	if (!*kept && !prepare(st, id, kept, e))
		return false;
	q->s = *kept;
	return true;
}

void sql_end(struct sql *q)
{
	if (!q->s)
		return;
	if (q->s == q->st->statements[q->id]) {
		sqlite3_reset(q->s);
		sqlite3_clear_bindings(q->s);
	} else {
		sqlite3_finalize(q->s);
	}
	q->s = NULL;
}

enum sql_answer sql_row(struct sql *q, struct err *e)
{
	q->rc = sqlite3_step(q->s);
	q->i = 0;
	if (q->rc == SQLITE_ROW)
		return SQL_ROW;
	if (q->rc != SQLITE_DONE) {
		const char *sql = sql_table[q->id];
		bool reads = strncmp(sql, "SELECT", 6) == 0 || strncmp(sql, "PRAGMA", 6) == 0;

		db_fail(q->st, q->rc, reads ? "cannot read the record" : "cannot write the record", e);
	}
	sql_end(q);
	return q->rc == SQLITE_DONE ? SQL_DONE : SQL_FAILED;
}

bool sql_run(struct sql *q, struct err *e)
{
	enum sql_answer answer = sql_row(q, e);

	sql_end(q);
	return answer != SQL_FAILED;
}

bool sql_int(struct sql *q, int64_t *out, struct err *e)
{
	enum sql_answer answer = sql_row(q, e);

	*out = answer == SQL_ROW ? col_int(q) : 0;
	sql_end(q);
	return answer != SQL_FAILED;
}

/* ---- binding -------------------------------------------------------------------------------- */

/* Fails only for a parameter that is not there, or a string over SQLite's limit of a gigabyte. */
static void bound(int rc)
{
	if (rc == SQLITE_NOMEM)
		die("out of memory");
	assert(rc == SQLITE_OK);
}

void bind_int(struct sql *q, int64_t v)
{
	bound(sqlite3_bind_int64(q->s, ++q->i, v));
}

void bind_null(struct sql *q)
{
	bound(sqlite3_bind_null(q->s, ++q->i));
}

void bind_id(struct sql *q, int64_t v)
{
	if (v == 0)
		bind_null(q);
	else
		bind_int(q, v);
}

void bind_text(struct sql *q, const char *s)
{
	if (s && !name_is_utf8(s))
		bound(sqlite3_bind_text(q->s, ++q->i, name_escape_dup(s), -1, free));
	else
		bound(sqlite3_bind_text(q->s, ++q->i, s, -1, SQLITE_STATIC));
}

void bind_blob(struct sql *q, const void *p, size_t n)
{
	bound(sqlite3_bind_blob64(q->s, ++q->i, p ? p : "", n, SQLITE_STATIC));
}

void bind_name(struct sql *q, const char *s)
{
	if (!s || name_is_plain(s)) {
		bound(sqlite3_bind_text(q->s, ++q->i, s, -1, SQLITE_STATIC));
		bind_null(q);
		return;
	}
	bound(sqlite3_bind_text(q->s, ++q->i, name_escape_dup(s), -1, free));
	bind_blob(q, s, strlen(s));
}

void bind_digest(struct sql *q, const struct digest *d)
{
	if (digest_is_zero(d))
		bind_null(q);
	else
		bind_blob(q, d->b, sizeof(d->b));
}

/* ---- reading -------------------------------------------------------------------------------- */

int64_t col_int(struct sql *q)
{
	return sqlite3_column_int64(q->s, q->i++);
}

int64_t col_int_or(struct sql *q, int64_t otherwise)
{
	int i = q->i++;

	return sqlite3_column_type(q->s, i) == SQLITE_NULL ? otherwise : sqlite3_column_int64(q->s, i);
}

const char *col_text(struct sql *q)
{
	return (const char *)sqlite3_column_text(q->s, q->i++);
}

const char *col_name(struct sql *q)
{
	const char *text = col_text(q);
	int i = q->i++;

	if (sqlite3_column_type(q->s, i) == SQLITE_NULL)
		return text;
	return (const char *)sqlite3_column_text(q->s, i); /* of a blob: its bytes, terminated */
}

const void *col_blob(struct sql *q, size_t *n)
{
	const void *p = sqlite3_column_blob(q->s, q->i);

	*n = (size_t)sqlite3_column_bytes(q->s, q->i++);
	return p;
}

struct digest col_digest(struct sql *q)
{
	struct digest d = { 0 };
	size_t n;
	const void *p = col_blob(q, &n);

	if (n == sizeof(d.b))
		memcpy(d.b, p, n);
	return d;
}

struct uuid col_uuid(struct sql *q)
{
	struct uuid u = { 0 };
	size_t n;
	const void *p = col_blob(q, &n);

	if (n == sizeof(u.b))
		memcpy(u.b, p, n);
	return u;
}
