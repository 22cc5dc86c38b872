/* The graph of steps, by what their last attempts really read. */
#include "model/dependents.h"

#include "query_private.h"
#include "store/review.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

const char *input_now_word(enum input_now n)
{
	static const char *const words[] = { "changed since", "missing now", "new now", "cannot be compared",
		                             "changed by the step itself" };

	return words[n];
}

/* ---- inputs of one attempt ---- */

static bool is_there_now(struct query *q, struct workspace *ws, const char *path)
{
	struct digest content;
	char *file;
	bool there = query_now(q, ws, path, &file, &content);

	free(file);
	return there;
}

/* Whether an input is another one now, and how. */
static bool look_now(struct query *q, struct workspace *ws, const struct entry *in, enum input_now *now)
{
	static const enum input_now nows[] = {
		[SINCE_SAME] = INPUT_NOW_UNKNOWN,    [SINCE_CHANGED] = INPUT_NOW_CHANGED, [SINCE_MISSING] = INPUT_NOW_MISSING,
		[SINCE_UNKNOWN] = INPUT_NOW_UNKNOWN, [SINCE_OWN] = INPUT_NOW_OWN,
	};

	if (in->what == INPUT_MISSING) {
		*now = INPUT_NOW_NEW;
		return is_there_now(q, ws, in->path);
	}
	if (!input_was_read(in))
		return false;
	enum since since = query_since(q, ws, in);
	*now = nows[since];
	return since != SINCE_SAME;
}

bool dependents_inputs(struct query *q, struct workspace *ws, int64_t attempt,
                       void (*fn)(void *ctx, const struct entry *input, enum input_now now), void *ctx, size_t *all, struct err *e)
{
	struct detail d;
	enum input_now now;

	*all = 0;
	if (!query_detail(q, attempt, &d, e))
		return false;
	for (size_t i = 0; i < d.inputs_n; i++) {
		/* The code that runs again is the recorded one, whatever became of the script's file. */
		if (strcmp(d.inputs[i].path, d.attempt.script) == 0)
			continue;
		*all += input_was_read(&d.inputs[i]);
		if (look_now(q, ws, &d.inputs[i], &now))
			fn(ctx, &d.inputs[i], now);
	}
	query_detail_free(&d);
	return true;
}

/* ---- the graph ---- */

/* A file that a step read of another one. */
struct edge { uint32_t from; char *path; };

/* The last attempt of a step, as the list of steps has it. */
struct node {
	int64_t attempt, step;
	char ref[REF_TEXT];
	char *title;
	bool root;             /* one of those that will run */
	bool marked;           /* that too, or it follows one of them */
	bool placed;           /* in the order already */
	int64_t back;          /* a step before it in the order that reads what it makes; 0 */
	struct edge *edges;    /* one for each step that it reads of; owned */
	size_t edges_n, edges_cap;
	char *doubts;          /* owned; NULL */
};
struct graph {
	struct node *v;
	size_t n, cap;
};

static bool add_node(void *ctx, const struct row *r)
{
	struct graph *g = ctx;

	g->v = grow(g->v, g->n, &g->cap, sizeof(*g->v));
	g->v[g->n] = (struct node){ .attempt = r->attempt, .step = r->step, .title = xstrdup(r->title ? r->title : "") };
	memcpy(g->v[g->n++].ref, r->ref, REF_TEXT);
	return true;
}

static bool graph_read(struct query *q, struct graph *g, struct err *e)
{
	return query_log(q, &(struct log_filter){ .steps = true, .oldest_first = true }, add_node, g, e);
}

static void graph_free(struct graph *g)
{
	for (size_t i = 0; i < g->n; i++) {
		struct node *x = &g->v[i];
		for (size_t k = 0; k < x->edges_n; k++)
			free(x->edges[k].path);
		free(x->edges);
		free(x->doubts);
		free(x->title);
	}
	free(g->v);
}

/* Steps are listed in order. */
static struct node *find_step(const struct graph *g, int64_t step)
{
	size_t low = 0, high = g->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (g->v[mid].step < step)
			low = mid + 1;
		else
			high = mid;
	}
	return low < g->n && g->v[low].step == step ? &g->v[low] : NULL;
}

/* ---- what a step read of others ---- */

struct sources {
	const struct graph *graph; /* NULL: one attempt is asked about */
	struct query *query;
	const struct detail *d;
	struct node *node;     /* that gets the edges; NULL: only doubts are wanted */
	struct buf doubts;
	bool failed;
	struct err *e;
};

static bool reads(const struct detail *d, const char *path)
{
	for (size_t i = 0; i < d->inputs_n; i++)
		if (input_was_read(&d->inputs[i]) && strcmp(d->inputs[i].path, path) == 0)
			return true;
	return !d->end.inputs_complete && d->end.attempt; /* all that was offered counts */
}

