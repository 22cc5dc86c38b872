/*
 * Taking attached files in: their bytes are copied into a layer and hashed there, so that what is
 * recorded is what the run sees, whatever happens to the file meanwhile.
 */
#ifndef TICKMARK_MODEL_INGEST_H
#define TICKMARK_MODEL_INGEST_H

#include "layer.h"
#include "scan.h"

/* Fills st and sha256 of the files `list` of the scan. Without a layer they are only hashed. A file that
 * is gone meanwhile gets a zero stat. ERR_BUSY: a file never held still. */
bool ingest_files(struct workspace *ws, struct scan *s, const uint32_t *list, size_t n, struct layer *layer, struct err *e);
/* Copies one file into `out` if its content has the hash `want`; false without a message when not. */
bool ingest_matching(struct workspace *ws, const struct scan *s, const struct scan_file *f, const struct digest *want, int out);

#endif
