/*
 * Bytes of a section at any place. Contents are found by arithmetic; of a stream, the place of every
 * STOP_ROWS-th row is remembered, the rows between two such stops are read again when they are needed.
 */
#include "model/source.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"
#include "store/read.h"
#include "text/window.h"

#ifndef STOP_ROWS
#define STOP_ROWS 16         /* rows of the stream between two stops */
#endif
#define STOP_LOOK 4096       /* or rows of any stream */
#define UPDATE_ROWS 20000    /* most rows that one call takes up */
#define GAP_TEXT 96

struct source_record {
	struct store *store;
	struct store_reader *reader;
	bool evidence;
};

/* A row of the stream in the source. */
struct piece {
	int64_t at, len;       /* bytes of the source; len 0: not of this stream */
	struct chunk_row row;
	bool lead;             /* gaps: its line needs a line end before it */
};

/* Before row `seq` so many bytes came. */
struct stop {
	int64_t seq;
	int64_t at;            /* of the source */
	int64_t position[3];   /* by stream, as produced */
};

struct source {
	struct source_record *record;
	enum source_kind kind;
	int64_t size;
	bool whole, behind;
	struct err error;

	char *text;            /* TEXT: owned */
	int64_t content;       /* CODE, BLOB: row */

	int64_t attempt;       /* STREAM */
	int stream;            /* 0 both */
	struct stop *stops;
	size_t stops_n, stops_cap;
	struct stop next;      /* what would be the next stop */
	size_t since, looked;  /* rows since the last stop, of the stream and of any */
	struct piece last;     /* with bytes; len 0 while there is none */
	int64_t gap;           /* where the first of them begins; -1: none */
	int64_t *leads;        /* seq of gaps with a line end before them, in order */
	size_t leads_n, leads_cap;

	struct piece *block;   /* the rows behind stop number block_stop */
	size_t block_n, block_cap;
	size_t block_stop;
	int64_t block_end;     /* up to this row; -1: no block */
};

/* ---- the record -------------------------------------------------------------------------------- */

struct source_record *source_record_open(const char *path, bool evidence, struct err *e)
{
	struct source_record *r = xcalloc(1, sizeof(*r));

	r->evidence = evidence;
	r->store = store_open(path, evidence ? STORE_EVIDENCE : STORE_READ, e);
	r->reader = r->store ? store_reader_new(r->store, e) : NULL;
	if (r->reader)
		return r;
	source_record_close(r);
	return NULL;
}

void source_record_close(struct source_record *r)
{
	if (!r)
		return;
	store_reader_free(r->reader);
	store_close(r->store);
	free(r);
}

bool source_record_hold(struct source_record *r)
{
	return store_hold(r->store);
}

void source_record_release(struct source_record *r, bool held)
{
	store_release(r->store, held);
}

/* ---- rows of a stream ------------------------------------------------------------------------------ */

static const char *stream_name(int stream)
{
	return stream == STREAM_ERR ? "stderr" : "stdout";
}

static int gap_text(const struct piece *p, char out[GAP_TEXT])
{
	return snprintf(out, GAP_TEXT, "%s[%lld bytes of %s not kept]\n", p->lead ? "\n" : "", (long long)p->row.gap,
	                stream_name(p->row.stream));
}

/* The piece that a row is, behind `at` bytes. */
static struct piece piece_of(const struct source *s, const struct chunk_row *row, int64_t at, bool lead)
{
	struct piece p = { .at = at, .row = *row, .lead = lead };
	char text[GAP_TEXT];

	if (!s->stream || s->stream == row->stream)
		p.len = row->gap ? gap_text(&p, text) : row->len;
	return p;
}

/* What taking up rows needs to know. */
struct taking {
	struct source *s;
	struct err *e;
	bool ok;
};

/* Whether the text does not end with a line end, so that a gap must begin a line. */
static bool needs_lead(struct taking *t)
{
	const struct piece *last = &t->s->last;
	char end = '\n';

	if (last->len && !last->row.gap)
		t->ok = store_chunk_read(t->s->record->reader, &last->row, last->row.len - 1, &end, 1, t->e);
	return end != '\n';
}

static void add_stop(struct source *s, int64_t seq)
{
	s->next.seq = seq;
	s->stops = grow(s->stops, s->stops_n, &s->stops_cap, sizeof(*s->stops));
	s->stops[s->stops_n++] = s->next;
	s->since = s->looked = 0;
}

