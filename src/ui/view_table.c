/*
 * A table: the names of the columns stay on top (the first record, or letters where that is data), cells are those of
 * the file to the byte, columns as wide as what they hold. A cursor stands on a cell: y copies it, c notes on it,
 * ^ sorts by its column, = counts it.
 */
#include <stdlib.h>
#include <string.h>

#include "tableview.h"
#include "text.h"
#include "text/search.h"

/* ---- keys ------------------------------------------------------------------------------------------------- */

static unsigned move_col(struct view *view, int dir)
{
	struct table_view *v = table_of(view);

	if (dir < 0 && v->col > 0)
		v->col--;
	else if (dir > 0 && v->col + 1 < grid_cols(v->grid))
		v->col++;
	return TURN_DRAW;
}

static unsigned col_right(struct view *v, const char *arg)
{
	(void)arg;
	return move_col(v, 1);
}

static unsigned col_left(struct view *v, const char *arg)
{
	(void)arg;
	return move_col(v, -1);
}

static void order(struct table_view *v)
{
	free(v->order);
	v->order = NULL;
	if (v->sorting == SORT_NONE)
		return;
	v->order = xcalloc(grid_rows(v->grid) + 1, sizeof(*v->order));
	v->kind = grid_sort(v->grid, v->headed, v->sorted_by, v->sorting == SORT_DOWN, v->order);
}

static unsigned sort(struct view *view, const char *arg)
{
	static const char *const words[] = {
		[GRID_TEXTS] = ", as texts", [GRID_NUMBERS] = "", [GRID_DATES] = ", as dates (day before month where it could be either)",
		[GRID_DAYS] = ", as dates, day first", [GRID_MONTHS] = ", as dates, month first",
	};
	struct table_view *v = table_of(view);

	(void)arg;
	v->sorting = v->sorted_by == v->col ? (enum sorting)((v->sorting + 1) % SORT_COUNT) : SORT_UP;
	v->sorted_by = v->col;
	order(v);
	listview_filter_again(view, &v->list);
	if (v->sorting == SORT_NONE)
		ui_notice(view->ui, "in the order of the file");
	else
		ui_notice(view->ui, "sorted, %s first%s", v->sorting == SORT_UP ? "smallest" : "largest", words[v->kind]);
	return TURN_DRAW;
}

/* The first record is data, or names the columns: the other of what it was. */
static unsigned switch_head(struct view *view, const char *arg)
{
	struct table_view *v = table_of(view);

	(void)arg;
	v->headed = !v->headed;
	v->rows.n = grid_rows(v->grid) - (v->headed && grid_rows(v->grid) > 0);
	order(v);
	if (v->list.box.placed && v->rows.n > 0) /* the cursor keeps its record */
		listbox_select(&v->list.box, &(struct list_key){ { MAX((int64_t)0, v->list.box.cursor.v[0] + (v->headed ? -1 : 1)), 0, 0, 0 } });
	listbox_validate(&v->list.box);
	listview_filter_again(view, &v->list);
	ui_notice(view->ui, v->headed ? "row 1 names the columns" : "row 1 is data, like the others");
	return TURN_DRAW;
}

static unsigned statistics(struct view *view, const char *arg)
{
	struct table_view *v = table_of(view);
	struct grid_column c;
	struct buf out = { 0 };
	char *name = table_column_name(v, v->col);

	(void)arg;
	grid_column(v->grid, v->headed, v->col, &c);
	buf_addf(&out, "%s: %lld cells, %lld empty, ", name, (long long)c.cells, (long long)c.empty);
	if (c.distinct >= 0)
		buf_addf(&out, "%lld different, ", (long long)c.distinct);
	else
		buf_adds(&out, "over 10,000 different, ");
	buf_addf(&out, "%lld numbers", (long long)c.numbers);
	if (c.numbers)
		buf_addf(&out, " from %.10Lg to %.10Lg, sum about %.12Lg", c.least, c.most, c.sum);
	if (c.beyond)
		buf_addf(&out, "; %lld too large to reckon with", (long long)c.beyond);
	ui_notice(view->ui, "%s", out.data);
	buf_free(&out);
	free(name);
	return TURN_DRAW;
}

