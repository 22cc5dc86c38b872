/* pack: a copy of a record without some attempts. */
#ifndef TICKMARK_STORE_PACK_H
#define TICKMARK_STORE_PACK_H

#include "store/keep.h"

/* Makes a record of the empty file `file` through `to`, which it connects and the caller disconnects. *all: the rule
 * leaves nothing out, and nothing was written. */
bool pack_chosen(struct store *st, struct store *to, const char *file, const struct prune_rule *rule, struct prune_result *left,
                 bool *all, struct err *e);

#endif
