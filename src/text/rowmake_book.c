/*
 * Two workbooks by sheet: as tables by key where they are some (sheet.c), else cell by cell where each stands.
 * Values and formulas are compared and counted apart.
 */
#include "book.h"
#include "rowmake.h"
#include "sheet.h"
#include "text/table.h"

#include <stdlib.h>
#include <string.h>

#define RENAMED_MOST 200 /* sheets whose new name is looked for */

static int by_place(const void *x, const void *y)
{
	const struct book_cell *a = x, *b = y;

	if (a->sheet != b->sheet)
		return a->sheet < b->sheet ? -1 : 1;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return (a->col > b->col) - (a->col < b->col);
}

/* "Sheet1!B7" */
static void add_place(struct buf *out, const char *sheet, const struct book_cell *c)
{
	rowmake_short(out, sheet, strlen(sheet));
	buf_addc(out, '!');
	table_place(out, c->row, c->col);
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

/* A value as the file has it, and as a date where it is shown as one. */
static void add_value(struct buf *out, const struct book_cell *c)
{
	add_text(out, c->value);
	if (c->text) {
		buf_adds(out, " (");
		add_text(out, c->text);
		buf_addc(out, ')');
	}
}

static void sort_cells(struct book *b)
{
	if (b->n)
		qsort(b->cells, b->n, sizeof(*b->cells), by_place);
}

static bool same_text(const char *x, const char *y)
{
	return x == y || (x && y && strcmp(x, y) == 0);
}

/* Of the row said last: the cell, in a sheet by the name that it has on that side. */
static void set_place(struct diffrows *r, const struct sheet *s, const struct book_cell *c)
{
	struct buf b = { 0 };

	add_place(&b, s->name, c);
	rowmake_place(r, buf_take(&b));
}

static void put_one(struct diffrows *r, enum diffrow_kind kind, const char *sheet, const struct sheet *of, const struct book_cell *c)
{
	struct buf b = { 0 };

	add_place(&b, sheet, c);
	buf_adds(&b, ": ");
	add_value(&b, c);
	if (c->formula) {
		buf_adds(&b, "  ");
		add_text(&b, c->formula);
	}
	diffrows_say(r, kind, kind == DIFFROW_ADDED ? 0 : c->row, kind == DIFFROW_ADDED ? c->row : 0, buf_take(&b));
	set_place(r, of, c);
}

static void put_both(struct diffrows *r, const char *sheet, const struct sheet *of, const struct book_cell *x, const struct book_cell *y,
                     struct sheet_sums *s)
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
		add_value(&b, x);
		buf_adds(&b, " -> ");
		add_value(&b, y);
	}
	if (formula) {
		buf_adds(&b, value ? ", formula " : " formula ");
		add_text(&b, x->formula);
		buf_adds(&b, " -> ");
		add_text(&b, y->formula);
	}
	diffrows_say(r, DIFFROW_CHANGED, x->row, y->row, buf_take(&b));
	set_place(r, of, y);
}

/* The cells of sheet number `sheet`, which begin at *at; that is moved behind them. */
static struct sheet take_sheet(const struct book *b, const char *name, uint32_t sheet, size_t *at)
{
	struct sheet s = { .name = name, .cells = b->cells + *at };

	for (; *at < b->n && b->cells[*at].sheet == sheet; ++*at)
		s.n++;
	return s;
}

static bool same_cell(const struct book_cell *x, const struct book_cell *y)
{
	return x->row == y->row && x->col == y->col && same_text(x->value, y->value) && same_text(x->formula, y->formula);
}

static bool same_cells(const struct sheet *a, const struct sheet *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!same_cell(&a->cells[i], &b->cells[i]))
			return false;
	return true;
}

/* Whether more than half of the cells of both are the same, at the same place. */
static bool alike_cells(const struct sheet *a, const struct sheet *b)
{
	size_t same = 0;

	for (size_t i = 0, k = 0; i < a->n && k < b->n;) {
		const struct book_cell *x = &a->cells[i], *y = &b->cells[k];
		int order = x->row != y->row ? (x->row < y->row ? -1 : 1) : (x->col > y->col) - (x->col < y->col);
		same += order == 0 && same_cell(x, y);
		i += order <= 0;
		k += order >= 0;
	}
	return same * 2 > MAX(a->n, b->n);
}

