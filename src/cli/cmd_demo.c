/*
 * tickmark demo: copies a sample workspace, runs its steps for real, and shows what came of it.
 *
 * A sample is a folder with a file .demo, whose lines are the steps: `run FILE`, or `correct FILE`,
 * which puts .corrections/FILE in place of a script that failed and runs it again.
 */
#include "cmd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEMO_DEFAULT "schedule-of-values"
#define DEMO_PYTHON  "/usr/bin/python3" /* the one whose packages `make deps` installs */
#define DEMO_COPIES  1000               /* names tried for a new copy */
#define PLAN_MAX     ((size_t)1 << 16)

static const char *const sample_folders[] = { ".", ".corrections" };

static bool is_sample(const char *samples, const char *name)
{
	char *plan = xasprintf("%s/%s/.demo", samples, name);
	bool ok = path_is_plain_relative(name) && fs_exists(AT_FDCWD, plan);

	free(plan);
	return ok;
}

/* Of a program that stands in TOP/build/VARIANT, the samples of that source tree; owned. NULL: it stands elsewhere. */
static char *samples_of_tree(const char *bin)
{
	char *build = path_dir(bin), *top = path_dir(build), *result = NULL;

	if (strcmp(path_base(build), "build") == 0)
		result = path_join(top, "sample-workspaces");
	free(build);
	free(top);
	return result;
}

static char *samples_of_prefix(const char *bin)
{
	char *prefix = path_dir(bin), *result = path_join(prefix, "share/tickmark/samples");

	free(prefix);
	return result;
}

