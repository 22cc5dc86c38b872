/*
 * Does the record still say what was written into it? Every column of every fact is under a hash:
 * that of its ledger entry, of its content, of its set, of its streams. What the entries do not cover
 * is found by the questions in verify_rows.c.
 */
#include "verify.h"

#include <stdarg.h>
#include <string.h>

#include "evidence.h"
#include "ledger.h"
#include "schema.h"

void verify_fault(struct verify *v, const char *fmt, ...)
{
	char what[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	v->out->faults++;
	v->fault(v->ctx, what);
}

bool verify_step(struct verify *v, struct err *e)
{
	v->done++;
	if (!v->progress || v->progress(v->ctx, MIN(v->done, v->total), v->total))
		return true;
	return err_set(e, ERR_CANCELLED, "verifying %s: cancelled", v->st->path);
}

bool verify_each(struct verify *v, enum sql_id sql, verify_row_fn check, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(v->st, sql, &q, e))
		return false;
	while ((answer = sql_row(&q, e)) == SQL_ROW)
		if (!check(v, &q, e)) {
			sql_end(&q);
			return false;
		}
	return answer == SQL_DONE;
}

const char *verify_name(struct verify *v, int64_t attempt, char out[VERIFY_NAME])
{
	struct sql q;

	snprintf(out, VERIFY_NAME, "attempt %lld (missing)", (long long)attempt);
	if (!sql_start(v->st, SQL_ATTEMPT_NUMBERS, &q, NULL))
		return out;
	bind_int(&q, attempt);
	if (sql_row(&q, NULL) == SQL_ROW) {
		long long step = col_int(&q), number = col_int(&q), check;

		col_int(&q);
		col_int(&q);
		check = col_int(&q);
		snprintf(out, VERIFY_NAME, check ? "%lld.%lldr%lld" : "%lld.%lld", step, number, check);
	}
	sql_end(&q);
	return out;
}

/* ---- the file ------------------------------------------------------------------------------------ */

static bool check_schema(struct verify *v, struct err *e)
{
	struct err fault = { 0 };
	char what[128];

	if (v->st->version != STORE_SCHEMA_VERSION)
		verify_fault(v, "its record version is %d, this tickmark knows %d", v->st->version, STORE_SCHEMA_VERSION);
	else if (!schema_equals(v->st, what, &fault) && fault.code == ERR_NONE)
		verify_fault(v, "its tables, views or triggers are not as tickmark made them: %s", what);
	if (fault.code != ERR_NONE && e)
		*e = fault;
	return fault.code == ERR_NONE;
}

static bool check_file(struct verify *v, struct err *e)
{
	static const struct verify_query questions[] = {
		{ "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
		  "the file is damaged: %s", false },
		{ "SELECT \"table\" || ' row ' || coalesce(rowid, '?') || ' refers to a missing row of ' || parent"
		  " FROM pragma_foreign_key_check",
		  "%s", false },
	};

	return verify_ask(v, questions, ARRAY_LEN(questions), e);
}

/* ---- entries and their rows -------------------------------------------------------------------------------------- */

static bool types_are(sqlite3_stmt *s, const char *types)
{
	static const struct { char c; int type; } names[] = {
		{ 'i', SQLITE_INTEGER }, { 't', SQLITE_TEXT }, { 'b', SQLITE_BLOB },
	};

	/* Capital: or NULL. */
	for (int i = 0; types[i]; i++) {
		int type = sqlite3_column_type(s, i);

		if (type == SQLITE_NULL && types[i] >= 'A' && types[i] <= 'Z')
			continue;
		for (size_t k = 0; k < ARRAY_LEN(names); k++)
			if (names[k].c == (types[i] | 32) && names[k].type != type)
				return false;
		if (type == SQLITE_TEXT &&
		    strlen((const char *)sqlite3_column_text(s, i)) != (size_t)sqlite3_column_bytes(s, i))
			return false;
	}
	return true;
}

static bool row_exists(struct verify *v, const struct ledger_kind *kind, int64_t subject)
{
	char sql[160];
	int64_t n = 0;

	snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s WHERE %s = %lld", kind->table, kind->key, (long long)subject);
	return db_number(v->st, sql, &n, NULL) && n > 0;
}

/* "7.2" for entries about attempts, "attachment 3" for others. */
static void subject_name(struct verify *v, const struct ledger_kind *kind, int64_t subject, char out[VERIFY_NAME])
{
	if (strncmp(kind->table, "attempt", 7) == 0)
		verify_name(v, subject, out);
	else
		snprintf(out, VERIFY_NAME, "%s %lld", kind->table, (long long)subject);
}

/* ---- streams ----------------------------------------------------------------------------------------- */

