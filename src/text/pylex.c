/*
 * Python's lexical analysis, line by line. What is open at a line end is a stack of strings: of an
 * f-string it tells whether its text goes on, the code of a replacement field, or the format behind it.
 */
#include "text/pylex.h"

#include <string.h>

#include "pyword.h"

enum level_flag {
	LEVEL_DOUBLE = 1,  /* the quote is " */
	LEVEL_TRIPLE = 2,
	LEVEL_RAW = 4,
	LEVEL_F = 8,       /* has replacement fields */
	LEVEL_FIELD = 16,  /* in a replacement field … */
	LEVEL_FORMAT = 32, /* … behind its colon */
	LEVEL_NESTED = 64, /* no string of its own: a field inside the format of the level below */
};

enum carry {
	CARRY_JOINED = 1, /* the line before ended in a backslash */
	CARRY_NAME = 2,   /* def or class stood last */
};

struct lexer {
	struct py_state *st;
	const char *p;
	size_t n, at;
	struct py_span *out;
	size_t max, spans;
	size_t start;     /* of the first token of a statement: where a decorator may stand; n: nowhere */
	bool dotted;      /* a dot came last */
};

/* ---- looking ---------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool starts_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\f' || c == '\r' || c == '\n';
}

/* The byte `ahead` of the place; NUL behind the end. */
static char peek(const struct lexer *x, size_t ahead)
{
	return x->at + ahead < x->n ? x->p[x->at + ahead] : '\0';
}

/* Whether nothing but a line end follows from `at` on. */
static bool is_end(const struct lexer *x, size_t at)
{
	while (at < x->n && (x->p[at] == '\r' || x->p[at] == '\n'))
		at++;
	return at == x->n;
}

static void emit(struct lexer *x, size_t len, enum py_kind kind)
{
	struct py_span *last = x->spans ? &x->out[x->spans - 1] : NULL;

	len = MIN(len, x->n - x->at);
	x->at += len;
	if (!x->out || !len)
		return;
	if (last && (last->kind == kind || x->spans == x->max))
		last->len += (uint32_t)len;
	else
		x->out[x->spans++] = (struct py_span){ .start = (uint32_t)(x->at - len), .len = (uint32_t)len, .kind = kind };
}

/* ---- strings ---------------------------------------------------------------------------------------- */

/* Bytes of a string's prefix when a string begins here, flags in *flags; -1: none does. */
static int prefix(const struct lexer *x, uint8_t *flags)
{
	int n = 0, r = 0, f = 0, b = 0, u = 0;

	for (; n < 3; n++) {
		char c = (char)(peek(x, (size_t)n) | 0x20);
		int *seen = c == 'r' ? &r : c == 'f' || c == 't' ? &f : c == 'b' ? &b : c == 'u' ? &u : NULL;

		if (!starts_name(peek(x, (size_t)n)))
			break;
		if (!seen || ++*seen > 1)
			return -1;
	}
	if ((peek(x, (size_t)n) != '"' && peek(x, (size_t)n) != '\'') || f + b + u > 1 || (u && r))
		return -1;
	*flags = (uint8_t)((peek(x, (size_t)n) == '"' ? LEVEL_DOUBLE : 0) | (r ? LEVEL_RAW : 0) | (f ? LEVEL_F : 0));
	return n;
}

static bool open_level(struct lexer *x, uint8_t flags)
{
	if (x->st->depth == PY_DEPTH)
		return false;
	x->st->level[x->st->depth].flags = flags;
	x->st->level[x->st->depth].brackets = 0;
	x->st->depth++;
	return true;
}

static void close_level(struct lexer *x)
{
	x->st->depth--;
	x->st->level[x->st->depth].flags = x->st->level[x->st->depth].brackets = 0;
}

static size_t quote_here(const struct lexer *x, uint8_t flags)
{
	char quote = flags & LEVEL_DOUBLE ? '"' : '\'';

	if (peek(x, 0) != quote)
		return 0;
	if (!(flags & LEVEL_TRIPLE))
		return 1;
	return peek(x, 1) == quote && peek(x, 2) == quote ? 3 : 0;
}

