/*
 * text/diff: what differs between two texts, line by line and word by word.
 *
 * A line is its bytes without its end; ends (LF, CRLF, a lone CR, none) and a byte order mark are
 * compared apart, so that a text whose line ends alone changed has no hunk but one sentence. The
 * hunks are minimal (E. Myers, "An O(ND) Difference Algorithm and Its Variations", linear space, over
 * the lines that both sides have), as long as that costs less than DIFF_WORK steps; beyond, the
 * search is cut short where it has come farthest, and `coarse` says so. Nothing is equal that is not
 * equal in bytes, but for what DIFF_FOLD_SPACE folds, and that is counted.
 */
#ifndef TICKMARK_TEXT_DIFF_H
#define TICKMARK_TEXT_DIFF_H

#include "text.h"

#define DIFF_MOST ((size_t)1 << 30) /* bytes of a side; more is to be compared as a whole */
#ifndef DIFF_WORK
#define DIFF_WORK 400000000 /* steps of the search, about */
#endif

enum diff_flag {
	DIFF_FOLD_SPACE = 1, /* runs of blanks and tabs count as one blank, those at a line's end as none */
	DIFF_EXACT = 2,      /* as patch(1) has it: lines end at LF alone, and a CR, a byte order mark and whether the last
	                      * line ends at all belong to the line */
};

enum ending { ENDING_NONE, ENDING_LF, ENDING_CRLF, ENDING_CR, ENDING_COUNT };
const char *ending_word(enum ending e); /* "CRLF" */

/* How two lines differ that look the same. */
enum look_alike {
	ALIKE_TRAILING = 1, /* blanks at the end of the line */
	ALIKE_TABS = 2,     /* tabs in place of blanks */
	ALIKE_AMOUNT = 4,   /* more or fewer blanks at one place */
	ALIKE_NOBREAK = 8,  /* no-break or other odd spaces in place of blanks */
	ALIKE_FORM = 16,    /* composed or decomposed letters (Unicode forms NFC and NFD) */
};
#define ALIKE_KINDS 5

/* Lines [a, a + a_n) of the left text were replaced by [b, b + b_n) of the right one. From 0. */
struct diff_hunk { uint32_t a, a_n, b, b_n; };
/* n removed lines from `a` stand as added ones at `b`. */
struct diff_move { uint32_t a, b, n; };

struct diff_text {
	const char *p;     /* of the caller, behind the byte order mark */
	size_t n;
	uint32_t *start;   /* where each line begins, and at [lines] the end */
	uint32_t lines;
	bool bom;          /* a byte order mark stands in front */
	bool exact;        /* cut for DIFF_EXACT */
};

struct diff {
	struct diff_text side[2];
	struct diff_hunk *hunks;
	size_t hunks_n;
	struct diff_move *moves;
	size_t moves_n;
	bool coarse;                 /* the hunks may be larger than needed */
	bool cancelled;
	int64_t ends[ENDING_COUNT][ENDING_COUNT]; /* [left][right], of lines that are the same */
	int64_t alike[ALIKE_KINDS];  /* pairs of changed lines that differ in this alone (bit of look_alike) */
	int64_t alike_mixed;         /* the same, in several of these */
	int64_t folded;              /* lines taken as equal by DIFF_FOLD_SPACE that are not */
	int64_t removed, added;      /* lines */
};

/* Whether the texts differ at all, in bytes. */
bool diff_differs(const struct diff *d);
/* Compares; both texts must live as long as *out. `cancel` (NULL: never) is looked at now and then. False
 * with ERR_LIMIT: a side is over DIFF_MOST. */
bool diff_lines(struct span a, struct span b, unsigned flags, const bool *cancel, struct diff *out, struct err *e);
void diff_free(struct diff *d);
/* A line without its end, and the end; cut for DIFF_EXACT a CR is none. */
struct span diff_line(const struct diff_text *t, uint32_t line, enum ending *end);
/* Sentences about what no hunk shows, one a line: "12 of 12 line ends CRLF -> LF", "final newline
 * removed", "3 lines differ in trailing blanks only". Empty when there is nothing to say. */
void diff_tell(const struct diff *d, struct buf *out);
/* Mask of look_alike: what two different lines differ in, when they look the same; else 0. */
unsigned diff_alike(struct span a, struct span b);

/* ---- within lines (words.c) -------------------------------------------------------------------- */

struct diff_piece { uint32_t start, len; };
struct diff_words {
	struct diff_piece *a, *b; /* what is only there, in order */
	size_t a_n, b_n;
	bool coarse;              /* too long for words: all between the first and the last difference */
};
/* Compares two pieces of text by words, numbers (1,234.50 is one), blanks and signs. */
void diff_words(struct span a, struct span b, struct diff_words *out);
void diff_words_free(struct diff_words *w);
/* Whether so much is the same that showing the pieces helps a reader. */
bool diff_words_help(const struct diff_words *w, size_t a_n, size_t b_n);

#endif
