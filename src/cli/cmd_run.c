/*
 * run: a script in the sandbox. Its streams go where a script's would, what tickmark has to say about
 * it goes to stderr.
 */
#include "cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CODE_MAX ((size_t)64 << 20) /* bytes of code from a pipe */

static const struct cmd_option run_options[] = {
	{ .name = "title", .letter = 't', .arg = "TEXT", .help = "title of the step or attempt (otherwise: the script's first comment)" },
	{ .name = "purpose", .letter = 'p', .arg = "TEXT", .help = "what it is run for" },
	{ .name = "step", .letter = 's', .arg = "N", .help = "as the next attempt of step N" },
	{ .name = "new", .help = "as a new step, even if the script has one" },
	{ .name = "python", .arg = "PATH", .help = "interpreter: a path, or a name looked up in PATH" },
	{ .name = "env", .arg = "NAME=VALUE", .repeats = true, .help = "environment variable for the script, recorded" },
	{ .name = "secret-env", .arg = "NAME[=VALUE]", .repeats = true, .help = "the same, of which only the name is recorded; without a value, from tickmark's own environment" },
	{ .name = "detach", .letter = 'd', .help = "print the reference and leave it running" },
	{ .name = "fix", .help = "when it fails, have your fixer correct it and run that as the next attempt" },
	{ .name = "pass-status", .help = "exit with the script's own status, or 128 and the signal" },
	{ .name = NULL },
};

/* What of a request is owned here. */
struct order {
	struct run_request req;
	struct strv env, secret;
	struct buf code;
};

static void order_free(struct order *o)
{
	strv_free(&o->env);
	strv_free(&o->secret);
	buf_free(&o->code);
}

static bool is_variable_name(const char *s, size_t n)
{
	if (n == 0 || (*s >= '0' && *s <= '9'))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!((s[i] | 32) >= 'a' && (s[i] | 32) <= 'z') && !(s[i] >= '0' && s[i] <= '9') && s[i] != '_')
			return false;
	return true;
}

static bool take_variable(struct order *o, const struct given *g, struct err *e)
{
	bool secret = strcmp(g->option.name, "secret-env") == 0;
	size_t name = strcspn(g->value, "=");

	if (!is_variable_name(g->value, name))
		return err_set(e, ERR_INPUT, "--%s %s: not a variable; it has the form %s", g->option.name,
		               secret ? "(value not shown)" : g->value, g->option.arg);
	if (g->value[name] == '=') {
		strv_add(secret ? &o->secret : &o->env, g->value);
		return true;
	}
	if (!secret)
		return err_set(e, ERR_INPUT, "--env %s: a value is missing; it has the form NAME=VALUE", g->value);
	if (!getenv(g->value))
		return err_set(e, ERR_INPUT, "--secret-env %s: there is no such variable in the environment", g->value);
	strv_addf(&o->secret, "%s=%s", g->value, getenv(g->value));
	return true;
}

static bool take_limits(struct cmd *c, struct order *o, struct err *e)
{
	size_t n = 0;

	for (size_t i = 0; i < limit_table_len; i++) {
		const struct limit_info *info = &limit_table[i];
		const char *value = option_value(c, info->name);

		if (!value)
			continue;
		if (n + 1 >= ARRAY_LEN(o->req.limits))
			return err_set(e, ERR_INPUT, "too many limits at once");
		if (!limit_parse(info, value, &o->req.limits[n].value, e)) {
			e->code = ERR_INPUT;
			return err_prefix(e, "--%s", info->name);
		}
		o->req.limits[n++].name = info->name;
	}
	return true;
}

static bool take_options(struct cmd *c, struct order *o, struct err *e)
{
	struct run_request *req = &o->req;
	const char *step = option_value(c, "step");

	req->asker.kind = ASKER_PERSON;
	req->title = option_value(c, "title");
	req->purpose = option_value(c, "purpose");
	req->python = option_value(c, "python");
	req->new_step = option_given(c, "new");
	req->detach = option_given(c, "detach");
	if (step && req->new_step)
		return err_set(e, ERR_INPUT, "--step and --new exclude each other");
	if (req->detach && option_given(c, "pass-status"))
		return err_set(e, ERR_INPUT, "--detach and --pass-status exclude each other: nobody waits for the status");
	if (req->detach && option_given(c, "fix"))
		return err_set(e, ERR_INPUT, "--detach and --fix exclude each other: nobody waits for the failure");
	if (step && !int_parse(step, 1, INT64_MAX, &req->step, e)) {
		e->code = ERR_INPUT;
		return err_prefix(e, "--step");
	}
	for (size_t i = 0; i < c->given_n; i++)
		if (c->given[i].option.repeats && !take_variable(o, &c->given[i], e))
			return false;
	req->env = o->env.v;
	req->secret_env = o->secret.v;
	return take_limits(c, o, e);
}

