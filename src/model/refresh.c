/*
 * The folder and the layers brought up to date: look again where something changed, take in the bytes
 * that are not known, build what shows the set, write the index.
 */
#include "refresh.h"

#include "build.h"
#include "ingest.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the folder as it is now ---- */

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
	for (size_t i = 0; i < r->l->diffs.files_n; i++) {
		const struct scan_diff *d = &r->l->diffs.files[i];
		if (scan_is_same(&out->files[d->row].st, &d->st))
			continue;
		out->files[d->row].st = d->st;
		out->files[d->row].sha256 = (struct digest){ 0 };
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
			    scan_is_same(&was->files[m].st, &f->st))
				f->sha256 = was->files[m].sha256;
	}
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
		if (!refresh_is_attached(f) || f->kind == SCAN_KEPT || digest_is_zero(&f->sha256) ||
		    scan_is_settled(&f->st, r->l->was.facts.stamp_ns))
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
		if (!refresh_is_attached(f) || f->kind == SCAN_KEPT || f->st.inode != 0)
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
		if (refresh_is_attached(&s->files[i]) && digest_is_zero(&s->files[i].sha256))
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

static void add_remarks(struct refresh *r)
{
	const struct scan *s = &r->scan;
	const struct strv *claims = &r->c->claims.remarks;

	for (size_t i = 0; i < claims->n; i++)
		strv_add(&r->remarks, claims->v[i]);
	if (s->excluded[EXCLUDE_TOO_MANY] > 0)
		strv_addf(&r->remarks, "not attached: %lld over the limit of %lld files; tickmark config attached-files raises it",
		          (long long)s->excluded[EXCLUDE_TOO_MANY], (long long)r->c->rules.max_files);
	for (size_t i = 0; i < s->files_n; i++) {
		const struct scan_file *f = &s->files[i];
		if (f->folder == SCAN_NONE && f->excluded && f->kind != SCAN_WATCHED)
			strv_addf(&r->remarks, "%s: attached, but %s cannot be read", scan_text(s, f->path),
			          f->source ? scan_text(s, f->source) : "it");
	}
}

/* ---- the layers ---- */

/* Bytes that the record keeps. Where they are damaged every run would fail of them, unless they are taken out. */
static bool write_kept(struct refresh *r, const struct entry *f, uint32_t ref, int fd, struct err *e)
{
	struct err why = { 0 };
	char of[48];

	if (store_blob_write(r->c->st, &f->sha256, fd, f->path, &why))
		return true;
	if (why.code == ERR_NOTFOUND)
		return err_set(e, ERR_BUSY, "%s: its bytes were pruned just now; run again", f->path);
	if (why.code != ERR_CORRUPT)
		return err_set(e, why.code, "%s", why.msg);
	if (ref < r->scan.files_n)
		return err_set(e, why.code, "%s; tickmark attach remove %s takes it out", why.msg, f->path);
	if (!claim_ref(r->c->st, &r->c->claims.v[ref - r->scan.files_n], of, NULL))
		snprintf(of, sizeof(of), "the attempt");
	return err_set(e, why.code, "%s; %s made it: tickmark mark %s rejected takes it out", why.msg, of, of);
}

static bool write_bytes(void *ctx, size_t i, int fd, struct err *e)
{
	struct refresh *r = ctx;
	const struct entry *f = &r->want[i];
	uint32_t ref = r->want_ref[i];

	if (ref >= r->scan.files_n || r->scan.files[ref].kind == SCAN_KEPT)
		return write_kept(r, f, ref, fd, e);
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

	if (!r->l->have || !index_is_of(ix, &r->c->facts))
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
	if (r->l->have && index_is_of(was, facts))
		facts->before = digest_equal(&was->facts.set, &facts->set) ? was->facts.before : was->facts.set;
	fill_extras(r);
	return index_save(r->c->ws, &(struct index_parts){ .facts = facts, .scan = &r->scan, .offered = r->want_ref,
	                                                   .layer_of = b->layer_of, .offered_n = r->want_n,
	                                                   .extras = r->extras, .extras_n = r->extras_n,
	                                                   .remarks = &r->remarks }, e);
}

bool refresh_run(struct refresh *r, struct err *e)
{
	if (!refresh_scan(r, e) || !contest_choose(r, e))
		return false;
	add_remarks(r);
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

void refresh_free(struct refresh *r)
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
