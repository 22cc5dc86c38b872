/*
 * Process 1 of a run. It reaps, watches memory, ends the run when asked or over the limit, and when
 * the program has ended it ends all that is left, says so, and goes. When its launcher vanishes it
 * goes at once; the kernel then kills everything in the pid namespace.
 *
 * Memory: the sum over all processes of resident minus shared pages (statm) is exact while nothing
 * is shared; forks share pages, and shared anonymous memory is not in it. So where the sum of all
 * resident pages is over the limit, the proportional sizes (smaps_rollup) decide. What waits in sockets
 * (sockets.c) and large page tables are nobody's pages and come on top.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "impl.h"
#include "sys.h"

#define FILL_RATE (int64_t)(4 << 20) /* bytes that a run can touch in a millisecond, assumed */
#define LOOK_SHARE 20 /* of our time may go into looking: one part in so many */
#define TABLE_SHARE 512 /* of an address space its page tables are at most one part in so many */
#define TABLES_SMALL (int64_t)(1 << 20) /* bytes of page tables that are not asked for */
#define FIRST_TICK_MS 20
#define TICK_MIN_MS 5
#define TICK_MAX_MS 100
#define LOOKS_TO_FULL 4   /* at the rate seen, before the scratch is full */
#define REST_MS 20000     /* for what was killed to end */
#define REST_LOOK_MS 200

struct sample {
	int64_t own;        /* resident and not shared, bytes */
	int64_t resident;   /* resident at all */
	int64_t tables;     /* page tables, which are in both */
	int64_t mapped;     /* address space of the largest */
	int64_t processes;  /* and threads */
	int64_t holders;    /* processes */
};

struct keeper {
	const struct sandbox *sb;
	int control;
	int proc;           /* -1 without proc */
	int tmp;            /* a folder of the scratch, for its use of memory */
	struct sockets sockets;
	int children;       /* readable when one of them ends */
	int64_t page;
	pid_t program;
	bool ended;         /* the program has */
	bool asked;         /* to end it, or by the memory limit */
	bool alone;         /* nobody else is left */
	int status;         /* of the program */
	int64_t killed;     /* others that we ended, and reaped */
	int64_t others;     /* others that lived just before we ended them */
	int64_t next_tick_us;
	int64_t next_scratch_us;
	int64_t scratch_us;      /* of the last look at the scratch, */
	double scratch_share;    /* and how full it was, of 1 */
	int64_t next_confirm_us; /* proportional sizes are dear: not before */
};

/* ---- looking at processes ----------------------------------------------------------------- */

static ssize_t read_proc(int proc, const char *pid, const char *file, char *out, size_t size)
{
	char path[64];

	snprintf(path, sizeof path, "%s/%s", pid, file);
	int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = read(fd, out, size - 1);
	close(fd);
	out[n > 0 ? n : 0] = '\0';
	return n;
}

/* Field 20 of stat, counted after the name, which may hold anything; 0: it has ended. */
static int64_t threads_of(int proc, const char *pid)
{
	char text[1024];

	if (read_proc(proc, pid, "stat", text, sizeof text) <= 0)
		return 0;
	const char *p = strrchr(text, ')');
	if (p != NULL && (strncmp(p, ") Z", 3) == 0 || strncmp(p, ") X", 3) == 0))
		return 0;
	for (int field = 2; p != NULL && field < 20; field++) {
		p = strchr(p, ' ');
		if (p != NULL)
			p++;
	}
	return p != NULL ? atoll(p) : 1;
}

/* Nobody's page, and a mapping that is only read has next to nothing else. */
static int64_t tables_of(const struct keeper *k, const char *pid, int64_t mapped)
{
	static const char key[] = "\nVmPTE:";
	char text[2048];

	if (mapped / TABLE_SHARE < TABLES_SMALL || read_proc(k->proc, pid, "status", text, sizeof text) <= 0)
		return 0;
	const char *p = strstr(text, key);
	return p != NULL ? atoll(p + strlen(key)) << 10 : 0;
}

static void add_process(const struct keeper *k, const char *pid, struct sample *s)
{
	char text[256];
	long long size, resident, shared;

	if (read_proc(k->proc, pid, "statm", text, sizeof text) <= 0 ||
	    sscanf(text, "%lld %lld %lld", &size, &resident, &shared) != 3)
		return;
	int64_t tables = tables_of(k, pid, size * k->page);
	s->tables += tables;
	s->own += (resident - shared) * k->page + tables;
	s->resident += resident * k->page + tables;
	s->mapped = MAX(s->mapped, size * k->page);
	s->processes += MAX(threads_of(k->proc, pid), 1);
	s->holders++;
}

