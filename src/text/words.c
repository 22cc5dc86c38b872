/* Two pieces of text word by word. */
#include "text/diff.h"

#include "myers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MOST 20000      /* words of a side */
#define WORDS_BYTES (1 << 20) /* and bytes; beyond, only what both ends share is found */
#define WORDS_ROUNDS 2000

/* ---- words ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* A number with its marks: 1,234.50 and 1.5e-7; a mark counts between digits only. */
static size_t marked_number(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n) {
		if (is_digit(p[i]))
			i++;
		else if ((p[i] == '.' || p[i] == ',') && i + 1 < n && is_digit(p[i + 1]))
			i += 2;
		else if ((p[i] | 32) == 'e' && i + 1 < n &&
		         (is_digit(p[i + 1]) || ((p[i + 1] == '-' || p[i + 1] == '+') && i + 2 < n && is_digit(p[i + 2]))))
			i += 2;
		else
			break;
	}
	return i;
}

static size_t word_length(const char *p, size_t n)
{
	size_t i = 0;

	if (is_digit(*p))
		i = marked_number(p, n);
	if (is_letter(*p)) {
		while (i < n && is_letter(p[i]))
			i++;
		return i;
	}
	if (*p == ' ' || *p == '\t') {
		while (i < n && (p[i] == ' ' || p[i] == '\t'))
			i++;
		return i;
	}
	return 1;
}

struct words {
	struct diff_piece *v;
	size_t n, cap;
	uint32_t *id;
	uint8_t *changed;
};

static bool cut(struct span s, size_t from, size_t end, struct words *w)
{
	for (size_t at = from; at < end;) {
		size_t n = word_length(s.p + at, end - at);
		if (w->n == WORDS_MOST)
			return false;
		w->v = grow(w->v, w->n, &w->cap, sizeof(*w->v));
		w->v[w->n++] = (struct diff_piece){ (uint32_t)at, (uint32_t)n };
		at += n;
	}
	return true;
}

/* ---- equal words get equal numbers: by sorting ---- */

struct ranked { const char *p; uint32_t n, *id; };

static int compare_ranked(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;
	int c = memcmp(a->p, b->p, MIN(a->n, b->n));

	return c ? c : (a->n > b->n) - (a->n < b->n);
}

static void number_words(struct span a, struct span b, struct words *x, struct words *y)
{
	size_t n = x->n + y->n;
	struct ranked *r = xmalloc((n + 1) * sizeof(*r));
	uint32_t id = 0;

	x->id = xmalloc((x->n + 1) * sizeof(uint32_t));
	y->id = xmalloc((y->n + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < x->n; i++)
		r[i] = (struct ranked){ a.p + x->v[i].start, x->v[i].len, &x->id[i] };
	for (size_t i = 0; i < y->n; i++)
		r[x->n + i] = (struct ranked){ b.p + y->v[i].start, y->v[i].len, &y->id[i] };
	qsort(r, n, sizeof(*r), compare_ranked);
	for (size_t i = 0; i < n; i++) {
		id += i > 0 && compare_ranked(&r[i - 1], &r[i]) != 0;
		*r[i].id = id;
	}
	free(r);
}

/* ---- the result ---- */

static void add_piece(struct diff_piece **v, size_t *n, size_t *cap, uint32_t start, uint32_t len)
{
	if (len == 0)
		return;
	if (*n && (*v)[*n - 1].start + (*v)[*n - 1].len == start) {
		(*v)[*n - 1].len += len;
		return;
	}
	*v = grow(*v, *n, cap, sizeof(**v));
	(*v)[(*n)++] = (struct diff_piece){ start, len };
}

static void take_changed(const struct words *w, struct diff_piece **v, size_t *n)
{
	size_t cap = 0;

	for (size_t i = 0; i < w->n; i++)
		if (w->changed[i])
			add_piece(v, n, &cap, w->v[i].start, w->v[i].len);
}

static void words_free(struct words *w)
{
	free(w->v);
	free(w->id);
	free(w->changed);
}

static bool inside_word(struct span s, size_t at)
{
	return at > 0 && at < s.n && is_letter(s.p[at - 1]) && is_letter(s.p[at]);
}

static bool inside_number(struct span s, size_t at)
{
	return at > 0 && at < s.n && strchr("0123456789.,eE+-", s.p[at]) && s.p[at] && strchr("0123456789.,eE+-", s.p[at - 1]) &&
	       s.p[at - 1];
}

/* Where the two begin and end to differ, at borders of words. */
static void find_middle(struct span a, struct span b, size_t *from, size_t *a_end, size_t *b_end)
{
	size_t most = MIN(a.n, b.n), i = 0, k = 0;

	while (i < most && a.p[i] == b.p[i])
		i++;
	while (i > 0 && (inside_word(a, i) || inside_word(b, i) || inside_number(a, i) || inside_number(b, i)))
		i--;
	while (k < most - i && a.p[a.n - 1 - k] == b.p[b.n - 1 - k])
		k++;
	while (k > 0 && (inside_word(a, a.n - k) || inside_word(b, b.n - k) || inside_number(a, a.n - k) || inside_number(b, b.n - k)))
		k--;
	*from = i;
	*a_end = a.n - k;
	*b_end = b.n - k;
}

void diff_words(struct span a, struct span b, struct diff_words *out)
{
	size_t from, a_end, b_end, cap[2] = { 0 };
	struct words x = { 0 }, y = { 0 };

	*out = (struct diff_words){ 0 };
	find_middle(a, b, &from, &a_end, &b_end);
	if (a_end - from > WORDS_BYTES || b_end - from > WORDS_BYTES || !cut(a, from, a_end, &x) || !cut(b, from, b_end, &y)) {
		out->coarse = true;
		add_piece(&out->a, &out->a_n, &cap[0], (uint32_t)from, (uint32_t)(a_end - from));
		add_piece(&out->b, &out->b_n, &cap[1], (uint32_t)from, (uint32_t)(b_end - from));
	} else {
		number_words(a, b, &x, &y);
		x.changed = xcalloc(x.n + 1, 1);
		y.changed = xcalloc(y.n + 1, 1);
		struct myers m = { .a = x.id, .b = y.id, .a_n = (uint32_t)x.n, .b_n = (uint32_t)y.n, .a_changed = x.changed,
			               .b_changed = y.changed, .most = WORDS_ROUNDS };
		myers_run(&m);
		out->coarse = m.coarse;
		take_changed(&x, &out->a, &out->a_n);
		take_changed(&y, &out->b, &out->b_n);
	}
	words_free(&x);
	words_free(&y);
}

void diff_words_free(struct diff_words *w)
{
	free(w->a);
	free(w->b);
	*w = (struct diff_words){ 0 };
}

bool diff_words_help(const struct diff_words *w, size_t a_n, size_t b_n)
{
	size_t a = 0, b = 0;

	for (size_t i = 0; i < w->a_n; i++)
		a += w->a[i].len;
	for (size_t i = 0; i < w->b_n; i++)
		b += w->b[i].len;
	return (a + b) * 10 <= (a_n + b_n) * 6;
}
