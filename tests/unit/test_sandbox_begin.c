/* Between the clone of a run's first process and the orders that it waits for: whoever gives up, dies or
 * cannot say what shall run leaves nothing behind. In every way of isolation. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/sandbox/impl.h"

#define HANG_GUARD_MS 60000

static char dir[] = "/tmp/tickmark-begin-XXXXXX";

static struct sandbox_spec some_spec(const char **argv)
{
	struct sandbox_spec s = { .argv = argv, .box = "/home/u/ws", .cwd = ".", .stop_fd = -1, .disk_scratch = dir };

	argv[0] = "/bin/true";
	argv[1] = NULL;
	policy_defaults(ASKER_PERSON, &s.policy);
	s.policy.tier = TIER_A;
	s.policy.scratch = SCRATCH_TMPFS_XATTR;
	return s;
}

static const enum tier every_tier[] = { TIER_A, TIER_A_NOPROC, TIER_A_ROOT, TIER_B };

static bool is_possible(enum tier t)
{
	return (t != TIER_A_ROOT || geteuid() == 0) && (t != TIER_B || landlock_abi() >= 6);
}

static int pidfd_of(const struct sandbox *sb)
{
	int fd = (int)syscall(SYS_pidfd_open, sb->pid, 0);

	assert_true(fd >= 0);
	return fd;
}

static void assert_gone(int pidfd)
{
	struct pollfd p = { .fd = pidfd, .events = POLLIN };

	assert_int_equal(poll(&p, 1, HANG_GUARD_MS), 1);
	close(pidfd);
}

/* What was begun is given up: without orders, and where the orders cannot be given. */
static void test_begun_in_vain(void **state)
{
	enum { NO_ORDERS, BAD_BOX, BAD_PREFIX, OTHER_TIER, WAYS };

	(void)state;
	for (size_t t = 0; t < ARRAY_LEN(every_tier); t++) {
		for (int way = NO_ORDERS; is_possible(every_tier[t]) && way < WAYS; way++) {
			const char *argv[4], *prefix = "/nonexistent/python";
			struct sandbox_spec s = some_spec(argv);
			struct err e = { 0 };
			struct sandbox *sb = sandbox_begin(every_tier[t], &e);
			if (sb == NULL && getenv("SANDBOX_MUST_WORK") == NULL)
				break; /* not to be had here */
			assert_non_null(sb);
			int pidfd = pidfd_of(sb);
			s.policy.tier = way == OTHER_TIER ? (every_tier[t] == TIER_B ? TIER_A : TIER_B) : every_tier[t];
			s.policy.scratch = s.policy.tier == TIER_B ? SCRATCH_COPY : SCRATCH_TMPFS_XATTR;
			s.prefixes = &prefix;
			s.prefix_count = way == BAD_PREFIX && s.policy.tier != TIER_B; /* there nothing is mounted */
			if (way == BAD_BOX)
				s.box = "/usr";
			if (way == BAD_BOX || way == OTHER_TIER || s.prefix_count > 0) {
				assert_false(sandbox_furnish(sb, &s, &e));
				assert_int_not_equal(e.code, ERR_NONE);
			}
			sandbox_free(sb);
			assert_gone(pidfd);
			assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
		}
	}
}

/* The caller dies while its child waits for orders, which then end it. */
static void test_death_before_the_orders(void **state)
{
	(void)state;
	for (size_t t = 0; t < ARRAY_LEN(every_tier); t++) {
		int word[2];
		pid_t first = 0;
		if (!is_possible(every_tier[t]))
			continue;
		assert_int_equal(pipe(word), 0);
		pid_t caller = fork();
		if (caller == 0) {
			struct err e = { 0 };
			struct sandbox *sb = sandbox_begin(every_tier[t], &e);
			pid_t pid = sb != NULL ? sb->pid : -1;
			if (write(word[1], &pid, sizeof pid) < 0)
				_exit(1);
			pause();
			_exit(1);
		}
		assert_int_equal(read(word[0], &first, sizeof first), sizeof first);
		int pidfd = first > 0 ? (int)syscall(SYS_pidfd_open, first, 0) : -1;
		assert_int_equal(kill(caller, SIGKILL), 0);
		assert_int_equal(waitpid(caller, NULL, 0), caller);
		if (first > 0 || getenv("SANDBOX_MUST_WORK") != NULL) {
			assert_true(pidfd >= 0);
			assert_gone(pidfd);
		}
		close(word[0]);
		close(word[1]);
	}
}

static bool put_word(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Namespaces are refused after the clone, which had succeeded: the child's own words reach the caller. */
static void test_namespaces_are_refused(void **state)
{
	int status;

	(void)state;
	fflush(NULL);
	pid_t caller = fork();
	if (caller == 0) {
		char uids[64], gids[64];
		snprintf(uids, sizeof uids, "1000 %d 1", (int)geteuid());
		snprintf(gids, sizeof gids, "1000 %d 1", (int)getegid());
		if (unshare(CLONE_NEWUSER) != 0 || !put_word("/proc/self/setgroups", "deny") ||
		    !put_word("/proc/self/uid_map", uids) || !put_word("/proc/self/gid_map", gids) ||
		    !put_word("/proc/sys/user/max_net_namespaces", "0"))
			_exit(77);
		const char *argv[4];
		struct sandbox_spec s = some_spec(argv);
		struct err e = { 0 };
		s.policy.tier = TIER_A;
		s.policy.scratch = SCRATCH_TMPFS_XATTR;
		struct sandbox *sb = sandbox_prepare(&s, &e);
		if (sb != NULL && sandbox_start(sb, &e))
			_exit(1);
		sandbox_free(sb);
		bool told = strstr(e.msg, "making the network, ipc, uts and cgroup namespaces: No space left") != NULL;
		if (!told)
			printf("# %s\n", e.msg);
		fflush(NULL);
		_exit(told && waitpid(-1, NULL, WNOHANG) == -1 ? 0 : 2);
	}
	assert_int_equal(waitpid(caller, &status, 0), caller);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

/* More folders than one message takes, most of them not there: refused, and nothing is written past it. */
static void test_too_many_sources(void **state)
{
	enum { MANY = 400 };
	const char *argv[4], *prefixes[MANY];
	struct sandbox_spec s = some_spec(argv);
	struct err e = { 0 };

	(void)state;
	for (int i = 0; i < MANY; i++) {
		char *path = xasprintf("%s/prefix-%03d", dir, i);
		assert_true(fs_mkdirs(AT_FDCWD, path, &e));
		prefixes[i] = path;
	}
	s.prefixes = prefixes;
	s.prefix_count = MANY;
	assert_null(sandbox_prepare(&s, &e));
	assert_int_equal(e.code, ERR_LIMIT);
	assert_non_null(strstr(e.msg, "more than 250 folders"));
	for (int i = 0; i < MANY; i++)
		free((char *)prefixes[i]);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(dir) == NULL;
}

static int tear_down(void **state)
{
	(void)state;
	return !fs_remove_tree(AT_FDCWD, dir, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begun_in_vain),
		cmocka_unit_test(test_death_before_the_orders),
		cmocka_unit_test(test_namespaces_are_refused),
		cmocka_unit_test(test_too_many_sources),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
