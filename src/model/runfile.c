/* Locks and small files in .tickmark/run. */
#include "runfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST 4096 /* bytes of such a file */

static int run_dir(struct workspace *ws, struct err *e)
{
	return workspace_open_dir(ws, "run", e);
}

static bool lock(int fd)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &l) == 0;
}

/* Field 22 of /proc/PID/stat; 0 when there is no such process. */
static int64_t start_of(pid_t pid)
{
	char path[64];
	struct buf b = { 0 };
	long long start = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (fs_read(AT_FDCWD, path, MOST, &b, NULL)) {
		/* The name in field 2 may hold blanks and parentheses. */
		const char *p = strrchr(b.data, ')');
		for (int field = 2; p && field < 22; field++)
			p = strchr(p + 1, ' ');
		if (p)
			start = strtoll(p + 1, NULL, 10);
	}
	buf_free(&b);
	return start;
}

static bool write_lines(int fd, const struct uuid *u, int64_t attempt, int64_t started_us, const struct stat *record, struct err *e)
{
	struct buf b = { 0 };
	char text[UUID_TEXT];

	uuid_text(u, text);
	buf_addf(&b, "uuid %s\npid %d\nstart %lld\nattempt %lld\n", text, (int)getpid(), (long long)start_of(getpid()),
	         (long long)attempt);
	if (record)
		buf_addf(&b, "device %lld\ninode %lld\nstarted %lld\n", (long long)record->st_dev, (long long)record->st_ino,
		         (long long)started_us);
	/* Readers see the shorter, earlier text or this one: it only grows. */
	bool ok = lseek(fd, 0, SEEK_SET) == 0 && fs_write_fd(fd, b.data, b.len, "the run file", e);
	buf_free(&b);
	return ok;
}

static int make_in(struct workspace *ws, int dir, const struct uuid *u, bool runner, struct err *e)
{
	char name[UUID_TEXT], temp[UUID_TEXT + 4];

	uuid_text(u, name);
	snprintf(temp, sizeof(temp), ".%s", name);
	int fd = openat(dir, temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		err_sys(e, "cannot make %s/.tickmark/run/%s", ws->root, name);
		return -1;
	}
	if (!lock(fd))
		err_sys(e, "cannot lock %s/.tickmark/run/%s", ws->root, name);
	else if (runner && !write_lines(fd, u, 0, 0, NULL, e))
		;
	else if (renameat(dir, temp, dir, name) != 0)
		err_sys(e, "cannot rename %s/.tickmark/run/%s", ws->root, temp);
	else
		return fd;
	unlinkat(dir, temp, 0);
	close(fd);
	return -1;
}

static int make(struct workspace *ws, const struct uuid *u, bool runner, struct err *e)
{
	int dir = run_dir(ws, e), fd = -1;

	if (dir < 0)
		return -1;
	/* A sweep may take the file in the moment before it is locked. */
	for (int tries = 0; fd < 0 && tries < 3; tries++) {
		if (e)
			e->code = ERR_NONE;
		fd = make_in(ws, dir, u, runner, e);
	}
	close(dir);
	return fd;
}

int runfile_make(struct workspace *ws, const struct uuid *u, struct err *e)
{
	return make(ws, u, true, e);
}

int runfile_show_life(struct workspace *ws, const struct uuid *u, struct err *e)
{
	return make(ws, u, false, e);
}

void runfile_end_life(struct workspace *ws, const struct uuid *u, int fd)
{
	if (fd < 0)
		return;
	runfile_remove(ws, u);
	close(fd);
}

bool runfile_queued(int fd, const struct uuid *u, int64_t attempt, int64_t started_us, const char *record, struct err *e)
{
	struct stat st;

	if (stat(record, &st) != 0)
		return err_sys(e, "cannot examine %s", record);
	return write_lines(fd, u, attempt, started_us, &st, e);
}

void runfile_remove(struct workspace *ws, const struct uuid *u)
{
	char name[UUID_TEXT + 8];
	int dir = run_dir(ws, NULL);

	if (dir < 0)
		return;
	uuid_text(u, name);
	unlinkat(dir, name, 0);
	strcat(name, ".stop");
	unlinkat(dir, name, 0);
	close(dir);
}

