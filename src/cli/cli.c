/*
 * The table of commands and its dispatch, and what every command needs: its workspace, its errors,
 * its exit status.
 */
#include "cli.h"
#include "cmd.h"
#include "model/keep.h"
#include "plain.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct cmd_entry *const cmd_table[] = {
	&cmd_init_entry,
	&cmd_attach_entry,
	&cmd_run_entry,
	&cmd_repeat_entry,
	&cmd_rerun_entry,
	&cmd_stop_entry,
	&cmd_wait_entry,
	&cmd_log_entry,
	&cmd_show_entry,
	&cmd_diff_entry,
	&cmd_search_entry,
	&cmd_mark_entry,
	&cmd_note_entry,
	&cmd_queue_entry,
	&cmd_report_entry,
	&cmd_export_entry,
	&cmd_verify_entry,
	&cmd_size_entry,
	&cmd_prune_entry,
	&cmd_backup_entry,
	&cmd_pack_entry,
	&cmd_review_entry,
	&cmd_merge_entry,
	&cmd_say_entry,
	&cmd_mcp_entry,
	&cmd_config_entry,
	&cmd_doctor_entry,
	&cmd_demo_entry,
	&cmd_draft_entry,
	&help_entry,
	&man_entry,
	&completions_entry,
	&cmd_convert_entry,
	NULL,
};

const struct cmd_entry *cmd_find(const char *name)
{
	for (size_t i = 0; cmd_table[i]; i++)
		if (strcmp(cmd_table[i]->name, name) == 0 ||
		    (cmd_table[i]->alias && strcmp(cmd_table[i]->alias, name) == 0))
			return cmd_table[i];
	return NULL;
}

/* The review of -C FILE; without one *ws stays NULL. */
static bool open_review(struct cmd *c, struct err *e)
{
	char *review, *folder;

	if (!keep_find_review(c->record, &review, e))
		return false;
	if (!review)
		return true;
	folder = keep_review_folder(review, e);
	if (folder)
		c->ws = workspace_open(folder, e);
	free(folder);
	free(review);
	return c->ws != NULL;
}

static bool may_here(struct cmd *c, struct err *e)
{
	if (c->entry->flags & CMD_REVIEWS || !(c->record || workspace_is_review(c->ws)))
		return true;
	return err_set(e, ERR_READONLY, "that works in the record's own workspace only, not on a record from elsewhere");
}

bool cmd_folder(struct cmd *c, struct err *e)
{
	if (c->ws)
		return true;
	if (!c->record)
		return (c->ws = workspace_open(".", e)) != NULL && may_here(c, e);
	if (!may_here(c, e) || !open_review(c, e))
		return false;
	return c->ws || err_set(e, ERR_READONLY, "%s is evidence, which is never written; tickmark review %s begins a review file beside it, "
	                                         "for marks, notes, messages and repeats", c->record, c->record);
}

static void reap(struct cmd *c)
{
	struct err reaping = { 0 };
	int64_t interrupted = 0;

	if (!run_reap(c->ws, &interrupted, &reaping) && reaping.code != ERR_READONLY && reaping.code != ERR_BUSY)
		console_say(c, "attempts whose runner vanished could not be marked: %s", reaping.msg);
	if (interrupted > 0)
		console_say(c, "%lld attempt%s found interrupted: the runner vanished", (long long)interrupted,
		            interrupted == 1 ? "" : "s");
}

bool cmd_workspace(struct cmd *c, struct err *e)
{
	if (c->ws)
		return true;
	if (!cmd_folder(c, e))
		return false;
	reap(c);
	return true;
}

bool cmd_place(struct cmd *c, struct err *e)
{
	if (c->ws)
		return true;
	return c->record ? may_here(c, e) && open_review(c, e) : cmd_folder(c, e);
}

bool cmd_query(struct cmd *c, struct err *e)
{
	bool opened = c->ws != NULL; /* and so reaped, where that may be */

	if (c->query)
		return true;
	if (!cmd_place(c, e) || !(c->query = c->ws ? query_open(c->ws, e) : query_open_file(c->record, e)))
		return false;
	if (!opened && c->ws && run_reap_due(c->ws, c->query))
		reap(c);
	return true;
}

char *cmd_own_path(struct err *e)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0) {
		err_sys(e, "cannot tell the path of tickmark itself");
		return NULL;
	}
	path[n] = '\0';
	return xstrdup(path);
}

