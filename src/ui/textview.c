/* A text open for showing: its bytes, the index of its lines, the states of its Python. */
#include "textview.h"

#include <stdlib.h>
#include <string.h>

bool text_open(struct source_record *r, const struct source_spec *spec, struct text_view *out, struct err *e)
{
	*out = (struct text_view){ 0 };
	out->source = source_open(r, spec, e);
	if (!out->source)
		return false;
	out->window = window_new(source_bytes(out->source));
	out->lines = lines_new();
	out->size = source_size(out->source);
	out->whole = source_is_whole(out->source);
	out->rows = (struct rows){ .w = out->window, .l = out->lines, .size = out->size, .cols = 80 };
	return true;
}

void text_close(struct text_view *t)
{
	rows_done(&t->rows);
	lines_free(t->lines);
	window_free(t->window);
	source_close(t->source);
	*t = (struct text_view){ 0 };
}

bool text_update(struct text_view *t, bool *changed, struct err *e)
{
	*changed = false;
	if (!t->source || t->whole)
		return true;
	if (!source_update(t->source, changed, e))
		return false;
	t->rows.size = t->size = source_size(t->source);
	t->whole = source_is_whole(t->source);
	return true;
}

bool text_feed(struct text_view *t, int64_t budget)
{
	while (budget > 0) {
		int64_t at = lines_fed(t->lines);
		size_t got;
		const char *p = at < t->size ? window_at(t->window, at, (size_t)MIN(budget, (int64_t)WINDOW_MAX), &got) : NULL;
		if (!p || got == 0)
			return true;
		got = (size_t)MIN((int64_t)got, t->size - at);
		lines_feed(t->lines, p, got);
		budget -= (int64_t)got;
	}
	return lines_fed(t->lines) >= t->size;
}

/* ---- Python -------------------------------------------------------------------------------------------- */

#define PY_LINE ((size_t)16 << 10) /* longer lines are lexed as far as this */

void py_cache_free(struct py_cache *c)
{
	free(c->states);
	*c = (struct py_cache){ 0 };
}

static void lex_over(struct py_state *st, struct text_view *t, int64_t line)
{
	struct py_span spans[8];
	int64_t from = lines_begin(t->lines, t->window, line);
	int64_t to = from >= 0 ? lines_end(t->lines, t->window, from) : -1;
	size_t got, n;
	const char *p;

	if (from < 0)
		return;
	n = (size_t)MIN((to >= 0 ? to : t->size) - from, (int64_t)PY_LINE);
	p = window_at(t->window, from, n, &got);
	if (p)
		pylex_line(st, p, MIN(got, n), spans, ARRAY_LEN(spans));
}

struct py_state py_cache_state(struct py_cache *c, struct text_view *t, int64_t line)
{
	struct py_state st;
	int64_t at;

	if (c->n == 0) {
		c->states = grow(c->states, 0, &c->cap, sizeof(*c->states));
		c->states[c->n++] = (struct py_state){ 0 };
	}
	at = MIN(line / PY_STRIDE, (int64_t)c->n - 1) * PY_STRIDE;
	st = c->states[at / PY_STRIDE];
	for (; at < line; at++) {
		lex_over(&st, t, at);
		if ((at + 1) % PY_STRIDE == 0 && (size_t)((at + 1) / PY_STRIDE) == c->n) {
			c->states = grow(c->states, c->n, &c->cap, sizeof(*c->states));
			c->states[c->n++] = st;
		}
	}
	return st;
}
