/*
 * ignore.c: the meaning of gitignore rules, by a table and against git itself with random rules.
 */
#include "model/ignore.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static enum ignore_answer ask(const char *rules, const char *path)
{
	struct ignore *g = ignore_parse(rules, strlen(rules));
	size_t n = strlen(path);
	bool is_folder = n > 0 && path[n - 1] == '/';
	char *plain = xstrndup(path, n - is_folder);
	enum ignore_answer a = ignore_match(g, plain, is_folder, NULL);

	free(plain);
	ignore_free(g);
	return a;
}

static const struct {
	const char *rules, *path; /* a folder ends in a slash */
	enum ignore_answer answer;
} cases[] = {
	/* names and paths */
	{ "a", "a", IGNORE_YES },
	{ "a", "x/a", IGNORE_YES },
	{ "a", "ab", IGNORE_SILENT },
	{ "/a", "a", IGNORE_YES },
	{ "/a", "x/a", IGNORE_SILENT },
	{ "x/a", "x/a", IGNORE_YES },
	{ "x/a", "y/x/a", IGNORE_SILENT },
	{ "//a", "a", IGNORE_SILENT },
	/* folders */
	{ "a/", "a/", IGNORE_YES },
	{ "a/", "a", IGNORE_SILENT },
	{ "a/", "x/a/", IGNORE_YES },
	{ "x/a/", "y/x/a/", IGNORE_SILENT },
	{ "/", "a", IGNORE_SILENT },
	/* wildcards stop at slashes */
	{ "*.csv", "x/y/t.csv", IGNORE_YES },
	{ "*.csv", "t.csv.bak", IGNORE_SILENT },
	{ "x/*", "x/a", IGNORE_YES },
	{ "x/*", "x/y/a", IGNORE_SILENT },
	{ "x/?", "x/a", IGNORE_YES },
	{ "x?a", "x/a", IGNORE_SILENT },
	{ "/*", "a/", IGNORE_YES },
	{ "*", "x/a", IGNORE_YES },
	{ "?", "", IGNORE_SILENT },
	/* two stars */
	{ "**/a", "a", IGNORE_YES },
	{ "**/a", "x/y/a", IGNORE_YES },
	{ "x/**", "x/y/a", IGNORE_YES },
	{ "x/**", "x", IGNORE_SILENT },
	{ "x/**/a", "x/a", IGNORE_YES },
	{ "x/**/a", "x/y/z/a", IGNORE_YES },
	{ "x/**/a", "xx/a", IGNORE_SILENT },
	{ "x**a/b", "xya/b", IGNORE_YES },
	{ "x/y**", "x/yz", IGNORE_YES },
	{ "**/**/a", "a", IGNORE_YES },
	/* brackets */
	{ "[ab]", "b", IGNORE_YES },
	{ "[!ab]", "b", IGNORE_SILENT },
	{ "[^ab]", "c", IGNORE_YES },
	{ "[a-c]x", "bx", IGNORE_YES },
	{ "[c-a]x", "bx", IGNORE_SILENT },
	{ "[]]", "]", IGNORE_YES },
	{ "[]-]", "-", IGNORE_YES },
	{ "[a\\]b]", "]", IGNORE_YES },
	{ "[\\\\]", "\\", IGNORE_YES },
	{ "[[:digit:]]", "7", IGNORE_YES },
	{ "[[:digit:]x-z]", "y", IGNORE_YES },
	{ "[[:nothing:]]", "n", IGNORE_SILENT },
	{ "[[:alpha]", ":", IGNORE_YES },
	{ "[a", "[a", IGNORE_SILENT },
	{ "x[!a]y", "x/y", IGNORE_SILENT },
	{ "[\x80-\xff]", "\xe9", IGNORE_YES },
	/* backslashes */
	{ "\\*", "*", IGNORE_YES },
	{ "\\*", "a", IGNORE_SILENT },
	{ "\\!a", "!a", IGNORE_YES },
	{ "\\#a", "#a", IGNORE_YES },
	{ "a\\", "a\\", IGNORE_SILENT },
	{ "a\\b", "ab", IGNORE_YES },
	/* blanks, comments, ends of lines */
	{ "a  ", "a", IGNORE_YES },
	{ "a\\ ", "a ", IGNORE_YES },
	{ "a\\  ", "a ", IGNORE_YES },
	{ " a", "a", IGNORE_SILENT },
	{ " a", " a", IGNORE_YES },
	{ "a\t", "a", IGNORE_SILENT },
	{ "#a", "#a", IGNORE_SILENT },
	{ "a\r\nb", "a", IGNORE_YES },
	{ "\n\n   \nb", "b", IGNORE_YES },
	{ "\xef\xbb\xbf" "a", "a", IGNORE_YES },
	{ "caf\xc3\xa9", "caf\xc3\xa9", IGNORE_YES },
	/* the last that fits counts */
	{ "*.csv\n!keep.csv", "keep.csv", IGNORE_NO },
	{ "!keep.csv\n*.csv", "keep.csv", IGNORE_YES },
	{ "*.csv\n!keep.csv", "x/t.csv", IGNORE_YES },
	{ "!", "a", IGNORE_SILENT },
	{ "!!a", "!a", IGNORE_NO },
	{ "", "a", IGNORE_SILENT },
};

