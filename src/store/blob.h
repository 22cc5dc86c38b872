/* blob: contents, for those who are inside a transaction already. */
#ifndef TICKMARK_STORE_BLOB_H
#define TICKMARK_STORE_BLOB_H

#include "db.h"

#define BLOB_CHUNK_BITS 24 /* of a chunk's id, for its place in the blob */

/* Id of a content that is kept; 0: it is not. */
bool blob_find(struct store *st, const struct digest *d, int64_t *id, int64_t *size, struct err *e);
/* Keeps bytes of any size. Inside a transaction. */
bool blob_put(struct store *st, const void *p, size_t n, struct digest *out, int64_t *id, struct err *e);

#endif
