/* What is particular to a way of isolation, seen from the launcher: who a run is, that nothing of it
 * outlives anybody, how sizes on disk are found. Programs under each way are in tests/sandbox. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/sandbox/impl.h"

#define HANG_GUARD_MS 60000

static char dir[] = "/tmp/tickmark-tiers-XXXXXX";

struct gathered { struct buf out, err; };

static void take(void *ctx, enum stream_id stream, int64_t group, int64_t offset_us, const void *p, size_t n)
{
	struct gathered *g = ctx;

	(void)group, (void)offset_us;
	buf_add(stream == STREAM_OUT ? &g->out : &g->err, p, n);
}

static void free_gathered(struct gathered *g)
{
	buf_free(&g->out);
	buf_free(&g->err);
}

static struct sandbox_spec bare_shell(const char *script, const char **argv)
{
	struct sandbox_spec s = { .argv = argv, .box = "/home/u/ws", .cwd = ".", .stop_fd = -1, .disk_scratch = dir };

	argv[0] = "/bin/sh";
	argv[1] = "-c";
	argv[2] = script;
	argv[3] = NULL;
	policy_defaults(ASKER_PERSON, &s.policy);
	s.policy.tier = TIER_B;
	s.policy.scratch = SCRATCH_COPY;
	s.policy.limits.wall_ms = HANG_GUARD_MS;
	return s;
}

static void need_tier_b(void)
{
	if (landlock_abi() < 6 && getenv("SANDBOX_MUST_WORK") == NULL)
		skip();
}

/* ---- without namespaces ----------------------------------------------------------------------------- */

/* The host's numbers of the processes of a run, which says each on a line of its own. */
static void test_nothing_outlives_the_caller(void **state)
{
	static const char script[] = "trap '' TERM HUP INT; echo $$; (setsid sh -c 'echo $$; exec sleep 600' &) ; sleep 600 & echo $!; wait";
	int word[2];

	(void)state;
	need_tier_b();
	assert_int_equal(pipe(word), 0);
	pid_t caller = fork();
	if (caller == 0) {
		const char *argv[4];
		struct sandbox_spec s = bare_shell(script, argv);
		struct err e = { 0 };
		struct sandbox *sb = sandbox_prepare(&s, &e);
		if (sb == NULL || !sandbox_start(sb, &e))
			_exit(1);
		struct buf text = { 0 };
		int lines = 0;
		while (lines < 3) {
			char byte;
			struct pollfd p = { .fd = sb->out, .events = POLLIN };
			if (poll(&p, 1, HANG_GUARD_MS) != 1 || read(sb->out, &byte, 1) != 1)
				_exit(1);
			buf_addc(&text, byte);
			lines += byte == '\n';
		}
		buf_addf(&text, "%d\n%s.", (int)sb->pid, sb->disk);
		if (write(word[1], text.data, text.len) < 0)
			_exit(1);
		pause();
		_exit(1);
	}
	char text[4096];
	size_t n = 0;
	while (n < sizeof text - 1 && (n == 0 || text[n - 1] != '.'))
		assert_int_equal(read(word[0], text + n++, 1), 1);
	text[n - 1] = '\0';
	const char *disk = strrchr(text, '\n') + 1;
	int pidfds[4], found = 0;
	for (char *p = text, *end; found < 4; p = end, found++) {
		pidfds[found] = (int)syscall(SYS_pidfd_open, (pid_t)strtol(p, &end, 10), 0);
		assert_true(end > p && pidfds[found] >= 0);
	}
	assert_int_equal(kill(caller, SIGKILL), 0);
	assert_int_equal(waitpid(caller, NULL, 0), caller);
	for (int i = 0; i < found; i++) {
		struct pollfd p = { .fd = pidfds[i], .events = POLLIN };
		assert_int_equal(poll(&p, 1, HANG_GUARD_MS), 1);
		close(pidfds[i]);
	}
	assert_int_not_equal(access(disk, F_OK), 0);
	close(word[0]);
	close(word[1]);
}

/* Given up before its start, while it runs, and by a stop: processes and folder are gone. */
static void test_given_up(void **state)
{
	const char *argv[4];
	struct sandbox_spec s = bare_shell("(setsid sleep 600 &); sleep 600", argv);
	struct err e = { 0 };

	(void)state;
	need_tier_b();
	for (int started = 0; started < 2; started++) {
		struct sandbox *sb = sandbox_prepare(&s, &e);
		assert_non_null(sb);
		char *disk = xstrdup(sb->disk);
		int pidfd = (int)syscall(SYS_pidfd_open, sb->pid, 0);
		assert_int_equal(access(disk, F_OK), 0);
		if (started)
			assert_true(sandbox_start(sb, &e));
		sandbox_free(sb);
		struct pollfd p = { .fd = pidfd, .events = POLLIN };
		assert_int_equal(poll(&p, 1, HANG_GUARD_MS), 1);
		assert_int_not_equal(access(disk, F_OK), 0);
		close(pidfd);
		free(disk);
	}
}

