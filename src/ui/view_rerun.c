/*
 * Before a rerun: which inputs are others now, and which later steps read what this one made. Enter runs
 * the step alone, R it and the later ones in order, d shows how an input changed.
 */
#include "pane.h"
#include "model/dependents.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

struct row_of_list {
	char *text;   /* owned, escaped */
	char *path;   /* input that can be compared; owned, NULL */
	enum role role;
};

struct rerun_list {
	struct row_of_list *v;
	size_t n, cap;
	size_t changed, later;
	struct err e;
};

struct rerun_view {
	struct view view;
	int64_t attempt, step;
	char ref[REF_TEXT];
	struct rerun_list list;
	bool done;
	struct list_array rows;
	struct listview shown;
	struct rerun_work *work; /* NULL: it has ended */
};

struct rerun_work {
	struct rerun_view *view; /* NULL: closed */
	struct job *job;
	char *root;              /* owned: what was open may be closed while it works */
	int64_t attempt, step;
};

static struct rerun_view *rerun_of(struct view *v)
{
	return (struct rerun_view *)v;
}

/* ---- making the list, in a worker ---- */

static void add_row(struct rerun_list *l, enum role role, const char *path, char *text)
{
	l->v = grow(l->v, l->n, &l->cap, sizeof(*l->v));
	l->v[l->n++] = (struct row_of_list){ text, path ? xstrdup(path) : NULL, role };
}

static void list_free(struct rerun_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].text);
		free(l->v[i].path);
	}
	free(l->v);
	*l = (struct rerun_list){ 0 };
}

static void take_input(void *ctx, const struct entry *in, enum input_now now)
{
	struct rerun_list *l = ctx;
	char *name = escape_name_dup(in->path);

	l->changed++;
	add_row(l, ROLE_WARN, in->path, xasprintf("input %s %s", name, input_now_word(now)));
	free(name);
}

static void take_dependent(void *ctx, const struct dependent *d)
{
	struct rerun_list *l = ctx;
	char *name = escape_name_dup(d->path), *title = escape_text_dup(d->title);

	l->later++;
	add_row(l, d->doubt ? ROLE_BAD : ROLE_NORMAL, NULL,
	        xasprintf("later %s %s: read %s of step %lld%s%s", d->ref, title, name, (long long)d->from, d->doubt ? "; " : "",
	                  d->doubt ? d->doubt : ""));
	free(name);
	free(title);
}

/* What there is against the files of others that it read itself. */
static void add_doubts(struct rerun_list *l, struct query *q, int64_t attempt)
{
	char *doubts = dependents_doubts(q, attempt, &l->e);

	if (doubts)
		add_row(l, ROLE_BAD, NULL, xasprintf("input %s", doubts));
	free(doubts);
}

static void work_run(struct job *job, void *ctx)
{
	struct rerun_work *w = ctx;
	struct rerun_list *l = xcalloc(1, sizeof(*l));
	struct workspace *ws = workspace_open(w->root, &l->e);
	struct query *q = ws ? query_open(ws, &l->e) : NULL;
	size_t all = 0;

	if (q)
		query_set_cancel(q, job_asks(job));
	if (q && dependents_inputs(q, ws, w->attempt, take_input, l, &all, &l->e)) {
		if (l->changed == 0 && all == 0)
			add_row(l, ROLE_GOOD, NULL, xstrdup("it read no file that could have changed"));
		else if (l->changed == 0)
			add_row(l, ROLE_GOOD, NULL, xasprintf("none of its %zu input%s changed", all, all == 1 ? "" : "s"));
		add_doubts(l, q, w->attempt);
		if (dependents_each(q, &w->step, 1, take_dependent, l, &l->e) && l->later == 0)
			add_row(l, ROLE_DIM, NULL, xstrdup("no later step read its files"));
	}
	query_close(q);
	workspace_close(ws);
	job_send(job, l);
}

static void work_message(void *ctx, void *message)
{
	struct rerun_work *w = ctx;
	struct rerun_list *l = message;

	if (w->view) {
		w->view->list = *l;
		w->view->rows.n = l->n;
		w->view->done = true;
		listbox_end(&w->view->shown.box, 1);
	} else {
		list_free(l);
	}
	free(l);
}

static void work_done(void *ctx, bool cancelled)
{
	struct rerun_work *w = ctx;

	(void)cancelled;
	if (w->view)
		w->view->work = NULL;
	free(w->root);
	free(w);
}

static const struct job_ops work_ops = { .run = work_run, .message = work_message, .done = work_done };

/* ---- the view ---- */

