/* Files and folders by descriptor: whole reads and writes, atomic replacement, folders. */
#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef FS_CHUNK
#define FS_CHUNK 65536 /* most bytes per read where the size is not known; tests make it tiny */
#endif
#define FS_FIRST 1024 /* bytes of the first such read: mostly it only finds the end */

/* ---- reading and writing ---- */

/* For a descriptor that somebody else made non-blocking (a terminal shared with another program). */
static void wait_for(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	poll(&p, 1, -1);
}

static ssize_t read_some(int fd, void *p, size_t n)
{
	for (;;) {
		ssize_t got = read(fd, p, n);
		if (got >= 0 || (errno != EINTR && errno != EAGAIN))
			return got;
		if (errno == EAGAIN)
			wait_for(fd, POLLIN);
	}
}

/* What a regular file claims to hold from here on; 0 where that cannot be told. */
static size_t bytes_left(int fd)
{
	struct stat st;
	off_t at;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || (at = lseek(fd, 0, SEEK_CUR)) < 0 || at >= st.st_size)
		return 0;
	return (size_t)(st.st_size - at);
}

static bool too_large(struct err *e, const char *what, size_t max)
{
	char text[UNIT_TEXT];

	size_format(max > INT64_MAX ? INT64_MAX : (int64_t)max, text);
	return err_set(e, ERR_LIMIT, "%s is larger than %s (%zu bytes)", what, text, max);
}

int64_t fs_pread(int fd, void *p, size_t n, int64_t at)
{
	size_t have = 0;

	while (have < n) {
		ssize_t got = pread(fd, (char *)p + have, n - have, at + (off_t)have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	return (int64_t)have;
}

bool fs_read_fd(int fd, const char *what, size_t max, struct buf *out, struct err *e)
{
	size_t before = out->len;
	size_t hint = bytes_left(fd), step = MIN(FS_FIRST, FS_CHUNK);
	bool ok = false;

	if (hint > max)
		return too_large(e, what, max);
	for (;;) {
		size_t used = out->len - before;
		/* One byte more than expected, so that the end is seen without another round. */
		size_t want = MIN(hint > used ? hint - used : step, max - used) + 1;
		ssize_t got = read_some(fd, buf_reserve(out, want), want);
		if (got < 0) {
			err_sys(e, "cannot read %s", what);
			break;
		}
		if ((size_t)got > max - used) {
			too_large(e, what, max);
			break;
		}
		if (got == 0) {
			ok = true;
			break;
		}
		out->len += (size_t)got;
		if (used >= hint)
			step = MIN(step * 2, FS_CHUNK);
	}
	if (!ok)
		out->len = before;
	if (out->data)
		out->data[out->len] = '\0';
	return ok;
}

/* Non-blocking only for the open: a FIFO that somebody left in a folder must not hang us. */
static int open_to_read(int dirfd, const char *path, struct err *e)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		err_sys(e, "cannot open %s", path);
	else
		fcntl(fd, F_SETFL, 0);
	return fd;
}

bool fs_read(int dirfd, const char *path, size_t max, struct buf *out, struct err *e)
{
	int fd = open_to_read(dirfd, path, e);

	if (fd < 0)
		return false;
	bool ok = fs_read_fd(fd, path, max, out, e);
	close(fd);
	return ok;
}

bool fs_read_head(int dirfd, const char *path, size_t max, struct buf *out, bool *more, struct err *e)
{
	int fd = open_to_read(dirfd, path, e);
	size_t before = out->len;
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0 && out->len - before <= max) {
		size_t want = MIN(FS_CHUNK, max + 1 - (out->len - before));
		got = read_some(fd, buf_reserve(out, want), want);
		out->len += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0 && got < 0)
		err_sys(e, "cannot read %s", path);
	if (fd >= 0)
		close(fd);
	*more = got >= 0 && out->len - before > max;
	out->len = got < 0 ? before : MIN(out->len, before + max);
	if (out->data)
		out->data[out->len] = '\0';
	return got >= 0;
}

