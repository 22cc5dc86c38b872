/* What repeats would lack. Each environment is looked at once, and each input once by its content. */
#include "model/foresee.h"

#include "query_private.h"
#include "repeat.h"

#include <stdlib.h>
#include <string.h>

struct sight { struct foreseen f; int64_t environment; struct digest input; };

struct seer {
	struct workspace *ws;
	struct query *query;
	const char *python;
	struct sight *v;
	size_t n, cap;
	struct strv texts;
	int64_t *known;       /* environments that were looked at */
	size_t known_n, known_cap;
};

static const char *keep(struct seer *s, char *text)
{
	strv_take(&s->texts, text);
	return text;
}

static void add(struct seer *s, struct foreseen f, int64_t environment, const struct digest *input)
{
	s->v = grow(s->v, s->n, &s->cap, sizeof(*s->v));
	s->v[s->n++] = (struct sight){ f, environment, input ? *input : (struct digest){ { 0 } } };
}

static bool is_known(struct seer *s, int64_t environment)
{
	for (size_t i = 0; i < s->known_n; i++)
		if (s->known[i] == environment)
			return true;
	s->known = grow(s->known, s->known_n, &s->known_cap, sizeof(*s->known));
	s->known[s->known_n++] = environment;
	return false;
}

/* "/usr/bin/python3: Python 3.12.3 for 3.11.2"; the path is left out where it is the recorded one. */
static char *name_substitute(const struct interpreter *used, const struct buf *qualified, bool other)
{
	const char *how = qualified->len ? qualified->data : "the same version and packages";

	return other ? xasprintf("%s: %s", used->path, how) : xstrdup(how);
}

static void look_at_python(struct seer *s, const struct detail *d)
{
	struct interpreter used = { 0 };
	struct buf qualified = { 0 };
	struct err why = { 0 };
	struct foreseen f = { .what = d->env.python, .first = d->ref };

	if (is_known(s, d->attempt.environment)) {
		for (size_t i = 0; i < s->n; i++)
			s->v[i].f.attempts += s->v[i].environment == d->attempt.environment;
		return;
	}
	bool ok = repeat_python(s->ws, &d->env, s->python, &used, &qualified, &why);
	f.kind = ok && !used.problem ? FORESEEN_SUBSTITUTE : FORESEEN_NO_PYTHON;
	f.attempts = 1;
	bool other = ok && !used.problem && strcmp(used.path, d->env.python) != 0;
	if (!ok || used.problem || qualified.len || other) {
		f.what = keep(s, xstrdup(f.what));
		f.first = keep(s, xstrdup(f.first));
		f.instead = keep(s, !ok ? xstrdup(why.msg) : used.problem ? xstrdup(used.problem) : name_substitute(&used, &qualified, other));
		add(s, f, d->attempt.environment, NULL);
	}
	if (ok)
		interpreter_free(&used);
	buf_free(&qualified);
}

static void look_at_input(struct seer *s, const struct detail *d, const struct entry *in)
{
	int64_t size;

	if (!input_was_read(in) || digest_is_zero(&in->sha256) ||
	    store_blob_has(s->query->store, &in->sha256, &size))
		return;
	for (size_t i = 0; i < s->n; i++) {
		if (!digest_equal(&s->v[i].input, &in->sha256) || strcmp(s->v[i].f.what, in->path) != 0)
			continue;
		s->v[i].f.attempts++;
		return;
	}
	if (query_lends(s->query, s->ws, in))
		return; /* the folder has it as it was, and lends it */
	add(s, (struct foreseen){ FORESEEN_NO_INPUT, keep(s, xstrdup(in->path)), NULL, 1, keep(s, xstrdup(d->ref)) }, 0, &in->sha256);
}

bool foresee(struct workspace *ws, struct query *q, const int64_t *attempts, size_t n, const char *python,
             void (*fn)(void *ctx, const struct foreseen *f), void *ctx, struct err *e)
{
	struct seer s = { .ws = ws, .query = q, .python = python };
	bool ok = true;

	for (size_t i = 0; i < n && ok; i++) {
		struct detail d;
		ok = query_detail(q, attempts[i], &d, e);
		if (!ok)
			break;
		look_at_python(&s, &d);
		for (size_t k = 0; k < d.inputs_n; k++)
			look_at_input(&s, &d, &d.inputs[k]);
		query_detail_free(&d);
	}
	for (size_t i = 0; i < s.n && ok; i++)
		fn(ctx, &s.v[i].f);
	free(s.v);
	free(s.known);
	strv_free(&s.texts);
	return ok;
}
