/* t c: what a reviewer says of what is shown. One line each: what it is about stands in front. */
#include <stdlib.h>
#include <string.h>

#include "model/legend.h"
#include "patience.h"
#include "spawn.h"
#include "text.h"

struct saying {
	struct ui *ui;
	struct subject subject;
	enum judgement judgement;
	struct prompt_ops ask;
	struct legend legend; /* of notes */
	char label[240];
	char *text;           /* what was typed; NULL: nothing yet */
};

static const enum judgement choices[] = { JUDGED_ACCEPTED, JUDGED_QUESTIONED, JUDGED_REJECTED, JUDGED_WITHDRAWN };

static void saying_free(void *ctx)
{
	struct saying *s = ctx;

	subject_free(&s->subject);
	legend_free(&s->legend);
	free(s->text);
	free(s);
}

/* What can be said something about: an attempt, and no check. */
static struct saying *saying_new(struct view *v, enum command id, const char *what)
{
	struct saying *s = xcalloc(1, sizeof(*s));

	s->ui = v->ui;
	if (ui_subject_of(v->ui, id, &s->subject) && s->subject.attempt && !s->subject.check)
		return s;
	if (s->subject.check)
		ui_notice(v->ui, "%s is a check: what is %s is the attempt that it repeats", s->subject.ref, what);
	else
		ui_notice(v->ui, "choose an attempt first");
	saying_free(s);
	return NULL;
}

/* The record as a whole: what is said of it is the opinion. */
static struct saying *saying_of_record(struct view *v)
{
	struct saying *s = xcalloc(1, sizeof(*s));

	s->ui = v->ui;
	snprintf(s->subject.ref, sizeof(s->subject.ref), "record");
	return s;
}

/* Whether `arg` begins with the word "record"; then it goes behind that. */
static bool take_record(const char **arg)
{
	size_t n = strlen("record");

	if (!*arg || strncmp(*arg, "record", n) != 0 || ((*arg)[n] && (*arg)[n] != ' '))
		return false;
	*arg += n + strspn(*arg + n, " ");
	return true;
}

/* ---- marks ------------------------------------------------------------------------------------------- */

