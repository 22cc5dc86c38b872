/*
 * The review queue: steps whose last attempt nobody marked, worst first, each with its reasons. Lists
 * are read by rows; only for what is to be reviewed its details, and the beginnings of its bytes.
 */
#include "reviewing.h"

#include "store/review.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

#define DRAW_SALT "tickmark sample 1"

/* An input that was asked about already. */
struct looked {
	char *path;
	struct digest sha256;
	enum since since;
};

struct builder {
	struct query *q;
	struct workspace *ws;
	const struct queue_request *r;
	struct queue *out;
	size_t cap;
	int64_t *rejected;       /* attempts, ascending */
	size_t rejected_n, rejected_cap;
	struct looked *looked;
	size_t looked_n, looked_cap;
	struct uuid record;
	struct candidate *all;   /* for a sample */
	size_t all_n, all_cap;
	struct err *e;
	bool ok;
};

struct candidate {
	int64_t attempt;
	enum judgement judgement, stale;
	struct digest lot;
};

/* ---- reasons ------------------------------------------------------------------------------------------ */

static void add_reason(struct buf *out, const char *fmt, ...) PRINTF(2, 3);

static void add_reason(struct buf *out, const char *fmt, ...)
{
	va_list ap;

	if (out->len)
		buf_adds(out, "; ");
	va_start(ap, fmt);
	buf_vaddf(out, fmt, ap);
	va_end(ap);
}

static void say_failed(const struct detail *d, struct queue_entry *en, struct buf *why)
{
	if (d->state == OUTCOME_OK)
		return;
	en->risks |= RISK_FAILED;
	add_reason(why, "%s", outcome_word(d->state));
	if (d->end.limit)
		buf_addf(why, " %s", d->end.limit);
	if (d->end.detail && *d->end.detail)
		buf_addf(why, ": %s", d->end.detail);
}

struct worst {
	int64_t attempt;
	enum verdict verdict;
	char ref[REF_TEXT];
};

static bool look_at_check(void *ctx, const struct row *r)
{
	struct worst *w = ctx;

	/* the last check of the attempt counts: rows come in order */
	if (r->check && r->number == w->attempt && r->verdict != VERDICT_NONE) {
		w->verdict = r->verdict;
		memcpy(w->ref, r->ref, sizeof(w->ref));
	}
	return true;
}

static bool say_differs(struct builder *b, const struct detail *d, struct queue_entry *en, struct buf *why)
{
	struct log_filter f = { .step = d->step.number, .checks = true, .oldest_first = true };
	struct worst w = { .attempt = d->attempt.number };

	if (!query_log(b->q, &f, look_at_check, &w, b->e))
		return false;
	if (w.verdict == VERDICT_DIFFERS || w.verdict == VERDICT_CANNOT) {
		en->risks |= RISK_DIFFERS;
		add_reason(why, "%s: %s", w.ref, verdict_word(w.verdict));
	}
	return true;
}

static void say_refused(const struct detail *d, struct queue_entry *en, struct buf *why)
{
	int64_t n = 0;

	for (size_t i = 0; i < d->refusals_n; i++)
		n += !d->refusals[i].harmless;
	if (n == 0)
		return;
	en->risks |= RISK_REFUSED;
	for (size_t i = 0; i < d->refusals_n; i++) {
		const struct refusal *r = &d->refusals[i];
		if (r->harmless)
			continue;
		add_reason(why, "refused: %s%s%s", r->call, *r->argument ? " " : "", r->argument);
		break;
	}
	if (n > 1)
		buf_addf(why, " and %lld more", (long long)(n - 1));
}

static bool say_hidden(struct builder *b, const struct detail *d, struct queue_entry *en, struct buf *why)
{
	struct oddities o;

	if (!query_oddities(b->q, d, true, &o, b->e))
		return b->e->code == ERR_NOTFOUND; /* pruned bytes hide nothing */
	if (!oddities_any(&o))
		return true;
	en->risks |= RISK_HIDDEN;
	struct buf text = { 0 };
	oddities_text(&o, &text);
	add_reason(why, "%s", text.data);
	buf_free(&text);
	return true;
}

