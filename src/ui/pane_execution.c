/* Pane Execution: steps, attempts and their sections, unfolded in place. */
#include <stdlib.h>
#include <string.h>

#include "exec_live.h"
#include "exec_tree.h"
#include "messages.h"
#include "pane.h"
#include "textdraw.h"
#include "traceback.h"

struct pane {
	struct view view;
	struct exec_tree *tree;
	struct listbox list;
	struct list_key *keys; /* of the rows drawn last */
	size_t keys_n, keys_cap;
	bool follow;           /* the cursor goes to the newest step, as long as nobody moves it … */
	struct list_key newest; /* … away from here */
	struct search *search;
	char *pattern;
};

static struct pane *pane_of(struct view *v)
{
	return (struct pane *)v;
}

/* ---- drawing a row --------------------------------------------------------------------------------------- */

static int64_t elapsed_us(const struct exec_item *it)
{
	if (outcome_is_end(it->state))
		return it->wall_us;
	return MAX(0, clock_now_us() - it->queued_us);
}

/* "exit 3", "SIGKILL", "memory": what goes with the word. */
static void add_reason(const struct exec_item *it, struct buf *out)
{
	const char *name = it->signal > 0 ? sigabbrev_np(it->signal) : NULL;

	if (it->state == OUTCOME_LIMIT && it->limit)
		buf_addf(out, " %s", it->limit);
	else if (it->state == OUTCOME_ERROR && name)
		buf_addf(out, " SIG%s", name);
	else if (it->state == OUTCOME_ERROR && it->exit_code > 1)
		buf_addf(out, " %d", it->exit_code);
}

/* Right end of a row: outcome, number of attempts, time; in columns where there is room. */
static int draw_outcome(const struct exec_item *it, struct canvas *c, struct rect r, int y, bool step)
{
	char wall[UNIT_TEXT], many[32] = "";
	struct buf word = { 0 };
	int x = r.x + r.w, wide = r.w >= 44;

	buf_adds(&word, it->verdict != VERDICT_NONE ? verdict_word(it->verdict) : outcome_word(it->state));
	if (it->verdict == VERDICT_NONE)
		add_reason(it, &word);
	duration_format(elapsed_us(it), wall);
	if (r.w >= 30 && it->state != OUTCOME_QUEUED) {
		x -= (int)strlen(wall) + 1;
		canvas_text(c, r, x, y, PEN(ROLE_DIM), wall);
		x = MIN(x, r.x + r.w - (wide ? 9 : 0));
	}
	if (wide) {
		if (step && it->step_attempts > 1)
			snprintf(many, sizeof(many), "%lld attempts", (long long)it->step_attempts);
		x -= 12;
		canvas_text(c, r, x, y, PEN(ROLE_DIM), many);
	}
	x -= MAX(canvas_measure(c, word.data), wide ? 12 : 0) + 1;
	canvas_text(c, r, x, y, PEN(outcome_role(it->state)), word.data);
	buf_free(&word);
	return pane_draw_mark(c, r, x, y, it->judgement, step ? it->stale : JUDGED_NONE, it->reviewer) - 1;
}

static void draw_item(struct pane *p, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	const struct exec_item *it = exec_tree_item(p->tree, key);
	bool step = exec_level(key) == LEVEL_STEP;
	const char *marker = exec_tree_is_unfolded(p->tree, key) ? "▾" : "▸";
	int x = r.x + 1 + (step ? 0 : 4), end;
	char ref[REF_TEXT];

	if (!it)
		return;
	end = draw_outcome(it, c, r, y, step);
	if (step)
		snprintf(ref, sizeof(ref), "%lld", (long long)it->step);
	else
		snprintf(ref, sizeof(ref), "%s", it->ref);
	x = canvas_text(c, r, x, y, PEN(ROLE_NORMAL), marker) + 1;
	x = canvas_text(c, r, x, y, PEN(ROLE_STRONG), ref) + 1;
	if (step)
		x = MAX(x, r.x + 7);
	x += canvas_fit(c, r, x, y, end - x, PEN(ROLE_NORMAL), step ? it->title ? it->title : "" : it->detail ? it->detail : "");
	exec_live_draw(p->tree, it, c, x + 2, y, end - x - 2);
}

