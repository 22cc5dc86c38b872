/* m: a message of the person, which cites what is chosen. */
#include <string.h>

#include "messages.h"
#include "model/message.h"

static void say(void *ctx, const char *text)
{
	struct ui *ui = ctx;
	struct err e = { 0 };
	int64_t id;

	if (message_say(ui->ws, NULL, text, strlen(text), "screen", &id, &e))
		ui_notice(ui, "recorded as message %lld", (long long)id);
	else
		ui_error(ui, "not recorded: %s", e.msg);
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
