/* settings.c, person.c: names, values, where they come from, and who sits here. */
#include "model_case.h"

#include "model/settings.h"
#include "model/review.h"

#include <pwd.h>

static char *user_config(void)
{
	return path_join(top, "home/.config/tickmark/config");
}

static char *own_config(void)
{
	return path_join(root, ".tickmark/config");
}

static void write_config(char *path, const char *text)
{
	char *dir = path_dir(path);

	OK(fs_mkdirs(AT_FDCWD, dir, err));
	OK(fs_write(AT_FDCWD, path, text, strlen(text), false, err));
	free(dir);
	free(path);
}

static void expect(const char *name, const char *value, const char *from)
{
	struct err e = { 0 };
	const char *source = NULL;
	char *got = setting_get(ws, name, &source, &e);

	if (e.code != ERR_NONE)
		fail_msg("%s", e.msg);
	if (value)
		assert_string_equal(got, value);
	else
		assert_null(got);
	assert_string_equal(source, from);
	free(got);
}

static bool is_users(const char *name)
{
	static const char *const users[] = { "fixer", "assistant", "reviewer", "signing-key" };

	for (size_t i = 0; i < ARRAY_LEN(users); i++)
		if (strcmp(name, users[i]) == 0)
			return true;
	return false;
}

/* Every limit is a setting, and every setting that is none is known by name. */
static void the_table_is_complete(void **state)
{
	static const char *const others[] = { "python", "name", "noise", "tier", "attached-files", "attached-size", "fixer", "assistant", "fix-attempts",
		                                  "assistant-runs", "reviewer", "signing-key", "at-once", "user-site" };
	size_t known = 0;

	(void)state;
	for (size_t i = 0; i < limit_table_len; i++) {
		size_t k = 0;
		while (k < setting_table_len && strcmp(setting_table[k].name, limit_table[i].name) != 0)
			k++;
		if (k == setting_table_len)
			fail_msg("limit %s is no setting", limit_table[i].name);
	}
	for (size_t i = 0; i < setting_table_len; i++) {
		const struct setting_info *s = &setting_table[i];
		struct err e = { 0 };
		bool other = false;
		for (size_t k = 0; k < ARRAY_LEN(others); k++)
			other |= strcmp(others[k], s->name) == 0;
		known += other;
		if (!other && !limit_find(s->name))
			fail_msg("%s is neither a limit nor known", s->name);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(setting_table[k].name, s->name);
		assert_true(*s->help);
		/* The example is accepted, and what was set is what comes back. */
		bool command = strcmp(s->name, "fixer") == 0 || strcmp(s->name, "assistant") == 0;
		if (!setting_set(command ? NULL : ws, s->name, s->example, &e))
			fail_msg("%s", e.msg);
		expect(s->name, s->example, is_users(s->name) ? "user" : "workspace");
	}
	assert_int_equal(known, ARRAY_LEN(others));
}

static void the_workspace_goes_before_its_user(void **state)
{
	(void)state;
	expect("stream-head", "48M", "default");
	OK(setting_set(NULL, "stream-head", "1G", err));
	expect("stream-head", "1G", "user");
	OK(setting_set(ws, "stream-head", "512M", err));
	expect("stream-head", "512M", "workspace");
	OK(setting_set(ws, "stream-head", NULL, err));
	expect("stream-head", "1G", "user");
	OK(setting_set(NULL, "stream-head", NULL, err));
	expect("stream-head", "48M", "default");
	expect("python", NULL, "default");
	expect("attached-files", "20000", "default");
	expect("attached-size", "4.0G", "default");
}

