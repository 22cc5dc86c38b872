/* Numbers compared by their decimal digits: no rounding of binary fractions comes in. */
#include "text/number.h"

#include <string.h>
#include <strings.h>

#define DIGITS 15  /* that a double holds in any case */
#define KEPT 64    /* digits looked at */
#define MONEY 4    /* decimals of an amount, at most */

struct number {
	bool negative, whole; /* whole: no point, no exponent */
	char special;         /* 'n' nan, 'i' inf; 0 */
	uint8_t digit[KEPT];  /* significant ones, no zeros at either end */
	size_t n;             /* 0: zero */
	size_t written;       /* significant digits as written, zeros at the end too */
	size_t decimals;      /* digits behind the point */
	int64_t exponent;     /* value is 0.DIGITS * 10^exponent */
	bool too_long;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool parse_special(struct span s, struct number *x)
{
	static const char *const words[] = { "nan", "inf", "infinity" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (s.n != strlen(words[i]) || strncasecmp(s.p, words[i], s.n) != 0)
			continue;
		x->special = words[i][0];
		return true;
	}
	return false;
}

static bool parse_exponent(struct span s, size_t at, int64_t *out)
{
	bool negative = at < s.n && s.p[at] == '-';
	int64_t v = 0;

	at += at < s.n && (s.p[at] == '-' || s.p[at] == '+');
	if (at == s.n || s.n - at > 6)
		return false;
	for (; at < s.n; at++) {
		if (!is_digit(s.p[at]))
			return false;
		v = v * 10 + (s.p[at] - '0');
	}
	*out = negative ? -v : v;
	return true;
}

static void add_digit(struct number *x, char c, bool behind_point)
{
	if (c == '0' && x->written == 0) { /* a zero in front */
		x->exponent -= behind_point;
		return;
	}
	x->exponent += !behind_point;
	if (x->written < KEPT)
		x->digit[x->written] = (uint8_t)(c - '0');
	else
		x->too_long = x->too_long || c != '0';
	x->written++;
	if (c != '0')
		x->n = MIN(x->written, (size_t)KEPT);
}

static bool parse(struct span s, struct number *x)
{
	size_t at = 0, digits = 0, before = 0;
	bool point = false;
	int64_t exponent = 0;

	*x = (struct number){ .whole = true };
	if (s.n == 0)
		return false; /* and perhaps nowhere */
	if (*s.p == '-' || *s.p == '+')
		x->negative = s.p[at++] == '-';
	if (parse_special((struct span){ s.p + at, s.n - at }, x))
		return true;
	size_t first = at;
	for (; at < s.n && (is_digit(s.p[at]) || (s.p[at] == '.' && !point)); at++) {
		if (s.p[at] == '.') {
			point = true;
			continue;
		}
		add_digit(x, s.p[at], point);
		digits++;
		before += !point;
	}
	x->decimals = digits - before;
	if (digits == 0 || (before > 1 && s.p[first] == '0'))
		return false;
	x->whole = !point;
	if (at < s.n) {
		if ((s.p[at] | 32) != 'e' || !parse_exponent(s, at + 1, &exponent))
			return false;
		x->whole = false;
	}
	x->exponent = x->n ? x->exponent + exponent : 0;
	return true;
}

bool number_is(struct span s)
{
	struct number x;

	return parse(s, &x);
}

static bool same_digits(const struct number *a, const struct number *b)
{
	return a->n == b->n && a->exponent == b->exponent && memcmp(a->digit, b->digit, a->n) == 0;
}

static bool exponent_is_plain(struct span s)
{
	return !memchr(s.p, 'e', s.n) && !memchr(s.p, 'E', s.n);
}

/* To 15 digits, half away from zero. */
static void round_off(struct number *x)
{
	if (x->n <= DIGITS)
		return;
	bool up = x->digit[DIGITS] >= 5;
	x->n = DIGITS;
	while (up && x->n > 0) {
		up = x->digit[x->n - 1] == 9;
		if (up)
			x->n--;
		else
			x->digit[x->n - 1]++;
	}
	if (up) {
		x->digit[0] = 1;
		x->n = 1;
		x->exponent++;
	}
	while (x->n > 0 && x->digit[x->n - 1] == 0)
		x->n--;
}

enum number_fold number_fold(struct span a, struct span b)
{
	struct number x, y;

	if (!parse(a, &x) || !parse(b, &y) || x.special != y.special)
		return NUMBER_DIFFERS;
	if (x.special)
		return x.special == 'n' || x.negative == y.negative ? NUMBER_NOTATION : NUMBER_DIFFERS;
	if (x.negative != y.negative && (x.n || y.n))
		return NUMBER_DIFFERS;
	if (x.too_long || y.too_long)
		return NUMBER_DIFFERS;
	if (same_digits(&x, &y))
		return NUMBER_NOTATION;
	/* Whole numbers may be identifiers, and short ones are what somebody would post. */
	if ((x.whole && x.n > DIGITS) || (y.whole && y.n > DIGITS) || (x.n <= DIGITS && y.n <= DIGITS))
		return NUMBER_DIFFERS;
	/* So are amounts, however large: no binary fraction is written with so few decimals. */
	if (x.decimals <= MONEY && y.decimals <= MONEY && exponent_is_plain(a) && exponent_is_plain(b))
		return NUMBER_DIFFERS;
	round_off(&x);
	round_off(&y);
	return same_digits(&x, &y) ? NUMBER_DIGITS : NUMBER_DIFFERS;
}

size_t number_length(const char *p, size_t n)
{
	size_t i = 0, digits = 0;

	i += n && (*p == '-' || *p == '+');
	while (i < n && is_digit(p[i])) {
		i++;
		digits++;
	}
	if (i + 1 < n && p[i] == '.' && is_digit(p[i + 1]))
		for (i++; i < n && is_digit(p[i]); digits++)
			i++;
	if (digits == 0)
		return 0;
	if (i + 1 < n && (p[i] | 32) == 'e') {
		size_t k = i + 1;
		k += p[k] == '-' || p[k] == '+';
		if (k < n && is_digit(p[k])) {
			for (i = k; i < n && is_digit(p[i]);)
				i++;
		}
	}
	return i;
}
