/* workspace.c, workspace_caps.c: making, finding and opening a workspace. As root and as anybody. */
#include "model/private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char top[PATH_MAX];

static int setup(void **state)
{
	char made[64];

	(void)state;
	snprintf(made, sizeof(made), "/tmp/tickmark-ws-XXXXXX");
	if (!mkdtemp(made) || !realpath(made, top))
		return -1;
	return setenv("HOME", top, 1) || unsetenv("XDG_CONFIG_HOME") || unsetenv("TMPDIR");
}

static int teardown(void **state)
{
	struct err e = { 0 };

	(void)state;
	umask(022);
	return fs_remove_tree(AT_FDCWD, top, &e) ? 0 : -1;
}

static char *below(const char *name)
{
	return path_join(top, name);
}

static char *folder(const char *name)
{
	char *path = below(name);

	assert_true(fs_mkdirs(AT_FDCWD, path, NULL));
	return path;
}

static char *workspace(const char *name)
{
	struct err e = { 0 };
	char *path = folder(name);

	if (!workspace_create(path, &e))
		fail_msg("%s", e.msg);
	return path;
}

static struct workspace *open_it(const char *path)
{
	struct err e = { 0 };
	struct workspace *ws = workspace_open(path, &e);

	if (!ws)
		fail_msg("%s", e.msg);
	return ws;
}

static unsigned mode_of(const char *dir, const char *name)
{
	char *path = path_join(dir, name);
	struct stat st;

	if (lstat(path, &st) < 0)
		fail_msg("%s: %s", path, strerror(errno));
	free(path);
	return st.st_mode & 07777;
}

static void made_closed_under_any_umask(void **state)
{
	static const mode_t masks[] = { 0, 022, 077, 0177, 0777 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(masks); i++) {
		char name[16];
		snprintf(name, sizeof(name), "w%zu", i);
		char *path = folder(name);
		struct err e = { 0 };
		umask(masks[i]);
		bool ok = workspace_create(path, &e);
		umask(022);
		if (!ok)
			fail_msg("umask %03o: %s", (unsigned)masks[i], e.msg);
		static const char *const folders[] = { ".tickmark", ".tickmark/run", ".tickmark/cache" };
		for (size_t k = 0; k < ARRAY_LEN(folders); k++)
			assert_int_equal(mode_of(path, folders[k]), 0700);
		static const char *const files[] = { ".tickmark/record.db", ".tickmark/.gitignore", ".tickmark/config",
			                             ".tickmark/cache/CACHEDIR.TAG" };
		for (size_t k = 0; k < ARRAY_LEN(files); k++)
			assert_int_equal(mode_of(path, files[k]), 0600);
		free(path);
	}
}

static void says_what_it_is_to_other_programs(void **state)
{
	char *path = workspace("w");
	char *tag = path_join(path, ".tickmark/cache/CACHEDIR.TAG"), *ignore = path_join(path, ".tickmark/.gitignore");
	struct buf b = { 0 };

	(void)state;
	assert_true(fs_read(AT_FDCWD, tag, 4096, &b, NULL));
	assert_memory_equal(b.data, "Signature: 8a477f597d28d172789f06886806bc55", 43);
	buf_clear(&b);
	assert_true(fs_read(AT_FDCWD, ignore, 4096, &b, NULL));
	assert_string_equal(b.data, "*\n");
	buf_free(&b);
	free(tag);
	free(ignore);
	free(path);
}

static void found_upward_and_through_links(void **state)
{
	char *path = workspace("w");
	char *deep = folder("w/a/b/c"), *link = below("link"), *other = folder("elsewhere");
	struct err e = { 0 };

	(void)state;
	struct workspace *ws = open_it(deep);
	assert_string_equal(workspace_root(ws), path);
	assert_true(strncmp(workspace_record(ws), path, strlen(path)) == 0);
	workspace_close(ws);

	assert_int_equal(symlink(deep, link), 0);
	ws = open_it(link);
	assert_string_equal(workspace_root(ws), path);
	workspace_close(ws);

	assert_null(workspace_open(other, &e));
	assert_int_equal(e.code, ERR_NOTFOUND);
	assert_non_null(strstr(e.msg, "tickmark init"));
	free(path);
	free(deep);
	free(link);
	free(other);
}

