/* The launcher's part of starting a run: descriptors, the clone, the maps of ids, and the word that
 * lets the program go. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "impl.h"
#include "sys.h"

#define READY_MS 60000      /* a world is built in milliseconds; this is a hang guard */
#define PIPE_BYTES (1 << 20)
#define KILL_MS 3000        /* looking for processes to end */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool namespace_error(struct err *e, const char *what)
{
	struct err reason = { 0 };

	err_sys(&reason, "%s", what); /* before the search for a remedy, which changes errno */
	const char *remedy = remedy_find(STAGE_NAMESPACES);
	return err_set(e, ERR_SANDBOX, "%s%s%s", reason.msg, remedy[0] != '\0' ? "; " : "", remedy);
}

static bool write_proc(pid_t pid, const char *file, const char *text, struct err *e)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? write(fd, text, strlen(text)) : -1;
	int saved = errno;
	if (fd >= 0)
		close(fd);
	errno = saved;
	return n == (ssize_t)strlen(text) || namespace_error(e, "cannot map the run's user into its namespace");
}

/* Whether our id 0 is id 0 of the namespace around ours as well: then it is no harmless root. */
static bool is_outer_root(void)
{
	char text[512] = "";
	int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
	unsigned long first = 0, outside = 0;

	if (fd >= 0) {
		ssize_t n = read(fd, text, sizeof text - 1);
		text[n > 0 ? n : 0] = '\0';
		close(fd);
	}
	return sscanf(text, "%lu %lu", &first, &outside) != 2 || (first == 0 && outside == 0);
}

static bool map_ids(const struct sandbox *sb, struct err *e)
{
	char uid_map[48], gid_map[48];

	if (sb->id.uid == 0 && (sb->tier->tier == TIER_A_ROOT || is_outer_root()))
		return err_set(e, ERR_SANDBOX, "the sandbox would have to run as root here, for this user namespace knows no other "
		               "user; start tickmark as an ordinary user");
	if (!sb->tier->user_ns)
		return true;
	snprintf(uid_map, sizeof uid_map, "%d %u 1", RUN_ID, sb->id.uid);
	snprintf(gid_map, sizeof gid_map, "%d %u 1", RUN_ID, sb->id.gid);
	if (sb->id.uid == geteuid() && !write_proc(sb->pid, "setgroups", "deny", e))
		return false;
	return write_proc(sb->pid, "uid_map", uid_map, e) && write_proc(sb->pid, "gid_map", gid_map, e);
}

/* Its ids are mapped, and its root is at hand for later: once it has become the run's user, an ordinary
 * user may not look into it any more. */
