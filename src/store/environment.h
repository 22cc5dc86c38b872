/* environment: rows that attempts share (environment, policy, asker, place), each kept once; all
 * inside a transaction. */
#ifndef TICKMARK_STORE_ENVIRONMENT_H
#define TICKMARK_STORE_ENVIRONMENT_H

#include "db.h"

bool environment_put(struct store *st, const struct environment *env, int64_t *id, struct err *e);
bool policy_put(struct store *st, const struct policy *p, int64_t *id, struct err *e);
bool asker_put(struct store *st, const struct asker *a, int64_t *id, struct err *e);
/* Host, boot, the folder as the run sees it, and the record file itself. */
bool place_put(struct store *st, const struct attempt *a, int64_t *id, struct err *e);

#endif
