/* Details and excerpts of attempts, kept for a while. */
#include "exec_attempts.h"

#include <stdlib.h>
#include <string.h>

#define KEPT 32

struct exec_attempts {
	struct section_context context;
	struct exec_attempt *kept[KEPT];
	uint64_t clock;
};

static void close_excerpts(struct exec_attempt *a)
{
	for (int k = 0; k < SECTION_COUNT; k++) {
		if (a->excerpts[k].open)
			text_close(&a->excerpts[k].text);
		a->excerpts[k].open = a->excerpts[k].failed = false;
		a->excerpts[k].n = 0;
	}
	py_cache_free(&a->py);
}

static void forget_attempt(struct exec_attempt *a)
{
	if (!a)
		return;
	close_excerpts(a);
	if (a->good)
		query_detail_free(&a->detail);
	free(a);
}

static void read_attempt(struct exec_attempts *t, struct exec_attempt *a)
{
	struct err e = { 0 };

	close_excerpts(a);
	if (a->good)
		query_detail_free(&a->detail);
	a->detail = (struct detail){ 0 };
	a->good = query_detail(t->context.query, a->id, &a->detail, &e);
	a->stale = false;
	if (!a->good) {
		log_line("attempt %lld: %s", (long long)a->id, e.msg);
		return;
	}
	query_oddities(t->context.query, &a->detail, false, &a->odd, NULL);
	a->sections_n = section_list(&a->detail, a->odd.filters > 0, a->sections);
}

struct exec_attempt *exec_attempts_get(struct exec_attempts *t, int64_t attempt)
{
	size_t oldest = 0;

	for (size_t i = 0; i < KEPT; i++) {
		struct exec_attempt *a = t->kept[i];
		if (a && a->id == attempt) {
			if (a->stale)
				read_attempt(t, a);
			a->used = ++t->clock;
			return a->good ? a : NULL;
		}
		if (!a || (t->kept[oldest] && a->used < t->kept[oldest]->used))
			oldest = i;
	}
	forget_attempt(t->kept[oldest]);
	t->kept[oldest] = xcalloc(1, sizeof(struct exec_attempt));
	t->kept[oldest]->id = attempt;
	t->kept[oldest]->used = ++t->clock;
	read_attempt(t, t->kept[oldest]);
	return t->kept[oldest]->good ? t->kept[oldest] : NULL;
}

static void fill_excerpt(struct excerpt *x)
{
	struct text_row row;

	x->n = 0;
	x->more_before = x->more_behind = false;
	text_feed(&x->text, 1 << 20);
	if (!x->text.whole) {
		x->n = rows_back(&x->text.rows, NULL, x->rows, EXCERPT_TAIL);
		if (x->n > 0 && x->rows[x->n - 1].start >= x->text.size)
			x->n--; /* behind the last line end */
		x->more_before = x->n > 0 && x->rows[0].start > 0;
		return;
	}
	if (!rows_at(&x->text.rows, 0, &row))
		return;
	x->rows[x->n++] = row;
	while (rows_next(&x->text.rows, &x->rows[x->n - 1], &row)) {
		if (row.start >= x->text.size)
			break; /* behind the last line end */
		if (x->n == EXCERPT_MAX) {
			x->more_behind = true;
			break;
		}
		x->rows[x->n++] = row;
	}
}

struct excerpt *exec_attempts_excerpt(struct exec_attempts *t, struct exec_attempt *a, enum section_kind k)
{
	struct excerpt *x = &a->excerpts[k];
	struct err e = { 0 };

	if (x->open || x->failed)
		return x;
	if (!section_open(&t->context, &a->detail, k, &x->text, &e)) {
		x->failed = true;
		x->n = 0;
		snprintf(x->note, sizeof(x->note), "%s", e.msg);
		return x;
	}
	x->open = true;
	fill_excerpt(x);
	return x;
}

int64_t exec_attempts_rows(struct exec_attempts *t, int64_t attempt, enum section_kind k)
{
	struct exec_attempt *a = exec_attempts_get(t, attempt);
	struct excerpt *x = a ? exec_attempts_excerpt(t, a, k) : NULL;

	return x ? (int64_t)x->n + x->more_before + x->more_behind + x->failed : 0;
}

int64_t excerpt_index(const struct excerpt *x, int64_t line)
{
	return line - 1 - x->more_before;
}

const char *excerpt_bytes(struct excerpt *x, int64_t i, size_t max, size_t *n)
{
	const struct text_row *row;
	const char *bytes;
	int64_t end;

	if (i < 0 || i >= (int64_t)x->n)
		return NULL;
	row = &x->rows[i];
	end = row->end >= 0 ? row->end : x->text.size;
	bytes = window_at(x->text.window, row->start, (size_t)MIN(end - row->start, (int64_t)max), n);
	if (bytes)
		*n = (size_t)MIN((int64_t)*n, end - row->start);
	return bytes;
}

/* ---- the object ------------------------------------------------------------------------------------------ */

struct exec_attempts *exec_attempts_new(struct section_context context)
{
	struct exec_attempts *t = xcalloc(1, sizeof(*t));

	t->context = context;
	return t;
}

void exec_attempts_free(struct exec_attempts *t)
{
	for (size_t i = 0; i < KEPT; i++)
		forget_attempt(t->kept[i]);
	free(t);
}

void exec_attempts_changed(struct exec_attempts *t, int64_t attempt)
{
	for (size_t i = 0; i < KEPT; i++)
		if (t->kept[i] && (attempt == 0 || t->kept[i]->id == attempt))
			t->kept[i]->stale = true;
}
