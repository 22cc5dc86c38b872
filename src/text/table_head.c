/*
 * Names are words, all different. What else heads a table needs something to speak for it: an empty name (pandas
 * leaves that of its index out) or a doubled one that a figure stands below a word, years that they count up.
 */
#include "table_head.h"

#include "text/number.h"

#include <string.h>

static struct span cell(const struct table *t, uint32_t row, uint32_t col)
{
	const struct table_cell *c = &t->cells[t->row[row] + col];

	return (struct span){ t->text.p + c->start, c->len };
}

static bool is_year(struct span s)
{
	return s.n == 4 && (memcmp(s.p, "19", 2) == 0 || memcmp(s.p, "20", 2) == 0) && number_is(s);
}

struct names { uint32_t words, years, empty; bool doubled, others; };

static bool stood_before(const struct table *t, uint32_t col)
{
	struct span name = cell(t, 0, col);

	for (uint32_t k = 0; k < col; k++) {
		struct span other = cell(t, 0, k);
		if (other.n == name.n && memcmp(other.p, name.p, name.n) == 0)
			return true;
	}
	return false;
}

static struct names look_at_names(const struct table *t)
{
	struct names n = { 0 };

	for (uint32_t i = 0; i < t->cols && !n.others; i++) {
		struct span name = cell(t, 0, i);
		bool number = name.n && number_is(name), year = number && is_year(name);
		n.empty += name.n == 0;
		n.years += year;
		n.words += name.n && !number;
		n.others = number && !year;
		n.doubled = n.doubled || (name.n && stood_before(t, i));
	}
	return n;
}

/* A figure below a word. */
static bool has_figures_below(const struct table *t)
{
	if (t->rows < 2)
		return false;
	for (uint32_t i = 0; i < t->cols && i < t->row[2] - t->row[1]; i++) {
		struct span name = cell(t, 0, i), below = cell(t, 1, i);
		if (name.n && !number_is(name) && below.n && number_is(below))
			return true;
	}
	return false;
}

/* Each year is the next one, and what stands below is none of its kind. */
static bool counts_years(const struct table *t)
{
	int last = 0;

	for (uint32_t i = 0; i < t->cols; i++) {
		struct span s = cell(t, 0, i);
		if (s.n == 0 || !number_is(s))
			continue;
		int year = (s.p[0] - '0') * 1000 + (s.p[1] - '0') * 100 + (s.p[2] - '0') * 10 + s.p[3] - '0';
		bool below = t->rows > 1 && i < t->row[2] - t->row[1] && is_year(cell(t, 1, i));
		if (below || (last && year != last + 1))
			return false;
		last = year;
	}
	return true;
}

static bool looks_like_names(const struct table *t, bool *doubled)
{
	struct names n = look_at_names(t);

	*doubled = n.doubled;
	if (n.words == 0 || n.others || n.empty > 1)
		return false;
	if (n.years)
		return n.years > 1 && !n.doubled && counts_years(t);
	return (!n.empty && !n.doubled) || has_figures_below(t);
}

static bool ends_in_delimiters(const struct table *t)
{
	for (uint32_t i = 0; i < t->rows; i++)
		if (t->row[i + 1] - t->row[i] != t->cols || cell(t, i, t->cols - 1).n)
			return false;
	return t->cols > 2 && t->rows > 0;
}

void table_head(struct table *t)
{
	t->trailing = ends_in_delimiters(t);
	t->cols -= t->trailing;
	t->header = t->rows && looks_like_names(t, &t->doubled_names);
	t->doubled_names = t->header && t->doubled_names;
	t->rows -= t->header;
}
