/* Forms of secrets, and looking for them in pieces of a stream. */
#include "text/secret.h"

#include <string.h>

enum set { UPPER_DIGIT, ALNUM, TOKEN }; /* TOKEN: letters, digits, _ and - */

static const struct form {
	const char *front;
	enum set set;
	size_t least;      /* characters of the set behind it */
	const char *kind;
} forms[] = {
	{ "AKIA", UPPER_DIGIT, 16, "an AWS access key" },
	{ "ASIA", UPPER_DIGIT, 16, "an AWS access key" },
	{ "ghp_", ALNUM, 36, "a GitHub token" },
	{ "gho_", ALNUM, 36, "a GitHub token" },
	{ "ghs_", ALNUM, 36, "a GitHub token" },
	{ "ghu_", ALNUM, 36, "a GitHub token" },
	{ "github_pat_", TOKEN, 22, "a GitHub token" },
	{ "glpat-", TOKEN, 20, "a GitLab token" },
	{ "sk-", TOKEN, 32, "an API key" },
	{ "sk_live_", ALNUM, 16, "an API key" },
	{ "AIza", TOKEN, 35, "a Google API key" },
	{ "xoxb-", TOKEN, 16, "a Slack token" },
	{ "xoxp-", TOKEN, 16, "a Slack token" },
};

static bool is_upper_digit(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_in(enum set set, char c)
{
	bool alnum = is_upper_digit(c) || (c >= 'a' && c <= 'z');

	return set == UPPER_DIGIT ? is_upper_digit(c) : alnum || (set == TOKEN && (c == '_' || c == '-'));
}

static size_t run_of(enum set set, const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && is_in(set, p[i]))
		i++;
	return i;
}

static const char *find_form(const char *p, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		size_t front = strlen(forms[i].front);
		if (n > front && memcmp(p, forms[i].front, front) == 0 && run_of(forms[i].set, p + front, n - front) >= forms[i].least)
			return forms[i].kind;
	}
	return NULL;
}

/* "-----BEGIN … PRIVATE KEY-----" */
static const char *find_key(const char *p, size_t n)
{
	static const char front[] = "-----BEGIN ", end[] = "PRIVATE KEY-----";
	size_t most = MIN(n, sizeof(front) + 32 + sizeof(end));

	if (n < sizeof(front) || memcmp(p, front, sizeof(front) - 1) != 0)
		return NULL;
	return memmem(p, most, end, sizeof(end) - 1) ? "a private key" : NULL;
}

/* NAME_PASSWORD = value: a name in capitals, a sign, and at least 6 characters that are no blank. */
static const char *find_variable(const char *p, size_t n)
{
	static const char *const words[] = { "PASSWORD", "PASSWD", "SECRET", "TOKEN", "API_KEY", "APIKEY" };
	size_t name = 0, at;
	bool named = false;

	while (name < n && name < 64 && (is_upper_digit(p[name]) || p[name] == '_'))
		name++;
	for (size_t i = 0; i < ARRAY_LEN(words) && !named; i++)
		named = memmem(p, name, words[i], strlen(words[i])) != NULL;
	for (at = name; at < n && (p[at] == ' ' || p[at] == '\'' || p[at] == '"'); at++)
		;
	if (!named || at >= n || (p[at] != '=' && p[at] != ':'))
		return NULL;
	for (at++; at < n && (p[at] == ' ' || p[at] == '\'' || p[at] == '"'); at++)
		;
	size_t value = at;
	while (at < n && (unsigned char)p[at] > ' ' && p[at] != '\'' && p[at] != '"')
		at++;
	return at - value >= 6 ? "a password or key" : NULL;
}

/* Every form begins with one of these. */
static bool may_begin(char c)
{
	return (c >= 'A' && c <= 'Z') || c == 'g' || c == 's' || c == 'x' || c == '-';
}

/* `inside` a word nothing begins. */
static const char *find(const char *p, size_t n, bool inside, size_t *at)
{
	for (size_t i = 0; i < n; i++) {
		const char *kind = NULL;
		if (!inside && may_begin(p[i])) {
			size_t left = MIN(n - i, (size_t)SECRET_SPAN);
			kind = find_form(p + i, left);
			kind = kind ? kind : p[i] == '-' ? find_key(p + i, left) : find_variable(p + i, left);
		}
		if (kind) {
			*at = i;
			return kind;
		}
		inside = is_in(TOKEN, p[i]);
	}
	return NULL;
}

static int64_t breaks(const char *p, size_t n)
{
	int64_t found = 0;

	for (const char *end = p + n; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		found++;
	return found;
}

static void look(struct secret_scan *s, const char *p, size_t n, bool inside, int64_t before)
{
	size_t at;

	if (s->kind || n == 0)
		return;
	s->kind = find(p, n, inside, &at);
	if (s->kind)
		s->line = before + breaks(p, at) + 1;
}

void secret_feed(struct secret_scan *s, const void *bytes, size_t n)
{
	const char *p = bytes;
	char seam[2 * SECRET_SPAN];

	if (s->kind || s->seen >= SECRET_LOOKED || n == 0)
		return;
	size_t more = MIN(n, (size_t)SECRET_SPAN);
	memcpy(seam, s->carry, s->carry_n);
	memcpy(seam + s->carry_n, p, more);
	look(s, seam, s->carry_n + more, s->seen > (int64_t)s->carry_n, s->breaks - breaks(s->carry, s->carry_n));
	look(s, p, n, s->carry_n > 0 && is_in(TOKEN, s->carry[s->carry_n - 1]), s->breaks);
	s->breaks += breaks(p, n);
	s->seen += (int64_t)n;
	/* What comes next may go on from here. */
	size_t keep = MIN(n >= SECRET_SPAN ? n : s->carry_n + more, (size_t)SECRET_SPAN);
	if (n >= SECRET_SPAN)
		memcpy(s->carry, p + n - keep, keep);
	else
		memmove(s->carry, seam + s->carry_n + more - keep, keep);
	s->carry_n = keep;
}
