/*
 * The review queue (5): what is left, worst first, each with its reason. It is made by a worker, and
 * again when a mark or an attempt came. u and U go along it from the views above, too.
 */
#include <stdlib.h>
#include <string.h>

#include "pane.h"

struct work;
struct queue_view {
	struct view view;
	struct queue queue;
	struct queue_request request;
	struct list_array rows;
	struct listview list;
	struct job *job;   /* NULL: none is under way */
	struct work *work; /* its context */
	bool again;        /* something came while it was */
	bool loaded;
	char *error;       /* why there is none; NULL */
};

static struct queue_view *queue_of(struct view *v)
{
	return (struct queue_view *)v;
}

/* ---- the worker -------------------------------------------------------------------------------------- */

struct work {
	struct queue_view *owner; /* NULL: the view is gone */
	struct workspace *ws;
	const char *record;
	struct queue_request request;
	struct job *job;
	struct queue queue;
	struct err e;
	bool ok;
};

static bool work_cancelled(void *ctx)
{
	return job_cancelled(((struct work *)ctx)->job);
}

static void work_run(struct job *job, void *ctx)
{
	struct work *w = ctx;
	struct query *q;

	w->job = job; /* of the worker's thread alone */
	w->request.cancelled = work_cancelled;
	w->request.ctx = w;
	w->e = (struct err){ 0 };
	q = w->ws ? query_open(w->ws, &w->e) : query_open_file(w->record, &w->e);
	w->ok = q && queue_load(q, w->ws, &w->request, &w->queue, &w->e);
	query_close(q);
}

static void start(struct queue_view *v);

static void keep_place(struct queue_view *v, int64_t step, int64_t index)
{
	for (size_t i = 0; i < v->queue.n; i++)
		if (v->queue.v[i].step == step)
			index = (int64_t)i;
	v->rows.n = v->queue.n;
	listbox_select(&v->list.box, &(struct list_key){ { MAX(0, MIN(index, (int64_t)v->queue.n - 1)), 0, 0, 0 } });
	if (v->queue.n == 0)
		v->list.box.placed = false;
	listbox_validate(&v->list.box);
}

static void work_done(void *ctx, bool cancelled)
{
	struct work *w = ctx;
	struct queue_view *v = w->owner;

	if (v) {
		v->job = NULL;
		if (w->ok) {
			int64_t index = v->list.box.cursor.v[0];
			int64_t step = v->list.box.placed && index < (int64_t)v->queue.n ? v->queue.v[index].step : 0;

			queue_free(&v->queue);
			v->queue = w->queue;
			w->queue = (struct queue){ 0 };
			bool first = !v->loaded;
			v->loaded = true;
			free(v->error);
			v->error = NULL;
			keep_place(v, first ? 0 : step, first ? 0 : index);
		} else if (!cancelled) {
			free(v->error);
			v->error = xstrdup(w->e.msg);
		}
		if (v->again)
			start(v);
	}
	queue_free(&w->queue);
	free(w);
}

static const struct job_ops work_ops = { .run = work_run, .done = work_done };

static void start(struct queue_view *v)
{
	struct work *w;

	v->again = v->job != NULL;
	if (v->job)
		return;
	w = xcalloc(1, sizeof(*w));
	*w = (struct work){ .owner = v, .ws = v->view.ui->ws, .record = v->view.ui->record, .request = v->request };
	v->job = workers_submit(v->view.ui->workers, &work_ops, w);
	v->work = w;
}

/* ---- drawing ----------------------------------------------------------------------------------------- */

static void draw_entry(struct view *view, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	const struct queue_entry *en = &queue_of(view)->queue.v[key->v[0]];
	int x = canvas_text(c, r, r.x + 2, y, PEN(ROLE_STRONG), en->ref), title = MIN(28, MAX(8, r.w / 4));

	x = MAX(x + 1, r.x + 9);
	canvas_text(c, r, x, y, PEN(outcome_role(en->state)), outcome_word(en->state));
	x += 12;
	canvas_fit(c, r, x, y, title, PEN(ROLE_NORMAL), en->title);
	x += title + 2;
	canvas_fit(c, r, x, y, r.x + r.w - x, PEN(en->risks ? ROLE_WARN : ROLE_DIM), en->reason);
}

static void queue_draw(struct view *view, struct canvas *c, struct rect r)
{
	struct queue_view *v = queue_of(view);

	if (listview_draw(view, &v->list, c, r) == 0)
		canvas_fit(c, r, r.x + 2, r.y + 1, r.w - 3, PEN(v->error ? ROLE_ERROR : ROLE_STRONG),
		           v->error ? v->error : !v->loaded ? "looking …" : "Nothing is left to review.");
}

