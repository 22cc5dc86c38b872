/* The graph of steps, by what their last attempts really read. */
#include "model/dependents.h"

#include "query_private.h"
#include "store/review.h"
#include "text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *input_now_word(enum input_now n)
{
	static const char *const words[] = { "changed since", "missing now", "new now", "cannot be compared" };

	return words[n];
}

/* ---- inputs of one attempt ---- */

static bool is_there_now(const struct workspace *ws, const char *path)
{
	struct stat st;

	return path_is_plain_relative(path) && fstatat(ws->dir, path, &st, 0) == 0 && S_ISREG(st.st_mode);
}

/* Whether an input is another one now, and how. */
static bool look_now(struct query *q, struct workspace *ws, const struct entry *in, enum input_now *now)
{
	if (in->what == INPUT_MISSING) {
		*now = INPUT_NOW_NEW;
		return is_there_now(ws, in->path);
	}
	if (!input_was_read(in))
		return false;
	enum since since = query_since(q, ws, in);
	*now = since == SINCE_CHANGED ? INPUT_NOW_CHANGED : since == SINCE_MISSING ? INPUT_NOW_MISSING : INPUT_NOW_UNKNOWN;
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

/* The last attempt of a step, as the list of steps has it. */
struct node {
	int64_t attempt, step;
	char ref[REF_TEXT];
	char *title;
	bool marked;
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
	for (size_t i = 0; i < g->n; i++)
		free(g->v[i].title);
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
	const struct graph *graph;
	struct query *query;
	const struct detail *d;
	char *found;           /* the first file that comes from a marked step; owned */
	int64_t from_step;
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

static bool look_offered(void *ctx, const struct entry *f)
{
	struct sources *s = ctx;
	struct attempt_full full;

	if (f->from_attempt == 0 || !reads(s->d, f->path) || !store_attempt_get(s->query->store, f->from_attempt, &full, NULL))
		return true;
	const struct node *from = find_step(s->graph, full.attempt.step);
	bool other = full.attempt.step != s->d->step.number;
	if (!s->found && from && from->marked && other) {
		s->found = xstrdup(f->path);
		s->from_step = from->step;
	}
	s->failed = other && !add_doubt(s, f, &full.attempt, from);
	store_attempt_free(&full);
	return !s->failed;
}

static void sources_free(struct sources *s)
{
	free(s->found);
	buf_free(&s->doubts);
}

/* One step: whether it follows, and what it read. */
static bool look_at(struct query *q, const struct graph *g, struct node *x, void (*fn)(void *ctx, const struct dependent *d), void *ctx,
                    struct err *e)
{
	struct detail d;

	if (!query_detail(q, x->attempt, &d, e))
		return false;
	struct sources s = { .graph = g, .query = q, .d = &d, .e = e };
	bool ok = query_offered(q, x->attempt, look_offered, &s, e) && !s.failed;
	x->marked = s.found != NULL;
	if (ok && s.found)
		fn(ctx, &(struct dependent){ .attempt = x->attempt, .step = x->step, .ref = x->ref, .title = x->title, .path = s.found,
		                             .from = s.from_step, .doubt = s.doubts.len ? s.doubts.data : NULL });
	sources_free(&s);
	query_detail_free(&d);
	return ok;
}

bool dependents_each(struct query *q, const int64_t *steps, size_t n, void (*fn)(void *ctx, const struct dependent *d), void *ctx,
                     struct err *e)
{
	struct graph g = { 0 };
	bool ok = graph_read(q, &g, e);

	for (size_t i = 0; i < n; i++) {
		struct node *x = find_step(&g, steps[i]);
		if (x)
			x->marked = true;
	}
	/* A step reads of earlier ones only, so one pass in order finds all. */
	for (size_t i = 0; i < g.n && ok; i++)
		if (!g.v[i].marked)
			ok = look_at(q, &g, &g.v[i], fn, ctx, e);
	graph_free(&g);
	return ok;
}

char *dependents_doubts(struct query *q, int64_t attempt, struct err *e)
{
	struct graph g = { 0 };
	struct detail d;
	char *text = NULL;

	if (!query_detail(q, attempt, &d, e))
		return NULL;
	struct sources s = { .graph = &g, .query = q, .d = &d, .e = e };
	if (graph_read(q, &g, e) && query_offered(q, attempt, look_offered, &s, e) && !s.failed && s.doubts.len)
		text = buf_take(&s.doubts);
	sources_free(&s);
	graph_free(&g);
	query_detail_free(&d);
	return text;
}

/* ---- what changed ---- */

static void note_change(void *ctx, const struct entry *input, enum input_now now)
{
	(void)input;
	if (now != INPUT_NOW_UNKNOWN)
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
