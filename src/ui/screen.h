/*
 * What the files of the screen share: the state of the whole (struct ui), what a view is, and how
 * commands reach it.
 *
 * A view is a const table of functions over a struct that begins with struct view. Views lie in a
 * stack; the top one has the keys. Handlers change state and return a mask of enum turn; ui_draw
 * alone draws, once per turn, into the canvas.
 */
#ifndef TICKMARK_UI_SCREEN_H
#define TICKMARK_UI_SCREEN_H

#include "canvas.h"
#include "keydec.h"
#include "keys.h"
#include "listview.h"
#include "loop.h"
#include "model.h"
#include "model/loads.h"
#include "model/query.h"
#include "model/review.h"
#include "model/run.h"
#include "model/source.h"
#include "model/watch.h"
#include "model/worker.h"
#include "prompt.h"
#include "term.h"
#include "theme.h"
#include "ui.h"

struct ui;
struct view;

/* What the keys that run, copy and save act on. */
struct subject {
	int64_t attempt;        /* id; 0: none */
	int64_t step;           /* number; 0: none */
	char ref[REF_TEXT];     /* "7.2"; "" */
	char *path;             /* an artifact of the attempt, or a file of the workspace; owned, NULL */
	bool artifact;          /* path is an artifact of the attempt */
	bool check;             /* it is a check */
	const char *section;    /* "code", "stdout", "stderr": where `line` is; NULL */
	int64_t line;           /* from 1; 0: none */
	bool kept;              /* lines are counted without what was not kept before it */
	char cell[256];         /* "B7" of a table, "Sheet1!B7", "$.limits[2]" of JSON; "" */
};
void subject_free(struct subject *s);

struct view_action {
	enum command id; /* CMD_NONE ends the table */
	unsigned (*run)(struct view *v, const char *arg);
};
struct view_hint {
	enum command id;  /* CMD_NONE ends the table */
	const char *word; /* "repeat" */
};

struct view_ops {
	const char *name;                  /* "Execution", as the help calls it */
	enum place place;                  /* whose keys */
	const struct view_action *actions; /* what it does itself; the rest is the screen's */
	/* It is a list: moved, clicked and searched by listview.c, unless the view does so itself; NULL. */
	struct listview *(*list)(struct view *v);
	unsigned (*command)(struct view *v, enum command id, const char *arg); /* asked last; NULL */
	const struct view_hint *hints;     /* keys of the last line */
	/* What stands there for one now; NULL: nothing. Without it, its word. */
	const char *(*hint_word)(struct view *v, const struct view_hint *h);
	void (*draw)(struct view *v, struct canvas *c, struct rect r);
	/* What the first line says: left, and right as far as there is room. */
	void (*title)(struct view *v, struct buf *left, struct buf *right);
	unsigned (*mouse)(struct view *v, const struct event *ev);  /* NULL: its list, or none */
	unsigned (*changed)(struct view *v, int64_t attempt);       /* news of an attempt (0: of anything); NULL */
	unsigned (*tick)(struct view *v);                           /* each second while something runs; NULL */
	unsigned (*idle)(struct view *v, bool *more);               /* a slice of long work, when no key waits; NULL */
	bool (*subject)(struct view *v, struct subject *out);       /* NULL: none */
	bool (*noted)(struct view *v, struct subject *out);         /* what a note is about; NULL: the subject */
	void (*search)(struct view *v, const char *pattern);        /* NULL: its list, if that can */
	void (*free)(struct view *v);
};
struct view {
	const struct view_ops *ops;
	struct ui *ui;
	struct rect area; /* where the last draw put it */
	bool unfocused;   /* a pane that does not have the keys */
};

struct notice {
	int64_t at_us;
	bool error;
	char *text; /* owned */
};

enum history { HISTORY_COMMAND, HISTORY_SEARCH, HISTORY_SAVE, HISTORY_NOTE, HISTORY_FILTER, HISTORY_COUNT };

#define UI_DEPTH 16      /* views over each other */
#define UI_MIN_COLS 20
#define UI_MIN_ROWS 5
#define UI_ACT_COLS 40     /* smaller ones start and stop nothing */
#define UI_ACT_ROWS 8
#define NOTICES_MAX 500

struct ui {
	struct terminal *term;        /* NULL: headless */
	struct loop *loop;
	struct canvas *canvas;
	struct theme *theme;
	struct keymap *keymap;
	int cols, rows;

