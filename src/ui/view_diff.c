/* The difference of two attempts: all parts in one list, unified or side by side. */
#include "diffview.h"

#include <stdlib.h>
#include <string.h>

#define BESIDE_COLS 80   /* least for side by side */
#define SIDE_STEP 8
#define NUMBER_COLS 6    /* least cells of a line number */
#define CONTEXT_STEP 3
#define CONTEXT_MOST 10000

/* ---- drawing ---- */

static void draw_line(struct view *v, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	struct diff_view *d = diff_of(v);

	diff_draw_line(d, c, r, y, &d->lines[key->v[0]]);
}

static bool is_picture(struct view *v, const struct list_key *key)
{
	return diff_of(v)->lines[key->v[0]].picture > 0;
}

static enum row_part part_of(struct view *v, const struct list_key *key)
{
	return diff_of(v)->lines[key->v[0]].head ? PART_HEAD : PART_ROW;
}

static const struct listview_ops list_ops = {
	.draw_row = draw_line, .holds = diff_holds, .where = "in this difference", .keeps_look = is_picture, .part = part_of, .filters = true,
};

static struct listview *diff_list(struct view *v)
{
	return &diff_of(v)->list;
}

static void diff_draw(struct view *v, struct canvas *c, struct rect r)
{
	struct diff_view *d = diff_of(v);

	diff_take_size(d, r);
	if (d->beside && r.w < BESIDE_COLS) {
		d->beside = false;
		diff_relayout(d);
		ui_notice(v->ui, "side by side needs %d columns", BESIDE_COLS);
	}
	if (d->failed) {
		canvas_text(c, r, r.x + 1, r.y, PEN(ROLE_ERROR), d->e.msg);
		return;
	}
	if (d->shown.n == 0) {
		canvas_text(c, r, r.x + 1, r.y, PEN(ROLE_DIM), !d->done ? "comparing …" : d->differs ? "stopped" : "nothing differs");
		return;
	}
	(void)listview_draw(v, &d->list, c, r);
}

static void diff_title(struct view *v, struct buf *left, struct buf *right)
{
	struct diff_view *d = diff_of(v);

	if (d->fold_space) /* first: it must be seen however long the rest is */
		buf_adds(left, "[white space ignored] ");
	if (listview_is_filtered(&d->list)) {
		buf_addc(left, '[');
		listview_filter_text(&d->list, left);
		buf_adds(left, "] ");
	}
	if (d->sentence && d->chain)
		buf_addf(left, "Step %s: %s", d->ref[0], d->sentence);
	else if (d->sentence)
		buf_addf(left, "%s -> %s: %s", d->ref[0], d->ref[1], d->sentence);
	else
		buf_adds(left, "Difference");
	if (!d->done)
		buf_adds(right, "comparing … ");
	if (d->side)
		buf_addf(right, "col %lld ", (long long)d->side + 1);
	if (d->shown.n)
		buf_addf(right, "%zu of %zu", diff_cursor(d) + 1, d->shown.n);
}

/* ---- moving ---- */

void diff_go_to_line(struct diff_view *d, size_t line)
{
	if (d->shown.n)
		listbox_select(&d->list.box, &(struct list_key){ { (int64_t)MIN(line, d->shown.n - 1) } });
}

static bool is_change(const struct diff_view *d, size_t i)
{
	const struct diff_line_at *l = &d->lines[i];

	if (l->head)
		return false;
	if (l->left != l->right || l->picture)
		return true;
	uint8_t kind = d->parts[l->part].rows.v[l->left].kind;
	return kind == DIFFROW_REMOVED || kind == DIFFROW_ADDED || kind == DIFFROW_CHANGED;
}

static bool is_change_start(const struct diff_view *d, size_t i)
{
	return is_change(d, i) && (i == 0 || !is_change(d, i - 1));
}

static bool is_head(const struct diff_view *d, size_t i)
{
	return d->lines[i].head;
}

static unsigned find_line(struct view *v, bool (*fits)(const struct diff_view *d, size_t i), int dir, const char *what)
{
	struct diff_view *d = diff_of(v);

	for (int64_t i = (int64_t)diff_cursor(d) + dir; i >= 0 && i < (int64_t)d->shown.n; i += dir) {
		if (!fits(d, (size_t)i))
			continue;
		diff_go_to_line(d, (size_t)i);
		return TURN_DRAW;
	}
	ui_notice(v->ui, "no %s %s", dir > 0 ? "further" : "earlier", what);
	return TURN_DRAW;
}

