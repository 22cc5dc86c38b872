/* Copying and hashing attached files, by several threads when there are many. */
#include "ingest.h"

#include "index.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define THREADS 4
#define ENOUGH_FILES 64 /* for more than one thread */
#define TRIES 3
#ifndef SMALL
#define SMALL (256 * 1024) /* bytes; a smaller file goes through memory */
#endif

struct job {
	struct workspace *ws;
	struct scan *s;
	const uint32_t *list;
	size_t n;
	struct layer *layer;
	_Atomic size_t next;
	_Atomic bool failed;
	pthread_mutex_t lock; /* of e */
	struct err *e;
};

static bool fail(struct job *j, const struct err *fault)
{
	pthread_mutex_lock(&j->lock);
	if (!j->failed && j->e)
		*j->e = *fault;
	j->failed = true;
	pthread_mutex_unlock(&j->lock);
	return false;
}

/* Reads the file at `in` once: into `out`, which is then hashed, or hashed itself when out is -1. */
static bool read_large(int in, int out, const char *path, struct digest *sha256, struct err *e)
{
	if (lseek(in, 0, SEEK_SET) < 0 || (out >= 0 && (lseek(out, 0, SEEK_SET) < 0 || ftruncate(out, 0) < 0)))
		return err_sys(e, "cannot rewind %s", path);
	if (out < 0)
		return hash_fd(in, path, sha256, NULL, e);
	if (!fs_copy(in, out, path, e))
		return false;
	if (lseek(out, 0, SEEK_SET) < 0)
		return err_sys(e, "cannot rewind the copy of %s", path);
	return hash_fd(out, path, sha256, NULL, e);
}

/* The same in few system calls, which is what many small files cost. False without a message where
 * anything is out of the ordinary: read_large then tells. */
static bool read_small(int in, int out, char *buf, size_t size, struct digest *sha256)
{
	/* One more than it should have: growing files are read the other way. */
	if (pread(in, buf, size + 1, 0) != (ssize_t)size)
		return false;
	*sha256 = hash_bytes(buf, size);
	return out < 0 || pwrite(out, buf, size, 0) == (ssize_t)size;
}

static bool read_once(int in, int out, const char *path, char *buf, uint64_t size, struct digest *sha256, struct err *e)
{
	if (buf && size < SMALL && read_small(in, out, buf, size, sha256))
		return true;
	return read_large(in, out, path, sha256, e);
}

/* `before` is the stat of `in`, from after it was opened. */
static bool read_still(struct job *j, struct scan_file *f, int in, int out, char *buf, struct scan_stat before, struct err *e)
{
	const char *path = scan_text(j->s, f->path);
	struct scan_stat after;

	for (int i = 0; i < TRIES; i++) {
		if (!read_once(in, out, path, i == 0 ? buf : NULL, before.size, &f->sha256, e))
			return false;
		scan_stat_fd(in, &after);
		if (scan_is_same(&before, &after)) {
			f->st = before;
			return true;
		}
		before = after;
	}
	return err_set(e, ERR_BUSY, "%s changes while it is being copied; run again when the program that writes it is done, "
	               "or take it out: tickmark attach remove %s", path, path);
}

static bool is_gone(int sys)
{
	return sys == ENOENT || sys == ENOTDIR || sys == ELOOP || sys == EACCES || sys == EXDEV || sys == ENXIO;
}

static bool copy_in(struct job *j, struct scan_file *f, int in, char *buf, const struct scan_stat *st, struct err *e)
{
	const char *path = scan_text(j->s, f->path);
	int out = layer_create(j->layer, path, e);

	if (out < 0)
		return false;
	bool ok = read_still(j, f, in, out, buf, *st, e);
	if (ok) {
		struct entry en = index_entry_of(j->s, f);
		ok = layer_finish_file(j->layer, out, path, en.mode, en.mtime_us, e);
		layer_count(j->layer, en.size);
	}
	close(out);
	return ok;
}

static bool take_one(struct job *j, struct scan_file *f, char *buf, struct err *e)
{
	struct scan_stat st = { 0 };
	int in = scan_open(j->ws->dir, j->ws->root, j->s, f);

	if (in < 0 && !is_gone(errno))
		return err_sys(e, "cannot read %s", scan_text(j->s, f->path));
	if (in >= 0)
		scan_stat_fd(in, &st);
	if (!S_ISREG(st.mode)) {
		memset(&f->st, 0, sizeof(f->st));
		if (in >= 0)
			close(in);
		return true;
	}
	bool ok = j->layer ? copy_in(j, f, in, buf, &st, e) : read_still(j, f, in, -1, buf, st, e);
	close(in);
	return ok;
}

static void *work(void *arg)
{
	struct job *j = arg;
	char *buf = xmalloc(SMALL);
	size_t i;

	while (!j->failed && (i = atomic_fetch_add(&j->next, 1)) < j->n) {
		struct err fault = { 0 };
		if (!take_one(j, &j->s->files[j->list[i]], buf, &fault))
			fail(j, &fault);
	}
	free(buf);
	return NULL;
}

bool ingest_files(struct workspace *ws, struct scan *s, const uint32_t *list, size_t n, struct layer *layer, struct err *e)
{
	struct job j = { .ws = ws, .s = s, .list = list, .n = n, .layer = layer, .e = e, .lock = PTHREAD_MUTEX_INITIALIZER };
	pthread_t others[THREADS];
	int started = 0;

	for (size_t i = 0; layer && i < n; i++)
		if (!layer_make_folders(layer, scan_text(s, s->files[list[i]].path), e))
			return false;
	while (n >= ENOUGH_FILES && started < THREADS - 1 && pthread_create(&others[started], NULL, work, &j) == 0)
		started++;
	work(&j);
	for (int i = 0; i < started; i++)
		pthread_join(others[i], NULL);
	pthread_mutex_destroy(&j.lock);
	return !j.failed || layer_explain(e);
}

bool ingest_matching(struct workspace *ws, const struct scan *s, const struct scan_file *f, const struct digest *want, int out)
{
	struct digest got;
	int in = scan_open(ws->dir, ws->root, s, f);

	if (in < 0)
		return false;
	bool ok = read_large(in, out, scan_text(s, f->path), &got, NULL) && digest_equal(&got, want);
	close(in);
	return ok;
}