static int indent_of(struct pane *p, const struct list_key *key)
{
	return exec_tree_has_attempts(p->tree, key->v[0]) ? 8 : 4;
}

/* What is odd about the code is said beside it. */
static void sum_code(const struct oddities *o, enum section_kind k, struct buf *out)
{
	struct buf odd = { 0 };
	int64_t n = k == SECTION_CODE ? o->code_lines : o->filters;

	if (n >= 0)
		buf_addf(out, "%lld line%s", (long long)n, n == 1 ? "" : "s");
	if (k == SECTION_CODE)
		oddities_text(o, &odd);
	if (odd.len)
		buf_addf(out, "%sLOOK OUT: %s", out->len ? ", " : "", odd.data);
	buf_free(&odd);
}

static void draw_section(struct pane *p, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	struct exec_attempt *a = exec_tree_attempt(p->tree, key->v[1]);
	enum section_kind k = (enum section_kind)key->v[2];
	int x = r.x + 1 + indent_of(p, key);
	struct buf sum = { 0 };

	if (!a)
		return;
	x = canvas_text(c, r, x, y, PEN(ROLE_NORMAL), exec_tree_is_unfolded(p->tree, key) ? "▾ " : "▸ ");
	x = canvas_text(c, r, x, y, PEN(ROLE_TITLE), section_word(k));
	if (k == SECTION_CODE || k == SECTION_FILTERS)
		sum_code(&a->odd, k, &sum);
	else
		section_summary(&a->detail, k, &sum);
	if (sum.len)
		canvas_fit(c, r, x + 2, y, r.x + r.w - x - 2, PEN(ROLE_DIM), sum.data);
	buf_free(&sum);
}

static void draw_line(struct pane *p, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	struct exec_attempt *a = exec_tree_attempt(p->tree, key->v[1]);
	enum section_kind k = (enum section_kind)key->v[2];
	struct excerpt *x = a ? exec_tree_excerpt(p->tree, a, k) : NULL;
	int left = r.x + 3 + indent_of(p, key);
	int64_t i = key->v[3] - 1 - (x ? x->more_before : 0);
	struct text_paint paint;

	if (!x)
		return;
	if (x->failed || i < 0 || i >= (int64_t)x->n) {
		canvas_fit(c, r, left, y, r.x + r.w - left, PEN(ROLE_GAP), x->failed ? x->note
		           : i < 0 ? "… earlier lines: Enter shows all" : "… more lines: Enter shows all");
		return;
	}
	if (k == SECTION_CODE)
		left = canvas_textf(c, r, left, y, PEN(ROLE_NUMBER), "%3lld ", (long long)i + 1);
	paint = (struct text_paint){ .text = &x->text, .kind = k, .py = &a->py, .search = p->search,
		.current = { -1, -1 }, .chosen = { -1, -1 } };
	text_paint_row(&paint, c, r, left, y, r.x + r.w - left, &x->rows[i], 0, PEN(ROLE_NORMAL));
}

static void draw_message(struct pane *p, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	exec_messages_draw(exec_tree_messages(p->tree), key, c, r, y);
}

static void (*const row_drawers[])(struct pane *p, const struct list_key *key, struct canvas *c, struct rect r, int y) = {
	[LEVEL_STEP] = draw_item, [LEVEL_ATTEMPT] = draw_item, [LEVEL_SECTION] = draw_section, [LEVEL_LINE] = draw_line,
	[LEVEL_MESSAGE] = draw_message,
};

static void draw_empty(struct ui *ui, struct canvas *c, struct rect r)
{
	static const char *const lines[] = {
		"Nothing ran here yet.", "", "a  write code and run it as the first step",
		"   or, in a shell:  tickmark run SCRIPT.py", "?  help",
	};

	for (size_t i = 0; i < ARRAY_LEN(lines) && (int)i < r.h; i++) {
		if (ui->evidence && i > 0)
			break;
		canvas_fit(c, r, r.x + 2, r.y + (int)i + (r.h > 7), r.w - 3, PEN(i ? ROLE_NORMAL : ROLE_STRONG), lines[i]);
	}
}

