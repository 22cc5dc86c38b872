/*
 * The new process from clone to the fork of keeper and program, and the program up to execve.
 *
 * The order is not free. Inherited descriptors go first (the caller's lock would live on here). What
 * does not depend on the orders comes before them, as the launcher is still busy then: namespaces, user,
 * bounding set (while CAP_SETPCAP is still held). The parent-death signal comes after the change of
 * user, which clears it. In the program: rlimits, Landlock (which forbids mounting), the filter last.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "filter.h"
#include "impl.h"
#include "sys.h"

#define CONTROL 3 /* descriptors in the child */
#define GO 4

void child_fail(int control, enum stage stage, int err, const char *fmt, ...)
{
	struct message m = { .type = MSG_FAILED, .stage = stage, .code = err };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(m.text, sizeof m.text, fmt, ap);
	va_end(ap);
	parcel_send(control, &m, NULL, 0);
	_exit(125);
}

/* Streams become 0 to 2, the two channels 3 and 4; all else is closed. */
static void settle_descriptors(struct child_fds fds)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		child_fail(fds.control, STAGE_LOCK, errno, "opening /dev/null");
	if (dup2(null, 0) < 0 || dup2(fds.out, 1) < 0 || dup2(fds.err, 2) < 0)
		child_fail(fds.control, STAGE_LOCK, errno, "setting up the streams");
	/* Above all of ours, so that neither lands on the other. */
	int control = fcntl(fds.control, F_DUPFD_CLOEXEC, 64), go = fcntl(fds.go, F_DUPFD_CLOEXEC, 64);
	if (control < 0 || go < 0 || dup3(control, CONTROL, O_CLOEXEC) < 0 || dup3(go, GO, O_CLOEXEC) < 0)
		child_fail(fds.control, STAGE_LOCK, errno, "setting up the channels");
	if (sys_close_range(GO + 1, ~0U, 0) != 0)
		child_fail(CONTROL, STAGE_LOCK, errno, "closing inherited descriptors");
}

static void await_ids(void)
{
	struct message m;

	if (!parcel_receive(CONTROL, &m, NULL, 0, NULL) || m.type != MSG_MAPPED)
		_exit(125); /* the launcher is gone or gave up */
}

/* Returns what the launcher wants, which was not known when this process was made. */
static struct sandbox *receive_orders(const struct sandbox *early, struct sources *src)
{
	struct sandbox *sb = &early->shared->orders;
	struct message m;
	int fds[MAX_SOURCES];
	size_t n, at = 0, k = 0;

	if (!parcel_receive(CONTROL, &m, fds, MAX_SOURCES, &n) || m.type != MSG_SOURCES)
		_exit(125); /* the launcher is gone or gave up */
	for (size_t i = 0; i < sb->plan.n; i++) {
		struct mount_step *s = &sb->plan.steps[i];
		struct stat st;
		if (s->kind != MOUNT_BIND || !m.have[k++])
			continue;
		s->fd = fds[at++];
		if (fstat(s->fd, &st) != 0)
			child_fail(CONTROL, STAGE_LOCK, errno, "looking at %s", s->source);
		s->is_file = !S_ISDIR(st.st_mode);
	}
	src->layers_n = sb->layers.n;
	if (sb->policy.scratch == SCRATCH_COPY)
		src->layers_n = 0;
	for (size_t i = 0; i < src->layers_n; i++)
		src->layers[i] = fds[at++];
	src->upper = at < n ? fds[at++] : -1;
	if (at != n)
		child_fail(CONTROL, STAGE_LOCK, EPROTO, "receiving %zu folders", n);
	return sb;
}

static bool is_setgroups_denied(void)
{
	char word[8] = "";
	int fd = open("/proc/self/setgroups", O_RDONLY | O_CLOEXEC), saved = errno;

	if (fd >= 0) {
		if (read(fd, word, sizeof word - 1) < 0)
			word[0] = '\0';
		close(fd);
	}
	errno = fd >= 0 ? EPERM : saved;
	return strncmp(word, "deny", 4) == 0;
}

/* What the permitted set holds becomes effective again: a change of user from 0 cleared it. */
static void regain_rights(void)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &h, data) != 0)
		child_fail(CONTROL, STAGE_LOCK, errno, "reading capabilities");
	for (int i = 0; i < 2; i++) {
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &h, data) != 0)
		child_fail(CONTROL, STAGE_LOCK, errno, "keeping capabilities for mounting");
}

static void change_ids(const struct sandbox *sb)
{
	const struct identity *id = &sb->id;
	bool ours = !sb->tier->user_ns && geteuid() != 0; /* an ordinary user stays what it is */
	bool keep = !sb->tier->user_ns && !ours;

	/* As root other groups are dropped; an ordinary user's stay, as setgroups is denied there. */
	if (!ours && setgroups(1, &id->inner_gid) != 0 && (errno != EPERM || !is_setgroups_denied()))
		child_fail(CONTROL, STAGE_NAMESPACES, errno, "dropping groups");
	if (keep && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0)
		child_fail(CONTROL, STAGE_LOCK, errno, "keeping capabilities for mounting");
	if (setresgid(id->inner_gid, id->inner_gid, id->inner_gid) != 0 ||
	    setresuid(id->inner_uid, id->inner_uid, id->inner_uid) != 0)
		child_fail(CONTROL, STAGE_NAMESPACES, errno, "becoming the run's user");
	if (keep)
		regain_rights();
}

