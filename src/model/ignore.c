/*
 * Gitignore rules. A pattern becomes a list of tokens, and matching runs over all states at once, so
 * that a hostile pattern costs no more than length times length.
 */
#include "ignore.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum token_kind {
	TOKEN_CHAR,    /* this byte */
	TOKEN_ONE,     /* any byte but a slash */
	TOKEN_SET,     /* a byte of the set, never a slash */
	TOKEN_NAME,    /* any number of bytes but slashes: * */
	TOKEN_ANY,     /* any number of bytes */
	TOKEN_FOLDERS, /* nothing, or whatever the next two tokens (TOKEN_ANY and a slash) match */
};

struct token {
	enum token_kind kind;
	unsigned char byte; /* TOKEN_CHAR */
	uint32_t set;       /* TOKEN_SET: which of the rules' sets */
};

struct byte_set {
	uint64_t bits[4];
};

enum rule_kind { RULE_NEVER, RULE_LITERAL, RULE_SUFFIX, RULE_TOKENS };

struct rule {
	enum rule_kind kind;
	bool negative;     /* `!`: takes in again */
	bool folders_only; /* a slash at the end */
	bool base_only;    /* no other slash: meets the last part of the path */
	size_t line;
	char *text;        /* owned: the line */
	char *literal;     /* owned: RULE_LITERAL the whole, RULE_SUFFIX its end, else the start */
	size_t literal_len;
	size_t first;      /* of its tokens */
	size_t tokens;
};

struct ignore {
	struct rule *rules;
	size_t rules_n, rules_cap;
	struct token *tokens;
	size_t tokens_n, tokens_cap;
	struct byte_set *sets;
	size_t sets_n, sets_cap;
	size_t longest; /* tokens of the longest rule */
};

/* ---- reading ---- */

static void add_token(struct ignore *g, enum token_kind kind, unsigned char byte, uint32_t set)
{
	g->tokens = grow(g->tokens, g->tokens_n, &g->tokens_cap, sizeof(*g->tokens));
	g->tokens[g->tokens_n++] = (struct token){ .kind = kind, .byte = byte, .set = set };
}

static void set_put(struct byte_set *s, unsigned from, unsigned to)
{
	for (unsigned c = from; c <= to; c++)
		s->bits[c / 64] |= UINT64_C(1) << (c % 64);
}

static bool set_has(const struct byte_set *s, unsigned char c)
{
	return s->bits[c / 64] >> (c % 64) & 1;
}

static int is_blank(int c)
{
	return c == ' ' || c == '\t';
}

static bool put_class(struct byte_set *s, const char *name, size_t n)
{
	static const struct {
		const char *name;
		int (*is)(int);
	} classes[] = {
		{ "alnum", isalnum }, { "alpha", isalpha }, { "blank", is_blank }, { "cntrl", iscntrl },
		{ "digit", isdigit }, { "graph", isgraph }, { "lower", islower },  { "print", isprint },
		{ "punct", ispunct }, { "space", isspace }, { "upper", isupper },  { "xdigit", isxdigit },
	};

	for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
		if (strlen(classes[i].name) != n || memcmp(classes[i].name, name, n) != 0)
			continue;
		/* ASCII alone, whatever the locale: the same rules must mean the same everywhere. */
		for (int c = 0; c < 128; c++)
			if (classes[i].is(c))
				set_put(s, (unsigned)c, (unsigned)c);
		return true;
	}
	return false;
}

/* Length of NAME:] at p, 0 when the bracket does not end so. */
static size_t class_length(const char *p, const char *end)
{
	const char *close = memchr(p, ']', (size_t)(end - p));

	return close && close > p && close[-1] == ':' ? (size_t)(close - p) + 1 : 0;
}

/* Reads a bracket whose '[' is behind `p`; returns behind its ']', NULL when it is none. What may
 * begin a range, and what a '-' then means, follows git: not behind a range or a class. */
