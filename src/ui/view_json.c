/*
 * A JSON file as a tree that folds: every value as it stands in the file. Enter on a value opens it full
 * screen, Tab goes on to the other ways of looking at the file.
 */
#include <stdlib.h>
#include <string.h>

#include "look.h"
#include "text.h"
#include "text/jsontree.h"
#include "text/search.h"

#define INDENT 2
#define INDENT_MOST 40 /* cells; deeper rows stand below each other */
#define FOLD_AT 200    /* rows of a file that is shown unfolded at first */

struct json_view {
	struct view view;
	struct looked_file file;
	struct json_tree tree;
	struct listview list;
	char *name;             /* "7.2 limits.json" */
	struct file_place place;
};

static struct json_view *json_of(struct view *v)
{
	return (struct json_view *)v;
}

static size_t row_here(const struct json_view *v)
{
	return (size_t)v->list.box.cursor.v[0];
}

static struct json_row *current(struct json_view *v)
{
	return &v->tree.rows[row_here(v)];
}

/* ---- the list -------------------------------------------------------------------------------------------- */

static bool list_end(void *ctx, int dir, struct list_key *out)
{
	const struct json_view *v = ctx;

	*out = (struct list_key){ { dir > 0 ? 0 : (int64_t)json_tree_last(&v->tree), 0, 0, 0 } };
	return true;
}

static bool list_step(void *ctx, struct list_key *key, int dir)
{
	const struct json_view *v = ctx;
	size_t row = (size_t)key->v[0];

	if (!json_tree_step(&v->tree, &row, dir))
		return false;
	key->v[0] = (int64_t)row;
	return true;
}

static int list_compare(void *ctx, const struct list_key *a, const struct list_key *b)
{
	(void)ctx;
	return (a->v[0] > b->v[0]) - (a->v[0] < b->v[0]);
}

static const struct list_ops rows_ops = { .end = list_end, .step = list_step, .compare = list_compare };

/* Folded ones, too. */
static bool any_end(void *ctx, int dir, struct list_key *out)
{
	const struct json_view *v = ctx;

	*out = (struct list_key){ { dir > 0 ? 0 : (int64_t)v->tree.n - 1, 0, 0, 0 } };
	return true;
}

static bool any_step(void *ctx, struct list_key *key, int dir)
{
	const struct json_view *v = ctx;
	int64_t row = key->v[0] + dir;

	if (row < 0 || row >= (int64_t)v->tree.n)
		return false;
	key->v[0] = row;
	return true;
}

static const struct list_ops any_ops = { .end = any_end, .step = any_step, .compare = list_compare };

static void stand_at(struct json_view *v, size_t row)
{
	listview_go(&v->view, &v->list, &(struct list_key){ { (int64_t)row, 0, 0, 0 } });
}

/* ---- drawing --------------------------------------------------------------------------------------------- */

static enum role value_role(const struct json_row *r)
{
	return r->kind == '"' ? ROLE_STRING : r->kind == 'n' ? ROLE_LITERAL : ROLE_DIM;
}

static void draw_row(struct view *view, const struct list_key *key, struct canvas *c, struct rect area, int y)
{
	const struct json_view *v = json_of(view);
	const struct json_row *r = &v->tree.rows[key->v[0]];
	const char *text = v->file.bytes.data;
	int x = area.x + 1 + MIN(INDENT * r->depth, INDENT_MOST);
	bool whole = r->kind == '{' || r->kind == '[';

	if (json_row_folds(r))
		canvas_text(c, area, x, y, PEN(ROLE_DIM), r->folded ? "▸" : "▾");
	x += 2;
	if (r->named) {
		x = canvas_bytes(c, area, x, y, PEN(ROLE_NAME), text + r->key_start, r->key_len);
		x = canvas_text(c, area, x, y, PEN(ROLE_DIM), ": ");
	}
	if (whole)
		canvas_textf(c, area, x, y, PEN(ROLE_DIM), r->kind == '{' ? "{%u}" : "[%u]", r->count);
	else
		canvas_bytes(c, area, x, y, PEN(value_role(r)), text + r->start, r->len);
}

static void json_draw(struct view *view, struct canvas *c, struct rect r)
{
	listview_draw(view, &json_of(view)->list, c, r);
}

