/* Artifacts of earlier steps, and their right against the file of the same name. */
#include "claims.h"

#include <stdlib.h>
#include <string.h>

#define MENTIONS_MAX 64 /* attempts that one script can mention */
#define CHAIN_MAX 256   /* artifacts made out of artifacts of the same name */

/* What lies outside of the folder, and what ours alone may touch, is never offered. */
static bool may_be_offered(const char *path)
{
	return path_is_plain_relative(path) && path[0] != '~' && strcmp(path, ".tickmark") != 0 &&
	       strncmp(path, ".tickmark/", 10) != 0;
}

static struct claim *add(struct claims *c, char *path)
{
	c->v = grow(c->v, c->n, &c->cap, sizeof(*c->v));
	c->v[c->n] = (struct claim){ .path = path };
	return &c->v[c->n++];
}

struct loading {
	struct store *st;
	struct claims *out;
	struct err *e;
	bool ok;
};

static bool offered_at(struct store *st, int64_t attempt, const char *path, struct entry *out, struct err *e);

/* Attempts of a step that were ok, that nobody rejected, before one; newest last. */
struct earlier {
	int64_t before;
	int64_t *ids;   /* owned */
	size_t n, cap;
};

static bool take_earlier(void *ctx, const struct attempt_row *row)
{
	struct earlier *x = ctx;

	if (row->id >= x->before || row->outcome != OUTCOME_OK || row->judgement == JUDGED_REJECTED)
		return true;
	x->ids = grow(x->ids, x->n, &x->cap, sizeof(*x->ids));
	x->ids[x->n++] = row->id;
	return true;
}

/* Bytes that were pruned cannot be offered. */
static bool is_kept(struct store *st, const struct digest *d)
{
	return store_blob_has(st, d, NULL);
}

/* What this attempt left at the path; v->attempt stays 0 where it left nothing. */
static bool claim_of(struct store *st, int64_t attempt, const char *path, struct claim *v, struct err *e)
{
	struct entry offered;
	struct attempt_full a;
	struct manifest set;

	if (!store_attempt_get(st, attempt, &a, e))
		return false;
	int64_t artifacts = a.end.artifacts, at_us = a.end.ended_us;
	store_attempt_free(&a);
	if (artifacts == 0)
		return true;
	if (!store_manifest_get(st, artifacts, &set, e))
		return false;
	const struct entry *f = manifest_find(&set, path);
	bool ok = true;
	if (f && artifact_has_bytes(f) && !digest_is_zero(&f->sha256)) {
		*v = (struct claim){ .path = v->path, .attempt = attempt, .size = f->size, .at_us = at_us, .mode = f->mode,
			             .sha256 = f->sha256 };
		ok = offered_at(st, attempt, path, &offered, e);
		if (ok && offered.size >= 0)
			v->replaced = offered.sha256;
	}
	store_manifest_free(&set);
	return ok;
}

/* The record keeps the newest that a step made; when that one was rejected, the one before counts. */
static void take_before_rejected(struct loading *l, const struct produced *p)
{
	struct earlier x = { .before = p->attempt };
	struct claim found = { .path = NULL };

	l->ok = store_step_attempts(l->st, p->step, false, take_earlier, &x, l->e);
	for (size_t i = x.n; l->ok && i > 0 && !found.attempt; i--)
		l->ok = claim_of(l->st, x.ids[i - 1], p->path, &found, l->e);
	free(x.ids);
	if (l->ok && found.attempt && !is_kept(l->st, &found.sha256)) {
		strv_addf(&l->out->remarks, "%s: that of step %lld is not offered, as its bytes were pruned", p->path, (long long)p->step);
	} else if (l->ok && found.attempt) {
		struct claim *v = add(l->out, xstrdup(p->path));
		found.path = v->path;
		*v = found;
	}
}

static enum produced_next take_produced(void *ctx, const struct produced *p)
{
	struct loading *l = ctx;
	struct claims *c = l->out;

	/* Rows of a path stand together, highest step first, and only that one counts: of those that nobody
	 * rejected. */
	if (!may_be_offered(p->path) || (c->n > 0 && strcmp(c->v[c->n - 1].path, p->path) == 0))
		return PRODUCED_NEXT_PATH;
	if (p->judgement == JUDGED_REJECTED) {
		take_before_rejected(l, p);
		return l->ok ? PRODUCED_NEXT : PRODUCED_ENOUGH;
	}
	struct claim *v = add(c, xstrdup(p->path));
	v->attempt = p->attempt;
	v->size = p->size;
	v->at_us = p->at_us;
	v->mode = p->mode;
	v->sha256 = p->sha256;
	v->replaced = p->replaced;
	return PRODUCED_NEXT_PATH;
}

