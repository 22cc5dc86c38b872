/* tally: the rebuildable tables, kept inside the transactions that write the facts. */
#ifndef TICKMARK_STORE_TALLY_H
#define TICKMARK_STORE_TALLY_H

#include "db.h"

/* An attempt was queued; `new_step` when it is the first of its step. */
bool tally_queued(struct store *st, const struct attempt *a, bool new_step, struct err *e);
/* An attempt ended; `with` holds its artifacts. */
bool tally_ended(struct store *st, const struct attempt *a, const struct attempt_end *end,
                 const struct end_with *with, struct err *e);

#endif