typedef void (*process_fn)(const struct keeper *k, const char *pid, struct sample *s);

static void each_member(const struct keeper *k, process_fn fn, struct sample *s)
{
	static struct family f; /* large; this process has one thread */

	family_list(k->proc, getpid(), &f);
	for (size_t i = 0; i < f.n; i++) {
		char pid[16];
		snprintf(pid, sizeof pid, "%d", (int)f.members[i].pid);
		fn(k, pid, s);
	}
}

/* Calls fn for each process but ourselves. */
static void each_process(const struct keeper *k, process_fn fn, struct sample *s)
{
	char buf[8192];
	ssize_t n;

	if (!k->sb->tier->spaces) {
		each_member(k, fn, s);
		return;
	}
	if (k->proc < 0)
		return;
	lseek(k->proc, 0, SEEK_SET);
	while ((n = (ssize_t)syscall(SYS_getdents64, k->proc, buf, sizeof buf)) > 0) {
		for (ssize_t at = 0; at < n;) {
			/* struct linux_dirent64: ino 8, off 8, reclen 2, type 1, name */
			unsigned short reclen;
			memcpy(&reclen, buf + at + 16, sizeof reclen);
			const char *name = buf + at + 19;
			if (isdigit((unsigned char)name[0]) && strcmp(name, "1") != 0)
				fn(k, name, s);
			at += reclen;
		}
	}
}

static int64_t rollup_kib(const char *text, const char *key)
{
	const char *p = strstr(text, key);

	return p != NULL ? atoll(p + strlen(key)) : 0;
}

static void add_proportional(const struct keeper *k, const char *pid, struct sample *s)
{
	char text[2048];
	struct sample whole = { 0 };

	if (read_proc(k->proc, pid, "smaps_rollup", text, sizeof text) > 0) {
		s->own += rollup_kib(text, "\nPss_Anon:") << 10;
		s->resident += rollup_kib(text, "\nPss_Shmem:") << 10;
	} else { /* it hides from us: all of it counts */
		add_process(k, pid, &whole);
		s->own += whole.resident;
	}
}

/* Bytes of the scratch, which are limited by themselves and may also be mapped. */
static int64_t scratch_used(const struct keeper *k)
{
	struct statfs fs;

	if (k->tmp < 0 || fstatfs(k->tmp, &fs) != 0)
		return 0;
	return (int64_t)(fs.f_blocks - fs.f_bfree) * fs.f_bsize;
}

/* Our own processor time: what a look costs, however long the run's processes let us wait for it. */
static int64_t spent_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* `held`: what the kernel holds for them, in nobody's pages. */
static int64_t confirmed_memory(struct keeper *k, int64_t held)
{
	int64_t begin = spent_us();
	struct sample s = { .own = held };

	each_process(k, add_proportional, &s);
	k->next_confirm_us = clock_mono_us() + LOOK_SHARE * (spent_us() - begin);
	return s.own + MAX(0, s.resident - scratch_used(k));
}

static void raise_to(_Atomic int64_t *peak, int64_t value)
{
	if (value > atomic_load_explicit(peak, memory_order_relaxed))
		atomic_store_explicit(peak, value, memory_order_relaxed);
}

/* ---- ending ---------------------------------------------------------------------------------- */

static void count_one(const struct keeper *k, const char *pid, struct sample *s)
{
	int64_t threads = threads_of(k->proc, pid);

	s->processes += MAX(threads, 1);
	s->holders += threads > 0 && atoi(pid) != (int)k->program;
}

/* The last look at how many there are; `gone` of them a moment ago. Those that will be killed are counted here as
 * well as when they are reaped: a parent in wait, itself about to die, may be faster. */
static void count_processes(struct keeper *k, int64_t gone)
{
	struct sample s = { .processes = gone };

	each_process(k, count_one, &s);
	raise_to(&k->sb->shared->peak_processes, s.processes);
	k->others = s.holders;
}

/* kill(-1) reaches every process of the namespace but us; who is forking meanwhile fails or dies of it. */
static void kill_all(const struct keeper *k)
{
	if (k->sb->tier->spaces)
		kill(-1, SIGKILL);
	else
		family_kill(k->proc, getpid());
}

