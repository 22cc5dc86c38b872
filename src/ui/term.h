/*
 * The terminal: the only user of curses, and only for output; input is read raw and decoded by
 * keydec.c. Whatever happens (end, suspension, editor, crash, hang-up), the terminal is left as it
 * was found.
 */
#ifndef TICKMARK_UI_TERM_H
#define TICKMARK_UI_TERM_H

#include "keydec.h"
#include "theme.h"

struct terminal;

/* There is one terminal in a process. ERR_INPUT with a sentence for stderr where it cannot be used. */
struct terminal *term_open(struct err *e);
void term_close(struct terminal *t); /* NULL is fine */

int term_fd(const struct terminal *t);
void term_size(const struct terminal *t, int *w, int *h);
bool term_is_ascii(const struct terminal *t);  /* it is not known to take UTF-8 */
bool term_has_colours(const struct terminal *t); /* it has some, and NO_COLOR is not set */
/* Something to tell the user once about it (locale without UTF-8 …), or NULL. */
const char *term_notice(const struct terminal *t);

/* Puts the canvas there; only what differs from the last time is sent. */
void term_draw(struct terminal *t, const struct canvas *c, const struct theme *theme);
void term_redraw(struct terminal *t); /* the next draw sends everything */
void term_resized(struct terminal *t); /* asks the size again */

/* Reads what is there; false when the terminal is gone. */
bool term_read(struct terminal *t);
bool term_next(struct terminal *t, struct event *ev);
int term_wait_ms(const struct terminal *t); /* see keydec_wait_ms */

/* Gives the terminal back as it was found (for an editor or the shell), and takes it again. */
void term_leave(struct terminal *t);
void term_enter(struct terminal *t);
/* Stops this process as Ctrl-Z does; returns when it was continued. */
void term_suspend(struct terminal *t);
/* The same while the terminal is given back already. */
void term_stop(struct terminal *t);

bool term_has_mouse(const struct terminal *t);
void term_mouse(struct terminal *t, bool on);
bool term_mouse_is_on(const struct terminal *t);

/* Hands text to the terminal's clipboard (OSC 52); the terminal may ignore it. False: too large. */
#define TERM_COPY_MAX ((size_t)72 << 10)
bool term_copy(struct terminal *t, const void *p, size_t n);

/* After a hang-up nothing is written any more, if the terminal is really gone. */
void term_hung_up(struct terminal *t);

#endif
