/* draft: code from a request in plain words, by the user's own assistant. Nothing runs of it. */
#include "cmd.h"
#include "model/fixer.h"
#include "model/message.h"

#include <stdlib.h>
#include <string.h>

static char *join(char *const *words)
{
	struct buf b = { 0 };

	for (size_t i = 0; words[i]; i++)
		buf_addf(&b, "%s%s", i ? " " : "", words[i]);
	return buf_take(&b);
}

static const struct cmd_option draft_options[] = {
	{ .name = "tell", .arg = "REF", .help = "have it say what came of this attempt instead; the answer becomes a message that cites it" },
	{ .name = NULL },
};

/* Its answer to a request or, without one, about an attempt. *name: who it is, owned. */
static bool ask(struct cmd *c, const char *request, int64_t attempt, struct buf *answer, char **name, struct err *e)
{
	char *command;
	bool ok;

	if (!cmd_query(c, e) || (!(command = setting_get(c->ws, "assistant", NULL, e)) && e->code != ERR_NONE))
		return false;
	if (!command)
		return err_set(e, ERR_NOTFOUND, "there is no assistant; tickmark config --user assistant COMMAND sets it, "
		               "tickmark help draft says what it gets");
	char *document = request ? draft_document(c->query, c->ws, request, e) : tell_document(c->query, c->ws, attempt, e);
	ok = document && fixer_run(c->ws, command, document, answer, e);
	if (document && !ok)
		err_prefix(e, "assistant %s", command);
	*name = fixer_name(command);
	free(document);
	free(command);
	return ok;
}

/* A message that does not cite what it is about would be found by nobody. */
static void add_citation(struct buf *text, const char *ref)
{
	char *cite = xasprintf("[%s]", ref);

	while (text->len > 0 && strchr(" \t\r\n", text->data[text->len - 1]))
		text->data[--text->len] = '\0';
	if (!memmem(text->data, text->len, cite, strlen(cite)))
		buf_addf(text, " %s", cite);
	free(cite);
}

static int tell(struct cmd *c, const char *of)
{
	struct asker by = { .kind = ASKER_ASSISTANT };
	struct buf text = { 0 };
	struct err e = { 0 };
	char ref[REF_TEXT], *name = NULL;
	int64_t attempt = 0, id = 0;

	bool ok = cmd_query(c, &e) && query_resolve_text(c->query, of, &attempt, &e) && query_ref(c->query, attempt, ref, &e) &&
	          ask(c, NULL, attempt, &text, &name, &e);
	if (ok) {
		add_citation(&text, ref);
		by.name = name;
		ok = message_say(c->ws, &by, text.data, text.len, "command", &id, &e);
	}
	if (ok)
		console_lines(stdout, text.data, text.len, "");
	else
		console_say(c, "%s", e.msg);
	free(name);
	buf_free(&text);
	return ok ? STATUS_DONE : STATUS_FAILED;
}

static int draft_run(struct cmd *c)
{
	if (option_value(c, "tell"))
		return c->args_n ? cmd_usage(c, "--tell REF stands alone") : tell(c, option_value(c, "tell"));
	if (c->args_n == 0)
		return cmd_usage(c, "what is to be drafted?");

	char *name = NULL;
	char *request = join(c->args);
	struct buf code = { 0 };
	struct err e = { 0 };
	int status = STATUS_DONE;

	if (!ask(c, request, 0, &code, &name, &e)) {
		console_say(c, "%s", e.msg);
		status = STATUS_FAILED;
	} else if (console_is_tty(stdout)) {
		console_lines(stdout, code.data, code.len, "");
	} else {
		fwrite(code.data, 1, code.len, stdout);
	}
	buf_free(&code);
	free(name);
	free(request);
	return status;
}

const struct cmd_entry cmd_draft_entry = {
	.name = "draft",
	.args = "REQUEST... | --tell REF",
	.brief = "Has your assistant draft code for a request in plain words",
	.detail = "The command of the setting assistant gets a JSON document on stdin (request, attached files, the last steps; "
	          "model/fixer.h lists its members) and gives the code on stdout, which is printed; nothing runs. It is your own "
	          "program and runs outside the sandbox: tickmark config --user assistant COMMAND. Key A of the screen puts the "
	          "draft into your editor. With --tell (key L) it gets an attempt instead, and its answer becomes a message.",
	.statuses = "0 drafted, 2 it could not be, 3 wrong use",
	.examples = "tickmark draft sum of TIV by city in schedule.csv",
	.options = draft_options,
	.flags = CMD_HIDDEN,
	.max_args = SIZE_MAX,
	.run = draft_run,
};
