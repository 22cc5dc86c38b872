/* Commands of the whole screen, and the command line. */
#include <stdlib.h>
#include <string.h>

#include "chore.h"
#include "converted.h"
#include "messages.h"
#include "pane.h"
#include "set.h"
#include "text.h"

static unsigned back(struct view *v, const char *arg)
{
	(void)arg;
	if (v->ui->depth > 1)
		return TURN_CLOSE;
	return TURN_QUIT;
}

static unsigned escape(struct view *v, const char *arg)
{
	(void)arg;
	return v->ui->depth > 1 ? TURN_CLOSE : TURN_DRAW;
}

static unsigned quit(struct view *v, const char *arg)
{
	(void)v;
	(void)arg;
	return TURN_QUIT;
}

static unsigned cancel(struct view *v, const char *arg)
{
	(void)arg;
	if (since_cancel(v->ui->since)) {
		ui_notice(v->ui, "comparing the inputs was cancelled");
		return TURN_DRAW;
	}
	if (chore_cancel(v->ui))
		return TURN_DRAW; /* its end is told */
	if (converted_cancel(v->ui)) {
		ui_notice(v->ui, "the reader was cancelled");
		return TURN_DRAW;
	}
	ui_notice(v->ui, "nothing of the screen's own is under way; x stops a run, Q quits");
	return TURN_DRAW;
}

static unsigned redraw(struct view *v, const char *arg)
{
	(void)arg;
	return ui_changed(v->ui, 0) | TURN_CLEAR;
}

static unsigned suspend(struct view *v, const char *arg)
{
	(void)arg;
	if (v->ui->term)
		term_suspend(v->ui->term);
	return ui_resize_to_terminal(v->ui);
}

static unsigned mouse(struct view *v, const char *arg)
{
	struct ui *ui = v->ui;

	(void)arg;
	ui->mouse = !ui->mouse;
	if (ui->term)
		term_mouse(ui->term, ui->mouse);
	ui_notice(ui, ui->mouse ? "mouse on: click selects, wheel scrolls"
	                        : "mouse off: the terminal's own selection works now");
	return TURN_DRAW;
}

static unsigned help(struct view *v, const char *arg)
{
	struct view *h = view_help_new(v->ui, v);

	(void)arg;
	if (h)
		ui_push(v->ui, h);
	return TURN_DRAW;
}

static unsigned notices(struct view *v, const char *arg)
{
	struct view *n = view_notices_new(v->ui);

	(void)arg;
	if (n)
		ui_push(v->ui, n);
	return TURN_DRAW;
}

/* The panes lie at the bottom: going to one closes what lies over them. */
static unsigned go_pane(struct view *v, enum pane_id pane)
{
	struct ui *ui = v->ui;

	if (!ui->query)
		return TURN_NOTHING;
	while (ui->depth > 1)
		ui_pop(ui);
	return view_panes_focus(ui->stack[0], pane);
}

static unsigned go_workspace(struct view *v, const char *arg)
{
	(void)arg;
	return go_pane(v, PANE_WORKSPACE);
}

static unsigned go_execution(struct view *v, const char *arg)
{
	(void)arg;
	return go_pane(v, PANE_EXECUTION);
}

static unsigned go_artifacts(struct view *v, const char *arg)
{
	(void)arg;
	return go_pane(v, PANE_ARTIFACTS);
}

/* ---- search --------------------------------------------------------------------------------------------- */

#define LABEL_LEAVES 16 /* cells for the expression */

/* An expression that is none is asked for again. */
struct asking {
	struct ui *ui;
	struct prompt_ops ask;
	void (*done)(void *ui, const char *text);
	char label[160];
};

static void asked_again(void *ctx, const char *text)
{
	struct asking a = *(struct asking *)ctx;

	free(ctx);
	a.done(a.ui, text);
}

bool ui_is_pattern(struct ui *ui, const char *text, void (*done)(void *ui, const char *text))
{
	struct err e = { 0 };
	size_t at = 0;
	struct search *probe = *text ? search_compile(text, strlen(text), 0, &at, &e) : NULL;

	search_free(probe);
	if (probe || !*text)
		return true;
	struct asking *a = xcalloc(1, sizeof(*a));
	*a = (struct asking){ .ui = ui, .done = done };
	ui_error(ui, "%s", e.msg); /* for the list of notices, and where there is no room */
	snprintf(a->label, sizeof(a->label), "%.120s: ", e.msg);
	if (canvas_measure(ui->canvas, a->label) > ui->cols - LABEL_LEAVES)
		snprintf(a->label, sizeof(a->label), "wrong at byte %zu: ", at + 1);
	a->ask = (struct prompt_ops){ .label = a->label, .kind = PROMPT_TEXT, .done = asked_again, .cancelled = free };
	ui_ask(ui, &a->ask, a, text, HISTORY_SEARCH);
	return false;
}

