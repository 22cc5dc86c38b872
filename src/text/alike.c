/* Lines that look the same and are not: what it is they differ in, and the sentences about it. */
#include "text/diff.h"

#include "decompose.h"

#include <string.h>

const char *ending_word(enum ending e)
{
	static const char *const words[] = { "no line end", "LF", "CRLF", "CR" };

	return words[e];
}

/* ---- two lines ---- */

/* A line as characters with blanks in runs. */
struct walk {
	struct span s;
	size_t at;
	uint32_t parts[DECOMPOSE_MOST];
	size_t parts_n, part;
};

struct blanks { size_t n; bool tabs, odd; };

/* The blanks here, of any kind. */
static struct blanks skip_blanks(struct walk *w)
{
	struct blanks b = { 0 };

	while (w->at < w->s.n && w->part == w->parts_n) {
		uint32_t cp = 0;
		size_t len = utf8_decode(w->s.p + w->at, w->s.n - w->at, &cp);
		bool odd = len > 1 && utf8_is_odd_space(cp);
		if (!odd && w->s.p[w->at] != ' ' && w->s.p[w->at] != '\t')
			break;
		b.tabs = b.tabs || w->s.p[w->at] == '\t';
		b.odd = b.odd || odd;
		b.n++;
		w->at += MAX(len, 1u);
	}
	return b;
}

/* The next character without its marks apart; false at the end. A bad byte is one beyond Unicode. */
static bool next_char(struct walk *w, uint32_t *cp)
{
	if (w->part < w->parts_n) {
		*cp = w->parts[w->part++];
		return true;
	}
	if (w->at == w->s.n)
		return false;
	size_t len = utf8_decode(w->s.p + w->at, w->s.n - w->at, cp);
	if (len == 0) {
		*cp = 0x110000 + (unsigned char)w->s.p[w->at++];
		return true;
	}
	w->at += len;
	w->parts_n = decompose(*cp, w->parts);
	w->part = 1;
	*cp = w->parts[0];
	return true;
}

static bool at_end(const struct walk *w)
{
	return w->at == w->s.n && w->part == w->parts_n;
}

static unsigned compare_blanks(struct walk *x, struct walk *y)
{
	size_t from = x->at, other = y->at;
	struct blanks a = skip_blanks(x), b = skip_blanks(y);
	unsigned mask = 0;

	if (x->at - from == y->at - other && memcmp(x->s.p + from, y->s.p + other, x->at - from) == 0)
		return 0;
	if (at_end(x) && at_end(y))
		return ALIKE_TRAILING;
	/* Something against nothing is more than a look: "A Test" is not "ATest", though indentation is. */
	if ((a.n == 0 || b.n == 0) && from > 0 && other > 0)
		return ~0u;
	if (a.odd || b.odd)
		mask |= ALIKE_NOBREAK;
	if (a.tabs || b.tabs)
		mask |= ALIKE_TABS;
	return mask ? mask : ALIKE_AMOUNT;
}

unsigned diff_alike(struct span a, struct span b)
{
	struct walk x = { .s = a }, y = { .s = b };
	unsigned mask = 0;
	uint32_t p, q;

	if (a.n == b.n && memcmp(a.p, b.p, a.n) == 0)
		return 0;
	for (;;) {
		unsigned blanks = compare_blanks(&x, &y);
		if (blanks == ~0u)
			return 0;
		mask |= blanks;
		size_t from = x.at, other = y.at;
		bool more = next_char(&x, &p), also = next_char(&y, &q);
		if (more != also || (more && p != q))
			return 0;
		if (!more)
			return mask;
		if (x.at - from != y.at - other || memcmp(x.s.p + from, y.s.p + other, x.at - from) != 0)
			mask |= ALIKE_FORM;
	}
}

/* ---- sentences ---- */

static int64_t line_ends(const struct diff *d)
{
	int64_t n = 0;

	for (int x = 0; x < ENDING_COUNT; x++)
		for (int y = 0; y < ENDING_COUNT; y++)
			n += x || y ? d->ends[x][y] : 0;
	return n;
}

/* A side whose lines end in different ways is worth a word once ends changed at all. */
static void tell_mixed(const struct diff *d, struct buf *out)
{
	for (int side = 0; side < 2; side++) {
		int64_t n[ENDING_COUNT] = { 0 };
		int kinds = 0;
		for (int x = 0; x < ENDING_COUNT; x++)
			for (int y = 0; y < ENDING_COUNT; y++)
				n[side ? y : x] += d->ends[x][y];
		for (int k = 1; k < ENDING_COUNT; k++)
			kinds += n[k] > 0;
		if (kinds < 2)
			continue;
		buf_addf(out, "mixed line ends %s:", side ? "after" : "before");
		for (int k = 1; k < ENDING_COUNT; k++)
			if (n[k])
				buf_addf(out, " %lld %s", (long long)n[k], ending_word((enum ending)k));
		buf_addc(out, '\n');
	}
}

