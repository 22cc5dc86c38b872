/* A table in cells: its widths, its rows, its head, and what the first line says of it. */
#include "tableview.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "text/table.h"

#define WIDTH_MAX 40
#define WIDTH_ROWS 300 /* records of the beginning and the end whose cells make the width */

size_t table_record(const struct table_view *v, int64_t row)
{
	size_t i = (size_t)row + v->headed;

	return v->order ? v->order[i] : i;
}

/* A cell on one line: line ends and the like become visible. */
char *table_cell_text(struct table_view *v, size_t record, size_t col)
{
	struct span s = grid_cell(v->grid, record, col);
	struct buf out = { 0 };

	if (s.p)
		escape_text(&out, s.p, MIN(s.n, (size_t)2000), ESCAPE_ALL);
	return out.len ? buf_take(&out) : xstrdup("");
}

/* Of the file, else by letters; owned. */
char *table_column_name(struct table_view *v, size_t col)
{
	struct buf out = { 0 };

	if (v->headed)
		return table_cell_text(v, 0, col);
	table_place(&out, 1, (uint32_t)col + 1);
	out.data[out.len - 1] = '\0'; /* without the row */
	return buf_take(&out);
}

static void measure_record(struct table_view *v, size_t record)
{
	size_t cells = grid_cells(v->grid, record);

	for (size_t i = 0; i < cells; i++) {
		char *text = table_cell_text(v, record, i);

		v->widths[i] = MAX(v->widths[i], MIN(WIDTH_MAX, (int)utf8_cols(text, strlen(text))));
		free(text);
	}
}

/* By the first records, the last, as numbers grow, and some between. */
void table_measure(struct table_view *v)
{
	size_t cols = grid_cols(v->grid), rows = grid_rows(v->grid), each = MAX((size_t)1, rows / WIDTH_ROWS);

	v->widths = xcalloc(cols + 1, sizeof(*v->widths));
	for (size_t r = 0; r < rows; r += r < WIDTH_ROWS || r + WIDTH_ROWS >= rows ? 1 : MIN(each, rows - WIDTH_ROWS - r))
		measure_record(v, r);
	for (size_t i = 0; i < cols; i++)
		v->widths[i] = MAX(v->widths[i], 3);
}

int table_number_cols(const struct table_view *v)
{
	int cols = 4;

	for (size_t limit = 10000; grid_rows(v->grid) + 1 > limit && cols < 10; limit *= 10)
		cols++;
	return cols + 2;
}

/* The column of the cursor is on the screen. */
static void settle(struct table_view *v, int room)
{
	int used = 0;

	v->left = MIN(v->left, v->col);
	for (size_t i = v->left; i <= v->col; i++)
		used += v->widths[i] + 2;
	while (used > room && v->left < v->col)
		used -= v->widths[v->left++] + 2;
}

/* The names of the columns, and by which they are sorted. */
static void draw_head(struct table_view *v, struct canvas *c, struct rect r)
{
	int x = r.x + table_number_cols(v);

	if (v->headed)
		canvas_textf(c, r, r.x + 1, r.y, PEN(ROLE_NUMBER), "%*d", table_number_cols(v) - 2, 1);
	for (size_t i = v->left; i < grid_cols(v->grid) && x < r.x + r.w; i++) {
		int w = MIN(v->widths[i], r.x + r.w - x);
		char *name = table_column_name(v, i);

		canvas_fit(c, r, x, r.y, w, PEN(v->headed ? ROLE_TITLE : ROLE_GAP), !v->headed || i < grid_cells(v->grid, 0) ? name : "·");
		if (v->sorting != SORT_NONE && i == v->sorted_by)
			canvas_text(c, r, MIN(x + w, r.x + r.w - 1), r.y, PEN(ROLE_KEY), v->sorting == SORT_UP ? "↑" : "↓");
		free(name);
		x += v->widths[i] + 2;
	}
}

