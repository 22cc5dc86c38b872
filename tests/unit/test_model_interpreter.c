/* Choosing interpreters, resolving shims without running them, probing inside the sandbox, the cache. */
#include "run_case.h"

#include "model/figures.h"
#include "model/interpreter_probe.h"
#include "model/shim.h"

/* Folders and file readable for all, as an interpreter's are: as root, a run has another uid. */
static void put_program(const char *path, const char *text)
{
	char *dir = path_dir(path), *up = path_dir(dir);
	struct err e = { 0 };

	if (!fs_mkdirs(AT_FDCWD, dir, &e))
		fail_msg("%s: %s", dir, e.msg);
	put(path, text);
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(chmod(up, 0755), 0);
	free(up);
	free(dir);
}

/* ---- shims ---- */

#define SHIM "#!/usr/bin/env bash\necho ran > /tmp/must-not-be-run\n"

static void assert_found(const char *name, const char *from, const char *expected)
{
	struct err e = { 0 };
	char *found = shim_find(name, from, &e);

	if (!expected != !found || (found && strcmp(found, expected) != 0))
		fail_msg("%s from %s: %s (%s)", name, from, found ? found : "none", e.msg);
	free(found);
}

static void test_shims(void **state)
{
	struct place *p = *state;
	char *root = path_join(p->dir, "pyenv"), *shims = path_join(root, "shims"), *below = path_join(p->dir, "work/deep");
	char *v311 = path_join(root, "versions/3.11.7/bin/python3"), *v3119 = path_join(root, "versions/3.11.9/bin/python3");
	char *v38 = path_join(root, "versions/3.8.1/bin/python3"), *shim = path_join(shims, "python3");
	char *global = path_join(root, "version"), *local = path_join(p->dir, "work/.python-version");
	char *path = xasprintf("%s:relative:/usr/bin", shims);

	put_program(shim, SHIM);
	put_program(v311, "ELF");
	put_program(v3119, "ELF");
	put_program(v38, "ELF");
	assert_done(p, fs_mkdirs(AT_FDCWD, below, &p->e));
	setenv("PATH", path, 1);
	unsetenv("PYENV_VERSION");

	/* Nothing says which: passed over. */
	assert_found("python3", below, PYTHON);
	put(global, "3.8.1\n");
	assert_found("python3", below, v38);
	put(local, "# mine\n3.11.7\n");
	assert_found("python3", below, v311);
	/* The newest of a series, by number. */
	put(local, "3.11");
	assert_found("python3", below, v3119);
	/* A nearer file that cannot be satisfied decides all the same. */
	put(local, "2.7.1\n");
	assert_found("python3", below, PYTHON);
	put(local, "system\n");
	assert_found("python3", below, PYTHON);
	setenv("PYENV_VERSION", "nothere:3.8.1", 1);
	assert_found("python3", below, v38);
	setenv("PYENV_VERSION", "../../../etc", 1);
	assert_found("python3", below, PYTHON);
	unsetenv("PYENV_VERSION");
	assert_found("nosuchpython", below, NULL);
	/* What is no shim is itself. */
	char *itself = shim_resolve(PYTHON, below);
	assert_string_equal(itself, PYTHON);
	free(itself);
	assert_false(fs_exists(AT_FDCWD, "/tmp/must-not-be-run"));
	char *all[] = { root, shims, below, v311, v3119, v38, shim, global, local, path };
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		free(all[i]);
}

/* ---- what it is ---- */

