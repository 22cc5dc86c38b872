/* The attachments of a record, as a list of copies. */
#ifndef TICKMARK_MODEL_ATTACHMENTS_H
#define TICKMARK_MODEL_ATTACHMENTS_H

#include "private.h"

struct attachments {
	struct attachment *v; /* owned with its strings; newest event of each name */
	size_t n, cap;
};

bool attachments_load(struct store *st, struct attachments *out, struct err *e);
void attachments_free(struct attachments *a);
const struct attachment *attachments_find(const struct attachments *a, const char *name); /* NULL: none */
void attachments_hash(const struct attachments *a, struct hasher *h);

#endif
