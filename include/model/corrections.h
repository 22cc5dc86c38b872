/*
 * model/corrections: which attempts of a step correct which. Each that said so when it was asked for
 * (retry_of), and each that followed a failed one, as when a person edits the code of it.
 */
#ifndef TICKMARK_MODEL_CORRECTIONS_H
#define TICKMARK_MODEL_CORRECTIONS_H

#include "model/query.h"

struct correction {
	int64_t failed, attempt; /* ids: what is corrected, and what corrects it */
	struct asker by;         /* until the callback returns */
};
/* All of the step that the attempt is of, oldest first; false of `fn` stops. */
bool corrections_each(struct query *q, int64_t attempt, bool (*fn)(void *ctx, const struct correction *c), void *ctx,
                      struct err *e);

#endif
