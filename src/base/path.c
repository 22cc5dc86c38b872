/*
 * Paths as strings: joined, cleaned and compared without a look at the disk.
 */
#include "base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *path_join(const char *dir, const char *name)
{
	size_t n = strlen(dir);

	if (n == 0)
		return xstrdup(name);
	bool apart = dir[n - 1] == '/' || name[0] == '/';
	return xasprintf("%s%s%s", dir, apart ? "" : "/", name);
}

static bool part_is(const char *part, size_t n, const char *name)
{
	return strlen(name) == n && memcmp(part, name, n) == 0;
}

/* Takes the last part of `b` away unless it is one that has to stay; false then. */
static bool drop_last_part(struct buf *b, bool absolute)
{
	const char *slash = b->len ? memrchr(b->data, '/', b->len) : NULL;
	size_t start = slash ? (size_t)(slash - b->data) + 1 : 0;

	if (b->len == start || part_is(b->data + start, b->len - start, ".."))
		return absolute; /* "/.." is "/" */
	b->len = start > (absolute ? 1 : 0) ? start - 1 : start;
	b->data[b->len] = '\0';
	return true;
}

static void add_part(struct buf *b, const char *part, size_t n, bool absolute)
{
	if (n == 0 || part_is(part, n, "."))
		return;
	if (part_is(part, n, "..") && drop_last_part(b, absolute))
		return;
	if (b->len > (absolute ? 1 : 0))
		buf_addc(b, '/');
	buf_add(b, part, n);
}

char *path_clean(const char *path)
{
	bool absolute = path[0] == '/';
	struct buf b = { 0 };

	if (absolute)
		buf_addc(&b, '/');
	while (*path) {
		size_t n = strcspn(path, "/");
		add_part(&b, path, n, absolute);
		path += n + (path[n] == '/');
	}
	if (b.len == 0)
		buf_addc(&b, '.');
	return buf_take(&b);
}

char *path_absolute(const char *path, struct err *e)
{
	if (path[0] == '/')
		return path_clean(path);

	char *cwd = getcwd(NULL, 0);
	if (!cwd) {
		if (errno == ENOMEM)
			die("out of memory");
		err_sys(e, "cannot tell the current folder");
		return NULL;
	}
	char *joined = path_join(cwd, path);
	char *clean = path_clean(joined);
	free(joined);
	free(cwd);
	return clean;
}

const char *path_below(const char *dir, const char *path)
{
	size_t n = strlen(dir);

	if (strncmp(dir, path, n) != 0)
		return NULL;
	if (path[n] == '\0')
		return ".";
	if (path[n] == '/')
		return path + n + 1;
	return n > 0 && dir[n - 1] == '/' ? path + n : NULL; /* dir is "/" */
}

const char *path_base(const char *path)
{
	size_t n = strlen(path);

	/* Trailing slashes stay, as the result points into the argument. */
	while (n > 1 && path[n - 1] == '/')
		n--;
	while (n > 0 && path[n - 1] != '/')
		n--;
	return path[n] ? path + n : path;
}

char *path_dir(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	while (n > 0 && path[n - 1] != '/')
		n--;
	if (n == 0)
		return xstrdup(".");
	while (n > 1 && path[n - 1] == '/')
		n--;
	return xstrndup(path, n);
}

bool path_is_plain_relative(const char *path)
{
	for (;;) {
		size_t n = strcspn(path, "/");
		if (n == 0 || part_is(path, n, ".") || part_is(path, n, ".."))
			return false;
		if (path[n] == '\0')
			return true;
		path += n + 1;
	}
}
