/* evidence: reading a file without leaving a trace beside it. */
#ifndef TICKMARK_STORE_EVIDENCE_H
#define TICKMARK_STORE_EVIDENCE_H

#include "db.h"

/* Connects st (path and mode are set) so that nothing is written beside the file and nothing in it
 * is run: no triggers, no views, no memory map. A file with a journal that has content is copied into
 * a private folder, which is gone again when this returns. */
bool evidence_connect(struct store *st, struct err *e);
/* The name of a file for SQLite that is read as if nobody wrote it, without its journals. Owned by the caller. */
char *evidence_uri_dup(const char *path);
/* Whether the "-wal" or "-journal" beside that name holds anything. */
bool evidence_side_has(const char *path, const char *suffix);

#endif
