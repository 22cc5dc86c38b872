/* What the files of the table view share: view_table.c acts, table_draw.c draws. */
#ifndef TICKMARK_UI_TABLEVIEW_H
#define TICKMARK_UI_TABLEVIEW_H

#include "look.h"
#include "text/grid.h"

enum sorting { SORT_NONE, SORT_UP, SORT_DOWN, SORT_COUNT };

struct table_view {
	struct view view;
	struct looked_file file;
	struct file_place place;
	struct reading_sheet sheet; /* of a workbook, without its CSV; name NULL: it is none */
	char *title;
	struct grid *grid;
	int64_t bad;
	int *widths;               /* of columns */
	size_t *order;             /* records as they are shown, NULL: as they stand */
	bool headed;               /* the first record names the columns, and is no row */
	enum sorting sorting;
	enum grid_order kind;      /* what the column was sorted as */
	size_t sorted_by;
	size_t col, left;          /* the column of the cursor, the first on the screen */
	size_t shown;              /* columns that the last draw had room for */
	struct list_array rows;    /* records that are shown */
	struct listview list;
};

static inline struct table_view *table_of(struct view *v)
{
	return (struct table_view *)v;
}

size_t table_record(const struct table_view *v, int64_t row); /* that stands in a row of the list */
char *table_cell_text(struct table_view *v, size_t record, size_t col); /* a cell on one line; owned */
char *table_column_name(struct table_view *v, size_t col); /* on one line; owned */
void table_cell_name(struct table_view *v, struct buf *out); /* "B7" of the cursor */
void table_measure(struct table_view *v); /* the widths */
int table_number_cols(const struct table_view *v); /* cells that the numbers of rows take */
void table_draw_row(struct view *view, const struct list_key *key, struct canvas *c, struct rect r, int y);
void table_draw(struct view *view, struct canvas *c, struct rect r);
void table_title(struct view *view, struct buf *left, struct buf *right);

#endif
