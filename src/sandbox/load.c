/*
 * What a run uses right now, seen from outside. Its processes are those below the one that launched it: the
 * keeper, and everything below that, as orphans stay there. Processor time of those that are gone stands
 * with who waited for them, the keeper at last, so nothing is lost and nothing counted twice.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "impl.h"

static ssize_t read_of(int proc, pid_t pid, const char *file, char *out, size_t size)
{
	char path[64];
	ssize_t n;

	snprintf(path, sizeof path, "%d/%s", (int)pid, file);
	int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, out, size - 1);
	close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n;
}

/* utime, stime, cutime and cstime are fields 14 to 17 of stat, num_threads is field 20: proc_pid_stat(5). The
 * name in field 2 may hold anything. */
static bool add_times(int proc, pid_t pid, bool keeper, struct sandbox_load *out)
{
	long long times[4], threads;
	long tick = sysconf(_SC_CLK_TCK);
	char text[1024];
	const char *p;

	if (read_of(proc, pid, "stat", text, sizeof text) <= 0 || (p = strrchr(text, ')')) == NULL ||
	    sscanf(p, ") %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lld %lld %lld %lld %*s %*s %lld", &times[0], &times[1], &times[2],
	           &times[3], &threads) != 5)
		return false;
	/* the keeper's own is not the run's */
	out->cpu_us += ((keeper ? 0 : times[0] + times[1]) + times[2] + times[3]) * 1000000 / tick;
	out->threads += keeper ? 0 : threads;
	return true;
}

/* Memory of its own: what is neither of a file nor shared. */
static int64_t own_memory(int proc, pid_t pid)
{
	long long size, resident, shared;
	char text[256];

	if (read_of(proc, pid, "statm", text, sizeof text) <= 0 ||
	    sscanf(text, "%lld %lld %lld", &size, &resident, &shared) != 3)
		return 0;
	return (resident - shared) * sysconf(_SC_PAGESIZE);
}

/* Of pages that several processes have since a fork, each counts its share; where that is not told, all. */
static int64_t share_of_memory(int proc, pid_t pid)
{
	char text[2048];
	const char *p = read_of(proc, pid, "smaps_rollup", text, sizeof text) > 0 ? strstr(text, "\nPss_Anon:") : NULL;

	return p != NULL ? atoll(p + strlen("\nPss_Anon:")) << 10 : own_memory(proc, pid);
}

bool sandbox_load(pid_t launcher, struct sandbox_load *out)
{
	struct family *f = xcalloc(1, sizeof *f);
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t holders = 0;

	*out = (struct sandbox_load){ .cpu_us = 0 };
	if (proc >= 0)
		family_list(proc, launcher, f);
	for (size_t i = 0; i < f->n; i++)
		holders += add_times(proc, f->members[i].pid, f->members[i].parent == launcher, out);
	for (size_t i = 0; i < f->n; i++)
		if (f->members[i].parent != launcher)
			out->memory += holders > 2 ? share_of_memory(proc, f->members[i].pid) : own_memory(proc, f->members[i].pid);
	if (proc >= 0)
		close(proc);
	free(f);
	return holders > 0;
}