static void test_probe_and_cache(void **state)
{
	struct place *p = *state;
	struct interpreter i, again;
	char file[80], version[32], *path;
	struct stat first, second;

	need_sandbox(p);
	assert_done(p, interpreter_choose(p->ws, PYTHON, &i, &p->e));
	assert_string_equal(i.path, PYTHON);
	assert_string_equal(i.origin, "--python");
	assert_int_equal(strncmp(i.env.version, "3.", 2), 0);
	assert_string_equal(i.env.implementation, "CPython");
	assert_string_equal(i.env.prefix, "/usr");
	assert_string_equal(i.env.locale, "C.UTF-8");
	assert_has(i.env.platform, "Linux");
	assert_int_equal(i.prefixes.n, 0);
	assert_false(digest_is_zero(&i.env.fingerprint));
	assert_false(interpreter_has(&i, "no-such-package", version));

	/* The second time nothing is run: the answer is the one in the cache, and the file stays. */
	interpreter_cache_name("python", PYTHON, file);
	path = xasprintf(".tickmark/cache/%s", file);
	assert_int_equal(stat(path, &first), 0);
	assert_int_equal(first.st_mode & 077, 0);
	assert_done(p, interpreter_choose(p->ws, PYTHON, &again, &p->e));
	assert_int_equal(stat(path, &second), 0);
	assert_int_equal(first.st_ino, second.st_ino);
	assert_string_equal(again.env.packages, i.env.packages);
	assert_true(digest_equal(&again.env.fingerprint, &i.env.fingerprint));
	interpreter_free(&again);

	/* A cache that says something else of the same stamp is believed; one that is no cache is not. */
	put(path, "{\"stamp\": \"old\", \"version\": \"3.0.0\", \"sites\": []}");
	assert_done(p, interpreter_choose(p->ws, PYTHON, &again, &p->e));
	assert_string_equal(again.env.version, i.env.version);
	interpreter_free(&again);
	put(path, "nonsense");
	assert_done(p, interpreter_choose(p->ws, PYTHON, &again, &p->e));
	assert_string_equal(again.env.version, i.env.version);
	interpreter_free(&again);
	interpreter_free(&i);
	free(path);
}

static void test_packages(void **state)
{
	struct interpreter i = { .env = { .packages = "Brotli 1.0.9\nnumpy 1.24.2\nnumpy-financial 1.0\npandas 1.5.3\n" } };
	char version[32] = "";

	(void)state;
	assert_true(interpreter_has(&i, "numpy", version));
	assert_string_equal(version, "1.24.2");
	assert_true(interpreter_has(&i, "brotli", version));
	assert_true(interpreter_has(&i, "pandas", version));
	assert_string_equal(version, "1.5.3");
	assert_false(interpreter_has(&i, "num", version));
	assert_false(interpreter_has(&i, "1.5.3", version));
}

/* ---- the rule ---- */

static void test_choice(void **state)
{
	struct place *p = *state;
	struct interpreter i;

	need_sandbox(p);
	assert_done(p, interpreter_choose(p->ws, NULL, &i, &p->e));
	assert_string_equal(i.origin, "PATH");
	assert_string_equal(i.path, PYTHON);
	interpreter_free(&i);
	assert_done(p, setting_set(p->ws, "python", PYTHON, &p->e));
	assert_done(p, interpreter_choose(p->ws, NULL, &i, &p->e));
	assert_string_equal(i.origin, "workspace setting");
	interpreter_free(&i);
	assert_done(p, setting_set(p->ws, "python", "/nothere/python3", &p->e));
	assert_fails(p, ERR_NOTFOUND, "workspace setting 'python'", interpreter_choose(p->ws, NULL, &i, &p->e));
	/* A word on the command line comes first. */
	assert_done(p, interpreter_choose(p->ws, "python3", &i, &p->e));
	interpreter_free(&i);
	assert_fails(p, ERR_NOTFOUND, "no nosuchpython in PATH", interpreter_choose(p->ws, "nosuchpython", &i, &p->e));
	assert_fails(p, ERR_NOTFOUND, "no python2.5 in PATH", interpreter_choose(p->ws, "2.5", &i, &p->e));
}

