/*
 * Work on files that may take longer than a frame: a worker does it with a connection of its own to the record,
 * the last line says what goes on, Ctrl-C ends it.
 */
#ifndef TICKMARK_UI_CHORE_H
#define TICKMARK_UI_CHORE_H

#include "screen.h"

#define CHORE_BYTES ((int64_t)1 << 20) /* what is not larger is done at once */

struct chore_ops {
	/* In a worker, or here. The query ends what it copies when the chore is cancelled; NULL: the chore asked for
	 * none. False: e says why not. */
	bool (*run)(void *ctx, struct query *q, struct err *e);
	void (*done)(struct ui *ui, void *ctx, bool ok, const struct err *e); /* frees ctx */
};

/* `what` as in "saving x"; `bytes` it is about. */
void chore_start(struct ui *ui, const struct chore_ops *ops, void *ctx, int64_t bytes, const char *what);
/* Ends what is under way; false: nothing is. */
bool chore_cancel(struct ui *ui);
/* What is under way, one of them; NULL. Valid until it ends. */
const char *chore_what(const struct ui *ui);

#endif