static bool settle_child(struct sandbox *sb, struct err *e)
{
	const struct message mapped = { .type = MSG_MAPPED };
	char path[64];

	if (!map_ids(sb, e))
		return false;
	snprintf(path, sizeof path, "/proc/%d/root", (int)sb->pid);
	if (sb->tier->spaces && (sb->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
		return err_sys(e, "cannot look into the sandbox (%s)", path);
	return parcel_send(sb->control, &mapped, NULL, 0) || err_sys(e, "cannot reach the sandbox");
}

static char *absolute(const char *path)
{
	char *whole = path_absolute(path, NULL);

	return whole != NULL ? whole : xstrdup(path);
}

/* ---- the object --------------------------------------------------------------------------------------- */

static void add_list(struct strv *to, const char *const *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strv_add(to, from[i]);
}

static bool check_files(const struct sandbox_file *files, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (!path_is_plain_relative(files[i].path))
			return err_set(e, ERR_INPUT, "\"%s\": not a plain relative path", files[i].path);
	return true;
}

static bool check_spec(const struct sandbox_spec *spec, const struct tier_info *tier, bool has_program, struct err *e)
{
	if (spec->policy.tier != tier->tier)
		return err_set(e, ERR_SANDBOX, "a sandbox of kind %s was begun, one of kind %s is wanted", tier_word(tier->tier),
		               tier_word(spec->policy.tier));
	if (spec->policy.scratch == SCRATCH_NONE)
		return err_set(e, ERR_SANDBOX, "no scratch for the run's files was chosen");
	if (spec->policy.tier == TIER_B && spec->policy.scratch != SCRATCH_COPY)
		return err_set(e, ERR_SANDBOX, "tier B works on a copy; a scratch of kind %s needs namespaces",
		               scratch_word(spec->policy.scratch));
	if (has_program && (spec->argv == NULL || spec->argv[0] == NULL || spec->argv[0][0] != '/'))
		return err_set(e, ERR_INPUT, "the program of a run must be an absolute path");
	return check_files(spec->code, spec->code_count, e) && check_files(spec->home, spec->home_count, e);
}

static struct sandbox *new_sandbox(const struct tier_info *tier)
{
	struct sandbox *sb = xcalloc(1, sizeof *sb);

	sb->tier = tier;
	sb->group.dir = sb->group.parent = -1;
	sb->pidfd = sb->control = sb->root = sb->go = sb->out = sb->err = -1;
	sb->scratch = sb->upper = sb->disk_lock = sb->notify = sb->inotify = sb->stop_fd = -1;
	return sb;
}

/* Copies what is needed of the spec: the caller's own is gone when the run begins. */
static void take_spec(struct sandbox *sb, const struct sandbox_spec *spec)
{
	sb->policy = spec->policy;
	sb->box = xstrdup(spec->box);
	sb->cwd = xstrdup(spec->cwd != NULL ? spec->cwd : ".");
	for (size_t i = 0; i < spec->layer_count; i++) /* they are opened below another root */
		strv_take(&sb->layers, absolute(spec->layers[i]));
	add_list(&sb->watch, spec->watch, spec->watch_count);
	for (size_t i = 0; spec->argv != NULL && spec->argv[i] != NULL; i++)
		strv_add(&sb->argv, spec->argv[i]);
	sb->env = environment_build(&spec->policy, spec->env);
	sb->home = xcalloc(spec->home_count + 1, sizeof *sb->home);
	sb->home_count = spec->home_count;
	for (size_t i = 0; i < spec->home_count; i++)
		sb->home[i] = (struct sandbox_file){ xstrdup(spec->home[i].path),
			xmemdup(spec->home[i].bytes, spec->home[i].len), spec->home[i].len };
	sb->address_space = policy_address_space(&spec->policy.limits, sb->tier->proc || !sb->tier->spaces);
	sb->stop_fd = spec->stop_fd;
}

static bool make_channels(struct sandbox *sb, struct child_fds *child, struct err *e)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 }, go[2] = { -1, -1 }, control[2] = { -1, -1 };
	bool ok = pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0 && pipe2(go, O_CLOEXEC) == 0 &&
	          socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) == 0;

	sb->out = out[0];
	sb->err = err[0];
	sb->go = go[1];
	sb->control = control[0];
	*child = (struct child_fds){ .out = out[1], .err = err[1], .control = control[1], .go = go[0] };
	if (!ok)
		return err_sys(e, "cannot make pipes for the run");
	/* Larger pipes are a favour that the kernel may refuse. */
	fcntl(sb->out, F_SETPIPE_SZ, PIPE_BYTES);
	fcntl(sb->err, F_SETPIPE_SZ, PIPE_BYTES);
	if (fcntl(sb->out, F_SETFL, O_NONBLOCK) != 0 || fcntl(sb->err, F_SETFL, O_NONBLOCK) != 0)
		return err_sys(e, "cannot set up the run's pipes");
	return true;
}

static void close_child(struct child_fds *child)
{
	close_fd(&child->out);
	close_fd(&child->err);
	close_fd(&child->control);
	close_fd(&child->go);
}

static bool failed_at(struct sandbox *sb, const struct message *m, struct err *e)
{
	struct err reason = { 0 };
	const char *remedy = remedy_find(m->stage);

	errno = m->code;
	err_sys(&reason, "%s", m->text);
	sb->failed = m->stage;
	return err_set(e, ERR_SANDBOX, "the sandbox failed at %s%s%s", reason.msg, remedy[0] != '\0' ? "; " : "", remedy);
}