static bool newest_mark(void *ctx, const struct mark *m)
{
	*(enum judgement *)ctx = m->judgement;
	return true;
}

/* What is to be said against the attempt that made the file. */
static bool add_doubt(struct sources *s, const struct entry *f, const struct attempt *made, const struct node *from)
{
	enum judgement j = JUDGED_NONE;
	bool replaced = from && from->attempt != f->from_attempt;

	if (!store_marks(s->query->store, f->from_attempt, newest_mark, &j, s->e))
		return false;
	bool doubted = j == JUDGED_REJECTED || j == JUDGED_QUESTIONED;
	if (!doubted && !replaced)
		return true;
	char *name = escape_name_dup(f->path);
	buf_addf(&s->doubts, "%s%s of %lld.%lld", s->doubts.len ? "; " : "", name, (long long)made->step, (long long)made->number);
	free(name);
	if (doubted)
		buf_addf(&s->doubts, ", %s", judgement_word(j));
	if (replaced)
		buf_addf(&s->doubts, ", replaced by %s", from->ref);
	return true;
}

static void add_edge(struct node *x, uint32_t from, const char *path)
{
	for (size_t i = 0; i < x->edges_n; i++)
		if (x->edges[i].from == from)
			return;
	x->edges = grow(x->edges, x->edges_n, &x->edges_cap, sizeof(*x->edges));
	x->edges[x->edges_n++] = (struct edge){ from, xstrdup(path) };
}

/* For who asks about one attempt the graph of all steps would cost too much. */
static const struct node *last_of_step(struct query *q, int64_t step, struct node *out)
{
	char number[24];

	*out = (struct node){ .step = step };
	snprintf(number, sizeof(number), "%lld", (long long)step);
	return query_resolve_text(q, number, &out->attempt, NULL) && query_ref(q, out->attempt, out->ref, NULL) ? out : NULL;
}

static bool look_offered(void *ctx, const struct entry *f)
{
	struct sources *s = ctx;
	struct attempt_full full;

	if (f->from_attempt == 0 || !reads(s->d, f->path) || !store_attempt_get(s->query->store, f->from_attempt, &full, NULL))
		return true;
	struct node last;
	const struct node *from = s->graph ? find_step(s->graph, full.attempt.step) : last_of_step(s->query, full.attempt.step, &last);
	bool other = full.attempt.step != s->d->step.number;
	if (s->node && from && other)
		add_edge(s->node, (uint32_t)(from - s->graph->v), f->path);
	s->failed = other && !add_doubt(s, f, &full.attempt, from);
	store_attempt_free(&full);
	return !s->failed;
}

/* What a step read of others. */
static bool read_edges(struct query *q, const struct graph *g, struct node *x, struct err *e)
{
	struct detail d;

	if (!query_detail(q, x->attempt, &d, e))
		return false;
	struct sources s = { .graph = g, .query = q, .d = &d, .node = x, .e = e };
	bool ok = query_offered(q, x->attempt, look_offered, &s, e) && !s.failed;
	x->doubts = s.doubts.len ? buf_take(&s.doubts) : NULL;
	buf_free(&s.doubts);
	query_detail_free(&d);
	return ok;
}

static bool read_all_edges(struct query *q, struct graph *g, struct err *e)
{
	for (size_t i = 0; i < g->n; i++)
		if (!read_edges(q, g, &g->v[i], e))
			return false;
	return true;
}

/* ---- the order ---- */

/* A step that was run again may read of later ones too, so marks go round until none is new. */
static void mark_followers(struct graph *g)
{
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < g->n; i++) {
			struct node *x = &g->v[i];
			for (size_t k = 0; k < x->edges_n && !x->marked; k++) {
				x->marked = g->v[x->edges[k].from].marked;
				more = more || x->marked;
			}
		}
	}
}

static bool is_ready(const struct graph *g, const struct node *x)
{
	for (size_t k = 0; k < x->edges_n; k++)
		if (g->v[x->edges[k].from].marked && !g->v[x->edges[k].from].placed)
			return false;
	return true;
}

/* The one to begin a circle with: a step that is to run, else the first. */
static struct node *first_of_circle(struct graph *g)
{
	struct node *first = NULL;

	for (size_t i = 0; i < g->n; i++) {
		struct node *x = &g->v[i];
		if (!x->marked || x->placed)
			continue;
		if (x->root)
			return x;
		first = first ? first : x;
	}
	return first;
}

static void place(struct graph *g, struct node *x, uint32_t *order, size_t *n)
{
	for (size_t k = 0; k < x->edges_n; k++) {
		struct node *from = &g->v[x->edges[k].from];
		if (from->marked && !from->placed)
			from->back = x->step;
	}
	x->placed = true;
	order[(*n)++] = (uint32_t)(x - g->v);
}