int cmd_fail(const struct cmd *c, const struct err *e)
{
	console_say(c, "%s", e->msg);
	return e->code == ERR_INPUT ? STATUS_USAGE : STATUS_FAILED;
}

int cmd_usage(const struct cmd *c, const char *fmt, ...)
{
	va_list ap;
	struct buf b = { 0 };

	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	console_say(c, "%s (see: tickmark %s%s--help)", b.data, c ? c->entry->name : "", c ? " " : "");
	buf_free(&b);
	return STATUS_USAGE;
}

/* A terminal shows no byte of the record as it is: everything beyond ASCII as \u escapes, which mean
 * the same to whoever parses them. */
static void print_ascii(FILE *f, const char *text, size_t n)
{
	for (size_t i = 0; i < n;) {
		unsigned char b = (unsigned char)text[i];
		uint32_t cp = b;
		size_t len = b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;

		if (len > 1)
			cp = b & (0x7Fu >> len);
		for (size_t k = 1; k < len && i + k < n; k++)
			cp = cp << 6 | ((unsigned char)text[i + k] & 0x3F);
		i += len;
		if (cp < 0x7F)
			putc((int)cp, f);
		else if (cp < 0x10000)
			fprintf(f, "\\u%04x", cp);
		else
			fprintf(f, "\\u%04x\\u%04x", 0xD800 + ((cp - 0x10000) >> 10), 0xDC00 + (cp & 0x3FF));
	}
}

int cmd_print_json(const struct cmd *c, struct json_writer *w, int status)
{
	if (!console_is_tty(stdout)) {
		json_writer_print(w, stdout, false);
		return console_finish(c) ? status : STATUS_FAILED;
	}

	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		die("out of memory");
	json_writer_print(w, f, true);
	fclose(f);
	print_ascii(stdout, text, n);
	free(text);
	return console_finish(c) ? status : STATUS_FAILED;
}

void cmd_drop_json(struct json_writer *w)
{
	free(json_writer_text(w));
}

static void cmd_release(struct cmd *c)
{
	if (c->query)
		query_close(c->query);
	run_settle(c->run);
	run_free(c->run);
	if (c->ws) {
		workspace_settle(c->ws);
		workspace_close(c->ws);
	}
	free(c->given);
	free(c->args);
}

/* Whatever was said of a foreign record that somebody wrote meanwhile may be of two states of it. */
static int of_one_state(struct cmd *c, int status)
{
	struct err e = { 0 };

	if (!c->query || status == STATUS_FAILED || status == STATUS_USAGE || query_is_unchanged(c->query, &e))
		return status;
	return cmd_fail(c, &e);
}

static int run_command(const struct cmd_entry *entry, char **argv, const char *record, const struct cli_fronts *fronts)
{
	struct cmd c = { .entry = entry, .fronts = fronts, .record = record };
	int status = STATUS_USAGE;

	if (option_parse(&c, argv)) {
		if (c.help)
			help_command(stdout, entry);
		status = c.help ? STATUS_DONE : entry->run(&c);
		status = of_one_state(&c, status);
		if (!console_finish(&c))
			status = STATUS_FAILED;
	}
	cmd_release(&c);
	return status;
}

static int nothing_there(const char *path)
{
	char to[512];
	ssize_t n = readlink(path, to, sizeof(to) - 1);

	if (n > 0)
		console_say(NULL, "%s is a link to %.*s, which is not there", path, (int)n, to);
	else
		console_say(NULL, "no such file or folder: %s", path);
	return STATUS_FAILED;
}

static int unknown_command(const char *word)
{
	const char *names[64];
	size_t n = 0;

	/* no command has a dot or a slash: it is meant as a record or a folder */
	if (strpbrk(word, "./"))
		return nothing_there(word);

	for (size_t i = 0; cmd_table[i] && n < ARRAY_LEN(names); i++)
		if (!(cmd_table[i]->flags & CMD_HIDDEN))
			names[n++] = cmd_table[i]->name;
	const char *near = option_nearest(word, names, n);
	if (near)
		console_say(NULL, "no command '%s'; did you mean '%s'? (tickmark help lists them)", word, near);
	else
		console_say(NULL, "no command '%s' (tickmark help lists them)", word);
	return STATUS_USAGE;
}

