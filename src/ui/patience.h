/*
 * patience: a write that another process keeps waiting does not keep the keys waiting. A worker waits for the record,
 * the last line says so, Ctrl-C ends it; then the screen writes.
 */
#ifndef TICKMARK_UI_PATIENCE_H
#define TICKMARK_UI_PATIENCE_H

#include "screen.h"

/* Calls go(ctx, NULL) at once where the record can be written now, else once it can; go(ctx, why) when that was
 * cancelled or cannot be. `what` as in "marking 7.2". */
void ui_when_free(struct ui *ui, const char *what, void (*go)(void *ctx, const struct err *why), void *ctx);

#endif
