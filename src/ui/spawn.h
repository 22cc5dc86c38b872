/*
 * Processes of the screen. What starts a run goes through the program itself (`tickmark run …`),
 * spawned in a session of its own: the screen has worker threads, and a fork without exec of a
 * process with threads, curses and blocked signals would hand all of that to the runner.
 */
#ifndef TICKMARK_UI_SPAWN_H
#define TICKMARK_UI_SPAWN_H

#include "screen.h"

struct spawn_end {
	int status;          /* exit status; -1: ended by a signal */
	const char *out;     /* first 4 KiB of stdout, NUL-terminated */
	const char *err;     /* last line of stderr */
};
typedef void (*spawn_fn)(struct ui *ui, void *ctx, const struct spawn_end *end);

struct spawn_spec {
	const char *const *argv;  /* NULL-terminated; argv[0] NULL-free. "tickmark": this program */
	const char *input;        /* file for stdin; NULL: none */
	const char *cwd;          /* NULL: ours */
	bool quiet;               /* stdout is not wanted */
	bool run;                 /* it takes a turn (turns.h) as long as it goes on */
	spawn_fn done;            /* frees ctx; the child counts no more */
	void *ctx;
};
bool spawn_start(struct ui *ui, const struct spawn_spec *spec, struct err *e);
size_t spawn_count(const struct ui *ui);
size_t spawn_runs(const struct ui *ui); /* of them, those that take a turn */
/* Lets go of all; they go on by themselves. */
void spawn_forget_all(struct ui *ui);

/* Runs a command with the terminal given back, and takes it again: `shell` is a line for sh to
 * which "$@" is added, args what it stands for. Returns its wait status, -1 with e when it could not
 * be started. */
int spawn_foreground(struct ui *ui, const char *shell, const char *const *args, struct err *e);

#endif