int cli_dispatch(char **argv, const struct plain_place *place)
{
	const struct cmd_entry *entry = cmd_find(argv[0]);

	return entry ? run_command(entry, argv + 1, place->record, place->fronts) : unknown_command(argv[0]);
}

/* ---- words in front of the command ----------------------------------------------------------------- */

static bool take_text(const char *value, const char **out)
{
	*out = value;
	return true;
}

static bool take_size(const char *value, struct cli_screen *s)
{
	char end;

	return sscanf(value, "%dx%d%c", &s->cols, &s->rows, &end) == 2 && s->cols >= 1 && s->rows >= 1 &&
	       s->cols <= 1000 && s->rows <= 1000;
}

/* Options of the screen, each with one value; false: `value` is none for it. */
static bool take_screen_word(struct cli_screen *s, const char *word, const char *value)
{
	return strcmp(word, "--size") == 0     ? take_size(value, s)
	       : strcmp(word, "--script") == 0 ? take_text(value, &s->script)
	       : strcmp(word, "--dump") == 0   ? take_text(value, &s->dump)
	                                       : take_text(value, &s->theme);
}

static bool is_screen_word(const char *word)
{
	static const char *const words[] = { "--size", "--script", "--dump", "--theme" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return false;
}

/* -C DIR goes there; -C FILE names the record. */
static bool go_to(const char *dir, const char **record)
{
	struct stat st;

	if (stat(dir, &st) == 0 && S_ISREG(st.st_mode)) {
		*record = dir;
		return true;
	}
	if (chdir(dir) == 0)
		return true;
	console_say(NULL, "cannot go to folder %s: %s", dir, strerror(errno));
	return false;
}

/* Words in front of the command; *argv is left at it. -1: go on, else the exit status. */
static int front_words(char ***argv, struct cli_screen *screen, const char **record)
{
	for (; **argv && ***argv == '-' && strcmp(**argv, "-") != 0; ++*argv) {
		const char *word = **argv;

		if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
			printf("tickmark %s\n", TICKMARK_VERSION);
			return console_finish(NULL) ? STATUS_DONE : STATUS_FAILED;
		}
		if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
			help_all(stdout);
			return console_finish(NULL) ? STATUS_DONE : STATUS_FAILED;
		}
		if (strcmp(word, "--plain") == 0) {
			screen->plain = true;
			continue;
		}
		if (is_screen_word(word)) {
			if (!*++*argv || !take_screen_word(screen, word, **argv))
				return cmd_usage(NULL, "%s needs a value, --size one like 80x24", word);
			continue;
		}
		if (strncmp(word, "-C", 2) != 0)
			return cmd_usage(NULL, "no option %s before the command", word);
		const char *dir = word[2] ? word + 2 : *++*argv;
		if (!dir)
			return cmd_usage(NULL, "-C needs DIR or FILE");
		if (!go_to(dir, record))
			return STATUS_FAILED;
	}
	return -1;
}

/* Asked for, or a terminal on which nothing can be drawn. */
static bool is_plain(const struct cli_screen *screen)
{
	const char *term = getenv("TERM");

	return screen->plain || (!screen->script && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") == 0);
}

int cli_main(int argc, char **argv, const struct cli_fronts *fronts)
{
	struct cli_screen screen = { 0 };
	const char *record = NULL;
	struct stat st;

	(void)argc;
	fs_guard_stdio();
	signal(SIGXFSZ, SIG_IGN); /* a file-size limit is what a write answers (EFBIG), not the end of us */
	if (*argv)
		argv++;
	int status = front_words(&argv, &screen, &record);
	if (status >= 0)
		return status;
	screen.path = record;
	const struct cmd_entry *entry = *argv ? cmd_find(*argv) : NULL;
	if (entry && !screen.plain)
		return run_command(entry, argv + 1, record, fronts);
	if (*argv && screen.plain && (entry || argv[1]))
		return cmd_usage(NULL, "--plain goes with a folder or a record, and asks for commands itself");
	if (is_plain(&screen) && (!*argv || stat(*argv, &st) == 0)) {
		if (*argv && !go_to(*argv, &record))
			return STATUS_FAILED;
		return plain_main(&(struct plain_place){ fronts, record });
	}
	if (!*argv)
		return fronts->screen(&screen);
	screen.path = *argv;
	if (stat(*argv, &st) == 0)
		return fronts->screen(&screen);
	if (strchr(*argv, '/'))
		return nothing_there(*argv);
	return unknown_command(*argv);
}
