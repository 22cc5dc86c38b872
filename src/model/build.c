/*
 * Layers for a set. The costs decide: a changed file costs a copy, a kept one nothing as long as its
 * layer stays in the stack, a link when it has to move. More layers make every look-up slower, so
 * that now and then all above the lowest are folded into one.
 */
#include "build.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef BUILD_SLACK
#define BUILD_SLACK (INT64_C(256) << 20) /* hidden bytes that are tolerated on top of twice the set */
#endif

enum way { WAY_KEEP, WAY_ADD, WAY_FOLD, WAY_FRESH };

struct plan {
	struct build *b;
	ssize_t *was;            /* per want: its place in have, -1 */
	bool *same;              /* per want: unchanged in have */
	size_t changed, removed; /* files */
	struct view_folder *folders;
	size_t folders_n;
	int dirs[VIEW_STACK_MAX]; /* of have's layers */
	bool made;               /* the layer was begun here */
};

/* ---- comparing ---- */

static bool is_same(const struct entry *a, const struct entry *b)
{
	return a->size == b->size && a->mtime_us == b->mtime_us && a->mode == b->mode && digest_equal(&a->sha256, &b->sha256);
}

static void compare(struct plan *p)
{
	const struct build *b = p->b;
	const struct view *have = b->have;
	size_t k = 0;

	for (size_t i = 0; i < b->want_n; i++) {
		int c = 1;
		while (k < have->n && (c = strcmp(have->entries[k].path, b->want[i].path)) < 0) {
			p->removed++;
			k++;
		}
		p->was[i] = k < have->n && c == 0 ? (ssize_t)k++ : -1;
		p->same[i] = p->was[i] >= 0 && is_same(&have->entries[p->was[i]], &b->want[i]);
		p->changed += !p->same[i];
	}
	p->removed += have->n - k;
}

static enum way choose(const struct plan *p)
{
	const struct build *b = p->b;
	const struct view_stack *s = &b->have->stack;
	int64_t held = 0, wanted = 0;

	if (p->changed == 0 && p->removed == 0)
		return WAY_KEEP;
	for (size_t i = 0; i < s->n; i++)
		held += s->bytes[i];
	for (size_t i = 0; i < b->want_n; i++)
		wanted += b->want[i].size;
	if (s->n == 0 || p->changed + p->removed > b->want_n / 2 + 16 || held > 2 * wanted + BUILD_SLACK)
		return WAY_FRESH;
	return s->n < VIEW_LAYERS ? WAY_ADD : WAY_FOLD;
}

/* ---- files ---- */