/* A virtual environment in the workspace: hidden from attaching, visible to its runs. */
static void test_venv(void **state)
{
	struct place *p = *state;
	struct interpreter i;
	struct told t;
	struct detail d;

	need_sandbox(p);
	put_program(".venv/bin/nothing", "x");
	assert_int_equal(symlink(PYTHON, ".venv/bin/python3"), 0);
	assert_done(p, fs_mkdirs(AT_FDCWD, ".venv/lib/python3/site-packages", &p->e));
	put(".venv/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n");
	assert_int_equal(chmod(".venv/pyvenv.cfg", 0644), 0);
	char *venv = path_join(p->ws->root, ".venv"), *python = path_join(venv, "bin/python3");
	setenv("VIRTUAL_ENV", venv, 1);
	assert_done(p, interpreter_choose(p->ws, NULL, &i, &p->e));
	assert_string_equal(i.origin, "active virtual environment");
	assert_string_equal(i.path, python);
	assert_string_equal(i.env.prefix, venv);
	assert_string_equal(i.env.base_prefix, "/usr");
	assert_int_equal(i.prefixes.n, 1);
	assert_string_equal(i.prefixes.v[0], venv);
	interpreter_free(&i);

	struct run_request req = request();
	req.python = NULL;
	put("step.py", "import sys\nprint(sys.prefix)\n");
	req.script = "step.py";
	run_to_end(p, &req, &t);
	read_detail(p, t.attempt, &d);
	assert_int_equal(d.state, OUTCOME_OK);
	assert_has(t.out.data, "/.venv\n");
	assert_string_equal(d.env.python, python);
	assert_int_equal(d.artifacts_n, 0);
	query_detail_free(&d);
	told_free(&t);

	/* What its configuration names is shown only when it is an interpreter's. */
	assert_done(p, fs_mkdirs(AT_FDCWD, "../secrets/bin", &p->e));
	char *text = xasprintf("home = %s/secrets/bin\n", p->dir);
	put(".venv/pyvenv.cfg", text);
	assert_done(p, interpreter_examine(p->ws, xstrdup(python), "test", &i, &p->e));
	for (size_t k = 0; k < i.prefixes.n; k++)
		assert_null(strstr(i.prefixes.v[k], "secrets"));
	interpreter_free(&i);
	free(text);
	free(python);
	free(venv);
	unsetenv("VIRTUAL_ENV");
}

static void examine(struct place *p, const char *path, const char *problem)
{
	struct interpreter i;

	assert_done(p, interpreter_examine(p->ws, xstrdup(path), "test", &i, &p->e));
	assert_has(i.problem, problem);
	interpreter_free(&i);
}

/* A prefix is seen whole by a run, so a home or the workspace is none. */
static void test_prefixes(void **state)
{
	struct place *p = *state;
	char *at_home = path_join(p->dir, "bin/python3"), *above = path_join(p->dir, "above/bin/python3");
	char *root = path_join(p->dir, "above/ws"), *script = path_join(p->dir, "other/bin/python3");

	put_program(at_home, "ELF");
	examine(p, at_home, "and a run would see all of it");
	put_program(above, "ELF");
	char *was = p->ws->root;
	p->ws->root = root;
	examine(p, above, "holds this workspace");
	p->ws->root = was;
	examine(p, "/nothere/python3", "cannot be run");
	need_sandbox(p);
	put_program(script, "#!/bin/sh\necho no python >&2\nexit 3\n");
	examine(p, script, "does not run in the sandbox: no python");
	put_program(script, "#!/bin/sh\necho '{\"version\": \"2.7.18\", \"sites\": []}'\n");
	examine(p, script, "Python 2.7.18; version 3 is needed");
	put_program(script, "#!/bin/sh\necho '{\"version\": \"3.1.1\", \"sites\": [], \"prefix\": \"/home/x\"}'\n# 2\n");
	examine(p, script, "its prefix /home/x is not where the program lies");
	free(at_home);
	free(above);
	free(root);
	free(script);
}

static bool count(void *ctx, const struct interpreter *i)
{
	size_t *n = ctx;

	if (strcmp(i->path, PYTHON) == 0 && !i->problem)
		++*n;
	return true;
}

