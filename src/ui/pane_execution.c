/* Pane Execution: steps, attempts and their sections, unfolded in place. */
#include <stdlib.h>
#include <string.h>

#include "exec_pane.h"
#include "messages.h"

static void execution_draw(struct view *v, struct canvas *c, struct rect r)
{
	struct exec_pane *p = exec_pane_of(v);
	struct exec_steps *steps = exec_tree_steps(p->tree);

	if (listview_draw(v, &p->list, c, r) > 0)
		return;
	if (exec_steps_error(steps))
		canvas_fit(c, r, r.x + 2, r.y, r.w - 3, PEN(ROLE_ERROR), exec_steps_error(steps));
	else if (exec_steps_filter_of(steps))
		canvas_fit(c, r, r.x + 2, r.y, r.w - 3, PEN(ROLE_STRONG), "No step fits the filter; f changes it, Esc shows all.");
	else
		exec_draw_empty(v->ui, c, r);
}

/* ---- what keys do -------------------------------------------------------------------------------------------- */

/* What one unfolds an attempt for: its code, and what it said. */
static void show_sections(struct exec_pane *p, int64_t attempt)
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

static void set_fold(struct exec_pane *p, bool unfold)
{
	const struct list_key key = p->list.box.cursor;

	exec_tree_fold(p->tree, &key, unfold);
	/* the only attempt of a step goes with it, for the time when there are two */
	if (exec_level(&key) == LEVEL_STEP && !exec_tree_has_attempts(p->tree, key.v[0]))
		exec_tree_fold(p->tree, &(struct list_key){ { key.v[0], exec_tree_attempt_id(p->tree, &key), 0, 0 } }, unfold);
	if (unfold && (exec_level(&key) == LEVEL_ATTEMPT ||
	               (exec_level(&key) == LEVEL_STEP && !exec_tree_has_attempts(p->tree, key.v[0]))))
		show_sections(p, exec_tree_attempt_id(p->tree, &key));
}

/* A leaf goes full screen: a line of a section in the pager, a message in the view of messages. */
static unsigned open_leaf(struct exec_pane *p)
{
	if (exec_level(&p->list.box.cursor) == LEVEL_MESSAGE)
		return messages_show(p->view.ui, p->list.box.cursor.v[3]);
	return exec_open_pager(p);
}

static unsigned open_row(struct view *v, const char *arg)
{
	struct exec_pane *p = exec_pane_of(v);

	(void)arg;
	if (!p->list.box.placed)
		return TURN_NOTHING;
	if (!exec_can_unfold(&p->list.box.cursor))
		return open_leaf(p);
	set_fold(p, !exec_tree_is_unfolded(p->tree, &p->list.box.cursor));
	return TURN_DRAW;
}

static unsigned unfold(struct view *v, const char *arg)
{
	struct exec_pane *p = exec_pane_of(v);

	(void)arg;
	if (!p->list.box.placed)
		return TURN_NOTHING;
	if (!exec_can_unfold(&p->list.box.cursor))
		return open_leaf(p);
	if (exec_tree_is_unfolded(p->tree, &p->list.box.cursor))
		listbox_move(&p->list.box, 1);
	else
		set_fold(p, true);
	return TURN_DRAW;
}

static unsigned fold(struct view *v, const char *arg)
{
	struct exec_pane *p = exec_pane_of(v);
	struct list_key up;

	(void)arg;
	if (!p->list.box.placed)
		return TURN_NOTHING;
	if (exec_tree_is_unfolded(p->tree, &p->list.box.cursor))
		set_fold(p, false);
	else if (exec_tree_parent(p->tree, &p->list.box.cursor, &up))
		listbox_select(&p->list.box, &up);
	return TURN_DRAW;
}

/* Attempts and their sections, but not the lines of all of them at once: code and streams. */
static unsigned unfold_all(struct view *v, const char *arg)
{
	struct exec_pane *p = exec_pane_of(v);
	struct list_key at = p->list.box.cursor, end;
	size_t n = 0;

	(void)arg;
	if (!p->list.box.placed)
		return TURN_NOTHING;
	end = at;
	do {
		bool below = at.v[0] == end.v[0] && (end.v[1] == 0 || at.v[1] == end.v[1]) &&
		             (end.v[2] == 0 || at.v[2] == end.v[2]);
		if (!below)
			break;
		if (exec_can_unfold(&at))
			exec_tree_fold(p->tree, &at, true);
	} while (++n < 2000 && exec_tree_ops.step(p->tree, &at, 1));
	return TURN_DRAW;
}

static unsigned fold_all(struct view *v, const char *arg)
{
	struct exec_pane *p = exec_pane_of(v);
	struct list_key step = { { p->list.box.cursor.v[0], 0, 0, 0 } };

	(void)arg;
	exec_tree_fold_all(p->tree);
	if (exec_level(&p->list.box.cursor) == LEVEL_MESSAGE)
		return TURN_DRAW;
	if (p->list.box.placed)
		listbox_select(&p->list.box, &step);
	p->list.box.top = step;
	return TURN_DRAW;
}

