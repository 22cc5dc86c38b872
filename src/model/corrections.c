/* Chains of attempts: a failed one and what came of it. */
#include "model/corrections.h"

#include "model/fixer.h"

#include <stdlib.h>

struct rows {
	struct { int64_t attempt; bool failed; } *v; /* owned */
	size_t n, cap;
};

static bool add_row(void *ctx, const struct row *row)
{
	struct rows *r = ctx;

	r->v = grow(r->v, r->n, &r->cap, sizeof(*r->v));
	r->v[r->n].attempt = row->attempt;
	r->v[r->n++].failed = fixer_can_help(row->state);
	return true;
}

static bool tell(struct query *q, const struct rows *r, size_t i, bool (*fn)(void *ctx, const struct correction *c), void *ctx,
                 bool *more, struct err *e)
{
	struct correction c = { .attempt = r->v[i].attempt };
	struct detail d;

	if (!query_detail(q, c.attempt, &d, e))
		return false;
	c.failed = d.attempt.retry_of;
	c.by = d.attempt.asker;
	if (!c.failed && i > 0 && r->v[i - 1].failed)
		c.failed = r->v[i - 1].attempt;
	*more = !c.failed || fn(ctx, &c);
	query_detail_free(&d);
	return true;
}

bool corrections_each(struct query *q, int64_t attempt, bool (*fn)(void *ctx, const struct correction *c), void *ctx,
                      struct err *e)
{
	struct rows rows = { 0 };
	struct detail d;

	if (!query_detail(q, attempt, &d, e))
		return false;
	int64_t step = d.step.number;
	query_detail_free(&d);
	bool more = true, ok = query_log(q, &(struct log_filter){ .step = step, .oldest_first = true }, add_row, &rows, e);
	for (size_t i = 0; ok && more && i < rows.n; i++)
		ok = tell(q, &rows, i, fn, ctx, &more, e);
	free(rows.v);
	return ok;
}
