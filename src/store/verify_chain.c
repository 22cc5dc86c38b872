/*
 * The chain of ledger entries, and what each is about. An entry hashes the recorded hash of the one before, so
 * that a range of entries can be checked without those before it.
 */
#include "verify.h"

#include <string.h>

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
	bool in_order, typed, like; /* of all pieces */
	int64_t stray;              /* the next pieces are of this attempt, which is not there; 0 */
	struct chunks_hash hash;
	int64_t bytes[2], gaps[2];  /* stdout, stderr */
};

static bool chunk_is_typed(sqlite3_stmt *s)
{
	int twin = sqlite3_column_type(s, 8);

	for (int i = 0; i < 6; i++)
		if (sqlite3_column_type(s, i) != SQLITE_INTEGER)
			return false;
	return sqlite3_column_type(s, 6) == SQLITE_BLOB && (twin == SQLITE_NULL || twin == SQLITE_INTEGER) &&
	       (sqlite3_column_int(s, 7) != 0) == (twin != SQLITE_NULL);
}

/* The twin of a piece stands at the same place of the attempt that is repeated. */
static bool twin_is_like(sqlite3_stmt *s)
{
	return sqlite3_column_type(s, 8) == SQLITE_NULL ||
	       (sqlite3_column_type(s, 11) == SQLITE_INTEGER && sqlite3_column_int64(s, 8) >> 32 == sqlite3_column_int64(s, 11) &&
	        sqlite3_column_int64(s, 9) == sqlite3_column_int64(s, 1) && sqlite3_column_int64(s, 10) == sqlite3_column_int64(s, 4));
}

static void add_chunk(struct sql *q, struct streams *s)
{
	struct chunk c;
	size_t i;

	s->typed = s->typed && chunk_is_typed(q->s);
	s->like = s->like && twin_is_like(q->s);
	s->in_order = s->in_order && col_int(q) == s->next++;
	q->i = 1;
	c.stream = (enum stream_id)col_int(q);
	c.group = col_int(q);
	c.offset_us = col_int(q);
	c.position = col_int(q);
	c.gap = col_int(q);
	c.bytes = col_blob(q, &c.len);
	store_chunks_hash_add(&s->hash, &c);
	i = c.stream == STREAM_ERR;
	s->bytes[i] += (int64_t)c.len + c.gap;
	s->gaps[i] += c.gap;
}

/* Reads what belongs to an attempt, and looks at whose pieces come next. */
static bool read_pieces(struct verify *v, struct streams *s, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	s->next = s->attempt << 32;
	s->in_order = s->typed = s->like = true;
	store_chunks_hash_begin(&s->hash);
	if (!sql_start(v->st, SQL_VERIFY_CHUNKS, &q, e))
		return false;
	bind_int(&q, s->attempt);
	while ((answer = sql_row(&q, e)) == SQL_ROW && sqlite3_column_int64(q.s, 0) >> 32 == s->attempt)
		add_chunk(&q, s);
	if (answer == SQL_ROW && sqlite3_column_int(q.s, 12) == 0)
		s->stray = sqlite3_column_int64(q.s, 0) >> 32;
	sql_end(&q);
	return answer != SQL_FAILED;
}

static bool read_streams(struct verify *v, struct streams *s, struct err *e)
{
	char name[VERIFY_NAME];

	if (!read_pieces(v, s, e))
		return false;
	if (s->stray)
		verify_fault(v, "%s: pieces of a stream without their attempt", verify_name(v, s->stray, name));
	return true;
}

/* What is kept against what was produced: only a stream that was kept whole can be told. */
static void compare_stream(struct verify *v, const struct streams *s, int i, const struct digest *have, int64_t bytes,
                           const struct digest *sha256)
{
	char name[VERIFY_NAME];
	bool whole = s->bytes[i] == bytes && s->gaps[i] == 0 && !digest_is_zero(sha256);

	if (s->bytes[i] > bytes || (whole && !digest_equal(have, sha256)))
		verify_fault(v, "%s: %s differs from what its end recorded", verify_name(v, s->attempt, name), i ? "stderr" : "stdout");
}

static bool check_pruned_streams(struct verify *v, int64_t attempt, struct err *e)
{
	struct streams s = { .attempt = attempt };
	char name[VERIFY_NAME];

	if (!read_streams(v, &s, e))
		return false;
	if (s.next != attempt << 32)
		verify_fault(v, "%s: its streams were pruned, and pieces of them are there", verify_name(v, attempt, name));
	return true;
}

