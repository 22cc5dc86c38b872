/*
 * The set that a new attempt sees. Two ways lead there. When nothing changed since the last run, a stat
 * of every file says so, and the index has all the answers. Otherwise, under a lock: look at the folder
 * again, take in what changed, decide who is seen at each path, build a layer, write the index.
 */
#include "offer_private.h"

#include "attachments.h"
#include "build.h"
#include "claims.h"
#include "ingest.h"
#include "settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX_VERSION 1 /* of what the rules mean: another one looks again */

/* Everything that decides about the set, but the folder. */
struct context {
	struct workspace *ws;
	struct store *st;
	struct attachments attachments;
	struct scan_rules rules;
	struct claims claims;
	struct index_facts facts; /* as the new index will say */
};

static bool context_load(struct workspace *ws, const void *mentions, size_t len, struct context *c, struct err *e)
{
	struct hasher h;

	memset(c, 0, sizeof(*c));
	c->ws = ws;
	c->st = workspace_store(ws, e);
	if (!c->st || !store_uuid(c->st, &c->facts.record, e) ||
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

enum change { CHANGE_NONE, CHANGE_BYTES, CHANGE_TREE };

struct look {
	struct index was;      /* the index, if there is a usable one */
	bool have;
	struct scan_now now;
	int64_t stamp_ns;      /* before the look */
	enum change change;    /* of the folder, against the index */
	bool settled;          /* what stayed the same was old enough to be sure of it */
};

static bool rules_hold(const struct context *c, const struct index *ix)
{
	return memcmp(&ix->facts.record, &c->facts.record, sizeof(c->facts.record)) == 0 &&
	       digest_equal(&ix->facts.rules, &c->facts.rules);
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

static void compare(const struct context *c, struct look *l)
{
	const struct scan *s = &l->was.scan;
	int64_t stamp = l->was.facts.stamp_ns;

	l->change = CHANGE_NONE;
	l->settled = true;
	for (size_t i = 0; i < s->folders_n; i++) {
		if (!index_is_same(&s->folders[i].st, &l->now.folders[i]) || !index_is_settled(&s->folders[i].st, stamp)) {
			l->change = CHANGE_TREE;
			return;
		}
	}
	for (size_t i = 0; i < s->files_n; i++) {
		const struct scan_file *f = &s->files[i];
		if (f->kind == SCAN_KEPT)
			continue;
		if (!index_is_same(&f->st, &l->now.files[i])) {
			l->change = CHANGE_BYTES;
			if (!still_attached(c, s, f, &l->now.files[i])) {
				l->change = CHANGE_TREE;
				return;
			}
		} else if (!index_is_settled(&f->st, stamp)) {
			l->settled = false;
			/* Rules may have been rewritten within one tick of the clock. */
			if (f->kind == SCAN_WATCHED) {
				l->change = CHANGE_TREE;
				return;
			}
		}
	}
}

static void look_free(struct look *l)
{
	if (l->have)
		index_free(&l->was);
	scan_now_free(&l->now);
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
	scan_stat_all(ws->dir, ws->root, &l->was.scan, scan_threads(l->was.scan.files_n), &l->now);
	compare(c, l);
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
	s->record = ix->facts.record;
	s->entries = index_entries(&s->index);
	s->layer_of = xmemdup(ix->layer_of, ix->offered_n);
	*ix = (struct index){ 0 };

	*out = (struct offer){ .priv = s, .entries = s->entries, .n = s->index.offered_n, .sha256 = s->index.facts.set };
	out->manifest = s->index.manifest;
	out->base = s->index.facts.base;
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

/* ---- the folder as it is now ---- */

struct refresh {
	struct context *c;
	struct look *l;
	struct scan scan;       /* with hashes, once taken in */
	uint32_t *todo;         /* files whose bytes are not known */
	size_t todo_n;
	bool *staged;           /* per file: its copy is in `layer` */
	struct layer *layer;
	struct view have;       /* the old stack with its set */
	struct entry *have_entries;
	struct view_locks held; /* its layers */
	/* the set */
	struct entry *want;
	uint32_t *want_ref;     /* as index.offered */
	size_t want_n;
	struct index_extra *extras;
	size_t extras_n;
	struct strv remarks;
};

static void *dup_rows(const void *rows, size_t n, size_t size)
{
	void *p = xreallocarray(NULL, n + 1, size);

	if (n > 0)
		memcpy(p, rows, n * size);
	return p;
}

/* The tables of the index with the stats of now; files that changed have no hash. */
static void copy_tables(struct refresh *r)
{
	const struct scan *s = &r->l->was.scan;
	struct scan *out = &r->scan;

	*out = *s;
	out->folders = dup_rows(s->folders, s->folders_n, sizeof(*s->folders));
	out->files = dup_rows(s->files, s->files_n, sizeof(*s->files));
	out->by_folder = dup_rows(s->by_folder, s->files_n, sizeof(*s->by_folder));
	out->text = (struct buf){ 0 };
	buf_add(&out->text, s->text.data, s->text.len);
	for (size_t i = 0; i < out->files_n; i++) {
		struct scan_file *f = &out->files[i];
		if (f->kind == SCAN_KEPT || index_is_same(&f->st, &r->l->now.files[i]))
			continue;
		f->st = r->l->now.files[i];
		f->sha256 = (struct digest){ 0 };
	}
}

/* Hands on the hashes of files that are known from the index to be the same. */
static void recall_hashes(struct refresh *r)
{
	const struct scan *was = &r->l->was.scan;
	struct scan *s = &r->scan;
	size_t k = 0;

	for (size_t i = 0; r->l->have && i < s->files_n; i++) {
		struct scan_file *f = &s->files[i];
		if (f->excluded || f->kind == SCAN_WATCHED || f->kind == SCAN_KEPT)
			continue;
		const char *path = scan_text(s, f->path);
		while (k < was->files_n && strcmp(scan_text(was, was->files[k].path), path) < 0)
			k++;
		for (size_t m = k; m < was->files_n && strcmp(scan_text(was, was->files[m].path), path) == 0; m++)
			if (!was->files[m].excluded && was->files[m].kind != SCAN_WATCHED && was->files[m].kind != SCAN_KEPT &&
			    index_is_same(&was->files[m].st, &f->st))
				f->sha256 = was->files[m].sha256;
	}
}

static bool is_attached_file(const struct scan_file *f)
{
	return !f->excluded && f->kind != SCAN_WATCHED;
}

/* Those that look the same, but were written so shortly before the last look that they need not be:
 * hashed where they are, and forgotten if they differ. */
static bool check_unsettled(struct refresh *r, struct err *e)
{
	struct scan *s = &r->scan;
	uint32_t *list = xreallocarray(NULL, s->files_n + 1, sizeof(*list));
	struct digest *was = xreallocarray(NULL, s->files_n + 1, sizeof(*was));
	size_t n = 0;

	for (size_t i = 0; r->l->have && i < s->files_n; i++) {
		struct scan_file *f = &s->files[i];
		if (!is_attached_file(f) || f->kind == SCAN_KEPT || digest_is_zero(&f->sha256) ||
		    index_is_settled(&f->st, r->l->was.facts.stamp_ns))
			continue;
		was[n] = f->sha256;
		list[n++] = (uint32_t)i;
	}
	bool ok = ingest_files(r->c->ws, s, list, n, NULL, e);
	for (size_t i = 0; ok && i < n; i++)
		if (!digest_equal(&s->files[list[i]].sha256, &was[i]))
			s->files[list[i]].sha256 = (struct digest){ 0 };
	free(list);
	free(was);
	return ok;
}

static void drop_vanished(struct refresh *r)
{
	for (size_t i = 0; i < r->scan.files_n; i++) {
		struct scan_file *f = &r->scan.files[i];
		if (!is_attached_file(f) || f->kind == SCAN_KEPT || f->st.inode != 0)
			continue;
		f->excluded = EXCLUDE_UNREADABLE;
		f->decides = true;
		r->scan.excluded[EXCLUDE_UNREADABLE]++;
		r->staged[i] = false;
	}
}

/* Copies what is not known into a new layer. */
static bool take_in(struct refresh *r, struct err *e)
{
	struct scan *s = &r->scan;

	r->todo = xreallocarray(NULL, s->files_n + 1, sizeof(*r->todo));
	r->staged = xcalloc(s->files_n + 1, sizeof(*r->staged));
	for (size_t i = 0; i < s->files_n; i++)
		if (is_attached_file(&s->files[i]) && digest_is_zero(&s->files[i].sha256))
			r->todo[r->todo_n++] = (uint32_t)i;
	if (r->todo_n == 0)
		return true;
	r->layer = layer_begin(r->c->ws, e);
	if (!r->layer || !ingest_files(r->c->ws, s, r->todo, r->todo_n, r->layer, e))
		return false;
	for (size_t i = 0; i < r->todo_n; i++)
		r->staged[r->todo[i]] = true;
	drop_vanished(r);
	return true;
}

/* Bytes that the record keeps have no stat; their size is asked for. */
static void size_kept(struct refresh *r)
{
	for (size_t i = 0; i < r->scan.files_n; i++) {
		struct scan_file *f = &r->scan.files[i];
		int64_t size;
		if (f->kind != SCAN_KEPT || f->excluded)
			continue;
		if (store_blob_has(r->c->st, &f->sha256, &size))
			f->st.size = (uint64_t)size;
		else
			f->excluded = EXCLUDE_UNREADABLE; /* pruned */
	}
}

/* The tables for the folder as it is now, every attached file with its hash. */
static bool refresh_scan(struct refresh *r, struct err *e)
{
	const struct context *c = r->c;

	if (r->l->have && r->l->change != CHANGE_TREE) {
		copy_tables(r);
	} else {
		if (!scan_walk(c->ws->dir, c->ws->root, &c->rules, false, &r->scan, e))
			return false;
		recall_hashes(r);
	}
	size_kept(r);
	return check_unsettled(r, e) && take_in(r, e);
}

/* ---- who is seen ---- */

static void want(struct refresh *r, struct entry en, uint32_t ref)
{
	r->want[r->want_n] = en;
	r->want_ref[r->want_n++] = ref;
}

static void want_file(struct refresh *r, size_t i)
{
	want(r, index_entry_of(&r->scan, &r->scan.files[i]), (uint32_t)i);
}

static void want_claim(struct refresh *r, const struct claim *c)
{
	struct entry en = { .path = c->path, .mode = c->mode & 0111 ? 0755 : 0644, .size = c->size, .mtime_us = c->at_us,
		            .sha256 = c->sha256, .from_attempt = c->attempt };

	want(r, en, (uint32_t)(r->scan.files_n + (size_t)(c - r->c->claims.v)));
}

static bool contest(struct refresh *r, size_t file, const struct claim *c, struct err *e)
{
	enum claim_answer answer;
	char ref[48];

	if (!claim_decide(r->c->st, c, &r->scan.files[file].sha256, &answer, e))
		return false;
	if (answer == CLAIM_EQUAL || c->mentioned) {
		want_file(r, file);
		return true;
	}
	if (!claim_ref(r->c->st, c, ref, e))
		return false;
	if (answer == CLAIM_WINS) {
		want_claim(r, c);
		strv_addf(&r->remarks, "%s: from %s, not the folder", c->path, ref);
	} else {
		want_file(r, file);
		strv_addf(&r->remarks, "%s: the folder's file, changed since %s made its own", c->path, ref);
	}
	return true;
}

/* Merges files and claims, both in order of path. */
static bool choose(struct refresh *r, struct err *e)
{
	const struct claims *claims = &r->c->claims;
	size_t i = 0, k = 0;

	r->want = xreallocarray(NULL, r->scan.files_n + claims->n + 1, sizeof(*r->want));
	r->want_ref = xreallocarray(NULL, r->scan.files_n + claims->n + 1, sizeof(*r->want_ref));
	while (i < r->scan.files_n || k < claims->n) {
		if (i < r->scan.files_n && !is_attached_file(&r->scan.files[i])) {
			i++;
			continue;
		}
		int c = i == r->scan.files_n ? 1 : k == claims->n ? -1
		                                 : strcmp(scan_text(&r->scan, r->scan.files[i].path), claims->v[k].path);
		if (c < 0)
			want_file(r, i++);
		else if (c > 0)
			want_claim(r, &claims->v[k++]);
		else if (!contest(r, i++, &claims->v[k++], e))
			return false;
	}
	return true;
}

/* A path cannot be file and folder at once. What the user attached by hand goes before the folder's
 * files, those before artifacts, a newer artifact before an older one. */
static int64_t rank(const struct refresh *r, size_t i)
{
	uint32_t ref = r->want_ref[i];

	if (ref >= r->scan.files_n)
		return r->want[i].mtime_us;
	return r->scan.files[ref].folder == SCAN_NONE ? INT64_MAX : INT64_MAX - 1;
}

static void drop(struct refresh *r, bool *gone, size_t loser, size_t winner)
{
	if (gone[loser])
		return;
	gone[loser] = true;
	strv_addf(&r->remarks, "%s: not shown, as %s is there", r->want[loser].path, r->want[winner].path);
}

static void settle_between(struct refresh *r, bool *gone, size_t i, size_t k)
{
	if (gone[i] || gone[k])
		return;
	if (rank(r, i) < rank(r, k))
		drop(r, gone, i, k);
	else
		drop(r, gone, k, i);
}

/* Of entry i against files where it needs folders, and against what lies below it. */
static void settle_one(struct refresh *r, bool *gone, size_t i)
{
	char *path = xstrdup(r->want[i].path);
	size_t n = strlen(path);

	for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		ssize_t k = view_find(r->want, r->want_n, path);
		*slash = '/';
		if (k >= 0)
			settle_between(r, gone, i, (size_t)k);
	}
	/* "a" and "a/x" need not be neighbours: "a-b" sorts between them. */
	size_t low = i + 1, high = r->want_n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const char *other = r->want[mid].path;
		int c = strncmp(other, path, n);
		if (c < 0 || (c == 0 && (unsigned char)other[n] < '/'))
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < r->want_n && strncmp(r->want[low].path, path, n) == 0 && r->want[low].path[n] == '/'; low++)
		settle_between(r, gone, i, low);
	free(path);
}

static void settle_conflicts(struct refresh *r)
{
	bool *gone = xcalloc(r->want_n + 1, sizeof(*gone));
	size_t kept = 0;

	for (size_t i = 0; i < r->want_n; i++)
		if (rank(r, i) != INT64_MAX - 1) /* files of the folder cannot be in each other's way */
			settle_one(r, gone, i);
	for (size_t i = 0; i < r->want_n; i++) {
		if (gone[i])
			continue;
		r->want[kept] = r->want[i];
		r->want_ref[kept++] = r->want_ref[i];
	}
	r->want_n = kept;
	free(gone);
}

static void remark_on_scan(struct refresh *r)
{
	const struct scan *s = &r->scan;

	if (s->excluded[EXCLUDE_TOO_MANY] > 0)
		strv_addf(&r->remarks, "%lld files over the limit of %lld are not attached; tickmark config attached-files raises it",
		          (long long)s->excluded[EXCLUDE_TOO_MANY], (long long)r->c->rules.max_files);
	for (size_t i = 0; i < s->files_n; i++) {
		const struct scan_file *f = &s->files[i];
		if (f->folder == SCAN_NONE && f->excluded && f->kind != SCAN_WATCHED)
			strv_addf(&r->remarks, "%s: attached, but %s cannot be read", scan_text(s, f->path),
			          f->source ? scan_text(s, f->source) : "it");
	}
}

/* ---- the layers ---- */

static bool write_bytes(void *ctx, size_t i, int fd, struct err *e)
{
	struct refresh *r = ctx;
	const struct entry *f = &r->want[i];
	uint32_t ref = r->want_ref[i];

	if (ref >= r->scan.files_n || r->scan.files[ref].kind == SCAN_KEPT)
		return store_blob_write(r->c->st, &f->sha256, fd, f->path, e);
	if (ingest_matching(r->c->ws, &r->scan, &r->scan.files[ref], &f->sha256, fd))
		return true;
	return err_set(e, ERR_BUSY, "%s changed while it was being copied; run again", f->path);
}

/* Which wanted files are in the new layer, and out of it with those that nobody wants. */
static bool *match_staged(struct refresh *r, struct err *e)
{
	bool *staged = xcalloc(r->want_n + 1, sizeof(*staged));

	for (size_t i = 0; i < r->want_n; i++) {
		uint32_t ref = r->want_ref[i];
		if (ref < r->scan.files_n && r->staged[ref]) {
			staged[i] = true;
			r->staged[ref] = false;
		}
	}
	for (size_t i = 0; i < r->todo_n; i++) {
		if (!r->staged[r->todo[i]])
			continue;
		if (!layer_unlink(r->layer, scan_text(&r->scan, r->scan.files[r->todo[i]].path), e)) {
			free(staged);
			return NULL;
		}
		layer_count(r->layer, -(int64_t)r->scan.files[r->todo[i]].st.size);
	}
	return staged;
}

/* The old stack, unless it cannot be trusted. */
static void recall_view(struct refresh *r)
{
	struct index *ix = &r->l->was;

	if (!r->l->have || memcmp(&ix->facts.record, &r->c->facts.record, sizeof(ix->facts.record)) != 0)
		return;
	r->have_entries = index_entries(ix);
	r->have = (struct view){ .stack = ix->facts.stack, .entries = r->have_entries, .layer_of = ix->layer_of,
		                 .n = ix->offered_n };
	/* A machine that went down may have lost what was not on the disk yet. */
	bool same_boot = strcmp(ix->facts.boot_id, r->c->facts.boot_id) == 0;
	if (!view_hold(r->c->ws, &r->have.stack, &r->held) || (!same_boot && !view_is_whole(r->c->ws, &r->have)))
		r->have = (struct view){ 0 };
}

static void fill_extras(struct refresh *r)
{
	r->extras = xcalloc(r->want_n + 1, sizeof(*r->extras));
	for (size_t i = 0; i < r->want_n; i++) {
		if (r->want_ref[i] < r->scan.files_n)
			continue;
		const struct entry *f = &r->want[i];
		r->want_ref[i] = (uint32_t)(r->scan.files_n + r->extras_n);
		r->extras[r->extras_n++] = (struct index_extra){ .sha256 = f->sha256, .size = f->size, .mtime_us = f->mtime_us,
			                                         .from_attempt = f->from_attempt, .mode = f->mode,
			                                         .path = (uint32_t)r->scan.text.len };
		buf_add(&r->scan.text, f->path, strlen(f->path) + 1);
	}
}

static bool save(struct refresh *r, const struct build *b, struct err *e)
{
	struct index_facts *facts = &r->c->facts;
	const struct index *was = &r->l->was;

	facts->set = store_manifest_hash(r->want, r->want_n);
	facts->stamp_ns = r->l->stamp_ns;
	facts->stack = b->stack;
	if (r->l->have && memcmp(&was->facts.record, &facts->record, sizeof(facts->record)) == 0)
		facts->base = was->manifest ? was->manifest : was->facts.base;
	fill_extras(r);
	return index_save(r->c->ws, &(struct index_parts){ .facts = facts, .scan = &r->scan, .offered = r->want_ref,
	                                                   .layer_of = b->layer_of, .offered_n = r->want_n,
	                                                   .extras = r->extras, .extras_n = r->extras_n,
	                                                   .remarks = &r->remarks }, e);
}

static bool rebuild(struct refresh *r, struct err *e)
{
	if (!refresh_scan(r, e) || !choose(r, e))
		return false;
	settle_conflicts(r);
	remark_on_scan(r);
	recall_view(r);
	bool *staged = match_staged(r, e);
	if (!staged)
		return false;

	struct build b = { .ws = r->c->ws, .have = &r->have, .want = r->want, .want_n = r->want_n, .staged = staged,
		           .layer = r->layer, .bytes = write_bytes, .ctx = r };
	bool ok = build_stack(&b, e) && save(r, &b, e);
	free(b.layer_of);
	free(staged);
	return ok;
}

static void refresh_free(struct refresh *r)
{
	view_release(&r->held);
	layer_free(r->layer);
	scan_free(&r->scan);
	free(r->todo);
	free(r->staged);
	free(r->have_entries);
	free(r->want);
	free(r->want_ref);
	free(r->extras);
	strv_free(&r->remarks);
}

/* Under the lock. The id of the stored set is found here, so that an equal set is never stored twice. */
static bool refresh(struct context *c, struct look *l, struct offer *out, struct err *e)
{
	struct refresh r = { .c = c, .l = l };
	struct index ix;
	bool ok = rebuild(&r, e);

	if (ok && !index_load(c->ws, &ix))
		ok = err_set(e, ERR_CORRUPT, "cannot read back %s/.tickmark/cache/index; is the disk sound?", c->ws->root);
	if (ok) {
		if (ix.manifest == 0)
			store_manifest_find(c->st, &ix.facts.set, &ix.manifest);
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
