/* Filters in Python code, found among the pieces that pylex.c cuts. */
#include "text/pyfilter.h"

#include <string.h>
#include <strings.h>

enum bracket_flag {
	BRACKET_INDEX = 1, /* [ behind a value: what stands inside selects */
	BRACKET_TOLD = 2,  /* its mask was told already */
	BRACKET_FOR = 4,   /* holds a comprehension */
};

enum last_token { LAST_OTHER, LAST_VALUE, LAST_DOT };

/* Methods, by what follows them: '(' or '['. */
static const struct {
	const char *name;
	char follows;
} methods[] = {
	{ "query", '(' }, { "loc", '[' }, { "iloc", '[' }, { "isin", '(' }, { "dropna", '(' }, { "drop_duplicates", '(' },
	{ "merge", '(' }, { "join", '(' }, { "merge_asof", '(' }, { "head", '(' }, { "tail", '(' }, { "sample", '(' },
	{ "fillna", '(' }, { "ffill", '(' }, { "bfill", '(' }, { "interpolate", '(' }, { "astype", '(' }, { "drop", '(' },
	{ "where", '(' }, { "mask", '(' }, { "filter", '(' }, { "between", '(' }, { "nlargest", '(' }, { "nsmallest", '(' },
	{ "clip", '(' }, { "to_numeric", '(' }, { "to_datetime", '(' }, { "notna", '(' }, { "notnull", '(' }, { "isna", '(' },
	{ "isnull", '(' }, { "truncate", '(' }, { "first", '(' }, { "last", '(' }, { "replace", '(' }, { "round", '(' },
};

/* Arguments by name, with the word that is told. */
static const struct {
	const char *name, *what;
} arguments[] = {
	{ "how", "how=" }, { "nrows", "nrows=" }, { "skiprows", "skiprows=" }, { "skipfooter", "skipfooter=" },
	{ "usecols", "usecols=" }, { "na_values", "na_values=" }, { "dropna", "dropna=" }, { "errors", "errors=" },
	{ "on_bad_lines", "on_bad_lines=" }, { "comment", "comment=" }, { "dtype", "dtype=" }, { "thousands", "thousands=" },
	{ "decimal", "decimal=" },
};

struct finder {
	struct pyfilter_state *st;
	const char *p;
	size_t n;
	struct py_filter *out;
	size_t max, found;
};

static void tell(struct finder *f, size_t start, size_t len, const char *what)
{
	if (f->found < f->max)
		f->out[f->found++] = (struct py_filter){ (uint32_t)start, (uint32_t)len, what };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The next byte that is no blank, and the one behind it. */
static char next_of(const struct finder *f, size_t at, char *after)
{
	while (at < f->n && is_blank(f->p[at]))
		at++;
	*after = at + 1 < f->n ? f->p[at + 1] : '\0';
	return at < f->n ? f->p[at] : '\0';
}

static bool is_word(const char *word, const char *p, size_t len)
{
	return strlen(word) == len && memcmp(word, p, len) == 0;
}

/* ---- names ------------------------------------------------------------------------------------------ */

static bool tell_method(struct finder *f, size_t start, size_t len)
{
	char after, next = next_of(f, start + len, &after);

	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		if (next != methods[i].follows || !is_word(methods[i].name, f->p + start, len))
			continue;
		tell(f, start, len, methods[i].name);
		return true;
	}
	return false;
}

static void tell_argument(struct finder *f, size_t start, size_t len)
{
	char after, next = next_of(f, start + len, &after);

	if (next != '=' || after == '=' || f->st->depth == 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(arguments); i++)
		if (is_word(arguments[i].name, f->p + start, len))
			tell(f, start, len, arguments[i].what);
}

static uint8_t *innermost(struct finder *f)
{
	return f->st->depth > 0 && f->st->depth <= PYFILTER_DEPTH ? &f->st->bracket[f->st->depth - 1] : NULL;
}

static void take_keyword(struct finder *f, size_t start, size_t len)
{
	uint8_t *b = innermost(f);

	if (b && is_word("for", f->p + start, len))
		*b |= BRACKET_FOR;
	else if (b && *b & BRACKET_FOR && is_word("if", f->p + start, len))
		tell(f, start, len, "comprehension if");
	f->st->last = LAST_OTHER;
}

static void take_name(struct finder *f, size_t start, size_t len)
{
	if (f->st->last == LAST_DOT)
		tell_method(f, start, len);
	else
		tell_argument(f, start, len);
	f->st->last = LAST_VALUE;
}

/* A piece of names and blanks. */
static void take_names(struct finder *f, size_t at, size_t end)
{
	while (at < end) {
		size_t start = at;

		while (at < end && !is_blank(f->p[at]) && f->p[at] != '\r' && f->p[at] != '\n' && f->p[at] != '\f' &&
		       f->p[at] != '\\')
			at++;
		if (at > start)
			take_name(f, start, at - start);
		else
			at++;
	}
}

/* ---- operators -------------------------------------------------------------------------------------- */