static const char *read_set(const char *p, const char *end, struct byte_set *out)
{
	struct byte_set s = { { 0 } };
	bool negative = p < end && (*p == '!' || *p == '^');
	int before = -1;
	size_t n;

	p += negative;
	for (bool first = true; p < end && (first || *p != ']'); first = false, p++) {
		unsigned char c = (unsigned char)*p;
		if (c == '-' && before >= 0 && p + 1 < end && p[1] != ']') {
			p++;
			if (*p == '\\' && ++p == end)
				return NULL;
			set_put(&s, (unsigned)before, (unsigned char)*p);
			before = -1;
		} else if (c == '[' && p + 1 < end && p[1] == ':' && !memchr(p + 2, ']', (size_t)(end - p - 2))) {
			return NULL;
		} else if (c == '[' && p + 1 < end && p[1] == ':' && (n = class_length(p + 2, end)) > 0) {
			if (!put_class(&s, p + 2, n - 2))
				return NULL;
			p += n + 1;
			before = -1;
		} else {
			if (c == '\\' && ++p == end)
				return NULL;
			before = (unsigned char)*p;
			set_put(&s, (unsigned)before, (unsigned)before);
		}
	}
	if (p >= end)
		return NULL;
	for (size_t i = 0; negative && i < 4; i++)
		s.bits[i] = ~s.bits[i];
	s.bits['/' / 64] &= ~(UINT64_C(1) << ('/' % 64));
	*out = s;
	return p + 1;
}

/* A run of stars that begins at p and ends before `next`. Two or more of them cross slashes where they
 * stand for whole parts; git takes the first wildcard of a pattern for the start of one. */
static const char *read_stars(struct ignore *g, const char *start, const char *p, const char *next, const char *end)
{
	bool at_start = p == start || p[-1] == '/';
	bool at_end = next == end || *next == '/' || (*next == '\\' && next + 1 < end && next[1] == '/');

	if (next - p < 2 || !at_start || !at_end) {
		add_token(g, TOKEN_NAME, 0, 0);
		return next;
	}
	if (next < end && *next == '/') {
		add_token(g, TOKEN_FOLDERS, 0, 0);
		add_token(g, TOKEN_ANY, 0, 0);
		add_token(g, TOKEN_CHAR, '/', 0);
		return next + 1;
	}
	add_token(g, TOKEN_ANY, 0, 0);
	return next;
}

static bool read_tokens(struct ignore *g, const char *start, const char *end)
{
	struct byte_set set;
	const char *p = start;

	while (p < end) {
		switch (*p) {
		case '?':
			add_token(g, TOKEN_ONE, 0, 0);
			p++;
			break;
		case '*': {
			const char *next = p;
			while (next < end && *next == '*')
				next++;
			p = read_stars(g, start, p, next, end);
			break;
		}
		case '[':
			p = read_set(p + 1, end, &set);
			if (!p)
				return false;
			g->sets = grow(g->sets, g->sets_n, &g->sets_cap, sizeof(*g->sets));
			g->sets[g->sets_n] = set;
			add_token(g, TOKEN_SET, 0, (uint32_t)g->sets_n++);
			break;
		case '\\':
			if (++p == end)
				return false;
			/* fall through */
		default:
			add_token(g, TOKEN_CHAR, (unsigned char)*p++, 0);
		}
	}
	return true;
}

static void read_pattern(struct ignore *g, struct rule *r, const char *p, const char *end)
{
	size_t literal = 0;

	r->base_only = !memchr(p, '/', (size_t)(end - p));
	if (*p == '/')
		p++;
	while (p + literal < end && !strchr("*?[\\", p[literal]))
		literal++;
	if (r->base_only && p < end && *p == '*') {
		const char *rest = p + 1;
		while (rest < end && !strchr("*?[\\", *rest))
			rest++;
		if (rest == end) {
			r->kind = RULE_SUFFIX;
			r->literal_len = (size_t)(end - p) - 1;
			r->literal = xstrndup(p + 1, r->literal_len);
			return;
		}
	}
	r->literal = xstrndup(p, literal);
	r->literal_len = literal;
	r->kind = p + literal == end ? RULE_LITERAL : RULE_TOKENS;
	r->first = g->tokens_n;
	if (r->kind == RULE_TOKENS && !read_tokens(g, p + literal, end)) {
		r->kind = RULE_NEVER;
		g->tokens_n = r->first;
	}
	r->tokens = g->tokens_n - r->first;
	g->longest = MAX(g->longest, r->tokens);
}

/* Blanks at the end do not count, unless a backslash stands before them. */
static size_t without_blanks(const char *line, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (line[i] == ' ')
			continue;
		if (line[i] == '\\' && ++i == n)
			return n;
		kept = i + 1;
	}
	return kept;
}

static void add_rule(struct ignore *g, const char *line, size_t n, size_t number)
{
	const char *nul = memchr(line, '\0', n);
	struct rule r = { .line = number };

	if (nul)
		n = (size_t)(nul - line);
	n = without_blanks(line, n);
	const char *p = line, *end = line + n;
	if (p < end && *p == '!') {
		r.negative = true;
		p++;
	}
	if (p < end && end[-1] == '/') {
		r.folders_only = true;
		end--;
	}
	if (p == end)
		return;
	r.text = xstrndup(line, n);
	read_pattern(g, &r, p, end);
	g->rules = grow(g->rules, g->rules_n, &g->rules_cap, sizeof(*g->rules));
	g->rules[g->rules_n++] = r;
}

