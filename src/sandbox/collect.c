/*
 * What a run left behind. Every process of it is dead, so nothing changes under the walk; names,
 * modes and kinds are still hostile: everything goes relative to held descriptors, nothing is
 * followed, only regular files are opened, and the walk goes up by ".." so that depth costs no
 * descriptors.
 *
 * The folder's changes are the overlay's upper layer. There, a character device 0:0 is a removed
 * name (whiteout), and a folder marked opaque hides what lay below it - which the overlay also
 * writes on folders that are merely new, so only the layers tell a removed folder from that.
 * https://docs.kernel.org/filesystems/overlayfs.html
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "impl.h"

#define WALK_DEPTH_MAX 100000 /* of folders looked into, whatever is kept */

struct level {
	struct strv names; /* sorted; folders with a final slash */
	size_t next;
	size_t path_len;   /* of the folder itself in walk.path, with its slash */
};

struct place {
	const char *prefix;   /* "", "~/", "/tmp/" */
	bool overlay;         /* whiteouts and opaque folders mean something */
	bool box;             /* paths are those of the folder */
};

struct walk {
	int64_t holes;   /* bytes of what was given that take no room in the scratch */
	struct sandbox *sb;
	const struct place *place;
	sandbox_left_fn fn;
	void *ctx;
	struct sandbox_collected *out;
	struct err *e;
	int dir;              /* the folder being walked */
	struct buf path;      /* of the entry, relative to the place */
	struct level *levels;
	size_t depth, cap;
	int *layers;          /* descriptors of the layers, topmost first */
	struct links links;   /* files met with more than one */
};

/* ---- giving -------------------------------------------------------------------------------------- */

/* For a limit, or NULL where it could not be read. */
static void leave_out(struct walk *w, const struct limit_info *limit, int64_t reached)
{
	static const char more[] = "\u2026";

	if (w->out->left_out++ > 0)
		return;
	char *to = w->out->first_left_out;
	size_t size = sizeof w->out->first_left_out;
	if (snprintf(to, size, "%s%s", w->place->prefix, w->path.data) >= (int)size)
		memcpy(to + size - sizeof more, more, sizeof more);
	w->out->limit = limit;
	w->out->limit_reached = reached;
}

static bool give(struct walk *w, struct sandbox_left *left)
{
	char *path = xasprintf("%s%s", w->place->prefix, w->path.data);

	left->path = path;
	bool ok = w->fn(w->ctx, left, w->e);
	free(path);
	return ok;
}

static bool give_other(struct walk *w, const struct stat *st, const char *note)
{
	const struct limits *l = &w->sb->policy.limits;

	/* They cost the run next to nothing and have bytes only in their names: as many as files. */
	if (l->artifact_files > 0 && w->out->noted >= l->artifact_files) {
		leave_out(w, LIMIT_OF(artifact_files), w->out->noted + 1);
		return true;
	}
	w->out->noted++;
	return give(w, &(struct sandbox_left){ .kind = LEFT_OTHER, .fd = -1, .size = -1, .note = note,
	                                       .mtime_us = (int64_t)st->st_mtim.tv_sec * 1000000 + st->st_mtim.tv_nsec / 1000 });
}

static bool give_deleted(struct walk *w)
{
	return give(w, &(struct sandbox_left){ .kind = LEFT_DELETED, .fd = -1, .size = -1 });
}

/* ---- what was there before -------------------------------------------------------------------------- */

/* Kind of the topmost layer's entry at the path: S_IFDIR, S_IFREG …; 0: none. */
static mode_t offered_kind(const struct walk *w, const char *path)
{
	struct stat st;

	for (size_t i = 0; i < w->sb->layers.n; i++) {
		if (w->layers[i] < 0)
			continue;
		if (fstatat(w->layers[i], path, &st, AT_SYMLINK_NOFOLLOW) == 0)
			return st.st_mode & S_IFMT;
		if (errno == ENOTDIR)
			return 0; /* a file in place of a folder hides all deeper layers */
	}
	return 0;
}