static void json_title(struct view *view, struct buf *left, struct buf *right)
{
	struct json_view *v = json_of(view);
	struct buf path = { 0 };

	json_tree_path(&v->tree, v->file.bytes.data, row_here(v), &path);
	buf_addf(left, "%s · JSON   ", v->name);
	escape_name(left, path.data, path.len);
	buf_addf(right, "%zu value%s", v->tree.n, v->tree.n == 1 ? "" : "s");
	buf_free(&path);
}

/* ---- keys ------------------------------------------------------------------------------------------------ */

static void fold(struct json_view *v, bool folded)
{
	current(v)->folded = folded;
	listbox_validate(&v->list.box);
}

/* A leaf full screen. */
static unsigned open_value(struct json_view *v)
{
	const struct json_row *r = current(v);
	struct buf title = { 0 }, path = { 0 };
	struct err e = { 0 };

	json_tree_path(&v->tree, v->file.bytes.data, row_here(v), &path);
	buf_addf(&title, "%s  ", v->name);
	escape_name(&title, path.data, path.len);
	struct pager_spec spec = { .attempt = v->place.attempt, .text = v->file.bytes.data + r->start, .text_len = r->len, .title = title.data };
	struct view *opened = view_pager_new(v->view.ui, &spec, &e);
	if (opened)
		ui_push(v->view.ui, opened);
	else
		ui_error(v->view.ui, "%s", e.msg);
	buf_free(&title);
	buf_free(&path);
	return TURN_DRAW;
}

static unsigned open_row(struct view *view, const char *arg)
{
	struct json_view *v = json_of(view);

	(void)arg;
	if (!v->list.box.placed)
		return TURN_NOTHING;
	if (!json_row_folds(current(v)))
		return open_value(v);
	if (listview_is_filtered(&v->list)) { /* what is in it is to be seen */
		listview_filter(view, &v->list, "");
		return TURN_DRAW;
	}
	fold(v, !current(v)->folded);
	return TURN_DRAW;
}

static unsigned unfold_row(struct view *view, const char *arg)
{
	(void)arg;
	fold(json_of(view), false);
	return TURN_DRAW;
}

static unsigned fold_row(struct view *view, const char *arg)
{
	struct json_view *v = json_of(view);
	const struct json_row *r = current(v);

	(void)arg;
	if (json_row_folds(r) && !r->folded)
		fold(v, true);
	else
		stand_at(v, r->parent);
	return TURN_DRAW;
}

static unsigned unfold_all(struct view *view, const char *arg)
{
	struct json_view *v = json_of(view);

	(void)arg;
	json_tree_fold_all(&v->tree, row_here(v), false);
	listbox_validate(&v->list.box);
	return TURN_DRAW;
}

static unsigned fold_all(struct view *view, const char *arg)
{
	struct json_view *v = json_of(view);
	size_t row = row_here(v);

	(void)arg;
	while (v->tree.rows[row].depth > 1)
		row = v->tree.rows[row].parent;
	json_tree_fold_all(&v->tree, 0, true);
	stand_at(v, row);
	return TURN_DRAW;
}

/* The next value (1) or the one before (-1) of the same parent. */
static unsigned go_sibling(struct json_view *v, int dir)
{
	size_t row = row_here(v), to = row, parent = v->tree.rows[row].parent;

	if (dir > 0 && v->tree.rows[row].next < v->tree.rows[parent].next)
		to = v->tree.rows[row].next;
	for (size_t i = parent + 1; dir < 0 && i < row; i = v->tree.rows[i].next)
		to = i;
	stand_at(v, to);
	return TURN_DRAW;
}

static unsigned next_sibling(struct view *v, const char *arg)
{
	(void)arg;
	return go_sibling(json_of(v), 1);
}

static unsigned prev_sibling(struct view *v, const char *arg)
{
	(void)arg;
	return go_sibling(json_of(v), -1);
}

static unsigned next_look(struct view *v, const char *arg)
{
	(void)arg;
	return look_switch(v, &json_of(v)->place, 1);
}

static unsigned prev_look(struct view *v, const char *arg)
{
	(void)arg;
	return look_switch(v, &json_of(v)->place, -1);
}

static unsigned copy_value(struct view *view, const char *arg)
{
	struct json_view *v = json_of(view);
	const struct json_row *r = current(v);

	(void)arg;
	ui_copy(view->ui, v->file.bytes.data + r->start, r->len, "the value");
	return TURN_DRAW;
}

/* ---- search ---------------------------------------------------------------------------------------------- */

