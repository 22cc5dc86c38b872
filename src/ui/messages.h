/* Messages on the screen: the view, and writing one. */
#ifndef TICKMARK_UI_MESSAGES_H
#define TICKMARK_UI_MESSAGES_H

#include "screen.h"

unsigned act_messages(struct view *v, const char *arg);
/* The view, at this message. */
unsigned messages_open(struct ui *ui, int64_t id);
/* Asks for a message, which begins with a citation of what is chosen. */
unsigned act_cite(struct view *v, const char *arg);

#endif
