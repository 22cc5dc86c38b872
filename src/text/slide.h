/* Hunks where a reader would put them, and blocks that moved. */
#ifndef TICKMARK_TEXT_SLIDE_H
#define TICKMARK_TEXT_SLIDE_H

#include "intern.h"

/* A block that was only added or only removed can often stand a few lines higher or lower with the same
 * meaning: it is put where it begins and ends at blank lines or little indentation. */
void slide_hunks(struct diff *d, const struct interned *t);
/* Runs of three or more removed lines that stand elsewhere as added ones, and nowhere else. */
void slide_find_moves(struct diff *d, const struct interned *t);

#endif
