/*
 * model/run: running, repeating, stopping. One attempt has one runner process, forked here, in a
 * session of its own; it alone writes that attempt. The pipe to it carries stream bytes and the end
 * as a hint for the one who waits; the record is the truth.
 */
#ifndef TICKMARK_MODEL_RUN_H
#define TICKMARK_MODEL_RUN_H

#include "model.h"

struct query;

struct run_request {
	/* what: exactly one of */
	const char *script;          /* path of a script file, as the user gave it, relative to the current folder */
	const void *code;            /* bytes from a pipe or a client … */
	size_t code_len;
	const char *code_name;       /* … and the name they get ("stdin.py"; NULL: that one) */
	int64_t rerun_of;            /* attempt whose recorded code runs on the files of now */
	int64_t check_of;            /* attempt to repeat on recorded inputs and policy */

	char *const *args;           /* NULL-terminated; NULL: none (rerun and check: the recorded ones) */
	const char *title;           /* NULL: the script's first comment */
	const char *purpose;
	int64_t step;                /* number of the step this is an attempt of; 0: by script path, or a new one */
	int64_t retry_of;            /* attempt (id) that this corrects: the next attempt of its step; 0 */
	bool new_step;               /* always a new step */
	struct asker asker;          /* name NULL: the person of the settings */
	const char *python;          /* NULL: by rule */
	char *const *env;            /* NAME=VALUE, recorded; NULL-terminated or NULL */
	char *const *secret_env;     /* NAME=VALUE, only the name recorded */
	struct { const char *name; int64_t value; } limits[16]; /* overrides; name NULL ends the list */
	const char *vary;            /* checks: "hashseed=N"; NULL */
	char *const *calls;          /* identifiers that the client gave with its call, "name=value", recorded;
	                              * NULL-terminated or NULL */
	bool detach;                 /* nobody will read the pipe */
};

struct run; /* one started run, as its front sees it */

/* Does everything up to "queued" that can fail for the user's reasons, then forks the runner.
 * Must be called without other threads, and with every
 * query closed: a connection must not be carried over a fork. */
struct run *run_start(struct workspace *ws, const struct run_request *req, struct err *e);
/* The same without waiting for "queued": for fronts that must never wait. What run_start would fail of
 * comes as an error of run_next before RUN_QUEUED; remarks are whole from RUN_QUEUED on. */
struct run *run_launch(struct workspace *ws, const struct run_request *req, struct err *e);
/* Many of them follow: what this process has read before is not to cost each of its runners. */
void run_many(struct workspace *ws);
/* Readable when there is something; for poll loops. -1 when detached. */
int run_fd(const struct run *r);

struct run_event {
	enum { RUN_QUEUED, RUN_BYTES, RUN_ENDED, RUN_GONE } kind; /* GONE: the runner vanished */
	int64_t attempt;             /* id, from QUEUED on */
	enum stream_id stream;       /* BYTES */
	const void *bytes;           /* valid until the next call */
	size_t len;
};
/* Waits for the next event (timeout_ms -1: for ever; 0 poll). 1 event, 0 time-out, -1 error. */
int run_next(struct run *r, struct run_event *ev, int timeout_ms, struct err *e);
/* Stops it: outcome `stopped`, `by` recorded ("person jm (Ctrl-C)"). Needs no record. */
void run_stop(struct run *r, const char *by);
/* After RUN_ENDED: waits until the runner has brought its record into the one file, a moment as a rule. What
 * is to be said of the end is best said before. */
void run_settle(struct run *r);
/* Lets go: a run that has not ended goes on. */
void run_free(struct run *r);

/* Lines for people about what the run will see that is not the plain file ("schedule.csv: from 3.1,
 * not the folder"), valid after run_start until run_free; NULL-terminated. */
char *const *run_remarks(const struct run *r);

/* ---- others' runs (control.c) ---------------------------------------------------------------- */

/* Whether the runner of an unended attempt is alive: by lock, on the same host, boot and record. */
enum runner_state { RUNNER_ALIVE, RUNNER_GONE, RUNNER_UNKNOWN }; /* unknown: other host, or a copy */
enum runner_state run_state(struct workspace *ws, int64_t attempt, struct err *e);
/* SIGTERM to the runner after pid, start time and lock were checked; needs no record when the
 * reference is found in .tickmark/run. ERR_NOTFOUND: it is not running. */
bool run_stop_attempt(struct workspace *ws, int64_t attempt, const char *by, struct err *e);
bool run_stop_all(struct workspace *ws, const char *by, int64_t *stopped, struct err *e);
/* Waits until it has an end (timeout_ms -1: for ever); false with ERR_BUSY: still running. */
bool run_wait(struct workspace *ws, int64_t attempt, int64_t timeout_ms, struct err *e);
/* Writes `interrupted` for every attempt of this host and record whose runner is gone; whoever opens
 * a workspace calls it. *n: how many. */
bool run_reap(struct workspace *ws, int64_t *n, struct err *e);
/* Whether it may have something to do, by reading alone: an attempt has no end, or a runner left a file. */
bool run_reap_due(struct workspace *ws, struct query *q);

#endif
