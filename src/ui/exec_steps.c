/* The window of steps. */
#include "exec_steps.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 128          /* steps read at once */
#define WINDOW_STEPS 1024 /* steps kept */

struct window {
	struct exec_items items;  /* a run of them without gaps, ascending */
	bool at_begin, at_end;    /* nothing before, behind */
};

struct exec_steps {
	struct query *query;
	struct window w;          /* the one in use, and … */
	struct window other;      /* … that before: what is drawn and what is searched through are far apart */
	bool stale;
	struct err error;         /* of the last reading */
	struct list_filter *fits;
};

/* ---- items ------------------------------------------------------------------------------------------ */

static char *dup_or_null(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

static void item_fill(struct exec_item *it, const struct row *r)
{
	*it = (struct exec_item){
		.step = r->step, .attempt = r->attempt, .number = r->number, .check = r->check,
		.title = dup_or_null(r->title), .asker = dup_or_null(r->asker), .limit = dup_or_null(r->limit),
		.detail = dup_or_null(r->detail), .state = r->state, .exit_code = r->exit_code, .signal = r->signal,
		.queued_us = r->queued_us, .wall_us = r->wall_us, .step_attempts = r->step_attempts,
		.artifacts = r->artifacts, .verdict = r->verdict, .judgement = r->judgement, .stale = r->stale,
		.reviewer = dup_or_null(r->reviewer),
	};
	memcpy(it->ref, r->ref, sizeof(it->ref));
}

static void item_free(struct exec_item *it)
{
	free(it->title);
	free(it->asker);
	free(it->limit);
	free(it->detail);
	free(it->reviewer);
}

void exec_items_clear(struct exec_items *s)
{
	for (size_t i = 0; i < s->n; i++)
		item_free(&s->v[i]);
	s->n = 0;
}

bool exec_items_add(void *ctx, const struct row *r)
{
	struct exec_items *s = ctx;

	s->v = grow(s->v, s->n, &s->cap, sizeof(*s->v));
	item_fill(&s->v[s->n++], r);
	return true;
}

void exec_items_reverse(struct exec_items *s)
{
	for (size_t i = 0; i + i + 1 < s->n; i++) {
		struct exec_item swap = s->v[i];
		s->v[i] = s->v[s->n - 1 - i];
		s->v[s->n - 1 - i] = swap;
	}
}

/* ---- the window of steps ------------------------------------------------------------------------------- */

/* Steps behind `after` in one direction, ascending in any case; *end: there are no more. */
static struct exec_items read_steps(struct exec_steps *s, int64_t after, bool ascending, bool *end)
{
	struct log_filter f = { .steps = true, .oldest_first = ascending, .after = after, .limit = PAGE,
		.fits = s->fits };
	struct exec_items got = { 0 };

	s->error = (struct err){ 0 };
	query_log(s->query, &f, exec_items_add, &got, &s->error);
	*end = got.n < PAGE;
	if (!ascending)
		exec_items_reverse(&got);
	return got;
}

/* Puts b behind a. */
static void items_append(struct exec_items *a, struct exec_items *b)
{
	for (size_t i = 0; i < b->n; i++) {
		a->v = grow(a->v, a->n, &a->cap, sizeof(*a->v));
		a->v[a->n++] = b->v[i];
	}
	free(b->v);
	*b = (struct exec_items){ 0 };
}

static void extend_down(struct exec_steps *s)
{
	struct exec_items got = read_steps(s, s->w.items.v[s->w.items.n - 1].step, true, &s->w.at_end);

	items_append(&s->w.items, &got);
	while (s->w.items.n > WINDOW_STEPS) {
		for (size_t i = 0; i < PAGE; i++)
			item_free(&s->w.items.v[i]);
		s->w.items.n -= PAGE;
		memmove(s->w.items.v, s->w.items.v + PAGE, s->w.items.n * sizeof(*s->w.items.v));
		s->w.at_begin = false;
	}
}

static void extend_up(struct exec_steps *s)
{
	struct exec_items got = s->w.items.v[0].step > 1 ? read_steps(s, s->w.items.v[0].step, false, &s->w.at_begin)
						  : (struct exec_items){ 0 };

	if (s->w.items.v[0].step <= 1)
		s->w.at_begin = true;
	items_append(&got, &s->w.items);
	s->w.items = got;
	while (s->w.items.n > WINDOW_STEPS) {
		item_free(&s->w.items.v[--s->w.items.n]);
		s->w.at_end = false;
	}
}

static void window_clear(struct window *w)
{
	exec_items_clear(&w->items);
	free(w->items.v);
	*w = (struct window){ 0 };
}

/* Makes the window one around `step` (0: the end of the list). */
static void load_around(struct exec_steps *s, int64_t step)
{
	struct exec_items below;

	window_clear(&s->w);
	if (s->stale)
		window_clear(&s->other);
	s->stale = false;
	s->w.at_begin = s->w.at_end = true;
	if (step == 0) {
		s->w.items = read_steps(s, 0, false, &s->w.at_begin);
		return;
	}
	if (step > 1)
		s->w.items = read_steps(s, step, false, &s->w.at_begin);
	/* behind step - 1; 0 would be "from the end" of nothing: the beginning, which is right */
	below = read_steps(s, step - 1, true, &s->w.at_end);
	items_append(&s->w.items, &below);
}

/* Index of the step in the window, or of the first behind it; n when all are before. */
static size_t lower_bound(const struct exec_steps *s, int64_t step)
{
	size_t lo = 0, hi = s->w.items.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (s->w.items.v[mid].step < step)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool is_covered(const struct exec_steps *s, int64_t step)
{
	size_t i = lower_bound(s, step);

	return s->w.items.n > 0 && (i > 0 || s->w.at_begin) && (i < s->w.items.n || s->w.at_end);
}

static void take_other(struct exec_steps *s)
{
	struct window was = s->w;

	s->w = s->other;
	s->other = was;
}

static void need_step(struct exec_steps *s, int64_t step)
{
	if (!s->stale && is_covered(s, step))
		return;
	take_other(s);
	if (s->stale || !is_covered(s, step))
		load_around(s, MAX(step, (int64_t)1)); /* 0: before the first, and not the end */
}

const struct exec_item *exec_steps_find(struct exec_steps *s, int64_t step)
{
	size_t i;

	need_step(s, step);
	i = lower_bound(s, step);
	return i < s->w.items.n && s->w.items.v[i].step == step ? &s->w.items.v[i] : NULL;
}

bool exec_steps_beside(struct exec_steps *s, int64_t step, int dir, int64_t *out)
{
	size_t i;

	need_step(s, step);
	i = lower_bound(s, step);
	if (dir > 0) {
		if (i < s->w.items.n && s->w.items.v[i].step == step)
			i++;
		if (i == s->w.items.n && !s->w.at_end && s->w.items.n) {
			extend_down(s);
			i = lower_bound(s, step + 1);
		}
		if (i >= s->w.items.n)
			return false;
		*out = s->w.items.v[i].step;
		return true;
	}
	if (i == 0 && !s->w.at_begin && s->w.items.n) {
		extend_up(s);
		i = lower_bound(s, step);
	}
	if (i == 0)
		return false;
	*out = s->w.items.v[i - 1].step;
	return true;
}

bool exec_steps_last(struct exec_steps *s, int64_t *out)
{
	if (!s->stale && !s->w.at_end)
		take_other(s);
	if (s->stale || !s->w.at_end || s->w.items.n == 0)
		load_around(s, 0);
	s->w.at_end = true;
	if (s->w.items.n == 0)
		return false;
	*out = s->w.items.v[s->w.items.n - 1].step;
	return true;
}

/* ---- the object ------------------------------------------------------------------------------------------ */

struct exec_steps *exec_steps_new(struct query *q)
{
	struct exec_steps *s = xcalloc(1, sizeof(*s));

	s->query = q;
	s->stale = true;
	return s;
}

void exec_steps_free(struct exec_steps *s)
{
	window_clear(&s->w);
	window_clear(&s->other);
	list_filter_free(s->fits);
	free(s);
}

void exec_steps_changed(struct exec_steps *s)
{
	s->stale = true;
}

void exec_steps_filter(struct exec_steps *s, struct list_filter *f)
{
	list_filter_free(s->fits);
	s->fits = f;
	s->stale = true;
}

const struct list_filter *exec_steps_filter_of(const struct exec_steps *s)
{
	return s->fits;
}

const char *exec_steps_error(const struct exec_steps *s)
{
	return s->error.code == ERR_NONE ? NULL : s->error.msg;
}