/* ---- mentions ---- */

struct mention {
	int64_t step, number;
};

static bool read_number(const char **p, const char *end, int64_t *out)
{
	const char *start = *p;

	*out = 0;
	while (*p < end && **p >= '0' && **p <= '9' && *p - start < 15)
		*out = *out * 10 + (*(*p)++ - '0');
	return *p > start && *out > 0;
}

/* Finds the next artifacts/N.M/ and goes on behind it; false at the end. */
static bool next_mention(const char **at, const char *end, struct mention *out)
{
	static const char word[] = "artifacts/";
	const char *p;

	while ((p = memmem(*at, (size_t)(end - *at), word, sizeof(word) - 1))) {
		p += sizeof(word) - 1;
		*at = p;
		if (read_number(&p, end, &out->step) && p < end && *p++ == '.' && read_number(&p, end, &out->number) &&
		    p < end && *p == '/')
			return true;
	}
	return false;
}

static bool add_mentioned(struct store *st, const struct mention *m, struct claims *out, struct err *e)
{
	struct err fault = { 0 };
	struct attempt_full a;
	struct manifest set;
	int64_t id;

	/* Whatever is not there the script will miss by itself. */
	if (!store_attempt_find(st, m->step, m->number, 0, &id, &fault) || id == 0)
		return fault.code == ERR_NONE || fault.code == ERR_NOTFOUND || err_set(e, fault.code, "%s", fault.msg);
	if (!store_attempt_get(st, id, &a, e))
		return false;
	int64_t artifacts = a.end.attempt ? a.end.artifacts : 0, at_us = a.end.ended_us;
	store_attempt_free(&a);
	if (artifacts == 0)
		return true;
	if (!store_manifest_get(st, artifacts, &set, e))
		return false;
	for (size_t i = 0; i < set.n; i++) {
		const struct entry *f = &set.entries[i];
		if (!artifact_has_bytes(f) || f->size < 0 || !path_is_plain_relative(f->path) || f->path[0] == '~')
			continue;
		char *path = xasprintf("artifacts/%lld.%lld/%s", (long long)m->step, (long long)m->number, f->path);
		if (!is_kept(st, &f->sha256)) {
			strv_addf(&out->remarks, "%s: not offered, as its bytes were pruned", path);
			free(path);
			continue;
		}
		struct claim *v = add(out, path);
		v->attempt = id;
		v->size = f->size;
		v->at_us = at_us;
		v->mode = f->mode;
		v->mentioned = true;
		v->sha256 = f->sha256;
	}
	store_manifest_free(&set);
	return true;
}

static bool load_mentions(struct store *st, const char *text, size_t len, struct claims *out, struct err *e)
{
	struct mention seen[MENTIONS_MAX], m;
	const char *at = text, *end = len > 0 ? text + len : text;
	size_t n = 0;

	while (n < MENTIONS_MAX && len > 0 && next_mention(&at, end, &m)) {
		bool again = false;
		for (size_t i = 0; i < n; i++)
			again |= seen[i].step == m.step && seen[i].number == m.number;
		if (again)
			continue;
		seen[n++] = m;
		if (!add_mentioned(st, &m, out, e))
			return false;
	}
	return true;
}

/* ---- the list ---- */

static int by_path(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;
	int c = strcmp(x->path, y->path);

	/* A mention means that very attempt. */
	return c != 0 ? c : (int)y->mentioned - (int)x->mentioned;
}

static void sort(struct claims *c)
{
	size_t kept = 0;

	if (c->n > 1)
		qsort(c->v, c->n, sizeof(*c->v), by_path);
	for (size_t i = 0; i < c->n; i++) {
		if (kept > 0 && strcmp(c->v[kept - 1].path, c->v[i].path) == 0)
			free(c->v[i].path);
		else
			c->v[kept++] = c->v[i];
	}
	c->n = kept;
}

bool claims_load(struct store *st, const void *mentions, size_t len, struct claims *out, struct err *e)
{
	*out = (struct claims){ 0 };
	struct loading l = { st, out, e, true };
	/* Sets that one row names are there while the next is read, whatever is pruned meanwhile. */
	bool held = store_hold(st);
	bool ok = store_produced(st, take_produced, &l, e) && l.ok && load_mentions(st, mentions, len, out, e);
	store_release(st, held);
	if (!ok) {
		claims_free(out);
		return false;
	}
	sort(out);
	return true;
}