static void become_user(const struct sandbox *sb)
{
	/* In a pid namespace all else dies with its first process. Elsewhere the keeper has to end the
	 * others itself, and takes the control channel's hang-up as the sign. */
	bool dies = sb->tier->spaces;

	change_ids(sb);
	struct pollfd p = { .fd = CONTROL, .events = POLLRDHUP };
	if ((dies ? prctl(PR_SET_PDEATHSIG, SIGKILL) : prctl(PR_SET_CHILD_SUBREAPER, 1)) != 0 || poll(&p, 1, 0) < 0)
		child_fail(CONTROL, STAGE_LOCK, errno, "asking for the launcher's death");
	if (p.revents & (POLLRDHUP | POLLHUP))
		_exit(125);
	if (setsid() < 0 && errno != EPERM)
		child_fail(CONTROL, STAGE_LOCK, errno, "making a session");
	umask(022);
	if (sb->tier->spaces && sethostname(RUN_USER, sizeof RUN_USER - 1) != 0)
		child_fail(CONTROL, STAGE_NAMESPACES, errno, "naming the host");
}

static void drop_bounds(const struct sandbox *sb)
{
	for (int cap = 0; cap < 64; cap++) {
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
			continue;
		if (errno == EINVAL)
			return; /* past the kernel's last */
		/* An ordinary user without namespaces may not; no_new_privs keeps it from ever gaining any. */
		if (errno == EPERM && !sb->tier->spaces)
			return;
		child_fail(CONTROL, STAGE_LOCK, errno, "dropping capability %d for good", cap);
	}
}

static void drop_rights(void)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 };

	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
		child_fail(CONTROL, STAGE_LOCK, errno, "clearing ambient capabilities");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_capset, &h, none) != 0)
		child_fail(CONTROL, STAGE_LOCK, errno, "dropping capabilities");
	/* Closes environ, mem, exe and ptrace of the keeper; execve makes the program dumpable again. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
		child_fail(CONTROL, STAGE_LOCK, errno, "hiding the keeper");
}

/*
 * Wipes the caller's command line and environment from the keeper: /proc/1/cmdline is readable by
 * anybody. Where they lie is told by stat (proc(5): 48 arg_start to 51 env_end); argv and environ may
 * point elsewhere by now.
 */
static void forget_arguments(bool proc)
{
	extern char **environ;
	char text[1024];
	unsigned long at[4] = { 0 };
	int fd = proc ? open("/proc/self/stat", O_RDONLY | O_CLOEXEC) : -1;
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

	for (char **v = environ; v != NULL && *v != NULL; v++)
		memset(*v, 0, strlen(*v));
	prctl(PR_SET_NAME, "keeper");
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *p = strrchr(text, ')');
	for (int field = 2; p != NULL && field < 48; field++)
		p = strchr(p + 1, ' ');
	if (p == NULL || sscanf(p, "%lu %lu %lu %lu", &at[0], &at[1], &at[2], &at[3]) != 4)
		return;
	for (int i = 0; i < 4; i += 2)
		if (at[i] != 0 && at[i] < at[i + 1])
			memset((void *)at[i], 0, at[i + 1] - at[i]);
}

/* ---- the program ------------------------------------------------------------------------------ */

static void set_limit(int which, int64_t soft, int64_t hard)
{
	struct rlimit r = { .rlim_cur = (rlim_t)soft, .rlim_max = (rlim_t)hard }, now;

	if (getrlimit(which, &now) == 0 && now.rlim_max < r.rlim_max) /* the caller's own is lower */
		r.rlim_max = now.rlim_max;
	if (r.rlim_cur > r.rlim_max)
		r.rlim_cur = r.rlim_max;
	if (setrlimit(which, &r) != 0)
		child_fail(CONTROL, STAGE_LOCK, errno, "setting resource limit %d", which);
}

/* Since 5.14 processes are counted in the user namespace; before, all of the user's would count. */
static bool counts_processes_apart(void)
{
	struct utsname u;
	int major = 0, minor = 0;

	return uname(&u) == 0 && sscanf(u.release, "%d.%d", &major, &minor) == 2 && (major > 5 || (major == 5 && minor >= 14));
}

