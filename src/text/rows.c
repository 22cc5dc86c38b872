/*
 * Rows of a text: in a segment they are found by laying it out from its start, or from the last of the
 * places on the way that were remembered; from one segment to the next one goes by their bytes.
 */
#include "text/rows.h"

#include <stdlib.h>
#include <string.h>

#include "segment.h"

#define RULERS 8
#define RULER_STEP (64 << 10)  /* bytes between two known columns */
#define RULER_WORK (4 << 20)   /* most bytes that one call looks at */

/* Columns along one unwrapped row that is long. */
struct ruler {
	int64_t start;               /* of the row; -1 unused */
	int64_t used;                /* clock of the cache, for throwing out the oldest */
	struct stop {
		int64_t place;
		struct cells_state state;
	} *stops;                    /* about RULER_STEP apart, from the start of the text on */
	size_t n, cap;
};

/* Where the laying out of a segment stands. */
struct walk {
	int64_t pos;
	struct cells_state state;
	bool done;
};

#define TRAIL_STEP 32 /* rows between two that are remembered */

struct rows_cache {
	struct segment segment;      /* the last one, while the settings below stay */
	bool valid;
	int64_t size, fed;
	bool wrap, words, states;
	int cols;
	struct line line;            /* of that segment */
	struct walk *trail;          /* before its row 0, TRAIL_STEP, 2 * TRAIL_STEP … as far as it was walked */
	size_t trail_n, trail_cap;
	int64_t clock;
	struct ruler rulers[RULERS];
};

static struct rows_cache *cache_of(struct rows *r)
{
	if (!r->cache) {
		r->cache = xcalloc(1, sizeof(*r->cache));
		for (size_t i = 0; i < RULERS; i++)
			r->cache->rulers[i].start = -1;
	}
	return r->cache;
}

void rows_done(struct rows *r)
{
	if (!r->cache)
		return;
	for (size_t i = 0; i < RULERS; i++)
		free(r->cache->rulers[i].stops);
	free(r->cache->trail);
	free(r->cache);
	r->cache = NULL;
}

void rows_forget(struct rows *r)
{
	struct rows_cache *c = cache_of(r);

	c->valid = false;
	c->line = (struct line){ 0 };
	for (size_t i = 0; i < RULERS; i++)
		c->rulers[i].start = -1;
}

/* ---- segments ------------------------------------------------------------------------------------- */

/* The segment that answers for byte `pos`, behind the end the last one; NULL: the text is empty. */
static const struct segment *segment_at(struct rows *r, int64_t pos)
{
	struct rows_cache *c = cache_of(r);
	int64_t fed = r->l ? lines_fed(r->l) : 0;

	if (r->size <= 0)
		return NULL;
	pos = MAX(MIN(pos, r->size - 1), 0);
	if (c->valid && c->size == r->size && c->fed == fed && c->wrap == r->wrap &&
	    c->words == r->words && c->states == r->states && c->cols == r->cols && pos >= c->segment.low && pos < c->segment.high)
		return &c->segment;
	if (c->size != r->size || c->fed != fed)
		c->line = (struct line){ 0 };
	segment_find(r, pos, &c->line, &c->segment);
	c->valid = true;
	c->trail_n = 0;
	c->cols = r->cols;
	c->size = r->size;
	c->fed = fed;
	c->wrap = r->wrap;
	c->words = r->words;
	c->states = r->states;
	return &c->segment;
}

/* ---- rows ------------------------------------------------------------------------------------------- */

#define MARK 48 /* bytes of a mark */

/* What stands in front of the first row of a segment; its cells. */
static int mark(const struct rows *r, const struct segment *g, char out[MARK])
{
	int n;

	if (g->earlier <= 0)
		return 0;
	n = snprintf(out, MARK, "+%lld earlier state%s ", (long long)g->earlier, g->earlier == 1 ? "" : "s");
	if (n > r->cols / 2)
		n = snprintf(out, MARK, "+%lld ", (long long)g->earlier);
	return n > r->cols / 2 ? 0 : n;
}

