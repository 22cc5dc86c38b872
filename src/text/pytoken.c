/* Tokens of Python code: the spans of pylex.c, put apart where they hold several. */
#include "pytoken.h"

#include "text/pylex.h"

#include <stdlib.h>
#include <string.h>

struct cutter {
	const char *code;
	struct py_tokens *out;
	uint32_t line;
	bool joined; /* the line ends in a backslash */
};

static void add(struct cutter *c, size_t start, size_t len, enum py_token_kind kind, bool goes_on)
{
	c->out->at = grow(c->out->at, c->out->n, &c->out->cap, sizeof(*c->out->at));
	c->out->at[c->out->n++] = (struct py_token){ .start = (uint32_t)start, .len = (uint32_t)len, .line = c->line,
		                                     .kind = (uint8_t)kind, .goes_on = goes_on };
}

static bool is_space(char b)
{
	return b == ' ' || b == '\t' || b == '\r' || b == '\n' || b == '\f';
}

/* Names, with what stands between them. */
static void add_names(struct cutter *c, size_t at, size_t end)
{
	while (at < end) {
		size_t start = at;

		while (at < end && !is_space(c->code[at]) && c->code[at] != '\\')
			at++;
		if (at > start) {
			add(c, start, at - start, PY_TOKEN_NAME, false);
			continue;
		}
		c->joined = c->joined || c->code[at] == '\\';
		at++;
	}
}

static bool goes_on(const struct cutter *c, size_t start, bool in_string, bool first)
{
	const struct py_token *last = c->out->n ? &c->out->at[c->out->n - 1] : NULL;

	return (in_string && first) || (last && last->kind == PY_TOKEN_FIELD && last->start + last->len == start);
}

static void add_span(struct cutter *c, size_t start, const struct py_span *s, bool in_string, bool first)
{
	switch (s->kind) {
	case PY_PLAIN:
	case PY_BUILTIN:
		add_names(c, start, start + s->len);
		break;
	case PY_KEYWORD:
		add(c, start, s->len, PY_TOKEN_KEYWORD, false);
		break;
	case PY_STRING:
		add(c, start, s->len, PY_TOKEN_STRING, goes_on(c, start, in_string, first));
		break;
	case PY_OPERATOR:
		for (size_t i = 0; i < s->len; i++)
			add(c, start + i, 1, PY_TOKEN_OPERATOR, false);
		break;
	case PY_FIELD:
		for (size_t i = 0; i < s->len; i++)
			if (c->code[start + i] == '{' || c->code[start + i] == '}')
				add(c, start + i, 1, PY_TOKEN_FIELD, false);
		break;
	case PY_COMMENT:
		break;
	default:
		add(c, start, s->len, PY_TOKEN_OTHER, false);
		break;
	}
}

void pytoken_cut(const char *code, size_t n, struct py_tokens *out)
{
	struct cutter c = { .code = code, .out = out };
	struct py_state st = { 0 };
	struct py_span *spans = NULL;
	size_t cap = 0;

	n = MIN(n, UINT32_MAX);
	for (size_t at = 0; at < n;) {
		const char *lf = memchr(code + at, '\n', n - at);
		size_t len = lf ? (size_t)(lf + 1 - code) - at : n - at, count;
		bool in_string = st.depth > 0;

		if (len > cap) {
			cap = MAX(len, 4096);
			free(spans);
			spans = xcalloc(cap, sizeof(*spans));
		}
		count = pylex_line(&st, code + at, len, spans, cap);
		c.line++;
		c.joined = false;
		for (size_t i = 0; i < count; i++)
			add_span(&c, at + spans[i].start, &spans[i], in_string, i == 0);
		if (!st.depth && !st.brackets && !c.joined)
			add(&c, at + len, 0, PY_TOKEN_NEWLINE, false);
		at += len;
	}
	free(spans);
}

void pytoken_free(struct py_tokens *t)
{
	free(t->at);
	*t = (struct py_tokens){ 0 };
}

bool pytoken_is(const char *code, const struct py_token *t, const char *text)
{
	return strlen(text) == t->len && memcmp(code + t->start, text, t->len) == 0;
}

bool pytoken_is_op(const char *code, const struct py_token *t, char c)
{
	return t->kind == PY_TOKEN_OPERATOR && code[t->start] == c;
}
