/* Reading by place, through SQLite's incremental reads: of a row only the pages that are asked for. */
#include "store/read.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "db.h"

#define CONTENT_BITS 24         /* of a content chunk's id, for its place */
#define STREAM_BITS 32          /* of a stream chunk's, for its place in the attempt */

enum read_sql { READ_CONTENT, READ_ROWS, READ_PRUNED, READ_ENDED, READ_CHANGE, READ_RUNNING, READ_COUNT };

static const char *const read_table[READ_COUNT] = {
	[READ_CONTENT] = "SELECT id, size FROM blob WHERE sha256 = ?",
	/* length() of a blob is in the head of its row */
	[READ_ROWS] = "SELECT c.id, c.stream, c.grp, c.offset_us, c.position, c.gap,"
	              " coalesce(length(c.bytes), length(t.bytes)), coalesce(c.twin, c.id)"
	              " FROM stream_chunk c LEFT JOIN stream_chunk t ON t.id = c.twin"
	              " WHERE c.id >= ? AND c.id < ? ORDER BY c.id LIMIT ?",
	[READ_PRUNED] = "SELECT out_bytes, err_bytes FROM tombstone t JOIN attempt_end USING (attempt) WHERE what = 'streams' AND attempt = ?",
	[READ_ENDED] = "SELECT 1 FROM attempt_end WHERE attempt = ?",
	[READ_CHANGE] = "SELECT coalesce(max(seq), 0) FROM change",
	[READ_RUNNING] = "SELECT attempt FROM running ORDER BY attempt DESC LIMIT ?",
};

struct store_reader {
	struct store *st;
	sqlite3_stmt *statements[READ_COUNT];
};

void store_reader_free(struct store_reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < READ_COUNT; i++)
		sqlite3_finalize(r->statements[i]);
	free(r);
}

struct store_reader *store_reader_new(struct store *st, struct err *e)
{
	struct store_reader *r = xcalloc(1, sizeof(*r));

	r->st = st;
	for (size_t i = 0; i < READ_COUNT; i++) {
		int rc = sqlite3_prepare_v3(st->db, read_table[i], -1, SQLITE_PREPARE_PERSISTENT, &r->statements[i], NULL);

		if (rc != SQLITE_OK) {
			db_fail(st, rc, "cannot prepare to read", e);
			store_reader_free(r);
			return NULL;
		}
	}
	return r;
}

void store_read_ahead(struct store *st)
{
	db_exec(st, "PRAGMA mmap_size = 2147418112", NULL); /* no map of the file: ahead.c hands out its blocks */
}

/* ---- bytes of one row ------------------------------------------------------------------------- */

/* Opens the bytes of a row, which must be `len`; *b is NULL, or a row of the same table that is done with. False
 * with *b NULL and *e set. */
static bool open_bytes(struct store_reader *r, const char *table, int64_t row, int64_t len, sqlite3_blob **b, struct err *e)
{
	int rc = *b ? sqlite3_blob_reopen(*b, row) : sqlite3_blob_open(r->st->db, "main", table, "bytes", row, 0, b);

	if (rc == SQLITE_OK && sqlite3_blob_bytes(*b) == len)
		return true;
	sqlite3_blob_close(*b);
	*b = NULL;
	if (rc == SQLITE_ERROR) /* no such row, or NULL */
		return err_set(e, ERR_NOTFOUND, "%s: these bytes are not in the record any more", r->st->path);
	if (rc != SQLITE_OK)
		return db_fail(r->st, rc, "cannot read bytes", e);
	return err_set(e, ERR_CORRUPT, "%s: kept bytes are not as many as were recorded; run tickmark verify", r->st->path);
}

/* Bytes [from, from + n) of a row that has `len`. SQLite finds the page where they begin without reading
 * those before (by its pointer map, as the file is auto-vacuumed). */
static bool read_part(struct store_reader *r, const char *table, int64_t row, int64_t len, int64_t from, void *buf,
                      size_t n, struct err *e)
{
	sqlite3_blob *b = NULL;
	int rc;

	assert(from >= 0 && from + (int64_t)n <= len);
	if (!open_bytes(r, table, row, len, &b, e))
		return false;
	rc = sqlite3_blob_read(b, buf, (int)n, (int)from);
	sqlite3_blob_close(b);
	return rc == SQLITE_OK || db_fail(r->st, rc, "cannot read bytes", e);
}

