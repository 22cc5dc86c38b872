/*
 * Filters in Python code. Two ways through the tokens: the first learns what the code itself names (masks kept in a
 * variable, methods imported or kept under another name), the second tells the places.
 */
#include "text/pyfilter.h"

#include <stdlib.h>
#include <string.h>

#include "pysql.h"
#include "pytoken.h"

#define DEPTH 256 /* brackets inside each other; deeper ones hold no masks */

enum bracket_flag {
	BRACKET_INDEX = 1, /* [ behind a value: what stands inside selects */
	BRACKET_TOLD = 2,  /* its mask was told already */
	BRACKET_FOR = 4,   /* holds a comprehension */
	BRACKET_CALL = 8,  /* ( */
	BRACKET_BRACE = 16,
};

enum use {
	USE_CALL = 1,  /* behind a dot, called */
	USE_INDEX = 2, /* behind a dot, with [ */
	USE_ANY = 4,   /* behind a dot, called or handed on: the name is pandas' alone */
	USE_BARE = 8,  /* without a dot, called */
	USE_MASK = 16, /* makes a mask of a value */
	USE_TEXT = 32, /* makes one behind .str */
};

/* Methods, and how they are used where they filter. */
static const struct method {
	const char *name;
	uint8_t use;
} methods[] = {
	{ "query", USE_CALL }, { "loc", USE_INDEX }, { "iloc", USE_INDEX }, { "isin", USE_ANY | USE_MASK }, { "dropna", USE_ANY },
	{ "drop_duplicates", USE_ANY }, { "merge", USE_CALL }, { "join", USE_CALL }, { "merge_asof", USE_ANY },
	{ "merge_ordered", USE_ANY }, { "head", USE_CALL }, { "tail", USE_CALL }, { "sample", USE_CALL }, { "fillna", USE_ANY },
	{ "ffill", USE_ANY }, { "bfill", USE_ANY }, { "interpolate", USE_CALL }, { "astype", USE_ANY }, { "drop", USE_CALL },
	{ "where", USE_CALL }, { "mask", USE_CALL }, { "filter", USE_CALL | USE_BARE }, { "between", USE_CALL | USE_MASK },
	{ "nlargest", USE_ANY }, { "nsmallest", USE_ANY }, { "clip", USE_CALL }, { "to_numeric", USE_ANY },
	{ "to_datetime", USE_ANY }, { "notna", USE_ANY | USE_MASK }, { "notnull", USE_ANY | USE_MASK },
	{ "isna", USE_ANY | USE_MASK }, { "isnull", USE_ANY | USE_MASK }, { "truncate", USE_CALL }, { "first", USE_CALL },
	{ "last", USE_CALL }, { "replace", USE_CALL }, { "round", USE_CALL }, { "islice", USE_CALL | USE_BARE },
	{ "takewhile", USE_CALL | USE_BARE }, { "dropwhile", USE_CALL | USE_BARE }, { "filterfalse", USE_CALL | USE_BARE },
};