static void say_hidden(const struct book *a, const struct book *b, const char *left, const char *right, struct diffrows *out)
{
	bool was = strv_has(&a->hidden, left), is = strv_has(&b->hidden, right);

	if (was != is)
		diffrows_sayf(out, DIFFROW_SENTENCE, "sheet %s: %s", is ? "hidden now" : "no more hidden", right);
}

/* Of a left sheet whose name is gone: the new one on the right that holds the same, or at the same place mostly. */
static uint32_t find_renamed(const struct book *a, const struct book *b, uint32_t sheet, const uint32_t *to)
{
	size_t at = 0, from = 0;
	uint32_t alike = UINT32_MAX;

	while (at < a->n && a->cells[at].sheet < sheet)
		at++;
	struct sheet x = take_sheet(a, "", sheet, &at);
	for (uint32_t i = 0; i < b->sheets.n && x.n > 0; i++) {
		struct sheet y = take_sheet(b, "", i, &from);
		if (to[i] != UINT32_MAX)
			continue;
		if (same_cells(&x, &y))
			return i;
		if (i == sheet && alike_cells(&x, &y))
			alike = i;
	}
	return alike;
}

/* Gives the right book's sheets the numbers that they have on the left; new ones come behind. Owned: the number of each. */
static uint32_t *align_sheets(const struct book *a, struct book *b, struct diffrows *out, struct sheet_sums *s)
{
	uint32_t *to = xcalloc(b->sheets.n + 1, sizeof(*to));
	size_t searched = 0;

	for (size_t i = 0; i < b->sheets.n; i++)
		to[i] = book_sheet(a, b->sheets.v[i]);
	for (size_t i = 0; i < a->sheets.n; i++) {
		uint32_t right = book_sheet(b, a->sheets.v[i]);
		bool named = right != UINT32_MAX;
		if (!named && searched++ < RENAMED_MOST)
			right = find_renamed(a, b, (uint32_t)i, to);
		if (right == UINT32_MAX) {
			s->sheets_removed++;
			diffrows_sayf(out, DIFFROW_SENTENCE, "sheet removed: %s", a->sheets.v[i]);
			continue;
		}
		to[right] = (uint32_t)i;
		if (!named)
			diffrows_sayf(out, DIFFROW_SENTENCE, "sheet renamed: %s -> %s", a->sheets.v[i], b->sheets.v[right]);
		say_hidden(a, b, a->sheets.v[i], b->sheets.v[right], out);
	}
	for (size_t i = 0; i < b->sheets.n; i++) {
		if (to[i] != UINT32_MAX)
			continue;
		to[i] = (uint32_t)(a->sheets.n + i);
		s->sheets_added++;
		diffrows_sayf(out, DIFFROW_SENTENCE, "sheet added: %s", b->sheets.v[i]);
	}
	for (size_t i = 0; i < b->n; i++)
		b->cells[i].sheet = to[b->cells[i].sheet];
	return to;
}

static const char *sheet_name(const struct book *a, const struct book *b, uint32_t sheet)
{
	return sheet < a->sheets.n ? a->sheets.v[sheet] : b->sheets.v[sheet - a->sheets.n];
}

/* On the right, where it may have a new one. */
static const char *own_name(const struct book *b, const uint32_t *to, uint32_t sheet, const char *otherwise)
{
	for (size_t i = 0; i < b->sheets.n; i++)
		if (to[i] == sheet)
			return b->sheets.v[i];
	return otherwise;
}

/* Cell by cell, where each stands. */
static void by_places(const struct sheet *a, const struct sheet *b, const struct diffrows_options *o, struct diffrows *out,
                      struct sheet_sums *s)
{
	size_t i = 0, k = 0;