static bool take_row(void *ctx, const struct chunk_row *row)
{
	struct taking *t = ctx;
	struct source *s = t->s;
	bool mine = !s->stream || s->stream == row->stream, lead = mine && row->gap && needs_lead(t);
	struct piece p = piece_of(s, row, s->size, lead);

	if (!t->ok)
		return false;
	if (!s->stops_n || s->since == STOP_ROWS || s->looked == STOP_LOOK)
		add_stop(s, row->seq);
	if (lead) {
		s->leads = grow(s->leads, s->leads_n, &s->leads_cap, sizeof(*s->leads));
		s->leads[s->leads_n++] = row->seq;
	}
	if (mine && row->gap && s->gap < 0)
		s->gap = s->size + lead;
	s->since += mine;
	s->looked++;
	s->size += p.len;
	s->next.at = s->size;
	s->next.position[row->stream] = row->position + row->len + row->gap;
	s->next.seq = row->seq + 1;
	if (p.len)
		s->last = p;
	return true;
}

static bool update_stream(struct source *s, struct err *e)
{
	struct taking t = { .s = s, .e = e, .ok = true };
	bool ended = s->record->evidence, all = false;
	int64_t next;

	/* first the end, then the rows: all of them were there before it */
	if (!ended && !store_attempt_has_ended(s->record->reader, s->attempt, &ended, e))
		return false;
	if (!store_chunk_rows(s->record->reader, s->attempt, s->next.seq, INT64_MAX, UPDATE_ROWS, take_row, &t, &next, &all, e) ||
	    !t.ok)
		return false;
	s->behind = !all;
	s->whole = all && ended;
	s->block_end = -1;
	return true;
}

static bool has_lead(const struct source *s, int64_t seq)
{
	size_t low = 0, high = s->leads_n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->leads[mid] < seq)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->leads_n && s->leads[low] == seq;
}

static bool block_row(void *ctx, const struct chunk_row *row)
{
	struct source *s = ctx;
	const struct piece *before = s->block_n ? &s->block[s->block_n - 1] : NULL;
	int64_t at = before ? before->at + before->len : s->stops[s->block_stop].at;
	struct piece p = piece_of(s, row, at, row->gap && has_lead(s, row->seq));

	if (!p.len)
		return true;
	s->block = grow(s->block, s->block_n, &s->block_cap, sizeof(*s->block));
	s->block[s->block_n++] = p;
	return true;
}

/* Has the rows behind stop number `stop` in the block. */
static bool load_block(struct source *s, size_t stop)
{
	int64_t end = stop + 1 < s->stops_n ? s->stops[stop + 1].seq : s->next.seq, next;
	bool all;

	if (s->block_end == end && s->block_stop == stop)
		return true;
	s->block_n = 0;
	s->block_stop = stop;
	s->block_end = end;
	if (store_chunk_rows(s->record->reader, s->attempt, s->stops[stop].seq, end, STOP_LOOK, block_row, s, &next, &all,
	                     &s->error))
		return true;
	s->block_end = -1;
	return false;
}

