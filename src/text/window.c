/* One bounded buffer over a byte source; keeps what it has when it moves by little. */
#include "text/window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifndef WINDOW_STEP
#define WINDOW_STEP (32 << 10) /* read beyond what was asked for; tests make it tiny */
#endif

struct window {
	struct bytes source;
	char *buf;     /* bytes [start, start + len) */
	size_t cap;
	int64_t start;
	size_t len;
	bool failed;
};

struct window *window_new(struct bytes source)
{
	struct window *w = xcalloc(1, sizeof(*w));

	w->source = source;
	return w;
}

void window_free(struct window *w)
{
	if (!w)
		return;
	free(w->buf);
	free(w);
}

/* Reads behind the buffer until it ends at `end`, or the source does. */
static void extend(struct window *w, int64_t end)
{
	while (w->start + (int64_t)w->len < end) {
		int64_t at = w->start + (int64_t)w->len, got;

		got = w->source.read(w->source.ctx, at, w->buf + w->len, (size_t)(end - at));
		if (got < 0)
			w->failed = true;
		if (got <= 0)
			return;
		w->len += (size_t)got;
	}
}

/* Moves the buffer to [start, end), keeping the bytes that stay. */
static void move(struct window *w, int64_t start, int64_t end)
{
	size_t room = (size_t)(end - start);
	int64_t had = w->start + (int64_t)w->len;

	if (room > w->cap) {
		w->buf = xreallocarray(w->buf, room, 1);
		w->cap = room;
	}
	if (start >= w->start && start < had) {
		w->len = (size_t)(had - start);
		memmove(w->buf, w->buf + (start - w->start), w->len);
	} else if (start < w->start && end > w->start && w->len) {
		size_t keep = (size_t)(MIN(had, end) - w->start), gap = (size_t)(w->start - start);

		memmove(w->buf + gap, w->buf, keep);
		w->start = start;
		w->len = 0;
		extend(w, start + (int64_t)gap);
		if (w->len == gap)
			w->len += keep;
	} else {
		w->len = 0;
	}
	w->start = start;
	extend(w, end);
}

const char *window_at(struct window *w, int64_t pos, size_t want, size_t *got)
{
	assert(want <= WINDOW_MAX);
	*got = 0;
	if (pos < 0)
		return NULL;
	if (pos < w->start || pos + (int64_t)want > w->start + (int64_t)w->len) {
		int64_t start = pos - pos % WINDOW_STEP;

		move(w, start, pos + (int64_t)want + WINDOW_STEP);
	}
	if (pos >= w->start + (int64_t)w->len)
		return NULL;
	*got = (size_t)(w->start + (int64_t)w->len - pos);
	return w->buf + (pos - w->start);
}

const char *window_before(struct window *w, int64_t pos, size_t want, size_t *got)
{
	int64_t from = pos - (int64_t)want;

	assert(want <= WINDOW_MAX);
	*got = 0;
	if (from < 0)
		from = 0;
	if (from < w->start || pos > w->start + (int64_t)w->len)
		move(w, MAX(from - WINDOW_STEP, 0), pos);
	if (pos > w->start + (int64_t)w->len || pos <= from)
		return NULL;
	*got = (size_t)(pos - from);
	return w->buf + (from - w->start);
}

void window_forget(struct window *w)
{
	w->len = 0;
}

bool window_failed(const struct window *w)
{
	return w->failed;
}

static int64_t read_memory(void *ctx, int64_t pos, void *buf, size_t n)
{
	const struct memory *m = ctx;

	if (pos < 0 || (uint64_t)pos >= m->n)
		return 0;
	n = MIN(n, m->n - (size_t)pos);
	memcpy(buf, m->p + pos, n);
	return (int64_t)n;
}

struct bytes bytes_of_memory(struct memory *m)
{
	return (struct bytes){ .read = read_memory, .ctx = m };
}
