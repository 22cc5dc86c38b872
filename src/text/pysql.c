/*
 * SQL in strings. A string is a query when it begins like one and goes on like one ("select … from",
 * "update … set"); what people write in prose ("Select a file from the list where …") is told apart by its
 * capitals and by what follows the word. A condition that is added later (q += " WHERE …") is one by itself.
 */
#include "pysql.h"

#include <string.h>
#include <strings.h>

enum phase { PHASE_NONE, PHASE_BEFORE, PHASE_VERB, PHASE_CLAUSES }; /* BEFORE: with, insert, create: a verb may come */

enum style { STYLE_LOWER, STYLE_CAPITAL, STYLE_UPPER };

struct piece {
	struct pysql *s;
	const char *p; /* text of the piece, without prefix and quotes */
	size_t n, at;
	uint32_t base, line; /* of the text in the code */
	struct py_filters *out;
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

static bool is_word_byte(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9');
}

static bool is_any(const char *p, size_t n, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(words[i]) == n && strncasecmp(p, words[i], n) == 0)
			return true;
	return false;
}

#define IS_ANY(p, n, ...)                                                                       \
	is_any(p, n, (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static enum style style_of(const char *p, size_t n)
{
	bool lower = false;

	for (size_t i = 0; i < n; i++)
		lower = lower || (p[i] >= 'a' && p[i] <= 'z');
	return !lower ? STYLE_UPPER : p[0] >= 'A' && p[0] <= 'Z' ? STYLE_CAPITAL : STYLE_LOWER;
}

/* Whether a word may belong to the query that begins with a verb in this style: "Select … from" is prose. */
static bool fits_style(const struct piece *x, const char *p, size_t n)
{
	return x->s->style != STYLE_CAPITAL || style_of(p, n) != STYLE_LOWER;
}

/* What follows is a condition, not prose: it compares, or is one word, or comes later. */
static bool is_condition(const char *p, size_t n)
{
	size_t words = 0;

	for (size_t i = 0; i < n; i++) {
		size_t start = i;

		if (strchr("=<>!?%:(", p[i]) && p[i])
			return true;
		while (i < n && is_word_byte(p[i]))
			i++;
		if (i == start)
			continue;
		words++;
		if (IS_ANY(p + start, i - start, "between", "null", "exists"))
			return true;
		i--;
	}
	return words < 2;
}

static bool is_number_next(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && (p[i] == ' ' || p[i] == '\t'))
		i++;
	return i == n || strchr("0123456789?:%", p[i]) != NULL;
}

static void tell(struct piece *x, size_t start, size_t len, const char *what)
{
	pyfilter_add(x->out, x->line, x->base + start, len, what);
}

static void tell_where(struct piece *x, size_t start, size_t len)
{
	const char *p = x->p + start;

	if (style_of(p, len) == STYLE_LOWER && x->s->style == STYLE_LOWER && !is_condition(p + len, x->n - start - len))
		return;
	tell(x, start, len, IS_ANY(p, len, "where") ? "SQL WHERE" : "SQL HAVING");
}

static void become_query(struct piece *x)
{
	x->s->phase = PHASE_CLAUSES;
	if (x->s->distinct)
		pyfilter_add(x->out, x->s->distinct_line, x->s->distinct, strlen("distinct"), "SQL DISTINCT");
	x->s->distinct = 0;
}

static void take_clause(struct piece *x, size_t start, size_t len)
{
	const char *p = x->p + start;

	if (IS_ANY(p, len, "where", "having"))
		tell_where(x, start, len);
	else if (IS_ANY(p, len, "limit") && is_number_next(p + len, x->n - start - len))
		tell(x, start, len, "SQL LIMIT");
	else if (IS_ANY(p, len, "distinct"))
		tell(x, start, len, "SQL DISTINCT");
	else if (IS_ANY(p, len, "join"))
		tell(x, start, len, "SQL JOIN");
}

/* The first word of a string in a statement that holds no query yet. */
static void take_first(struct piece *x, size_t start, size_t len, bool added)
{
	const char *p = x->p + start;
	struct pysql *s = x->s;

	s->style = (uint8_t)style_of(p, len);
	if (IS_ANY(p, len, "select", "delete", "update"))
		s->phase = PHASE_VERB;
	else if (IS_ANY(p, len, "with", "insert", "create", "explain", "replace", "pragma", "drop", "attach"))
		s->phase = PHASE_BEFORE;
	else if (IS_ANY(p, len, "where", "having") && (s->style == STYLE_UPPER || added) &&
	         is_condition(p + len, x->n - start - len))
		tell_where(x, start, len);
	else
		s->prose = true;
}

static void take_word(struct piece *x, size_t start, size_t len, bool added)
{
	const char *p = x->p + start;
	struct pysql *s = x->s;

	if (s->phase == PHASE_NONE) {
		if (s->fresh)
			take_first(x, start, len, added);
	} else if (s->phase == PHASE_BEFORE) {
		if (IS_ANY(p, len, "select", "delete", "update") && fits_style(x, p, len))
			s->phase = PHASE_VERB;
	} else if (s->phase == PHASE_VERB) {
		if (IS_ANY(p, len, "from", "set") && fits_style(x, p, len)) {
			become_query(x);
		} else if (IS_ANY(p, len, "distinct")) {
			s->distinct = x->base + (uint32_t)start;
			s->distinct_line = x->line;
		} else if (s->fresh && IS_ANY(p, len, "where", "having")) {
			tell_where(x, start, len); /* put together of several strings, the table's name among them */
		}
	} else {
		take_clause(x, start, len);
	}
	s->fresh = false;
}

/* Behind prefix and quotes. */
static size_t text_begin(const char *p, size_t n)
{
	size_t at = 0, quotes = 0;

	while (at < n && at < 3 && p[at] != '"' && p[at] != '\'')
		at++;
	if (at == n || (p[at] != '"' && p[at] != '\''))
		return 0;
	while (quotes < 3 && at + quotes < n && p[at + quotes] == p[at])
		quotes++;
	return at + (quotes == 3 ? 3 : 1);
}

void pysql_take(struct pysql *s, const char *code, const struct py_token *t, bool prose, bool added, struct py_filters *out)
{
	size_t skip = t->goes_on ? 0 : text_begin(code + t->start, t->len);
	struct piece x = { .s = s, .p = code + t->start + skip, .n = t->len - skip, .base = t->start + (uint32_t)skip,
		           .line = t->line, .out = out };

	if (!t->goes_on) {
		s->prose = prose;
		s->fresh = true;
	}
	while (x.n && strchr("\"'\r\n", x.p[x.n - 1]) && x.p[x.n - 1])
		x.n--;
	while (x.at < x.n && !s->prose) {
		size_t start = x.at;
		char c = x.p[x.at];

		if (c == '-' && x.at + 1 < x.n && x.p[x.at + 1] == '-')
			break; /* a comment of SQL, up to the end of the line */
		if (c == '\\' && x.at + 1 < x.n) {
			x.at += 2;
			continue;
		}
		if (!is_word_byte(c)) {
			/* before its first word a query has nothing but these */
			if (s->fresh && s->phase == PHASE_NONE && !strchr(" \t\r\n\f(;", c))
				s->prose = true;
			x.at++;
			continue;
		}
		while (x.at < x.n && is_word_byte(x.p[x.at]))
			x.at++;
		take_word(&x, start, x.at - start, added);
	}
}