bool fs_write_fd(int fd, const void *p, size_t n, const char *what, struct err *e)
{
	const char *from = p;

	while (n > 0) {
		ssize_t put = write(fd, from, n);
		if (put < 0 && errno == EAGAIN)
			wait_for(fd, POLLOUT);
		if (put < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (put == 0)
			errno = EIO; /* never seen, but it must not become a loop */
		if (put <= 0)
			return err_sys(e, "cannot write %s", what);
		from += put;
		n -= (size_t)put;
	}
	return true;
}

/* A umask can only take rights away, and only then is there anything to mend. */
static bool give_file_mode(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && ((st.st_mode & 0777) == 0600 || fchmod(fd, 0600) == 0);
}

static int create_temporary(int dir, char name[32])
{
	for (int tries = 0; tries < 100; tries++) {
		uint64_t r;
		random_bytes(&r, sizeof(r));
		snprintf(name, 32, ".tickmark-%016llx", (unsigned long long)r);
		int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

/* Some file systems cannot sync a folder and say so; they order renames in their own way. */
static bool sync_folder(int dir)
{
	return fsync(dir) == 0 || errno == EINVAL || errno == ENOTSUP;
}

static bool fill_temporary(int fd, const void *p, size_t n, bool durable, const char *path, struct err *e)
{
	if (!give_file_mode(fd))
		return err_sys(e, "cannot set the mode of %s", path);
	if (!fs_write_fd(fd, p, n, path, e))
		return false;
	if (durable && fsync(fd) < 0)
		return err_sys(e, "cannot write %s to the disk", path);
	return true;
}

static bool replace(int dir, const char *name, const void *p, size_t n, bool durable, const char *path,
                    struct err *e)
{
	char temporary[32];
	int fd = create_temporary(dir, temporary);

	if (fd < 0)
		return err_sys(e, "cannot make a file beside %s", path);
	bool ok = fill_temporary(fd, p, n, durable, path, e);
	/* Network file systems report a full disk no earlier than here. */
	if (close(fd) < 0 && ok)
		ok = err_sys(e, "cannot write %s", path);
	if (ok && renameat(dir, temporary, dir, name) < 0)
		ok = err_sys(e, "cannot replace %s", path);
	if (!ok)
		unlinkat(dir, temporary, 0);
	else if (durable && !sync_folder(dir))
		ok = err_sys(e, "cannot write the folder of %s to the disk", path);
	return ok;
}

bool fs_write(int dirfd, const char *path, const void *p, size_t n, bool durable, struct err *e)
{
	const char *name = path_base(path);

	if (!path_is_plain_relative(name))
		return err_set(e, ERR_INPUT, "%s does not name a file", path);
	char *parent = path_dir(path);
	/* fsync needs a descriptor that may read; without it, search permission has to do. */
	int dir = openat(dirfd, parent, (durable ? O_RDONLY : O_PATH) | O_DIRECTORY | O_CLOEXEC);
	bool ok = false;

	if (dir < 0) {
		err_sys(e, "cannot open the folder %s", parent);
	} else {
		ok = replace(dir, name, p, n, durable, path, e);
		close(dir);
	}
	free(parent);
	return ok;
}

static bool sync_file(const char *part, const char *path, struct err *e)
{
	int fd = open(part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool ok = (fd >= 0 && fsync(fd) == 0) || err_sys(e, "cannot write %s to the disk", path);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* One that may not be read cannot be synced either; there is nothing better. */
static bool sync_folder_of(const char *path, struct err *e)
{
	char *parent = path_dir(path);
	int dir = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = dir < 0 || sync_folder(dir) || err_sys(e, "cannot write the folder of %s to the disk", path);

	if (dir >= 0)
		close(dir);
	free(parent);
	return ok;
}

bool fs_put_in_place(const char *part, const char *path, struct err *e)
{
	if (!sync_file(part, path, e))
		return false;
	/* Not every file system can refuse to rename over a file. */
	if (renameat2(AT_FDCWD, part, AT_FDCWD, path, RENAME_NOREPLACE) != 0 && (errno != EINVAL || link(part, path) != 0))
		return err_sys(e, "cannot make %s", path);
	return sync_folder_of(path, e);
}

/* ---- folders ---- */

static bool make_folder(int dirfd, const char *path)
{
	struct stat st;

	if (mkdirat(dirfd, path, 0700) < 0)
		return false;
	/* Only where the umask took rights away, and never through a link put there meanwhile. */
	if (fstatat(dirfd, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && (st.st_mode & 0700) != 0700)
		return fchmodat(dirfd, path, 0700, AT_SYMLINK_NOFOLLOW) == 0;
	return true;
}

static size_t strip_slashes(const char *path, size_t n)
{
	while (n > 1 && path[n - 1] == '/')
		n--;
	return n;
}

/* Makes the deepest folder of `path` whose parent is there; the length of it, 0 on failure. It
 * starts at the deep end, as folders far up may be of a kind that answers mkdir with EACCES. */
static size_t make_first_missing(int dirfd, char *path, size_t len)
{
	for (size_t end = strip_slashes(path, len);;) {
		char kept = path[end];
		path[end] = '\0';
		bool there = make_folder(dirfd, path) || errno == EEXIST;
		path[end] = kept;
		if (there)
			return end;
		if (errno != ENOENT)
			return 0;
		size_t up = end;
		while (up > 0 && path[up - 1] != '/')
			up--;
		if (up == 0)
			return 0;
		up = strip_slashes(path, up);
		if (up == end)
			return 0;
		end = up;
	}
}

static bool make_rest(int dirfd, char *path, size_t done)
{
	while (path[done]) {
		size_t end = done + strspn(path + done, "/");
		end += strcspn(path + end, "/");
		char kept = path[end];
		path[end] = '\0';
		bool there = make_folder(dirfd, path) || errno == EEXIST;
		path[end] = kept;
		if (!there)
			return false;
		done = end;
	}
	return true;
}

bool fs_mkdirs(int dirfd, const char *path, struct err *e)
{
	char *copy = xstrdup(path);
	struct stat st;
	size_t done = make_first_missing(dirfd, copy, strlen(copy));
	bool ok = done > 0 && make_rest(dirfd, copy, done);

	if (!ok)
		err_sys(e, "cannot make the folder %s", path);
	free(copy);
	if (!ok)
		return false;
	if (fstatat(dirfd, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_sys(e, "cannot look at %s", path);
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ERR_EXISTS, "%s is there already, but is no folder", path);
	return true;
}

int fs_open_dir(int dirfd, const char *path, struct err *e)
{
	if (!fs_mkdirs(dirfd, path, e))
		return -1;
	int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		err_sys(e, "cannot open the folder %s", path);
	return fd;
}

bool fs_exists(int dirfd, const char *path)
{
	struct stat st;

	return fstatat(dirfd, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

void fs_guard_stdio(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* The lowest free number is this one. Any descriptor will do where there is no /dev. */
		if (open("/dev/null", O_RDWR) < 0 && open("/", O_PATH) < 0)
			die("descriptor %d is closed and cannot be replaced", fd);
	}
}
