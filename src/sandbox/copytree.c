/* SCRATCH_COPY: the layers merged into one folder on disk, and a list of what was put there, by
 * which changed files are told from untouched ones (the run cannot set a ctime). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "impl.h"

struct copied_file {
	char *path;            /* owned */
	ino_t ino;
	int64_t size;
	struct timespec ctime;
	bool ours;             /* of the code layer: its removal is nobody's business */
};

struct copied {
	struct copied_file *files; /* sorted by path when all are there */
	size_t n, cap;
	uid_t uid;
	gid_t gid;
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct copied_file *)a)->path, ((const struct copied_file *)b)->path);
}

static bool own(const struct copied *c, int fd, const char *path, struct err *e)
{
	if (c->uid != geteuid() && fchown(fd, c->uid, c->gid) != 0)
		return err_sys(e, "cannot give %s to the run's user", path);
	return true;
}

/* mkdir -p below dirfd, each folder owned by the run's user. */
static bool make_dir(const struct copied *c, int dirfd, const char *path, struct err *e)
{
	char *part = xstrdup(path);
	bool ok = true;

	for (char *p = part;; p++) {
		if (*p != '/' && *p != '\0')
			continue;
		char kept = *p;
		*p = '\0';
		if (mkdirat(dirfd, part, 0700) == 0) {
			int fd = openat(dirfd, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			ok = fd >= 0 ? own(c, fd, part, e) : err_sys(e, "cannot open %s in the copy", part);
			if (fd >= 0)
				close(fd);
		} else if (errno != EEXIST) {
			ok = err_sys(e, "cannot make %s in the copy", part);
		}
		*p = kept;
		if (kept == '\0' || !ok)
			break;
	}
	free(part);
	return ok;
}

static bool note_file(struct copied *c, int fd, const char *path, bool ours, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return err_sys(e, "cannot look at %s in the copy", path);
	c->files = grow(c->files, c->n, &c->cap, sizeof *c->files);
	c->files[c->n++] = (struct copied_file){ xstrdup(path), st.st_ino, st.st_size, st.st_ctim, ours };
	return true;
}

static int make_file(int dirfd, const char *path)
{
	return openat(dirfd, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static bool copy_file(struct copied *c, int from, int to_dir, const char *path, struct err *e)
{
	int to = make_file(to_dir, path);
	struct stat st;
	bool ok;

	if (to < 0 && (errno == EEXIST || errno == ENOTDIR))
		return true; /* a higher layer has that name, or a file in place of the folder */
	if (to < 0)
		return err_sys(e, "cannot copy %s for the run", path);
	ok = fs_copy(from, to, path, e) && own(c, to, path, e);
	if (ok && fstat(from, &st) == 0) {
		const struct timespec times[2] = { st.st_atim, st.st_mtim };
		fchmod(to, (st.st_mode & 0100) ? 0700 : 0600);
		if (futimens(to, times) != 0)
			ok = err_sys(e, "cannot set the time of %s", path);
	}
	ok = ok && note_file(c, to, path, false, e);
	close(to);
	return ok;
}

/* Copies what lies below `dir` (closed by this) and is not there yet; layers are ours and not deep. */
static bool copy_dir(struct copied *c, int dir, int to_dir, const char *rel, struct err *e)
{
	DIR *d = dir >= 0 ? fdopendir(dir) : NULL;
	bool ok = d != NULL || err_sys(e, "cannot read the folder %s for the run", rel);

	for (struct dirent *ent; ok && (ent = readdir(d)) != NULL;) {
		if (strcmp(ent->d_name, ".") == 0 || strcmp(ent->d_name, "..") == 0)
			continue;
		char *path = rel[0] != '\0' ? path_join(rel, ent->d_name) : xstrdup(ent->d_name);
		struct stat st, there;
		int fd = openat(dir, ent->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &st) != 0) {
			ok = errno == ELOOP || err_sys(e, "cannot read %s for the run", path);
			if (fd >= 0)
				close(fd);
		} else if (S_ISDIR(st.st_mode)) {
			bool hidden = fstatat(to_dir, path, &there, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(there.st_mode);
			if (hidden)
				close(fd);
			else
				ok = make_dir(c, to_dir, path, e) && copy_dir(c, fd, to_dir, path, e);
		} else {
			ok = !S_ISREG(st.st_mode) || copy_file(c, fd, to_dir, path, e);
			close(fd);
		}
		free(path);
	}
	if (d != NULL)
		closedir(d);
	return ok;
}

static bool put_bytes(struct copied *c, int dirfd, const char *path, const void *bytes, size_t len, struct err *e)
{
	char *parent = path_dir(path);
	bool ok = strcmp(parent, ".") == 0 || make_dir(c, dirfd, parent, e);
	int fd = ok ? make_file(dirfd, path) : -1;

	free(parent);
	if (!ok)
		return false;
	if (fd < 0)
		return err_sys(e, "cannot put %s into the copy", path);
	ok = fs_write_fd(fd, bytes, len, path, e) && own(c, fd, path, e) && note_file(c, fd, path, true, e);
	close(fd);
	return ok;
}

struct copied *copied_make(const struct sandbox_spec *spec, int dirfd, const struct mount_plan *plan,
                           const struct identity *id, struct err *e)
{
	struct copied *c = xcalloc(1, sizeof *c);
	bool ok = true;

	c->uid = id->uid;
	c->gid = id->gid;
	for (size_t i = 0; i < spec->code_count && ok; i++)
		ok = put_bytes(c, dirfd, spec->code[i].path, spec->code[i].bytes, spec->code[i].len, e);
	for (size_t i = 0; i < plan->box_dirs.n && ok; i++)
		ok = make_dir(c, dirfd, plan->box_dirs.v[i], e);
	for (size_t i = 0; i < plan->box_files.n && ok; i++)
		ok = put_bytes(c, dirfd, plan->box_files.v[i], "", 0, e);
	for (size_t i = 0; i < spec->layer_count && ok; i++)
		ok = copy_dir(c, open(spec->layers[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC), dirfd, "", e);
	if (!ok) {
		copied_free(c);
		return NULL;
	}
	if (c->n > 1)
		qsort(c->files, c->n, sizeof *c->files, by_path);
	return c;
}

bool copied_is_same(const struct copied *c, const char *path, const struct stat *st)
{
	struct copied_file key = { .path = (char *)path };
	const struct copied_file *f = c->n > 0 ? bsearch(&key, c->files, c->n, sizeof key, by_path) : NULL;

	return f != NULL && f->ino == st->st_ino && f->size == st->st_size && f->ctime.tv_sec == st->st_ctim.tv_sec &&
	       f->ctime.tv_nsec == st->st_ctim.tv_nsec;
}

bool copied_each(const struct copied *c, bool (*fn)(void *ctx, const char *path), void *ctx)
{
	for (size_t i = 0; i < c->n; i++)
		if (!c->files[i].ours && !fn(ctx, c->files[i].path))
			return false;
	return true;
}

void copied_free(struct copied *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->n; i++)
		free(c->files[i].path);
	free(c->files);
	free(c);
}
