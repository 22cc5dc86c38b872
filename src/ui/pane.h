/* The three panes: views of their own that view_panes.c lays out. */
#ifndef TICKMARK_UI_PANE_H
#define TICKMARK_UI_PANE_H

#include "screen.h"
#include "section.h"

struct view *pane_workspace_new(struct ui *ui);
struct view *pane_execution_new(struct ui *ui);
struct view *pane_artifacts_new(struct ui *ui);

void pane_execution_select(struct view *v, int64_t attempt, bool unfold);
/* ":50%", ":120": a share of the steps, or a step. */
void pane_execution_goto(struct view *v, int64_t step);

void pane_execution_visit(struct view *v, struct buf *out);
void pane_execution_revisit(struct view *v, const char *line);

/* What sections are made from. */
struct section_context pane_sections(const struct ui *ui);
/* Draws a frame with its title in it. */
void pane_frame(struct canvas *c, struct rect r, const char *title, bool focused);
/* The look of a judgement. */
enum role judgement_role(enum judgement j);
/* "✓ jm" with a blank behind, left of x; where there is little room the glyph alone; "(✓)" is one that has
 * a newer attempt. Returns the x where it begins. */
int pane_draw_mark(struct canvas *c, struct rect r, int x, int y, enum judgement j, enum judgement stale,
                   const char *reviewer);
/* The look of an outcome. */
enum role outcome_role(enum outcome o);

/* view_pager.c */
struct pager_spec {
	int64_t attempt;            /* 0: none */
	int section;                /* enum section_kind; SECTION_NONE: blob or text */
	struct digest sha256;       /* blob */
	const char *text;           /* bytes of ours, copied; NULL */
	size_t text_len;
	const char *title;          /* "7.2 layers.csv"; NULL: by attempt and section */
	const char *path;           /* of a file in the workspace; NULL */
	const char *file;           /* where that stands outside of the record: its bytes of now count; NULL: sha256 */
	size_t part;                /* sheet to begin with, from 0 */
	int64_t pos;                /* byte to begin at; -1: the end */
	bool python;                /* colours of Python */
	int64_t line;               /* of the code to go to and to show as found, from 1; 0: pos counts */
	const char *pattern;        /* is highlighted, as if it had been searched for; NULL */
	int64_t found;              /* bytes at `pos` that are the hit; with them, pos is that of the stream as produced */
	int look;                   /* enum way (look.h): how a file is shown; 0: its first bytes choose */
	int encoding;               /* 1 + enum encoding that is asked for; 0: as guessed */
	bool filters;               /* . and , go along the filters of the code */
};
struct view *view_pager_new(struct ui *ui, const struct pager_spec *spec, struct err *e);

#endif
