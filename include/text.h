/*
 * text: bytes in, bytes out. Recorded bytes are hostile until they went through here. Pure: no
 * files, no terminal, no locale, no state.
 */
#ifndef TICKMARK_TEXT_H
#define TICKMARK_TEXT_H

#include "base.h"

/* A piece of somebody else's bytes; p is NULL where there is none. */
struct span {
	const char *p; /* first byte, not owned, no NUL behind */
	size_t n;      /* bytes */
};

/* ---- UTF-8 (utf8.c): RFC 3629, widths after Unicode 14 ------------------------------------ */

/* Decodes the character at p: its bytes, 1 to 4, or 0 for a bad byte (overlong forms, surrogates,
 * beyond U+10FFFF, cut off, n = 0). *cp is set only for a good one. */
size_t utf8_decode(const void *p, size_t n, uint32_t *cp);
bool utf8_valid(const void *p, size_t n);
/* Cells on a terminal: 0 (combining and hidden characters), 1, 2; -1 for control characters. */
int utf8_width(uint32_t cp);
/* Cells of a text without control characters (as escape_text gives it); a bad byte counts as one. */
size_t utf8_cols(const void *p, size_t n);
/* C0, DEL and C1. */
bool utf8_is_control(uint32_t cp);
/* A character that shows nothing itself and may change what others show: direction (U+202E), zero
 * width, format, line separators, variation selectors, tags, fillers, non-characters. */
bool utf8_is_hidden(uint32_t cp);
/* A mark that joins the letter before it into what has a code point of its own too: names that
 * differ in it alone look the same (U+0301; Unicode Standard Annex 15). */
bool utf8_is_composing(uint32_t cp);
/* A blank that is not U+0020. */
bool utf8_is_odd_space(uint32_t cp);

/* ---- escaping (escape.c) ------------------------------------------------------------------- */

enum escape_keep {
	ESCAPE_ALL = 0,     /* for a message of one line */
	ESCAPE_NEWLINE = 1, /* line feeds stay */
	ESCAPE_TAB = 2,     /* tabs stay */
};

/* Adds bytes made safe for a terminal: UTF-8 that shows stays, C0 becomes ^X, DEL ^?, C1 and hidden
 * characters <U+202E>, a bad byte \x9b. Nothing that comes out can act on a terminal; it is meant for
 * eyes and cannot be read back. `keep`: one of enum escape_keep, or several by |. */
void escape_text(struct buf *out, const void *p, size_t n, int keep);
char *escape_text_dup(const char *s); /* one line; owned */

/* Adds a file name as one word that stands for these bytes and no others, on one line: backslash
 * doubled, \n \t \r, other controls and bad bytes \x1b, hidden and composing characters and odd spaces
 * \u202e or \U000e0001, a blank at either end \x20. Two names never give the same text, nor texts that
 * look the same, as far as that is a matter of code points (Latin and Cyrillic a are not). */
void escape_name(struct buf *out, const void *p, size_t n);
char *escape_name_dup(const char *s); /* owned */
/* The way back, for names that users type: false (and `out` as it was) where a backslash begins
 * nothing of the above, or a NUL would come out. */
bool escape_name_undo(const char *s, struct buf *out);

/* ---- the head of a script (head.c) ------------------------------------------------------------- */

#define HEAD_TITLE 200   /* bytes of a title with NUL */
#define HEAD_PURPOSE 1000
struct head {
	char title[HEAD_TITLE];     /* one line of UTF-8 without controls; "" when there is none */
	char purpose[HEAD_PURPOSE]; /* likewise; cut ones end in "…" */
	char first[HEAD_TITLE];     /* its first line of code, of imports only where there is nothing else */
};

/* What a Python script says of itself before its first statement: the first comment line is the
 * title, `# purpose: …` (in any case) with the comment lines that go on with it is the purpose. Lines
 * for machines (#!, coding, editors, linters, licences, `# /// script`) and rules (# -----) are passed
 * over. Without a comment, the first line of the docstring is the title. Code that has neither name nor
 * title goes by its first line. Reads 16 KiB at most. */
void head_parse(const void *code, size_t n, struct head *out);

/* ---- the last exception (trace.c) ---------------------------------------------------------------- */

struct trace {
	bool found;          /* all else is empty when not */
	struct span type;    /* "ValueError", "urllib.error.URLError" */
	struct span message; /* its first line, may be empty */
	struct span module;  /* of "No module named 'x.y'" */
	struct span path;    /* first quoted behind [Errno N] or in a FileNotFoundError; escaped as by repr() */
	struct span file;    /* of the last `File "…", line N` of this traceback */
	int64_t line;        /* and its line; 0 when there is none */
	int error;           /* N of the message's [Errno N], negative from getaddrinfo; 0: none */
	size_t rest;         /* bytes behind its line: further lines of the message, or other output */
};

/* Finds the last exception that Python printed into the tail of a stderr: with a traceback (the last
 * of chained ones, the last leaf of a group), or the SyntaxError of a script that did not compile. Those
 * that Python ignored or that ended another thread count only where there is no other. Spans point
 * into p. */
void trace_parse(const void *p, size_t n, struct trace *out);
/* True for "URLError" as well as "urllib.error.URLError". */
bool trace_is(const struct trace *t, const char *type);

/* ---- bytes (hex.c) ------------------------------------------------------------------------------ */

/* Rows of sixteen bytes: place, hexadecimal digits, the signs that are ASCII. */
void hex_rows(struct buf *out, const void *p, size_t n);

/* ---- references (ref.c) ------------------------------------------------------------------------ */

enum ref_kind {
	REF_STEP = 1, /* 7: its last attempt */
	REF_ATTEMPT,  /* 7.2 */
	REF_CHECK,    /* 7.2r1 */
	REF_LAST,     /* last, last~1 */
};

#define REF_BRANCH 64 /* bytes of a branch name with NUL */
struct ref {
	enum ref_kind kind;
	int64_t step;            /* 7; 0 in `last` */
	int64_t attempt;         /* 2; 0 where none is named */
	int64_t check;           /* 1; 0 where none is named */
	int64_t back;            /* last~BACK */
	char branch[REF_BRANCH]; /* of 3@branch, 3.1@branch, last@branch; "" where none is named */
};

/* "7", "7.2", "7.2r1", "3@branch", "last", "last~1". Numbers count from 1, `back` from 0. */
bool ref_parse(const char *s, struct ref *out, struct err *e);

#endif
