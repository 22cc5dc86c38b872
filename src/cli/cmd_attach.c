/* attach: which files attempts may read. Its own commands are rows of a table. */
#include "cmd.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cmd_option attach_options[] = {
	{ .name = "excluded", .letter = 'x', .help = "list what is left out, and why" },
	{ .name = "name", .arg = "NAME", .help = "path under which attempts see what is added" },
	{ .name = "origin", .arg = "TEXT", .help = "where the bytes of a pipe come from, for the record" },
	{ .name = NULL },
};

static const struct cmd_member attach_members[] = {
	{ "files[].path", "attached file, as attempts see it; of attach list" },
	{ "files[].size", "its size" },
	{ "files[].mtime", "when it was changed" },
	{ "files[].source", "where it is, when elsewhere" },
	{ "excluded[].path", "what is left out, with --excluded; a folder left out whole ends in /" },
	{ "excluded[].reason", "why" },
	{ "excluded[].detail", "the rule and where it stands" },
	{ "totals.files", "number of attached files" },
	{ "totals.bytes", "their size" },
	{ "totals.excluded", "number of what is left out" },
	{ "path", "of attach why" },
	{ "attached", "of attach why: whether it is attached" },
	{ "reason", "of attach why: why it is not" },
	{ "detail", "of attach why: the rule and where it stands" },
	{ NULL, NULL },
};

struct listing {
	bool excluded;            /* list these, else the attached ones */
	struct columns *columns;
	struct json_writer *json; /* NULL: text */
};

static void file_json(const struct listing *l, const struct attached *a)
{
	json_open(l->json, NULL, '{');
	json_put_text(l->json, "path", a->path);
	if (l->excluded) {
		json_put_text(l->json, "reason", exclusion_text(a->excluded));
		json_put_text(l->json, "detail", a->detail);
	} else {
		json_put_int(l->json, "size", a->size);
		json_put_time(l->json, "mtime", a->mtime_us);
		json_put_text(l->json, "source", a->source);
	}
	json_close(l->json);
}

static void file_row(const struct listing *l, const struct attached *a)
{
	char text[CLOCK_TEXT];

	columns_cell_take(l->columns, console_name(stdout, a->path), TONE_PLAIN);
	if (l->excluded) {
		columns_cell(l->columns, "%s", exclusion_text(a->excluded));
		columns_cell_take(l->columns, console_str(stdout, a->detail ? a->detail : ""), TONE_PLAIN);
	} else {
		size_format(a->size, text);
		columns_cell(l->columns, "%s", text);
		clock_local(a->mtime_us, text);
		columns_cell(l->columns, "%s", text);
		columns_cell_take(l->columns, console_name(stdout, a->source ? a->source : ""), TONE_PLAIN);
	}
	columns_row(l->columns);
}

static bool take_file(void *ctx, const struct attached *a)
{
	const struct listing *l = ctx;

	if (l->excluded != (a->excluded != EXCLUDE_NOT))
		return true;
	if (l->json)
		file_json(l, a);
	else
		file_row(l, a);
	return true;
}

static int64_t count_excluded(const struct attach_totals *t)
{
	int64_t n = 0;

	for (int x = EXCLUDE_NOT + 1; x < EXCLUDE_COUNT; x++)
		n += t->excluded[x];
	return n;
}

static void say_totals(const struct attach_totals *t, bool excluded)
{
	char size[UNIT_TEXT];
	int64_t out = count_excluded(t);

	size_format(t->bytes, size);
	console_note("%lld file%s attached, %s; %lld left out%s", (long long)t->files, t->files == 1 ? "" : "s", size,
	             (long long)out, out && !excluded ? " (tickmark attach list --excluded)" : "");
}

static int attach_list(struct cmd *c)
{
	struct listing l = { .excluded = option_given(c, "excluded") };
	struct attach_totals totals = { 0 };
	struct err e = { 0 };

	if (c->json) {
		l.json = json_writer_new();
		json_open(l.json, l.excluded ? "excluded" : "files", '[');
	} else {
		l.columns = columns_new(l.excluded ? "path\treason\trule" : "path\t>size\tchanged\tfrom");
	}
	bool ok = attach_scan(c->ws, workspace_root(c->ws), take_file, &l, &totals, &e);
	if (!c->json) {
		columns_print(l.columns, stdout, "");
		if (ok)
			say_totals(&totals, l.excluded);
		return ok ? STATUS_DONE : cmd_fail(c, &e);
	}
	json_close(l.json);
	json_open(l.json, "totals", '{');
	json_put_int(l.json, "files", totals.files);
	json_put_int(l.json, "bytes", totals.bytes);
	json_put_int(l.json, "excluded", count_excluded(&totals));
	json_close(l.json);
	if (ok)
		return cmd_print_json(c, l.json, STATUS_DONE);
	cmd_drop_json(l.json);
	return cmd_fail(c, &e);
}