static void the_nearest_one_counts(void **state)
{
	char *outer = workspace("w"), *inner = workspace("w/a"), *deep = folder("w/a/b");

	(void)state;
	struct workspace *ws = open_it(deep);
	assert_string_equal(workspace_root(ws), inner);
	workspace_close(ws);
	/* Without its record it is none. */
	char *record = path_join(inner, ".tickmark/record.db");
	assert_int_equal(unlink(record), 0);
	ws = open_it(deep);
	assert_string_equal(workspace_root(ws), outer);
	workspace_close(ws);
	free(record);
	free(outer);
	free(inner);
	free(deep);
}

static void moved_with_its_folder(void **state)
{
	char *path = workspace("before"), *after = below("after");
	struct uuid was, is;

	(void)state;
	struct workspace *ws = open_it(path);
	assert_true(store_uuid(workspace_store(ws, NULL), &was, NULL));
	workspace_settle(ws);
	workspace_close(ws);
	assert_int_equal(rename(path, after), 0);
	ws = open_it(after);
	assert_string_equal(workspace_root(ws), after);
	assert_true(store_uuid(workspace_store(ws, NULL), &is, NULL));
	assert_memory_equal(&was, &is, sizeof(was));
	workspace_close(ws);
	free(path);
	free(after);
}

static void assert_refused(const char *path, enum err_code code, const char *word)
{
	struct err e = { 0 }, again = { 0 };

	assert_false(workspace_may_create(path, &e));
	if (e.code != code || !strstr(e.msg, word))
		fail_msg("%s: %d %s", path, e.code, e.msg);
	assert_false(workspace_create(path, &again));
	assert_int_equal(again.code, code);
	assert_string_equal(again.msg, e.msg);
}

static void refused_places(void **state)
{
	char *path = workspace("w"), *inside = folder("w/.tickmark/x"), *file = below("file"), *none = below("none");
	char *own = below("w/.tickmark");

	(void)state;
	assert_refused("/", ERR_INPUT, "root of the file system");
	assert_refused("/tmp", ERR_INPUT, "temporary");
	assert_refused(top, ERR_INPUT, "home folder");
	assert_refused(path, ERR_EXISTS, "already");
	assert_refused(inside, ERR_INPUT, "inside the .tickmark");
	assert_refused(own, ERR_INPUT, "inside the .tickmark");
	assert_refused(none, ERR_NOTFOUND, "none");
	assert_true(fs_write(AT_FDCWD, file, "", 0, false, NULL));
	assert_refused(file, ERR_INPUT, "no folder");
	free(path);
	free(inside);
	free(own);
	free(file);
	free(none);
}

static void not_where_one_may_not_write(void **state)
{
	char *path = folder("closed");

	(void)state;
	if (geteuid() == 0) {
		free(path);
		skip();
	}
	assert_int_equal(chmod(path, 0500), 0);
	assert_refused(path, ERR_SYS, "Permission denied");
	free(path);
}

/* An init that was cut off leaves no record; the next one finishes it. */
static void init_can_be_tried_again(void **state)
{
	char *path = folder("w"), *config = below("w/.tickmark/config");
	struct buf b = { 0 };
	struct err e = { 0 };

	(void)state;
	free(folder("w/.tickmark"));
	assert_true(fs_write(AT_FDCWD, config, "memory = 1G\n", 12, false, NULL));
	if (!workspace_create(path, &e))
		fail_msg("%s", e.msg);
	assert_true(fs_read(AT_FDCWD, config, 4096, &b, NULL));
	assert_string_equal(b.data, "memory = 1G\n");
	workspace_close(open_it(path));
	buf_free(&b);
	free(path);
	free(config);
}

static void a_failed_init_leaves_nothing(void **state)
{
	char *path = folder("w"), *home = below("w/.tickmark");
	struct err e = { 0 };

	(void)state;
	/* A link in its place leads elsewhere and is not followed. */
	assert_int_equal(symlink("/nowhere", home), 0);
	assert_false(workspace_create(path, &e));
	assert_int_equal(unlink(home), 0);
	assert_true(workspace_create(path, &e));
	free(path);
	free(home);
}

/* Run by root alone: others cannot give a folder away. */
static void nobody_elses(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	char *path = workspace("w");
	assert_int_equal(chmod(top, 0755), 0);
	assert_int_equal(chmod(path, 0755), 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct err e = { 0 };
		if (setgid(12322) || setuid(12322))
			_exit(2);
		_exit(!workspace_open(path, &e) && e.code == ERR_READONLY && strstr(e.msg, "belongs to root") ? 0 : 1);
	}
	int status;
	waitpid(pid, &status, 0);
	assert_int_equal(status, 0);
	free(path);
}

