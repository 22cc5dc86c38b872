/*
 * mcp: the server for assistants, and what to paste so that they find it. The server itself is another
 * front end; here are only words.
 */
#include "cli.h"
#include "cmd.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct cmd_option mcp_options[] = {
	{ .name = "print-config", .arg = "CLIENT", .help = "print what to paste into the configuration of claude, codex, gemini, vscode or cursor" },
	{ .name = "print-instructions", .help = "print a paragraph for the assistant's own instruction file" },
	{ .name = NULL },
};

static const char instructions[] =
	"## Computations\n"
	"\n"
	"Use the tickmark tools (MCP server `tickmark`) for every computation whose result you report, not your own shell: "
	"`run_python` runs Python on the files of this folder in a sandbox and records code, inputs, output and files, so that "
	"the result can be reviewed and repeated. Give each run a title and a purpose. When a run fails, correct it with "
	"`run_python` and `retry_of`, so that both attempts stay side by side. Cite the run behind every number that you state, "
	"like [7.2], and leave the statement in the record with `say`. Files that runs write stay in the record until "
	"`save_file` puts them into the folder.\n";

/* ---- configurations ---- */

struct place {
	char *program; /* absolute path of this tickmark */
	char *dir;     /* absolute path of the folder */
};

static void put_args(struct json_writer *w, const struct place *p)
{
	json_put_text(w, "command", p->program);
	json_open(w, "args", '[');
	json_put_text(w, NULL, "mcp");
	json_put_text(w, NULL, p->dir);
	json_close(w);
}

static void print_servers(const struct place *p, const char *key, bool typed)
{
	struct json_writer *w = json_writer_new();

	json_open(w, key, '{');
	json_open(w, "tickmark", '{');
	if (typed)
		json_put_text(w, "type", "stdio");
	put_args(w, p);
	json_close(w);
	json_close(w);
	json_writer_print(w, stdout, true);
}

static void print_typed(const struct place *p)
{
	print_servers(p, "mcpServers", true);
}

static void print_plain(const struct place *p)
{
	print_servers(p, "mcpServers", false);
}

static void print_vscode(const struct place *p)
{
	print_servers(p, "servers", true);
}

/* A basic string of TOML: JSON's is one, and the slash needs no escape. */
static void print_toml_string(const char *s)
{
	putchar('"');
	for (; *s; s++)
		if (*s == '"' || *s == '\\')
			printf("\\%c", *s);
		else if ((unsigned char)*s < ' ' || *s == 127)
			printf("\\u%04X", (unsigned char)*s);
		else
			putchar(*s);
	putchar('"');
}

static void print_codex(const struct place *p)
{
	printf("[mcp_servers.tickmark]\ncommand = ");
	print_toml_string(p->program);
	printf("\nargs = [\"mcp\", ");
	print_toml_string(p->dir);
	printf("]\nstartup_timeout_sec = 30\ntool_timeout_sec = 300\n");
}

/* One word of a shell command line. Owned. */
static char *quoted(const char *s)
{
	struct buf b = { 0 };

	if (*s && strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+:@%") == strlen(s))
		return xstrdup(s);
	buf_addc(&b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			buf_adds(&b, "'\\''");
		else
			buf_addc(&b, *s);
	buf_addc(&b, '\'');
	return buf_take(&b);
}

static char *add_claude(const char *program, const char *dir)
{
	return xasprintf("claude mcp add tickmark -- %s mcp %s", program, dir);
}

static char *add_codex(const char *program, const char *dir)
{
	return xasprintf("codex mcp add tickmark -- %s mcp %s", program, dir);
}

static char *add_gemini(const char *program, const char *dir)
{
	return xasprintf("gemini mcp add tickmark %s mcp %s", program, dir);
}

static const struct client {
	const char *name;
	const char *file;                                       /* what it is pasted into */
	void (*print)(const struct place *p);
	char *(*add)(const char *program, const char *dir);     /* the command that does it; NULL: none */
} clients[] = {
	{ "claude", ".mcp.json of the folder (Claude Code), or claude_desktop_config.json", print_typed, add_claude },
	{ "codex", "~/.codex/config.toml", print_codex, add_codex },
	{ "gemini", ".gemini/settings.json of the folder, or ~/.gemini/settings.json", print_plain, add_gemini },
	{ "vscode", ".vscode/mcp.json of the folder", print_vscode, NULL },
	{ "cursor", ".cursor/mcp.json of the folder, or ~/.cursor/mcp.json", print_plain, NULL },
};

static const struct client *find_client(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(clients); i++)
		if (strcmp(clients[i].name, name) == 0)
			return &clients[i];
	return NULL;
}

static int print_config(struct cmd *c, const char *name)
{
	const struct client *client = find_client(name);
	struct err e = { 0 };

	if (!client)
		return cmd_usage(c, "--print-config knows claude, codex, gemini, vscode and cursor, not '%s'", name);
	struct place p = { cmd_own_path(&e), path_absolute(c->args_n ? c->args[0] : ".", &e) };
	bool ok = p.program && p.dir;
	if (ok) {
		client->print(&p);
		fflush(stdout);
		if (client->add) {
			char *program = quoted(p.program), *dir = quoted(p.dir), *line = client->add(program, dir);
			console_note("paste this into %s, or type: %s", client->file, line);
			free(line);
			free(dir);
			free(program);
		} else {
			console_note("paste this into %s", client->file);
		}
	}
	free(p.program);
	free(p.dir);
	return ok ? STATUS_DONE : cmd_fail(c, &e);
}

static int mcp_run(struct cmd *c)
{
	if (option_given(c, "print-config"))
		return print_config(c, option_value(c, "print-config"));
	if (option_given(c, "print-instructions")) {
		fputs(instructions, stdout);
		return STATUS_DONE;
	}
	if (isatty(STDIN_FILENO))
		console_note("serving assistants on stdin and stdout; Ctrl-D ends it. A person has no use for that: "
		             "tickmark mcp --print-config CLIENT prints what an assistant needs");
	return c->fronts->mcp(c->args_n ? c->args[0] : NULL);
}

const struct cmd_entry cmd_mcp_entry = {
	.name = "mcp",
	.args = "[OPTION]... [DIR]",
	.brief = "Serves assistants over the Model Context Protocol",
	.detail =
		"Started by an assistant's program, not by hand: it speaks the protocol on stdin and stdout. DIR is the folder "
		"that the assistant works in. Starting it makes and changes nothing; where there is no record yet, the assistant's "
		"first run makes one, as tickmark init would.\n\n"
		"Every run of an assistant is an attempt like any other, with its program's name and version as who asked: tickmark "
		"in another window shows it live. An assistant can run code, read the record and the attached files, attach data with "
		"its source, save a run's file into the folder under a new name, and leave messages; it cannot mark, prune or "
		"configure. When its program goes away, its runs go on to their end or their limit. Two of its runs go on at once, and "
		"more wait their turn: tickmark config assistant-runs.\n\n"
		"--print-config says where the configuration belongs, and a command that puts it there where the client has one. "
		"Most assistants keep using their own shell until their instruction file (CLAUDE.md, AGENTS.md, GEMINI.md) tells "
		"them otherwise: --print-instructions gives the paragraph.",
	.statuses = "0 the client ended it, 2 it could not serve, 3 wrong use",
	.examples = "tickmark mcp --print-config claude > .mcp.json\n"
	            "tickmark mcp --print-instructions >> CLAUDE.md",
	.options = mcp_options,
	.max_args = 1,
	.run = mcp_run,
};
