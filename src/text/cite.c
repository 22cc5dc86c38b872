/* Citations in a text. */
#include "text/cite.h"

#include <string.h>

#define CITE_MOST 44 /* bytes between the brackets */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A count as references have it: no sign, no zero in front. Bytes taken, 0: none. */
static size_t number(const char *p, size_t n)
{
	size_t i = 0;

	if (n == 0 || p[0] == '0')
		return 0;
	while (i < n && is_digit(p[i]))
		i++;
	return i;
}

/* N.N or N.NrN, all of it. */
static bool has_form(const char *p, size_t n)
{
	size_t step = number(p, n), attempt, check;

	if (step == 0 || step == n || p[step] != '.')
		return false;
	p += step + 1;
	n -= step + 1;
	attempt = number(p, n);
	if (attempt == 0 || attempt == n)
		return attempt > 0;
	if (p[attempt] != 'r')
		return false;
	check = number(p + attempt + 1, n - attempt - 1);
	return check > 0 && attempt + 1 + check == n;
}

bool cite_next(const char *p, size_t n, size_t from, struct cite *out)
{
	char text[CITE_MOST + 1];

	for (size_t at = from; at < n; at++) {
		const char *open = memchr(p + at, '[', n - at);
		if (!open)
			return false;
		at = (size_t)(open - p);
		const char *close = memchr(open + 1, ']', MIN(n - at - 1, (size_t)CITE_MOST + 1));
		size_t len = close ? (size_t)(close - open - 1) : 0;
		if (len == 0 || len > CITE_MOST || !has_form(open + 1, len))
			continue;
		memcpy(text, open + 1, len);
		text[len] = '\0';
		if (!ref_parse(text, &out->ref, NULL))
			continue;
		out->start = at;
		out->end = at + len + 2;
		return true;
	}
	return false;
}