/* Each content is compared once, however many attempts read it. */
static enum since since_of(struct builder *b, const struct entry *in)
{
	for (size_t i = 0; i < b->looked_n; i++)
		if (digest_equal(&b->looked[i].sha256, &in->sha256) && strcmp(b->looked[i].path, in->path) == 0)
			return b->looked[i].since;
	b->looked = grow(b->looked, b->looked_n, &b->looked_cap, sizeof(*b->looked));
	b->looked[b->looked_n] = (struct looked){ xstrdup(in->path), in->sha256, query_since(b->q, b->ws, in) };
	return b->looked[b->looked_n++].since;
}

static bool is_input(const struct entry *in)
{
	return in->what == INPUT_READ || in->what == INPUT_UPDATED;
}

static void say_changed(struct builder *b, const struct detail *d, struct queue_entry *en, struct buf *why)
{
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; b->ws && i < d->inputs_n; i++) {
		enum since since = is_input(&d->inputs[i]) ? since_of(b, &d->inputs[i]) : SINCE_SAME;

		if (since != SINCE_CHANGED && since != SINCE_MISSING)
			continue;
		first = first ? first : d->inputs[i].path;
		n++;
	}
	if (!first)
		return;
	en->risks |= RISK_INPUT_CHANGED;
	char *name = escape_name_dup(first);
	add_reason(why, "changed since: %s", name);
	if (n > 1)
		buf_addf(why, " and %zu more", n - 1);
	free(name);
}

static bool was_rejected(const struct builder *b, int64_t attempt)
{
	for (size_t i = 0; attempt && i < b->rejected_n; i++)
		if (b->rejected[i] == attempt)
			return true;
	return false;
}

/* Inputs say what was opened, the offered set where it came from. */
struct origin_look {
	struct builder *b;
	const struct detail *d;
	char *path; /* owned */
};

static bool look_at_origin(void *ctx, const struct entry *f)
{
	struct origin_look *o = ctx;

	if (!was_rejected(o->b, f->from_attempt))
		return true;
	for (size_t i = 0; i < o->d->inputs_n; i++) {
		if (is_input(&o->d->inputs[i]) && strcmp(o->d->inputs[i].path, f->path) == 0) {
			o->path = xstrdup(f->path);
			return false;
		}
	}
	return true;
}

static bool say_rejected(struct builder *b, const struct detail *d, struct queue_entry *en, struct buf *why)
{
	struct origin_look o = { b, d, NULL };

	if (b->rejected_n == 0 || d->inputs_n == 0)
		return true;
	if (!query_offered(b->q, d->attempt.id, look_at_origin, &o, b->e))
		return false;
	if (o.path) {
		char *name = escape_name_dup(o.path);
		en->risks |= RISK_INPUT_REJECTED;
		add_reason(why, "read %s of a rejected attempt", name);
		free(name);
	}
	free(o.path);
	return true;
}

static bool take_risks(struct builder *b, const struct detail *d, struct queue_entry *en, struct buf *why)
{
	say_failed(d, en, why);
	if (!say_differs(b, d, en, why))
		return false;
	say_refused(d, en, why);
	if (!say_hidden(b, d, en, why))
		return false;
	say_changed(b, d, en, why);
	if (!say_rejected(b, d, en, why))
		return false;
	if (!d->attempt.purpose && !d->step.purpose) {
		en->risks |= RISK_NO_PURPOSE;
		add_reason(why, "no purpose given");
	}
	return true;
}

/* ---- entries ------------------------------------------------------------------------------------------ */

static bool is_cancelled(const struct builder *b)
{
	return b->r->cancelled && b->r->cancelled(b->r->ctx);
}

static bool is_reviewed(enum judgement j)
{
	return j != JUDGED_NONE && j != JUDGED_WITHDRAWN;
}

