/* What the files of the Execution pane share: pane_execution.c has its keys, exec_draw.c draws its rows,
 * exec_open.c goes from a row to what it stands for, exec_search.c finds rows that are folded away. */
#ifndef TICKMARK_UI_EXEC_PANE_H
#define TICKMARK_UI_EXEC_PANE_H

#include "exec_tree.h"
#include "pane.h"

struct exec_pane {
	struct view view;
	struct exec_tree *tree;
	struct section_context context;
	struct listview list;
	bool follow;            /* the cursor goes to the newest step, as long as nobody moves it … */
	struct list_key newest; /* … away from here */
	/* What a search has looked through of the lines that an excerpt leaves out, and what it found there. */
	struct list_key beyond; /* their row */
	int64_t beyond_search;  /* which search it was */
	struct range todo, hit; /* bytes of the section; hit.start -1: nothing */
	bool held[2];           /* query and sources are, for a slice */
	int64_t undecided;      /* lines there that the expression is too costly for */
};

static inline struct exec_pane *exec_pane_of(struct view *v)
{
	return (struct exec_pane *)v;
}

/* ---- exec_draw.c ---- */

void exec_draw_row(struct view *v, const struct list_key *key, struct canvas *c, struct rect r, int y);
void exec_draw_empty(struct ui *ui, struct canvas *c, struct rect r);
/* Whether x is on the marker of the row. */
bool exec_on_marker(struct view *v, const struct list_key *key, int x);

/* ---- exec_open.c ---- */

/* Full screen, at the line that the cursor is on. */
unsigned exec_open_pager(struct exec_pane *p);
bool exec_subject(struct view *v, struct subject *out);

/* ---- exec_search.c ---- */

enum row_answer exec_holds(struct view *v, const struct list_key *key, struct search *s);
void exec_hold(struct view *v, bool on);
void exec_land(struct view *v, const struct list_key *key);
/* Where a search found something among the lines that the row stands for: attempt and section are set already. */
void exec_found_beyond(struct exec_pane *p, const struct list_key *key, struct pager_spec *spec);

#endif
