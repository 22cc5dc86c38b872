/* Filters of lists: words to tests. */
#include "model/filtering.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct word {
	bool turned;
	const struct key *key; /* NULL: bare */
	struct strv values;    /* alternatives; of a bare word one */
	int64_t age_us;
	bool older;
};

struct list_filter {
	char *text;
	struct word *words;
	size_t n, cap;
};

struct key {
	const char *name;
	bool (*check)(struct word *w, struct err *e); /* NULL: any value */
	bool (*fits)(const struct word *w, struct query *q, const struct row *r);
};

/* ---- tests ------------------------------------------------------------------------------------------- */

static bool holds(const char *text, const char *part)
{
	return text && strcasestr(text, part) != NULL;
}

static bool has(const struct word *w, const char *value)
{
	for (size_t i = 0; value && i < w->values.n; i++)
		if (strcasecmp(w->values.v[i], value) == 0)
			return true;
	return false;
}

static bool fits_outcome(const struct word *w, struct query *q, const struct row *r)
{
	(void)q;
	return has(w, outcome_word(r->state));
}

static bool fits_mark(const struct word *w, struct query *q, const struct row *r)
{
	bool none = r->judgement == JUDGED_NONE || r->judgement == JUDGED_WITHDRAWN;

	(void)q;
	return (none && has(w, "none")) || (r->judgement && has(w, judgement_word(r->judgement))) || (r->stale && has(w, "stale"));
}

static bool fits_asker(const struct word *w, struct query *q, const struct row *r)
{
	(void)q;
	for (size_t i = 0; i < w->values.n; i++)
		if (holds(r->asker, w->values.v[i]))
			return true;
	return false;
}

static bool fits_age(const struct word *w, struct query *q, const struct row *r)
{
	int64_t age = clock_now_us() - r->queued_us;

	(void)q;
	return w->older ? age > w->age_us : age <= w->age_us;
}

static bool fits_input(const struct word *w, struct query *q, const struct row *r)
{
	struct detail d;
	bool found = false;

	if (!query_detail(q, r->attempt, &d, NULL))
		return false;
	for (size_t i = 0; i < d.inputs_n && !found; i++)
		for (size_t k = 0; k < w->values.n && !found; k++)
			found = holds(d.inputs[i].path, w->values.v[k]);
	query_detail_free(&d);
	return found;
}

struct verdicts {
	const struct word *w;
	int64_t number;
	bool found, any;
};

static bool look_at_verdict(void *ctx, const struct row *r)
{
	struct verdicts *v = ctx;

	if (r->check && r->number == v->number && r->verdict) {
		v->any = true;
		v->found = v->found || has(v->w, verdict_word(r->verdict)) ||
		           (r->verdict == VERDICT_NOISE && has(v->w, "noise")) || (r->verdict == VERDICT_CANNOT && has(v->w, "cannot"));
	}
	return true;
}

static bool fits_verdict(const struct word *w, struct query *q, const struct row *r)
{
	struct log_filter f = { .step = r->step, .checks = true };
	struct verdicts v = { .w = w, .number = r->number };

	return query_log(q, &f, look_at_verdict, &v, NULL) && (v.found || (!v.any && has(w, "none")));
}

static bool fits_text(const struct word *w, struct query *q, const struct row *r)
{
	(void)q;
	for (size_t i = 0; i < w->values.n; i++)
		if (holds(r->title, w->values.v[i]) || holds(r->detail, w->values.v[i]) || holds(r->ref, w->values.v[i]))
			return true;
	return false;
}

/* ---- values that must be of a list ---------------------------------------------------------------------- */

static bool check_outcome(struct word *w, struct err *e)
{
	enum outcome o;

	for (size_t i = 0; i < w->values.n; i++)
		if (!outcome_parse(w->values.v[i], &o))
			return err_set(e, ERR_INPUT, "outcome:%s: it is ok, error, limit, refused, stopped, fault, interrupted or running",
			               w->values.v[i]);
	return true;
}

static bool check_mark(struct word *w, struct err *e)
{
	for (size_t i = 0; i < w->values.n; i++)
		if (judgement_parse(w->values.v[i]) == JUDGED_NONE && strcasecmp(w->values.v[i], "none") != 0 &&
		    strcasecmp(w->values.v[i], "stale") != 0)
			return err_set(e, ERR_INPUT, "mark:%s: it is none, accepted, questioned, rejected, withdrawn or stale",
			               w->values.v[i]);
	return true;
}

static bool check_verdict(struct word *w, struct err *e)
{
	static const char *const good[] = { "same", "noise", "differs", "cannot", "none" };

	for (size_t i = 0; i < w->values.n; i++) {
		bool known = false;
		for (size_t k = 0; k < ARRAY_LEN(good); k++)
			known = known || strcasecmp(w->values.v[i], good[k]) == 0;
		if (!known)
			return err_set(e, ERR_INPUT, "verdict:%s: it is same, noise, differs, cannot or none", w->values.v[i]);
	}
	return true;
}

