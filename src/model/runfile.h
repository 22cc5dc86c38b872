/*
 * runfile: `.tickmark/run/<attempt uuid>`, the sign of life of a runner. It holds an OFD write lock
 * on it until the attempt's end is in the record. What the file says is only believed while locked.
 */
#ifndef TICKMARK_MODEL_RUNFILE_H
#define TICKMARK_MODEL_RUNFILE_H

#include "private.h"

struct runfile {
	struct uuid uuid;
	pid_t pid;
	int64_t pid_start;     /* field 22 of /proc/PID/stat */
	int64_t attempt;       /* id; 0: not queued yet */
	int64_t device, inode; /* of the record */
	int64_t started_us;    /* when its program was let go; 0: not known */
};

/* The runner's own: appears locked, or not at all. -1 on failure; the fd holds the lock. */
int runfile_make(struct workspace *ws, const struct uuid *u, struct err *e);
bool runfile_queued(int fd, const struct uuid *u, int64_t attempt, int64_t started_us, const char *record, struct err *e);
void runfile_remove(struct workspace *ws, const struct uuid *u);

/* The same sign for who is no runner and only brings contents in: what has come in of them is not taken for a dead
 * one's. It names no process, so nobody stops it. The fd, for runfile_end_life (which takes -1 too); -1 on failure. */
int runfile_show_life(struct workspace *ws, const struct uuid *u, struct err *e);
void runfile_end_life(struct workspace *ws, const struct uuid *u, int fd);

/* Takes the lock of a runner that is gone (making the file when it is not there), so that nobody
 * else speaks for it: fd, or -1 with ERR_BUSY while its runner lives. */
int runfile_take(struct workspace *ws, const struct uuid *u, struct err *e);
/* Whether somebody holds it. */
bool runfile_is_held(struct workspace *ws, const struct uuid *u);
/* Reads one; false when there is none or it says nothing. */
bool runfile_read(struct workspace *ws, const struct uuid *u, struct runfile *out);
/* Whether its process is the one that wrote it: the number may mean another one by now, or elsewhere. */
bool runfile_is_of_process(const struct runfile *r);
/* All that are held. */
bool runfile_each(struct workspace *ws, bool (*fn)(void *ctx, const struct runfile *r), void *ctx, struct err *e);
/* The folder can be read, and nothing is in it. */
bool runfile_none(struct workspace *ws);
/* Removes what dead runners left; *n counts. */
bool runfile_sweep(struct workspace *ws, int64_t *n, struct err *e);

/* SIGTERM to its runner, after pid and start time were checked; `by` goes into a file beside it. */
bool runfile_stop(struct workspace *ws, const struct runfile *r, const char *by, struct err *e);
/* What that file says, and removes it; owned; NULL: nothing. */
char *runfile_take_reason(struct workspace *ws, const struct uuid *u);

#endif
