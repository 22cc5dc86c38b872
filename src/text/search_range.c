/* Searching ranges of a source of any size, forwards and back. A literal cannot reach over a line end, so it
 * is searched in whole blocks; an expression line by line. */
#include "search_private.h"

#include <string.h>

/* The last match that begins before `limit`, from `from` on. */
static enum search_answer match_last(struct search *s, const char *p, size_t n, size_t from, size_t limit, uint32_t options,
                                     struct match *m)
{
	enum search_answer answer = SEARCH_NONE, next;
	struct match found;

	while (from <= n && (next = search_try(s, p, n, from, options, &found)) != SEARCH_NONE) {
		if (next == SEARCH_UNDECIDED)
			return answer == SEARCH_HIT ? SEARCH_HIT : SEARCH_UNDECIDED;
		if (found.start >= limit)
			break;
		*m = found;
		answer = SEARCH_HIT;
		from = MAX(found.start + 1, from + 1);
	}
	return answer;
}

/* A search under way. */
struct hunt {
	struct search *s;
	struct window *w;
	struct range *todo;
	struct range *hit;
	struct search_sum *sum;
	int64_t budget; /* bytes left to look at */
};

static enum search_answer found(struct hunt *h, int64_t at, const struct match *m)
{
	*h->hit = (struct range){ at + (int64_t)m->start, at + (int64_t)m->end };
	h->sum->hits++;
	return SEARCH_HIT;
}

#define BLOCK (64 << 10)

static enum search_answer literal_ahead(struct hunt *h)
{
	while (h->todo->start < h->todo->end && h->budget > 0) {
		int64_t at = h->todo->start;
		size_t overlap = h->s->overlap, want = BLOCK + overlap, got;
		const char *p = window_at(h->w, at, MIN(want, WINDOW_MAX), &got);
		struct match m;

		if (!got)
			break;
		if (search_try(h->s, p, got, 0, 0, &m) == SEARCH_HIT) {
			if (at + (int64_t)m.start >= h->todo->end)
				break;
			return found(h, at, &m);
		}
		h->budget -= (int64_t)got;
		h->todo->start += (int64_t)(got > overlap ? got - overlap : got);
	}
	if (h->budget > 0 || h->todo->start > h->todo->end)
		h->todo->start = h->todo->end;
	return SEARCH_NONE;
}

static enum search_answer literal_back(struct hunt *h)
{
	while (h->todo->start < h->todo->end && h->budget > 0) {
		int64_t at = MAX(h->todo->end - BLOCK, h->todo->start);
		size_t begins = (size_t)(h->todo->end - at), got;
		const char *p = window_at(h->w, at, MIN(begins + h->s->overlap, WINDOW_MAX), &got);
		struct match m;

		got = MIN(got, begins + h->s->overlap);
		if (got && match_last(h->s, p, got, 0, begins, 0, &m) == SEARCH_HIT)
			return found(h, at, &m);
		h->budget -= (int64_t)got;
		h->todo->end = at;
	}
	return SEARCH_NONE;
}

/* A line, or a piece of one that is too long. */
struct piece {
	int64_t at;
	const char *p;
	size_t n;      /* bytes to match, without line end */
	size_t all;    /* bytes with it */
	bool begins, ends;
};

static enum search_answer try_piece(struct hunt *h, const struct piece *c, bool back)
{
	uint32_t options = (c->begins ? 0 : PCRE2_NOTBOL) | (c->ends ? 0 : PCRE2_NOTEOL);
	int64_t from = MAX(h->todo->start - c->at, 0), limit = h->todo->end - c->at;
	enum search_answer answer;
	struct match m = { 0 };

	h->budget -= (int64_t)c->all;
	h->sum->lines += c->begins;
	h->sum->pieces += c->begins && !c->ends;
	if (limit <= 0)
		return SEARCH_NONE;
	if (back)
		answer = match_last(h->s, c->p, c->n, (size_t)from, (size_t)limit, options, &m);
	else
		answer = search_try(h->s, c->p, c->n, (size_t)from, options, &m);
	h->sum->undecided += answer == SEARCH_UNDECIDED;
	if (answer != SEARCH_HIT || (int64_t)m.start >= limit)
		return SEARCH_NONE;
	return found(h, c->at, &m);
}

