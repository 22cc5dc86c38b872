/*
 * The first mark, note, message or repeat on evidence: asks for a review file, has it made, goes on in it, and
 * takes up what was asked for.
 */
#include <stdlib.h>
#include <string.h>

#include "model/keep.h"
#include "spawn.h"

struct beginning {
	struct ui *ui;
	enum command id;      /* what was asked for */
	char *arg;            /* NULL */
	char *review;         /* where it goes, once that was answered */
	struct subject at;    /* what was chosen */
	bool over_panes;      /* in a view over them: the attempt's dossier stands for it afterwards */
	bool queue;           /* the review queue lay below, */
	struct queue_request drawn; /* with this sample */
};

static void beginning_free(void *ctx)
{
	struct beginning *b = ctx;

	subject_free(&b->at);
	free(b->arg);
	free(b->review);
	free(b);
}

/* The views that were open looked into a record that is closed now: those of reviewing come back. True: what was
 * chosen is chosen again. */
static bool restore(struct ui *ui, const struct beginning *b)
{
	struct err e = { 0 };
	struct view *dossier;

	if (!b->at.attempt)
		return b->arg != NULL; /* ":mark record accepted" needs none */
	view_panes_select(ui->stack[0], b->at.attempt, false);
	if (b->queue)
		ui_push(ui, view_queue_new(ui, &b->drawn, b->at.step));
	if (!b->over_panes)
		return true;
	dossier = view_dossier_new(ui, b->at.attempt, &e);
	if (!dossier) {
		ui_error(ui, "%s", e.msg);
		return false;
	}
	ui_push(ui, dossier);
	return view_dossier_go(dossier, &b->at);
}

static void go_on(struct ui *ui, const struct beginning *b)
{
	struct err e = { 0 };

	if (!ui_reopen(ui, b->review, &e)) {
		ui_error(ui, "the review file cannot be opened: %s", e.msg);
		return;
	}
	bool again = restore(ui, b);
	ui_notice(ui, "what is said of it goes to %s from now on; tickmark merge brings it home", b->review);
	if (again)
		ui_command(ui, b->id, b->arg);
}

static void made(struct ui *ui, void *ctx, const struct spawn_end *end)
{
	struct beginning *b = ctx;

	if (end && (end->status == 0 || end->status == 1)) {
		if (end->status == 1)
			ui_error(ui, "the record does not verify: tickmark verify says where");
		go_on(ui, b);
	} else if (end) {
		ui_error(ui, "%s", *end->err ? end->err : "the review file could not be made");
	}
	beginning_free(b);
}

static void make(void *ctx, const char *text)
{
	struct beginning *b = ctx;
	struct ui *ui = b->ui;
	struct err e = { 0 };

	b->review = *text == '/' ? xstrdup(text) : path_join(ui->root, text);
	const char *const argv[] = { "tickmark", "review", "--", ui->record, b->review, NULL };
	const struct spawn_spec spec = { .argv = argv, .quiet = true, .done = made, .ctx = b };
	ui_notice(ui, "making the review file …");
	if (!spawn_start(ui, &spec, &e)) {
		ui_error(ui, "%s", e.msg);
		beginning_free(b);
	}
}

static const struct prompt_ops question = {
	.label = "evidence is never written; begin a review file: ", .kind = PROMPT_TEXT, .done = make, .cancelled = beginning_free,
};

unsigned act_begin_review(struct ui *ui, enum command id, const char *arg)
{
	struct beginning *b = xcalloc(1, sizeof(*b));
	char *name = keep_review_name(path_base(ui->record));

	b->ui = ui;
	b->id = id;
	b->arg = arg ? xstrdup(arg) : NULL;
	ui_subject_of(ui, id, &b->at);
	for (size_t i = 1; i < ui->depth; i++)
		b->queue = view_queue_drawn(ui->stack[i], &b->drawn) || b->queue;
	b->over_panes = ui->depth > (b->queue ? 2 : 1);
	ui_ask(ui, &question, b, name, HISTORY_COUNT);
	free(name);
	return TURN_DRAW;
}
