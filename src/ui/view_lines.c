/*
 * Matching lines (f in the pager): only those of the text below that fit an expression, each with its number,
 * found in slices while no key waits. Enter goes to the line in the pager.
 */
#include <stdlib.h>
#include <string.h>

#include "pager.h"

#define SLICE ((int64_t)4 << 20) /* bytes searched per turn */
#define LINES_KEPT 1000000       /* more are counted */

struct lines_view {
	struct view view;
	struct pager *pager;    /* below this view */
	struct search *search;
	char *pattern;
	int64_t *found;         /* owned: a place in each line */
	size_t cap;
	int64_t left_out;
	struct list_array rows;
	struct listview list;
	struct range todo;      /* what was not looked at */
	struct search_sum sum;
	bool over;
};

static struct lines_view *lines_of(struct view *v)
{
	return (struct lines_view *)v;
}

static struct text_view *text_of(struct lines_view *v)
{
	return &v->pager->text;
}

/* ---- finding --------------------------------------------------------------------------------------------- */

static void note_line(struct lines_view *v, int64_t pos)
{
	if (v->rows.n == LINES_KEPT) {
		v->left_out++;
		return;
	}
	v->found = grow(v->found, v->rows.n, &v->cap, sizeof(*v->found));
	v->found[v->rows.n++] = pos;
	if (!v->list.box.placed)
		listbox_end(&v->list.box, 1);
}

/* One slice; each line counts once. */
static void look(struct lines_view *v)
{
	struct text_view *t = text_of(v);
	int64_t until = MIN(v->todo.start + SLICE, v->todo.end);
	struct range hit;

	text_feed(t, SLICE);
	while (v->todo.start < until) {
		struct range part = { v->todo.start, until };
		struct line line;

		if (search_range(v->search, t->window, &part, false, 0, &hit, &v->sum) != SEARCH_HIT) {
			v->todo.start = until;
			break;
		}
		note_line(v, hit.start);
		v->todo.start = lines_get(t->lines, t->window, hit.start, t->size, &line) && line.next >= 0 ? line.next : v->todo.end;
	}
	v->over = v->todo.start >= v->todo.end;
}

static unsigned lines_idle(struct view *view, bool *more)
{
	struct lines_view *v = lines_of(view);
	size_t before = v->rows.n;

	if (v->over)
		return TURN_NOTHING;
	look(v);
	*more = *more || !v->over;
	return v->over || before != v->rows.n ? TURN_DRAW : TURN_NOTHING;
}

/* ---- drawing --------------------------------------------------------------------------------------------- */

static void draw_line(struct view *view, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	struct lines_view *v = lines_of(view);
	struct text_view *t = text_of(v);
	struct text_paint paint = { .text = t, .kind = v->pager->kind, .py = &v->pager->py, .search = v->search, .current = { -1, -1 },
		.chosen = { -1, -1 } };
	int64_t pos = v->found[key->v[0]], number = lines_number(t->lines, t->window, pos), col;
	struct text_row row;

	if (number >= 0)
		canvas_textf(c, r, r.x, y, PEN(ROLE_NUMBER), "%8lld", (long long)number + 1);
	if (!rows_at(&t->rows, pos, &row))
		return;
	/* the match is to be seen, even in a long line */
	col = rows_col(&t->rows, &row, pos);
	text_paint_row(&paint, c, r, r.x + 10, y, r.w - 10, &row, MAX(0, col - (r.w - 10) * 2 / 3), PEN(ROLE_NORMAL));
}

/* Lines stand unwrapped here, with all their states, as any may be the one that matches. */
static void lines_draw(struct view *view, struct canvas *c, struct rect r)
{
	struct lines_view *v = lines_of(view);
	struct rows *rows = pager_rows(v->pager);
	bool wrap = rows->wrap, states = rows->states;
	int cols = rows->cols;

	rows->wrap = false;
	rows->states = true;
	rows_forget(rows);
	if (listview_draw(view, &v->list, c, r) == 0)
		canvas_fit(c, r, r.x + 1, r.y, r.w - 1, PEN(ROLE_DIM), v->over ? "no line matches" : "looking …");
	rows->wrap = wrap;
	rows->states = states;
	rows->cols = cols;
	rows_forget(rows);
}

static void lines_title(struct view *view, struct buf *left, struct buf *right)
{
	struct lines_view *v = lines_of(view);
	long long n = (long long)v->rows.n + v->left_out;

	buf_addf(left, "%s · lines that match ", v->pager->title);
	buf_adds(left, v->pattern);
	if (!v->over)
		buf_adds(right, "looking … ");
	buf_addf(right, "%lld line%s", n, n == 1 ? "" : "s");
	if (v->left_out)
		buf_addf(right, ", the first %d listed", LINES_KEPT);
	if (v->sum.undecided)
		buf_addf(right, " · %lld undecided", (long long)v->sum.undecided);
}

