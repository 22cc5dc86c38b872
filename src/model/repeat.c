/* Substitutes for an interpreter, and the comparison of a check with what it repeats. */
#include "repeat.h"

#include "interpreter_probe.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMED_MOST 3 /* differing packages that are named */

void repeat_qualify_add(struct buf *out, const char *text)
{
	buf_adds(out, out->len ? "; " : "");
	buf_adds(out, text);
}

/* ---- differences of environment ---- */

struct package {
	const char *name;
	size_t name_n;
	const char *version;
	size_t version_n;
};

static const char *next_package(const char *p, struct package *out)
{
	const char *end = strchrnul(p, '\n'), *blank = memchr(p, ' ', (size_t)(end - p));

	if (*p == '\0')
		return NULL;
	const char *stop = blank ? blank : end;
	*out = (struct package){ .name = p, .name_n = (size_t)(stop - p), .version = blank ? blank + 1 : end };
	out->version_n = (size_t)(end - out->version);
	return *end ? end + 1 : end;
}

static int compare_names(const struct package *a, const struct package *b)
{
	int c = strncasecmp(a->name, b->name, MIN(a->name_n, b->name_n));

	return c ? c : (a->name_n > b->name_n) - (a->name_n < b->name_n);
}

static void tell_package(struct buf *out, const struct package *was, const struct package *is)
{
	buf_adds(out, out->len ? "; " : "");
	if (was && is)
		buf_addf(out, "%.*s %.*s for %.*s", (int)is->name_n, is->name, (int)is->version_n, is->version,
		         (int)was->version_n, was->version);
	else if (was)
		buf_addf(out, "without %.*s %.*s", (int)was->name_n, was->name, (int)was->version_n, was->version);
}

/* Both lists are sorted by name. What is there in addition cannot have been used, and is not told. */
static void qualify_packages(struct buf *out, const char *recorded, const char *now)
{
	struct package was = { 0 }, is = { 0 };
	const char *a = next_package(recorded, &was), *b = next_package(now, &is);
	int64_t differing = 0;

	while (a) {
		int order = b ? compare_names(&was, &is) : -1;
		bool differs = order < 0 || (order == 0 && (was.version_n != is.version_n ||
		                                            memcmp(was.version, is.version, was.version_n) != 0));
		if (differs && differing++ < NAMED_MOST)
			tell_package(out, &was, order == 0 ? &is : NULL);
		if (order <= 0)
			a = next_package(a, &was);
		if (order >= 0)
			b = next_package(b, &is);
	}
	if (differing > NAMED_MOST)
		buf_addf(out, "; %lld more packages differ", (long long)(differing - NAMED_MOST));
}

static void qualify_text(struct buf *out, const char *what, const char *recorded, const char *now)
{
	if (strcmp(recorded, now) == 0)
		return;
	char *text = xasprintf("%s%s%s for %s", what, *what ? " " : "", now, recorded);
	repeat_qualify_add(out, text);
	free(text);
}

void repeat_qualify(struct buf *out, const struct environment *recorded, const struct environment *now)
{
	qualify_text(out, "", recorded->implementation, now->implementation);
	qualify_text(out, "Python", recorded->version, now->version);
	qualify_packages(out, recorded->packages, now->packages);
	qualify_text(out, "", recorded->platform, now->platform);
	qualify_text(out, "zone", recorded->zone, now->zone);
}

/* ---- the interpreter ---- */

/* How good a substitute it is: 3 same version, 2 same minor version, 1 other. */
static int rank(const struct environment *recorded, const struct environment *e)
{
	const char *dot = strchr(recorded->version, '.'), *second = dot ? strchr(dot + 1, '.') : NULL;
	size_t minor = second ? (size_t)(second - recorded->version) + 1 : strlen(recorded->version);

	if (strcmp(recorded->implementation, e->implementation) != 0)
		return 1;
	if (strcmp(recorded->version, e->version) == 0)
		return 3;
	return strncmp(recorded->version, e->version, minor) == 0 ? 2 : 1;
}

struct search {
	const struct environment *recorded;
	char *best;    /* owned path */
	int rank;
};

