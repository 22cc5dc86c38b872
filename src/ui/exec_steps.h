/*
 * The steps of the Execution pane: a window onto the list of all, read from the record page by page by
 * their numbers. It is never counted, and never longer than a thousand steps or so.
 */
#ifndef TICKMARK_UI_EXEC_STEPS_H
#define TICKMARK_UI_EXEC_STEPS_H

#include "model/filtering.h"
#include "model/query.h"
#include "model/review.h"

/* A step (as its last attempt), an attempt or a check. Strings are owned by the list. */
struct exec_item {
	int64_t step, attempt, number, check;
	char ref[REF_TEXT];
	char *title;
	char *asker;
	char *limit;
	char *detail;
	enum outcome state;
	int exit_code, signal;
	int64_t queued_us, wall_us, step_attempts, artifacts;
	enum verdict verdict;
	enum judgement judgement, stale;
	char *reviewer;
};

struct exec_items {
	struct exec_item *v; /* owned */
	size_t n, cap;
};
bool exec_items_add(void *items, const struct row *r); /* for query_log */
void exec_items_clear(struct exec_items *s);           /* `v` stays allocated */
void exec_items_reverse(struct exec_items *s);

struct exec_steps;
struct exec_steps *exec_steps_new(struct query *q);
void exec_steps_free(struct exec_steps *s);
/* News: the next look reads them again. */
void exec_steps_changed(struct exec_steps *s);
/* Steps that do not fit are not in it; the object keeps the filter. NULL: all are. */
void exec_steps_filter(struct exec_steps *s, struct list_filter *f);
const struct list_filter *exec_steps_filter_of(const struct exec_steps *s);
/* Why they could not be read the last time; NULL: they could. */
const char *exec_steps_error(const struct exec_steps *s);

/* NULL: there is none. Valid until the next call. */
const struct exec_item *exec_steps_find(struct exec_steps *s, int64_t step);
/* The step next to this number; false: there is none. */
bool exec_steps_beside(struct exec_steps *s, int64_t step, int dir, int64_t *out);
/* The number of the last; false: there are none. */
bool exec_steps_last(struct exec_steps *s, int64_t *out);

#endif
