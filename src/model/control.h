/* control: whether an attempt goes on, for whoever has its row at hand. */
#ifndef TICKMARK_MODEL_CONTROL_H
#define TICKMARK_MODEL_CONTROL_H

#include "model/run.h"
#include "private.h"

struct control_row {
	struct uuid uuid;
	const char *host;
	const char *boot_id;
	int64_t device, inode;
};
enum runner_state control_state(struct workspace *ws, const struct control_row *row);

/* Whether an end is recorded. */
bool control_has_end(struct workspace *ws, int64_t attempt, bool *ended, struct err *e);

#endif
