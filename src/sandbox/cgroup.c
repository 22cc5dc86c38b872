/*
 * The control group of a run (cgroup v2), where the machine lets us make one that limits memory: below
 * the nearest of our own groups that we may write to and whose children have the memory controller
 * (systemd delegates such to each user). It counts what the keeper cannot see - shared memory that is
 * not resident, page tables - and kills everything at once.
 *
 * The hard limit is memory and scratch together, for files in memory count as well; what goes for the
 * limit of memory is anonymous and shared memory without the scratch, looked at from time to time.
 * https://docs.kernel.org/admin-guide/cgroup-v2.html
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "impl.h"

#ifndef CGROUP2_SUPER_MAGIC
#define CGROUP2_SUPER_MAGIC 0x63677270
#endif
#define NAME "tickmark-"
#define MAKE_TRIES 3
#define KEEPER_BYTES (INT64_C(64) << 20) /* for the keeper and what the kernel holds on the run's behalf */

static ssize_t read_file(int dir, const char *name, char *out, size_t size)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, out, size - 1) : -1;

	if (fd >= 0)
		close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n;
}

static bool write_file(int dir, const char *name, const char *text)
{
	int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool write_number(int dir, const char *name, int64_t value)
{
	char text[32];

	snprintf(text, sizeof text, "%lld", (long long)value);
	return write_file(dir, name, text);
}

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; (p = strstr(p, word)) != NULL; p += n)
		if ((p == text || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\n' || p[n] == '\0'))
			return true;
	return false;
}

/* The group that this process is in, as an open folder; -1: no cgroup v2 here. */
static int open_own(void)
{
	static const char *const tops[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	char text[4096], path[4200];
	struct statfs fs;

	if (read_file(AT_FDCWD, "/proc/self/cgroup", text, sizeof text) <= 0)
		return -1;
	char *own = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
	if (own == NULL)
		return -1;
	own += own == text ? 3 : 4;
	own[strcspn(own, "\n")] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(tops); i++) {
		if (statfs(tops[i], &fs) != 0 || fs.f_type != CGROUP2_SUPER_MAGIC)
			continue;
		snprintf(path, sizeof path, "%s%s", tops[i], own);
		return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	return -1;
}

/* A folder below which a group with the memory controller can be made; -1: none. */
static int open_parent(void)
{
	int dir = open_own();
	struct statfs fs;
	char text[512];

	for (int up = 0; dir >= 0 && up < 16; up++) {
		if (read_file(dir, "cgroup.subtree_control", text, sizeof text) >= 0 && has_word(text, "memory") &&
		    faccessat(dir, ".", W_OK, AT_EACCESS) == 0 && faccessat(dir, "cgroup.procs", W_OK, AT_EACCESS) == 0)
			return dir;
		int next = openat(dir, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(dir);
		dir = next;
		if (dir >= 0 && (fstatfs(dir, &fs) != 0 || fs.f_type != CGROUP2_SUPER_MAGIC)) {
			close(dir);
			return -1;
		}
	}
	return -1;
}

/* Groups of launchers that were killed: nobody holds their lock, and where nobody lives in them they can go. */
static void remove_left(int parent)
{
	int dir = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = dir >= 0 ? fdopendir(dir) : NULL;

	if (d == NULL && dir >= 0)
		close(dir);
	for (struct dirent *ent; d != NULL && (ent = readdir(d)) != NULL;) {
		if (strncmp(ent->d_name, NAME, sizeof NAME - 1) != 0)
			continue;
		int fd = openat(parent, ent->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			unlinkat(parent, ent->d_name, AT_REMOVEDIR);
		if (fd >= 0)
			close(fd);
	}
	if (d != NULL)
		closedir(d);
}

/* Locked as long as the launcher lives; false where another took it for one that was left, before it was. */
static bool make_locked(struct cgroup *g)
{
	struct uuid id = uuid_new();
	char text[UUID_TEXT];
	struct stat there, ours;

	uuid_text(&id, text);
	snprintf(g->name, sizeof g->name, NAME "%s", text);
	if (mkdirat(g->parent, g->name, 0755) != 0)
		return false;
	g->dir = openat(g->parent, g->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (g->dir >= 0 && flock(g->dir, LOCK_SH | LOCK_NB) == 0 && fstat(g->dir, &ours) == 0 &&
	    fstatat(g->parent, g->name, &there, 0) == 0 && there.st_ino == ours.st_ino)
		return true;
	if (g->dir >= 0)
		close(g->dir);
	g->dir = -1;
	return false;
}

void cgroup_make(struct cgroup *g)
{
	*g = (struct cgroup){ .dir = -1, .parent = open_parent() };
	if (g->parent < 0)
		return;
	remove_left(g->parent);
	for (int i = 0; i < MAKE_TRIES && !make_locked(g); i++)
		continue;
	if (g->dir < 0 || !write_file(g->dir, "memory.oom.group", "1"))
		cgroup_free(g);
}

void cgroup_limit(struct cgroup *g, const struct policy *p)
{
	const struct limits *l = &p->limits;
	bool in_memory = p->scratch == SCRATCH_TMPFS_XATTR || p->scratch == SCRATCH_TMPFS;
	int64_t most = l->memory_bytes + (in_memory ? l->scratch_bytes : 0) + KEEPER_BYTES;

	if (g->dir < 0)
		return;
	/* Where one of these cannot be had, the launcher still looks at what is used. */
	if (l->memory_bytes > 0 && !(in_memory && l->scratch_bytes == 0))
		write_number(g->dir, "memory.max", most);
	write_file(g->dir, "memory.swap.max", "0");
	if (l->processes > 0)
		write_number(g->dir, "pids.max", l->processes + 1); /* and the keeper */
}

/* Lines "name value". */
static int64_t value_in(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = text; p != NULL && *p != '\0'; p = strchr(p, '\n'), p = p != NULL ? p + 1 : NULL)
		if (strncmp(p, name, n) == 0 && p[n] == ' ')
			return strtoll(p + n, NULL, 10);
	return 0;
}

int64_t cgroup_memory(const struct cgroup *g)
{
	char text[8192];

	if (g->dir < 0 || read_file(g->dir, "memory.stat", text, sizeof text) <= 0)
		return -1;
	return value_in(text, "anon") + value_in(text, "shmem");
}

bool cgroup_ran_out(const struct cgroup *g)
{
	char text[512];

	return g->dir >= 0 && read_file(g->dir, "memory.events", text, sizeof text) > 0 &&
	       (value_in(text, "oom_kill") > 0 || value_in(text, "oom_group_kill") > 0);
}

bool cgroup_kill(const struct cgroup *g)
{
	return g->dir >= 0 && write_file(g->dir, "cgroup.kill", "1");
}

void cgroup_free(struct cgroup *g)
{
	if (g->dir >= 0)
		close(g->dir);
	if (g->parent >= 0 && g->name[0] != '\0')
		unlinkat(g->parent, g->name, AT_REMOVEDIR);
	if (g->parent >= 0)
		close(g->parent);
	*g = (struct cgroup){ .dir = -1, .parent = -1 };
}

bool sandbox_counts_memory(void)
{
	struct cgroup g;

	cgroup_make(&g);
	bool yes = g.dir >= 0;
	cgroup_free(&g);
	return yes;
}
