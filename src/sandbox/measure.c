/* Sizes below a folder of the scratch, while the run may still change it: a name that vanishes under
 * the walk is none. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "impl.h"

#define MOST_ENTRIES 200000
#define MOST_DEPTH 64 /* descriptors held */

struct walk {
	struct measured sum;
	int64_t entries;
};

static void walk_folder(struct walk *w, int fd, int depth)
{
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	if (d == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	for (struct dirent *ent; w->entries < MOST_ENTRIES && (ent = readdir(d)) != NULL; w->entries++) {
		struct stat st;
		if (strcmp(ent->d_name, ".") == 0 || strcmp(ent->d_name, "..") == 0 ||
		    fstatat(fd, ent->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		w->sum.bytes += (int64_t)st.st_blocks * 512 / (st.st_nlink > 0 && !S_ISDIR(st.st_mode) ? (int64_t)st.st_nlink : 1);
		if (S_ISREG(st.st_mode))
			w->sum.longest = MAX(w->sum.longest, st.st_size);
		if (S_ISDIR(st.st_mode) && depth < MOST_DEPTH)
			walk_folder(w, openat(fd, ent->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), depth + 1);
	}
	closedir(d);
}

struct measured measure_folder(int dirfd)
{
	struct walk w = { 0 };

	walk_folder(&w, openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), 0);
	return w.sum;
}
