/* The rows of a dossier's parts, opened as the screen comes to them, and the list that they are. */
#include "dossier.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "preview.h"
#include "text.h"

void dossier_close_rows(struct part *p)
{
	free(p->rows);
	p->rows = NULL;
	p->n = 0;
	p->gap = SIZE_MAX;
}

static bool open_part(struct dossier *d, struct part *p, struct err *e)
{
	struct source_spec spec = { .kind = SOURCE_TEXT };
	struct buf made = { 0 };
	bool ok;

	if (p->kind != SECTION_NONE)
		return section_open(&d->context, &d->detail, p->kind, &p->text, e);
	if (p->words) {
		spec.text = p->words;
		spec.text_len = strlen(p->words);
	} else if (preview_make(d->context.query, p->path, &p->sha256, &made, e)) {
		spec.text = made.data ? made.data : "";
		spec.text_len = made.len;
	} else {
		buf_free(&made);
		return false;
	}
	ok = text_open(d->context.record, &spec, &p->text, e);
	buf_free(&made);
	return ok;
}

static int part_cols(const struct dossier *d, const struct part *p)
{
	return MAX(1, d->cols - DOSSIER_INDENT - (p->kind == SECTION_CODE ? DOSSIER_NUMBERS : 0));
}

static bool is_tail(const struct part *p, const struct text_row *row)
{
	return row->start >= p->text.size;
}

/* The beginning, and where that is not all, a gap and the end. */
static void make_rows(struct dossier *d, struct part *p)
{
	struct text_row *end = xcalloc(p->tail + 1, sizeof(*end)), row;
	size_t got, from = 0;

	p->text.rows.cols = part_cols(d, p);
	p->text.rows.wrap = p->text.rows.words = true;
	rows_forget(&p->text.rows);
	p->rows = xcalloc(p->head + p->tail + 1, sizeof(*p->rows));
	bool more = rows_at(&p->text.rows, 0, &row) && !is_tail(p, &row);
	while (more && p->n < p->head) {
		p->rows[p->n++] = row;
		more = rows_next(&p->text.rows, &p->rows[p->n - 1], &row) && !is_tail(p, &row);
	}
	if (more) {
		got = p->tail ? rows_back(&p->text.rows, NULL, end, p->tail) : 0;
		if (got > 0 && is_tail(p, &end[got - 1]))
			got--;
		while (from < got && end[from].start < row.start)
			from++;
		if (from == got || end[from].start > row.start)
			p->gap = p->n++;
		for (; from < got; from++)
			p->rows[p->n++] = end[from];
	}
	free(end);
}

struct part *dossier_part(struct dossier *d, size_t i)
{
	struct part *p = &d->parts[i];
	struct err e = { 0 };

	if (!p->tried) {
		p->tried = true;
		p->open = open_part(d, p, &e);
		if (p->open)
			text_feed(&p->text, 1 << 20);
		else
			snprintf(p->note, sizeof(p->note), "%s", e.msg);
	}
	if (p->open && !p->rows)
		make_rows(d, p);
	return p;
}

bool dossier_is_gap(const struct part *p, int64_t row)
{
	return p->gap != SIZE_MAX && row == (int64_t)p->gap + 1;
}

/* Where the row begins; -1: it has no bytes (heading, gap, a part that could not be opened). */
static int64_t place_of(struct dossier *d, const struct list_key *key)
{
	struct part *p = dossier_part(d, (size_t)key->v[0]);
	int64_t row = key->v[1];

	return p->open && row >= 1 && row <= (int64_t)p->n && !dossier_is_gap(p, row) ? p->rows[row - 1].start : -1;
}

/* The row that holds byte `pos` of the part. */
static int64_t row_at(struct dossier *d, int64_t part, int64_t pos)
{
	struct part *p = dossier_part(d, (size_t)part);
	int64_t found = 1;

	for (int64_t row = 1; row <= (int64_t)p->n; row++)
		if (!dossier_is_gap(p, row) && p->rows[row - 1].start <= pos)
			found = row;
	return found;
}