static bool consider(void *ctx, const struct interpreter *i)
{
	struct search *s = ctx;
	int r = i->problem ? 0 : rank(s->recorded, &i->env);

	if (r > s->rank && r > 1) {
		free(s->best);
		s->best = xstrdup(i->path);
		s->rank = r;
	}
	return s->rank < 3;
}

/* True when the recorded one is there and fits at least as well as any other could. */
static bool take_recorded(struct workspace *ws, const struct environment *recorded, struct interpreter *out)
{
	if (recorded->python[0] != '/' || access(recorded->python, X_OK) != 0)
		return false;
	if (interpreter_examine(ws, xstrdup(recorded->python), "recorded", out, NULL) && !out->problem &&
	    rank(recorded, &out->env) == 3)
		return true;
	interpreter_free(out);
	return false;
}

static bool choose(struct workspace *ws, const struct environment *recorded, const char *wanted,
                   struct interpreter *out, struct err *e)
{
	struct search s = { .recorded = recorded };

	if (wanted)
		return interpreter_choose(ws, wanted, out, e);
	if (take_recorded(ws, recorded, out))
		return true;
	if (!interpreter_each(ws, consider, &s, e)) {
		free(s.best);
		return false;
	}
	bool ok = interpreter_choose(ws, s.best, out, e);
	free(s.best);
	return ok;
}

bool repeat_python(struct workspace *ws, const struct environment *recorded, const char *wanted,
                   struct interpreter *out, struct buf *qualified, struct err *e)
{
	if (!choose(ws, recorded, wanted, out, e))
		return false;
	repeat_qualify(qualified, recorded, &out->env);
	return true;
}

/* ---- the verdict ---- */

/* One stream of an attempt, read into memory: kept pieces and where they stand. */
struct kept {
	enum stream_id stream;
	struct buf bytes;
	struct span_at { int64_t position; size_t at, n; } *pieces;
	size_t n, cap;
};

static bool take_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	struct kept *k = ctx;

	(void)e;
	if (c->stream != k->stream || c->len == 0)
		return true;
	k->pieces = grow(k->pieces, k->n, &k->cap, sizeof(*k->pieces));
	k->pieces[k->n++] = (struct span_at){ c->position, k->bytes.len, c->len };
	buf_add(&k->bytes, c->bytes, c->len);
	return true;
}

static void kept_free(struct kept *k)
{
	buf_free(&k->bytes);
	free(k->pieces);
}

/* Position of the first byte that both kept and that differs, or where one ends; -1: none among them. */
static int64_t first_difference(const struct kept *a, const struct kept *b)
{
	size_t i = 0, k = 0;

	while (i < a->n && k < b->n) {
		const struct span_at *x = &a->pieces[i], *y = &b->pieces[k];
		int64_t from = MAX(x->position, y->position);
		int64_t x_end = x->position + (int64_t)x->n, y_end = y->position + (int64_t)y->n, to = MIN(x_end, y_end);
		for (int64_t p = from; p < to; p++)
			if (a->bytes.data[x->at + (size_t)(p - x->position)] != b->bytes.data[y->at + (size_t)(p - y->position)])
				return p;
		if (x_end <= y_end)
			i++;
		if (y_end <= x_end)
			k++;
	}
	return -1;
}

static bool compare_stream(struct store *st, const struct comparison *c, enum stream_id stream, char **at, struct err *e)
{
	const struct attempt_end *was = &c->original->end, *is = c->end;
	bool out = stream == STREAM_OUT;
	const char *name = out ? "stdout" : "stderr";
	int64_t was_n = out ? was->out_bytes : was->err_bytes, is_n = out ? is->out_bytes : is->err_bytes;
	struct kept a = { .stream = stream }, b = { .stream = stream };

	if (was_n == is_n && digest_equal(out ? &was->out_sha256 : &was->err_sha256, out ? &is->out_sha256 : &is->err_sha256))
		return true;
	bool ok = store_chunks(st, was->attempt, (int)stream, take_chunk, &a, e) &&
	          store_chunks(st, c->attempt, (int)stream, take_chunk, &b, e);
	int64_t p = ok ? first_difference(&a, &b) : -1;
	if (ok && p >= 0)
		*at = xasprintf("%s byte %lld", name, (long long)p + 1);
	else if (ok && was_n != is_n)
		*at = xasprintf("%s: %lld bytes, was %lld", name, (long long)is_n, (long long)was_n);
	else if (ok)
		*at = xasprintf("%s, in bytes that were not kept", name);
	kept_free(&a);
	kept_free(&b);
	return ok;
}