static void execution_draw(struct view *v, struct canvas *c, struct rect r)
{
	struct pane *p = pane_of(v);

	while ((int)p->keys_cap < r.h + 1)
		p->keys = grow(p->keys, p->keys_cap, &p->keys_cap, sizeof(*p->keys));
	p->keys_n = listbox_rows(&p->list, r.h, p->keys);
	if (p->keys_n == 0 && exec_tree_error(p->tree))
		canvas_fit(c, r, r.x + 2, r.y, r.w - 3, PEN(ROLE_ERROR), exec_tree_error(p->tree));
	else if (p->keys_n == 0 && exec_tree_filter_of(p->tree))
		canvas_fit(c, r, r.x + 2, r.y, r.w - 3, PEN(ROLE_STRONG), "No step fits the filter; f changes it.");
	else if (p->keys_n == 0)
		draw_empty(v->ui, c, r);
	for (size_t i = 0; i < p->keys_n; i++) {
		int y = r.y + (int)i;
		row_drawers[exec_level(&p->keys[i])](p, &p->keys[i], c, r, y);
		if (listbox_key_equal(&p->keys[i], &p->list.cursor))
			view_mark_row(v, c, r, y);
	}
}

/* ---- what keys do -------------------------------------------------------------------------------------------- */

/* A row of a traceback or of the filters stands for the line of code that it names. */
static void names_line(struct pane *p, struct exec_attempt *a, struct excerpt *x, enum section_kind k, int64_t i,
                       struct pager_spec *spec)
{
	int64_t line = 0;
	size_t got;

	if (i < 0 || i >= (int64_t)x->n || (k != SECTION_FILTERS && !section_is_stream(k)))
		return;
	int64_t end = x->rows[i].end >= 0 ? x->rows[i].end : x->text.size;
	const char *bytes = window_at(x->text.window, x->rows[i].start, (size_t)MIN(end - x->rows[i].start, 4096), &got);
	if (bytes)
		got = (size_t)MIN((int64_t)got, end - x->rows[i].start);
	if (bytes)
		line = k == SECTION_FILTERS ? section_filter_line(bytes, got) : traceback_line(&a->detail, bytes, got);
	if (line == 0)
		return;
	*spec = (struct pager_spec){ .attempt = a->id, .section = SECTION_CODE, .line = line, .filters = k == SECTION_FILTERS };
	ui_notice(p->view.ui, "line %lld of the code", (long long)line);
}

/* Full screen, at the line that the cursor is on. */
static unsigned open_pager(struct pane *p)
{
	const struct list_key *key = &p->list.cursor;
	struct exec_attempt *a = exec_tree_attempt(p->tree, exec_tree_attempt_id(p->tree, key));
	enum section_kind k = key->v[2] ? (enum section_kind)key->v[2] : SECTION_OUTPUT;
	struct pager_spec spec = { .section = k };
	struct err e = { 0 };
	struct view *pager;

	if (!a)
		return TURN_NOTHING;
	spec.attempt = a->id;
	if (key->v[3] > 0) {
		struct excerpt *x = exec_tree_excerpt(p->tree, a, k);
		int64_t i = key->v[3] - 1 - x->more_before;
		if (i >= 0 && i < (int64_t)x->n)
			spec.pos = x->rows[i].start;
		else if (i >= (int64_t)x->n && x->n > 0)
			spec.pos = x->rows[x->n - 1].start;
		names_line(p, a, x, k, i, &spec);
		if (k == SECTION_FILES && i >= 0 && (size_t)i < a->detail.artifacts_n &&
		    a->detail.artifacts[i].size >= 0 && a->detail.artifacts[i].what != ARTIFACT_DELETED) {
			spec = (struct pager_spec){ .attempt = a->id, .sha256 = a->detail.artifacts[i].sha256,
				.path = a->detail.artifacts[i].path };
		} else if (k == SECTION_INPUTS && i >= 0 && (size_t)i < a->detail.inputs_n && a->detail.inputs[i].size >= 0) {
			spec = (struct pager_spec){ .attempt = a->id, .sha256 = a->detail.inputs[i].sha256,
				.path = a->detail.inputs[i].path };
		}
	}
	pager = view_pager_new(p->view.ui, &spec, &e);
	if (pager)
		ui_push(p->view.ui, pager);
	else
		ui_error(p->view.ui, "%s", e.msg);
	return TURN_DRAW;
}

