/* What the first row of a table is. */
#ifndef TICKMARK_TEXT_TABLE_HEAD_H
#define TICKMARK_TEXT_TABLE_HEAD_H

#include "text/table.h"

/* Of a table whose rows are cut (t->rows counts all of them): finds whether every row ends in a delimiter, which makes
 * no column, and whether the first row names the columns, which then is none of the rows. */
void table_head(struct table *t);

#endif
