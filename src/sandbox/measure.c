/* Sizes below a folder of the scratch, while the run may still change it: a name that vanishes under
 * the walk is none. The walk goes up by "..", so depth costs no descriptors; as a folder may be moved
 * meanwhile, it goes on only where it arrives at the folder that it came from. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "impl.h"

#define MOST_ENTRIES 200000

struct level {
	dev_t dev;
	ino_t ino;
	struct strv folders; /* in it, still to be entered */
};

struct walk {
	struct measured sum;
	int dir;
	struct level *levels;
	size_t depth, cap;
};

static void count(struct walk *w, const struct stat *st)
{
	int64_t links = st->st_nlink > 0 && !S_ISDIR(st->st_mode) ? (int64_t)st->st_nlink : 1;

	w->sum.bytes += (int64_t)st->st_blocks * 512 / links;
	if (S_ISREG(st->st_mode))
		w->sum.longest = MAX(w->sum.longest, st->st_size);
}

/* Takes stock of the folder that the walk is in. */
static bool push(struct walk *w)
{
	struct stat st;
	int fd = openat(w->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	if (d == NULL || fstat(fd, &st) != 0) {
		if (d != NULL)
			closedir(d);
		else if (fd >= 0)
			close(fd);
		return false;
	}
	w->levels = grow(w->levels, w->depth, &w->cap, sizeof *w->levels);
	struct level *l = &w->levels[w->depth++];
	*l = (struct level){ .dev = st.st_dev, .ino = st.st_ino };
	for (struct dirent *ent; w->sum.entries < MOST_ENTRIES && (ent = readdir(d)) != NULL;) {
		if (strcmp(ent->d_name, ".") == 0 || strcmp(ent->d_name, "..") == 0 ||
		    fstatat(fd, ent->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		w->sum.entries++;
		count(w, &st);
		if (S_ISDIR(st.st_mode))
			strv_add(&l->folders, ent->d_name);
	}
	closedir(d);
	return true;
}

/* Into another folder; false, and nothing changed, where that is not the one meant. */
static bool go(struct walk *w, const char *name, const struct level *expected)
{
	struct stat st;
	int fd = openat(w->dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (expected != NULL && (fstat(fd, &st) != 0 || st.st_dev != expected->dev || st.st_ino != expected->ino)) {
		close(fd);
		return false;
	}
	close(w->dir);
	w->dir = fd;
	return true;
}

/* Deepest first; false when the walk has to end. */
static bool step(struct walk *w)
{
	struct level *l = &w->levels[w->depth - 1];

	if (l->folders.n > 0) {
		char *name = l->folders.v[--l->folders.n];
		if (go(w, name, NULL) && !push(w) && !go(w, "..", l)) {
			free(name);
			return false;
		}
		free(name);
		return true;
	}
	strv_free(&l->folders);
	w->depth--;
	return w->depth > 0 && go(w, "..", &w->levels[w->depth - 1]);
}

struct measured measure_folder(int dirfd)
{
	struct walk w = { .dir = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) };

	if (w.dir >= 0 && push(&w))
		while (step(&w)) {
		}
	while (w.depth > 0)
		strv_free(&w.levels[--w.depth].folders);
	free(w.levels);
	if (w.dir >= 0)
		close(w.dir);
	return w.sum;
}

struct measured measure_disk(const struct sandbox *sb)
{
	struct measured m = measure_folder(sb->tier->spaces ? sb->upper : sb->scratch);

	m.bytes += sb->shared->unlinked;
	return m;
}
