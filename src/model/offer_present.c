/*
 * The set that a new attempt sees. Two ways lead there. When nothing changed since the last run, a stat
 * of every file says so, and the index has all the answers. Otherwise, under a lock, it is made anew
 * (refresh.c).
 */
#include "offer_private.h"

#include "refresh.h"
#include "settings.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX_VERSION 1 /* of what the rules mean: another one looks again */

/* ---- what decides ---- */

static bool context_load(struct workspace *ws, const void *mentions, size_t len, struct context *c, struct err *e)
{
	struct hasher h;

	memset(c, 0, sizeof(*c));
	c->ws = ws;
	c->st = workspace_store(ws, e);
	if (!c->st || !index_identify(ws, &c->facts, e) ||
	    !settings_attached(ws, &c->rules.max_files, &c->rules.max_size, e) ||
	    !attachments_load(c->st, &c->attachments, e) || !claims_load(c->st, mentions, len, &c->claims, e))
		return false;
	c->rules.attachments = c->attachments.v;
	c->rules.attachments_n = c->attachments.n;
	hash_begin(&h);
	hash_int(&h, INDEX_VERSION);
	hash_int(&h, c->rules.max_files);
	hash_int(&h, c->rules.max_size);
	hash_int(&h, geteuid());
	hash_text(&h, ws->root); /* links are judged by it */
	attachments_hash(&c->attachments, &h);
	scan_outer_hash(ws->dir, ws->root, &h);
	c->facts.rules = hash_end(&h);
	c->facts.claims = claims_hash(&c->claims);
	snprintf(c->facts.boot_id, sizeof(c->facts.boot_id), "%s", clock_boot_id());
	return true;
}

static void context_free(struct context *c)
{
	attachments_free(&c->attachments);
	claims_free(&c->claims);
}

/* ---- what changed ---- */

static bool rules_hold(const struct context *c, const struct index *ix)
{
	return index_is_of(ix, &c->facts) && digest_equal(&ix->facts.rules, &c->facts.rules);
}

/* A changed file that is still attached, as far as its stat can tell. */
static bool still_attached(const struct context *c, const struct scan *s, const struct scan_file *f,
                           const struct scan_stat *now)
{
	struct scan_file as_now = *f;

	as_now.st = *now;
	return !f->excluded && f->kind != SCAN_WATCHED && f->kind != SCAN_KEPT && now->inode != 0 && S_ISREG(now->mode) &&
	       (int64_t)now->size <= c->rules.max_size && scan_may_read(c->ws->dir, s, &as_now);
}

static void judge(const struct context *c, struct look *l)
{
	const struct scan *s = &l->was.scan;

	l->change = l->diffs.folders_n > 0 ? CHANGE_TREE : CHANGE_NONE;
	l->settled = true;
	for (size_t i = 0; l->change != CHANGE_TREE && i < l->diffs.files_n; i++) {
		const struct scan_file *f = &s->files[l->diffs.files[i].row];
		const struct scan_stat *now = &l->diffs.files[i].st;
		bool same = scan_is_same(&f->st, now);
		/* Rules may have been rewritten within one tick of the clock. */
		if (same ? f->kind == SCAN_WATCHED : !still_attached(c, s, f, now))
			l->change = CHANGE_TREE;
		else if (same)
			l->settled = false;
		else
			l->change = CHANGE_BYTES;
	}
}

static void look_free(struct look *l)
{
	if (l->have)
		index_free(&l->was);
	scan_diffs_free(&l->diffs);
	l->have = false;
}

static bool look(const struct context *c, struct look *l, struct err *e)
{
	struct workspace *ws = c->ws;

	*l = (struct look){ .change = CHANGE_TREE };
	if (!index_stamp(ws, &l->stamp_ns, e))
		return false;
	l->have = index_load(ws, &l->was);
	if (!l->have || !rules_hold(c, &l->was))
		return true;
	scan_compare(ws->dir, ws->root, &l->was.scan, l->was.facts.stamp_ns, scan_threads(l->was.scan.files_n), &l->diffs);
	judge(c, l);
	return true;
}

/* ---- delivering ---- */

/* Turns an index into an offer, if its layers are there; takes it then. */
static bool deliver(struct workspace *ws, struct index *ix, struct offer *out)
{
	struct view_locks locks;

	if (!view_hold(ws, &ix->facts.stack, &locks))
		return false;
	struct offer_state *s = xcalloc(1, sizeof(*s));
	s->ws = ws;
	s->index = *ix;
	s->locks = locks;
	s->stack = ix->facts.stack;
	s->entries = index_entries(&s->index);
	s->layer_of = xmemdup(ix->layer_of, ix->offered_n);
	*ix = (struct index){ 0 };

	*out = (struct offer){ .priv = s, .entries = s->entries, .n = s->index.offered_n, .sha256 = s->index.facts.set };
	out->base = s->index.facts.before;
	for (const char *p = s->index.remarks, *end = p + s->index.remarks_len; p < end; p += strlen(p) + 1)
		strv_add(&out->remarks, p);
	offer_show(out);
	return true;
}

static bool is_unchanged(const struct context *c, const struct look *l)
{
	return l->have && l->change == CHANGE_NONE && l->settled && digest_equal(&l->was.facts.claims, &c->facts.claims) &&
	       strcmp(l->was.facts.boot_id, c->facts.boot_id) == 0;
}

/* ---- bringing up to date ---- */

/* Under the lock. */
static bool refresh(struct context *c, struct look *l, struct offer *out, struct err *e)
{
	struct refresh r = { .c = c, .l = l };
	struct index ix;
	bool ok = refresh_run(&r, e);

	if (ok && !index_load(c->ws, &ix))
		ok = err_set(e, ERR_CORRUPT, "cannot read back %s/.tickmark/cache/index; is the disk sound?", c->ws->root);
	if (ok) {
		view_evict(c->ws, &ix.facts.stack, offer_cache_budget(r.want, r.want_n));
		layer_sweep(c->ws);
		ok = deliver(c->ws, &ix, out) ||
		     err_set(e, ERR_NOTFOUND, "the cache %s/.tickmark/cache was removed meanwhile; run again", c->ws->root);
		if (!ok)
			index_free(&ix);
	}
	refresh_free(&r);
	return ok;
}

/* When nothing changed. */
static bool deliver_unchanged(struct context *c, struct look *l, struct offer *out)
{
	if (!is_unchanged(c, l) || !deliver(c->ws, &l->was, out))
		return false;
	l->have = false;
	return true;
}

static bool offer_locked(struct context *c, struct look *l, struct offer *out, struct err *e)
{
	int lock = index_lock(c->ws, e);
	bool ok = lock >= 0;

	/* Somebody else may have brought the index up to date while we waited. */
	if (ok && !(l->have && index_is_current(c->ws, &l->was))) {
		look_free(l);
		ok = look(c, l, e);
		if (ok && deliver_unchanged(c, l, out)) {
			close(lock);
			return true;
		}
	}
	ok = ok && refresh(c, l, out, e);
	if (lock >= 0)
		close(lock);
	return ok;
}

bool offer_present(struct workspace *ws, const void *mentions, size_t mentions_len, struct offer *out, struct err *e)
{
	struct context c;
	struct look l = { 0 };

	*out = (struct offer){ 0 };
	bool ok = context_load(ws, mentions, mentions_len, &c, e) && look(&c, &l, e) &&
	          (deliver_unchanged(&c, &l, out) || offer_locked(&c, &l, out, e));
	look_free(&l);
	context_free(&c);
	return ok;
}