static unsigned copy_cell(struct view *view, const char *arg)
{
	struct table_view *v = table_of(view);
	struct span s = grid_cell(v->grid, table_record(v, v->list.box.cursor.v[0]), v->col);
	struct buf name = { 0 };

	(void)arg;
	table_cell_name(v, &name);
	ui_copy(view->ui, s.p ? s.p : "", s.n, name.data);
	buf_free(&name);
	return TURN_DRAW;
}

static unsigned switch_sheet(struct view *v, int dir)
{
	if (table_of(v)->sheet.name)
		return look_part(v, &table_of(v)->place, table_of(v)->sheet.parts, dir);
	ui_notice(v->ui, "this is no workbook: it has no sheets");
	return TURN_DRAW;
}

static unsigned next_sheet(struct view *v, const char *arg)
{
	(void)arg;
	return switch_sheet(v, 1);
}

static unsigned prev_sheet(struct view *v, const char *arg)
{
	(void)arg;
	return switch_sheet(v, -1);
}

static unsigned next_look(struct view *v, const char *arg)
{
	(void)arg;
	return look_switch(v, &table_of(v)->place, 1);
}

static unsigned prev_look(struct view *v, const char *arg)
{
	(void)arg;
	return look_switch(v, &table_of(v)->place, -1);
}

static unsigned encoding(struct view *v, const char *arg)
{
	if (!table_of(v)->sheet.name)
		return look_encoding(v, &table_of(v)->place, arg);
	ui_notice(v->ui, "a workbook is read by its own rules: only texts have an encoding");
	return TURN_DRAW;
}

static unsigned go_to(struct view *view, const char *arg)
{
	struct table_view *v = table_of(view);
	int64_t n;

	if (!arg || !int_parse(arg, 1, INT64_MAX, &n, NULL))
		return TURN_UNHANDLED;
	n = MAX((int64_t)0, MIN(n - 1 - v->headed, (int64_t)v->rows.n - 1)); /* rows are counted as cells are named */
	listview_go(view, &v->list, &(struct list_key){ { n, 0, 0, 0 } });
	return TURN_DRAW;
}

static unsigned show_cell(struct view *view, const char *arg)
{
	struct table_view *v = table_of(view);
	char *text = table_cell_text(v, table_record(v, v->list.box.cursor.v[0]), v->col);

	(void)arg;
	ui_notice(view->ui, "%s", *text ? text : "(empty)");
	free(text);
	return TURN_DRAW;
}

/* ---- searching ---------------------------------------------------------------------------------------------- */

static enum row_answer record_has(struct table_view *v, size_t record, struct search *search, size_t *col)
{
	bool undecided = false;

	for (size_t i = 0; i < grid_cols(v->grid); i++) {
		struct span s = grid_cell(v->grid, record, i);
		enum row_answer answer = row_has(search, s.p, s.n);

		if (answer == ROW_HOLDS) {
			*col = i;
			return answer;
		}
		undecided = undecided || answer == ROW_UNDECIDED;
	}
	return undecided ? ROW_UNDECIDED : ROW_LACKS;
}

static enum row_answer holds(struct view *view, const struct list_key *key, struct search *search)
{
	struct table_view *v = table_of(view);
	size_t col;

	return record_has(v, table_record(v, key->v[0]), search, &col);
}

/* On the cell that was found. */
static void land(struct view *view, const struct list_key *key)
{
	struct table_view *v = table_of(view);

	listbox_select(&v->list.box, key);
	record_has(v, table_record(v, key->v[0]), listview_wanted(&v->list), &v->col);
}

/* The cursor is a cell. */
static bool keeps_look(struct view *v, const struct list_key *key)
{
	(void)v;
	(void)key;
	return true;
}

static const struct listview_ops list_ops = { .draw_row = table_draw_row, .holds = holds, .land = land, .where = "in a cell of this table", .keeps_look = keeps_look,
	.filters = true };

/* ---- the view --------------------------------------------------------------------------------------------------- */

static bool table_subject(struct view *view, struct subject *out)
{
	struct table_view *v = table_of(view);
	struct buf cell = { 0 };

	if (!file_place_subject(&v->place, out))
		return false;
	if (v->sheet.name && v->list.box.placed)
		buf_addf(&cell, "%s!", v->sheet.name);
	if (v->list.box.placed) /* else no row is shown */
		table_cell_name(v, &cell);
	snprintf(out->cell, sizeof(out->cell), "%s", cell.data ? cell.data : "");
	buf_free(&cell);
	return true;
}

