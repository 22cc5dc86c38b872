/*
 * The review queue as workers bring it: the whole of it first as a list by what failed, then with every reason;
 * after a mark or an attempt only that step again.
 */
#ifndef TICKMARK_UI_QUEUE_FEED_H
#define TICKMARK_UI_QUEUE_FEED_H

#include "model/review.h"
#include "screen.h"

struct queue_feed;
struct queue_feed_ops {
	void (*whole)(void *ctx, struct queue *q);       /* takes *q over; q->looked < q->n: reasons are to come */
	void (*step)(void *ctx, struct queue_again *a);  /* to be put into it */
	void (*failed)(void *ctx, const char *why);
};

/* The request's `ctx` and hooks are not used. Begins at once. */
struct queue_feed *queue_feed_new(struct ui *ui, const struct queue_request *r, const struct queue_feed_ops *ops, void *ctx);
void queue_feed_free(struct queue_feed *f);
void queue_feed_changed(struct queue_feed *f, int64_t attempt); /* 0: anything */
bool queue_feed_cancel(struct queue_feed *f);                   /* false: nothing is under way */
/* Whether a worker looks; *percent of the steps, -1 while they are not counted. */
bool queue_feed_is_busy(const struct queue_feed *f, int *percent);

#endif
