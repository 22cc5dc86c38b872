/*
 * model/worker: threads for what takes longer than a frame. A job runs in one of a few threads, asks
 * now and then whether it was cancelled, and sends messages, which the owner's thread gets in order by
 * workers_collect when workers_fd is readable. A job opens its own connection to the record.
 *
 * Signals are blocked in the threads. There are none before the first job and none after
 * workers_park, so that a fork without exec (run_start) is safe behind it.
 */
#ifndef TICKMARK_MODEL_WORKER_H
#define TICKMARK_MODEL_WORKER_H

#include "base.h"

struct workers;
struct job;

struct job_ops {
	void (*run)(struct job *job, void *ctx);               /* in a thread */
	void (*message)(void *ctx, void *message);             /* owner's thread; owns message. NULL: freed */
	void (*done)(void *ctx, bool cancelled);               /* owner's thread, once, last: frees ctx */
};

struct workers *workers_new(int threads, struct err *e); /* at most so many at once */
/* Cancels what runs or waits, waits for the threads, delivers every `done`. NULL is fine. */
void workers_free(struct workers *w);
int workers_fd(const struct workers *w); /* eventfd: readable when there is something to collect */
/* Delivers messages and ends; returns how many. */
size_t workers_collect(struct workers *w);
/* The job waits its turn. It is valid until its `done` was called. */
struct job *workers_submit(struct workers *w, const struct job_ops *ops, void *ctx);
size_t workers_busy(const struct workers *w); /* jobs whose `done` was not called */
/* Cancels what runs, waits for it, ends the threads; waiting jobs stay and start again with the next
 * workers_submit or workers_wake. For around a fork. */
void workers_park(struct workers *w);
void workers_wake(struct workers *w);

void job_cancel(struct job *job);                 /* any thread; `done` still comes */
bool job_cancelled(const struct job *job);
struct cancel job_asks(const struct job *job);  /* the same, for what asks it itself */
/* Waits while the owner is MESSAGES behind (so that a flood of hits does not fill memory), but not once
 * it is cancelled; takes over `message` (malloc). */
void job_send(struct job *job, void *message);

#endif
