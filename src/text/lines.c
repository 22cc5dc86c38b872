/*
 * The line index: counts of LFs and of states at each block border, and questions answered by
 * looking at a block again.
 */
#include "text/lines.h"

#include "line_ends.h"

#include <stdlib.h>
#include <string.h>

struct tally {
	int64_t breaks;       /* LFs */
	int64_t states : 63;  /* CRs that end a state: none before is CR or LF, or nothing */
	uint64_t returns : 1; /* at a block's border: the block before it is nothing but CRs */
};
_Static_assert(sizeof(struct tally) == 16, "see LINES_BLOCK for what the index takes");

struct lines {
	struct tally *blocks; /* before byte i * LINES_BLOCK */
	size_t n, cap;
	struct tally all;     /* of everything fed */
	int64_t fed;
	uint8_t last;         /* last byte fed; LF at first */
	bool returns;         /* the block that is being fed is nothing but CRs so far */
};

struct lines *lines_new(void)
{
	struct lines *l = xcalloc(1, sizeof(*l));

	lines_reset(l);
	return l;
}

void lines_free(struct lines *l)
{
	if (!l)
		return;
	free(l->blocks);
	free(l);
}

void lines_reset(struct lines *l)
{
	l->n = 0;
	l->all = (struct tally){ 0 };
	l->fed = 0;
	l->last = '\n';
	l->returns = false;
}

/* ---- counting ---------------------------------------------------------------------------- */

static void count(const uint8_t *p, size_t n, uint8_t before, struct tally *t)
{
	struct line_ends ends = line_ends_count(p, n, before);

	t->breaks += ends.breaks;
	t->states += ends.states;
}

static size_t returns_at(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] == '\r')
		i++;
	return i;
}

void lines_feed(struct lines *l, const void *p, size_t n)
{
	const uint8_t *at = p;

	while (n) {
		size_t take = MIN(n, (size_t)(LINES_BLOCK - l->fed % LINES_BLOCK));

		if (l->fed % LINES_BLOCK == 0) {
			l->blocks = grow(l->blocks, l->n, &l->cap, sizeof(*l->blocks));
			l->blocks[l->n] = l->all;
			l->blocks[l->n++].returns = l->returns;
			l->returns = true;
		}
		l->returns = l->returns && returns_at((const char *)at, take) == take;
		count(at, take, l->last, &l->all);
		l->last = at[take - 1];
		l->fed += (int64_t)take;
		at += take;
		n -= take;
	}
}

int64_t lines_fed(const struct lines *l)
{
	return l->fed;
}

int64_t lines_count(const struct lines *l)
{
	return l->all.breaks + (l->fed > 0 && l->last != '\n');
}

size_t lines_memory(const struct lines *l)
{
	return sizeof(*l) + l->cap * sizeof(*l->blocks);
}

/* ---- questions to the index ----------------------------------------------------------------- */

/* Counts before byte `pos`, which was fed; false when it cannot be read. */
static bool tally_at(const struct lines *l, struct window *w, int64_t pos, struct tally *out)
{
	int64_t block = pos / LINES_BLOCK, start = block * LINES_BLOCK;
	size_t got, n = (size_t)(pos - start), back = start > 0;
	const char *p;

	if (pos == l->fed) {
		*out = l->all;
		return true;
	}
	*out = l->blocks[block];
	if (n == 0)
		return true;
	p = window_at(w, start - (int64_t)back, n + back, &got);
	if (got < n + back)
		return false;
	count((const uint8_t *)p + back, n, back ? (uint8_t)p[0] : '\n', out);
	return true;
}

static int64_t breaks_before(const struct tally *t)
{
	return t->breaks;
}

static int64_t states_before(const struct tally *t)
{
	return t->states;
}

/* In one block, the nth LF, or CR that ends a state (`before` is the byte in front of p). */
static const char *find_in_block(const char *p, size_t n, char byte, uint8_t before, int64_t nth)
{
	for (const char *at = p; (at = memchr(at, byte, n - (size_t)(at - p))); at++) {
		uint8_t prev = at == p ? before : (uint8_t)at[-1];

		if (byte == '\r' && (prev == '\r' || prev == '\n'))
			continue;
		if (--nth == 0)
			return at;
	}
	return NULL;
}