static bool is_opaque(const struct walk *w, const char *name)
{
	/* As root, and without user attributes, the overlay keeps its marks in trusted ones. */
	bool trusted = w->sb->tier->tier == TIER_A_ROOT && w->sb->policy.scratch == SCRATCH_TMPFS;
	char value[4];
	int fd = openat(w->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return false;
	ssize_t n = fgetxattr(fd, trusted ? "trusted.overlay.opaque" : "user.overlay.opaque", value, sizeof value);
	close(fd);
	return n == 1 && value[0] == 'y';
}

/* Says that the folder or file that was offered at the path is gone, before what took its place. */
static bool give_replaced(struct walk *w, mode_t was, bool is_dir)
{
	if (was == S_IFDIR) {
		bool slash = is_dir; /* the path has its slash already */
		if (!slash)
			buf_addc(&w->path, '/');
		bool ok = give_deleted(w);
		if (!slash)
			w->path.data[--w->path.len] = '\0';
		return ok;
	}
	if (was == 0 || !is_dir)
		return true;
	w->path.data[--w->path.len] = '\0'; /* a file gave way to a folder */
	bool ok = give_deleted(w);
	buf_addc(&w->path, '/');
	return ok;
}

/* ---- kinds of entries ------------------------------------------------------------------------------- */

/* Is a file in HOME still what was put there beforehand? */
static bool is_home_seed(const struct walk *w, int fd, const struct stat *st)
{
	for (size_t i = 0; i < w->sb->home_count; i++) {
		const struct sandbox_file *f = &w->sb->home[i];
		if (strcmp(f->path, w->path.data) != 0 || (size_t)st->st_size != f->len)
			continue;
		char *bytes = xmalloc(f->len + 1);
		bool same = pread(fd, bytes, f->len, 0) == (ssize_t)f->len && memcmp(bytes, f->bytes, f->len) == 0;
		free(bytes);
		return same;
	}
	return false;
}

/* Gives us a right that the run took from its own file or folder; never through a link. */
static bool take_rights(struct walk *w, const char *name, mode_t mode)
{
	int fd = openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char path[32];
	struct stat st;

	if (fd < 0)
		return false;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	bool ok = fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) && chmod(path, mode) == 0;
	close(fd);
	return ok;
}

static int open_regular(struct walk *w, const char *name, const struct stat *st)
{
	struct stat now;

	if ((st->st_mode & 0600) != 0600 && !take_rights(w, name, 0600))
		return -1;
	int fd = openat(w->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &now) != 0 || !S_ISREG(now.st_mode) || now.st_ino != st->st_ino || now.st_dev != st->st_dev)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int64_t holes_of(const struct stat *st)
{
	return MAX(st->st_size - (int64_t)st->st_blocks * 512, 0);
}

/* Leaves out more files than are kept, and more holes than the scratch has bytes: sparse files, which cost the run
 * nothing, must not fill the record. */
static bool is_over(struct walk *w, int64_t holes)
{
	const struct limits *l = &w->sb->policy.limits;

	if (l->artifact_files > 0 && w->out->files >= l->artifact_files) {
		leave_out(w, LIMIT_OF(artifact_files), w->out->files + 1);
		return true;
	}
	if (l->scratch_bytes > 0 && holes > l->scratch_bytes - w->holes) {
		leave_out(w, LIMIT_OF(scratch_bytes), w->holes + holes);
		return true;
	}
	return false;
}

/* `several`: the file, if it has more than one name; under each of them it is given, and its bytes count once. */
static bool give_file(struct walk *w, int fd, const struct stat *st, struct inode *several)
{
	bool again = several != NULL && several->given;
	int64_t holes = again ? 0 : holes_of(st);

	if (is_over(w, holes))
		return true;
	char *note = again ? xasprintf("hard link to %s", several->path) : NULL;
	w->out->files++;
	w->out->bytes += again ? 0 : st->st_size;
	w->holes += holes;
	if (several != NULL)
		several->given = true;
	bool ok = give(w, &(struct sandbox_left){
		.kind = LEFT_FILE, .fd = fd, .size = st->st_size, .blocks_bytes = (int64_t)st->st_blocks * 512,
		.mode = st->st_mode & 0111 ? 0755 : 0644, .note = note, .several = several != NULL ? several->number : 0,
		.mtime_us = (int64_t)st->st_mtim.tv_sec * 1000000 + st->st_mtim.tv_nsec / 1000 });
	free(note);
	return ok;
}