/* Of all that the path mentions, what is at the path itself. */
static void keep_at(struct claims *c, const char *path)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (strcmp(c->v[i].path, path) != 0)
			free(c->v[i].path);
		else
			c->v[kept++] = c->v[i];
	}
	c->n = kept;
}

bool claims_load_at(struct store *st, const char *path, struct claims *out, struct err *e)
{
	*out = (struct claims){ 0 };
	struct loading l = { st, out, e, true };
	if (!store_produced_at(st, path, take_produced, &l, e) || !l.ok || !load_mentions(st, path, strlen(path), out, e)) {
		claims_free(out);
		return false;
	}
	keep_at(out, path);
	sort(out);
	return true;
}

void claims_free(struct claims *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i].path);
	free(c->v);
	strv_free(&c->remarks);
	*c = (struct claims){ 0 };
}

struct digest claims_hash(const struct claims *c)
{
	struct hasher h;

	hash_begin(&h);
	for (size_t i = 0; i < c->n; i++) {
		const struct claim *v = &c->v[i];
		hash_text(&h, v->path);
		hash_int(&h, v->attempt);
		hash_int(&h, v->size);
		hash_int(&h, v->at_us);
		hash_int(&h, v->mode);
		hash_int(&h, v->mentioned);
		hash_blob(&h, v->sha256.b, sizeof(v->sha256.b));
		hash_blob(&h, v->replaced.b, sizeof(v->replaced.b));
	}
	for (size_t i = 0; i < c->remarks.n; i++)
		hash_text(&h, c->remarks.v[i]);
	return hash_end(&h);
}

/* ---- against the file ---- */

/* The entry at `path` of what an attempt was offered; false: fault. *out has size -1 for none. */
static bool offered_at(struct store *st, int64_t attempt, const char *path, struct entry *out, struct err *e)
{
	struct attempt_full a;
	struct manifest set;

	*out = (struct entry){ .size = -1 };
	if (!store_attempt_get(st, attempt, &a, e))
		return false;
	int64_t offered = a.attempt.offered;
	store_attempt_free(&a);
	if (!store_manifest_get(st, offered, &set, e))
		return false;
	const struct entry *found = manifest_find(&set, path);
	if (found)
		*out = *found;
	out->path = NULL;
	out->note = NULL;
	store_manifest_free(&set);
	return true;
}

/* The content of the attached file when the first of a chain of artifacts took its place: what an
 * attempt replaced may itself have been the artifact of an earlier one. */
static bool file_before(struct store *st, const struct claim *c, struct digest *out, struct err *e)
{
	int64_t attempt = c->attempt;
	struct entry f;

	*out = (struct digest){ 0 };
	for (int i = 0; i < CHAIN_MAX; i++) {
		if (!offered_at(st, attempt, c->path, &f, e))
			return false;
		if (f.size < 0)
			return true;
		if (f.from_attempt == 0) {
			*out = f.sha256;
			return true;
		}
		attempt = f.from_attempt;
	}
	return true;
}

bool claim_decide(struct store *st, const struct claim *c, const struct digest *file, enum claim_answer *out,
                  struct err *e)
{
	struct err fault = { 0 };
	struct digest before;

	if (digest_equal(file, &c->sha256)) {
		*out = CLAIM_EQUAL;
	} else if (c->mentioned) {
		*out = CLAIM_LOSES;
	} else if (digest_equal(file, &c->replaced)) {
		*out = CLAIM_WINS;
	} else if (digest_is_zero(&c->replaced)) {
		*out = CLAIM_LOSES;
	} else if (file_before(st, c, &before, &fault)) {
		*out = digest_equal(file, &before) ? CLAIM_WINS : CLAIM_LOSES;
	} else if (fault.code == ERR_NOTFOUND) {
		*out = CLAIM_LOSES; /* the attempt in between was pruned: what is in the folder is sure */
	} else {
		if (e)
			*e = fault;
		return false;
	}
	return true;
}

bool claim_ref(struct store *st, const struct claim *c, char out[48], struct err *e)
{
	struct attempt_full a;

	if (!store_attempt_get(st, c->attempt, &a, e))
		return false;
	snprintf(out, 48, "%lld.%lld", (long long)a.attempt.step, (long long)a.attempt.number);
	store_attempt_free(&a);
	return true;
}