/* Place of the nth (from 1) LF or state-ending CR of the text; -1 unless it was fed. */
static int64_t find_nth(const struct lines *l, struct window *w, char byte, int64_t nth)
{
	int64_t (*before)(const struct tally *) = byte == '\n' ? breaks_before : states_before;
	size_t low = 0, high = l->n, got, n, back;
	int64_t start;
	const char *p, *at;

	if (nth < 1 || nth > before(&l->all))
		return -1;
	while (high - low > 1) { /* the last block with fewer before it */
		size_t mid = low + (high - low) / 2;

		if (before(&l->blocks[mid]) < nth)
			low = mid;
		else
			high = mid;
	}
	start = (int64_t)low * LINES_BLOCK;
	n = (size_t)MIN((int64_t)LINES_BLOCK, l->fed - start);
	back = start > 0;
	p = window_at(w, start - (int64_t)back, n + back, &got);
	if (got < n + back)
		return -1;
	at = find_in_block(p + back, n, byte, back ? (uint8_t)p[0] : '\n', nth - before(&l->blocks[low]));
	return at ? start - (int64_t)back + (at - p) : -1;
}

static int64_t find_break(const struct lines *l, struct window *w, int64_t nth)
{
	return find_nth(l, w, '\n', nth);
}

int64_t lines_begin(const struct lines *l, struct window *w, int64_t line)
{
	int64_t lf;

	if (line == 0)
		return 0;
	if (line < 0 || line >= lines_count(l))
		return -1;
	lf = find_break(l, w, line);
	return lf < 0 ? -1 : lf + 1;
}

int64_t lines_number(const struct lines *l, struct window *w, int64_t pos)
{
	struct tally t;

	if (pos < 0 || pos > l->fed || !tally_at(l, w, pos, &t))
		return -1;
	return t.breaks;
}

/* ---- the bytes near by ------------------------------------------------------------------------ */

/* The last `byte` in [from, pos), looking back at most LINES_NEAR; -1: none. */
static int64_t look_back(struct window *w, int64_t from, int64_t pos, char byte)
{
	int64_t limit = MAX(from, pos - LINES_NEAR);

	for (int64_t at = pos; at > limit;) {
		size_t got, want = (size_t)MIN(at - limit, at == pos ? 4096 : 32768);
		const char *p = window_before(w, at, want, &got), *hit;

		if (!got)
			return -1;
		hit = memrchr(p, byte, got);
		if (hit)
			return at - (int64_t)got + (hit - p);
		at -= (int64_t)got;
	}
	return -1;
}

/* The first LF from pos on within LINES_NEAR and before `size`; -1: none. *seen: up to where there is none. */
static int64_t look_ahead(struct window *w, int64_t pos, int64_t size, int64_t *seen)
{
	int64_t limit = MIN(pos + LINES_NEAR, size);

	for (*seen = pos; *seen < limit;) {
		size_t got, want = (size_t)MIN(limit - *seen, *seen == pos ? 4096 : 32768);
		const char *p = window_at(w, *seen, want, &got), *hit;

		if (!got)
			return -1;
		got = (size_t)MIN((int64_t)got, limit - *seen);
		hit = memchr(p, '\n', got);
		if (hit)
			return *seen + (hit - p);
		*seen += (int64_t)got;
	}
	return -1;
}

int64_t lines_start(const struct lines *l, struct window *w, int64_t pos)
{
	int64_t lf = look_back(w, 0, pos, '\n');

	if (lf >= 0)
		return lf + 1;
	if (pos <= LINES_NEAR)
		return 0;
	if (!l || pos > l->fed)
		return -1;
	return lines_begin(l, w, lines_number(l, w, pos));
}

/* The LF and whether it is known that there is none. */
static int64_t find_end(const struct lines *l, struct window *w, int64_t pos, int64_t size, bool *none)
{
	int64_t seen, lf = look_ahead(w, pos, size, &seen);
	struct tally t;

	*none = lf < 0 && seen >= size;
	if (lf >= 0 || *none || !l || seen > l->fed || !tally_at(l, w, seen, &t))
		return lf;
	lf = find_break(l, w, t.breaks + 1);
	if (lf >= size)
		lf = -1;
	*none = lf < 0 && l->fed >= size;
	return lf;
}

int64_t lines_end(const struct lines *l, struct window *w, int64_t pos)
{
	bool none;

	return find_end(l, w, pos, INT64_MAX, &none);
}

/* Where the run of CRs that ends at `end` begins. */
static int64_t strip_returns(struct window *w, int64_t start, int64_t end)
{
	int64_t limit = MAX(start, end - LINES_NEAR);

	while (end > limit) {
		size_t got, n;
		const char *p = window_before(w, end, (size_t)MIN(end - limit, 4096), &got);

		for (n = got; n > 0 && p[n - 1] == '\r'; n--)
			;
		end -= (int64_t)(got - n);
		if (n > 0 || !got)
			break;
	}
	return end;
}

