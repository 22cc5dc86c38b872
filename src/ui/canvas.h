/*
 * A grid of cells: what a turn of the screen draws into. Nothing here knows a terminal; term.c puts
 * a canvas on one, and a canvas can be dumped as text, so that screens are tested without.
 *
 * A cell holds the bytes of one visible glyph (UTF-8, with what combines) and its pen. A glyph of
 * width 2 owns the cell to its right as well. Half of a wide glyph never stays: what is overwritten
 * or cut off by a border becomes blanks.
 */
#ifndef TICKMARK_UI_CANVAS_H
#define TICKMARK_UI_CANVAS_H

#include "text/ansi.h"

/* What a cell means; a theme turns it into colours. */
enum role {
	ROLE_NORMAL,
	ROLE_DIM,       /* less important */
	ROLE_STRONG,    /* more */
	ROLE_HEADER,    /* first line of the screen */
	ROLE_STATUS,    /* last line */
	ROLE_KEY,       /* a key in the last line or the help */
	ROLE_BORDER,
	ROLE_FOCUS,     /* border of the pane that has the keys */
	ROLE_TITLE,     /* of a pane or section */
	ROLE_GOOD,      /* outcome ok, file unchanged */
	ROLE_BAD,       /* error, fault */
	ROLE_WARN,      /* limit, refused, changed since */
	ROLE_BUSY,      /* running, queued */
	ROLE_NOTICE,
	ROLE_ERROR,     /* a notice of something that failed */
	ROLE_PROMPT,
	ROLE_NUMBER,    /* line numbers and times beside the text */
	ROLE_CONTROL,   /* visible form of a byte that has no glyph */
	ROLE_GAP,       /* something was left out here */
	ROLE_STDERR,
	ROLE_KEYWORD,   /* Python */
	ROLE_NAME,
	ROLE_STRING,
	ROLE_LITERAL,
	ROLE_COMMENT,
	ROLE_DECORATOR,
	ROLE_COUNT,
};
const char *role_word(enum role r);

enum pen_flag {
	PEN_SELECTED = 1, /* the row that keys act on */
	PEN_HIT = 2,      /* a hit of the search */
	PEN_CURRENT = 4,  /* the hit that n went to */
	PEN_CHOSEN = 8,   /* selected for copying */
};

/* How a cell is drawn. Colours and attributes of a run's own text lie over the role's. */
struct pen {
	uint8_t role;         /* enum role */
	uint8_t flags;        /* enum pen_flag */
	uint8_t attrs;        /* of enum style_attr: STYLE_BOLD to STYLE_REVERSE */
	struct colour fg, bg; /* COLOUR_DEFAULT: those of the role */
};
#define PEN(r) ((struct pen){ .role = (r) })

#define CELL_BYTES GLYPH_BYTES
struct cell {
	struct pen pen;
	uint8_t width;          /* 1 or 2; 0: right half of the glyph before */
	uint8_t len;
	char bytes[CELL_BYTES]; /* never empty but where width is 0 */
};

struct rect { int x, y, w, h; };
struct rect rect_inner(struct rect r);                  /* without a border of one cell */
struct rect rect_clip(struct rect r, struct rect bound);
bool rect_has(struct rect r, int x, int y);

struct canvas;
struct canvas *canvas_new(int w, int h);
void canvas_free(struct canvas *c);
void canvas_resize(struct canvas *c, int w, int h); /* and clears */
void canvas_clear(struct canvas *c);
struct rect canvas_area(const struct canvas *c);
const struct cell *canvas_row(const struct canvas *c, int y);
/* Where the terminal's cursor is to stand; -1, -1: hidden. */
void canvas_cursor(struct canvas *c, int x, int y);
void canvas_cursor_get(const struct canvas *c, int *x, int *y);
/* Terminals without UTF-8: only ASCII is put into cells, what we draw by table, all else escaped. */
void canvas_set_ascii(struct canvas *c, bool ascii);
bool canvas_is_ascii(const struct canvas *c);

/* One glyph; parts outside of `clip` are cut. */
void canvas_put(struct canvas *c, struct rect clip, int x, int y, const char *bytes, size_t len, int width,
                struct pen pen);
/* Text of one line, bytes that have no glyph made visible (ROLE_CONTROL). Returns the x behind it,
 * as if nothing had been cut. */
int canvas_text(struct canvas *c, struct rect clip, int x, int y, struct pen pen, const char *text);
int canvas_bytes(struct canvas *c, struct rect clip, int x, int y, struct pen pen, const char *p, size_t n);
int canvas_textf(struct canvas *c, struct rect clip, int x, int y, struct pen pen, const char *fmt, ...)
	PRINTF(6, 7);
/* The same in at most w cells, ended by an ellipsis where it does not fit. Returns the cells used. */
int canvas_fit(struct canvas *c, struct rect clip, int x, int y, int w, struct pen pen, const char *text);
/* Cells that canvas_text would use (it shows 1024 at most). */
int canvas_measure(const struct canvas *c, const char *text);
void canvas_fill(struct canvas *c, struct rect r, char ch, struct pen pen);
void canvas_box(struct canvas *c, struct rect r, struct pen pen);
void canvas_rule(struct canvas *c, struct rect clip, int x, int y, int w, struct pen pen);
/* Sets flags on the pens of cells already drawn. */
void canvas_flag(struct canvas *c, struct rect r, uint8_t flags);

/* Rows of text, trailing blanks dropped; and rows of letters, one per cell, with their legend
 * ("a  normal", "b  title selected") below. */
void canvas_dump_text(const struct canvas *c, struct buf *out);
void canvas_dump_style(const struct canvas *c, struct buf *out);

#endif
