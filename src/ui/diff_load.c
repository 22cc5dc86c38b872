/* The parts of a difference, made in a worker with a connection of its own, one message each. */
#include "diffview.h"
#include "model/corrections.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_OF_PART 2000000

struct diff_work {
	struct diff_view *view;  /* NULL: the view is gone */
	struct job *job;
	char *root, *record;     /* owned, one of them NULL: what was open may be closed while it works */
	int64_t left, right;
	int64_t chain;           /* as in the view */
	char *input;             /* of left, against the file of now; owned, NULL */
	struct diffrows_options options;
	bool cancel;             /* what the comparison looks at */
};

/* First the sentence, then a part each, at last the end. */
struct diff_news {
	char *sentence;          /* owned; NULL */
	char ref[2][REF_TEXT];
	bool differs, check, last, has_part;
	struct diff_part part;
	struct err e;            /* of all of it, with `last` */
};

void diff_part_free(struct diff_part *p)
{
	diffrows_free(&p->rows);
	compare_close(p->cmp);
	diff_notes_free(p);
	free(p->pair);
}

void diff_parts_free(struct diff_view *d)
{
	for (size_t i = 0; i < d->parts_n; i++)
		diff_part_free(&d->parts[i]);
	d->parts_n = d->shown.n = 0;
}

static void news_free(struct diff_news *n)
{
	free(n->sentence);
	if (n->has_part)
		diff_part_free(&n->part);
	free(n);
}

/* Two attempts, or one and the file of now; of a chain, which two. */
struct sides {
	int64_t left, right;
	const char *pair; /* NULL */
};

static struct comparing *open_sides(const struct diff_work *w, const struct sides *s, struct query *q, struct err *e)
{
	return w->input ? compare_open_now(q, s->left, w->input, e) : compare_open(q, s->left, s->right, e);
}

/* Whether the part is worth a place: what is the same is not shown, and resources are no difference. Of a
 * correction what was changed and what became of the error, which may be the same. */
static bool is_shown(const struct sides *s, const struct compare_item *x)
{
	if (s->pair)
		return x->part == COMPARE_CODE || x->part == COMPARE_STDERR || (x->part == COMPARE_OUTCOME && x->change != SIDES_SAME);
	return x->change != SIDES_SAME && x->part != COMPARE_RESOURCES;
}

static void send_part(struct diff_work *w, const struct sides *s, struct query *q, const struct detail said[2], size_t i)
{
	struct diff_news *n = xcalloc(1, sizeof(*n));
	struct diff_part *p = &n->part;

	n->has_part = true;
	p->type = "";
	p->left = s->left;
	p->right = s->right;
	p->pair = s->pair ? xstrdup(s->pair) : NULL;
	p->first = -1;
	p->cmp = open_sides(w, s, q, &p->e);
	p->failed = !p->cmp;
	if (p->cmp) {
		p->item = *compare_item(p->cmp, i);
		p->failed = p->item.change != SIDES_SAME && !compare_rows(p->cmp, i, &w->options, &p->rows, &p->type, &p->e);
		diff_notes_take(p, said);
		p->first = p->failed || p->item.change == SIDES_SAME ? -1 : compare_first_row(p->cmp, i, &p->rows, NULL);
	}
	job_send(w->job, n);
}

/* Of a check, before the parts: its verdict, and what changed and what did not. */
static void send_verdict(struct diff_work *w, const struct comparing *c)
{
	struct diff_news *n = xcalloc(1, sizeof(*n));
	struct diffrows *rows = &n->part.rows;
	struct buf b = { 0 };

	n->has_part = true;
	n->part.type = "";
	n->part.first = -1;
	compare_tell_check(c, &b);
	for (char *p = b.data, *end; p && *p; p = *end ? end + 1 : end) {
		end = strchrnul(p, '\n');
		if (rows->summary)
			diffrows_sayf(rows, DIFFROW_SENTENCE, "%.*s", (int)(end - p), p);
		else
			rows->summary = xstrndup(p, (size_t)(end - p));
	}
	buf_free(&b);
	job_send(w->job, n);
}

static void send_parts(struct diff_work *w, const struct sides *s, struct query *q, const struct comparing *c)
{
	const int64_t attempts[2] = { s->left, s->right };
	struct detail said[2] = { 0 };

	/* what cannot be read has no notes here: the comparison says what is wrong */
	for (int side = 0; side < 2; side++)
		if (!attempts[side] || !query_detail(q, attempts[side], &said[side], NULL))
			said[side] = (struct detail){ 0 };
	for (size_t i = 0; i < compare_count(c) && !job_cancelled(w->job); i++)
		if (is_shown(s, compare_item(c, i)))
			send_part(w, s, q, said, i);
	for (int side = 0; side < 2; side++)
		query_detail_free(&said[side]);
}