static bool not_ok(const struct exec_item *it)
{
	return it && outcome_is_end(it->state) && it->state != OUTCOME_OK;
}

/* The next step in a direction, for which `wanted` (NULL: any). Looks at 100,000 at most. */
static unsigned go_step(struct view *v, int dir, bool (*wanted)(const struct exec_item *it))
{
	struct exec_pane *p = exec_pane_of(v);
	struct list_key key = { { p->list.box.cursor.v[0], 0, 0, 0 } };

	if (!p->list.box.placed)
		return TURN_NOTHING;
	for (int i = 0; i < 100000; i++) {
		do {
			if (!exec_tree_ops.step(p->tree, &key, dir)) {
				ui_notice(v->ui, dir > 0 ? "no such step further down" : "no such step further up");
				return TURN_DRAW;
			}
		} while (exec_level(&key) != LEVEL_STEP);
		if (!wanted || wanted(exec_tree_item(p->tree, &key))) {
			listbox_select(&p->list.box, &key);
			return TURN_DRAW;
		}
	}
	ui_notice(v->ui, "none in the next 100,000 steps; again to look further");
	listbox_select(&p->list.box, &key);
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

static void to_newest(struct exec_pane *p)
{
	struct list_key key;

	if (!exec_tree_ops.end(p->tree, -1, &key))
		return;
	if (key.v[0] > 0) /* else all there is are messages */
		key = (struct list_key){ { key.v[0], 0, 0, 0 } };
	listbox_select(&p->list.box, &key);
	p->newest = key;
}

static unsigned follow(struct view *v, const char *arg)
{
	struct exec_pane *p = exec_pane_of(v);

	(void)arg;
	p->follow = !p->follow;
	if (p->follow)
		to_newest(p);
	ui_notice(v->ui, p->follow ? "following the newest attempt" : "no longer following");
	return TURN_DRAW;
}

/* ---- the filter ----------------------------------------------------------------------------------------------- */

static void filter_by(struct exec_pane *p, const char *text)
{
	struct err e = { 0 };
	struct list_filter *f = list_filter_new(text, &e);

	if (e.code != ERR_NONE) {
		ui_error(p->view.ui, "%s", e.msg);
		return;
	}
	exec_steps_filter(exec_tree_steps(p->tree), f);
	listbox_validate(&p->list.box);
	ui_notice(p->view.ui, f ? "only steps that fit; Esc shows all" : "all steps");
}

static void filter_asked(void *ctx, const char *text)
{
	struct ui *ui = ctx;

	ui->after_prompt |= ui_command(ui, CMD_FILTER, text);
}

static void filter_complete(void *ctx, const char *text, struct strv *out)
{
	(void)ctx;
	list_filter_complete(text, out);
}

static unsigned filter(struct view *v, const char *arg)
{
	static const struct prompt_ops ask = { .label = "filter (Tab offers): ", .kind = PROMPT_TEXT, .complete = filter_complete, .done = filter_asked };
	struct exec_pane *p = exec_pane_of(v);
	const struct list_filter *now = exec_steps_filter_of(exec_tree_steps(p->tree));

	if (arg)
		filter_by(p, arg);
	else
		ui_ask(v->ui, &ask, v->ui, now ? list_filter_text(now) : NULL, HISTORY_FILTER);
	return TURN_DRAW;
}

/* Once the highlight is gone, what the filter left out comes back. */
static unsigned escape(struct view *v, const char *arg)
{
	struct exec_pane *p = exec_pane_of(v);

	(void)arg;
	if (p->list.search || !exec_steps_filter_of(exec_tree_steps(p->tree)))
		return TURN_UNHANDLED;
	filter_by(p, "");
	return TURN_DRAW;
}

static void execution_title(struct view *v, struct buf *left, struct buf *right)
{
	const struct list_filter *now = exec_steps_filter_of(exec_tree_steps(exec_pane_of(v)->tree));

	(void)right;
	if (now)
		buf_addf(left, " · %s", list_filter_text(now));
}

/* ---- the view ------------------------------------------------------------------------------------------------------ */

static unsigned execution_changed(struct view *v, int64_t attempt)
{
	struct exec_pane *p = exec_pane_of(v);

	exec_tree_changed(p->tree, attempt);
	listbox_validate(&p->list.box);
	p->follow = p->follow && listbox_key_equal(&p->newest, &p->list.box.cursor);
	if (p->follow)
		to_newest(p);
	return TURN_DRAW;
}

/* Time goes on, and what runs uses more or less than a second ago. */
static unsigned execution_tick(struct view *v)
{
	struct exec_pane *p = exec_pane_of(v);
	const struct load *l;

	for (size_t i = 0; (l = loads_at(p->context.loads, i)); i++)
		exec_tree_refresh(p->tree, l->attempt);
	return TURN_DRAW;
}

static void execution_free(struct view *v)
{
	struct exec_pane *p = exec_pane_of(v);

	listview_done(&p->list);
	exec_tree_free(p->tree);
	free(p);
}

static const struct listview_ops list_ops = {
	.draw_row = exec_draw_row, .holds = exec_holds, .all = &exec_tree_all_ops, .land = exec_land, .marker = exec_on_marker,
	.hold = exec_hold, .where = "in any of these steps; S searches the whole record",
};

static const struct view_action actions[] = {
	{ CMD_OPEN, open_row }, { CMD_UNFOLD, unfold }, { CMD_FOLD, fold }, { CMD_UNFOLD_ALL, unfold_all },
	{ CMD_FOLD_ALL, fold_all }, { CMD_NEXT_STEP, next_step }, { CMD_PREV_STEP, prev_step },
	{ CMD_NEXT_FAILED, next_failed }, { CMD_PREV_FAILED, prev_failed }, { CMD_FOLLOW, follow },
	{ CMD_FILTER, filter }, { CMD_ESCAPE, escape }, { CMD_NONE, NULL },
};

static const struct view_hint hints[] = {
	{ CMD_REPEAT, "repeat" }, { CMD_RERUN, "rerun" }, { CMD_EDIT, "edit" }, { CMD_ADD, "add" }, { CMD_STOP, "stop" },
	{ CMD_SEARCH, "search" }, { CMD_HELP, "help" }, { CMD_NONE, NULL },
};

static struct listview *execution_list(struct view *v)
{
	return &exec_pane_of(v)->list;
}

static const struct view_ops ops = {
	.name = "Execution", .list = execution_list, .place = PLACE_LIST, .actions = actions, .hints = hints, .draw = execution_draw, .title = execution_title,
	.changed = execution_changed, .tick = execution_tick, .subject = exec_subject, .free = execution_free,
};

struct view *pane_execution_new(struct ui *ui)
{
	struct exec_pane *p = xcalloc(1, sizeof(*p));

	p->view = (struct view){ .ops = &ops, .ui = ui };
	p->context = pane_sections(ui);
	p->tree = exec_tree_new(p->context);
	listview_init(&p->list, &list_ops, &exec_tree_ops, p->tree);
	p->hit.start = -1;
	return &p->view;
}

void pane_execution_select(struct view *v, int64_t attempt, bool unfold)
{
	struct exec_pane *p = exec_pane_of(v);
	struct list_key key;

	if (!exec_tree_find(p->tree, attempt, &key))
		return;
	listbox_select(&p->list.box, &key);
	if (unfold && exec_tree_attempt(p->tree, attempt)->detail.attempt.check == 0)
		set_fold(p, true);
}

void pane_execution_goto(struct view *v, int64_t step)
{
	struct exec_pane *p = exec_pane_of(v);
	struct list_key key = { { step, 0, 0, 0 } };

	if (!exec_tree_item(p->tree, &key)) {
		ui_notice(v->ui, "there is no step %lld", (long long)step);
		return;
	}
	listbox_select(&p->list.box, &key);
}

/* ---- the next visit ------------------------------------------------------------------------------------------------- */

static void add_key(const struct list_key *key, const char *word, struct buf *out)
{
	buf_addf(out, "%s %lld %lld %lld %lld\n", word, (long long)key->v[0], (long long)key->v[1], (long long)key->v[2],
	         (long long)key->v[3]);
}

void pane_execution_visit(struct view *v, struct buf *out)
{
	struct exec_pane *p = exec_pane_of(v);
	const struct list_filter *f = exec_steps_filter_of(exec_tree_steps(p->tree));
	const struct list_key *key;

	if (f)
		buf_addf(out, "filter %s\n", list_filter_text(f));
	for (size_t i = 0; (key = exec_tree_unfolded_at(p->tree, i)) && i < 2000; i++)
		add_key(key, "unfolded", out);
	if (p->list.box.placed)
		add_key(&p->list.box.cursor, "cursor", out);
}

void pane_execution_revisit(struct view *v, const char *line)
{
	struct exec_pane *p = exec_pane_of(v);
	long long n[4];
	char word[16];

	if (strncmp(line, "filter ", 7) == 0) {
		exec_steps_filter(exec_tree_steps(p->tree), list_filter_new(line + 7, NULL));
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
		listbox_select(&p->list.box, &key);
		for (int i = 0; i < 6 && exec_tree_ops.step(p->tree, &p->list.box.top, -1); i++)
			; /* with what stands above it */
		listbox_validate(&p->list.box);
	}
}
