/* What the files that read the record share. */
#ifndef TICKMARK_MODEL_QUERY_PRIVATE_H
#define TICKMARK_MODEL_QUERY_PRIVATE_H

#include "model/query.h"
#include "private.h"

struct query {
	struct workspace *ws;  /* whose record it is; NULL: evidence. Not owned */
	struct store *store;   /* owned; for reading */
	struct cancel cancel;  /* of comparing files */
};

/* State of an attempt without an end, as far as it can be told from here. */
enum outcome query_state(struct query *q, const struct attempt_row *row);

#endif