struct ignore *ignore_parse(const void *bytes, size_t n)
{
	struct ignore *g = xcalloc(1, sizeof(*g));
	const char *p = bytes, *end = n > 0 ? p + n : p;

	if (n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
		p += 3;
	for (size_t number = 1; p < end; number++) {
		const char *feed = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((feed ? feed : end) - p);
		const char *next = feed ? feed + 1 : end;
		if (len > 0 && p[len - 1] == '\r')
			len--;
		if (len > 0 && *p != '#')
			add_rule(g, p, len, number);
		p = next;
	}
	return g;
}

void ignore_free(struct ignore *g)
{
	if (!g)
		return;
	for (size_t i = 0; i < g->rules_n; i++) {
		free(g->rules[i].text);
		free(g->rules[i].literal);
	}
	free(g->rules);
	free(g->tokens);
	free(g->sets);
	free(g);
}

bool ignore_is_empty(const struct ignore *g)
{
	return g->rules_n == 0;
}

/* ---- matching ---- */

/* Marks state `at` and those that are reached from it without a byte. */
static void enter(const struct token *t, size_t n, size_t at, bool *states)
{
	while (!states[at]) {
		states[at] = true;
		if (at == n)
			return;
		if (t[at].kind == TOKEN_FOLDERS)
			enter(t, n, at + 3, states);
		else if (t[at].kind != TOKEN_NAME && t[at].kind != TOKEN_ANY)
			return;
		at++;
	}
}

static void step(const struct ignore *g, const struct token *t, size_t n, size_t at, unsigned char c, bool *next)
{
	bool goes = false;

	switch (t[at].kind) {
	case TOKEN_CHAR:
		goes = t[at].byte == c;
		break;
	case TOKEN_ONE:
		goes = c != '/';
		break;
	case TOKEN_SET:
		goes = set_has(&g->sets[t[at].set], c);
		break;
	case TOKEN_NAME:
		if (c != '/')
			enter(t, n, at, next);
		break;
	case TOKEN_ANY:
		enter(t, n, at, next);
		break;
	case TOKEN_FOLDERS:
		break;
	}
	if (goes)
		enter(t, n, at + 1, next);
}

static bool match_tokens(const struct ignore *g, const struct rule *r, const char *s)
{
	const struct token *t = g->tokens + r->first;
	size_t n = r->tokens;
	bool *now = xcalloc(2, g->longest + 1);
	bool *next = now + g->longest + 1;
	bool *memory = now, alive = true;

	enter(t, n, 0, now);
	for (; *s && alive; s++) {
		alive = false;
		memset(next, 0, n + 1);
		for (size_t at = 0; at < n; at++) {
			if (!now[at])
				continue;
			step(g, t, n, at, (unsigned char)*s, next);
			alive = true;
		}
		bool *swap = now;
		now = next;
		next = swap;
	}
	bool matched = *s == '\0' && now[n];
	free(memory);
	return matched;
}

static bool match_rule(const struct ignore *g, const struct rule *r, const char *path, const char *base, bool is_folder)
{
	const char *s = r->base_only ? base : path;
	size_t n;

	if (r->folders_only && !is_folder)
		return false;
	switch (r->kind) {
	case RULE_LITERAL:
		return strcmp(s, r->literal) == 0;
	case RULE_SUFFIX:
		n = strlen(s);
		return n >= r->literal_len && memcmp(s + n - r->literal_len, r->literal, r->literal_len) == 0;
	case RULE_TOKENS:
		return strncmp(s, r->literal, r->literal_len) == 0 && match_tokens(g, r, s + r->literal_len);
	case RULE_NEVER:
		break;
	}
	return false;
}

enum ignore_answer ignore_match(const struct ignore *g, const char *path, bool is_folder, struct ignore_rule *rule)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	for (size_t i = g->rules_n; i-- > 0;) {
		const struct rule *r = &g->rules[i];
		if (!match_rule(g, r, path, base, is_folder))
			continue;
		if (rule)
			*rule = (struct ignore_rule){ .line = r->line, .text = r->text };
		return r->negative ? IGNORE_NO : IGNORE_YES;
	}
	return IGNORE_SILENT;
}
