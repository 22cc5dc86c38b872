/*
 * Did a write leave earlier bytes of an attached file in place? Compares the file as offered with
 * the file as left. An append leaves all of it at the front; a patch in place leaves nearly all of it
 * at its offsets; a file rewritten as a whole is shorter, mostly different, or the same altogether
 * (a result that came out again). In doubt it counts as kept, so that no input is lost.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "impl.h"

#define CHUNK 65536
#define PATCH_SHARE 20 /* at most one byte in so many differs after a patch in place */

int layer_open(const struct sandbox *sb, const char *path)
{
	for (size_t i = 0; i < sb->layers.n; i++) {
		char *whole = path_join(sb->layers.v[i], path);
		int fd = open(whole, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		free(whole);
		if (fd >= 0 || errno == ENOTDIR)
			return fd;
	}
	return -1;
}

static int open_upper(const struct sandbox *sb, const char *path, mode_t kind, int flags)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	int found = (int)syscall(SYS_openat2, sb->upper, path, &how, sizeof how);
	char name[32];
	struct stat st;
	int fd = -1;

	if (found < 0)
		return -1;
	snprintf(name, sizeof name, "/proc/self/fd/%d", found);
	if (fstat(found, &st) == 0 && (st.st_mode & S_IFMT) == kind)
		fd = open(name, O_RDONLY | O_CLOEXEC | flags);
	close(found);
	return fd;
}

int upper_open(const struct sandbox *sb, const char *path)
{
	return open_upper(sb, path, S_IFREG, 0);
}

int upper_open_folder(const struct sandbox *sb, const char *path)
{
	return open_upper(sb, path, S_IFDIR, O_DIRECTORY);
}

static ssize_t read_at(int fd, char *p, size_t n, off_t at)
{
	ssize_t got;

	do
		got = pread(fd, p, n, at);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Bytes at which the first `size` bytes of both differ; more than `most` as soon as that is clear; -1: unreadable. */
static int64_t count_differences(int a, int b, int64_t size, int64_t most)
{
	char *x = xmalloc(CHUNK), *y = xmalloc(CHUNK);
	int64_t differ = 0;

	for (int64_t at = 0; at < size && differ >= 0 && differ <= most;) {
		size_t want = (size_t)MIN(size - at, CHUNK);
		ssize_t n = read_at(a, x, want, at), m = read_at(b, y, want, at);
		if (n <= 0 || m < n) {
			differ = -1;
			break;
		}
		for (ssize_t i = 0; i < n; i++)
			differ += x[i] != y[i];
		at += n;
	}
	free(x);
	free(y);
	return differ;
}

static bool compare(int before, int after)
{
	struct stat was, is;

	if (before < 0 || after < 0 || fstat(before, &was) != 0 || fstat(after, &is) != 0 || !S_ISREG(is.st_mode))
		return false;
	if (was.st_size == 0 || is.st_size < was.st_size)
		return true;
	int64_t most = was.st_size / PATCH_SHARE;
	int64_t differ = count_differences(before, after, was.st_size, most);
	bool unchanged = differ == 0 && is.st_size == was.st_size;
	return differ > most || unchanged;
}

bool kept_nothing(const struct sandbox *sb, const char *path)
{
	int before = layer_open(sb, path);
	int after = upper_open(sb, path);
	bool nothing = compare(before, after);

	if (before >= 0)
		close(before);
	if (after >= 0)
		close(after);
	return nothing;
}