/* Length of the piece of text at the place: up to what ends it, or one of the braces of a field. */
static size_t text_run(struct lexer *x, uint8_t flags)
{
	struct lexer y = *x;
	bool fields = flags & LEVEL_F, format = flags & LEVEL_FORMAT;

	for (; y.at < y.n; y.at++) {
		char c = y.p[y.at];

		if (c == '\\' && !format) {
			if (fields && !(flags & LEVEL_RAW) && peek(&y, 1) == 'N' && peek(&y, 2) == '{') {
				const char *close = memchr(y.p + y.at, '}', y.n - y.at);
				y.at = close ? (size_t)(close - y.p) : y.n - 1;
			} else if (!fields || (peek(&y, 1) != '{' && peek(&y, 1) != '}')) {
				y.at++;
			}
			continue;
		}
		if (quote_here(&y, flags))
			break;
		if (fields && !format && (c == '{' || c == '}') && peek(&y, 1) == c)
			y.at++;
		else if (fields && (c == '{' || (c == '}' && format)))
			break;
	}
	return MIN(y.at, y.n) - x->at;
}

/* A string on one line whose replacement fields are not taken apart: there is no level left. */
static void flat_string(struct lexer *x, uint8_t flags)
{
	emit(x, text_run(x, flags & (uint8_t)~LEVEL_F), PY_STRING);
	emit(x, quote_here(x, flags), PY_STRING);
}

static void begin_string(struct lexer *x, int prefix_bytes, uint8_t flags)
{
	size_t quotes = 1;

	x->at += (size_t)prefix_bytes;
	if (quote_here(x, flags | LEVEL_TRIPLE) == 3) {
		flags |= LEVEL_TRIPLE;
		quotes = 3;
	}
	x->at -= (size_t)prefix_bytes;
	emit(x, (size_t)prefix_bytes + quotes, PY_STRING);
	if (!open_level(x, flags))
		flat_string(x, flags);
}

/* Goes on in the text of the innermost string, or in a format. */
static void go_on_in_text(struct lexer *x)
{
	uint8_t *flags = &x->st->level[x->st->depth - 1].flags;
	enum py_kind kind = *flags & LEVEL_FORMAT ? PY_FIELD : PY_STRING;
	size_t quote;

	emit(x, text_run(x, *flags), kind);
	if (x->at == x->n)
		return;
	quote = quote_here(x, *flags);
	if (quote) { /* also in a format: the string was not whole */
		while (x->st->level[x->st->depth - 1].flags & LEVEL_NESTED)
			close_level(x);
		close_level(x);
		emit(x, quote, PY_STRING);
	} else if (peek(x, 0) == '{') {
		if (!(*flags & LEVEL_FORMAT))
			*flags |= LEVEL_FIELD;
		else if (!open_level(x, (uint8_t)((*flags & ~LEVEL_FORMAT) | LEVEL_FIELD | LEVEL_NESTED)))
			*flags &= (uint8_t)~(LEVEL_FIELD | LEVEL_FORMAT);
		x->st->level[x->st->depth - 1].brackets = 0;
		emit(x, 1, PY_FIELD);
	} else { /* the '}' behind a format */
		emit(x, 1, PY_FIELD);
		if (*flags & LEVEL_NESTED)
			close_level(x);
		else
			*flags &= (uint8_t)~(LEVEL_FIELD | LEVEL_FORMAT);
	}
}

/* ---- code --------------------------------------------------------------------------------------------- */

/* What ends the code of a replacement field; false: it goes on. */
static bool end_field(struct lexer *x)
{
	uint8_t *flags = &x->st->level[x->st->depth - 1].flags;
	char c = peek(x, 0), next = peek(x, 1), after = peek(x, 2);

	if (x->st->level[x->st->depth - 1].brackets)
		return false;
	if (c == '!' && strchr("rsa", next ? next : '?') && (after == ':' || after == '}' || after == '\0' || is_blank(after))) {
		emit(x, 2, PY_FIELD);
		return true;
	}
	if (c == ':') {
		*flags |= LEVEL_FORMAT;
		emit(x, 1, PY_FIELD);
		return true;
	}
	if (c != '}')
		return false;
	emit(x, 1, PY_FIELD);
	if (*flags & LEVEL_NESTED)
		close_level(x);
	else
		*flags &= (uint8_t)~LEVEL_FIELD;
	return true;
}

