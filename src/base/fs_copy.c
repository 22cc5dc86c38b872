/*
 * Copies the rest of one file into another by the cheapest means the kernel offers: sharing
 * extents, copying inside the kernel, then by hand. Holes stay holes.
 */
#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef FS_COPY_CHUNK
#define FS_COPY_CHUNK 131072 /* bytes per round by hand; tests make it tiny */
#endif
#define TO_THE_END INT64_MAX

struct copy {
	int in;           /* read from its offset on */
	int out;          /* written at its offset */
	const char *what; /* for messages */
	struct err *e;    /* the caller's */
};

static bool is_regular(int fd, struct stat *st)
{
	return fstat(fd, st) == 0 && S_ISREG(st->st_mode);
}

/* FICLONE takes whole files only: both must stand at their start, and the target be empty. */
static bool share_extents(const struct copy *c)
{
	struct stat from, to;

	if (!is_regular(c->in, &from) || !is_regular(c->out, &to) || to.st_size != 0)
		return false;
	if (lseek(c->in, 0, SEEK_CUR) != 0 || lseek(c->out, 0, SEEK_CUR) != 0)
		return false;
	if (ioctl(c->out, FICLONE, c->in) < 0)
		return false;
	return lseek(c->in, 0, SEEK_END) >= 0 && lseek(c->out, 0, SEEK_END) >= 0;
}

/* Bytes that the kernel copied; fewer than asked for whenever it would not or the file ended. */
static int64_t copy_in_kernel(const struct copy *c, int64_t n)
{
	int64_t done = 0;

	while (done < n) {
		size_t want = (size_t)MIN(n - done, (int64_t)1 << 30);
		ssize_t got = copy_file_range(c->in, NULL, c->out, NULL, want, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += got;
	}
	return done;
}

static bool copy_by_hand(const struct copy *c, int64_t n)
{
	char *block = xmalloc(FS_COPY_CHUNK);
	bool ok = true;

	while (ok && n > 0) {
		ssize_t got = read(c->in, block, (size_t)MIN(n, (int64_t)FS_COPY_CHUNK));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			ok = err_sys(c->e, "cannot read %s", c->what);
		if (got <= 0)
			break;
		ok = fs_write_fd(c->out, block, (size_t)got, c->what, c->e);
		n -= got;
	}
	free(block);
	return ok;
}

/* The kernel's copy may stop early for reasons that do not matter (other file system, /proc files
 * that claim to be empty, EINVAL of old kernels): reading tells what is really left. */
static bool copy_bytes(const struct copy *c, int64_t n)
{
	return copy_by_hand(c, n - copy_in_kernel(c, n));
}

/* Skipping leaves what the target holds: so only behind its end, and never where O_APPEND rules. */
static bool can_keep_holes(const struct copy *c)
{
	struct stat from, to;
	int flags = fcntl(c->out, F_GETFL);

	if (flags < 0 || (flags & O_APPEND) || !is_regular(c->in, &from) || !is_regular(c->out, &to))
		return false;
	return lseek(c->out, 0, SEEK_CUR) >= to.st_size;
}

/* Moves both files past a hole that ends at `to` in the source. */
static bool skip_hole(const struct copy *c, off_t from, off_t to)
{
	off_t at = lseek(c->in, to, SEEK_SET) < 0 ? -1 : lseek(c->out, to - from, SEEK_CUR);

	/* Behind a last hole nothing is written that would give the file its length. */
	return at >= 0 && ftruncate(c->out, at) == 0;
}

/* From one hole to the next; stops where the file system cannot tell, the rest is plain then. */
static bool copy_with_holes(const struct copy *c)
{
	for (;;) {
		off_t at = lseek(c->in, 0, SEEK_CUR);
		off_t data = lseek(c->in, at, SEEK_DATA);
		bool last = data < 0 && errno == ENXIO;
		off_t to = last ? lseek(c->in, 0, SEEK_END) : data;

		if (to < 0)
			return lseek(c->in, at, SEEK_SET) >= 0 || err_sys(c->e, "cannot read %s", c->what);
		if (to > at && !skip_hole(c, at, to))
			return err_sys(c->e, "cannot write %s", c->what);
		if (last)
			return true;

		off_t hole = lseek(c->in, to, SEEK_HOLE);
		if (lseek(c->in, to, SEEK_SET) < 0)
			return err_sys(c->e, "cannot read %s", c->what);
		if (hole <= to)
			return true;
		if (!copy_bytes(c, hole - to))
			return false;
		if (lseek(c->in, 0, SEEK_CUR) < hole)
			return true; /* cut short by somebody else meanwhile */
	}
}

bool fs_copy(int in, int out, const char *what, struct err *e)
{
	struct copy c = { .in = in, .out = out, .what = what, .e = e };

	if (share_extents(&c))
		return true;
	if (can_keep_holes(&c) && !copy_with_holes(&c))
		return false;
	/* Not regular, or grown meanwhile, or no SEEK_DATA here: the rest as it comes. */
	return copy_bytes(&c, TO_THE_END);
}
