/* What the files of the command diff share: cmd_diff.c decides, diff_print.c and diff_json.c write. */
#ifndef TICKMARK_CLI_DIFFING_H
#define TICKMARK_CLI_DIFFING_H

#include "cmd.h"
#include "model/compare.h"
#include "text/diffrows.h"

struct diffing {
	struct cmd *c;
	struct comparing *cmp;
	struct diffrows_options options;
	bool words, side_by_side;
	size_t width;   /* of side by side */
	bool headed;    /* the two names stand before the item's first hunk */
};

/* One item that differs, as text. */
void diff_print_item(struct diffing *d, const struct compare_item *x, const char *type, const struct diffrows *r);
/* The same into a document, rows included. */
void diff_json_item(struct json_writer *w, const struct compare_item *x, const char *type, const struct diffrows *r);
/* "file tiv.csv", "stdout", "file a.txt -> b.txt"; owned. */
char *diff_item_name(const struct compare_item *x);

#endif
