/* Printed moments against the time of a run. */
#include "moment.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QUARTER 900              /* seconds: what zones differ by */
#define ZONES 60                 /* quarters of an hour that a zone is away from UTC, and a bit */
#define HOUR 4                   /* quarters that summer time differs by */
#define DAY 86400
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

enum moment_kind { MOMENT_NONE, MOMENT_EPOCH, MOMENT_DATED, MOMENT_CLOCK };
struct moment {
	enum moment_kind kind;
	int64_t t;    /* second since 1970 as if in UTC; of a clock that of its day */
	int64_t unit; /* seconds that its last digit stands for */
};

static int64_t clock_seconds(const int64_t *v, size_t n)
{
	return v[0] * 3600 + (n > 1 ? v[1] * 60 : 0) + (n > 2 ? v[2] : 0);
}

static struct moment dated(int64_t year, int64_t month, int64_t day, int64_t clock, int64_t unit)
{
	struct tm tm = { .tm_year = (int)year - 1900, .tm_mon = (int)month - 1, .tm_mday = (int)day };

	if (year < 1970 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31)
		return (struct moment){ 0 };
	return (struct moment){ MOMENT_DATED, (int64_t)timegm(&tm) + clock, unit };
}

/* 20260130-101500 */
static struct moment compact(const int64_t *v)
{
	return dated(v[0] / 10000, v[0] / 100 % 100, v[0] % 100, v[1] / 10000 * 3600 + v[1] / 100 % 100 * 60 + v[1] % 100, 1);
}

/* "Mon Nov 30 10:15:00 2026", "Mon, 30 Nov 2026 10:15:00 +0000" */
static struct moment named(const int64_t *v, const size_t *digits, size_t n, int month, int64_t from)
{
	bool year_first = n > 1 && digits[1] == 4;
	size_t clock = year_first ? 2 : 1;
	int64_t year = year_first ? v[1] : n > 4 ? v[4] : 1970 + from / 31556952;

	return n >= clock + 3 ? dated(year, month, v[0], clock_seconds(v + clock, 3), 1) : (struct moment){ 0 };
}

static struct moment read_moment(struct span s, int64_t from)
{
	int64_t v[NUMBERS];
	size_t digits[NUMBERS];
	int month;
	size_t n = numbers_of(s, v, digits, &month);

	if (n == 0)
		return (struct moment){ 0 };
	if (month)
		return named(v, digits, n, month, from);
	if (digits[0] == 10)
		return (struct moment){ MOMENT_EPOCH, v[0], 1 };
	if (digits[0] == 8)
		return n >= 2 ? compact(v) : (struct moment){ 0 };
	if (digits[0] == 4 && n >= 5) {
		const char *colon = memchr(s.p, ':', s.n);
		bool seconds = colon && s.p + s.n - colon > 3 && colon[3] == ':';
		return dated(v[0], v[1], v[2], clock_seconds(v + 3, seconds ? 3 : 2), seconds ? 1 : 60);
	}
	if (n < 3 || v[0] >= 24 || v[1] >= 60 || v[2] >= 61)
		return (struct moment){ 0 };
	return (struct moment){ MOMENT_CLOCK, clock_seconds(v, 3), 1 };
}

/* Whether it lies in the run where its zone is `quarters` of an hour before UTC. */
static bool fits(const struct moment *m, int quarters, int64_t from, int64_t to)
{
	int64_t t = m->t - (int64_t)quarters * QUARTER;

	from -= SLACK + (m->kind == MOMENT_EPOCH ? 0 : m->unit);
	to += SLACK;
	if (m->kind == MOMENT_CLOCK) {
		/* In a run of that length a clock of the data lies as easily as one of the run. */
		if (to - from >= QUARTER)
			return false;
		t = from + ((t - from) % DAY + DAY) % DAY; /* the first one from there on */
	}
	return t >= from && t <= to;
}

bool moment_lies_in(struct span s, int64_t from_us, int64_t to_us)
{
	struct moment m = read_moment(s, from_us / 1000000);
	int most = m.kind == MOMENT_EPOCH ? 0 : ZONES;

	for (int q = -most; m.kind && from_us > 0 && q <= most; q++)
		if (fits(&m, q, from_us / 1000000, to_us / 1000000))
			return true;
	return false;
}

bool moment_same_zone(struct span a, int64_t a_from_us, int64_t a_to_us, struct span b, int64_t b_from_us, int64_t b_to_us)
{
	struct moment x = read_moment(a, a_from_us / 1000000), y = read_moment(b, b_from_us / 1000000);
	int most = x.kind == MOMENT_EPOCH ? 0 : ZONES;

	for (int q = -most; x.kind && y.kind && q <= most; q++) {
		if (!fits(&x, q, a_from_us / 1000000, a_to_us / 1000000))
			continue;
		for (int summer = -HOUR; summer <= HOUR; summer += HOUR)
			if (fits(&y, q + summer, b_from_us / 1000000, b_to_us / 1000000))
				return true;
	}
	return false;
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
