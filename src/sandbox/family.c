/*
 * The processes of a run that has no pid namespace: everything below its keeper, which is a
 * subreaper, so that orphans stay below it. Who forks while we look is found at the next look; a run
 * is ended by looking until nobody is left.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "impl.h"
#include "sys.h"

/* Names of the folder `path` below proc, one after the other; numbers only. */
static void each_number(int proc, const char *path, void (*fn)(void *ctx, pid_t number), void *ctx)
{
	int fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	if (d == NULL) {
		if (fd >= 0)
			close(fd);
		return;
	}
	for (struct dirent *ent; (ent = readdir(d)) != NULL;)
		if (isdigit((unsigned char)ent->d_name[0]))
			fn(ctx, (pid_t)strtol(ent->d_name, NULL, 10));
	closedir(d);
}

struct looking {
	struct family *family;
	int proc;
	pid_t parent;
};

static void add(struct family *f, pid_t pid, pid_t parent)
{
	if (f->n < ARRAY_LEN(f->members))
		f->members[f->n++] = (struct member){ pid, parent };
}

/* Children of one thread: proc_pid_children(5). */
static void add_children(void *ctx, pid_t thread)
{
	struct looking *l = ctx;
	char path[64], text[8192], *p = text;

	snprintf(path, sizeof path, "%d/task/%d/children", (int)l->parent, (int)thread);
	int fd = openat(l->proc, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	for (char *end; *p != '\0'; p = end) {
		pid_t pid = (pid_t)strtol(p, &end, 10);
		if (end == p)
			break;
		add(l->family, pid, l->parent);
		while (*end == ' ')
			end++;
	}
}

void family_list(int proc, pid_t keeper, struct family *out)
{
	struct looking l = { .family = out, .proc = proc, .parent = keeper };
	char path[32];

	out->n = 0;
	for (size_t at = 0;; at++) {
		snprintf(path, sizeof path, "%d/task", (int)l.parent);
		each_number(proc, path, add_children, &l);
		if (at >= out->n)
			return;
		l.parent = out->members[at].pid;
	}
}

/* Is it still the child it was? Its number may have passed to a stranger. */
static bool is_child_of(int proc, const struct member *m)
{
	char path[32], text[512];

	snprintf(path, sizeof path, "%d/stat", (int)m->pid);
	int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *p = strrchr(text, ')'); /* state, parent */
	return p != NULL && strlen(p) > 4 && strtol(p + 4, NULL, 10) == m->parent;
}

size_t family_kill(int proc, pid_t keeper)
{
	static struct family f; /* large; whoever ends a run does nothing else */
	size_t n = 0;

	family_list(proc, keeper, &f);
	for (size_t i = 0; i < f.n; i++) {
		int pidfd = (int)syscall(SYS_pidfd_open, f.members[i].pid, 0);
		if (pidfd < 0)
			continue;
		if (is_child_of(proc, &f.members[i]) && sys_pidfd_kill(pidfd) == 0)
			n++;
		close(pidfd);
	}
	return n;
}
