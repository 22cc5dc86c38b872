/* Two lines as pieces that rules mask and what stands between them. */
#include "text/noise.h"

#include "intern.h"
#include "moment.h"
#include "noise_own.h"
#include "text/number.h"
#include "text/search.h"

#include <stdlib.h>
#include <string.h>

#define PIECES_MOST 400 /* masked in one line */
#define ITEMS_MOST 2000 /* of a set */

/* ---- rules ---- */

typedef bool (*accept_fn)(struct span s, const struct noise_run *run);

static bool accept_any(struct span s, const struct noise_run *run)
{
	(void)s;
	(void)run;
	return true;
}

/* The end of the item at p, which texts and brackets may hold commas in. */
static const char *item_end(const char *p, const char *end)
{
	int depth = 0;
	char quote = 0;

	for (; p < end && (quote || depth > 0 || *p != ','); p++) {
		if (quote) {
			p += *p == '\\' && p + 1 < end;
			quote = *p == quote ? 0 : quote;
		} else if (*p == '\'' || *p == '"') {
			quote = *p;
		} else {
			depth += strchr("([{", *p) ? 1 : strchr(")]}", *p) ? -1 : 0;
		}
	}
	return p;
}

/* Numbers come out of a set in one order, so in braces they are no set: a point, limits, a row. */
static bool holds_numbers(struct span s)
{
	const char *p = s.p + 1, *end = s.p + s.n - 1;

	while (p < end) {
		const char *stop = item_end(p, end);
		while (p < stop && *p == ' ')
			p++;
		if (number_length(p, (size_t)(stop - p)) == (size_t)(stop - p))
			return true;
		p = stop + 1;
	}
	return false;
}

/* Items by commas, no pairs of a dict. */
static bool accept_set(struct span s, const struct noise_run *run)
{
	(void)run;
	return memchr(s.p, ',', s.n) && !memchr(s.p, ':', s.n) && !holds_numbers(s);
}

static bool accept_moment(struct span s, const struct noise_run *run)
{
	return moment_lies_in(s, run->from_us, run->to_us);
}

static bool accept_duration(struct span s, const struct noise_run *run)
{
	int64_t us = moment_duration_us(s);

	return us >= 0 && us <= run->to_us - run->from_us + 1000000;
}

static const struct rule {
	enum noise_rule rule;
	const char *pattern;
	accept_fn accept;
	const char *one, *many;
} rules[] = {
	{ NOISE_SET, "\\{[^{}]{3,20000}\\}", accept_set, "order of a set", "orders of sets" },
	/* Eight digits are a date or a number, not what tempfile draws. */
	{ NOISE_TEMP, "/(?:var/)?tmp/[A-Za-z_.-]{0,40}?tmp(?!\\d{8})[a-z0-9_]{8}(?![a-z0-9_])", accept_any,
	  "temporary path", "temporary paths" },
	{ NOISE_TIME,
	  "(?<![\\w.])(?:\\d{4}[-/]\\d\\d[-/]\\d\\d[T _]\\d\\d:\\d\\d(?::\\d\\d(?:[.,]\\d{1,9})?)?(?: ?Z| ?[+-]\\d\\d:?\\d\\d)?"
	  "|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +(?:\\d\\d? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +(?:\\d\\d? |\\d{4} )?"
	  "\\d\\d:\\d\\d:\\d\\d(?: (?:\\d{4}|[+-]\\d{4}|[A-Z]{3,4}))?"
	  "|\\d{8}[T_-]\\d{6}|1\\d{9}\\.\\d{1,9}|\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d{1,9})?)(?![\\w:]|\\.\\d)",
	  accept_moment, "time stamp", "time stamps" },
	{ NOISE_ADDRESS, "[<;][^\\n]{1,400}?\\bat \\K0x[0-9a-f]{5,16}(?=[>;,])", accept_any, "object address", "object addresses" },
	{ NOISE_DURATION,
	  /* "time", "total" and "in" alone say nothing: a rise time of 0.5 s is a figure. */
	  "(?i)\\b(?:took|elapsed|run ?time|wall(?:[ -]?clock)?(?: time)?|cpu times?|(?:elapsed|execution|processing|run(?:ning)?) time"
	  "|(?:done|finished|completed|executed|processed|loaded|saved|written|built|tests?|passed|failed|skipped|warnings?) in"
	  "|real|user|sys)[:=]?\\s{0,4}\\K"
	  "\\d+(?:\\.\\d+)?\\s?(?:ns|us|\\x{b5}s|ms|s|secs?|seconds?)\\b",
	  accept_duration, "duration", "durations" },
};

