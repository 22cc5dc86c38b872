/* Files without a name that a run holds open: they take room on a disk, and no walk over its folders
 * meets them. Looked for by the keeper, through the descriptors of each process. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "impl.h"

static bool is_new(struct unlinked *u, const struct stat *st)
{
	for (size_t i = 0; i < u->n; i++)
		if (u->seen[i].ino == st->st_ino && u->seen[i].dev == st->st_dev)
			return false;
	if (u->n < ARRAY_LEN(u->seen)) {
		u->seen[u->n].dev = st->st_dev;
		u->seen[u->n++].ino = st->st_ino;
	}
	return true;
}

void unlinked_add(struct unlinked *u, int proc, const char *pid)
{
	char path[32];

	snprintf(path, sizeof path, "%s/fd", pid);
	int fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL && fd >= 0)
		close(fd);
	for (struct dirent *ent; d != NULL && (ent = readdir(d)) != NULL;) {
		struct stat st;
		if (ent->d_name[0] == '.' || fstatat(fd, ent->d_name, &st, 0) != 0)
			continue;
		/* What has lost its name in the memory's scratch is in that one's own figures. */
		if (S_ISREG(st.st_mode) && st.st_nlink == 0 && st.st_dev != u->memory && is_new(u, &st))
			u->bytes += (int64_t)st.st_blocks * 512;
	}
	if (d != NULL)
		closedir(d);
}
