/* What the files of the comparison share: compare.c finds the parts, compare_parts.c tells those that have
 * no bytes of their own, compare_bytes.c reads the others. */
#ifndef TICKMARK_MODEL_COMPARING_H
#define TICKMARK_MODEL_COMPARING_H

#include "model/compare.h"

#include "query_private.h"
#include "text/diffrows.h"

struct comparing {
	struct query *query;       /* NULL: plain files */
	struct detail side[2];
	char *path[2];             /* plain files; owned */
	struct compare_item *items;
	size_t n, cap;
	struct buf bytes[2];       /* of the item read last */
};

/* compare_parts.c: rows of a part that is a set of facts. Rows are made even where all is the same; then
 * there are none. */
void compare_parts_rows(struct comparing *c, enum compare_part part, struct diffrows *out);
/* Whether it has rows. */
bool compare_parts_differ(struct comparing *c, enum compare_part part);

/* compare_bytes.c: reads one side of an item into c->bytes[side]; ERR_LIMIT over COMPARE_MOST. */
bool compare_bytes_read(struct comparing *c, const struct compare_item *item, int side, struct err *e);

#endif
