/*
 * store/read: pieces of contents and streams by place, without reading what lies before them.
 *
 * A reader belongs to a connection, and to its thread. No call leaves a transaction open: rows of
 * streams and contents are facts, which only `prune` takes away (then ERR_NOTFOUND).
 */
#ifndef TICKMARK_STORE_READ_H
#define TICKMARK_STORE_READ_H

#include "store.h"

struct store_reader;
struct store_reader *store_reader_new(struct store *st, struct err *e);
void store_reader_free(struct store_reader *r); /* before store_close; NULL is fine */

/* Reads pages in a row by large blocks from now on: for whoever reads hundreds of MB. */
void store_read_ahead(struct store *st);
/* A content: its row and size; ERR_NOTFOUND when the bytes are not kept. */
bool store_content_find(struct store_reader *r, const struct digest *d, int64_t *content, int64_t *size, struct err *e);
/* Exactly bytes [pos, pos + n) of it. */
bool store_content_read(struct store_reader *r, int64_t content, int64_t size, int64_t pos, void *buf, size_t n,
                        struct err *e);

/* A row of stream_chunk without its bytes; no page that holds bytes only is read for it. */
struct chunk_row {
	int64_t seq;       /* 0, 1, 2 … within the attempt */
	int64_t bytes_at;  /* private: row that has the bytes */
	int64_t group;
	int64_t offset_us;
	int64_t position;  /* in its stream as produced */
	int64_t gap;       /* bytes not kept; then len is 0 */
	int64_t len;
	uint8_t stream;    /* enum stream_id */
};
/* Rows of an attempt in order from `seq` up to, without, `end`; at most `look` of them. `fn` returns false
 * to stop behind that row. *next: seq to go on from. *all: there are no more (so far). Streams that a prune took are
 * rows that are gaps. */
bool store_chunk_rows(struct store_reader *r, int64_t attempt, int64_t seq, int64_t end, int64_t look,
                      bool (*fn)(void *ctx, const struct chunk_row *row), void *ctx, int64_t *next, bool *all,
                      struct err *e);
/* Exactly bytes [from, from + n) of a row's. */
bool store_chunk_read(struct store_reader *r, const struct chunk_row *row, int64_t from, void *buf, size_t n,
                      struct err *e);
/* Rows as store_chunk_rows, each followed by its bytes, in pieces of up to `size` (`at`: where in the row) that lie
 * in `buf`; a row without bytes, or of a stream that is not among `streams` (bits by enum stream_id), is one piece
 * of none. `fn` may set *e when it returns false to stop. */
typedef bool (*store_piece_fn)(void *ctx, const struct chunk_row *row, int64_t at, const void *p, size_t n, struct err *e);
bool store_chunk_scan(struct store_reader *r, int64_t attempt, int64_t seq, int64_t look, unsigned streams, void *buf,
                      size_t size, store_piece_fn fn, void *ctx, int64_t *next, bool *all, struct err *e);
/* The newest number of the change list that store_changes counts by; 0: none. */
bool store_change_last(struct store_reader *r, int64_t *seq, struct err *e);
/* Up to `max` attempts and checks without an end, newest first; *n. */
bool store_running_ids(struct store_reader *r, int64_t *ids, size_t max, size_t *n, struct err *e);
/* Whether the attempt has an end. */
bool store_attempt_has_ended(struct store_reader *r, int64_t attempt, bool *ended, struct err *e);

#endif
