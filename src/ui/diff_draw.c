/* Lines of a difference on the canvas. */
#include "diffview.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>

#define NUMBERS_FROM 60 /* cells from which on line numbers are shown */
#define GLYPHS_MOST 1024

static const struct { char sign; uint8_t role; } looks[] = {
	[DIFFROW_SENTENCE] = { '#', ROLE_WARN }, [DIFFROW_HUNK] = { ' ', ROLE_DIM },    [DIFFROW_SAME] = { ' ', ROLE_NORMAL },
	[DIFFROW_REMOVED] = { '-', ROLE_BAD },   [DIFFROW_ADDED] = { '+', ROLE_GOOD },  [DIFFROW_CHANGED] = { '~', ROLE_WARN },
	[DIFFROW_NO_END] = { ' ', ROLE_DIM },
};

/* Whether byte `at` of the row's text is in a piece that differs. */
static bool in_piece(const struct diffrows *r, const struct diffrow *x, int64_t at)
{
	for (uint32_t i = 0; i < x->pieces; i++) {
		const struct diff_piece *p = &r->pieces[x->piece + i];
		if (at >= p->start && at < (int64_t)p->start + p->len)
			return true;
	}
	return false;
}

/* The text of a row from cell `skip` on, in at most w cells. */
static void draw_text(const struct diff_view *d, const struct diffrows *r, const struct diffrow *x, struct canvas *c, struct rect clip,
                      int at, int y, int w)
{
	struct glyph glyphs[GLYPHS_MOST];
	struct cells_state state = { 0 };
	int64_t taken = 0;
	struct match m = { 0 };
	bool hit = d->list.search && search_line(d->list.search, x->text.p, x->text.n, 0, &m) == SEARCH_HIT;
	size_t from = d->side ? cells_skip(&state, x->text.p, x->text.n, false, d->side, &taken) : 0, used;

	if (w <= 0 || taken < d->side)
		return;
	size_t n = cells_put(&state, (int64_t)from, x->text.p + from, x->text.n - from, false, (size_t)w, glyphs, GLYPHS_MOST, &used);
	for (size_t i = 0; i < n; i++) {
		const struct glyph *g = &glyphs[i];
		struct pen pen = PEN(looks[x->kind].role);
		if (g->kind == GLYPH_ESCAPE || g->kind == GLYPH_NUL)
			pen.role = ROLE_CONTROL;
		if (x->pieces && in_piece(r, x, g->at))
			pen.attrs = STYLE_BOLD | STYLE_REVERSE;
		else if (x->moved)
			pen.attrs = STYLE_DIM;
		if (hit && g->at >= (int64_t)m.start && g->at < (int64_t)m.end)
			pen.flags = PEN_HIT;
		canvas_put(c, clip, at, y, g->bytes, g->n, g->width, pen);
		at += g->width;
	}
}

static int draw_number(const struct diff_view *d, struct canvas *c, struct rect r, int x, int y, uint32_t line)
{
	if (line)
		canvas_textf(c, r, x, y, PEN(ROLE_NUMBER), "%*u", d->number_cols - 1, line);
	return x + d->number_cols;
}

/* Somebody noted something there. */
static void draw_noted(const struct diff_part *p, const struct diffrow *row, struct canvas *c, struct rect r, int x, int y)
{
	if (diff_is_noted(p, row))
		canvas_put(c, r, x, y, "c", 1, 1, PEN(ROLE_WARN));
}

static void draw_sign(struct canvas *c, struct rect r, int x, int y, const struct diffrow *row)
{
	char sign = row->moved ? (row->kind == DIFFROW_ADDED ? '>' : '<') : looks[row->kind].sign;

	canvas_put(c, r, x, y, &sign, 1, 1, PEN(looks[row->kind].role));
}

