/* path.c: tables of paths. */
#include "base.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_owned(char *got, const char *expect)
{
	assert_non_null(got);
	assert_string_equal(got, expect);
	free(got);
}

static void join(void **state)
{
	static const char *const cases[][3] = {
		{ "a", "b", "a/b" }, { "a/", "b", "a/b" }, { "/", "b", "/b" },       { "", "b", "b" },
		{ "a", "/b", "a/b" }, { "a", "", "a/" },  { ".", "b/c", "./b/c" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_owned(path_join(cases[i][0], cases[i][1]), cases[i][2]);
}

static void clean(void **state)
{
	static const char *const cases[][2] = {
		{ "", "." },           { ".", "." },         { "./", "." },          { "/", "/" },
		{ "//", "/" },         { "///a", "/a" },     { "a", "a" },           { "a/", "a" },
		{ "./a", "a" },        { "a/.", "a" },       { "a//b", "a/b" },      { "a/./b/.", "a/b" },
		{ "..", ".." },        { "../", ".." },      { "/..", "/" },         { "/../a", "/a" },
		{ "a/..", "." },       { "a/../..", ".." },  { "a/../../b", "../b" }, { "../../a", "../../a" },
		{ "../a/../..", "../.." }, { "/a/..", "/" }, { "/a/../..", "/" },    { "/a/b/../c", "/a/c" },
		{ "a/b/../../c", "c" }, { "...", "..." },    { "a/...", "a/..." },   { "..a", "..a" },
		{ "a..", "a.." },      { ".a/../.b", ".b" }, { "/a/b/c/../../..", "/" }, { "a\\b/./c", "a\\b/c" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_owned(path_clean(cases[i][0]), cases[i][1]);
}

static void clean_is_idempotent(void **state)
{
	static const char *const parts[] = { "", ".", "..", "a", "bc" };

	(void)state;
	for (unsigned n = 0; n < 5 * 5 * 5 * 5 * 2; n++) {
		struct buf b = { 0 };
		unsigned rest = n / 2;
		if (n % 2)
			buf_addc(&b, '/');
		for (int i = 0; i < 4; i++, rest /= 5)
			buf_addf(&b, "%s/", parts[rest % 5]);
		char *once = path_clean(b.data);
		assert_int_equal(once[0] == '/', b.data[0] == '/');
		assert_null(strstr(once, "//"));
		assert_owned(path_clean(once), once);
		free(once);
		buf_free(&b);
	}
}

static void absolute(void **state)
{
	char *cwd = getcwd(NULL, 0);
	char *expect = xasprintf("%s%sx", cwd, cwd[1] ? "/" : "");
	struct err e = { 0 };

	(void)state;
	assert_owned(path_absolute("x", &e), expect);
	assert_owned(path_absolute("./y/../x/", &e), expect);
	assert_owned(path_absolute("", &e), cwd);
	assert_owned(path_absolute("/a/../b/", &e), "/b");
	free(expect), free(cwd);
}

/* In a child of its own: the current folder is taken away under it. */
static void absolute_without_current_folder(void **state)
{
	int status;

	(void)state;
	pid_t child = fork();
	if (child == 0) {
		char dir[] = "/tmp/tickmark-path-XXXXXX";
		struct err e = { 0 };
		if (!mkdtemp(dir) || chdir(dir) < 0 || rmdir(dir) < 0)
			_exit(9);
		bool relative = path_absolute("x", &e) == NULL && e.code == ERR_NOTFOUND;
		char *fixed = path_absolute("/x", &e);
		_exit(relative && fixed && strcmp(fixed, "/x") == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void below(void **state)
{
	static const char *const cases[][3] = {
		{ "/a", "/a", "." },     { "/a", "/a/b", "b" }, { "/a", "/a/b/c", "b/c" }, { "/a", "/ab", NULL },
		{ "/a/b", "/a", NULL },  { "/", "/", "." },     { "/", "/a", "a" },        { "/a", "/", NULL },
		{ "/a", "/b/a", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *got = path_below(cases[i][0], cases[i][1]);
		if (!cases[i][2])
			assert_null(got);
		else
			assert_string_equal(got, cases[i][2]);
	}
}

static void base_and_dir(void **state)
{
	static const char *const cases[][3] = {
		{ "a", "a", "." },       { "a/b", "b", "a" },    { "/a", "a", "/" },      { "/a/b", "b", "/a" },
		{ "/", "/", "/" },       { "", "", "." },        { "a/b/", "b/", "a" },   { "a//b", "b", "a" },
		{ "a/b//", "b//", "a" }, { "//a", "a", "/" },    { ".", ".", "." },       { "../a", "a", ".." },
		{ "a/", "a/", "." },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *base = path_base(cases[i][0]);
		assert_string_equal(base, cases[i][1]);
		assert_ptr_equal(base, cases[i][0] + strlen(cases[i][0]) - strlen(base));
		assert_owned(path_dir(cases[i][0]), cases[i][2]);
	}
}

static void plain_relative(void **state)
{
	static const char *const good[] = { "a", "a/b", "...", "..a", "a/.b", ".a", "a b", "-", "a\\..\\b", "\xFF" };
	static const char *const bad[] = {
		"", "/", "/a", ".", "..", "a/", "a//b", "./a", "a/.", "a/./b", "../a", "a/..", "a/../b", "//",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		assert_true(path_is_plain_relative(good[i]));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(path_is_plain_relative(bad[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(join),
		cmocka_unit_test(clean),
		cmocka_unit_test(clean_is_idempotent),
		cmocka_unit_test(absolute),
		cmocka_unit_test(absolute_without_current_folder),
		cmocka_unit_test(below),
		cmocka_unit_test(base_and_dir),
		cmocka_unit_test(plain_relative),
	};
	return cmocka_run_group_tests_name("base/path", tests, NULL, NULL);
}
