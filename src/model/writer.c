/* Rows of stream_chunk: made from pieces, hinted to the front, committed. */
#include "writer.h"

#include "wire.h"

#include <stdlib.h>

#define COMMIT_US 250000
#define COMMIT_BYTES (1 << 20)
#define ROW_BYTES (256 << 10)
#define BUSY_PAUSE_US 50000    /* between two tries, each of which waits for the lock itself */
#define BUSY_LAST_US 60000000  /* how long after the end of the run */

void writer_begin(struct writer *w, struct store *st, int64_t attempt, int front)
{
	*w = (struct writer){ .store = st, .attempt = attempt, .front = front };
	store_chunks_hash_begin(&w->hash);
}

static void send_hint(struct writer *w)
{
	const struct chunk *c = &w->hinted;

	for (size_t done = 0; done < w->hint.len && w->front >= 0 && !w->front_lost;) {
		size_t n = MIN(w->hint.len - done, (size_t)WIRE_MOST);
		enum wire_result r = wire_send(w->front, WIRE_BYTES, c->stream, c->position + (int64_t)done, w->hint.data + done, n);
		if (r == WIRE_GONE)
			w->front = -1;
		if (r == WIRE_FULL)
			w->front_lost = true;
		done += n;
	}
	buf_clear(&w->hint);
}

/* Many small pieces are few packets: a socket takes a few hundred only, whatever their size. */
static void tell_front(struct writer *w, const struct chunk *c)
{
	struct chunk *h = &w->hinted;

	if (w->front < 0)
		return;
	bool follows = h->stream == c->stream && h->position + (int64_t)w->hint.len == c->position;
	if (w->hint.len && (!follows || c->gap || w->hint.len + c->len > WIRE_MOST))
		send_hint(w);
	/* A gap in what it got is found by position, so nothing may follow one but WIRE_SYNC. */
	if (c->gap)
		w->front_lost = true;
	if (w->front_lost)
		return;
	if (w->hint.len == 0)
		*h = (struct chunk){ .stream = c->stream, .position = c->position };
	buf_add(&w->hint, c->bytes, c->len);
}

static void add_row(struct writer *w, struct item *it)
{
	if (!w->first)
		w->oldest_us = clock_mono_us();
	w->bytes += it->c.len;
	it->c.group = item_group_behind(w->last, &it->c);
	if (item_join(w->last, &it->c, ROW_BYTES)) {
		item_free(it);
		return;
	}
	it->next = NULL;
	if (w->last)
		w->last->next = it;
	else
		w->first = it;
	w->last = it;
	w->rows++;
}

struct chunk *writer_rest(const struct writer *w)
{
	struct chunk *rows = xcalloc(MAX(w->rows, 1), sizeof(*rows));
	size_t n = 0;

	for (const struct item *it = w->first; it; it = it->next)
		rows[n++] = it->c;
	return rows;
}

static void drop_rows(struct writer *w)
{
	for (const struct item *it = w->first; it; it = it->next)
		store_chunks_hash_add(&w->hash, &it->c);
	item_free_all(w->first);
	w->first = w->last = NULL;
	w->rows = w->bytes = 0;
}

bool writer_flush(struct writer *w)
{
	if (w->rows == 0)
		return true;
	struct err e = { 0 };
	struct chunk *rows = writer_rest(w);
	bool ok = store_chunks_add(w->store, w->attempt, rows, w->rows, &e);

	free(rows);
	if (!ok) {
		w->err = e;
		return false;
	}
	drop_rows(w);
	return true;
}

/* A front that missed something reads the record up to what is committed now, and gets packets again. */
static void let_catch_up(struct writer *w)
{
	if (w->front_lost && w->rows == 0 && wire_send(w->front, WIRE_SYNC, 0, 0, NULL, 0) == WIRE_DONE)
		w->front_lost = false;
}

/* A record that another process holds is waited for: as long as the run goes on, and a while longer.
 * Meanwhile the queue fills up, and capture knows what to do then. */
static void commit(struct writer *w, struct backlog *q)
{
	int64_t until_us = 0;

	while (!w->failed && !writer_flush(w)) {
		int64_t now = clock_mono_us();
		if (w->err.code == ERR_BUSY && until_us == 0 && backlog_is_closed(q))
			until_us = now + BUSY_LAST_US;
		if (w->err.code == ERR_BUSY && (until_us == 0 || now < until_us)) {
			clock_pause(BUSY_PAUSE_US);
			continue;
		}
		w->failed = true;
		if (w->stop)
			w->stop(w->stop_ctx);
	}
}

void writer_run(struct writer *w, struct backlog *q)
{
	bool closed = false;

	while (!closed) {
		int64_t due_us = w->rows > 0 && !w->failed ? w->oldest_us + COMMIT_US : -1;
		struct item *it = backlog_take(q, due_us, &closed);
		for (const struct item *one = it; one; one = one->next)
			tell_front(w, &one->c);
		send_hint(w);
		while (it) {
			struct item *next = it->next;
			add_row(w, it);
			it = next;
			/* In bites, also when a long queue came at once. */
			if (w->bytes >= COMMIT_BYTES)
				commit(w, q);
		}
		if (!closed && w->rows > 0 && clock_mono_us() >= w->oldest_us + COMMIT_US)
			commit(w, q);
		let_catch_up(w);
	}
}

struct digest writer_digest(const struct writer *w)
{
	struct chunks_hash h = w->hash;

	for (const struct item *it = w->first; it; it = it->next)
		store_chunks_hash_add(&h, &it->c);
	return store_chunks_hash_end(&h, NULL);
}

void writer_make_gaps(struct writer *w)
{
	for (struct item *it = w->first; it; it = it->next) {
		it->c.gap += (int64_t)it->c.len;
		it->c.len = 0;
	}
	w->bytes = 0;
}

void writer_free(struct writer *w)
{
	item_free_all(w->first);
	w->first = w->last = NULL;
	w->rows = 0;
	buf_free(&w->hint);
}
