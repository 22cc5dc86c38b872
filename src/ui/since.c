/* One entry per attempt that was looked at, and one job per entry that is being found out. */
#include "since.h"

#include <stdlib.h>
#include <string.h>

#define KEPT 32
#define FRESH_US 2000000 /* answers are taken as they are for so long */

struct entry_job;

struct entry_of {
	int64_t attempt;        /* 0: free */
	size_t n;               /* inputs */
	enum since *answers;    /* owned; NULL: not known */
	int64_t at_us;          /* since when */
	bool stopped;
	struct entry_job *job;  /* under way; NULL */
	int64_t used;
};

struct since_book {
	struct workers *workers;
	char *root;
	void (*known)(void *ctx, int64_t attempt);
	void *ctx;
	struct entry_of kept[KEPT];
	int64_t clock;
};

/* Of the worker; outlives the book when that is closed meanwhile. */
struct entry_job {
	struct since_book *book; /* NULL: closed, or nobody wants it */
	int64_t attempt;
	size_t n;
	char *root;
	enum since *answers;
	bool whole;              /* all of them are there */
	struct job *job;
};

struct since_book *since_new(struct workers *w, const char *root, void (*known)(void *ctx, int64_t attempt), void *ctx)
{
	struct since_book *b = xcalloc(1, sizeof(*b));

	*b = (struct since_book){ .workers = w, .root = xstrdup(root), .known = known, .ctx = ctx };
	return b;
}

static void let_go(struct entry_of *x)
{
	if (x->job) {
		x->job->book = NULL;
		job_cancel(x->job->job);
	}
	free(x->answers);
	*x = (struct entry_of){ 0 };
}

void since_free(struct since_book *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < KEPT; i++)
		let_go(&b->kept[i]);
	free(b->root);
	free(b);
}

/* ---- the worker -------------------------------------------------------------------------------------------- */

static void compare(struct entry_job *w, struct job *job, struct query *q, struct workspace *ws)
{
	struct detail d = { 0 };

	query_set_cancel(q, job_asks(job));
	if (!query_detail(q, w->attempt, &d, NULL))
		return;
	for (size_t i = 0; i < d.inputs_n && i < w->n && !job_cancelled(job); i++)
		w->answers[i] = d.inputs[i].what == INPUT_OVERWRITTEN ? SINCE_UNKNOWN : query_since(q, ws, &d.inputs[i]);
	w->whole = d.inputs_n == w->n && !job_cancelled(job);
	query_detail_free(&d);
}

static void job_run(struct job *job, void *ctx)
{
	struct entry_job *w = ctx;
	struct workspace *ws = workspace_open(w->root, NULL);
	struct query *q = ws ? query_open(ws, NULL) : NULL;

	for (size_t i = 0; i < w->n; i++)
		w->answers[i] = SINCE_UNKNOWN;
	if (q)
		compare(w, job, q, ws);
	else
		w->whole = true; /* nobody can tell */
	query_close(q);
	workspace_close(ws);
}

static struct entry_of *find(struct since_book *b, int64_t attempt)
{
	for (size_t i = 0; i < KEPT; i++)
		if (b->kept[i].attempt == attempt)
			return &b->kept[i];
	return NULL;
}

static void job_done(void *ctx, bool cancelled)
{
	struct entry_job *w = ctx;
	struct since_book *b = w->book;
	struct entry_of *x = b ? find(b, w->attempt) : NULL;

	if (x && x->job == w) {
		bool changed = !x->answers || memcmp(x->answers, w->answers, w->n * sizeof(*w->answers)) != 0;

		x->job = NULL;
		x->at_us = clock_mono_us();
		x->stopped = cancelled || !w->whole;
		if (!x->stopped) {
			free(x->answers);
			x->answers = w->answers;
			w->answers = NULL;
		}
		if (changed || x->stopped)
			b->known(b->ctx, w->attempt);
	}
	free(w->answers);
	free(w->root);
	free(w);
}

static const struct job_ops job_ops = { .run = job_run, .done = job_done };

static void ask(struct since_book *b, struct entry_of *x)
{
	struct entry_job *w = xcalloc(1, sizeof(*w));

	*w = (struct entry_job){ .book = b, .attempt = x->attempt, .n = x->n, .root = xstrdup(b->root) };
	w->answers = xcalloc(x->n, sizeof(*w->answers));
	x->job = w;
	x->stopped = false;
	w->job = workers_submit(b->workers, &job_ops, w);
}

/* ---- asking --------------------------------------------------------------------------------------------------- */

static struct entry_of *entry_for(struct since_book *b, const struct detail *d)
{
	struct entry_of *x = find(b, d->attempt.id), *oldest = &b->kept[0];

	if (x && x->n != d->inputs_n)
		let_go(x);
	for (size_t i = 0; !(x && x->attempt) && i < KEPT; i++)
		if (b->kept[i].used < oldest->used)
			oldest = &b->kept[i];
	if (!x || !x->attempt) {
		x = oldest;
		let_go(x);
		*x = (struct entry_of){ .attempt = d->attempt.id, .n = d->inputs_n };
	}
	x->used = ++b->clock;
	return x;
}

enum since_state since_look(struct since_book *b, const struct detail *d, const enum since **answers)
{
	struct entry_of *x = entry_for(b, d);
	bool fresh = x->at_us && clock_mono_us() - x->at_us < FRESH_US;

	if (!x->job && !fresh)
		ask(b, x);
	*answers = x->answers;
	return x->answers ? SINCE_KNOWN : x->stopped ? SINCE_STOPPED : SINCE_LOOKING;
}

bool since_cancel(struct since_book *b)
{
	bool any = false;

	for (size_t i = 0; b && i < KEPT; i++) {
		if (!b->kept[i].job)
			continue;
		job_cancel(b->kept[i].job->job);
		any = true;
	}
	return any;
}
