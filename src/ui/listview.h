/*
 * A list as it stands on the screen: which rows are where, the mouse on them, moving, and searching in it.
 * A view that is a list has one, and says by its listview_ops how a row is drawn and whether it holds what
 * is searched for; screen.c sends it the keys, clicks and idle time that the view does not take itself.
 *
 * A search goes along the rows from the cursor and once around, in slices while no key waits. A filter leaves
 * only the rows that fit an expression on the screen, and searches and moves go along those (listfilter.c).
 */
#ifndef TICKMARK_UI_LISTVIEW_H
#define TICKMARK_UI_LISTVIEW_H

#include "canvas.h"
#include "keys.h"
#include "listbox.h"
#include "text/search.h"

struct event;
struct view;

enum row_answer {
	ROW_LACKS,
	ROW_HOLDS,
	ROW_UNDECIDED, /* the expression is too costly for it */
	ROW_GOES_ON,   /* it is long: ask again */
};

enum row_part {
	PART_ROW,
	PART_HEAD, /* stays when a row below it stays, or it fits itself */
	PART_MORE, /* goes on with the row above, and fits as that does: not counted */
	PART_GAP,  /* stands for what was not looked at: stays, and is not counted */
};

struct listview_ops {
	void (*draw_row)(struct view *v, const struct list_key *key, struct canvas *c, struct rect r, int y);
	enum row_answer (*holds)(struct view *v, const struct list_key *key, struct search *s); /* NULL: not searched */
	const struct list_ops *all; /* rows that a search looks at, of the same source; NULL: those of the list */
	/* Holds what the rows come from while a slice of a search goes on, and lets go of it; NULL: nothing to hold. */
	void (*hold)(struct view *v, bool on);
	void (*land)(struct view *v, const struct list_key *key); /* goes to a row that was found; NULL: selects it */
	/* Whether a filter leaves it on the screen; NULL: whether it holds the expression. */
	enum row_answer (*fits)(struct view *v, const struct list_key *key, struct search *s);
	/* What it is to a filter; NULL: a row. */
	enum row_part (*part)(struct view *v, const struct list_key *key);
	bool filters;               /* f shows only what fits an expression; who changes the rows calls listview_filter_again */
	/* Whether x of a row is its marker, which a click opens; NULL: none has one. */
	bool (*marker)(struct view *v, const struct list_key *key, int x);
	const char *where;          /* "'x' is not ON THIS PAGE" */
	/* Whether the row with the cursor has but its sign and keeps its look: draw_row shows a cursor in it, or it is a
	 * picture. NULL: no row does. */
	bool (*keeps_look)(struct view *v, const struct list_key *key);
	bool acts;                  /* Enter starts something: a second click must not */
};

struct listview {
	const struct listview_ops *ops;
	struct listbox box;
	struct list_key *keys; /* owned: of the rows drawn last */
	size_t keys_n, keys_cap;
	int y;                 /* where the first of them stands */
	struct search *search; /* what is looked for and highlighted; NULL: nothing */
	char *pattern;         /* owned */
	int64_t searches;      /* how many there were: what an earlier one found is void */
	struct {
		bool on, wrapped, again; /* again: the row `at` goes on */
		int dir;
		struct list_key from, at;
		int64_t undecided; /* rows */
	} hunt;                /* the search under way */
	struct listfilter *filter; /* owned; NULL: all rows are shown */
};

void listview_init(struct listview *l, const struct listview_ops *ops, const struct list_ops *rows, void *ctx);
void listview_done(struct listview *l);
/* Whether a text of a row is what is searched for. */
enum row_answer row_has(struct search *s, const char *p, size_t n);
/* Draws the rows that there is room for, and the cursor. 0: the list is empty, and nothing was drawn. */
size_t listview_draw(struct view *v, struct listview *l, struct canvas *c, struct rect r);
unsigned listview_mouse(struct view *v, struct listview *l, const struct event *ev);
/* Keys that move, n, N, Esc, Ctrl-C. */
unsigned listview_command(struct view *v, struct listview *l, enum command id, const char *arg);
void listview_search(struct view *v, struct listview *l, const char *pattern);
unsigned listview_idle(struct view *v, struct listview *l, bool *more);
/* Selects a row, and shows all rows again where the filter left it out. */
void listview_go(struct view *v, struct listview *l, const struct list_key *key);

/* ---- the filter (listfilter.c) ---- */

/* Only rows that fit `pattern`; "" shows all again, where the cursor is. */
void listview_filter(struct view *v, struct listview *l, const char *pattern);
unsigned listview_filter_ask(struct view *v, struct listview *l, const char *arg);
/* The rows are others than they were: finds anew which fit. */
void listview_filter_again(struct view *v, struct listview *l);
bool listview_is_filtered(const struct listview *l);
/* The expression that rows are chosen or searched by; NULL: none. */
struct search *listview_wanted(const struct listview *l);
bool listview_keeps(const struct listview *l, const struct list_key *key);
/* A slice of looking at rows. */
unsigned listview_filter_idle(struct view *v, struct listview *l, bool *more);
unsigned listview_filter_cancel(struct view *v, struct listview *l);
/* "12 of 3400 match x"; nothing without a filter. */
void listview_filter_text(const struct listview *l, struct buf *out);
void listview_filter_brief(const struct listview *l, struct buf *out); /* " 12/3400" */
/* What stands in place of rows when none stays; NULL: some do. */
const char *listview_filter_none(const struct listview *l);
void listview_filter_free(struct listview *l);

#endif
