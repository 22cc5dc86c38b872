/*
 * model/dependents: what follows when an attempt runs again on the files of now: which of its inputs are
 * others today, and which later steps read what its step made, directly or through each other.
 */
#ifndef TICKMARK_MODEL_DEPENDENTS_H
#define TICKMARK_MODEL_DEPENDENTS_H

#include "record.h"
struct query;
struct workspace;

enum input_now { INPUT_NOW_CHANGED, INPUT_NOW_MISSING, INPUT_NOW_NEW, INPUT_NOW_UNKNOWN, INPUT_NOW_OWN };
const char *input_now_word(enum input_now n); /* "changed since" */
/* Inputs that are not as the attempt saw them, by path: others, gone, or there now where it looked in vain.
 * *all: how many it opened. */
bool dependents_inputs(struct query *q, struct workspace *ws, int64_t attempt,
                       void (*fn)(void *ctx, const struct entry *input, enum input_now now), void *ctx, size_t *all, struct err *e);

struct dependent {
	int64_t attempt;       /* last attempt of the step */
	int64_t step;
	const char *ref;       /* "5.1" */
	const char *title;
	const char *path;      /* first file that it read of … */
	int64_t from;          /* … this step */
	const char *doubt;     /* dependents_doubts of it, and whether it is in a circle; NULL: none */
};
/* Steps that follow, each behind those that it reads of (a step that was run again may read of a later one). `steps`, n:
 * those that will run (or have changed); a circle begins with one of them. */
bool dependents_each(struct query *q, const int64_t *steps, size_t n, void (*fn)(void *ctx, const struct dependent *d), void *ctx,
                     struct err *e);
/* What there is to be said against the files that an attempt read of others: "sum.txt of 1.1, rejected, replaced by
 * 1.2; rates.csv of 2.1, questioned" (escaped, owned); NULL with ERR_NONE in e: nothing. */
char *dependents_doubts(struct query *q, int64_t attempt, struct err *e);
/* Puts last attempts of steps in the order in which they read of each other. */
bool dependents_order(struct query *q, int64_t *attempts, size_t n, struct err *e);
/* Steps whose last attempt read a file that is another one now, and not by its own doing: their last attempts, in order (owned). */
int64_t *dependents_changed(struct query *q, struct workspace *ws, size_t *n, struct err *e);

#endif
