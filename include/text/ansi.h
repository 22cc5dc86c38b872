/*
 * text/ansi: recorded bytes as display cells. All bytes are hostile until they came through here.
 *
 * SGR sequences (ECMA-48 8.3.117, with the 256-colour and RGB forms of ITU T.416) become styles;
 * everything else that is not a printable glyph becomes visible text: ^X for C0 and DEL (NUL is ^@),
 * \xnn for each byte that is not UTF-8 (RFC 3629), <U+NNNN> for C1, for what shows nothing itself
 * (utf8_is_hidden), for skin tones and for combining marks without a base; one emoji or text selector
 * (U+FE0F, U+FE0E) behind a character that has both forms is taken as part of it and not sent. Hidden
 * text is not hidden: conceal is dropped, and so is a background that equals the text's colour; black
 * and white text on the terminal's own background becomes default text.
 * What the glyphs hold can be sent to a terminal as it is.
 *
 * Work is bounded: a call ends after its cells or its bytes, and can go on at any item from a small
 * state that is copied like a value. The longest item (an SGR sequence, a glyph with its marks) is
 * CELLS_ITEM bytes.
 */
#ifndef TICKMARK_TEXT_ANSI_H
#define TICKMARK_TEXT_ANSI_H

#include "base.h"

enum colour_kind { COLOUR_DEFAULT, COLOUR_INDEX, COLOUR_RGB };
struct colour {
	uint8_t kind;    /* enum colour_kind */
	uint8_t r, g, b; /* COLOUR_INDEX: r is 0 to 255, 0 to 7 dark, 8 to 15 bright, then xterm's cube */
};

enum style_attr {
	STYLE_BOLD = 1,
	STYLE_DIM = 2,
	STYLE_ITALIC = 4,
	STYLE_UNDERLINE = 8,
	STYLE_BLINK = 16,
	STYLE_REVERSE = 32,
	STYLE_STRIKE = 64,
	STYLE_CONCEAL = 128, /* the bytes asked for it; shown all the same */
};
struct style {
	struct colour fg, bg;
	uint16_t attrs; /* of enum style_attr */
};
/* Length of the SGR sequence that p begins with, whatever its parameters; 0: none, or one that is longer than 64 bytes. */
size_t sgr_length(const char *p, size_t n);
bool style_equal(const struct style *a, const struct style *b);

enum glyph_kind {
	GLYPH_TEXT,
	GLYPH_BLANK,  /* a cell of a tab */
	GLYPH_ESCAPE, /* a piece of the visible form of something that is no glyph; style is default */
	GLYPH_NUL,    /* the same, of a NUL */
	GLYPH_FILL,   /* half of a wide glyph that does not fit; bytes " " */
	GLYPH_MARK,   /* words of ours in the text ("+12 earlier states"); style is default */
};

#define GLYPH_BYTES 24
struct glyph {
	int64_t at;              /* where its first byte is; the same in all pieces of one item */
	uint8_t len;             /* bytes that it stands for, in every piece; 0 in fillers and marks */
	uint8_t kind;            /* enum glyph_kind */
	uint8_t width;           /* cells: 1 or 2 */
	uint8_t n;               /* bytes below */
	char bytes[GLYPH_BYTES]; /* valid printable UTF-8, not NUL-terminated: a base and its marks */
	struct style style;
};

#define CELLS_ITEM 96     /* most bytes of one item */
#define CELLS_TAB 8
#define CELLS_MARKS 4     /* combining marks that may sit on one base; more are shown as <U+NNNN> */

/* How far a line was taken; zero at its beginning. */
struct cells_state {
	int64_t col;        /* cells since the line began (fillers not counted): what tabs go by */
	uint8_t sub;        /* cells of the next item that were taken already */
	struct style style; /* in force */
};

/* Puts the cells of p (n bytes that stand at `at`, of one line, without its end) into `out` (may be NULL): at most
 * `max` glyphs and `cols` cells. Returns the glyphs; *used gets the bytes taken, all of them whole items
 * but for the last, of which s->sub cells may be taken. `more`: other bytes of the same line follow
 * behind p, so an item that could go on there is left alone (never more than CELLS_ITEM bytes).
 * A wide glyph that does not fit ends the row with GLYPH_FILL, and comes first in the next; where cols
 * is 1 the filler stands for it. Calls with n > 0, cols > 0, max > 0 and not `more` always advance. */
size_t cells_put(struct cells_state *s, int64_t at, const char *p, size_t n, bool more, size_t cols,
                 struct glyph *out, size_t max, size_t *used);
/* Only goes on by up to `cols` cells; no fillers: where a wide glyph would straddle the end it stays
 * untaken, and *taken is one cell less. Plain ASCII goes at memory speed, here and with `out` NULL above. */
size_t cells_skip(struct cells_state *s, const char *p, size_t n, bool more, int64_t cols, int64_t *taken);
/* Only follows the styles, from wherever s is. */
void cells_styles(struct cells_state *s, const char *p, size_t n);

/* A whole short text (a name, a title, a message) as glyphs, at most `max`; line ends are shown as ^J.
 * Styles in it are dropped and their sequences shown, unless `styled`. */
size_t cells_text(const char *p, size_t n, bool styled, struct glyph *out, size_t max);
/* Cells that text takes in this way. */
size_t cells_width(const char *p, size_t n);

#endif
