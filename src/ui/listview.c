/* Rows on the screen, the mouse on them, and the search along them. */
#include "listview.h"

#include <stdlib.h>
#include <string.h>

#include "screen.h"

#define SLICE 200     /* rows that one slice of a search looks at */
#define WHEEL_ROWS 3

void listview_init(struct listview *l, const struct listview_ops *ops, const struct list_ops *rows, void *ctx)
{
	*l = (struct listview){ .ops = ops };
	listbox_init(&l->box, rows, ctx);
}

void listview_done(struct listview *l)
{
	listview_filter_free(l);
	search_free(l->search);
	free(l->pattern);
	free(l->keys);
}

/* ---- drawing and the mouse ------------------------------------------------------------------------------- */

size_t listview_draw(struct view *v, struct listview *l, struct canvas *c, struct rect r)
{
	while ((int)l->keys_cap < r.h)
		l->keys = grow(l->keys, l->keys_cap, &l->keys_cap, sizeof(*l->keys));
	l->keys_n = listbox_rows(&l->box, r.h, l->keys);
	l->y = r.y;
	if (listview_filter_none(l)) {
		canvas_fit(c, r, r.x + 2, r.y, r.w - 3, PEN(ROLE_DIM), listview_filter_none(l));
		return 1;
	}
	for (size_t i = 0; i < l->keys_n; i++) {
		int y = r.y + (int)i;

		l->ops->draw_row(v, &l->keys[i], c, r, y);
		if (!listbox_key_equal(&l->keys[i], &l->box.cursor))
			continue;
		if (l->ops->keeps_look && l->ops->keeps_look(v, &l->keys[i]))
			canvas_put(c, r, r.x, y, ">", 1, 1, PEN(ROLE_NORMAL));
		else
			view_mark_row(v, c, r, y);
	}
	return l->keys_n;
}

unsigned listview_mouse(struct view *v, struct listview *l, const struct event *ev)
{
	int i = ev->y - l->y;

	if (ev->action == MOUSE_WHEEL_UP || ev->action == MOUSE_WHEEL_DOWN) {
		listbox_scroll(&l->box, ev->action == MOUSE_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS);
		return TURN_DRAW;
	}
	if (ev->action != MOUSE_PRESS || ev->button != 1 || i < 0 || (size_t)i >= l->keys_n)
		return TURN_NOTHING;
	bool again = listbox_key_equal(&l->keys[i], &l->box.cursor);
	bool marker = l->ops->marker && l->ops->marker(v, &l->keys[i], ev->x);
	listbox_select(&l->box, &l->keys[i]);
	if ((!again && !marker) || l->ops->acts)
		return TURN_DRAW;
	return ui_command(v->ui, v->ops->place == PLACE_LIST ? CMD_OPEN : v->ops->place == PLACE_DIFF ? CMD_OPEN_PLACE : CMD_LINK, NULL);
}

/* ---- searching --------------------------------------------------------------------------------------------- */

enum row_answer row_has(struct search *s, const char *p, size_t n)
{
	struct match m;
	enum search_answer answer = p ? search_line(s, p, n, 0, &m) : SEARCH_NONE;

	return answer == SEARCH_HIT ? ROW_HOLDS : answer == SEARCH_UNDECIDED ? ROW_UNDECIDED : ROW_LACKS;
}

/* With a filter, what it leaves on the screen. */
static const struct list_ops *searched(const struct listview *l)
{
	return l->ops->all && !l->filter ? l->ops->all : l->box.ops;
}

static unsigned land(struct view *v, struct listview *l)
{
	l->hunt.on = false;
	if (l->hunt.wrapped)
		ui_notice(v->ui, l->hunt.dir > 0 ? "search went on from the beginning" : "search went on from the end");
	if (l->ops->land && !(l->filter && l->ops->all))
		l->ops->land(v, &l->hunt.at);
	else
		listbox_select(&l->box, &l->hunt.at);
	return TURN_DRAW;
}

static unsigned end_without(struct view *v, struct listview *l)
{
	l->hunt.on = false;
	if (l->hunt.undecided)
		ui_notice(v->ui, "'%s' was not found, but the expression is too costly for %lld row%s: undecided", l->pattern,
		          (long long)l->hunt.undecided, l->hunt.undecided == 1 ? "" : "s");
	else
		ui_notice(v->ui, "'%s' is not %s%s", l->pattern, l->ops->where, l->filter ? "; Esc ends the filter" : "");
	return TURN_DRAW;
}

/* The next row to look at; false: all were. */
static bool next_row(struct listview *l)
{
	const struct list_ops *ops = searched(l);
	bool there = ops->step(l->box.ctx, &l->hunt.at, l->hunt.dir);

	if (!there && !l->hunt.wrapped) {
		l->hunt.wrapped = true;
		there = ops->end(l->box.ctx, l->hunt.dir, &l->hunt.at);
	}
	return there && !(l->hunt.wrapped && ops->compare(l->box.ctx, &l->hunt.at, &l->hunt.from) * l->hunt.dir > 0);
}

