/* Searching in the Execution pane: folded rows count, and unfold when one lands on them. */
#include <stdlib.h>
#include <string.h>

#include "exec_pane.h"

#define LINE_MOST ((size_t)64 << 10)    /* bytes of a line of an excerpt that are searched */
#define SLICE ((int64_t)1 << 20)        /* bytes of what an excerpt leaves out that are searched at once */

/* What the row shows: of a step its title, of an attempt how it ended. */
static enum row_answer item_holds(struct exec_pane *p, const struct list_key *key, struct search *s)
{
	const struct exec_item *it = exec_tree_item(p->tree, key);
	const char *text;
	enum row_answer answer;
	char *line;

	if (!it)
		return ROW_LACKS;
	text = exec_level(key) == LEVEL_STEP ? it->title : it->detail;
	line = xasprintf("%s %s %s %s", it->ref, text ? text : "", outcome_word(it->state), it->asker ? it->asker : "");
	answer = row_has(s, line, strlen(line));
	free(line);
	return answer;
}

/* The first input whose name is what is looked for, from 1; 0: none. Their section itself is not opened for a
 * search: that would have every file of the folder hashed. */
static int64_t input_of(const struct exec_attempt *a, struct search *s)
{
	for (size_t i = 0; i < a->detail.inputs_n; i++)
		if (row_has(s, a->detail.inputs[i].path, strlen(a->detail.inputs[i].path)) == ROW_HOLDS)
			return (int64_t)i + 1;
	return 0;
}

static bool is_on_list(struct exec_pane *p, const struct list_key *key)
{
	struct list_key at = *key, up;

	for (; exec_tree_parent(p->tree, &at, &up); at = up)
		if (!exec_tree_is_unfolded(p->tree, &up))
			return false;
	return true;
}

/* The word of a section is found where it stands on the list already: every attempt has one. */
static enum row_answer section_holds(struct exec_pane *p, const struct list_key *key, struct search *s)
{
	const char *word = section_word((enum section_kind)key->v[2]);
	struct exec_attempt *a;

	if (is_on_list(p, key) && row_has(s, word, strlen(word)) == ROW_HOLDS)
		return ROW_HOLDS;
	if (key->v[2] != SECTION_INPUTS || exec_tree_is_unfolded(p->tree, key))
		return ROW_LACKS;
	a = exec_tree_attempt(p->tree, key->v[1]);
	return a && input_of(a, s) ? ROW_HOLDS : ROW_LACKS;
}

/* The lines that an excerpt leaves out, a slice at a time. */
static enum row_answer beyond_holds(struct exec_pane *p, const struct list_key *key, struct excerpt *x, struct search *s)
{
	struct search_sum sum = { 0 };
	struct range hit;

	if (!p->list.hunt.again) {
		bool before = excerpt_index(x, key->v[3]) < 0;

		p->beyond = *key;
		p->beyond_search = p->list.searches;
		p->hit.start = -1;
		p->undecided = 0;
		p->todo = before ? (struct range){ 0, x->rows[0].start } : (struct range){ x->rows[x->n - 1].next, x->text.size };
	}
	if (search_range(s, x->text.window, &p->todo, false, SLICE, &hit, &sum) == SEARCH_HIT) {
		p->hit = hit;
		return ROW_HOLDS;
	}
	p->undecided += sum.undecided;
	if (p->todo.start < p->todo.end)
		return ROW_GOES_ON;
	p->beyond = (struct list_key){ 0 };
	return p->undecided ? ROW_UNDECIDED : ROW_LACKS;
}

static enum row_answer line_holds(struct exec_pane *p, const struct list_key *key, struct search *s)
{
	struct excerpt *x = exec_tree_excerpt(p->tree, key);
	int64_t i = x ? excerpt_index(x, key->v[3]) : 0;
	size_t n = 0;

	if (!x || x->failed || x->n == 0)
		return ROW_LACKS;
	if (i < 0 || i >= (int64_t)x->n)
		return beyond_holds(p, key, x, s);
	const char *bytes = excerpt_bytes(x, i, LINE_MOST, &n);
	return row_has(s, bytes, n);
}

static enum row_answer message_holds(struct exec_pane *p, const struct list_key *key, struct search *s)
{
	const char *line = exec_messages_line(exec_tree_messages(p->tree), key);

	return line ? row_has(s, line, strlen(line)) : ROW_LACKS;
}

enum row_answer exec_holds(struct view *v, const struct list_key *key, struct search *s)
{
	static enum row_answer (*const holders[])(struct exec_pane *p, const struct list_key *key, struct search *s) = {
		[LEVEL_STEP] = item_holds, [LEVEL_ATTEMPT] = item_holds, [LEVEL_SECTION] = section_holds, [LEVEL_LINE] = line_holds,
		[LEVEL_MESSAGE] = message_holds,
	};

	return holders[exec_level(key)](exec_pane_of(v), key, s);
}

void exec_hold(struct view *v, bool on)
{
	struct exec_pane *p = exec_pane_of(v);

	if (on) {
		p->held[0] = query_hold(p->context.query);
		p->held[1] = source_record_hold(p->context.record);
	} else {
		source_record_release(p->context.record, p->held[1]);
		query_release(p->context.query, p->held[0]);
	}
}

/* Whether the search of now found something among the lines that the row stands for. */
static bool is_found_beyond(const struct exec_pane *p, const struct list_key *key)
{
	return listbox_key_equal(&p->beyond, key) && p->beyond_search == p->list.searches && p->hit.start >= 0;
}

void exec_land(struct view *v, const struct list_key *key)
{
	struct exec_pane *p = exec_pane_of(v);
	struct list_key to = *key, up = *key;

	if (exec_level(key) == LEVEL_MESSAGE) {
		listbox_select(&p->list.box, key);
		return;
	}
	if (key->v[2] == SECTION_INPUTS && key->v[3] == 0)
		to.v[3] = MIN(input_of(exec_tree_attempt(p->tree, key->v[1]), p->list.search), EXCERPT_MAX + 1);
	for (struct list_key at = to; exec_tree_parent(p->tree, &at, &up); at = up)
		exec_tree_fold(p->tree, &up, true);
	listbox_select(&p->list.box, &to);
	if (is_found_beyond(p, &to))
		ui_notice(v->ui, "found in lines that are left out here: Enter goes there");
}

void exec_found_beyond(struct exec_pane *p, const struct list_key *key, struct pager_spec *spec)
{
	struct excerpt *x = exec_tree_excerpt(p->tree, key);
	struct source_origin origin;

	if (!is_found_beyond(p, key) || !p->list.search)
		return;
	spec->pattern = p->list.pattern;
	spec->found = p->hit.end - p->hit.start;
	spec->pos = p->hit.start;
	/* of a stream it is asked as it was produced, with what was not kept */
	if (section_is_stream((enum section_kind)key->v[2]) && source_origin(x->text.source, p->hit.start, &origin))
		spec->pos = origin.position + p->hit.start - origin.start;
}
