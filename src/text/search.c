/*
 * Patterns by PCRE2, or by memmem where they are plain bytes; line by line over sources of any size.
 * A literal cannot reach over a line end, so it is searched in whole blocks.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/search.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define STEPS 200000          /* match limit of a short line */
#define STEP_BYTES 4000000000 /* steps times bytes of a long one */
#define HEAP_KIB 65536
#define JIT_STACK (1 << 20)
#define LITERAL_OVERLAP 4     /* a letter may match one of up to so many times its bytes */

_Static_assert(SEARCH_LINE + 2 <= WINDOW_MAX, "a line that is not cut fits a window");
_Static_assert(SEARCH_PATTERN * LITERAL_OVERLAP <= WINDOW_MAX, "so does a literal");

struct search {
	char *literal;   /* plain bytes: memmem; NULL: PCRE2 */
	size_t literal_n;
	size_t overlap;  /* bytes of a block to look at again with the next; literals only */
	bool is_literal; /* in any case or exactly */
	bool minds_case;
	bool jit;
	pcre2_code *block;     /* the expression over many lines at once, to find lines that may match; NULL: none */
	bool has_end;          /* it asks for the end of a line */
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
};

/* ---- compiling ------------------------------------------------------------------------------- */

static bool is_plain(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] && strchr("\\^$.[]|()?*+{}", p[i]))
			return false;
	return true;
}

static pcre2_code *compile(const char *pattern, size_t n, uint32_t options, int *code, size_t *at)
{
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	pcre2_code *result;

	if (!context)
		die("out of memory");
	pcre2_set_newline(context, PCRE2_NEWLINE_LF);
	pcre2_set_max_pattern_length(context, SEARCH_PATTERN);
	result = pcre2_compile((PCRE2_SPTR)pattern, n, options | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, code, at, context);
	pcre2_compile_context_free(context);
	return result;
}

/* An upper-case letter that stands for itself: not that of \W or \p{Lu}. */
static bool has_upper(const char *p, size_t n, bool plain)
{
	int code;
	size_t at;
	bool wide = false, upper = false;

	for (size_t i = 0; i < n; i++) {
		if (!plain && p[i] == '\\' && i + 1 < n) {
			const char *close = i + 2 < n && p[i + 2] == '{' && strchr("pPxoN", p[i + 1])
			                            ? memchr(p + i, '}', n - i) : NULL;
			i = close ? (size_t)(close - p) : i + 1;
			continue;
		}
		if (p[i] >= 'A' && p[i] <= 'Z')
			return true;
		wide |= (p[i] & 0x80) != 0;
	}
	if (wide) {
		pcre2_code *any = compile("\\p{Lu}", 6, 0, &code, &at);
		pcre2_match_data *data = any ? pcre2_match_data_create(1, NULL) : NULL;

		upper = data && pcre2_match(any, (PCRE2_SPTR)p, n, 0, 0, data, NULL) >= 0;
		pcre2_match_data_free(data);
		pcre2_code_free(any);
	}
	return upper;
}

static bool has_letter(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z') || (p[i] & 0x80))
			return true;
	return false;
}

static bool refuse(const char *pattern, int code, size_t at, size_t *error_at, struct err *e)
{
	PCRE2_UCHAR reason[200];
	size_t character = 1;

	for (size_t i = 0; i < at; i++)
		character += (pattern[i] & 0xc0) != 0x80;
	if (pcre2_get_error_message(code, reason, sizeof(reason)) < 0)
		snprintf((char *)reason, sizeof(reason), "error %d", code);
	if (error_at)
		*error_at = at;
	return err_set(e, ERR_INPUT, "%s (at character %zu of the pattern)", (char *)reason, character);
}

/* Gives *s what it needs to match by PCRE2. */
static bool prepare(struct search *s, const char *pattern, size_t n, uint32_t options, size_t *error_at, struct err *e)
{
	int code;
	size_t at = 0;

	s->code = compile(pattern, n, options, &code, &at);
	if (!s->code)
		return refuse(pattern, code, MIN(at, n), error_at, e);
	s->data = pcre2_match_data_create_from_pattern(s->code, NULL);
	s->context = pcre2_match_context_create(NULL);
	if (!s->data || !s->context)
		die("out of memory");
	pcre2_set_heap_limit(s->context, HEAP_KIB);
	s->jit = pcre2_jit_compile(s->code, PCRE2_JIT_COMPLETE) == 0;
	if (s->jit) {
		s->stack = pcre2_jit_stack_create(32 << 10, JIT_STACK, NULL);
		pcre2_jit_stack_assign(s->context, NULL, s->stack);
	}
	return true;
}

