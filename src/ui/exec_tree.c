/* The tree of the Execution pane: steps, attempts, sections and lines as rows that have neighbours. */
#include "exec_tree.h"

#include <stdlib.h>
#include <string.h>

#define CHILDREN_MAX 2000 /* attempts and checks of one step that are shown: the newest */
#define BRANCHES_KEPT 256

/* The attempts and checks of a step. */
struct branch {
	int64_t step;
	struct exec_items items;
};

struct exec_tree {
	struct query *query;
	struct exec_steps *steps;
	struct exec_attempts *attempts;
	struct branch *branches;        /* those read last */
	size_t branches_n, branches_cap;
	struct list_key *unfolded;
	size_t unfolded_n, unfolded_cap;
	struct exec_messages *messages;
	bool all;                       /* just now every row counts as unfolded */
};

/* ---- attempts of a step ------------------------------------------------------------------------------------ */

static void drop_branches(struct exec_tree *t)
{
	for (size_t i = 0; i < t->branches_n; i++) {
		exec_items_clear(&t->branches[i].items);
		free(t->branches[i].items.v);
	}
	t->branches_n = 0;
}

static struct branch *find_branch(struct exec_tree *t, int64_t step)
{
	struct log_filter f = { .step = step, .checks = true, .limit = CHILDREN_MAX };
	struct branch *b;
	struct err e = { 0 };

	for (size_t i = 0; i < t->branches_n; i++)
		if (t->branches[i].step == step)
			return &t->branches[i];
	if (t->branches_n == BRANCHES_KEPT)
		drop_branches(t);
	t->branches = grow(t->branches, t->branches_n, &t->branches_cap, sizeof(*t->branches));
	b = &t->branches[t->branches_n++];
	*b = (struct branch){ .step = step };
	if (!query_log(t->query, &f, exec_items_add, &b->items, &e))
		log_line("attempts of step %lld: %s", (long long)step, e.msg);
	exec_items_reverse(&b->items);
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

/* ---- neighbours ---------------------------------------------------------------------------------------------------- */

static struct list_key key_of(int64_t step, int64_t attempt, int64_t section, int64_t line)
{
	return (struct list_key){ { step, attempt, section, line } };
}

static bool end_section(struct exec_tree *t, int64_t step, int64_t attempt, int dir, struct list_key *out)
{
	struct exec_attempt *a = exec_attempts_get(t->attempts, attempt);

	if (!a || a->sections_n == 0)
		return false;
	*out = key_of(step, attempt, a->sections[dir > 0 ? 0 : a->sections_n - 1], 0);
	return true;
}

/* Sections that say what machine and folder of now are like, not what a run was or did. */
static bool is_about_now(enum section_kind k)
{
	return k == SECTION_INPUTS || k == SECTION_ENVIRONMENT || k == SECTION_POLICY || k == SECTION_RESOURCES;
}

static bool shows_rows_below(struct exec_tree *t, const struct list_key *key)
{
	if (exec_tree_is_unfolded(t, key))
		return true;
	return t->all && !(exec_level(key) == LEVEL_SECTION && is_about_now((enum section_kind)key->v[2]));
}

/* First (dir 1) or last (dir -1) row right below this one. */
static bool end_child(struct exec_tree *t, const struct list_key *key, int dir, struct list_key *out)
{
	struct branch *b;
	int64_t n;

	if (!shows_rows_below(t, key))
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
		n = exec_attempts_rows(t->attempts, key->v[1], (enum section_kind)key->v[2]);
		*out = key_of(key->v[0], key->v[1], key->v[2], dir > 0 ? 1 : n);
		return n > 0;
	default:
		return false;
	}
}