/* ---- contents ------------------------------------------------------------------------------------ */

static const char content_table[] = "blob_chunk";
static const char stream_table[] = "stream_chunk";

/* Gives the statement back; its answer as ours. */
static bool end_statement(struct store_reader *r, sqlite3_stmt *s, int rc, struct err *e)
{
	sqlite3_reset(s);
	sqlite3_clear_bindings(s);
	return rc == SQLITE_ROW || rc == SQLITE_DONE || db_fail(r->st, rc, "cannot read", e);
}

bool store_content_find(struct store_reader *r, const struct digest *d, int64_t *content, int64_t *size, struct err *e)
{
	sqlite3_stmt *s = r->statements[READ_CONTENT];
	char hex[DIGEST_HEX];
	int rc;

	*content = *size = 0;
	sqlite3_bind_blob(s, 1, d->b, sizeof(d->b), SQLITE_STATIC);
	rc = sqlite3_step(s);
	if (rc == SQLITE_ROW) {
		*content = sqlite3_column_int64(s, 0);
		*size = sqlite3_column_int64(s, 1);
		*size = MAX(*size, 0);
	}
	if (!end_statement(r, s, rc, e))
		return false;
	digest_hex(d, hex);
	return *content || err_set(e, ERR_NOTFOUND, "%s: content %.12s is not kept", r->st->path, hex);
}

bool store_content_read(struct store_reader *r, int64_t content, int64_t size, int64_t pos, void *buf, size_t n,
                        struct err *e)
{
	char *out = buf;

	assert(pos >= 0 && pos + (int64_t)n <= size);
	while (n) {
		int64_t part = pos / STORE_CHUNK, start = part * STORE_CHUNK, len = MIN(size - start, (int64_t)STORE_CHUNK);
		size_t take = (size_t)MIN((int64_t)n, start + len - pos);

		if (!read_part(r, content_table, (content << CONTENT_BITS) + part, len, pos - start, out, take, e))
			return false;
		out += take;
		pos += (int64_t)take;
		n -= take;
	}
	return true;
}

/* ---- streams ----------------------------------------------------------------------------------------- */

/* A count that sums of a few cannot overflow, whatever stands in the record. */
static int64_t sane(int64_t n)
{
	return n < 0 ? 0 : MIN(n, INT64_MAX / 4);
}

static struct chunk_row row_of(sqlite3_stmt *s, int64_t first)
{
	struct chunk_row row = {
		.seq = sqlite3_column_int64(s, 0) - first,
		.stream = sqlite3_column_int64(s, 1) == STREAM_ERR ? STREAM_ERR : STREAM_OUT,
		.group = sqlite3_column_int64(s, 2),
		.offset_us = sqlite3_column_int64(s, 3),
		.position = sane(sqlite3_column_int64(s, 4)),
		.gap = sane(sqlite3_column_int64(s, 5)),
		.len = sane(sqlite3_column_int64(s, 6)),
		.bytes_at = sqlite3_column_int64(s, 7),
	};

	if (row.gap)
		row.len = 0;
	return row;
}

/* What a prune took is no empty stream: a gap of its size stands for each. */
static bool pruned_rows(struct store_reader *r, int64_t attempt, int64_t seq, int64_t end,
                        bool (*fn)(void *ctx, const struct chunk_row *row), void *ctx, int64_t *next, struct err *e)
{
	sqlite3_stmt *s = r->statements[READ_PRUNED];
	int64_t lost[2] = { 0 };
	int rc;

	sqlite3_bind_int64(s, 1, attempt);
	if ((rc = sqlite3_step(s)) == SQLITE_ROW)
		for (int i = 0; i < 2; i++)
			lost[i] = sane(sqlite3_column_int64(s, i));
	if (!end_statement(r, s, rc, e))
		return false;
	for (bool go_on = true; go_on && seq < MIN(end, 2); seq++) {
		struct chunk_row row = { .seq = seq, .stream = seq ? STREAM_ERR : STREAM_OUT, .gap = lost[seq] };

		if (!row.gap)
			continue;
		*next = seq + 1;
		go_on = fn(ctx, &row);
	}
	return true;
}

