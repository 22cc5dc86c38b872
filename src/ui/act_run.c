/* r R e a x: what starts and stops runs. Starting goes through spawn.c; the record tells the rest. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spawn.h"
#include "editor.h"
#include "text.h"
#include "turns.h"

/* What a question or a child is about; freed by whoever ends it. */
struct order {
	struct ui *ui;
	int64_t attempt;     /* id */
	char ref[REF_TEXT];  /* of it; "" for a new step */
	char *draft;         /* NULL */
	char *cwd;           /* NULL */
	bool quiet;          /* its stdout is not wanted */
	struct strv argv;
	struct prompt_ops ask;
	char *question;
};

static struct order *order_new(struct ui *ui, const struct subject *s)
{
	struct order *o = xcalloc(1, sizeof(*o));

	o->ui = ui;
	if (s) {
		o->attempt = s->attempt;
		memcpy(o->ref, s->ref, sizeof(o->ref));
	}
	return o;
}

static void order_free(struct order *o)
{
	if (!o)
		return;
	free(o->draft);
	free(o->cwd);
	free(o->question);
	strv_free(&o->argv);
	free(o);
}

static bool need_attempt(struct ui *ui, struct subject *s)
{
	if (ui_subject(ui, s) && s->attempt)
		return true;
	ui_notice(ui, ui->record ? "choose an attempt first" : "there is no record here yet");
	subject_free(s);
	return false;
}

/* ---- the end of a child ----------------------------------------------------------------------------------- */

/* The first line, and those that belong to it, as one. */
static void first_line(char *s)
{
	char *end = strchrnul(s, '\n');

	for (; end[0] && end[1] == ' ' && end[2] == ' '; end = strchrnul(end, '\n')) {
		end[0] = ';';
		memmove(end + 1, end + 2, strlen(end + 2) + 1);
	}
	*end = '\0';
}

static void run_ended(struct ui *ui, void *ctx, const struct spawn_end *end)
{
	struct order *o = ctx;
	char *out;

	if (!end) {
		order_free(o);
		return;
	}
	out = xstrdup(end->out);
	first_line(out);
	if (end->status == 2 || end->status == 3 || end->status < 0) {
		const char *why = *end->err ? end->err : "it could not be run";
		if (o->draft)
			ui_error(ui, "%s; the draft stays: %s", why, o->draft);
		else
			ui_error(ui, "%s", why);
	} else if (o->draft) {
		unlink(o->draft); /* the record has it now */
		ui_notice(ui, "%s was started", *out ? out : "it");
	} else if (*out) {
		ui_notice(ui, "%s", out);
	} else {
		ui_notice(ui, end->status == 0 ? "the rerun of %s ended ok" : "the rerun of %s ended, but not ok", o->ref);
	}
	free(out);
	order_free(o);
	turns_next(ui);
}

static void start_now(void *ctx)
{
	struct order *o = ctx;
	struct err e = { 0 };
	struct spawn_spec spec = { .argv = (const char *const *)o->argv.v, .input = o->draft, .cwd = o->cwd ? o->cwd : o->ui->root,
		.quiet = o->quiet, .run = true, .done = run_ended, .ctx = o };

	o->ui->follow_new = true;
	if (!spawn_start(o->ui, &spec, &e)) {
		ui_error(o->ui, "%s", e.msg);
		order_free(o);
	}
}

static void drop_order(void *ctx)
{
	order_free(ctx);
}

static unsigned start(struct order *o, bool quiet)
{
	struct ui *ui = o->ui;

	o->quiet = quiet;
	if (turns_take(ui, start_now, drop_order, o))
		ui_notice(ui, "%zu wait%s for others to end (`:set at-once`); :stop all lets them go", turns_waiting(ui),
		          turns_waiting(ui) == 1 ? "s" : "");
	return TURN_DRAW;
}

/* ---- repeat ----------------------------------------------------------------------------------------------- */

unsigned act_repeat(struct view *v, const char *arg)
{
	struct subject s;
	struct order *o;

	(void)arg;
	if (!need_attempt(v->ui, &s))
		return TURN_DRAW;
	s.ref[strcspn(s.ref, "r")] = '\0'; /* of a check, what it repeats */
	o = order_new(v->ui, &s);
	strv_add(&o->argv, "tickmark");
	strv_add(&o->argv, "repeat");
	strv_add(&o->argv, s.ref);
	ui_notice(v->ui, "repeating %s on its recorded inputs …", s.ref);
	subject_free(&s);
	return start(o, false);
}

/* ---- questions -------------------------------------------------------------------------------------------- */

