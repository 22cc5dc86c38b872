/*
 * What comes back at the next visit: which rows are unfolded, where the cursor was, the filter. Kept in the
 * workspace's cache, which may be deleted at any time; evidence keeps nothing. Lines of a word and what
 * belongs to it; what is none is passed over.
 */
#ifndef TICKMARK_UI_VISIT_H
#define TICKMARK_UI_VISIT_H

#include "screen.h"

void visit_save(struct ui *ui);
void visit_restore(struct ui *ui);

#endif
