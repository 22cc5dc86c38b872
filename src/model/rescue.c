/* Where the file of an open record is now, and what to do when it is nowhere. */
#include "rescue.h"

#include "store/keep.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool is_file(const struct store *st, const struct stat *sb)
{
	int64_t device, inode;

	store_file(st, &device, &inode);
	return (int64_t)sb->st_dev == device && (int64_t)sb->st_ino == inode;
}

/* By its path, or in the folder, which may have been moved as a whole. */
static bool is_in_place(const struct workspace *ws, const struct store *st)
{
	struct stat sb;

	if (stat(ws->record, &sb) == 0 && is_file(st, &sb))
		return true;
	return !ws->review && fstatat(ws->home, path_base(ws->record), &sb, AT_SYMLINK_NOFOLLOW) == 0 && is_file(st, &sb);
}

/* The path that one of our own descriptors of it leads to; owned, NULL when it has no name. */
static char *find_path(const struct store *st)
{
	DIR *d = opendir("/proc/self/fd");
	char *found = NULL, path[4096];
	struct stat sb;

	for (struct dirent *ent; d && !found && (ent = readdir(d));) {
		if (fstatat(dirfd(d), ent->d_name, &sb, 0) != 0 || !is_file(st, &sb) || sb.st_nlink == 0)
			continue;
		ssize_t n = readlinkat(dirfd(d), ent->d_name, path, sizeof(path) - 1);
		path[n > 0 ? n : 0] = '\0';
		/* One that is elsewhere in another mount is not to be had by that path. */
		if (stat(path, &sb) == 0 && is_file(st, &sb))
			found = xstrdup(path);
	}
	if (d)
		closedir(d);
	return found;
}

/* A folder that still has a name; owned, NULL: that of the workspace was removed too. */
static char *workspace_folder(const struct workspace *ws)
{
	char link[32], path[4096];
	struct stat sb;

	if (fstat(ws->dir, &sb) != 0 || sb.st_nlink == 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", ws->dir);
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	return n > 0 ? xstrndup(path, (size_t)n) : NULL;
}

static char *state_folder(struct err *e)
{
	const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *path = NULL;

	if (xdg && xdg[0] == '/')
		path = path_join(xdg, "tickmark");
	else if (home && home[0] == '/')
		path = path_join(home, ".local/state/tickmark");
	else
		err_set(e, ERR_NOTFOUND, "no folder for it: HOME is not set");
	if (path && !fs_mkdirs(AT_FDCWD, path, e)) {
		free(path);
		path = NULL;
	}
	return path;
}

static char *name_in(const char *folder)
{
	char text[64];
	time_t now = (time_t)(clock_now_us() / 1000000);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(text, sizeof(text), "record-recovered-%Y%m%d-%H%M%S.db", &tm);
	return path_join(folder, text);
}

static char *save_in(char *folder, struct store *st, struct err *e)
{
	char *path = folder ? name_in(folder) : NULL;

	if (path && !store_backup(st, path, e)) {
		free(path);
		path = NULL;
	}
	free(folder);
	return path;
}

/* Saves it under a path, which is owned; NULL with the reason. */
static char *save(const struct workspace *ws, struct store *st, struct err *e)
{
	char *path = save_in(workspace_folder(ws), st, e);

	return path ? path : save_in(state_folder(e), st, e);
}

bool rescue_record(struct workspace *ws, struct store *st, const char *ref, struct err *e)
{
	struct err why = { 0 };

	if (is_in_place(ws, st))
		return true;
	char *moved = find_path(st);
	if (moved && store_checkpoint(st, NULL)) {
		err_set(e, ERR_NOTFOUND, "the record was moved while %s ran, which is in it; to have it back: mv '%s' '%s'", ref,
		        moved, ws->record);
		free(moved);
		return false;
	}
	free(moved);
	char *path = save(ws, st, &why);
	if (path)
		err_set(e, ERR_NOTFOUND, "the record was removed or replaced while %s ran; all that it held, %s too, is saved: tickmark "
		        "'%s' opens it, and moved to %s it is the workspace's again", ref, ref, path, ws->record);
	else
		err_set(e, ERR_NOTFOUND, "the record %s was removed or replaced while %s ran, and all that it held is lost, %s too, as "
		        "it could not be saved: %s", ws->record, ref, ref, why.msg);
	free(path);
	return false;
}