	char *root;                   /* folder of the workspace, or the one that has none yet */
	char *record;                 /* path of the record; NULL: there is none yet */
	bool evidence;
	struct workspace *ws;         /* NULL: evidence, or no record yet */
	struct query *query;          /* NULL: no record yet */
	struct source_record *source; /* the same */
	struct workers *workers;
	struct watch *watch;          /* NULL: nothing can change */
	struct loads *loads;          /* of what runs; NULL: evidence, or no record yet */
	struct since_book *since;     /* the same */
	struct reading *converted;    /* the file that a reader was last asked about (converted.h); NULL */

	struct view *stack[UI_DEPTH];
	size_t depth;
	struct prompt *prompt;        /* NULL: none is open */
	struct strv histories[HISTORY_COUNT];
	struct notice *notices;       /* oldest first */
	size_t notices_n, notices_cap;
	struct buf copied;            /* what y copied last */
	struct strv copies;           /* files that o made for programs outside */
	int64_t picked;               /* attempt that D picked for a difference; 0: none */
	bool watch_failed;            /* said already */
	unsigned after_prompt;        /* masks of what an answer did */
	bool notice_fresh;            /* the last one is on the last line until the next key */
	bool mouse;

	struct spawned *children;     /* processes of ours (spawn.h) */
	struct chore *chores;         /* copying and reading files (chore.h) */
	struct turns *turns;          /* runs that wait for those (turns.h); NULL: none */
	enum tier isolation;          /* TIER_NONE: not known yet */
	char sandbox[80];             /* what the first line says of network and sandbox */
	struct review_opinion opinion; /* of the record as a whole */
	int64_t running;              /* attempts without an end */
	int64_t ended;                /* attempts and checks with an end: artifacts and inputs are final */
	int64_t newest;               /* highest attempt id seen */
	bool follow_new;              /* select what comes next: we started it */
	int64_t ticked_us;
	int status;                   /* exit status */
};

/* ---- screen.c: views, notices, drawing, dispatch ----------------------------------------------- */

void ui_push(struct ui *ui, struct view *v);
void ui_pop(struct ui *ui); /* closes the top view, never the lowest */
struct view *ui_top(struct ui *ui);
void ui_replace(struct ui *ui, struct view *v); /* the top view by another; the old one is gone */
void ui_notice(struct ui *ui, const char *fmt, ...) PRINTF(2, 3);
void ui_error(struct ui *ui, const char *fmt, ...) PRINTF(2, 3);
void ui_draw(struct ui *ui);
/* Draws and puts it on the terminal, if there is one. */
void ui_show(struct ui *ui, unsigned mask);
unsigned ui_event(struct ui *ui, const struct event *ev);
unsigned ui_resize(struct ui *ui, int cols, int rows);
unsigned ui_resize_to_terminal(struct ui *ui);
unsigned ui_command(struct ui *ui, enum command id, const char *arg);
unsigned ui_command_text(struct ui *ui, const char *text); /* ":…" */
/* Opens a prompt; ui owns it. `ctx` is handed to ops, and is no view: what workers bring may put another one in its
 * place before the answer, which is for ui_top then. */
void ui_ask(struct ui *ui, const struct prompt_ops *ops, void *ctx, const char *initial, enum history history);
/* Whether an expression that was typed is one; if not, it is asked for again, with what is wrong and the text kept,
 * and `done` gets the answer. */
bool ui_is_pattern(struct ui *ui, const char *text, void (*done)(void *ui, const char *text));
/* Tells every view. */
unsigned ui_changed(struct ui *ui, int64_t attempt);
bool ui_subject(struct ui *ui, struct subject *out);
bool ui_subject_of(struct ui *ui, enum command id, struct subject *out); /* what this command is about */
/* Draws the mark of the row that keys act on over a row already drawn. */
void view_mark_row(const struct view *v, struct canvas *c, struct rect r, int y);
/* Runs one of the view's own actions; TURN_UNHANDLED when it has none of that id. */
unsigned view_action(struct view *v, enum command id, const char *arg);
/* What the view does itself, else its list does. */
bool view_is_searched(struct view *v); /* it can be */
void view_search(struct view *v, const char *pattern);
unsigned view_mouse(struct view *v, const struct event *ev);
unsigned view_idle(struct view *v, bool *more);
unsigned view_tick(struct view *v);

/* ---- command.c: commands of the whole screen ------------------------------------------------------ */

extern const struct view_action ui_actions[];
void command_complete(void *ctx, const char *text, struct strv *out);

/* ---- acting on what is shown (act_*.c) ---------------------------------------------------------------- */

