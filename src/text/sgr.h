/* sgr: SGR sequences as styles, and styles made readable. */
#ifndef TICKMARK_TEXT_SGR_H
#define TICKMARK_TEXT_SGR_H

#include "text/ansi.h"

#define SGR_MAX 64 /* most bytes of a sequence that is understood */

/* Length of the SGR sequence that p begins with (ESC), applied to *s; 0 when it is none, or holds a
 * parameter that is not understood. */
size_t sgr_parse(const char *p, size_t n, struct style *s);
/* Whether p, which is at its end, could become a sequence with more bytes. */
bool sgr_is_partial(const char *p, size_t n);
/* What is shown for it: text and background differ, and neither black nor white is text on the
 * terminal's own background, which may be either. */
struct style sgr_readable(struct style s);

#endif