static void number(struct lexer *x)
{
	size_t n = 0;

	if (peek(x, 0) == '0' && peek(x, 1) && strchr("xXoObB", peek(x, 1))) {
		bool hex = (peek(x, 1) | 0x20) == 'x';
		for (n = 2; is_digit(peek(x, n)) || peek(x, n) == '_' ||
		            (hex && peek(x, n) && strchr("abcdefABCDEF", peek(x, n)));)
			n++;
		emit(x, n, PY_NUMBER);
		return;
	}
	while (is_digit(peek(x, n)) || peek(x, n) == '_')
		n++;
	if (peek(x, n) == '.')
		for (n++; is_digit(peek(x, n)) || (peek(x, n) == '_' && is_digit(peek(x, n + 1)));)
			n++;
	if ((peek(x, n) | 0x20) == 'e') {
		size_t sign = peek(x, n + 1) == '+' || peek(x, n + 1) == '-';
		if (is_digit(peek(x, n + 1 + sign)))
			for (n += 1 + sign; is_digit(peek(x, n)) || peek(x, n) == '_';)
				n++;
	}
	if ((peek(x, n) | 0x20) == 'j')
		n++;
	emit(x, n, PY_NUMBER);
}

static size_t name_length(const struct lexer *x, size_t from)
{
	size_t n = from;

	while (x->at + n < x->n && (starts_name(peek(x, n)) || is_digit(peek(x, n))))
		n++;
	return n - from;
}

/* The last byte of the line that is code, as far as a plain look tells. */
static char last_code(const struct lexer *x)
{
	const char *comment = memchr(x->p + x->at, '#', x->n - x->at);
	size_t end = comment ? (size_t)(comment - x->p) : x->n;

	while (end > x->at && is_blank(x->p[end - 1]))
		end--;
	return end > x->at ? x->p[end - 1] : '\0';
}

/* match, case and type are keywords only in front of what they introduce. */
static bool is_soft_keyword(const struct lexer *x, const char *p, size_t len)
{
	size_t next = len, name;

	if (x->at != x->start || x->st->depth)
		return false;
	while (peek(x, next) == ' ' || peek(x, next) == '\t')
		next++;
	if (next == len && peek(x, next) != '(' && peek(x, next) != '[')
		return false;
	if (len == 4 && memcmp(p, "type", 4) == 0 && starts_name(peek(x, next))) {
		name = next + name_length(x, next);
		while (peek(x, name) == ' ')
			name++;
		return peek(x, name) == '=' || peek(x, name) == '[';
	}
	if (!(len == 5 && memcmp(p, "match", 5) == 0) && !(len == 4 && memcmp(p, "case", 4) == 0))
		return false;
	return last_code(x) == ':' && peek(x, next) && !strchr(":=.,)]}+*/%&|^<>@!", peek(x, next));
}

static void name(struct lexer *x)
{
	const char *p = x->p + x->at;
	size_t len = name_length(x, 0);
	enum py_kind kind = PY_PLAIN;

	if (x->st->carry & CARRY_NAME) {
		kind = PY_DEFINED;
		x->st->carry &= (uint8_t)~CARRY_NAME;
	} else if (is_soft_keyword(x, p, len)) {
		kind = PY_KEYWORD;
	} else {
		kind = pyword_kind(p, len);
		if ((len == 3 && memcmp(p, "def", 3) == 0) || (len == 5 && memcmp(p, "class", 5) == 0))
			x->st->carry |= CARRY_NAME;
		if (kind == PY_BUILTIN && x->dotted)
			kind = PY_PLAIN;
	}
	emit(x, len, kind);
}

