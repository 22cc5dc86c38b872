/* A pattern, compiled: PCRE2, or a needle where it is plain bytes. */
#include "search_private.h"
#include "required.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

#define STEP_BYTES 4000000000 /* steps times bytes of a long line */
#define HEAP_KIB 65536
#define JIT_STACK (1 << 20)
#define LITERAL_OVERLAP 4     /* a letter may match one of up to so many times its bytes */

_Static_assert(SEARCH_LINE + 2 <= WINDOW_MAX, "a line that is not cut fits a window");
_Static_assert(SEARCH_PATTERN * LITERAL_OVERLAP <= WINDOW_MAX, "so does a literal");

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

/* What lines must hold for a look by the expression to be worth while. */
static void prepare_needed(struct search *s, const char *pattern, size_t n)
{
	struct run runs[SEARCH_NEEDED];
	char *text = xmalloc(n);

	s->best = -1;
	s->needed_n = required_runs(pattern, n, !s->minds_case, text, runs, ARRAY_LEN(runs));
	for (size_t i = 0; i < s->needed_n; i++)
		needle_set(&s->needed[i], text + runs[i].at, runs[i].n);
	free(text);
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
		needle_set(&s->literal, pattern, n);
		s->overlap = n - 1;
	} else if (!prepare(s, pattern, n, options | (s->minds_case ? 0 : PCRE2_CASELESS), error_at, e)) {
		search_free(s);
		return NULL;
	}
	if (!plain) {
		prepare_needed(s, pattern, n);
		prepare_block(s, pattern, n, options | (s->minds_case ? 0 : PCRE2_CASELESS));
	}
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
	needle_clear(&s->literal);
	for (size_t i = 0; i < s->needed_n; i++)
		needle_clear(&s->needed[i]);
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

enum search_answer search_try(struct search *s, const char *p, size_t n, size_t from, uint32_t options, struct match *m)
{
	int rc = PCRE2_ERROR_JIT_STACKLIMIT;
	const char *hit;

	if (from > n)
		return SEARCH_NONE;
	if (s->literal.n) {
		hit = needle_find(&s->literal, p + from, n - from);
		if (hit)
			*m = (struct match){ (size_t)(hit - p), (size_t)(hit - p) + s->literal.n };
		return hit ? SEARCH_HIT : SEARCH_NONE;
	}
	if (!s->is_literal)
		pcre2_set_match_limit(s->context, (uint32_t)MIN(SEARCH_STEPS, STEP_BYTES / (int64_t)(n + 1)));
	if (s->jit)
		rc = pcre2_jit_match(s->code, (PCRE2_SPTR)p, n, from, options, s->data, s->context);
	if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
		rc = pcre2_match(s->code, (PCRE2_SPTR)p, n, from, options | PCRE2_NO_JIT, s->data, s->context);
	if (rc < 0)
		return search_gave_up(rc) ? SEARCH_UNDECIDED : SEARCH_NONE;
	*m = (struct match){ pcre2_get_ovector_pointer(s->data)[0], pcre2_get_ovector_pointer(s->data)[1] };
	if (m->end < m->start) /* \K in a look-ahead */
		m->end = m->start;
	return SEARCH_HIT;
}

enum search_answer search_line(struct search *s, const char *p, size_t n, size_t from, struct match *m)
{
	return search_try(s, p ? p : "", n, from, 0, m);
}
