/* The one poll loop: descriptors with functions, and signals as a descriptor. */
#ifndef TICKMARK_UI_LOOP_H
#define TICKMARK_UI_LOOP_H

#include "base.h"

/* What a handler asks for: masks are or'ed over a turn, and at its end one place draws. */
enum turn {
	TURN_NOTHING = 0,
	TURN_DRAW = 1,      /* something to be seen has changed */
	TURN_CLEAR = 2,     /* send the whole screen again */
	TURN_UNHANDLED = 4, /* not mine: ask the next */
	TURN_CLOSE = 8,     /* this view is done */
	TURN_QUIT = 16,
};

struct loop;
struct loop *loop_new(struct err *e);
void loop_free(struct loop *l);
typedef unsigned (*loop_fn)(void *ctx);
/* `fn` is called in each turn in which fd is readable (or hung up). */
void loop_add(struct loop *l, int fd, loop_fn fn, void *ctx);
void loop_remove(struct loop *l, int fd);
/* Signals of the mask come to fn as numbers; they are blocked until loop_free. */
bool loop_signals(struct loop *l, const int *signals, size_t n, unsigned (*fn)(void *ctx, int sig), void *ctx,
                  struct err *e);
/* Waits for at most timeout_ms (-1: for ever), calls what is ready once, returns the masks. *idle
 * (may be NULL): nothing was. */
unsigned loop_turn(struct loop *l, int timeout_ms, bool *idle);
/* The signal mask as it was before loop_signals, for children. */
void loop_child_mask(const struct loop *l, void *sigset);

#endif
