/* m: a message of the person, which cites what is chosen. */
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "model/message.h"
#include "patience.h"

struct saying {
	struct ui *ui;
	char *text;
};

static void say_now(void *ctx, const struct err *why)
{
	struct saying *s = ctx;
	struct err e = why ? *why : (struct err){ 0 };
	int64_t id;

	if (!why && message_say(s->ui->ws, NULL, s->text, strlen(s->text), "screen", &id, &e))
		ui_notice(s->ui, "recorded as message %lld", (long long)id);
	else
		ui_error(s->ui, "not recorded: %s", e.msg);
	free(s->text);
	free(s);
}

static void say(void *ctx, const char *text)
{
	struct saying *s = xcalloc(1, sizeof(*s));

	*s = (struct saying){ ctx, xstrdup(text) };
	ui_when_free(s->ui, "the message", say_now, s);
}

static const struct prompt_ops ask = { .label = "message: ", .kind = PROMPT_TEXT, .done = say };

unsigned act_cite(struct view *v, const char *arg)
{
	struct ui *ui = v->ui;
	struct subject s = { 0 };
	char initial[REF_TEXT + 4] = "";

	(void)arg;
	if (!ui->ws) {
		ui_notice(ui, "there is no record here yet");
		return TURN_DRAW;
	}
	if (ui_subject(ui, &s) && s.attempt && s.ref[0])
		snprintf(initial, sizeof(initial), "[%s] ", s.ref);
	subject_free(&s);
	ui_ask(ui, &ask, ui, initial, HISTORY_COUNT);
	return TURN_DRAW;
}
