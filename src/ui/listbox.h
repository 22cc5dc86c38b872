/*
 * A list of any length. It knows rows only by keys and asks its source for the neighbours of a key,
 * so it never counts, never holds more than a screenful, and what comes or goes elsewhere in the
 * list moves nothing on the screen.
 */
#ifndef TICKMARK_UI_LISTBOX_H
#define TICKMARK_UI_LISTBOX_H

#include "base.h"

/* What a key means is the source's own affair; equal bytes are the same row. */
struct list_key { int64_t v[4]; };

struct list_ops {
	/* The first (dir 1) or last (dir -1) row; false: the list is empty. */
	bool (*end)(void *ctx, int dir, struct list_key *out);
	/* Moves *key to its neighbour; false at the end, *key stays. A key whose row is gone moves to the
	 * nearest that is there. */
	bool (*step)(void *ctx, struct list_key *key, int dir);
	/* Below, at or above: like memcmp. */
	int (*compare)(void *ctx, const struct list_key *a, const struct list_key *b);
};

struct listbox {
	const struct list_ops *ops;
	void *ctx;
	struct list_key top;    /* first row on the screen */
	struct list_key cursor; /* the row that keys act on */
	bool placed;            /* the two are set */
	int height;             /* rows of the screen, by the last listbox_rows */
};

void listbox_init(struct listbox *l, const struct list_ops *ops, void *ctx);
bool listbox_key_equal(const struct list_key *a, const struct list_key *b);
/* Each returns true when the cursor moved. */
bool listbox_move(struct listbox *l, int64_t rows);
bool listbox_page(struct listbox *l, int rows); /* the screen moves along */
bool listbox_end(struct listbox *l, int dir);
void listbox_select(struct listbox *l, const struct list_key *key);
/* Scrolls without moving the cursor, as far as it stays visible. */
bool listbox_scroll(struct listbox *l, int rows);
/* The keys of the rows on a screen of `height` rows, at most `height`; brings the cursor into view
 * and leaves no empty rows at the end where there are rows above. */
size_t listbox_rows(struct listbox *l, int height, struct list_key *out);
/* The same without its cursor, when the cursor's row may have vanished: checks it. */
void listbox_validate(struct listbox *l);

/* A list that is an array: key v[0] is the index. */
struct list_array { size_t n; };
extern const struct list_ops list_array_ops; /* ctx: struct list_array */

#endif