static struct walk walk_begin(const struct segment *g)
{
	return (struct walk){ .pos = g->start, .state = g->state };
}

/* Bytes of a row that ends behind its last blank, of the `n` that fill it; 0: no blank is near, or what the bytes
 * are is not told by themselves (a control sequence may hold blanks). */
static size_t to_blank(const char *p, size_t n, const struct cells_state *at)
{
	const char *blank = memrchr(p, ' ', n);
	size_t to = blank ? (size_t)(blank + 1 - p) : 0;

	if (at->sub || to <= n / 2 || memchr(p, '\x1b', n))
		return 0;
	for (size_t i = 0; i + 1 < n; i++)
		if (p[i] == '\xc2' && (unsigned char)p[i + 1] < 0xA0)
			return 0;
	return to;
}

/* The row at *at, which is moved behind it; glyphs go to `out` when it is not NULL. */
static size_t walk_row(struct rows *r, const struct segment *g, struct walk *at, struct text_row *row, struct glyph *out,
                       size_t max)
{
	bool begins = at->pos == g->start && at->state.sub == 0;
	char text[MARK];
	size_t n = (size_t)(g->end - at->pos), got = 0, used = n, glyphs = 0;

	*row = (struct text_row){ .start = at->pos, .line = g->line, .first = begins && g->first,
		             .earlier = begins ? g->earlier : 0, .state = at->state };
	if (r->wrap && n) {
		int cols = MAX(r->cols, 1) - (begins ? mark(r, g, text) : 0);
		const char *p = window_at(r->w, at->pos, n, &got);

		if (got >= n)
			glyphs = cells_put(&at->state, at->pos, p, n, false, (size_t)cols, out, max, &used);
		size_t to = r->words && used < n && p[used] != ' ' ? to_blank(p, used, &row->state) : 0;
		if (to) {
			at->state = row->state;
			glyphs = cells_put(&at->state, at->pos, p, to, false, (size_t)cols, out, max, &used);
		}
	}
	at->pos += (int64_t)used;
	at->done = at->pos >= g->end;
	row->end = at->pos;
	row->next = !at->done ? at->pos : g->high < r->size ? g->high : -1;
	row->last = at->done && g->last;
	return glyphs;
}

/* The last remembered place at or before item `pos`, `sub` cells of it taken; *number of its row. */
static struct walk trail_at(struct rows *r, const struct segment *g, int64_t pos, int sub, size_t *number)
{
	struct rows_cache *c = cache_of(r);
	size_t low = 0, high = c->trail_n;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;
		const struct walk *at = &c->trail[mid];

		if (at->pos < pos || (at->pos == pos && at->state.sub <= sub))
			low = mid;
		else
			high = mid;
	}
	*number = low * TRAIL_STEP;
	return c->trail_n ? c->trail[low] : walk_begin(g);
}

/* walk_row, remembering; `at` is before row *number of the cached segment. */
static void trail_row(struct rows *r, const struct segment *g, struct walk *at, size_t *number, struct text_row *row)
{
	struct rows_cache *c = cache_of(r);

	if (*number == c->trail_n * TRAIL_STEP) {
		c->trail = grow(c->trail, c->trail_n, &c->trail_cap, sizeof(*c->trail));
		c->trail[c->trail_n++] = *at;
	}
	walk_row(r, g, at, row, NULL, SIZE_MAX);
	++*number;
}

bool rows_at(struct rows *r, int64_t pos, struct text_row *out)
{
	const struct segment *g = segment_at(r, pos);
	struct walk at;
	size_t number;

	if (!g)
		return false;
	at = trail_at(r, g, pos, 0, &number);
	do
		trail_row(r, g, &at, &number, out);
	while (!at.done && pos >= at.pos && !(pos == at.pos && at.state.sub));
	return true;
}