static void end_all(struct keeper *k)
{
	count_processes(k, 0);
	k->asked = true;
	kill_all(k);
}

static void over_memory(struct keeper *k, int64_t bytes)
{
	struct message m = { .type = MSG_LIMIT, .value = bytes };

	parcel_send(k->control, &m, NULL, 0);
	end_all(k);
}

static struct unlinked unlinked; /* large; this process has one thread */

static void add_unlinked(const struct keeper *k, const char *pid, struct sample *s)
{
	(void)s;
	unlinked_add(&unlinked, k->proc, pid);
}

static void watch_unlinked(struct keeper *k)
{
	struct stat st;

	unlinked.bytes = 0;
	unlinked.n = 0;
	unlinked.memory = k->tmp >= 0 && fstat(k->tmp, &st) == 0 ? st.st_dev : 0;
	each_process(k, add_unlinked, NULL);
	k->sb->shared->unlinked = unlinked.bytes;
}

static double share_of(uint64_t all, uint64_t left)
{
	return all > 0 ? (double)(all - MIN(left, all)) / (double)all : 0;
}

/* What fills the scratch for a moment, as a temporary file does, is gone when the run has ended: so the
 * faster it fills, the sooner the next look. */
static void watch_scratch(struct keeper *k)
{
	int64_t now = clock_mono_us();
	double wait_us = TICK_MAX_MS * 1000;
	struct statfs fs;

	k->next_scratch_us = now + TICK_MAX_MS * 1000;
	if (k->tmp < 0 || fstatfs(k->tmp, &fs) != 0)
		return;
	raise_to(&k->sb->shared->peak_scratch, (int64_t)(fs.f_blocks - fs.f_bfree) * fs.f_bsize);
	raise_to(&k->sb->shared->peak_files, (int64_t)(fs.f_files - fs.f_ffree));

	double share = MAX(share_of(fs.f_blocks, fs.f_bfree), share_of(fs.f_files, fs.f_ffree));
	if (share > k->scratch_share)
		wait_us = (1 - share) / (share - k->scratch_share) * (double)(now - k->scratch_us) / LOOKS_TO_FULL;
	k->next_scratch_us = now + (int64_t)MAX(MIN(wait_us, TICK_MAX_MS * 1000), TICK_MIN_MS * 1000);
	k->scratch_share = share;
	k->scratch_us = now;
}

static void watch_memory(struct keeper *k)
{
	int64_t limit = k->sb->policy.limits.memory_bytes, begin = clock_mono_us(), spent = spent_us();
	int64_t buffers = sockets_bytes(&k->sockets);
	struct sample s = { .own = buffers, .resident = buffers };

	each_process(k, add_process, &s);
	if (k->sb->disk != NULL)
		watch_unlinked(k);
	raise_to(&k->sb->shared->peak_mapped, s.mapped);
	raise_to(&k->sb->shared->peak_processes, s.processes);

	/* With several processes the sums are upper bounds: before they mean anything, the dear look. */
	int64_t memory = s.own;
	bool exact = limit == 0 || s.resident <= limit / 2 || (s.holders <= 1 && (s.resident <= limit || s.own > limit));
	bool matters = limit > 0 && (s.resident > limit || s.own > k->sb->shared->peak_memory);
	if (!exact && matters && (begin >= k->next_confirm_us || s.own > limit)) {
		memory = confirmed_memory(k, buffers + s.tables);
		exact = true;
	}
	if (exact)
		raise_to(&k->sb->shared->peak_memory, memory);
	if (exact && limit > 0 && memory > limit)
		over_memory(k, memory);

	int64_t cost_ms = (spent_us() - spent) / 1000;
	int64_t room = limit > 0 ? MAX(0, limit - (exact ? memory : s.own)) : INT64_MAX;
	int64_t tick_ms = MAX(MIN(MAX(room / FILL_RATE, TICK_MIN_MS), TICK_MAX_MS), LOOK_SHARE * cost_ms);
	k->next_tick_us = begin + tick_ms * 1000;
}

static void note_end(struct keeper *k, pid_t pid, int status)
{
	if (pid == k->program) {
		k->ended = true;
		k->status = status;
	} else if ((k->ended || k->asked) && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
		k->killed++;
	}
}

static void reap_ready(struct keeper *k)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0)
		note_end(k, pid, status);
	/* Orphans become our children, so without children there is nobody. */
	k->alone = pid < 0 && errno == ECHILD;
}

