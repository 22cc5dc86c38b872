/* Default limits of this machine, and the environment that a run gets: built, not inherited. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "impl.h"

#define KIB (int64_t)1024
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define CPU_FACTOR 2 /* processor time: a backstop of the wall clock, not a budget */

static int64_t cores(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof set, &set) == 0)
		return MAX(CPU_COUNT(&set), 1);
	return MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
}

static int64_t number_in(const char *path)
{
	char text[64];
	FILE *f = fopen(path, "re");
	int64_t n = 0;

	if (f == NULL)
		return 0;
	if (fgets(text, sizeof text, f) != NULL)
		n = strtoll(text, NULL, 10); /* "max": 0 */
	fclose(f);
	return n;
}

/* Of the machine, or of the container that we are in. */
static int64_t machine_memory(void)
{
	static const char *const containers[] = { "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes" };
	int64_t ram = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < ARRAY_LEN(containers); i++) {
		int64_t n = number_in(containers[i]);
		if (n > 0 && n < ram)
			ram = n;
	}
	return ram;
}

void policy_defaults(enum asker_kind asker, struct policy *out)
{
	int64_t ram = machine_memory(), wall_ms = asker == ASKER_ASSISTANT ? 60000 : 600000;
	int64_t scratch = MIN(ram / 4, 4 * GIB);

	*out = (struct policy){
		.limits = {
			.wall_ms = wall_ms,
			.cpu_ms = CPU_FACTOR * wall_ms * cores(),
			.memory_bytes = MAX(ram / 2, 2 * GIB),
			.scratch_bytes = scratch,
			.scratch_files = 32768,
			.file_bytes = scratch,
			.open_files = 1024,
			.processes = 128,
			.stream_head = 48 * MIB,
			.stream_tail = 16 * MIB,
			.stream_total = 1 * GIB,
			.artifact_files = 2000,
			.artifact_depth = 40,
			.blas_threads = MIN(cores(), 4),
		},
	};
}

/*
 * RLIMIT_AS is a backstop: it turns one absurd allocation into a MemoryError at its line. It counts
 * what is merely reserved, so it leaves room for the stacks of all threads and the 64 MiB arenas of
 * malloc; too low a value makes OpenBLAS spin for ever in its allocator. Where the keeper cannot watch
 * memory (no proc) it is all there is, and tighter.
 */
uint64_t policy_address_space(const struct limits *l, bool watched)
{
	int64_t threads = l->processes > 0 ? l->processes : 1024;
	int64_t arenas = MIN(threads, 8 * cores());

	if (l->memory_bytes <= 0)
		return 0;
	int64_t reserve = threads * 8 * MIB + arenas * 64 * MIB;
	return (uint64_t)(l->memory_bytes + reserve + (watched ? MAX(l->memory_bytes, 4 * GIB) : 0));
}

const struct limit_info *policy_limit_at(size_t offset)
{
	for (size_t i = 0; i < limit_table_len; i++)
		if (limit_table[i].offset == offset)
			return &limit_table[i];
	return NULL;
}

/* ---- environment ---------------------------------------------------------------------------------- */

/* Replaces the variable of that name, or adds it. */
static void put(struct strv *env, const char *assignment)
{
	size_t n = strcspn(assignment, "=") + 1;

	for (size_t i = 0; i < env->n; i++) {
		if (strncmp(env->v[i], assignment, n) == 0) {
			free(env->v[i]);
			env->v[i] = xstrdup(assignment);
			return;
		}
	}
	strv_add(env, assignment);
}

struct strv environment_build(const struct policy *p, const char *const *added)
{
	static const char *const fixed[] = {
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"HOME=" SANDBOX_HOME,
		"USER=" RUN_USER,
		"LOGNAME=" RUN_USER,
		"SHELL=/bin/sh",
		"TMPDIR=/tmp",
		"LANG=C.UTF-8",
		"LC_ALL=C.UTF-8",
		"TERM=dumb",
		"COLUMNS=80",
		"PYTHONHASHSEED=0",
		"PYTHONUTF8=1",
		"PYTHONUNBUFFERED=1",
		"PYTHONDONTWRITEBYTECODE=1",
		"MPLCONFIGDIR=" SANDBOX_HOME "/.cache/matplotlib",
	};
	static const char *const threads[] = { "OPENBLAS", "OMP", "MKL", "NUMEXPR", "BLIS" };
	struct strv env = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
		strv_add(&env, fixed[i]);
	strv_addf(&env, "TZ=%s", clock_zone());
	for (size_t i = 0; i < ARRAY_LEN(threads) && p->limits.blas_threads > 0; i++)
		strv_addf(&env, "%s_NUM_THREADS=%lld", threads[i], (long long)p->limits.blas_threads);
	for (size_t i = 0; added != NULL && added[i] != NULL; i++)
		put(&env, added[i]);
	return env;
}

char **policy_environment(const struct policy *p)
{
	return environment_build(p, NULL).v;
}
