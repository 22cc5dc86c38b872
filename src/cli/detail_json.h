/* The sections of the document of an attempt, as members of the object that is open. */
#ifndef TICKMARK_CLI_DETAIL_JSON_H
#define TICKMARK_CLI_DETAIL_JSON_H

#include "cmd.h"
#include "model/review.h"

/* Bytes that may be no text; NULL: null. */
/* At most `budget` bytes of each. */
bool detail_put_code(struct json_writer *w, struct query *q, const struct detail *d, int64_t budget, struct err *e);
bool detail_put_stream(struct json_writer *w, struct query *q, const struct detail *d, enum stream_id id, int64_t budget,
                       struct err *e);
void detail_put_review(struct json_writer *w, const struct detail *d);

#endif