/* The last stop at which `before` of it is no more than `value`. */
static size_t find_stop(const struct source *s, int64_t (*before)(const struct stop *, int), int stream, int64_t value)
{
	size_t low = 0, high = s->stops_n;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (before(&s->stops[mid], stream) <= value)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static int64_t bytes_before(const struct stop *stop, int stream)
{
	(void)stream;
	return stop->at;
}

static int64_t position_before(const struct stop *stop, int stream)
{
	return stop->position[stream];
}

/* The piece that holds byte `pos`; NULL when it cannot be read. */
static const struct piece *piece_at(struct source *s, int64_t pos)
{
	size_t low = 0, high;

	if (!load_block(s, find_stop(s, bytes_before, 0, pos)))
		return NULL;
	for (high = s->block_n; high - low > 1;) {
		size_t mid = low + (high - low) / 2;

		if (s->block[mid].at <= pos)
			low = mid;
		else
			high = mid;
	}
	if (s->block_n && pos >= s->block[low].at && pos < s->block[low].at + s->block[low].len)
		return &s->block[low];
	err_set(&s->error, ERR_NOTFOUND, "%s: a piece of the stream is not in the record any more", store_path(s->record->store));
	return NULL;
}

static int64_t read_stream(struct source *s, int64_t pos, char *buf, size_t n)
{
	size_t done = 0;

	while (done < n) {
		const struct piece *p = piece_at(s, pos + (int64_t)done);
		char text[GAP_TEXT];
		size_t from, take;

		if (!p)
			return done ? (int64_t)done : -1;
		from = (size_t)(pos + (int64_t)done - p->at);
		take = MIN(n - done, (size_t)p->len - from);
		if (p->row.gap) {
			gap_text(p, text);
			memcpy(buf + done, text + from, take);
		} else if (!store_chunk_read(s->record->reader, &p->row, (int64_t)from, buf + done, take, &s->error)) {
			return done ? (int64_t)done : -1;
		}
		done += take;
	}
	return (int64_t)done;
}

/* ---- opening ------------------------------------------------------------------------------------------ */

static bool open_content(struct source *s, const struct digest *sha256, struct err *e)
{
	s->whole = true;
	return store_content_find(s->record->reader, sha256, &s->content, &s->size, e);
}

static bool open_code(struct source *s, int64_t attempt, struct err *e)
{
	struct attempt_full full;
	bool ok;

	if (!store_attempt_get(s->record->store, attempt, &full, e))
		return false;
	ok = open_content(s, &full.attempt.code, e);
	store_attempt_free(&full);
	return ok;
}

static bool open_kind(struct source *s, const struct source_spec *spec, struct err *e)
{
	switch (spec->kind) {
	case SOURCE_TEXT:
		s->text = xmemdup(spec->text_len ? spec->text : "", spec->text_len);
		s->size = (int64_t)spec->text_len;
		s->whole = true;
		return true;
	case SOURCE_CODE:
		return open_code(s, spec->attempt, e);
	case SOURCE_BLOB:
		return open_content(s, &spec->sha256, e);
	case SOURCE_STREAM:
		s->attempt = spec->attempt;
		s->stream = spec->stream;
		return update_stream(s, e);
	}
	return err_set(e, ERR_INPUT, "no such kind of source");
}

struct source *source_open(struct source_record *r, const struct source_spec *spec, struct err *e)
{
	struct source *s = xcalloc(1, sizeof(*s));

	assert(r || spec->kind == SOURCE_TEXT);
	s->record = r;
	s->kind = spec->kind;
	s->block_end = s->gap = -1;
	if (open_kind(s, spec, e))
		return s;
	source_close(s);
	return NULL;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	free(s->text);
	free(s->stops);
	free(s->leads);
	free(s->block);
	free(s);
}

/* ---- reading --------------------------------------------------------------------------------------------- */

int64_t source_size(const struct source *s)
{
	return s->size;
}

bool source_is_whole(const struct source *s)
{
	return s->whole;
}

int64_t source_gap(const struct source *s)
{
	return s->gap;
}

bool source_is_behind(const struct source *s)
{
	return s->behind;
}

bool source_update(struct source *s, bool *changed, struct err *e)
{
	int64_t size = s->size;

	*changed = false;
	if (s->whole)
		return true;
	if (!update_stream(s, e))
		return false;
	*changed = s->size != size || s->whole;
	return true;
}

int64_t source_read(struct source *s, int64_t pos, void *buf, size_t n)
{
	if (pos < 0 || pos >= s->size)
		return 0;
	n = (size_t)MIN((int64_t)MIN(n, (size_t)INT64_MAX), s->size - pos);
	s->error = (struct err){ 0 };
	if (s->kind == SOURCE_STREAM)
		return read_stream(s, pos, buf, n);
	if (s->kind == SOURCE_TEXT)
		memcpy(buf, s->text + pos, n);
	else if (!store_content_read(s->record->reader, s->content, s->size, pos, buf, n, &s->error))
		return -1;
	return (int64_t)n;
}

const struct err *source_error(const struct source *s)
{
	return &s->error;
}

static int64_t read_source(void *ctx, int64_t pos, void *buf, size_t n)
{
	return source_read(ctx, pos, buf, n);
}

struct bytes source_bytes(struct source *s)
{
	return (struct bytes){ .read = read_source, .ctx = s };
}

bool source_origin(struct source *s, int64_t pos, struct source_origin *out)
{
	const struct piece *p;

	*out = (struct source_origin){ .end = s->size };
	if (pos < 0 || pos >= s->size)
		return false;
	if (s->kind != SOURCE_STREAM)
		return true;
	p = piece_at(s, pos);
	if (!p)
		return false;
	*out = (struct source_origin){ .start = p->at, .end = p->at + p->len, .stream = p->row.stream, .offset_us = p->row.offset_us,
		                       .group = p->row.group, .position = p->row.position, .gap = p->row.gap };
	return true;
}

int64_t source_find(struct source *s, int stream, int64_t position)
{
	size_t stop;

	if (s->kind != SOURCE_STREAM)
		return position >= 0 && position < s->size ? position : -1;
	if (!s->stops_n || position < 0 || (stream != STREAM_OUT && stream != STREAM_ERR) || (s->stream && s->stream != stream))
		return -1;
	/* from the last stop before it on, its row is the first of the stream that goes beyond */
	for (stop = find_stop(s, position_before, stream, position); stop < s->stops_n; stop++) {
		if (!load_block(s, stop))
			return -1;
		for (size_t i = 0; i < s->block_n; i++) {
			const struct piece *p = &s->block[i];

			if (p->row.stream == stream && position < p->row.position + p->row.len + p->row.gap)
				return position < p->row.position ? -1 : p->at + (p->row.gap ? 0 : position - p->row.position);
		}
	}
	return -1;
}
