/*
 * The set that a recorded attempt saw. Its bytes are looked for in the layers, in the record, and in
 * the folder where a file still has the recorded hash; what cannot be had is stood for by an empty file
 * of its size. Which layers show a set is noted in cache/set, under the hash of the set.
 */
#include "offer_private.h"

#include "attachments.h"
#include "build.h"
#include "ingest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SETS "cache/set"
#define SETS_MOST 64 /* notes that are kept */

struct recall {
	struct workspace *ws;
	struct store *st;
	struct attachments attachments;
	const struct manifest *set;
	bool *absent;
	size_t absent_n;
};

/* ---- notes about sets ---- */

static char *note_name(const struct digest *set)
{
	char hex[DIGEST_HEX];

	digest_hex(set, hex);
	return xasprintf(SETS "/%s", hex);
}

/* Layers are believed in the boot that made them and in the place where they were made. Owned. */
static char *note_head(const struct index_facts *whose)
{
	return xasprintf("%s %llu %llu", clock_boot_id(), (unsigned long long)whose->home_device,
	                 (unsigned long long)whose->home_inode);
}

/* "HEAD\nID BYTES\n…", topmost first. */
static bool parse_note(char *text, const struct index_facts *whose, struct view_stack *out)
{
	const char *line_one = strsep(&text, "\n");
	char *head = note_head(whose);
	bool ours = line_one && strcmp(line_one, head) == 0;

	free(head);
	out->n = 0;
	if (!ours)
		return false;
	for (char *line; text && (line = strsep(&text, "\n")) && *line;) {
		if (out->n == VIEW_STACK_MAX || strlen(line) < VIEW_ID || line[VIEW_ID - 1] != ' ' ||
		    strspn(line, "0123456789abcdef") != VIEW_ID - 1)
			return false;
		memcpy(out->ids[out->n], line, VIEW_ID - 1);
		out->ids[out->n][VIEW_ID - 1] = '\0';
		out->bytes[out->n++] = strtoll(line + VIEW_ID, NULL, 10);
	}
	return true;
}

static bool read_note(struct workspace *ws, const struct index_facts *whose, const struct digest *set,
                      struct view_stack *out)
{
	struct buf b = { 0 };
	char *name = note_name(set);
	bool ok = fs_read(ws->home, name, 8192, &b, NULL) && b.len > 0 && parse_note(b.data, whose, out);

	buf_free(&b);
	free(name);
	return ok;
}

static void write_note(struct workspace *ws, const struct index_facts *whose, const struct digest *set,
                       const struct view_stack *stack)
{
	int dir = workspace_open_dir(ws, SETS, NULL);
	char *name = note_name(set), *head = note_head(whose);
	struct buf b = { 0 };

	buf_addf(&b, "%s\n", head);
	for (size_t i = 0; i < stack->n; i++)
		buf_addf(&b, "%s %lld\n", stack->ids[i], (long long)stack->bytes[i]);
	if (dir >= 0) {
		fs_write(ws->home, name, b.data, b.len, false, NULL);
		close(dir);
	}
	buf_free(&b);
	free(head);
	free(name);
}

/* A note is small and worth little: when there are many, all go. */
static void sweep_notes(struct workspace *ws)
{
	int dir = workspace_open_dir(ws, SETS, NULL);
	DIR *d = dir >= 0 ? fdopendir(dir) : NULL;
	size_t n = 0;

	if (!d) {
		if (dir >= 0)
			close(dir);
		return;
	}
	while (readdir(d))
		n++;
	rewinddir(d);
	for (struct dirent *en; n > SETS_MOST && (en = readdir(d));)
		if (en->d_name[0] != '.')
			unlinkat(dirfd(d), en->d_name, 0);
	closedir(d);
}

/* ---- bytes ---- */

static bool rewind_empty(int fd, const char *path, struct err *e)
{
	return (lseek(fd, 0, SEEK_SET) == 0 && ftruncate(fd, 0) == 0) || err_sys(e, "cannot rewind a copy of %s", path);
}

