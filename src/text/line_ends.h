/* Counting the ends of lines at memory speed; lines_breaks of text/lines.h counts LFs alone. */
#ifndef TICKMARK_TEXT_LINE_ENDS_H
#define TICKMARK_TEXT_LINE_ENDS_H

#include "base.h"

struct line_ends {
	int64_t breaks; /* LFs */
	int64_t states; /* CRs that end a state: none before is CR or LF, or nothing */
};
/* `before` is the byte in front of p; LF at the beginning. */
struct line_ends line_ends_count(const uint8_t *p, size_t n, uint8_t before);

#endif
