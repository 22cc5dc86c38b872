/* Noise in PDF: when it was made stands in it as a date of its own form, in its XMP as one of ISO 8601, and in the identifier
 * that writers hash of that. All else is compared byte by byte. */
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

/* The same of XMP: <xmp:CreateDate>2026-11-30T10:15:01, or xmp:CreateDate="…". */
#define ISO "dddd-dd-ddTdd:dd:dd"
#define ISO_LEN (sizeof(ISO) - 1)

static bool is_iso(struct span s, size_t at)
{
	static const char *const before[] = { "Date>", "Date=\"" };
	bool dated = false;

	for (size_t i = 0; i < ARRAY_LEN(before); i++) {
		size_t n = strlen(before[i]);
		dated = dated || (at >= n && memcmp(s.p + at - n, before[i], n) == 0);
	}
	for (size_t i = 0; dated && i < ISO_LEN; i++)
		if (at + i >= s.n || (ISO[i] == 'd' ? !isdigit((unsigned char)s.p[at + i]) : s.p[at + i] != ISO[i]))
			return false;
	return dated;
}

static size_t iso_around(struct span a, struct span b, size_t byte)
{
	for (size_t at = byte; at + ISO_LEN > byte && at > 0; at--)
		if (is_iso(a, at) && is_iso(b, at))
			return at;
	return 0;
}

static void take_digits(const char *iso, char out[DATE_DIGITS])
{
	for (size_t i = 0; i < ISO_LEN; i++)
		if (ISO[i] == 'd')
			*out++ = iso[i];
}

/* ISO 32000-1, 14.4: two strings of 16 bytes each, in hexadecimal. Behind it, when it stands at `at`; else 0. */
#define ID_MOST 96 /* bytes of it */
#define ID_DIGITS 32

static size_t id_end(struct span s, size_t at)
{
	static const char name[] = "/ID", blanks[] = " \t\r\n";
	size_t i = at + sizeof(name) - 1;

	if (s.n < i || memcmp(s.p + at, name, sizeof(name) - 1) != 0)
		return 0;
	for (const char *p = "[<<"; *p; p++) {
		while (i < s.n && strchr(blanks, s.p[i]) && s.p[i])
			i++;
		if (i >= s.n || s.p[i++] != *p)
			return 0;
		size_t digits = 0;
		while (*p == '<' && i < s.n && isxdigit((unsigned char)s.p[i]))
			i++, digits++;
		if (*p == '<' && (digits != ID_DIGITS || i >= s.n || s.p[i++] != '>'))
			return 0;
	}
	return i;
}

/* Where the identifier ends that holds the byte in both; 0: it lies in none. */
static size_t id_around(struct span a, struct span b, size_t byte)
{
	for (size_t at = byte; at > 0 && at + ID_MOST > byte; at--) {
		size_t end = id_end(a, at);
		if (end > byte)
			return id_end(b, at) == end ? end : 0;
	}
	return 0;
}

/* Where what differs at a byte ends, if it is when the file was made; 0: it is not. `dated`: a date of the run came before. */
static size_t skip_noise(struct span a, struct span b, size_t byte, const struct noise_run run[2], bool dated)
{
	char x[DATE_DIGITS], y[DATE_DIGITS];
	size_t at = date_around(a, b, byte);

	if (at)
		return are_of_runs(a.p + at, b.p + at, run) ? at + DATE_DIGITS : 0;
	at = iso_around(a, b, byte);
	if (!at)
		return dated ? id_around(a, b, byte) : 0;
	take_digits(a.p + at, x);
	take_digits(b.p + at, y);
	return are_of_runs(x, y, run) ? at + ISO_LEN : 0;
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
		i = skip_noise(a, b, i, run, sum->counts[NOISE_TIME] > 0);
		sum->same = i > 0;
		sum->counts[NOISE_TIME] += sum->same;
	}
	sum->at[0] = sum->at[1] = 0;
	return true;
}
