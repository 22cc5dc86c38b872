/* init: makes a record, after showing what would be attached and what is left out. */
#include "cmd.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct cmd_option init_options[] = {
	{ .name = "yes", .letter = 'y', .help = "do not ask" },
	{ .name = "python", .arg = "PATH", .help = "interpreter of this workspace: a path, or a name looked up in PATH" },
	{ .name = NULL },
};

static const struct cmd_member init_members[] = {
	{ "root", "folder of the workspace" },
	{ "record", "path of the record" },
	{ "attached.files", "number of files that attempts may read" },
	{ "attached.bytes", "their size" },
	{ "excluded[].reason", "why files are left out" },
	{ "excluded[].count", "how many; a folder left out whole counts once" },
	{ "interpreters[].path", "interpreter that was found; with --python only that one is looked at" },
	{ "interpreters[].origin", "where" },
	{ "interpreters[].version", "its version, null when it cannot be used" },
	{ "interpreters[].chosen", "whether runs use it" },
	{ "interpreters[].packages", "object: pandas, openpyxl and matplotlib, the version of each or null" },
	{ "interpreters[].problem", "why it cannot be used, else null" },
	{ NULL, NULL },
};

static const char *const packages[] = { "pandas", "openpyxl", "matplotlib" };

static bool skip_file(void *ctx, const struct attached *a)
{
	(void)ctx;
	(void)a;
	return true;
}

static void print_totals(const char *dir, const struct attach_totals *t)
{
	char size[UNIT_TEXT], *where = console_name(stdout, dir);

	size_format(t->bytes, size);
	printf("%s: %lld file%s attached, %s\n", where, (long long)t->files, t->files == 1 ? "" : "s", size);
	free(where);
	for (int x = EXCLUDE_NOT + 1; x < EXCLUDE_COUNT; x++)
		if (t->excluded[x] > 0)
			printf("  left out: %lld %s\n", (long long)t->excluded[x], exclusion_text((enum exclusion)x));
}

static void totals_json(struct json_writer *w, const struct attach_totals *t)
{
	json_open(w, "attached", '{');
	json_put_int(w, "files", t->files);
	json_put_int(w, "bytes", t->bytes);
	json_close(w);
	json_open(w, "excluded", '[');
	for (int x = EXCLUDE_NOT + 1; x < EXCLUDE_COUNT; x++) {
		if (t->excluded[x] == 0)
			continue;
		json_open(w, NULL, '{');
		json_put_text(w, "reason", exclusion_text((enum exclusion)x));
		json_put_int(w, "count", t->excluded[x]);
		json_close(w);
	}
	json_close(w);
}

/* ---- interpreters -------------------------------------------------------------------------------- */

struct interpreters {
	struct columns *columns;
	struct json_writer *json; /* NULL: text */
	const char *chosen;       /* path; NULL: none */
	size_t n;
};

static void interpreter_json(struct json_writer *w, const struct interpreter *i, bool chosen)
{
	json_open(w, NULL, '{');
	json_put_bytes(w, "path", i->path, strlen(i->path));
	json_put_text(w, "origin", i->origin);
	json_put_text(w, "version", i->problem ? NULL : i->env.version);
	json_put_bool(w, "chosen", chosen);
	json_open(w, "packages", '{');
	for (size_t k = 0; k < ARRAY_LEN(packages); k++) {
		char version[32];

		json_put_text(w, packages[k], !i->problem && interpreter_has(i, packages[k], version) ? version : NULL);
	}
	json_close(w);
	if (i->problem)
		json_put_bytes(w, "problem", i->problem, strlen(i->problem));
	else
		json_put_null(w, "problem");
	json_close(w);
}

static void interpreter_row(struct columns *t, const struct interpreter *i, bool chosen)
{
	columns_cell(t, "%s", chosen ? "*" : " ");
	columns_cell_take(t, console_name(stdout, i->path), TONE_PLAIN);
	columns_cell(t, "%s", i->problem ? "" : i->env.version);
	for (size_t k = 0; k < ARRAY_LEN(packages) && !i->problem; k++) {
		char version[32];

		if (interpreter_has(i, packages[k], version))
			columns_cell(t, "%s %s", packages[k], version);
		else
			columns_cell(t, "no %s", packages[k]);
	}
	if (i->problem)
		columns_cell_take(t, console_str(stdout, i->problem), TONE_BAD);
	columns_row(t);
}

static bool take_interpreter(void *ctx, const struct interpreter *i)
{
	struct interpreters *l = ctx;
	bool chosen = l->chosen && strcmp(l->chosen, i->path) == 0;

	l->n++;
	if (l->json)
		interpreter_json(l->json, i, chosen);
	else
		interpreter_row(l->columns, i, chosen);
	return true;
}

/* Lists what was found, or the one that was asked for: looking at each takes a moment. That none can be used is
 * said, and no failure: the record is there. */
