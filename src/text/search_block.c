/* A pattern over blocks of many lines: only lines that may match are looked at one by one. */
#include "search_private.h"

#include <string.h>

static size_t literal_block(struct search *s, const char *p, size_t n, bool last, search_fn fn, void *ctx,
                            struct search_sum *sum)
{
	const char *end = memrchr(p, '\n', n);
	size_t done = last || !end ? n : (size_t)(end + 1 - p), at = 0;
	struct match m;

	while (at < done && search_try(s, p, done, at, 0, &m) == SEARCH_HIT) {
		const char *lf = memrchr(p, '\n', m.start);
		size_t line = lf ? (size_t)(lf + 1 - p) : 0;

		lf = memchr(p + m.start, '\n', done - m.start);
		at = lf ? (size_t)(lf + 1 - p) : done;
		sum->hits++;
		if (!fn(ctx, line, &(struct match){ m.start - line, m.end - line }))
			return at;
	}
	return done;
}

/* ---- lines that may match ------------------------------------------------------------------------------ */

/* From line `at` of whole lines on, the first line that may match (n: none). False: it cannot be told this way. */
typedef bool (*candidate_fn)(struct search *s, const char *p, size_t n, size_t at, size_t *line);

static size_t line_of(const char *p, size_t at, size_t hit)
{
	const char *lf = hit > at ? memrchr(p + at, '\n', hit - at) : NULL;

	return lf ? (size_t)(lf + 1 - p) : at;
}

static bool next_matching(struct search *s, const char *p, size_t n, size_t at, size_t *line)
{
	int rc;

	pcre2_set_match_limit(s->context, SEARCH_STEPS); /* of each place where a match may begin */
	rc = pcre2_jit_match(s->block, (PCRE2_SPTR)p, n, at, 0, s->data, s->context);
	if (search_gave_up(rc))
		return false;
	*line = rc < 0 ? n : line_of(p, at, pcre2_get_ovector_pointer(s->data)[0]);
	return true;
}

static bool next_needed(struct search *s, const char *p, size_t n, size_t at, size_t *line)
{
	const char *hit = needle_find(&s->needed[s->best], p + at, n - at);

	*line = hit ? line_of(p, at, (size_t)(hit - p)) : n;
	return true;
}

#define TRIED (64 << 10)     /* bytes that tell which of the needed runs is rarest */
#define TRIED_LEAST (8 << 10) /* fewer tell nothing */

static void choose_needed(struct search *s, const char *p, size_t n)
{
	size_t fewest = SIZE_MAX;

	n = MIN(n, (size_t)TRIED);
	for (size_t i = 0; i < s->needed_n; i++) {
		size_t seen = 0;
		const char *hit = p;

		while (seen < fewest && (hit = needle_find(&s->needed[i], hit, n - (size_t)(hit - p)))) {
			seen++;
			hit++;
		}
		if (seen < fewest) {
			fewest = seen;
			s->best = (int)i;
		}
	}
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

/* Whole lines of a block under search. */
struct scan {
	struct search *s;
	const char *p;
	size_t n;
	size_t at;       /* what is done */
	bool stopped;    /* by fn */
	search_fn fn;
	void *ctx;
	struct search_sum *sum;
};

/* Tries the line [line, next), which is `len` bytes without its LF; whether it matches. */
static bool try_line(struct scan *c, size_t line, size_t len, size_t next, uint32_t options)
{
	struct match m;
	enum search_answer answer = search_try(c->s, c->p + line, search_without_returns(c->p + line, len), 0, options, &m);

	c->sum->lines++;
	c->sum->undecided += answer == SEARCH_UNDECIDED;
	c->sum->hits += answer == SEARCH_HIT;
	c->at = next;
	c->stopped = answer == SEARCH_HIT && !c->fn(c->ctx, line, &m);
	return answer == SEARCH_HIT;
}

#define WRONG_COST 256   /* bytes that could be looked at while a line is tried in vain */
#define WRONG_FREE 4096

/* Goes along the candidates as long as they are worth it. */
static void try_candidates(struct scan *c, candidate_fn next)
{
	size_t from = c->at, line, wrong = 0;

	while (c->at < c->n && !c->stopped && wrong <= c->at - from + WRONG_FREE && next(c->s, c->p, c->n, c->at, &line)) {
		if (line >= c->n) {
			c->at = c->n;
			return;
		}
		const char *lf = memchr(c->p + line, '\n', c->n - line);
		size_t len = lf ? (size_t)(lf - c->p) - line : c->n - line;

		if (!try_line(c, line, len, line + len + (lf != NULL), 0))
			wrong += WRONG_COST;
	}
}

/* Line by line to the end of a block of n bytes, whose last line may go on. */
static void try_lines(struct scan *c, size_t n, bool last)
{
	while (c->at < n && !c->stopped) {
		size_t line = c->at;
		const char *lf = memchr(c->p + line, '\n', n - line);
		size_t len = lf ? (size_t)(lf - c->p) - line : n - line;

		if (!lf && !last && line > 0)
			return;
		try_line(c, line, len, line + len + (lf != NULL), !lf && !last ? PCRE2_NOTEOL : 0);
	}
}

size_t search_block(struct search *s, const char *p, size_t n, bool last, search_fn fn, void *ctx,
                    struct search_sum *sum)
{
	const char *end = memrchr(p, '\n', n);
	struct scan c = { .s = s, .p = p, .n = last ? n : end ? (size_t)(end + 1 - p) : 0, .fn = fn, .ctx = ctx, .sum = sum };

	if (s->is_literal)
		return literal_block(s, p, n, last, fn, ctx, sum);
	if (s->needed_n && s->best < 0 && c.n >= TRIED_LEAST)
		choose_needed(s, p, c.n);
	if (s->needed_n && s->best >= 0)
		try_candidates(&c, next_needed);
	if (s->block && c.at < c.n && !(s->has_end && memchr(p + c.at, '\r', c.n - c.at)))
		try_candidates(&c, next_matching);
	try_lines(&c, n, last);
	return c.at;
}
