/* queue, end: the begin and the end of an attempt, for those who are inside a transaction already. */
#ifndef TICKMARK_STORE_QUEUE_H
#define TICKMARK_STORE_QUEUE_H

#include "db.h"

/* store_attempt_queue; queued_us is set, `offered` the hash of with->offered. Sets go by their hash: an id that was
 * looked up before the transaction may be gone. */
bool queue_attempt(struct store *st, struct attempt *a, const struct queue_with *with, const struct digest *offered,
                   struct err *e);
/* store_attempt_end (end.c). */
bool end_attempt(struct store *st, struct attempt_end *end, const struct end_with *with, struct err *e);
/* All pieces of the streams of an attempt in another record (end.c). */
bool end_copy_chunks(struct store *st, const struct attempt *to, struct store *from, int64_t attempt, struct err *e);

#endif
