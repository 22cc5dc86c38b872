/*
 * What a report says of an attempt that stands elsewhere in its step: the verdict of its last check, and the attempts
 * before it, which a reader of a corrected step must know of. Read once for all rows: a step may have thousands.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#define OTHERS_MOST 5 /* earlier attempts of a step that nobody said anything of */

struct known {
	int64_t attempt, step, number, check;
	enum verdict verdict;
};

struct report_steps {
	struct known *v;
	size_t n, cap;
};

static bool take_row(void *ctx, const struct row *r)
{
	struct report_steps *s = ctx;

	s->v = grow(s->v, s->n, &s->cap, sizeof(*s->v));
	s->v[s->n++] = (struct known){ r->attempt, r->step, r->number, r->check, r->verdict };
	return true;
}

static int by_number(const void *a, const void *b)
{
	const struct known *x = a, *y = b;
	int64_t xs[] = { x->step, x->number, x->check }, ys[] = { y->step, y->number, y->check };

	for (size_t i = 0; i < ARRAY_LEN(xs); i++)
		if (xs[i] != ys[i])
			return xs[i] < ys[i] ? -1 : 1;
	return 0;
}

/* Index of the first that does not come before these. */
static size_t find(const struct report_steps *s, int64_t step, int64_t number, int64_t check)
{
	struct known key = { .step = step, .number = number, .check = check };
	size_t from = 0, to = s->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (by_number(&s->v[middle], &key) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

bool report_steps_load(struct cmd *c, struct report_steps **s, int64_t step, struct err *e)
{
	struct log_filter f = { .step = step, .checks = true, .oldest_first = true };

	if (!*s)
		*s = xcalloc(1, sizeof(**s));
	size_t at = find(*s, step, 0, 0);
	if (at < (*s)->n && (*s)->v[at].step == step)
		return true;
	if (!query_log(c->query, &f, take_row, *s, e))
		return false;
	if ((*s)->n > 1)
		qsort((*s)->v, (*s)->n, sizeof(*(*s)->v), by_number);
	return true;
}

void report_steps_free(struct report_steps *s)
{
	if (s)
		free(s->v);
	free(s);
}

char *report_steps_verdict(const struct report_steps *s, int64_t step, int64_t number)
{
	for (size_t i = find(s, step, number + 1, 0); i > 0; i--) {
		const struct known *k = &s->v[i - 1];

		if (k->step != step || k->number != number || k->check == 0)
			break;
		if (k->verdict)
			return xasprintf("%s (%lld.%lldr%lld)", verdict_word(k->verdict), (long long)step, (long long)number,
			                 (long long)k->check);
	}
	return xstrdup("");
}

/* "2.1 error: KeyError: 'Name'; rejected by Jo, not signed: why; code line 4: drops rows (Jo)". False: there is no
 * more to it than how it ended, and not even that is wanted. */
static bool tell_earlier(const struct detail *d, bool always, struct buf *out)
{
	const struct review_mark *m = review_counts(d);
	struct buf notes = { 0 };

	if (!m && d->notes_n == 0 && !always)
		return false;
	buf_addf(out, "%s%s %s", out->len ? "\n" : "", d->ref, outcome_word(d->state));
	if (d->end.attempt && d->end.detail && *d->end.detail)
		buf_addf(out, ": %s", d->end.detail);
	if (m)
		buf_addf(out, "; %s by %s, %s%s%s%s", judgement_word(m->judgement), m->reviewer, m->is_signed ? "signed" : "not signed",
		         m->own_work ? ", own work" : "", m->note ? ": " : "", m->note ? m->note : "");
	report_notes_text(d, &notes);
	for (size_t i = 0; i < notes.len; i++)
		if (notes.data[i] == '\n')
			notes.data[i] = ';';
	if (notes.len)
		buf_addf(out, "; %.*s", (int)notes.len, notes.data);
	buf_free(&notes);
	return true;
}

char *report_steps_earlier(struct cmd *c, const struct report_steps *s, int64_t step, int64_t number, struct err *e)
{
	size_t from = find(s, step, 0, 0), to = find(s, step, number, 0);
	int64_t attempts = 0, seen = 0, left = 0;
	struct buf out = { 0 };
	bool ok = true;

	for (size_t i = from; i < to; i++)
		attempts += s->v[i].check == 0;
	for (size_t i = from; ok && i < to; i++) {
		struct detail d;

		if (s->v[i].check)
			continue;
		ok = query_detail(c->query, s->v[i].attempt, &d, e);
		if (!ok)
			break;
		seen++;
		left += !tell_earlier(&d, attempts - seen < OTHERS_MOST, &out);
		query_detail_free(&d);
	}
	if (ok && left)
		buf_addf(&out, "\nand %lld before %s of which nobody said anything", (long long)left, left == 1 ? "it" : "them");
	if (!ok) {
		buf_free(&out);
		return NULL;
	}
	return out.len ? buf_take(&out) : xstrdup("");
}
