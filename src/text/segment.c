/* Which bytes are laid out together. */
#include "segment.h"

#include <string.h>

#include "sgr.h"
#include "text.h"

_Static_assert(LINES_NEAR >= 2 * ROWS_ANCHOR + SGR_MAX, "the anchor before the last must be in sight");
_Static_assert(WINDOW_MAX >= 2 * ROWS_ANCHOR + SGR_MAX, "a segment that is laid out fits a window");

/* The first place at or behind `anchor` that is not inside a character or an SGR sequence. */
static int64_t whole_item(struct rows *r, int64_t anchor, int64_t from)
{
	size_t back = (size_t)MIN(anchor - from, SGR_MAX), got;
	const char *p = window_at(r->w, anchor - (int64_t)back, back + SGR_MAX, &got), *esc;
	struct style ignored = { 0 };
	uint32_t c;

	if (got <= back)
		return anchor;
	esc = memrchr(p, '\033', back);
	if (esc) {
		size_t at = (size_t)(esc - p), len = sgr_parse(esc, got - at, &ignored);

		if (at + len > back)
			return anchor + (int64_t)(at + len - back);
	}
	for (size_t i = 1; i < 4 && i <= back && (p[back - i] & 0x80); i++) {
		size_t len = utf8_decode(p + back - i, got - back + i, &c);

		if (len > i)
			return anchor + (int64_t)(len - i);
		if (len)
			break;
	}
	return anchor;
}

/* Where the piece begins that anchor number k starts in the text [start, end): at its start when the anchor
 * lies too near to it. */
static int64_t anchor_place(struct rows *r, int64_t k, int64_t start, int64_t end)
{
	int64_t anchor = k * ROWS_ANCHOR;

	if (anchor - ROWS_ANCHOR < start)
		return start;
	anchor = whole_item(r, anchor, start);
	return MIN(anchor, end);
}

/* Leaves of a text that is long the piece which holds `pos`. Its ends, as far as they are not those of the
 * line, lie beyond LINES_NEAR from pos. */
static void cut(struct rows *r, struct segment *g, int64_t pos)
{
	int64_t start = g->start, end = g->end, k, place, next;

	pos = MAX(MIN(pos, end - 1), start);
	k = pos / ROWS_ANCHOR;
	place = anchor_place(r, k, start, end);
	if (place > pos) /* pos is inside the item that lies across the anchor */
		place = anchor_place(r, --k, start, end);
	do
		next = anchor_place(r, ++k, start, end);
	while (next <= place && next < end);
	if (place > start) {
		size_t got;
		const char *p = window_before(r->w, place, (size_t)MIN(place - start, ROWS_ANCHOR), &got);

		if (got)
			cells_styles(&g->state, p, got);
		g->low = g->start = place;
		g->first = false;
		g->earlier = 0;
	}
	if (next < end) {
		g->high = g->end = next;
		g->last = false;
	}
}

static bool is_open(const struct rows *r, int64_t line)
{
	return r->states || (r->open && r->open(r->open_ctx, line));
}

/* One state of an open line. */
static void find_state(struct rows *r, const struct line *line, int64_t pos, struct segment *g)
{
	struct line_state s;

	if (!lines_state(r->l, r->w, line, pos, &s))
		return;
	g->start = s.start;
	g->end = s.end;
	g->first = s.first;
	g->last = s.next < 0;
	if (!s.first)
		g->low = s.start;
	if (s.next >= 0)
		g->high = s.next;
}

void segment_find(struct rows *r, int64_t pos, struct line *line, struct segment *g)
{
	if (!line->whole || pos < line->start || pos >= (line->next >= 0 ? line->next : r->size))
		lines_get(r->l, r->w, pos, r->size, line);
	*g = (struct segment){ .line = line->start, .start = line->start, .end = line->end, .first = true, .last = true };
	if (line->start < 0) {
		g->start = MAX(pos - LINES_NEAR, 0);
		g->first = false;
	}
	if (line->end < 0) {
		g->end = MIN(pos + LINES_NEAR, r->size);
		g->last = false;
	}
	g->low = g->start;
	g->high = line->next >= 0 ? line->next : line->end >= 0 ? r->size : g->end;
	if (line->whole && line->shown != line->start) {
		if (is_open(r, line->start)) {
			find_state(r, line, pos, g);
		} else {
			g->start = line->shown;
			g->earlier = line->earlier;
		}
	}
	if ((r->wrap && g->end - g->start > ROWS_ANCHOR) || !line->whole)
		cut(r, g, pos);
	if (!line->whole && !g->first)
		g->line = -1; /* could be told from some of its bytes only */
}
