/* Keys of tables: finding one, and matching rows by it. */
#ifndef TICKMARK_TEXT_TABLE_KEY_H
#define TICKMARK_TEXT_TABLE_KEY_H

#include "text/table.h"

/* Finds a key among the columns that both have: the first that is unique and filled on both sides, else
 * two together, else one that is so on one side. False: none is. */
bool table_key_find(const struct table *a, const struct table *b, struct table_diff *d);
/* Pairs of rows with the same key in order of the left table (owned); rows without a partner, with a
 * doubled and with an empty key go into d. */
struct table_pair *table_key_match(const struct table *a, const struct table *b, struct table_diff *d, uint32_t *n);
/* Equal in value, quotes apart (table_diff.c). */
bool table_same_value(struct span a, struct span b);

/* Fills in near_keys of what has its removed and added rows. */
void table_key_near(const struct table *a, const struct table *b, struct table_diff *d);

#endif
