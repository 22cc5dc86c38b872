/* Jobs of the workers that copy and read files for the user. */
#include "chore.h"

#include <stdlib.h>

struct chore {
	struct chore *next;
	struct ui *ui;
	const struct chore_ops *ops;
	void *ctx;
	char *what;
	char *root;     /* of the folder; or … */
	char *record;   /* … evidence. NULL */
	bool ok;
	struct err e;
	struct job *job;
};

static void run(struct job *job, void *ctx)
{
	struct chore *c = ctx;
	struct workspace *ws = c->root ? workspace_open(c->root, &c->e) : NULL;
	struct query *q = c->record ? query_open_file(c->record, &c->e) : ws ? query_open(ws, &c->e) : NULL;

	if (q) {
		query_set_cancel(q, job_asks(job));
		c->ok = c->ops->run(c->ctx, q, &c->e);
	}
	query_close(q);
	workspace_close(ws);
}

static void done(void *ctx, bool cancelled)
{
	struct chore *c = ctx, **at = &c->ui->chores;

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	if (cancelled && !c->ok)
		err_set(&c->e, ERR_CANCELLED, "%s was cancelled", c->what);
	c->ops->done(c->ui, c->ctx, c->ok, &c->e);
	free(c->what);
	free(c->root);
	free(c->record);
	free(c);
}

static const struct job_ops job_ops = { .run = run, .done = done };

void chore_start(struct ui *ui, const struct chore_ops *ops, void *ctx, int64_t bytes, const char *what)
{
	struct chore *c;

	if (bytes <= CHORE_BYTES) {
		struct err e = { 0 };
		bool ok = ops->run(ctx, ui->query, &e);
		ops->done(ui, ctx, ok, &e);
		return;
	}
	c = xcalloc(1, sizeof(*c));
	*c = (struct chore){ .next = ui->chores, .ui = ui, .ops = ops, .ctx = ctx, .what = xstrdup(what),
		.root = ui->evidence ? NULL : xstrdup(ui->root), .record = ui->evidence ? xstrdup(ui->record) : NULL };
	ui->chores = c;
	c->job = workers_submit(ui->workers, &job_ops, c);
	ui_notice(ui, "%s … Ctrl-C ends it", what);
}

bool chore_cancel(struct ui *ui)
{
	for (struct chore *c = ui->chores; c; c = c->next)
		job_cancel(c->job);
	return ui->chores != NULL;
}

const char *chore_what(const struct ui *ui)
{
	return ui->chores ? ui->chores->what : NULL;
}
