/* manifest: sets of files, for those who are inside a transaction already. */
#ifndef TICKMARK_STORE_MANIFEST_H
#define TICKMARK_STORE_MANIFEST_H

#include "db.h"

/* store_manifest_put inside a transaction; `hash` is the set's (of a large one computed before). */
bool manifest_put(struct store *st, const struct entry *entries, size_t n, const struct digest *hash, int64_t base,
                  int64_t *id, struct err *e);
/* Content at `path` in a set, through its chain, without loading it; zero: none. */
bool manifest_at(struct store *st, int64_t id, const char *path, struct digest *out, struct err *e);

#endif
