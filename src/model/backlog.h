/*
 * backlog: pieces of streams on their way from the thread that captures to the one that writes.
 *
 * The capturing side must never wait long: it answers for limits and stops too. So putting always
 * succeeds; a full queue shows by backlog_is_full, and its room_fd becomes readable when there is room.
 */
#ifndef TICKMARK_MODEL_BACKLOG_H
#define TICKMARK_MODEL_BACKLOG_H

#include "record.h"

/* One piece; c.bytes points at `bytes`. */
struct item {
	struct item *next;
	struct chunk c;
	int64_t last_group; /* of the latest wake whose bytes were joined into this one */
	size_t cap;         /* allocated */
	char *bytes;        /* owned */
};

struct item *item_new(const struct chunk *c);
void item_free(struct item *it);
void item_free_all(struct item *first);
/* Bytes of one stream that arrive within a few milliseconds, with nothing of the other one between
 * them, are one chunk, at most `most` long: true when c was joined to `last`. */
#define ITEM_JOIN_US 5000
bool item_join(struct item *last, const struct chunk *c, size_t most);
/* The group that c must have behind `last`: what is joined into `last` keeps its group, so later
 * bytes of the other stream from the same wake must share it, or an order would be invented. */
int64_t item_group_behind(const struct item *last, const struct chunk *c);

struct backlog;
struct backlog *backlog_new(size_t most_bytes);
void backlog_free(struct backlog *q);
void backlog_put(struct backlog *q, struct item *it); /* takes it */
bool backlog_is_full(struct backlog *q);
int backlog_room_fd(const struct backlog *q);
size_t backlog_bytes(struct backlog *q);
void backlog_close(struct backlog *q); /* no more will be put */
bool backlog_is_closed(struct backlog *q);
/* Everything there is, in order, waiting for the first until `until_us` (monotonic; -1: for ever).
 * NULL: nothing came. *closed: that was the last. */
struct item *backlog_take(struct backlog *q, int64_t until_us, bool *closed);

#endif