bool rows_next(struct rows *r, const struct text_row *from, struct text_row *out)
{
	const struct segment *g = segment_at(r, from->start);
	struct walk at = { .pos = from->start, .state = from->state };
	struct text_row same;

	if (!g)
		return false;
	walk_row(r, g, &at, &same, NULL, SIZE_MAX);
	if (at.done) {
		if (g->high >= r->size)
			return false;
		g = segment_at(r, g->high);
		at = walk_begin(g);
	}
	walk_row(r, g, &at, out, NULL, SIZE_MAX);
	return true;
}

/* How many rows of the segment come before `until` (NULL: all). */
static size_t rows_before_it(struct rows *r, const struct segment *g, const struct text_row *until)
{
	int64_t pos = until ? until->start : INT64_MAX;
	int sub = until ? until->state.sub : 0;
	struct text_row row;
	size_t number;
	struct walk at = trail_at(r, g, pos, sub, &number);

	while (!at.done && (at.pos < pos || (at.pos == pos && at.state.sub < sub)))
		trail_row(r, g, &at, &number, &row);
	return number;
}

/* Rows [first, end) of the segment, which were walked already. */
static void rows_between(struct rows *r, const struct segment *g, size_t first, size_t end, struct text_row *out)
{
	struct text_row row;
	size_t number = first - first % TRAIL_STEP;
	struct walk at = number < end ? cache_of(r)->trail[number / TRAIL_STEP] : walk_begin(g);

	while (number < end) {
		trail_row(r, g, &at, &number, &row);
		if (number > first)
			out[number - 1 - first] = row;
	}
}

size_t rows_back(struct rows *r, const struct text_row *from, struct text_row *out, size_t max)
{
	const struct segment *g = segment_at(r, from ? from->start : r->size);
	size_t n = 0;

	while (g && n < max) {
		size_t all = rows_before_it(r, g, from), skip = all > max - n ? all - (max - n) : 0;

		n += all - skip;
		rows_between(r, g, skip, all, out + max - n);
		from = NULL;
		if (g->low <= 0)
			break;
		g = segment_at(r, g->low - 1);
	}
	memmove(out, out + max - n, n * sizeof(*out));
	return n;
}

bool rows_before(struct rows *r, const struct text_row *from, struct text_row *out)
{
	return rows_back(r, from, out, 1) == 1;
}

/* ---- sideways ------------------------------------------------------------------------------------------ */

static struct ruler *ruler_of(struct rows *r, const struct segment *g)
{
	struct rows_cache *c = cache_of(r);
	struct ruler *oldest = &c->rulers[0];

	c->clock++;
	for (size_t i = 0; i < RULERS; i++) {
		struct ruler *ruler = &c->rulers[i];

		if (ruler->start == g->start) {
			ruler->used = c->clock;
			return ruler;
		}
		if (ruler->used < oldest->used)
			oldest = ruler;
	}
	oldest->start = g->start;
	oldest->used = c->clock;
	oldest->n = 0;
	return oldest;
}

/* Goes along the text of a segment to cell `col` or byte `pos`, whichever comes first, or its end. False:
 * too far for one call; what was found out stays. */
