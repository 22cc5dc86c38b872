/* Reading an expression for the plain bytes that no match of it can lack. */
#include "required.h"

#include <string.h>

struct reader {
	const char *p;
	size_t n, at;
	bool any_case;
	char *text;        /* of the runs so far, and of the one that is being read */
	size_t text_n;
	size_t run;        /* where that one begins */
	struct run *runs;
	size_t runs_n, max;
};

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void end_run(struct reader *r)
{
	if (r->text_n > r->run && r->runs_n < r->max)
		r->runs[r->runs_n++] = (struct run){ r->run, r->text_n - r->run };
	r->run = r->text_n;
}

/* Takes the last character of the run away: it may be absent. */
static void drop_last(struct reader *r)
{
	while (r->text_n > r->run && ((unsigned char)r->text[--r->text_n] & 0xC0) == 0x80)
		;
}

/* Behind a class, which begins here; false: not understood. */
static bool skip_class(struct reader *r)
{
	size_t i = r->at + 1;

	i += i < r->n && r->p[i] == '^';
	i += i < r->n && r->p[i] == ']'; /* the first one stands for itself */
	for (; i < r->n && r->p[i] != ']'; i++) {
		if (r->p[i] == '\\') {
			i++;
		} else if (r->p[i] == '[' && i + 1 < r->n && strchr(":.=", r->p[i + 1])) {
			const char *end = memchr(r->p + i + 2, ']', r->n - i - 2);

			if (!end || end[-1] != r->p[i + 1])
				return false;
			i = (size_t)(end - r->p);
		}
	}
	r->at = i + 1;
	return i < r->n;
}

/* Behind a group: what is in it may be absent, or one of several. */
static bool skip_group(struct reader *r)
{
	int depth = 0;

	while (r->at < r->n) {
		char c = r->p[r->at];

		if (c == '[') {
			if (!skip_class(r))
				return false;
			continue;
		}
		if (c == '\\')
			r->at++;
		depth += (c == '(') - (c == ')');
		r->at++;
		if (depth == 0)
			return true;
	}
	return false;
}

/* Behind the braces of a repetition; what looks like one but is text is not understood. */
static bool skip_braces(struct reader *r)
{
	do {
		r->at++;
	} while (r->at < r->n && strchr("0123456789, ", r->p[r->at]) && r->p[r->at]);
	return r->at < r->n && r->p[r->at++] == '}';
}

static bool is_repetition(char c)
{
	return c == '*' || c == '+' || c == '?' || c == '{';
}

/* A repetition: unless it says otherwise, what stands before it may be absent. */
static bool take_repetition(struct reader *r)
{
	char c = r->p[r->at];

	if (c != '+')
		drop_last(r);
	end_run(r);
	if (c != '{')
		r->at++;
	else if (!skip_braces(r))
		return false;
	r->at += r->at < r->n && (r->p[r->at] == '?' || r->p[r->at] == '+'); /* lazy, possessive */
	return r->at == r->n || !is_repetition(r->p[r->at]); /* of a repetition: that may take it all away */
}

static bool take_escape(struct reader *r)
{
	char c = r->at + 1 < r->n ? r->p[r->at + 1] : '\0';

	if (!c || (is_alnum(c) && !strchr("dDwWsShHvVbB", c)))
		return false;
	r->at += 2;
	if (is_alnum(c) || (c & 0x80))
		end_run(r);
	else
		r->text[r->text_n++] = c;
	return true;
}

static void take_byte(struct reader *r, char c)
{
	bool letter = (c & 0x80) || (is_alnum(c) && c > '9');

	if (r->any_case && letter)
		end_run(r);
	else
		r->text[r->text_n++] = c;
	r->at++;
}

static bool take_item(struct reader *r)
{
	char c = r->p[r->at];

	switch (c) {
	case '\\':
		return take_escape(r);
	case '[':
		end_run(r);
		return skip_class(r);
	case '(':
		end_run(r);
		return skip_group(r);
	case '*': case '+': case '?': case '{':
		return take_repetition(r);
	case '.': case '^': case '$':
		end_run(r);
		r->at++;
		return true;
	case '|': case ')':
		return false;
	default:
		take_byte(r, c);
		return true;
	}
}

/* What changes the meaning of all the rest, wherever it stands. */
static bool is_special(const char *p, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++) {
		if (p[i] == '(' && (p[i + 1] == '*' || (p[i + 1] == '?' && (i + 2 >= n || p[i + 2] != ':'))))
			return true;
		if (p[i] == '\\' && (p[i + 1] == 'Q' || p[i + 1] == 'E'))
			return true;
	}
	return false;
}

size_t required_runs(const char *p, size_t n, bool any_case, char *text, struct run *runs, size_t max)
{
	struct reader r = { .p = p, .n = n, .any_case = any_case, .text = text, .runs = runs, .max = max };

	if (is_special(p, n))
		return 0;
	while (r.at < n)
		if (!take_item(&r))
			return 0;
	end_run(&r);
	return r.runs_n;
}
