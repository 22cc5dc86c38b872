/*
 * text/search: finding a pattern in lines. The only user of PCRE2.
 *
 * Patterns are PCRE2's (UTF, Unicode properties), matched line by line, without line ends; all states
 * of a line that was drawn again are searched. NULs are ordinary; a byte that is not UTF-8 is matched by
 * no expression (not even by .), but what stands beside it is, and a literal may hold it. A pattern that
 * is a plain literal goes over whole blocks. Case counts as soon as the pattern holds an upper-case letter.
 * Every match ends: where PCRE2 gives up at its limits the line is *undecided* and counted, never
 * taken for "no match". A line over SEARCH_LINE is searched in pieces that overlap by SEARCH_OVERLAP.
 */
#ifndef TICKMARK_TEXT_SEARCH_H
#define TICKMARK_TEXT_SEARCH_H

#include "text/window.h"

enum search_flags {
	SEARCH_LITERAL = 1,   /* the pattern is text, not an expression */
	SEARCH_CASE = 2,      /* case always counts */
	SEARCH_NOCASE = 4,    /* case never counts */
};
#ifndef SEARCH_LINE
#define SEARCH_LINE (128 << 10)
#endif
#define SEARCH_OVERLAP (4 << 10)
#define SEARCH_PATTERN 65536    /* most bytes of a pattern */

struct search;

/* NULL with ERR_INPUT "missing closing parenthesis (at character 1)" and *error_at, the byte in the
 * pattern. An empty pattern is refused too. May be used by one thread at a time. */
struct search *search_compile(const char *pattern, size_t n, unsigned flags, size_t *error_at, struct err *e);
void search_free(struct search *s); /* NULL is fine */
bool search_is_literal(const struct search *s);
bool search_minds_case(const struct search *s);

enum search_answer { SEARCH_NONE, SEARCH_HIT, SEARCH_UNDECIDED };
struct match { size_t start, end; }; /* bytes; end may equal start */
/* The first match in one line (p without line end) that begins at `from` or behind. */
enum search_answer search_line(struct search *s, const char *p, size_t n, size_t from, struct match *m);

/* What a search came to. Add up as many calls as you like. */
struct search_sum {
	int64_t lines;      /* looked at one by one: none of those that a look at a whole block decided */
	int64_t hits;
	int64_t undecided;  /* lines on which PCRE2 gave up */
	int64_t pieces;     /* lines that were searched in pieces */
};

/* Looks through source bytes [from, to), forwards or (`back`) backwards from `to`, for the first line
 * that matches (backwards: the last match before `to`), reading at most `budget` bytes (0: no end).
 * Both ends may lie inside a line; the line itself is looked at as a whole where it is short enough, but
 * matches count only when they begin inside [from, to).
 * SEARCH_HIT: *hit is the match, in source positions. SEARCH_NONE: *from or *to was moved to where to go
 * on; when they meet, there is none. Never SEARCH_UNDECIDED: see sum. */
struct range { int64_t start, end; };
enum search_answer search_range(struct search *s, struct window *w, struct range *todo, bool back, int64_t budget,
                                struct range *hit, struct search_sum *sum);
/* Every matching line of one block: p begins a line; `last`: nothing follows behind n. Calls `fn` with
 * where the line begins in p, and its first match; fn returns false to stop. Returns the bytes done: up
 * to the last whole line (or all, when `last`, or one line fills the block). */
typedef bool (*search_fn)(void *ctx, size_t line, const struct match *m);
size_t search_block(struct search *s, const char *p, size_t n, bool last, search_fn fn, void *ctx,
                    struct search_sum *sum);

#endif
