/*
 * text/grid: delimited text as rows of cells, exactly as they stand in the file: nothing is taken for a
 * number, a date or a blank. What a cell holds is what Python's csv module reads: quotes doubled inside
 * quotes, delimiters and line ends inside quotes stay, text behind a closing quote is joined.
 */
#ifndef TICKMARK_TEXT_GRID_H
#define TICKMARK_TEXT_GRID_H

#include "text.h"

struct grid;
/* Takes over `text` (malloc). `delimiter` 0: the one that cuts the first records most evenly among
 * comma, semicolon, tab and bar; a comma when none does. */
struct grid *grid_new_take(char *text, size_t n, char delimiter);
void grid_free(struct grid *g); /* NULL is fine */
char grid_delimiter(const struct grid *g);
size_t grid_rows(const struct grid *g); /* records; empty lines are none, as in Python's reader they have no cells */
size_t grid_cols(const struct grid *g); /* cells of the widest record */
/* Whether it looks like a table: two columns or more, and most records have as many cells as the first. */
bool grid_is_table(const struct grid *g);
/* Cells of a record. */
size_t grid_cells(const struct grid *g, size_t row);
/* The content of a cell; p NULL where the record has none. Valid until the next call. */
struct span grid_cell(struct grid *g, size_t row, size_t col);
/* Line of the file (from 1) that the record begins on. */
int64_t grid_line(const struct grid *g, size_t row);

/* Whether the first record seems to name the columns. */
bool grid_names(struct grid *g);

/* What a column is sorted as. */
enum grid_order {
	GRID_TEXTS,
	GRID_NUMBERS, /* amounts too: 1,234.50, (12), 5 % */
	GRID_DATES,   /* every cell is one; where day and month could be either, as day first */
	GRID_DAYS,    /* dates that can only be read with the day first */
	GRID_MONTHS,  /* with the month first */
};
/* Order of the records from `first` on by a column: values, then texts by bytes, and at the end, whichever way, what
 * is empty; equal ones stay in order. order[i] is the record that comes i-th, for all records. */
enum grid_order grid_sort(struct grid *g, size_t first, size_t col, bool down, size_t *order);

struct grid_column {
	int64_t cells, empty, numbers, distinct; /* distinct: -1 more than 10,000 */
	int64_t beyond;                          /* plain numbers that are too large to reckon with */
	long double least, most, sum;            /* of the numbers */
};
void grid_column(struct grid *g, size_t first, size_t col, struct grid_column *out);
/* A plain number: digits with an optional sign, point and exponent, nothing else. */
bool grid_number(struct span s, long double *out);

#endif