/* Methods that only make masks: told as such inside an index. */
static const struct method maskers[] = {
	{ "gt", USE_MASK }, { "ge", USE_MASK }, { "lt", USE_MASK }, { "le", USE_MASK }, { "eq", USE_MASK }, { "ne", USE_MASK },
	{ "duplicated", USE_MASK }, { "contains", USE_TEXT }, { "startswith", USE_TEXT }, { "endswith", USE_TEXT },
	{ "match", USE_TEXT }, { "fullmatch", USE_TEXT },
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

/* A name that the code gave. */
struct given {
	const char *p;
	size_t len;
	const struct method *method; /* NULL: a mask */
};

struct finder {
	const char *code;
	const struct py_token *t;
	size_t n;
	struct py_filters *out;
	struct given *given; /* sorted by name */
	size_t given_n, given_cap;
	uint8_t bracket[DEPTH];
	size_t depth;
	struct pysql sql;
};

void pyfilter_add(struct py_filters *out, uint32_t line, size_t start, size_t len, const char *what)
{
	out->at = grow(out->at, out->n, &out->cap, sizeof(*out->at));
	out->at[out->n++] = (struct py_filter){ line, (uint32_t)start, (uint32_t)len, what };
}

static void tell(struct finder *f, size_t i, const char *what)
{
	pyfilter_add(f->out, f->t[i].line, f->t[i].start, f->t[i].len, what);
}

/* ---- tokens ------------------------------------------------------------------------------------------- */

static bool is_op(const struct finder *f, size_t i, char c)
{
	return i < f->n && pytoken_is_op(f->code, &f->t[i], c);
}

static bool is_kind(const struct finder *f, size_t i, enum py_token_kind kind)
{
	return i < f->n && f->t[i].kind == kind;
}

static bool is_text(const struct finder *f, size_t i, const char *text)
{
	return i < f->n && pytoken_is(f->code, &f->t[i], text);
}

static bool same_text(const struct finder *f, size_t a, size_t b)
{
	return f->t[a].kind == f->t[b].kind && f->t[a].len == f->t[b].len &&
	       memcmp(f->code + f->t[a].start, f->code + f->t[b].start, f->t[a].len) == 0;
}

static bool is_dotted(const struct finder *f, size_t i)
{
	return i > 0 && is_op(f, i - 1, '.');
}

static bool is_value(const struct finder *f, size_t i)
{
	return is_kind(f, i, PY_TOKEN_NAME) || is_kind(f, i, PY_TOKEN_STRING) || is_kind(f, i, PY_TOKEN_OTHER) || is_op(f, i, ')') ||
	       is_op(f, i, ']') || is_op(f, i, '}');
}

/* An '=' that gives a value, not half of another operator. */
static bool is_assign(const struct finder *f, size_t i)
{
	return is_op(f, i, '=') && !(is_op(f, i + 1, '=') && f->t[i + 1].start == f->t[i].start + 1);
}

static bool is_statement_begin(const struct finder *f, size_t i)
{
	return i == 0 || f->t[i - 1].kind == PY_TOKEN_NEWLINE || is_op(f, i - 1, ';');
}

/* Something is compared or combined. Types are combined with |, too: only between brackets it is a mask. */
static bool is_comparison(const struct finder *f, size_t i)
{
	const struct py_token *t = &f->t[i];
	char c = f->code[t->start], before = '\0', after = '\0';

	if (t->kind != PY_TOKEN_OPERATOR)
		return false;
	if (i > 0 && f->t[i - 1].kind == PY_TOKEN_OPERATOR && f->t[i - 1].start + 1 == t->start)
		before = f->code[t->start - 1];
	if (i + 1 < f->n && f->t[i + 1].kind == PY_TOKEN_OPERATOR && f->t[i + 1].start == t->start + 1)
		after = f->code[t->start + 1];
	if (c == '<' || c == '>')
		return before != c && after != c && before != '-';
	if (c == '|')
		return (i > 0 && is_op(f, i - 1, ')')) || is_op(f, i + 1, '(');
	if (c == '&') /* with a number it takes bits */
		return !is_kind(f, i + 1, PY_TOKEN_OTHER) && !(i > 0 && is_kind(f, i - 1, PY_TOKEN_OTHER));
	return ((c == '=' || c == '!') && after == '=') || c == '~';
}

static const struct method *method_of(const struct finder *f, size_t i, const struct method *table, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (is_text(f, i, table[k].name))
			return &table[k];
	return NULL;
}

/* Whether the name makes a mask here. */
static bool is_masker(const struct finder *f, size_t i)
{
	const struct method *m = method_of(f, i, maskers, ARRAY_LEN(maskers));

	if (!is_dotted(f, i) || !is_op(f, i + 1, '('))
		return false;
	if (!m)
		m = method_of(f, i, methods, ARRAY_LEN(methods));
	return m && (m->use & USE_MASK || (m->use & USE_TEXT && i > 2 && is_text(f, i - 2, "str")));
}

/* ---- names that the code gives ------------------------------------------------------------------------- */

static void give(struct finder *f, size_t i, const struct method *m)
{
	f->given = grow(f->given, f->given_n, &f->given_cap, sizeof(*f->given));
	f->given[f->given_n++] = (struct given){ f->code + f->t[i].start, f->t[i].len, m };
}

static int by_name(const void *a, const void *b)
{
	const struct given *x = a, *y = b;
	int order = memcmp(x->p, y->p, MIN(x->len, y->len));

	return order ? order : (x->len > y->len) - (x->len < y->len);
}

static const struct given *given_of(const struct finder *f, size_t i)
{
	struct given key = { f->code + f->t[i].start, f->t[i].len, NULL };

	return f->given_n ? bsearch(&key, f->given, f->given_n, sizeof(key), by_name) : NULL;
}

/* from pandas import merge as mg */
static void learn_import(struct finder *f, size_t i)
{
	for (; i < f->n && f->t[i].kind != PY_TOKEN_NEWLINE; i++) {
		const struct method *m = is_kind(f, i, PY_TOKEN_NAME) ? method_of(f, i, methods, ARRAY_LEN(methods)) : NULL;
		bool named = is_text(f, i + 1, "as") && is_kind(f, i + 2, PY_TOKEN_NAME);

		if (m && !is_dotted(f, i) && !is_text(f, i - 1, "as"))
			give(f, named ? i + 2 : i, m);
	}
}

/* Whether a mask that was given a moment ago stands beside the operator: both = big & small. */
static bool joins_mask(const struct finder *f, size_t i)
{
	for (size_t k = f->given_n; k > 0 && f->given_n - k < 64; k--)
		for (size_t at = i - 1; at <= i + 1; at += 2)
			if (!f->given[k - 1].method && at < f->n && f->t[at].len == f->given[k - 1].len &&
			    memcmp(f->code + f->t[at].start, f->given[k - 1].p, f->t[at].len) == 0)
				return true;
	return false;
}

static bool makes_mask(const struct finder *f, size_t i)
{
	if (is_kind(f, i, PY_TOKEN_NAME))
		return is_masker(f, i);
	if (is_op(f, i, '&') || is_op(f, i, '|') || is_op(f, i, '~'))
		return joins_mask(f, i);
	return is_comparison(f, i);
}

/* big = (df.a > 1) & df.b.notna(), and keep = df.dropna. The value begins at `i`; one with "and" or "if" is no table's. */
static void learn_value(struct finder *f, size_t name, size_t i)
{
	size_t index = 0;
	bool mask = false, single = false;

	for (; i < f->n && f->t[i].kind != PY_TOKEN_NEWLINE && !is_op(f, i, ';'); i++) {
		index += is_op(f, i, '[') && (index || is_value(f, i - 1));
		index -= index && is_op(f, i, ']');
		single = single || (!index && is_kind(f, i, PY_TOKEN_KEYWORD));
		mask = mask || (!index && makes_mask(f, i));
	}
	const struct method *m = is_kind(f, i - 1, PY_TOKEN_NAME) && is_dotted(f, i - 1) ? method_of(f, i - 1, methods, ARRAY_LEN(methods)) : NULL;
	if ((mask && !single) || m)
		give(f, name, m);
}

static void learn(struct finder *f)
{
	for (size_t i = 0; i < f->n; i++) {
		size_t at = i + 1;

		if (!is_statement_begin(f, i))
			continue;
		if (is_text(f, i, "from"))
			learn_import(f, i + 1);
		if (!is_kind(f, i, PY_TOKEN_NAME))
			continue;
		if (is_op(f, at, ':')) /* with its type */
			while (at < f->n && !is_assign(f, at) && f->t[at].kind != PY_TOKEN_NEWLINE)
				at++;
		at += is_op(f, at, '&') || is_op(f, at, '|');
		if (is_assign(f, at))
			learn_value(f, i, at + 1);
	}
	if (f->given_n)
		qsort(f->given, f->given_n, sizeof(*f->given), by_name);
}

/* ---- brackets -------------------------------------------------------------------------------------------- */

static uint8_t *innermost(struct finder *f)
{
	return f->depth > 0 && f->depth <= DEPTH ? &f->bracket[f->depth - 1] : NULL;
}

/* A mask stands here: told once for the index around it, unless loc said so. */
static void take_mask(struct finder *f, size_t i)
{
	for (size_t k = MIN(f->depth, DEPTH); k > 0; k--) {
		uint8_t *b = &f->bracket[k - 1];

		if (!(*b & BRACKET_INDEX))
			continue;
		if (!(*b & BRACKET_TOLD))
			tell(f, i, "boolean mask");
		*b |= BRACKET_TOLD;
		return;
	}
}

/* Whether masks end or are joined here. */
static bool is_mask_end(const struct finder *f, size_t i)
{
	return is_op(f, i, ']') || is_op(f, i, ')') || is_op(f, i, '&') || is_op(f, i, '|') || is_op(f, i, ',');
}

/* df[df.flag], also self.df[self.df["flag"]]: a column of the same table selects its rows. */
static bool is_own_column(const struct finder *f, size_t open)
{
	static const char *const others[] = { "columns", "index", "size", "shape", "ndim" };
	size_t begin = open, inner = open + 1;

	while (begin > 0 && (is_kind(f, begin - 1, PY_TOKEN_NAME) || is_op(f, begin - 1, '.')))
		begin--;
	for (size_t i = begin; i < open; i++, inner++)
		if (inner >= f->n || !same_text(f, i, inner))
			return false;
	if (begin == open)
		return false;
	if (is_op(f, inner, '['))
		return is_kind(f, inner + 1, PY_TOKEN_STRING) && is_op(f, inner + 2, ']') && is_mask_end(f, inner + 3);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (is_text(f, inner + 1, others[i]))
			return false;
	return is_op(f, inner, '.') && is_kind(f, inner + 1, PY_TOKEN_NAME) && is_mask_end(f, inner + 2);
}

static void open_bracket(struct finder *f, size_t i)
{
	bool index = is_op(f, i, '[') && i > 0 && is_value(f, i - 1);
	bool loc = index && is_dotted(f, i - 1) && (is_text(f, i - 1, "loc") || is_text(f, i - 1, "iloc"));

	if (f->depth < DEPTH)
		f->bracket[f->depth] = (uint8_t)((index ? BRACKET_INDEX : 0) | (loc ? BRACKET_TOLD : 0) |
		                                 (is_op(f, i, '(') ? BRACKET_CALL : 0) | (is_op(f, i, '{') ? BRACKET_BRACE : 0));
	f->depth++;
	if (index && f->depth <= DEPTH && is_own_column(f, i))
		take_mask(f, i + 1);
}

/* ---- the places ------------------------------------------------------------------------------------------- */

/* ", ".join and os.path.join */
static bool joins_text(const struct finder *f, size_t i)
{
	return is_text(f, i, "join") && i > 1 && (is_kind(f, i - 2, PY_TOKEN_STRING) || is_text(f, i - 2, "path"));
}

static void take_method(struct finder *f, size_t i)
{
	const struct method *m = method_of(f, i, methods, ARRAY_LEN(methods));
	bool called = is_op(f, i + 1, '('), indexed = is_op(f, i + 1, '[');
	bool kept = is_kind(f, i + 1, PY_TOKEN_NEWLINE); /* under another name, perhaps */

	if (m && !is_assign(f, i + 1) && !joins_text(f, i) &&
	    (m->use & USE_ANY || (m->use & USE_CALL && called) || (m->use & USE_INDEX && (indexed || kept))))
		tell(f, i, m->name);
	if (is_masker(f, i))
		take_mask(f, i);
}

static void take_bare(struct finder *f, size_t i)
{
	const struct given *given = given_of(f, i);
	const struct method *m = given ? given->method : method_of(f, i, methods, ARRAY_LEN(methods));
	const uint8_t *b = innermost(f);

	if (is_op(f, i + 1, '(') || is_op(f, i + 1, '[')) {
		if (m && (given || (m->use & USE_BARE && is_op(f, i + 1, '('))))
			tell(f, i, m->name);
	} else if (given && !given->method && b && *b & BRACKET_INDEX && is_mask_end(f, i + 1) &&
	           (is_op(f, i - 1, '[') || is_op(f, i - 1, '&') || is_op(f, i - 1, '|'))) {
		take_mask(f, i);
	} else if (b && *b & BRACKET_CALL && is_assign(f, i + 1)) {
		for (size_t k = 0; k < ARRAY_LEN(arguments); k++)
			if (is_text(f, i, arguments[k].name))
				tell(f, i, arguments[k].what);
	}
}

static void take_keyword(struct finder *f, size_t i)
{
	uint8_t *b = innermost(f);

	if (b && is_text(f, i, "for"))
		*b |= BRACKET_FOR;
	else if (b && *b & BRACKET_FOR && is_text(f, i, "if"))
		tell(f, i, "comprehension if");
}

static void take_operator(struct finder *f, size_t i)
{
	char c = f->code[f->t[i].start];

	if (c == '(' || c == '[' || c == '{')
		open_bracket(f, i);
	else if (c == ')' || c == ']' || c == '}')
		f->depth -= f->depth > 0;
	else if (f->t[i].kind == PY_TOKEN_OPERATOR && is_comparison(f, i))
		take_mask(f, i);
	else if ((c == ',' || c == ':') && f->depth <= DEPTH && f->depth > 0 && f->bracket[f->depth - 1] & BRACKET_BRACE)
		f->sql = (struct pysql){ 0 }; /* another value of a dict */
}

/* A string whose value goes nowhere documents; one beside another goes on with it; one behind + is added to what
 * was there. */
static void take_string(struct finder *f, size_t i)
{
	bool added = i > 0 && (is_op(f, i - 1, '+') || (i > 1 && is_op(f, i - 1, '=') && is_op(f, i - 2, '+')));
	bool begins = is_statement_begin(f, i) || (i > 0 && is_op(f, i - 1, ':') && f->depth == 0);
	bool more = f->sql.prose && i > 0 && is_kind(f, i - 1, PY_TOKEN_STRING);

	pysql_take(&f->sql, f->code, &f->t[i], begins || more, added, f->out);
}

static void take(struct finder *f, size_t i)
{
	switch (f->t[i].kind) {
	case PY_TOKEN_NAME:
		if (is_dotted(f, i))
			take_method(f, i);
		else
			take_bare(f, i);
		break;
	case PY_TOKEN_KEYWORD:
		take_keyword(f, i);
		break;
	case PY_TOKEN_OPERATOR:
	case PY_TOKEN_FIELD:
		take_operator(f, i);
		break;
	case PY_TOKEN_STRING:
		take_string(f, i);
		break;
	case PY_TOKEN_NEWLINE:
		f->sql = (struct pysql){ 0 };
		f->depth = 0; /* what was left open is no Python */
		break;
	default:
		break;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct py_filter *x = a, *y = b;

	return x->start != y->start ? (x->start > y->start) - (x->start < y->start) : strcmp(x->what, y->what);
}

void pyfilter_find(const char *code, size_t n, struct py_filters *out)
{
	struct py_tokens tokens = { 0 };
	struct finder f = { .code = code, .out = out };

	pytoken_cut(code, n, &tokens);
	f.t = tokens.at;
	f.n = tokens.n;
	learn(&f);
	for (size_t i = 0; i < f.n; i++)
		take(&f, i);
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), by_place);
	free(f.given);
	pytoken_free(&tokens);
}

void pyfilter_free(struct py_filters *f)
{
	free(f->at);
	*f = (struct py_filters){ 0 };
}