static void add_entry(struct builder *b, const struct candidate *c)
{
	struct queue_entry en = { .attempt = c->attempt, .stale = c->stale };
	struct detail d = { 0 };
	struct buf why = { 0 };

	b->ok = (!is_cancelled(b) || err_set(b->e, ERR_CANCELLED, "cancelled")) && query_detail(b->q, c->attempt, &d, b->e);
	b->ok = b->ok && take_risks(b, &d, &en, &why);
	if (b->ok) {
		const char *title = d.attempt.title ? d.attempt.title : d.step.title;

		if (is_reviewed(c->stale))
			add_reason(&why, "an earlier attempt was %s", judgement_word(c->stale));
		en.step = d.step.number;
		memcpy(en.ref, d.ref, sizeof(en.ref));
		en.state = d.state;
		en.title = xstrdup(title ? title : "");
		en.asker = xstrdup(d.attempt.asker.name ? d.attempt.asker.name : "");
		en.reason = why.len ? buf_take(&why) : xstrdup("not looked at yet");
		b->out->v = grow(b->out->v, b->out->n, &b->cap, sizeof(*b->out->v));
		b->out->v[b->out->n++] = en;
	}
	buf_free(&why);
	query_detail_free(&d);
}

/* Few are noted before the next page is read, so that no statement stays open under the details. */
static bool take_row(void *ctx, const struct row *r)
{
	struct builder *b = ctx;

	if (!outcome_is_end(r->state)) {
		b->out->running++;
		return !is_cancelled(b);
	}
	b->out->steps++;
	b->all = grow(b->all, b->all_n, &b->all_cap, sizeof(*b->all));
	b->all[b->all_n++] = (struct candidate){ .attempt = r->attempt, .judgement = r->judgement, .stale = r->stale };
	if (b->r->sample) {
		struct hasher h;

		hash_begin(&h);
		hash_text(&h, DRAW_SALT);
		hash_int(&h, b->r->seed);
		hash_blob(&h, b->record.b, sizeof(b->record.b));
		hash_int(&h, r->step);
		b->all[b->all_n - 1].lot = hash_end(&h);
	}
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

static bool take_rejected(void *ctx, int64_t attempt)
{
	struct builder *b = ctx;

	b->rejected = grow(b->rejected, b->rejected_n, &b->rejected_cap, sizeof(*b->rejected));
	b->rejected[b->rejected_n++] = attempt;
	return true;
}

static bool build(struct builder *b)
{
	struct log_filter f = { .steps = true, .oldest_first = true };

	if (!store_rejected(b->q->store, take_rejected, b, b->e) || !store_uuid(b->q->store, &b->record, b->e) ||
	    !query_log(b->q, &f, take_row, b, b->e))
		return false;
	if (is_cancelled(b))
		return err_set(b->e, ERR_CANCELLED, "cancelled");
	if (b->r->sample && b->all_n > 1)
		qsort(b->all, b->all_n, sizeof(*b->all), by_lot);
	b->out->drawn = (int64_t)(b->r->sample ? MIN(b->r->sample, b->all_n) : b->all_n);
	for (int64_t i = 0; b->ok && i < b->out->drawn; i++) {
		if (is_reviewed(b->all[i].judgement))
			b->out->reviewed++;
		else
			add_entry(b, &b->all[i]);
	}
	if (b->ok && b->out->n > 1)
		qsort(b->out->v, b->out->n, sizeof(*b->out->v), by_risk);
	return b->ok;
}

bool queue_load(struct query *q, struct workspace *ws, const struct queue_request *r, struct queue *out, struct err *e)
{
	struct err fault = { 0 };
	struct builder b = { .q = q, .ws = ws, .r = r, .out = out, .e = &fault, .ok = true };

	*out = (struct queue){ 0 };
	bool ok = build(&b);
	for (size_t i = 0; i < b.looked_n; i++)
		free(b.looked[i].path);
	free(b.looked);
	free(b.rejected);
	free(b.all);
	if (!ok) {
		queue_free(out);
		if (e)
			*e = fault;
	}
	return ok;
}

void queue_free(struct queue *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->v[i].title);
		free(l->v[i].asker);
		free(l->v[i].reason);
	}
	free(l->v);
	*l = (struct queue){ 0 };
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
