/*
 * store/glance: what somebody who looks at very many attempts asks of each, at the cost of one look-up. No
 * stream and no content is read for it.
 */
#ifndef TICKMARK_STORE_GLANCE_H
#define TICKMARK_STORE_GLANCE_H

#include "store.h"

struct glance {
	bool has_purpose;         /* its own or its step's */
	int64_t code_row;         /* names the content without its hash */
	struct digest code;       /* zero: not kept */
	int64_t offered, inputs, artifacts; /* sets of files; 0: none */
	int64_t refused;          /* calls that were denied, harmless ones apart */
	const char *call, *argument; /* of the first of them; NULL */
	int64_t check;            /* newest check with a verdict; 0: none */
	enum verdict verdict;
};
/* Calls `fn` once; strings live until it returns. ERR_NOTFOUND where there is no such attempt. */
bool store_glance(struct store *st, int64_t attempt, void (*fn)(void *ctx, const struct glance *g), void *ctx, struct err *e);

#endif