/* A FIFO, as <(…) of the shell gives one: its bytes come once, and only to us who hold it. */
static bool is_pipe(const char *file)
{
	struct stat st;

	return stat(file, &st) == 0 && S_ISFIFO(st.st_mode);
}

static bool read_code(const char *file, struct order *o, struct err *e)
{
	int fd = strcmp(file, "-") == 0 ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(e, "cannot open %s", file);
	if (isatty(fd))
		console_note("reading the code from the terminal; Ctrl-D on a line of its own ends it");
	bool ok = fs_read_fd(fd, fd == STDIN_FILENO ? "code from stdin" : file, CODE_MAX, &o->code, e);
	if (fd != STDIN_FILENO)
		close(fd);
	if (ok && o->code.len == 0)
		return err_set(e, ERR_INPUT, "no code came from %s", fd == STDIN_FILENO ? "stdin" : file);
	return ok;
}

static bool take_code(struct cmd *c, struct order *o, struct err *e)
{
	const char *file = c->args[0];

	o->req.args = c->args + 1;
	if (strcmp(file, "-") != 0 && !is_pipe(file)) {
		o->req.script = file;
		return true;
	}
	if (!read_code(file, o, e))
		return false;
	o->req.code = o->code.data;
	o->req.code_len = o->code.len;
	return true;
}

/* Before anything is opened, so that a mistyped name is answered at once. */
static bool check_script(const char *file, struct err *e)
{
	if (strcmp(file, "-") == 0 || access(file, F_OK) == 0)
		return true;
	if (errno == ENOENT || errno == ENOTDIR)
		return err_set(e, ERR_NOTFOUND, "no such file: %s", file);
	return err_sys(e, "cannot look at %s", file);
}

static int script_status(const struct detail *d)
{
	if (d->end.attempt && d->end.exit_code >= 0)
		return d->end.exit_code;
	if (d->end.attempt && d->end.signal > 0)
		return 128 + d->end.signal;
	return d->state == OUTCOME_OK ? STATUS_DONE : STATUS_FAILED;
}

static int outcome_status(const struct detail *d)
{
	if (!outcome_is_end(d->state))
		return STATUS_UNDECIDED;
	return d->state == OUTCOME_OK ? STATUS_DONE : STATUS_NOT_GOOD;
}

/* What is to be said after a run that was watched; the exit status. */
int cmd_run_report(struct cmd *c, const struct foreground *fg, const struct strv *remarks, struct err *e)
{
	struct detail d = { 0 };
	int status;

	if (!cmd_query(c, e) || !query_detail(c->query, fg->attempt, &d, e))
		return cmd_fail(c, e);
	if (fg->left && !outcome_is_end(d.state))
		console_say(c, "%s goes on to its end: tickmark wait %s", d.ref, d.ref);
	if (!summary_print(stderr, c->query, &d, e)) {
		query_detail_free(&d);
		return cmd_fail(c, e);
	}
	for (size_t i = 0; i < remarks->n; i++)
		console_note("  %s", remarks->v[i]);
	status = option_given(c, "pass-status") && !fg->left ? script_status(&d) : outcome_status(&d);
	if (c->json) {
		struct json_writer *w = json_writer_new();
		bool ok = detail_json(w, c->query, c->ws, &d, DETAIL_BUDGET, e);

		if (!ok)
			cmd_drop_json(w);
		status = ok ? cmd_print_json(c, w, status) : cmd_fail(c, e);
	}
	query_detail_free(&d);
	if (fg->error) {
		console_say(c, "cannot write to stdout: %s (the record has it all)", strerror(fg->error));
		return STATUS_FAILED;
	}
	return status;
}

