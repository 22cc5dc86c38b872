/* What a run's end means, and which counters stood at their maximum: from the keeper's last message,
 * the state of the scratch, and what was seen on the way. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "impl.h"

#define NEARLY_FULL (64 << 10)
#define NEARLY_OUT 8            /* entries left */

void result_set_limit(const struct sandbox *sb, struct sandbox_result *out, const struct limit_info *limit, int64_t reached)
{
	out->limit = limit;
	out->limit_value = limit != NULL ? limit_get(&sb->policy.limits, limit) : 0;
	out->limit_reached = reached;
}

static int64_t micros(const struct timeval *t)
{
	return (int64_t)t->tv_sec * 1000000 + t->tv_usec;
}

/* ---- counters ------------------------------------------------------------------------------- */

/* An attached file that is longer than what is free cannot be changed in place: the copy of it runs
 * out of space, and leaves as much free as before. */
static bool has_longer_file(const struct sandbox *sb, int64_t free_bytes)
{
	for (size_t i = 0; i < sb->layers.n; i++) {
		int fd = open(sb->layers.v[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		int64_t longest = fd >= 0 ? measure_folder(fd).longest : 0;
		if (fd >= 0)
			close(fd);
		if (longest > free_bytes)
			return true;
	}
	return false;
}

int64_t scratch_in_memory(const struct sandbox *sb)
{
	struct statfs fs;

	if (!sb->tier->spaces || fstatfs(sb->scratch, &fs) != 0)
		return 0;
	return (int64_t)(fs.f_blocks - fs.f_bfree) * fs.f_bsize;
}

/* On a disk with more room than the run may use, only the run itself can have filled it. */
static bool disk_has_room(const struct sandbox *sb)
{
	const struct limits *l = &sb->policy.limits;
	struct statvfs fs;

	return fstatvfs(sb->upper, &fs) == 0 && (int64_t)fs.f_bavail * (int64_t)fs.f_frsize > l->scratch_bytes &&
	       (fs.f_files == 0 || (int64_t)fs.f_favail > l->scratch_files);
}

/* Links are no new files: that there were many is known only from looking, which the last ones escape. */
static bool were_many_links(const struct limits *l, int64_t bytes, int64_t files)
{
	return files >= l->scratch_files / 2 && (double)files / (double)l->scratch_files > (double)bytes / (double)MAX(l->scratch_bytes, 1);
}

/* Which of the two ran out at some time, as far as anybody looked; there may be room again. */
static void measure_peaks(const struct sandbox *sb, const struct statfs *fs, struct sandbox_result *out)
{
	const struct limits *l = &sb->policy.limits;
	int64_t bytes = sb->shared->peak_scratch, files = sb->shared->peak_files;

	out->at_scratch |= l->scratch_bytes > 0 &&
	                   (int64_t)fs->f_blocks * fs->f_bsize - bytes < MIN(NEARLY_FULL, l->scratch_bytes / 16);
	out->at_files |= l->scratch_files > 0 && (int64_t)fs->f_files - files < NEARLY_OUT;
	out->files_were_many = l->scratch_files > 0 &&
	                       (sb->shared->files_made - sb->files_base >= l->scratch_files ||
	                        were_many_links(l, bytes - sb->scratch_base, files - sb->files_base));
}

static void measure_scratch(const struct sandbox *sb, const struct ending *e, struct sandbox_result *out)
{
	const struct limits *l = &sb->policy.limits;
	struct statfs fs;

	if (sb->disk != NULL) {
		struct measured now = measure_disk(sb);
		int64_t written = now.bytes - e->disk.bytes, entries = now.entries - e->disk.entries;
		out->scratch_used = MAX(0, written);
		out->at_scratch |= l->scratch_bytes > 0 && written > l->scratch_bytes;
		out->at_files |= l->scratch_files > 0 && entries > l->scratch_files;
	}
	out->no_other_full = l->scratch_bytes > 0 && (sb->disk == NULL || disk_has_room(sb));
	/* Without namespaces the disk's own figures say nothing about the run. */
	if (!sb->tier->spaces || fstatfs(sb->scratch, &fs) != 0)
		return;
	int64_t used = (int64_t)(fs.f_blocks - fs.f_bfree) * fs.f_bsize, left = (int64_t)fs.f_bfree * fs.f_bsize;
	out->scratch_used += MAX(0, used - sb->scratch_base);
	if (l->scratch_bytes > 0) {
		out->at_scratch |= left < MIN(NEARLY_FULL, l->scratch_bytes / 16);
		out->at_scratch |= out->exit_code > 0 && sb->disk == NULL && has_longer_file(sb, left);
	}
	out->at_files |= l->scratch_files > 0 && fs.f_ffree < NEARLY_OUT;
	measure_peaks(sb, &fs, out);
}

/* Where the kernel counts all of the user's tasks, those that others began meanwhile took room from this run, whose own
 * ones are gone now. */
static bool others_took_room(const struct sandbox *sb, int64_t own)
{
	int64_t more = sb->tier->user_ns ? 0 : tier_tasks_of(sb->id.uid) - sb->other_tasks;

	return more > 0 && own + more >= sb->policy.limits.processes;
}

static void measure_processes(const struct sandbox *sb, struct sandbox_result *out)
{
	int64_t own = MAX(sb->shared->peak_processes, out->tasks_made), most = sb->policy.limits.processes;

	out->at_processes = most > 0 && sb->shared->peak_processes >= most;
	out->processes_shared = most > 0 && !out->at_processes && out->exit_code > 0 && others_took_room(sb, own);
	out->at_processes |= out->processes_shared;
}

static void measure_memory(const struct sandbox *sb, const struct ending *e, struct sandbox_result *out)
{
	const struct limits *l = &sb->policy.limits;
	int64_t mapped = sb->shared->peak_mapped, seen = sb->shared->peak_memory;

	out->memory_by = sb->group.dir >= 0                      ? MEMORY_BY_GROUP
	                 : sb->tier->proc || !sb->tier->spaces ? MEMORY_BY_PROC
	                                                       : MEMORY_BY_NONE;
	seen = MAX(seen, e->group_peak);
	out->peak_memory = MAX(seen, (int64_t)e->end.usage.ru_maxrss * 1024);
	if (out->memory_by == MEMORY_BY_NONE)
		seen = out->peak_memory; /* of the largest process: nobody looked at the sum */
	if (l->memory_bytes > 0)
		out->at_memory = seen >= l->memory_bytes / 10 * 9 || cgroup_ran_out(&sb->group) || mapped >= (int64_t)(sb->address_space / 10 * 9) ||
		                 e->long_mapping;
}

/* ---- the end ----------------------------------------------------------------------------------- */

/* The keeper's death without a word: somebody outside, or the kernel short of memory, killed it. */
static void judge_vanished(const struct sandbox *sb, const struct ending *e, struct sandbox_result *out)
{
	out->exit_code = -1;
	out->end = SANDBOX_FAULT;
	if (e->ending) {
		out->end = e->why;
		out->signal = SIGKILL;
		out->signal_ours = true;
	} else if (cgroup_ran_out(&sb->group)) {
		out->end = SANDBOX_LIMIT;
		out->signal = SIGKILL;
		out->signal_ours = true;
		result_set_limit(sb, out, LIMIT_OF(memory_bytes), sb->policy.limits.memory_bytes);
	} else if (out->fault[0] == '\0') {
		snprintf(out->fault, sizeof out->fault, "the run's first process was killed from outside (by the kernel, if the "
		         "machine is short of memory)");
	}
}

static void judge_reported(const struct sandbox *sb, const struct ending *e, struct sandbox_result *out)
{
	const struct limits *l = &sb->policy.limits;
	int status = e->end.status;

	out->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	out->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	out->cpu_user_us = micros(&e->end.usage.ru_utime);
	out->cpu_system_us = micros(&e->end.usage.ru_stime);
	out->killed = e->end.killed;
	out->tasks_made = e->end.value;
	/* Asked to end, but it had ended already: then that was the end. */
	out->signal_ours = e->ending && e->end.asked && out->signal == SIGKILL;
	if (out->signal_ours || e->why == SANDBOX_FAULT) {
		out->end = e->why;
		return;
	}
	out->end = SANDBOX_EXIT;
	result_set_limit(sb, out, NULL, 0);
	int64_t cpu_ms = (out->cpu_user_us + out->cpu_system_us) / 1000;
	if (l->cpu_ms > 0 && (out->signal == SIGXCPU || (out->signal == SIGKILL && cpu_ms >= l->cpu_ms))) {
		out->end = SANDBOX_LIMIT;
		out->signal_ours = true;
		result_set_limit(sb, out, LIMIT_OF(cpu_ms), cpu_ms);
	}
}

void judge_run(const struct sandbox *sb, const struct ending *e, struct sandbox_result *out)
{
	if (e->ended)
		judge_reported(sb, e, out);
	else
		judge_vanished(sb, e, out);
	measure_scratch(sb, e, out);
	measure_memory(sb, e, out);
	measure_processes(sb, out);
	if (sb->stuck) {
		out->end = SANDBOX_FAULT;
		snprintf(out->fault, sizeof out->fault, "a process of the run could not be ended");
	}
}

void sandbox_result_free(struct sandbox_result *r)
{
	for (size_t i = 0; i < r->opens_n; i++)
		free(r->opens[i].path);
	for (size_t i = 0; i < r->refusals_n; i++)
		free((char *)r->refusals[i].argument);
	free(r->opens);
	free(r->refusals);
	r->opens = NULL;
	r->refusals = NULL;
	r->opens_n = r->refusals_n = 0;
}