/* What one unfolds an attempt for: its code, and what it said. */
static void show_sections(struct pane *p, int64_t attempt)
{
	static const enum section_kind kinds[] = { SECTION_CODE, SECTION_STDOUT, SECTION_STDERR };
	struct exec_attempt *a = exec_tree_attempt(p->tree, attempt);

	for (size_t i = 0; a && i < ARRAY_LEN(kinds); i++) {
		struct list_key key = { { a->detail.step.number, attempt, kinds[i], 0 } };
		bool empty = a->detail.end.attempt && (kinds[i] == SECTION_STDOUT ? a->detail.end.out_bytes == 0
		                                       : kinds[i] == SECTION_STDERR && a->detail.end.err_bytes == 0);
		if (!empty)
			exec_tree_fold(p->tree, &key, true);
	}
}

static void set_fold(struct pane *p, bool unfold)
{
	const struct list_key key = p->list.cursor;

	exec_tree_fold(p->tree, &key, unfold);
	/* the only attempt of a step goes with it, for the time when there are two */
	if (exec_level(&key) == LEVEL_STEP && !exec_tree_has_attempts(p->tree, key.v[0]))
		exec_tree_fold(p->tree, &(struct list_key){ { key.v[0], exec_tree_attempt_id(p->tree, &key), 0, 0 } }, unfold);
	if (unfold && (exec_level(&key) == LEVEL_ATTEMPT ||
	               (exec_level(&key) == LEVEL_STEP && !exec_tree_has_attempts(p->tree, key.v[0]))))
		show_sections(p, exec_tree_attempt_id(p->tree, &key));
}

/* A leaf goes full screen: a line of a section in the pager, a message in the view of messages. */
static unsigned open_leaf(struct pane *p)
{
	if (exec_level(&p->list.cursor) == LEVEL_MESSAGE)
		return messages_show(p->view.ui, p->list.cursor.v[3]);
	return open_pager(p);
}

static unsigned open_row(struct view *v, const char *arg)
{
	struct pane *p = pane_of(v);

	(void)arg;
	if (!p->list.placed)
		return TURN_NOTHING;
	if (!exec_tree_can_unfold(p->tree, &p->list.cursor))
		return open_leaf(p);
	set_fold(p, !exec_tree_is_unfolded(p->tree, &p->list.cursor));
	return TURN_DRAW;
}

static unsigned unfold(struct view *v, const char *arg)
{
	struct pane *p = pane_of(v);

	(void)arg;
	if (!p->list.placed)
		return TURN_NOTHING;
	if (!exec_tree_can_unfold(p->tree, &p->list.cursor))
		return open_leaf(p);
	if (exec_tree_is_unfolded(p->tree, &p->list.cursor))
		listbox_move(&p->list, 1);
	else
		set_fold(p, true);
	return TURN_DRAW;
}

static unsigned fold(struct view *v, const char *arg)
{
	struct pane *p = pane_of(v);
	struct list_key up;

	(void)arg;
	if (!p->list.placed)
		return TURN_NOTHING;
	if (exec_tree_is_unfolded(p->tree, &p->list.cursor))
		set_fold(p, false);
	else if (exec_tree_parent(p->tree, &p->list.cursor, &up))
		listbox_select(&p->list, &up);
	return TURN_DRAW;
}

/* Attempts and their sections, but not the lines of all of them at once: code and streams. */
static unsigned unfold_all(struct view *v, const char *arg)
{
	struct pane *p = pane_of(v);
	struct list_key at = p->list.cursor, end;
	size_t n = 0;

	(void)arg;
	if (!p->list.placed)
		return TURN_NOTHING;
	end = at;
	do {
		bool below = at.v[0] == end.v[0] && (end.v[1] == 0 || at.v[1] == end.v[1]) &&
		             (end.v[2] == 0 || at.v[2] == end.v[2]);
		if (!below)
			break;
		if (exec_tree_can_unfold(p->tree, &at))
			exec_tree_fold(p->tree, &at, true);
	} while (++n < 2000 && exec_tree_ops.step(p->tree, &at, 1));
	return TURN_DRAW;
}

