/*
 * text/number: whether two texts are the same number written otherwise. Exact is the rule; what this
 * folds is counted by who asks. Identifiers are no numbers: 007 is not 7, and whole numbers are equal
 * in all their digits or not at all.
 */
#ifndef TICKMARK_TEXT_NUMBER_H
#define TICKMARK_TEXT_NUMBER_H

#include "text.h"

enum number_fold {
	NUMBER_DIFFERS,
	NUMBER_NOTATION, /* the same value: 1 and 1.0, 0.0001 and 1E-4, -0.0 and 0.0, nan and NaN */
	NUMBER_DIGITS,   /* the same to 15 significant digits, and written with more by at least one, with
	                  * more than four decimals by at least one (an amount in money has its last digit for a reason) */
};
/* For texts that differ in bytes. */
enum number_fold number_fold(struct span a, struct span b);
/* A number as programs print it: sign, digits, point, exponent; nan, inf. No identifier (007). */
bool number_is(struct span s);
/* Bytes of the number that begins at p; 0: none does. */
size_t number_length(const char *p, size_t n);

#endif
