/*
 * text/pylex: Python source as coloured pieces; for showing, not for judging. Follows the lexical
 * analysis of the language reference (3.12: nested f-strings), soft keywords where they can be told.
 * Works line by line from a small state, so that any line can be shown once the state at its beginning
 * is known; never fails: what is no Python is plain.
 */
#ifndef TICKMARK_TEXT_PYLEX_H
#define TICKMARK_TEXT_PYLEX_H

#include "base.h"

enum py_kind {
	PY_PLAIN,     /* names, blanks, everything else */
	PY_KEYWORD,
	PY_CONSTANT,  /* None True False … NotImplemented, __debug__ */
	PY_BUILTIN,   /* print, len, ValueError … when not behind a dot */
	PY_STRING,    /* with prefix and quotes; an f-string without its replacement fields */
	PY_FIELD,     /* the braces, conversion and format of a replacement field */
	PY_COMMENT,
	PY_NUMBER,
	PY_DECORATOR, /* @ and the dotted name behind it */
	PY_DEFINED,   /* the name behind def or class */
	PY_OPERATOR,  /* operators, brackets, commas */
	PY_KIND_COUNT,
};

struct py_span {
	uint32_t start, len; /* bytes of the line */
	uint8_t kind;        /* enum py_kind */
};

#define PY_DEPTH 12 /* f-strings inside each other; deeper ones are not taken apart */
/* At the beginning of a line; zero at the beginning of a file. Plain value, equal by memcmp. */
struct py_state {
	struct {
		uint8_t flags;    /* private */
		uint8_t brackets; /* open inside the replacement field */
	} level[PY_DEPTH];
	uint8_t depth;            /* strings that are open here */
	uint8_t brackets;         /* open outside strings */
	uint8_t carry;            /* private */
};

/* Cuts one line (with or without its line end) into spans that follow each other without gap and overlap;
 * at most `max` (1 or more), the last then covers the rest. Moves *st to the next line; `out` NULL only
 * does that. Work and state do not depend on what came before. */
size_t pylex_line(struct py_state *st, const char *line, size_t n, struct py_span *out, size_t max);

#endif