/* Whether a match inside a line is also one where other lines stand around it, so that a block without a
 * match holds no line with one. Not so for what looks around, gives nothing back, or names the ends of the
 * whole text. */
static bool is_local(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char next = i + 1 < n ? p[i + 1] : '\0';

		if (p[i] == '\\') {
			if (!next || strchr("AzZGKQEgkRXCN0123456789xocpP", next))
				return false;
			i++;
		} else if (p[i] == '(' && (next == '*' || (next == '?' && (i + 2 >= n || p[i + 2] != ':')))) {
			return false;
		} else if (strchr("*+?}", p[i]) && next == '+') {
			return false;
		}
	}
	return true;
}

static void prepare_block(struct search *s, const char *pattern, size_t n, uint32_t options)
{
	int code;
	size_t at;

	if (!s->jit || s->is_literal || !is_local(pattern, n))
		return;
	s->has_end = memchr(pattern, '$', n) != NULL;
	s->block = compile(pattern, n, options | PCRE2_MULTILINE, &code, &at);
	if (s->block && pcre2_jit_compile(s->block, PCRE2_JIT_COMPLETE) != 0) {
		pcre2_code_free(s->block);
		s->block = NULL;
	}
}

struct search *search_compile(const char *pattern, size_t n, unsigned flags, size_t *error_at, struct err *e)
{
	struct search *s;
	bool plain = (flags & SEARCH_LITERAL) || is_plain(pattern, n);
	uint32_t options = plain ? PCRE2_LITERAL : PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C;

	if (error_at)
		*error_at = 0;
	if (n == 0 || n > SEARCH_PATTERN || memchr(pattern, '\n', n)) {
		err_set(e, ERR_INPUT, n == 0 ? "the pattern is empty" : n > SEARCH_PATTERN ? "the pattern is longer than 64 KiB"
		                      : "the pattern has more than one line");
		return NULL;
	}
	s = xcalloc(1, sizeof(*s));
	s->is_literal = plain;
	s->minds_case = flags & SEARCH_CASE ? true : flags & SEARCH_NOCASE ? false : has_upper(pattern, n, plain);
	s->overlap = n * LITERAL_OVERLAP;
	if (plain && (s->minds_case || !has_letter(pattern, n) || !utf8_valid(pattern, n))) {
		s->literal = xmemdup(pattern, n);
		s->literal_n = n;
		s->overlap = n - 1;
	} else if (!prepare(s, pattern, n, options | (s->minds_case ? 0 : PCRE2_CASELESS), error_at, e)) {
		search_free(s);
		return NULL;
	}
	if (!plain)
		prepare_block(s, pattern, n, options | (s->minds_case ? 0 : PCRE2_CASELESS));
	return s;
}

void search_free(struct search *s)
{
	if (!s)
		return;
	pcre2_match_data_free(s->data);
	pcre2_match_context_free(s->context);
	pcre2_jit_stack_free(s->stack);
	pcre2_code_free(s->code);
	pcre2_code_free(s->block);
	free(s->literal);
	free(s);
}

bool search_is_literal(const struct search *s)
{
	return s->is_literal;
}

bool search_minds_case(const struct search *s)
{
	return s->minds_case;
}

/* ---- matching ----------------------------------------------------------------------------------- */

static bool gave_up(int rc)
{
	return rc < 0 && rc != PCRE2_ERROR_NOMATCH;
}

static enum search_answer match(struct search *s, const char *p, size_t n, size_t from, uint32_t options, struct match *m)
{
	int rc = PCRE2_ERROR_JIT_STACKLIMIT;
	const char *hit;

