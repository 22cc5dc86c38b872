/*
 * Runs that wait for their turn: so many go on at once as the setting at-once says, the screen's and all others
 * of the record counted; what was asked for beyond that starts as they end, in order. The first line counts them.
 */
#ifndef TICKMARK_UI_TURNS_H
#define TICKMARK_UI_TURNS_H

#include "screen.h"

/* Starts it now, or when its turn comes; `drop` frees ctx where it never does. True: it waits. */
bool turns_take(struct ui *ui, void (*start)(void *ctx), void (*drop)(void *ctx), void *ctx);
/* After something ended: starts what may start now. */
void turns_next(struct ui *ui);
size_t turns_waiting(const struct ui *ui);
/* Nothing more starts; returns how many waited. */
size_t turns_drop_all(struct ui *ui);

#endif