static unsigned next_hunk(struct view *v, const char *arg)
{
	(void)arg;
	return find_line(v, is_change_start, 1, "difference");
}

static unsigned prev_hunk(struct view *v, const char *arg)
{
	(void)arg;
	return find_line(v, is_change_start, -1, "difference");
}

static unsigned next_file(struct view *v, const char *arg)
{
	(void)arg;
	return find_line(v, is_head, 1, "part");
}

static unsigned prev_file(struct view *v, const char *arg)
{
	(void)arg;
	return find_line(v, is_head, -1, "part");
}

/* ---- ways of looking ---- */

static unsigned toggle_layout(struct view *v, const char *arg)
{
	struct diff_view *d = diff_of(v);

	(void)arg;
	if (!d->beside && v->area.w < BESIDE_COLS) {
		ui_notice(v->ui, "side by side needs %d columns", BESIDE_COLS);
		return TURN_DRAW;
	}
	struct diff_line_at at = d->shown.n ? d->lines[diff_cursor(d)] : (struct diff_line_at){ 0 };
	d->beside = !d->beside;
	diff_relayout(d);
	diff_go_to_same(d, &at);
	return TURN_DRAW;
}

static unsigned side_right(struct view *v, const char *arg)
{
	(void)arg;
	diff_of(v)->side += SIDE_STEP;
	return TURN_DRAW;
}

static unsigned side_left(struct view *v, const char *arg)
{
	(void)arg;
	diff_of(v)->side = MAX(0, diff_of(v)->side - SIDE_STEP);
	return TURN_DRAW;
}

static unsigned toggle_space(struct view *v, const char *arg)
{
	struct diff_view *d = diff_of(v);

	(void)arg;
	d->fold_space = !d->fold_space;
	diff_load(d);
	return TURN_DRAW;
}

static unsigned change_context(struct view *v, int by)
{
	struct diff_view *d = diff_of(v);

	d->context = (uint32_t)MIN(MAX((int64_t)d->context + by, 0), CONTEXT_MOST);
	ui_notice(v->ui, "%u line%s around each difference", d->context, d->context == 1 ? "" : "s");
	diff_load(d);
	return TURN_DRAW;
}

static unsigned more_context(struct view *v, const char *arg)
{
	(void)arg;
	return change_context(v, CONTEXT_STEP);
}

static unsigned less_context(struct view *v, const char *arg)
{
	(void)arg;
	return change_context(v, -CONTEXT_STEP);
}

static unsigned swap(struct view *v, const char *arg)
{
	struct diff_view *d = diff_of(v);
	int64_t left = d->left;

	(void)arg;
	if (d->input || d->chain) {
		ui_notice(v->ui, d->chain ? "a correction stays on the right" : "the file of now stays on the right");
		return TURN_DRAW;
	}
	d->left = d->right;
	d->right = left;
	d->list.box.placed = false;
	d->wanted = 0;
	diff_load(d);
	return TURN_DRAW;
}

static unsigned cancel(struct view *v, const char *arg)
{
	struct diff_view *d = diff_of(v);

	(void)arg;
	if (!d->work)
		return TURN_UNHANDLED;
	diff_load_stop(d);
	d->done = true;
	ui_notice(v->ui, "the comparison was stopped; what is shown may not be all");
	return TURN_DRAW;
}

/* ---- the rest ---- */

/* Of a chain, the correction that the cursor is in. */
static bool chain_subject(const struct diff_view *d, struct subject *out)
{
	out->attempt = d->shown.n ? d->parts[d->lines[diff_cursor(d)].part].right : d->chain;
	return query_ref(d->view.ui->query, out->attempt, out->ref, NULL);
}

static bool diff_subject(struct view *v, struct subject *out)
{
	struct diff_view *d = diff_of(v);

	if (d->chain)
		return chain_subject(d, out);
	out->attempt = d->input ? d->left : d->right;
	snprintf(out->ref, sizeof(out->ref), "%s", d->ref[d->input ? 0 : 1]);
	if (d->shown.n) {
		const struct diff_part *p = &d->parts[d->lines[diff_cursor(d)].part];
		if (p->item.part == COMPARE_FILE && p->item.size[1] >= 0) {
			out->path = xstrdup(p->item.name);
			out->artifact = true;
		}
	}
	return true;
}

