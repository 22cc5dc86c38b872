/*
 * Help out of the table of commands: the list of all, the page of one, and the topics that belong
 * to none.
 */
#include "cli.h"
#include "cmd.h"
#include "model/keep.h"

#include <string.h>

const struct help_topic help_topics[] = {
	{ "REFERENCES",
	  "A reference names an attempt: 7.2 is the second attempt of step 7; 7 alone is the last attempt of "
	  "step 7; 7.2r1 is the first check (repeat) of 7.2; last is the newest attempt of all, last~1 the one "
	  "before it." },
	{ "OUTCOMES",
	  "ok: exit status 0. error: the script failed. limit: ended by a limit, or failed because of one. "
	  "refused: failed because the sandbox denied something. stopped: by a person, client or tool. fault: "
	  "the machine or tickmark failed. interrupted: the runner vanished. Before that: queued, running." },
	{ "EXIT STATUS",
	  "0: done. 1: the thing examined is not good (a run that is not ok, a repeat that differs, a record "
	  "that does not verify). 2: tickmark could not. 3: wrong use. 4: undecided (cannot compare, still "
	  "running). run --pass-status gives the script's own, or 128 and the number of the signal.\n\n"
	  "stdout carries the result alone; everything else goes to stderr." },
	{ "UNITS",
	  "SIZE is bytes, or has a unit: 64K, 1.5G, 2GiB (binary units). TIME is seconds, or has a unit: 250ms, "
	  "90, 1.5s, 10m, 2h." },
	{ "ENVIRONMENT",
	  "NO_COLOR: when set and not empty, no colours. COLUMNS: width of the terminal, where it does not tell. "
	  "TERM: no colours on a dumb one. VIRTUAL_ENV: an active virtual environment's interpreter is used. TZ: "
	  "zone of times shown, and of runs. XDG_CONFIG_HOME: where the user's settings are. "
	  "XDG_STATE_HOME: where a record is saved whose workspace was removed under a run. TICKMARK_LOG: "
	  "developer's log." },
	{ "FILES",
	  ".tickmark/record.db: the record of a workspace, one SQLite file. .tickmark/config: its settings. "
	  ".tickmark/cache: may be deleted at any time. .tickmarkignore: files that are not to be attached, "
	  "in the form of .gitignore. ~/.config/tickmark/config: the user's settings. for-mail.review.db: what was "
	  "said of the record for-mail.db. ~/.cache/tickmark/reviews: locks and caches of reviews, may be deleted." },
	{ NULL, NULL },
};

#define HELP_WIDTH 80 /* columns of running text */

/* One paragraph, wrapped; the first line goes on at column `at`. */
static void wrap(FILE *f, const char *text, size_t len, size_t indent, size_t at)
{
	const char *end = text + len;

	while (text < end) {
		size_t n = 0;

		while (text < end && *text == ' ')
			text++;
		while (text + n < end && text[n] != ' ')
			n++;
		if (at > indent && at + 1 + n > HELP_WIDTH) {
			putc('\n', f);
			at = 0;
		}
		for (; at < indent; at++)
			putc(' ', f);
		if (at > indent) {
			putc(' ', f);
			at++;
		}
		fwrite(text, 1, n, f);
		at += n;
		text += n;
	}
	putc('\n', f);
}

static void paragraphs(FILE *f, const char *text, size_t indent)
{
	while (*text) {
		const char *end = strstr(text, "\n\n");
		size_t len = end ? (size_t)(end - text) : strlen(text);

		wrap(f, text, len, indent, 0);
		if (!end)
			return;
		putc('\n', f);
		text = end + 2;
	}
}

/* "  name            what it is", wrapped behind column `column`. */
static void entry_line(FILE *f, const char *name, const char *help, size_t column)
{
	size_t n = strlen(name) + 2;

	fprintf(f, "  %s", name);
	if (n + 2 > column) {
		putc('\n', f);
		n = 0;
	}
	for (; n < column; n++)
		putc(' ', f);
	wrap(f, help, strlen(help), column, n);
}

static void option_lines(FILE *f, const struct cmd_entry *entry)
{
	struct cmd_option o;

	for (size_t i = 0; option_at(entry, i, &o); i++) {
		struct buf b = { 0 };

		if (o.letter)
			buf_addf(&b, "-%c, ", o.letter);
		else
			buf_adds(&b, "    ");
		buf_addf(&b, "--%s%s%s%s", o.name, o.arg ? " " : "", o.arg ? o.arg : "", o.repeats ? " ..." : "");
		entry_line(f, b.data, o.help, 28);
		buf_free(&b);
	}
}

