/* From a line of a traceback to the line of the code that it names. */
#ifndef TICKMARK_UI_TRACEBACK_H
#define TICKMARK_UI_TRACEBACK_H

#include "section.h"

/* The line of the attempt's own script that this line of output names (`File "…", line N`); 0: none. */
int64_t traceback_line(const struct detail *d, const char *p, size_t n);
/* The last one that its stderr names; 0: none. Reads the end of it only. */
int64_t traceback_last(struct source_record *r, const struct detail *d);

#endif
