/*
 * What undoes everything that was done to the terminal, ready at any moment: by a crash handler, by a process
 * that dies of a lack of memory. There is one terminal in a process.
 */
#ifndef TICKMARK_UI_UNDO_H
#define TICKMARK_UI_UNDO_H

#include <stdbool.h>

struct termios;

/* Remembers the line discipline of `in` as it is, and where bytes go. */
void undo_begin(int in, int out);
const struct termios *undo_modes(void); /* as they were found */
/* Adds bytes that undo something; padding ("$<5>") is left out. */
void undo_add(const char *bytes);
/* Whether there is something to undo now. The first time installs the handlers. */
void undo_arm(bool on);
void undo_end(void);

#endif
