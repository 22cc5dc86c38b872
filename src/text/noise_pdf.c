/* Noise in PDF: when it was made stands in it as a date of its own form. All else is compared byte by byte. */
#include "text/noise.h"

#include "moment.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define DATE_DIGITS 14 /* of year to second: ISO 32000-1, 7.9.4 */

static const char mark[] = "(D:";
#define MARK_LEN (sizeof(mark) - 1)

static bool is_date(struct span s, size_t at)
{
	if (at < MARK_LEN || s.n - at < DATE_DIGITS || memcmp(s.p + at - MARK_LEN, mark, MARK_LEN) != 0)
		return false;
	for (size_t i = 0; i < DATE_DIGITS; i++)
		if (!isdigit((unsigned char)s.p[at + i]))
			return false;
	return true;
}

/* Of the date that holds the byte: where its digits begin; 0: it lies in none. */
static size_t date_around(struct span a, struct span b, size_t byte)
{
	for (size_t at = byte; at + DATE_DIGITS > byte && at > 0; at--)
		if (is_date(a, at) && is_date(b, at))
			return at;
	return 0;
}

static bool are_of_runs(const char *x, const char *y, const struct noise_run run[2])
{
	char a[DATE_DIGITS + 2], b[DATE_DIGITS + 2];

	snprintf(a, sizeof(a), "%.8s_%.6s", x, x + 8);
	snprintf(b, sizeof(b), "%.8s_%.6s", y, y + 8);
	return moment_same_zone((struct span){ a, strlen(a) }, run[0].from_us, run[0].to_us, (struct span){ b, strlen(b) }, run[1].from_us,
	                        run[1].to_us);
}

bool noise_compare_pdf(struct span a, struct span b, const struct noise_run run[2], struct noise_sum *sum)
{
	static const char head[] = "%PDF-";
	size_t n = sizeof(head) - 1, i = 0;

	if (a.n < n || b.n < n || memcmp(a.p, head, n) != 0 || memcmp(b.p, head, n) != 0)
		return false;
	sum->same = a.n == b.n; /* a date is as long as another */
	while (sum->same && i < a.n) {
		if (a.p[i] == b.p[i]) {
			i++;
			continue;
		}
		size_t at = date_around(a, b, i);
		sum->same = at > 0 && are_of_runs(a.p + at, b.p + at, run);
		sum->counts[NOISE_TIME] += sum->same;
		i = at + DATE_DIGITS;
	}
	sum->at[0] = sum->at[1] = 0;
	return true;
}
