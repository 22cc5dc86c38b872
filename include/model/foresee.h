/* model/foresee: what a repeat would lack, before it runs: interpreters that are not here and what would take
 * their place, inputs whose bytes were not kept. */
#ifndef TICKMARK_MODEL_FORESEE_H
#define TICKMARK_MODEL_FORESEE_H

#include "record.h"
struct query;
struct workspace;

enum foreseen_kind {
	FORESEEN_SUBSTITUTE, /* another interpreter, or other packages */
	FORESEEN_NO_PYTHON,  /* none can be used */
	FORESEEN_NO_INPUT,   /* bytes not kept */
};
struct foreseen {
	enum foreseen_kind kind;
	const char *what;     /* recorded interpreter, or path of the input */
	const char *instead;  /* "Python 3.12.3 for 3.11.2; …", or why not; NULL */
	int64_t attempts;     /* how many it concerns */
	const char *first;    /* reference of the first of them */
};
/* Each finding once, over all the attempts. `python`: what would be asked for; NULL. */
bool foresee(struct workspace *ws, struct query *q, const int64_t *attempts, size_t n, const char *python,
             void (*fn)(void *ctx, const struct foreseen *f), void *ctx, struct err *e);

#endif
