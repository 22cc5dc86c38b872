/* What reviewing.c reads for query.c. */
#ifndef TICKMARK_MODEL_REVIEWING_H
#define TICKMARK_MODEL_REVIEWING_H

#include "model/review.h"
#include "query_private.h"

/* Marks and notes of an attempt, with the strings they point at. */
struct review_said {
	struct review_mark *marks;
	size_t marks_n, marks_cap;
	struct review_note *notes;
	size_t notes_n, notes_cap;
	struct strv texts;
};
bool review_read(struct store *st, int64_t attempt, struct review_said *out, struct err *e);
void review_said_free(struct review_said *s);

#endif