static void decorator(struct lexer *x)
{
	size_t n = 1, len;

	while (peek(x, n) == ' ' || peek(x, n) == '\t')
		n++;
	while ((len = name_length(x, n)) > 0 && !is_digit(peek(x, n))) {
		n += len;
		if (peek(x, n) != '.' || !starts_name(peek(x, n + 1)))
			break;
		n++;
	}
	emit(x, n, PY_DECORATOR);
}

static void count_bracket(struct lexer *x, char c)
{
	uint8_t *open = x->st->depth ? &x->st->level[x->st->depth - 1].brackets : &x->st->brackets;

	if ((c == '(' || c == '[' || c == '{') && *open < UINT8_MAX)
		++*open;
	else if ((c == ')' || c == ']' || c == '}') && *open > 0)
		--*open;
}

static void operator(struct lexer *x)
{
	char c = peek(x, 0);

	count_bracket(x, c);
	if (c == ';' || c == ':')
		x->start = x->n;
	if (c != '\0' && strchr("+-*/%@&|^~<>()[]{},:.;=!", c))
		emit(x, 1, PY_OPERATOR);
	else
		emit(x, 1, PY_PLAIN);
}

static void go_on_in_code(struct lexer *x)
{
	char c = peek(x, 0);
	uint8_t flags = 0;
	int prefix_bytes;

	if (is_blank(c)) {
		if (x->start == x->at)
			x->start++;
		emit(x, 1, PY_PLAIN);
		return;
	}
	if (x->st->depth && end_field(x))
		return;
	prefix_bytes = prefix(x, &flags);
	if (prefix_bytes >= 0) {
		begin_string(x, prefix_bytes, flags);
	} else if (c == '#') {
		size_t n = x->n - x->at;
		while (n && is_end(x, x->at + n - 1))
			n--;
		emit(x, n, PY_COMMENT);
		emit(x, x->n - x->at, PY_PLAIN);
		return;
	} else if (is_digit(c) || (c == '.' && is_digit(peek(x, 1)))) {
		number(x);
	} else if (starts_name(c)) {
		name(x);
	} else if (c == '@' && x->at == x->start) {
		decorator(x);
	} else if (c == '\\' && is_end(x, x->at + 1)) {
		x->st->carry |= CARRY_JOINED;
		emit(x, x->n - x->at, PY_PLAIN);
		return;
	} else {
		operator(x);
	}
	x->dotted = c == '.' && x->p[x->at - 1] == '.';
}

/* ---- lines ------------------------------------------------------------------------------------------------- */

/* Whether the text at the line end is joined to the next line by a backslash that is not itself escaped. */
static bool is_joined(const struct lexer *x)
{
	size_t end = x->n, slashes = 0;

	while (end && (x->p[end - 1] == '\n' || x->p[end - 1] == '\r'))
		end--;
	while (end > slashes && x->p[end - 1 - slashes] == '\\')
		slashes++;
	return slashes % 2;
}

/* A string in single quotes that is still in its text ends with the line, unless a backslash joins it. */
static void end_line(struct lexer *x)
{
	while (x->st->depth) {
		uint8_t flags = x->st->level[x->st->depth - 1].flags;

		if ((flags & LEVEL_TRIPLE) || ((flags & LEVEL_FIELD) && !(flags & LEVEL_FORMAT)) || is_joined(x))
			break;
		close_level(x);
	}
}

size_t pylex_line(struct py_state *st, const char *line, size_t n, struct py_span *out, size_t max)
{
	struct lexer x = { .st = st, .p = line, .n = MIN(n, UINT32_MAX), .out = out, .max = max };

	x.start = st->depth || st->brackets || (st->carry & CARRY_JOINED) ? x.n : 0;
	st->carry &= (uint8_t)~CARRY_JOINED;
	while (x.at < x.n) {
		uint8_t flags = st->depth ? st->level[st->depth - 1].flags : LEVEL_FIELD;

		if ((flags & LEVEL_FIELD) && !(flags & LEVEL_FORMAT))
			go_on_in_code(&x);
		else
			go_on_in_text(&x);
	}
	end_line(&x);
	return x.spans;
}