static void open_bracket(struct finder *f, char c)
{
	uint8_t flags = c == '[' && f->st->last == LAST_VALUE ? BRACKET_INDEX : 0;

	/* loc says so itself */
	if (f->found && flags && (f->out[f->found - 1].what == methods[1].name || f->out[f->found - 1].what == methods[2].name))
		flags |= BRACKET_TOLD;
	if (f->st->depth < PYFILTER_DEPTH)
		f->st->bracket[f->st->depth] = flags;
	if (f->st->depth < UINT16_MAX)
		f->st->depth++;
	f->st->last = LAST_OTHER;
}

/* Something is compared or combined: a mask, where that selects. */
static void take_comparison(struct finder *f, size_t at)
{
	for (size_t i = MIN(f->st->depth, PYFILTER_DEPTH); i > 0; i--) {
		uint8_t *b = &f->st->bracket[i - 1];

		if (!(*b & BRACKET_INDEX))
			continue;
		if (!(*b & BRACKET_TOLD))
			tell(f, at, 1, "boolean mask");
		*b |= BRACKET_TOLD;
		return;
	}
}

static bool is_comparison(const struct finder *f, size_t at)
{
	char c = f->p[at], before = at ? f->p[at - 1] : '\0', after = at + 1 < f->n ? f->p[at + 1] : '\0';

	if (c == '<' || c == '>')
		return before != c && after != c && before != '-';
	return (c == '=' && after == '=') || (c == '!' && after == '=') || c == '&' || c == '|' || c == '~';
}

static void take_operator(struct finder *f, size_t at)
{
	char c = f->p[at];

	if (strchr("([{", c)) {
		open_bracket(f, c);
		return;
	}
	if (strchr(")]}", c)) {
		f->st->depth -= f->st->depth > 0;
		f->st->last = LAST_VALUE;
		return;
	}
	if (is_comparison(f, at))
		take_comparison(f, at);
	f->st->last = c == '.' ? LAST_DOT : LAST_OTHER;
}

/* ---- strings ---------------------------------------------------------------------------------------- */

static size_t find_word(const char *p, size_t n, const char *word, size_t from)
{
	size_t len = strlen(word);

	for (size_t i = from; i + len <= n; i++) {
		bool begins = i == 0 || !((p[i - 1] | 0x20) >= 'a' && (p[i - 1] | 0x20) <= 'z');
		bool ends = i + len == n || !((p[i + len] | 0x20) >= 'a' && (p[i + len] | 0x20) <= 'z');

		if (begins && ends && strncasecmp(p + i, word, len) == 0)
			return i;
	}
	return SIZE_MAX;
}

/* A query says what it takes with these words; where it began on an earlier line, st->sql knows. */
static void take_string(struct finder *f, size_t at, size_t len)
{
	static const char *const verbs[] = { "select", "delete", "update" };
	static const struct {
		const char *word, *what;
	} clauses[] = { { "where", "SQL WHERE" }, { "having", "SQL HAVING" }, { "limit", "SQL LIMIT" }, { "distinct", "SQL DISTINCT" } };

	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		f->st->sql = f->st->sql || find_word(f->p + at, len, verbs[i], 0) != SIZE_MAX;
	for (size_t i = 0; f->st->sql && i < ARRAY_LEN(clauses); i++) {
		size_t hit = find_word(f->p + at, len, clauses[i].word, 0);
		if (hit != SIZE_MAX)
			tell(f, at + hit, strlen(clauses[i].word), clauses[i].what);
	}
	f->st->last = LAST_VALUE;
}

/* ---- lines ------------------------------------------------------------------------------------------ */

#define SPANS 1024

static void take_span(struct finder *f, const struct py_span *s)
{
	switch (s->kind) {
	case PY_PLAIN:
	case PY_BUILTIN:
		take_names(f, s->start, s->start + s->len);
		break;
	case PY_OPERATOR:
		for (size_t i = 0; i < s->len; i++)
			take_operator(f, s->start + i);
		break;
	case PY_KEYWORD:
		take_keyword(f, s->start, s->len);
		break;
	case PY_STRING:
		take_string(f, s->start, s->len);
		break;
	case PY_COMMENT:
		break;
	case PY_NUMBER:
	case PY_CONSTANT:
		f->st->last = LAST_VALUE;
		break;
	default:
		f->st->last = LAST_OTHER;
		break;
	}
}

static int by_place(const struct py_filter *a, const struct py_filter *b)
{
	return (a->start > b->start) - (a->start < b->start);
}

size_t pyfilter_line(struct pyfilter_state *st, const char *line, size_t n, struct py_filter *out, size_t max)
{
	struct py_span spans[SPANS];
	struct finder f = { .st = st, .p = line, .n = n, .out = out, .max = max };
	bool was_sql = st->sql, in_string = st->py.depth > 0;
	size_t count = pylex_line(&st->py, line, n, spans, SPANS);

	st->sql = was_sql && (in_string || st->depth > 0);
	for (size_t i = 0; i < count; i++)
		take_span(&f, &spans[i]);
	if (!st->py.depth && st->depth == 0)
		st->sql = false;
	for (size_t i = 1; i < f.found; i++) /* few, and nearly in order */
		for (size_t k = i; k > 0 && by_place(&out[k - 1], &out[k]) > 0; k--) {
			struct py_filter swap = out[k];
			out[k] = out[k - 1];
			out[k - 1] = swap;
		}
	return f.found;
}