struct streams {
	int64_t attempt;
	int64_t next;               /* id of the chunk that should come */
	bool in_order;
	struct hasher all;          /* as chunks_sha256 */
	struct hasher one[3];       /* by stream */
	int64_t bytes[3], gaps[3];
};

static void add_chunk(struct sql *q, struct streams *s)
{
	struct chunk c;
	size_t i;

	s->in_order = s->in_order && col_int(q) == s->next++;
	q->i = 1;
	c.stream = (enum stream_id)col_int(q);
	c.group = col_int(q);
	c.offset_us = col_int(q);
	c.position = col_int(q);
	c.gap = col_int(q);
	c.bytes = col_blob(q, &c.len);
	store_chunk_hash(&s->all, &c);
	i = c.stream == STREAM_ERR ? 2 : 1;
	hash_add(&s->one[i], c.bytes ? c.bytes : "", c.len);
	s->bytes[i] += (int64_t)c.len + c.gap;
	s->gaps[i] += c.gap;
}

static bool read_streams(struct verify *v, struct streams *s, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	s->next = s->attempt << 32;
	s->in_order = true;
	hash_begin(&s->all);
	hash_begin(&s->one[1]);
	hash_begin(&s->one[2]);
	if (!sql_start(v->st, SQL_CHUNK_EACH, &q, e))
		return false;
	bind_int(&q, s->attempt);
	bind_int(&q, 0);
	while ((answer = sql_row(&q, e)) == SQL_ROW)
		add_chunk(&q, s);
	return answer == SQL_DONE;
}

/* What is kept against what was produced: only a stream that was kept whole can be told. */
static void compare_stream(struct verify *v, struct streams *s, int i, int64_t bytes, const struct digest *sha256)
{
	struct digest have = hash_end(&s->one[i]);
	char name[VERIFY_NAME];
	bool whole = s->bytes[i] == bytes && s->gaps[i] == 0 && !digest_is_zero(sha256);

	if (s->bytes[i] > bytes || (whole && !digest_equal(&have, sha256)))
		verify_fault(v, "%s: %s differs from what its end recorded", verify_name(v, s->attempt, name),
		             i == STREAM_OUT ? "stdout" : "stderr");
}

/* The hash of its pieces, and what can be told of each stream by itself. */
static bool check_streams(struct verify *v, int64_t attempt, struct digest *chunks, struct err *e)
{
	struct streams s = { .attempt = attempt };
	char name[VERIFY_NAME];
	bool pruned;
	struct sql q;

	if (!ledger_pruned_streams(v->st, attempt, &pruned, chunks, e))
		return false;
	if (pruned) {
		if (!read_streams(v, &s, e))
			return false;
		if (s.next != attempt << 32)
			verify_fault(v, "%s: its streams were pruned, and pieces of them are there",
			             verify_name(v, attempt, name));
		return true;
	}
	if (!read_streams(v, &s, e) || !sql_start(v->st, SQL_VERIFY_STREAMS, &q, e))
		return false;
	*chunks = hash_end(&s.all);
	bind_int(&q, attempt);
	if (sql_row(&q, e) == SQL_ROW) {
		int64_t out_bytes = col_int(&q), err_bytes = col_int(&q);
		struct digest out = col_digest(&q), err = col_digest(&q);

		compare_stream(v, &s, STREAM_OUT, out_bytes, &out);
		compare_stream(v, &s, STREAM_ERR, err_bytes, &err);
	}
	sql_end(&q);
	if (!s.in_order)
		verify_fault(v, "%s: the pieces of its streams are not those that were recorded",
		             verify_name(v, attempt, name));
	return true;
}

/* ---- the chain ------------------------------------------------------------------------------------------ */

/* What an entry is about, as it is now. */
static bool read_content(struct verify *v, const struct ledger_kind *kind, struct ledger_entry *entry, struct err *e)
{
	struct digest chunks;
	bool pruned;

	if (!kind) {
		entry->content = ledger_event_content(entry->text);
		return true;
	}
	if (!ledger_pruned_content(v->st, entry->seq, &pruned, &entry->content, e))
		return false;
	if (pruned) {
		char name[VERIFY_NAME];
		subject_name(v, kind, entry->subject, name);
		if (row_exists(v, kind, entry->subject))
			verify_fault(v, "%s: it was pruned, and is there (ledger entry %lld, %s)", name, (long long)entry->seq,
			             entry->kind);
		return true;
	}
	return (!kind->streams || check_streams(v, entry->subject, &chunks, e)) &&
	       ledger_content(v->st, kind, entry->subject, &chunks, &entry->content, e);
}