static bool is_of_step(struct query *q, int64_t attempt, const char *step)
{
	char ref[REF_TEXT];
	size_t n = strlen(step);

	return n > 0 && attempt > 0 && query_ref(q, attempt, ref, NULL) && strncmp(ref, step, n) == 0 && ref[n] == '.';
}

/* Whether it is another check of what the right one repeats, which may tell why that differs. */
static bool is_beside(const struct diff_view *d, int64_t attempt)
{
	struct detail x;

	if (!d->check || attempt == 0 || !query_detail(d->view.ui->query, attempt, &x, NULL))
		return false;
	bool beside = x.attempt.check_of == d->left && x.end.attempt;
	query_detail_free(&x);
	return beside;
}

/* Attempts that still run grow, and a chain gets longer; what was compared is compared again then. */
static unsigned diff_changed(struct view *v, int64_t attempt)
{
	struct diff_view *d = diff_of(v);
	bool ours = d->chain ? is_of_step(v->ui->query, attempt, d->ref[0]) : attempt == d->left || attempt == d->right;

	if (!d->work && (ours || is_beside(d, attempt)))
		diff_load(d);
	return TURN_NOTHING;
}

static void diff_free_view(struct view *v)
{
	struct diff_view *d = diff_of(v);

	diff_load_stop(d);
	diff_parts_free(d);
	listview_done(&d->list);
	free(d->parts);
	free(d->lines);
	free(d->sentence);
	free(d->input);
	free(d);
}

static const struct view_action actions[] = {
	{ CMD_NEXT_HUNK, next_hunk }, { CMD_PREV_HUNK, prev_hunk }, { CMD_NEXT_FILE, next_file }, { CMD_PREV_FILE, prev_file },
	{ CMD_NEXT_LAYOUT, toggle_layout }, { CMD_PREV_LAYOUT, toggle_layout }, { CMD_SIDE_RIGHT, side_right },
	{ CMD_SIDE_LEFT, side_left }, { CMD_SPACE, toggle_space }, { CMD_CONTEXT, more_context }, { CMD_LESS_CONTEXT, less_context },
	{ CMD_SWAP, swap }, { CMD_CANCEL, cancel }, { CMD_OPEN_PLACE, diff_open_place }, { CMD_COPY, diff_copy_row }, { CMD_NONE, NULL },
};

static const struct view_hint hints[] = {
	{ CMD_BACK, "back" }, { CMD_NEXT_HUNK, "difference" }, { CMD_NEXT_FILE, "part" }, { CMD_NEXT_LAYOUT, "side by side" },
	{ CMD_CONTEXT, "context" }, { CMD_SPACE, "white space" }, { CMD_SWAP, "swap" }, { CMD_OPEN_PLACE, "open" },
	{ CMD_NOTE, "note" }, { CMD_HELP, "help" }, { CMD_NONE, NULL },
};

static const struct view_ops ops = {
	.name = "Difference", .place = PLACE_DIFF, .actions = actions, .list = diff_list, .hints = hints, .draw = diff_draw,
	.title = diff_title, .changed = diff_changed, .subject = diff_subject, .noted = diff_noted, .free = diff_free_view,
};

static struct view *open_view(struct ui *ui, int64_t left, int64_t right, const char *input, int64_t chain)
{
	struct diff_view *d = xcalloc(1, sizeof(*d));

	d->view = (struct view){ .ops = &ops, .ui = ui };
	d->left = left;
	d->right = right;
	d->chain = chain;
	d->input = input ? xstrdup(input) : NULL;
	d->context = 3;
	d->number_cols = NUMBER_COLS;
	listview_init(&d->list, &list_ops, &list_array_ops, &d->shown);
	diff_load(d);
	return &d->view;
}

struct view *view_diff_new(struct ui *ui, int64_t left, int64_t right)
{
	return open_view(ui, left, right, NULL, 0);
}

struct view *view_diff_input_new(struct ui *ui, int64_t attempt, const char *path)
{
	return open_view(ui, attempt, 0, path, 0);
}

struct view *view_corrections_new(struct ui *ui, int64_t attempt)
{
	return open_view(ui, 0, 0, NULL, attempt);
}