/* A question that was answered with no. */
static void order_cancelled(void *ctx)
{
	struct order *o = ctx;

	if (o->draft)
		ui_notice(o->ui, "not run; the draft stays and is taken up next time: %s", o->draft);
	order_free(o);
}

static void ask(struct order *o, char *question, void (*yes)(void *ctx, const char *text))
{
	o->question = question;
	o->ask = (struct prompt_ops){ .label = o->question, .kind = PROMPT_CONFIRM, .done = yes, .cancelled = order_cancelled };
	ui_ask(o->ui, &o->ask, o, NULL, HISTORY_COUNT);
}

/* ---- rerun ------------------------------------------------------------------------------------------------- */

void act_rerun_start(struct ui *ui, const char *ref, bool later_too)
{
	struct order *o = order_new(ui, NULL);

	snprintf(o->ref, sizeof(o->ref), "%s", ref);
	strv_add(&o->argv, "tickmark");
	strv_add(&o->argv, "rerun");
	if (later_too)
		strv_add(&o->argv, "--dependents");
	strv_add(&o->argv, ref);
	ui_notice(ui, "running %s%s again on the files of now …", ref, later_too ? " and the later ones" : "");
	start(o, true);
}

unsigned act_rerun(struct view *v, const char *arg)
{
	struct detail d = { 0 };
	struct subject s;
	struct err e = { 0 };

	(void)arg;
	if (!need_attempt(v->ui, &s))
		return TURN_DRAW;
	if (query_detail(v->ui->query, s.attempt, &d, &e))
		ui_push(v->ui, view_rerun_new(v->ui, &s, d.step.number));
	else
		ui_error(v->ui, "%s", e.msg);
	query_detail_free(&d);
	subject_free(&s);
	return TURN_DRAW;
}

/* ---- edit and add ---------------------------------------------------------------------------------------------- */

static bool add_bytes(void *ctx, const void *p, size_t n, struct err *e)
{
	(void)e;
	buf_add(ctx, p, n);
	return true;
}

/* Drafts lie beside the record, so that they survive whatever happens. Owned. */
static char *draft_path(struct ui *ui, const char *name, struct err *e)
{
	char *dir = path_dir(ui->record), *drafts = path_join(dir, "drafts"), *path = NULL;

	if (fs_mkdirs(AT_FDCWD, drafts, e))
		path = xasprintf("%s/%s.py", drafts, name);
	free(drafts);
	free(dir);
	return path;
}

static void draft_run(void *ctx, const char *text)
{
	(void)text;
	start(ctx, false);
}

/* Opens the editor on the draft (begun with `began` unless one is there), then asks, if it is other than
 * `other`. */
static unsigned edit_draft_unlike(struct order *o, const char *name, const struct buf *began, const struct buf *other,
                                  const char *question)
{
	struct ui *ui = o->ui;
	struct err e = { 0 };

	o->draft = draft_path(ui, name, &e);
	if (!o->draft)
		goto failed;
	if (editor_has_draft(o->draft))
		ui_notice(ui, "a draft that was left is taken up: %s", o->draft);
	else if (!fs_write(AT_FDCWD, o->draft, began->data ? began->data : "", began->len, false, &e))
		goto failed;
	if (editor_run(ui, o->draft, other) != EDIT_CHANGED) {
		order_free(o);
		return TURN_CLEAR;
	}
	ask(o, xstrdup(question), draft_run);
	return TURN_CLEAR;
failed:
	ui_error(ui, "%s", e.msg);
	order_free(o);
	return TURN_CLEAR;
}

static unsigned edit_draft(struct order *o, const char *name, const struct buf *began, const char *question)
{
	return edit_draft_unlike(o, name, began, began, question);
}

unsigned act_drafted(struct ui *ui, const struct buf *code, const char *purpose)
{
	static const struct buf nothing;
	struct order *o = order_new(ui, NULL);
	char *name = xasprintf("ask-%lld", (long long)clock_now_us());

	strv_add(&o->argv, "tickmark");
	strv_add(&o->argv, "run");
	strv_add(&o->argv, "--detach");
	strv_add(&o->argv, "--new");
	strv_add(&o->argv, "--purpose");
	strv_add(&o->argv, purpose);
	strv_add(&o->argv, "-");
	unsigned mask = edit_draft_unlike(o, name, code, &nothing, "run this as a new step?");
	free(name);
	return mask;
}

