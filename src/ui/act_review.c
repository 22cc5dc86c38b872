/* t c: what a reviewer says of what is shown. One line each: what it is about stands in front. */
#include <stdlib.h>
#include <string.h>

#include "screen.h"

struct saying {
	struct ui *ui;
	struct subject subject;
	enum judgement judgement;
	struct prompt_ops ask;
	char label[160];
};

static const enum judgement choices[] = { JUDGED_ACCEPTED, JUDGED_QUESTIONED, JUDGED_REJECTED, JUDGED_WITHDRAWN };

static void saying_free(void *ctx)
{
	struct saying *s = ctx;

	subject_free(&s->subject);
	free(s);
}

/* What can be said something about: an attempt, and no check. */
static struct saying *saying_new(struct view *v, const char *what)
{
	struct saying *s = xcalloc(1, sizeof(*s));

	s->ui = v->ui;
	if (ui_subject(v->ui, &s->subject) && s->subject.attempt && !s->subject.check)
		return s;
	if (s->subject.check)
		ui_notice(v->ui, "%s is a check: what is %s is the attempt that it repeats", s->subject.ref, what);
	else
		ui_notice(v->ui, "choose an attempt first");
	saying_free(s);
	return NULL;
}

/* ---- marks ------------------------------------------------------------------------------------------- */

static void label_mark(struct saying *s)
{
	snprintf(s->label, sizeof(s->label), "%s %s %s (Tab) note: ", s->subject.ref,
	         *judgement_glyph(s->judgement) ? judgement_glyph(s->judgement) : "-", judgement_word(s->judgement));
}

static void turn_judgement(void *ctx, int dir)
{
	struct saying *s = ctx;
	size_t i = 0;

	while (i + 1 < ARRAY_LEN(choices) && choices[i] != s->judgement)
		i++;
	s->judgement = choices[(i + ARRAY_LEN(choices) + (size_t)dir) % ARRAY_LEN(choices)];
	label_mark(s);
}

static void file_mark(void *ctx, const char *text)
{
	struct saying *s = ctx;
	struct ui *ui = s->ui;
	struct err e = { 0 };

	if (review_mark(ui->ws, s->subject.attempt, s->judgement, text, "screen", &e)) {
		char *who = review_person(ui->ws);
		ui_notice(ui, "%s %s by %s", s->subject.ref, judgement_word(s->judgement), who);
		free(who);
		ui->after_prompt |= ui_changed(ui, s->subject.attempt);
	} else {
		ui_error(ui, "not marked: %s", e.msg);
	}
	saying_free(s);
}

/* ":mark rejected no basis" files it at once. */
static bool take_judgement(struct saying *s, const char *arg, const char **note)
{
	size_t n = strcspn(arg, " ");
	char *word = xstrndup(arg, n);
	enum judgement j = judgement_parse(word);

	free(word);
	if (j == JUDGED_NONE) {
		ui_error(s->ui, "a mark is accepted, questioned, rejected or withdrawn");
		return false;
	}
	s->judgement = j;
	*note = arg + n + strspn(arg + n, " ");
	return true;
}

unsigned act_mark(struct view *v, const char *arg)
{
	struct saying *s = saying_new(v, "marked");
	const char *note;

	if (!s)
		return TURN_DRAW;
	s->judgement = choices[0];
	if (arg && *arg) {
		if (take_judgement(s, arg, &note))
			file_mark(s, note);
		else
			saying_free(s);
		return TURN_DRAW;
	}
	label_mark(s);
	s->ask = (struct prompt_ops){
		.label = s->label, .kind = PROMPT_TEXT, .turn = turn_judgement, .done = file_mark, .cancelled = saying_free,
	};
	ui_ask(v->ui, &s->ask, s, NULL, HISTORY_NOTE);
	return TURN_DRAW;
}

/* ---- notes ------------------------------------------------------------------------------------------- */

static struct review_place place_of(const struct subject *s)
{
	if (s->path && s->artifact)
		return (struct review_place){ .section = "file", .path = s->path, .line = s->line };
	return (struct review_place){ .section = s->section, .line = s->line };
}

static void file_note(void *ctx, const char *text)
{
	struct saying *s = ctx;
	struct ui *ui = s->ui;
	struct review_place at = place_of(&s->subject);
	struct err e = { 0 };

	if (review_note(ui->ws, s->subject.attempt, &at, text, "screen", &e)) {
		ui_notice(ui, "noted on %s", s->subject.ref);
		ui->after_prompt |= ui_changed(ui, s->subject.attempt);
	} else {
		ui_error(ui, "not noted: %s", e.msg);
	}
	saying_free(s);
}

unsigned act_note(struct view *v, const char *arg)
{
	struct saying *s = saying_new(v, "noted on");
	struct buf where = { 0 };

	if (!s)
		return TURN_DRAW;
	if (arg && *arg) {
		file_note(s, arg);
		return TURN_DRAW;
	}
	struct review_place at = place_of(&s->subject);
	review_place_text(&at, &where);
	snprintf(s->label, sizeof(s->label), "note on %s%s%.80s: ", s->subject.ref, where.len ? " " : "",
	         where.data ? where.data : "");
	buf_free(&where);
	s->ask = (struct prompt_ops){
		.label = s->label, .kind = PROMPT_TEXT, .done = file_note, .cancelled = saying_free,
	};
	ui_ask(v->ui, &s->ask, s, NULL, HISTORY_NOTE);
	return TURN_DRAW;
}
