/*
 * A queue of jobs, a few threads that take from it, and one list of events back. One lock guards all;
 * nothing of the owner's or of a job's is called under it.
 */
#include "model/worker.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#ifndef MESSAGES
#define MESSAGES 256 /* of one job, sent and not collected */
#endif

struct job {
	struct job *next;          /* in the queue */
	struct workers *workers;
	const struct job_ops *ops;
	void *ctx;
	atomic_bool cancelled;
	size_t sent;               /* messages not collected */
};

/* A message, or (no message) the end of a job. */
struct event {
	struct event *next;
	struct job *job;
	bool done;
	void *message;
};

struct workers {
	pthread_mutex_t lock;
	pthread_cond_t work;       /* the queue is not empty, or the threads shall end */
	pthread_cond_t room;       /* messages were collected, or a job was cancelled */
	int fd;
	size_t most;
	pthread_t *threads;        /* most of them, threads_n in use */
	struct job **running;      /* by thread; NULL: it waits */
	size_t threads_n;
	size_t waiting;            /* threads that wait for work */
	size_t queued;             /* jobs in the queue */
	bool ending;
	struct job *first, **last; /* the queue */
	struct event *events, **events_last;
	size_t busy;
};

struct workers *workers_new(int threads, struct err *e)
{
	struct workers *w;
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0) {
		err_sys(e, "cannot make an eventfd");
		return NULL;
	}
	w = xcalloc(1, sizeof(*w));
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->work, NULL);
	pthread_cond_init(&w->room, NULL);
	w->fd = fd;
	w->most = (size_t)MAX(threads, 1);
	w->threads = xcalloc(w->most, sizeof(*w->threads));
	w->running = xcalloc(w->most, sizeof(struct job *));
	w->last = &w->first;
	w->events_last = &w->events;
	return w;
}

int workers_fd(const struct workers *w)
{
	return w->fd;
}

/* ---- in the threads -------------------------------------------------------------------------- */

/* With the lock held. */
static void add_event(struct workers *w, struct job *job, bool done, void *message)
{
	struct event *ev = xcalloc(1, sizeof(*ev));
	uint64_t one = 1;

	*ev = (struct event){ .job = job, .done = done, .message = message };
	*w->events_last = ev;
	w->events_last = &ev->next;
	while (write(w->fd, &one, sizeof(one)) < 0)
		; /* EINTR; it never fills up */
}

/* The next job, for thread `i`; NULL: the threads end. With the lock held. */
static struct job *take_job(struct workers *w, size_t i)
{
	struct job *job;

	w->waiting++;
	while (!w->ending && !w->first)
		pthread_cond_wait(&w->work, &w->lock);
	w->waiting--;
	if (w->ending)
		return NULL;
	job = w->first;
	w->first = job->next;
	if (!w->first)
		w->last = &w->first;
	w->queued--;
	w->running[i] = job;
	return job;
}

struct seat {
	struct workers *w;
	size_t i;
};

