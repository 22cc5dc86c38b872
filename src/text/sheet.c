/*
 * A sheet as a table: its values are compared as those of a CSV file with the same cells, row by row by a key
 * column; then the formulas of the rows that have the same key, apart from the values and so that a formula
 * that only moved is no change.
 */
#include "sheet.h"

#include "rowmake.h"
#include "text/number.h"
#include "text/table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SPARSE 4        /* most places of the table for each cell that is filled */
#define SPARSE_FREE 65536
#define HEAD_ROWS 20    /* in which the names are looked for */
#define HEAD_BELOW 30   /* more rows that are looked at for how long rows are */
#define HEAD_SHARE 6    /* tenths of the longest row that names have to fill */

/* ---- places and formulas ---- */

/* A reference at p ("B7", "$B$7"): its bytes, 0 where there is none. */
static size_t read_reference(const char *p, uint32_t *row, uint32_t *col, bool *row_fixed, bool *col_fixed)
{
	size_t i = 0, from;

	*col_fixed = p[i] == '$';
	i += *col_fixed;
	*row = *col = 0;
	for (from = i; isupper((unsigned char)p[i]) && i - from < 3; i++)
		*col = *col * 26 + (uint32_t)(p[i] - 'A') + 1;
	if (i == from)
		return 0;
	*row_fixed = p[i] == '$';
	i += *row_fixed;
	for (from = i; isdigit((unsigned char)p[i]) && i - from < 7; i++)
		*row = *row * 10 + (uint32_t)(p[i] - '0');
	return i == from || isalnum((unsigned char)p[i]) || p[i] == '_' || p[i] == '(' || p[i] == '!' ? 0 : i;
}

static void add_distance(struct buf *out, char what, bool fixed, uint32_t to, uint32_t from)
{
	if (fixed)
		buf_addf(out, "%c%u", what, to);
	else
		buf_addf(out, "%c[%lld]", what, (long long)to - (long long)from);
}

/* Bytes of a word, text in quotes or one sign at p, which stay as they are. */
static size_t skip_piece(const char *p)
{
	size_t n = 1;

	if (*p == '"' || *p == '\'') {
		const char *end = strchr(p + 1, *p);
		return end ? (size_t)(end - p) + 1 : strlen(p);
	}
	if (isalnum((unsigned char)*p) || *p == '_')
		while (isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == '.')
			n++;
	return n;
}

void sheet_formula(struct buf *out, const char *formula, uint32_t row, uint32_t col)
{
	for (const char *p = formula; *p;) {
		uint32_t r, c;
		bool row_fixed, col_fixed;
		size_t n = read_reference(p, &r, &c, &row_fixed, &col_fixed);
		if (n) {
			add_distance(out, 'R', row_fixed, r, row);
			add_distance(out, 'C', col_fixed, c, col);
		} else {
			n = skip_piece(p);
			buf_add(out, p, n);
		}
		p += n;
	}
}

/* ---- a sheet as CSV ---- */

struct grid_of {
	const struct sheet *sheet;
	uint32_t *rows;          /* of the sheet, those that have cells; owned */
	uint32_t rows_n, first_col, cols;
	const uint32_t *keys;    /* columns that show values among the formulas; NULL: values everywhere */
	uint32_t keys_n;
};

/* Cells of the row that begins at cell `at`; *words: none of them is a number or a date. */
static size_t row_length(const struct sheet *s, size_t at, bool *words)
{
	size_t n = 0;

	*words = true;
	for (; at + n < s->n && s->cells[at + n].row == s->cells[at].row; n++) {
		const struct book_cell *c = &s->cells[at + n];
		*words = *words && c->value && *c->value && !c->text && !number_is((struct span){ c->value, strlen(c->value) });
	}
	return n;
}

/* The cell that the row of names begins with, below titles: the first row of words that is nearly as long as any near it.
 * 0: the first row of all. */
