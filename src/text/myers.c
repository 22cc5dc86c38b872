/*
 * Divide and conquer in linear space: from both ends of a box the farthest points on each diagonal
 * are pushed on until they meet (E. Myers 1986, section 4b); the box is split there. Where they do not
 * meet within `most` rounds, it is split at the point that came farthest.
 */
#include "myers.h"

#include <stdlib.h>
#include <string.h>

#define LOOK 64 /* rounds between two looks at cancel */

struct box { int64_t a0, a1, b0, b1; };

struct search {
	struct myers *m;
	int32_t *forth, *back;  /* farthest x on diagonal x - y; point at diagonal 0 */
	struct box *todo;       /* a stack: depth is no matter of the machine's */
	size_t n, cap;
};

struct front { int64_t low, high; }; /* diagonals in use */

static void push(struct search *s, struct box x)
{
	s->todo = grow(s->todo, s->n, &s->cap, sizeof(*s->todo));
	s->todo[s->n++] = x;
}

static void widen(struct front *f, int64_t least, int64_t most, int32_t *v, int32_t none)
{
	if (f->low > least) {
		f->low--;
		v[f->low - 1] = none;
	} else {
		f->low++;
	}
	if (f->high < most) {
		f->high++;
		v[f->high + 1] = none;
	} else {
		f->high--;
	}
}

/* One round forwards; true when it met the other front, at *x, *y. */
static bool go_forth(struct search *s, const struct box *q, struct front f, struct front other, bool meets, int64_t *x, int64_t *y)
{
	const uint32_t *a = s->m->a, *b = s->m->b;

	for (int64_t k = f.high; k >= f.low; k -= 2) {
		int64_t i = s->forth[k - 1] >= s->forth[k + 1] ? s->forth[k - 1] + 1 : s->forth[k + 1], j = i - k;
		while (i < q->a1 && j < q->b1 && a[i] == b[j]) {
			i++;
			j++;
		}
		s->forth[k] = (int32_t)i;
		if (meets && k >= other.low && k <= other.high && s->back[k] <= i) {
			*x = i;
			*y = j;
			return true;
		}
	}
	return false;
}

static bool go_back(struct search *s, const struct box *q, struct front f, struct front other, bool meets, int64_t *x, int64_t *y)
{
	const uint32_t *a = s->m->a, *b = s->m->b;

	for (int64_t k = f.high; k >= f.low; k -= 2) {
		int64_t i = s->back[k - 1] < s->back[k + 1] ? s->back[k - 1] : s->back[k + 1] - 1, j = i - k;
		while (i > q->a0 && j > q->b0 && a[i - 1] == b[j - 1]) {
			i--;
			j--;
		}
		s->back[k] = (int32_t)i;
		if (meets && k >= other.low && k <= other.high && i <= s->forth[k]) {
			*x = i;
			*y = j;
			return true;
		}
	}
	return false;
}

/* The point that came farthest from its corner, on either front. */
static void farthest(const struct search *s, const struct box *q, struct front f, struct front r, int64_t *x, int64_t *y)
{
	int64_t best = -1;

	for (int64_t k = f.low; k <= f.high; k += 2) {
		int64_t i = MIN(s->forth[k], q->a1), j = i - k;
		if (j > q->b1) {
			j = q->b1;
			i = j + k;
		}
		if (i + j - q->a0 - q->b0 > best && i >= q->a0 && j >= q->b0) {
			best = i + j - q->a0 - q->b0;
			*x = i;
			*y = j;
		}
	}
	for (int64_t k = r.low; k <= r.high; k += 2) {
		int64_t i = MAX(s->back[k], q->a0), j = i - k;
		if (j < q->b0) {
			j = q->b0;
			i = j + k;
		}
		if (q->a1 + q->b1 - i - j > best && i <= q->a1 && j <= q->b1) {
			best = q->a1 + q->b1 - i - j;
			*x = i;
			*y = j;
		}
	}
}

/* Where to split a box whose corners do not match. False: cancelled. */
static bool split(struct search *s, const struct box *q, int64_t *x, int64_t *y)
{
	int64_t least = q->a0 - q->b1, most = q->a1 - q->b0, from = q->a0 - q->b0, to = q->a1 - q->b1;
	struct front f = { from, from }, r = { to, to };
	bool odd = (from - to) & 1;

	s->forth[from] = (int32_t)q->a0;
	s->back[to] = (int32_t)q->a1;
	for (int64_t round = 1;; round++) {
		widen(&f, least, most, s->forth, -1);
		if (go_forth(s, q, f, r, odd, x, y))
			return true;
		widen(&r, least, most, s->back, INT32_MAX);
		if (go_back(s, q, r, f, !odd, x, y))
			return true;
		if (round >= s->m->most) {
			s->m->coarse = true;
			farthest(s, q, f, r, x, y);
			return true;
		}
		if (round % LOOK == 0 && cancel_is_set(s->m->cancel))
			return false;
	}
}

static void trim(const struct myers *m, struct box *q)
{
	while (q->a0 < q->a1 && q->b0 < q->b1 && m->a[q->a0] == m->b[q->b0]) {
		q->a0++;
		q->b0++;
	}
	while (q->a0 < q->a1 && q->b0 < q->b1 && m->a[q->a1 - 1] == m->b[q->b1 - 1]) {
		q->a1--;
		q->b1--;
	}
}

static void replace(const struct myers *m, const struct box *q)
{
	memset(m->a_changed + q->a0, 1, (size_t)(q->a1 - q->a0));
	memset(m->b_changed + q->b0, 1, (size_t)(q->b1 - q->b0));
}

bool myers_run(struct myers *m)
{
	size_t diagonals = (size_t)m->a_n + m->b_n + 5;
	struct search s = { .m = m };
	bool ok = true;

	/* Large and mostly untouched: only the diagonals that are reached cost memory. */
	int32_t *forth = xmalloc(diagonals * sizeof(int32_t)), *back = xmalloc(diagonals * sizeof(int32_t));
	s.forth = forth + m->b_n + 2;
	s.back = back + m->b_n + 2;
	push(&s, (struct box){ 0, m->a_n, 0, m->b_n });
	while (s.n > 0) {
		struct box q = s.todo[--s.n];
		int64_t x = 0, y = 0;
		trim(m, &q);
		if (q.a0 == q.a1 || q.b0 == q.b1) {
			replace(m, &q);
			continue;
		}
		ok = ok && !cancel_is_set(m->cancel) && split(&s, &q, &x, &y);
		bool whole = (x == q.a0 && y == q.b0) || (x == q.a1 && y == q.b1);
		if (!ok || whole) {
			replace(m, &q);
			continue;
		}
		push(&s, (struct box){ x, q.a1, y, q.b1 });
		push(&s, (struct box){ q.a0, x, q.b0, y });
	}
	free(forth);
	free(back);
	free(s.todo);
	return ok;
}
