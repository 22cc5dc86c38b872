/*
 * Records in the order of a column, and what a column holds. The cells stay as they are in the file; what they are
 * taken for here is decided for the column as a whole: dates when every cell is one, amounts by the decimal mark
 * that most of them fit.
 */
#include "text/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DISTINCT_MAX 10000

/* ---- numbers -------------------------------------------------------------------------------------------- */

bool grid_number(struct span s, long double *out)
{
	char text[64], *end;
	size_t digits = 0;

	if (s.n == 0 || s.n >= sizeof(text) || !s.p)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		bool digit = s.p[i] >= '0' && s.p[i] <= '9';

		digits += digit;
		if (!digit && !strchr("+-.eE", s.p[i]))
			return false;
	}
	if (digits == 0)
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	*out = strtold(text, &end);
	return *end == '\0';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static struct span trimmed(struct span s)
{
	while (s.n && (*s.p == ' ' || *s.p == '\t')) {
		s.p++;
		s.n--;
	}
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

/* A sign of money at the place: its bytes. */
static size_t currency(const char *p, size_t n)
{
	static const char *const signs[] = { "$", "€", "£", "¥", "CHF", "EUR", "USD", "GBP" };

	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (strlen(signs[i]) <= n && memcmp(p, signs[i], strlen(signs[i])) == 0)
			return strlen(signs[i]);
	return 0;
}

static size_t group_mark(const char *p, size_t n, char decimal)
{
	if (*p == ' ' || *p == '\'' || (*p == '.' && decimal == ',') || (*p == ',' && decimal == '.'))
		return 1;
	if (n > 1 && memcmp(p, "\xc2\xa0", 2) == 0) /* a blank that does not break */
		return 2;
	return n > 2 && memcmp(p, "\xe2\x80\xaf", 3) == 0 ? 3 : 0;
}

/* Digits in groups of three and a decimal part as plain text; false: they are no groups. */
static bool ungroup(struct span s, char decimal, char *text, size_t room)
{
	size_t n = 0, since = 0, groups = 0;

	for (size_t i = 0; i < s.n; i++) {
		size_t mark;

		if (n + 1 >= room)
			return false;
		if (is_digit(s.p[i])) {
			text[n++] = s.p[i];
			since++;
		} else if (s.p[i] == decimal) {
			if (groups && since != 3)
				return false;
			text[n++] = '.';
			for (i++; i < s.n && n + 1 < room; i++) {
				if (!is_digit(s.p[i]))
					return false;
				text[n++] = s.p[i];
			}
			since = 3;
		} else if ((mark = group_mark(s.p + i, s.n - i, decimal)) > 0) {
			if (groups ? since != 3 : since < 1 || since > 3)
				return false;
			groups++;
			since = 0;
			i += mark - 1;
		} else {
			return false;
		}
	}
	text[n] = '\0';
	return n > 0 && (!groups || since == 3);
}

/* An amount as people write it: 1,234.50, -1.234,50 €, (12.00), 12 %. */
static bool amount(struct span s, char decimal, long double *out)
{
	char text[64], *end;
	bool negative = false;
	size_t sign;

	if (grid_number(s, out) && (decimal == '.' || !memchr(s.p, '.', s.n)))
		return true;
	s = trimmed(s);
	if (s.n > 2 && *s.p == '(' && s.p[s.n - 1] == ')') {
		negative = true;
		s = trimmed((struct span){ s.p + 1, s.n - 2 });
	}
	for (int i = 0; i < 2 && s.n; i++) {
		if (*s.p == '-' || *s.p == '+') {
			negative ^= *s.p == '-';
			s = trimmed((struct span){ s.p + 1, s.n - 1 });
		}
		sign = currency(s.p, s.n);
		s = trimmed((struct span){ s.p + sign, s.n - sign });
	}
	if (s.n && s.p[s.n - 1] == '%')
		s = trimmed((struct span){ s.p, s.n - 1 });
	for (size_t n = 1; n <= 3 && n < s.n; n++)
		if (currency(s.p + s.n - n, n) == n)
			s = trimmed((struct span){ s.p, s.n - n });
	if (s.n == 0 || !ungroup(s, decimal, text, sizeof(text)))
		return false;
	*out = strtold(text, &end);
	*out = negative ? -*out : *out;
	return *end == '\0' && end != text;
}

/* ---- dates ----------------------------------------------------------------------------------------------- */

/* The words and figures of a date, with a clock behind it. */
struct parts {
	int v[8];
	size_t digits[8], n;
	int month;    /* by its name; 0: none */
	size_t named; /* figures before the name */
};

static bool cut_parts(struct span s, struct parts *x)
{
	static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";

	*x = (struct parts){ 0 };
	for (size_t i = 0; i < s.n;) {
		size_t from = i;

		if (is_digit(s.p[i])) {
			if (x->n == ARRAY_LEN(x->v))
				return false;
			for (; i < s.n && is_digit(s.p[i]) && i - from < 9; i++)
				x->v[x->n] = x->v[x->n] * 10 + (s.p[i] - '0');
			x->digits[x->n++] = i - from;
			continue;
		}
		while (i < s.n && ((s.p[i] | 0x20) >= 'a' && (s.p[i] | 0x20) <= 'z'))
			i++;
		if (i - from >= 3 && !x->month) {
			for (int m = 0; m < 12; m++)
				if (strncasecmp(s.p + from, months + 3 * m, 3) == 0)
					x->month = m + 1;
			x->named = x->n;
			if (!x->month)
				return false;
		} else if (i - from > 1) {
			return false;
		} else if (i == from) {
			if (!strchr("-/. ,:T+", s.p[i]) || !s.p[i])
				return false;
			i++;
		}
	}
	return x->n + (x->month > 0) >= 3;
}

/* A date in one way of reading; those that begin with the year are read in any. */
static bool date(struct span s, bool month_first, long double *out)
{
	struct parts x;
	int y, m, d;
	size_t clock = 3;

	if (s.n > 40 || !cut_parts(trimmed(s), &x))
		return false;
	if (x.month) {
		bool year_first = x.digits[0] == 4;
		y = x.v[!year_first];
		m = x.month;
		d = x.v[year_first];
		clock = 2;
	} else if (x.digits[0] == 4) {
		y = x.v[0];
		m = x.v[1];
		d = x.v[2];
	} else {
		y = x.v[2];
		m = x.v[!month_first];
		d = x.v[month_first];
		if (x.digits[2] != 4 && x.digits[2] != 2)
			return false;
	}
	y += y >= 100 ? 0 : y < 70 ? 2000 : 1900;
	if (m < 1 || m > 12 || d < 1 || d > 31 || (x.n > clock && (x.v[clock] > 24 || memchr(s.p, ':', s.n) == NULL)))
		return false;
	*out = ((long double)y * 13 + m) * 32 + d;
	for (size_t i = 0; i < 4; i++) /* the last one is a fraction of a second, to nine places */
		*out = *out * (i < 3 ? 100 : 1e9L) + (x.n > clock + i ? x.v[clock + i] : 0);
	return true;
}

/* ---- sorting ------------------------------------------------------------------------------------------------- */

enum reading { READ_POINT, READ_COMMA, READ_DAY, READ_MONTH, READ_COUNT };

static bool read_value(struct span s, enum reading how, long double *out)
{
	return how <= READ_COMMA ? amount(s, how == READ_POINT ? '.' : ',', out) : date(s, how == READ_MONTH, out);
}

static enum grid_order choose(struct grid *g, size_t first, size_t col, enum reading *how)
{
	size_t fit[READ_COUNT] = { 0 }, filled = 0;

	for (size_t i = first; i < grid_rows(g); i++) {
		struct span s = grid_cell(g, i, col);
		long double value;

		if (s.n == 0)
			continue;
		filled++;
		for (enum reading r = 0; r < READ_COUNT; r++)
			fit[r] += (r <= READ_COMMA || fit[r] + 1 == filled) && read_value(s, r, &value);
	}
	*how = fit[READ_COMMA] > fit[READ_POINT] ? READ_COMMA : READ_POINT;
	if (filled && fit[*how] < filled && (fit[READ_DAY] == filled || fit[READ_MONTH] == filled)) {
		*how = fit[READ_DAY] == filled ? READ_DAY : READ_MONTH;
		return fit[READ_DAY] != fit[READ_MONTH] ? (*how == READ_DAY ? GRID_DAYS : GRID_MONTHS) : GRID_DATES;
	}
	return fit[*how] ? GRID_NUMBERS : GRID_TEXTS;
}

struct sorted {
	size_t row;
	int kind; /* 0: a value, 1: a text, 2: nothing */
	long double value;
	char *text; /* owned */
	size_t n;
};

/* Two of one kind. */
static int compare(const struct sorted *a, const struct sorted *b)
{
	int c;

	if (a->kind == 0)
		return (a->value > b->value) - (a->value < b->value);
	if (a->kind == 2)
		return 0;
	c = memcmp(a->text, b->text, MIN(a->n, b->n));
	return c ? c : (a->n > b->n) - (a->n < b->n);
}

static int in_order(const struct sorted *x, const struct sorted *y, bool down)
{
	int c;

	if ((x->kind == 2) != (y->kind == 2)) /* nothing comes last, whichever way */
		return x->kind == 2 ? 1 : -1;
	c = x->kind != y->kind ? x->kind - y->kind : compare(x, y);
	return c ? (down ? -c : c) : (x->row > y->row) - (x->row < y->row);
}

static int compare_up(const void *a, const void *b)
{
	return in_order(a, b, false);
}

static int compare_down(const void *a, const void *b)
{
	return in_order(a, b, true);
}

enum grid_order grid_sort(struct grid *g, size_t first, size_t col, bool down, size_t *order)
{
	size_t n = grid_rows(g) - MIN(first, grid_rows(g));
	struct sorted *v = xcalloc(n + 1, sizeof(*v));
	enum reading how;
	enum grid_order kind = choose(g, first, col, &how);

	for (size_t i = 0; i < n; i++) {
		struct span s = grid_cell(g, first + i, col);

		v[i] = (struct sorted){ .row = first + i, .n = s.n };
		v[i].kind = s.n == 0 ? 2 : kind != GRID_TEXTS && read_value(s, how, &v[i].value) ? 0 : 1;
		if (v[i].kind == 1)
			v[i].text = xmemdup(s.p, s.n);
	}
	qsort(v, n, sizeof(*v), down ? compare_down : compare_up);
	for (size_t i = 0; i < first; i++)
		order[i] = i;
	for (size_t i = 0; i < n; i++) {
		order[first + i] = v[i].row;
		free(v[i].text);
	}
	free(v);
	return kind;
}

/* ---- counting -------------------------------------------------------------------------------------------------- */

/* Hashes of contents, in a table that is large enough for all that are counted. */
static bool add_distinct(struct digest *table, size_t size, struct span s)
{
	struct digest d = hash_bytes(s.p ? s.p : "", s.n);
	size_t i;

	memcpy(&i, d.b, sizeof(i));
	for (i &= size - 1; !digest_is_zero(&table[i]); i = (i + 1) & (size - 1))
		if (digest_equal(&table[i], &d))
			return false;
	table[i] = d;
	return true;
}

void grid_column(struct grid *g, size_t first, size_t col, struct grid_column *out)
{
	const size_t size = 32768;
	struct digest *table = xcalloc(size, sizeof(*table));

	*out = (struct grid_column){ 0 };
	for (size_t i = first; i < grid_rows(g); i++) {
		struct span s = grid_cell(g, i, col);
		long double value;

		if (!s.p)
			continue;
		out->cells++;
		out->empty += s.n == 0;
		if (out->distinct >= 0 && add_distinct(table, size, s) && ++out->distinct > DISTINCT_MAX)
			out->distinct = -1;
		if (!grid_number(s, &value))
			continue;
		if (!isfinite(value)) {
			out->beyond++;
			continue;
		}
		out->least = out->numbers ? MIN(out->least, value) : value;
		out->most = out->numbers ? MAX(out->most, value) : value;
		out->sum += value;
		out->numbers++;
	}
	free(table);
}
