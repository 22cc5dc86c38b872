/* The search for a shortest edit script over two sequences of numbers. */
#ifndef TICKMARK_TEXT_MYERS_H
#define TICKMARK_TEXT_MYERS_H

#include "base.h"

struct myers {
	const uint32_t *a, *b;
	uint32_t a_n, b_n;
	uint8_t *a_changed, *b_changed; /* set to 1 where an element has no partner */
	int64_t most;                   /* steps from one split to the next before it is cut short */
	const bool *cancel;             /* NULL */
	bool coarse;                    /* result: it was cut short somewhere */
};
/* False: cancelled; what was not decided yet counts as changed. */
bool myers_run(struct myers *m);

#endif