static const char *kind_of(const struct entry *f)
{
	return f ? artifact_word((enum artifact_kind)f->what) : "not made";
}

static char *artifact_difference(const struct entry *was, const struct entry *is)
{
	const char *path = was ? was->path : is->path;

	if (!was || !is || was->what != is->what)
		return xasprintf("artifact %s: %s, was %s", path, kind_of(is), kind_of(was));
	if (!digest_equal(&was->sha256, &is->sha256))
		return xasprintf("artifact %s", path);
	if (was->mode != is->mode)
		return xasprintf("artifact %s: mode %o, was %o", path, is->mode, was->mode);
	return NULL;
}

static char *compare_artifacts(const struct manifest *was, const struct entry *is, size_t n)
{
	size_t i = 0, k = 0;
	char *at = NULL;

	while (!at && (i < was->n || k < n)) {
		int order = i == was->n ? 1 : k == n ? -1 : strcmp(was->entries[i].path, is[k].path);
		at = artifact_difference(order <= 0 ? &was->entries[i] : NULL, order >= 0 ? &is[k] : NULL);
		if (order <= 0)
			i++;
		if (order >= 0)
			k++;
	}
	return at;
}

static char *compare_outcome(const struct attempt_end *was, const struct attempt_end *is)
{
	char now[64] = "", before[64] = "";

	if (was->outcome != is->outcome)
		return xasprintf("outcome %s, was %s", outcome_word(is->outcome), outcome_word(was->outcome));
	if (was->limit && is->limit && strcmp(was->limit, is->limit) != 0)
		return xasprintf("limit %s, was %s", is->limit, was->limit);
	if (was->exit_code == is->exit_code && was->signal == is->signal)
		return NULL;
	snprintf(now, sizeof(now), is->signal ? "signal %d" : "exit code %d", is->signal ? is->signal : is->exit_code);
	snprintf(before, sizeof(before), was->signal ? "signal %d" : "exit code %d", was->signal ? was->signal : was->exit_code);
	return xasprintf("%s, was %s", now, before);
}

static char *why_not(const struct comparison *c)
{
	enum outcome was = c->original->end.outcome, is = c->end->outcome;

	if (c->absent)
		return xasprintf("input %s was not kept", c->absent);
	if (was == OUTCOME_STOPPED || was == OUTCOME_FAULT || was == OUTCOME_INTERRUPTED)
		return xasprintf("the original has no end of its own: %s", outcome_word(was));
	if (is == OUTCOME_STOPPED || is == OUTCOME_FAULT)
		return xasprintf("the check has no end of its own: %s", outcome_word(is));
	return NULL;
}

bool repeat_compare(struct store *st, const struct comparison *c, enum verdict *verdict, char **first_at, struct err *e)
{
	struct manifest was = { 0 };

	*verdict = VERDICT_CANNOT;
	*first_at = why_not(c);
	if (*first_at)
		return true;
	*first_at = compare_outcome(&c->original->end, c->end);
	if (!*first_at && !compare_stream(st, c, STREAM_OUT, first_at, e))
		return false;
	if (!*first_at && !compare_stream(st, c, STREAM_ERR, first_at, e))
		return false;
	if (!*first_at) {
		if (c->original->end.artifacts && !store_manifest_get(st, c->original->end.artifacts, &was, e))
			return false;
		*first_at = compare_artifacts(&was, c->artifacts, c->artifacts_n);
		store_manifest_free(&was);
	}
	*verdict = *first_at ? VERDICT_DIFFERS : VERDICT_SAME;
	return true;
}
