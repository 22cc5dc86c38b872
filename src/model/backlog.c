/* The queue between capture and writer: a list under a mutex, a condition for the taker, an eventfd for the giver. */
#include "backlog.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

struct backlog {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct item *first;  /* owned list */
	struct item **end;   /* where the next one goes */
	size_t bytes;        /* waiting */
	size_t most;         /* full from here on */
	bool closed;
	bool told_full;      /* the giver saw it full and waits for room */
	int room;            /* eventfd, for poll */
};

struct item *item_new(const struct chunk *c)
{
	struct item *it = xcalloc(1, sizeof(*it));

	it->c = *c;
	it->last_group = c->group;
	it->cap = c->len;
	it->bytes = c->len ? xmemdup(c->bytes, c->len) : NULL;
	it->c.bytes = it->bytes;
	return it;
}

void item_free(struct item *it)
{
	if (it)
		free(it->bytes);
	free(it);
}

void item_free_all(struct item *first)
{
	while (first) {
		struct item *next = first->next;
		item_free(first);
		first = next;
	}
}

bool item_join(struct item *last, const struct chunk *c, size_t most)
{
	if (!last || last->c.stream != c->stream || last->c.gap || c->gap)
		return false;
	if (last->c.len + c->len > most || c->offset_us - last->c.offset_us > ITEM_JOIN_US)
		return false;
	if (last->c.position + (int64_t)last->c.len != c->position)
		return false;
	if (last->cap < last->c.len + c->len) {
		last->cap = MIN(most, MAX(2 * last->cap, last->c.len + c->len));
		last->bytes = xreallocarray(last->bytes, last->cap, 1);
	}
	memcpy(last->bytes + last->c.len, c->bytes, c->len);
	last->c.bytes = last->bytes;
	last->c.len += c->len;
	last->last_group = c->group;
	return true;
}

int64_t item_group_behind(const struct item *last, const struct chunk *c)
{
	return last && last->last_group == c->group ? last->c.group : c->group;
}

struct backlog *backlog_new(size_t most_bytes)
{
	struct backlog *q = xcalloc(1, sizeof(*q));
	pthread_condattr_t attr;

	pthread_mutex_init(&q->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&q->filled, &attr);
	pthread_condattr_destroy(&attr);
	q->end = &q->first;
	q->most = most_bytes;
	q->room = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return q;
}

void backlog_free(struct backlog *q)
{
	if (!q)
		return;
	item_free_all(q->first);
	pthread_cond_destroy(&q->filled);
	pthread_mutex_destroy(&q->lock);
	if (q->room >= 0)
		close(q->room);
	free(q);
}

void backlog_put(struct backlog *q, struct item *it)
{
	it->next = NULL;
	pthread_mutex_lock(&q->lock);
	assert(!q->closed);
	bool was_empty = !q->first;
	*q->end = it;
	q->end = &it->next;
	q->bytes += it->c.len;
	pthread_mutex_unlock(&q->lock);
	/* The taker sleeps only while it is empty. */
	if (was_empty)
		pthread_cond_signal(&q->filled);
}

bool backlog_is_full(struct backlog *q)
{
	uint64_t old;

	pthread_mutex_lock(&q->lock);
	bool full = q->bytes >= q->most;
	if (full && !q->told_full)
		(void)!read(q->room, &old, sizeof(old)); /* what was written for an earlier time */
	q->told_full = full;
	pthread_mutex_unlock(&q->lock);
	return full;
}

int backlog_room_fd(const struct backlog *q)
{
	return q->room;
}

size_t backlog_bytes(struct backlog *q)
{
	pthread_mutex_lock(&q->lock);
	size_t n = q->bytes;
	pthread_mutex_unlock(&q->lock);
	return n;
}

void backlog_close(struct backlog *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	pthread_mutex_unlock(&q->lock);
	pthread_cond_signal(&q->filled);
}

bool backlog_is_closed(struct backlog *q)
{
	pthread_mutex_lock(&q->lock);
	bool closed = q->closed;
	pthread_mutex_unlock(&q->lock);
	return closed;
}

/* Under the lock; false when the time is up. */
static bool wait_filled(struct backlog *q, int64_t until_us)
{
	struct timespec t = { .tv_sec = until_us / 1000000, .tv_nsec = until_us % 1000000 * 1000 };

	if (until_us < 0)
		return pthread_cond_wait(&q->filled, &q->lock) == 0;
	return pthread_cond_timedwait(&q->filled, &q->lock, &t) == 0;
}

struct item *backlog_take(struct backlog *q, int64_t until_us, bool *closed)
{
	static const uint64_t one = 1;

	pthread_mutex_lock(&q->lock);
	while (!q->first && !q->closed && wait_filled(q, until_us))
		;
	struct item *first = q->first;
	q->first = NULL;
	q->end = &q->first;
	q->bytes = 0;
	*closed = q->closed;
	if (q->told_full) {
		q->told_full = false;
		(void)!write(q->room, &one, sizeof(one));
	}
	pthread_mutex_unlock(&q->lock);
	return first;
}
