/*
 * What the files of the difference view share: view_diff.c moves, diff_act.c acts, diff_load.c makes the parts in a
 * worker, diff_layout.c makes lines of them, diff_draw.c and diff_picture.c put those on the canvas.
 *
 * A part comes as a message of its own, with the bytes that its rows point at. The lines of the screen
 * are an array over all parts, made anew when a part comes or the layout changes.
 */
#ifndef TICKMARK_UI_DIFFVIEW_H
#define TICKMARK_UI_DIFFVIEW_H

#include "pane.h"
#include "section.h"
#include "model/compare.h"
#include "text/diffrows.h"

struct diff_part {
	int64_t left, right;     /* attempts that it is of */
	char *pair;              /* of a chain: "7.1 -> 7.2, by assistant helper"; owned, NULL */
	struct comparing *cmp;   /* owned: rows point into its bytes */
	struct compare_item item;
	struct diffrows rows;
	const char *type;
	struct diff_note *notes; /* on this part, of both sides; owned */
	size_t notes_n;
	int32_t first;           /* row that the verdict names as where it differs first; -1: none */
	bool failed;
	struct err e;
};

/* Where somebody noted something. */
struct diff_note {
	int side;
	int64_t line;            /* 0: none */
	char *cell;              /* owned; NULL: none */
};

/* A line: a part's head, one row, two beside each other, or a line of pictures. */
struct diff_line_at {
	uint32_t part;
	int32_t left, right;     /* rows of the part; -1 none. Equal: one row across */
	bool head;
	uint16_t picture;        /* line of both pictures, from 1; 0: none */
};

struct diff_view {
	struct view view;
	int64_t left, right;
	int64_t chain;           /* all corrections of this attempt's step, instead of left and right; 0 */
	char *input;             /* path: as left saw it, and what stands there now; NULL */
	char ref[2][REF_TEXT];
	char *sentence;          /* NULL until the first news */
	struct diff_part *parts; /* owned */
	size_t parts_n, parts_cap;
	struct diff_line_at *lines;
	size_t lines_cap;
	struct list_array shown; /* how many lines there are */
	struct listview list;
	size_t wanted;           /* line to go to as soon as it is there again; 0: none */
	int width, height;       /* of the last draw, which pictures are sized to */
	int number_cols;         /* cells of a line number and the blank behind it */
	int64_t side;            /* cells scrolled to the right */
	bool beside;             /* side by side */
	bool fold_space;
	uint32_t context;
	bool done, differs, failed;
	bool check;              /* the right one repeats the left one */
	struct err e;
	struct diff_work *work;  /* NULL: none runs */
};

static inline struct diff_view *diff_of(struct view *v)
{
	return (struct diff_view *)v;
}

/* The line that keys act on; 0 where there is none. */
static inline size_t diff_cursor(const struct diff_view *d)
{
	return d->shown.n && d->list.box.placed ? MIN((size_t)d->list.box.cursor.v[0], d->shown.n - 1) : 0;
}

/* ---- diff_load.c ---- */

/* Forgets the parts and makes them anew; the cursor stays as near as it can. */
void diff_load(struct diff_view *d);
void diff_load_stop(struct diff_view *d);
void diff_parts_free(struct diff_view *d);
void diff_part_free(struct diff_part *p);

/* ---- diff_layout.c ---- */

void diff_add_part(struct diff_view *d, struct diff_part *p); /* takes what p holds */
void diff_relayout(struct diff_view *d);
/* After a new layout: to the line that shows what `at` showed, of a picture the nearest. */
void diff_go_to_same(struct diff_view *d, const struct diff_line_at *at);
/* Pictures follow the size of the view; the cursor stays where it was in its part. */
void diff_take_size(struct diff_view *d, struct rect r);

/* ---- view_diff.c ---- */

void diff_go_to_line(struct diff_view *d, size_t line);

/* ---- diff_act.c ---- */

enum row_answer diff_holds(struct view *v, const struct list_key *key, struct search *s);
unsigned diff_open_place(struct view *v, const char *arg);
unsigned diff_copy_row(struct view *v, const char *arg);
/* The line or cell, of the attempt that has it: a removed one is the left one's. */
bool diff_noted(struct view *v, struct subject *out);

/* ---- diff_notes.c ---- */

/* Takes those on the part from what was said of the attempts of both sides; in the worker, for rows that are there. */
void diff_notes_take(struct diff_part *p, const struct detail said[2]);
void diff_notes_free(struct diff_part *p);
/* Of a row of the part; NULL: of its head. */
bool diff_is_noted(const struct diff_part *p, const struct diffrow *x);
/* SECTION_NONE: it is none. */
int diff_section(enum compare_part p);

/* ---- diff_picture.c ---- */

/* Lines that the pictures of a part take; 0: it has none. */
int diff_picture_lines(const struct diff_view *d, const struct diffrows *r);
void diff_picture_draw(const struct diff_view *d, struct canvas *c, struct rect r, int y, const struct diffrows *rows, uint32_t line);

/* ---- diff_draw.c ---- */

void diff_draw_line(struct diff_view *d, struct canvas *c, struct rect r, int y, const struct diff_line_at *line);

#endif