static void draw_row(struct view *v, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	const struct row_of_list *row = &rerun_of(v)->list.v[key->v[0]];

	canvas_fit(c, r, r.x + 2, y, r.w - 2, PEN(row->role), row->text);
}

static void rerun_draw(struct view *v, struct canvas *c, struct rect r)
{
	struct rerun_view *x = rerun_of(v);

	if (!x->done || x->list.e.code != ERR_NONE)
		canvas_text(c, r, r.x + 1, r.y, PEN(x->done ? ROLE_ERROR : ROLE_DIM), x->done ? x->list.e.msg : "looking at its inputs …");
	else
		listview_draw(v, &x->shown, c, r);
}

static enum row_answer holds(struct view *v, const struct list_key *key, struct search *search)
{
	const char *text = rerun_of(v)->list.v[key->v[0]].text;

	return row_has(search, text, strlen(text));
}

static const struct listview_ops list_ops = { .draw_row = draw_row, .holds = holds, .where = "in this list", .acts = true };

static void rerun_title(struct view *v, struct buf *left, struct buf *right)
{
	struct rerun_view *x = rerun_of(v);

	buf_addf(left, "Rerun %s on the files of now", x->ref);
	if (x->done)
		buf_addf(right, "%zu changed, %zu later", x->list.changed, x->list.later);
}

static struct listview *rerun_list(struct view *v)
{
	return &rerun_of(v)->shown;
}

static unsigned run_alone(struct view *v, const char *arg)
{
	(void)arg;
	act_rerun_start(v->ui, rerun_of(v)->ref, false);
	return TURN_CLOSE;
}

static unsigned run_with_later(struct view *v, const char *arg)
{
	struct rerun_view *x = rerun_of(v);

	(void)arg;
	if (!x->done) {
		ui_notice(v->ui, "still looking at what follows");
		return TURN_DRAW;
	}
	if (x->list.e.code != ERR_NONE) {
		ui_error(v->ui, "which later ones follow is not known (%s); Enter runs it alone", x->list.e.msg);
		return TURN_DRAW;
	}
	act_rerun_start(v->ui, x->ref, x->list.later > 0);
	return TURN_CLOSE;
}

static unsigned show_change(struct view *v, const char *arg)
{
	struct rerun_view *x = rerun_of(v);
	const char *path = x->list.n > 0 ? x->list.v[x->shown.box.cursor.v[0]].path : NULL;

	(void)arg;
	if (!path) {
		ui_notice(v->ui, "d shows how an input changed: choose one");
		return TURN_DRAW;
	}
	ui_push(v->ui, view_diff_input_new(v->ui, x->attempt, path));
	return TURN_DRAW;
}

static bool rerun_subject(struct view *v, struct subject *out)
{
	struct rerun_view *x = rerun_of(v);

	out->attempt = x->attempt;
	out->step = x->step;
	memcpy(out->ref, x->ref, sizeof(out->ref));
	return true;
}

static void rerun_free(struct view *v)
{
	struct rerun_view *x = rerun_of(v);

	if (x->work) {
		x->work->view = NULL;
		job_cancel(x->work->job);
	}
	list_free(&x->list);
	listview_done(&x->shown);
	free(x);
}

static const struct view_action actions[] = {
	{ CMD_OPEN, run_alone }, { CMD_RERUN, run_with_later }, { CMD_DIFF, show_change }, { CMD_NONE, NULL },
};

static const struct view_hint hints[] = {
	{ CMD_OPEN, "run it" }, { CMD_RERUN, "run it and the later ones" }, { CMD_DIFF, "what changed" }, { CMD_BACK, "back" },
	{ CMD_HELP, "help" }, { CMD_NONE, NULL },
};

static const struct view_ops ops = {
	.name = "Rerun", .place = PLACE_LIST, .actions = actions, .list = rerun_list, .hints = hints, .draw = rerun_draw,
	.title = rerun_title, .subject = rerun_subject, .free = rerun_free,
};

struct view *view_rerun_new(struct ui *ui, const struct subject *s, int64_t step)
{
	struct rerun_view *x = xcalloc(1, sizeof(*x));
	struct rerun_work *w = xcalloc(1, sizeof(*w));

	x->view = (struct view){ .ops = &ops, .ui = ui };
	listview_init(&x->shown, &list_ops, &list_array_ops, &x->rows);
	x->attempt = s->attempt;
	x->step = step;
	memcpy(x->ref, s->ref, sizeof(x->ref));
	w->view = x;
	w->root = xstrdup(ui->root);
	w->attempt = s->attempt;
	w->step = step;
	x->work = w;
	w->job = workers_submit(ui->workers, &work_ops, w);
	return &x->view;
}