	if (from > n)
		return SEARCH_NONE;
	if (s->literal) {
		hit = memmem(p + from, n - from, s->literal, s->literal_n);
		if (hit)
			*m = (struct match){ (size_t)(hit - p), (size_t)(hit - p) + s->literal_n };
		return hit ? SEARCH_HIT : SEARCH_NONE;
	}
	if (!s->is_literal)
		pcre2_set_match_limit(s->context, (uint32_t)MIN(STEPS, STEP_BYTES / (int64_t)(n + 1)));
	if (s->jit)
		rc = pcre2_jit_match(s->code, (PCRE2_SPTR)p, n, from, options, s->data, s->context);
	if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
		rc = pcre2_match(s->code, (PCRE2_SPTR)p, n, from, options | PCRE2_NO_JIT, s->data, s->context);
	if (rc < 0)
		return gave_up(rc) ? SEARCH_UNDECIDED : SEARCH_NONE;
	*m = (struct match){ pcre2_get_ovector_pointer(s->data)[0], pcre2_get_ovector_pointer(s->data)[1] };
	if (m->end < m->start) /* \K in a look-ahead */
		m->end = m->start;
	return SEARCH_HIT;
}

enum search_answer search_line(struct search *s, const char *p, size_t n, size_t from, struct match *m)
{
	return match(s, p ? p : "", n, from, 0, m);
}

/* The last match that begins before `limit`, from `from` on. */
static enum search_answer match_last(struct search *s, const char *p, size_t n, size_t from, size_t limit, uint32_t options,
                                     struct match *m)
{
	enum search_answer answer = SEARCH_NONE, next;
	struct match found;

	while (from <= n && (next = match(s, p, n, from, options, &found)) != SEARCH_NONE) {
		if (next == SEARCH_UNDECIDED)
			return answer == SEARCH_HIT ? SEARCH_HIT : SEARCH_UNDECIDED;
		if (found.start >= limit)
			break;
		*m = found;
		answer = SEARCH_HIT;
		from = MAX(found.start + 1, from + 1);
	}
	return answer;
}

static size_t without_returns(const char *p, size_t n)
{
	while (n && p[n - 1] == '\r')
		n--;
	return n;
}

/* ---- one block -------------------------------------------------------------------------------------- */

static size_t literal_block(struct search *s, const char *p, size_t n, bool last, search_fn fn, void *ctx,
                            struct search_sum *sum)
{
	const char *end = memrchr(p, '\n', n);
	size_t done = last || !end ? n : (size_t)(end + 1 - p), at = 0;
	struct match m;