static size_t find_head(const struct sheet *s)
{
	size_t widest = 0, at = 0, n;
	bool words;

	for (int row = 0; at < s->n && row < HEAD_ROWS + HEAD_BELOW; row++, at += n) {
		n = row_length(s, at, &words);
		widest = MAX(widest, n);
	}
	at = 0;
	for (int row = 0; at < s->n && row < HEAD_ROWS; row++, at += n) {
		n = row_length(s, at, &words);
		if (words && n > 1 && n * 10 >= widest * HEAD_SHARE)
			return at;
	}
	return 0;
}

/* False: too many of its places are empty. */
static bool measure(const struct sheet *s, struct grid_of *g)
{
	uint32_t last = 0;

	*g = (struct grid_of){ .sheet = s, .first_col = UINT32_MAX };
	g->rows = xcalloc(s->n + 1, sizeof(*g->rows));
	for (size_t i = 0; i < s->n; i++) {
		g->first_col = MIN(g->first_col, s->cells[i].col);
		last = MAX(last, s->cells[i].col);
		if (i == 0 || s->cells[i].row != s->cells[i - 1].row)
			g->rows[g->rows_n++] = s->cells[i].row;
	}
	if (s->n == 0)
		return false;
	g->cols = last - g->first_col + 1;
	return g->rows_n > 1 && g->cols <= TABLE_COLS && (uint64_t)g->rows_n * g->cols <= SPARSE * (uint64_t)s->n + SPARSE_FREE;
}

static void add_quoted(struct buf *out, const char *s, size_t n)
{
	if (!memchr(s, '"', n) && !memchr(s, ',', n) && !memchr(s, '\n', n) && !memchr(s, '\r', n)) {
		buf_add(out, s, n);
		return;
	}
	buf_addc(out, '"');
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"')
			buf_addc(out, '"');
		buf_addc(out, s[i]);
	}
	buf_addc(out, '"');
}

static bool is_key(const struct grid_of *g, uint32_t col)
{
	for (uint32_t i = 0; i < g->keys_n; i++)
		if (g->keys[i] == col)
			return true;
	return false;
}

static void add_cell(const struct grid_of *g, const struct book_cell *c, bool head, struct buf *out)
{
	struct buf text = { 0 };

	if (!g->keys || head || is_key(g, c->col - g->first_col)) {
		buf_adds(&text, c->value ? c->value : "");
		if (c->text)
			buf_addf(&text, " (%s)", c->text);
	} else if (c->formula) {
		sheet_formula(&text, c->formula, c->row, c->col);
	}
	if (text.len)
		add_quoted(out, text.data, text.len);
	buf_free(&text);
}

static struct buf write_csv(const struct grid_of *g)
{
	const struct sheet *s = g->sheet;
	struct buf out = { 0 };
	size_t at = 0;

	for (uint32_t row = 0; row < g->rows_n; row++) {
		for (uint32_t col = 0; col < g->cols; col++) {
			if (col)
				buf_addc(&out, ',');
			/* Two cells at one place: the first counts. */
			if (at < s->n && s->cells[at].row == g->rows[row] && s->cells[at].col == g->first_col + col)
				add_cell(g, &s->cells[at], row == 0, &out);
			while (at < s->n && s->cells[at].row == g->rows[row] && s->cells[at].col == g->first_col + col)
				at++;
		}
		buf_addc(&out, '\n');
	}
	return out;
}

/* ---- comparing ---- */

struct pair {
	struct grid_of grid[2];
	struct buf csv[2];
	struct table table[2];
	struct table_diff d;
};

static struct span span_of(const struct buf *b)
{
	return (struct span){ b->data ? b->data : "", b->len };
}

static bool pair_read(struct pair *p)
{
	for (int i = 0; i < 2; i++) {
		p->csv[i] = write_csv(&p->grid[i]);
		/* Every row has a line of its own, or the numbers of rows would not fit. */
		if (!table_read(span_of(&p->csv[i]), ',', &p->table[i], NULL) || !p->table[i].header ||
		    p->table[i].rows + 1 != p->grid[i].rows_n)
			return false;
	}
	return true;
}

static void pair_free(struct pair *p)
{
	for (int i = 0; i < 2; i++) {
		table_free(&p->table[i]);
		buf_free(&p->csv[i]);
	}
	table_diff_free(&p->d);
}

