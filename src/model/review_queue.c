/*
 * The review queue: steps whose last attempt nobody marked, worst first, each with its reasons. A list by
 * rows tells which they are and which failed; all other reasons take a look at each (risks.c).
 */
#include "risks.h"
#include "slice.h"

#include <stdlib.h>
#include <string.h>

#define DRAW_SALT "tickmark sample 1"
#define PROGRESS 512 /* steps looked at between two words of it */

/* A step with an ended last attempt, before it is known which of them are drawn. */
struct candidate {
	struct queue_entry entry; /* without texts where it is reviewed */
	enum judgement judgement;
	struct digest lot;
};

struct builder {
	struct query *q;
	const struct queue_request *r;
	struct queue *out;
	struct uuid record;
	struct candidate *all;
	size_t n, cap;
};

static bool is_cancelled(const struct builder *b)
{
	return b->r->cancelled && b->r->cancelled(b->r->ctx);
}

static bool is_reviewed(enum judgement j)
{
	return j != JUDGED_NONE && j != JUDGED_WITHDRAWN;
}

static void entry_free(struct queue_entry *en)
{
	free(en->title);
	free(en->asker);
	free(en->reason);
}

/* ---- the list ------------------------------------------------------------------------------------------ */

static struct queue_entry entry_of(const struct row *r)
{
	struct queue_entry en = { .attempt = r->attempt, .step = r->step, .state = r->state, .stale = r->stale };

	memcpy(en.ref, r->ref, sizeof(en.ref));
	en.title = xstrdup(r->title ? r->title : "");
	en.asker = xstrdup(r->asker ? r->asker : "");
	risks_of_row(r, &en);
	return en;
}

static struct digest lot_of(const struct builder *b, int64_t step)
{
	struct hasher h;

	hash_begin(&h);
	hash_text(&h, DRAW_SALT);
	hash_int(&h, b->r->seed);
	hash_blob(&h, b->record.b, sizeof(b->record.b));
	hash_int(&h, step);
	return hash_end(&h);
}

static bool take_row(void *ctx, const struct row *r)
{
	struct builder *b = ctx;

	if (!outcome_is_end(r->state)) {
		b->out->running++;
		return !is_cancelled(b);
	}
	b->out->steps++;
	b->all = grow(b->all, b->n, &b->cap, sizeof(*b->all));
	struct candidate *c = &b->all[b->n++];
	*c = (struct candidate){ .judgement = r->judgement };
	if (!is_reviewed(r->judgement))
		c->entry = entry_of(r);
	if (b->r->sample)
		c->lot = lot_of(b, r->step);
	return !is_cancelled(b);
}

static int by_lot(const void *a, const void *b)
{
	return memcmp(((const struct candidate *)a)->lot.b, ((const struct candidate *)b)->lot.b, sizeof(struct digest));
}

