/* Settings from the screen: the user's file at the start, `:set` later. */
#ifndef TICKMARK_UI_SET_H
#define TICKMARK_UI_SET_H

#include "screen.h"

/* Reads theme, mouse and keys from the user's file; what is wrong there is told with its line, and kept from
 * nothing else. */
void set_read(struct ui *ui);
/* ":set NAME VALUE", ":set NAME?", ":set". */
unsigned act_set(struct view *v, const char *arg);
/* What could stand behind ":set ". */
void set_complete(const char *text, struct strv *out);

#endif
