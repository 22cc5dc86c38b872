/*
 * text/table: CSV and TSV as rows of cells, exactly as they stand in the file (RFC 4180, with other
 * delimiters), and what differs between two tables, row by row by the value of a key column.
 *
 * Nothing is guessed that the user would not see: which column is the key and whether it was given or
 * found is part of the answer; a key that is doubled or empty matches nothing and is reported.
 */
#ifndef TICKMARK_TEXT_TABLE_H
#define TICKMARK_TEXT_TABLE_H

#include "text.h"

#define TABLE_CELLS 12000000 /* more is ERR_LIMIT: compare it as text */
#define TABLE_COLS 4000      /* likewise */
#define TABLE_KEYS 2         /* most columns of a key */
#define TABLE_NONE UINT32_MAX

struct table_cell { uint32_t start, len; }; /* of the text, quotes included */
struct table {
	struct span text;         /* of the caller, behind a byte order mark */
	char delimiter;
	bool header;              /* the first row names the columns */
	bool open_quote;          /* a quoted cell was never closed: all behind it is one cell */
	bool trailing;            /* every row ends in a delimiter, which makes no column */
	bool doubled_names;       /* some columns have the same name; table_name numbers them */
	uint32_t cols;            /* cells of the first row */
	uint32_t rows;            /* without the header */
	uint32_t ragged;          /* rows with another number of cells */
	uint32_t *row;            /* first cell of each row (header first), and behind the last */
	struct table_cell *cells;
};
/* delimiter 0: the one of , ; tab | that fits the first rows best. ERR_INPUT: no table (no delimiter
 * fits, or NUL bytes). */
bool table_read(struct span text, char delimiter, struct table *out, struct err *e);
void table_free(struct table *t);
/* A cell's bytes as they stand; p NULL: the row has none there. Rows count from 0 without the header. */
struct span table_raw(const struct table *t, uint32_t row, uint32_t col);
/* What it means: without quotes, doubled ones single. */
void table_value(struct span raw, struct buf *out);
/* "B7" for row 7, column 2: both count from 1, the header is a row. */
void table_place(struct buf *out, uint32_t row, uint32_t col);
/* Name of a column; its number from 1 where it has none. A name that stood before is "name (2)". */
void table_name(const struct table *t, uint32_t col, struct buf *out);

struct table_options {
	const char *key;      /* names of columns, by commas; NULL: found */
	bool tolerant;        /* cells that are the same number written otherwise are folded and counted */
	const bool *cancel;   /* NULL: never; what was not reached is not told */
};

struct table_change { uint32_t a_row, b_row, a_col, b_col; };
struct table_doubled { uint32_t row; bool right; uint32_t a_n, b_n; }; /* a row that has the key; how often */
struct table_pair { uint32_t a, b; };

struct table_diff {
	uint32_t key[TABLE_KEYS][2];  /* columns [left, right] */
	uint32_t keys;                /* 0: no key, rows are compared as wholes */
	bool key_given;
	struct table_pair *columns;   /* same name, or renamed: left and right */
	uint32_t columns_n;
	struct table_pair *renamed;
	uint32_t renamed_n;
	uint32_t *cols_removed, *cols_added;
	uint32_t cols_removed_n, cols_added_n;
	bool cols_reordered;
	bool names_left, names_right; /* only that side names its columns, which is not used then */
	uint32_t near_keys;           /* removed rows with a key that an added one has but for case, blanks and ' … */
	struct table_pair near_key;   /* … the first of them */
	struct table_change *changes; /* cells, by row of the left table */
	size_t changes_n;
	uint32_t *rows_removed, *rows_added;
	uint32_t rows_removed_n, rows_added_n;
	uint32_t rows_same, rows_changed;
	uint32_t rows_moved;          /* least number that had to move */
	struct table_doubled *doubled;
	size_t doubled_n;
	uint32_t unmatched[2];        /* rows with a doubled key, of each side */
	uint32_t empty[2];            /* rows with an empty key */
	int64_t folded_notation, folded_digits; /* cells */
	int64_t quoting;              /* cells with the same value, quoted otherwise */
};
/* Where only one of the two seems to name its columns, neither is read so. ERR_NOTFOUND: there is no column
 * of a name given as key. */
bool table_compare(struct table *a, struct table *b, const struct table_options *o, struct table_diff *out, struct err *e);
void table_diff_free(struct table_diff *d);
/* Whether something differs in values. */
bool table_differs(const struct table_diff *d);

#endif
