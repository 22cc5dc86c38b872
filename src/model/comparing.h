/* What the files of the comparison share: compare.c finds the parts, compare_parts.c tells those that have
 * no bytes of their own, compare_bytes.c reads the others. */
#ifndef TICKMARK_MODEL_COMPARING_H
#define TICKMARK_MODEL_COMPARING_H

#include "model/compare.h"

#include "query_private.h"
#include "text/diffrows.h"

struct comparing {
	struct query *query;       /* NULL: plain files */
	struct workspace *ws;      /* where readers may keep what they read; NULL */
	struct detail side[2];
	char *path[2];             /* plain files; owned */
	struct compare_item *items;
	size_t n, cap;
	struct buf bytes[2];       /* of the item read last */
	bool is_now;               /* inputs of the left one against what stands at their paths now … */
	char **now;                /* … the file of each item; NULL: a content of the record; owned */
	size_t now_n;
};

/* compare.c */
struct compare_item *compare_add(struct comparing *c, enum compare_part part, const char *name);
void compare_fill(struct compare_item *x, int side, const struct entry *f);
/* What changed is how it came about or its mode: nobody must be told that its contents are others. */
bool compare_has_same_bytes(const struct compare_item *x);

/* compare_parts.c: rows of a part that is a set of facts. Rows are made even where all is the same; then
 * there are none. */
void compare_parts_rows(struct comparing *c, enum compare_part part, struct diffrows *out);
/* Whether it has rows. */
bool compare_parts_differ(struct comparing *c, enum compare_part part);

/* compare_now.c: "changed since: a.csv; missing now: b.csv" */
void compare_tell_now(const struct comparing *c, struct buf *out);

/* compare_bytes.c: reads one side of an item into c->bytes[side]; ERR_LIMIT over COMPARE_MOST. */
bool compare_bytes_read(struct comparing *c, const struct compare_item *item, int side, struct err *e);

#endif
