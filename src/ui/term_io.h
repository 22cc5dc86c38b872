/* What the files of the terminal share: term.c draws by curses, term_io.c reads and writes without it. */
#ifndef TICKMARK_UI_TERM_IO_H
#define TICKMARK_UI_TERM_IO_H

#include "squeeze.h"
#include "term.h"

#include <stdio.h>

#define TERM_MOUSE_ON  "\x1b[?1000h\x1b[?1002h\x1b[?1006h"
#define TERM_MOUSE_OFF "\x1b[?1006l\x1b[?1002l\x1b[?1000l"
#define TERM_PASTE_ON  "\x1b[?2004h"
#define TERM_PASTE_OFF "\x1b[?2004l"

struct screen; /* of curses */
struct terminal {
	struct screen *screen;
	struct keydec *dec;
	int w, h;
	bool ascii;
	bool colour;        /* colours may be sent */
	bool direct;        /* colour numbers are RGB */
	bool mouse_able, mouse;
	bool paste_able;
	bool entered;
	bool gone;
	char notice[160];
	struct cell *shown; /* what the last draw put there; NULL: unknown */
	int shown_w, shown_h;
	bool all;           /* send everything next time */
	FILE *out;          /* where curses writes: the terminal, but while it draws */
	int tty;            /* the terminal */
	int caught;         /* file that a draw of curses goes to first; -1: it goes to the terminal as it is */
	struct squeeze squeeze;
};

/* Mouse reports and bracketed paste, as far as they can be had and are wanted. */
void term_modes(struct terminal *t, bool on);
int term_esc_delay_ms(void);

/* A stream for curses; NULL with e. `t` has what is behind it, which term_out_close closes. */
FILE *term_out_open(struct terminal *t, struct err *e);
void term_out_close(struct terminal *t);
/* Around a draw of curses: its bytes are caught, and sent without those that nobody needs. */
void term_catch(struct terminal *t);
void term_send(struct terminal *t);
/* Takes back what a draw left set that curses does not know of. */
void term_release(struct terminal *t);

#endif