	while ((i < a->n || k < b->n) && !rowmake_is_full(out, o)) {
		int order = i == a->n ? 1 : k == b->n ? -1 : by_place(&a->cells[i], &b->cells[k]);
		s->removed += order < 0;
		s->added += order > 0;
		if (order < 0)
			put_one(out, DIFFROW_REMOVED, a->name, a, &a->cells[i++]);
		else if (order > 0)
			put_one(out, DIFFROW_ADDED, a->name, b, &b->cells[k++]);
		else
			put_both(out, a->name, b, &a->cells[i++], &b->cells[k++], s);
	}
}

static void compare_sheets(const struct sheet *x, const struct sheet *y, const struct diffrows_options *o, struct diffrows *out,
                           struct sheet_sums *s)
{
	size_t above[2];

	if (same_cells(x, y))
		return;
	if (!sheet_by_key(x, y, o, out, s, above)) {
		by_places(x, y, o, out, s);
		return;
	}
	struct sheet left = { x->name, x->cells, above[0] }, right = { y->name, y->cells, above[1] };
	by_places(&left, &right, o, out, s);
}

static void compare_books(const struct book *a, const struct book *b, const uint32_t *to, const struct diffrows_options *o,
                          struct diffrows *out, struct sheet_sums *s)
{
	size_t i = 0, k = 0;

	for (uint32_t sheet = 0; sheet < a->sheets.n + b->sheets.n && !rowmake_is_cancelled(o, NULL); sheet++) {
		const char *name = sheet_name(a, b, sheet);
		struct sheet x = take_sheet(a, name, sheet, &i), y = take_sheet(b, own_name(b, to, sheet, name), sheet, &k);
		compare_sheets(&x, &y, o, out, s);
	}
}

static const char *plural(int64_t n)
{
	return n == 1 ? "" : "s";
}

static void sum_up(struct diffrows *out, const struct sheet_sums *s)
{
	struct buf b = { 0 };

	buf_addf(&b, "%lld value%s and %lld formula%s changed, %lld cell%s added, %lld removed", (long long)s->values, plural(s->values),
	         (long long)s->formulas, plural(s->formulas), (long long)s->added, plural(s->added), (long long)s->removed);
	if (s->rows_added || s->rows_removed)
		buf_addf(&b, ", %lld row%s added, %lld removed", (long long)s->rows_added, plural(s->rows_added), (long long)s->rows_removed);
	out->summary = buf_take(&b);
	out->method = xstrdup("sheets by key where they have one, else cells by place");
	const struct diffrows_count counts[] = {
		{ "values_changed", s->values },   { "formulas_changed", s->formulas }, { "cells_added", s->added },
		{ "cells_removed", s->removed },   { "rows_added", s->rows_added },     { "rows_removed", s->rows_removed },
		{ "rows_moved", s->rows_moved },   { "sheets_added", s->sheets_added }, { "sheets_removed", s->sheets_removed },
	};
	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		diffrows_count(out, counts[i].name, counts[i].n);
}

bool rowmake_book(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e)
{
	struct book x = { 0 }, y = { 0 };
	struct sheet_sums s = { 0 };

	out->differs = true; /* readers are asked of different bytes only */
	bool ok = book_read(a, &x, e) && !rowmake_is_cancelled(o, e) && book_read(b, &y, e) && !rowmake_is_cancelled(o, e);
	if (ok) {
		sort_cells(&x);
		sort_cells(&y);
		uint32_t *to = align_sheets(&x, &y, out, &s);
		sort_cells(&y);
		size_t told = out->n;
		compare_books(&x, &y, to, o, out, &s);
		free(to);
		if (x.cut || y.cut)
			diffrows_sayf(out, DIFFROW_SENTENCE, "a workbook has more cells than are read: the rest was not compared");
		if (out->n == told && told == 0)
			diffrows_sayf(out, DIFFROW_SENTENCE, "the same cells and formulas: the files differ in formats, properties or time stamps");
		sum_up(out, &s);
		ok = !rowmake_is_cancelled(o, e);
	}
	book_free(&x);
	book_free(&y);
	return ok;
}