struct noise {
	struct search *own;
	struct search *rules[ARRAY_LEN(rules)]; /* NULL: not in force */
};

struct noise *noise_new(const char *own, bool sets, struct err *e)
{
	struct noise *n = xcalloc(1, sizeof(*n));
	struct err why = { 0 };

	if (own && *own) {
		n->own = search_compile(own, strlen(own), SEARCH_CASE, &(size_t){ 0 }, e);
		if (!n->own) {
			free(n);
			return NULL;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		if (rules[i].rule == NOISE_SET && !sets)
			continue;
		n->rules[i] = search_compile(rules[i].pattern, strlen(rules[i].pattern), SEARCH_CASE, &(size_t){ 0 }, &why);
		if (!n->rules[i])
			log_line("noise: %s", why.msg);
	}
	return n;
}

void noise_free(struct noise *n)
{
	if (!n)
		return;
	search_free(n->own);
	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		search_free(n->rules[i]);
	free(n);
}

/* ---- pieces of a line ---- */

struct piece { size_t start, end; enum noise_rule rule; };
struct pieces { struct piece v[PIECES_MOST]; size_t n; };

static bool overlaps(const struct pieces *p, struct match m)
{
	for (size_t i = 0; i < p->n; i++)
		if (m.start < p->v[i].end && p->v[i].start < m.end)
			return true;
	return false;
}

static void find_pieces(struct search *s, enum noise_rule rule, accept_fn accept, struct span line, const struct noise_run *run,
                        struct pieces *out)
{
	struct match m;
	size_t from = 0;

