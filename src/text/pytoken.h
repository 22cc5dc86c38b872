/* Python code as tokens, from the pieces that pylex.c cuts: comments, blanks and joined lines are gone. */
#ifndef TICKMARK_TEXT_PYTOKEN_H
#define TICKMARK_TEXT_PYTOKEN_H

#include "base.h"

enum py_token_kind {
	PY_TOKEN_NAME,
	PY_TOKEN_KEYWORD,
	PY_TOKEN_STRING,   /* of one over several lines, and of an f-string, a piece */
	PY_TOKEN_OPERATOR, /* one byte */
	PY_TOKEN_FIELD,    /* { or } of a replacement field */
	PY_TOKEN_OTHER,    /* numbers, constants, decorators, what def or class names */
	PY_TOKEN_NEWLINE,  /* the end of a statement's line */
};

struct py_token {
	uint32_t start, len; /* bytes of the code */
	uint32_t line;       /* from 1 */
	uint8_t kind;        /* enum py_token_kind */
	bool goes_on;        /* of a string: not its beginning */
};

struct py_tokens {
	struct py_token *at;
	size_t n, cap;
};

void pytoken_cut(const char *code, size_t n, struct py_tokens *out); /* frees nothing that was there: zero before */
void pytoken_free(struct py_tokens *t);
/* Whether the token is this text. */
bool pytoken_is(const char *code, const struct py_token *t, const char *text);
/* Whether it is this operator. */
bool pytoken_is_op(const char *code, const struct py_token *t, char c);

#endif
