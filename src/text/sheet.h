/* One sheet of two workbooks: rowmake_book.c compares by place, sheet.c by the value of a key column. */
#ifndef TICKMARK_TEXT_SHEET_H
#define TICKMARK_TEXT_SHEET_H

#include "book.h"
#include "text/diffrows.h"

struct sheet {
	const char *name;
	const struct book_cell *cells; /* by row and column */
	size_t n;
};
struct sheet_sums { int64_t values, formulas, added, removed, rows_added, rows_removed, rows_moved, sheets_added, sheets_removed; };

/* False, with nothing said: the two are no tables with a key column in common. A table may begin below rows of titles:
 * above[side] gets how many cells stand in those, which were not compared. */
bool sheet_by_key(const struct sheet *a, const struct sheet *b, const struct diffrows_options *o, struct diffrows *out,
                  struct sheet_sums *sums, size_t above[2]);

/* A formula with its references as distances from the cell it stands in ("=R[-1]C*2"): what stays the same when
 * rows are put in above it. */
void sheet_formula(struct buf *out, const char *formula, uint32_t row, uint32_t col);

#endif
