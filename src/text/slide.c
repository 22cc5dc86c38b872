/* Where hunks stand, and what moved. */
#include "slide.h"

#include <stdlib.h>
#include <string.h>

#define SLIDE_MOST 200  /* lines that a hunk may be moved */
#define MOVE_LINES 3    /* least of a block that is called moved */
#define MOVE_BYTES 20   /* and its least bytes besides blanks */
#define BLANK_LINE 1000 /* what a blank line is worth, in columns of indentation */

/* ---- sliding ---- */

static bool is_blank_line(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != ' ' && s.p[i] != '\t')
			return false;
	return true;
}

static int indentation(struct span s)
{
	int cols = 0;

	for (size_t i = 0; i < s.n && (s.p[i] == ' ' || s.p[i] == '\t') && cols < 200; i++)
		cols += s.p[i] == '\t' ? 8 : 1;
	return cols;
}

/* How bad it is to begin or end a block before this line. */
static int border_cost(const struct diff_text *t, uint32_t line)
{
	if (line == 0 || line >= t->lines)
		return -BLANK_LINE;
	struct span before = diff_line(t, line - 1, NULL), at = diff_line(t, line, NULL);
	int cost = is_blank_line(before) ? -BLANK_LINE : 0;
	return cost + (is_blank_line(at) ? 0 : indentation(at));
}

struct slider {
	const struct diff_text *text;
	const uint32_t *id;
	uint32_t first, n;     /* of the block */
	uint32_t least, most;  /* first may be from .. to */
};

static uint32_t best_place(const struct slider *s)
{
	uint32_t low = s->first, high = s->first, best;
	int64_t best_cost = INT64_MAX;

	while (low > s->least && s->first - low < SLIDE_MOST && s->id[low - 1] == s->id[low + s->n - 1])
		low--;
	while (high < s->most && high - s->first < SLIDE_MOST && s->id[high] == s->id[high + s->n])
		high++;
	best = high;
	for (uint32_t at = high + 1; at-- > low;) {
		int64_t cost = border_cost(s->text, at) + border_cost(s->text, at + s->n);
		if (cost < best_cost) {
			best_cost = cost;
			best = at;
		}
	}
	return best;
}

/* At least one line stays between two hunks. */
static void slide_one(struct diff *d, const struct interned *t, size_t i)
{
	struct diff_hunk *h = &d->hunks[i];
	int side = h->a_n == 0;
	uint32_t before = i ? (side ? h[-1].b + h[-1].b_n : h[-1].a + h[-1].a_n) + 1 : 0;
	uint32_t behind = i + 1 < d->hunks_n ? (side ? h[1].b : h[1].a) - 1 : d->side[side].lines;
	struct slider s = { &d->side[side], t->id[side], side ? h->b : h->a, side ? h->b_n : h->a_n, before, behind };

	if (s.first < before || s.first + s.n > behind)
		return;
	s.most = behind - s.n;
	int64_t by = (int64_t)best_place(&s) - s.first;
	h->a = (uint32_t)(h->a + by);
	h->b = (uint32_t)(h->b + by);
}

void slide_hunks(struct diff *d, const struct interned *t)
{
	for (size_t i = 0; i < d->hunks_n; i++)
		if ((d->hunks[i].a_n == 0) != (d->hunks[i].b_n == 0))
			slide_one(d, t, i);
}

/* ---- moves ---- */

#define SEVERAL UINT32_MAX

/* Of each id: 1 + its only added line; SEVERAL where there are more. */
static uint32_t *added_lines(const struct diff *d, const struct interned *t, uint8_t *added)
{
	uint32_t *at = xcalloc((size_t)t->ids + 1, sizeof(uint32_t));

	for (size_t i = 0; i < d->hunks_n; i++) {
		for (uint32_t k = 0; k < d->hunks[i].b_n; k++) {
			uint32_t line = d->hunks[i].b + k, *slot = &at[t->id[1][line]];
			*slot = *slot ? SEVERAL : line + 1;
			added[line] = 1;
		}
	}
	return at;
}

static size_t visible_bytes(const struct diff_text *t, uint32_t line)
{
	struct span s = diff_line(t, line, NULL);
	size_t n = 0;

	for (size_t i = 0; i < s.n && n < MOVE_BYTES; i++)
		n += s.p[i] != ' ' && s.p[i] != '\t';
	return n;
}

/* The block of removed lines [from, end) that begins at `from` and went as a whole to one place. */
static struct diff_move block_at(const struct diff *d, const struct interned *t, const uint32_t *at, const uint8_t *added,
                                 uint32_t from, uint32_t end)
{
	uint32_t to = at[t->id[0][from]];
	struct diff_move m = { from, to - 1, 0 };
	size_t bytes = 0;

	if (to == 0 || to == SEVERAL)
		return (struct diff_move){ 0 };
	while (from + m.n < end && m.b + m.n < d->side[1].lines && added[m.b + m.n] &&
	       t->id[0][from + m.n] == t->id[1][m.b + m.n]) {
		bytes += bytes < MOVE_BYTES ? visible_bytes(&d->side[0], from + m.n) : 0;
		m.n++;
	}
	return m.n >= MOVE_LINES && bytes >= MOVE_BYTES ? m : (struct diff_move){ 0 };
}

void slide_find_moves(struct diff *d, const struct interned *t)
{
	size_t cap = 0;

	if (d->hunks_n < 2)
		return;
	uint8_t *added = xcalloc((size_t)d->side[1].lines + 1, 1);
	uint32_t *at = added_lines(d, t, added);
	for (size_t i = 0; i < d->hunks_n; i++) {
		uint32_t line = d->hunks[i].a, end = line + d->hunks[i].a_n;
		while (line < end) {
			struct diff_move m = block_at(d, t, at, added, line, end);
			if (m.n) {
				d->moves = grow(d->moves, d->moves_n, &cap, sizeof(*d->moves));
				d->moves[d->moves_n++] = m;
			}
			line += MAX(m.n, 1u);
		}
	}
	free(added);
	free(at);
}
