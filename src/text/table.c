/* Reading CSV and TSV. */
#include "text/table.h"

#include "table_head.h"

#include <stdlib.h>
#include <string.h>

#define SNIFF_ROWS 100

/* ---- cells ---- */

/* The end of the cell that begins at `at`: the delimiter, CR or LF behind it, or the end. */
static size_t cell_end(struct span t, size_t at, char delimiter, bool *open)
{
	if (at < t.n && t.p[at] == '"') {
		for (at++;; at++) {
			const char *q = at < t.n ? memchr(t.p + at, '"', t.n - at) : NULL;
			if (!q) {
				*open = true;
				return t.n;
			}
			at = (size_t)(q - t.p) + 1;
			if (at == t.n || t.p[at] != '"')
				break;
		}
	}
	while (at < t.n && t.p[at] != delimiter && t.p[at] != '\n' && t.p[at] != '\r')
		at++;
	return at;
}

/* Behind the line end at `at`. */
static size_t behind_end(struct span t, size_t at)
{
	if (at < t.n && t.p[at] == '\r')
		at++;
	else if (at < t.n)
		return at + 1;
	return at < t.n && t.p[at] == '\n' ? at + 1 : at;
}

static bool is_at_end(struct span t, size_t at)
{
	return at == t.n || t.p[at] == '\n' || t.p[at] == '\r';
}

/* ---- the delimiter ---- */

struct sniffed { uint32_t cols, rows, fitting; bool open; };

static struct sniffed sniff(struct span t, char delimiter)
{
	struct sniffed s = { 0 };
	size_t at = 0;

	while (at < t.n && s.rows < SNIFF_ROWS) {
		uint32_t cols = 0;
		if (is_at_end(t, at)) {
			at = behind_end(t, at);
			continue;
		}
		for (;;) {
			at = cell_end(t, at, delimiter, &s.open);
			cols++;
			if (is_at_end(t, at))
				break;
			at++;
		}
		at = behind_end(t, at);
		s.cols = s.rows ? s.cols : cols;
		s.fitting += cols == s.cols;
		s.rows++;
	}
	return s;
}

static char find_delimiter(struct span t)
{
	static const char candidates[] = { ',', '\t', ';', '|' };
	double best = 0;
	char found = 0;

	for (size_t i = 0; i < ARRAY_LEN(candidates); i++) {
		struct sniffed s = sniff(t, candidates[i]);
		double share = s.rows ? (double)s.fitting / s.rows : 0;
		if (s.cols < 2 || share < 0.8 || s.open)
			continue;
		double worth = share + (s.cols > 2 ? 0.01 : 0);
		if (worth > best) {
			best = worth;
			found = candidates[i];
		}
	}
	return found;
}

/* ---- the table ---- */

struct reader {
	struct table *t;
	size_t cells, cells_cap, rows, rows_cap;
};

static void begin_row(struct reader *r)
{
	r->t->row = grow(r->t->row, r->rows, &r->rows_cap, sizeof(uint32_t));
	r->t->row[r->rows++] = (uint32_t)r->cells;
}

static bool read_rows(struct reader *r, struct err *e)
{
	struct table *t = r->t;
	size_t at = 0;

	while (at < t->text.n) {
		if (is_at_end(t->text, at)) { /* an empty line is no row */
			at = behind_end(t->text, at);
			continue;
		}
		begin_row(r);
		for (;;) {
			size_t end = cell_end(t->text, at, t->delimiter, &t->open_quote);
			if (r->cells == TABLE_CELLS)
				return err_set(e, ERR_LIMIT, "too large to be compared by cells: over %d of them", TABLE_CELLS);
			t->cells = grow(t->cells, r->cells, &r->cells_cap, sizeof(*t->cells));
			t->cells[r->cells++] = (struct table_cell){ (uint32_t)at, (uint32_t)(end - at) };
			at = end;
			if (is_at_end(t->text, at))
				break;
			at++;
		}
		at = behind_end(t->text, at);
	}
	begin_row(r);
	return true;
}