static void say(struct diffrows *out, enum diffrow_kind kind, const char *sheet, uint32_t a, uint32_t b, const char *text, size_t n)
{
	struct buf line = { 0 };

	rowmake_short(&line, sheet, strlen(sheet));
	buf_adds(&line, ": ");
	buf_add(&line, text, n);
	diffrows_say(out, kind, a, b, buf_take(&line));
}

/* Of the row said last: row and column of the table on that side, from 0. */
static void set_place(struct diffrows *out, const struct grid_of *g, uint32_t row, uint32_t col)
{
	struct buf b = { 0 };

	rowmake_short(&b, g->sheet->name, strlen(g->sheet->name));
	buf_addc(&b, '!');
	table_place(&b, g->rows[row], g->first_col + col);
	rowmake_place(out, buf_take(&b));
}

/* The rows of a table become rows of the workbook. */
static void take_rows(const struct pair *p, const struct diffrows *from, struct diffrows *out)
{
	for (size_t i = 0; i < from->n; i++) {
		const struct diffrow *x = &from->v[i];
		uint32_t a = x->a && x->a < p->grid[0].rows_n ? p->grid[0].rows[x->a] : 0;
		uint32_t b = x->b && x->b < p->grid[1].rows_n ? p->grid[1].rows[x->b] : 0;
		const struct grid_of *g = &p->grid[x->kind == DIFFROW_REMOVED ? 0 : 1];
		say(out, (enum diffrow_kind)x->kind, p->grid[0].sheet->name, a, b, x->text.p, x->text.n);
		if (x->row && x->row <= g->rows_n)
			set_place(out, g, x->row - 1, x->col - 1);
	}
	out->cut = out->cut || from->cut;
}

static char *key_names(const struct pair *p)
{
	struct buf b = { 0 };

	for (uint32_t i = 0; i < p->d.keys; i++) {
		buf_adds(&b, i ? "," : "");
		table_name(&p->table[0], p->d.key[i][0], &b);
	}
	return buf_take(&b);
}

static const char *formula_at(const struct grid_of *g, uint32_t table_row, uint32_t col)
{
	uint32_t row = g->rows[table_row + 1];
	size_t low = 0, high = g->sheet->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct book_cell *c = &g->sheet->cells[mid];
		if (c->row < row || (c->row == row && c->col < col + g->first_col))
			low = mid + 1;
		else
			high = mid;
	}
	const struct book_cell *c = low < g->sheet->n ? &g->sheet->cells[low] : NULL;
	return c && c->row == row && c->col == col + g->first_col && c->formula ? c->formula : "";
}

/* The value of a cell on the left; row NULL: the name of its column. */
static void add_short(struct buf *out, const struct pair *p, uint32_t col, const uint32_t *row)
{
	struct buf v = { 0 };

	if (row)
		table_value(table_raw(&p->table[0], *row, col), &v);
	else
		table_name(&p->table[0], col, &v);
	rowmake_short(out, v.data ? v.data : "", v.len);
	buf_free(&v);
}

static bool say_formula(const struct pair *p, const struct table_change *x, struct diffrows *out)
{
	const char *was = formula_at(&p->grid[0], x->a_row, x->a_col), *is = formula_at(&p->grid[1], x->b_row, x->b_col);
	uint32_t a = p->grid[0].rows[x->a_row + 1], b = p->grid[1].rows[x->b_row + 1];
	struct buf text = { 0 };

	if (strcmp(was, is) == 0)
		return false;
	for (uint32_t i = 0; i < p->d.keys; i++) {
		buf_adds(&text, i ? ", " : "");
		add_short(&text, p, p->d.key[i][0], NULL);
		buf_addc(&text, ' ');
		add_short(&text, p, p->d.key[i][0], &x->a_row);
	}
	buf_adds(&text, ": formula of ");
	add_short(&text, p, x->a_col, NULL);
	buf_addc(&text, ' ');
	rowmake_short(&text, *was ? was : "(none)", *was ? strlen(was) : 6);
	buf_adds(&text, " -> ");
	rowmake_short(&text, *is ? is : "(none)", *is ? strlen(is) : 6);
	say(out, DIFFROW_CHANGED, p->grid[0].sheet->name, a, b, text.data, text.len);
	set_place(out, &p->grid[1], x->b_row + 1, x->b_col);
	buf_free(&text);
	return true;
}

