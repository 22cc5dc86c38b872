/* Bytes of a line as cells: laying out, skipping, following styles. */
#include "text/ansi.h"

#include <string.h>

#include "glyph.h"
#include "sgr.h"

#define VECTOR 16 /* bytes looked at at once */
typedef uint8_t vector __attribute__((vector_size(VECTOR)));

/* ---- laying out ------------------------------------------------------------------------------ */

/* Where a call stands. */
struct layout {
	struct cells_state *s;
	struct glyph *out;   /* NULL: nothing is put */
	size_t max, n;       /* glyphs */
	int64_t left;        /* cells */
	int64_t at;          /* of the item */
	struct style style;  /* readable form of s->style */
};

static void put(struct layout *l, const struct item *it, const char *form, size_t n, uint8_t width)
{
	struct glyph *g;

	l->left -= width;
	l->s->col += width;
	if (!l->out)
		return;
	g = &l->out[l->n++];
	*g = (struct glyph){ .at = l->at, .len = it->len, .kind = it->kind, .width = width, .n = (uint8_t)n };
	memcpy(g->bytes, form, n);
	if (it->kind == GLYPH_TEXT || it->kind == GLYPH_BLANK)
		g->style = l->style;
}

static bool is_full(const struct layout *l)
{
	return l->left <= 0 || (l->out && l->n == l->max);
}

/* A tab, or a visible form, cell by cell; true once it is all there. */
static bool put_pieces(struct layout *l, const struct item *it)
{
	struct cells_state *s = l->s;
	int64_t cells = it->cells;

	if (it->kind == GLYPH_BLANK)
		cells = CELLS_TAB - (s->col - s->sub) % CELLS_TAB;
	while (s->sub < cells) {
		if (is_full(l))
			return false;
		put(l, it, it->kind == GLYPH_BLANK ? " " : it->form + s->sub, 1, 1);
		s->sub++;
	}
	s->sub = 0;
	return true;
}

/* In place of a wide glyph at the edge, where one cell is left. */
static void put_filler(struct layout *l)
{
	static const struct item filler = { .kind = GLYPH_FILL };

	put(l, &filler, " ", 1, 1);
	l->s->col--;
}

/* Length of the run of printable ASCII that p begins with. */
static size_t plain_run(const char *p, size_t n)
{
	size_t i = 0;
	vector v, bad;
	uint64_t any[VECTOR / 8];

	for (; i + VECTOR <= n; i += VECTOR) {
		memcpy(&v, p + i, VECTOR);
		bad = (vector)(v - 0x20 >= 0x5f);
		memcpy(any, &bad, VECTOR);
		if (any[0] | any[1])
			break;
	}
	while (i < n && p[i] >= 0x20 && p[i] < 0x7f)
		i++;
	return i;
}

/* Takes plain characters at once; returns how many. */
static size_t take_run(struct layout *l, int64_t at, const char *p, size_t n, bool more)
{
	size_t run = (size_t)MIN((int64_t)n, l->left);

	if (l->out)
		run = MIN(run, l->max - l->n);
	run = plain_run(p, run);
	if (run && (run < n ? (uint8_t)p[run] >= 0x80 : more))
		run--; /* a mark may follow the last */
	for (size_t i = 0; l->out && i < run; i++)
		l->out[l->n++] = (struct glyph){ .at = at + (int64_t)i, .len = 1, .width = 1, .n = 1,
			                         .bytes = { p[i] }, .style = l->style };
	l->left -= (int64_t)run;
	l->s->col += (int64_t)run;
	return run;
}

/* Takes items until cells, glyphs or bytes are used up, and the SGR sequences behind; returns the bytes of
 * the whole ones. With `fill`, a wide glyph at the edge is replaced. */
static size_t lay_out(struct layout *l, int64_t at, const char *p, size_t n, bool more, bool fill)
{
	struct cells_state *s = l->s;
	int64_t cols = l->left;
	struct item it;
	size_t i = 0;

	l->style = sgr_readable(s->style);
	while (i < n) {
		if (!s->sub)
			i += take_run(l, at + (int64_t)i, p + i, n - i, more);
		l->at = at + (int64_t)i;
		if (!glyph_next(p + i, n - i, more, &s->style, &it))
			break;
		if (it.cells == 0) {
			l->style = sgr_readable(s->style);
		} else if (is_full(l)) {
			break;
		} else if (it.kind != GLYPH_TEXT) {
			if (!put_pieces(l, &it))
				break;
		} else if (it.cells <= l->left) {
			put(l, &it, it.form, it.n, it.cells);
		} else {
			if (fill)
				put_filler(l);
			if (!fill || cols > 1)
				break;
		}
		i += it.len;
	}
	return i;
}

size_t cells_put(struct cells_state *s, int64_t at, const char *p, size_t n, bool more, size_t cols,
                 struct glyph *out, size_t max, size_t *used)
{
	struct layout l = { .s = s, .out = out, .max = max, .left = (int64_t)cols };

	*used = lay_out(&l, at, p, n, more, true);
	return l.n;
}

size_t cells_skip(struct cells_state *s, const char *p, size_t n, bool more, int64_t cols, int64_t *taken)
{
	struct layout l = { .s = s, .left = cols };
	size_t used = lay_out(&l, 0, p, n, more, false);

	*taken = cols - l.left;
	return used;
}

void cells_styles(struct cells_state *s, const char *p, size_t n)
{
	for (const char *at = p; (at = memchr(at, '\033', n - (size_t)(at - p))); at++)
		sgr_parse(at, n - (size_t)(at - p), &s->style);
}

/* ---- short texts ------------------------------------------------------------------------------------ */

/* Names and messages are not laid out: a tab is an escape like other controls. */
static bool text_item(const char *p, size_t n, bool styled, struct style *s, struct item *it)
{
	if (*p == '\t' || (*p == '\033' && !styled)) {
		*it = (struct item){ .len = 1, .cells = 2, .kind = GLYPH_ESCAPE, .n = 2 };
		it->form[0] = '^';
		it->form[1] = *p ^ 0x40;
		return true;
	}
	return glyph_next(p, n, false, s, it);
}

size_t cells_text(const char *p, size_t n, bool styled, struct glyph *out, size_t max)
{
	struct cells_state s = { 0 };
	struct layout l = { .s = &s, .out = out, .max = max, .left = INT64_MAX };
	struct item it;

	for (size_t i = 0; i < n && !is_full(&l); i += it.len) {
		l.at = (int64_t)i;
		if (!text_item(p + i, n - i, styled, &s.style, &it))
			break;
		l.style = sgr_readable(s.style);
		if (it.cells && it.kind != GLYPH_TEXT)
			put_pieces(&l, &it);
		else if (it.cells)
			put(&l, &it, it.form, it.n, it.cells);
	}
	return l.n;
}

size_t cells_width(const char *p, size_t n)
{
	struct style s = { 0 };
	struct item it;
	size_t cells = 0;

	for (size_t i = 0; i < n && text_item(p + i, n - i, false, &s, &it); i += it.len)
		cells += it.cells;
	return cells;
}