static unsigned fold_all(struct view *v, const char *arg)
{
	struct pane *p = pane_of(v);
	struct list_key step = { { p->list.cursor.v[0], 0, 0, 0 } };

	(void)arg;
	exec_tree_fold_all(p->tree);
	if (exec_level(&p->list.cursor) == LEVEL_MESSAGE)
		return TURN_DRAW;
	if (p->list.placed)
		listbox_select(&p->list, &step);
	p->list.top = step;
	return TURN_DRAW;
}

static bool not_ok(const struct exec_item *it)
{
	return it && outcome_is_end(it->state) && it->state != OUTCOME_OK;
}

/* The next step in a direction, for which `wanted` (NULL: any). Looks at 100,000 at most. */
static unsigned go_step(struct view *v, int dir, bool (*wanted)(const struct exec_item *it))
{
	struct pane *p = pane_of(v);
	struct list_key key = { { p->list.cursor.v[0], 0, 0, 0 } };

	if (!p->list.placed)
		return TURN_NOTHING;
	for (int i = 0; i < 100000; i++) {
		do {
			if (!exec_tree_ops.step(p->tree, &key, dir)) {
				ui_notice(v->ui, dir > 0 ? "no such step further down" : "no such step further up");
				return TURN_DRAW;
			}
		} while (exec_level(&key) != LEVEL_STEP);
		if (!wanted || wanted(exec_tree_item(p->tree, &key))) {
			listbox_select(&p->list, &key);
			return TURN_DRAW;
		}
	}
	ui_notice(v->ui, "none in the next 100,000 steps; again to look further");
	listbox_select(&p->list, &key);
	return TURN_DRAW;
}

static unsigned next_step(struct view *v, const char *arg)
{
	(void)arg;
	return go_step(v, 1, NULL);
}

static unsigned prev_step(struct view *v, const char *arg)
{
	(void)arg;
	return go_step(v, -1, NULL);
}

static unsigned next_failed(struct view *v, const char *arg)
{
	(void)arg;
	return go_step(v, 1, not_ok);
}

static unsigned prev_failed(struct view *v, const char *arg)
{
	(void)arg;
	return go_step(v, -1, not_ok);
}

static void to_newest(struct pane *p)
{
	struct list_key key;

	if (!exec_tree_ops.end(p->tree, -1, &key))
		return;
	if (key.v[0] > 0) /* else all there is are messages */
		key = (struct list_key){ { key.v[0], 0, 0, 0 } };
	listbox_select(&p->list, &key);
	p->newest = key;
}

static unsigned follow(struct view *v, const char *arg)
{
	struct pane *p = pane_of(v);

	(void)arg;
	p->follow = !p->follow;
	if (p->follow)
		to_newest(p);
	ui_notice(v->ui, p->follow ? "following the newest attempt" : "no longer following");
	return TURN_DRAW;
}

/* ---- the filter ----------------------------------------------------------------------------------------------- */

static void filter_by(void *ctx, const char *text)
{
	struct pane *p = ctx;
	struct err e = { 0 };
	struct list_filter *f = list_filter_new(text, &e);

	if (e.code != ERR_NONE) {
		ui_error(p->view.ui, "%s", e.msg);
		return;
	}
	exec_tree_filter(p->tree, f);
	listbox_validate(&p->list);
	ui_notice(p->view.ui, f ? "only steps that fit; f and Enter on an empty line shows all" : "all steps");
}

static void filter_complete(void *ctx, const char *text, struct strv *out)
{
	(void)ctx;
	list_filter_complete(text, out);
}

static unsigned filter(struct view *v, const char *arg)
{
	static const struct prompt_ops ask = { .label = "filter (Tab offers): ", .kind = PROMPT_TEXT, .complete = filter_complete, .done = filter_by };
	struct pane *p = pane_of(v);
	const struct list_filter *now = exec_tree_filter_of(p->tree);

	if (arg)
		filter_by(p, arg);
	else
		ui_ask(v->ui, &ask, p, now ? list_filter_text(now) : NULL, HISTORY_FILTER);
	return TURN_DRAW;
}

static void execution_title(struct view *v, struct buf *left, struct buf *right)
{
	const struct list_filter *now = exec_tree_filter_of(pane_of(v)->tree);

	(void)right;
	if (now)
		buf_addf(left, " · %s", list_filter_text(now));
}