/* Of the record as a whole, with what was said of it last. */
static void label_mark(struct saying *s)
{
	struct buf last = { 0 };

	if (!s->subject.attempt)
		review_opinion_brief(&s->ui->opinion, &last);
	snprintf(s->label, sizeof(s->label), "%s %s %s (Tab%s%s) note: ", s->subject.ref,
	         *judgement_glyph(s->judgement) ? judgement_glyph(s->judgement) : "-", judgement_word(s->judgement),
	         last.len ? "; last: " : "", last.len ? last.data : "");
	buf_free(&last);
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

/* As it stands in the record now. */
static void tell_mark(struct saying *s)
{
	struct detail d = { 0 };
	bool own = s->subject.attempt && query_detail(s->ui->query, s->subject.attempt, &d, NULL) && d.marks_n > 0 &&
	           d.marks[d.marks_n - 1].own_work;
	char *who = review_person(NULL);

	ui_notice(s->ui, "%s %s by %s%s", s->subject.ref, judgement_word(s->judgement), who, own ? ", own work" : "");
	free(who);
	query_detail_free(&d);
}

static void mark_now(void *ctx, const struct err *why)
{
	struct saying *s = ctx;
	struct ui *ui = s->ui;
	struct err e = why ? *why : (struct err){ 0 };

	if (!why && review_mark(ui->ws, s->subject.attempt, s->judgement, s->text, "screen", &e)) {
		tell_mark(s);
		ui->after_prompt |= ui_changed(ui, s->subject.attempt);
	} else {
		ui_error(ui, "%s is not marked: %s", s->subject.ref, e.msg);
	}
	saying_free(s);
}

/* Writes what was typed once the record can be written. */
static void file(struct saying *s, const char *text, const char *doing, void (*now)(void *ctx, const struct err *why))
{
	char *what = xasprintf("%s %s", doing, s->subject.ref);

	s->text = xstrdup(text);
	ui_when_free(s->ui, what, now, s);
	free(what);
}

static void file_mark(void *ctx, const char *text)
{
	file(ctx, text, "marking", mark_now);
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
	bool whole = take_record(&arg);

	if (!v->ui->query)
		return TURN_UNHANDLED;
	struct saying *s = whole ? saying_of_record(v) : saying_new(v, CMD_MARK, "marked");
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
		return (struct review_place){ .section = "file", .path = s->path, .line = s->line, .cell = *s->cell ? s->cell : NULL };
	return (struct review_place){ .section = s->section, .line = s->line };
}

static void note_now(void *ctx, const struct err *why)
{
	struct saying *s = ctx;
	struct ui *ui = s->ui;
	struct review_place at = place_of(&s->subject);
	struct err e = why ? *why : (struct err){ 0 };

	if (!why && review_note(ui->ws, s->subject.attempt, &at, s->text, "screen", &e)) {
		struct buf place = { 0 };

		review_place_text(&at, &place);
		char *where = escape_name_dup(place.data ? place.data : "");
		ui_notice(ui, "noted on %s%s%s", s->subject.ref, *where ? " " : "", where);
		free(where);
		buf_free(&place);
		ui->after_prompt |= ui_changed(ui, s->subject.attempt);
	} else {
		ui_error(ui, "nothing is noted on %s: %s", s->subject.ref, e.msg);
	}
	saying_free(s);
}

static void file_note(void *ctx, const char *text)
{
	file(ctx, text, "noting on", note_now);
}

/* Tab: what the abbreviation stands for; at the beginning of a word all that there are, one after the other. */
static void offer_legend(void *ctx, const char *text, struct strv *out)
{
	struct saying *s = ctx;
	size_t at;
	const struct legend_sign *sign = legend_at_end(&s->legend, text, &at);

	for (size_t i = 0; i < s->legend.n; i++)
		if (sign ? sign == &s->legend.v[i] : text[at] == '\0')
			strv_addf(out, "%.*s%s", (int)at, text, s->legend.v[i].meaning);
}

#define LEGEND_ROOM 48   /* cells that the note itself keeps */
#define LEGEND_BYTES 110 /* of a legend that goes into the label */

static void label_note(struct saying *s)
{
	struct review_place at = place_of(&s->subject);
	struct buf where = { 0 }, legend = { 0 };

	review_place_text(&at, &where);
	legend_text(&s->legend, &legend);
	snprintf(s->label, sizeof(s->label), "note on %s%s%.80s%s", s->subject.ref, where.len ? " " : "", where.data ? where.data : "",
	         s->subject.kept ? " of what was kept" : "");
	size_t used = strlen(s->label);
	bool fits = legend.len <= LEGEND_BYTES && canvas_measure(s->ui->canvas, legend.data ? legend.data : "") + (int)used + LEGEND_ROOM <= s->ui->cols;
	snprintf(s->label + used, sizeof(s->label) - used, fits ? " (Tab: %s): " : legend.len ? " (Tab: legend): " : ": ",
	         legend.data ? legend.data : "");
	buf_free(&where);
	buf_free(&legend);
}

unsigned act_note(struct view *v, const char *arg)
{
	struct saying *s = saying_new(v, CMD_NOTE, "noted on");
	struct err e = { 0 };

	if (!s)
		return TURN_DRAW;
	if (arg && *arg) {
		file_note(s, arg);
		return TURN_DRAW;
	}
	if (!legend_load(v->ui->ws, &s->legend, &e))
		ui_error(v->ui, "%s", e.msg);
	label_note(s);
	s->ask = (struct prompt_ops){
		.label = s->label, .kind = PROMPT_TEXT, .complete = offer_legend, .done = file_note, .cancelled = saying_free,
	};
	ui_ask(v->ui, &s->ask, s, NULL, HISTORY_NOTE);
	return TURN_DRAW;
}

/* ---- going through what is left ------------------------------------------------------------------------ */

unsigned act_dossier(struct view *v, const char *arg)
{
	struct subject s = { 0 };
	struct err e = { 0 };
	struct view *dossier;

	(void)arg;
	if (view_is_dossier(v))
		return TURN_DRAW;
	if (!ui_subject(v->ui, &s) || !s.attempt) {
		ui_notice(v->ui, "choose an attempt first");
	} else if ((dossier = view_dossier_new(v->ui, s.attempt, &e))) {
		ui_push(v->ui, dossier);
	} else {
		ui_error(v->ui, "%s", e.msg);
	}
	subject_free(&s);
	return TURN_DRAW;
}

unsigned act_queue(struct view *v, const char *arg)
{
	int64_t sample = 0, seed = 0;
	long long a = 0, b = 0;
	char end;

	if (!v->ui->query)
		return TURN_UNHANDLED;
	if (arg && *arg) {
		int n = sscanf(arg, "%lld %lld %c", &a, &b, &end);
		if (n < 1 || n > 2 || a < 1 || a > INT32_MAX) {
			ui_error(v->ui, "expected :queue SIZE SEED, like :queue 25 7");
			return TURN_DRAW;
		}
		sample = a;
		seed = b;
	}
	ui_push(v->ui, view_queue_new(v->ui, &(struct queue_request){ .sample = (size_t)sample, .seed = seed }, 0));
	return TURN_DRAW;
}

/* Along the queue where one lies below, else by the numbers of the steps. */
static bool find_beside(struct ui *ui, int64_t step, int dir, int64_t *attempt)
{
	struct err e = { 0 };

	for (size_t i = ui->depth; i-- > 0;)
		if (view_queue_beside(ui->stack[i], step, dir, attempt))
			return true;
	if (queue_beside(ui->query, step, dir, attempt, &e))
		return true;
	ui_error(ui, "%s", e.msg);
	return false;
}

/* From a section that was opened full screen back to the dossier it was opened from. */
static bool close_down_to_dossier(struct ui *ui)
{
	for (size_t i = ui->depth; i-- > 1;) {
		if (!view_is_dossier(ui->stack[i]))
			continue;
		while (ui->depth > i + 1)
			ui_pop(ui);
		return true;
	}
	return false;
}

static unsigned go_review(struct view *v, int dir)
{
	struct ui *ui = v->ui;
	struct subject s = { 0 };
	int64_t attempt = 0, open;

	if (!ui->query)
		return TURN_UNHANDLED;
	ui_subject(ui, &s);
	if (find_beside(ui, s.step, dir, &attempt) && attempt == 0) {
		open = query_tally(ui->query, "to review");
		ui_notice(ui, open ? "none further %s; %lld left in all" : "nothing is left to review",
		          dir > 0 ? "down" : "up", (long long)open);
	}
	subject_free(&s);
	if (attempt == 0)
		return TURN_DRAW;
	if (close_down_to_dossier(ui)) {
		view_dossier_show(ui_top(ui), attempt);
	} else {
		while (ui->depth > 1)
			ui_pop(ui);
		view_panes_focus(ui->stack[0], PANE_EXECUTION);
		view_panes_select(ui->stack[0], attempt, false);
	}
	return TURN_DRAW;
}

unsigned act_next_review(struct view *v, const char *arg)
{
	(void)arg;
	return go_review(v, 1);
}

unsigned act_prev_review(struct view *v, const char *arg)
{
	(void)arg;
	return go_review(v, -1);
}

/* ---- the report ------------------------------------------------------------------------------------------ */

static void report_written(struct ui *ui, void *ctx, const struct spawn_end *end)
{
	char *path = ctx;

	if (end && end->status == 0)
		ui_notice(ui, "the report is in %s", path);
	else if (end)
		ui_error(ui, "no report: %s", *end->err ? end->err : "no reason given");
	free(path);
}

/* The command line writes it: there is one report, whoever asks for it. */
unsigned act_report(struct view *v, const char *arg)
{
	const char *path = arg && *arg ? arg : "review.html";
	struct err e = { 0 };

	if (!v->ui->query)
		return TURN_UNHANDLED;
	char *to = ui_path_for_reader(v->ui, path);
	const char *argv[] = { "tickmark", "report", "-o", to, NULL };
	struct spawn_spec spec = { .argv = argv, .cwd = v->ui->root, .quiet = true, .done = report_written, .ctx = xstrdup(path) };
	if (!spawn_start(v->ui, &spec, &e)) {
		free(spec.ctx);
		ui_error(v->ui, "%s", e.msg);
	}
	free(to);
	return TURN_DRAW;
}
