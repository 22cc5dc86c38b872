/* An own rule is tried on lines of bare figures before it holds, and told for every figure that it took. */
#include "text/noise.h"

#include "noise_own.h"
#include "text/search.h"

#include <string.h>

/* ---- which may not be ---- */

/* Figures with nothing, or nothing that anybody would write on purpose, beside them. */
static const char *const figures[] = {
	"7", "42.5", "-0.25", "1e-05", "1234.56", "12345678", "1234567890", "zqv 1234.56", "zqv: 1,234.56 qvz", "qvz\t= 42", "12,3.5,qvz",
};

/* What a careless repetition goes astray on. */
static const char *const mazes[] = { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", "000000000000000000000000000000000000000000000000!",
	                                 "                                                !", "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.!" };

static bool takes_digit(struct search *s, const char *line)
{
	size_t n = strlen(line), from = 0;
	struct match m;

	while (from < n && search_line(s, line, n, from, &m) == SEARCH_HIT) {
		for (size_t i = m.start; i < m.end; i++)
			if (line[i] >= '0' && line[i] <= '9')
				return true;
		from = MAX(m.end, from + 1);
	}
	return false;
}

static bool check_rule(struct search *s, struct err *e)
{
	struct match m;

	for (size_t i = 0; i < ARRAY_LEN(mazes); i++)
		if (search_line(s, mazes[i], strlen(mazes[i]), 0, &m) == SEARCH_UNDECIDED)
			return err_set(e, ERR_INPUT, "this expression takes too long to find nothing in '%s': a repetition within a "
			               "repetition is the usual cause", mazes[i]);
	for (size_t i = 0; i < ARRAY_LEN(figures); i++)
		if (takes_digit(s, figures[i]))
			return err_set(e, ERR_INPUT, "this expression would hide figures, as in '%s'; a changed figure is never noise: name "
			               "what stands beside what may differ ('run id [0-9a-f]+')", figures[i]);
	return true;
}

bool noise_check(const char *own, struct err *e)
{
	size_t at;
	struct search *s = search_compile(own, strlen(own), SEARCH_CASE, &at, e);
	bool ok = s && check_rule(s, e);

	search_free(s);
	return ok;
}

/* ---- what it took ---- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The next number that is no part of a word; false: none. */
static bool next_figure(struct span s, size_t *at, struct span *out)
{
	while (*at < s.n) {
		size_t from = *at;
		if (!is_digit(s.p[from]) && !is_letter(s.p[from])) {
			++*at;
			continue;
		}
		bool word = false;
		for (; *at < s.n && (is_digit(s.p[*at]) || is_letter(s.p[*at]) || s.p[*at] == '.' || s.p[*at] == ','); ++*at)
			word = word || is_letter(s.p[*at]);
		size_t end = *at;
		while (end > from && (s.p[end - 1] == '.' || s.p[end - 1] == ','))
			end--;
		if (word)
			continue;
		*out = (struct span){ s.p + from, end - from };
		return true;
	}
	return false;
}

static void keep_figure(char out[NOISE_FIGURE], struct span s)
{
	size_t n = MIN(s.n, (size_t)NOISE_FIGURE - 1);

	memcpy(out, s.p, n);
	out[n] = '\0';
}

bool noise_own_figures(struct span a, struct span b, char first[2][NOISE_FIGURE])
{
	struct span x = { "", 0 }, y = { "", 0 };
	size_t i = 0, k = 0;

	for (;;) {
		bool more = next_figure(a, &i, &x), also = next_figure(b, &k, &y);
		/* Where the other side has none, it was an id that has only digits for once. */
		if (!more || !also)
			return false;
		if (x.n == y.n && memcmp(x.p, y.p, x.n) == 0)
			continue;
		keep_figure(first[0], x);
		keep_figure(first[1], y);
		return true;
	}
}
