/* draft: code from a request in plain words, by the user's own assistant. Nothing runs of it. */
#include "cmd.h"
#include "model/fixer.h"

#include <stdlib.h>
#include <string.h>

static char *join(char *const *words)
{
	struct buf b = { 0 };

	for (size_t i = 0; words[i]; i++)
		buf_addf(&b, "%s%s", i ? " " : "", words[i]);
	return buf_take(&b);
}

static bool ask(struct cmd *c, const char *request, struct buf *code, struct err *e)
{
	char *command;
	bool ok;

	if (!cmd_query(c, e) || (!(command = setting_get(c->ws, "assistant", NULL, e)) && e->code != ERR_NONE))
		return false;
	if (!command)
		return err_set(e, ERR_NOTFOUND, "there is no assistant; tickmark config --user assistant COMMAND sets it, "
		               "tickmark help draft says what it gets");
	char *document = draft_document(c->query, c->ws, request, e);
	ok = document && fixer_run(c->ws, command, document, code, e);
	if (document && !ok)
		err_prefix(e, "assistant %s", command);
	free(document);
	free(command);
	return ok;
}

static int draft_run(struct cmd *c)
{
	char *request = join(c->args);
	struct buf code = { 0 };
	struct err e = { 0 };
	int status = STATUS_DONE;

	if (!ask(c, request, &code, &e)) {
		console_say(c, "%s", e.msg);
		status = STATUS_FAILED;
	} else if (console_is_tty(stdout)) {
		console_lines(stdout, code.data, code.len, "");
	} else {
		fwrite(code.data, 1, code.len, stdout);
	}
	buf_free(&code);
	free(request);
	return status;
}

const struct cmd_entry cmd_draft_entry = {
	.name = "draft",
	.args = "REQUEST...",
	.brief = "Has your assistant draft code for a request in plain words",
	.detail = "The command of the setting assistant gets a JSON document on stdin (request, attached files, the last steps; "
	          "model/fixer.h lists its members) and gives the code on stdout, which is printed; nothing runs. It is your own "
	          "program and runs outside the sandbox: tickmark config --user assistant COMMAND. Key A of the screen puts the "
	          "draft into your editor.",
	.statuses = "0 drafted, 2 it could not be, 3 wrong use",
	.examples = "tickmark draft sum of TIV by city in schedule.csv",
	.flags = CMD_HIDDEN,
	.min_args = 1,
	.max_args = SIZE_MAX,
	.run = draft_run,
};