int runfile_take(struct workspace *ws, const struct uuid *u, struct err *e)
{
	char name[UUID_TEXT];
	int dir = run_dir(ws, e);

	if (dir < 0)
		return -1;
	uuid_text(u, name);
	int fd = openat(dir, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		err_sys(e, "cannot open %s/.tickmark/run/%s", ws->root, name);
	close(dir);
	if (fd >= 0 && !lock(fd)) {
		err_set(e, ERR_BUSY, "the runner of attempt %s is alive", name);
		close(fd);
		return -1;
	}
	return fd;
}

static bool held_at(int dir, const char *name)
{
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return false;
	bool held = fcntl(fd, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
	close(fd);
	return held;
}

bool runfile_is_held(struct workspace *ws, const struct uuid *u)
{
	char name[UUID_TEXT];
	int dir = run_dir(ws, NULL);

	if (dir < 0)
		return false;
	uuid_text(u, name);
	bool held = held_at(dir, name);
	close(dir);
	return held;
}

static int64_t number_after(const char *text, const char *key)
{
	size_t n = strlen(key);

	for (const char *p = text; p && *p; p = strchr(p, '\n'), p += p ? 1 : 0)
		if (strncmp(p, key, n) == 0 && p[n] == ' ')
			return strtoll(p + n + 1, NULL, 10);
	return 0;
}

static bool read_at(int dir, const struct uuid *u, struct runfile *out)
{
	char name[UUID_TEXT];
	struct buf b = { 0 };

	uuid_text(u, name);
	bool ok = fs_read(dir, name, MOST, &b, NULL) && b.len > 0;
	if (ok) {
		*out = (struct runfile){
			.uuid = *u,
			.pid = (pid_t)number_after(b.data, "pid"),
			.pid_start = number_after(b.data, "start"),
			.attempt = number_after(b.data, "attempt"),
			.device = number_after(b.data, "device"),
			.inode = number_after(b.data, "inode"),
			.started_us = number_after(b.data, "started"),
		};
		ok = out->pid > 0;
	}
	buf_free(&b);
	return ok;
}

bool runfile_read(struct workspace *ws, const struct uuid *u, struct runfile *out)
{
	int dir = run_dir(ws, NULL);

	if (dir < 0)
		return false;
	bool ok = read_at(dir, u, out);
	close(dir);
	return ok;
}

/* Calls fn for each file of the folder; fn returns false to stop. */
static bool walk(struct workspace *ws, bool (*fn)(void *ctx, int dir, const char *name), void *ctx, struct err *e)
{
	int dir = run_dir(ws, e);
	if (dir < 0)
		return false;
	DIR *d = fdopendir(dir);
	if (!d) {
		close(dir);
		return err_sys(e, "cannot read %s/.tickmark/run", ws->root);
	}
	for (struct dirent *de; (de = readdir(d));)
		if (strcmp(de->d_name, ".") != 0 && strcmp(de->d_name, "..") != 0 && !fn(ctx, dirfd(d), de->d_name))
			break;
	closedir(d);
	return true;
}

bool runfile_is_of_process(const struct runfile *r)
{
	return start_of(r->pid) == r->pid_start;
}

struct each {
	bool (*fn)(void *ctx, const struct runfile *r);
	void *ctx;
};

static bool each_file(void *ctx, int dir, const char *name)
{
	struct each *each = ctx;
	struct uuid u;
	struct runfile r;

	if (!uuid_parse(name, &u) || !held_at(dir, name) || !read_at(dir, &u, &r))
		return true;
	return each->fn(each->ctx, &r);
}

bool runfile_each(struct workspace *ws, bool (*fn)(void *ctx, const struct runfile *r), void *ctx, struct err *e)
{
	struct each each = { fn, ctx };

	return walk(ws, each_file, &each, e);
}

static bool sweep_file(void *ctx, int dir, const char *name)
{
	int64_t *n = ctx;
	char owner[UUID_TEXT];
	struct uuid u;
	/* ".UUID" is one being made, "UUID.stop" a reason for the runner UUID. */
	bool making = name[0] == '.';

	snprintf(owner, sizeof(owner), "%.36s", making ? name + 1 : name);
	if (!uuid_parse(owner, &u))
		return true;
	if (strlen(name) > UUID_TEXT - 1 && !making) {
		if (!held_at(dir, owner))
			unlinkat(dir, name, 0);
		return true;
	}
	int fd = openat(dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return true;
	if (lock(fd)) {
		unlinkat(dir, name, 0);
		(*n)++;
	}
	close(fd);
	return true;
}

static bool note_file(void *ctx, int dir, const char *name)
{
	(void)dir, (void)name;
	return !(*(bool *)ctx = true);
}

bool runfile_none(struct workspace *ws)
{
	bool any = false;

	return walk(ws, note_file, &any, NULL) && !any;
}

bool runfile_sweep(struct workspace *ws, int64_t *n, struct err *e)
{
	*n = 0;
	return walk(ws, sweep_file, n, e);
}

bool runfile_stop(struct workspace *ws, const struct runfile *r, const char *by, struct err *e)
{
	char name[UUID_TEXT + 8];
	int fd = pidfd_open(r->pid, 0);

	/* The pidfd first: whatever the number meant, it now means one process. */
	if (fd < 0 || !runfile_is_of_process(r)) {
		if (fd >= 0)
			close(fd);
		return err_set(e, ERR_NOTFOUND, "its runner (process %d) is not there any more", (int)r->pid);
	}
	uuid_text(&r->uuid, name);
	strcat(name, ".stop");
	int dir = run_dir(ws, e);
	bool ok = dir >= 0 && fs_write(dir, name, by, strlen(by), false, e);
	if (dir >= 0)
		close(dir);
	/* A full disk is no reason not to stop it: then the signal alone must do. */
	if (pidfd_send_signal(fd, SIGTERM, NULL, 0) != 0)
		ok = err_sys(e, "cannot send SIGTERM to the runner (process %d)", (int)r->pid);
	else
		ok = true;
	close(fd);
	return ok;
}

char *runfile_take_reason(struct workspace *ws, const struct uuid *u)
{
	char name[UUID_TEXT + 8];
	struct buf b = { 0 };
	int dir = run_dir(ws, NULL);

	if (dir < 0)
		return NULL;
	uuid_text(u, name);
	strcat(name, ".stop");
	bool ok = fs_read(dir, name, MOST, &b, NULL) && b.len > 0;
	unlinkat(dir, name, 0);
	close(dir);
	if (!ok)
		buf_free(&b);
	return ok ? buf_take(&b) : NULL;
}
