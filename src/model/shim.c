/*
 * pyenv's rule for the version, followed without running it: PYENV_VERSION, .python-version from
 * the folder upward, $PYENV_ROOT/version; "system" and what is not installed mean: look on in PATH.
 */
#include "shim.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION_FILE_MOST 4096

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* A script in a folder named shims: what pyenv and asdf make. */
static bool is_shim(const char *path)
{
	char magic[2] = "";
	char *dir = path_dir(path);
	bool in_shims = strcmp(path_base(dir), "shims") == 0;

	free(dir);
	if (!in_shims)
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool script = read(fd, magic, 2) == 2 && memcmp(magic, "#!", 2) == 0;
	close(fd);
	return script;
}

/* "3.11.7" against "3.9.2": by number, part by part. */
static int compare_versions(const char *a, const char *b)
{
	return strverscmp(a, b);
}

/* Folder of $PYENV_ROOT/versions for what was asked: its own name, or the newest "NAME.*". */
static char *version_dir(const char *versions, const char *wanted)
{
	char *best = NULL, *exact = path_join(versions, wanted);
	size_t n = strlen(wanted);

	if (fs_exists(AT_FDCWD, exact))
		return exact;
	free(exact);
	DIR *d = opendir(versions);
	for (struct dirent *de; d && (de = readdir(d));) {
		if (strncmp(de->d_name, wanted, n) != 0 || de->d_name[n] != '.')
			continue;
		if (!best || compare_versions(de->d_name, best) > 0) {
			free(best);
			best = xstrdup(de->d_name);
		}
	}
	if (d)
		closedir(d);
	char *path = best ? path_join(versions, best) : NULL;
	free(best);
	return path;
}

/* First word of each line (or of PYENV_VERSION between colons) that names an installed version. */
static char *pick_version(const char *versions, const char *text, const char *name)
{
	char *copy = xstrdup(text), *save = NULL, *found = NULL;

	for (char *word = strtok_r(copy, ": \t\r\n", &save); word && !found; word = strtok_r(NULL, ": \t\r\n", &save)) {
		if (word[0] == '#' || strchr(word, '/') || strcmp(word, "system") == 0)
			continue;
		char *dir = version_dir(versions, word);
		char *bin = dir ? path_join(dir, "bin") : NULL;
		found = bin ? path_join(bin, name) : NULL;
		free(bin);
		free(dir);
		if (found && !is_program(found)) {
			free(found);
			found = NULL;
		}
	}
	free(copy);
	return found;
}

static char *pick_from_file(const char *versions, const char *file, const char *name)
{
	struct buf b = { 0 };
	char *found = NULL;

	if (fs_read(AT_FDCWD, file, VERSION_FILE_MOST, &b, NULL) && b.data)
		found = pick_version(versions, b.data, name);
	buf_free(&b);
	return found;
}

static bool has_file(const char *file)
{
	return fs_exists(AT_FDCWD, file);
}

/* The first .python-version upward decides, whether or not it can be satisfied. */
static char *pick_upward(const char *versions, const char *from, const char *name, bool *decided)
{
	char *dir = xstrdup(from), *found = NULL;

	*decided = false;
	while (!*decided) {
		char *file = path_join(dir, ".python-version");
		*decided = has_file(file);
		if (*decided)
			found = pick_from_file(versions, file, name);
		free(file);
		if (strcmp(dir, "/") == 0 || strcmp(dir, ".") == 0)
			break;
		char *up = path_dir(dir);
		free(dir);
		dir = up;
	}
	free(dir);
	return found;
}

static char *resolve_pyenv(const char *root, const char *name, const char *from)
{
	const char *asked = getenv("PYENV_VERSION");
	char *versions = path_join(root, "versions"), *global = path_join(root, "version"), *found = NULL;
	bool decided = false;

	if (asked && *asked)
		found = pick_version(versions, asked, name);
	else
		found = pick_upward(versions, from, name, &decided);
	if (!found && !decided && !(asked && *asked))
		found = pick_from_file(versions, global, name);
	free(global);
	free(versions);
	return found;
}

char *shim_resolve(const char *path, const char *from)
{
	if (!is_shim(path))
		return xstrdup(path);
	char *shims = path_dir(path), *root = path_dir(shims);
	char *found = resolve_pyenv(root, path_base(path), from);

	free(root);
	free(shims);
	return found;
}

char *shim_find(const char *name, const char *from, struct err *e)
{
	const char *path = getenv("PATH");
	char *copy = xstrdup(path && *path ? path : "/usr/local/bin:/usr/bin:/bin"), *save = NULL, *found = NULL;

	for (char *dir = strtok_r(copy, ":", &save); dir && !found; dir = strtok_r(NULL, ":", &save)) {
		/* What PATH finds in the current folder may be anything. */
		if (dir[0] != '/')
			continue;
		char *file = path_join(dir, name);
		if (is_program(file))
			found = shim_resolve(file, from);
		free(file);
	}
	free(copy);
	if (!found)
		err_set(e, ERR_NOTFOUND, "no %s in PATH; tickmark config python PATH names an interpreter", name);
	return found;
}

static void each_in(const char *root, const char *below, void (*fn)(void *ctx, const char *bin), void *ctx)
{
	char *dir = path_join(root, below);
	DIR *d = opendir(dir);

	for (struct dirent *de; d && (de = readdir(d));) {
		if (de->d_name[0] == '.')
			continue;
		char *version = path_join(dir, de->d_name), *bin = path_join(version, "bin");
		fn(ctx, bin);
		free(bin);
		free(version);
	}
	if (d)
		closedir(d);
	free(dir);
}

void shim_each_version(void (*fn)(void *ctx, const char *bin), void *ctx)
{
	const char *home = getenv("HOME"), *root = getenv("PYENV_ROOT");

	if (root && root[0] == '/')
		each_in(root, "versions", fn, ctx);
	else if (home && home[0] == '/')
		each_in(home, ".pyenv/versions", fn, ctx);
	if (home && home[0] == '/')
		each_in(home, ".asdf/installs/python", fn, ctx);
}