/* When there is nobody left to wait for, only we are left. Without a pid namespace who forks is found
 * at the next look; what hangs in the kernel is waited for until the launcher has to be told. */
static void end_rest(struct keeper *k)
{
	int64_t until_us = clock_mono_us() + REST_MS * 1000;
	struct pollfd p = { .fd = k->children, .events = POLLIN };

	while (!k->alone && clock_mono_us() < until_us) {
		struct signalfd_siginfo info;
		kill_all(k);
		reap_ready(k);
		if (k->alone)
			break;
		poll(&p, 1, k->sb->tier->spaces ? REST_LOOK_MS : 1);
		while (read(k->children, &info, sizeof info) > 0) {
		}
		reap_ready(k);
	}
}

/* In a namespace of our own numbers are given in order, so the next one tells how many there were. Asked
 * only where it matters: when the program failed. */
static int64_t count_made(const struct keeper *k)
{
	if (!k->sb->tier->spaces || !k->alone || k->status == 0)
		return 0;
	pid_t pid = vfork();
	if (pid == 0)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return MAX(pid - 2, 0); /* without that one and ourselves */
}

/* A tmpfs numbers its files in order, so the next one tells how many there were. */
static int64_t count_files_made(const struct keeper *k)
{
	static const char name[] = ".tickmark-last";
	struct stat st;

	if (k->tmp < 0 || k->status == 0)
		return 0;
	int fd = openat(k->tmp, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return 0;
	bool ok = fstat(fd, &st) == 0;
	close(fd);
	unlinkat(k->tmp, name, 0);
	return ok ? (int64_t)st.st_ino : 0;
}

static void take_orders(struct keeper *k)
{
	struct message m;

	if (!parcel_receive(k->control, &m, NULL, 0, NULL)) {
		if (!k->sb->tier->spaces) {
			end_rest(k);
			if (k->alone)
				fs_remove_tree(AT_FDCWD, k->sb->disk, NULL);
		}
		_exit(125); /* the launcher is gone: the kernel kills the rest of a namespace */
	}
	if (m.type == MSG_KILL)
		end_all(k);
}

static void leave_streams(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			close(fd);
	if (null > 2)
		close(null);
}

void keeper_run(const struct sandbox *sb, pid_t program, int control)
{
	struct keeper k = { .sb = sb, .control = control, .program = program, .proc = -1, .tmp = -1, .sockets = { .fd = -1 },
	                    .page = sysconf(_SC_PAGESIZE) };
	sigset_t chld;

	leave_streams();
	if (sb->tier->proc || !sb->tier->spaces)
		k.proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (sb->tier->spaces) {
		k.tmp = open("/dev/shm", O_PATH | O_DIRECTORY | O_CLOEXEC);
		sockets_open(&k.sockets);
	}
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD); /* blocked with all others since the beginning */
	k.scratch_us = clock_mono_us();
	k.next_tick_us = k.next_scratch_us = k.scratch_us + FIRST_TICK_MS * 1000;
	k.children = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	struct pollfd p[] = { { .fd = control, .events = POLLIN | POLLRDHUP }, { .fd = k.children, .events = POLLIN } };

	while (!k.ended) {
		struct signalfd_siginfo info;
		int64_t wait_us = MAX(0, MIN(k.next_tick_us, k.next_scratch_us) - clock_mono_us());
		if (poll(p, 2, k.asked ? -1 : (int)(wait_us + 999) / 1000) > 0) {
			if (p[0].revents != 0)
				take_orders(&k);
			while (read(k.children, &info, sizeof info) > 0) {
			}
			reap_ready(&k);
		}
		if (!k.ended && !k.asked && clock_mono_us() >= k.next_tick_us)
			watch_memory(&k);
		if (!k.ended && !k.asked && clock_mono_us() >= k.next_scratch_us)
			watch_scratch(&k);
	}
	if (!k.asked && !k.alone)
		count_processes(&k, 1);
	if (!k.alone)
		end_rest(&k);
	struct message m = { .type = MSG_END, .asked = k.asked, .status = k.status, .killed = MAX(k.killed, k.others), .alive = !k.alone };
	getrusage(RUSAGE_CHILDREN, &m.usage);
	m.value = count_made(&k);
	sb->shared->files_made = count_files_made(&k);
	parcel_send(control, &m, NULL, 0);
	_exit(0);
}