/* Root's runs are each somebody of their own; an ordinary user's are that user. */
static void test_who_it_is(void **state)
{
	const char *argv[4];
	struct sandbox_spec s = bare_shell("id -u; umask; echo x > f; stat -c %u f", argv);
	struct gathered g = { 0 };
	const struct sandbox_sink sink = { .stream = take, .ctx = &g };
	struct sandbox_result r = { 0 };
	struct err e = { 0 };

	(void)state;
	need_tier_b();
	struct sandbox *sb = sandbox_prepare(&s, &e);
	assert_non_null(sb);
	uid_t uid = sb->id.uid;
	assert_true(sandbox_start(sb, &e) && sandbox_run(sb, &sink, &r, &e));
	char *wanted = xasprintf("%u\n0022\n%u\n", (unsigned)uid, (unsigned)uid);
	assert_string_equal(g.out.data, wanted);
	if (geteuid() == 0)
		assert_true(uid != 0 && uid != 65534);
	else
		assert_int_equal(uid, geteuid());
	free(wanted);
	sandbox_free(sb);
	sandbox_result_free(&r);
	free_gathered(&g);
}

/* A task of that user that is none of the run's; it ends with the writer of the pipe. */
static void begin_other(uid_t uid, int begun, int end, int writer)
{
	char byte = 0;

	if (fork() > 0)
		return;
	close(writer);
	bool ok = syscall(SYS_setresuid, uid, uid, uid) == 0 && write(begun, &byte, 1) == 1 && read(end, &byte, 1) == 0;
	_exit(!ok);
}

/* Without a user namespace the kernel counts them along: the run has less room than its limit, and fails of the limit. */
static void test_room_that_others_took(void **state)
{
	enum { OTHERS = 12 };
	const char *argv[4];
	struct sandbox_spec s = bare_shell("for i in 1 2 3 4 5 6 7 8 9 10; do sleep 600 & done", argv);
	struct gathered g = { 0 };
	const struct sandbox_sink sink = { .stream = take, .ctx = &g };
	struct sandbox_result r = { 0 };
	struct err e = { 0 };
	int begun[2], end[2];
	char byte;

	(void)state;
	need_tier_b();
	if (geteuid() != 0)
		skip(); /* whose other tasks come and go */
	s.policy.limits.processes = 16;
	struct sandbox *sb = sandbox_prepare(&s, &e);
	assert_non_null(sb);
	assert_int_equal(pipe(begun) | pipe(end), 0);
	for (int i = 0; i < OTHERS; i++) {
		begin_other(sb->id.uid, begun[1], end[0], end[1]);
		assert_int_equal(read(begun[0], &byte, 1), 1);
	}
	assert_true(sandbox_start(sb, &e) && sandbox_run(sb, &sink, &r, &e));
	assert_true(r.exit_code > 0);
	assert_true(r.at_processes && r.processes_shared);
	sandbox_free(sb);
	close(end[1]);
	while (wait(NULL) > 0 || errno == EINTR) {
	}
	close(end[0]);
	close(begun[0]);
	close(begun[1]);
	sandbox_result_free(&r);
	free_gathered(&g);
}

static void test_only_copies(void **state)
{
	const char *argv[4];
	struct sandbox_spec s = bare_shell("true", argv);
	struct err e = { 0 };

	(void)state;
	s.policy.scratch = SCRATCH_TMPFS_XATTR;
	assert_null(sandbox_prepare(&s, &e));
	assert_non_null(strstr(e.msg, "tier B works on a copy"));
}

/* Nothing can be laid over the workspace here, so it must not lie in what a run may read. */
static void test_no_workspace_in_sight(void **state)
{
	const char *argv[4];
	struct sandbox_spec s = bare_shell("true", argv);
	struct err e = { 0 };

	(void)state;
	s.box = "/usr/local/ws";
	assert_null(sandbox_prepare(&s, &e));
	assert_non_null(strstr(e.msg, "cannot hide the record"));
}

/* ---- collecting and measuring ------------------------------------------------------------------------ */

static bool no_left(void *ctx, const struct sandbox_left *left, struct err *e)
{
	(void)ctx, (void)left, (void)e;
	return true;
}

/* While something may still write, nothing is taken. */
static void test_nothing_is_taken_from_the_living(void **state)
{
	struct sandbox sb = { .stuck = true, .tier = tier_find(TIER_A) };
	struct sandbox_collected c;
	struct err e = { 0 };

	(void)state;
	assert_false(sandbox_collect(&sb, no_left, NULL, &c, &e));
	assert_non_null(strstr(e.msg, "does not end"));
}

static void put(int dirfd, const char *name, size_t bytes)
{
	char *text = xcalloc(1, bytes);
	struct err e = { 0 };

	memset(text, 'x', bytes);
	assert_true(fs_write(dirfd, name, text, bytes, false, &e));
	free(text);
}

