/* log.c: one whole, harmless line each. */
#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char top[64];
static char *path;

static int setup(void **state)
{
	(void)state;
	snprintf(top, sizeof(top), "/tmp/tickmark-log-XXXXXX");
	if (!mkdtemp(top))
		return -1;
	path = path_join(top, "log");
	setenv("TICKMARK_LOG", path, 1);
	setenv("TICKMARK_NOW_US", "0", 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(path);
	unsetenv("TICKMARK_LOG");
	unsetenv("TICKMARK_NOW_US");
	return fs_remove_tree(AT_FDCWD, top, NULL) ? 0 : -1;
}

static void assert_log(const char *expect)
{
	struct buf b = { 0 };

	assert_true(fs_read(AT_FDCWD, path, 1 << 20, &b, NULL));
	assert_string_equal(b.data, expect);
	buf_free(&b);
}

static void lines_are_appended(void **state)
{
	struct stat st;

	(void)state;
	umask(0);
	errno = EXDEV;
	log_line("first %d", 1);
	assert_int_equal(errno, EXDEV);
	log_line("second");
	char *expect = xasprintf("1970-01-01T00:00:00.000000Z %d first 1\n1970-01-01T00:00:00.000000Z %d second\n",
	                         (int)getpid(), (int)getpid());
	assert_log(expect);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	free(expect);
	umask(022);
}

static void controls_are_made_visible(void **state)
{
	(void)state;
	log_line("%s", "a\nb\033[31m\x7f\tcaf\xC3\xA9");
	char *expect = xasprintf("1970-01-01T00:00:00.000000Z %d a\\x0ab\\x1b[31m\\x7f\tcaf\xC3\xA9\n", (int)getpid());
	assert_log(expect);
	free(expect);
}

static void nothing_without_a_usable_file(void **state)
{
	char *link = path_join(top, "link"), *target = path_join(top, "target"), *fifo = path_join(top, "fifo");

	(void)state;
	unsetenv("TICKMARK_LOG");
	log_line("nowhere");
	setenv("TICKMARK_LOG", "", 1);
	log_line("nowhere");
	setenv("TICKMARK_LOG", "/nonexistent/log", 1);
	errno = EXDEV;
	log_line("nowhere");
	assert_int_equal(errno, EXDEV);
	assert_int_equal(symlink(target, link), 0);
	setenv("TICKMARK_LOG", link, 1);
	log_line("not through a link");
	assert_false(fs_exists(AT_FDCWD, target));
	assert_int_equal(mkfifo(fifo, 0600), 0);
	setenv("TICKMARK_LOG", fifo, 1);
	log_line("a FIFO without a reader does not hang");
	free(link), free(target), free(fifo);
}

/* The sandbox closes every descriptor; the log must not write into whatever got a number after. */
static void survives_closed_descriptors(void **state)
{
	char *other = path_join(top, "other");
	int status;

	(void)state;
	log_line("before");
	pid_t child = fork();
	if (child == 0) {
		for (int fd = 3; fd < 64; fd++)
			close(fd);
		int fd = open(other, O_WRONLY | O_CREAT, 0600);
		log_line("after");
		struct stat st;
		_exit(fd >= 0 && fstat(fd, &st) == 0 && st.st_size == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	char *expect = xasprintf("1970-01-01T00:00:00.000000Z %d before\n1970-01-01T00:00:00.000000Z %d after\n",
	                         (int)getpid(), (int)child);
	assert_log(expect);
	free(expect), free(other);
}

#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(lines_are_appended),
		IN_FOLDER(controls_are_made_visible),
		IN_FOLDER(nothing_without_a_usable_file),
		IN_FOLDER(survives_closed_descriptors),
	};
	return cmocka_run_group_tests_name("base/log", tests, NULL, NULL);
}
