/* Between review_queue.c, which orders the queue, and risks.c, which says why a step should be looked at. */
#ifndef TICKMARK_MODEL_RISKS_H
#define TICKMARK_MODEL_RISKS_H

#include "reviewing.h"

/* Looks at attempts one after the other; what several of them share (code, sets of files) is looked at once. */
struct risks;
struct risks *risks_new(struct query *q, struct workspace *ws, struct err *e); /* NULL on failure */
void risks_free(struct risks *k);
/* The one reason that a list tells without a look: it failed. */
void risks_of_row(const struct row *r, struct queue_entry *en);
/* Adds all others to the reason. */
bool risks_look(struct risks *k, struct queue_entry *en, struct err *e);

#endif