/* States that end inside the line [start, end). -1: unknown. */
static int64_t count_line(const struct lines *l, struct window *w, int64_t start, int64_t end)
{
	struct tally a = { 0 }, b = { 0 };
	uint8_t before = '\n';

	if (l && end <= l->fed && end - start > LINES_BLOCK) {
		if (!tally_at(l, w, start, &a) || !tally_at(l, w, end, &b))
			return -1;
		return b.states - a.states;
	}
	if (end - start > LINES_NEAR)
		return -1;
	while (start < end) {
		size_t got, want = (size_t)MIN(end - start, 32768);
		const char *p = window_at(w, start, want, &got);

		if (got < want)
			return -1;
		count((const uint8_t *)p, want, before, &b);
		before = (uint8_t)p[want - 1];
		start += (int64_t)want;
	}
	return b.states;
}

/* Behind the run of CRs at pos. Of a long one only the ends are read: the index knows which blocks are nothing else. */
static int64_t skip_returns(const struct lines *l, struct window *w, int64_t pos, int64_t end)
{
	while (pos < end) {
		int64_t border = (pos / LINES_BLOCK + 1) * LINES_BLOCK;
		size_t got, n;
		const char *p;

		if (l && pos % LINES_BLOCK == 0 && border <= end && (size_t)(border / LINES_BLOCK) < l->n &&
		    l->blocks[border / LINES_BLOCK].returns) {
			pos = border;
			continue;
		}
		p = window_at(w, pos, (size_t)MIN(MIN(end, border) - pos, 4096), &got);
		got = (size_t)MIN((int64_t)got, MIN(end, border) - pos);
		n = returns_at(p, got);
		pos += (int64_t)n;
		if (n < got || !got)
			break;
	}
	return pos;
}

/* Where the state begins that goes on at `pos`, which is no CR and not behind a CR that starts the line. */
static int64_t state_start(const struct lines *l, struct window *w, int64_t start, int64_t pos)
{
	int64_t cr = look_back(w, start, pos, '\r');
	struct tally a, b;

	if (cr >= 0)
		return cr + 1;
	if (pos - start <= LINES_NEAR)
		return start;
	if (!l || pos > l->fed || !tally_at(l, w, start, &a) || !tally_at(l, w, pos, &b))
		return -1;
	if (a.states == b.states)
		return skip_returns(l, w, start, pos);
	cr = find_nth(l, w, '\r', b.states);
	return cr < 0 ? -1 : skip_returns(l, w, cr, pos);
}

static int64_t state_end(const struct lines *l, struct window *w, int64_t pos, int64_t end)
{
	int64_t near = MIN(end, pos + LINES_NEAR);
	struct tally t;

	while (pos < near) {
		size_t got, want = (size_t)MIN(near - pos, 32768);
		const char *p = window_at(w, pos, want, &got), *hit;

		if (got < want)
			return -1;
		hit = memchr(p, '\r', want);
		if (hit)
			return pos + (hit - p);
		pos += (int64_t)want;
	}
	if (pos == end)
		return end;
	if (!l || pos > l->fed || !tally_at(l, w, pos, &t))
		return -1;
	pos = find_nth(l, w, '\r', t.states + 1);
	return pos < 0 || pos > end ? end : pos;
}

bool lines_state(const struct lines *l, struct window *w, const struct line *line, int64_t pos, struct line_state *out)
{
	int64_t first = skip_returns(l, w, line->start, line->end), text = MIN(pos, line->end);

	text = MAX(text, first);
	if (text < line->end && skip_returns(l, w, text, text + 1) > text) { /* a CR belongs to what comes before */
		text = strip_returns(w, first, text) - 1;
		text = MAX(text, first);
	}
	out->start = text == first ? first : state_start(l, w, line->start, text);
	out->end = out->start < 0 ? -1 : state_end(l, w, text, line->end);
	out->first = out->start <= first;
	out->next = out->end < line->end ? skip_returns(l, w, out->end, line->end) : -1;
	return out->start >= 0 && out->end >= 0;
}

bool lines_get(const struct lines *l, struct window *w, int64_t pos, int64_t size, struct line *out)
{
	bool none;
	int64_t lf, end;

	*out = (struct line){ .start = -1, .end = -1, .next = -1, .shown = -1, .earlier = -1 };
	if (pos < 0 || pos >= size)
		return false;
	out->start = lines_start(l, w, pos);
	lf = find_end(l, w, pos, size, &none);
	end = lf >= 0 ? lf : none ? size : -1;
	if (end >= 0)
		out->end = strip_returns(w, MAX(out->start, 0), end);
	out->next = lf >= 0 && lf + 1 < size ? lf + 1 : -1;
	if (out->start < 0 || end < 0 || (end - out->start > LINES_NEAR && (!l || end > l->fed)))
		return true;
	out->shown = state_start(l, w, out->start, out->end);
	if (out->shown == out->start)
		out->earlier = 0;
	else if (out->shown >= 0)
		out->earlier = count_line(l, w, out->start, out->end);
	out->whole = out->shown >= 0 && out->earlier >= 0;
	return true;
}