bool dossier_fit(struct dossier *d, int cols, struct list_key *const keys[], size_t n)
{
	int64_t places[8];

	if (d->cols == cols)
		return false;
	assert(n <= ARRAY_LEN(places));
	for (size_t i = 0; i < n; i++)
		places[i] = place_of(d, keys[i]);
	d->cols = cols;
	for (size_t i = 0; i < d->parts_n; i++)
		dossier_close_rows(&d->parts[i]);
	for (size_t i = 0; i < n; i++)
		if (places[i] >= 0)
			keys[i]->v[1] = row_at(d, keys[i]->v[0], places[i]);
		else if (keys[i]->v[1] > 1) /* a gap, if it is still there */
			keys[i]->v[1] = MIN(keys[i]->v[1], (int64_t)dossier_part(d, (size_t)keys[i]->v[0])->n);
	return true;
}

struct text_row *dossier_row(struct part *p, int64_t row)
{
	return p->open && row >= 1 && row <= (int64_t)p->n && !dossier_is_gap(p, row) ? &p->rows[row - 1] : NULL;
}

static const char *bytes_of(struct part *p, int64_t start, int64_t end, size_t *n)
{
	int64_t most = MIN((end >= 0 ? end : p->text.size) - start, (int64_t)WINDOW_MAX);
	size_t got;
	const char *bytes = window_at(p->text.window, start, (size_t)most, &got);

	*n = bytes ? (size_t)MIN((int64_t)got, most) : 0;
	return bytes;
}

const char *dossier_bytes(struct part *p, int64_t row, size_t *n)
{
	const struct text_row *r = dossier_row(p, row);

	return r ? bytes_of(p, r->start, r->end, n) : NULL;
}

const char *dossier_line(struct part *p, int64_t row, int64_t *start, size_t *n)
{
	const struct text_row *r = dossier_row(p, row);
	struct line line;

	if (!r)
		return NULL;
	bool near = r->line >= 0 && lines_get(p->text.lines, p->text.window, r->start, p->text.size, &line) && line.start >= 0 &&
	            r->start - line.start < WINDOW_MAX / 2;
	*start = near ? line.start : r->start;
	return bytes_of(p, *start, near ? line.end : r->end, n);
}

int64_t dossier_line_of_row(struct part *p, int64_t row)
{
	const struct text_row *r = dossier_row(p, row);

	return r && r->line >= 0 ? lines_number(p->text.lines, p->text.window, r->line) + 1 : 0;
}

int64_t dossier_row_of_line(struct dossier *d, size_t part, int64_t line)
{
	struct part *p = dossier_part(d, part);

	for (int64_t row = 1; row <= (int64_t)p->n; row++)
		if (dossier_line_of_row(p, row) == line)
			return row;
	return 0;
}

/* ---- as a list --------------------------------------------------------------------------------------------- */

/* Rows of a part, its heading or what stands for one included; the first has none. */
static int64_t last_row(struct dossier *d, size_t i)
{
	const struct part *p = dossier_part(d, i);

	return p->open ? (int64_t)p->n : 1;
}

static int64_t first_row(size_t i)
{
	return i == 0 ? 1 : 0;
}

static bool list_end(void *ctx, int dir, struct list_key *out)
{
	struct dossier *d = ctx;
	size_t i = dir > 0 ? 0 : d->parts_n - 1;

	if (d->parts_n == 0)
		return false;
	*out = (struct list_key){ { (int64_t)i, dir > 0 ? first_row(0) : last_row(d, i), 0, 0 } };
	return true;
}

static bool list_step(void *ctx, struct list_key *key, int dir)
{
	struct dossier *d = ctx;
	size_t i = (size_t)MIN(key->v[0], (int64_t)d->parts_n - 1);
	int64_t row = MIN(key->v[1], last_row(d, i)) + dir;

	if (row > last_row(d, i)) {
		if (i + 1 == d->parts_n)
			return false;
		*key = (struct list_key){ { (int64_t)i + 1, first_row(i + 1), 0, 0 } };
		return true;
	}
	if (row < first_row(i)) {
		if (i == 0)
			return false;
		*key = (struct list_key){ { (int64_t)i - 1, last_row(d, i - 1), 0, 0 } };
		return true;
	}
	*key = (struct list_key){ { (int64_t)i, row, 0, 0 } };
	return true;
}

static int list_compare(void *ctx, const struct list_key *a, const struct list_key *b)
{
	(void)ctx;
	if (a->v[0] != b->v[0])
		return a->v[0] < b->v[0] ? -1 : 1;
	return (a->v[1] > b->v[1]) - (a->v[1] < b->v[1]);
}

const struct list_ops dossier_ops = { .end = list_end, .step = list_step, .compare = list_compare };
