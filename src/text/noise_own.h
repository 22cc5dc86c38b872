/* The user's own rule: what it may not be, and which figures it took. */
#ifndef TICKMARK_TEXT_NOISE_OWN_H
#define TICKMARK_TEXT_NOISE_OWN_H

#include "text/noise.h"

/* Whether two pieces that an own rule masked differ in a figure: a number that stands by itself, no part of a word.
 * `first` gets the first that differs on each side, cut to fit. */
bool noise_own_figures(struct span a, struct span b, char first[2][NOISE_FIGURE]);

#endif
