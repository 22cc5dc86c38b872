/* Opening what is to be shown, the loop on a terminal, and leaving again. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "converted.h"
#include "model/keep.h"
#include "since.h"
#include "chore.h"
#include "spawn.h"
#include "headless.h"
#include "set.h"
#include "text.h"
#include "turns.h"
#include "visit.h"

#define WORKERS 2
#define TICK_US 1000000

/* ---- the loop on a terminal --------------------------------------------------------------------------------------- */

static unsigned on_terminal(void *ctx)
{
	struct ui *ui = ctx;

	return term_read(ui->term) ? TURN_NOTHING : TURN_QUIT;
}

static unsigned on_workers(void *ctx)
{
	struct ui *ui = ctx;

	return workers_collect(ui->workers) > 0 ? TURN_DRAW : TURN_NOTHING;
}

static unsigned on_signal(void *ctx, int sig)
{
	struct ui *ui = ctx;

	switch (sig) {
	case SIGHUP:
		term_hung_up(ui->term);
		return TURN_QUIT;
	case SIGTERM:
		return TURN_QUIT;
	case SIGWINCH:
		return ui_resize_to_terminal(ui);
	case SIGTSTP:
		term_suspend(ui->term);
		return ui_resize_to_terminal(ui);
	case SIGCONT:
		return ui_resize_to_terminal(ui);
	default:
		return TURN_NOTHING;
	}
}

static int sooner(int a, int b)
{
	return a < 0 ? b : b < 0 ? a : MIN(a, b);
}

/* Until the elapsed time of what runs must be drawn again; -1: nothing runs. */
static int tick_ms(const struct ui *ui)
{
	if (ui->running == 0)
		return -1;
	return (int)MAX(0, (ui->ticked_us + TICK_US - clock_mono_us()) / 1000);
}

unsigned ui_tick(struct ui *ui)
{
	if (ui->running == 0 || clock_mono_us() < ui->ticked_us + TICK_US)
		return TURN_NOTHING;
	ui->ticked_us = clock_mono_us();
	if (ui->loads)
		loads_look(ui->loads);
	return view_tick(ui_top(ui));
}

static unsigned slice_of_idle(struct ui *ui, bool *more)
{
	*more = false;
	return view_idle(ui_top(ui), more);
}

static void run_loop(struct ui *ui)
{
	unsigned mask = TURN_CLEAR;
	bool more = true, idle;
	struct event ev;

	while (!(mask & TURN_QUIT)) {
		ui_show(ui, mask);
		mask = loop_turn(ui->loop, more ? 0 : sooner(term_wait_ms(ui->term), tick_ms(ui)), &idle);
		while (!(mask & TURN_QUIT) && term_next(ui->term, &ev))
			mask |= ui_event(ui, &ev);
		if (mask & TURN_QUIT)
			break;
		mask |= ui_tick(ui);
		/* first what is to be seen, then what can wait; news may have made work */
		if (mask != TURN_NOTHING)
			more = true;
		else if (idle || more)
			mask = slice_of_idle(ui, &more);
	}
}

static bool run_on_terminal(struct ui *ui, struct err *e)
{
	static const int signals[] = { SIGHUP, SIGTERM, SIGINT, SIGWINCH, SIGTSTP, SIGCONT, SIGPIPE, SIGUSR1, SIGUSR2 };

	ui->term = term_open(e);
	if (!ui->term)
		return false;
	if (!loop_signals(ui->loop, signals, ARRAY_LEN(signals), on_signal, ui, e)) {
		term_close(ui->term);
		return false;
	}
	canvas_set_ascii(ui->canvas, term_is_ascii(ui->term));
	if (term_notice(ui->term))
		ui_notice(ui, "%s", term_notice(ui->term));
	if (!ui->mouse)
		term_mouse(ui->term, false);
	loop_add(ui->loop, term_fd(ui->term), on_terminal, ui);
	ui_resize_to_terminal(ui);
	visit_restore(ui);
	run_loop(ui);
	visit_save(ui);
	loop_remove(ui->loop, term_fd(ui->term));
	term_close(ui->term);
	ui->term = NULL;
	return true;
}

/* ---- from begin to end ---------------------------------------------------------------------------------------------- */

/* A record from elsewhere: its review, where one was begun, else the file itself as evidence. Takes `full`. */
static bool find_file(struct ui *ui, char *full, struct err *e)
{
	char *review;
	struct err why = { 0 };

	ui->evidence = true;
	ui->record = full;
	ui->root = path_dir(full);
	if (!keep_find_review(full, &review, &why)) {
		ui_error(ui, "%s", why.msg);
		return true;
	}
	if (!review)
		return true;
	char *folder = keep_review_folder(review, e);
	free(review);
	if (!folder)
		return false;
	free(ui->root);
	ui->root = folder;
	ui->evidence = false;
	return true;
}