/* ---- searching: titles, references, outcomes ---------------------------------------------------------------------- */

static bool row_matches(struct pane *p, const struct list_key *key)
{
	struct buf text = { 0 };
	struct match m;
	bool hit;

	if (exec_level(key) == LEVEL_MESSAGE) {
		const char *line = exec_messages_line(exec_tree_messages(p->tree), key);
		buf_adds(&text, line ? line : "");
	} else if (exec_level(key) == LEVEL_STEP || exec_level(key) == LEVEL_ATTEMPT) {
		const struct exec_item *it = exec_tree_item(p->tree, key);
		if (!it)
			return false;
		buf_addf(&text, "%s %s %s %s %s", it->ref, it->title ? it->title : "", outcome_word(it->state),
		         it->detail ? it->detail : "", it->asker ? it->asker : "");
	} else if (exec_level(key) == LEVEL_LINE) {
		struct exec_attempt *a = exec_tree_attempt(p->tree, key->v[1]);
		struct excerpt *x = a ? exec_tree_excerpt(p->tree, a, (enum section_kind)key->v[2]) : NULL;
		int64_t i = key->v[3] - 1 - (x ? x->more_before : 0);
		size_t got;
		const char *bytes;
		if (!x || i < 0 || i >= (int64_t)x->n)
			return false;
		int64_t end = x->rows[i].end >= 0 ? x->rows[i].end : x->text.size;
		bytes = window_at(x->text.window, x->rows[i].start, (size_t)MIN(end - x->rows[i].start, 65536), &got);
		buf_add(&text, bytes ? bytes : "", bytes ? (size_t)MIN((int64_t)got, end - x->rows[i].start) : 0);
	} else {
		buf_adds(&text, section_word((enum section_kind)key->v[2]));
	}
	hit = search_line(p->search, text.data ? text.data : "", text.len, 0, &m) == SEARCH_HIT;
	buf_free(&text);
	return hit;
}

static unsigned search_go(struct view *v, int dir)
{
	struct pane *p = pane_of(v);
	struct list_key key = p->list.cursor;

	if (!p->search || !p->list.placed) {
		ui_notice(v->ui, "nothing to search for: / begins a search");
		return TURN_DRAW;
	}
	for (int i = 0; i < 100000 && exec_tree_ops.step(p->tree, &key, dir); i++) {
		if (row_matches(p, &key)) {
			listbox_select(&p->list, &key);
			return TURN_DRAW;
		}
	}
	if (!exec_tree_ops.end(p->tree, dir, &key))
		return TURN_NOTHING;
	for (int i = 0; i < 100000; i++) {
		if (row_matches(p, &key)) {
			listbox_select(&p->list, &key);
			ui_notice(v->ui, dir > 0 ? "search went on from the first row" : "search went on from the last row");
			return TURN_DRAW;
		}
		if (!exec_tree_ops.step(p->tree, &key, dir))
			break;
	}
	ui_notice(v->ui, "no row that is unfolded holds '%s'", p->pattern);
	return TURN_DRAW;
}

static void execution_search(struct view *v, const char *pattern)
{
	struct pane *p = pane_of(v);
	struct err e = { 0 };
	size_t at;

	search_free(p->search);
	p->search = NULL;
	free(p->pattern);
	p->pattern = xstrdup(pattern);
	if (!*pattern)
		return;
	p->search = search_compile(pattern, strlen(pattern), 0, &at, &e);
	if (!p->search)
		ui_error(v->ui, "%s", e.msg);
	else
		search_go(v, 1);
}

static unsigned search_next(struct view *v, const char *arg)
{
	(void)arg;
	return search_go(v, 1);
}

static unsigned search_prev(struct view *v, const char *arg)
{
	(void)arg;
	return search_go(v, -1);
}

static unsigned clear_search(struct view *v, const char *arg)
{
	struct pane *p = pane_of(v);

	(void)arg;
	if (!p->search)
		return TURN_UNHANDLED;
	search_free(p->search);
	p->search = NULL;
	return TURN_DRAW;
}

/* ---- the view ------------------------------------------------------------------------------------------------------ */