int cmd_run_watched(struct cmd *c, const struct run_request *req, unsigned how)
{
	struct foreground fg = { .quiet = how & WATCH_QUIET || c->json, .last = how & WATCH_LAST };
	struct strv remarks = { 0 };
	struct err e = { 0 };
	int status;

	if (!foreground_run(c, req, &fg, &remarks, &e))
		status = cmd_fail(c, &e);
	else
		status = cmd_run_report(c, &fg, &remarks, &e);
	strv_free(&remarks);
	return status;
}

static int print_ref(struct cmd *c, int64_t attempt, struct err *e)
{
	char ref[REF_TEXT];

	if (!cmd_query(c, e) || !query_ref(c->query, attempt, ref, e))
		return cmd_fail(c, e);
	if (!c->json) {
		printf("%s\n", ref);
		return STATUS_DONE;
	}
	struct json_writer *w = json_writer_new();
	json_put_text(w, "ref", ref);
	json_put_text(w, "state", "queued");
	return cmd_print_json(c, w, STATUS_DONE);
}

static int run_detached(struct cmd *c, const struct run_request *req)
{
	struct run_event ev;
	struct err e = { 0 };
	struct run *run = run_start(c->ws, req, &e);
	int64_t attempt = 0;

	if (!run)
		return cmd_fail(c, &e);
	while (attempt == 0 && run_next(run, &ev, -1, &e) > 0 && ev.kind != RUN_GONE)
		attempt = ev.attempt;
	for (char *const *r = run_remarks(run); r && *r; r++)
		console_note("%s", *r);
	run_free(run);
	if (attempt == 0) {
		if (e.code == ERR_NONE)
			err_set(&e, ERR_SYS, "the runner vanished before the attempt was in the record");
		return cmd_fail(c, &e);
	}
	return print_ref(c, attempt, &e);
}

static int run_run(struct cmd *c)
{
	struct order o = { 0 };
	struct err e = { 0 };
	int status;

	if (!take_options(c, &o, &e) || !check_script(c->args[0], &e) || !cmd_folder(c, &e) ||
	    !take_code(c, &o, &e))
		status = cmd_fail(c, &e);
	else
		status = o.req.detach                ? run_detached(c, &o.req)
		         : option_given(c, "fix") ? cmd_run_fixed(c, &o.req)
		                                  : cmd_run_watched(c, &o.req, WATCH_LAST);
	order_free(&o);
	return status;
}

const struct cmd_entry cmd_run_entry = {
	.name = "run",
	.args = "[OPTION]... FILE|- [ARG]...",
	.brief = "Runs a Python script in the sandbox and records the attempt",
	.detail =
		"FILE is a script; - takes the code from stdin. Options end at FILE: everything behind it goes to the "
		"script.\n\n"
		"The script sees the attached files of the workspace as an ordinary writable folder, at its own path. "
		"What it writes is kept in the record as its artifacts; the user's own files are never touched. It "
		"has no network, no input, and only the variables given here.\n\n"
		"Running a script again is the next attempt of the same step; code from stdin makes a new step, "
		"unless --step names one.\n\n"
		"Its streams go to stdout and stderr: as they are into a file or pipe, with everything that acts on "
		"a terminal made visible on a terminal. One line of outcome, remarks and the list of its files follow "
		"on stderr. With --json the streams are in the document instead.\n\n"
		"With --fix, a run that failed goes to the command of the setting fixer: a JSON document on its stdin (code, outcome, "
		"end of stderr, inputs, history; model/fixer.h lists its members), corrected code on its stdout. That runs as the next "
		"attempt, at most fix-attempts times; all attempts stay. The fixer is your own program and runs outside the sandbox; the "
		"script's file is not changed.\n\n"
		"Ctrl-C stops the attempt, a second one stops waiting for it. When the terminal is closed or the "
		"reader of stdout goes away, the attempt goes on to its end or its limit.",
	.statuses = "0 ok, 1 any other outcome, 2 it could not be run, 3 wrong use, 4 still running; with --pass-status "
	            "the script's own",
	.examples = "tickmark run totals.py accounts.csv # the next attempt of the step of totals.py\n"
	            "echo 'print(6*7)' | tickmark run - # code from a pipe\n"
	            "tickmark run --fix totals.py # corrected by your fixer if it fails\n"
	            "tickmark run --timeout 1h --memory 8G --title 'Roll up TIV' rollup.py",
	.options = run_options,
	.members = detail_members,
	.flags = CMD_REST | CMD_LIMITS,
	.min_args = 1,
	.max_args = SIZE_MAX,
	.run = run_run,
};
