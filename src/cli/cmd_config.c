/* config: the settings of the workspace, in force and where they come from. */
#include "cli.h"
#include "cmd.h"

#include "model/legend.h"

#include <stdlib.h>
#include <string.h>

static const struct cmd_option config_options[] = {
	{ .name = "unset", .arg = "NAME", .help = "remove the workspace's own value" },
	{ .name = "user", .help = "change your own settings instead of the workspace's" },
	{ .name = NULL },
};

static const struct cmd_member config_members[] = {
	{ "settings[].name", "name of the setting" },
	{ "settings[].value", "value in force, null when there is none" },
	{ "settings[].from", "where it comes from: default, user, workspace" },
	{ "settings[].help", "what it is" },
	{ "settings[].example", "how a value looks; null for those of the screen and of notes" },
	{ NULL, NULL },
};

static const struct setting_info *find_setting(const char *name)
{
	for (size_t i = 0; i < setting_table_len; i++)
		if (strcmp(setting_table[i].name, name) == 0)
			return &setting_table[i];
	return NULL;
}

static int unknown_setting(const struct cmd *c, const char *name)
{
	const char *names[128];
	size_t n = 0;

	for (; n < setting_table_len && n < ARRAY_LEN(names); n++)
		names[n] = setting_table[n].name;
	const char *near = option_nearest(name, names, n);
	return near ? cmd_usage(c, "no setting %s; did you mean %s?", name, near)
	            : cmd_usage(c, "no setting %s; tickmark config lists them", name);
}

/* One that the table may not have. */
static const char *help_of(const char *name)
{
	const struct setting_info *info = find_setting(name);

	return info ? info->help : legend_is_setting(name) ? "what this abbreviation stands for in notes" : "of the screen, and yours alone";
}

/* Those of the table, and what else is set. */
static bool all_names(struct cmd *c, struct strv *names, struct err *e)
{
	for (size_t i = 0; i < setting_table_len; i++)
		strv_add(names, setting_table[i].name);
	return settings_others(c->ws, names, e);
}

static bool setting_json(struct cmd *c, struct json_writer *w, const char *name, struct err *e)
{
	const struct setting_info *info = find_setting(name);
	const char *from = NULL;
	char *value = setting_get(c->ws, name, &from, e);

	if (!value && e->code != ERR_NONE)
		return false;
	json_open(w, NULL, '{');
	json_put_text(w, "name", name);
	if (value)
		json_put_bytes(w, "value", value, strlen(value));
	else
		json_put_null(w, "value");
	json_put_text(w, "from", from);
	json_put_text(w, "help", help_of(name));
	if (info)
		json_put_text(w, "example", info->example);
	else
		json_put_null(w, "example");
	json_close(w);
	free(value);
	return true;
}

/* only: NULL: all. */
static int print_json(struct cmd *c, const char *only)
{
	struct json_writer *w = json_writer_new();
	struct strv names = { 0 };
	struct err e = { 0 };
	bool ok = only || all_names(c, &names, &e);

	if (only)
		strv_add(&names, only);
	json_open(w, "settings", '[');
	for (size_t i = 0; i < names.n && ok; i++)
		ok = setting_json(c, w, names.v[i], &e);
	json_close(w);
	strv_free(&names);
	if (ok)
		return cmd_print_json(c, w, STATUS_DONE);
	cmd_drop_json(w);
	return cmd_fail(c, &e);
}

static bool add_row(struct cmd *c, struct columns *t, const char *name, struct err *e)
{
	const char *from = NULL;
	char *value = setting_get(c->ws, name, &from, e);

	if (!value && e->code != ERR_NONE)
		return false;
	columns_cell_take(t, console_str(stdout, name), TONE_PLAIN);
	columns_cell_take(t, console_str(stdout, value ? value : "-"), TONE_PLAIN);
	columns_cell(t, "%s", from ? from : "");
	columns_cell(t, "%s", help_of(name));
	columns_row(t);
	free(value);
	return true;
}

static int list_settings(struct cmd *c)
{
	struct columns *t = columns_new("setting\tvalue\tfrom\twhat it is");
	struct strv names = { 0 };
	struct err e = { 0 };
	bool ok = all_names(c, &names, &e);

	for (size_t i = 0; i < names.n && ok; i++)
		ok = add_row(c, t, names.v[i], &e);
	strv_free(&names);
	if (ok)
		columns_print_whole(t, stdout, "");
	else
		columns_free(t);
	return ok ? STATUS_DONE : cmd_fail(c, &e);
}

static int print_setting(struct cmd *c, const char *name)
{
	struct err e = { 0 };
	const char *from;
	char *value = setting_get(c->ws, name, &from, &e);

	if (!value && e.code != ERR_NONE)
		return cmd_fail(c, &e);
	if (value) {
		char *safe = console_str(stdout, value);
		printf("%s\n", safe);
		free(safe);
	}
	free(value);
	return STATUS_DONE;
}

/* One may name what is not there yet: a virtual environment that is made next. */
static void warn_of_python(struct workspace *ws, const char *value)
{
	struct err e = { 0 };

	if (!interpreter_is_there(ws, value, &e))
		console_note("python = %s is set; runs fail until it is there: %s", value, e.msg);
}

static int change(struct cmd *c, struct workspace *ws, const char *name, const char *value)
{
	struct err e = { 0 };

	if ((value && !c->fronts->check_setting(name, value, &e)) || !setting_set(ws, name, value, &e))
		return cmd_fail(c, &e);
	if (value && strcmp(name, "python") == 0)
		warn_of_python(ws, value);
	return STATUS_DONE;
}

static int config_run(struct cmd *c)
{
	const char *unset = option_value(c, "unset"), *name = unset ? unset : c->args_n ? c->args[0] : NULL;
	struct err e = { 0 };

	if (unset && c->args_n)
		return cmd_usage(c, "--unset NAME stands alone");
	if (name && !setting_is_known(name))
		return unknown_setting(c, name);
	if (option_given(c, "user")) {
		if (!unset && c->args_n != 2)
			return cmd_usage(c, "--user goes with NAME VALUE, or with --unset NAME");
		return change(c, NULL, name, unset ? NULL : c->args[1]);
	}
	if (!cmd_workspace(c, &e))
		return cmd_fail(c, &e);
	if (unset || c->args_n == 2)
		return change(c, c->ws, name, unset ? NULL : c->args[1]);
	if (c->json)
		return print_json(c, name);
	return name ? print_setting(c, name) : list_settings(c);
}

const struct cmd_entry cmd_config_entry = {
	.name = "config",
	.args = "[--user] [NAME [VALUE]] | [--user] --unset NAME",
	.brief = "Shows or changes the settings of the workspace",
	.detail = "A value of the workspace (.tickmark/config) goes before the user's (~/.config/tickmark/config), that "
	          "before the default. A program that runs outside the sandbox (fixer) is named by the user's settings alone. "
	          "legend.X is what the abbreviation X stands for in notes (F footed, S agreed to source, R recomputed); theme, "
	          "mouse and key.NAME are those of the screen.",
	.statuses = "0 shown or changed, 2 it could not be, 3 wrong use, or not a value of that setting",
	.examples = "tickmark config\ntickmark config memory 8G\ntickmark config --unset memory",
	.options = config_options,
	.members = config_members,
	.max_args = 2,
	.run = config_run,
};