/* Hands bytes to the terminal's clipboard and says so. */
void ui_copy(struct ui *ui, const void *p, size_t n, const char *what);
unsigned act_copy(struct view *v, const char *arg);
unsigned act_save(struct view *v, const char *arg);
char *ui_path_for_reader(const struct ui *ui, const char *path); /* where what is saved under this name goes; owned */
unsigned act_outside(struct view *v, const char *arg);
void act_outside_forget(struct ui *ui); /* removes the copies that it made */
unsigned act_repeat(struct view *v, const char *arg);
unsigned act_rerun(struct view *v, const char *arg);
unsigned act_edit(struct view *v, const char *arg);
unsigned act_add(struct view *v, const char *arg);
unsigned act_stop(struct view *v, const char *arg);
/* Starts a rerun of the attempt, and of the later steps that follow. */
void act_rerun_start(struct ui *ui, const char *ref, bool later_too);
unsigned act_diff(struct view *v, const char *arg);
unsigned act_diff_pick(struct view *v, const char *arg);
unsigned act_corrections(struct view *v, const char *arg);
unsigned act_mark(struct view *v, const char *arg);
unsigned act_note(struct view *v, const char *arg);
unsigned act_dossier(struct view *v, const char *arg);
unsigned act_queue(struct view *v, const char *arg);
unsigned act_next_review(struct view *v, const char *arg);
unsigned act_prev_review(struct view *v, const char *arg);
unsigned act_report(struct view *v, const char *arg);
unsigned act_search_record(struct view *v, const char *arg); /* view_found.c */
/* Code that somebody drafted goes into the editor, and from there into a new step if the user says so. */
unsigned act_drafted(struct ui *ui, const struct buf *code, const char *purpose);
unsigned act_ask(struct view *v, const char *arg);
/* Asks for the review file that `id` needs in evidence, and does it there. */
unsigned act_begin_review(struct ui *ui, enum command id, const char *arg);
unsigned act_tell(struct view *v, const char *arg);

/* ---- the views --------------------------------------------------------------------------------------- */

struct view *view_panes_new(struct ui *ui);
enum pane_id { PANE_WORKSPACE, PANE_EXECUTION, PANE_ARTIFACTS, PANE_COUNT };
unsigned view_panes_focus(struct view *v, enum pane_id pane);
/* Shows an attempt in the Execution pane; unfolded, unless it is a check. */
void view_panes_select(struct view *v, int64_t attempt, bool unfold);
void view_panes_goto(struct view *v, int64_t step);
/* What comes back at the next visit, as lines, and one of them back (visit.h). */
void view_panes_visit(struct view *v, struct buf *out);
void view_panes_revisit(struct view *v, const char *line);
struct view *view_dossier_new(struct ui *ui, int64_t attempt, struct err *e);
bool view_is_dossier(const struct view *v);
void view_dossier_show(struct view *v, int64_t attempt); /* another one, in its place */
/* Goes to the line, file or section; false: there is no such place on the page. */
bool view_dossier_go(struct view *v, const struct subject *s);
/* By sample and seed of the request; `step` is chosen at first, 0: the worst. */
struct view *view_queue_new(struct ui *ui, const struct queue_request *r, int64_t step);
/* What a queue was drawn by; false: this is none. */
bool view_queue_drawn(struct view *v, struct queue_request *out);
/* The attempt beside `step` in the queue, which goes there; 0: none. False: this is no queue. */
bool view_queue_beside(struct view *v, int64_t step, int dir, int64_t *attempt);
struct view *view_help_new(struct ui *ui, struct view *of);
struct view *view_notices_new(struct ui *ui);
struct view *view_start_new(struct ui *ui); /* "No record here" */
struct view *view_diff_new(struct ui *ui, int64_t left, int64_t right); /* ids of attempts or checks */
/* Each correction of the attempt's step, against what it corrects: code and error. */
struct view *view_corrections_new(struct ui *ui, int64_t attempt);
/* An input as the attempt saw it, against the file of now. */
struct view *view_diff_input_new(struct ui *ui, int64_t attempt, const char *path);
struct view *view_rerun_new(struct ui *ui, const struct subject *s, int64_t step);

/* ---- opening (ui.c) ------------------------------------------------------------------------------------ */

/* Opens what ui->root or ui->record name, and starts to watch it. */
bool ui_open_record(struct ui *ui, struct err *e);
void ui_close_record(struct ui *ui);
/* Leaves the record that is open for the one at `path`. */
bool ui_reopen(struct ui *ui, const char *path, struct err *e);
/* Once a second while something runs: what it uses, and everything that shows time. */
unsigned ui_tick(struct ui *ui);
/* Reads what the watch has, reaps children, counts what runs. */
unsigned ui_poll_record(struct ui *ui);

#endif
