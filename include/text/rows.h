/*
 * text/rows: a text of any size as rows of a screen, wrapped or to be scrolled sideways.
 *
 * A row is a place; from any place the next and those before can be had, and from any byte the row
 * that holds it, with bounded work: no call looks at more than a few hundred KiB, however long a line
 * is. For that, a wrapped line that goes on for more than ROWS_ANCHOR bytes starts a new row at each
 * multiple of ROWS_ANCHOR (of the source) that lies ROWS_ANCHOR or more behind its beginning, so that
 * its rows are the same from wherever one came to them, and nobody needs its beginning. Without
 * wrapping a line is one row. Lines over LINES_NEAR whose beginning and end the index has not seen yet
 * are cut in the same way, wrapped or not, and their carriage returns are shown as ^M.
 *
 * A line that was drawn again (CR) shows its last state, with a mark in front that says how many came
 * before: "+12 earlier states "; shorter or none where cols are few. When it is open, each state is a
 * row of its own, and line ends stand where they stood.
 */
#ifndef TICKMARK_TEXT_ROWS_H
#define TICKMARK_TEXT_ROWS_H

#include "text/ansi.h"
#include "text/lines.h"

#ifndef ROWS_ANCHOR
#define ROWS_ANCHOR (64 << 10)
#endif

/* How the text is cut. The caller changes any of it at any time; rows got before are then void but for
 * their start, which rows_at takes. Zeroed but for w, size and cols is fine. */
struct rows {
	struct window *w;      /* of the caller */
	const struct lines *l; /* of the caller; NULL: none */
	int64_t size;          /* bytes known so far */
	int cols;              /* cells of a row, 1 or more */
	bool wrap;             /* else one row per line */
	bool words;            /* with wrap: a row ends behind a blank where one stands in its last half */
	bool states;           /* every line is open: all its states are shown */
	bool (*open)(void *ctx, int64_t line); /* whether the line that begins there is open; NULL: none is */
	void *open_ctx;
	struct rows_cache *cache; /* private; NULL at first, rows_done frees it */
};
void rows_done(struct rows *r);
/* To be called when `open` answers otherwise than before. */
void rows_forget(struct rows *r);

struct text_row {
	int64_t start;            /* first byte of its text */
	int64_t end;              /* behind its last byte, without line end */
	int64_t next;             /* a byte that rows_at takes for the next row; -1: none so far */
	int64_t line;             /* where its line begins; -1 unknown */
	int64_t earlier;          /* states of its line that are not shown; 0 none */
	bool first;               /* begins its line (a line number belongs here) */
	bool last;                /* ends its line */
	struct cells_state state; /* at start; two rows may start in the same item, and differ in state.sub */
};

/* The row that holds byte `pos`; behind the end, the last one. False: the text is empty. */
bool rows_at(struct rows *r, int64_t pos, struct text_row *out);
/* False: there is none (so far). */
bool rows_next(struct rows *r, const struct text_row *from, struct text_row *out);
bool rows_before(struct rows *r, const struct text_row *from, struct text_row *out);
/* Up to `max` rows in order, of which the last is the one before `from` (NULL: the last of the text), for
 * a page up or the end at the price of one row. Returns how many. */
size_t rows_back(struct rows *r, const struct text_row *from, struct text_row *out, size_t max);

/* The cells of a row, from cell `skip` on where rows are not wrapped: at most r->cols cells and `max`
 * glyphs. Glyphs know where their bytes are (for highlights); the mark in front is GLYPH_MARK.
 * -1: cell `skip` lies farther out than one call may go; call again (when idle), it goes on. */
int64_t rows_draw(struct rows *r, const struct text_row *row, int64_t skip, struct glyph *out, size_t max);
/* Cells of a row, for scrolling to its end; -1: call again. */
int64_t rows_width(struct rows *r, const struct text_row *row);
/* Cell of byte `pos` in an unwrapped row; -1: call again. */
int64_t rows_col(struct rows *r, const struct text_row *row, int64_t pos);

#endif
