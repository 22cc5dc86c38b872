/*
 * References as users type them: step, attempt, check, or counted from the last.
 */
#include "text.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A number from `least` on, without leading zeros, so that each reference has one spelling. */
static bool take_number(const char **s, int64_t least, int64_t *out)
{
	const char *start = *s;
	int64_t v = 0;

	for (; is_digit(**s); (*s)++) {
		int digit = **s - '0';
		if (v > (INT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	*out = v;
	return *s > start && (*start != '0' || *s == start + 1) && v >= least;
}

static bool take_char(const char **s, char c)
{
	if (**s != c)
		return false;
	(*s)++;
	return true;
}

/* What stands for itself in a shell and in a sentence: no blanks, quotes or signs of ours. */
static bool is_branch_char(char c)
{
	return (unsigned char)c >= 0x80 || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c && strchr("_-./+", c));
}

static bool take_branch(const char **s, char branch[REF_BRANCH])
{
	size_t n = 0;

	while (is_branch_char((*s)[n]))
		n++;
	if (n == 0 || n >= REF_BRANCH || !utf8_valid(*s, n))
		return false;
	memcpy(branch, *s, n);
	branch[n] = '\0';
	*s += n;
	return true;
}

static bool take_last(const char **s, struct ref *r)
{
	if (strncmp(*s, "last", 4) != 0)
		return false;
	*s += 4;
	r->kind = REF_LAST;
	return !take_char(s, '~') || take_number(s, 0, &r->back);
}

static bool take_numbered(const char **s, struct ref *r)
{
	if (!take_number(s, 1, &r->step))
		return false;
	r->kind = REF_STEP;
	if (!take_char(s, '.'))
		return true;
	if (!take_number(s, 1, &r->attempt))
		return false;
	r->kind = REF_ATTEMPT;
	if (!take_char(s, 'r'))
		return true;
	r->kind = REF_CHECK;
	return take_number(s, 1, &r->check);
}

bool ref_parse(const char *s, struct ref *out, struct err *e)
{
	struct ref r = { 0 };
	const char *at = s;
	bool ok = *s == 'l' ? take_last(&at, &r) : take_numbered(&at, &r);

	if (ok && take_char(&at, '@'))
		ok = take_branch(&at, r.branch);
	if (!ok || *at != '\0')
		return err_set(e, ERR_INPUT,
		               "'%s' is no reference; they look like 7, 7.2, 7.2r1, 3@branch, last, last~1", s);
	*out = r;
	return true;
}