/* What the child could not do; or, where it left no word, that it is gone. */
static bool child_error(struct sandbox *sb, struct err *e)
{
	struct message m;

	while (parcel_receive(sb->control, &m, NULL, 0, NULL))
		if (m.type == MSG_FAILED)
			return failed_at(sb, &m, e);
	return err_set(e, ERR_SANDBOX, "the sandbox's first process ended before the program could start");
}

/* If the child gave up first, its complaint is nearer to the cause. */
static bool ask_child(struct sandbox *sb, struct err *e)
{
	struct pollfd p = { .fd = sb->control, .events = POLLIN };

	if (poll(&p, 1, 0) == 1 && (p.revents & POLLIN))
		child_error(sb, e);
	return false;
}

static bool clone_child(struct sandbox *sb, struct child_fds *child, struct err *e)
{
	uint64_t spaces = sb->tier->spaces ? CLONE_NEWNS | CLONE_NEWPID : 0;
	struct clone_args args = {
		.flags = CLONE_PIDFD | CLONE_CLEAR_SIGHAND | spaces | (sb->tier->user_ns ? CLONE_NEWUSER : 0),
		.pidfd = (uint64_t)(uintptr_t)&sb->pidfd,
		.exit_signal = SIGCHLD,
	};
	cgroup_make(&sb->group);
	if (sb->group.dir >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)sb->group.dir;
	}
	int pid = sys_clone3(&args);
	if (pid < 0 && sb->group.dir >= 0) { /* a group that may be made, but not entered from ours */
		cgroup_free(&sb->group);
		args.flags &= ~(uint64_t)CLONE_INTO_CGROUP;
		pid = sys_clone3(&args);
	}
	if (pid < 0)
		return namespace_error(e, "cannot make namespaces for the run");
	if (pid == 0)
		child_main(sb, *child);
	sb->pid = pid;
	return true;
}

struct sandbox *sandbox_begin(enum tier tier, struct err *e)
{
	struct child_fds child = { -1, -1, -1, -1 };
	const struct tier_info *info = tier_find(tier);

	if (info == NULL) {
		err_set(e, ERR_SANDBOX, "no sandbox of kind %s in this version; nothing runs unconfined", tier_word(tier));
		return NULL;
	}
	struct sandbox *sb = new_sandbox(info);
	tier_identity(info, &sb->id);
	if (!info->user_ns)
		sb->other_tasks = tier_tasks_of(sb->id.uid);
	bool ok = shared_make(sb, e) && make_channels(sb, &child, e) && clone_child(sb, &child, e);
	close_child(&child);
	if (ok && (settle_child(sb, e) || ask_child(sb, e)))
		return sb;
	sandbox_free(sb);
	return NULL;
}

bool sandbox_furnish(struct sandbox *sb, const struct sandbox_spec *spec, struct err *e)
{
	bool on_disk = spec->policy.scratch == SCRATCH_DISK || spec->policy.scratch == SCRATCH_COPY;

	if (!check_spec(spec, sb->tier, sb->inside == NULL, e))
		return false;
	take_spec(sb, spec);
	cgroup_limit(&sb->group, &sb->policy);
	if (!plan_make(&sb->plan, spec, e) || (!sb->tier->spaces && !bare_plan(&sb->plan, sb->box, sb->cwd, e)) ||
	    (on_disk && !disk_make(sb, spec, e)) || !orders_write(sb, spec, e))
		return false;
	return sources_send(sb, e) || ask_child(sb, e);
}

struct sandbox *sandbox_prepare_inside(const struct sandbox_spec *spec, sandbox_inside_fn inside, const void *arg, struct err *e)
{
	struct sandbox *sb = sandbox_begin(spec->policy.tier, e);

	if (sb == NULL)
		return NULL;
	sb->inside = inside;
	sb->inside_arg = arg;
	if (sandbox_furnish(sb, spec, e))
		return sb;
	sandbox_free(sb);
	return NULL;
}

struct sandbox *sandbox_prepare(const struct sandbox_spec *spec, struct err *e)
{
	return sandbox_prepare_inside(spec, NULL, NULL, e);
}

