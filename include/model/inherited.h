/* model/inherited: what runs left, as the next run will find it (by the same rule: the newest that was ok and that
 * nobody rejected, unless the person's file of that name changed since). */
#ifndef TICKMARK_MODEL_INHERITED_H
#define TICKMARK_MODEL_INHERITED_H

#include "record.h"
struct query;
struct workspace;

struct inherited {
	const char *path;
	int64_t size;
	int64_t attempt;      /* that left it */
	bool doubtful;        /* a large file of the folder has its name and was not compared */
};
/* In order of path; fn returns false to stop. */
bool inherited_each(struct query *q, struct workspace *ws, bool (*fn)(void *ctx, const struct inherited *f), void *ctx,
                    struct err *e);

#endif