/* The hash of its pieces, and what can be told of each stream by itself. */
static bool check_streams(struct verify *v, int64_t attempt, struct digest *chunks, struct err *e)
{
	struct streams s = { .attempt = attempt };
	struct digest have[2];
	char name[VERIFY_NAME];
	bool pruned = false;
	struct sql q;

	if (v->pruned && !ledger_pruned_streams(v->st, attempt, &pruned, chunks, e))
		return false;
	if (pruned)
		return check_pruned_streams(v, attempt, e);
	if (!read_streams(v, &s, e) || !sql_start(v->st, SQL_VERIFY_STREAMS, &q, e))
		return false;
	*chunks = store_chunks_hash_end(&s.hash, have);
	bind_int(&q, attempt);
	if (sql_row(&q, e) == SQL_ROW) {
		int64_t out_bytes = col_int(&q), err_bytes = col_int(&q);
		struct digest out = col_digest(&q), err = col_digest(&q);

		compare_stream(v, &s, 0, &have[0], out_bytes, &out);
		compare_stream(v, &s, 1, &have[1], err_bytes, &err);
	}
	sql_end(&q);
	if (!s.typed)
		verify_fault(v, "%s: a piece of a stream: a value is not of its type", verify_name(v, attempt, name));
	if (!s.like)
		verify_fault(v, "%s: a piece of a stream names one that is not its like", verify_name(v, attempt, name));
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
	bool pruned = false;

	if (!kind) {
		entry->content = ledger_event_content(entry->text);
		return true;
	}
	if (v->pruned && !ledger_pruned_content(v->st, entry->seq, &pruned, &entry->content, e))
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
	       ledger_content(v->st, kind, entry->subject, &chunks, &v->walk, &entry->content, e);
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

/* What the hash of an entry should be, behind `before` (NULL: the first). Its faults are told by the range that
 * it belongs to. */
static bool recompute(struct verify *v, int64_t seq, const struct digest *before, struct digest *out)
{
	struct strv unheard = { 0 }, *faults = v->faults;
	struct ledger_entry entry;
	struct digest recorded;
	bool ok = false;
	struct sql q;

	if (!sql_start(v->st, SQL_LEDGER_EACH, &q, NULL))
		return false;
	bind_int(&q, seq);
	bind_int(&q, seq);
	v->faults = &unheard;
	if (sql_row(&q, NULL) == SQL_ROW) {
		read_entry(&q, &entry, &recorded);
		ok = read_content(v, entry.kind ? ledger_kind_find(entry.kind) : NULL, &entry, NULL);
		if (ok)
			*out = ledger_entry_hash(&entry, before);
	}
	v->faults = faults;
	strv_free(&unheard);
	sql_end(&q);
	return ok;
}

/* When the hash of the entry before was changed, and not its rows, this one still fits what that hash
 * should be, and is not to blame. */
static bool follows(struct verify *v, const struct ledger_entry *entry, const struct digest *have)
{
	struct ledger_head second;
	struct digest want;

	/* At the begin of a range nobody knows it yet. */
	if (entry->seq > 1 && !v->computed_known &&
	    (!ledger_before(v->st, v->before.seq, &second, NULL) ||
	     !recompute(v, v->before.seq, second.seq ? &second.entry : NULL, &v->computed)))
		return false;
	want = ledger_entry_hash(entry, entry->seq > 1 ? &v->computed : NULL);
	return digest_equal(have, &want);
}

/* One entry behind v->before, which moves on to it. */
static bool check_entry(struct verify *v, struct sql *q, struct err *e)
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
	want = ledger_entry_hash(&entry, v->before.seq ? &v->before.entry : NULL);
	if (entry.seq != v->before.seq + 1)
		verify_fault(v, "ledger: entries %lld to %lld are missing, so that %lld (%s) cannot be checked",
		             (long long)v->before.seq + 1, (long long)entry.seq - 1, (long long)entry.seq, entry.kind);
	else if (!typed || (!digest_equal(&have, &want) && !follows(v, &entry, &have)))
		entry_fault(v, kind, &entry);
	v->computed = want;
	v->computed_known = true;
	v->before = (struct ledger_head){ .seq = entry.seq, .at_us = entry.at_us, .entry = have };
	v->found.entries++;
	return verify_step(v, e);
}

bool verify_chain(struct verify *v, int64_t from, int64_t to, struct err *e)
{
	bool ok;

	v->computed_known = false;
	ok = ledger_before(v->st, from, &v->before, e) && verify_each(v, SQL_LEDGER_EACH, from, to, check_entry, e);
	ledger_walk_end(&v->walk);
	return ok;
}
