/* What fills the review queue. One worker at a time; what changes meanwhile waits for its end. */
#include "queue_feed.h"

#include <stdlib.h>

#define WAITING 32 /* changed attempts; of more the whole queue is made again */

struct feed_work;
struct queue_feed {
	struct ui *ui;
	struct queue_request request;
	const struct queue_feed_ops *ops;
	void *ctx;
	struct job *job;         /* NULL: none is under way */
	struct feed_work *work;  /* its context */
	int64_t waiting[WAITING];
	size_t waiting_n;
	bool loaded;             /* once in whole */
	bool again;              /* all of it, when the worker is done */
	int percent;
};

struct feed_work {
	struct queue_feed *owner; /* NULL: the view is gone */
	char *root, *record;      /* owned, one of them NULL: what was open may be closed while it works */
	struct queue_request request;
	int64_t attempt;          /* only its step; 0: all */
	struct job *job;          /* as the worker knows it */
	bool listed;              /* the first list was sent */
	struct queue queue;
	struct queue_again step;
	struct err e;
	bool ok;
};

/* What a worker sends: how far it is, the first time with the list. */
struct feed_news {
	int percent;
	bool has_list;
	struct queue list;
};

/* ---- in the worker ----------------------------------------------------------------------------------- */

static bool work_cancelled(void *ctx)
{
	return job_cancelled(((struct feed_work *)ctx)->job);
}

static void work_progress(void *ctx, const struct queue *so_far)
{
	struct feed_work *w = ctx;
	struct feed_news *news;

	if (w->listed && work_cancelled(w))
		return;
	news = xcalloc(1, sizeof(*news));
	news->percent = (int)(so_far->looked * 100 / so_far->n);
	news->has_list = !w->listed;
	if (news->has_list)
		queue_copy(so_far, &news->list);
	w->listed = true;
	job_send(w->job, news);
}

static void work_run(struct job *job, void *ctx)
{
	struct feed_work *w = ctx;
	struct workspace *ws;
	struct query *q;

	w->job = job;
	w->request.cancelled = work_cancelled;
	w->request.progress = work_progress;
	w->request.ctx = w;
	w->e = (struct err){ 0 };
	w->listed = false;
	ws = w->root ? workspace_open(w->root, &w->e) : NULL;
	q = ws ? query_open(ws, &w->e) : w->record ? query_open_file(w->record, &w->e) : NULL;
	if (q)
		query_set_cancel(q, job_asks(job));
	if (w->attempt)
		w->ok = q && queue_look(q, ws, w->attempt, &w->step, &w->e);
	else
		w->ok = q && queue_load(q, ws, &w->request, &w->queue, &w->e);
	query_close(q);
	workspace_close(ws);
}

/* ---- in the screen's thread ---------------------------------------------------------------------------- */

static void start(struct queue_feed *f, int64_t attempt);

static void work_message(void *ctx, void *message)
{
	struct feed_work *w = ctx;
	struct feed_news *news = message;

	if (w->owner) {
		w->owner->percent = news->percent;
		/* a queue that is shown whole already is better than one whose reasons are to come */
		if (news->has_list && !w->owner->loaded)
			w->owner->ops->whole(w->owner->ctx, &news->list);
	}
	queue_free(&news->list);
	free(news);
}

static void start_waiting(struct queue_feed *f)
{
	if (f->again || (f->waiting_n > 0 && !f->loaded))
		start(f, 0);
	else if (f->waiting_n > 0)
		start(f, f->waiting[--f->waiting_n]);
}

static void take(struct queue_feed *f, struct feed_work *w)
{
	if (!w->attempt) {
		f->loaded = true;
		f->ops->whole(f->ctx, &w->queue);
		w->queue = (struct queue){ 0 };
		return;
	}
	f->again = f->again || !w->step.alone;
	f->ops->step(f->ctx, &w->step);
}

static void work_done(void *ctx, bool cancelled)
{
	struct feed_work *w = ctx;
	struct queue_feed *f = w->owner;

	if (f) {
		f->job = NULL;
		if (w->ok)
			take(f, w);
		else if (!cancelled)
			f->ops->failed(f->ctx, w->e.msg);
		start_waiting(f);
	}
	queue_free(&w->queue);
	queue_again_free(&w->step);
	free(w->root);
	free(w->record);
	free(w);
}

static const struct job_ops work_ops = { .run = work_run, .message = work_message, .done = work_done };

static void start(struct queue_feed *f, int64_t attempt)
{
	struct feed_work *w = xcalloc(1, sizeof(*w));

	*w = (struct feed_work){ .owner = f, .request = f->request, .attempt = attempt };
	*(f->ui->ws ? &w->root : &w->record) = xstrdup(f->ui->ws ? f->ui->root : f->ui->record);
	if (!attempt) {
		f->again = false;
		f->waiting_n = 0;
	}
	f->percent = -1;
	f->job = workers_submit(f->ui->workers, &work_ops, w);
	f->work = w;
}

/* ---- from outside -------------------------------------------------------------------------------------- */

struct queue_feed *queue_feed_new(struct ui *ui, const struct queue_request *r, const struct queue_feed_ops *ops, void *ctx)
{
	struct queue_feed *f = xcalloc(1, sizeof(*f));

	f->ui = ui;
	f->request = *r;
	f->ops = ops;
	f->ctx = ctx;
	start(f, 0);
	return f;
}

void queue_feed_free(struct queue_feed *f)
{
	if (f->job) {
		f->work->owner = NULL;
		job_cancel(f->job);
	}
	free(f);
}

static bool is_waiting(const struct queue_feed *f, int64_t attempt)
{
	for (size_t i = 0; i < f->waiting_n; i++)
		if (f->waiting[i] == attempt)
			return true;
	return false;
}

void queue_feed_changed(struct queue_feed *f, int64_t attempt)
{
	/* of a sample a change may be outside, and the whole is few */
	if (!attempt || f->request.sample || f->waiting_n == WAITING)
		f->again = true;
	else if (!is_waiting(f, attempt))
		f->waiting[f->waiting_n++] = attempt;
	if (!f->job)
		start_waiting(f);
}

bool queue_feed_cancel(struct queue_feed *f)
{
	if (!f->job)
		return false;
	f->again = false;
	f->waiting_n = 0;
	job_cancel(f->job);
	return true;
}

bool queue_feed_is_busy(const struct queue_feed *f, int *percent)
{
	*percent = f->percent;
	return f->job != NULL;
}