static void *work(void *arg)
{
	struct seat seat = *(struct seat *)arg;
	struct workers *w = seat.w;
	struct job *job;

	free(arg);
	pthread_mutex_lock(&w->lock);
	while ((job = take_job(w, seat.i))) {
		pthread_mutex_unlock(&w->lock);
		if (!job_cancelled(job))
			job->ops->run(job, job->ctx);
		pthread_mutex_lock(&w->lock);
		w->running[seat.i] = NULL;
		add_event(w, job, true, NULL);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

bool job_cancelled(const struct job *job)
{
	return atomic_load_explicit(&job->cancelled, memory_order_relaxed);
}

static bool is_cancelled(const void *job)
{
	return job_cancelled(job);
}

struct cancel job_asks(const struct job *job)
{
	return (struct cancel){ is_cancelled, job };
}

void job_send(struct job *job, void *message)
{
	struct workers *w = job->workers;

	pthread_mutex_lock(&w->lock);
	while (job->sent >= MESSAGES && !job_cancelled(job))
		pthread_cond_wait(&w->room, &w->lock);
	job->sent++;
	add_event(w, job, false, message);
	pthread_mutex_unlock(&w->lock);
}

/* ---- in the owner's thread ---------------------------------------------------------------------- */

/* As many threads as there is work for. With the lock held. Where none can be had, jobs wait for one. */
static void start_threads(struct workers *w)
{
	sigset_t all, before;

	w->ending = false;
	while (w->threads_n < w->most && w->queued > w->waiting) {
		struct seat *seat = xmalloc(sizeof(*seat));
		int rc;

		*seat = (struct seat){ .w = w, .i = w->threads_n };
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		rc = pthread_create(&w->threads[w->threads_n], NULL, work, seat);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		if (rc != 0) {
			free(seat);
			break;
		}
		w->threads_n++;
		if (w->threads_n >= w->queued)
			break;
	}
	pthread_cond_broadcast(&w->work);
}

struct job *workers_submit(struct workers *w, const struct job_ops *ops, void *ctx)
{
	struct job *job = xcalloc(1, sizeof(*job));

	job->workers = w;
	job->ops = ops;
	job->ctx = ctx;
	pthread_mutex_lock(&w->lock);
	*w->last = job;
	w->last = &job->next;
	w->queued++;
	w->busy++;
	start_threads(w);
	pthread_mutex_unlock(&w->lock);
	return job;
}

void workers_wake(struct workers *w)
{
	pthread_mutex_lock(&w->lock);
	start_threads(w);
	pthread_mutex_unlock(&w->lock);
}

size_t workers_busy(const struct workers *w)
{
	return w->busy;
}

void job_cancel(struct job *job)
{
	struct workers *w = job->workers;

	pthread_mutex_lock(&w->lock);
	atomic_store_explicit(&job->cancelled, true, memory_order_relaxed);
	pthread_cond_broadcast(&w->room);
	pthread_mutex_unlock(&w->lock);
}

static struct event *take_events(struct workers *w)
{
	struct event *events;
	uint64_t count;

	pthread_mutex_lock(&w->lock);
	while (read(w->fd, &count, sizeof(count)) > 0)
		;
	events = w->events;
	w->events = NULL;
	w->events_last = &w->events;
	for (struct event *ev = events; ev; ev = ev->next)
		if (!ev->done)
			ev->job->sent--;
	pthread_cond_broadcast(&w->room);
	pthread_mutex_unlock(&w->lock);
	return events;
}

static void deliver(struct workers *w, struct event *ev)
{
	struct job *job = ev->job;

	if (ev->done) {
		bool cancelled = job_cancelled(job);

		w->busy--;
		if (job->ops->done)
			job->ops->done(job->ctx, cancelled);
		free(job);
	} else if (job->ops->message) {
		job->ops->message(job->ctx, ev->message);
	} else {
		free(ev->message);
	}
}

size_t workers_collect(struct workers *w)
{
	struct event *ev = take_events(w), *next;
	size_t n = 0;

	for (; ev; ev = next, n++) {
		next = ev->next;
		deliver(w, ev);
		free(ev);
	}
	return n;
}

void workers_park(struct workers *w)
{
	size_t n;

	pthread_mutex_lock(&w->lock);
	w->ending = true;
	for (size_t i = 0; i < w->threads_n; i++)
		if (w->running[i])
			atomic_store_explicit(&w->running[i]->cancelled, true, memory_order_relaxed);
	pthread_cond_broadcast(&w->work);
	pthread_cond_broadcast(&w->room);
	n = w->threads_n;
	pthread_mutex_unlock(&w->lock);
	for (size_t i = 0; i < n; i++)
		pthread_join(w->threads[i], NULL);
	w->threads_n = 0;
}

void workers_free(struct workers *w)
{
	struct job *next;

	if (!w)
		return;
	workers_park(w);
	for (struct job *job = w->first; job; job = next) {
		next = job->next;
		atomic_store(&job->cancelled, true);
		add_event(w, job, true, NULL);
	}
	w->first = NULL;
	w->last = &w->first;
	w->queued = 0;
	workers_collect(w);
	assert(w->busy == 0);
	close(w->fd);
	pthread_cond_destroy(&w->room);
	pthread_cond_destroy(&w->work);
	pthread_mutex_destroy(&w->lock);
	free(w->threads);
	free(w->running);
	free(w);
}