static void set_limits(const struct sandbox *sb)
{
	const struct limits *l = &sb->policy.limits;
	int64_t cpu_s = (l->cpu_ms + 999) / 1000, tasks = l->processes + 1 + sb->other_tasks; /* 1: the keeper */
	const struct { int which; int64_t soft, hard; bool on; } table[] = {
		{ RLIMIT_CORE, 1, 1, true }, /* 0 would still start a crash helper of the machine (core(5)) */
		{ RLIMIT_MEMLOCK, 64 << 10, 64 << 10, true },
		{ RLIMIT_MSGQUEUE, 0, 0, true },
		{ RLIMIT_SIGPENDING, 1024, 1024, true },
		{ RLIMIT_NICE, 0, 0, true },
		{ RLIMIT_RTPRIO, 0, 0, true },
		{ RLIMIT_STACK, 8 << 20, 64 << 20, true },
		/* SIGXCPU first, which tells what happened; the hard limit kills what ignores it. */
		{ RLIMIT_CPU, cpu_s, cpu_s + 2, cpu_s > 0 },
		{ RLIMIT_FSIZE, l->file_bytes, l->file_bytes, l->file_bytes > 0 },
		{ RLIMIT_NOFILE, l->open_files, l->open_files, l->open_files > 0 },
		{ RLIMIT_NPROC, tasks, tasks, l->processes > 0 && (!sb->tier->user_ns || counts_processes_apart()) },
		{ RLIMIT_AS, (int64_t)sb->address_space, (int64_t)sb->address_space, sb->address_space > 0 },
	};

	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (table[i].on)
			set_limit(table[i].which, table[i].soft, table[i].hard);
}

static void reset_signals(void)
{
	const unsigned long dfl[8] = { 0 }; /* the kernel's own struct sigaction, SIG_DFL and nothing else */
	sigset_t none;

	/* What the caller ignored would stay ignored. Asked of the kernel itself, for the C library keeps
	 * two signals (32 and 33) to itself and leaves them as they came. */
	for (int sig = 1; sig < NSIG; sig++)
		syscall(SYS_rt_sigaction, sig, dfl, NULL, 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void change_dir(const struct sandbox *sb)
{
	if (chdir(sb->box) != 0 || chdir(sb->cwd) != 0)
		child_fail(CONTROL, STAGE_LOCK, errno, "entering the folder %s", sb->cwd);
}

/* The one from outside lies on a mount that this root does not have. */
static void take_input(void)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, 0) < 0)
		child_fail(CONTROL, STAGE_LOCK, errno, "opening /dev/null");
	close(null);
}

_Noreturn static void program(struct sandbox *sb, int scratch, int inotify)
{
	struct message ready = { .type = MSG_READY }, failed = { .type = MSG_EXEC };

	if (setsid() < 0) /* out of the keeper's group as well */
		child_fail(CONTROL, STAGE_LOCK, errno, "making a session");
	if (!sb->tier->spaces && prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		child_fail(CONTROL, STAGE_LOCK, errno, "asking for the keeper's death");
	change_dir(sb);
	take_input();
	if ((sb->tier->spaces ? landlock_restrict(&sb->plan) : bare_restrict(sb)) != 0)
		child_fail(CONTROL, STAGE_LOCK, errno, "restricting the program with Landlock");
	set_limits(sb);
	reset_signals();
	int listener = filter_load(!sb->tier->spaces, sb->address_space);
	if (listener < 0)
		child_fail(CONTROL, STAGE_LOCK, errno, "loading the system call filter");
	const int fds[] = { scratch, listener, inotify };
	if (!parcel_send(CONTROL, &ready, fds, inotify >= 0 ? 3 : 2))
		_exit(125);
	close(listener);
	char byte;
	if (read(GO, &byte, 1) != 1)
		_exit(125); /* the launcher is gone or gave up */
	if (sb->inside != NULL) {
		close(CONTROL);
		_exit(sb->inside(sb, sb->inside_arg));
	}
	execve(sb->argv.v[0], sb->argv.v, sb->env.v);
	failed.code = errno;
	parcel_send(CONTROL, &failed, NULL, 0);
	_exit(127);
}

/* The keeper sleeps until execve and lends its memory: that saves the copy of all page tables. The
 * program's rights, limits, filter and signal actions are its own nevertheless. */
__attribute__((noinline)) static pid_t start_program(struct sandbox *sb, int scratch, int inotify)
{
	pid_t pid = vfork();

	if (pid == 0)
		program(sb, scratch, inotify);
	return pid;
}

/* ---- from clone to fork ---------------------------------------------------------------------- */

void child_main(struct sandbox *sb, struct child_fds fds)
{
	static struct sources src; /* static: large; this process is ours alone */
	sigset_t all;

	settle_descriptors(fds);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	/* Here and not in clone: it takes longer than the rest and overlaps with the caller's planning. */
	if (sb->tier->spaces && unshare(CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP) != 0)
		child_fail(CONTROL, STAGE_NAMESPACES, errno, "making the network, ipc, uts and cgroup namespaces");
	await_ids();
	become_user(sb);
	drop_bounds(sb);
	sb = receive_orders(sb, &src);
	int scratch = sb->tier->spaces ? mounts_build(sb, &src, CONTROL)
	                               : open(sb->disk, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (scratch < 0)
		child_fail(CONTROL, STAGE_MOUNTS, errno, "entering %s", sb->disk);
	int inotify = observe_begin(sb);
	drop_rights();

	forget_arguments(sb->tier->proc);
	pid_t pid = start_program(sb, scratch, inotify);
	if (pid < 0)
		child_fail(CONTROL, STAGE_LOCK, errno, "making the program's process");
	close(GO);
	close(scratch);
	if (inotify >= 0)
		close(inotify);
	keeper_run(sb, pid, CONTROL);
}