static bool section_beside(struct exec_tree *t, const struct list_key *key, int dir, struct list_key *out)
{
	struct exec_attempt *a = exec_attempts_get(t->attempts, key->v[1]);

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
	int64_t step, line, rows;
	size_t i;

	switch (exec_level(key)) {
	case LEVEL_STEP:
		if (!exec_steps_beside(t->steps, key->v[0], dir, &step))
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
		rows = exec_attempts_rows(t->attempts, key->v[1], (enum section_kind)key->v[2]);
		line = MIN(key->v[3], rows + (dir < 0)) + dir;
		*out = key_of(key->v[0], key->v[1], key->v[2], line);
		return line >= 1 && line <= rows;
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
		if (!exec_steps_beside(t->steps, 0, 1, &step))
			return false;
		*out = key_of(step, 0, 0, 0);
		return true;
	}
	if (!exec_steps_last(t->steps, &step))
		return false;
	*out = key_of(step, 0, 0, 0);
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

static struct exec_messages *messages_of(struct exec_tree *t)
{
	exec_messages_hide(t->messages, exec_steps_filter_of(t->steps));
	return t->messages;
}

static bool tree_end(void *ctx, int dir, struct list_key *out)
{
	return exec_messages_end(messages_of(ctx), dir, out);
}

static bool tree_step(void *ctx, struct list_key *key, int dir)
{
	return exec_messages_step(messages_of(ctx), key, dir);
}

static bool beside(void *ctx, int64_t step, int dir, int64_t *out)
{
	return exec_steps_beside(((struct exec_tree *)ctx)->steps, step, dir, out);
}

const struct list_ops exec_tree_ops = { .end = tree_end, .step = tree_step, .compare = tree_compare };

static bool all_end(void *ctx, int dir, struct list_key *out)
{
	struct exec_tree *t = ctx;

	t->all = true;
	bool there = tree_end(t, dir, out);
	t->all = false;
	return there;
}

static bool all_step(void *ctx, struct list_key *key, int dir)
{
	struct exec_tree *t = ctx;

	t->all = true;
	bool there = tree_step(t, key, dir);
	t->all = false;
	return there;
}

const struct list_ops exec_tree_all_ops = { .end = all_end, .step = all_step, .compare = tree_compare };

/* ---- the object ------------------------------------------------------------------------------------------------- */

struct exec_tree *exec_tree_new(struct section_context context)
{
	struct exec_tree *t = xcalloc(1, sizeof(*t));

	t->query = context.query;
	t->steps = exec_steps_new(context.query);
	t->attempts = exec_attempts_new(context);
	t->messages = exec_messages_new(context.query, (struct steps_list){ &steps_ops, t, beside });
	return t;
}

void exec_tree_free(struct exec_tree *t)
{
	if (!t)
		return;
	exec_steps_free(t->steps);
	exec_attempts_free(t->attempts);
	exec_messages_free(t->messages);
	drop_branches(t);
	free(t->branches);
	free(t->unfolded);
	free(t);
}

struct exec_steps *exec_tree_steps(struct exec_tree *t)
{
	return t->steps;
}

struct exec_messages *exec_tree_messages(struct exec_tree *t)
{
	return t->messages;
}

const struct exec_item *exec_tree_item(struct exec_tree *t, const struct list_key *key)
{
	struct branch *b;
	size_t i;

	if (key_is_message(key))
		return NULL;
	if (key->v[1] == 0)
		return exec_steps_find(t->steps, key->v[0]);
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
	it = exec_steps_find(t->steps, key->v[0]);
	return it ? it->attempt : 0;
}

struct exec_attempt *exec_tree_attempt(struct exec_tree *t, int64_t attempt)
{
	return exec_attempts_get(t->attempts, attempt);
}

struct excerpt *exec_tree_excerpt(struct exec_tree *t, const struct list_key *key)
{
	struct exec_attempt *a = exec_attempts_get(t->attempts, key->v[1]);

	return a ? exec_attempts_excerpt(t->attempts, a, (enum section_kind)key->v[2]) : NULL;
}

bool exec_tree_find(struct exec_tree *t, int64_t attempt, struct list_key *out)
{
	struct exec_attempt *a = exec_attempts_get(t->attempts, attempt);
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

void exec_tree_refresh(struct exec_tree *t, int64_t attempt)
{
	exec_attempts_changed(t->attempts, attempt);
}

void exec_tree_changed(struct exec_tree *t, int64_t attempt)
{
	exec_steps_changed(t->steps);
	drop_branches(t);
	exec_attempts_changed(t->attempts, attempt);
	exec_messages_changed(t->messages);
}