static void xdg_folder_of_the_user(void **state)
{
	char *xdg = path_join(top, "xdg");

	(void)state;
	assert_int_equal(setenv("XDG_CONFIG_HOME", xdg, 1), 0);
	OK(setting_set(NULL, "processes", "7", err));
	char *file = path_join(xdg, "tickmark/config");
	assert_true(fs_exists(AT_FDCWD, file));
	expect("processes", "7", "user");
	/* The specification: a relative one is not there. */
	assert_int_equal(setenv("XDG_CONFIG_HOME", "xdg", 1), 0);
	expect("processes", "128", "default");
	assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
	assert_int_equal(unsetenv("HOME"), 0);
	expect("processes", "128", "default");
	struct err e = { 0 };
	assert_false(setting_set(NULL, "processes", "7", &e));
	assert_non_null(strstr(e.msg, "HOME"));
	free(file);
	free(xdg);
}

static void bad_values_are_refused(void **state)
{
	static const struct { const char *name, *value, *word; } bad[] = {
		{ "memory", "lots", "memory" },
		{ "memory", "-1", "memory" },
		{ "memory", "", "memory" },
		{ "timeout", "10 parsecs", "timeout" },
		{ "processes", "many", "processes" },
		{ "processes", "1.5", "processes" },
		{ "processes", "99999999999", "processes" },
		{ "tier", "C", "A-noproc" },
		{ "tier", "none", "A-noproc" },
		{ "python", "", "path" },
		{ "name", "", "200" },
		{ "name", "a\nb", "control" },
		{ "attached-files", "0", "attached-files" },
		{ "attached-size", "big", "attached-size" },
		{ "editor", "vi", "there is no setting 'editor'" },
		{ "", "x", "there is no setting" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e = { 0 };
		if (setting_set(ws, bad[i].name, bad[i].value, &e))
			fail_msg("%s = %s is accepted", bad[i].name, bad[i].value);
		if (e.code != ERR_INPUT || !strstr(e.msg, bad[i].word))
			fail_msg("%s = %s: %s", bad[i].name, bad[i].value, e.msg);
		char *other = setting_get(ws, "memory", NULL, &e);
		if (!other)
			fail_msg("the file is spoiled by %s", bad[i].name);
		free(other);
	}
	struct err e = { 0 };
	assert_false(setting_set(ws, "editor", NULL, &e));
	assert_null(setting_get(ws, "editor", NULL, &e));
}

static void a_bad_line_is_found_by_file_and_line(void **state)
{
	struct err e = { 0 };
	struct policy p;
	char *path = own_config(), *where = xasprintf("%s:3: ", path);

	(void)state;
	write_config(own_config(), "# one\nmemory = 1G\nprocesses = x\n");
	assert_null(setting_get(ws, "memory", NULL, &e));
	if (strncmp(e.msg, where, strlen(where)) != 0 || !strstr(e.msg, "processes"))
		fail_msg("%s", e.msg);
	e = (struct err){ 0 };
	assert_false(settings_policy(ws, ASKER_PERSON, &p, &e));
	assert_int_equal(strncmp(e.msg, where, strlen(where)), 0);
	e = (struct err){ 0 };
	write_config(own_config(), "\n\neditor = vi\n");
	assert_null(setting_get(ws, "memory", NULL, &e));
	assert_int_equal(strncmp(e.msg, where, strlen(where)), 0);
	write_config(own_config(), "memory = 1G\n");
	e = (struct err){ 0 };
	write_config(user_config(), "memory\n");
	assert_null(setting_get(ws, "memory", NULL, &e));
	assert_non_null(strstr(e.msg, "home/.config/tickmark/config:1: "));
	free(where);
	free(path);
}

static void limits_in_force(void **state)
{
	struct policy def, p;

	(void)state;
	policy_defaults(ASKER_ASSISTANT, &def);
	OK(settings_policy(ws, ASKER_ASSISTANT, &p, err));
	assert_memory_equal(&p.limits, &def.limits, sizeof(p.limits));
	write_config(user_config(), "memory = 1G\nprocesses = 7\nname = jm\n");
	write_config(own_config(), "processes = 9\ntimeout = none\nstream-head = 1M\n");
	OK(settings_policy(ws, ASKER_ASSISTANT, &p, err));
	assert_int_equal(p.limits.memory_bytes, 1 << 30);
	assert_int_equal(p.limits.processes, 9);
	assert_int_equal(p.limits.wall_ms, 0);
	assert_int_equal(p.limits.stream_head, 1 << 20);
	assert_int_equal(p.limits.stream_tail, def.limits.stream_tail);
	expect("timeout", "none", "workspace");
	OK(settings_policy(NULL, ASKER_ASSISTANT, &p, err));
	assert_int_equal(p.limits.processes, 7);
	assert_int_equal(p.limits.wall_ms, def.limits.wall_ms);
	int64_t files, size;
	OK(setting_set(ws, "attached-files", "50000", err));
	OK(settings_attached(ws, &files, &size, err));
	assert_int_equal(files, 50000);
	assert_int_equal(size, INT64_C(4) << 30);
}

/* Who signs with his name says so himself; what the screen reads for itself out of that file is no fault. */
static void the_reviewer_is_the_users_own(void **state)
{
	(void)state;
	write_config(user_config(), "theme = light\nkey.mark = x\nmouse = off\nname = jm\n");
	write_config(own_config(), "reviewer = Somebody Else\n");
	expect("name", "jm", "user");
	expect("reviewer", NULL, "default");
	OK(setting_set(ws, "reviewer", "Jo Miller", err));
	expect("reviewer", "Jo Miller", "user");
	char *who = review_person(NULL);
	assert_string_equal(who, "Jo Miller");
	free(who);
	/* nor does a workspace that gives its runs a name, or that git gave one there */
	OK(setting_set(NULL, "reviewer", NULL, err));
	write_config(own_config(), "name = Chief Auditor\n");
	who = review_person(NULL);
	assert_string_equal(who, "jm");
	free(who);
	write_config(own_config(), "theme = light\n");
	assert_null(setting_get(ws, "name", NULL, NULL));
	/* who cannot be known is nobody else */
	struct err e = { 0 };
	assert_null(settings_person(ws, &e));
	assert_int_equal(e.code, ERR_CORRUPT);
	who = settings_person(ws, NULL);
	assert_non_null(who);
	free(who);
	write_config(own_config(), "");
}

static void a_change_is_in_the_ledger(void **state)
{
	struct ledger_head before, after;
	struct store *st = workspace_store(ws, NULL);

	(void)state;
	OK(store_head(st, &before, err));
	OK(setting_set(ws, "memory", "1G", err));
	OK(store_head(st, &after, err));
	assert_int_equal(after.seq, before.seq + 1);
	/* The user's own are no matter of this record. */
	OK(setting_set(NULL, "memory", "1G", err));
	OK(store_head(st, &before, err));
	assert_int_equal(after.seq, before.seq);
}

static void isolation_that_is_asked_for(void **state)
{
	static const struct { const char *least; enum tier have; bool ok; } cases[] = {
		{ NULL, TIER_B, true },           { "A", TIER_A, true },       { "A", TIER_A_NOPROC, false },
		{ "A-noproc", TIER_A, true },     { "A-root", TIER_B, false }, { "B", TIER_B, true },
		{ "B", TIER_A, true },            { "B", TIER_NONE, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sandbox_caps caps = { .tier = cases[i].have, .why = "no user namespaces" };
		struct err e = { 0 };
		OK(setting_set(ws, "tier", cases[i].least, err));
		if (settings_check_tier(ws, &caps, &e) != cases[i].ok)
			fail_msg("case %zu: %s", i, e.msg);
		if (!cases[i].ok) {
			assert_int_equal(e.code, ERR_SANDBOX);
			assert_non_null(strstr(e.msg, "no user namespaces"));
		}
	}
	/* of the user's and the workspace's the stricter counts */
	static const char *const both[][3] = { { "A", "B", "user" }, { "B", "A-noproc", "workspace" }, { "A-root", "A-root", "workspace" } };
	for (size_t i = 0; i < ARRAY_LEN(both); i++) {
		OK(setting_set(NULL, "tier", both[i][0], err));
		OK(setting_set(ws, "tier", both[i][1], err));
		expect("tier", both[i][both[i][2][0] == 'w'], both[i][2]);
	}
	OK(setting_set(NULL, "tier", NULL, err));
	OK(setting_set(ws, "tier", NULL, err));
}

/* ---- the person ---- */

static void expect_person(struct workspace *w, const char *want)
{
	char *got = settings_person(w, NULL);

	assert_string_equal(got, want);
	free(got);
}

static void who_sits_here(void **state)
{
	const struct passwd *pw = getpwuid(geteuid());
	char *login = pw ? xstrdup(pw->pw_name) : NULL;

	(void)state;
	assert_int_equal(unsetenv("LOGNAME"), 0);
	if (!login)
		login = xasprintf("uid %u", (unsigned)geteuid());
	expect_person(ws, login);
	OK(fs_mkdirs(AT_FDCWD, getenv("HOME"), err));
	write_config(path_join(top, "home/.config/git/config"), "[user]\nname = Of Config\n");
	expect_person(ws, "Of Config");
	write_config(path_join(top, "home/.gitconfig"), "[user]\n\tname = Jo Müller\n\temail = jm@example.org\n");
	expect_person(ws, "Jo Müller");
	put(".git/config", "[core]\n\tname = no\n[user]\n\tname = Of Repository\n");
	expect_person(ws, "Of Repository");
	expect_person(NULL, "Jo Müller");
	OK(setting_set(NULL, "name", "Set", err));
	expect_person(ws, "Set");
	free(login);
}

static void names_in_git_files(void **state)
{
	static const struct { const char *text, *name; } cases[] = {
		{ "", NULL },
		{ "name = x\n", NULL },
		{ "[user]\nname=x", "x" },
		{ "[USER]\nNAME = x y  \n", "x y" },
		{ "[user] name = x\n", "x" },
		{ "[user]\nname = x # y\n", "x" },
		{ "[user]\nname = x ; y\n", "x" },
		{ "[user]\nname = \"x # y\" \n", "x # y" },
		{ "[user]\nname = \" x\"y\n", " xy" },
		{ "[user]\nname = a\\\"b\n", "a\"b" },
		{ "[user]\nname\n", NULL },
		{ "[user]\nnames = x\n", NULL },
		{ "[user]\nname =\n", NULL },
		{ "[user \"x\"]\nname = no\n", NULL },
		{ "[users]\nname = no\n", NULL },
		{ "[user]\nname = a\n[other]\nname = b\n", "a" },
		{ "[user]\nname = a\n[user]\nname = b\n", "b" },
		{ "# [user]\nname = x\n", NULL },
		{ "[user]\nname = a\\nb\n", NULL }, /* no control characters */
		{ "[user]\r\nname = x\r\n", "x" },
		{ "[user", NULL },
		{ "\xff\xfe[user]\n", NULL },
	};
	char *path = path_join(top, "gitconfig");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		OK(fs_write(AT_FDCWD, path, cases[i].text, strlen(cases[i].text), false, err));
		char *got = person_git_name(path);
		if (!cases[i].name ? got != NULL : !got || strcmp(got, cases[i].name) != 0)
			fail_msg("case %zu: %s", i, got ? got : "none");
		free(got);
	}
	free(path);
	assert_null(person_git_name("/nowhere"));
	assert_null(person_git_name("/"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_WORKSPACE(the_table_is_complete),
		IN_WORKSPACE(the_workspace_goes_before_its_user),
		IN_WORKSPACE(xdg_folder_of_the_user),
		IN_WORKSPACE(bad_values_are_refused),
		IN_WORKSPACE(a_bad_line_is_found_by_file_and_line),
		IN_WORKSPACE(limits_in_force),
		IN_WORKSPACE(the_reviewer_is_the_users_own),
		IN_WORKSPACE(a_change_is_in_the_ledger),
		IN_WORKSPACE(isolation_that_is_asked_for),
		IN_WORKSPACE(who_sits_here),
		IN_WORKSPACE(names_in_git_files),
	};
	return cmocka_run_group_tests_name("model/settings", tests, NULL, NULL);
}