/* ---- keys ------------------------------------------------------------------------------------------------ */

static bool here(const struct lines_view *v, int64_t *pos)
{
	int64_t i = v->list.box.cursor.v[0];

	if (!v->list.box.placed || i < 0 || i >= (int64_t)v->rows.n)
		return false;
	*pos = v->found[i];
	return true;
}

static unsigned open_line(struct view *view, const char *arg)
{
	struct lines_view *v = lines_of(view);
	struct pager *p = v->pager;
	int64_t pos;

	(void)arg;
	if (!here(v, &pos))
		return TURN_NOTHING;
	pager_search_from(p, v->pattern, pos);
	return TURN_CLOSE;
}

static unsigned cancel(struct view *view, const char *arg)
{
	struct lines_view *v = lines_of(view);

	(void)arg;
	if (v->over)
		return TURN_UNHANDLED;
	v->over = true;
	ui_notice(view->ui, "cancelled; what was found stays");
	return TURN_DRAW;
}

static bool lines_subject(struct view *view, struct subject *out)
{
	struct lines_view *v = lines_of(view);
	struct view *below = &v->pager->view;
	int64_t pos, line;

	if (!below->ops->subject(below, out))
		return false;
	line = here(v, &pos) ? lines_number(text_of(v)->lines, text_of(v)->window, pos) : -1;
	if ((out->section || out->path) && line >= 0)
		out->line = line + 1;
	return true;
}

/* The pager, which lies below, took the news already. */
static unsigned lines_changed(struct view *view, int64_t attempt)
{
	struct lines_view *v = lines_of(view);

	(void)attempt;
	if (text_of(v)->size <= v->todo.end)
		return TURN_NOTHING;
	v->todo.end = text_of(v)->size;
	v->over = false;
	return TURN_DRAW;
}

static struct listview *lines_list(struct view *v)
{
	return &lines_of(v)->list;
}

static void lines_view_free(struct view *view)
{
	struct lines_view *v = lines_of(view);

	search_free(v->search);
	free(v->pattern);
	free(v->found);
	listview_done(&v->list);
	free(v);
}

static const struct listview_ops list_ops = { .draw_row = draw_line };

static const struct view_action actions[] = { { CMD_OPEN, open_line }, { CMD_CANCEL, cancel }, { CMD_NONE, NULL } };

static const struct view_hint hints[] = {
	{ CMD_OPEN, "go to the line" }, { CMD_NOTE, "note" }, { CMD_CANCEL, "cancel" }, { CMD_BACK, "all lines" }, { CMD_HELP, "help" },
	{ CMD_NONE, NULL },
};

static const struct view_ops ops = {
	.name = "Matching lines", .place = PLACE_LIST, .actions = actions, .list = lines_list, .hints = hints, .draw = lines_draw,
	.title = lines_title, .changed = lines_changed, .idle = lines_idle, .subject = lines_subject,
	.free = lines_view_free,
};

/* ---- f --------------------------------------------------------------------------------------------------- */

static void show_lines(struct pager *p, const char *pattern)
{
	struct err e = { 0 };
	struct search *search;
	struct lines_view *v;

	if (p->place.coming) { /* it will be another view */
		ui_notice(p->view.ui, "a reader is still at work on it");
		return;
	}
	search = search_compile(pattern, strlen(pattern), 0, NULL, &e);
	if (!search) {
		ui_error(p->view.ui, "%s", e.msg);
		return;
	}
	v = xcalloc(1, sizeof(*v));
	v->view = (struct view){ .ops = &ops, .ui = p->view.ui };
	v->pager = p;
	v->search = search;
	v->pattern = xstrdup(pattern);
	v->todo = (struct range){ 0, p->text.size };
	v->over = p->text.size == 0;
	listview_init(&v->list, &list_ops, &list_array_ops, &v->rows);
	if (!v->over)
		look(v);
	ui_push(p->view.ui, &v->view);
}

/* Meanwhile the pager may have become another view. */
static void asked(void *ctx, const char *pattern)
{
	struct ui *ui = ctx;

	ui->after_prompt |= ui_command(ui, CMD_FILTER_LINES, pattern);
}

static const struct prompt_ops ask = { .label = "only lines that match: ", .kind = PROMPT_TEXT, .done = asked };

unsigned pager_filter_lines(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);

	if (arg && *arg)
		show_lines(p, arg);
	else if (!arg)
		ui_ask(v->ui, &ask, v->ui, NULL, HISTORY_SEARCH);
	return TURN_DRAW;
}
