/*
 * text/diffrows: a difference as rows for a reader, whatever the two sides are: text, table, JSON,
 * archive, other bytes. The command line prints them, the screen draws them; neither knows more.
 *
 * Texts of rows are bytes of the sides or of names in them, and as hostile: escape what is shown.
 */
#ifndef TICKMARK_TEXT_DIFFROWS_H
#define TICKMARK_TEXT_DIFFROWS_H

#include "text/diff.h"

struct picture; /* text/picture.h */

enum diffrow_kind {
	DIFFROW_SENTENCE, /* about the whole */
	DIFFROW_HUNK,     /* "@@ -1,3 +1,4 @@" */
	DIFFROW_SAME,     /* context */
	DIFFROW_REMOVED,
	DIFFROW_ADDED,
	DIFFROW_CHANGED,  /* "id 2: qty 20 -> 21" */
	DIFFROW_NO_END,   /* "\ No newline at end of file", of the row before */
};
struct diffrow {
	struct span text;
	uint32_t a, b;          /* line (or row of a table) on the left and right, from 1; 0: none */
	uint32_t piece, pieces; /* differing words in it: diffrows.pieces[piece …] */
	uint32_t row, col;      /* of a table: the first cell that differs, on the right, of a removed row on the left, as a
	                         * place in its file (text/table.h: table_place); 0: none */
	uint32_t place;         /* of a workbook or JSON: 1 + which of texts names the place, as notes do ("Sheet1!B7",
	                         * "$.limits[2]"), on the side that row and col are of; 0: none */
	uint8_t kind;           /* enum diffrow_kind */
	bool moved;             /* stands elsewhere on the other side */
	bool paired;            /* REMOVED: the ADDED rows behind its block replace it, one by one */
};
struct diffrows_count { const char *name; int64_t n; }; /* "rows_added" */
#define DIFFROWS_COUNTS 24

struct diffrows {
	struct diffrow *v;
	size_t n, cap;
	struct diff_piece *pieces;
	size_t pieces_n, pieces_cap;
	struct strv texts;      /* that rows point at */
	struct diffrows_count counts[DIFFROWS_COUNTS];
	size_t counts_n;
	char *summary;          /* "2 lines removed, 3 added"; owned */
	char *method;           /* "lines", "cells by key id (found)", "members"; owned */
	struct picture *pictures; /* of images: left and right, to be shown beside each other; owned, NULL */
	bool differs;           /* in bytes */
	bool coarse, cut;       /* rows are larger than needed; rows were left out for their number */
};

struct diffrows_options {
	uint32_t context;       /* same lines around a hunk */
	bool fold_space, words, tolerant;
	bool exact;             /* hunks of texts as patch(1) takes them: line ends are in them, and are told besides */
	bool as_text;           /* for who chooses the type: tables and JSON are texts too */
	const char *key;        /* of tables; NULL */
	bool key_must;          /* a table without that key is an error; else it is said and one is found */
	const bool *cancel;     /* NULL */
	size_t most;            /* rows at most; 0: no end */
};

enum diffrows_type { DIFFROWS_TEXT, DIFFROWS_TABLE, DIFFROWS_JSON, DIFFROWS_ZIP, DIFFROWS_IMAGE, DIFFROWS_BINARY };
const char *diffrows_type_word(enum diffrows_type t);
/* By the name's ending and the bytes. */
enum diffrows_type diffrows_type(const char *name, struct span a, struct span b);

/* Both sides must live as long as *out. Falls back to text, and from it to bytes, where a side is not what
 * it should be, and says so in a sentence. False: a key that is not there, or cancelled. */
bool diffrows_make(enum diffrows_type type, struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out,
                   struct err *e);
void diffrows_free(struct diffrows *r);
/* Two files, of different bytes, from the lines of their reader (model/convert.h); `type` gets the word for what
 * they were compared as. */
bool diffrows_converted(const char *reader, struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out,
                        const char **type, struct err *e);

/* Where a row of a table, a workbook or JSON stands, on the right, of a removed one on the left; false: that cannot be said. */
bool diffrows_place(const struct diffrows *r, const struct diffrow *x, struct buf *out);

/* For whoever makes rows of his own (sets of files, environments). */
void diffrows_say(struct diffrows *r, enum diffrow_kind kind, uint32_t a, uint32_t b, char *text); /* takes text */
void diffrows_sayf(struct diffrows *r, enum diffrow_kind kind, const char *fmt, ...) PRINTF(3, 4);
void diffrows_count(struct diffrows *r, const char *name, int64_t n);

#endif