static void draw_whole(const struct diff_view *d, struct canvas *c, struct rect r, int y, const struct diff_part *p,
                       const struct diffrow *row)
{
	bool numbered = row->kind != DIFFROW_SENTENCE && row->kind != DIFFROW_HUNK && row->kind != DIFFROW_NO_END;
	int x = r.x + 1;

	if (r.w >= NUMBERS_FROM && numbered) {
		x = draw_number(d, c, r, x, y, row->a);
		x = draw_number(d, c, r, x, y, row->b);
	}
	draw_sign(c, r, x, y, row);
	x += row->kind == DIFFROW_SENTENCE ? 2 : 1;
	draw_text(d, &p->rows, row, c, r, x, y, r.x + r.w - x);
	/* numbers begin with a blank; without them the mark of the cursor may cover it */
	draw_noted(p, row, c, r, r.x + (r.w >= NUMBERS_FROM && numbered), y);
}

/* One half of a line side by side; row NULL: nothing stands there. */
static void draw_half(const struct diff_view *d, struct canvas *c, struct rect r, int y, const struct diff_part *p,
                      const struct diffrow *row, bool right)
{
	int x = r.x;

	if (!row)
		return;
	if (r.w >= NUMBERS_FROM / 2)
		x = draw_number(d, c, r, x, y, right ? row->b : row->a);
	draw_sign(c, r, x, y, row);
	draw_text(d, &p->rows, row, c, r, x + 1, y, r.x + r.w - x - 1);
	if (x > r.x)
		draw_noted(p, row, c, r, r.x, y);
}

static void draw_beside(const struct diff_view *d, struct canvas *c, struct rect r, int y, const struct diff_part *p,
                        const struct diff_line_at *line)
{
	const struct diffrows *rows = &p->rows;
	int half = (r.w - 2) / 2;
	struct rect left = { r.x + 1, y, half, 1 }, right = { r.x + 2 + half, y, r.w - half - 2, 1 };

	draw_half(d, c, left, y, p, line->left >= 0 ? &rows->v[line->left] : NULL, false);
	canvas_put(c, r, r.x + 1 + half, y, "│", strlen("│"), 1, PEN(ROLE_BORDER));
	draw_half(d, c, right, y, p, line->right >= 0 ? &rows->v[line->right] : NULL, true);
}

static void draw_head(const struct diff_part *p, struct canvas *c, struct rect r, int y)
{
	struct buf b = { 0 };
	bool file = p->item.part == COMPARE_FILE || p->item.part == COMPARE_INPUT_FILE;

	if (!p->cmp) {
		canvas_text(c, r, r.x + 1, y, PEN(p->failed ? ROLE_ERROR : ROLE_TITLE), p->failed ? p->e.msg : p->rows.summary);
		return;
	}
	if (p->pair)
		buf_addf(&b, "%s: ", p->pair);
	buf_adds(&b, compare_part_word(p->item.part));
	if (file && p->item.old_name) {
		buf_addc(&b, ' ');
		escape_name(&b, p->item.old_name, strlen(p->item.old_name));
		buf_adds(&b, " ->");
	}
	if (file) {
		buf_addc(&b, ' ');
		escape_name(&b, p->item.name, strlen(p->item.name));
	}
	int x = canvas_text(c, r, r.x + 1, y, PEN(ROLE_TITLE), b.data) + 2;
	const char *text = p->failed ? p->e.msg : p->rows.summary ? p->rows.summary : p->item.change == SIDES_SAME ? "the same" : "";
	canvas_text(c, r, x, y, PEN(p->failed ? ROLE_ERROR : ROLE_DIM), text);
	draw_noted(p, NULL, c, r, r.x, y);
	buf_free(&b);
}

void diff_draw_line(struct diff_view *d, struct canvas *c, struct rect r, int y, const struct diff_line_at *line)
{
	const struct diff_part *p = &d->parts[line->part];

	if (line->head)
		draw_head(p, c, r, y);
	else if (line->picture)
		diff_picture_draw(d, c, r, y, &p->rows, line->picture - 1u);
	else if (line->left == line->right)
		draw_whole(d, c, r, y, p, &p->rows.v[line->left]);
	else
		draw_beside(d, c, r, y, p, line);
}
