/* Head, ring and totals of both streams. The writer may be slow; this side waits for it only a little. */
#include "tape.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#define WAIT_MS 50        /* per call, while the queue is full */
#define CHUNK (256 << 10) /* most bytes joined into one chunk */
#define LAST (64 << 10)   /* bytes of stderr that are kept for the last exception */
#define PATIENCE 2        /* times the queue's size before a head is closed early */

struct reel {
	int64_t total;        /* produced so far */
	int64_t head_left;    /* bytes that still go straight to the writer */
	struct hasher hash;   /* of all */
	struct item *first;   /* ring: oldest … */
	struct item *last;    /* … newest */
	int64_t ring;         /* bytes in it */
	int64_t ring_most;
	int64_t dropped;      /* that fell out of it */
	int64_t gap_at;       /* position behind the head */
	int64_t group;        /* of the first byte behind the head */
	int64_t offset_us;
};

struct tape {
	struct backlog *q;
	struct reel out, err;
	int stop_fd;
	int64_t until_us;
	size_t patience;      /* bytes in the queue beyond which heads are closed */
	struct buf last;      /* newest bytes of stderr */
};

static void reel_begin(struct reel *t, const struct limits *l)
{
	/* Where an end of any length is kept, nothing needs to wait for it; the ring is for a writer that lags then. */
	t->head_left = l->stream_head > 0 && l->stream_tail > 0 ? l->stream_head : INT64_MAX;
	t->ring_most = l->stream_tail > 0 ? l->stream_tail : INT64_MAX;
	hash_begin(&t->hash);
}

struct tape *tape_new(struct backlog *q, const struct limits *limits, int stop_fd, int64_t until_us)
{
	struct tape *c = xcalloc(1, sizeof(*c));

	c->q = q;
	c->stop_fd = stop_fd;
	c->until_us = until_us;
	reel_begin(&c->out, limits);
	reel_begin(&c->err, limits);
	return c;
}

void tape_free(struct tape *c)
{
	if (!c)
		return;
	item_free_all(c->out.first);
	item_free_all(c->err.first);
	buf_free(&c->last);
	free(c);
}

/* A writer that lags gets time, but neither a stop nor the end of the run waits for it. False: it
 * lags so far that no more should be handed to it. */
static bool wait_for_room(struct tape *c, size_t n)
{
	struct pollfd fds[2] = { { .fd = backlog_room_fd(c->q), .events = POLLIN }, { .fd = c->stop_fd, .events = POLLIN } };

	if (!backlog_is_full(c->q))
		return true;
	int64_t left_ms = c->until_us < 0 ? WAIT_MS : (c->until_us - clock_mono_us()) / 1000;
	if (left_ms > 0)
		poll(fds, c->stop_fd >= 0 ? 2 : 1, (int)MIN(left_ms, WAIT_MS));
	size_t waiting = backlog_bytes(c->q);
	if (c->patience == 0)
		c->patience = PATIENCE * waiting;
	return waiting + n <= c->patience;
}

static void trim_ring(struct reel *t)
{
	while (t->ring > t->ring_most) {
		struct item *it = t->first;
		int64_t over = t->ring - t->ring_most;
		if (over >= (int64_t)it->c.len) {
			over = (int64_t)it->c.len;
			t->first = it->next;
			if (!t->first)
				t->last = NULL;
			item_free(it);
		} else {
			it->c.bytes = (const char *)it->c.bytes + over;
			it->c.len -= (size_t)over;
			it->c.position += over;
		}
		t->ring -= over;
		t->dropped += over;
	}
}

static void ring_add(struct reel *t, const struct chunk *c)
{
	if (!t->first && t->dropped == 0) {
		t->gap_at = c->position;
		t->group = c->group;
		t->offset_us = c->offset_us;
	}
	t->ring += (int64_t)c->len;
	/* An item whose front was trimmed away cannot grow: its bytes no longer begin its allocation. */
	bool whole = t->last && t->last->c.bytes == t->last->bytes;
	if (!whole || !item_join(t->last, c, CHUNK)) {
		struct item *it = item_new(c);
		if (t->last)
			t->last->next = it;
		else
			t->first = it;
		t->last = it;
	}
	trim_ring(t);
}

static void keep_last(struct buf *b, const char *p, size_t n)
{
	if (n > LAST) {
		p += n - LAST;
		n = LAST;
	}
	if (b->len + n > 4 * LAST) {
		memmove(b->data, b->data + b->len - LAST, LAST);
		b->len = LAST;
	}
	buf_add(b, p, n);
}

const char *tape_last(const struct tape *c, size_t *n)
{
	*n = c ? c->last.len : 0;
	return *n ? c->last.data : "";
}

void tape_stream(void *tape, enum stream_id stream, int64_t group, int64_t offset_us, const void *p, size_t n)
{
	struct tape *c = tape;
	struct reel *t = stream == STREAM_OUT ? &c->out : &c->err;
	struct chunk piece = { .stream = stream, .group = group, .offset_us = offset_us, .position = t->total,
	                       .bytes = p, .len = n };

	if (n == 0)
		return;
	hash_add(&t->hash, p, n);
	t->total += (int64_t)n;
	if (stream == STREAM_ERR)
		keep_last(&c->last, p, n);

	if (t->head_left > 0 && !wait_for_room(c, n))
		t->head_left = 0;
	if (t->head_left > 0) {
		piece.len = (size_t)MIN((int64_t)n, t->head_left);
		t->head_left -= (int64_t)piece.len;
		backlog_put(c->q, item_new(&piece));
	} else {
		piece.len = 0;
	}
	if (piece.len < n) {
		size_t taken = piece.len;
		piece.bytes = (const char *)p + taken;
		piece.position += (int64_t)taken;
		piece.len = n - taken;
		ring_add(t, &piece);
	}
}

static void put_gap(struct tape *c, struct reel *t, enum stream_id stream)
{
	if (t->dropped == 0)
		return;
	struct chunk gap = { .stream = stream, .group = t->group, .offset_us = t->offset_us,
	                     .position = t->gap_at, .gap = t->dropped };
	backlog_put(c->q, item_new(&gap));
}

static struct item *ring_pop(struct reel *t)
{
	struct item *it = t->first;

	t->first = it->next;
	if (!t->first)
		t->last = NULL;
	return it;
}

static void result(struct reel *t, struct taped *out)
{
	*out = (struct taped){ .bytes = t->total, .dropped = t->dropped };
	if (t->total > 0)
		out->sha256 = hash_end(&t->hash);
}

void tape_finish(struct tape *c, struct taped *out, struct taped *err)
{
	put_gap(c, &c->out, STREAM_OUT);
	put_gap(c, &c->err, STREAM_ERR);
	while (c->out.first || c->err.first) {
		bool of_out = c->out.first && (!c->err.first || c->out.first->c.group <= c->err.first->c.group);
		backlog_put(c->q, ring_pop(of_out ? &c->out : &c->err));
	}
	result(&c->out, out);
	result(&c->err, err);
	backlog_close(c->q);
}
