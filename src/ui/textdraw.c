/* From glyphs with places to cells with pens. */
#include "textdraw.h"

#include <stdlib.h>
#include <string.h>

#include "text/odd.h"

#define SPANS_MAX 2048  /* coloured pieces of one line of Python */
#define PY_PIECE 8192   /* bytes of a line that are lexed for one row */
#define HITS_MAX 64     /* highlighted in one row */
#define HIT_NEAR 1024   /* bytes before a row in which a hit may begin */

static const uint8_t py_roles[PY_KIND_COUNT] = {
	[PY_PLAIN] = ROLE_NORMAL, [PY_KEYWORD] = ROLE_KEYWORD, [PY_CONSTANT] = ROLE_LITERAL, [PY_BUILTIN] = ROLE_NAME,
	[PY_STRING] = ROLE_STRING, [PY_FIELD] = ROLE_LITERAL, [PY_COMMENT] = ROLE_COMMENT, [PY_NUMBER] = ROLE_LITERAL,
	[PY_DECORATOR] = ROLE_DECORATOR, [PY_DEFINED] = ROLE_NAME, [PY_OPERATOR] = ROLE_NORMAL,
};

/* What was found out about the bytes of one row. */
struct colouring {
	int64_t base;             /* where the lexed line begins; -1: none */
	struct py_span *spans;    /* owned; NULL: none */
	size_t spans_n;
	struct range hits[HITS_MAX];
	size_t hits_n;
};

static void lex_line(const struct text_paint *p, const struct text_row *row, struct colouring *out)
{
	struct text_view *t = p->text;
	int64_t number, end;
	size_t got, n;
	struct py_state st;
	const char *bytes;

	if (!p->py || p->kind != SECTION_CODE || row->line < 0 || row->start - row->line > PY_PIECE)
		return;
	number = lines_number(t->lines, t->window, row->line);
	if (number < 0)
		return;
	st = py_cache_state(p->py, t, number);
	end = lines_end(t->lines, t->window, row->line);
	n = (size_t)MIN((end >= 0 ? end : t->size) - row->line, (int64_t)(2 * PY_PIECE));
	bytes = window_at(t->window, row->line, n, &got);
	if (!bytes)
		return;
	out->spans = xcalloc(SPANS_MAX, sizeof(*out->spans));
	out->spans_n = pylex_line(&st, bytes, MIN(n, got), out->spans, SPANS_MAX);
	out->base = row->line;
}

/* Hits that touch the bytes from..to of one line. */
static void find_hits(const struct text_paint *p, const struct text_row *row, int64_t from, int64_t to,
                      struct colouring *out)
{
	int64_t begin = MAX(row->line >= 0 ? row->line : from - HIT_NEAR, from - HIT_NEAR);
	struct match m;
	size_t got, n, at = 0;
	const char *bytes;

	if (!p->search)
		return;
	begin = MAX(begin, 0);
	n = (size_t)MIN(to + HIT_NEAR - begin, p->text->size - begin);
	bytes = window_at(p->text->window, begin, MIN(n, (size_t)WINDOW_MAX), &got);
	if (!bytes)
		return;
	n = MIN(n, got);
	const char *lf = memchr(bytes + (from - begin), '\n', n > (size_t)(from - begin) ? n - (size_t)(from - begin) : 0);
	if (lf)
		n = (size_t)(lf - bytes);
	while (at <= n && out->hits_n < HITS_MAX && search_line(p->search, bytes, n, at, &m) == SEARCH_HIT) {
		out->hits[out->hits_n++] = (struct range){ begin + (int64_t)m.start, begin + (int64_t)m.end };
		at = m.end > m.start ? m.end : m.end + 1;
	}
}

static bool in_range(struct range r, int64_t at)
{
	return r.start >= 0 && at >= r.start && at < r.end;
}

static uint8_t py_role(const struct colouring *c, int64_t at)
{
	size_t lo = 0, hi = c->spans_n;
	int64_t offset = at - c->base;

	while (lo + 1 < hi) {
		size_t mid = (lo + hi) / 2;
		if (c->spans[mid].start <= offset)
			lo = mid;
		else
			hi = mid;
	}
	return c->spans_n ? py_roles[c->spans[lo].kind] : ROLE_NORMAL;
}

