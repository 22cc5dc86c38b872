/* Printed moments against the time of a run. */
#include "moment.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUARTER 900              /* seconds: what zones differ by */
#define FARTHEST (15 * 3600)     /* of a zone from UTC, and a bit */
#define SLACK 2                  /* seconds: clocks are set, and start before we look */
#define NUMBERS 8

/* The numbers of a text, at most NUMBERS; *month from its English name, else 0. */
static size_t numbers_of(struct span s, int64_t v[NUMBERS], size_t digits[NUMBERS], int *month)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	size_t n = 0;

	*month = 0;
	for (size_t i = 0; i < s.n && n < NUMBERS;) {
		if (s.p[i] < '0' || s.p[i] > '9') {
			for (int m = 0; m < 12 && i + 3 <= s.n; m++)
				if (memcmp(s.p + i, months + m * 3, 3) == 0)
					*month = m + 1;
			i++;
			continue;
		}
		size_t from = i;
		v[n] = 0;
		for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '9' && i - from < 17; i++)
			v[n] = v[n] * 10 + (s.p[i] - '0');
		digits[n++] = i - from;
	}
	return n;
}

/* Whether second `t` (of any zone; unit: what was printed) fits the run, by the quarter of an hour. */
static bool fits_quarter(int64_t t, int64_t unit, int64_t from, int64_t to)
{
	from -= SLACK + unit;
	to += SLACK;
	if (to - from >= QUARTER)
		return true;
	int64_t off = ((t - from) % QUARTER + QUARTER) % QUARTER;
	return off <= to - from;
}

static bool fits_date(int64_t year, int64_t month, int64_t day, int64_t clock, int64_t unit, int64_t from, int64_t to)
{
	struct tm tm = { .tm_year = (int)year - 1900, .tm_mon = (int)month - 1, .tm_mday = (int)day };

	if (year < 1970 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	int64_t t = (int64_t)timegm(&tm) + clock;
	return t >= from - FARTHEST && t <= to + FARTHEST && fits_quarter(t, unit, from, to);
}

static int64_t clock_seconds(const int64_t *v, size_t n)
{
	return v[0] * 3600 + (n > 1 ? v[1] * 60 : 0) + (n > 2 ? v[2] : 0);
}

/* 20260130-101500 */
static bool fits_compact(const int64_t *v, int64_t from, int64_t to)
{
	int64_t clock = v[1] / 10000 * 3600 + v[1] / 100 % 100 * 60 + v[1] % 100;

	return fits_date(v[0] / 10000, v[0] / 100 % 100, v[0] % 100, clock, 1, from, to);
}

/* "Mon Nov 30 10:15:00 2026", "Mon, 30 Nov 2026 10:15:00 +0000" */
static bool fits_named(const int64_t *v, const size_t *digits, size_t n, int month, int64_t from, int64_t to)
{
	bool year_first = n > 1 && digits[1] == 4;
	size_t clock = year_first ? 2 : 1;
	int64_t year = year_first ? v[1] : n > 4 ? v[4] : 1970 + from / 31556952;

	return n >= clock + 3 && fits_date(year, month, v[0], clock_seconds(v + clock, 3), 1, from, to);
}

bool moment_lies_in(struct span s, int64_t from_us, int64_t to_us)
{
	int64_t v[NUMBERS], from = from_us / 1000000, to = to_us / 1000000;
	size_t digits[NUMBERS];
	int month;
	size_t n = numbers_of(s, v, digits, &month);

	if (n == 0 || from_us <= 0)
		return false;
	if (month)
		return fits_named(v, digits, n, month, from, to);
	if (digits[0] == 10)
		return v[0] >= from - SLACK && v[0] <= to + SLACK;
	if (digits[0] == 8)
		return n >= 2 && fits_compact(v, from, to);
	if (digits[0] == 4 && n >= 5) {
		const char *colon = memchr(s.p, ':', s.n);
		bool seconds = colon && s.p + s.n - colon > 3 && colon[3] == ':';
		return fits_date(v[0], v[1], v[2], clock_seconds(v + 3, seconds ? 3 : 2), seconds ? 1 : 60, from, to);
	}
	return n >= 3 && v[0] < 24 && v[1] < 60 && v[2] < 61 && fits_quarter(clock_seconds(v, 3), 1, from, to);
}

int64_t moment_duration_us(struct span s)
{
	char text[40];
	char *unit;

	snprintf(text, sizeof(text), "%.*s", (int)MIN(s.n, sizeof(text) - 1), s.p);
	double v = strtod(text, &unit);
	while (*unit == ' ' || *unit == '\t')
		unit++;
	double factor = strncmp(unit, "ns", 2) == 0 ? 1e-3 : strncmp(unit, "us", 2) == 0 || (unsigned char)*unit == 0xC2 ? 1
	                : strncmp(unit, "ms", 2) == 0 ? 1e3 : (*unit | 32) == 's' ? 1e6 : -1;
	return factor < 0 || v * factor > 9e17 ? -1 : (int64_t)(v * factor);
}
