/* conf.c: reading, faults with file and line, writing that leaves the rest alone. */
#include "base.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char top[64];
static char *path; /* of the file in it */

static int setup(void **state)
{
	(void)state;
	snprintf(top, sizeof(top), "/tmp/tickmark-conf-XXXXXX");
	if (!mkdtemp(top))
		return -1;
	path = path_join(top, "conf");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(path);
	return fs_remove_tree(AT_FDCWD, top, NULL) ? 0 : -1;
}

static void put(const char *text, size_t n)
{
	assert_true(fs_write(AT_FDCWD, path, text, n, false, NULL));
}

static void assert_file(const char *expect)
{
	struct buf b = { 0 };

	assert_true(fs_read(AT_FDCWD, path, 1 << 20, &b, NULL));
	assert_string_equal(b.data, expect);
	buf_free(&b);
}

/* Writes what it is given as "key=value;" */
static bool collect(void *ctx, const char *key, const char *value, struct err *e)
{
	if (strcmp(key, "refuse") == 0)
		return err_set(e, ERR_LIMIT, "'%s' is over the limit", value);
	if (strcmp(key, "silent") == 0)
		return false;
	buf_addf(ctx, "%s=%s;", key, value);
	return true;
}

static void assert_read(const char *text, const char *expect)
{
	struct buf got = { 0 };
	struct err e = { 0 };

	put(text, strlen(text));
	buf_adds(&got, "");
	if (!conf_read(path, collect, &got, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(got.data, expect);
	buf_free(&got);
}

static void lines_are_read(void **state)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "\n\n", "" },
		{ "a = 1\n", "a=1;" },
		{ "a=1", "a=1;" },
		{ "  a\t=  1 2  \r\n", "a=1 2;" },
		{ "# c\n  # d\na = 1\n", "a=1;" },
		{ "\xEF\xBB\xBF" "a = 1\n", "a=1;" },
		{ "a = 1 # why\n", "a=1;" },
		{ "a = x#y\n", "a=x#y;" },
		{ "color = #ff0000\n", "color=#ff0000;" },
		{ "color = #ff0000 # red\n", "color=#ff0000;" },
		{ "a =\nb = \n", "a=;b=;" },
		{ "a = 1\na = 2\n", "a=1;a=2;" },
		{ "a = \"x # y\"  # z\n", "a=x # y;" },
		{ "a = \" x \"\n", "a= x ;" },
		{ "a = \"\"\n", "a=;" },
		{ "a = \"q\\\"q\\\\\\n\\t\\z\"\n", "a=q\"q\\\n\tz;" },
		{ "a = '\\n\"'\n", "a=\\n\";" },
		{ "a = it's\n", "a=it's;" },
		{ "a.b-c_D9 = =\n", "a.b-c_D9==;" },
		{ "a = caf\xC3\xA9\n", "a=caf\xC3\xA9;" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_read(cases[i][0], cases[i][1]);
}

static void faults_name_file_and_line(void **state)
{
	static const struct {
		const char *text;
		int line;
		enum err_code code;
		const char *msg;
	} cases[] = {
		{ "a = 1\nb\n", 2, ERR_CORRUPT, "expected 'key = value' or a '#' comment" },
		{ "= 1\n", 1, ERR_CORRUPT, "expected 'key = value' or a '#' comment" },
		{ "\n\n\na b = 1", 4, ERR_CORRUPT, "expected 'key = value' or a '#' comment" },
		{ "[section]\n", 1, ERR_CORRUPT, "expected 'key = value' or a '#' comment" },
		{ "\xC3\xA9 = 1\n", 1, ERR_CORRUPT, "expected 'key = value' or a '#' comment" },
		{ "a = \"x\n", 1, ERR_CORRUPT, "the value of 'a' has no closing quote" },
		{ "a = \"x\\\"\n", 1, ERR_CORRUPT, "the value of 'a' has no closing quote" },
		{ "a = \"\\", 1, ERR_CORRUPT, "the value of 'a' has no closing quote" },
		{ "a = '", 1, ERR_CORRUPT, "the value of 'a' has no closing quote" },
		{ "a = 'x' y\n", 1, ERR_CORRUPT, "there is more behind the quoted value of 'a'" },
		{ "a = 1\nrefuse = 9T\n", 2, ERR_LIMIT, "'9T' is over the limit" },
		{ "silent = 1\n", 1, ERR_CORRUPT, "'silent' is not accepted" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf got = { 0 };
		struct err e = { 0 };
		char *expect = xasprintf("%s:%d: %s; correct or remove that line", path, cases[i].line, cases[i].msg);
		put(cases[i].text, strlen(cases[i].text));
		assert_false(conf_read(path, collect, &got, &e));
		assert_string_equal(e.msg, expect);
		assert_int_equal(e.code, cases[i].code);
		assert_false(conf_read(path, collect, &got, NULL));
		free(expect);
		buf_free(&got);
	}
}

static void files_that_are_none(void **state)
{
	struct buf got = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_true(conf_read("/nonexistent/conf", collect, &got, &e));
	assert_int_equal(e.code, ERR_NONE);
	assert_false(conf_read(top, collect, &got, &e));
	assert_int_equal(e.code, ERR_SYS);
	put("a = 1\0b = 2\n", 12);
	assert_false(conf_read(path, collect, &got, &e));
	assert_int_equal(e.code, ERR_CORRUPT);
	assert_non_null(strstr(e.msg, "NUL"));
	char *large = xmalloc(2 << 20);
	memset(large, '#', 2 << 20);
	put(large, 2 << 20);
	assert_false(conf_read(path, collect, &got, &e));
	assert_int_equal(e.code, ERR_LIMIT);
	free(large);
	buf_free(&got);
}

static void assert_write(const char *before, const char *key, const char *value, const char *after)
{
	struct err e = { 0 };

	put(before, strlen(before));
	if (!conf_write(path, key, value, &e))
		fail_msg("%s", e.msg);
	assert_file(after);
}

static void one_line_is_changed(void **state)
{
	(void)state;
	assert_write("", "a", "1", "a = 1\n");
	assert_write("# head\n\nb = 2\n", "a", "1", "# head\n\nb = 2\na = 1\n");
	assert_write("b = 2", "a", "1", "b = 2\na = 1\n");
	assert_write("# h\n  a=1   # why\nb = 2\n", "a", "9", "# h\n  a=9   # why\nb = 2\n");
	assert_write("a = 'x' # why\n", "a", "9", "a = 9 # why\n");
	assert_write("a = 1\r\nb = 2\r\n", "a", "3", "a = 3\r\nb = 2\r\n");
	assert_write("a = 1\nb = 2\na = 3\n", "a", "4", "a = 4\nb = 2\n");
	assert_write("aa = 1\n#a = 2\n", "a", "3", "aa = 1\n#a = 2\na = 3\n");
	assert_write("not a line\na = 1\n", "a", "2", "not a line\na = 2\n");
	assert_write("a = 1\n# c\nb = 2\na = 3\n", "a", NULL, "# c\nb = 2\n");
	assert_write("a = 1\n", "a", NULL, "");
	assert_write("b = 1\n", "a", NULL, "b = 1\n");
}

static void every_value_comes_back(void **state)
{
	static const char *const values[] = {
		"", "x", " x", "x ", "#", "# x", "x # y", "x#y", "\"", "'", "'x'", "\"x\"", "a\"b", "a\\b", "\\", "\\n",
		"line\nline", "tab\ttab", "cr\r", "=", "caf\xC3\xA9", "\xFF", "it's", " # ", "\t#",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		struct buf got = { 0 };
		struct err e = { 0 };
		char *expect = xasprintf("k=%s;z=1;", values[i]);
		put("k = old\nz = 1\n", 14);
		assert_true(conf_write(path, "k", values[i], &e));
		if (!conf_read(path, collect, &got, &e))
			fail_msg("%s", e.msg);
		assert_string_equal(got.data, expect);
		free(expect);
		buf_free(&got);
	}
}

static void writing_makes_folder_and_file(void **state)
{
	char *deep = path_join(top, "a/b/conf"), *link = path_join(top, "link"), *through = path_join(top, "link/conf");
	struct err e = { 0 };
	struct stat st;

	(void)state;
	assert_true(conf_write(deep, "k", NULL, &e)); /* nothing to remove */
	assert_false(fs_exists(AT_FDCWD, deep));
	assert_true(conf_write(deep, "k", "v", &e));
	assert_int_equal(stat(deep, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(symlink("a/b", link), 0);
	assert_true(conf_write(through, "k", "w", &e));
	assert_true(conf_write(deep, "l", "x", &e));
	free(path);
	path = xstrdup(deep);
	assert_file("k = w\nl = x\n");
	free(deep), free(link), free(through);
}

static void bad_keys_are_refused(void **state)
{
	static const char *const keys[] = { "", "a b", "a=b", "#a", "a\n", "\xC3\xA9", "[a]" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct err e = { 0 };
		assert_false(conf_write(path, keys[i], "v", &e));
		assert_int_equal(e.code, ERR_INPUT);
	}
	assert_false(fs_exists(AT_FDCWD, path));
	struct err e = { 0 };
	assert_false(conf_write(top, "k", "v", &e)); /* a folder is no file */
}

#define IN_FOLDER(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(lines_are_read),
		IN_FOLDER(faults_name_file_and_line),
		IN_FOLDER(files_that_are_none),
		IN_FOLDER(one_line_is_changed),
		IN_FOLDER(every_value_comes_back),
		IN_FOLDER(writing_makes_folder_and_file),
		IN_FOLDER(bad_keys_are_refused),
	};
	return cmocka_run_group_tests_name("base/conf", tests, NULL, NULL);
}
