/*
 * Numbers as people write them: sizes, durations, plain integers; and the way back.
 */
#include "base.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit {
	const char *name; /* in any case of letters */
	int64_t factor;   /* in the smallest unit */
};

/* The empty name is what a bare number means. */
static const struct unit size_units[] = {
	{ "", 1 },
	{ "B", 1 },
	{ "K", 1LL << 10 }, { "KB", 1LL << 10 }, { "KiB", 1LL << 10 },
	{ "M", 1LL << 20 }, { "MB", 1LL << 20 }, { "MiB", 1LL << 20 },
	{ "G", 1LL << 30 }, { "GB", 1LL << 30 }, { "GiB", 1LL << 30 },
	{ "T", 1LL << 40 }, { "TB", 1LL << 40 }, { "TiB", 1LL << 40 },
	{ "P", 1LL << 50 }, { "PB", 1LL << 50 }, { "PiB", 1LL << 50 },
	{ "E", 1LL << 60 }, { "EB", 1LL << 60 }, { "EiB", 1LL << 60 },
};

static const struct unit duration_units[] = {
	{ "", 1000 },
	{ "ms", 1 },
	{ "s", 1000 }, { "sec", 1000 },
	{ "m", 60 * 1000 }, { "min", 60 * 1000 },
	{ "h", 3600 * 1000 },
	{ "d", 24 * 3600 * 1000 },
};

static const struct unit *find_unit(const struct unit *units, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(units[i].name, name) == 0)
			return &units[i];
	return NULL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

#define DIGITS_MAX 20 /* that matter: 10^20 times the largest factor fits in 128 bits */

/* A decimal number as a fraction, digits / scale, so that nothing is rounded on the way. */
struct decimal {
	unsigned __int128 digits;
	unsigned __int128 scale; /* 10 to the number of digits behind the point */
	bool too_large;          /* more than DIGITS_MAX digits before the point */
};

/* Moves *s behind the number; false where there is none. Digits too small to matter are dropped. */
static bool read_decimal(const char **s, struct decimal *d)
{
	const char *start = *s;
	bool fraction = false;
	int used = 0;

	*d = (struct decimal){ .scale = 1 };
	for (; is_digit(**s) || (**s == '.' && !fraction); (*s)++) {
		if (**s == '.') {
			fraction = true;
		} else if (used < DIGITS_MAX) {
			d->digits = d->digits * 10 + (unsigned)(**s - '0');
			d->scale *= fraction ? 10 : 1;
			used += d->digits > 0 || fraction;
		} else if (!fraction) {
			d->too_large = true;
		}
	}
	return is_digit(*start) && is_digit((*s)[-1]);
}

/* "1.5G" by a table of units: false when it is none, *out < 0 when it is too large. */
static bool parse_quantity(const char *s, const struct unit *units, size_t n, int64_t *out)
{
	struct decimal d;

	if (!read_decimal(&s, &d))
		return false;
	s += *s == ' ' && s[1] != '\0';
	const struct unit *u = find_unit(units, n, s);
	if (!u)
		return false;
	unsigned __int128 value = d.digits * (unsigned __int128)u->factor / d.scale;
	*out = d.too_large || value > INT64_MAX ? -1 : (int64_t)value;
	return true;
}

/* Added to the time of now, and in microseconds, it still fits in 64 bits. */
#define DURATION_MOST_MS (INT64_MAX / 4000)

bool size_parse(const char *s, int64_t *bytes, struct err *e)
{
	int64_t v;

	if (!parse_quantity(s, size_units, ARRAY_LEN(size_units), &v))
		return err_set(e, ERR_INPUT, "'%s' is not a size; they look like 512, 64K, 1.5G or 2GiB", s);
	if (v < 0)
		return err_set(e, ERR_INPUT, "'%s' is too large a size", s);
	*bytes = v;
	return true;
}

bool duration_parse(const char *s, int64_t *ms, struct err *e)
{
	int64_t v;

	if (!parse_quantity(s, duration_units, ARRAY_LEN(duration_units), &v))
		return err_set(e, ERR_INPUT, "'%s' is not a duration; they look like 90, 1.5s, 10m or 2h", s);
	if (v < 0 || v > DURATION_MOST_MS)
		return err_set(e, ERR_INPUT, "'%s' is too long a duration", s);
	*ms = v;
	return true;
}

bool int_parse(const char *s, int64_t min, int64_t max, int64_t *out, struct err *e)
{
	char *end;

	/* strtoll would take blanks and a plus sign. */
	if (!is_digit(s[0]) && !(s[0] == '-' && is_digit(s[1])))
		return err_set(e, ERR_INPUT, "'%s' is not a whole number", s);
	errno = 0;
	long long v = strtoll(s, &end, 10);
	if (*end != '\0')
		return err_set(e, ERR_INPUT, "'%s' is not a whole number", s);
	if (errno == ERANGE || v < min || v > max)
		return err_set(e, ERR_INPUT, "%s is not between %lld and %lld", s, (long long)min,
		               (long long)max);
	*out = v;
	return true;
}

static uintmax_t magnitude(int64_t v)
{
	return v < 0 ? -(uintmax_t)v : (uintmax_t)v;
}

void size_format(int64_t bytes, char out[UNIT_TEXT])
{
	static const char names[] = "KMGTPE";
	uintmax_t v = magnitude(bytes);
	const char *sign = bytes < 0 ? "-" : "";

	if (v < 1024) {
		snprintf(out, UNIT_TEXT, "%s%ju", sign, v);
		return;
	}
	for (unsigned i = 0; i < 6; i++) {
		uintmax_t unit = (uintmax_t)1 << (10 * (i + 1));
		uintmax_t tenths = v / unit * 10 + (v % unit * 10 + unit / 2) / unit;
		uintmax_t whole = v / unit + (v % unit >= unit / 2);
		if (tenths < 100) {
			snprintf(out, UNIT_TEXT, "%s%ju.%ju%c", sign, tenths / 10, tenths % 10, names[i]);
			return;
		}
		if (whole < 1024) {
			snprintf(out, UNIT_TEXT, "%s%ju%c", sign, whole, names[i]);
			return;
		}
	}
}

/* Each form as long as the rounded value fits it, so that "60.0s" and "60m 00s" cannot come. */
void duration_format(int64_t us, char out[UNIT_TEXT])
{
	uintmax_t v = magnitude(us);
	uintmax_t hundredths = (v + 5000) / 10000, tenths = (v + 50000) / 100000;
	uintmax_t seconds = (v + 500000) / 1000000, minutes = (v + 30000000) / 60000000;
	const char *sign = us < 0 ? "-" : "";

	if (hundredths < 1000)
		snprintf(out, UNIT_TEXT, "%s%ju.%02jus", sign, hundredths / 100, hundredths % 100);
	else if (tenths < 600)
		snprintf(out, UNIT_TEXT, "%s%ju.%jus", sign, tenths / 10, tenths % 10);
	else if (seconds < 3600)
		snprintf(out, UNIT_TEXT, "%s%jum %02jus", sign, seconds / 60, seconds % 60);
	else
		snprintf(out, UNIT_TEXT, "%s%juh %02jum", sign, minutes / 60, minutes % 60);
}
