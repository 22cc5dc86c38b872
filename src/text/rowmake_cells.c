/*
 * Two workbooks by sheet and cell, from the JSON lines of their readers: [sheet], then
 * [sheet, row, column, value, formula]. Values and formulas are compared and counted apart.
 */
#include "rowmake.h"

#include <stdlib.h>
#include <string.h>

#define SHEETS_MOST 2000

struct cell {
	uint32_t sheet, row, col;
	const char *value, *formula; /* into the parsed line; NULL */
};
struct book {
	struct strv sheets;
	struct json_value **lines;   /* owned: cells point into them */
	size_t lines_n, lines_cap;
	struct cell *cells;
	size_t n, cap;
	bool cut;
};

struct sums { int64_t values, formulas, added, removed, sheets_added, sheets_removed; };

/* ---- reading ---- */

static bool take_line(struct book *b, struct json_value *v)
{
	const char *sheet = json_text(json_at(v, 0), NULL);

	if (json_get(v, "more")) {
		b->cut = true;
		return true;
	}
	if (!sheet)
		return false;
	if (json_count(v) == 1) {
		if (b->sheets.n == SHEETS_MOST)
			return false;
		strv_add(&b->sheets, sheet);
		return true;
	}
	if (b->sheets.n == 0 || json_count(v) != 5)
		return false;
	b->cells = grow(b->cells, b->n, &b->cap, sizeof(*b->cells));
	b->cells[b->n++] = (struct cell){
		(uint32_t)b->sheets.n - 1, (uint32_t)json_int(json_at(v, 1), 0), (uint32_t)json_int(json_at(v, 2), 0),
		json_text(json_at(v, 3), NULL), json_text(json_at(v, 4), NULL),
	};
	return true;
}

static bool read_book(struct span s, struct book *b, struct err *e)
{
	const char *p = s.p, *end = s.p + s.n;

	while (p < end) {
		const char *lf = memchr(p, '\n', (size_t)(end - p)), *stop = lf ? lf : end;
		struct json_value *v = json_read(p, (size_t)(stop - p), e);
		if (!v)
			return false;
		b->lines = grow(b->lines, b->lines_n, &b->lines_cap, sizeof(*b->lines));
		b->lines[b->lines_n++] = v;
		if (!take_line(b, v))
			return err_set(e, ERR_CORRUPT, "the reader's line %zu is none", b->lines_n);
		p = stop + 1;
	}
	return true;
}

static void book_free(struct book *b)
{
	for (size_t i = 0; i < b->lines_n; i++)
		json_free(b->lines[i]);
	free(b->lines);
	free(b->cells);
	strv_free(&b->sheets);
}

/* ---- comparing ---- */

static uint32_t find_sheet(const struct book *b, const char *name)
{
	for (size_t i = 0; i < b->sheets.n; i++)
		if (strcmp(b->sheets.v[i], name) == 0)
			return (uint32_t)i;
	return UINT32_MAX;
}

static int by_place(const void *x, const void *y)
{
	const struct cell *a = x, *b = y;

	if (a->sheet != b->sheet)
		return a->sheet < b->sheet ? -1 : 1;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return (a->col > b->col) - (a->col < b->col);
}

/* "Sheet1!B7" */
static void add_place(struct buf *out, const char *sheet, const struct cell *c)
{
	char letters[8];
	size_t at = sizeof(letters) - 1;

	letters[at] = '\0';
	for (uint32_t n = c->col; n > 0 && at > 0; n = (n - 1) / 26)
		letters[--at] = (char)('A' + (n - 1) % 26);
	rowmake_short(out, sheet, strlen(sheet));
	buf_addf(out, "!%s%u", letters + at, c->row);
}

static void add_text(struct buf *out, const char *s)
{
	if (!s)
		buf_adds(out, "(none)");
	else if (!*s)
		buf_adds(out, "(empty)");
	else
		rowmake_short(out, s, strlen(s));
}

static bool same_text(const char *x, const char *y)
{
	return x == y || (x && y && strcmp(x, y) == 0);
}

static void put_one(struct diffrows *r, enum diffrow_kind kind, const char *sheet, const struct cell *c)
{
	struct buf b = { 0 };

	add_place(&b, sheet, c);
	buf_adds(&b, ": ");
	add_text(&b, c->value);
	if (c->formula) {
		buf_adds(&b, "  ");
		add_text(&b, c->formula);
	}
	diffrows_say(r, kind, kind == DIFFROW_ADDED ? 0 : c->row, kind == DIFFROW_ADDED ? c->row : 0, buf_take(&b));
}