static bool go_along(struct rows *r, const struct segment *g, int64_t col, int64_t pos, struct stop *at)
{
	struct ruler *ruler = ruler_of(r, g);
	size_t low = 0, high;

	if (!ruler->n) {
		ruler->stops = grow(ruler->stops, 0, &ruler->cap, sizeof(*ruler->stops));
		ruler->stops[ruler->n++] = (struct stop){ .place = g->start, .state = g->state };
	}
	for (high = ruler->n; high - low > 1;) { /* the last stop that is not beyond */
		size_t mid = low + (high - low) / 2;

		if (ruler->stops[mid].state.col <= col && ruler->stops[mid].place <= pos)
			low = mid;
		else
			high = mid;
	}
	*at = ruler->stops[low];
	pos = MIN(pos, g->end);
	for (int64_t work = 0; at->place < pos; low++) {
		size_t want = (size_t)MIN(pos - at->place, RULER_STEP), got, used;
		bool more = at->place + (int64_t)want < g->end && at->place + (int64_t)want < pos;
		const char *p = window_at(r->w, at->place, want, &got);
		int64_t taken;

		if (got < want)
			return true; /* not readable: as if it ended here */
		used = cells_skip(&at->state, p, want, more, col - at->state.col, &taken);
		at->place += (int64_t)used;
		if (at->state.col >= col || !more || !used || (used < want && want - used > CELLS_ITEM))
			return true;
		if (low + 1 == ruler->n) {
			ruler->stops = grow(ruler->stops, ruler->n, &ruler->cap, sizeof(*ruler->stops));
			ruler->stops[ruler->n++] = *at;
		}
		work += (int64_t)used;
		if (work >= RULER_WORK)
			return false;
	}
	return true;
}

static size_t put_mark(const char *text, int n, int64_t skip, struct glyph *out, size_t max)
{
	size_t put = 0;

	for (int64_t i = skip; i < n && put < max; i++)
		out[put++] = (struct glyph){ .kind = GLYPH_MARK, .width = 1, .n = 1, .bytes = { text[i] } };
	return put;
}

/* The text of an unwrapped row from cell `skip` on, in `cols` cells. */
static int64_t draw_along(struct rows *r, const struct segment *g, int64_t skip, size_t cols, struct glyph *out, size_t max)
{
	struct stop at;
	size_t n = 0, got, want, used = 0;
	const char *p;

	if (!go_along(r, g, skip, INT64_MAX, &at))
		return -1;
	want = (size_t)MIN(g->end - at.place, RULER_STEP);
	p = window_at(r->w, at.place, want, &got);
	if (got < want || !want || !cols || !max)
		return 0;
	if (at.state.col < skip) { /* the right half of a wide glyph */
		n = cells_put(&at.state, at.place, p, want, at.place + (int64_t)want < g->end, 1, out, max, &used);
		cols--;
	}
	if (cols)
		n += cells_put(&at.state, at.place + (int64_t)used, p + used, want - used, at.place + (int64_t)want < g->end,
		               cols, out + n, max - n, &used);
	return (int64_t)n;
}

int64_t rows_draw(struct rows *r, const struct text_row *row, int64_t skip, struct glyph *out, size_t max)
{
	const struct segment *g = segment_at(r, row->start);
	bool begins = g && row->start == g->start && row->state.sub == 0;
	char text[MARK];
	int marked = begins ? mark(r, g, text) : 0;
	struct walk at = { .pos = row->start, .state = row->state };
	struct text_row same;
	int64_t more;
	size_t n;

	if (!g)
		return 0;
	skip = r->wrap ? 0 : MAX(skip, 0);
	n = put_mark(text, MIN(marked, r->cols), skip, out, max);
	if (r->wrap)
		return (int64_t)(n + walk_row(r, g, &at, &same, out + n, max - n));
	more = draw_along(r, g, MAX(skip - marked, 0), (size_t)r->cols - MIN(n, (size_t)r->cols), out + n, max - n);
	return more < 0 ? -1 : (int64_t)n + more;
}

int64_t rows_width(struct rows *r, const struct text_row *row)
{
	return rows_col(r, row, INT64_MAX);
}

int64_t rows_col(struct rows *r, const struct text_row *row, int64_t pos)
{
	const struct segment *g = segment_at(r, row->start);
	char text[MARK];
	struct stop at;

	if (!g)
		return 0;
	if (!go_along(r, g, INT64_MAX, MAX(pos, g->start), &at))
		return -1;
	return mark(r, g, text) + at.state.col;
}