/* A click chooses the column, too. */
static unsigned table_mouse(struct view *view, const struct event *ev)
{
	struct table_view *v = table_of(view);
	int x = view->area.x + table_number_cols(v);

	if (ev->action == MOUSE_PRESS && ev->y >= v->list.y)
		for (size_t k = v->left; k < grid_cols(v->grid); x += v->widths[k++] + 2)
			if (ev->x >= x)
				v->col = k;
	return listview_mouse(view, &v->list, ev);
}

static void table_view_free(struct view *view)
{
	struct table_view *v = table_of(view);

	look_free(&v->file);
	grid_free(v->grid);
	listview_done(&v->list);
	file_place_free(&v->place);
	reading_sheet_free(&v->sheet);
	free(v->title);
	free(v->widths);
	free(v->order);
	free(v);
}

static struct listview *table_list(struct view *v)
{
	return &table_of(v)->list;
}

static const struct view_action actions[] = {
	{ CMD_SIDE_RIGHT, col_right }, { CMD_SIDE_LEFT, col_left }, { CMD_SORT, sort }, { CMD_STATISTICS, statistics }, { CMD_HEADER, switch_head },
	{ CMD_COPY, copy_cell }, { CMD_NEXT_SECTION, next_sheet }, { CMD_PREV_SECTION, prev_sheet }, { CMD_NEXT_LOOK, next_look }, { CMD_PREV_LOOK, prev_look }, { CMD_ENCODING, encoding },
	{ CMD_GOTO, go_to }, { CMD_LINK, show_cell }, { CMD_NONE, NULL },
};

static const struct view_hint hints[] = {
	{ CMD_BACK, "back" }, { CMD_SORT, "sort" }, { CMD_STATISTICS, "count" }, { CMD_NEXT_LOOK, "text, hex" }, { CMD_SEARCH, "search" },
	{ CMD_COPY, "copy cell" }, { CMD_NOTE, "note" }, { CMD_HELP, "help" }, { CMD_FILTER_LINES, "filter" }, { CMD_NONE, NULL },
};

static const struct view_ops ops = {
	.name = "Table", .list = table_list, .place = PLACE_PAGER, .actions = actions, .hints = hints, .draw = table_draw,
	.title = table_title, .mouse = table_mouse, .subject = table_subject, .free = table_view_free,
};

static struct view *table_new(struct ui *ui, const struct pager_spec *spec, struct grid *grid)
{
	struct table_view *v = xcalloc(1, sizeof(*v));

	v->view = (struct view){ .ops = &ops, .ui = ui };
	v->grid = grid;
	v->place = file_place_of(spec);
	v->title = look_title(ui, &v->place);
	v->headed = grid_names(grid);
	v->rows.n = grid_rows(grid) - (v->headed && grid_rows(grid) > 0);
	listview_init(&v->list, &list_ops, &list_array_ops, &v->rows);
	listbox_end(&v->list.box, 1);
	table_measure(v);
	return &v->view;
}

struct view *view_table_new(struct ui *ui, const struct pager_spec *spec, struct looked_file *f)
{
	struct buf text = { 0 };
	int64_t bad = encoding_decode(f->encoding, f->bytes.data ? f->bytes.data : "", f->bytes.len, &text);
	size_t n = text.len;
	struct grid *grid = grid_new_take(buf_take(&text), n, f->delimiter);
	struct view *view;

	if (!grid_is_table(grid)) {
		grid_free(grid);
		look_free(f);
		return NULL;
	}
	view = table_new(ui, spec, grid);
	table_of(view)->file = *f;
	buf_free(&table_of(view)->file.bytes); /* the grid has what it needs */
	table_of(view)->bad = bad;
	table_of(view)->place.look = LOOK_TABLE;
	return view;
}

struct view *view_sheet_new(struct ui *ui, const struct pager_spec *spec, struct reading_sheet *sheet)
{
	size_t n = sheet->csv.len;
	struct view *view = table_new(ui, spec, grid_new_take(buf_take(&sheet->csv), n, ','));
	struct table_view *v = table_of(view);

	v->sheet = *sheet;
	*sheet = (struct reading_sheet){ 0 };
	v->place.part = MIN(spec->part, v->sheet.parts - 1);
	return view;
}