static struct span cell_at(const struct table *t, uint32_t cell)
{
	return (struct span){ t->text.p + t->cells[cell].start, t->cells[cell].len };
}

bool table_read(struct span text, char delimiter, struct table *out, struct err *e)
{
	bool bom = text.n >= 3 && memcmp(text.p, "\xEF\xBB\xBF", 3) == 0;

	*out = (struct table){ .text = { text.p + (bom ? 3 : 0), text.n - (bom ? 3 : 0) } };
	if (text.n > UINT32_MAX / 2)
		return err_set(e, ERR_LIMIT, "too large to be compared by cells");
	if (text.n && memchr(text.p, '\0', text.n))
		return err_set(e, ERR_INPUT, "no table: there are NUL bytes in it");
	out->delimiter = delimiter ? delimiter : find_delimiter(out->text);
	if (!out->delimiter)
		return err_set(e, ERR_INPUT, "no table: none of comma, tab, semicolon and bar parts its lines into cells");
	struct reader r = { .t = out };
	if (!read_rows(&r, e)) {
		table_free(out);
		return false;
	}
	uint32_t rows = (uint32_t)r.rows - 1;
	out->cols = rows ? out->row[1] : 0;
	if (out->cols > TABLE_COLS) {
		table_free(out);
		return err_set(e, ERR_LIMIT, "too wide to be compared by cells: over %d columns", TABLE_COLS);
	}
	for (uint32_t i = 0; i < rows; i++)
		out->ragged += out->row[i + 1] - out->row[i] != out->cols;
	out->rows = rows;
	table_head(out);
	return true;
}

void table_free(struct table *t)
{
	free(t->row);
	free(t->cells);
	*t = (struct table){ 0 };
}

struct span table_raw(const struct table *t, uint32_t row, uint32_t col)
{
	uint32_t r = row + (t->header ? 1 : 0);

	if (row >= t->rows || col >= t->row[r + 1] - t->row[r])
		return (struct span){ NULL, 0 };
	return cell_at(t, t->row[r] + col);
}

void table_value(struct span raw, struct buf *out)
{
	if (raw.n == 0 || raw.p[0] != '"') {
		buf_add(out, raw.p ? raw.p : "", raw.n);
		return;
	}
	size_t i = 1;
	for (; i < raw.n; i++) {
		if (raw.p[i] == '"' && (i + 1 == raw.n || raw.p[i + 1] != '"'))
			break;
		buf_addc(out, raw.p[i]);
		i += raw.p[i] == '"';
	}
	if (i + 1 < raw.n) /* what stands behind the closing quote */
		buf_add(out, raw.p + i + 1, raw.n - i - 1);
}

/* How many columns before have the same name. */
static uint32_t namesakes(const struct table *t, uint32_t col)
{
	struct span name = cell_at(t, col);
	uint32_t n = 0;

	for (uint32_t k = 0; k < col && t->doubled_names; k++) {
		struct span other = cell_at(t, k);
		n += other.n == name.n && memcmp(other.p, name.p, name.n) == 0;
	}
	return n;
}

void table_name(const struct table *t, uint32_t col, struct buf *out)
{
	uint32_t before;

	if (!t->header || col >= t->cols || cell_at(t, col).n == 0) {
		buf_addf(out, "column %u", col + 1);
		return;
	}
	table_value(cell_at(t, col), out);
	before = namesakes(t, col);
	if (before)
		buf_addf(out, " (%u)", before + 1);
}

void table_place(struct buf *out, uint32_t row, uint32_t col)
{
	char letters[8];
	size_t at = sizeof(letters) - 1;

	letters[at] = '\0';
	for (uint32_t n = col; n > 0 && at > 0; n = (n - 1) / 26)
		letters[--at] = (char)('A' + (n - 1) % 26);
	buf_addf(out, "%s%u", letters + at, row);
}
