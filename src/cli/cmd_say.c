/* say: puts a message into the record, or lists them. */
#include "cmd.h"
#include "model/message.h"
#include "text/cite.h"

#include <stdlib.h>
#include <string.h>

static const struct cmd_option say_options[] = {
	{ .name = "list", .letter = 'l', .help = "list the messages instead, oldest first" },
	{ .name = "of", .arg = "REF", .help = "list those that cite this attempt" },
	{ .name = NULL },
};

static const struct cmd_member say_members[] = {
	{ "id", "number of the message that was put into the record; absent in lists" },
	{ "messages[].id", "number of the message; in lists" },
	{ "messages[].by.kind", "person or assistant" },
	{ "messages[].by.name", "who said it" },
	{ "messages[].by.version", "of an assistant's client" },
	{ "messages[].at", "when" },
	{ "messages[].how", "screen, command or mcp" },
	{ "messages[].text", "what was said" },
	{ "messages[].cites[]", "references of the attempts that it cites" },
	{ NULL, NULL },
};

/* ---- listing ---- */

static void message_json(struct json_writer *w, const struct said *m)
{
	size_t n = strlen(m->text);
	struct cite c = { 0 };

	json_open(w, NULL, '{');
	json_put_int(w, "id", m->id);
	json_open(w, "by", '{');
	json_put_text(w, "kind", m->by.kind == ASKER_ASSISTANT ? "assistant" : "person");
	json_put_text(w, "name", m->by.name);
	json_put_text(w, "version", m->by.version);
	json_close(w);
	json_put_time(w, "at", m->at_us);
	json_put_text(w, "how", m->how);
	json_put_text(w, "text", m->text);
	json_open(w, "cites", '[');
	for (size_t at = 0; cite_next(m->text, n, at, &c); at = c.end)
		json_put_bytes(w, NULL, m->text + c.start + 1, c.end - c.start - 2);
	json_close(w);
	json_close(w);
}

static void message_text(const struct said *m)
{
	char when[CLOCK_TEXT], *name = console_str(stdout, m->by.name), *version = console_str(stdout, m->by.version ? m->by.version : "");

	clock_local(m->at_us, when);
	printf("%s  %s%s%s\n", when, name, *version ? " " : "", version);
	console_lines(stdout, m->text, strlen(m->text), "  ");
	free(name);
	free(version);
}

static bool take_message(void *ctx, const struct said *m)
{
	if (ctx)
		message_json(ctx, m);
	else
		message_text(m);
	return true;
}

static int list(struct cmd *c)
{
	struct json_writer *w = NULL;
	const char *of = option_value(c, "of");
	struct err e = { 0 };
	int64_t attempt = 0;

	if (c->args_n)
		return cmd_usage(c, "a list takes no text");
	if (!cmd_query(c, &e) || (of && !query_resolve_text(c->query, of, &attempt, &e)))
		return cmd_fail(c, &e);
	if (c->json) {
		w = json_writer_new();
		json_open(w, "messages", '[');
	}
	bool ok = of ? query_messages_of(c->query, attempt, take_message, w, &e)
	             : query_messages(c->query, 0, false, 0, take_message, w, &e);
	if (w)
		json_close(w);
	if (ok)
		return w ? cmd_print_json(c, w, STATUS_DONE) : STATUS_DONE;
	if (w)
		cmd_drop_json(w);
	return cmd_fail(c, &e);
}

/* ---- saying ---- */

static bool take_text(struct cmd *c, struct buf *out, struct err *e)
{
	if (c->args_n == 1 && strcmp(c->args[0], "-") == 0) {
		if (console_is_tty(stdin))
			console_note("reading the message from the terminal; Ctrl-D on a line of its own ends it");
		return fs_read_fd(0, "the message from stdin", MESSAGE_MOST, out, e);
	}
	for (size_t i = 0; i < c->args_n; i++)
		buf_addf(out, "%s%s", i ? " " : "", c->args[i]);
	return true;
}

static int say_run(struct cmd *c)
{
	struct buf text = { 0 };
	struct err e = { 0 };
	int64_t id = 0;
	int status = STATUS_DONE;

	if (option_given(c, "list") || option_given(c, "of"))
		return list(c);
	if (c->args_n == 0)
		return cmd_usage(c, "what is to be said?");
	if (!take_text(c, &text, &e) || !cmd_workspace(c, &e) ||
	    !message_say(c->ws, NULL, text.data ? text.data : "", text.len, "command", &id, &e)) {
		status = cmd_fail(c, &e);
	} else if (c->json) {
		struct json_writer *w = json_writer_new();
		json_put_int(w, "id", id);
		status = cmd_print_json(c, w, STATUS_DONE);
	}
	buf_free(&text);
	return status;
}

const struct cmd_entry cmd_say_entry = {
	.name = "say",
	.args = "[OPTION]... [TEXT]...|-",
	.brief = "Puts a message into the record, which may cite attempts like [7.2]",
	.detail = "A message is what somebody states about results; it stays in the record under its author's name. It cites the "
	          "attempts that it rests on in brackets: [7.2], or [7.2r1] for a check. A citation of an attempt that does not exist "
	          "is refused. - takes the text from stdin.\n\n"
	          "On the screen, 4 shows the messages; an attempt shows those that cite it.",
	.statuses = "0 done, 2 it could not be, 3 wrong use",
	.examples = "tickmark say 'the premium of [7.2] is 3% above the tariff: rates of 2024'\n"
	            "tickmark say --list --json\n"
	            "tickmark say --of 7.2 # messages that cite it",
	.options = say_options,
	.members = say_members,
	.flags = CMD_REVIEWS,
	.max_args = SIZE_MAX,
	.run = say_run,
};