static void meaning_of_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (ask(cases[i].rules, cases[i].path) != cases[i].answer)
			fail_msg("\"%s\" on \"%s\" is %d", cases[i].rules, cases[i].path, ask(cases[i].rules, cases[i].path));
}

static void a_rule_says_where_it_stands(void **state)
{
	static const char text[] = "# data\n\n*.csv  \n!b.csv\n";
	struct ignore *g = ignore_parse(text, sizeof(text) - 1);
	struct ignore_rule rule;

	(void)state;
	assert_int_equal(ignore_match(g, "a.csv", false, &rule), IGNORE_YES);
	assert_int_equal(rule.line, 3);
	assert_string_equal(rule.text, "*.csv");
	assert_int_equal(ignore_match(g, "b.csv", false, &rule), IGNORE_NO);
	assert_int_equal(rule.line, 4);
	assert_string_equal(rule.text, "!b.csv");
	ignore_free(g);
}

static void nothing_but_comments_is_empty(void **state)
{
	static const char text[] = "# one\n\n   \n/\n!\n";
	struct ignore *g = ignore_parse(text, sizeof(text) - 1);

	(void)state;
	assert_true(ignore_is_empty(g));
	ignore_free(g);
	g = ignore_parse(NULL, 0);
	assert_true(ignore_is_empty(g));
	ignore_free(g);
	ignore_free(NULL);
}

/* Backtracking would need longer than the machine will live. */
static void hostile_rules_are_bounded(void **state)
{
	struct buf rule = { 0 }, path = { 0 };

	(void)state;
	for (int i = 0; i < 500; i++)
		buf_adds(&rule, "*a*/**/");
	buf_adds(&rule, "z");
	for (int i = 0; i < 3000; i++)
		buf_adds(&path, i % 7 ? "a" : "/");
	buf_adds(&path, "y");
	assert_int_equal(ask(rule.data, path.data), IGNORE_SILENT);
	buf_free(&rule);
	buf_free(&path);
}

static void any_bytes_are_rules(void **state)
{
	unsigned char bytes[200];

	(void)state;
	srand(1);
	for (int round = 0; round < 3000; round++) {
		size_t n = (size_t)rand() % sizeof(bytes);
		for (size_t i = 0; i < n; i++)
			bytes[i] = (unsigned char)(rand() % 3 ? "*?[]!^-\\/ ab\n:#"[rand() % 15] : rand());
		struct ignore *g = ignore_parse(bytes, n);
		ignore_match(g, "a/b-[a", round % 2, NULL);
		ignore_free(g);
	}
}

/* ---- against git ---- */

static char top[64];

static void must(bool ok, const char *what)
{
	if (!ok)
		fail_msg("%s", what);
}

/* Every path of up to three parts out of a few names. */
static const char *const names[] = { "a", "b", "ab", "a.b", "-", "!a", "a b", "[a]" };

static void make_tree(int dir, const char *path, int depth, struct strv *out)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		bool is_folder = depth < 2 && i < 3;
		char *whole = *path ? xasprintf("%s/%s", path, names[i]) : xstrdup(names[i]);
		if (is_folder) {
			must(mkdirat(dir, whole, 0755) == 0, whole);
			make_tree(dir, whole, depth + 1, out);
			strv_addf(out, "%s/", whole);
		} else {
			int fd = openat(dir, whole, O_CREAT | O_WRONLY, 0644);
			must(fd >= 0, whole);
			close(fd);
			strv_add(out, whole);
		}
		free(whole);
	}
}

