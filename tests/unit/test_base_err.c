/* err.c: messages, codes from errno, cutting, and the last way out. */
#include "base.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void set_composes_and_returns_false(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_false(err_set(&e, ERR_INPUT, "'%s' is number %d", "x", 7));
	assert_int_equal(e.code, ERR_INPUT);
	assert_int_equal(e.sys, 0);
	assert_string_equal(e.msg, "'x' is number 7");
	assert_false(err_set(NULL, ERR_INPUT, "nobody listens"));
	err_set(&e, ERR_BUSY, "again: %s", e.msg); /* its own message as an argument */
	assert_string_equal(e.msg, "again: 'x' is number 7");
}

static void sys_classifies_and_keeps_errno(void **state)
{
	static const struct {
		int sys;
		enum err_code code;
	} cases[] = {
		{ ENOENT, ERR_NOTFOUND }, { EEXIST, ERR_EXISTS },  { ENOSPC, ERR_FULL },
		{ EDQUOT, ERR_FULL },     { EFBIG, ERR_FULL },     { EROFS, ERR_READONLY },
		{ EACCES, ERR_SYS },      { EIO, ERR_SYS },        { 99999, ERR_SYS },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = { 0 };
		errno = cases[i].sys;
		assert_false(err_sys(&e, "cannot open %s", "f"));
		assert_int_equal(errno, cases[i].sys);
		assert_int_equal(e.code, cases[i].code);
		assert_int_equal(e.sys, cases[i].sys);
		assert_ptr_equal(strstr(e.msg, "cannot open f: "), e.msg);
	}
	struct err e = { 0 };
	errno = ENOENT;
	err_sys(&e, "cannot open f");
	assert_string_equal(e.msg, "cannot open f: No such file or directory");
	assert_false(err_sys(NULL, "nobody listens"));
}

static void prefix_puts_context_in_front(void **state)
{
	struct err e = { 0 };

	(void)state;
	errno = EACCES;
	err_sys(&e, "cannot open f");
	assert_false(err_prefix(&e, "%s:%d", "conf", 3));
	assert_string_equal(e.msg, "conf:3: cannot open f: Permission denied");
	assert_int_equal(e.code, ERR_SYS);
	assert_int_equal(e.sys, EACCES);
	assert_false(err_prefix(NULL, "nobody"));
}

/* Every length around the limit, with characters of 1 to 4 bytes: no message ends inside one. */
static void cutting_keeps_characters_whole(void **state)
{
	static const char *const characters[] = { "a", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80" };

	(void)state;
	for (size_t c = 0; c < ARRAY_LEN(characters); c++) {
		size_t unit = strlen(characters[c]);
		for (size_t pad = 0; pad < 8; pad++) {
			struct buf b = { 0 };
			struct err e = { 0 };
			for (size_t i = 0; i < pad; i++)
				buf_addc(&b, '.');
			for (size_t i = 0; i < 1100; i += unit)
				buf_adds(&b, characters[c]);
			err_set(&e, ERR_INPUT, "%s", b.data);
			size_t len = strlen(e.msg);
			assert_true(len < sizeof(e.msg) && len >= sizeof(e.msg) - 4);
			assert_int_equal((len - pad) % unit, 0);
			buf_free(&b);
		}
	}
}

/* The name may be cut, the reason not. */
static void a_long_name_leaves_room_for_the_reason(void **state)
{
	char name[3000];
	struct err e = { 0 };

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	errno = ENOSPC;
	err_sys(&e, "cannot write %s", name);
	assert_non_null(strstr(e.msg, "nnn: No space left on device"));
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);

	err_prefix(&e, "while saving");
	assert_ptr_equal(strstr(e.msg, "while saving: cannot write nnn"), e.msg);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
}

static void restore_terminal(void)
{
	(void)!write(STDERR_FILENO, "[hook]", 6);
}

static void at_exit(void)
{
	(void)!write(STDERR_FILENO, "[atexit]", 8);
}

static void die_runs_the_hook_first(void **state)
{
	int ends[2], status;
	char got[128] = "";

	(void)state;
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		atexit(at_exit);
		die_set_hook(restore_terminal);
		die("no %s", "memory");
	}
	close(ends[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(read(ends[0], got, sizeof(got) - 1) > 0);
	close(ends[0]);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
	assert_ptr_equal(strstr(got, "[hook]"), got);
	assert_string_equal(got, "[hook]tickmark: no memory\n");
}

static void die_does_without_a_hook_and_stderr(void **state)
{
	int status;

	(void)state;
	pid_t child = fork();
	if (child == 0) {
		close(STDERR_FILENO);
		die_set_hook(NULL);
		die("nobody reads this");
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_composes_and_returns_false),
		cmocka_unit_test(sys_classifies_and_keeps_errno),
		cmocka_unit_test(prefix_puts_context_in_front),
		cmocka_unit_test(cutting_keeps_characters_whole),
		cmocka_unit_test(a_long_name_leaves_room_for_the_reason),
		cmocka_unit_test(die_runs_the_hook_first),
		cmocka_unit_test(die_does_without_a_hook_and_stderr),
	};
	return cmocka_run_group_tests_name("base/err", tests, NULL, NULL);
}
