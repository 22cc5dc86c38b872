/*
 * seam: does the WAL beside a record continue it? SQLite takes in any sound WAL of that name, also that of another
 * record. The ledger only grows, so its newest entry in the file alone stands, unchanged, also in file and WAL.
 */
#ifndef TICKMARK_STORE_SEAM_H
#define TICKMARK_STORE_SEAM_H

#include "db.h"

/* False (ERR_CORRUPT) where the WAL is another record's. st is connected; nothing is written. */
bool seam_fits(struct store *st, struct err *e);
bool seam_refuse(const struct store *st, struct err *e); /* says that it does not: false, ERR_CORRUPT */
/* After the first reading of st failed: that the record is damaged (ERR_CORRUPT) becomes that its WAL does not fit, where
 * without it there is no damage. Always false. */
bool seam_explain(const struct store *st, struct err *e);

#endif