static int by_risk(const void *a, const void *b)
{
	const struct queue_entry *x = a, *y = b;
	unsigned wx = x->risks & -x->risks, wy = y->risks & -y->risks; /* the worst is the lowest bit */

	wx = wx ? wx : UINT32_MAX;
	wy = wy ? wy : UINT32_MAX;
	if (wx != wy)
		return wx < wy ? -1 : 1;
	int nx = __builtin_popcount(x->risks), ny = __builtin_popcount(y->risks);
	if (nx != ny)
		return nx > ny ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

/* Those that are drawn and open become the queue. */
static void draw(struct builder *b)
{
	struct queue *out = b->out;

	if (b->r->sample && b->n > 1)
		qsort(b->all, b->n, sizeof(*b->all), by_lot);
	out->drawn = (int64_t)(b->r->sample ? MIN(b->r->sample, b->n) : b->n);
	out->v = xcalloc(MAX(b->n, 1), sizeof(*out->v));
	for (size_t i = 0; i < b->n; i++) {
		struct candidate *c = &b->all[i];

		if ((int64_t)i >= out->drawn)
			entry_free(&c->entry);
		else if (is_reviewed(c->judgement))
			out->reviewed++;
		else
			out->v[out->n++] = c->entry;
	}
	free(b->all);
	b->all = NULL;
	b->n = 0;
}

/* ---- reasons ------------------------------------------------------------------------------------------- */

static void end_reason(struct queue_entry *en)
{
	struct buf why = { 0 };

	if (is_reviewed(en->stale)) {
		buf_addf(&why, "%s%san earlier attempt was %s", en->reason ? en->reason : "", en->reason ? "; " : "", judgement_word(en->stale));
		free(en->reason);
		en->reason = buf_take(&why);
	}
	if (!en->reason)
		en->reason = xstrdup("not looked at yet");
}

static bool look_at_all(struct builder *b, struct workspace *ws, struct err *e)
{
	struct queue *out = b->out;
	struct risks *k = risks_new(b->q, ws, e);
	struct slice slice = { .st = b->q->store };
	bool ok = k != NULL;

	for (; ok && out->looked < out->n; out->looked++) {
		struct queue_entry *en = &out->v[out->looked];

		slice_turn(&slice);
		ok = (!is_cancelled(b) || err_set(e, ERR_CANCELLED, "cancelled")) && risks_look(k, en, e);
		if (ok)
			end_reason(en);
		if (ok && b->r->progress && out->looked % PROGRESS == 0)
			b->r->progress(b->r->ctx, out);
	}
	slice_end(&slice);
	risks_free(k);
	return ok;
}

static void sort(struct queue *l)
{
	if (l->n > 1)
		qsort(l->v, l->n, sizeof(*l->v), by_risk);
}

static bool build(struct builder *b, struct workspace *ws, struct err *e)
{
	struct log_filter f = { .steps = true, .oldest_first = true };

	if (!store_uuid(b->q->store, &b->record, e) || !query_log(b->q, &f, take_row, b, e))
		return false;
	if (is_cancelled(b))
		return err_set(e, ERR_CANCELLED, "cancelled");
	draw(b);
	sort(b->out); /* what failed is looked at first, as it will stay before all others */
	if (!look_at_all(b, ws, e))
		return false;
	sort(b->out);
	return true;
}

bool queue_load(struct query *q, struct workspace *ws, const struct queue_request *r, struct queue *out, struct err *e)
{
	struct builder b = { .q = q, .r = r, .out = out };
	struct err fault = { 0 };

	*out = (struct queue){ 0 };
	bool ok = build(&b, ws, &fault);
	for (size_t i = 0; i < b.n; i++)
		entry_free(&b.all[i].entry);
	free(b.all);
	if (!ok) {
		queue_free(out);
		if (e)
			*e = fault;
	}
	return ok;
}

void queue_copy(const struct queue *from, struct queue *out)
{
	*out = *from;
	out->v = xcalloc(MAX(from->n, 1), sizeof(*out->v));
	for (size_t i = 0; i < from->n; i++) {
		struct queue_entry *en = &out->v[i];

		*en = from->v[i];
		en->title = xstrdup(en->title);
		en->asker = xstrdup(en->asker);
		en->reason = xstrdup(en->reason ? en->reason : "not looked at yet");
	}
}

void queue_free(struct queue *l)
{
	for (size_t i = 0; i < l->n; i++)
		entry_free(&l->v[i]);
	free(l->v);
	*l = (struct queue){ 0 };
}

/* ---- one of them again ------------------------------------------------------------------------------------ */

struct again {
	int64_t step;
	struct queue_entry entry;
	enum judgement judgement;
	bool open;
};

static bool take_again(void *ctx, const struct row *r)
{
	struct again *a = ctx;

	if (r->step != a->step)
		return false;
	a->judgement = r->judgement;
	a->open = outcome_is_end(r->state) && !is_reviewed(r->judgement);
	if (a->open)
		a->entry = entry_of(r);
	return false;
}

bool queue_look(struct query *q, struct workspace *ws, int64_t attempt, struct queue_again *out, struct err *e)
{
	struct log_filter f = { .steps = true, .oldest_first = true, .limit = 1 };
	struct attempt_full full;
	struct again a = { 0 };

	*out = (struct queue_again){ 0 };
	if (!store_attempt_get(q->store, attempt, &full, e))
		return false;
	out->step = a.step = full.attempt.step;
	store_attempt_free(&full);
	f.after = a.step - 1;
	if (!query_log(q, &f, take_again, &a, e))
		return false;
	out->alone = a.judgement != JUDGED_REJECTED && a.judgement != JUDGED_WITHDRAWN;
	for (enum judgement j = JUDGED_ACCEPTED; j < JUDGED_WITHDRAWN; j++)
		out->reviewed += query_tally(q, judgement_word(j));
	if (!a.open)
		return true;
	struct risks *k = risks_new(q, ws, e);
	bool ok = k && risks_look(k, &a.entry, e);
	risks_free(k);
	if (!ok) {
		entry_free(&a.entry);
		return false;
	}
	end_reason(&a.entry);
	out->entry = a.entry;
	out->open = true;
	return true;
}

void queue_again_free(struct queue_again *a)
{
	if (a->open)
		entry_free(&a->entry);
	a->open = false;
}

void queue_put(struct queue *l, struct queue_again *a)
{
	size_t at = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i].step == a->step)
			entry_free(&l->v[i]);
		else
			l->v[at++] = l->v[i];
	}
	l->n = at;
	l->reviewed = a->reviewed;
	if (!a->open)
		return;
	l->v = xreallocarray(l->v, l->n + 1, sizeof(*l->v));
	for (at = l->n; at > 0 && by_risk(&a->entry, &l->v[at - 1]) < 0; at--)
		l->v[at] = l->v[at - 1];
	l->v[at] = a->entry;
	l->n++;
	a->open = false;
}

/* ---- one after the other ---------------------------------------------------------------------------------- */

static bool find_open(void *ctx, const struct row *r)
{
	int64_t *attempt = ctx;

	if (!outcome_is_end(r->state) || is_reviewed(r->judgement))
		return true;
	*attempt = r->attempt;
	return false;
}

bool queue_beside(struct query *q, int64_t step, int dir, int64_t *attempt, struct err *e)
{
	struct log_filter f = { .steps = true, .oldest_first = dir > 0, .after = step };

	*attempt = 0;
	return query_log(q, &f, find_open, attempt, e);
}
