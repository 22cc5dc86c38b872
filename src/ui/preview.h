/* The beginning of a file as a text that can be read: a table by columns, text as it is, of an office file, PDF or image
 * what is known of it without waiting for a reader, all else as hex. */
#ifndef TICKMARK_UI_PREVIEW_H
#define TICKMARK_UI_PREVIEW_H

#include "model/query.h"

/* Adds it to `out`; reads the beginning of the content only. False: the bytes are not kept. */
bool preview_make(struct query *q, const char *path, const struct digest *sha256, struct buf *out, struct err *e);

#endif
