/*
 * model/source: the bytes of a section (code, a stream, both streams, a file, a text of ours) at any
 * place, of any size, while they still grow; never whole in memory. What the pager, the panes and the
 * search read.
 *
 * A source belongs to the thread that opened it. Those of one thread share one connection
 * (`source_record`); a worker opens its own.
 */
#ifndef TICKMARK_MODEL_SOURCE_H
#define TICKMARK_MODEL_SOURCE_H

#include "record.h"
struct bytes; /* text/window.h */

/* A connection for reading: `path` is workspace_record(ws), or an evidence file. */
struct source_record;
struct source_record *source_record_open(const char *path, bool evidence, struct err *e);
void source_record_close(struct source_record *r); /* after its sources; NULL is fine */
/* As query_hold. */
bool source_record_hold(struct source_record *r);
void source_record_release(struct source_record *r, bool held);

enum source_kind {
	SOURCE_CODE,   /* of an attempt */
	SOURCE_STREAM, /* one stream, or both in order of arrival */
	SOURCE_BLOB,   /* an artifact or input by hash */
	SOURCE_TEXT,   /* bytes of the caller, copied */
};
struct source_spec {
	enum source_kind kind;
	int64_t attempt;      /* CODE, STREAM */
	int stream;           /* STREAM: STREAM_OUT, STREAM_ERR; 0 both */
	struct digest sha256; /* BLOB */
	const char *text;     /* TEXT */
	size_t text_len;
};

struct source;
/* `r` may be NULL for SOURCE_TEXT. ERR_NOTFOUND when the bytes are not kept. */
struct source *source_open(struct source_record *r, const struct source_spec *spec, struct err *e);
void source_close(struct source *s); /* NULL is fine */

/* Bytes known so far. Where bytes were not kept, a line of ours stands in their place and counts as bytes:
 * "[1234 bytes of stdout not kept]" on a line of its own. */
int64_t source_size(const struct source *s);
/* Where the first such line begins: from there on lines are counted without what is missing. -1: there is none. */
int64_t source_gap(const struct source *s);
/* False while it may grow (its attempt has no end in the record). */
bool source_is_whole(const struct source *s);
/* Looks whether it grew; call when the record changed. *changed: size or wholeness is new. Bytes known
 * before stay where they are. Work is bounded: of a stream in very many pieces, opening and each update
 * take up some 20,000 only; while source_is_behind, there are more to be had by the next update. */
bool source_update(struct source *s, bool *changed, struct err *e);
bool source_is_behind(const struct source *s);
/* Up to n bytes from `pos`; returns how many, 0 at the end, -1 on failure (source_error). */
int64_t source_read(struct source *s, int64_t pos, void *buf, size_t n);
const struct err *source_error(const struct source *s); /* code ERR_NONE: all is well */
/* For windows: reads this source. */
struct bytes source_bytes(struct source *s);

/* Where the bytes at `pos` came from. */
struct source_origin {
	int64_t start, end;  /* the piece with the same origin: [start, end) of the source */
	int stream;          /* STREAM_OUT, STREAM_ERR; 0: not a stream */
	int64_t offset_us;   /* since the start of the attempt */
	int64_t group;       /* order of the two streams inside one is unknown */
	int64_t position;    /* of `start` in its stream (or content) as produced */
	int64_t gap;         /* not 0: this is the line that stands for so many bytes */
};
bool source_origin(struct source *s, int64_t pos, struct source_origin *out);
/* The source position of byte `position` of a stream (or content) as produced; inside a gap, that of its
 * line. -1: not there. */
int64_t source_find(struct source *s, int stream, int64_t position);

#endif