static void test_all(void **state)
{
	struct place *p = *state;
	size_t n = 0;

	need_sandbox(p);
	assert_done(p, interpreter_each(p->ws, count, &n, &p->e));
	assert_int_equal(n, 1);
}

/* ---- figures ---- */

static void test_figures_report(void **state)
{
	static const struct {
		const char *text, *backend;
		int64_t lost;
	} cases[] = {
		{ "backend tickmark_figures (Agg, matplotlib 3.6.3)\nlost 2\n", "tickmark_figures (Agg, matplotlib 3.6.3)", 2 },
		{ "", NULL, 0 }, { "lost -5\n", NULL, 0 }, { "lost x\nlost 1\n", NULL, 1 }, { "backend a\nbackend b", "a", 0 },
	};

	(void)state;
	assert_true(figures_is_report("~/.tickmark-figures"));
	assert_false(figures_is_report(".tickmark-figures"));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct figures f = { 0 };
		put("report", cases[i].text);
		int fd = open("report", O_RDONLY | O_CLOEXEC);
		figures_read(&f, fd);
		close(fd);
		if (cases[i].backend)
			assert_string_equal(f.backend, cases[i].backend);
		else
			assert_null(f.backend);
		assert_int_equal(f.lost, cases[i].lost);
		figures_free(&f);
	}
}

static void test_fonts(void **state)
{
	struct place *p = *state;
	struct interpreter i;
	struct sandbox_file file;
	struct buf keep = { 0 };
	char version[32];

	need_sandbox(p);
	assert_done(p, interpreter_choose(p->ws, PYTHON, &i, &p->e));
	assert_false(figures_fonts(p->ws, &i, INT64_MAX, &file, &keep));
	buf_free(&keep);
	if (!interpreter_has(&i, "matplotlib", version)) {
		interpreter_free(&i);
		skip();
	}
	figures_learn_fonts(p->ws, &i);
	assert_true(figures_fonts(p->ws, &i, INT64_MAX, &file, &keep));
	assert_has(file.path, "fontlist-");
	/* a repeat of what ran before the list was known goes without, too */
	assert_false(figures_fonts(p->ws, &i, 1, &file, &keep));
	assert_int_equal(((const char *)file.bytes)[0], '{');
	buf_free(&keep);
	/* Of another environment it says nothing. */
	i.env.fingerprint.b[0]++;
	assert_false(figures_fonts(p->ws, &i, INT64_MAX, &file, &keep));
	buf_free(&keep);
	interpreter_free(&i);
}

/* ---- doctor ---- */

static void add_finding(void *ctx, const struct finding *f)
{
	buf_addf(ctx, "%s %s %s: %s\n", f->good ? "+" : "-", f->what, f->state, f->remedy);
}

static void test_doctor(void **state)
{
	struct place *p = *state;
	struct buf b = { 0 };

	need_sandbox(p);
	assert_done(p, doctor_each(p->ws, add_finding, &b, &p->e));
	assert_has(b.data, "+ kernel Linux");
	assert_has(b.data, " sandbox ");
	assert_has(b.data, "+ interpreter CPython 3.");
	assert_has(b.data, "+ rights only you may read the record");
	assert_has(b.data, "record.db, journal ");
	buf_clear(&b);
	/* Wider rights are pointed out, with what mends them. */
	assert_int_equal(chmod(".tickmark", 0755), 0);
	assert_int_equal(chmod(".tickmark/record.db", 0644), 0);
	assert_done(p, doctor_each(p->ws, add_finding, &b, &p->e));
	assert_has(b.data, "- rights others may read .tickmark, .tickmark/record.db: chmod -R go= ");
	buf_clear(&b);
	assert_done(p, doctor_each(NULL, add_finding, &b, &p->e));
	assert_has(b.data, "+ record no workspace here: tickmark init makes one");
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_shims), TEST(test_probe_and_cache), cmocka_unit_test(test_packages), TEST(test_choice), TEST(test_venv),
		TEST(test_prefixes), TEST(test_all), TEST(test_figures_report), TEST(test_fonts),
		TEST(test_doctor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