/* Where everybody may write, somebody's .tickmark must not catch what others have below. */
static void a_planted_one_is_passed_over(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	char *path = workspace("shared"), *deep = folder("shared/mine"), *home = below("shared/.tickmark");
	struct err e = { 0 };
	assert_int_equal(chmod(path, 01777), 0);
	workspace_close(open_it(deep));
	assert_int_equal(chown(home, 12322, 12322), 0);
	assert_null(workspace_open(deep, &e));
	assert_int_equal(e.code, ERR_NOTFOUND);
	free(path);
	free(deep);
	free(home);
}

static void folders_of_the_workspace(void **state)
{
	char *path = workspace("w"), *cache = below("w/.tickmark/cache"), *tag = below("w/.tickmark/cache/CACHEDIR.TAG");
	struct workspace *ws = open_it(path);
	struct err e = { 0 };

	(void)state;
	assert_true(fs_remove_tree(AT_FDCWD, cache, &e));
	int fd = workspace_open_dir(ws, "cache/a/b", &e);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(mode_of(path, ".tickmark/cache/a/b"), 0700);
	assert_true(fs_exists(AT_FDCWD, tag));
	workspace_close(ws);
	free(path);
	free(cache);
	free(tag);
}

static void a_child_forgets_the_connection(void **state)
{
	char *path = workspace("w");
	struct workspace *ws = open_it(path);
	struct store *st = workspace_store(ws, NULL);

	(void)state;
	assert_non_null(st);
	assert_ptr_equal(workspace_store(ws, NULL), st);
	workspace_forget_store(ws);
	struct store *again = workspace_store(ws, NULL);
	assert_non_null(again);
	store_close(st);
	workspace_close(ws);
	workspace_close(NULL);
	free(path);
}

static void caps_are_remembered(void **state)
{
	char *path = workspace("w"), *cache = below("w/.tickmark/cache/sandbox");
	const struct sandbox_caps *caps;
	struct buf b = { 0 };
	struct err e = { 0 };

	(void)state;
	struct workspace *ws = open_it(path);
	if (!workspace_caps(ws, &caps, &e))
		fail_msg("%s", e.msg);
	struct sandbox_caps first = *caps;
	workspace_close(ws);
	if (first.tier == TIER_NONE) {
		assert_false(fs_exists(AT_FDCWD, cache)); /* a mended machine is seen at once */
		goto out;
	}
	/* What is written is what is believed: another word in it comes back. */
	assert_true(fs_read(AT_FDCWD, cache, 8192, &b, NULL));
	char *end = memrchr(b.data, '\n', b.len - 1);
	end[1] = '\0';
	b.len = (size_t)(end + 1 - b.data);
	buf_adds(&b, "remembered\n");
	assert_true(fs_write(AT_FDCWD, cache, b.data, b.len, false, NULL));
	ws = open_it(path);
	assert_true(workspace_caps(ws, &caps, &e));
	assert_string_equal(caps->why, "remembered");
	assert_int_equal(caps->tier, first.tier);
	assert_int_equal(caps->scratch, first.scratch);
	assert_int_equal(caps->landlock_abi, first.landlock_abi);
	workspace_close(ws);
	/* Of another boot, or broken: found out again. */
	static const char *const broken[] = { "", "x\nA\ntmpfs\n7\nremembered\n", "\n\n\n\n\n", "1 nonsense" };
	for (size_t i = 0; i < ARRAY_LEN(broken); i++) {
		assert_true(fs_write(AT_FDCWD, cache, broken[i], strlen(broken[i]), false, NULL));
		ws = open_it(path);
		assert_true(workspace_caps(ws, &caps, &e));
		assert_string_equal(caps->why, first.why);
		workspace_close(ws);
	}
out:
	buf_free(&b);
	free(path);
	free(cache);
}

#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(made_closed_under_any_umask),
		IN_FOLDER(says_what_it_is_to_other_programs),
		IN_FOLDER(found_upward_and_through_links),
		IN_FOLDER(the_nearest_one_counts),
		IN_FOLDER(moved_with_its_folder),
		IN_FOLDER(refused_places),
		IN_FOLDER(not_where_one_may_not_write),
		IN_FOLDER(init_can_be_tried_again),
		IN_FOLDER(a_failed_init_leaves_nothing),
		IN_FOLDER(nobody_elses),
		IN_FOLDER(a_planted_one_is_passed_over),
		IN_FOLDER(folders_of_the_workspace),
		IN_FOLDER(a_child_forgets_the_connection),
		IN_FOLDER(caps_are_remembered),
	};
	return cmocka_run_group_tests_name("model/workspace", tests, NULL, NULL);
}
