/* Why a check differs: by what other checks of the same attempt gave, and where it differs first. */
#include "comparing.h"

#include <stdlib.h>
#include <string.h>

const char *compare_why_word(enum compare_why w)
{
	static const char *const words[] = { NULL, "random", "changed" };

	return words[w];
}

struct others {
	int64_t number, check;  /* attempt within its step that was repeated; id of the check */
	int64_t *ids;           /* owned */
	size_t n, cap;
};

static bool take_check(void *ctx, const struct row *r)
{
	struct others *o = ctx;

	if (r->number != o->number || r->check == 0 || r->attempt == o->check || r->verdict != VERDICT_DIFFERS)
		return true;
	o->ids = grow(o->ids, o->n, &o->cap, sizeof(*o->ids));
	o->ids[o->n++] = r->attempt;
	return true;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Whether another check says something of this one: it ran under the same conditions. Takes over nothing. */
static bool is_like(struct query *q, const struct detail *d, int64_t other, char ref[REF_TEXT])
{
	struct detail o;

	if (!query_detail(q, other, &o, NULL))
		return false;
	bool like = o.attempt.environment == d->attempt.environment && same_text(o.attempt.vary, d->attempt.vary);
	memcpy(ref, o.ref, REF_TEXT);
	query_detail_free(&o);
	return like;
}

bool compare_why(struct query *q, int64_t check, enum compare_why *why, char other[REF_TEXT], struct err *e)
{
	struct others o = { .check = check };
	enum verdict v = VERDICT_CANNOT;
	struct detail d;

	*why = WHY_UNKNOWN;
	if (!query_detail(q, check, &d, e))
		return false;
	bool ok = d.verdict != VERDICT_DIFFERS;
	if (!ok) {
		o.number = d.attempt.number;
		ok = query_log(q, &(struct log_filter){ .step = d.step.number, .checks = true }, take_check, &o, e);
	}
	for (size_t i = 0; ok && i < o.n && v == VERDICT_CANNOT; i++)
		ok = !is_like(q, &d, o.ids[i], other) || compare_agree(q, o.ids[i], check, &v, e);
	if (ok && v != VERDICT_CANNOT)
		*why = v == VERDICT_DIFFERS ? WHY_RANDOM : WHY_CHANGED;
	free(o.ids);
	query_detail_free(&d);
	return ok;
}

/* ---- where ---- */

bool compare_is_check(const struct comparing *c)
{
	return !c->is_now && c->side[1].attempt.check_of && c->side[1].attempt.check_of == c->side[0].attempt.id;
}

static const char *behind(const char *s, const char *with)
{
	size_t n = strlen(with);

	return strncmp(s, with, n) == 0 ? s + n : NULL;
}

static bool is_named(const struct compare_item *x, const char *path)
{
	const char *rest = behind(path, x->name);

	return x->part == COMPARE_FILE && rest && (*rest == '\0' || *rest == ':');
}

/* The verdict's words, "stdout byte 9" or "artifact t.csv", as repeat_compare writes them. */
bool compare_first(const struct comparing *c, size_t *item, int64_t *byte)
{
	const char *at = c->side[1].first_at, *path, *number;

	*byte = -1;
	if (!compare_is_check(c) || c->side[1].verdict != VERDICT_DIFFERS || !at)
		return false;
	for (size_t i = 0; i < c->n; i++) {
		const struct compare_item *x = &c->items[i];
		path = behind(at, "artifact ");
		number = x->part == COMPARE_STDOUT || x->part == COMPARE_STDERR ? behind(at, compare_part_word(x->part)) : NULL;
		if (!number && !(path && is_named(x, path)))
			continue;
		*item = i;
		number = number ? behind(number, " byte ") : NULL;
		if (number && int_parse(number, 1, INT64_MAX, byte, NULL))
			--*byte;
		return true;
	}
	return false;
}

/* The added row that stands in place of removed row `at` of its block; -1: none. */
static int32_t row_beside(const struct diffrows *r, size_t at)
{
	size_t first = at, added = at;

	while (first > 0 && r->v[first - 1].kind == DIFFROW_REMOVED)
		first--;
	while (added < r->n && (r->v[added].kind == DIFFROW_REMOVED || r->v[added].kind == DIFFROW_NO_END))
		added++;
	added += at - first;
	return added < r->n && r->v[added].kind == DIFFROW_ADDED ? (int32_t)added : -1;
}

static bool is_difference(const struct diffrow *x)
{
	return x->kind == DIFFROW_REMOVED || x->kind == DIFFROW_ADDED || x->kind == DIFFROW_CHANGED;
}

int32_t compare_first_row(const struct comparing *c, size_t i, const struct diffrows *r, int32_t *right)
{
	int32_t found = -1;
	size_t item;
	int64_t byte;

	if (!compare_first(c, &item, &byte) || item != i)
		return -1;
	for (size_t k = 0; k < r->n; k++) {
		const struct diffrow *x = &r->v[k];
		int64_t at = x->kind == DIFFROW_REMOVED && byte >= 0 ? compare_position(c, 0, x->text.p) : -1;
		bool has = at >= 0 && byte >= at && byte <= at + (int64_t)x->text.n;
		if (has || (found < 0 && is_difference(x)))
			found = (int32_t)k;
		if (has)
			break;
	}
	if (right)
		*right = found >= 0 && r->v[found].kind == DIFFROW_REMOVED ? row_beside(r, (size_t)found) : -1;
	return found;
}
