/*
 * Attacks on the sandbox of this machine, for its user to see them fail. Two kinds: functions, run in
 * place of the interpreter under everything that holds it, which give back 0 (it worked) or the errno
 * that it failed with; and shell scripts, where a program of its own is needed (limits, inheritance).
 * Nothing here does harm where it gets through: what is asked for is as little as proves it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "impl.h"
#include "sys.h"

#define SECRET "TICKMARK_SELF_TEST_SECRET"
#define LEAKED 100 /* a descriptor of the caller's, open on the secret */
#define MIB (INT64_C(1) << 20)

/* What the attacks are aimed at. */
struct target {
	const char *secret; /* a file of the caller's */
	const char *folder; /* where it lies */
	pid_t caller;
};

static int failed(long rc)
{
	return rc >= 0 ? 0 : errno;
}

/* ---- functions ------------------------------------------------------------------------------------- */

static int reach(int family, int type)
{
	return failed(socket(family, type | SOCK_CLOEXEC, 0));
}

static int net_inet(const struct target *t) { (void)t; return reach(AF_INET, SOCK_STREAM); }
static int net_inet6(const struct target *t) { (void)t; return reach(AF_INET6, SOCK_DGRAM); }
static int net_packet(const struct target *t) { (void)t; return reach(AF_PACKET, SOCK_RAW); }
static int net_vsock(const struct target *t) { (void)t; return reach(AF_VSOCK, SOCK_STREAM); }
static int net_alg(const struct target *t) { (void)t; return reach(AF_ALG, SOCK_SEQPACKET); }

static int net_unix(const struct target *t)
{
	static const char *const paths[] = { "/run/dbus/system_bus_socket", "/run/systemd/private", "/run/docker.sock",
	                                     "/run/systemd/journal/stdout" };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), why = errno;

	(void)t;
	for (size_t i = 0; i < ARRAY_LEN(paths) && fd >= 0; i++) {
		struct sockaddr_un to = { .sun_family = AF_UNIX };
		snprintf(to.sun_path, sizeof to.sun_path, "%s", paths[i]);
		if (connect(fd, (const struct sockaddr *)&to, sizeof to) == 0)
			return 0;
		why = errno;
	}
	return why;
}

