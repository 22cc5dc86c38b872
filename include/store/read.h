/*
 * store/read: pieces of contents and streams by position, without reading what lies before.
 */
#ifndef TICKMARK_STORE_READ_H
#define TICKMARK_STORE_READ_H

#include "store.h"

/* Reading functions share prepared statements; made once per connection and thread. */
struct store_reader;
struct store_reader *store_reader_new(struct store *st, struct err *e);
void store_reader_free(struct store_reader *r); /* before store_close; NULL is fine */

/* Up to n bytes of a content from `pos`; *got fewer only at its end. *id is 0 at first and remembers the
 * content's row. ERR_NOTFOUND when the bytes are not kept. */
bool store_blob_range(struct store_reader *r, const struct digest *d, int64_t *id, int64_t pos, void *buf, size_t n,
                      size_t *got, struct err *e);

/* A row of stream_chunk without its bytes (no overflow page is read). */
struct chunk_row {
	int64_t seq;       /* 0, 1, 2 … within the attempt */
	uint8_t stream;    /* enum stream_id */
	int64_t group;
	int64_t offset_us;
	int64_t position;  /* in its stream as produced */
	int64_t gap;       /* bytes not kept; then len is 0 */
	int64_t len;
};
/* Rows of an attempt from `seq` on, up to `max`; *n. `stream` 0: of both; else rows of the other are passed
 * over, at most `look` of them in all: *next is where to go on. */
bool store_chunk_rows(struct store_reader *r, int64_t attempt, int stream, int64_t seq, struct chunk_row *out, size_t max,
                      size_t *n, int64_t *next, struct err *e);
/* Rows so far: one more than the last seq. */
bool store_chunk_count(struct store_reader *r, int64_t attempt, int64_t *rows, struct err *e);
/* The gap rows of an attempt in order. */
bool store_chunk_gaps(struct store_reader *r, int64_t attempt, bool (*fn)(void *ctx, const struct chunk_row *row), void *ctx,
                      struct err *e);
/* Bytes [from, from + n) of one row's bytes. */
bool store_chunk_bytes(struct store_reader *r, int64_t attempt, int64_t seq, size_t from, void *buf, size_t n, struct err *e);
/* Produced bytes of both streams when the attempt has an end; *ended false while it has none. */
bool store_stream_sizes(struct store_reader *r, int64_t attempt, bool *ended, int64_t *out, int64_t *err, struct err *e);
/* One read transaction around several calls, so that they see one state; never longer than a slice. */
bool store_slice_begin(struct store_reader *r, struct err *e);
void store_slice_end(struct store_reader *r);

#endif