/* What the path names: a folder, or a record from elsewhere. */
static bool find_place(struct ui *ui, const char *path, struct err *e)
{
	char *full = realpath(path ? path : ".", NULL);
	struct stat st;

	if (!full)
		return err_sys(e, "%s", path ? path : "the current folder");
	if (stat(full, &st) < 0) {
		free(full);
		return err_sys(e, "%s", path);
	}
	if (S_ISDIR(st.st_mode)) {
		ui->root = full;
		return true;
	}
	if (!S_ISREG(st.st_mode)) {
		free(full);
		return err_set(e, ERR_INPUT, "%s is neither a folder nor a file", path);
	}
	return find_file(ui, full, e);
}

bool ui_reopen(struct ui *ui, const char *path, struct err *e)
{
	prompt_free(ui->prompt);
	ui->prompt = NULL;
	while (ui->depth > 0) {
		struct view *v = ui->stack[--ui->depth];
		v->ops->free(v);
	}
	ui_close_record(ui);
	free(ui->root);
	free(ui->record);
	ui->root = ui->record = NULL;
	ui->evidence = false;
	if (find_place(ui, path, e) && ui_open_record(ui, e))
		return true;
	/* There must be something to show. */
	ui->evidence = false;
	free(ui->record);
	ui->record = NULL;
	if (!ui->root)
		ui->root = xstrdup("/");
	ui_push(ui, view_start_new(ui));
	return false;
}

static bool open_place(struct ui *ui, struct err *e)
{
	if (ui_open_record(ui, e))
		return true;
	if (ui->evidence || e->code != ERR_NOTFOUND)
		return false;
	*e = (struct err){ 0 };
	ui_push(ui, view_start_new(ui));
	return true;
}

static void say_what_runs(struct ui *ui)
{
	size_t waiting = turns_drop_all(ui);

	if (waiting)
		fprintf(stderr, "tickmark: %zu that waited for a turn %s not started\n", waiting, waiting == 1 ? "was" : "were");
	if (chore_what(ui))
		fprintf(stderr, "tickmark: %s was cancelled\n", chore_what(ui));
	if (ui->running > 0)
		fprintf(stderr, "tickmark: %lld attempt%s still running; 'tickmark log' lists, 'tickmark stop' stops\n",
		        (long long)ui->running, ui->running == 1 ? " is" : "s are");
}

static void ui_free(struct ui *ui)
{
	prompt_free(ui->prompt);
	ui->prompt = NULL;
	turns_drop_all(ui);
	spawn_forget_all(ui);
	while (ui->depth > 0) {
		struct view *v = ui->stack[--ui->depth];
		v->ops->free(v);
	}
	converted_free(ui);
	if (ui->workers)
		loop_remove(ui->loop, workers_fd(ui->workers));
	workers_free(ui->workers);
	ui_close_record(ui);
	for (int i = 0; i < HISTORY_COUNT; i++)
		strv_free(&ui->histories[i]);
	for (size_t i = 0; i < ui->notices_n; i++)
		free(ui->notices[i].text);
	free(ui->notices);
	buf_free(&ui->copied);
	act_outside_forget(ui);
	canvas_free(ui->canvas);
	theme_free(ui->theme);
	keymap_free(ui->keymap);
	loop_free(ui->loop);
	free(ui->root);
	free(ui->record);
}

static bool begin(struct ui *ui, const char *path, const struct ui_options *options, struct err *e)
{
	ui->cols = options->cols > 0 ? options->cols : 80;
	ui->rows = options->rows > 0 ? options->rows : 24;
	ui->mouse = true;
	ui->keymap = keymap_new();
	ui->theme = theme_default();
	ui->canvas = canvas_new(ui->cols, ui->rows);
	ui->loop = loop_new(e);
	if (!ui->loop)
		return false;
	ui->workers = workers_new(WORKERS, e);
	if (!ui->workers)
		return false;
	loop_add(ui->loop, workers_fd(ui->workers), on_workers, ui);
	set_read(ui);
	if (options->theme) {
		struct theme *t = theme_load(options->theme, e);
		if (!t)
			return false;
		theme_free(ui->theme);
		ui->theme = t;
	}
	return find_place(ui, path, e) && open_place(ui, e);
}

int ui_main(const char *path, const struct ui_options *options)
{
	static const struct ui_options none = { 0 };
	struct ui *ui = xcalloc(1, sizeof(*ui));
	struct err e = { 0 };
	int status = 0;

	heap_settle();
	heap_hold(4 << 20);
	options = options ? options : &none;
	if (!begin(ui, path, options, &e)) {
		status = 2;
	} else if (options->script) {
		visit_restore(ui);
		status = headless_run(ui, options, &e);
		visit_save(ui);
	}
	else if (!run_on_terminal(ui, &e))
		status = 2;
	if (e.code != ERR_NONE) {
		char *line = escape_text_dup(e.msg);
		fprintf(stderr, "tickmark: %s\n", line);
		free(line);
	} else if (status == 0 && !options->script) {
		say_what_runs(ui);
	}
	/* whoever writes now would make us wait, and settles the record himself when he ends */
	if (ui->ws && ui->running == 0)
		workspace_settle(ui->ws);
	ui_free(ui);
	free(ui);
	return status;
}
