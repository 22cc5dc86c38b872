/* Two texts as hunks: lines as numbers, the search over those that both have, and what it means. */
#include "text/diff.h"

#include "intern.h"
#include "myers.h"
#include "slide.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_ROUNDS 64 /* before the search of one split is cut short */

struct span diff_line(const struct diff_text *t, uint32_t line, enum ending *end)
{
	const char *p = t->p + t->start[line];
	size_t n = t->start[line + 1] - t->start[line], ends = 0;

	if (n && p[n - 1] == '\n')
		ends = n > 1 && p[n - 2] == '\r' && !t->exact ? 2 : 1;
	else if (n && p[n - 1] == '\r' && !t->exact)
		ends = 1;
	if (end)
		*end = ends == 0 ? ENDING_NONE : ends == 2 ? ENDING_CRLF : p[n - 1] == '\n' ? ENDING_LF : ENDING_CR;
	return (struct span){ p, n - ends };
}

/* ---- the search ---- */

/* Lines that only one side has can have no partner: without them the rest is short, and as minimal. */
struct rest {
	uint32_t *id, *line;
	uint8_t *changed;
	uint32_t n;
};

static struct rest common_lines(const struct interned *t, const struct diff_text *text, int side, uint8_t *changed)
{
	struct rest r = { xmalloc((size_t)(text->lines + 1) * 4), xmalloc((size_t)(text->lines + 1) * 4), NULL, 0 };

	for (uint32_t i = 0; i < text->lines; i++) {
		if (t->sides[t->id[side][i]] != 3) {
			changed[i] = 1;
			continue;
		}
		r.id[r.n] = t->id[side][i];
		r.line[r.n++] = i;
	}
	r.changed = xcalloc((size_t)r.n + 1, 1);
	return r;
}

static void give_back(struct rest *r, uint8_t *changed)
{
	for (uint32_t i = 0; i < r->n; i++)
		changed[r->line[i]] = r->changed[i];
	free(r->id);
	free(r->line);
	free(r->changed);
}

static void search(const struct interned *t, struct diff *d, const bool *cancel, uint8_t *changed[2])
{
	struct rest a = common_lines(t, &d->side[0], 0, changed[0]), b = common_lines(t, &d->side[1], 1, changed[1]);
	int64_t n = (int64_t)a.n + b.n + 1;
	struct myers m = {
		.a = a.id, .b = b.id, .a_n = a.n, .b_n = b.n, .a_changed = a.changed, .b_changed = b.changed,
		.most = MAX(LEAST_ROUNDS, DIFF_WORK / n), .cancel = cancel,
	};

	d->cancelled = !myers_run(&m);
	d->coarse = m.coarse || d->cancelled;
	give_back(&a, changed[0]);
	give_back(&b, changed[1]);
}

static void collect(struct diff *d, uint8_t *changed[2])
{
	uint32_t i = 0, k = 0, n = d->side[0].lines, m = d->side[1].lines;
	size_t cap = 0;

	while (i < n || k < m) {
		if ((i < n && !changed[0][i]) && (k < m && !changed[1][k])) {
			i++;
			k++;
			continue;
		}
		struct diff_hunk h = { i, 0, k, 0 };
		while (i < n && changed[0][i])
			i++;
		while (k < m && changed[1][k])
			k++;
		h.a_n = i - h.a;
		h.b_n = k - h.b;
		d->removed += h.a_n;
		d->added += h.b_n;
		d->hunks = grow(d->hunks, d->hunks_n, &cap, sizeof(*d->hunks));
		d->hunks[d->hunks_n++] = h;
	}
}

/* ---- what it means ---- */

/* Ends and foldings of one pair of partners. */
static void look_at_pair(struct diff *d, uint32_t a, uint32_t b, bool fold)
{
	enum ending x, y;
	struct span left = diff_line(&d->side[0], a, &x), right = diff_line(&d->side[1], b, &y);

	d->ends[x][y]++;
	if (fold && (left.n != right.n || memcmp(left.p, right.p, left.n) != 0))
		d->folded++;
}

static void look_at_partners(struct diff *d, bool fold)
{
	uint32_t a = 0, b = 0;

	for (size_t i = 0; i <= d->hunks_n; i++) {
		uint32_t to = i < d->hunks_n ? d->hunks[i].a : d->side[0].lines;
		for (; a < to; a++, b++)
			look_at_pair(d, a, b, fold);
		if (i < d->hunks_n) {
			a = d->hunks[i].a + d->hunks[i].a_n;
			b = d->hunks[i].b + d->hunks[i].b_n;
		}
	}
}

static void look_at_hunk(struct diff *d, const struct diff_hunk *h)
{
	for (uint32_t i = 0; i < h->a_n && h->a_n == h->b_n; i++) {
		unsigned mask = diff_alike(diff_line(&d->side[0], h->a + i, NULL), diff_line(&d->side[1], h->b + i, NULL));
		if (mask & (mask - 1))
			d->alike_mixed++;
		else if (mask)
			d->alike[__builtin_ctz(mask)]++;
	}
}

bool diff_differs(const struct diff *d)
{
	if (d->hunks_n || d->folded || d->side[0].bom != d->side[1].bom)
		return true;
	for (int x = 0; x < ENDING_COUNT; x++)
		for (int y = 0; y < ENDING_COUNT; y++)
			if (x != y && d->ends[x][y])
				return true;
	return false;
}

bool diff_lines(struct span a, struct span b, unsigned flags, const bool *cancel, struct diff *out, struct err *e)
{
	struct interned t;
	uint8_t *changed[2];

	*out = (struct diff){ 0 };
	if (a.n > DIFF_MOST || b.n > DIFF_MOST)
		return err_set(e, ERR_LIMIT, "too large to be compared by lines: over %zu bytes", DIFF_MOST);
	intern_cut(a, flags, &out->side[0]);
	intern_cut(b, flags, &out->side[1]);
	intern_lines(out->side, flags, &t);
	for (int i = 0; i < 2; i++)
		changed[i] = xcalloc((size_t)out->side[i].lines + 1, 1);
	search(&t, out, cancel, changed);
	collect(out, changed);
	free(changed[0]);
	free(changed[1]);
	slide_hunks(out, &t);
	slide_find_moves(out, &t);
	intern_free(&t);
	look_at_partners(out, flags & DIFF_FOLD_SPACE);
	for (size_t i = 0; i < out->hunks_n; i++)
		look_at_hunk(out, &out->hunks[i]);
	return true;
}

void diff_free(struct diff *d)
{
	free(d->side[0].start);
	free(d->side[1].start);
	free(d->hunks);
	free(d->moves);
	*d = (struct diff){ 0 };
}
