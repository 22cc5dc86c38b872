/* What a running attempt said last, on its row of the Execution pane: one sees it live without unfolding anything. */
#ifndef TICKMARK_UI_EXEC_LIVE_H
#define TICKMARK_UI_EXEC_LIVE_H

#include "exec_tree.h"

/* Draws the last line of both streams at x, in at most w cells; nothing for what does not run. */
void exec_live_draw(struct exec_tree *t, const struct exec_item *it, struct canvas *c, int x, int y, int w);

#endif
