/*
 * What every match of an expression holds: runs of plain bytes, so that lines without them need no look by
 * PCRE2. Only what is certain: an expression that this cannot read gives none.
 */
#ifndef TICKMARK_TEXT_REQUIRED_H
#define TICKMARK_TEXT_REQUIRED_H

#include "base.h"

struct run { size_t at, n; }; /* bytes of `text` */

/* Runs of a valid PCRE2 expression, at most `max` of them; their bytes go to `text`, which has room for n.
 * `any_case`: letters do not count, as each has several forms. */
size_t required_runs(const char *p, size_t n, bool any_case, char *text, struct run *runs, size_t max);

#endif
