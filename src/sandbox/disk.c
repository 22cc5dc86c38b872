/*
 * A scratch on disk: a folder for each run below one of ours, removed at the run's end. A launcher that is
 * killed leaves its folder to the next one. (In tier B the keeper outlives it and removes the folder.)
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "impl.h"

#define MOST_NUMBERS 64 /* of folders of runs side by side, in tier B */
#define USED "run-"     /* names of folders of runs; as long as "new-" */

static bool make_owned_dir(const struct sandbox *sb, int dirfd, const char *name, struct err *e)
{
	if (mkdirat(dirfd, name, 0700) != 0 || fchmodat(dirfd, name, 0700, 0) != 0 ||
	    (sb->id.uid != geteuid() && fchownat(dirfd, name, sb->id.uid, sb->id.gid, AT_SYMLINK_NOFOLLOW) != 0))
		return err_sys(e, "cannot make a folder for the run's files (%s)", name);
	return true;
}

/* A run of tier B sees the name of its folder and may print it: so that a repeat prints the same, it is
 * the first number that is free. Elsewhere nobody sees it. */
static bool make_run_folder(struct sandbox *sb, const char *below, struct err *e)
{
	struct uuid id = uuid_new();
	struct err why = { 0 };
	char text[UUID_TEXT];

	uuid_text(&id, text);
	for (int n = sb->tier->spaces ? MOST_NUMBERS + 1 : 1; n <= MOST_NUMBERS + 1; n++) {
		char *path = n <= MOST_NUMBERS ? xasprintf("%s/tickmark-run-%d", below, n) : xasprintf("%s/new-%s", below, text);
		why = (struct err){ 0 };
		if (make_owned_dir(sb, AT_FDCWD, path, &why)) {
			sb->disk = path;
			return true;
		}
		bool taken = access(path, F_OK) == 0;
		free(path);
		if (!taken)
			break;
	}
	if (e != NULL)
		*e = why;
	return false;
}

/* The folder gets the name by which others know it only when it is locked: until then nobody takes it for
 * one that was left. The lock ends with the launcher; the child was made before it. */
static bool mark_used(struct sandbox *sb, struct err *e)
{
	char *name = xstrdup(sb->disk), *at = strrchr(name, '/') + 1;

	memcpy(at, USED, sizeof USED - 1);
	sb->disk_lock = open(sb->disk, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = sb->disk_lock >= 0 && flock(sb->disk_lock, LOCK_EX | LOCK_NB) == 0 && rename(sb->disk, name) == 0;
	if (!ok) {
		err_sys(e, "cannot mark %s as in use", sb->disk);
		free(name);
		return false;
	}
	free(sb->disk);
	sb->disk = name;
	return true;
}

/* Folders of runs whose launcher was killed: it could not remove them, and nobody else can be using them. */
static void remove_left(const char *below)
{
	int dir = open(below, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = dir >= 0 ? fdopendir(dir) : NULL;

	for (struct dirent *ent; d != NULL && (ent = readdir(d)) != NULL;) {
		if (strncmp(ent->d_name, USED, sizeof USED - 1) != 0)
			continue;
		int fd = openat(dir, ent->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			fs_remove_tree(dir, ent->d_name, NULL);
		if (fd >= 0)
			close(fd);
	}
	if (d != NULL)
		closedir(d);
}

bool disk_make(struct sandbox *sb, const struct sandbox_spec *spec, struct err *e)
{
	const char *below = sb->tier->spaces ? spec->disk_scratch : bare_disk(spec);
	bool ok = false;

	if (below == NULL)
		return err_set(e, ERR_INPUT, "this kind of scratch (%s) needs a folder on disk", scratch_word(spec->policy.scratch));
	char *folder = path_absolute(below, e);
	if (folder == NULL)
		return false;
	if (sb->tier->spaces)
		remove_left(folder);
	ok = make_run_folder(sb, folder, e) && (!sb->tier->spaces || mark_used(sb, e));
	free(folder);
	if (!ok)
		return false;
	ok = false;
	int fd = open(sb->disk, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "cannot open %s", sb->disk);
	if (make_owned_dir(sb, fd, "upper", e) && (!sb->tier->spaces || make_owned_dir(sb, fd, "work", e))) {
		sb->upper = openat(fd, "upper", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		ok = sb->upper >= 0 || err_sys(e, "cannot open %s/upper", sb->disk);
	}
	close(fd);
	if (ok && spec->policy.scratch == SCRATCH_COPY)
		ok = (sb->copied = copied_make(spec, sb->upper, &sb->plan, &sb->id, e)) != NULL;
	if (ok && !sb->tier->spaces)
		ok = bare_build(sb, spec, e);
	return ok;
}
