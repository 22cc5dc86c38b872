/*
 * model/loads: processor and memory of attempts while they run, of this process and of others. Looked up by
 * who shows it, once a second or so; the record itself keeps time and peak at the end only.
 */
#ifndef TICKMARK_MODEL_LOADS_H
#define TICKMARK_MODEL_LOADS_H

#include "model.h"

struct load {
	int64_t attempt;   /* id */
	int64_t cpu_us;    /* processor time so far */
	int64_t percent;   /* of one processor, since the look before; -1: not known yet */
	int64_t memory;    /* bytes now */
	int64_t threads;   /* of all its processes, now */
};

struct loads;
struct loads *loads_new(struct workspace *ws);
void loads_free(struct loads *l); /* NULL is fine */
/* Looks at everything that runs in the workspace on this machine. What cannot be told is left out. */
void loads_look(struct loads *l);
/* As of the last look. NULL: nothing is known of it, or there are not so many. */
const struct load *loads_find(const struct loads *l, int64_t attempt);
const struct load *loads_at(const struct loads *l, size_t i);

#endif
