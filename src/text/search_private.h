/* What the parts of text/search share: one pattern, ready to match. */
#ifndef TICKMARK_TEXT_SEARCH_PRIVATE_H
#define TICKMARK_TEXT_SEARCH_PRIVATE_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/search.h"

#include <pcre2.h>

#include "needle.h"

#define SEARCH_STEPS 200000   /* match limit of a short line */
#define SEARCH_NEEDED 4       /* runs of plain bytes of an expression that are kept */

struct search {
	bool is_literal;       /* in any case or exactly */
	bool minds_case;
	struct needle literal; /* plain bytes; empty: PCRE2 */
	size_t overlap;        /* bytes of a block to look at again with the next; literals only */
	struct needle needed[SEARCH_NEEDED]; /* what every line with a match of the expression holds */
	size_t needed_n;
	int best;              /* of needed: the one that the data holds least often; -1: not known yet */
	bool jit;
	pcre2_code *block;     /* the expression over many lines at once, to find lines that may match; NULL: none */
	bool has_end;          /* it asks for the end of a line */
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
};

/* The first match in [p, p + n) that begins at `from` or behind; `options` of PCRE2. */
enum search_answer search_try(struct search *s, const char *p, size_t n, size_t from, uint32_t options, struct match *m);

static inline bool search_gave_up(int rc)
{
	return rc < 0 && rc != PCRE2_ERROR_NOMATCH;
}

/* A line of n bytes, without what ends it besides LF. */
static inline size_t search_without_returns(const char *p, size_t n)
{
	while (n && p[n - 1] == '\r')
		n--;
	return n;
}

#endif
