/* Code and streams in the document of an attempt: beginning and end, with what is left out between counted. */
#include "detail_json.h"

#include <string.h>

/* Beginning and end of bytes that may be more than a document should hold. */
struct window {
	struct buf head, tail;
	size_t head_max, tail_max;
	bool head_done;   /* full, or a gap came */
	bool trimmed;     /* bytes of the tail were let go */
	int64_t bytes;    /* seen, gaps included */
	int64_t gap;      /* of them, not in the record */
};

static void window_init(struct window *w, int64_t budget)
{
	*w = (struct window){ .head_max = (size_t)(budget - budget / 4), .tail_max = (size_t)(budget / 4) };
}

static void window_add(struct window *w, const char *p, size_t n)
{
	size_t first = w->head_done ? 0 : MIN(n, w->head_max - w->head.len);

	if (n == 0)
		return;
	w->bytes += (int64_t)n;
	buf_add(&w->head, p, first);
	w->head_done = w->head_done || w->head.len == w->head_max;
	buf_add(&w->tail, p + first, n - first);
	if (w->tail.len > 2 * w->tail_max + 65536) {
		memmove(w->tail.data, w->tail.data + w->tail.len - w->tail_max, w->tail_max);
		w->tail.len = w->tail_max;
		w->trimmed = true;
	}
}

static void window_gap(struct window *w, int64_t n)
{
	w->bytes += n;
	w->gap += n;
	w->head_done = true;
	buf_clear(&w->tail);
}

static bool add_code(void *ctx, const void *p, size_t n, struct err *e)
{
	(void)e;
	window_add(ctx, p, n);
	return true;
}

static bool add_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	(void)e;
	if (c->gap > 0)
		window_gap(ctx, c->gap);
	window_add(ctx, c->bytes, c->len);
	return true;
}

/* A cut inside a character would turn its pieces into bytes that are no text. */
static size_t whole_chars(const char *p, size_t n)
{
	size_t back = 0;

	while (back < 3 && back < n && ((unsigned char)p[n - 1 - back] & 0xC0) == 0x80)
		back++;
	if (back == n)
		return n;
	unsigned char lead = (unsigned char)p[n - 1 - back];
	size_t needed = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
	return needed > back + 1 ? n - 1 - back : n;
}

static size_t broken_chars(const char *p, size_t n)
{
	size_t i = 0;

	while (i < 3 && i < n && ((unsigned char)p[i] & 0xC0) == 0x80)
		i++;
	return i;
}

/* Writes text, tail, cut and omitted, and releases the window. */
static void window_put(struct json_writer *w, struct window *v)
{
	size_t skip = v->tail.len > v->tail_max ? v->tail.len - v->tail_max : 0;
	size_t head = v->head.len;

	if (skip == 0 && v->gap == 0 && !v->trimmed) {
		buf_add(&v->head, v->tail.data, v->tail.len);
		head = v->head.len;
		buf_clear(&v->tail);
	} else {
		head = whole_chars(v->head.data, head);
		skip += broken_chars(v->tail.data + skip, v->tail.len - skip);
	}
	size_t tail = v->tail.len > skip ? v->tail.len - skip : 0;
	int64_t omitted = v->bytes - (int64_t)head - (int64_t)tail;
	json_put_bytes(w, "text", v->head.data ? v->head.data : "", head);
	if (omitted > 0)
		json_put_bytes(w, "tail", tail ? v->tail.data + skip : "", tail);
	else
		json_put_null(w, "tail");
	json_put_bool(w, "cut", omitted > 0);
	json_put_int(w, "omitted", omitted);
	buf_free(&v->head);
	buf_free(&v->tail);
}

bool detail_put_code(struct json_writer *w, struct query *q, const struct detail *d, int64_t budget, struct err *e)
{
	struct window v;

	window_init(&v, budget);
	if (!query_code(q, d->attempt.id, add_code, &v, e)) {
		buf_free(&v.head);
		buf_free(&v.tail);
		return false;
	}
	json_open(w, "code", '{');
	json_put_digest(w, "sha256", &d->attempt.code);
	json_put_int(w, "bytes", v.bytes);
	window_put(w, &v);
	json_close(w);
	return true;
}

bool detail_put_stream(struct json_writer *w, struct query *q, const struct detail *d, enum stream_id id, int64_t budget,
                       struct err *e)
{
	struct window v;

	window_init(&v, budget);
	if (!query_chunks(q, d->attempt.id, id, add_chunk, &v, e)) {
		buf_free(&v.head);
		buf_free(&v.tail);
		return false;
	}
	json_open(w, id == STREAM_OUT ? "stdout" : "stderr", '{');
	json_put_int(w, "bytes", d->end.attempt ? (id == STREAM_OUT ? d->end.out_bytes : d->end.err_bytes) : v.bytes);
	json_put_digest(w, "sha256", id == STREAM_OUT ? &d->end.out_sha256 : &d->end.err_sha256);
	json_put_int(w, "lost", v.gap);
	window_put(w, &v);
	json_close(w);
	return true;
}
