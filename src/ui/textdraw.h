/* Rows of a text as cells of a canvas: colours of Python, of streams, of hits and selections. */
#ifndef TICKMARK_UI_TEXTDRAW_H
#define TICKMARK_UI_TEXTDRAW_H

#include "canvas.h"
#include "section.h"
#include "text/search.h"

struct text_paint {
	struct text_view *text;
	enum section_kind kind;
	struct py_cache *py;      /* SECTION_CODE; NULL: no colours */
	struct search *search;    /* what is highlighted; NULL */
	struct range current;     /* the hit that was gone to; start -1: none */
	struct range chosen;      /* selected bytes; start -1: none */
};

/* Draws the row at x, y in at most `cols` cells, beginning with cell `skip`. text->rows.cols is
 * set to cols. False: `skip` lies so far out that it must be asked again (when idle). */
bool text_paint_row(const struct text_paint *p, struct canvas *c, struct rect clip, int x, int y, int cols,
                    const struct text_row *row, int64_t skip, struct pen pen);

#endif