/* Any depth, with few descriptors, hard links once. */
static void test_measuring(void **state)
{
	char *top = path_join(dir, "measured");
	const size_t big = 1 << 20;

	(void)state;
	assert_int_equal(mkdir(top, 0700), 0);
	int at = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC), root = dup(at);
	for (int i = 0; i < 3000; i++) {
		assert_int_equal(mkdirat(at, "d", 0700), 0);
		int down = openat(at, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(at);
		at = down;
	}
	put(at, "deepest", big);
	put(root, "first", big);
	assert_int_equal(linkat(root, "first", root, "second", 0), 0);
	assert_int_equal(symlinkat("/", root, "all"), 0);
	struct measured m = measure_folder(root);
	assert_in_range(m.bytes, 2 * big, 3000 * 8192 + 3 * big);
	assert_int_equal(m.longest, big);
	assert_int_equal(m.entries, 3000 + 4);
	close(at);
	close(root);
	assert_true(fs_remove_tree(AT_FDCWD, top, NULL));
	free(top);
}

/* Descriptors of a process that lead to files without a name: each file once. */
static void test_nameless_files(void **state)
{
	static struct unlinked u;
	char pid[16];
	int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC), dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	snprintf(pid, sizeof pid, "%d", (int)getpid());
	put(dirfd, "nameless", 1 << 20);
	int fd = openat(dirfd, "nameless", O_RDWR | O_CLOEXEC), again = dup(fd);
	unlinked_add(&u, proc, pid);
	assert_int_equal(u.bytes, 0);
	assert_int_equal(unlinkat(dirfd, "nameless", 0), 0);
	unlinked_add(&u, proc, pid);
	assert_in_range(u.bytes, 1 << 20, (1 << 20) + 65536);
	close(again);
	close(fd);
	close(dirfd);
	close(proc);
}

/* ---- the self-test can fail --------------------------------------------------------------------------- */

static void count_held(void *ctx, const struct sandbox_tried *t)
{
	*(int *)ctx += t->held;
	assert_true(t->area[0] != '\0' && t->tried[0] != '\0' && t->answer != NULL && t->answer[0] != '\0');
}

static void test_self_test_fails(void **state)
{
	const struct sandbox_caps none = { .tier = TIER_NONE, .scratch = SCRATCH_COPY };
	struct err e = { 0 };
	int held = 0;

	(void)state;
	assert_false(sandbox_self_test(&none, dir, count_held, &held, &e));
	assert_int_equal(held, 0);
}

/* ---- a scratch on disk -------------------------------------------------------------------------------- */

static size_t folders_in(const char *path)
{
	DIR *d = opendir(path);
	size_t n = 0;

	assert_non_null(d);
	for (struct dirent *ent; (ent = readdir(d)) != NULL;)
		n += ent->d_name[0] != '.';
	closedir(d);
	return n;
}

/* A launcher that is killed leaves its folder, and the next one removes it; not that of one that lives. */
static void test_left_folders(void **state)
{
	char *below = path_join(dir, "left");
	const char *argv[] = { "/bin/sh", "-c", "mkdir -p deep/er; chmod 0 deep; sleep 600", NULL };
	struct sandbox_spec s = { .argv = argv, .box = "/home/u/ws", .cwd = ".", .stop_fd = -1, .disk_scratch = below };
	struct err e = { 0 };
	int word[2];

	(void)state;
	policy_defaults(ASKER_PERSON, &s.policy);
	s.policy.tier = TIER_A;
	s.policy.scratch = SCRATCH_COPY;
	assert_true(fs_mkdirs(AT_FDCWD, below, &e));
	struct sandbox *living = sandbox_prepare(&s, &e);
	if (living == NULL && getenv("SANDBOX_MUST_WORK") == NULL)
		skip();
	assert_non_null(living);
	assert_int_equal(pipe(word), 0);
	pid_t caller = fork();
	if (caller == 0) {
		struct sandbox *sb = sandbox_prepare(&s, &e);
		bool ok = sb != NULL && sandbox_start(sb, &e);
		if (write(word[1], &ok, sizeof ok) < 0)
			_exit(1);
		pause();
		_exit(1);
	}
	bool ok = false;
	assert_int_equal(read(word[0], &ok, sizeof ok), sizeof ok);
	assert_true(ok);
	assert_int_equal(kill(caller, SIGKILL), 0);
	assert_int_equal(waitpid(caller, NULL, 0), caller);
	assert_int_equal(folders_in(below), 2);
	struct sandbox *next = sandbox_prepare(&s, &e);
	assert_non_null(next);
	assert_int_equal(folders_in(below), 2); /* the living one's and its own */
	assert_int_equal(access(living->disk, F_OK), 0);
	sandbox_free(next);
	sandbox_free(living);
	assert_int_equal(folders_in(below), 0);
	close(word[0]);
	close(word[1]);
	free(below);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(dir) != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return fs_remove_tree(AT_FDCWD, dir, NULL) ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_outlives_the_caller),
		cmocka_unit_test(test_given_up),
		cmocka_unit_test(test_who_it_is),
		cmocka_unit_test(test_room_that_others_took),
		cmocka_unit_test(test_only_copies),
		cmocka_unit_test(test_no_workspace_in_sight),
		cmocka_unit_test(test_nothing_is_taken_from_the_living),
		cmocka_unit_test(test_measuring),
		cmocka_unit_test(test_nameless_files),
		cmocka_unit_test(test_left_folders),
		cmocka_unit_test(test_self_test_fails),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
