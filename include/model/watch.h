/*
 * model/watch: tells that the record changed. inotify on the record's folder says when to look,
 * PRAGMA data_version whether something changed, the record's change list what. Where inotify says
 * nothing (network file systems), it looks every 250 ms; under a flood, at most every 20 ms. No read
 * transaction outlives a call.
 */
#ifndef TICKMARK_MODEL_WATCH_H
#define TICKMARK_MODEL_WATCH_H

#include "base.h"

struct watch;

/* `path` is the record file; opens a connection of its own. `evidence` files never change: the watch is
 * silent then. */
struct watch *watch_open(const char *path, bool evidence, struct err *e);
void watch_close(struct watch *w); /* NULL is fine */
int watch_fd(const struct watch *w); /* readable: call watch_read */

enum watch_news {
	WATCH_NOTHING = 0,
	WATCH_RECORD = 1,  /* something in the record is new */
	WATCH_LOST = 2,    /* too much changed to be told one by one: look at everything again */
	WATCH_FAILED = 4,  /* the record could not be read now; it goes on trying */
};
/* Calls `changed` for each attempt that is new or ended since the last call, and for the newest 64 of those
 * that are running, which may have grown: once each. Returns a mask. */
unsigned watch_read(struct watch *w, void (*changed)(void *ctx, int64_t attempt), void *ctx, struct err *e);

#endif
