/* A chore that does nothing but wait. */
#include "patience.h"

#include <stdlib.h>
#include <string.h>

#include "chore.h"

struct patience {
	void (*go)(void *ctx, const struct err *why);
	void *ctx;
	char *record;
};

static bool wait(void *ctx, struct query *q, struct err *e)
{
	struct patience *p = ctx;

	return query_wait_for_record(q, p->record, e);
}

static void done(struct ui *ui, void *ctx, bool ok, const struct err *e)
{
	struct patience *p = ctx;
	struct err other = { 0 };

	if (!ok && e->code == ERR_CANCELLED)
		err_set(&other, ERR_CANCELLED, "another process has the record locked, and waiting for it was cancelled");
	/* Its numbers are those of the record that was looked at then. */
	if (ok && (!ui->ws || strcmp(workspace_record(ui->ws), p->record) != 0))
		err_set(&other, ERR_CANCELLED, "another record was opened meanwhile");
	p->go(p->ctx, other.code != ERR_NONE ? &other : ok ? NULL : e);
	free(p->record);
	free(p);
}

void ui_when_free(struct ui *ui, const char *what, void (*go)(void *ctx, const struct err *why), void *ctx)
{
	static const struct chore_ops ops = { .run = wait, .done = done };
	struct patience *p;
	char *doing;

	if (!ui->ws || !workspace_is_locked(ui->ws)) {
		go(ctx, NULL);
		return;
	}
	p = xcalloc(1, sizeof(*p));
	*p = (struct patience){ go, ctx, xstrdup(workspace_record(ui->ws)) };
	doing = xasprintf("%s: waiting for the record, which is locked by another process", what);
	chore_start(ui, &ops, p, INT64_MAX, doing);
	free(doing);
}