/* The entry is under the same hash as its rows: which of them was changed cannot be told. */
static void entry_fault(struct verify *v, const struct ledger_kind *kind, const struct ledger_entry *entry)
{
	char name[VERIFY_NAME];

	if (!kind) {
		verify_fault(v, "ledger entry %lld was changed, or one before it is missing", (long long)entry->seq);
		return;
	}
	subject_name(v, kind, entry->subject, name);
	if (row_exists(v, kind, entry->subject))
		verify_fault(v, "%s: it or its ledger entry %lld (%s) is not what was recorded", name, (long long)entry->seq,
		             entry->kind);
	else
		verify_fault(v, "%s: it is gone (ledger entry %lld, %s)", name, (long long)entry->seq, entry->kind);
}

static void read_entry(struct sql *q, struct ledger_entry *entry, struct digest *hash)
{
	entry->seq = col_int(q);
	entry->at_us = col_int(q);
	entry->kind = col_text(q);
	entry->subject = col_int(q);
	entry->text = col_text(q);
	*hash = col_digest(q);
}

/* When the hash of the entry before was changed, and not its rows, this one still fits what that hash
 * should be, and is not to blame. */
static bool follows(struct verify *v, const struct ledger_entry *entry, const struct digest *have)
{
	struct digest want = ledger_entry_hash(entry, entry->seq > 1 ? &v->computed : NULL);

	return digest_equal(have, &want);
}

/* One entry behind the one before; *head moves on to it. */
static bool check_entry(struct verify *v, struct sql *q, struct ledger_head *head, struct err *e)
{
	bool typed = types_are(q->s, "iitITb") && (sqlite3_column_type(q->s, 3) == SQLITE_NULL ||
	                                           sqlite3_column_int64(q->s, 3) != 0);
	const struct ledger_kind *kind;
	struct ledger_entry entry;
	struct digest have, want;

	read_entry(q, &entry, &have);
	kind = entry.kind ? ledger_kind_find(entry.kind) : NULL;
	if (!read_content(v, kind, &entry, e))
		return false;
	want = ledger_entry_hash(&entry, head->seq ? &head->entry : NULL);
	if (entry.seq != head->seq + 1)
		verify_fault(v, "ledger: entries %lld to %lld are missing, so that %lld (%s) cannot be checked",
		             (long long)head->seq + 1, (long long)entry.seq - 1, (long long)entry.seq, entry.kind);
	else if (!typed || (!digest_equal(&have, &want) && !follows(v, &entry, &have)))
		entry_fault(v, kind, &entry);
	v->computed = want;
	*head = (struct ledger_head){ .seq = entry.seq, .at_us = entry.at_us, .entry = have };
	v->out->entries++;
	return verify_step(v, e);
}

static bool check_next(struct verify *v, struct sql *q, struct err *e)
{
	return check_entry(v, q, &v->out->head, e);
}

static bool check_ledger(struct verify *v, struct err *e)
{
	return verify_each(v, SQL_LEDGER_EACH, check_next, e);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static bool count_all(struct verify *v, struct err *e)
{
	struct verify_result *r = v->out;
	int64_t open;

	if (!db_number(v->st, "SELECT (SELECT count(*) FROM ledger) + (SELECT count(*) FROM manifest) + (SELECT count(*) FROM environment) +"
	                      " (SELECT count(*) FROM policy) + (SELECT count(*) FROM blob)",
	               &v->total, e) ||
	    !db_number(v->st, "SELECT count(*) FROM attempt WHERE check_of IS NULL", &r->attempts, e) ||
	    !db_number(v->st, "SELECT count(*) FROM attempt WHERE check_of IS NOT NULL", &r->checks, e) ||
	    !db_number(v->st, "SELECT max(queued_us) FROM attempt", &r->newest_us, e) ||
	    !db_number(v->st, "SELECT count(*) FROM attempt WHERE id NOT IN (SELECT attempt FROM attempt_end)", &open, e))
		return false;
	r->running = open > 0;
	return true;
}

static bool verify_all(struct verify *v, struct err *e)
{
	static bool (*const parts[])(struct verify *v, struct err *e) = {
		count_all, check_schema, check_file, check_ledger, verify_rows, verify_contents, verify_rebuildable,
	};

	/* What is damaged below SQL is a finding, and the rest is looked at as well. */
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		struct err fault = { 0 };

		if (parts[i](v, &fault))
			continue;
		if (fault.code != ERR_CORRUPT) {
			if (e)
				*e = fault;
			return false;
		}
		verify_fault(v, "%s", fault.msg);
	}
	return true;
}

bool store_verify(struct store *st, store_fault_fn fault, store_progress_fn progress, void *ctx,
                  struct verify_result *out, struct err *e)
{
	struct verify v = { .st = st, .fault = fault, .progress = progress, .ctx = ctx, .out = out };
	bool begun = db_read_begin(st);
	bool ok;

	*out = (struct verify_result){ 0 };
	ok = verify_all(&v, e);
	db_read_end(st, begun);
	return ok && evidence_is_unchanged(st, e);
}
