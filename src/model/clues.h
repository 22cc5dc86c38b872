/* clues: what the end of stderr says about why a run failed. */
#ifndef TICKMARK_MODEL_CLUES_H
#define TICKMARK_MODEL_CLUES_H

#include "offer.h"
#include "text.h"

struct clues {
	struct trace trace;    /* the last exception; spans point into the tail */
	struct span last_line; /* that is not empty */
	char *missing;         /* owned: path in the folder that was tried and not found; NULL */
	bool module_is_ours;   /* the module that was not found has a file in the offered set */
};

void clues_find(const char *tail, size_t n, const struct attempt *a, const struct offer *o, struct clues *out);
void clues_free(struct clues *c);

#endif
