/* Rows of cells, aligned by their width in terminal cells; see cmd.h. */
#include "cmd.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 12
#define WIDTH_MAX ((size_t)44) /* a longer cell sticks out rather than push all others away */

struct cell {
	char *text; /* escaped, owned */
	enum tone tone;
};

struct columns {
	struct cell *cells; /* COLUMNS_MAX for each row */
	size_t rows, cap;
	size_t at;          /* next cell of the row that is being filled */
	bool right[COLUMNS_MAX];
	bool head;          /* the first row is one of titles */
	bool settled;       /* the widths: rows were printed by them */
	size_t width[COLUMNS_MAX];
	bool shown[COLUMNS_MAX];
};

static struct cell *row_cells(const struct columns *c, size_t row)
{
	return c->cells + row * COLUMNS_MAX;
}

static void begin_row(struct columns *c)
{
	c->cells = grow(c->cells, c->rows, &c->cap, COLUMNS_MAX * sizeof *c->cells);
	memset(row_cells(c, c->rows), 0, COLUMNS_MAX * sizeof *c->cells);
	c->rows++;
}

struct columns *columns_new(const char *titles)
{
	struct columns *c = xcalloc(1, sizeof *c);

	if (!titles)
		return c;
	c->head = true;
	while (*titles) {
		size_t n = strcspn(titles, "\t");

		c->right[c->at] = *titles == '>';
		columns_cell_take(c, xstrndup(titles + c->right[c->at], n - c->right[c->at]), TONE_BOLD);
		titles += n + (titles[n] != '\0');
	}
	columns_row(c);
	return c;
}

void columns_cell_take(struct columns *c, char *text, enum tone tone)
{
	if (c->at == 0)
		begin_row(c);
	if (c->at == COLUMNS_MAX) {
		free(text);
		return;
	}
	row_cells(c, c->rows - 1)[c->at++] = (struct cell){ .text = text, .tone = tone };
}

void columns_cell(struct columns *c, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	columns_cell_take(c, buf_take(&b), TONE_PLAIN);
}

void columns_row(struct columns *c)
{
	c->at = 0;
}

static size_t cell_cols(const struct cell *cell)
{
	return cell->text ? utf8_cols(cell->text, strlen(cell->text)) : 0;
}

/* Widths of the columns; one without any text (its title apart) has none and is not shown. */
static void measure(struct columns *c)
{
	for (size_t r = 0; r < c->rows; r++) {
		for (size_t i = 0; i < COLUMNS_MAX; i++) {
			size_t cols = cell_cols(&row_cells(c, r)[i]);

			c->width[i] = MAX(c->width[i], MIN(cols, WIDTH_MAX));
			c->shown[i] = c->shown[i] || (cols > 0 && !(c->head && r == 0));
		}
	}
	c->settled = true;
}

/* Cuts text to `cols` cells, the last of them a mark. */
static void cut(char *text, size_t cols)
{
	size_t n = strlen(text), used = 0, i = 0;

	while (i < n) {
		uint32_t cp = 0;
		size_t len = utf8_decode(text + i, n - i, &cp);
		int w = len ? utf8_width(cp) : 1;

		if (used + (size_t)MAX(w, 0) + 1 > cols)
			break;
		used += (size_t)MAX(w, 0);
		i += len ? len : 1;
	}
	if (i < n) {
		text[i] = '>';
		text[i + 1] = '\0';
	}
}

static void pad(FILE *f, size_t from, size_t to)
{
	for (; from < to; from++)
		putc(' ', f);
}

static void print_row(const struct columns *c, size_t row, FILE *f, const char *indent, size_t line)
{
	const size_t *width = c->width;
	const bool *shown = c->shown;
	struct cell *cells = row_cells(c, row);
	size_t at = strlen(indent), last = 0;

	for (size_t i = 0; i < COLUMNS_MAX; i++)
		if (shown[i] && cell_cols(&cells[i]) > 0)
			last = i;
	fputs(indent, f);
	for (size_t i = 0; i <= last; i++) {
		size_t cols = cell_cols(&cells[i]);

		if (!shown[i])
			continue;
		if (line > 0 && at >= line)
			break;
		if (line > 0 && at + cols > line) {
			cut(cells[i].text, line - at);
			cols = cell_cols(&cells[i]);
		}
		char *text = console_tinted(f, cells[i].tone, cells[i].text ? cells[i].text : "");
		if (c->right[i])
			pad(f, cols, width[i]);
		fputs(text, f);
		free(text);
		if (i < last && !(line > 0 && at + MAX(width[i], cols) + 2 >= line))
			pad(f, c->right[i] ? MAX(width[i], cols) : cols, MAX(width[i], cols) + 2);
		at += MAX(width[i], cols) + 2;
	}
	putc('\n', f);
}

static void drop_cells(struct columns *c)
{
	for (size_t i = 0; i < c->rows * COLUMNS_MAX; i++)
		free(c->cells[i].text);
	c->rows = 0;
}

/* The row of titles stands alone when nothing came. */
static void print_rows(struct columns *c, FILE *f, const char *indent, size_t line)
{
	if (!c->settled)
		measure(c);
	for (size_t r = c->head && c->rows == 1 ? 1 : 0; r < c->rows; r++)
		print_row(c, r, f, indent, line);
	c->head = false;
	drop_cells(c);
}

/* What later rows need is not known yet: every column that has a title may. */
void columns_shed(struct columns *c, FILE *f, const char *indent)
{
	if (!c->settled) {
		measure(c);
		for (size_t i = 0; i < COLUMNS_MAX; i++)
			c->shown[i] = c->shown[i] || (c->head && cell_cols(&row_cells(c, 0)[i]) > 0);
	}
	print_rows(c, f, indent, console_width(f));
}

void columns_print(struct columns *c, FILE *f, const char *indent)
{
	print_rows(c, f, indent, console_width(f));
	columns_free(c);
}

void columns_print_whole(struct columns *c, FILE *f, const char *indent)
{
	print_rows(c, f, indent, 0);
	columns_free(c);
}

void columns_free(struct columns *c)
{
	if (!c)
		return;
	drop_cells(c);
	free(c->cells);
	free(c);
}