bool store_chunk_rows(struct store_reader *r, int64_t attempt, int64_t seq, int64_t end, int64_t look,
                      bool (*fn)(void *ctx, const struct chunk_row *row), void *ctx, int64_t *next, bool *all,
                      struct err *e)
{
	sqlite3_stmt *s = r->statements[READ_ROWS];
	int64_t first = attempt << STREAM_BITS, seen = 0;
	bool go_on = true;
	int rc = SQLITE_ROW;

	*next = seq;
	sqlite3_bind_int64(s, 1, first + seq);
	sqlite3_bind_int64(s, 2, first + MIN(end, (int64_t)1 << STREAM_BITS));
	sqlite3_bind_int64(s, 3, look);
	while (go_on && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		struct chunk_row row = row_of(s, first);

		seen++;
		*next = row.seq + 1;
		go_on = fn(ctx, &row);
	}
	*all = rc == SQLITE_DONE && seen < look;
	return end_statement(r, s, rc, e) &&
	       (seen > 0 || !*all || seq > 1 || pruned_rows(r, attempt, seq, end, fn, ctx, next, e));
}

bool store_chunk_read(struct store_reader *r, const struct chunk_row *row, int64_t from, void *buf, size_t n, struct err *e)
{
	return n == 0 || read_part(r, stream_table, row->bytes_at, row->len, from, buf, n, e);
}

struct scan {
	struct store_reader *r;
	unsigned streams;
	sqlite3_blob *blob; /* of the row before; NULL */
	void *buf;
	size_t size;
	store_piece_fn fn;
	void *ctx;
	struct err *e;
	bool ok;
};

static bool scan_bytes(struct scan *s, const struct chunk_row *row)
{
	for (int64_t at = 0; at < row->len;) {
		size_t n = (size_t)MIN((int64_t)s->size, row->len - at);
		int rc = sqlite3_blob_read(s->blob, s->buf, (int)n, (int)at);

		if (rc != SQLITE_OK)
			return db_fail(s->r->st, rc, "cannot read bytes", s->e);
		if (!s->fn(s->ctx, row, at, s->buf, n, s->e))
			return false;
		at += (int64_t)n;
	}
	return true;
}

/* At once, as the bytes lie beside the row. */
static bool scan_row(void *ctx, const struct chunk_row *row)
{
	struct scan *s = ctx;

	if (row->len == 0 || !(s->streams & 1u << row->stream))
		s->ok = s->fn(s->ctx, row, 0, s->buf, 0, s->e);
	else
		s->ok = open_bytes(s->r, stream_table, row->bytes_at, row->len, &s->blob, s->e) && scan_bytes(s, row);
	return s->ok;
}

bool store_chunk_scan(struct store_reader *r, int64_t attempt, int64_t seq, int64_t look, unsigned streams, void *buf,
                      size_t size, store_piece_fn fn, void *ctx, int64_t *next, bool *all, struct err *e)
{
	struct scan s = { r, streams, NULL, buf, size, fn, ctx, e, true };
	bool ok = store_chunk_rows(r, attempt, seq, INT64_MAX, look, scan_row, &s, next, all, e);

	sqlite3_blob_close(s.blob);
	return ok && s.ok;
}

bool store_attempt_has_ended(struct store_reader *r, int64_t attempt, bool *ended, struct err *e)
{
	sqlite3_stmt *s = r->statements[READ_ENDED];
	int rc;

	sqlite3_bind_int64(s, 1, attempt);
	rc = sqlite3_step(s);
	*ended = rc == SQLITE_ROW;
	return end_statement(r, s, rc, e);
}

bool store_change_last(struct store_reader *r, int64_t *seq, struct err *e)
{
	sqlite3_stmt *s = r->statements[READ_CHANGE];
	int rc = sqlite3_step(s);

	*seq = rc == SQLITE_ROW ? sqlite3_column_int64(s, 0) : 0;
	return end_statement(r, s, rc, e);
}

bool store_running_ids(struct store_reader *r, int64_t *ids, size_t max, size_t *n, struct err *e)
{
	sqlite3_stmt *s = r->statements[READ_RUNNING];
	int rc;

	*n = 0;
	sqlite3_bind_int64(s, 1, (int64_t)max);
	while ((rc = sqlite3_step(s)) == SQLITE_ROW)
		ids[(*n)++] = sqlite3_column_int64(s, 0);
	return end_statement(r, s, rc, e);
}