unsigned act_add(struct view *v, const char *arg)
{
	struct ui *ui = v->ui;
	struct buf began = { 0 };
	struct order *o;
	unsigned mask;

	(void)arg;
	if (!ui->record) {
		ui_notice(ui, "there is no record here yet: Enter creates one");
		return TURN_DRAW;
	}
	o = order_new(ui, NULL);
	strv_add(&o->argv, "tickmark");
	strv_add(&o->argv, "run");
	strv_add(&o->argv, "--detach");
	strv_add(&o->argv, "--new");
	strv_add(&o->argv, "-");
	buf_adds(&began, "# Title: \n# Purpose: \n\n"); /* left as they are they say nothing */
	mask = edit_draft(o, "new", &began, "run this as a new step?");
	buf_free(&began);
	return mask;
}

static char *run_folder(struct ui *ui, const struct detail *d)
{
	char *cwd;

	if (!d->attempt.cwd || strcmp(d->attempt.cwd, ".") == 0)
		return NULL;
	cwd = path_join(ui->root, d->attempt.cwd);
	if (access(cwd, X_OK) == 0)
		return cwd;
	free(cwd);
	return NULL;
}

unsigned act_edit(struct view *v, const char *arg)
{
	struct ui *ui = v->ui;
	struct detail d = { 0 };
	struct buf began = { 0 };
	struct subject s;
	struct err e = { 0 };
	struct order *o;
	char *name, *question;
	unsigned mask;

	(void)arg;
	if (!need_attempt(ui, &s))
		return TURN_DRAW;
	if (!query_detail(ui->query, s.attempt, &d, &e) || !query_code(ui->query, s.attempt, add_bytes, &began, &e)) {
		ui_error(ui, "%s", e.msg);
		query_detail_free(&d);
		subject_free(&s);
		buf_free(&began);
		return TURN_DRAW;
	}
	o = order_new(ui, &s);
	o->cwd = run_folder(ui, &d);
	strv_add(&o->argv, "tickmark");
	strv_add(&o->argv, "run");
	strv_add(&o->argv, "--detach");
	strv_add(&o->argv, "--step");
	strv_addf(&o->argv, "%lld", (long long)d.step.number);
	strv_add(&o->argv, "-");
	for (size_t i = 0; d.attempt.args && d.attempt.args[i]; i++)
		strv_add(&o->argv, d.attempt.args[i]);
	name = xasprintf("edit-%s", s.ref);
	question = xasprintf("run this as attempt %lld.%lld, on the files of now?", (long long)d.step.number,
	                     (long long)d.last_number + 1);
	query_detail_free(&d);
	subject_free(&s);
	mask = edit_draft(o, name, &began, question);
	free(name);
	free(question);
	buf_free(&began);
	return mask;
}

/* ---- stop ------------------------------------------------------------------------------------------------------ */

static char *stopped_by(struct ui *ui)
{
	char *person = settings_person(ui->ws, NULL), *by = xasprintf("person %s (screen)", person);

	free(person);
	return by;
}

static void stop_yes(void *ctx, const char *text)
{
	struct order *o = ctx;
	struct err e = { 0 };
	char *by = stopped_by(o->ui);

	(void)text;
	if (run_stop_attempt(o->ui->ws, o->attempt, by, &e))
		ui_notice(o->ui, "%s was told to stop", o->ref);
	else
		ui_error(o->ui, "%s", e.msg);
	free(by);
	order_free(o);
}

static void stop_all_yes(void *ctx, const char *text)
{
	struct order *o = ctx;
	struct err e = { 0 };
	char *by = stopped_by(o->ui);
	size_t waiting = turns_drop_all(o->ui);
	int64_t n = 0;

	(void)text;
	if (run_stop_all(o->ui->ws, by, &n, &e))
		ui_notice(o->ui, waiting ? "%lld told to stop, %zu that waited will not start" : "%lld told to stop", (long long)n, waiting);
	else
		ui_error(o->ui, "%s", e.msg);
	free(by);
	order_free(o);
}

unsigned act_stop(struct view *v, const char *arg)
{
	struct ui *ui = v->ui;
	struct detail d = { 0 };
	struct subject s;
	bool runs;

	if (!ui->ws) {
		ui_notice(ui, "nothing can be stopped from here");
		return TURN_DRAW;
	}
	if (arg && strcmp(arg, "all") == 0) {
		ask(order_new(ui, NULL), xasprintf("stop everything that runs or waits here (%lld)?", (long long)(ui->running + (int64_t)turns_waiting(ui))),
		    stop_all_yes);
		return TURN_DRAW;
	}
	if (!need_attempt(ui, &s))
		return TURN_DRAW;
	runs = query_detail(ui->query, s.attempt, &d, NULL) && !outcome_is_end(d.state);
	query_detail_free(&d);
	if (runs)
		ask(order_new(ui, &s), xasprintf("stop %s?", s.ref), stop_yes);
	else
		ui_notice(ui, "%s is not running", s.ref);
	subject_free(&s);
	return TURN_DRAW;
}