static bool visit_file(struct walk *w, const char *name, const struct stat *st)
{
	if (w->place->box && w->sb->copied != NULL && copied_is_same(w->sb->copied, w->path.data, st))
		return true;
	struct inode *several = st->st_nlink > 1 ? links_meet(&w->links, st, w->place->prefix, w->path.data) : NULL;
	int fd = open_regular(w, name, st);
	if (fd < 0) {
		leave_out(w, NULL, 0);
		return true;
	}
	bool seed = w->place->prefix[0] == '~' && is_home_seed(w, fd, st);
	bool ok = seed || give_file(w, fd, st, several);
	close(fd);
	return ok;
}

static bool visit_link(struct walk *w, const char *name, const struct stat *st)
{
	char target[4096];
	ssize_t n = readlinkat(w->dir, name, target, sizeof target - 1);

	target[n > 0 ? n : 0] = '\0';
	char *note = xasprintf("symlink to %s", target);
	bool ok = give_other(w, st, note);
	free(note);
	return ok;
}

static bool visit_whiteout(struct walk *w)
{
	mode_t was = offered_kind(w, w->path.data);

	if (was == 0)
		return true; /* only the code in memory lay there */
	if (was == S_IFDIR)
		buf_addc(&w->path, '/');
	return give_deleted(w);
}

static bool visit_leaf(struct walk *w, const char *name, const struct stat *st)
{
	if (w->place->overlay && S_ISCHR(st->st_mode) && st->st_rdev == makedev(0, 0))
		return visit_whiteout(w);
	if (w->place->overlay && offered_kind(w, w->path.data) == S_IFDIR && !give_replaced(w, S_IFDIR, false))
		return false;
	if (S_ISREG(st->st_mode))
		return visit_file(w, name, st);
	if (S_ISLNK(st->st_mode))
		return visit_link(w, name, st);
	return give_other(w, st, S_ISFIFO(st->st_mode) ? "fifo" : S_ISSOCK(st->st_mode) ? "socket" : "device");
}