/* Copies what is open at `in` if it is the content that is meant. */
static bool copy_if_same(int in, int out, const struct entry *f)
{
	struct digest got;
	struct stat st;
	bool ok = fstat(in, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == f->size && fs_copy(in, out, f->path, NULL) &&
	          lseek(out, 0, SEEK_SET) == 0 && hash_fd(out, f->path, &got, NULL, NULL) && digest_equal(&got, &f->sha256);

	close(in);
	return ok;
}

static bool copy_from_folder(const struct recall *r, const struct entry *f, int out)
{
	const struct attachment *a = attachments_find(&r->attachments, f->path);
	int in = scan_open_path(r->ws->dir, r->ws->root, f->path);

	if (in >= 0 && copy_if_same(in, out, f))
		return true;
	if (!a || !a->source || !rewind_empty(out, f->path, NULL))
		return false;
	in = open(a->source, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return in >= 0 && copy_if_same(in, out, f);
}

static bool recall_bytes(void *ctx, size_t i, int fd, struct err *e)
{
	struct recall *r = ctx;
	const struct entry *f = &r->set->entries[i];
	struct err fault = { 0 };

	if (store_blob_has(r->st, &f->sha256, NULL)) {
		if (store_blob_write(r->st, &f->sha256, fd, f->path, &fault))
			return true;
		if (fault.code != ERR_NOTFOUND) {
			if (e)
				*e = fault;
			return false;
		}
	}
	if (!rewind_empty(fd, f->path, e))
		return false;
	if (copy_from_folder(r, f, fd)) /* saved there, if an attempt made it */
		return true;
	if (!rewind_empty(fd, f->path, e))
		return false;
	r->absent[i] = true;
	r->absent_n++;
	return ftruncate(fd, f->size) == 0 || err_sys(e, "cannot make a placeholder for %s", f->path);
}

/* ---- the stack ---- */

/* The stack of the last run, if it can be trusted: holds it, as `have`. */
static bool hold_index(struct workspace *ws, const struct index_facts *whose, struct index *ix, struct view_locks *locks)
{
	if (!index_load(ws, ix))
		return false;
	if (index_is_of(ix, whose) && strcmp(ix->facts.boot_id, clock_boot_id()) == 0 &&
	    view_hold(ws, &ix->facts.stack, locks))
		return true;
	index_free(ix);
	return false;
}

static bool build_set(struct offer_state *s, const struct index_facts *whose, const struct index *ix, bool *absent, bool *all, struct err *e)
{
	struct recall r = { .ws = s->ws, .st = s->ws->store, .set = &s->manifest, .absent = absent };
	struct view have = { 0 };
	struct entry *entries = ix ? index_entries(ix) : NULL;

	if (ix)
		have = (struct view){ .stack = ix->facts.stack, .entries = entries, .layer_of = ix->layer_of, .n = ix->offered_n };
	struct build b = { .ws = s->ws, .have = &have, .want = s->manifest.entries, .want_n = s->manifest.n,
		           .bytes = recall_bytes, .ctx = &r };
	bool ok = attachments_load(r.st, &r.attachments, e) && build_stack(&b, e);
	if (ok) {
		s->stack = b.stack;
		s->layer_of = b.layer_of;
		*all = r.absent_n == 0;
		if (*all && b.stack.n > 0)
			write_note(s->ws, whose, &s->manifest.sha256, &b.stack);
	}
	attachments_free(&r.attachments);
	free(entries);
	return ok;
}

/* Under the lock: finds or makes the layers and holds them. */
static bool find_layers(struct offer_state *s, const struct index_facts *whose, bool *absent, bool *all, struct err *e)
{
	struct view_locks held = { .n = 0 };
	struct index ix;
	bool have = hold_index(s->ws, whose, &ix, &held), ok = true;

	*all = true;
	if (have && digest_equal(&ix.facts.set, &s->manifest.sha256)) {
		s->stack = ix.facts.stack;
		s->layer_of = xmemdup(ix.layer_of, ix.offered_n);
		s->locks = held;
		index_free(&ix);
		return true;
	}
	if (!read_note(s->ws, whose, &s->manifest.sha256, &s->stack) || !view_hold(s->ws, &s->stack, &s->locks)) {
		ok = build_set(s, whose, have ? &ix : NULL, absent, all, e);
		if (ok && !view_hold(s->ws, &s->stack, &s->locks))
			ok = err_set(e, ERR_NOTFOUND, "the cache %s/.tickmark/cache was removed meanwhile; run again", s->ws->root);
		view_evict(s->ws, have ? &ix.facts.stack : NULL, offer_cache_budget(s->manifest.entries, s->manifest.n));
		sweep_notes(s->ws);
		layer_sweep(s->ws);
	}
	if (have) {
		view_release(&held);
		index_free(&ix);
	}
	return ok;
}

bool offer_recorded(struct workspace *ws, int64_t manifest, struct offer *out, struct err *e)
{
	struct offer_state *s = xcalloc(1, sizeof(*s));
	struct index_facts whose = { .home_inode = 0 };
	bool *absent = NULL, all = true;
	int lock = -1;

	*out = (struct offer){ .priv = s };
	s->ws = ws;
	bool ok = workspace_store(ws, e) && index_identify(ws, &whose, e) &&
	          store_manifest_get(ws->store, manifest, &s->manifest, e) && (lock = index_lock(ws, e)) >= 0;
	if (ok) {
		absent = xcalloc(s->manifest.n + 1, sizeof(*absent));
		ok = find_layers(s, &whose, absent, &all, e);
	}
	if (lock >= 0)
		close(lock);
	if (!ok) {
		free(absent);
		offer_free(out);
		return false;
	}
	out->entries = s->manifest.entries;
	out->n = s->manifest.n;
	out->sha256 = s->manifest.sha256;
	if (all)
		free(absent);
	else
		out->absent = absent;
	offer_show(out);
	return true;
}
