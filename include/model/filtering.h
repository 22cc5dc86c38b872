/*
 * model/filtering: which rows of a list count. A filter is words, all of which must fit: bare ones stand
 * in title, detail or reference; `key:value` asks for one thing, alternatives are separated by commas; a
 * ! in front turns a word round. "…" holds what has blanks or a colon of its own.
 *
 *   outcome:error,limit   mark:none (accepted, questioned, rejected, withdrawn, stale)   asker:codex
 *   text:total,sum (as bare, but alternatives)   input:"my file.csv"
 *   age:2d (younger), age:>2d (older)   input:schedule.csv (a part of its path)   verdict:differs
 */
#ifndef TICKMARK_MODEL_FILTERING_H
#define TICKMARK_MODEL_FILTERING_H

#include "model/query.h"

struct list_filter;
/* ERR_INPUT says which word is none, and what there is. NULL also for a text without words (code ERR_NONE). */
struct list_filter *list_filter_new(const char *text, struct err *e);
void list_filter_free(struct list_filter *f); /* NULL is fine */
const char *list_filter_text(const struct list_filter *f);
/* Words about inputs and verdicts read the attempt; what cannot be read does not fit. */
bool list_filter_fits(const struct list_filter *f, struct query *q, const struct row *r);
/* What may stand there instead of the last word, for completion. */
void list_filter_complete(const char *text, struct strv *out);

#endif