static void list_interpreters(struct cmd *c, struct json_writer *w)
{
	struct interpreter chosen = { 0 };
	struct interpreters l = { .json = w };
	struct err e = { 0 }, listing = { 0 };
	bool any = interpreter_choose(c->ws, NULL, &chosen, &e);

	l.chosen = any ? chosen.path : NULL;
	if (w)
		json_open(w, "interpreters", '[');
	else
		l.columns = columns_new(NULL);
	bool ok = any && option_given(c, "python") ? take_interpreter(&l, &chosen)
	                                           : interpreter_each(c->ws, take_interpreter, &l, &listing);
	if (w) {
		json_close(w);
	} else {
		if (l.n > 0)
			printf("interpreters (* is used; tickmark config python PATH changes it):\n");
		columns_print_whole(l.columns, stdout, "  ");
	}
	if (any)
		interpreter_free(&chosen);
	else
		console_say(c, "no interpreter to run with: %s", e.msg);
	if (!ok)
		console_say(c, "interpreters could not be listed: %s", listing.msg);
}

static bool set_python(struct cmd *c, struct err *e)
{
	const char *wanted = option_value(c, "python");
	struct interpreter i = { 0 };

	if (!wanted)
		return true;
	if (!interpreter_choose(c->ws, wanted, &i, e))
		return err_prefix(e, "the record was made, but --python %s was not set", wanted);
	bool ok = setting_set(c->ws, "python", i.path, e);
	interpreter_free(&i);
	return ok;
}

/* ---- the command ----------------------------------------------------------------------------------- */

static bool agreed(struct cmd *c, const char *dir)
{
	if (option_given(c, "yes") || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return true;
	fflush(stdout);
	char *where = console_name(stderr, dir), *question = xasprintf("Make a record in %s?", where);
	bool yes = console_ask(question, true);
	free(where);
	free(question);
	return yes;
}

/* Everything up to the record; the absolute path of the folder, owned, NULL with e set. */
static char *look_at_folder(struct cmd *c, struct attach_totals *totals, struct err *e)
{
	char *dir = path_absolute(c->args_n ? c->args[0] : ".", e);
	struct stat st;

	if (!dir)
		return NULL;
	if (stat(dir, &st) != 0)
		err_sys(e, "cannot make a record in %s", dir);
	else if (!S_ISDIR(st.st_mode))
		err_set(e, ERR_INPUT, "%s is no folder", dir);
	else if (workspace_may_create(dir, e) && attach_scan(NULL, dir, skip_file, NULL, totals, e))
		return dir;
	free(dir);
	return NULL;
}

static int finish(struct cmd *c, const struct attach_totals *totals, struct err *e)
{
	struct json_writer *w = NULL;
	const char *notice;

	if (!set_python(c, e))
		return cmd_fail(c, e);
	notice = workspace_notice(c->ws);
	if (notice)
		console_say(c, "%s", notice);
	if (c->json) {
		const char *root = workspace_root(c->ws), *record = workspace_record(c->ws);

		w = json_writer_new();
		json_put_bytes(w, "root", root, strlen(root));
		json_put_bytes(w, "record", record, strlen(record));
		totals_json(w, totals);
	} else {
		char *record = console_name(stdout, workspace_record(c->ws));
		printf("record: %s\n", record);
		free(record);
	}
	list_interpreters(c, w);
	return w ? cmd_print_json(c, w, STATUS_DONE) : STATUS_DONE;
}

static int init_run(struct cmd *c)
{
	struct attach_totals totals = { 0 };
	struct err e = { 0 };
	char *dir = look_at_folder(c, &totals, &e);
	int status;

	if (!dir)
		return cmd_fail(c, &e);
	if (!c->json)
		print_totals(dir, &totals);
	if (!agreed(c, dir)) {
		console_say(c, "nothing was made");
		free(dir);
		return STATUS_FAILED;
	}
	if (!workspace_create(dir, &e) || !(c->ws = workspace_open(dir, &e)))
		status = cmd_fail(c, &e);
	else
		status = finish(c, &totals, &e);
	free(dir);
	return status;
}

const struct cmd_entry cmd_init_entry = {
	.name = "init",
	.args = "[OPTION]... [DIR]",
	.brief = "Makes a record in a folder",
	.detail = "Shows how many files would be attached, their size, and what is left out and why; then asks, when it "
	          "is used on a terminal and without --yes. The record is .tickmark/record.db in that folder; nothing "
	          "else is changed. tickmark attach changes what is attached, .tickmarkignore leaves files out.",
	.statuses = "0 made, 2 it could not be, or was not agreed to, 3 wrong use",
	.examples = "tickmark init\ntickmark init --yes --python ~/venv/bin/python3 audit-2026",
	.options = init_options,
	.members = init_members,
	.max_args = 1,
	.run = init_run,
};