static void queue_title(struct view *view, struct buf *left, struct buf *right)
{
	struct queue_view *v = queue_of(view);

	buf_adds(left, "Review queue");
	if (v->request.sample)
		buf_addf(left, "   sample of %lld, seed %lld", (long long)v->queue.drawn, (long long)v->request.seed);
	if (v->job)
		buf_adds(right, "looking … ");
	if (v->loaded)
		buf_addf(right, "%zu to review · %lld done", v->queue.n, (long long)v->queue.reviewed);
}

/* ---- keys -------------------------------------------------------------------------------------------- */

static struct queue_entry *current(struct queue_view *v)
{
	int64_t i = v->list.box.cursor.v[0];

	return v->list.box.placed && i < (int64_t)v->queue.n ? &v->queue.v[i] : NULL;
}

static unsigned next_entry(struct view *v, const char *arg)
{
	(void)arg;
	listbox_move(&queue_of(v)->list.box, 1);
	return TURN_DRAW;
}

static unsigned prev_entry(struct view *v, const char *arg)
{
	(void)arg;
	listbox_move(&queue_of(v)->list.box, -1);
	return TURN_DRAW;
}

static unsigned open_dossier(struct view *view, const char *arg)
{
	(void)arg;
	return act_dossier(view, NULL);
}

static unsigned queue_cancel(struct view *view, const char *arg)
{
	struct queue_view *v = queue_of(view);

	(void)arg;
	if (!v->job)
		return TURN_UNHANDLED;
	v->again = false;
	job_cancel(v->job);
	ui_notice(view->ui, "cancelled; what is shown may lack something");
	return TURN_DRAW;
}

static bool queue_subject(struct view *view, struct subject *out)
{
	struct queue_view *v = queue_of(view);
	const struct queue_entry *en = current(v);

	if (!en)
		return false;
	out->attempt = en->attempt;
	out->step = en->step;
	memcpy(out->ref, en->ref, sizeof(out->ref));
	return true;
}

static unsigned queue_changed(struct view *view, int64_t attempt)
{
	(void)attempt;
	start(queue_of(view));
	return TURN_DRAW;
}

static enum row_answer holds(struct view *view, const struct list_key *key, struct search *search)
{
	const struct queue_entry *en = &queue_of(view)->queue.v[key->v[0]];
	char *text = xasprintf("%s %s %s %s", en->ref, outcome_word(en->state), en->title, en->reason);
	enum row_answer answer = row_has(search, text, strlen(text));

	free(text);
	return answer;
}

static const struct listview_ops list_ops = { .draw_row = draw_entry, .holds = holds, .where = "in the queue" };

static void queue_view_free(struct view *view)
{
	struct queue_view *v = queue_of(view);

	if (v->job) {
		v->work->owner = NULL;
		job_cancel(v->job);
	}
	queue_free(&v->queue);
	free(v->error);
	listview_done(&v->list);
	free(v);
}

static struct listview *queue_list(struct view *v)
{
	return &queue_of(v)->list;
}

static const struct view_action actions[] = {
	{ CMD_OPEN, open_dossier }, { CMD_NEXT_REVIEW, next_entry }, { CMD_PREV_REVIEW, prev_entry },
	{ CMD_CANCEL, queue_cancel }, { CMD_NONE, NULL },
};

static const struct view_hint hints[] = {
	{ CMD_OPEN, "read it" }, { CMD_MARK, "mark" }, { CMD_NOTE, "note" }, { CMD_NEXT_REVIEW, "next" }, { CMD_BACK, "back" },
	{ CMD_HELP, "help" }, { CMD_NONE, NULL },
};

static const struct view_ops ops = {
	.name = "Review queue", .list = queue_list, .place = PLACE_LIST, .actions = actions, .hints = hints, .draw = queue_draw,
	.title = queue_title, .changed = queue_changed, .subject = queue_subject, .free = queue_view_free,
};

struct view *view_queue_new(struct ui *ui, size_t sample, int64_t seed)
{
	struct queue_view *v = xcalloc(1, sizeof(*v));

	v->view = (struct view){ .ops = &ops, .ui = ui };
	v->request = (struct queue_request){ .sample = sample, .seed = seed };
	listview_init(&v->list, &list_ops, &list_array_ops, &v->rows);
	start(v);
	return &v->view;
}

bool view_queue_beside(struct view *view, int64_t step, int dir, int64_t *attempt)
{
	struct queue_view *v = queue_of(view);
	int64_t at = v->list.box.placed ? v->list.box.cursor.v[0] : 0;

	if (view->ops != &ops)
		return false;
	/* what was marked just now may be gone from the list already: then its place is the next one's */
	bool there = at < (int64_t)v->queue.n && v->queue.v[at].step == step;
	int64_t to = there || dir < 0 ? at + dir : at;
	*attempt = 0;
	if (to >= 0 && to < (int64_t)v->queue.n) {
		listbox_select(&v->list.box, &(struct list_key){ { to, 0, 0, 0 } });
		*attempt = v->queue.v[to].attempt;
	}
	return true;
}