/* As a walk decides: an ignored folder on the way ends it. */
static bool ignored(const struct ignore *g, const char *path)
{
	size_t n = strlen(path);
	bool is_folder = path[n - 1] == '/';
	char *part = xstrndup(path, n - is_folder);
	bool yes = false;

	for (char *slash = strchr(part, '/'); !yes && slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		yes = ignore_match(g, part, true, NULL) == IGNORE_YES;
		*slash = '/';
	}
	yes = yes || ignore_match(g, part, is_folder, NULL) == IGNORE_YES;
	free(part);
	return yes;
}

static void random_rules(struct buf *b)
{
	static const char *const parts[] = { "a", "b", "ab", ".", "*", "**", "?", "/", "/", "[ab]", "[!a]", "[a-b", "]",
		                             "[[:alpha:]]", "\\", " ", "-", "**/", "/**", "[]a]", "[\\]-a]", "!", "#" };

	buf_clear(b);
	for (int line = rand() % 6; line >= 0; line--) {
		if (rand() % 4 == 0)
			buf_addc(b, '!');
		for (int i = rand() % 5; i >= 0; i--)
			buf_adds(b, parts[(size_t)rand() % ARRAY_LEN(parts)]);
		buf_addc(b, '\n');
	}
}

static void git_agrees(void **state)
{
	char list[128], command[512];
	struct strv paths = { 0 };
	struct buf rules = { 0 };
	struct err e = { 0 };
	const char *soak = getenv("SOAK");

	soak = soak && *soak ? soak : NULL;
	(void)state;
	if (system("git --version >/dev/null 2>&1") != 0)
		skip();
	snprintf(top, sizeof(top), "/tmp/tickmark-ignore-XXXXXX");
	must(mkdtemp(top) != NULL, "mkdtemp");
	int dir = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	make_tree(dir, "", 0, &paths);
	snprintf(command, sizeof(command), "git init -q '%s' >/dev/null 2>&1", top);
	must(system(command) == 0, command);
	snprintf(list, sizeof(list), "%s.list", top);
	FILE *f = fopen(list, "w");
	for (size_t i = 0; i < paths.n; i++)
		fprintf(f, "%.*s%c", (int)strlen(paths.v[i]) - (paths.v[i][strlen(paths.v[i]) - 1] == '/'), paths.v[i], '\0');
	fclose(f);
	/* Five fields per path: file, line, rule, path; empty without a rule. */
	snprintf(command, sizeof(command), "cd '%s' && git -c core.excludesFile=/dev/null check-ignore --no-index --stdin -z -v -n <'%s'", top, list);

	srand(4711);
	for (int round = 0, rounds = soak ? 3000 : 60; round < rounds; round++) {
		random_rules(&rules);
		must(fs_write(dir, ".gitignore", rules.data, rules.len, false, &e), e.msg);
		struct ignore *g = ignore_parse(rules.data, rules.len);
		struct buf answer = { 0 };
		FILE *p = popen(command, "r");
		must(fs_read_fd(fileno(p), "git", 1 << 20, &answer, &e), e.msg);
		pclose(p);
		const char *at = answer.data;
		for (size_t i = 0; i < paths.n; i++) {
			const char *field[4];
			for (int k = 0; k < 4; k++) {
				must(at && at < answer.data + answer.len, "git says too little");
				field[k] = at;
				at += strlen(at) + 1;
			}
			bool theirs = *field[2] && *field[2] != '!';
			if (theirs != ignored(g, paths.v[i]))
				fail_msg("git says %d (rule %s) of %s under:\n%s", theirs, field[2], paths.v[i], rules.data);
		}
		buf_free(&answer);
		ignore_free(g);
	}
	buf_free(&rules);
	strv_free(&paths);
	unlink(list);
	close(dir);
	fs_remove_tree(AT_FDCWD, top, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(meaning_of_rules),
		cmocka_unit_test(a_rule_says_where_it_stands),
		cmocka_unit_test(nothing_but_comments_is_empty),
		cmocka_unit_test(hostile_rules_are_bounded),
		cmocka_unit_test(any_bytes_are_rules),
		cmocka_unit_test(git_agrees),
	};
	return cmocka_run_group_tests_name("model/ignore", tests, NULL, NULL);
}