static int attach_add_command(struct cmd *c)
{
	const char *path = c->args[1], *name = option_value(c, "name");
	struct err e = { 0 };
	bool ok;

	if (c->args_n != 2 && !(c->args_n == 4 && strcmp(c->args[2], "as") == 0 && !name))
		return cmd_usage(c, "tickmark attach add PATH [as NAME]");
	if (c->args_n == 4)
		name = c->args[3];
	if (strcmp(path, "-") == 0 && !name)
		return cmd_usage(c, "what comes from a pipe needs a name: tickmark attach add - --name NAME");
	if (strcmp(path, "-") != 0 && option_given(c, "origin"))
		return cmd_usage(c, "--origin is for what comes from a pipe");
	if (strcmp(path, "-") == 0)
		ok = attach_add_fd(c->ws, STDIN_FILENO, name, option_value(c, "origin"), &e);
	else
		ok = attach_add(c->ws, path, name, &e);
	return ok ? STATUS_DONE : cmd_fail(c, &e);
}

static int attach_remove_command(struct cmd *c)
{
	struct err e = { 0 };

	if (c->args_n != 2)
		return cmd_usage(c, "tickmark attach remove NAME");
	return attach_remove(c->ws, c->args[1], &e) ? STATUS_DONE : cmd_fail(c, &e);
}

static int attach_why_command(struct cmd *c)
{
	enum exclusion x = EXCLUDE_NOT;
	struct buf detail = { 0 };
	struct err e = { 0 };
	int status;

	if (c->args_n != 2)
		return cmd_usage(c, "tickmark attach why PATH");
	if (!attach_why(c->ws, c->args[1], &x, &detail, &e)) {
		buf_free(&detail);
		return cmd_fail(c, &e);
	}
	status = x == EXCLUDE_NOT ? STATUS_DONE : STATUS_NOT_GOOD;
	if (c->json) {
		struct json_writer *w = json_writer_new();

		json_put_text(w, "path", c->args[1]);
		json_put_bool(w, "attached", x == EXCLUDE_NOT);
		json_put_text(w, "reason", x == EXCLUDE_NOT ? NULL : exclusion_text(x));
		json_put_text(w, "detail", detail.len ? detail.data : NULL);
		buf_free(&detail);
		return cmd_print_json(c, w, status);
	}
	char *path = console_name(stdout, c->args[1]), *rule = console_str(stdout, detail.len ? detail.data : "");
	printf("%s: %s%s%s\n", path, x == EXCLUDE_NOT ? "attached" : exclusion_text(x), *rule ? ", " : "", rule);
	free(path);
	free(rule);
	buf_free(&detail);
	return status;
}

static const struct {
	const char *name;
	int (*run)(struct cmd *c);
} verbs[] = {
	{ "list", attach_list },
	{ "add", attach_add_command },
	{ "remove", attach_remove_command },
	{ "why", attach_why_command },
};

static int attach_run(struct cmd *c)
{
	const char *verb = c->args_n ? c->args[0] : "list", *names[ARRAY_LEN(verbs)];
	struct err e = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		names[i] = verbs[i].name;
		if (strcmp(verbs[i].name, verb) != 0)
			continue;
		if (i > 0 && c->args_n < 2)
			return cmd_usage(c, "attach %s needs a path", verb);
		return cmd_workspace(c, &e) ? verbs[i].run(c) : cmd_fail(c, &e);
	}
	const char *near = option_nearest(verb, names, ARRAY_LEN(names));
	return near ? cmd_usage(c, "no attach %s; did you mean attach %s?", verb, near)
	            : cmd_usage(c, "no attach %s: list, add, remove and why there are", verb);
}

const struct cmd_entry cmd_attach_entry = {
	.name = "attach",
	.args = "list | add PATH [as NAME] | remove NAME | why PATH",
	.brief = "Lists or changes the files that attempts may read",
	.detail = "Without a word it lists. By default every file below the workspace is attached, except hidden ones, what .gitignore (inside a "
	          "git tree) and .tickmarkignore name, virtual environments, node_modules, __pycache__, lock files of "
	          "office programs, links that leave the workspace, and what is over the limits.\n\n"
	          "add attaches a file from elsewhere, or one that a rule leaves out; add - takes bytes from stdin, "
	          "which are kept under the name given. remove takes a name out; the file itself stays. why says "
	          "whether and why a path is or is not attached.",
	.statuses = "0 done (why: it is attached), 1 why: it is not, 2 could not, 3 wrong use",
	.examples = "tickmark attach\ntickmark attach list --excluded\ntickmark attach add /srv/rates.csv as rates.csv\n"
	            "curl -s URL | tickmark attach add - --name rates.csv --origin URL\ntickmark attach why notes.txt",
	.options = attach_options,
	.members = attach_members,
	.max_args = 4,
	.run = attach_run,
};
