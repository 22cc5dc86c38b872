/* What the files of the pager share: view_pager.c shows, pager_move.c moves, pager_search.c finds,
 * view_lines.c lists what is found, pager_go.c selects, copies and goes to other sections. */
#ifndef TICKMARK_UI_PAGER_H
#define TICKMARK_UI_PAGER_H

#include "look.h"
#include "pane.h"
#include "textdraw.h"

#define ROWS_MAX 1024 /* rows of a screen */

/* A search under way. */
struct hunt {
	bool on;
	bool back;
	bool wrapped;        /* went on from the other end already */
	struct range todo;
	int64_t from;        /* where it began */
	int64_t until;       /* bytes of the text when the part that goes to its end was begun */
	struct search_sum sum;
};

struct pager {
	struct view view;
	struct text_view text;
	enum section_kind kind;
	int64_t attempt, step;
	char ref[REF_TEXT];
	char *title;
	struct file_place place; /* of a file */
	bool made;           /* the text is not the file's bytes but was made of them */
	struct py_cache py;
	struct text_row top; /* first row on the screen */
	bool empty;
	int height, cols;    /* of the last draw, without the margin */
	int64_t side;        /* cells scrolled to the right */
	bool numbers, times, follow;
	bool again;          /* a row could not be drawn whole yet */
	int64_t goto_line;   /* wanted, but the index has not come so far; -1 */
	struct search *search;
	char *pattern;
	struct range hit;    /* gone to last; start -1: none */
	struct hunt hunt;
	int64_t *stops;      /* owned: lines from 1 that . and , go along instead of sections */
	size_t stops_n;
	bool selecting;
	struct text_row anchor, mark; /* first and last row of the selection, in any order */
};

static inline struct pager *pager_of(struct view *v)
{
	return (struct pager *)v;
}

static inline struct rows *pager_rows(struct pager *p)
{
	return &p->text.rows;
}

/* ---- view_pager.c ---- */

/* Without asking for other ways to look at a file. */
struct view *pager_plain_new(struct ui *ui, const struct pager_spec *spec, struct err *e);
const struct file_place *pager_place(struct view *v); /* NULL: it is no pager, or shows no file */
void pager_set_coming(struct view *v);                /* it stands for what a reader is at work on */
/* Opens what the spec names in place of what is open; false: e says why not, and nothing changed. */
bool pager_load(struct pager *p, const struct pager_spec *spec, struct err *e);
struct range pager_chosen(const struct pager *p);
/* Whether bytes that were not kept stand before: lines from there on are counted without them. */
bool pager_is_behind_gap(const struct pager *p, int64_t pos);

/* ---- pager_move.c ---- */

void pager_stand_at(struct pager *p, int64_t pos);
void pager_go_last(struct pager *p);
void pager_settle(struct pager *p);        /* no empty space below while there are rows above */
void pager_recut(struct pager *p);         /* after the cutting of rows changed */
bool pager_is_tail(const struct pager *p, const struct text_row *row); /* the empty row behind the last line end */
bool pager_is_visible(struct pager *p, int64_t pos);
void pager_show_place(struct pager *p, int64_t pos);
/* While selecting, the mark moves; else the text. */
void pager_scroll(struct pager *p, int rows);
unsigned pager_command(struct view *v, enum command id, const char *arg);
unsigned pager_side_right(struct view *v, const char *arg);
unsigned pager_side_left(struct view *v, const char *arg);
unsigned pager_toggle_wrap(struct view *v, const char *arg);
unsigned pager_toggle_states(struct view *v, const char *arg);
unsigned pager_toggle_numbers(struct view *v, const char *arg);
unsigned pager_toggle_times(struct view *v, const char *arg);
unsigned pager_toggle_follow(struct view *v, const char *arg);

/* ---- pager_stops.c: places in the code that something else names ---- */

/* Shows the line as found. */
void pager_show_line(struct pager *p, int64_t line);
void pager_find_stops(struct pager *p);
void pager_set_stops(struct view *v, const int64_t *lines, size_t n);
unsigned pager_go_stop(struct pager *p, int dir);
/* Enter: from a traceback to the line of the code; a filter to its line; else earlier states of lines. */
unsigned pager_link(struct view *v, const char *arg);

/* ---- pager_search.c ---- */

/* What a search of the record found in it: shown, and gone on from by n. */
void pager_show_found(struct pager *p, const struct pager_spec *spec);

bool pager_try_goto(struct pager *p);      /* towards goto_line, once the index has come so far */
bool pager_hunt(struct pager *p);          /* one slice of the search; true when it is over */
void pager_search(struct view *v, const char *pattern);
/* The same from a place on. */
void pager_search_from(struct pager *p, const char *pattern, int64_t pos);
unsigned pager_goto(struct view *v, const char *arg);
unsigned pager_search_next(struct view *v, const char *arg);
unsigned pager_search_prev(struct view *v, const char *arg);
unsigned pager_cancel(struct view *v, const char *arg);

/* ---- view_lines.c ---- */

unsigned pager_filter_lines(struct view *v, const char *arg); /* f: only lines that match */

/* ---- pager_go.c ---- */

/* The line that a note would be on: where the selection or the last hit is, else the first on the screen. */
void pager_line_subject(struct pager *p, struct subject *out);
unsigned pager_escape(struct view *v, const char *arg);
unsigned pager_select(struct view *v, const char *arg);
unsigned pager_copy(struct view *v, const char *arg);
unsigned pager_next_section(struct view *v, const char *arg);
unsigned pager_prev_section(struct view *v, const char *arg);
unsigned pager_next_look(struct view *v, const char *arg);
unsigned pager_prev_look(struct view *v, const char *arg);
unsigned pager_encoding(struct view *v, const char *arg);
unsigned pager_next_attempt(struct view *v, const char *arg);
unsigned pager_prev_attempt(struct view *v, const char *arg);

#endif
