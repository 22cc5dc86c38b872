/*
 * L: the user's assistant tells of an attempt; its answer becomes a message that cites it. It may take long and
 * needs no terminal, so the screen goes on meanwhile.
 */
#include <stdlib.h>

#include "spawn.h"

struct telling {
	struct ui *ui;
	char ref[REF_TEXT];
	char *question; /* owned */
	struct prompt_ops ask;
};

static void telling_free(void *ctx)
{
	struct telling *t = ctx;

	free(t->question);
	free(t);
}

static void told(struct ui *ui, void *ctx, const struct spawn_end *end)
{
	struct telling *t = ctx;

	if (end && end->status == 0)
		ui_notice(ui, "the assistant told of %s; 4 shows its message", t->ref);
	else if (end)
		ui_error(ui, "%s", *end->err ? end->err : "the assistant was broken off");
	telling_free(t);
}

static void tell(void *ctx, const char *text)
{
	struct telling *t = ctx;
	const char *const argv[] = { "tickmark", "draft", "--tell", t->ref, NULL };
	struct spawn_spec spec = { .argv = argv, .cwd = t->ui->root, .quiet = true, .done = told, .ctx = t };
	struct err e = { 0 };

	(void)text;
	ui_notice(t->ui, "asking the assistant about %s …", t->ref);
	if (spawn_start(t->ui, &spec, &e))
		return;
	ui_error(t->ui, "%s", e.msg);
	telling_free(t);
}

/* Code and output leave the sandbox with it, so it is asked about. */
unsigned act_tell(struct view *v, const char *arg)
{
	struct ui *ui = v->ui;
	struct subject s = { 0 };
	struct err e = { 0 };
	char *assistant = setting_get(NULL, "assistant", NULL, &e);

	(void)arg;
	if (!assistant) {
		ui_error(ui, "%s", e.code != ERR_NONE ? e.msg : "there is no assistant: tickmark config --user assistant COMMAND sets it");
	} else if (!ui->query || !ui_subject(ui, &s) || !s.attempt) {
		ui_notice(ui, ui->record ? "choose an attempt first" : "there is no record here yet");
	} else {
		struct telling *t = xcalloc(1, sizeof(*t));
		t->ui = ui;
		snprintf(t->ref, sizeof(t->ref), "%s", s.ref);
		t->question = xasprintf("give code and output of %s to %s, and record what it says?", s.ref, assistant);
		t->ask = (struct prompt_ops){ .label = t->question, .kind = PROMPT_CONFIRM, .done = tell, .cancelled = telling_free };
		ui_ask(ui, &t->ask, t, NULL, HISTORY_COUNT);
	}
	subject_free(&s);
	free(assistant);
	return TURN_DRAW;
}