static bool wait_ready(struct sandbox *sb, struct err *e)
{
	struct pollfd p = { .fd = sb->control, .events = POLLIN };
	struct message m;
	int fds[3], rc;
	size_t n;

	do
		rc = poll(&p, 1, READY_MS);
	while (rc < 0 && errno == EINTR);
	if (rc == 0)
		return err_set(e, ERR_SANDBOX, "the sandbox was not ready within %d s", READY_MS / 1000);
	if (!parcel_receive(sb->control, &m, fds, ARRAY_LEN(fds), &n))
		return child_error(sb, e);
	if (m.type == MSG_FAILED)
		return failed_at(sb, &m, e);
	if (m.type != MSG_READY || n < 2)
		return child_error(sb, e);
	close_fd(&sb->scratch); /* tier B: it was ours already, and comes back */
	sb->scratch = fds[0];
	sb->notify = fds[1];
	sb->inotify = n > 2 ? fds[2] : -1;
	return true;
}

bool sandbox_start(struct sandbox *sb, struct err *e)
{
	struct statfs fs;

	if (!wait_ready(sb, e))
		return false;
	if (sb->upper < 0 && (sb->upper = openat(sb->scratch, "upper", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		return err_sys(e, "cannot open the run's scratch");
	if (fstatfs(sb->scratch, &fs) == 0) {
		sb->scratch_base = (int64_t)(fs.f_blocks - fs.f_bfree) * fs.f_bsize;
		sb->files_base = (int64_t)(fs.f_files - fs.f_ffree);
	}
	sb->started_us = clock_now_us();
	sb->started_mono_us = clock_mono_us();
	if (write(sb->go, "g", 1) != 1)
		return child_error(sb, e);
	close_fd(&sb->go);
	sb->started = true;
	return true;
}

void sandbox_kill(struct sandbox *sb)
{
	int64_t until_us = clock_mono_us() + KILL_MS * 1000;

	/* Without a pid namespace the keeper's end ends nobody else: they go before it. */
	if (!cgroup_kill(&sb->group) && !sb->tier->spaces) {
		int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		while (proc >= 0 && family_kill(proc, sb->pid) > 0 && clock_mono_us() < until_us)
			poll(NULL, 0, 1);
		if (proc >= 0)
			close(proc);
	}
	sys_pidfd_kill(sb->pidfd);
}

void sandbox_end(struct sandbox *sb)
{
	siginfo_t info;

	if (sb->pid == 0)
		return;
	if (sb->pidfd >= 0)
		sandbox_kill(sb);
	/* What hangs in the kernel is waited for once, and then left to it. */
	struct pollfd p = { .fd = sb->pidfd, .events = POLLIN };
	if (sb->stuck || poll(&p, 1, GONE_MS) == 0)
		log_line("sandbox: process %d of a run does not end", (int)sb->pid);
	else
		while (waitid(P_PIDFD, (id_t)sb->pidfd, &info, WEXITED | __WALL) < 0 && errno == EINTR) {
		}
	sb->pid = 0;
}

void sandbox_free(struct sandbox *sb)
{
	if (sb == NULL)
		return;
	sandbox_end(sb);
	int *fds[] = { &sb->pidfd, &sb->control, &sb->root, &sb->go, &sb->out, &sb->err, &sb->scratch, &sb->upper, &sb->notify, &sb->inotify };
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		close_fd(fds[i]);
	cgroup_free(&sb->group);
	if (sb->disk != NULL)
		fs_remove_tree(AT_FDCWD, sb->disk, NULL);
	close_fd(&sb->disk_lock); /* only now: to others it was in use */
	free(sb->disk);
	copied_free(sb->copied);
	shared_free(sb);
	for (size_t i = 0; i < sb->home_count; i++) {
		free((char *)sb->home[i].path);
		free((void *)sb->home[i].bytes);
	}
	free(sb->home);
	plan_free(&sb->plan);
	strv_free(&sb->layers);
	strv_free(&sb->argv);
	strv_free(&sb->env);
	strv_free(&sb->watch);
	free(sb->box);
	free(sb->cwd);
	free(sb);
}
