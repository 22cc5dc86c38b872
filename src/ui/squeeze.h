/*
 * Between curses and the terminal: what curses sends because it cannot know better is left out.
 *
 * To scroll a part of the screen curses sets the scrolling margins, scrolls and takes them back, each time. Here
 * they stay until something comes that they would change the effect of: going from line to line then costs what
 * it costs a program that has the whole screen. Attributes that are off are not put off again.
 */
#ifndef TICKMARK_UI_SQUEEZE_H
#define TICKMARK_UI_SQUEEZE_H

#include "base.h"

struct margins {
	int top, bottom; /* rows from 1; 0: not known */
};

struct squeeze {
	int rows;              /* of the screen */
	struct margins asked;  /* what curses believes */
	struct margins real;   /* what the terminal has */
	bool plain;            /* no attribute is on */
	bool ascii;            /* the character set is ASCII */
};

#define SQUEEZE_UNDO "\x1b" "7\x1b[r\x1b" "8" /* no margins; the cursor stays */

/* Nothing is known of the terminal, which has so many rows: what comes first sets everything. */
void squeeze_forget(struct squeeze *s, int rows);
/* Adds to `out` what the terminal needs for the same effect as these bytes, one draw of curses. The terminal
 * is one that takes the sequences of ECMA-48, saves its cursor by ESC 7, and wraps only behind its last column. */
void squeeze_add(struct squeeze *s, const char *p, size_t n, struct buf *out);
/* Adds what takes the margins back, if they are not the whole screen. */
void squeeze_release(struct squeeze *s, struct buf *out);

#endif