static bool check_age(struct word *w, struct err *e)
{
	const char *value = w->values.v[0];
	int64_t ms;

	w->older = *value == '>';
	value += *value == '>' || *value == '<';
	if (!duration_parse(value, &ms, e)) {
		e->code = ERR_INPUT;
		return err_prefix(e, "age");
	}
	w->age_us = ms > INT64_MAX / 1000 ? INT64_MAX : ms * 1000;
	return true;
}

static const struct key keys[] = {
	{ "outcome", check_outcome, fits_outcome }, { "mark", check_mark, fits_mark }, { "asker", NULL, fits_asker },
	{ "age", check_age, fits_age }, { "input", NULL, fits_input }, { "verdict", check_verdict, fits_verdict },
	{ "text", NULL, fits_text },
};

/* ---- parsing ---------------------------------------------------------------------------------------------- */

static const struct key *find_key(const char *p, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (strlen(keys[i].name) == n && strncasecmp(keys[i].name, p, n) == 0)
			return &keys[i];
	return NULL;
}

static void split(struct strv *out, const char *p, size_t n)
{
	while (n > 0) {
		const char *comma = memchr(p, ',', n);
		size_t len = comma ? (size_t)(comma - p) : n;

		if (len)
			strv_take(out, xstrndup(p, len));
		len += comma != NULL;
		p += len;
		n -= len;
	}
}

/* KEY:VALUE with a key that there is not would look for a text that is nowhere. */
static bool is_key_like(const char *p, size_t n, size_t colon)
{
	for (size_t i = 0; i < colon; i++)
		if (!((p[i] | 0x20) >= 'a' && (p[i] | 0x20) <= 'z'))
			return false;
	return colon > 0 && colon + 1 < n && p[colon + 1] != '/';
}

/* A word without its quotes; `from`: where they began first, what stands there is plain text. */
static bool parse_word(struct list_filter *f, const char *p, size_t n, size_t from, struct err *e)
{
	struct word w = { .turned = n > 0 && from > 0 && *p == '!' };
	const char *colon;
	struct err fault = { 0 };

	p += w.turned;
	n -= w.turned;
	colon = memchr(p, ':', MIN(n, from - w.turned));
	if (n == 0)
		return true;
	w.key = colon ? find_key(p, (size_t)(colon - p)) : NULL;
	if (w.key)
		split(&w.values, colon + 1, n - (size_t)(colon + 1 - p));
	else
		strv_take(&w.values, xstrndup(p, n));
	if (w.values.n == 0)
		err_set(&fault, ERR_INPUT, "%.*s needs a value", (int)n, p);
	else if (w.key && w.key->check)
		w.key->check(&w, &fault);
	else if (!w.key && colon && is_key_like(p, n, (size_t)(colon - p)))
		err_set(&fault, ERR_INPUT, "%.*s: there is outcome: mark: asker: age: input: verdict: text:, and \"%.*s\" is a text", (int)(colon - p), p,
		        (int)n, p);
	f->words = grow(f->words, f->n, &f->cap, sizeof(*f->words));
	f->words[f->n++] = w;
	if (fault.code != ERR_NONE && e)
		*e = fault;
	return fault.code == ERR_NONE;
}

struct list_filter *list_filter_new(const char *text, struct err *e)
{
	struct list_filter *f = xcalloc(1, sizeof(*f));
	struct buf word = { 0 };
	bool ok = true;

	f->text = xstrdup(text);
	for (const char *p = text + strspn(text, " "); *p && ok; p += strspn(p, " ")) {
		size_t from = SIZE_MAX;
		bool quoted = false;

		buf_clear(&word);
		for (; *p && (quoted || *p != ' '); p++) {
			if (*p != '"') {
				buf_addc(&word, *p);
				continue;
			}
			quoted = !quoted;
			from = MIN(from, word.len);
		}
		ok = parse_word(f, word.data ? word.data : "", word.len, from, e);
	}
	buf_free(&word);
	if (ok && f->n > 0)
		return f;
	list_filter_free(f);
	return NULL;
}

void list_filter_free(struct list_filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		strv_free(&f->words[i].values);
	free(f->words);
	free(f->text);
	free(f);
}

const char *list_filter_text(const struct list_filter *f)
{
	return f->text;
}

bool list_filter_fits(const struct list_filter *f, struct query *q, const struct row *r)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct word *w = &f->words[i];
		bool fits = w->key ? w->key->fits(w, q, r) : fits_text(w, q, r);

		if (fits == w->turned)
			return false;
	}
	return true;
}

void list_filter_complete(const char *text, struct strv *out)
{
	static const char *const offers[] = {
		"outcome:ok", "outcome:error", "outcome:limit", "outcome:refused", "outcome:stopped", "mark:none", "mark:accepted",
		"mark:questioned", "mark:rejected", "mark:stale", "asker:", "age:1d", "age:>7d", "input:", "verdict:differs",
		"verdict:same", "verdict:none",
	};
	const char *last = strrchr(text, ' ');
	size_t begin = last ? (size_t)(last + 1 - text) : 0;

	for (size_t i = 0; i < ARRAY_LEN(offers); i++)
		if (strncmp(offers[i], text + begin, strlen(text + begin)) == 0)
			strv_addf(out, "%.*s%s", (int)begin, text, offers[i]);
}