/* Names and values, folded ones too: what is found is unfolded. */
static enum row_answer holds(struct view *view, const struct list_key *key, struct search *search)
{
	const struct json_view *v = json_of(view);
	const struct json_row *r = &v->tree.rows[key->v[0]];
	const char *text = v->file.bytes.data;
	bool leaf = r->kind != '{' && r->kind != '[';
	enum row_answer answer = r->named ? row_has(search, text + r->key_start, r->key_len) : ROW_LACKS;

	if (answer == ROW_LACKS && leaf)
		answer = row_has(search, text + r->start, r->len);
	return answer;
}

static void land(struct view *view, const struct list_key *key)
{
	struct json_view *v = json_of(view);

	json_tree_show(&v->tree, (size_t)key->v[0]);
	stand_at(v, (size_t)key->v[0]);
}

static const struct listview_ops list_ops = { .draw_row = draw_row, .holds = holds, .all = &any_ops, .land = land, .where = "in this file",
	.filters = true };

/* ---- the rest -------------------------------------------------------------------------------------------- */

static bool json_subject(struct view *view, struct subject *out)
{
	struct json_view *v = json_of(view);
	struct buf path = { 0 };

	if (!file_place_subject(&v->place, out))
		return false;
	if (v->list.box.placed)
		json_tree_path(&v->tree, v->file.bytes.data, row_here(v), &path);
	if (path.len > 1 && path.len < sizeof(out->cell)) /* the whole of it is the file */
		memcpy(out->cell, path.data, path.len + 1);
	buf_free(&path);
	return true;
}

static struct listview *json_list(struct view *v)
{
	return &json_of(v)->list;
}

static void json_view_free(struct view *view)
{
	struct json_view *v = json_of(view);

	json_tree_free(&v->tree);
	look_free(&v->file);
	listview_done(&v->list);
	free(v->name);
	file_place_free(&v->place);
	free(v);
}

/* Tab looks on here, too, though the other keys are those of lists. */
static const struct view_action actions[] = {
	{ CMD_OPEN, open_row }, { CMD_UNFOLD, unfold_row }, { CMD_FOLD, fold_row }, { CMD_UNFOLD_ALL, unfold_all }, { CMD_FOLD_ALL, fold_all },
	{ CMD_NEXT_STEP, next_sibling }, { CMD_PREV_STEP, prev_sibling }, { CMD_NEXT_PANE, next_look }, { CMD_PREV_PANE, prev_look },
	{ CMD_NEXT_LOOK, next_look }, { CMD_PREV_LOOK, prev_look }, { CMD_COPY, copy_value }, { CMD_NONE, NULL },
};

static const struct view_hint hints[] = {
	{ CMD_OPEN, "fold, open" }, { CMD_UNFOLD_ALL, "unfold all" }, { CMD_FOLD_ALL, "fold all" }, { CMD_NEXT_PANE, "text, hex" },
	{ CMD_SEARCH, "search" }, { CMD_BACK, "back" }, { CMD_HELP, "help" }, { CMD_NONE, NULL },
};

static const struct view_ops ops = {
	.name = "JSON", .place = PLACE_LIST, .actions = actions, .list = json_list, .hints = hints, .draw = json_draw, .title = json_title,
	.subject = json_subject, .free = json_view_free,
};

static bool is_json(const struct looked_file *f)
{
	struct json_value *value = f->cut || f->bytes.len == 0 ? NULL : json_read(f->bytes.data, f->bytes.len, NULL);

	json_free(value);
	return value != NULL;
}

struct view *view_json_new(struct ui *ui, const struct pager_spec *spec, struct looked_file *f)
{
	struct json_tree tree = { 0 };
	struct json_view *v;

	if (!is_json(f) || !json_tree_read(f->bytes.data, f->bytes.len, &tree)) {
		look_free(f);
		return NULL;
	}
	v = xcalloc(1, sizeof(*v));
	v->view = (struct view){ .ops = &ops, .ui = ui };
	v->file = *f;
	v->tree = tree;
	v->place = file_place_of(spec);
	v->place.look = LOOK_JSON;
	v->name = look_title(ui, &v->place);
	if (v->tree.n > FOLD_AT)
		json_tree_fold_all(&v->tree, 0, true);
	listview_init(&v->list, &list_ops, &rows_ops, v);
	stand_at(v, 0);
	return &v->view;
}
