/* What the tests of the model share: a workspace of their own in a folder of their own. */
#ifndef TEST_MODEL_CASE_H
#define TEST_MODEL_CASE_H

#include "model/private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char top[PATH_MAX];  /* holds "home" and the workspace */
static char root[PATH_MAX]; /* the workspace */
static struct workspace *ws;

/* For what must work: the message of the fault fails the test. */
#define OK(call)                                                                     \
	do {                                                                         \
		struct err fault_ = { 0 }, *err = &fault_;                           \
		if (!(call))                                                         \
			fail_msg("%s:%d: %s", __FILE__, __LINE__, err->msg);         \
	} while (0)

static inline int case_setup(void **state)
{
	char made[] = "/tmp/tickmark-model-XXXXXX", home[PATH_MAX];
	struct err e = { 0 };

	(void)state;
	if (!mkdtemp(made) || !realpath(made, top))
		return -1;
	snprintf(root, sizeof(root), "%.*s/w", PATH_MAX - 16, top);
	snprintf(home, sizeof(home), "%.*s/home", PATH_MAX - 16, top);
	if (mkdir(home, 0700) || mkdir(root, 0700) || setenv("HOME", home, 1) || unsetenv("XDG_CONFIG_HOME") || unsetenv("TMPDIR"))
		return -1;
	if (!workspace_create(root, &e) || !(ws = workspace_open(root, &e))) {
		print_message("%s\n", e.msg);
		return -1;
	}
	return 0;
}

static inline int case_teardown(void **state)
{
	struct err e = { 0 };

	(void)state;
	umask(022);
	workspace_close(ws);
	ws = NULL;
	if (!fs_remove_tree(AT_FDCWD, top, &e))
		print_message("%s\n", e.msg);
	return e.code == ERR_NONE ? 0 : -1;
}

#define IN_WORKSPACE(f) cmocka_unit_test_setup_teardown(f, case_setup, case_teardown)

/* A file of the workspace (or of the folder above, "../x"), with the folders it needs. */
static inline void put_bytes(const char *path, const void *p, size_t n)
{
	char *dir = path_dir(path);
	char *inside = path_join(dir, ".");

	if (strncmp(dir, "..", 2) != 0 && strcmp(dir, ".") != 0 && !fs_exists(ws->dir, inside))
		OK(fs_mkdirs(ws->dir, dir, err));
	int fd = openat(ws->dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		fail_msg("%s: %s", path, strerror(errno));
	OK(fs_write_fd(fd, p, n, path, err));
	close(fd);
	free(inside);
	free(dir);
}

static inline void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text));
}

/* So long ago that no clock tick can matter. */
static inline void put_old(const char *path, const char *text)
{
	struct timespec t[2] = { { .tv_sec = 1700000000, .tv_nsec = 123456789 }, { .tv_sec = 1700000000, .tv_nsec = 123456789 } };

	put(path, text);
	assert_int_equal(utimensat(ws->dir, path, t, 0), 0);
}

static inline void erase(const char *path)
{
	OK(fs_remove_tree(ws->dir, path, err));
}

static inline void link_to(const char *target, const char *path)
{
	assert_int_equal(symlinkat(target, ws->dir, path), 0);
}

#endif