/* Marked nodes, each behind those that it reads of; owned. */
static uint32_t *put_in_order(struct graph *g, size_t *n)
{
	uint32_t *order = xmalloc((g->n + 1) * sizeof(*order));

	*n = 0;
	for (;;) {
		size_t before = *n;
		for (size_t i = 0; i < g->n; i++)
			if (g->v[i].marked && !g->v[i].placed && is_ready(g, &g->v[i]))
				place(g, &g->v[i], order, n);
		if (*n > before)
			continue;
		struct node *x = first_of_circle(g);
		if (!x)
			return order;
		place(g, x, order, n);
	}
}

static void tell_dependent(const struct graph *g, const struct node *x, void (*fn)(void *ctx, const struct dependent *d), void *ctx)
{
	struct buf doubt = { 0 };
	size_t k = 0;

	while (k + 1 < x->edges_n && !g->v[x->edges[k].from].marked)
		k++;
	if (x->doubts)
		buf_adds(&doubt, x->doubts);
	if (x->back)
		buf_addf(&doubt, "%sa circle: step %lld, before it, read what it makes; each runs once", doubt.len ? "; " : "", (long long)x->back);
	fn(ctx, &(struct dependent){ .attempt = x->attempt, .step = x->step, .ref = x->ref, .title = x->title, .path = x->edges[k].path,
	                             .from = g->v[x->edges[k].from].step, .doubt = doubt.len ? doubt.data : NULL });
	buf_free(&doubt);
}

bool dependents_each(struct query *q, const int64_t *steps, size_t n, void (*fn)(void *ctx, const struct dependent *d), void *ctx,
                     struct err *e)
{
	struct graph g = { 0 };
	bool ok = graph_read(q, &g, e) && (n == 0 || read_all_edges(q, &g, e));
	size_t placed = 0;

	for (size_t i = 0; i < n; i++) {
		struct node *x = find_step(&g, steps[i]);
		if (x)
			x->root = x->marked = true;
	}
	if (ok)
		mark_followers(&g);
	uint32_t *order = ok ? put_in_order(&g, &placed) : NULL;
	for (size_t i = 0; i < placed; i++)
		if (!g.v[order[i]].root)
			tell_dependent(&g, &g.v[order[i]], fn, ctx);
	free(order);
	graph_free(&g);
	return ok;
}

static bool mark_attempts(struct query *q, const struct graph *g, const int64_t *attempts, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		struct detail d;
		if (!query_detail(q, attempts[i], &d, e))
			return false;
		struct node *x = find_step(g, d.step.number);
		query_detail_free(&d);
		if (x)
			x->marked = true;
	}
	return true;
}

bool dependents_order(struct query *q, int64_t *attempts, size_t n, struct err *e)
{
	struct graph g = { 0 };
	bool ok = graph_read(q, &g, e) && read_all_edges(q, &g, e) && mark_attempts(q, &g, attempts, n, e);
	size_t placed = 0;
	uint32_t *order = ok ? put_in_order(&g, &placed) : NULL;

	for (size_t i = 0; i < placed && i < n; i++)
		attempts[i] = g.v[order[i]].attempt;
	free(order);
	graph_free(&g);
	return ok;
}

char *dependents_doubts(struct query *q, int64_t attempt, struct err *e)
{
	struct detail d;
	char *text = NULL;

	if (!query_detail(q, attempt, &d, e))
		return NULL;
	struct sources s = { .query = q, .d = &d, .e = e };
	if (query_offered(q, attempt, look_offered, &s, e) && !s.failed && s.doubts.len)
		text = buf_take(&s.doubts);
	buf_free(&s.doubts);
	query_detail_free(&d);
	return text;
}

/* ---- what changed ---- */

static void note_change(void *ctx, const struct entry *input, enum input_now now)
{
	(void)input;
	/* A step that goes on from its own result would never come to rest. */
	if (now != INPUT_NOW_UNKNOWN && now != INPUT_NOW_OWN)
		*(bool *)ctx = true;
}

int64_t *dependents_changed(struct query *q, struct workspace *ws, size_t *n, struct err *e)
{
	struct graph g = { 0 };
	int64_t *ids = NULL;
	size_t cap = 0, all;
	bool ok = graph_read(q, &g, e);

	*n = 0;
	for (size_t i = 0; i < g.n && ok; i++) {
		bool changed = false;
		ok = dependents_inputs(q, ws, g.v[i].attempt, note_change, &changed, &all, e);
		if (!changed)
			continue;
		ids = grow(ids, *n, &cap, sizeof(*ids));
		ids[(*n)++] = g.v[i].attempt;
	}
	graph_free(&g);
	if (!ok) {
		free(ids);
		return NULL;
	}
	return ids ? ids : xcalloc(1, sizeof(*ids));
}