/* Where the samples are: as told, else where the program was installed or built. Owned. */
static char *samples_folder(struct err *e)
{
	const char *told = getenv("TICKMARK_SAMPLES");
	char *program;

	if (told && *told)
		return path_absolute(told, e);
	if (!(program = cmd_own_path(e)))
		return NULL;
	char *bin = path_dir(program), *result = samples_of_tree(bin);
	free(program);
	if (!result || !is_sample(result, DEMO_DEFAULT)) {
		free(result);
		result = samples_of_prefix(bin);
	}
	free(bin);
	return result;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool sample_names(const char *samples, struct strv *names, struct err *e)
{
	DIR *dir = opendir(samples);
	struct dirent *d;

	if (!dir)
		return err_sys(e, "no samples in %s (TICKMARK_SAMPLES names another folder)", samples);
	while ((d = readdir(dir)))
		if (is_sample(samples, d->d_name))
			strv_add(names, d->d_name);
	closedir(dir);
	if (names->n == 0)
		return err_set(e, ERR_NOTFOUND, "no samples in %s (TICKMARK_SAMPLES names another folder)", samples);
	qsort(names->v, names->n, sizeof(*names->v), by_name);
	return true;
}

/* ---- the copy -------------------------------------------------------------------------------------- */

static bool copy_file(int from, int to, const char *name, struct err *e)
{
	int in = openat(from, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	int out = in < 0 ? -1 : openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool ok = out >= 0 ? fs_copy(in, out, name, e) : err_sys(e, "cannot copy %s", name);

	if (in >= 0)
		close(in);
	if (out >= 0 && close(out) != 0 && ok)
		ok = err_sys(e, "cannot write %s", name);
	return ok;
}

/* The plain files of one folder of the sample. */
static bool copy_files(const char *from, const char *to, struct err *e)
{
	DIR *dir = opendir(from);
	int out = dir ? fs_open_dir(AT_FDCWD, to, e) : -1;
	struct dirent *d;
	struct stat st;
	bool ok = out >= 0;

	if (!dir)
		return err_sys(e, "cannot read the sample %s", from);
	while (ok && (d = readdir(dir)))
		if (fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
			ok = copy_file(dirfd(dir), out, d->d_name, e);
	closedir(dir);
	if (out >= 0)
		close(out);
	return ok;
}

static bool copy_sample(const char *samples, const char *name, const char *to, struct err *e)
{
	bool ok = true;

	for (size_t i = 0; ok && i < ARRAY_LEN(sample_folders); i++) {
		char *from = xasprintf("%s/%s/%s", samples, name, sample_folders[i]);
		char *into = xasprintf("%s/%s", to, sample_folders[i]);
		if (fs_exists(AT_FDCWD, from))
			ok = copy_files(from, into, e);
		free(from);
		free(into);
	}
	return ok;
}

/* A new folder for the copy: as told, else ~/tickmark-demo/NAME, NAME-2 and so on. Owned. */
static char *new_folder(const struct cmd *c, const char *name, struct err *e)
{
	const char *told = option_value(c, "to"), *home = getenv("HOME");
	char *parent, *path = NULL;

	if (told) {
		if (mkdir(told, 0700) == 0)
			return path_absolute(told, e);
		err_sys(e, "cannot make %s", told);
		return NULL;
	}
	parent = path_join(home && *home ? home : "/tmp", "tickmark-demo");
	if (!fs_mkdirs(AT_FDCWD, parent, e)) {
		free(parent);
		return NULL;
	}
	for (int i = 1; i <= DEMO_COPIES && !path; i++) {
		path = i == 1 ? path_join(parent, name) : xasprintf("%s/%s-%d", parent, name, i);
		if (mkdir(path, 0700) == 0)
			break;
		if (errno != EEXIST || i == DEMO_COPIES) {
			err_sys(e, "cannot make %s", path);
			free(parent);
			free(path);
			return NULL;
		}
		free(path);
		path = NULL;
	}
	free(parent);
	return path;
}

/* ---- the steps --------------------------------------------------------------------------------------- */

static bool correct(const char *script, struct err *e)
{
	char *better = path_join(".corrections", script);
	struct buf b = { 0 };
	bool ok = fs_read(AT_FDCWD, better, PLAN_MAX, &b, e) && fs_write(AT_FDCWD, script, b.data, b.len, false, e);

	free(better);
	buf_free(&b);
	return ok;
}

/* One line of the plan; the outcome of the step is no matter of ours, only whether it could be run. */
static bool take_line(struct cmd *c, const char *verb, const char *script, struct err *e)
{
	struct run_request req = { .script = script };
	bool corrected = strcmp(verb, "correct") == 0;

	if (!corrected && strcmp(verb, "run") != 0)
		return err_set(e, ERR_INPUT, "the sample's plan says '%s %s', which is no step", verb, script);
	if (corrected && !correct(script, e))
		return false;
	console_note("$ tickmark run %s%s", script, corrected ? "   # corrected" : "");
	if (cmd_run_watched(c, &req, WATCH_QUIET) == STATUS_FAILED)
		return err_set(e, ERR_SYS, "the step %s could not be run", script);
	return true;
}

static bool run_plan(struct cmd *c, struct err *e)
{
	struct buf plan = { 0 };
	char *line, *rest;
	bool ok = fs_read(AT_FDCWD, ".demo", PLAN_MAX, &plan, e);

	for (rest = plan.data; ok && rest && (line = strsep(&rest, "\n"));) {
		char *verb = strsep(&line, " ");
		if (line)
			ok = take_line(c, verb, line, e);
	}
	buf_free(&plan);
	return ok;
}

static bool prepare(struct cmd *c, const char *dir, struct err *e)
{
	const char *python = option_value(c, "python");

	if (chdir(dir) != 0)
		return err_sys(e, "cannot enter %s", dir);
	if (!workspace_create(".", e) || !cmd_workspace(c, e))
		return false;
	if (!python && access(DEMO_PYTHON, X_OK) == 0)
		python = DEMO_PYTHON;
	return !python || setting_set(c->ws, "python", python, e);
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* What to type for this program: its bare name where the shell finds just this one by it, else its path. Owned. */
static char *typed_name(void)
{
	char *own = cmd_own_path(NULL), *folders = xstrdup(getenv("PATH") ? getenv("PATH") : ""), *rest = folders, *dir;
	char *result = NULL;

	while (own && !result && (dir = strsep(&rest, ":"))) {
		char *there = path_join(*dir ? dir : ".", "tickmark");
		if (access(there, X_OK) == 0)
			result = is_same_file(there, own) ? xstrdup("tickmark") : console_name(stderr, own);
		free(there);
	}
	if (!result)
		result = own ? console_name(stderr, own) : xstrdup("tickmark");
	free(folders);
	free(own);
	return result;
}

/* Lines to copy. */
static void tell_way_on(const char *dir)
{
	static const char *const tries[] = { "log", "show 2.1", "repeat last", "verify" };
	char *program = typed_name(), *folder = console_name(stderr, dir);

	console_note("Go there, and try:");
	console_note("  cd %s", folder);
	for (size_t i = 0; i < ARRAY_LEN(tries); i++)
		console_note("  %s %s", program, tries[i]);
	free(program);
	free(folder);
}

/* On a terminal the screen takes over; else the log and the way on. */
static int show(struct cmd *c, const char *dir)
{
	char *name = console_name(stderr, dir);

	console_note("The sample and its record are in %s", name);
	free(name);
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !option_given(c, "no-screen")) {
		execl("/proc/self/exe", "tickmark", dir, (char *)NULL);
		console_say(c, "cannot open the screen: %s", strerror(errno));
		return STATUS_FAILED;
	}
	tell_way_on(dir);
	return STATUS_DONE;
}

static int list_samples(const struct strv *names)
{
	for (size_t i = 0; i < names->n; i++)
		printf("%s\n", names->v[i]);
	return STATUS_DONE;
}

static int start(struct cmd *c, const char *samples, const char *name, struct err *e)
{
	char *dir = new_folder(c, name, e);
	int status;

	if (!dir || !copy_sample(samples, name, dir, e) || !prepare(c, dir, e) || !run_plan(c, e))
		status = cmd_fail(c, e);
	else
		status = show(c, dir);
	free(dir);
	return status;
}

static int demo_run(struct cmd *c)
{
	const char *name = c->args_n ? c->args[0] : DEMO_DEFAULT;
	struct strv names = { 0 };
	struct err e = { 0 };
	char *samples = samples_folder(&e);
	int status;

	if (!samples || !sample_names(samples, &names, &e))
		status = cmd_fail(c, &e);
	else if (option_given(c, "list"))
		status = list_samples(&names);
	else if (!strv_has(&names, name))
		status = cmd_usage(c, "no sample '%s'; tickmark demo --list names them", name);
	else
		status = start(c, samples, name, &e);
	strv_free(&names);
	free(samples);
	return status;
}

static const struct cmd_option demo_options[] = {
	{ .name = "list", .help = "name the samples" },
	{ .name = "to", .arg = "DIR", .help = "new folder for the copy (else ~/tickmark-demo/NAME)" },
	{ .name = "python", .arg = "PATH", .help = "interpreter to pin (else " DEMO_PYTHON ")" },
	{ .name = "no-screen", .help = "only run the steps" },
	{ 0 },
};

const struct cmd_entry cmd_demo_entry = {
	.name = "demo",
	.args = "[OPTION]... [NAME]",
	.brief = "Copies a sample workspace and runs its steps",
	.detail =
		"NAME is one of the samples (default " DEMO_DEFAULT "). Its files are copied into a new folder, and its "
		"steps are run there for real: one fails and is corrected, one is refused something by the sandbox. "
		"On a terminal the screen opens on the result.",
	.statuses = "0 done, whatever the steps gave, 2 it could not be done, 3 wrong use",
	.examples = "tickmark demo\ntickmark demo claims-workbook --to /tmp/claims",
	.options = demo_options,
	.max_args = 1,
	.run = demo_run,
};