static bool open_dirs(struct plan *p)
{
	const struct view_stack *s = &p->b->have->stack;
	bool ok = true;

	for (size_t i = 0; i < s->n; i++) {
		char *path = xasprintf("cache/layer/%s", s->ids[i]);
		p->dirs[i] = openat(p->b->ws->home, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		ok = ok && p->dirs[i] >= 0;
		free(path);
	}
	return ok;
}

static void close_dirs(struct plan *p)
{
	for (size_t i = 0; i < p->b->have->stack.n; i++)
		if (p->dirs[i] >= 0)
			close(p->dirs[i]);
}

/* From a layer that has the same bytes under that path; false when there is none, or it is gone. */
static bool copy_from_layer(const struct plan *p, size_t i, int out)
{
	const struct view *have = p->b->have;
	ssize_t at = p->was[i];
	struct stat st;

	if (at < 0 || !digest_equal(&have->entries[at].sha256, &p->b->want[i].sha256) ||
	    have->entries[at].size != p->b->want[i].size)
		return false;
	int dir = p->dirs[have->layer_of[at]];
	int in = dir >= 0 ? openat(dir, p->b->want[i].path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
	if (in < 0)
		return false;
	bool ok = fstat(in, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == p->b->want[i].size &&
	          fs_copy(in, out, p->b->want[i].path, NULL);
	close(in);
	return ok;
}

static bool fill(struct plan *p, size_t i, struct err *e)
{
	const struct entry *f = &p->b->want[i];
	struct layer *l = p->b->layer;
	bool ok = true;

	if (!layer_make_folders(l, f->path, e))
		return false;
	if (p->same[i] && layer_link(l, p->dirs[p->b->have->layer_of[p->was[i]]], f->path)) {
		layer_count(l, f->size);
		return true;
	}
	int fd = layer_create(l, f->path, e);
	if (fd < 0)
		return false;
	if (!copy_from_layer(p, i, fd))
		ok = lseek(fd, 0, SEEK_SET) == 0 && ftruncate(fd, 0) == 0 ? p->b->bytes(p->b->ctx, i, fd, e)
		                                                           : err_sys(e, "cannot rewind a copy of %s", f->path);
	ok = ok && layer_finish_file(l, fd, f->path, f->mode, f->mtime_us, e);
	close(fd);
	layer_count(l, f->size);
	return ok || layer_explain(e);
}

/* ---- hiding ---- */

/* Hides what was at `path` below and is wanted no more: at the first part of it that the set knows
 * neither as folder nor as file, once for all that lies below. False: no whiteouts here. */
static bool hide(const struct plan *p, const char *path, struct buf *last)
{
	const struct build *b = p->b;

	if (last->len > 0 && strncmp(path, last->data, last->len) == 0 && path[last->len] == '/')
		return true;
	for (const char *end = path; end; ) {
		end = strchr(end + (end != path), '/');
		size_t n = end ? (size_t)(end - path) : strlen(path);
		if (view_find_folder(p->folders, p->folders_n, path, n))
			continue;
		buf_clear(last);
		buf_add(last, path, n);
		/* A file there hides a folder by itself. */
		if (view_find(b->want, b->want_n, last->data) >= 0)
			return true;
		return layer_make_folders(b->layer, last->data, NULL) && layer_whiteout(b->layer, last->data);
	}
	return true; /* a folder is there now: so does that */
}

/* Where a run's folder is copied together instead of mounted, a whiteout means nothing. */
static bool can_hide(const struct plan *p)
{
	const struct sandbox_caps *caps;

	return !workspace_caps(p->b->ws, &caps, NULL) || caps->scratch != SCRATCH_COPY;
}

static bool hide_removed(const struct plan *p)
{
	const struct view *have = p->b->have;
	struct buf last = { 0 };
	bool ok = p->removed == 0 || can_hide(p);
	size_t i = 0;

	for (size_t k = 0; ok && k < have->n; k++) {
		int c = 1;
		while (i < p->b->want_n && (c = strcmp(p->b->want[i].path, have->entries[k].path)) < 0)
			i++;
		if (i == p->b->want_n || c != 0)
			ok = hide(p, have->entries[k].path, &last);
	}
	buf_free(&last);
	return ok;
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Paths of the files in a layer, sorted. */
static bool list_files(int dir, const char *path, struct strv *out)
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct strv below = { 0 };
	bool ok = d != NULL;

	if (!d && fd >= 0)
		close(fd);
	for (struct dirent *en; d && (en = readdir(d));) {
		struct stat st;
		if (strcmp(en->d_name, ".") == 0 || strcmp(en->d_name, "..") == 0)
			continue;
		char *whole = strcmp(path, ".") == 0 ? xstrdup(en->d_name) : path_join(path, en->d_name);
		unsigned char type = en->d_type;
		if (type == DT_UNKNOWN && fstatat(dir, whole, &st, AT_SYMLINK_NOFOLLOW) == 0)
			type = (unsigned char)IFTODT(st.st_mode);
		strv_take(type == DT_DIR ? &below : out, whole);
	}
	if (d)
		closedir(d);
	/* As deep as paths of attached files can be: PATH_MAX / 2. */
	for (size_t i = 0; ok && i < below.n; i++)
		ok = list_files(dir, below.v[i], out);
	strv_free(&below);
	return ok;
}

/* What the lowest layer has and the set has not: it was hidden by the layers that are folded. */
static bool hide_of_base(const struct plan *p)
{
	struct strv paths = { 0 };
	struct buf last = { 0 };
	bool ok = can_hide(p) && list_files(p->dirs[p->b->have->stack.n - 1], ".", &paths);

	if (paths.n > 1)
		qsort(paths.v, paths.n, sizeof(*paths.v), compare_strings);
	for (size_t i = 0; ok && i < paths.n; i++)
		if (view_find(p->b->want, p->b->want_n, paths.v[i]) < 0)
			ok = hide(p, paths.v[i], &last);
	strv_free(&paths);
	buf_free(&last);
	return ok;
}

/* ---- the ways ---- */

static bool begin(struct plan *p, struct err *e)
{
	if (p->b->layer)
		return true;
	p->b->layer = layer_begin(p->b->ws, e);
	p->made = p->b->layer != NULL;
	return p->made;
}

static bool is_staged(const struct plan *p, size_t i)
{
	return p->b->staged && p->b->staged[i];
}

/* Which wanted files go into the new layer. */
static bool goes_in(const struct plan *p, enum way way, size_t i)
{
	size_t base = p->b->have->stack.n - 1;

	if (is_staged(p, i))
		return false;
	if (!p->same[i] || way == WAY_FRESH)
		return true;
	return way == WAY_FOLD && p->b->have->layer_of[p->was[i]] != base;
}

static bool fill_layer(struct plan *p, enum way way, struct err *e)
{
	for (size_t i = 0; i < p->b->want_n; i++)
		if (goes_in(p, way, i) && !fill(p, i, e))
			return false;
	return true;
}

/* The new layer on top of those of `have` from `first` on. */
static bool publish(struct plan *p, size_t first, struct err *e)
{
	struct build *b = p->b;
	const struct view_stack *s = &b->have->stack;

	b->stack = (struct view_stack){ .n = 1 };
	if (!layer_publish(b->layer, p->folders, p->folders_n, &b->stack.bytes[0], e))
		return false;
	memcpy(b->stack.ids[0], layer_id(b->layer), VIEW_ID);
	for (size_t i = first; i < s->n; i++) {
		memcpy(b->stack.ids[b->stack.n], s->ids[i], VIEW_ID);
		b->stack.bytes[b->stack.n++] = s->bytes[i];
	}
	for (size_t i = 0; i < b->want_n; i++) {
		size_t layer = p->same[i] && !is_staged(p, i) ? b->have->layer_of[p->was[i]] : 0;
		bool kept = p->same[i] && !is_staged(p, i) && layer >= first;
		b->layer_of[i] = (uint8_t)(kept ? layer - first + 1 : 0);
	}
	return true;
}

static bool keep(struct plan *p)
{
	struct build *b = p->b;

	b->stack = b->have->stack;
	for (size_t i = 0; i < b->want_n; i++)
		b->layer_of[i] = b->have->layer_of[p->was[i]];
	return true;
}

/* False without a message when it turns out that it cannot be gone here. */
static bool go(struct plan *p, enum way way, bool *possible, struct err *e)
{
	const struct view_stack *s = &p->b->have->stack;

	*possible = true;
	if (!begin(p, e) || !fill_layer(p, way, e))
		return false;
	if ((way == WAY_ADD && !hide_removed(p)) || (way == WAY_FOLD && !hide_of_base(p)))
		return *possible = false;
	return publish(p, way == WAY_ADD ? 0 : way == WAY_FOLD ? s->n - 1 : s->n, e);
}

/* A file that was copied in again, but is what the layers have already. */
static bool unstage_same(struct plan *p, struct err *e)
{
	for (size_t i = 0; i < p->b->want_n; i++) {
		if (!is_staged(p, i) || !p->same[i])
			continue;
		if (!layer_unlink(p->b->layer, p->b->want[i].path, e))
			return false;
		layer_count(p->b->layer, -p->b->want[i].size);
		p->b->staged[i] = false;
	}
	return true;
}

static bool build(struct plan *p, struct err *e)
{
	struct build *b = p->b;
	enum way way = choose(p);
	bool possible = true;

	if (way == WAY_KEEP)
		return keep(p);
	if (way != WAY_FRESH && !unstage_same(p, e))
		return false;
	if (b->want_n == 0) {
		b->stack = (struct view_stack){ 0 };
		return true;
	}
	if (go(p, way, &possible, e))
		return true;
	if (possible || way == WAY_FRESH)
		return false;
	/* Without whiteouts only a layer for all will do. What was filled so far is in it already. */
	for (size_t i = 0; i < b->want_n; i++)
		if (goes_in(p, WAY_FRESH, i) && !goes_in(p, way, i) && !fill(p, i, e))
			return false;
	return publish(p, b->have->stack.n, e);
}

bool build_stack(struct build *b, struct err *e)
{
	static const struct view nothing;
	struct plan p = { .b = b };

	p.was = xreallocarray(NULL, b->want_n + 1, sizeof(*p.was));
	p.same = xreallocarray(NULL, b->want_n + 1, sizeof(*p.same));
	b->layer_of = xreallocarray(NULL, b->want_n + 1, 1);
	for (size_t i = 0; i < VIEW_STACK_MAX; i++)
		p.dirs[i] = -1;
	/* The cache may be gone at any time, in part too. */
	if (!open_dirs(&p)) {
		close_dirs(&p);
		b->have = &nothing;
	}
	compare(&p);
	p.folders = view_folders(b->want, b->want_n, &p.folders_n);

	bool ok = build(&p, e);
	close_dirs(&p);
	if (p.made) {
		layer_free(b->layer);
		b->layer = NULL;
	}
	if (!ok) {
		free(b->layer_of);
		b->layer_of = NULL;
	}
	free(p.folders);
	free(p.was);
	free(p.same);
	return ok;
}
