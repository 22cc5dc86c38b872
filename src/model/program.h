/*
 * program: runs one of the user's own programs outside the sandbox, with bytes on its stdin and its stdout
 * taken. Only what the user's settings or a fixed name says is ever run this way.
 */
#ifndef TICKMARK_MODEL_PROGRAM_H
#define TICKMARK_MODEL_PROGRAM_H

#include "base.h"

struct program {
	char *const *argv;     /* looked up in PATH */
	const void *in;
	size_t in_len;
	size_t out_most;       /* more on stdout ends it: ERR_LIMIT */
	const char *cwd;       /* NULL: ours */
	bool foreground;       /* it keeps our terminal, Ctrl-C reaches it, and its stderr is ours */
};
/* Unless it is in the foreground it has no terminal (a session of its own), and the first of its stderr goes into
 * `said` when that is not NULL. *status as waitpid gives it. False when it could not be run. */
bool program_run(const struct program *p, struct buf *out, struct buf *said, int *status, struct err *e);

#endif