static struct pen glyph_pen(const struct text_paint *p, const struct colouring *c, const struct glyph *g, struct pen pen)
{
	if (g->kind == GLYPH_ESCAPE || g->kind == GLYPH_NUL)
		pen.role = ROLE_CONTROL;
	else if (g->kind == GLYPH_MARK)
		pen.role = ROLE_GAP;
	else if (c->base >= 0)
		pen.role = py_role(c, g->at);
	if (g->kind != GLYPH_MARK) {
		pen.fg = g->style.fg;
		pen.bg = g->style.bg;
		pen.attrs |= (uint8_t)(g->style.attrs & (STYLE_BOLD | STYLE_DIM | STYLE_ITALIC | STYLE_UNDERLINE | STYLE_REVERSE));
	}
	for (size_t i = 0; i < c->hits_n; i++)
		if (in_range(c->hits[i], g->at))
			pen.flags |= PEN_HIT;
	if (in_range(p->current, g->at))
		pen.flags |= PEN_CURRENT;
	if (in_range(p->chosen, g->at))
		pen.flags |= PEN_CHOSEN;
	return pen;
}

/* Where the glyphs of a stream came from; asked again only where that changes. */
struct stream_tint {
	struct source_origin origin;
	bool known;
};

/* In the view of both streams, what came from stderr, and what stands for bytes that were not kept. */
static struct pen stream_pen(const struct text_paint *p, struct stream_tint *t, int64_t at, struct pen pen)
{
	if (!section_is_stream(p->kind))
		return pen;
	if (!t->known || at < t->origin.start || at >= t->origin.end)
		t->known = source_origin(p->text->source, at, &t->origin);
	if (t->known && t->origin.gap)
		pen.role = ROLE_GAP;
	else if (t->known && p->kind == SECTION_OUTPUT && t->origin.stream == STREAM_ERR)
		pen.role = ROLE_STDERR;
	return pen;
}

#define ALIKES 64 /* of one row */

/* Look-alike letters are drawn as what has no glyph of its own: they must not pass for what they look like. */
static void mark_alikes(const struct text_paint *p, const struct glyph *glyphs, int64_t n, struct pen *pens)
{
	struct odd_span odd[ALIKES];
	int64_t from = glyphs[0].at, to = glyphs[n - 1].at + glyphs[n - 1].len, at = 0;
	bool wide = false;
	size_t got, count;

	for (int64_t i = 0; i < n && !wide; i++)
		wide = glyphs[i].kind == GLYPH_TEXT && (glyphs[i].bytes[0] & 0x80);
	const char *bytes = wide && to > from ? window_at(p->text->window, from, (size_t)MIN(to - from, (int64_t)PY_PIECE), &got) : NULL;
	if (!bytes)
		return;
	count = odd_find(bytes, (size_t)MIN((int64_t)got, to - from), odd, ALIKES);
	for (size_t k = 0; k < count; k++) {
		while (at < n && glyphs[at].at < from + (int64_t)odd[k].start)
			at++;
		if (odd[k].kind == ODD_ALIKE && at < n && glyphs[at].at == from + (int64_t)odd[k].start)
			pens[at].role = ROLE_CONTROL;
	}
}

bool text_paint_row(const struct text_paint *p, struct canvas *c, struct rect clip, int x, int y, int cols,
                    const struct text_row *row, int64_t skip, struct pen pen)
{
	size_t max = (size_t)cols + 8;
	struct glyph *glyphs;
	struct pen *pens;
	struct colouring colours = { .base = -1 };
	struct stream_tint tint = { .known = false };
	int64_t n;

	if (cols < 1)
		return true;
	glyphs = xcalloc(max, sizeof(*glyphs));
	p->text->rows.cols = cols;
	n = rows_draw(&p->text->rows, row, skip, glyphs, max);
	lex_line(p, row, &colours);
	if (n > 0)
		find_hits(p, row, glyphs[0].at, glyphs[n - 1].at + 1, &colours);
	pens = xcalloc(max, sizeof(*pens));
	for (int64_t i = 0; i < n; i++)
		pens[i] = glyph_pen(p, &colours, &glyphs[i], stream_pen(p, &tint, glyphs[i].at, pen));
	if (n > 0)
		mark_alikes(p, glyphs, n, pens);
	for (int64_t i = 0; i < n; i++) {
		canvas_put(c, clip, x, y, glyphs[i].bytes, glyphs[i].n, glyphs[i].width, pens[i]);
		x += glyphs[i].width;
	}
	free(pens);
	free(glyphs);
	free(colours.spans);
	return n >= 0;
}
