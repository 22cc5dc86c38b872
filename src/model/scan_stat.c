/*
 * Opening and looking at attached files, many at once: what an unchanged folder costs is this file.
 * Names are looked up relative to their folder's descriptor; a system call per file remains, so large
 * folders are shared among threads.
 */
#include "scan.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SCAN_THREADS 4
#ifndef SCAN_CHUNK
#define SCAN_CHUNK 256 /* files that a thread takes at once */
#endif

/* No link on the way, none at the end: what lies outside is never reached by a race. */
int scan_open_below(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC | O_NOFOLLOW),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));

	/* Filters of old containers refuse the call; then the last part alone is guarded. */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(root, path, flags | O_CLOEXEC | O_NOFOLLOW);
	return fd;
}

/* Opens what a link leads to, if that is inside the workspace and not in our own folder. */
static int open_link(int root, const char *root_path, const char *path, int flags)
{
	char *whole = path_join(root_path, path);
	char *real = realpath(whole, NULL);
	const char *below = real ? path_below(root_path, real) : NULL;
	int fd = -1;

	if (below && strncmp(below, ".tickmark/", 10) != 0)
		fd = scan_open_below(root, below, flags);
	else if (real)
		errno = EXDEV;
	free(real);
	free(whole);
	return fd;
}

static void put_statx(const struct statx *x, struct scan_stat *out)
{
	out->size = x->stx_size;
	out->mtime_ns = x->stx_mtime.tv_sec * INT64_C(1000000000) + x->stx_mtime.tv_nsec;
	out->ctime_ns = x->stx_ctime.tv_sec * INT64_C(1000000000) + x->stx_ctime.tv_nsec;
	out->inode = x->stx_ino;
	out->device = (uint64_t)x->stx_dev_major << 32 | x->stx_dev_minor;
	out->mode = x->stx_mode;
	out->owner = x->stx_uid;
}

static void stat_name(int dir, const char *name, int flags, struct scan_stat *out)
{
	struct statx x;

	if (statx(dir, name, flags, STATX_BASIC_STATS, &x) == 0)
		put_statx(&x, out);
	else
		memset(out, 0, sizeof(*out));
}

void scan_stat_fd(int fd, struct scan_stat *out)
{
	stat_name(fd, "", AT_EMPTY_PATH, out);
}

/* Of a link, the file it leads to; zero when that is none, or outside. */
static void stat_link(int root, const char *root_path, const char *path, struct scan_stat *out)
{
	int fd = open_link(root, root_path, path, O_PATH);

	memset(out, 0, sizeof(*out));
	if (fd < 0)
		return;
	scan_stat_fd(fd, out);
	if (!S_ISREG(out->mode))
		memset(out, 0, sizeof(*out));
	close(fd);
}

void scan_stat_path(int root, const char *path, struct scan_stat *out)
{
	int fd = scan_open_below(root, path, O_PATH);

	memset(out, 0, sizeof(*out));
	if (fd < 0)
		return;
	scan_stat_fd(fd, out);
	close(fd);
}

int64_t scan_mtime_us(const struct scan_stat *st)
{
	int64_t ns = st->mtime_ns;

	return ns >= 0 ? ns / 1000 : -((-ns + 999) / 1000);
}

bool scan_is_same(const struct scan_stat *a, const struct scan_stat *b)
{
	return a->size == b->size && a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns && a->inode == b->inode &&
	       a->device == b->device && a->mode == b->mode && a->owner == b->owner;
}

bool scan_is_settled(const struct scan_stat *st, int64_t stamp_ns)
{
	return st->mtime_ns < stamp_ns && st->ctime_ns < stamp_ns;
}

/* ---- all at once ---- */

struct job {
	int root;
	const char *root_path;
	const struct scan *s;
	int64_t stamp_ns;
	_Atomic size_t next_file;
	_Atomic size_t next_folder;
};

struct found {
	struct scan_diff *v;
	size_t n, cap;
};

/* What one thread does. Only differences are written down: as a rule there are none. */
struct worker {
	struct job *job;
	pthread_t thread;
	struct found folders, files;
};

static void compare(const struct job *j, size_t row, const struct scan_stat *was, const struct scan_stat *now, struct found *out)
{
	if (scan_is_same(was, now) && scan_is_settled(now, j->stamp_ns))
		return;
	out->v = grow(out->v, out->n, &out->cap, sizeof(*out->v));
	out->v[out->n++] = (struct scan_diff){ .st = *now, .row = (uint32_t)row };
}

static void stat_file(const struct job *j, const struct scan_file *f, int folder, struct scan_stat *out)
{
	const char *path = scan_text(j->s, f->path);

	if (f->source)
		stat_name(AT_FDCWD, scan_text(j->s, f->source), f->kind == SCAN_WATCHED ? AT_SYMLINK_NOFOLLOW : 0, out);
	else if (f->kind == SCAN_LINK)
		stat_link(j->root, j->root_path, path, out);
	else if (f->folder == SCAN_NONE)
		scan_stat_path(j->root, path, out);
	else if (folder >= 0)
		stat_name(folder, scan_text(j->s, f->name), AT_SYMLINK_NOFOLLOW, out);
	else
		memset(out, 0, sizeof(*out));
}