/* `values` found the key; what is compared here are the formulas. */
static void compare_formulas(const struct pair *values, const struct diffrows_options *o, struct diffrows *out, struct sheet_sums *sums)
{
	struct pair p = { .grid = { values->grid[0], values->grid[1] } };
	uint32_t keys[2][TABLE_KEYS];
	char *key = key_names(values);

	for (int i = 0; i < 2; i++) {
		for (uint32_t k = 0; k < values->d.keys; k++)
			keys[i][k] = values->d.key[k][i];
		p.grid[i].keys = keys[i];
		p.grid[i].keys_n = values->d.keys;
	}
	if (pair_read(&p) && table_compare(&p.table[0], &p.table[1], &(struct table_options){ .key = key }, &p.d, NULL)) {
		for (size_t i = 0; i < p.d.changes_n && !rowmake_is_full(out, o); i++)
			sums->formulas += say_formula(&p, &p.d.changes[i], out);
	} else {
		diffrows_sayf(out, DIFFROW_SENTENCE, "%s: formulas were not compared: the key column cannot be named", p.grid[0].sheet->name);
	}
	free(key);
	pair_free(&p);
}

static bool has_formulas(const struct sheet *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->cells[i].formula)
			return true;
	return false;
}

static bool find_key(struct pair *p, const struct diffrows_options *o)
{
	if (o->key && table_compare(&p->table[0], &p->table[1], &(struct table_options){ o->key, o->tolerant, o->cancel }, &p->d, NULL))
		return p->d.keys > 0;
	return table_compare(&p->table[0], &p->table[1], &(struct table_options){ NULL, o->tolerant, o->cancel }, &p->d, NULL) && p->d.keys > 0;
}

static void compare_values(const struct pair *p, const struct diffrows_options *o, struct diffrows *out, struct sheet_sums *sums)
{
	struct diffrows_options inner = *o;
	struct diffrows rows = { 0 };

	inner.key_must = false;
	if (rowmake_table(span_of(&p->csv[0]), span_of(&p->csv[1]), &inner, &rows, NULL))
		take_rows(p, &rows, out);
	diffrows_free(&rows);
	sums->values += (int64_t)p->d.changes_n;
	sums->rows_added += p->d.rows_added_n;
	sums->rows_removed += p->d.rows_removed_n;
	sums->rows_moved += p->d.rows_moved;
}

static void say_heads(const struct pair *p, const char *name, struct diffrows *out)
{
	struct buf b = { 0 };

	rowmake_short(&b, name, strlen(name));
	diffrows_sayf(out, DIFFROW_SENTENCE, "%s: the table begins in row %u on the left, %u on the right; what is above is compared by place",
	              b.data ? b.data : "", p->grid[0].rows[0], p->grid[1].rows[0]);
	buf_free(&b);
}

bool sheet_by_key(const struct sheet *a, const struct sheet *b, const struct diffrows_options *o, struct diffrows *out,
                  struct sheet_sums *sums, size_t above[2])
{
	above[0] = find_head(a);
	above[1] = find_head(b);
	struct sheet x = { a->name, a->cells + above[0], a->n - above[0] }, y = { b->name, b->cells + above[1], b->n - above[1] };
	struct pair p = { 0 };
	bool table = measure(&x, &p.grid[0]);

	table = measure(&y, &p.grid[1]) && table && pair_read(&p) && find_key(&p, o);
	if (table && (above[0] || above[1]))
		say_heads(&p, a->name, out);
	if (table) {
		if (p.csv[0].len != p.csv[1].len || memcmp(p.csv[0].data, p.csv[1].data, p.csv[0].len) != 0)
			compare_values(&p, o, out, sums);
		if (has_formulas(&x) || has_formulas(&y))
			compare_formulas(&p, o, out, sums);
	}
	pair_free(&p);
	free(p.grid[0].rows);
	free(p.grid[1].rows);
	return table;
}
