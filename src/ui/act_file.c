/* y s o: what takes something out of the record. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chore.h"
#include "outside.h"
#include "spawn.h"
#include "text.h"

/* ---- copy ------------------------------------------------------------------------------------------------- */

void ui_copy(struct ui *ui, const void *p, size_t n, const char *what)
{
	bool sent = !ui->term || term_copy(ui->term, p, n);

	free(ui->copied.data);
	ui->copied = (struct buf){ 0 };
	buf_add(&ui->copied, p, n);
	if (sent)
		ui_notice(ui, "copied %s: %zu bytes sent to the terminal; it may ignore them", what, n);
	else
		ui_notice(ui, "%zu bytes are too many for the terminal's clipboard", n);
}

unsigned act_copy(struct view *v, const char *arg)
{
	struct subject s;
	char text[REF_TEXT + 2];

	(void)arg;
	if (!ui_subject(v->ui, &s)) {
		ui_notice(v->ui, "there is nothing to copy here");
	} else if (s.attempt && !s.path) {
		snprintf(text, sizeof(text), "%s", s.ref);
		ui_copy(v->ui, text, strlen(text), "the reference");
	} else if (s.artifact) {
		char *ref = xasprintf("artifacts/%s/%s", s.ref, s.path);
		ui_copy(v->ui, ref, strlen(ref), "the artifact's path");
		free(ref);
	} else {
		ui_copy(v->ui, s.path, strlen(s.path), "the file's path");
	}
	subject_free(&s);
	return TURN_DRAW;
}

/* ---- save --------------------------------------------------------------------------------------------------- */

struct saving {
	struct ui *ui;
	struct subject subject;
	struct prompt_ops ask;
	char *label;
	char *to;    /* answered already: asks whether to overwrite */
	char *full;  /* the same as a whole path; NULL */
	bool force;
	struct outside outside;
};

static void saving_free(void *ctx)
{
	struct saving *s = ctx;

	subject_free(&s->subject);
	free(s->label);
	free(s->to);
	free(s->full);
	free(s);
}

/* The folder of a review is one of ours, in the user's cache: what is for the reader goes beside the record. */
char *ui_path_for_reader(const struct ui *ui, const char *path)
{
	char *dir, *out;

	if (*path == '/')
		return xstrdup(path);
	if (!ui->ws || !workspace_is_review(ui->ws))
		return path_join(ui->root, path);
	dir = path_dir(ui->record);
	out = path_join(dir, path);
	free(dir);
	return out;
}

static bool write_copy(void *ctx, struct query *q, struct err *e)
{
	struct saving *s = ctx;

	return export_artifact(q, s->subject.attempt, s->subject.path, s->full, s->force, e);
}

static void saved(struct ui *ui, void *ctx, bool ok, const struct err *e)
{
	struct saving *s = ctx;

	if (ok)
		ui_notice(ui, "saved as %s", s->to);
	else
		ui_error(ui, "%s", e->msg);
	saving_free(s);
}

/* Bytes of the artifact; -1: it is not there. */
static int64_t find_size(struct ui *ui, const struct subject *s, struct digest *content)
{
	struct detail d = { 0 };
	int64_t size = -1;

	if (!query_detail(ui->query, s->attempt, &d, NULL))
		return -1;
	for (size_t i = 0; i < d.artifacts_n && size < 0; i++) {
		if (strcmp(d.artifacts[i].path, s->path) != 0)
			continue;
		size = MAX(d.artifacts[i].size, 0);
		*content = d.artifacts[i].sha256;
	}
	query_detail_free(&d);
	return size;
}

static void save_now(struct saving *s, bool force)
{
	static const struct chore_ops ops = { write_copy, saved };
	struct digest content;
	char *what = xasprintf("saving %s", s->to);

	s->full = ui_path_for_reader(s->ui, s->to);
	s->force = force;
	chore_start(s->ui, &ops, s, find_size(s->ui, &s->subject, &content), what);
	free(what);
}

static void save_over(void *ctx, const char *text)
{
	(void)text;
	save_now(ctx, true);
}

static void save_answered(void *ctx, const char *text)
{
	struct saving *s = ctx;
	char *to = ui_path_for_reader(s->ui, text);
	bool there = *text && fs_exists(AT_FDCWD, to);

	free(to);
	if (!*text) {
		ui_notice(s->ui, "not saved: no name was given");
		saving_free(s);
		return;
	}
	s->to = xstrdup(text);
	if (!there) {
		save_now(s, false);
		return;
	}
	free(s->label);
	s->label = xasprintf("%s is there already: replace it?", text);
	s->ask = (struct prompt_ops){ .label = s->label, .kind = PROMPT_CONFIRM, .done = save_over, .cancelled = saving_free };
	ui_ask(s->ui, &s->ask, s, NULL, HISTORY_COUNT);
}

