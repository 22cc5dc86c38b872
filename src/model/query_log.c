/* Lists of the record as rows. */
#include "model/filtering.h"
#include "query_private.h"

#include <stdlib.h>
#include <string.h>

struct listing {
	struct query *q;
	const struct log_filter *f;
	bool (*fn)(void *ctx, const struct row *r);
	void *ctx;
	size_t told;
};

static struct row make_row(struct query *q, const struct attempt_row *a)
{
	struct row r = {
		.attempt = a->id, .step = a->step, .number = a->number, .check = a->check, .title = a->title, .asker = a->asker,
		.queued_us = a->queued_us, .wall_us = a->wall_us, .state = query_state(q, a), .exit_code = a->exit_code,
		.signal = a->signal, .limit = a->limit, .detail = a->detail, .step_attempts = a->step_attempts,
		.artifacts = a->artifacts, .verdict = a->verdict, .judgement = a->judgement, .reviewer = a->reviewer,
		.stale = a->stale,
	};

	if (a->check)
		snprintf(r.ref, sizeof(r.ref), "%lld.%lldr%lld", (long long)a->step, (long long)a->number, (long long)a->check);
	else
		snprintf(r.ref, sizeof(r.ref), "%lld.%lld", (long long)a->step, (long long)a->number);
	return r;
}

static bool tell(void *ctx, const struct attempt_row *a)
{
	struct listing *l = ctx;

	if (a->check && !l->f->checks)
		return true;
	struct row r = make_row(l->q, a);
	if (l->f->fits && !list_filter_fits(l->f->fits, l->q, &r))
		return true;
	l->told++;
	return l->fn(l->ctx, &r) && (l->f->limit == 0 || l->told < l->f->limit);
}

/* ---- of one step ---- */

struct step_rows {
	struct listing *l;
	struct row *rows;    /* owned */
	size_t n, cap;
	struct strv texts;   /* owned; what rows point at */
};

static const char *keep(struct step_rows *s, const char *text)
{
	if (!text)
		return NULL;
	strv_add(&s->texts, text);
	return s->texts.v[s->texts.n - 1];
}

static bool note(void *ctx, const struct attempt_row *a)
{
	struct step_rows *s = ctx;

	if (a->check && !s->l->f->checks)
		return true;
	s->rows = grow(s->rows, s->n, &s->cap, sizeof(*s->rows));
	struct row *r = &s->rows[s->n++];
	*r = make_row(s->l->q, a);
	r->title = keep(s, r->title);
	r->asker = keep(s, r->asker);
	r->limit = keep(s, r->limit);
	r->detail = keep(s, r->detail);
	r->reviewer = keep(s, r->reviewer);
	if (s->l->f->fits && !list_filter_fits(s->l->f->fits, s->l->q, r))
		s->n--;
	return true;
}

/* Index of the row to begin with: behind the attempt `after`, in the direction of the list. */
static size_t first_row(const struct step_rows *s)
{
	const struct log_filter *f = s->l->f;

	for (size_t i = 0; f->after && i < s->n; i++)
		if (s->rows[f->oldest_first ? i : s->n - 1 - i].attempt == f->after)
			return i + 1;
	return 0;
}

/* A step has few attempts, so they are read whole and turned round where that is asked for. */
static bool list_step(struct listing *l, struct err *e)
{
	struct step_rows s = { .l = l };
	bool ok = store_step_attempts(l->q->store, l->f->step, l->f->checks, note, &s, e), more = ok;

	for (size_t i = first_row(&s); more && i < s.n; i++) {
		l->told++;
		more = l->fn(l->ctx, &s.rows[l->f->oldest_first ? i : s.n - 1 - i]) && (l->f->limit == 0 || l->told < l->f->limit);
	}
	strv_free(&s.texts);
	free(s.rows);
	return ok;
}

bool query_log(struct query *q, const struct log_filter *f, bool (*fn)(void *ctx, const struct row *r), void *ctx,
               struct err *e)
{
	struct listing l = { q, f, fn, ctx, 0 };
	size_t all = SIZE_MAX;

	if (f->step)
		return list_step(&l, e);
	if (f->steps)
		return store_steps(q->store, f->after, !f->oldest_first, f->limit && !f->fits ? f->limit : all, tell, &l, e);
	/* Checks that are left out do not count, so the limit is kept here. */
	return store_attempts(q->store, f->after, !f->oldest_first, all, tell, &l, e);
}

int64_t query_tally(struct query *q, const char *name)
{
	return store_tally(q->store, name);
}
