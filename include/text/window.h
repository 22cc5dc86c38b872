/*
 * text/window: a byte source of any size, read at random through one bounded buffer.
 * Everything that reads text which may be larger than memory (lines, rows, search) asks a window
 * for a piece and gets a pointer; the pieces that follow each other cost no second reading.
 */
#ifndef TICKMARK_TEXT_WINDOW_H
#define TICKMARK_TEXT_WINDOW_H

#include "base.h"

/* Where the bytes are. `read` puts up to n bytes from `pos` and returns how many: fewer than n only at
 * the end known so far, -1 when they could not be read (the owner of ctx keeps the reason). */
struct bytes {
	int64_t (*read)(void *ctx, int64_t pos, void *buf, size_t n);
	void *ctx;
};

#define WINDOW_MAX (256 << 10)  /* most bytes that may be asked for at once */

struct window;

struct window *window_new(struct bytes source);
void window_free(struct window *w); /* NULL is fine */
/* At least `want` bytes from `pos` (0 or more; want at most WINDOW_MAX), or all there are: *got bytes,
 * often more than `want`. Valid until the next call. *got 0: nothing there (yet), or not readable. */
const char *window_at(struct window *w, int64_t pos, size_t want, size_t *got);
/* The bytes that end at `pos`: up to `want` of them, *got; the pointer is to the first of them. */
const char *window_before(struct window *w, int64_t pos, size_t want, size_t *got);
/* Forgets the buffer: the bytes behind it are others now. Growth needs no call. */
void window_forget(struct window *w);
/* Whether a reading failed since the window was made. */
bool window_failed(const struct window *w);

/* Bytes in memory as a source; `m` and what it points at must live as long as the window. */
struct memory { const char *p; size_t n; };
struct bytes bytes_of_memory(struct memory *m);

#endif
