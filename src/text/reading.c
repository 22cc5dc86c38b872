/* What a reader's lines look like: sheets, pages, pictures. */
#include "text/reading.h"

#include "zip.h"

#include "book.h"
#include "frames.h"
#include "text/picture.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_MOST 1048576u /* of a sheet, as Excel has them */
#define COLS_MOST 16384u
#define CSV_MOST ((size_t)64 << 20)

/* ---- sheets ---- */

static int by_place(const void *x, const void *y)
{
	const struct book_cell *a = *(const struct book_cell *const *)x, *b = *(const struct book_cell *const *)y;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return (a->col > b->col) - (a->col < b->col);
}

/* The cells of a sheet in order. */
static const struct book_cell **cells_of(const struct book *b, uint32_t sheet, size_t *n)
{
	const struct book_cell **cells = xcalloc(b->n + 1, sizeof(*cells));

	*n = 0;
	for (size_t i = 0; i < b->n; i++)
		if (b->cells[i].sheet == sheet)
			cells[(*n)++] = &b->cells[i];
	qsort(cells, *n, sizeof(*cells), by_place);
	return cells;
}

/* A date as it is shown, else the value as the file has it. */
static const char *words_of(const struct book_cell *c, bool formulas)
{
	const char *s = formulas && c->formula ? c->formula : c->text ? c->text : c->value;

	return s ? s : "";
}

static void add_cell(struct buf *csv, const char *s)
{
	buf_addc(csv, '"');
	for (const char *q; (q = strchr(s, '"')); s = q + 1) {
		buf_add(csv, s, (size_t)(q - s));
		buf_adds(csv, "\"\"");
	}
	buf_adds(csv, s);
	buf_addc(csv, '"');
}

struct pen_at {
	uint32_t row, col; /* of the last cell written, from 1 */
};

static void go_to(struct buf *csv, struct pen_at *at, const struct book_cell *c)
{
	for (; at->row < c->row; at->row++, at->col = 1)
		buf_adds(csv, at->col ? "\n\"\"" : "\"\"");
	for (; at->col < c->col; at->col++)
		buf_addc(csv, ',');
}

/* The reader counts rows and columns from 1. */
static bool has_room(const struct buf *csv, const struct pen_at *at, const struct book_cell *c)
{
	return c->row >= 1 && c->col >= 1 && c->row <= ROWS_MOST && c->col <= COLS_MOST && csv->len < CSV_MOST &&
	       (c->row > at->row || c->col > at->col);
}

static void write_sheet(const struct book *b, uint32_t sheet, bool formulas, struct reading_sheet *out)
{
	size_t n;
	const struct book_cell **cells = cells_of(b, sheet, &n);
	struct pen_at at = { 0 };

	for (size_t i = 0; i < n; i++) {
		out->formulas += cells[i]->formula != NULL;
		if (!has_room(&out->csv, &at, cells[i])) {
			out->left_out++;
			continue;
		}
		go_to(&out->csv, &at, cells[i]);
		if (at.col == 1)
			out->csv.len -= 2; /* the empty cell that held the row */
		add_cell(&out->csv, words_of(cells[i], formulas));
	}
	buf_addc(&out->csv, '\n');
	free(cells);
}

bool reading_sheet(struct span lines, size_t part, bool formulas, struct reading_sheet *out, struct err *e)
{
	struct book b = { 0 };
	bool ok;

	*out = (struct reading_sheet){ 0 };
	ok = book_read(lines, &b, e) && (b.sheets.n > 0 || err_set(e, ERR_CORRUPT, "the reader found no sheet"));
	if (ok) {
		part = MIN(part, b.sheets.n - 1);
		out->name = xstrdup(b.sheets.v[part]);
		out->parts = b.sheets.n;
		out->cut = b.cut;
		write_sheet(&b, (uint32_t)part, formulas, out);
	}
	book_free(&b);
	return ok;
}

void reading_sheet_free(struct reading_sheet *s)
{
	free(s->name);
	buf_free(&s->csv);
}

/* ---- pages ---- */

static int64_t lines_in(const char *p, size_t n)
{
	int64_t lines = 0;

	for (const char *end = p + n; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		lines++;
	return lines;
}

bool reading_pages(struct span lines, struct reading_pages *out, struct err *e)
{
	struct book b = { 0 };
	bool ok;

	*out = (struct reading_pages){ 0 };
	ok = book_read(lines, &b, e);
	if (ok) {
		size_t at = 0;
		int64_t line = 1;
		out->heads = xcalloc(b.sheets.n + 1, sizeof(*out->heads));
		out->cut = b.cut;
		for (uint32_t sheet = 0; sheet < b.sheets.n; sheet++) {
			size_t before = out->text.len;
			out->heads[out->n++] = line;
			book_page(&b, sheet, &at, &out->text);
			line += lines_in(out->text.data + before, out->text.len - before);
		}
	}
	book_free(&b);
	return ok;
}

void reading_pages_free(struct reading_pages *p)
{
	free(p->heads);
	buf_free(&p->text);
}

/* ---- images ---- */

bool reading_image(struct span bytes, bool png, struct reading_image *out, struct picture *picture, struct err *e)
{
	struct frames f = { 0 };
	bool ok = png ? frames_read_png(bytes, &f, e) : frames_read(bytes, &f, e);

	*out = (struct reading_image){ 0 };
	if (ok) {
		*out = (struct reading_image){ f.v[0].width, f.v[0].height, f.n, f.cut };
		image_reduce(&f.v[0], picture);
	}
	frames_free(&f);
	return ok;
}

/* ---- without a reader ---- */

/* "xl/worksheets/sheet12.xml", and nothing below that folder. */
static bool is_part(struct span name, const char *prefix)
{
	size_t n = strlen(prefix);

	return name.n > n + 4 && memcmp(name.p, prefix, n) == 0 && memcmp(name.p + name.n - 4, ".xml", 4) == 0 &&
	       !memchr(name.p + n, '/', name.n - n);
}

size_t reading_parts(struct span file, const char *reader)
{
	const char *prefix = strcmp(reader, "xlsx") == 0 ? "xl/worksheets/" : strcmp(reader, "pptx") == 0 ? "ppt/slides/" : NULL;
	size_t n = 0, parts = 0;
	struct err e;
	struct zip_member *members = prefix ? zip_read(file, &n, &e) : NULL;

	for (size_t i = 0; members && i < n; i++)
		parts += is_part(members[i].name, prefix);
	free(members);
	return parts;
}
