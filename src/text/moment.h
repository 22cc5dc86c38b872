/* Dates, clocks and durations as programs print them. */
#ifndef TICKMARK_TEXT_MOMENT_H
#define TICKMARK_TEXT_MOMENT_H

#include "text.h"

/* Whether a printed moment may have been the time of day between the two (UTC microseconds), in some time
 * zone: zones differ by quarters of an hour, so the rest within one tells. Exact to what was printed. */
bool moment_lies_in(struct span s, int64_t from_us, int64_t to_us);
/* Whether two moments lie in their runs as clocks of one zone show them, summer time apart. */
bool moment_same_zone(struct span a, int64_t a_from_us, int64_t a_to_us, struct span b, int64_t b_from_us, int64_t b_to_us);
/* "0.41 s", "12ms"; -1: none. */
int64_t moment_duration_us(struct span s);

#endif
