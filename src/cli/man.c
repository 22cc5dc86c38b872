/* The manual page, in the man macros of roff, out of the table of commands. */
#include "cmd.h"
#include "model/keep.h"

#include <ctype.h>
#include <string.h>

/* Text that roff must take literally. */
static void literal(FILE *f, const char *s, size_t n)
{
	if (n > 0 && (*s == '.' || *s == '\''))
		fputs("\\&", f);
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '\\')
			fputs("\\e", f);
		else if (s[i] == '-')
			fputs("\\-", f);
		else
			putc(s[i], f);
	}
}

/* A macro line, its argument quoted. */
static void macro(FILE *f, const char *name, const char *arg)
{
	fprintf(f, ".%s \"", name);
	literal(f, arg, strlen(arg));
	fputs("\"\n", f);
}

static void running_text(FILE *f, const char *text, const char *between)
{
	while (*text) {
		const char *end = strstr(text, "\n\n");
		size_t len = end ? (size_t)(end - text) : strlen(text);

		literal(f, text, len);
		putc('\n', f);
		if (!end)
			return;
		fprintf(f, "%s\n", between);
		text = end + 2;
	}
}

static void man_option(FILE *f, const struct cmd_option *o)
{
	fputs(".TP\n", f);
	if (o->letter)
		fprintf(f, "\\fB\\-%c\\fR, ", o->letter);
	fputs("\\fB", f);
	literal(f, "--", 2);
	literal(f, o->name, strlen(o->name));
	fputs("\\fR", f);
	if (o->arg) {
		fputs(" \\fI", f);
		literal(f, o->arg, strlen(o->arg));
		fputs("\\fR", f);
	}
	if (o->repeats)
		fputs(" ...", f);
	putc('\n', f);
	literal(f, o->help, strlen(o->help));
	fputs(".\n", f);
}

static void man_examples(FILE *f, const char *examples)
{
	fputs(".PP\nExamples:\n.PP\n.nf\n.RS 2\n", f);
	while (*examples) {
		size_t len = strcspn(examples, "\n"), cmd = len;
		const char *hash = memmem(examples, len, " # ", 3);

		if (hash)
			cmd = (size_t)(hash - examples);
		literal(f, examples, cmd);
		putc('\n', f);
		if (hash) {
			fputs("    ", f);
			literal(f, hash + 3, len - cmd - 3);
			putc('\n', f);
		}
		examples += len + (examples[len] != '\0');
	}
	fputs(".RE\n.fi\n", f);
}

static void man_command(FILE *f, const struct cmd_entry *entry)
{
	struct cmd_option o;
	struct buf head = { 0 };

	buf_addf(&head, "tickmark %s%s%s", entry->name, *entry->args ? " " : "", entry->args);
	macro(f, "SS", head.data);
	buf_free(&head);
	literal(f, entry->brief, strlen(entry->brief));
	fputs(".\n", f);
	if (entry->alias)
		fprintf(f, "\\fB%s\\fR is the same.\n", entry->alias);
	if (entry->detail) {
		fputs(".PP\n", f);
		running_text(f, entry->detail, ".PP");
	}
	for (size_t i = 0; option_at(entry, i, &o); i++)
		if (strcmp(o.name, "help") != 0)
			man_option(f, &o);
	if (entry->examples)
		man_examples(f, entry->examples);
	if (entry->statuses) {
		fputs(".PP\nExit status: ", f);
		literal(f, entry->statuses, strlen(entry->statuses));
		fputs(".\n", f);
	}
}

#define RELEASED "2026-11-30" /* of TICKMARK_VERSION */

static const char json_words[] =
	"With --json a command prints one object; run and rerun print the one of show. Names are stable; members are added, never changed. "
	"Times are UTC in ISO 8601, members ending in _us microseconds, sizes bytes, hashes SHA-256 in "
	"hexadecimal digits; what is not known is null. Bytes that are not UTF-8 are shown with U+FFFD and "
	"stand exactly, in base64, in a sibling that ends in _base64.";

static void man_json(FILE *f)
{
	macro(f, "SH", "JSON");
	literal(f, json_words, sizeof json_words - 1);
	putc('\n', f);
	for (size_t i = 0; cmd_table[i]; i++) {
		const struct cmd_entry *entry = cmd_table[i];

		if (!entry->members || help_shares_members(entry))
			continue;
		macro(f, "SS", entry->name);
		for (const struct cmd_member *m = entry->members; m->name; m++) {
			fputs(".TP\n.B \"", f);
			literal(f, m->name, strlen(m->name));
			fputs("\"\n", f);
			literal(f, m->help, strlen(m->help));
			fputs(".\n", f);
		}
	}
}

/* For whoever reads a record with the plain sqlite3 shell, today or years from now. */
static void man_schema(FILE *f)
{
	macro(f, "SH", "SCHEMA");
	fputs(".nf\n", f);
	for (const char *line = keep_schema(); *line;) {
		size_t n = strcspn(line, "\n");

		literal(f, line, n);
		putc('\n', f);
		line += n + (line[n] == '\n');
	}
	fputs(".fi\n", f);
}

static int man_run(struct cmd *c)
{
	FILE *f = stdout;

	(void)c;
	fprintf(f, ".TH TICKMARK 1 \"%s\" \"tickmark %s\" \"User Commands\"\n", RELEASED, TICKMARK_VERSION);
	fputs(".SH NAME\ntickmark \\- runs Python in a sandbox and keeps every attempt as evidence\n"
	      ".SH SYNOPSIS\n.B tickmark\n[\\fB\\-C\\fR \\fIDIR\\fR] \\fICOMMAND\\fR [\\fIOPTION\\fR]... "
	      "[\\fIARGUMENT\\fR]...\n.br\n.B tickmark\n[\\fIDIR\\fR|\\fIFILE\\fR]\n.SH DESCRIPTION\n"
	      "tickmark runs Python code in a sandbox on the files of a folder, and keeps every attempt\n"
	      "(code, inputs, streams, files) in one SQLite file per folder, as evidence for those who must be able to\n"
	      "stand behind a number that came out of code.\n"
	      "It never says that a result is right: only what ran, on which bytes, what came out, and whether it\n"
	      "comes out again.\n"
	      "Without a command the screen opens, on the workspace of the current folder, on that of DIR, or on a record\n"
	      "that stands outside its workspace.\n.SH COMMANDS\n", f);
	for (size_t i = 0; cmd_table[i]; i++)
		if (!(cmd_table[i]->flags & CMD_HIDDEN))
			man_command(f, cmd_table[i]);
	for (const struct help_topic *t = help_topics; t->title; t++) {
		macro(f, "SH", t->title);
		running_text(f, t->text, ".PP");
	}
	man_json(f);
	man_schema(f);
	return STATUS_DONE;
}

const struct cmd_entry man_entry = {
	.name = "man",
	.args = "",
	.brief = "Prints the manual page, in roff",
	.flags = CMD_HIDDEN,
	.run = man_run,
};