/* The rows of one slice. */
static unsigned hunt_rows(struct view *v, struct listview *l)
{
	for (int i = 0; i < SLICE; i++) {
		enum row_answer answer;

		if (!l->hunt.again && !next_row(l))
			return end_without(v, l);
		answer = l->ops->holds(v, &l->hunt.at, l->search);
		if (answer == ROW_HOLDS)
			return land(v, l);
		l->hunt.undecided += answer == ROW_UNDECIDED;
		l->hunt.again = answer == ROW_GOES_ON;
		if (l->hunt.again) /* it was a slice by itself */
			break;
	}
	return TURN_NOTHING;
}

static unsigned hunt(struct view *v, struct listview *l)
{
	if (l->ops->hold)
		l->ops->hold(v, true);
	unsigned mask = hunt_rows(v, l);
	if (l->ops->hold)
		l->ops->hold(v, false);
	return mask;
}

static unsigned search_go(struct view *v, struct listview *l, int dir)
{
	if (!l->search) {
		ui_notice(v->ui, "nothing to search for: / begins a search");
		return TURN_DRAW;
	}
	if (!l->box.placed)
		return end_without(v, l);
	l->hunt.on = true;
	l->hunt.wrapped = l->hunt.again = false;
	l->hunt.undecided = 0;
	l->hunt.dir = dir;
	l->hunt.from = l->hunt.at = l->box.cursor;
	hunt(v, l);
	if (l->hunt.on)
		ui_notice(v->ui, "searching for '%s' … Ctrl-C ends it", l->pattern);
	return TURN_DRAW;
}

void listview_search(struct view *v, struct listview *l, const char *pattern)
{
	struct err e = { 0 };

	search_free(l->search);
	free(l->pattern);
	l->pattern = xstrdup(pattern);
	l->searches++;
	l->hunt.on = false;
	l->search = *pattern ? search_compile(pattern, strlen(pattern), 0, NULL, &e) : NULL;
	if (l->search)
		search_go(v, l, 1);
	else if (*pattern)
		ui_error(v->ui, "%s", e.msg);
}

unsigned listview_idle(struct view *v, struct listview *l, bool *more)
{
	unsigned mask = l->hunt.on ? hunt(v, l) : TURN_NOTHING;

	*more = *more || l->hunt.on;
	return mask | listview_filter_idle(v, l, more);
}

static unsigned cancel(struct view *v, struct listview *l)
{
	if (!l->hunt.on)
		return listview_filter_cancel(v, l);
	l->hunt.on = false;
	ui_notice(v->ui, "the search was cancelled");
	return TURN_DRAW;
}

/* What was searched for first, then the filter. */
static unsigned escape(struct view *v, struct listview *l)
{
	if (!l->search && !l->filter)
		return TURN_UNHANDLED;
	if (!l->search) {
		listview_filter(v, l, "");
		return TURN_DRAW;
	}
	search_free(l->search);
	l->search = NULL;
	l->hunt.on = false;
	return TURN_DRAW;
}

/* ---- keys ------------------------------------------------------------------------------------------------------ */

/* Rows that a key moves by; pages take the screen along. */
static bool move(struct listbox *b, enum command id)
{
	int half = MAX(1, b->height / 2);

	switch (id) {
	case CMD_DOWN:
	case CMD_UP:
		listbox_move(b, id == CMD_DOWN ? 1 : -1);
		return true;
	case CMD_PAGE_DOWN:
	case CMD_PAGE_UP:
		listbox_page(b, id == CMD_PAGE_DOWN ? b->height : -b->height);
		return true;
	case CMD_HALF_DOWN:
	case CMD_HALF_UP:
		listbox_page(b, id == CMD_HALF_DOWN ? half : -half);
		return true;
	case CMD_FIRST:
	case CMD_LAST:
		listbox_end(b, id == CMD_FIRST ? 1 : -1);
		return true;
	default:
		return false;
	}
}

void listview_go(struct view *v, struct listview *l, const struct list_key *key)
{
	if (!listview_keeps(l, key))
		listview_filter(v, l, "");
	listbox_select(&l->box, key);
}

unsigned listview_command(struct view *v, struct listview *l, enum command id, const char *arg)
{
	if (move(&l->box, id)) {
		l->hunt.on = false; /* who goes on by hand is not to be taken elsewhere */
		return TURN_DRAW;
	}
	if (!l->ops->holds)
		return TURN_UNHANDLED;
	switch (id) {
	case CMD_SEARCH_NEXT:
		return search_go(v, l, 1);
	case CMD_SEARCH_PREV:
		return search_go(v, l, -1);
	case CMD_ESCAPE:
		return escape(v, l);
	case CMD_CANCEL:
		return cancel(v, l);
	case CMD_FILTER:
	case CMD_FILTER_LINES:
		return l->ops->filters ? listview_filter_ask(v, l, arg) : TURN_UNHANDLED;
	default:
		return TURN_UNHANDLED;
	}
}
