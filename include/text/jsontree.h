/*
 * text/jsontree: a JSON text as rows that fold: one for each value, in order, each as it stands in the file
 * (numbers are not read, members that occur twice stay two).
 */
#ifndef TICKMARK_TEXT_JSONTREE_H
#define TICKMARK_TEXT_JSONTREE_H

#include "base.h"

#define JSONTREE_MOST (2 << 20) /* values; a text with more is no tree */
#define JSONTREE_DEPTH 2048     /* what jansson reads */

struct json_row {
	uint32_t start, len;         /* of the value, in the text */
	uint32_t key_start, key_len; /* of its name without quotes; len 0 also for the empty name: see named */
	uint32_t parent;             /* row; of the first itself */
	uint32_t next;               /* the row behind all that is in it */
	uint32_t count;              /* members or elements in it */
	uint16_t depth;
	bool named;                  /* a member of an object */
	bool folded;
	char kind;                   /* '{' '[' '"', 'n' for a number, true, false, null */
};
struct json_tree {
	struct json_row *rows;       /* owned; the first is the whole */
	size_t n;
};

/* The text must be one that json_read takes, and stays the caller's. False: it is not, or there are too many values. */
bool json_tree_read(const char *p, size_t n, struct json_tree *out);
void json_tree_free(struct json_tree *t);
bool json_row_folds(const struct json_row *r);
/* The row below (1) or above (-1) that is shown; false: there is none, *row stays. */
bool json_tree_step(const struct json_tree *t, size_t *row, int dir);
/* The last row that is shown. */
size_t json_tree_last(const struct json_tree *t);
/* Unfolds what a row lies in. */
void json_tree_show(struct json_tree *t, size_t row);
/* Folds or unfolds everything in `row`, itself too (folding the whole leaves its own members to be seen). */
void json_tree_fold_all(struct json_tree *t, size_t row, bool fold);
/* Adds the step to a member: .name, and ["a name"] where it is no word. One way for all who name a place in JSON. */
void json_path_member(struct buf *out, const char *name, size_t n);
/* "$.limits[2].name": where a row stands. */
void json_tree_path(const struct json_tree *t, const char *text, size_t row, struct buf *out);

#endif