static bool take_chunk(_Atomic size_t *next, size_t n, size_t *from, size_t *to)
{
	*from = atomic_fetch_add(next, SCAN_CHUNK);
	*to = MIN(*from + SCAN_CHUNK, n);
	return *from < n;
}

static int open_folder(const struct job *j, uint32_t folder)
{
	if (folder == SCAN_NONE)
		return -1;
	return scan_open_below(j->root, scan_text(j->s, j->s->folders[folder].path), O_PATH | O_DIRECTORY);
}

static void compare_files(struct worker *w)
{
	struct job *j = w->job;
	const struct scan *s = j->s;
	uint32_t folder = SCAN_NONE;
	struct scan_stat now;
	size_t from, to;
	int fd = -1;

	while (take_chunk(&j->next_file, s->files_n, &from, &to)) {
		for (size_t i = from; i < to; i++) {
			const struct scan_file *f = &s->files[s->by_folder[i]];
			if (f->kind == SCAN_KEPT)
				continue;
			if (f->folder != folder) {
				if (fd >= 0)
					close(fd);
				folder = f->folder;
				fd = open_folder(j, folder);
			}
			stat_file(j, f, fd, &now);
			compare(j, s->by_folder[i], &f->st, &now, &w->files);
		}
	}
	if (fd >= 0)
		close(fd);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct job *j = w->job;
	struct scan_stat now;
	size_t from, to;

	compare_files(w);
	while (take_chunk(&j->next_folder, j->s->folders_n, &from, &to)) {
		for (size_t i = from; i < to; i++) {
			scan_stat_path(j->root, scan_text(j->s, j->s->folders[i].path), &now);
			compare(j, i, &j->s->folders[i].st, &now, &w->folders);
		}
	}
	return NULL;
}

static int by_row(const void *a, const void *b)
{
	const struct scan_diff *x = a, *y = b;

	return x->row < y->row ? -1 : x->row > y->row;
}

/* Takes what one thread found. */
static void gather(struct found *all, struct found *part)
{
	all->v = xreallocarray(all->v, all->n + part->n + 1, sizeof(*all->v));
	if (part->n > 0)
		memcpy(all->v + all->n, part->v, part->n * sizeof(*part->v));
	all->n += part->n;
	free(part->v);
}

void scan_compare(int root, const char *path, const struct scan *s, int64_t stamp_ns, int threads, struct scan_diffs *out)
{
	struct job j = { .root = root, .root_path = path, .s = s, .stamp_ns = stamp_ns };
	struct worker workers[SCAN_THREADS] = { { .job = &j }, { .job = &j }, { .job = &j }, { .job = &j } };
	struct found folders = { .n = 0 }, files = { .n = 0 };
	int started = 1;

	while (started < MIN(threads, SCAN_THREADS) &&
	       pthread_create(&workers[started].thread, NULL, work, &workers[started]) == 0)
		started++;
	work(&workers[0]);
	for (int i = 0; i < started; i++) {
		if (i > 0)
			pthread_join(workers[i].thread, NULL);
		gather(&folders, &workers[i].folders);
		gather(&files, &workers[i].files);
	}
	qsort(folders.v, folders.n, sizeof(*folders.v), by_row);
	qsort(files.v, files.n, sizeof(*files.v), by_row);
	*out = (struct scan_diffs){ .folders = folders.v, .folders_n = folders.n, .files = files.v, .files_n = files.n };
}

void scan_diffs_free(struct scan_diffs *d)
{
	free(d->folders);
	free(d->files);
	*d = (struct scan_diffs){ 0 };
}

int scan_threads(size_t files)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return files < 8 * SCAN_CHUNK ? 1 : (int)MIN(MAX(cores, 1), SCAN_THREADS);
}

/* ---- one ---- */

int scan_open(int root, const char *path, const struct scan *s, const struct scan_file *f)
{
	int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;

	if (f->source)
		return open(scan_text(s, f->source), flags | O_CLOEXEC);
	if (f->kind == SCAN_LINK)
		return open_link(root, path, scan_text(s, f->path), flags);
	return scan_open_below(root, scan_text(s, f->path), flags);
}

int scan_open_path(int root, const char *root_path, const char *path)
{
	int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
	int fd = scan_open_below(root, path, flags);

	return fd < 0 && errno == ELOOP ? open_link(root, root_path, path, flags) : fd;
}

bool scan_may_read(int root, const struct scan *s, const struct scan_file *f)
{
	uid_t me = geteuid();

	if (me == 0)
		return true;
	if (f->st.owner == me)
		return f->st.mode & S_IRUSR;
	if (f->source)
		return faccessat(AT_FDCWD, scan_text(s, f->source), R_OK, AT_EACCESS) == 0;
	return faccessat(root, scan_text(s, f->path), R_OK, AT_EACCESS) == 0;
}
