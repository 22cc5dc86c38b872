/* tally: the rebuildable tables, kept inside the transactions that write the facts. */
#ifndef TICKMARK_STORE_TALLY_H
#define TICKMARK_STORE_TALLY_H

#include "db.h"

/* An attempt was queued; `new_step` when it is the first of its step. */
bool tally_queued(struct store *st, const struct attempt *a, bool new_step, struct err *e);
/* An attempt ended; `with` holds its artifacts. */
bool tally_ended(struct store *st, const struct attempt *a, const struct attempt_end *end,
                 const struct end_with *with, struct err *e);

/* A mark is about to be added: what counted for the step of its attempt so far. */
struct tally_review {
	int64_t attempt, step;
	enum judgement counted;
};
bool tally_review_begin(struct store *st, int64_t attempt, struct tally_review *out, struct err *e);
/* It was added. */
bool tally_marked(struct store *st, const struct tally_review *before, int64_t mark, struct err *e);
/* All of them anew from the facts, after some of these were pruned. */
bool tally_rebuild(struct store *st, struct err *e);
/* Something was said of an attempt: lists that show it look again. */
bool tally_touched(struct store *st, int64_t attempt, struct err *e);

#endif
