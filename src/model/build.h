/*
 * From the stack that is there to one that shows another set: nothing to do, one more layer, the small
 * layers folded into one, or one new layer for all.
 */
#ifndef TICKMARK_MODEL_BUILD_H
#define TICKMARK_MODEL_BUILD_H

#include "layer.h"

/* Writes the content of want[i] into `fd`; also where it is taken from when the layers do not have it. */
typedef bool (*build_bytes_fn)(void *ctx, size_t i, int fd, struct err *e);

struct build {
	struct workspace *ws;
	const struct view *have;     /* what is there; without one of its layers it counts as nothing */
	const struct entry *want;    /* sorted by path */
	size_t want_n;
	bool *staged;                /* want[i] is in `layer` already; cleared where it is taken out; NULL: none */
	struct layer *layer;         /* begun, or NULL; belongs to the caller, who frees it */
	build_bytes_fn bytes;
	void *ctx;
	/* results */
	struct view_stack stack;
	uint8_t *layer_of;           /* owned by the caller */
};

/* Publishes at most one layer. Under the index lock. */
bool build_stack(struct build *b, struct err *e);

#endif
