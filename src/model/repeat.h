/* repeat: what makes a check of a run: the recorded interpreter or a substitute, and the verdict. */
#ifndef TICKMARK_MODEL_REPEAT_H
#define TICKMARK_MODEL_REPEAT_H

#include "private.h"

/* The recorded interpreter, or by rule the best substitute: the same version elsewhere, the same
 * minor version, then whatever a new attempt would get. For a check also the recorded zone, where this
 * machine knows it, and the differences that are left, in `qualified`; NULL: it is no check. */
bool repeat_python(struct workspace *ws, const struct environment *recorded, const char *wanted,
                   struct interpreter *out, struct buf *qualified, struct err *e);
/* "Python 3.12.3 for 3.11.2", "pandas 2.1.0 for 1.5.3" …, each with "; " before it but the first. */
void repeat_qualify(struct buf *out, const struct environment *recorded, const struct environment *now);
void repeat_qualify_add(struct buf *out, const char *text);

struct comparison {
	const struct attempt_full *original;
	int64_t attempt;                 /* the check's id: its chunks are in the record */
	const struct attempt_end *end;   /* of the check, all but verdict */
	const struct entry *artifacts;   /* of the check, sorted by path */
	size_t artifacts_n;
	const char *absent;              /* an input whose bytes were not kept; NULL */
	const char *noise;               /* the workspace's own expression of noise; NULL */
	const char *vary;                /* what the check varies; NULL */
	struct cancel cancel;            /* asked while artifacts are read for noise */
};
/* By bytes; what differs is noise where the rules of text/noise.h say so. *first_at is owned: NULL when
 * same, else where it differs first, noise apart, or which noise was folded and how often. False when the
 * record could not be read, or it was broken off. */
bool repeat_compare(struct store *st, const struct comparison *c, enum verdict *verdict, char **first_at, struct err *e);

#endif
