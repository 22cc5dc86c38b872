/* The sections that are written as texts (section_text.c, section_review.c, section_filters.c), and what their
 * writers and the summaries of section.c share. */
#ifndef TICKMARK_UI_SECTION_TEXT_H
#define TICKMARK_UI_SECTION_TEXT_H

#include "section.h"
#include "text/pyfilter.h"

/* False: this section is bytes of the record. */
bool section_write(const struct section_context *c, const struct detail *d, enum section_kind k, struct buf *out);
void section_add_size(struct buf *out, int64_t bytes);
void section_add_name(struct buf *out, const char *name); /* as one word */
/* "processor 3.2s, 97 % now, memory 812M, 3 threads"; l NULL: nothing is known. */
void section_sum_load(const struct load *l, struct buf *out);
void section_sum_asked(const struct detail *d, struct buf *out);
void section_sum_review(const struct detail *d, struct buf *out);
void section_write_review(const struct section_context *c, const struct detail *d, struct buf *out);
/* Marks of the record as a whole; the last one counts, and is stale or not. */
bool section_write_opinions(struct query *q, bool stale, struct buf *out, struct err *e);
/* Where the code of an attempt filters (its first MiB); both zero before, freed by the caller. */
void section_find_filters(struct query *q, int64_t attempt, struct buf *code, struct py_filters *out);
void section_write_filters(const struct section_context *c, const struct detail *d, struct buf *out);

#endif