/* ---- the walk ----------------------------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the current folder, folders with a final slash, so that sorting is by whole path. */
static bool list(struct walk *w, struct strv *names)
{
	struct stat st;
	int fd = openat(w->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	if (d == NULL) {
		if (fd >= 0)
			close(fd);
		return err_sys(w->e, "cannot list the run's files in %s%s", w->place->prefix, w->path.data != NULL ? w->path.data : "");
	}
	for (struct dirent *ent; (ent = readdir(d)) != NULL;) {
		if (strcmp(ent->d_name, ".") == 0 || strcmp(ent->d_name, "..") == 0)
			continue;
		bool dir = ent->d_type == DT_DIR;
		if (ent->d_type == DT_UNKNOWN)
			dir = fstatat(w->dir, ent->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
		strv_addf(names, dir ? "%s/" : "%s", ent->d_name);
	}
	closedir(d);
	if (names->n > 1)
		qsort(names->v, names->n, sizeof *names->v, by_bytes);
	return true;
}

static bool push(struct walk *w)
{
	w->levels = grow(w->levels, w->depth, &w->cap, sizeof *w->levels);
	struct level *l = &w->levels[w->depth];
	*l = (struct level){ .path_len = w->path.len };
	if (!list(w, &l->names)) {
		strv_free(&l->names);
		return false;
	}
	w->depth++;
	return true;
}

static bool is_cache(const struct walk *w, const char *name)
{
	return strcmp(name, "__pycache__/") == 0 || (w->place->prefix[0] == '~' && strcmp(w->path.data, ".cache/") == 0);
}

/* Goes down into a folder; w->path ends with its name and slash. */
static bool enter(struct walk *w, const char *name)
{
	char *plain = xstrndup(name, strlen(name) - 1);
	struct stat st;
	bool ok = true;

	if (is_cache(w, name) || w->depth >= WALK_DEPTH_MAX)
		goto out;
	if (fstatat(w->dir, plain, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode))
		goto out;
	if ((st.st_mode & 0700) != 0700 && !take_rights(w, plain, 0700)) {
		leave_out(w, NULL, 0);
		goto out;
	}
	if (w->place->overlay) {
		w->path.data[--w->path.len] = '\0';
		mode_t was = offered_kind(w, w->path.data);
		buf_addc(&w->path, '/');
		if (was != 0 && (was != S_IFDIR || is_opaque(w, plain)))
			ok = give_replaced(w, was, true);
	}
	int down = ok ? openat(w->dir, plain, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (ok && down < 0) {
		leave_out(w, NULL, 0);
		goto out;
	}
	if (ok) {
		close(w->dir);
		w->dir = down;
		ok = push(w);
	}
out:
	free(plain);
	return ok;
}

static bool leave(struct walk *w)
{
	strv_free(&w->levels[--w->depth].names);
	if (w->depth == 0)
		return true;
	int up = openat(w->dir, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (up < 0)
		return err_sys(w->e, "cannot go back up in the run's files");
	close(w->dir);
	w->dir = up;
	return true;
}

static bool visit(struct walk *w, const char *name)
{
	struct stat st;
	size_t n = strlen(name);

	buf_add(&w->path, name, n);
	if (name[n - 1] == '/')
		return enter(w, name);
	if (fstatat(w->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return err_sys(w->e, "cannot look at the run's file %s%s", w->place->prefix, w->path.data);
	if (w->sb->policy.limits.artifact_depth > 0 && (int64_t)w->depth > w->sb->policy.limits.artifact_depth) {
		leave_out(w, LIMIT_OF(artifact_depth), (int64_t)w->depth);
		return true;
	}
	return visit_leaf(w, name, &st);
}

static bool walk_place(struct walk *w, const struct place *place, int dir)
{
	w->place = place;
	w->dir = dir;
	buf_clear(&w->path);
	bool ok = dir >= 0 ? push(w) : err_sys(w->e, "cannot open the run's files");

	while (ok && w->depth > 0) {
		struct level *l = &w->levels[w->depth - 1];
		w->path.len = l->path_len;
		if (w->path.data != NULL)
			w->path.data[w->path.len] = '\0';
		ok = l->next < l->names.n ? visit(w, l->names.v[l->next++]) : leave(w);
	}
	while (w->depth > 0)
		strv_free(&w->levels[--w->depth].names);
	if (w->dir >= 0)
		close(w->dir);
	return ok;
}

/* A copy has no whiteouts: what we put there and is gone, was removed. */
static bool missing_copy(void *ctx, const char *path)
{
	struct walk *w = ctx;
	int there = upper_open(w->sb, path);

	if (there >= 0) {
		close(there);
		return true;
	}
	buf_clear(&w->path);
	buf_adds(&w->path, path);
	return give_deleted(w);
}

static void open_layers(struct walk *w)
{
	w->layers = xcalloc(w->sb->layers.n + 1, sizeof *w->layers);
	for (size_t i = 0; i < w->sb->layers.n; i++)
		w->layers[i] = open(w->sb->layers.v[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
}

bool sandbox_collect(struct sandbox *sb, sandbox_left_fn fn, void *ctx, struct sandbox_collected *out, struct err *e)
{
	const struct place box = { .prefix = "", .overlay = sb->policy.scratch != SCRATCH_COPY, .box = true };
	const struct place home = { .prefix = "~/" }, tmp = { .prefix = "/tmp/" };
	struct walk w = { .sb = sb, .fn = fn, .ctx = ctx, .out = out, .e = e, .place = &box };
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;

	*out = (struct sandbox_collected){ 0 };
	if (sb->stuck)
		return err_set(e, ERR_SANDBOX, "a process of the run does not end, so its files may still change and are not taken");
	open_layers(&w);
	bool ok = walk_place(&w, &box, openat(sb->upper, ".", flags));
	if (ok && sb->copied != NULL) {
		w.place = &box;
		ok = copied_each(sb->copied, missing_copy, &w);
	}
	ok = ok && walk_place(&w, &home, openat(sb->scratch, "home", flags)) &&
	     walk_place(&w, &tmp, openat(sb->scratch, "tmp", flags));
	for (size_t i = 0; i < sb->layers.n; i++)
		if (w.layers[i] >= 0)
			close(w.layers[i]);
	links_free(&w.links);
	free(w.layers);
	free(w.levels);
	buf_free(&w.path);
	return ok;
}