static bool work_two(struct diff_work *w, struct query *q, struct err *e)
{
	struct sides s = { .left = w->left, .right = w->right };
	struct comparing *c = open_sides(w, &s, q, e);
	struct diff_news *head;
	struct buf b = { 0 };

	if (!c)
		return false;
	compare_tell(c, &b);
	head = xcalloc(1, sizeof(*head));
	head->sentence = buf_take(&b);
	head->differs = compare_differs(c);
	head->check = compare_is_check(c);
	for (int i = 0; i < 2; i++)
		snprintf(head->ref[i], REF_TEXT, "%s", compare_ref(c, i));
	job_send(w->job, head);
	if (compare_is_check(c))
		send_verdict(w, c);
	send_parts(w, &s, q, c);
	compare_close(c);
	return true;
}

struct chain {
	struct diff_work *work;
	struct query *q;
	struct err *e;
	int64_t n;
	bool ok;
};

static bool work_correction(void *ctx, const struct correction *x)
{
	struct chain *chain = ctx;
	struct comparing *c = compare_open(chain->q, x->failed, x->attempt, chain->e);
	char *name;

	chain->ok = c != NULL;
	if (!c)
		return false;
	name = escape_text_dup(x->by.name ? x->by.name : "");
	char *pair = xasprintf("%s -> %s, by %s %s", compare_ref(c, 0), compare_ref(c, 1),
	                       x->by.kind == ASKER_ASSISTANT ? "assistant" : "person", name);
	send_parts(chain->work, &(struct sides){ x->failed, x->attempt, pair }, chain->q, c);
	chain->n++;
	free(pair);
	free(name);
	compare_close(c);
	return !job_cancelled(chain->work->job);
}

/* Each correction of the step against what it corrects. */
static bool work_chain(struct diff_work *w, struct query *q, struct err *e)
{
	struct chain chain = { .work = w, .q = q, .e = e, .ok = true };
	struct diff_news *head = xcalloc(1, sizeof(*head));
	bool ok = corrections_each(q, w->chain, work_correction, &chain, e) && chain.ok;

	head->sentence = chain.n == 1 ? xstrdup("1 correction") : xasprintf("%lld corrections", (long long)chain.n);
	head->differs = chain.n > 0;
	if (ok && query_ref(q, w->chain, head->ref[0], NULL))
		head->ref[0][strcspn(head->ref[0], ".")] = '\0'; /* the step */
	job_send(w->job, head);
	return ok;
}

static void work_run(struct job *job, void *ctx)
{
	struct diff_work *w = ctx;
	struct diff_news *end = xcalloc(1, sizeof(*end));
	struct workspace *ws = w->root ? workspace_open(w->root, &end->e) : NULL;
	struct query *q = ws ? query_open(ws, &end->e) : w->record ? query_open_file(w->record, &end->e) : NULL;

	w->job = job;
	if (q)
		(void)(w->chain ? work_chain : work_two)(w, q, &end->e);
	query_close(q);
	workspace_close(ws);
	end->last = true;
	job_send(job, end);
}

static void take_head(struct diff_view *d, struct diff_news *n)
{
	free(d->sentence);
	d->sentence = n->sentence;
	n->sentence = NULL;
	d->differs = n->differs;
	d->check = n->check;
	memcpy(d->ref, n->ref, sizeof(d->ref));
}

static void work_message(void *ctx, void *message)
{
	struct diff_work *w = ctx;
	struct diff_news *n = message;

	if (w->view && n->sentence)
		take_head(w->view, n);
	if (w->view && n->has_part) {
		diff_add_part(w->view, &n->part);
		n->has_part = false;
	}
	if (w->view && n->last) {
		w->view->done = true;
		w->view->failed = n->e.code != ERR_NONE;
		w->view->e = n->e;
	}
	news_free(n);
}

static void work_done(void *ctx, bool cancelled)
{
	struct diff_work *w = ctx;

	if (w->view && w->view->work == w) {
		w->view->work = NULL;
		w->view->done = w->view->done || cancelled;
	}
	free(w->root);
	free(w->record);
	free(w->input);
	free(w);
}

static const struct job_ops work_ops = { .run = work_run, .message = work_message, .done = work_done };

void diff_load_stop(struct diff_view *d)
{
	if (!d->work)
		return;
	d->work->view = NULL;
	__atomic_store_n(&d->work->cancel, true, __ATOMIC_RELAXED);
	job_cancel(d->work->job);
	d->work = NULL;
}

void diff_load(struct diff_view *d)
{
	struct diff_work *w = xcalloc(1, sizeof(*w));
	struct ui *ui = d->view.ui;

	diff_load_stop(d);
	if (d->list.box.placed)
		d->wanted = diff_cursor(d);
	d->list.box.placed = d->list.hunt.on = false;
	diff_parts_free(d);
	d->done = d->failed = false;
	w->view = d;
	*(ui->evidence ? &w->record : &w->root) = xstrdup(ui->evidence ? ui->record : ui->root);
	w->left = d->left;
	w->right = d->right;
	w->chain = d->chain;
	w->input = d->input ? xstrdup(d->input) : NULL;
	w->options = (struct diffrows_options){ .context = d->context, .fold_space = d->fold_space, .words = true, .cancel = &w->cancel,
		                                    .most = ROWS_OF_PART };
	d->work = w;
	w->job = workers_submit(ui->workers, &work_ops, w);
}