/* Where the line of byte `pos` begins, or a place SEARCH_LINE before. */
static int64_t line_before(struct window *w, int64_t pos, bool *begins)
{
	size_t got;
	const char *p = window_before(w, pos, SEARCH_LINE, &got), *lf = got ? memrchr(p, '\n', got) : NULL;

	*begins = lf || pos <= SEARCH_LINE;
	return lf ? pos - (int64_t)got + (lf + 1 - p) : MAX(pos - SEARCH_LINE, 0);
}

static enum search_answer lines_ahead(struct hunt *h)
{
	bool begins;
	int64_t at = line_before(h->w, h->todo->start, &begins);

	while (at < h->todo->end && h->budget > 0) {
		size_t got, left;
		const char *p = window_at(h->w, at, SEARCH_LINE + 1, &got);

		if (!got)
			break;
		for (left = got; left && at < h->todo->end && h->budget > 0;) {
			const char *lf = memchr(p, '\n', MIN(left, SEARCH_LINE + 1));
			struct piece c = { .at = at, .p = p, .begins = begins };

			if (!lf && left <= SEARCH_LINE && left < got)
				break; /* not whole in this block */
			c.ends = lf || left <= SEARCH_LINE;
			c.all = lf ? (size_t)(lf + 1 - p) : MIN(left, SEARCH_LINE);
			c.n = c.ends ? search_without_returns(p, c.all - (lf != NULL)) : c.all;
			if (try_piece(h, &c, false) == SEARCH_HIT)
				return SEARCH_HIT;
			begins = c.ends;
			if (!c.ends)
				c.all -= SEARCH_OVERLAP;
			at += (int64_t)c.all;
			p += c.all;
			left -= c.all;
		}
		h->todo->start = MAX(h->todo->start, MIN(at, h->todo->end));
	}
	if (h->budget > 0)
		h->todo->start = h->todo->end;
	return SEARCH_NONE;
}

/* Where the line ends (behind its LF) that holds byte `pos`, or SEARCH_LINE farther. */
static int64_t line_behind(struct window *w, int64_t pos)
{
	size_t got;
	const char *p = window_at(w, pos, SEARCH_LINE, &got), *lf;

	got = MIN(got, SEARCH_LINE);
	lf = got ? memchr(p, '\n', got) : NULL;
	return pos + (lf ? lf + 1 - p : (int64_t)got);
}

/* The line, or piece of one, that ends at `end`. */
static bool piece_before(struct hunt *h, int64_t end, bool ends, struct piece *c)
{
	size_t got, skip;
	const char *p = window_before(h->w, end, (size_t)MIN(end, SEARCH_LINE + 2), &got), *lf;
	bool closed = got && p[got - 1] == '\n';

	if (!got)
		return false;
	lf = memrchr(p, '\n', got - closed);
	skip = lf ? (size_t)(lf + 1 - p) : got > SEARCH_LINE ? got - SEARCH_LINE : 0;
	*c = (struct piece){ .at = end - (int64_t)(got - skip), .p = p + skip, .all = got - skip };
	c->begins = lf || c->at == 0;
	c->ends = ends || closed;
	c->n = c->ends ? search_without_returns(c->p, c->all - closed) : c->all;
	return true;
}

static enum search_answer lines_back(struct hunt *h)
{
	int64_t end = h->todo->start < h->todo->end ? line_behind(h->w, h->todo->end - 1) : 0;
	bool ends = true;
	struct piece c;

	while (h->todo->start < h->todo->end && h->budget > 0) {
		if (!piece_before(h, end, ends, &c))
			break;
		if (try_piece(h, &c, true) == SEARCH_HIT)
			return SEARCH_HIT;
		ends = c.begins;
		end = c.begins ? c.at : c.at + SEARCH_OVERLAP;
		h->todo->end = MIN(h->todo->end, MAX(c.at, h->todo->start));
	}
	if (h->budget > 0)
		h->todo->end = h->todo->start;
	return SEARCH_NONE;
}

enum search_answer search_range(struct search *s, struct window *w, struct range *todo, bool back, int64_t budget,
                                struct range *hit, struct search_sum *sum)
{
	struct hunt h = { .s = s, .w = w, .todo = todo, .hit = hit, .sum = sum, .budget = budget > 0 ? budget : INT64_MAX };

	if (s->is_literal)
		return back ? literal_back(&h) : literal_ahead(&h);
	return back ? lines_back(&h) : lines_ahead(&h);
}
