/* Records and cells of delimited text. */
#include "text/grid.h"
#include "text/table.h"

#include <stdlib.h>
#include <string.h>

#define PROBE 20 /* records that choose the delimiter */

struct grid {
	char *text;      /* owned */
	size_t n;
	char delimiter;
	size_t *records; /* where each begins, and behind the last the end */
	uint32_t *lines; /* of the file, from 1 */
	size_t rows, cap, lines_cap, cols;
	struct buf cell; /* of the last grid_cell that had to be put together */
	/* where its cell begins, so that who goes along a record does not come from its beginning each time */
	size_t row, col, at;
};

/* ---- cutting ------------------------------------------------------------------------------------------ */

/* One cell from `at` on: where it ends (at a delimiter, line end, or the end). `out` (may be NULL) gets its
 * content, *lines the line ends inside. */
static size_t take_cell(const char *p, size_t n, size_t at, char delimiter, struct buf *out, uint32_t *lines)
{
	bool quoted = at < n && p[at] == '"', inside = quoted;

	at += quoted;
	for (; at < n; at++) {
		char c = p[at];

		if (inside && c == '"') {
			if (at + 1 < n && p[at + 1] == '"')
				at++; /* a quote in quotes */
			else {
				inside = false;
				continue;
			}
		} else if (!inside && (c == delimiter || c == '\n' || c == '\r')) {
			break;
		}
		*lines += inside && c == '\n';
		if (out)
			buf_addc(out, c);
	}
	return at;
}

static size_t over_line_end(const char *p, size_t n, size_t at)
{
	if (at < n && p[at] == '\r')
		at++;
	if (at < n && p[at] == '\n' && (at == 0 || p[at - 1] == '\r' || p[at] == '\n'))
		at++;
	return at;
}

/* The record at `at`: where the next begins; *cells. */
static size_t take_record(const char *p, size_t n, size_t at, char delimiter, size_t *cells, uint32_t *lines)
{
	*cells = 1;
	while ((at = take_cell(p, n, at, delimiter, NULL, lines)) < n && p[at] == delimiter) {
		at++;
		++*cells;
	}
	++*lines;
	return over_line_end(p, n, at);
}

static bool is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

static void add_record(struct grid *g, size_t at, uint32_t line)
{
	g->records = grow(g->records, g->rows, &g->cap, sizeof(*g->records));
	g->lines = grow(g->lines, g->rows, &g->lines_cap, sizeof(*g->lines));
	g->records[g->rows] = at;
	g->lines[g->rows++] = line;
}

static void cut(struct grid *g)
{
	uint32_t line = 1;

	for (size_t at = 0; at < g->n;) {
		size_t cells, next;

		if (is_line_end(g->text[at])) {
			at = over_line_end(g->text, g->n, at);
			line++;
			continue;
		}
		add_record(g, at, line);
		next = take_record(g->text, g->n, at, g->delimiter, &cells, &line);
		g->cols = MAX(g->cols, cells);
		at = next;
	}
}

/* How evenly a delimiter cuts the first records: cells of the first, 0 when others differ much. */
static size_t evenness(const char *p, size_t n, char delimiter)
{
	size_t first = 0, same = 0, rows = 0;
	uint32_t lines = 0;

	for (size_t at = 0; at < n && rows < PROBE;) {
		size_t cells;

		if (is_line_end(p[at])) {
			at = over_line_end(p, n, at);
			continue;
		}
		at = take_record(p, n, at, delimiter, &cells, &lines);
		first = rows == 0 ? cells : first;
		same += cells == first;
		rows++;
	}
	return first > 1 && same * 10 >= rows * 8 ? first : 0;
}

static char choose_delimiter(const char *p, size_t n)
{
	static const char choices[] = { ',', ';', '\t', '|' };
	size_t best = 0;
	char chosen = ',';

	for (size_t i = 0; i < ARRAY_LEN(choices); i++) {
		size_t cells = evenness(p, MIN(n, (size_t)1 << 20), choices[i]);

		if (cells > best) {
			best = cells;
			chosen = choices[i];
		}
	}
	return chosen;
}

struct grid *grid_new_take(char *text, size_t n, char delimiter)
{
	struct grid *g = xcalloc(1, sizeof(*g));

	g->text = text;
	g->n = n;
	g->delimiter = delimiter ? delimiter : choose_delimiter(text, n);
	cut(g);
	return g;
}

void grid_free(struct grid *g)
{
	if (!g)
		return;
	free(g->text);
	free(g->records);
	free(g->lines);
	buf_free(&g->cell);
	free(g);
}

/* ---- asking --------------------------------------------------------------------------------------------- */

char grid_delimiter(const struct grid *g)
{
	return g->delimiter;
}

size_t grid_rows(const struct grid *g)
{
	return g->rows;
}

size_t grid_cols(const struct grid *g)
{
	return g->cols;
}

int64_t grid_line(const struct grid *g, size_t row)
{
	return row < g->rows ? g->lines[row] : 0;
}

size_t grid_cells(const struct grid *g, size_t row)
{
	size_t cells = 0;
	uint32_t lines = 0;

	if (row < g->rows)
		take_record(g->text, g->n, g->records[row], g->delimiter, &cells, &lines);
	return cells;
}

bool grid_is_table(const struct grid *g)
{
	size_t looked = MIN(g->rows, (size_t)200), first = grid_cells(g, 0), same = 0;

	for (size_t i = 0; i < looked; i++)
		same += grid_cells(g, i) == first;
	return first > 1 && g->rows > 1 && same * 10 >= looked * 7;
}

struct span grid_cell(struct grid *g, size_t row, size_t col)
{
	uint32_t lines = 0;

	if (row >= g->rows)
		return (struct span){ NULL, 0 };
	bool on = g->at > 0 && row == g->row && col >= g->col;
	size_t at = on ? g->at : g->records[row], end;
	for (size_t i = on ? g->col : 0; i < col; i++) {
		at = take_cell(g->text, g->n, at, g->delimiter, NULL, &lines);
		if (at >= g->n || g->text[at] != g->delimiter)
			return (struct span){ NULL, 0 };
		at++;
	}
	g->row = row;
	g->col = col;
	g->at = at;
	if (at < g->n && g->text[at] == '"') {
		buf_clear(&g->cell);
		take_cell(g->text, g->n, at, g->delimiter, &g->cell, &lines);
		return (struct span){ g->cell.data ? g->cell.data : "", g->cell.len };
	}
	end = take_cell(g->text, g->n, at, g->delimiter, NULL, &lines);
	return (struct span){ g->text + at, end - at };
}

/* A figure in the first record speaks for data, unless a difference would take it for a name, like years that count up. */
bool grid_names(struct grid *g)
{
	size_t rows = MIN(g->rows, (size_t)3), end = rows < g->rows ? g->records[rows] : g->n, cells = grid_cells(g, 0);
	struct table t = { 0 };
	bool names = true;
	long double value;

	if (g->rows > 0 && end <= UINT32_MAX && table_read((struct span){ g->text, end }, g->delimiter, &t, NULL) && t.header) {
		table_free(&t);
		return true;
	}
	table_free(&t);
	for (size_t i = 0; i < cells && names; i++)
		names = !grid_number(grid_cell(g, 0, i), &value);
	return names;
}