static void example_lines(FILE *f, const char *examples)
{
	while (*examples) {
		size_t len = strcspn(examples, "\n"), cmd = len;
		const char *hash = memmem(examples, len, " # ", 3);

		if (hash)
			cmd = (size_t)(hash - examples);
		fprintf(f, "  %.*s\n", (int)cmd, examples);
		if (hash)
			fprintf(f, "      %.*s\n", (int)(len - cmd - 3), hash + 3);
		examples += len + (examples[len] != '\0');
	}
}

bool help_shares_members(const struct cmd_entry *entry)
{
	return entry->members == detail_members && entry != &cmd_show_entry;
}

void help_command(FILE *f, const struct cmd_entry *entry)
{
	fprintf(f, "usage: tickmark [-C DIR] %s", entry->name);
	wrap(f, entry->args, strlen(entry->args), 7, 24 + strlen(entry->name));
	if (entry->alias)
		fprintf(f, "       tickmark %s is the same\n", entry->alias);
	fprintf(f, "\n");
	wrap(f, entry->brief, strlen(entry->brief), 0, 0);
	fprintf(f, "\noptions:\n");
	option_lines(f, entry);
	if (entry->detail) {
		putc('\n', f);
		paragraphs(f, entry->detail, 0);
	}
	if (help_shares_members(entry)) {
		fprintf(f, "\n--json prints the document of show (tickmark help show).\n");
	} else if (entry->members) {
		fprintf(f, "\nmembers of the --json document:\n");
		for (const struct cmd_member *m = entry->members; m->name; m++)
			entry_line(f, m->name, m->help, 36);
	}
	if (entry->examples) {
		fprintf(f, "\nexamples:\n");
		example_lines(f, entry->examples);
	}
	if (entry->statuses) {
		fputs("\nexit status: ", f);
		wrap(f, entry->statuses, strlen(entry->statuses), 13, 13);
	}
}

void help_all(FILE *f)
{
	fprintf(f, "tickmark runs Python in a sandbox and keeps every attempt as evidence.\n\n"
	           "usage: tickmark [-C DIR] COMMAND [OPTION]... [ARGUMENT]...\n"
	           "       tickmark [DIR|FILE]    opens the screen on a workspace or a record\n\ncommands:\n");
	for (size_t i = 0; cmd_table[i]; i++)
		if (!(cmd_table[i]->flags & CMD_HIDDEN))
			entry_line(f, cmd_table[i]->name, cmd_table[i]->brief, 12);
	fprintf(f, "\nbefore the command:\n");
	entry_line(f, "-C DIR", "work in DIR, or on the record FILE (see review)", 14);
	entry_line(f, "--plain", "no screen: numbered questions and plain lines (also where TERM is dumb)", 14);
	entry_line(f, "--version", "version of this program", 14);
	for (const struct help_topic *t = help_topics; t->title; t++) {
		if (strcmp(t->title, "REFERENCES") != 0 && strcmp(t->title, "EXIT STATUS") != 0)
			continue;
		putc('\n', f);
		paragraphs(f, t->text, 0);
	}
	fprintf(f, "\ntickmark help COMMAND tells more.\n");
}

/* The table of commands in the README, which a test compares. */
static void help_table(FILE *f)
{
	fprintf(f, "| command | what it does |\n|---|---|\n");
	for (size_t i = 0; cmd_table[i]; i++)
		if (!(cmd_table[i]->flags & CMD_HIDDEN))
			fprintf(f, "| `%s` | %s |\n", cmd_table[i]->name, cmd_table[i]->brief);
}

static int help_run(struct cmd *c)
{
	const struct cmd_entry *entry;

	if (option_given(c, "table")) {
		help_table(stdout);
		return STATUS_DONE;
	}
	if (option_given(c, "keys")) {
		c->fronts->keys(stdout);
		return STATUS_DONE;
	}
	if (option_given(c, "schema")) {
		fputs(keep_schema(), stdout);
		return STATUS_DONE;
	}
	if (c->args_n == 0) {
		help_all(stdout);
		return STATUS_DONE;
	}
	entry = cmd_find(c->args[0]);
	if (!entry)
		return cmd_usage(c, "no command '%s'", c->args[0]);
	help_command(stdout, entry);
	return STATUS_DONE;
}

static const struct cmd_option help_options[] = {
	{ .name = "schema", .help = "the tables of a record as commented SQL" },
	{ .name = "table", .help = "the commands as a table in Markdown" },
	{ .name = "keys", .help = "the keys of the screen as a table in Markdown" },
	{ 0 },
};

const struct cmd_entry help_entry = {
	.name = "help",
	.args = "[COMMAND]",
	.options = help_options,
	.brief = "Shows the commands, or everything about one",
	.max_args = 1,
	.run = help_run,
};