static void search_done(void *ctx, const char *text)
{
	struct ui *ui = ctx;

	if (ui_is_pattern(ui, text, search_done))
		view_search(ui_top(ui), text);
}

static const struct prompt_ops search_ops = { .label = "/", .kind = PROMPT_TEXT, .done = search_done };

static unsigned search(struct view *v, const char *arg)
{
	if (!view_is_searched(v))
		return TURN_UNHANDLED;
	if (arg && *arg)
		view_search(v, arg);
	else
		ui_ask(v->ui, &search_ops, v->ui, NULL, HISTORY_SEARCH);
	return TURN_DRAW;
}

/* ---- themes ------------------------------------------------------------------------------------------------ */

/* Themes are tried on while they are being chosen. */
struct trying {
	struct ui *ui;
	struct theme *before;
	struct prompt_ops ask;
};

static void offer_themes(void *ctx, const char *text, struct strv *out)
{
	struct strv names = { 0 };

	(void)ctx;
	theme_list(&names);
	for (size_t i = 0; i < names.n; i++)
		if (strncmp(names.v[i], text, strlen(text)) == 0)
			strv_add(out, names.v[i]);
	strv_free(&names);
}

static void wear(struct trying *t, struct theme *theme)
{
	if (t->ui->theme != t->before)
		theme_free(t->ui->theme);
	t->ui->theme = theme;
	t->ui->after_prompt |= TURN_CLEAR;
}

static void try_theme(void *ctx, const char *text)
{
	struct theme *theme = *text ? theme_load(text, NULL) : NULL;

	if (theme)
		wear(ctx, theme);
}

static void keep_theme(void *ctx, const char *text)
{
	struct trying *t = ctx;
	struct err e = { 0 };
	struct theme *theme = theme_load(text, &e);

	if (theme) {
		wear(t, theme);
		theme_free(t->before);
		ui_notice(t->ui, "theme %s; to keep it:  :set theme %s", text, text);
	} else {
		wear(t, t->before);
		ui_error(t->ui, "%s", e.msg);
	}
	free(t);
}

static void undo_themes(void *ctx)
{
	wear(ctx, ((struct trying *)ctx)->before);
	free(ctx);
}

static unsigned try_themes(struct ui *ui)
{
	struct trying *t = xcalloc(1, sizeof(*t));

	*t = (struct trying){ .ui = ui, .before = ui->theme };
	t->ask = (struct prompt_ops){
		.label = "theme for now (Tab tries the next, Enter takes it): ", .kind = PROMPT_TEXT, .complete = offer_themes, .changed = try_theme,
		.done = keep_theme, .cancelled = undo_themes,
	};
	ui_ask(ui, &t->ask, t, NULL, HISTORY_COUNT);
	return TURN_DRAW;
}

static unsigned theme(struct view *v, const char *arg)
{
	struct err e = { 0 };
	struct theme *t;

	if (!arg || !*arg)
		return try_themes(v->ui);
	t = theme_load(arg, &e);
	if (!t) {
		ui_error(v->ui, "%s", e.msg);
		return TURN_DRAW;
	}
	theme_free(v->ui->theme);
	v->ui->theme = t;
	return TURN_CLEAR;
}

/* ---- going places -------------------------------------------------------------------------------------------- */

/* A reference, or a step by number; a share of the steps. The pager takes lines and shares itself. */
static unsigned go_to(struct view *v, const char *arg)
{
	struct ui *ui = v->ui;
	struct err e = { 0 };
	int64_t attempt, n;
	size_t len = arg ? strlen(arg) : 0;

	if (!ui->query || len == 0)
		return TURN_DRAW;
	if (arg[len - 1] == '%') {
		char *number = xstrndup(arg, len - 1);
		if (int_parse(number, 0, 100, &n, &e)) {
			go_pane(v, PANE_EXECUTION);
			view_panes_goto(ui->stack[0], MAX(1, query_tally(ui->query, "steps") * n / 100));
		}
		free(number);
	} else if (int_parse(arg, 1, INT64_MAX, &n, NULL)) {
		go_pane(v, PANE_EXECUTION);
		view_panes_goto(ui->stack[0], n);
	} else if (query_resolve_text(ui->query, arg, &attempt, &e)) {
		go_pane(v, PANE_EXECUTION);
		view_panes_select(ui->stack[0], attempt, false);
	}
	if (e.code != ERR_NONE)
		ui_error(ui, "%s", e.msg);
	return TURN_DRAW;
}

