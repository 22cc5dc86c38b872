/* "No record here": what a record would take in, and Enter creates it. */
#include <stdlib.h>
#include <string.h>

#include "pane.h"
#include "text.h"

struct start {
	struct view view;
	struct attach_totals totals;
	struct err refused;   /* why no record can be made here; ERR_NONE: it can */
	struct err scanned;   /* why the folder could not be looked through */
	bool done;
	struct work *work;    /* under way; NULL */
};

/* Of the job; outlives the view when that is closed meanwhile. */
struct work {
	struct start *start;  /* NULL: closed */
	char *root;
	struct job *job;
};

struct found {
	struct attach_totals totals;
	struct err error;
};

static struct start *start_of(struct view *v)
{
	return (struct start *)v;
}

static bool take_file(void *ctx, const struct attached *a)
{
	(void)a;
	return !job_cancelled(ctx);
}

static void work_run(struct job *job, void *ctx)
{
	struct work *w = ctx;
	struct found *f = xcalloc(1, sizeof(*f));

	attach_scan(NULL, w->root, take_file, job, &f->totals, &f->error);
	job_send(job, f);
}

static void work_message(void *ctx, void *message)
{
	struct work *w = ctx;
	struct found *f = message;

	if (w->start) {
		w->start->totals = f->totals;
		w->start->scanned = f->error;
		w->start->done = true;
	}
	free(f);
}

static void work_done(void *ctx, bool cancelled)
{
	struct work *w = ctx;

	(void)cancelled;
	if (w->start)
		w->start->work = NULL;
	free(w->root);
	free(w);
}

static const struct job_ops work_ops = { .run = work_run, .message = work_message, .done = work_done };

static void add_totals(struct start *s, struct buf *out)
{
	char size[UNIT_TEXT];

	if (!s->done) {
		buf_adds(out, "Looking through the folder …\n");
		return;
	}
	if (s->scanned.code != ERR_NONE) {
		buf_addf(out, "The folder could not be looked through: %s\n", s->scanned.msg);
		return;
	}
	size_format(s->totals.bytes, size);
	buf_addf(out, "Its %lld file%s (%s) can then be read by what you run; nothing is copied now.\n",
	         (long long)s->totals.files, s->totals.files == 1 ? "" : "s", size);
	for (int x = EXCLUDE_NOT + 1; x < EXCLUDE_COUNT; x++)
		if (s->totals.excluded[x] > 0)
			buf_addf(out, "  left out: %lld %s\n", (long long)s->totals.excluded[x], exclusion_text((enum exclusion)x));
}

static void start_draw(struct view *v, struct canvas *c, struct rect r)
{
	struct start *s = start_of(v);
	struct buf text = { 0 };
	char *root = escape_name_dup(v->ui->root);
	int y = r.y + (r.h > 10);

	buf_addf(&text, "No record here.\n\n");
	if (s->refused.code == ERR_NONE)
		buf_addf(&text, "Enter creates one in this folder:\n%s\n\n", root);
	else
		buf_addf(&text, "None can be made here: %s\n", s->refused.msg);
	if (s->refused.code == ERR_NONE) {
		add_totals(s, &text);
		buf_adds(&text, "\nYour files are never changed: runs work on a copy, and what they did is kept in .tickmark/.\n");
	}
	for (char *line = text.data, *end; *line && y < r.y + r.h; line = end + 1, y++) {
		end = strchr(line, '\n');
		*end = '\0';
		canvas_fit(c, r, r.x + 2, y, r.w - 3, PEN(y == r.y + (r.h > 10) ? ROLE_STRONG : ROLE_NORMAL), line);
	}
	buf_free(&text);
	free(root);
}

static void start_title(struct view *v, struct buf *left, struct buf *right)
{
	(void)right;
	buf_addf(left, "tickmark   %s", path_base(v->ui->root));
}

static unsigned create(struct view *v, const char *arg)
{
	struct ui *ui = v->ui;
	struct start *s = start_of(v);
	struct err e = { 0 };

	(void)arg;
	if (s->refused.code != ERR_NONE)
		return TURN_DRAW;
	if (!workspace_create(ui->root, &e) || !ui_open_record(ui, &e)) {
		ui_error(ui, "%s", e.msg);
		return TURN_DRAW;
	}
	ui_notice(ui, "a record was created; a writes the first step");
	/* this view goes: ui_open_record put the panes in its place */
	return TURN_DRAW;
}


static void start_free(struct view *v)
{
	struct start *s = start_of(v);

	if (s->work) {
		s->work->start = NULL;
		job_cancel(s->work->job);
	}
	free(s);
}

static const struct view_action actions[] = { { CMD_OPEN, create }, { CMD_NONE, NULL } };
static const struct view_hint hints[] = {
	{ CMD_OPEN, "create a record" }, { CMD_HELP, "help" }, { CMD_BACK, "quit" }, { CMD_NONE, NULL },
};

static const struct view_ops ops = {
	.name = "Start", .place = PLACE_LIST, .actions = actions, .hints = hints, .draw = start_draw, .title = start_title,
	.free = start_free,
};

struct view *view_start_new(struct ui *ui)
{
	struct start *s = xcalloc(1, sizeof(*s));
	struct work *w;

	s->view = (struct view){ .ops = &ops, .ui = ui };
	if (!workspace_may_create(ui->root, &s->refused))
		return &s->view;
	w = xcalloc(1, sizeof(*w));
	w->start = s;
	w->root = xstrdup(ui->root);
	s->work = w;
	w->job = workers_submit(ui->workers, &work_ops, w);
	return &s->view;
}