static void put_both(struct diffrows *r, const char *sheet, const struct cell *x, const struct cell *y, struct sums *s)
{
	bool value = !same_text(x->value, y->value), formula = !same_text(x->formula, y->formula);
	struct buf b = { 0 };

	if (!value && !formula)
		return;
	s->values += value;
	s->formulas += formula;
	add_place(&b, sheet, x);
	buf_adds(&b, ":");
	if (value) {
		buf_addc(&b, ' ');
		add_text(&b, x->value);
		buf_adds(&b, " -> ");
		add_text(&b, y->value);
	}
	if (formula) {
		buf_adds(&b, value ? ", formula " : " formula ");
		add_text(&b, x->formula);
		buf_adds(&b, " -> ");
		add_text(&b, y->formula);
	}
	diffrows_say(r, DIFFROW_CHANGED, x->row, y->row, buf_take(&b));
}

/* Gives the right book's sheets the numbers that they have on the left; new ones come behind. */
static void align_sheets(const struct book *a, struct book *b, struct diffrows *out, struct sums *s)
{
	uint32_t *to = xcalloc(b->sheets.n + 1, sizeof(*to));

	for (size_t i = 0; i < b->sheets.n; i++) {
		to[i] = find_sheet(a, b->sheets.v[i]);
		if (to[i] != UINT32_MAX)
			continue;
		to[i] = (uint32_t)(a->sheets.n + i);
		s->sheets_added++;
		diffrows_sayf(out, DIFFROW_SENTENCE, "sheet added: %s", b->sheets.v[i]);
	}
	for (size_t i = 0; i < a->sheets.n; i++) {
		if (find_sheet(b, a->sheets.v[i]) != UINT32_MAX)
			continue;
		s->sheets_removed++;
		diffrows_sayf(out, DIFFROW_SENTENCE, "sheet removed: %s", a->sheets.v[i]);
	}
	for (size_t i = 0; i < b->n; i++)
		b->cells[i].sheet = to[b->cells[i].sheet];
	free(to);
}

static const char *sheet_name(const struct book *a, const struct book *b, uint32_t sheet)
{
	return sheet < a->sheets.n ? a->sheets.v[sheet] : b->sheets.v[sheet - a->sheets.n];
}

static void compare_books(const struct book *a, const struct book *b, const struct diffrows_options *o, struct diffrows *out,
                          struct sums *s)
{
	size_t i = 0, k = 0;

	while ((i < a->n || k < b->n) && !rowmake_is_full(out, o)) {
		int order = i == a->n ? 1 : k == b->n ? -1 : by_place(&a->cells[i], &b->cells[k]);
		const char *sheet = sheet_name(a, b, order <= 0 ? a->cells[i].sheet : b->cells[k].sheet);
		s->removed += order < 0;
		s->added += order > 0;
		if (order < 0)
			put_one(out, DIFFROW_REMOVED, sheet, &a->cells[i++]);
		else if (order > 0)
			put_one(out, DIFFROW_ADDED, sheet, &b->cells[k++]);
		else
			put_both(out, sheet, &a->cells[i++], &b->cells[k++], s);
	}
}

static void sum_up(struct diffrows *out, const struct sums *s)
{
	out->method = xstrdup("cells by sheet and place");
	out->summary = xasprintf("%lld value%s and %lld formula%s changed, %lld cell%s added, %lld removed", (long long)s->values,
	                         s->values == 1 ? "" : "s", (long long)s->formulas, s->formulas == 1 ? "" : "s", (long long)s->added,
	                         s->added == 1 ? "" : "s", (long long)s->removed);
	diffrows_count(out, "values_changed", s->values);
	diffrows_count(out, "formulas_changed", s->formulas);
	diffrows_count(out, "cells_added", s->added);
	diffrows_count(out, "cells_removed", s->removed);
	diffrows_count(out, "sheets_added", s->sheets_added);
	diffrows_count(out, "sheets_removed", s->sheets_removed);
}

bool diffrows_cells(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e)
{
	struct book x = { 0 }, y = { 0 };
	struct sums s = { 0 };

	*out = (struct diffrows){ .differs = true };
	bool ok = read_book(a, &x, e) && read_book(b, &y, e);
	if (ok) {
		align_sheets(&x, &y, out, &s);
		qsort(x.cells, x.n, sizeof(*x.cells), by_place);
		qsort(y.cells, y.n, sizeof(*y.cells), by_place);
		compare_books(&x, &y, o, out, &s);
		if (x.cut || y.cut)
			diffrows_sayf(out, DIFFROW_SENTENCE, "a workbook has more cells than are read: the rest was not compared");
		if (s.values + s.formulas + s.added + s.removed + s.sheets_added + s.sheets_removed == 0)
			diffrows_sayf(out, DIFFROW_SENTENCE, "the same cells and formulas: the files differ in formats, properties or time stamps");
		sum_up(out, &s);
	}
	book_free(&x);
	book_free(&y);
	return ok;
}
