/*
 * Removes trees that a hostile program may have made: thousands of levels deep, without rights,
 * full of links. No recursion, no path longer than one name, a bounded number of descriptors.
 */
#include "base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef REMOVE_OPEN_LEVELS
#define REMOVE_OPEN_LEVELS 32 /* folders held open at once; tests make it tiny */
#endif
#define REMOVE_PASSES 8 /* over one folder that never gets empty (somebody is filling it) */

struct level {
	DIR *dir;   /* owned; NULL while it is closed because too many deeper ones are open */
	char *name; /* owned: its name in the level above */
	dev_t dev;  /* what it was when we entered, to know it again */
	ino_t ino;
	int passes; /* times it was found not to be empty */
};

struct walk {
	int top;              /* the folder that holds the tree (the caller's) */
	const char *what;     /* the tree, for messages */
	struct level *levels; /* from the tree down to where we are */
	size_t n, cap;
	struct err *e; /* the caller's */
};

/* Refuses to cross into another mount, where the kernel can say (5.6): what somebody mounted into
 * the tree is not part of it. */
static int open_folder(int dirfd, const char *name, bool top)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	struct open_how how = { .flags = (uint64_t)flags, .resolve = RESOLVE_NO_XDEV };

	if (top)
		return openat(dirfd, name, flags);
	int fd = (int)syscall(SYS_openat2, dirfd, name, &how, sizeof(how));
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(dirfd, name, flags);
	return fd;
}

/* Rights that the owner took from himself are given back; whoever is not the owner gets the fault
 * of the removal itself. */
static int open_with_rights(int dirfd, const char *name, bool top)
{
	int fd = open_folder(dirfd, name, top);
	struct stat st;

	if (fd < 0 && errno == EACCES && fchmodat(dirfd, name, 0700, AT_SYMLINK_NOFOLLOW) == 0)
		fd = open_folder(dirfd, name, top);
	if (fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 0700) != 0700)
		(void)!fchmod(fd, 0700);
	return fd;
}

static int level_fd(const struct walk *w, size_t depth)
{
	return depth == 0 ? w->top : dirfd(w->levels[depth - 1].dir);
}

static bool fail(const struct walk *w, const char *name)
{
	if (errno == EXDEV)
		return err_set(w->e, ERR_SYS, "cannot remove %s: something is mounted on %s in it", w->what,
		               name);
	if (w->n == 0)
		return err_sys(w->e, "cannot remove %s", w->what);
	return err_sys(w->e, "cannot remove %s: at %s, %zu levels down", w->what, name, w->n);
}

static DIR *take_dir(int fd)
{
	DIR *dir = fdopendir(fd);

	if (!dir && errno == ENOMEM)
		die("out of memory");
	if (!dir) {
		int kept = errno;
		close(fd);
		errno = kept;
	}
	return dir;
}

static void close_level(struct level *l)
{
	if (l->dir)
		closedir(l->dir);
	l->dir = NULL;
}

static bool enter(struct walk *w, const char *name)
{
	int fd = open_with_rights(level_fd(w, w->n), name, w->n == 0);
	struct stat st = { 0 };

	if (fd < 0)
		return errno == ENOENT || fail(w, name);
	DIR *dir = fstat(fd, &st) == 0 ? take_dir(fd) : NULL;
	if (!dir)
		return fail(w, name);

	w->levels = grow(w->levels, w->n, &w->cap, sizeof(*w->levels));
	w->levels[w->n++] = (struct level){
		.dir = dir, .name = xstrdup(name), .dev = st.st_dev, .ino = st.st_ino,
	};
	if (w->n > REMOVE_OPEN_LEVELS)
		close_level(&w->levels[w->n - 1 - REMOVE_OPEN_LEVELS]);
	return true;
}

/* Goes back up by "..", which leads elsewhere when somebody moved the folder meanwhile: then the
 * walk ends, as nothing outside the tree may be touched. */
static bool reopen_parent(struct walk *w)
{
	struct level *here = &w->levels[w->n - 1], *up = here - 1;
	struct stat st;

	if (w->n < 2 || up->dir)
		return true;
	int fd = openat(dirfd(here->dir), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(w, here->name);
	if (st.st_dev != up->dev || st.st_ino != up->ino) {
		close(fd);
		return err_set(w->e, ERR_BUSY, "cannot remove %s: it was moved meanwhile", w->what);
	}
	up->dir = take_dir(fd);
	return up->dir || fail(w, here->name);
}

static void drop_level(struct walk *w)
{
	struct level *l = &w->levels[--w->n];

	close_level(l);
	free(l->name);
}

/* The deepest folder was read to its end: removes it, or reads it again if it has got new names. */
static bool leave(struct walk *w)
{
	struct level *l = &w->levels[w->n - 1];

	if (!reopen_parent(w))
		return false;
	if (unlinkat(level_fd(w, w->n - 1), l->name, AT_REMOVEDIR) < 0 && errno != ENOENT) {
		if ((errno != ENOTEMPTY && errno != EEXIST) || ++l->passes >= REMOVE_PASSES)
			return fail(w, l->name);
		rewinddir(l->dir);
		return true;
	}
	drop_level(w);
	return true;
}

/* One name of the deepest folder, or of the folder that holds the tree. */
static bool remove_name(struct walk *w, const char *name, bool surely_folder)
{
	if (!surely_folder) {
		if (unlinkat(level_fd(w, w->n), name, 0) == 0 || errno == ENOENT)
			return true;
		if (errno != EISDIR) /* what Linux says of folders; POSIX would have EPERM */
			return fail(w, name);
	}
	return enter(w, name);
}

static bool is_dot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static bool step(struct walk *w)
{
	errno = 0;
	const struct dirent *d = readdir(w->levels[w->n - 1].dir);

	if (!d && errno != 0)
		return fail(w, w->levels[w->n - 1].name);
	if (!d)
		return leave(w);
	return is_dot(d->d_name) || remove_name(w, d->d_name, d->d_type == DT_DIR);
}

bool fs_remove_tree(int dirfd, const char *name, struct err *e)
{
	struct walk w = { .top = dirfd, .what = name, .e = e };
	const char *base = path_base(name);

	/* "." and ".." would be emptied before the kernel refuses to remove them. */
	if (!path_is_plain_relative(base))
		return err_set(e, ERR_INPUT, "%s does not name a file or folder to remove", name);
	bool ok = remove_name(&w, name, false);
	while (ok && w.n > 0)
		ok = step(&w);
	while (w.n > 0)
		drop_level(&w);
	free(w.levels);
	return ok;
}