static int file_read(const struct target *t) { return failed(open(t->secret, O_RDONLY | O_CLOEXEC)); }
static int file_write(const struct target *t) { return failed(open(t->secret, O_WRONLY | O_APPEND | O_CLOEXEC)); }
static int file_remove(const struct target *t) { return failed(unlink(t->secret)); }
static int file_list(const struct target *t) { return failed(open(t->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }
static int file_shadow(const struct target *t) { (void)t; return failed(open("/etc/shadow", O_RDONLY | O_CLOEXEC)); }

static int file_system(const struct target *t)
{
	(void)t;
	return failed(open("/usr/bin/tickmark-self-test", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
}

static int file_device(const struct target *t) { (void)t; return failed(mknod("node", S_IFCHR | 0600, 0x0101)); }

static int file_handle(const struct target *t)
{
	unsigned handle[34] = { 128 };

	(void)t;
	return failed(syscall(SYS_open_by_handle_at, AT_FDCWD, handle, O_RDONLY));
}

static int tree_mount(const struct target *t) { (void)t; return failed(mount("x", "/tmp", "tmpfs", 0, NULL)); }
static int tree_chroot(const struct target *t) { (void)t; return failed(chroot(".")); }
static int space_user(const struct target *t) { (void)t; return failed(syscall(SYS_unshare, CLONE_NEWUSER)); }
static int space_net(const struct target *t) { (void)t; return failed(syscall(SYS_unshare, CLONE_NEWNET)); }

static int process_keeper(const struct target *t)
{
	char path[48];

	(void)t;
	snprintf(path, sizeof path, "/proc/%d/environ", (int)getppid());
	return failed(open(path, O_RDONLY | O_CLOEXEC));
}

static int process_trace(const struct target *t) { (void)t; return failed(ptrace(PTRACE_ATTACH, getppid(), 0, 0)); }

static int process_signal(const struct target *t)
{
	/* In a namespace of its own that number is nobody's, or its own: ESRCH is the answer there. */
	return t->caller == getpid() ? ESRCH : failed(kill(t->caller, 0));
}

static int process_memory(const struct target *t)
{
	return failed(syscall(SYS_process_vm_readv, t->caller, NULL, 0, NULL, 0, 0));
}

static int kernel_bpf(const struct target *t) { (void)t; return failed(syscall(SYS_bpf, 0, NULL, 0)); }
static int kernel_perf(const struct target *t) { (void)t; return failed(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0)); }
static int kernel_module(const struct target *t) { (void)t; return failed(syscall(SYS_finit_module, -1, "", 0)); }
static int kernel_uring(const struct target *t) { (void)t; return failed(syscall(SYS_io_uring_setup, 1, NULL)); }
static int kernel_keys(const struct target *t) { (void)t; return failed(syscall(SYS_keyctl, 0, -3, 1)); }

static int kernel_setting(const struct target *t)
{
	(void)t;
	return failed(open("/proc/sys/kernel/core_pattern", O_WRONLY | O_CLOEXEC));
}

static int kernel_foreign(const struct target *t)
{
	(void)t;
#if defined(__x86_64__)
	return failed(syscall(0x40000000 | SYS_getpid)); /* the x32 ABI, which the rules do not know */
#else
	return ENOSYS;
#endif
}

static int identity_root(const struct target *t) { (void)t; return failed(syscall(SYS_setuid, 0)); }
static int terminal_type(const struct target *t) { (void)t; return failed(ioctl(0, TIOCSTI, "x")); }
static int terminal_open(const struct target *t) { (void)t; return failed(open("/dev/tty", O_RDWR | O_CLOEXEC)); }

/* ---- the table ---------------------------------------------------------------------------------------- */

/* What has to come of it. */
enum holding {
	BY_REFUSAL,  /* the call fails, or the process is ended for it */
	BY_LIMIT,    /* the run is ended by the limit, or fails with its counter at the maximum */
	BY_CLEANING, /* what is left over is ended with the program */
};

static const struct attack {
	const char *area, *tried;
	int (*run)(const struct target *t);
	const char *script;     /* in place of `run`; exit status 0: it got through */
	enum holding holding;
	struct limits limits;   /* that are low for it */
} attacks[] = {
	{ "network", "opens an internet connection (IPv4)", net_inet, NULL, BY_REFUSAL, { 0 } },
	{ "network", "opens an internet connection (IPv6)", net_inet6, NULL, BY_REFUSAL, { 0 } },
	{ "network", "listens to the wire (packet socket)", net_packet, NULL, BY_REFUSAL, { 0 } },
	{ "network", "talks to a virtual machine's host (vsock)", net_vsock, NULL, BY_REFUSAL, { 0 } },
	{ "network", "uses the kernel's crypto sockets (AF_ALG)", net_alg, NULL, BY_REFUSAL, { 0 } },
	{ "network", "talks to services of this machine (D-Bus)", net_unix, NULL, BY_REFUSAL, { 0 } },
	{ "files", "reads a file of yours", file_read, NULL, BY_REFUSAL, { 0 } },
	{ "files", "changes a file of yours", file_write, NULL, BY_REFUSAL, { 0 } },
	{ "files", "removes a file of yours", file_remove, NULL, BY_REFUSAL, { 0 } },
	{ "files", "lists a folder of yours", file_list, NULL, BY_REFUSAL, { 0 } },
	{ "files", "reads the passwords' file", file_shadow, NULL, BY_REFUSAL, { 0 } },
	{ "files", "adds a program to the system", file_system, NULL, BY_REFUSAL, { 0 } },
	{ "files", "makes a device", file_device, NULL, BY_REFUSAL, { 0 } },
	{ "files", "opens a file past all folders (by handle)", file_handle, NULL, BY_REFUSAL, { 0 } },
	{ "files", "mounts a file system", tree_mount, NULL, BY_REFUSAL, { 0 } },
	{ "files", "changes its root", tree_chroot, NULL, BY_REFUSAL, { 0 } },
	{ "processes", "makes itself root of a new user namespace", space_user, NULL, BY_REFUSAL, { 0 } },
	{ "processes", "makes a new network namespace", space_net, NULL, BY_REFUSAL, { 0 } },
	{ "processes", "reads its keeper's environment", process_keeper, NULL, BY_REFUSAL, { 0 } },
	{ "processes", "traces its keeper", process_trace, NULL, BY_REFUSAL, { 0 } },
	{ "processes", "sends a signal to tickmark", process_signal, NULL, BY_REFUSAL, { 0 } },
	{ "processes", "reads tickmark's memory", process_memory, NULL, BY_REFUSAL, { 0 } },
	{ "processes", "finds your secrets in its environment", NULL, "[ -n \"$" SECRET "\" ]", BY_REFUSAL, { 0 } },
	{ "processes", "finds an open file of tickmark's", NULL, "( cat <&100 ) 2>/dev/null", BY_REFUSAL, { 0 } },
	{ "processes", "leaves something running behind", NULL,
	  "(setsid sleep 300 >/dev/null 2>&1 &); (sleep 300 &); sleep 0.1; exit 1", BY_CLEANING, { 0 } },
	{ "kernel", "loads a program into the kernel (bpf)", kernel_bpf, NULL, BY_REFUSAL, { 0 } },
	{ "kernel", "watches the machine (perf)", kernel_perf, NULL, BY_REFUSAL, { 0 } },
	{ "kernel", "loads a module", kernel_module, NULL, BY_REFUSAL, { 0 } },
	{ "kernel", "goes around the rules (io_uring)", kernel_uring, NULL, BY_REFUSAL, { 0 } },
	{ "kernel", "goes around the rules (a foreign ABI)", kernel_foreign, NULL, BY_REFUSAL, { 0 } },
	{ "kernel", "uses your key ring", kernel_keys, NULL, BY_REFUSAL, { 0 } },
	{ "kernel", "changes a setting of the kernel", kernel_setting, NULL, BY_REFUSAL, { 0 } },
	{ "identity", "becomes root", identity_root, NULL, BY_REFUSAL, { 0 } },
	{ "terminal", "types into your terminal", terminal_type, NULL, BY_REFUSAL, { 0 } },
	{ "terminal", "opens your terminal", terminal_open, NULL, BY_REFUSAL, { 0 } },
	{ "limits", "runs for ever", NULL, "while :; do :; done", BY_LIMIT, { .wall_ms = 500 } },
	{ "limits", "writes without end", NULL, "yes", BY_LIMIT, { .stream_total = MIB } },
	{ "limits", "fills the memory", NULL, "dd if=/dev/zero of=/dev/null bs=600M count=10 2>/dev/null || exit 1", BY_LIMIT,
	  { .memory_bytes = 100 * MIB, .processes = 4 } },
	{ "limits", "fills the disk", NULL, "head -c 64M /dev/zero > big || exit 1; sleep 20; exit 0", BY_LIMIT,
	  { .scratch_bytes = 4 * MIB, .file_bytes = 128 * MIB } },
	{ "limits", "makes processes without end", NULL, "for i in $(seq 100); do sleep 20 & done 2>/dev/null || exit 1", BY_LIMIT,
	  { .processes = 20 } },
};

/* ---- one of them --------------------------------------------------------------------------------------- */

struct aimed { const struct attack *attack; const struct target *target; };

static int run_inside(const struct sandbox *sb, const void *arg)
{
	const struct aimed *a = arg;

	return chdir(sb->box) == 0 ? a->attack->run(a->target) : errno;
}

static void no_stream(void *ctx, enum stream_id stream, int64_t group, int64_t offset_us, const void *p, size_t n)
{
	(void)ctx, (void)stream, (void)group, (void)offset_us, (void)p, (void)n;
}

/* What went on the record, the first of it. */
static void add_refusal(struct buf *b, const struct sandbox_result *res)
{
	for (size_t i = 0; i < res->refusals_n; i++) {
		const struct refusal *f = &res->refusals[i];
		buf_addf(b, "; on the record: %s, %s%s%s", f->kind, f->call, f->argument[0] != '\0' ? " " : "", f->argument);
		return;
	}
}

static bool judge_refusal(const struct sandbox_result *res, struct buf *b)
{
	if (res->end == SANDBOX_EXIT && res->signal != 0)
		buf_addf(b, "ended for it (signal %d)", res->signal);
	else if (res->end == SANDBOX_EXIT && res->exit_code > 0 && res->exit_code < 125)
		buf_adds(b, strerror(res->exit_code));
	else
		return false;
	return true;
}

/* The limit that an attack is about: the first that is low for it. */
static const struct limit_info *limit_of(const struct attack *a)
{
	size_t i = 0;

	while (limit_get(&a->limits, &limit_table[i]) == 0)
		i++;
	return &limit_table[i];
}

static bool judge_limit(const struct attack *a, const struct sandbox_result *res, struct buf *b)
{
	const struct limit_info *wanted = limit_of(a);

	if (res->end == SANDBOX_LIMIT && res->limit == wanted)
		buf_addf(b, "ended by the limit %s", wanted->name);
	else if (res->end == SANDBOX_EXIT && res->exit_code != 0)
		buf_addf(b, "got no more (limit %s)", wanted->name);
	else
		return false;
	return true;
}

static bool judge(const struct attack *a, const struct sandbox_result *res, struct buf *b)
{
	bool held = false;

	switch (a->holding) {
	case BY_REFUSAL: held = judge_refusal(res, b); break;
	case BY_LIMIT: held = judge_limit(a, res, b); break;
	case BY_CLEANING:
		held = res->end == SANDBOX_EXIT && res->killed >= 2;
		buf_addf(b, "%lld processes ended with it", (long long)res->killed);
		break;
	}
	if (held && a->script != NULL && a->holding == BY_REFUSAL) {
		buf_clear(b);
		buf_adds(b, "not there");
	}
	if (!held && b->len == 0)
		buf_adds(b, res->end == SANDBOX_FAULT ? res->fault : "IT GOT THROUGH");
	add_refusal(b, res);
	return held;
}

static bool try_attack(const struct sandbox_caps *caps, const char *disk, const struct aimed *aim, struct sandbox_tried *out,
                       struct buf *answer)
{
	const char *argv[] = { "/bin/sh", "-c", aim->attack->script, NULL };
	struct sandbox_spec spec = { .argv = argv, .box = "/work/self-test", .cwd = ".", .stop_fd = -1, .disk_scratch = disk };
	const struct sandbox_sink sink = { .stream = no_stream };
	struct sandbox_result result = { 0 };
	struct err e = { 0 };

	policy_defaults(ASKER_ASSISTANT, &spec.policy);
	spec.policy.tier = caps->tier;
	spec.policy.scratch = caps->scratch;
	spec.policy.limits.wall_ms = 15000;
	for (size_t i = 0; i < limit_table_len; i++)
		if (limit_get(&aim->attack->limits, &limit_table[i]) != 0)
			limit_put(&spec.policy.limits, &limit_table[i], limit_get(&aim->attack->limits, &limit_table[i]));
	struct sandbox *sb = sandbox_prepare_inside(&spec, aim->attack->run != NULL ? run_inside : NULL, aim, &e);
	if (sb != NULL && sandbox_start(sb, &e) && sandbox_run(sb, &sink, &result, &e))
		out->held = judge(aim->attack, &result, answer);
	else
		buf_addf(answer, "could not be tried: %s", e.msg);
	sandbox_free(sb);
	sandbox_result_free(&result);
	return out->held;
}

bool sandbox_self_test(const struct sandbox_caps *caps, const char *disk, sandbox_tried_fn fn, void *ctx, struct err *e)
{
	char *secret = path_join(disk, "secret-of-yours");
	struct target target = { .secret = secret, .folder = disk, .caller = getpid() };
	bool all = true;

	if (!fs_write(AT_FDCWD, secret, "secret\n", 7, false, e)) {
		free(secret);
		return false;
	}
	int leak = open(secret, O_RDONLY | O_CLOEXEC);
	if (leak >= 0 && leak != LEAKED && dup2(leak, LEAKED) < 0)
		err_sys(e, "cannot leave a descriptor open");
	setenv(SECRET, "1", 1);
	for (size_t i = 0; i < ARRAY_LEN(attacks); i++) {
		struct aimed aim = { &attacks[i], &target };
		struct sandbox_tried tried = { .area = attacks[i].area, .tried = attacks[i].tried };
		struct buf answer = { 0 };
		all = try_attack(caps, disk, &aim, &tried, &answer) && all;
		tried.answer = answer.data;
		fn(ctx, &tried);
		buf_free(&answer);
	}
	unsetenv(SECRET);
	close(LEAKED);
	if (leak >= 0)
		close(leak);
	unlink(secret);
	free(secret);
	return all || err_set(e, ERR_SANDBOX, "not everything was held");
}
