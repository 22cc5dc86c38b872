/*
 * inputs: from what was seen opened to the set of inputs, whose bytes the record keeps. Every one of
 * them is hashed again here: what a run read must be what it was offered.
 */
#ifndef TICKMARK_MODEL_INPUTS_H
#define TICKMARK_MODEL_INPUTS_H

#include "halt.h"
#include "offer.h"

struct inputs {
	struct entry *entries; /* owned; sorted by path */
	size_t n, cap;
	struct strv paths;     /* owned texts that entries point at, besides the offer's */
	bool complete;         /* false: all offered files count */
	int64_t unkept;        /* files whose bytes were not kept, the list being incomplete and they too many */
	char *changed;         /* an input that is not what was offered any more; NULL */
	char *absent;          /* repeat: an input whose bytes could not be had; NULL */
};

/* `script` is no input of itself; `missing` (NULL: none) is a path that was tried and not found. When a
 * stop is asked for on the way, the files whose bytes are missing are counted in `halt`. */
bool inputs_find(struct inputs *in, struct store *st, const struct uuid *owner, const struct offer *o,
                 const struct sandbox_result *r, const char *script, const char *missing, struct halt *halt,
                 struct err *e);
/* Whether all bytes that `entries` say are kept are there (by now a prune may have taken some), those that were not
 * put again. */
bool inputs_keep_again(struct inputs *in, struct store *st, const struct uuid *owner, const struct offer *o, struct err *e);
void inputs_free(struct inputs *in);
/* How a file was used; 0: it was not. */
uint8_t inputs_class(const struct sandbox_open *o);

#endif