static void tell_ends(const struct diff *d, struct buf *out)
{
	int64_t all = line_ends(d);
	bool changed = false;

	for (int x = 0; x < ENDING_COUNT; x++) {
		for (int y = 0; y < ENDING_COUNT; y++) {
			int64_t n = d->ends[x][y];
			if (x == y || n == 0)
				continue;
			if (y == ENDING_NONE) {
				buf_addf(out, "final newline removed\n");
			} else if (x == ENDING_NONE) {
				buf_addf(out, "final newline added\n");
			} else {
				buf_addf(out, "%lld of %lld line end%s %s -> %s\n", (long long)n, (long long)all, all == 1 ? "" : "s",
				         ending_word((enum ending)x), ending_word((enum ending)y));
				changed = true;
			}
		}
	}
	if (changed)
		tell_mixed(d, out);
}

/* How the lines of hunks end, which show no line ends: where a side has several kinds, or the sides differ
 * and no pair of lines has told it. */
static void tell_ends_of_hunks(const struct diff *d, struct buf *out)
{
	int64_t here[2][ENDING_COUNT] = { 0 };
	bool has[2][ENDING_COUNT] = { 0 }, told = false, differ = false;
	int kinds[2] = { 0 };
	enum ending end;

	for (size_t i = 0; i < 2 * d->hunks_n; i++) {
		const struct diff_hunk *h = &d->hunks[i / 2];
		int side = i % 2;
		for (uint32_t k = 0; k < (side ? h->b_n : h->a_n); k++) {
			(void)diff_line(&d->side[side], (side ? h->b : h->a) + k, &end);
			here[side][end]++;
		}
	}
	for (int x = ENDING_LF; x < ENDING_COUNT; x++) {
		for (int y = 0; y < ENDING_COUNT; y++) {
			has[0][x] = has[0][x] || d->ends[x][y];
			has[1][x] = has[1][x] || d->ends[y][x];
			told = told || (x != y && y != ENDING_NONE && d->ends[x][y]);
		}
		for (int side = 0; side < 2; side++)
			kinds[side] += has[side][x] = has[side][x] || here[side][x];
		differ = differ || has[0][x] != has[1][x];
	}
	for (int side = 0; side < 2; side++)
		for (int x = ENDING_LF; x < ENDING_COUNT; x++)
			if (here[side][x] && (kinds[side] > 1 || (differ && !told && x != ENDING_LF)))
				buf_addf(out, "%lld %s line%s in %s\n", (long long)here[side][x], side ? "added" : "removed",
				         here[side][x] == 1 ? " ends" : "s end", ending_word((enum ending)x));
}

static void tell_lines(struct buf *out, int64_t n, const char *what)
{
	if (n)
		buf_addf(out, "%lld line%s %s\n", (long long)n, n == 1 ? "" : "s", what);
}

void diff_tell(const struct diff *d, struct buf *out)
{
	static const char *const what[] = {
		"changed in trailing blanks only", "changed in tabs and blanks only", "changed in the number of blanks only",
		"changed in no-break or other odd spaces only", "changed in Unicode form only (composed or decomposed letters)",
	};

	if (d->side[0].bom != d->side[1].bom)
		buf_addf(out, "byte order mark %s\n", d->side[0].bom ? "removed" : "added");
	tell_ends(d, out);
	tell_ends_of_hunks(d, out);
	for (size_t i = 0; i < ARRAY_LEN(what); i++)
		tell_lines(out, d->alike[i], what[i]);
	tell_lines(out, d->alike_mixed, "changed in several kinds of white space or Unicode form only");
	tell_lines(out, d->folded, "differing in white space only, not shown");
	for (size_t i = 0; i < d->moves_n && i < 20; i++)
		buf_addf(out, "lines %u to %u moved to %u\n", d->moves[i].a + 1, d->moves[i].a + d->moves[i].n, d->moves[i].b + 1);
	if (d->moves_n > 20)
		buf_addf(out, "%zu more blocks moved\n", d->moves_n - 20);
	if (d->coarse)
		buf_adds(out, d->cancelled ? "comparison stopped: what was not reached counts as changed\n"
		                           : "very different texts: compared by a coarser method, changes may be larger than needed\n");
}
