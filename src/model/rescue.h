/*
 * rescue: a record that was moved, replaced or removed while a run wrote to it. The runner's own connection
 * still has it; its name leads to nothing, or to another file.
 */
#ifndef TICKMARK_MODEL_RESCUE_H
#define TICKMARK_MODEL_RESCUE_H

#include "private.h"

/* True: the record is where it was. Else what became of it, as an error for people about the attempt `ref`;
 * where the file has no name any more, all that it held is first saved to record-recovered-TIME.db in the
 * workspace's folder, or in the user's state folder (XDG_STATE_HOME) where that is gone as well. */
bool rescue_record(struct workspace *ws, struct store *st, const char *ref, struct err *e);

#endif