/* The line of code or of a stream that the cursor is on. */
static void place_subject(struct pane *p, struct exec_attempt *a, struct subject *out)
{
	const struct list_key *key = &p->list.cursor;
	enum section_kind k = (enum section_kind)key->v[2];
	struct excerpt *x;
	int64_t i;

	if (!section_is_code(k) && !section_is_stream(k))
		return;
	out->section = section_word(k);
	x = key->v[3] ? exec_tree_excerpt(p->tree, a, k) : NULL;
	i = x ? key->v[3] - 1 - x->more_before : -1;
	if (i >= 0 && i < (int64_t)x->n && x->rows[i].line >= 0)
		out->line = lines_number(x->text.lines, x->text.window, x->rows[i].line) + 1;
}

static bool execution_subject(struct view *v, struct subject *out)
{
	struct pane *p = pane_of(v);
	const struct list_key *key = &p->list.cursor;
	struct exec_attempt *a;

	if (!p->list.placed)
		return false;
	a = exec_tree_attempt(p->tree, exec_tree_attempt_id(p->tree, key));
	if (!a)
		return false;
	out->attempt = a->id;
	out->step = a->detail.step.number;
	memcpy(out->ref, a->detail.ref, sizeof(out->ref));
	out->check = a->detail.attempt.check != 0;
	if (exec_level(key) == LEVEL_MESSAGE)
		return true;
	place_subject(p, a, out);
	if (key->v[2] == SECTION_FILES && key->v[3] > 0 && (size_t)key->v[3] <= a->detail.artifacts_n) {
		out->path = xstrdup(a->detail.artifacts[key->v[3] - 1].path);
		out->artifact = true;
	} else if (key->v[2] == SECTION_FILES && a->detail.artifacts_n == 1) {
		out->path = xstrdup(a->detail.artifacts[0].path);
		out->artifact = true;
	}
	return true;
}

static unsigned execution_changed(struct view *v, int64_t attempt)
{
	struct pane *p = pane_of(v);

	exec_tree_changed(p->tree, attempt);
	listbox_validate(&p->list);
	p->follow = p->follow && listbox_key_equal(&p->newest, &p->list.cursor);
	if (p->follow)
		to_newest(p);
	return TURN_DRAW;
}

static unsigned execution_tick(struct view *v)
{
	(void)v;
	return TURN_DRAW;
}

static unsigned execution_mouse(struct view *v, const struct event *ev)
{
	struct pane *p = pane_of(v);
	int i = ev->y - v->area.y;

	if (ev->action == MOUSE_WHEEL_UP || ev->action == MOUSE_WHEEL_DOWN) {
		listbox_scroll(&p->list, ev->action == MOUSE_WHEEL_UP ? -3 : 3);
		return TURN_DRAW;
	}
	if (ev->action != MOUSE_PRESS || ev->button != 1 || i < 0 || (size_t)i >= p->keys_n)
		return TURN_NOTHING;
	bool again = listbox_key_equal(&p->keys[i], &p->list.cursor);
	listbox_select(&p->list, &p->keys[i]);
	if (exec_level(&p->list.cursor) == LEVEL_MESSAGE)
		return again ? open_row(v, NULL) : TURN_DRAW;
	/* on the marker, or on the row that is selected already */
	if (again || ev->x - v->area.x <= 1 + (exec_level(&p->keys[i]) == LEVEL_STEP ? 1 : indent_of(p, &p->keys[i]) + 1))
		if (exec_level(&p->list.cursor) != LEVEL_LINE || again)
			return open_row(v, NULL);
	return TURN_DRAW;
}

static void execution_free(struct view *v)
{
	struct pane *p = pane_of(v);

	exec_tree_free(p->tree);
	search_free(p->search);
	free(p->pattern);
	free(p->keys);
	free(p);
}

static const struct view_action actions[] = {
	{ CMD_OPEN, open_row }, { CMD_UNFOLD, unfold }, { CMD_FOLD, fold }, { CMD_UNFOLD_ALL, unfold_all },
	{ CMD_FOLD_ALL, fold_all }, { CMD_NEXT_STEP, next_step }, { CMD_PREV_STEP, prev_step },
	{ CMD_NEXT_FAILED, next_failed }, { CMD_PREV_FAILED, prev_failed }, { CMD_FOLLOW, follow },
	{ CMD_SEARCH_NEXT, search_next }, { CMD_SEARCH_PREV, search_prev }, { CMD_ESCAPE, clear_search }, { CMD_FILTER, filter },
	{ CMD_NONE, NULL },
};