unsigned act_save(struct view *v, const char *arg)
{
	struct saving *s = xcalloc(1, sizeof(*s));

	s->ui = v->ui;
	if (!ui_subject(v->ui, &s->subject) || !s->subject.artifact) {
		ui_notice(v->ui, "choose an artifact first: in pane Artifacts, or a line of 'files'");
		saving_free(s);
		return TURN_DRAW;
	}
	if (arg && *arg) {
		save_answered(s, arg);
		return TURN_DRAW;
	}
	s->label = xasprintf("save %s as: ", s->subject.ref);
	s->ask = (struct prompt_ops){ .label = s->label, .kind = PROMPT_TEXT, .done = save_answered, .cancelled = saving_free };
	ui_ask(v->ui, &s->ask, s, path_base(s->subject.path), HISTORY_SAVE);
	return TURN_DRAW;
}

/* ---- open outside --------------------------------------------------------------------------------------------- */

static void opened(struct ui *ui, void *ctx, const struct spawn_end *end)
{
	(void)ctx;
	if (end && end->status != 0)
		ui_error(ui, "xdg-open could not open it: %s", *end->err ? end->err : "no reason given");
}

static void remove_copy(const char *path)
{
	char *dir = path_dir(path);

	unlink(path);
	rmdir(dir);
	free(dir);
}

/* A program outside may read it late, so it stays as long as we do. */
void act_outside_forget(struct ui *ui)
{
	for (size_t i = 0; i < ui->copies.n; i++)
		remove_copy(ui->copies.v[i]);
	strv_free(&ui->copies);
}

static void open_now(void *ctx, const char *text)
{
	struct saving *s = ctx;
	const char *argv[] = { "xdg-open", s->to, NULL };
	struct spawn_spec spec = { .argv = argv, .quiet = true, .done = opened };
	struct err e = { 0 };

	(void)text;
	strv_add(&s->ui->copies, s->full);
	if (spawn_start(s->ui, &spec, &e))
		ui_notice(s->ui, "a copy was handed to xdg-open, until you quit: %s", s->to);
	else
		ui_error(s->ui, "%s", e.msg);
	saving_free(s);
}

static bool take_head(void *ctx, const void *p, size_t n, struct err *e)
{
	struct buf *head = ctx;

	(void)e;
	buf_add(head, p, MIN(n, OUTSIDE_HEAD - head->len));
	return head->len < OUTSIDE_HEAD;
}

/* A name that is hidden, or an option to who opens it, is none. */
static const char *plain_name(const struct saving *s)
{
	const char *base = path_base(s->subject.path);

	return *base == '.' || *base == '-' ? "artifact" : base;
}

/* Where a private copy goes: a fresh folder. */
static char *copy_place(const struct saving *s, struct err *e)
{
	char dir[] = "/tmp/tickmark-XXXXXX", *name, *place;

	if (!mkdtemp(dir)) {
		err_sys(e, "a folder in /tmp");
		return NULL;
	}
	name = xasprintf("%s%s", plain_name(s), s->outside.ending);
	place = path_join(dir, name);
	free(name);
	return place;
}

static void not_opened(void *ctx)
{
	struct saving *s = ctx;

	remove_copy(s->to);
	saving_free(s);
}

static void copied(struct ui *ui, void *ctx, bool ok, const struct err *e)
{
	struct saving *s = ctx;

	if (!ok)
		ui_error(ui, "%s", e->msg);
	else if (ui->prompt)
		ui_notice(ui, "the copy of %s is there, but something else is asked just now: o asks again", path_base(s->to));
	if (!ok || ui->prompt || ui->depth == 0) {
		not_opened(s);
		return;
	}
	chmod(s->full, 0400);
	s->label = xasprintf("%s (%s%s): open a copy outside?", path_base(s->to), s->outside.type,
	                     *s->outside.ending ? ", whatever its name says" : "");
	s->ask = (struct prompt_ops){ .label = s->label, .kind = PROMPT_CONFIRM, .done = open_now, .cancelled = not_opened };
	ui_ask(ui, &s->ask, s, NULL, HISTORY_COUNT);
}

static void copy_for_outside(struct saving *s, int64_t size)
{
	static const struct chore_ops ops = { write_copy, copied };
	struct err e = { 0 };

	s->to = copy_place(s, &e);
	if (!s->to) {
		ui_error(s->ui, "%s", e.msg);
		saving_free(s);
		return;
	}
	s->full = xstrdup(s->to);
	char *what = xasprintf("copying %s", path_base(s->to));
	chore_start(s->ui, &ops, s, size, what);
	free(what);
}

unsigned act_outside(struct view *v, const char *arg)
{
	struct saving *s = xcalloc(1, sizeof(*s));
	struct buf head = { 0 };
	struct digest digest;
	struct err e = { 0 };
	int64_t size;

	(void)arg;
	s->ui = v->ui;
	if (!ui_subject(v->ui, &s->subject) || !s->subject.artifact || (size = find_size(v->ui, &s->subject, &digest)) < 0) {
		ui_notice(v->ui, "choose an artifact first: in pane Artifacts, or a line of 'files'");
		saving_free(s);
		return TURN_DRAW;
	}
	query_blob(v->ui->query, &digest, take_head, &head, &e);
	if (!outside_judge(plain_name(s), head.data ? head.data : "", head.len, &s->outside, &e)) {
		ui_error(v->ui, "%s", e.msg);
		saving_free(s);
	} else {
		copy_for_outside(s, size);
	}
	buf_free(&head);
	return TURN_DRAW;
}
