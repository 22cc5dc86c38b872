/* Reading the lines of a reader; it ran in a sandbox on hostile bytes, and is believed in nothing. */
#include "book.h"

#include <stdlib.h>
#include <string.h>

static struct json_value *next_line(const char **p, const char *end, struct err *e)
{
	const char *lf = memchr(*p, '\n', (size_t)(end - *p)), *stop = lf ? lf : end;
	struct json_value *v = json_read(*p, (size_t)(stop - *p), e);

	*p = lf ? lf + 1 : end;
	return v;
}

bool book_each_line(struct span s, bool (*fn)(void *ctx, const struct json_value *line, struct err *e), void *ctx, struct err *e)
{
	bool ok = true;

	for (const char *p = s.p, *end = s.p + s.n; ok && p < end;) {
		struct json_value *v = next_line(&p, end, e);
		ok = v && fn(ctx, v, e);
		json_free(v);
	}
	return ok;
}

static bool take_line(struct book *b, const struct json_value *v)
{
	const char *sheet = json_text(json_at(v, 0), NULL);

	if (json_get(v, "more")) {
		b->cut = true;
		return true;
	}
	if (!sheet)
		return false;
	if (json_count(v) <= 2) { /* the second: why it is not shown */
		strv_add(&b->sheets, sheet);
		if (json_count(v) == 2)
			strv_add(&b->hidden, sheet);
		return b->sheets.n <= BOOK_SHEETS && (json_count(v) == 1 || json_text(json_at(v, 1), NULL));
	}
	int64_t row = json_int(json_at(v, 1), -1), col = json_int(json_at(v, 2), -1);
	if (b->sheets.n == 0 || json_count(v) != 6 || row < 0 || row >= UINT32_MAX || col < 0 || col >= UINT32_MAX)
		return false;
	b->cells = grow(b->cells, b->n, &b->cap, sizeof(*b->cells));
	b->cells[b->n++] = (struct book_cell){
		(uint32_t)b->sheets.n - 1, (uint32_t)row, (uint32_t)col, json_text(json_at(v, 3), NULL), json_text(json_at(v, 4), NULL),
		json_text(json_at(v, 5), NULL),
	};
	return true;
}

bool book_read(struct span s, struct book *b, struct err *e)
{
	for (const char *p = s.p, *end = s.p + s.n; p < end;) {
		struct json_value *v = next_line(&p, end, e);
		if (!v)
			return false;
		b->lines = grow(b->lines, b->lines_n, &b->lines_cap, sizeof(*b->lines));
		b->lines[b->lines_n++] = v;
		if (!take_line(b, v))
			return err_set(e, ERR_CORRUPT, "the reader's line %zu is none", b->lines_n);
	}
	return true;
}

void book_free(struct book *b)
{
	for (size_t i = 0; i < b->lines_n; i++)
		json_free(b->lines[i]);
	free(b->lines);
	free(b->cells);
	strv_free(&b->sheets);
	strv_free(&b->hidden);
}

uint32_t book_sheet(const struct book *b, const char *name)
{
	for (size_t i = 0; i < b->sheets.n; i++)
		if (strcmp(b->sheets.v[i], name) == 0)
			return (uint32_t)i;
	return UINT32_MAX;
}

void book_page(const struct book *b, uint32_t sheet, size_t *at, struct buf *out)
{
	buf_addf(out, "[%s]\n", b->sheets.v[sheet]);
	for (; *at < b->n && b->cells[*at].sheet == sheet; ++*at)
		buf_addf(out, "%s\n", b->cells[*at].text ? b->cells[*at].text : "");
}

void book_text(const struct book *b, struct buf *out)
{
	size_t at = 0;

	for (uint32_t sheet = 0; sheet < b->sheets.n; sheet++)
		book_page(b, sheet, &at, out);
}