static void draw_record(struct table_view *v, struct canvas *c, struct rect r, int y, size_t record, bool cursor)
{
	int x = r.x + table_number_cols(v);
	size_t cells = grid_cells(v->grid, record);

	canvas_textf(c, r, r.x + 1, y, PEN(ROLE_NUMBER), "%*zu", table_number_cols(v) - 2, record + 1); /* as cells are named */
	for (size_t i = v->left; i < grid_cols(v->grid) && x < r.x + r.w; i++) {
		int w = MIN(v->widths[i], r.x + r.w - x);
		long double value;
		struct span s = grid_cell(v->grid, record, i);
		bool right = s.p && grid_number(s, &value);
		char *text = table_cell_text(v, record, i);
		int at = right ? MAX(0, w - (int)utf8_cols(text, strlen(text))) : 0;

		canvas_fit(c, r, x + at, y, w - at, PEN(i < cells ? ROLE_NORMAL : ROLE_GAP), i < cells ? text : "·");
		if (cursor && i == v->col)
			canvas_flag(c, rect_clip((struct rect){ x, y, w, 1 }, r), PEN_CHOSEN);
		free(text);
		x += v->widths[i] + 2;
		v->shown = i + 1 - v->left;
	}
}

void table_draw_row(struct view *view, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	struct table_view *v = table_of(view);

	draw_record(v, c, r, y, table_record(v, key->v[0]), listbox_key_equal(key, &v->list.box.cursor));
}

void table_draw(struct view *view, struct canvas *c, struct rect r)
{
	struct table_view *v = table_of(view);

	settle(v, r.w - table_number_cols(v));
	draw_head(v, c, r);
	if (r.h < 3)
		return;
	canvas_rule(c, r, r.x, r.y + 1, r.w, PEN(ROLE_BORDER));
	listview_draw(view, &v->list, c, (struct rect){ r.x, r.y + 2, r.w, r.h - 2 });
}

/* "B7": the column by letters, the record by its number in the file, the first being 1. */
void table_cell_name(struct table_view *v, struct buf *out)
{
	table_place(out, (uint32_t)table_record(v, v->list.box.cursor.v[0]) + 1, (uint32_t)v->col + 1);
}

static void sheet_title(struct table_view *v, struct buf *out)
{
	const struct reading_sheet *x = &v->sheet;
	char *name = escape_text_dup(x->name);

	buf_addf(out, "sheet %zu of %zu: %s · %s", v->place.part + 1, x->parts, name, v->place.look == LOOK_FORMULAS ? "formulas" : "values");
	if (x->formulas && v->place.look == LOOK_VALUES)
		buf_addf(out, ", %lld of formulas", (long long)x->formulas);
	if (x->left_out)
		buf_addf(out, " · %lld cells LEFT OUT", (long long)x->left_out);
	if (x->cut)
		buf_adds(out, " · NOT ALL OF IT");
	free(name);
}

void table_title(struct view *view, struct buf *left, struct buf *right)
{
	struct table_view *v = table_of(view);
	char delimiter = grid_delimiter(v->grid);

	buf_addf(left, "%s · ", v->title);
	if (v->sheet.name) {
		sheet_title(v, left);
	} else {
		look_encoding_text(&v->file, v->bad, left);
		buf_addf(left, " · %s", delimiter == '\t' ? "tab" : delimiter == ',' ? "comma" : delimiter == ';' ? "semicolon" : "bar");
	}
	if (v->file.cut)
		buf_addf(left, " · first %zu MiB", LOOK_MAX >> 20);
	if (!v->headed)
		buf_adds(left, " · no names");
	table_cell_name(v, right);
	buf_addf(right, " · %zu row%s, %zu column%s", v->rows.n, v->rows.n == 1 ? "" : "s", grid_cols(v->grid),
	         grid_cols(v->grid) == 1 ? "" : "s");
}