	while (s && from < line.n && out->n < PIECES_MOST && search_line(s, line.p, line.n, from, &m) == SEARCH_HIT) {
		from = MAX(m.end, from + 1);
		if (m.end == m.start || overlaps(out, m) || !accept((struct span){ line.p + m.start, m.end - m.start }, run))
			continue;
		out->v[out->n++] = (struct piece){ m.start, m.end, rule };
	}
}

static int by_start(const void *x, const void *y)
{
	const struct piece *a = x, *b = y;

	return (a->start > b->start) - (a->start < b->start);
}

static void take_apart(struct noise *n, struct span line, const struct noise_run *run, struct pieces *out)
{
	out->n = 0;
	find_pieces(n->own, NOISE_USER, accept_any, line, run, out);
	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		find_pieces(n->rules[i], rules[i].rule, rules[i].accept, line, run, out);
	qsort(out->v, out->n, sizeof(*out->v), by_start);
}

/* ---- what is between them ---- */

static bool begins_number(struct span s, size_t at)
{
	char before = at ? s.p[at - 1] : ' ';
	bool word = (before >= '0' && before <= '9') || (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z') ||
	            before == '_' || before == '.' || (unsigned char)before >= 0x80;

	return !word && at < s.n && ((s.p[at] >= '0' && s.p[at] <= '9') || s.p[at] == '-');
}

/* Same but for numbers beyond 15 digits; else false and how far the two were. */
static bool same_between(struct span a, struct span b, int64_t *floats, size_t *x, size_t *y)
{
	size_t i = 0, k = 0;

	while (i < a.n && k < b.n) {
		if (begins_number(a, i) && begins_number(b, k)) {
			struct span p = { a.p + i, number_length(a.p + i, a.n - i) }, q = { b.p + k, number_length(b.p + k, b.n - k) };
			bool same = p.n == q.n && memcmp(p.p, q.p, p.n) == 0;
			if (p.n && q.n && !same && number_fold(p, q) == NUMBER_DIGITS) {
				++*floats;
				i += p.n;
				k += q.n;
				continue;
			}
		}
		if (a.p[i] != b.p[k])
			break;
		i++;
		k++;
	}
	*x = i;
	*y = k;
	return i == a.n && k == b.n;
}

/* ---- sets ---- */

struct item { const char *p; size_t n; };

static int by_bytes(const void *x, const void *y)
{
	const struct item *a = x, *b = y;
	int c = memcmp(a->p, b->p, MIN(a->n, b->n));

	return c ? c : (a->n > b->n) - (a->n < b->n);
}

/* Items between the braces, sorted; returns how many, 0 where there are too many. */
static size_t cut_items(struct span s, struct item *out)
{
	const char *p = s.p + 1, *end = s.p + s.n - 1;
	size_t n = 0;

	while (p <= end && n < ITEMS_MOST) {
		const char *stop = item_end(p, end);
		out[n++] = (struct item){ p, (size_t)(stop - p) };
		p = stop + 1 + (stop + 1 < end && stop[1] == ' ');
	}
	qsort(out, n, sizeof(*out), by_bytes);
	return n < ITEMS_MOST ? n : 0;
}

static bool same_set(struct span a, struct span b)
{
	struct item *x = xmalloc(2 * ITEMS_MOST * sizeof(*x)), *y = x + ITEMS_MOST;
	size_t n = cut_items(a, x), m = cut_items(b, y);
	bool same = n > 1 && n == m;

	for (size_t i = 0; same && i < n; i++)
		same = by_bytes(&x[i], &y[i]) == 0;
	free(x);
	return same;
}

/* ---- two lines ---- */

struct two_lines {
	struct span line[2];
	struct pieces pieces[2];
	size_t at[2];
};

static void count_figures(struct span p, struct span q, struct noise_sum *sum)
{
	char first[2][NOISE_FIGURE];

	if (noise_own_figures(p, q, first) && sum->figures++ == 0)
		memcpy(sum->figure, first, sizeof(first));
}

static bool fold_piece(struct two_lines *t, size_t i, const struct noise_run run[2], struct noise_sum *sum)
{
	const struct piece *x = &t->pieces[0].v[i], *y = &t->pieces[1].v[i];
	struct span p = { t->line[0].p + x->start, x->end - x->start }, q = { t->line[1].p + y->start, y->end - y->start };

	if (p.n == q.n && memcmp(p.p, q.p, p.n) == 0)
		return true;
	if (x->rule == NOISE_SET && !same_set(p, q))
		return false;
	if (x->rule == NOISE_TIME && !moment_same_zone(p, run[0].from_us, run[0].to_us, q, run[1].from_us, run[1].to_us))
		return false;
	if (x->rule == NOISE_USER)
		count_figures(p, q, sum);
	sum->counts[x->rule]++;
	return true;
}

static bool same_line(struct noise *n, struct two_lines *t, const struct noise_run run[2], struct noise_sum *sum)
{
	size_t from[2] = { 0 };

	for (int s = 0; s < 2; s++)
		take_apart(n, t->line[s], &run[s], &t->pieces[s]);
	size_t pieces = MIN(t->pieces[0].n, t->pieces[1].n);
	for (size_t i = 0; i <= pieces; i++) {
		struct span between[2];
		size_t off[2];
		bool last = i == pieces;
		for (int s = 0; s < 2; s++) {
			/* Pieces that only one side has are plain text there. */
			size_t to = last ? t->line[s].n : t->pieces[s].v[i].start;
			between[s] = (struct span){ t->line[s].p + from[s], to - from[s] };
		}
		bool same = same_between(between[0], between[1], &sum->counts[NOISE_FLOAT], &off[0], &off[1]);
		for (int s = 0; s < 2; s++) {
			t->at[s] = from[s] + off[s];
			from[s] = last ? t->line[s].n : t->pieces[s].v[i].end;
		}
		if (!same)
			return false;
		if (!last && (t->pieces[0].v[i].rule != t->pieces[1].v[i].rule || !fold_piece(t, i, run, sum)))
			return false;
	}
	return true;
}

static struct span whole_line(const struct diff_text *t, uint32_t line)
{
	return (struct span){ t->p + t->start[line], t->start[line + 1] - t->start[line] };
}

static void compare_lines(struct noise *n, const struct diff_text text[2], const struct noise_run run[2], struct noise_sum *sum)
{
	static const size_t none = 0;
	struct two_lines *t = xcalloc(1, sizeof(*t));
	uint32_t lines = MIN(text[0].lines, text[1].lines), i;

	sum->same = true;
	for (i = 0; i < lines && sum->same; i++) {
		for (int s = 0; s < 2; s++) {
			t->line[s] = whole_line(&text[s], i);
			t->at[s] = none;
		}
		if (t->line[0].n == t->line[1].n && memcmp(t->line[0].p, t->line[1].p, t->line[0].n) == 0)
			continue;
		sum->same = t->line[0].n <= NOISE_LINE && t->line[1].n <= NOISE_LINE && same_line(n, t, run, sum);
		for (int s = 0; s < 2; s++)
			sum->at[s] = text[s].start[i] + t->at[s];
	}
	if (sum->same && text[0].lines != text[1].lines) {
		sum->same = false;
		for (int s = 0; s < 2; s++)
			sum->at[s] = text[s].start[lines];
	}
	free(t);
}

static void compare_exactly(struct span a, struct span b, struct noise_sum *sum)
{
	size_t i = 0, n = MIN(a.n, b.n);

	while (i < n && a.p[i] == b.p[i])
		i++;
	sum->same = i == n && a.n == b.n;
	sum->at[0] = sum->at[1] = i;
}

void noise_compare(struct noise *n, struct span a, struct span b, const struct noise_run run[2], struct noise_sum *sum)
{
	struct diff_text text[2];

	if (a.n > NOISE_MOST || b.n > NOISE_MOST) {
		compare_exactly(a, b, sum);
		return;
	}
	intern_cut(a, 0, &text[0]);
	intern_cut(b, 0, &text[1]);
	if (text[0].bom != text[1].bom)
		compare_exactly(a, b, sum);
	else
		compare_lines(n, text, run, sum);
	for (int s = 0; s < 2; s++) {
		sum->at[s] += text[0].bom && text[1].bom ? 3 : 0;
		free(text[s].start);
	}
}

/* ---- telling ---- */

int64_t noise_total(const struct noise_sum *sum)
{
	int64_t n = 0;

	for (size_t i = 0; i < NOISE_RULES; i++)
		n += sum->counts[i];
	return n;
}

void noise_tell(const struct noise_sum *sum, struct buf *out)
{
	size_t before = out->len;

	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		int64_t n = sum->counts[rules[i].rule];
		if (n)
			buf_addf(out, "%s%lld %s", out->len > before ? ", " : "", (long long)n, n == 1 ? rules[i].one : rules[i].many);
	}
	if (sum->counts[NOISE_FLOAT])
		buf_addf(out, "%s%lld number%s beyond 15 digits", out->len > before ? ", " : "", (long long)sum->counts[NOISE_FLOAT],
		         sum->counts[NOISE_FLOAT] == 1 ? "" : "s");
	if (sum->counts[NOISE_PACKING])
		buf_addf(out, "%s%lld member%s packed otherwise", out->len > before ? ", " : "", (long long)sum->counts[NOISE_PACKING],
		         sum->counts[NOISE_PACKING] == 1 ? "" : "s");
	if (sum->counts[NOISE_USER])
		buf_addf(out, "%s%lld by the workspace's own rule", out->len > before ? ", " : "", (long long)sum->counts[NOISE_USER]);
	if (sum->figures)
		buf_addf(out, ", in %lld of which figures changed (first '%s' -> '%s')", (long long)sum->figures, sum->figure[0], sum->figure[1]);
}
