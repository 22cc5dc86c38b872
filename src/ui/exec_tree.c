/* The tree of the Execution pane, read from the record page by page. */
#include "exec_tree.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 128          /* steps read at once */
#define WINDOW_STEPS 1024 /* steps kept */
#define CHILDREN_MAX 2000 /* attempts and checks of one step that are shown: the newest */
#define ATTEMPTS_KEPT 32

struct items {
	struct exec_item *v;
	size_t n, cap;
};

/* The attempts and checks of an unfolded step. */
struct branch {
	int64_t step;
	struct items items;
};

struct exec_tree {
	struct section_context context;
	struct items steps;             /* a run of them without gaps, ascending */
	bool at_begin, at_end;          /* nothing before, behind */
	bool stale;
	struct branch *branches;
	size_t branches_n, branches_cap;
	struct list_key *unfolded;
	size_t unfolded_n, unfolded_cap;
	struct exec_attempt *attempts[ATTEMPTS_KEPT];
	uint64_t clock;
	struct err error;               /* of the last reading of steps */
	struct list_filter *fits;
	struct exec_messages *messages;
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

static void items_clear(struct items *s)
{
	for (size_t i = 0; i < s->n; i++)
		item_free(&s->v[i]);
	s->n = 0;
}

static bool items_add(void *ctx, const struct row *r)
{
	struct items *s = ctx;

	s->v = grow(s->v, s->n, &s->cap, sizeof(*s->v));
	item_fill(&s->v[s->n++], r);
	return true;
}

static void items_reverse(struct items *s)
{
	for (size_t i = 0; i + i + 1 < s->n; i++) {
		struct exec_item swap = s->v[i];
		s->v[i] = s->v[s->n - 1 - i];
		s->v[s->n - 1 - i] = swap;
	}
}

/* ---- the window of steps ------------------------------------------------------------------------------- */

/* Steps behind `after` in one direction, ascending in any case; *end: there are no more. */
static struct items read_steps(struct exec_tree *t, int64_t after, bool ascending, bool *end)
{
	struct log_filter f = { .steps = true, .oldest_first = ascending, .after = after, .limit = PAGE,
		.fits = t->fits };
	struct items got = { 0 };

