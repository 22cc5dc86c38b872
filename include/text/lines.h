/*
 * text/lines: which line begins where, in a text of any size that may still grow.
 *
 * A line ends with LF; CR just before LF belongs to the line end. A CR elsewhere ends a *state* of
 * the line (a progress bar that was drawn again): the line shows its last state, the earlier ones
 * are counted. What stands behind the last LF is a line too. Lines count from 0 here.
 *
 * The index is fed with the bytes in order, at memory speed, and keeps 16 bytes for each
 * LINES_BLOCK (0.5 bytes per KiB): how many LFs and how many states came before. Every question is
 * answered by reading at most two blocks again. Nothing needs the whole index: places it has not
 * reached are answered by looking at the bytes near by, within LINES_NEAR, and are "unknown" beyond.
 */
#ifndef TICKMARK_TEXT_LINES_H
#define TICKMARK_TEXT_LINES_H

#include "text/window.h"

#ifndef LINES_BLOCK
#define LINES_BLOCK (32 << 10)
#endif
#define LINES_NEAR (132 << 10)  /* how far bytes are looked at where the index cannot say */

struct lines;

struct lines *lines_new(void);
void lines_free(struct lines *l); /* NULL is fine */
void lines_reset(struct lines *l);
/* The next bytes, in order, in pieces of any size. */
void lines_feed(struct lines *l, const void *p, size_t n);
int64_t lines_fed(const struct lines *l);    /* bytes fed so far */
int64_t lines_count(const struct lines *l);  /* lines so far, the one without LF included */
size_t lines_memory(const struct lines *l);  /* bytes that the index takes */

/* Where line number `line` begins; -1: the index has not reached it (or there is none). */
int64_t lines_begin(const struct lines *l, struct window *w, int64_t line);
/* Number of the line that holds byte `pos`; -1: the index has not reached it. */
int64_t lines_number(const struct lines *l, struct window *w, int64_t pos);
/* Where the line that holds byte `pos` begins; -1: farther back than LINES_NEAR, and not indexed.
 * `l` may be NULL: then only the bytes near by are looked at. */
int64_t lines_start(const struct lines *l, struct window *w, int64_t pos);
/* Where the LF is that ends the line that holds byte `pos`; -1: none found (LINES_NEAR or the end). */
int64_t lines_end(const struct lines *l, struct window *w, int64_t pos);

/* All about the line that holds byte `pos`. */
struct line {
	int64_t start;    /* first byte; -1 unknown */
	int64_t end;      /* behind its last byte, without line end; -1 unknown */
	int64_t next;     /* first byte of the next line; -1: none yet, or unknown */
	int64_t shown;    /* first byte of the last state that is not empty, which goes to `end`; -1 unknown */
	int64_t earlier;  /* states before it, empty ones not counted; -1 unknown */
	bool whole;       /* all of these are known: the line has at most LINES_NEAR bytes, or the index saw
	                   * its end. Does not depend on which byte of the line was asked for. */
};
/* `size` is where the bytes end so far: a line without LF ends there. False: nothing at pos. */
bool lines_get(const struct lines *l, struct window *w, int64_t pos, int64_t size, struct line *out);
/* The state of a whole line that byte `pos` of it belongs to. The CRs behind a state are its own, those at
 * the beginning of the line belong to the first. False: not readable. */
struct line_state {
	int64_t start, end; /* its bytes */
	int64_t next;       /* where the next begins; -1: it is the last */
	bool first;
};
bool lines_state(const struct lines *l, struct window *w, const struct line *line, int64_t pos, struct line_state *out);

/* How many LFs are in these bytes; at memory speed. */
size_t lines_breaks(const void *p, size_t n);

#endif