/* ---- the command line ------------------------------------------------------------------------------------------ */

void command_complete(void *ctx, const char *text, struct strv *out)
{
	const char *blank = strchr(text, ' ');
	size_t n = strlen(text);

	(void)ctx;
	if (blank && strncmp(text, "theme ", 6) == 0) {
		struct strv names = { 0 };
		theme_list(&names);
		for (size_t i = 0; i < names.n; i++)
			if (strncmp(names.v[i], blank + 1, strlen(blank + 1)) == 0)
				strv_addf(out, "theme %s", names.v[i]);
		strv_free(&names);
		return;
	}
	if (blank && strncmp(text, "set ", 4) == 0)
		set_complete(blank + 1, out);
	for (size_t i = 0; i < command_table_len && !blank; i++)
		if (strncmp(command_table[i].name, text, n) == 0)
			strv_add(out, command_table[i].name);
}

/* The masks of what a command line did would be lost in the prompt: kept for the turn. */
static void command_done(void *ctx, const char *text)
{
	struct ui *ui = ctx;

	ui->after_prompt |= ui_command_text(ui, text);
}

static const struct prompt_ops command_ops = {
	.label = ":", .kind = PROMPT_TEXT, .complete = command_complete, .done = command_done,
};

static unsigned command_line(struct view *v, const char *arg)
{
	(void)arg;
	ui_ask(v->ui, &command_ops, v->ui, NULL, HISTORY_COMMAND);
	return TURN_DRAW;
}

unsigned ui_command_text(struct ui *ui, const char *text)
{
	size_t n;
	const char *arg;
	const struct command_info *info;

	text += strspn(text, " ");
	if (!*text)
		return TURN_DRAW;
	if ((*text >= '0' && *text <= '9') || strncmp(text, "last", 4) == 0) {
		/* ":last" is the command; "last~1" and "last@b" are references */
		if (*text != 'l' || text[4] == '~' || text[4] == '@')
			return ui_command(ui, CMD_GOTO, text);
	}
	n = strcspn(text, " ");
	arg = text + n + strspn(text + n, " ");
	info = command_find(text, n);
	if (!info) {
		ui_error(ui, "there is no command '%.*s'; Tab completes, ? lists them", (int)MIN(n, (size_t)60), text);
		return TURN_DRAW;
	}
	if (*arg && !(info->flags & COMMAND_ARG)) {
		ui_error(ui, "'%s' takes no argument", info->name);
		return TURN_DRAW;
	}
	return ui_command(ui, info->id, *arg ? arg : NULL);
}

const struct view_action ui_actions[] = {
	{ CMD_BACK, back }, { CMD_ESCAPE, escape }, { CMD_QUIT, quit }, { CMD_CANCEL, cancel }, { CMD_REDRAW, redraw },
	{ CMD_SUSPEND, suspend }, { CMD_MOUSE, mouse }, { CMD_HELP, help }, { CMD_NOTICES, notices },
	{ CMD_WORKSPACE, go_workspace }, { CMD_EXECUTION, go_execution }, { CMD_ARTIFACTS, go_artifacts },
	{ CMD_SEARCH, search }, { CMD_THEME, theme }, { CMD_SET, act_set }, { CMD_GOTO, go_to }, { CMD_COMMAND_LINE, command_line },
	{ CMD_COPY, act_copy }, { CMD_SAVE, act_save }, { CMD_OUTSIDE, act_outside }, { CMD_REPEAT, act_repeat },
	{ CMD_RERUN, act_rerun }, { CMD_EDIT, act_edit }, { CMD_ADD, act_add }, { CMD_STOP, act_stop },
	{ CMD_DIFF, act_diff }, { CMD_DIFF_PICK, act_diff_pick }, { CMD_CORRECTIONS, act_corrections },
	{ CMD_MARK, act_mark }, { CMD_NOTE, act_note }, { CMD_DOSSIER, act_dossier }, { CMD_QUEUE, act_queue },
	{ CMD_NEXT_REVIEW, act_next_review }, { CMD_PREV_REVIEW, act_prev_review },
	{ CMD_REPORT, act_report }, { CMD_SEARCH_RECORD, act_search_record },
	{ CMD_MESSAGES, act_messages }, { CMD_CITE, act_cite }, { CMD_ASK, act_ask },
	{ CMD_TELL, act_tell },
	{ CMD_NONE, NULL },
};