static const struct view_hint hints[] = {
	{ CMD_REPEAT, "repeat" }, { CMD_RERUN, "rerun" }, { CMD_EDIT, "edit" }, { CMD_ADD, "add" }, { CMD_STOP, "stop" },
	{ CMD_SEARCH, "search" }, { CMD_HELP, "help" }, { CMD_NONE, NULL },
};

static struct listbox *execution_list(struct view *v)
{
	return &pane_of(v)->list;
}

static const struct view_ops ops = {
	.name = "Execution", .list = execution_list, .place = PLACE_LIST, .actions = actions, .hints = hints, .draw = execution_draw, .title = execution_title,
	.mouse = execution_mouse, .changed = execution_changed, .tick = execution_tick, .subject = execution_subject,
	.search = execution_search, .free = execution_free,
};

struct view *pane_execution_new(struct ui *ui)
{
	struct pane *p = xcalloc(1, sizeof(*p));

	p->view = (struct view){ .ops = &ops, .ui = ui };
	p->tree = exec_tree_new((struct section_context){ ui->source, ui->query, ui->ws });
	listbox_init(&p->list, &exec_tree_ops, p->tree);
	return &p->view;
}

void pane_execution_select(struct view *v, int64_t attempt, bool unfold)
{
	struct pane *p = pane_of(v);
	struct list_key key;

	if (!exec_tree_find(p->tree, attempt, &key))
		return;
	listbox_select(&p->list, &key);
	if (unfold && exec_tree_attempt(p->tree, attempt)->detail.attempt.check == 0)
		set_fold(p, true);
}

void pane_execution_goto(struct view *v, int64_t step)
{
	struct pane *p = pane_of(v);
	struct list_key key = { { step, 0, 0, 0 } };

	if (!exec_tree_item(p->tree, &key)) {
		ui_notice(v->ui, "there is no step %lld", (long long)step);
		return;
	}
	listbox_select(&p->list, &key);
}

/* ---- the next visit ------------------------------------------------------------------------------------------------- */

static void add_key(const struct list_key *key, const char *word, struct buf *out)
{
	buf_addf(out, "%s %lld %lld %lld %lld\n", word, (long long)key->v[0], (long long)key->v[1], (long long)key->v[2],
	         (long long)key->v[3]);
}

void pane_execution_visit(struct view *v, struct buf *out)
{
	struct pane *p = pane_of(v);
	const struct list_filter *f = exec_tree_filter_of(p->tree);
	const struct list_key *key;

	if (f)
		buf_addf(out, "filter %s\n", list_filter_text(f));
	for (size_t i = 0; (key = exec_tree_unfolded_at(p->tree, i)) && i < 2000; i++)
		add_key(key, "unfolded", out);
	if (p->list.placed)
		add_key(&p->list.cursor, "cursor", out);
}

void pane_execution_revisit(struct view *v, const char *line)
{
	struct pane *p = pane_of(v);
	long long n[4];
	char word[16];

	if (strncmp(line, "filter ", 7) == 0) {
		exec_tree_filter(p->tree, list_filter_new(line + 7, NULL));
		return;
	}
	if (sscanf(line, "%15s %lld %lld %lld %lld", word, &n[0], &n[1], &n[2], &n[3]) != 5 || n[0] < 1 || n[1] < 0 || n[2] < 0 ||
	    n[2] >= SECTION_COUNT || n[3] < 0)
		return;
	struct list_key key = { { n[0], n[1], n[2], n[3] } };
	if (!exec_tree_item(p->tree, &(struct list_key){ { n[0], n[2] ? 0 : n[1], 0, 0 } }))
		return;
	if (strcmp(word, "unfolded") == 0) {
		exec_tree_fold(p->tree, &key, true);
	} else if (strcmp(word, "cursor") == 0) {
		listbox_select(&p->list, &key);
		for (int i = 0; i < 6 && exec_tree_ops.step(p->tree, &p->list.top, -1); i++)
			; /* with what stands above it */
		listbox_validate(&p->list);
	}
}
