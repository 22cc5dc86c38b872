/* Key scripts: the screen without a terminal. The language is told in include/ui.h. */
#ifndef TICKMARK_UI_HEADLESS_H
#define TICKMARK_UI_HEADLESS_H

#include "screen.h"

/* The exit status; e set when it is 2. */
int headless_run(struct ui *ui, const struct ui_options *options, struct err *e);

#endif
