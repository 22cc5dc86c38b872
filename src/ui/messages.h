/* Messages on the screen: the view, and writing one. */
#ifndef TICKMARK_UI_MESSAGES_H
#define TICKMARK_UI_MESSAGES_H

#include "screen.h"

unsigned act_messages(struct view *v, const char *arg);
/* Opens them at one; 0: at the end. */
unsigned messages_show(struct ui *ui, int64_t message);
/* Asks for a message, which begins with a citation of what is chosen. */
unsigned act_cite(struct view *v, const char *arg);

#endif
