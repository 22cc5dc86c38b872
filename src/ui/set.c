/*
 * Settings from the screen. Those of the screen itself (theme, mouse, key.NAME) take effect at once and stand in
 * the user's file; all others are those of `tickmark config`, and the next run or mark reads them.
 */
#include "set.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

/* ---- the screen's own ------------------------------------------------------------------------------------- */

static bool set_theme(struct ui *ui, const char *value, struct err *e)
{
	struct theme *t = theme_load(value, e);

	if (!t)
		return false;
	theme_free(ui->theme);
	ui->theme = t;
	return true;
}

static bool check_mouse(const char *value, struct err *e)
{
	return strcmp(value, "on") == 0 || strcmp(value, "off") == 0 ||
	       err_set(e, ERR_INPUT, "mouse: expected on or off, not '%.40s'", value);
}

static bool set_mouse(struct ui *ui, const char *value, struct err *e)
{
	bool on = strcmp(value, "on") == 0;

	if (!check_mouse(value, e))
		return false;
	ui->mouse = on;
	if (ui->term)
		term_mouse(ui->term, on);
	return true;
}

static const char key_prefix[] = "key.";

static bool is_key(const char *name)
{
	return strncmp(name, key_prefix, strlen(key_prefix)) == 0;
}

static bool is_own(const char *name)
{
	return is_key(name) || strcmp(name, "theme") == 0 || strcmp(name, "mouse") == 0;
}

static bool apply(struct ui *ui, const char *name, const char *value, struct err *e)
{
	if (is_key(name))
		return keymap_bind(ui->keymap, name + strlen(key_prefix), value, e);
	return strcmp(name, "theme") == 0 ? set_theme(ui, value, e) : set_mouse(ui, value, e);
}

bool ui_check_setting(const char *name, const char *value, struct err *e)
{
	bool ok = true;

	if (is_key(name)) {
		struct keymap *keys = keymap_new();
		ok = keymap_bind(keys, name + strlen(key_prefix), value, e);
		keymap_free(keys);
	} else if (strcmp(name, "theme") == 0) {
		struct theme *t = theme_load(value, e);
		ok = t != NULL;
		theme_free(t);
	} else if (strcmp(name, "mouse") == 0) {
		ok = check_mouse(value, e);
	}
	return ok;
}

static bool take_line(void *ctx, const char *key, const char *value, struct err *e)
{
	return !is_own(key) || apply(ctx, key, value, e);
}

static void tell_wrong(void *ctx, const struct err *e)
{
	ui_error(ctx, "%s", e->msg);
}

void set_read(struct ui *ui)
{
	char *path = settings_user_path();
	struct err e = { 0 };

	if (path && !conf_read_on(path, take_line, tell_wrong, ui, &e))
		ui_error(ui, "%s", e.msg);
	free(path);
}

/* ---- :set ------------------------------------------------------------------------------------------------- */

/* The keys of a command wherever it has some. */
static char *keys_of(struct ui *ui, const char *command)
{
	const struct command_info *info = command_find(command, strlen(command));
	struct buf all = { 0 };

	for (int p = 0; info && p < PLACE_COUNT; p++) {
		struct buf keys = { 0 };

		keymap_keys(ui->keymap, (enum place)p, info->id, &keys);
		if (keys.len && (!all.len || !strstr(all.data, keys.data)))
			buf_addf(&all, "%s%s", all.len ? " " : "", keys.data);
		buf_free(&keys);
	}
	return all.len ? buf_take(&all) : NULL;
}

static void show(struct ui *ui, const char *name)
{
	struct err e = { 0 };
	const char *from = "default";
	char *value = setting_get(ui->ws, name, &from, &e);

	if (e.code != ERR_NONE) {
		ui_error(ui, "%s", e.msg);
		return;
	}
	if (!value && is_key(name))
		value = keys_of(ui, name + strlen(key_prefix));
	if (strcmp(name, "mouse") == 0) {
		free(value);
		value = xstrdup(ui->mouse ? "on" : "off");
	}
	char *safe = escape_text_dup(value ? value : "not set");
	ui_notice(ui, "%s = %s (%s)", name, safe, from);
	free(safe);
	free(value);
}

static unsigned change(struct ui *ui, const char *name, const char *value)
{
	struct err e = { 0 };

	/* what is not kept does not take effect either */
	if (!ui_check_setting(name, value, &e) || !setting_set(ui->ws, name, value, &e) || (is_own(name) && !apply(ui, name, value, &e))) {
		ui_error(ui, "not set: %s", e.msg);
		return TURN_CLEAR;
	}
	show(ui, name);
	if (strcmp(name, "python") == 0 && !interpreter_is_there(ui->ws, value, &e))
		ui_notice(ui, "python = %s is set; runs fail until it is there: %s", value, e.msg);
	return TURN_CLEAR;
}

unsigned act_set(struct view *v, const char *arg)
{
	const char *rest = arg ? arg + strcspn(arg, " =?") : NULL;
	char *name;
	unsigned mask = TURN_DRAW;

	if (!arg || !*arg) {
		ui_notice(v->ui, "set NAME VALUE, or NAME? to see it; Tab names the settings");
		return TURN_DRAW;
	}
	name = xstrndup(arg, (size_t)(rest - arg));
	rest += strspn(rest, " =");
	if (!*rest || strcmp(rest, "?") == 0)
		show(v->ui, name);
	else
		mask = change(v->ui, name, rest);
	free(name);
	return mask;
}

void set_complete(const char *text, struct strv *out)
{
	static const char *const own[] = { "theme", "mouse" };
	size_t n = strlen(text);

	for (size_t i = 0; i < setting_table_len; i++)
		if (strncmp(setting_table[i].name, text, n) == 0)
			strv_addf(out, "set %s", setting_table[i].name);
	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (strncmp(own[i], text, n) == 0)
			strv_addf(out, "set %s", own[i]);
	if (n < 4 ? strncmp(key_prefix, text, n) == 0 && n > 0 : is_key(text))
		for (size_t i = 0; i < command_table_len; i++)
			if (n < 4 || strncmp(command_table[i].name, text + 4, n - 4) == 0)
				strv_addf(out, "set key.%s", command_table[i].name);
}
