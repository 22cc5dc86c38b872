/* The sections that a review adds (marks and notes, filters), for section.c. */
#ifndef TICKMARK_UI_SECTION_REVIEW_H
#define TICKMARK_UI_SECTION_REVIEW_H

#include "section.h"

void section_sum_review(const struct detail *d, struct buf *out);
void section_write_review(const struct section_context *c, const struct detail *d, struct buf *out);
void section_write_filters(const struct section_context *c, const struct detail *d, struct buf *out);

#endif