	t->error = (struct err){ 0 };
	query_log(t->context.query, &f, items_add, &got, &t->error);
	*end = got.n < PAGE;
	if (!ascending)
		items_reverse(&got);
	return got;
}

/* Puts b behind a. */
static void items_append(struct items *a, struct items *b)
{
	for (size_t i = 0; i < b->n; i++) {
		a->v = grow(a->v, a->n, &a->cap, sizeof(*a->v));
		a->v[a->n++] = b->v[i];
	}
	free(b->v);
	*b = (struct items){ 0 };
}

static void extend_down(struct exec_tree *t)
{
	struct items got = read_steps(t, t->steps.v[t->steps.n - 1].step, true, &t->at_end);

	items_append(&t->steps, &got);
	while (t->steps.n > WINDOW_STEPS) {
		for (size_t i = 0; i < PAGE; i++)
			item_free(&t->steps.v[i]);
		t->steps.n -= PAGE;
		memmove(t->steps.v, t->steps.v + PAGE, t->steps.n * sizeof(*t->steps.v));
		t->at_begin = false;
	}
}

static void extend_up(struct exec_tree *t)
{
	struct items got = t->steps.v[0].step > 1 ? read_steps(t, t->steps.v[0].step, false, &t->at_begin)
						  : (struct items){ 0 };

	if (t->steps.v[0].step <= 1)
		t->at_begin = true;
	items_append(&got, &t->steps);
	t->steps = got;
	while (t->steps.n > WINDOW_STEPS) {
		item_free(&t->steps.v[--t->steps.n]);
		t->at_end = false;
	}
}

/* Makes the window one around `step` (0: the end of the list). */
static void load_around(struct exec_tree *t, int64_t step)
{
	struct items below;

	items_clear(&t->steps);
	free(t->steps.v);
	t->steps = (struct items){ 0 };
	t->stale = false;
	t->at_begin = t->at_end = true;
	if (step == 0) {
		t->steps = read_steps(t, 0, false, &t->at_begin);
		return;
	}
	if (step > 1)
		t->steps = read_steps(t, step, false, &t->at_begin);
	/* behind step - 1; 0 would be "from the end" of nothing: the beginning, which is right */
	below = read_steps(t, step - 1, true, &t->at_end);
	items_append(&t->steps, &below);
}

/* Index of the step in the window, or of the first behind it; n when all are before. */
static size_t lower_bound(const struct exec_tree *t, int64_t step)
{
	size_t lo = 0, hi = t->steps.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (t->steps.v[mid].step < step)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void need_step(struct exec_tree *t, int64_t step)
{
	size_t i = lower_bound(t, step);
	bool covered = t->steps.n > 0 && (i > 0 || t->at_begin) && (i < t->steps.n || t->at_end);

	if (t->stale || !covered)
		load_around(t, MAX(step, (int64_t)1)); /* 0: before the first, and not the end */
}

static const struct exec_item *find_step(struct exec_tree *t, int64_t step)
{
	size_t i;

	need_step(t, step);
	i = lower_bound(t, step);
	return i < t->steps.n && t->steps.v[i].step == step ? &t->steps.v[i] : NULL;
}

/* The step next to this number; false: there is none. */
static bool step_beside(struct exec_tree *t, int64_t step, int dir, int64_t *out)
{
	size_t i;

	need_step(t, step);
	i = lower_bound(t, step);
	if (dir > 0) {
		if (i < t->steps.n && t->steps.v[i].step == step)
			i++;
		if (i == t->steps.n && !t->at_end && t->steps.n) {
			extend_down(t);
			i = lower_bound(t, step + 1);
		}
		if (i >= t->steps.n)
			return false;
		*out = t->steps.v[i].step;
		return true;
	}
	if (i == 0 && !t->at_begin && t->steps.n) {
		extend_up(t);
		i = lower_bound(t, step);
	}
	if (i == 0)
		return false;
	*out = t->steps.v[i - 1].step;
	return true;
}

/* ---- attempts of a step ------------------------------------------------------------------------------------ */

static struct branch *find_branch(struct exec_tree *t, int64_t step)
{
	struct log_filter f = { .step = step, .checks = true, .limit = CHILDREN_MAX };
	struct branch *b;
	struct err e = { 0 };

	for (size_t i = 0; i < t->branches_n; i++)
		if (t->branches[i].step == step)
			return &t->branches[i];
	t->branches = grow(t->branches, t->branches_n, &t->branches_cap, sizeof(*t->branches));
	b = &t->branches[t->branches_n++];
	*b = (struct branch){ .step = step };
	if (!query_log(t->context.query, &f, items_add, &b->items, &e))
		log_line("attempts of step %lld: %s", (long long)step, e.msg);
	items_reverse(&b->items);
	/* a check stands below what it repeats, not where it came in time */
	for (size_t i = 1; i < b->items.n; i++) {
		struct exec_item it = b->items.v[i];
		size_t k = i;
		while (k > 0 && (b->items.v[k - 1].number > it.number ||
		                 (b->items.v[k - 1].number == it.number && b->items.v[k - 1].check > it.check))) {
			b->items.v[k] = b->items.v[k - 1];
			k--;
		}
		b->items.v[k] = it;
	}
	return b;
}

static void drop_branch(struct exec_tree *t, int64_t step)
{
	for (size_t i = 0; i < t->branches_n; i++) {
		if (step != 0 && t->branches[i].step != step)
			continue;
		items_clear(&t->branches[i].items);
		free(t->branches[i].items.v);
		t->branches[i--] = t->branches[--t->branches_n];
	}
}

bool exec_tree_has_attempts(struct exec_tree *t, int64_t step)
{
	return find_branch(t, step)->items.n > 1;
}

static size_t child_index(const struct branch *b, int64_t attempt)
{
	for (size_t i = 0; i < b->items.n; i++)
		if (b->items.v[i].attempt == attempt)
			return i;
	return b->items.n;
}

/* ---- details of an attempt ------------------------------------------------------------------------------------ */

static void close_excerpts(struct exec_attempt *a)
{
	for (int k = 0; k < SECTION_COUNT; k++) {
		if (a->excerpts[k].open)
			text_close(&a->excerpts[k].text);
		a->excerpts[k].open = a->excerpts[k].failed = false;
		a->excerpts[k].n = 0;
	}
	py_cache_free(&a->py);
}

static void forget_attempt(struct exec_attempt *a)
{
	if (!a)
		return;
	close_excerpts(a);
	if (a->good)
		query_detail_free(&a->detail);
	free(a);
}

static void read_attempt(struct exec_tree *t, struct exec_attempt *a)
{
	struct err e = { 0 };

	close_excerpts(a);
	if (a->good)
		query_detail_free(&a->detail);
	a->detail = (struct detail){ 0 };
	a->good = query_detail(t->context.query, a->id, &a->detail, &e);
	a->stale = false;
	if (!a->good) {
		log_line("attempt %lld: %s", (long long)a->id, e.msg);
		return;
	}
	query_oddities(t->context.query, &a->detail, false, &a->odd, NULL);
	a->sections_n = section_list(&a->detail, a->odd.filters > 0, a->sections);
}

struct exec_attempt *exec_tree_attempt(struct exec_tree *t, int64_t attempt)
{
	size_t oldest = 0;

	for (size_t i = 0; i < ATTEMPTS_KEPT; i++) {
		struct exec_attempt *a = t->attempts[i];
		if (a && a->id == attempt) {
			if (a->stale)
				read_attempt(t, a);
			a->used = ++t->clock;
			return a->good ? a : NULL;
		}
		if (!a || (t->attempts[oldest] && a->used < t->attempts[oldest]->used))
			oldest = i;
	}
	forget_attempt(t->attempts[oldest]);
	t->attempts[oldest] = xcalloc(1, sizeof(struct exec_attempt));
	t->attempts[oldest]->id = attempt;
	t->attempts[oldest]->used = ++t->clock;
	read_attempt(t, t->attempts[oldest]);
	return t->attempts[oldest]->good ? t->attempts[oldest] : NULL;
}

static void fill_excerpt(struct excerpt *x)
{
	struct text_row row;

	x->n = 0;
	x->more_before = x->more_behind = false;
	text_feed(&x->text, 1 << 20);
	if (!x->text.whole) {
		x->n = rows_back(&x->text.rows, NULL, x->rows, EXCERPT_TAIL);
		if (x->n > 0 && x->rows[x->n - 1].start >= x->text.size)
			x->n--; /* behind the last line end */
		x->more_before = x->n > 0 && x->rows[0].start > 0;
		return;
	}
	if (!rows_at(&x->text.rows, 0, &row))
		return;
	x->rows[x->n++] = row;
	while (rows_next(&x->text.rows, &x->rows[x->n - 1], &row)) {
		if (row.start >= x->text.size)
			break; /* behind the last line end */
		if (x->n == EXCERPT_MAX) {
			x->more_behind = true;
			break;
		}
		x->rows[x->n++] = row;
	}
}

struct excerpt *exec_tree_excerpt(struct exec_tree *t, struct exec_attempt *a, enum section_kind k)
{
	struct excerpt *x = &a->excerpts[k];
	struct err e = { 0 };

	if (x->open || x->failed)
		return x;
	if (!section_open(&t->context, &a->detail, k, &x->text, &e)) {
		x->failed = true;
		x->n = 0;
		snprintf(x->note, sizeof(x->note), "%s", e.msg);
		return x;
	}
	x->open = true;
	fill_excerpt(x);
	return x;
}

/* ---- unfolding ------------------------------------------------------------------------------------------------ */

enum exec_level exec_level(const struct list_key *key)
{
	if (key_is_message(key))
		return LEVEL_MESSAGE;
	if (key->v[3])
		return LEVEL_LINE;
	if (key->v[2])
		return LEVEL_SECTION;
	return key->v[1] ? LEVEL_ATTEMPT : LEVEL_STEP;
}

bool exec_tree_is_unfolded(const struct exec_tree *t, const struct list_key *key)
{
	for (size_t i = 0; i < t->unfolded_n; i++)
		if (listbox_key_equal(&t->unfolded[i], key))
			return true;
	return false;
}

void exec_tree_fold(struct exec_tree *t, const struct list_key *key, bool unfold)
{
	for (size_t i = 0; i < t->unfolded_n; i++) {
		if (!listbox_key_equal(&t->unfolded[i], key))
			continue;
		if (!unfold)
			t->unfolded[i] = t->unfolded[--t->unfolded_n];
		return;
	}
	if (!unfold)
		return;
	t->unfolded = grow(t->unfolded, t->unfolded_n, &t->unfolded_cap, sizeof(*t->unfolded));
	t->unfolded[t->unfolded_n++] = *key;
}

const struct list_key *exec_tree_unfolded_at(const struct exec_tree *t, size_t i)
{
	return i < t->unfolded_n ? &t->unfolded[i] : NULL;
}

void exec_tree_fold_all(struct exec_tree *t)
{
	t->unfolded_n = 0;
}

bool exec_tree_can_unfold(struct exec_tree *t, const struct list_key *key)
{
	(void)t;
	return exec_level(key) < LEVEL_LINE;
}

/* ---- neighbours ---------------------------------------------------------------------------------------------------- */

static struct list_key key_of(int64_t step, int64_t attempt, int64_t section, int64_t line)
{
	return (struct list_key){ { step, attempt, section, line } };
}

/* Rows that an unfolded section has. */
static int64_t section_rows(struct exec_tree *t, const struct list_key *key)
{
	struct exec_attempt *a = exec_tree_attempt(t, key->v[1]);
	struct excerpt *x = a ? exec_tree_excerpt(t, a, (enum section_kind)key->v[2]) : NULL;

	if (!x)
		return 0;
	return (int64_t)x->n + x->more_before + x->more_behind + x->failed;
}

static bool end_section(struct exec_tree *t, int64_t step, int64_t attempt, int dir, struct list_key *out)
{
	struct exec_attempt *a = exec_tree_attempt(t, attempt);

	if (!a || a->sections_n == 0)
		return false;
	*out = key_of(step, attempt, a->sections[dir > 0 ? 0 : a->sections_n - 1], 0);
	return true;
}

/* First (dir 1) or last (dir -1) row right below this one. */
static bool end_child(struct exec_tree *t, const struct list_key *key, int dir, struct list_key *out)
{
	struct branch *b;
	int64_t n;

	if (!exec_tree_is_unfolded(t, key))
		return false;
	switch (exec_level(key)) {
	case LEVEL_STEP:
		b = find_branch(t, key->v[0]);
		if (b->items.n == 0)
			return false;
		if (b->items.n == 1)
			return end_section(t, key->v[0], b->items.v[0].attempt, dir, out);
		*out = key_of(key->v[0], b->items.v[dir > 0 ? 0 : b->items.n - 1].attempt, 0, 0);
		return true;
	case LEVEL_ATTEMPT:
		return end_section(t, key->v[0], key->v[1], dir, out);
	case LEVEL_SECTION:
		n = section_rows(t, key);
		*out = key_of(key->v[0], key->v[1], key->v[2], dir > 0 ? 1 : n);
		return n > 0;
	default:
		return false;
	}
}

static bool section_beside(struct exec_tree *t, const struct list_key *key, int dir, struct list_key *out)
{
	struct exec_attempt *a = exec_tree_attempt(t, key->v[1]);

	for (size_t i = 0; a && i < a->sections_n; i++) {
		if ((int64_t)a->sections[i] != key->v[2])
			continue;
		if ((dir < 0 && i == 0) || (dir > 0 && i + 1 == a->sections_n))
			return false;
		*out = key_of(key->v[0], key->v[1], a->sections[i + (size_t)dir], 0);
		return true;
	}
	return false;
}

static bool sibling(struct exec_tree *t, const struct list_key *key, int dir, struct list_key *out)
{
	struct branch *b;
	int64_t step, line;
	size_t i;

	switch (exec_level(key)) {
	case LEVEL_STEP:
		if (!step_beside(t, key->v[0], dir, &step))
			return false;
		*out = key_of(step, 0, 0, 0);
		return true;
	case LEVEL_ATTEMPT:
		b = find_branch(t, key->v[0]);
		i = child_index(b, key->v[1]);
		if (i == b->items.n || (dir < 0 && i == 0) || (dir > 0 && i + 1 == b->items.n))
			return false;
		*out = key_of(key->v[0], b->items.v[i + (size_t)dir].attempt, 0, 0);
		return true;
	case LEVEL_SECTION:
		return section_beside(t, key, dir, out);
	default:
		line = MIN(key->v[3], section_rows(t, key) + (dir < 0)) + dir;
		*out = key_of(key->v[0], key->v[1], key->v[2], line);
		return line >= 1 && line <= section_rows(t, key);
	}
}

bool exec_tree_parent(struct exec_tree *t, const struct list_key *key, struct list_key *out)
{
	*out = *key;
	switch (exec_level(key)) {
	case LEVEL_STEP:
		return false;
	case LEVEL_MESSAGE:
		*out = key_of(key->v[0], 0, 0, 0);
		return key->v[0] > 0;
	case LEVEL_ATTEMPT:
		out->v[1] = 0;
		return true;
	case LEVEL_SECTION:
		out->v[2] = 0;
		if (!exec_tree_has_attempts(t, key->v[0]))
			out->v[1] = 0;
		return true;
	default:
		out->v[3] = 0;
		return true;
	}
}

static void deepest(struct exec_tree *t, struct list_key *key)
{
	struct list_key below;

	while (end_child(t, key, -1, &below))
		*key = below;
}

static bool steps_end(void *ctx, int dir, struct list_key *out)
{
	struct exec_tree *t = ctx;
	int64_t step;

	if (dir > 0) {
		if (!step_beside(t, 0, 1, &step))
			return false;
		*out = key_of(step, 0, 0, 0);
		return true;
	}
	if (t->stale || !t->at_end || t->steps.n == 0)
		load_around(t, 0);
	t->at_end = true;
	if (t->steps.n == 0)
		return false;
	*out = key_of(t->steps.v[t->steps.n - 1].step, 0, 0, 0);
	deepest(t, out);
	return true;
}

static bool steps_step(void *ctx, struct list_key *key, int dir)
{
	struct exec_tree *t = ctx;
	struct list_key next, at = *key;

	if (dir > 0) {
		if (end_child(t, key, 1, &next)) {
			*key = next;
			return true;
		}
		while (!sibling(t, &at, 1, &next)) {
			if (!exec_tree_parent(t, &at, &at))
				return false;
		}
		*key = next;
		return true;
	}
	if (sibling(t, key, -1, &next)) {
		deepest(t, &next);
		*key = next;
		return true;
	}
	if (!exec_tree_parent(t, key, &next))
		return false;
	*key = next;
	return true;
}

static int compare_int(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int tree_compare(void *ctx, const struct list_key *a, const struct list_key *b)
{
	struct exec_tree *t = ctx;

	if (a->v[0] != b->v[0])
		return compare_int(a->v[0], b->v[0]);
	if (a->v[1] != b->v[1]) {
		if (a->v[1] == 0 || b->v[1] == 0)
			return compare_int(a->v[1], b->v[1]);
		struct branch *br = find_branch(t, a->v[0]);
		return compare_int((int64_t)child_index(br, a->v[1]), (int64_t)child_index(br, b->v[1]));
	}
	if (a->v[2] != b->v[2])
		return compare_int(a->v[2], b->v[2]);
	return compare_int(a->v[3], b->v[3]);
}

/* What there is without the messages. */
static const struct list_ops steps_ops = { .end = steps_end, .step = steps_step, .compare = tree_compare };

static bool tree_end(void *ctx, int dir, struct list_key *out)
{
	return exec_messages_end(((struct exec_tree *)ctx)->messages, dir, out);
}

static bool tree_step(void *ctx, struct list_key *key, int dir)
{
	return exec_messages_step(((struct exec_tree *)ctx)->messages, key, dir);
}

static bool beside(void *ctx, int64_t step, int dir, int64_t *out)
{
	return step_beside(ctx, step, dir, out);
}

const struct list_ops exec_tree_ops = { .end = tree_end, .step = tree_step, .compare = tree_compare };

/* ---- the object ------------------------------------------------------------------------------------------------- */

struct exec_tree *exec_tree_new(struct section_context context)
{
	struct exec_tree *t = xcalloc(1, sizeof(*t));

	t->context = context;
	t->stale = true;
	t->messages = exec_messages_new(context.query, (struct steps_list){ &steps_ops, t, beside });
	return t;
}

void exec_tree_free(struct exec_tree *t)
{
	if (!t)
		return;
	items_clear(&t->steps);
	free(t->steps.v);
	drop_branch(t, 0);
	free(t->branches);
	free(t->unfolded);
	list_filter_free(t->fits);
	exec_messages_free(t->messages);
	for (size_t i = 0; i < ATTEMPTS_KEPT; i++)
		forget_attempt(t->attempts[i]);
	free(t);
}

void exec_tree_filter(struct exec_tree *t, struct list_filter *f)
{
	list_filter_free(t->fits);
	t->fits = f;
	t->stale = true;
	exec_messages_hide(t->messages, f);
}

const struct list_filter *exec_tree_filter_of(const struct exec_tree *t)
{
	return t->fits;
}

struct exec_messages *exec_tree_messages(struct exec_tree *t)
{
	return t->messages;
}

const char *exec_tree_error(const struct exec_tree *t)
{
	return t->error.code == ERR_NONE ? NULL : t->error.msg;
}

const struct exec_item *exec_tree_item(struct exec_tree *t, const struct list_key *key)
{
	struct branch *b;
	size_t i;

	if (key->v[1] == 0 || key_is_message(key))
		return key->v[1] ? NULL : find_step(t, key->v[0]);
	b = find_branch(t, key->v[0]);
	i = child_index(b, key->v[1]);
	return i < b->items.n ? &b->items.v[i] : NULL;
}

int64_t exec_tree_attempt_id(struct exec_tree *t, const struct list_key *key)
{
	const struct exec_item *it;

	if (key_is_message(key))
		return exec_messages_attempt(t->messages, key);
	if (key->v[1])
		return key->v[1];
	it = find_step(t, key->v[0]);
	return it ? it->attempt : 0;
}

bool exec_tree_find(struct exec_tree *t, int64_t attempt, struct list_key *out)
{
	struct exec_attempt *a = exec_tree_attempt(t, attempt);
	int64_t step;

	if (!a)
		return false;
	step = a->detail.step.number;
	*out = key_of(step, 0, 0, 0);
	if (!exec_tree_has_attempts(t, step))
		return true;
	exec_tree_fold(t, out, true);
	out->v[1] = attempt;
	return child_index(find_branch(t, step), attempt) < find_branch(t, step)->items.n;
}

void exec_tree_changed(struct exec_tree *t, int64_t attempt)
{
	t->stale = true;
	drop_branch(t, 0);
	exec_messages_changed(t->messages);
	for (size_t i = 0; i < ATTEMPTS_KEPT; i++)
		if (t->attempts[i] && (attempt == 0 || t->attempts[i]->id == attempt))
			t->attempts[i]->stale = true;
}