	while (at < done && match(s, p, done, at, 0, &m) == SEARCH_HIT) {
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

#define FALSE_CANDIDATES 16 /* lines in a row that only looked like a match, before each line is tried */

/* From line `at` on, the first line that may match (n: none). False: it cannot be told this way. */
static bool next_candidate(struct search *s, const char *p, size_t n, size_t at, size_t *line)
{
	int rc;

	pcre2_set_match_limit(s->context, STEPS); /* of each place where a match may begin */
	rc = pcre2_jit_match(s->block, (PCRE2_SPTR)p, n, at, 0, s->data, s->context);
	if (gave_up(rc))
		return false;
	*line = n;
	if (rc >= 0) {
		size_t start = pcre2_get_ovector_pointer(s->data)[0];
		const char *lf = start > at ? memrchr(p + at, '\n', start - at) : NULL;

		*line = lf ? (size_t)(lf + 1 - p) : at;
	}
	return true;
}

/* Whole lines by way of candidates; returns where it stopped, *done false when lines must be tried one by
 * one from there. */
static size_t local_block(struct search *s, const char *p, size_t n, search_fn fn, void *ctx, struct search_sum *sum, bool *done)
{
	size_t at = 0, line;
	int wrong = 0;

	*done = false;
	while (at < n && wrong < FALSE_CANDIDATES && next_candidate(s, p, n, at, &line)) {
		if (line >= n) {
			*done = true;
			return n;
		}
		const char *lf = memchr(p + line, '\n', n - line);
		size_t len = lf ? (size_t)(lf - p) - line : n - line;
		struct match m;
		enum search_answer answer = match(s, p + line, without_returns(p + line, len), 0, 0, &m);

		sum->lines++;
		sum->undecided += answer == SEARCH_UNDECIDED;
		sum->hits += answer == SEARCH_HIT;
		wrong = answer == SEARCH_HIT ? 0 : wrong + 1;
		at = line + len + (lf != NULL);
		if (answer == SEARCH_HIT && !fn(ctx, line, &m)) {
			*done = true;
			return at;
		}
	}
	*done = at >= n;
	return at;
}

size_t search_block(struct search *s, const char *p, size_t n, bool last, search_fn fn, void *ctx,
                    struct search_sum *sum)
{
	const char *end = memrchr(p, '\n', n);
	size_t line = 0, whole = last ? n : end ? (size_t)(end + 1 - p) : 0;
	bool done;

	if (s->is_literal)
		return literal_block(s, p, n, last, fn, ctx, sum);
	if (s->block && whole > 0 && !(s->has_end && memchr(p, '\r', whole))) {
		line = local_block(s, p, whole, fn, ctx, sum, &done);
		if (done)
			return line;
	}
	while (line < n) {
		const char *lf = memchr(p + line, '\n', n - line);
		size_t len = lf ? (size_t)(lf - p) - line : n - line, next = line + len + (lf != NULL);
		struct match m;
		enum search_answer answer;

		if (!lf && !last && line > 0)
			break;
		answer = match(s, p + line, without_returns(p + line, len), 0, !lf && !last ? PCRE2_NOTEOL : 0, &m);
		sum->lines++;
		sum->undecided += answer == SEARCH_UNDECIDED;
		sum->hits += answer == SEARCH_HIT;
		if (answer == SEARCH_HIT && !fn(ctx, line, &m))
			return next;
		line = next;
	}
	return line;
}

/* ---- ranges of a source --------------------------------------------------------------------------------- */

/* A search under way. */
struct hunt {
	struct search *s;
	struct window *w;
	struct range *todo;
	struct range *hit;
	struct search_sum *sum;
	int64_t budget; /* bytes left to look at */
};

static enum search_answer found(struct hunt *h, int64_t at, const struct match *m)
{
	*h->hit = (struct range){ at + (int64_t)m->start, at + (int64_t)m->end };
	h->sum->hits++;
	return SEARCH_HIT;
}

#define BLOCK (64 << 10)

static enum search_answer literal_ahead(struct hunt *h)
{
	while (h->todo->start < h->todo->end && h->budget > 0) {
		int64_t at = h->todo->start;
		size_t overlap = h->s->overlap, want = BLOCK + overlap, got;
		const char *p = window_at(h->w, at, MIN(want, WINDOW_MAX), &got);
		struct match m;

		if (!got)
			break;
		if (match(h->s, p, got, 0, 0, &m) == SEARCH_HIT) {
			if (at + (int64_t)m.start >= h->todo->end)
				break;
			return found(h, at, &m);
		}
		h->budget -= (int64_t)got;
		h->todo->start += (int64_t)(got > overlap ? got - overlap : got);
	}
	if (h->budget > 0 || h->todo->start > h->todo->end)
		h->todo->start = h->todo->end;
	return SEARCH_NONE;
}

static enum search_answer literal_back(struct hunt *h)
{
	while (h->todo->start < h->todo->end && h->budget > 0) {
		int64_t at = MAX(h->todo->end - BLOCK, h->todo->start);
		size_t begins = (size_t)(h->todo->end - at), got;
		const char *p = window_at(h->w, at, MIN(begins + h->s->overlap, WINDOW_MAX), &got);
		struct match m;

		got = MIN(got, begins + h->s->overlap);
		if (got && match_last(h->s, p, got, 0, begins, 0, &m) == SEARCH_HIT)
			return found(h, at, &m);
		h->budget -= (int64_t)got;
		h->todo->end = at;
	}
	return SEARCH_NONE;
}

/* A line, or a piece of one that is too long. */
struct piece {
	int64_t at;
	const char *p;
	size_t n;      /* bytes to match, without line end */
	size_t all;    /* bytes with it */
	bool begins, ends;
};

static enum search_answer try_piece(struct hunt *h, const struct piece *c, bool back)
{
	uint32_t options = (c->begins ? 0 : PCRE2_NOTBOL) | (c->ends ? 0 : PCRE2_NOTEOL);
	int64_t from = MAX(h->todo->start - c->at, 0), limit = h->todo->end - c->at;
	enum search_answer answer;
	struct match m = { 0 };

	h->budget -= (int64_t)c->all;
	h->sum->lines += c->begins;
	h->sum->pieces += c->begins && !c->ends;
	if (limit <= 0)
		return SEARCH_NONE;
	if (back)
		answer = match_last(h->s, c->p, c->n, (size_t)from, (size_t)limit, options, &m);
	else
		answer = match(h->s, c->p, c->n, (size_t)from, options, &m);
	h->sum->undecided += answer == SEARCH_UNDECIDED;
	if (answer != SEARCH_HIT || (int64_t)m.start >= limit)
		return SEARCH_NONE;
	return found(h, c->at, &m);
}

/* Where the line of byte `pos` begins, or a place SEARCH_LINE before. */
static int64_t line_before(struct window *w, int64_t pos, bool *begins)
{
	size_t got;
	const char *p = window_before(w, pos, SEARCH_LINE, &got), *lf = got ? memrchr(p, '\n', got) : NULL;

	*begins = lf || pos <= SEARCH_LINE;
	return lf ? pos - (int64_t)got + (lf + 1 - p) : MAX(pos - SEARCH_LINE, 0);
}

static enum search_answer lines_ahead(struct hunt *h)
{
	bool begins;
	int64_t at = line_before(h->w, h->todo->start, &begins);

	while (at < h->todo->end && h->budget > 0) {
		size_t got, left;
		const char *p = window_at(h->w, at, SEARCH_LINE + 1, &got);

		if (!got)
			break;
		for (left = got; left && at < h->todo->end && h->budget > 0;) {
			const char *lf = memchr(p, '\n', MIN(left, SEARCH_LINE + 1));
			struct piece c = { .at = at, .p = p, .begins = begins };

			if (!lf && left <= SEARCH_LINE && left < got)
				break; /* not whole in this block */
			c.ends = lf || left <= SEARCH_LINE;
			c.all = lf ? (size_t)(lf + 1 - p) : MIN(left, SEARCH_LINE);
			c.n = c.ends ? without_returns(p, c.all - (lf != NULL)) : c.all;
			if (try_piece(h, &c, false) == SEARCH_HIT)
				return SEARCH_HIT;
			begins = c.ends;
			if (!c.ends)
				c.all -= SEARCH_OVERLAP;
			at += (int64_t)c.all;
			p += c.all;
			left -= c.all;
		}
		h->todo->start = MAX(h->todo->start, MIN(at, h->todo->end));
	}
	if (h->budget > 0)
		h->todo->start = h->todo->end;
	return SEARCH_NONE;
}

/* Where the line ends (behind its LF) that holds byte `pos`, or SEARCH_LINE farther. */
static int64_t line_behind(struct window *w, int64_t pos)
{
	size_t got;
	const char *p = window_at(w, pos, SEARCH_LINE, &got), *lf;

	got = MIN(got, SEARCH_LINE);
	lf = got ? memchr(p, '\n', got) : NULL;
	return pos + (lf ? lf + 1 - p : (int64_t)got);
}

/* The line, or piece of one, that ends at `end`. */
static bool piece_before(struct hunt *h, int64_t end, bool ends, struct piece *c)
{
	size_t got, skip;
	const char *p = window_before(h->w, end, (size_t)MIN(end, SEARCH_LINE + 2), &got), *lf;
	bool closed = got && p[got - 1] == '\n';

	if (!got)
		return false;
	lf = memrchr(p, '\n', got - closed);
	skip = lf ? (size_t)(lf + 1 - p) : got > SEARCH_LINE ? got - SEARCH_LINE : 0;
	*c = (struct piece){ .at = end - (int64_t)(got - skip), .p = p + skip, .all = got - skip };
	c->begins = lf || c->at == 0;
	c->ends = ends || closed;
	c->n = c->ends ? without_returns(c->p, c->all - closed) : c->all;
	return true;
}

static enum search_answer lines_back(struct hunt *h)
{
	int64_t end = h->todo->start < h->todo->end ? line_behind(h->w, h->todo->end - 1) : 0;
	bool ends = true;
	struct piece c;

	while (h->todo->start < h->todo->end && h->budget > 0) {
		if (!piece_before(h, end, ends, &c))
			break;
		if (try_piece(h, &c, true) == SEARCH_HIT)
			return SEARCH_HIT;
		ends = c.begins;
		end = c.begins ? c.at : c.at + SEARCH_OVERLAP;
		h->todo->end = MIN(h->todo->end, MAX(c.at, h->todo->start));
	}
	if (h->budget > 0)
		h->todo->end = h->todo->start;
	return SEARCH_NONE;
}

enum search_answer search_range(struct search *s, struct window *w, struct range *todo, bool back, int64_t budget,
                                struct range *hit, struct search_sum *sum)
{
	struct hunt h = { .s = s, .w = w, .todo = todo, .hit = hit, .sum = sum, .budget = budget > 0 ? budget : INT64_MAX };

	if (s->is_literal)
		return back ? literal_back(&h) : literal_ahead(&h);
	return back ? lines_back(&h) : lines_ahead(&h);
}
