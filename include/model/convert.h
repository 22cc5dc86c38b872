/*
 * model/convert: what is in complex files, as JSON lines. A reader is a small program on Python's standard
 * library that runs inside the sandbox with the system's python3 and sees nothing but the one file; its answer
 * is bounded and kept in the workspace's cache by the content and the reader's version. That it was
 * made is an event in the ledger.
 *
 *   xlsx  [sheet] begins a sheet; [sheet, row, column, value, formula]: value and formula text or null;
 *         {"more": "cells"} at the end where some were left out
 *   small an image at most 1600 pixels wide or high and 120 kB, PNG or JPEG, by Pillow where python3 has it; for
 *         assistants, and for no kind of file by itself
 */
#ifndef TICKMARK_MODEL_CONVERT_H
#define TICKMARK_MODEL_CONVERT_H

#include "base.h"

#include <sys/types.h>

struct query;
struct workspace;

/* The reader for a file of this name; NULL: none. */
const char *convert_reader(const char *name);
/* The lines for a content, from the cache, or by a process of its own (so that it may be called from any
 * thread, with the record open). ERR_NOTFOUND in evidence: nothing may be kept there. */
bool convert_lines(struct query *q, const struct digest *content, const char *reader, struct buf *out, struct err *e);
/* The answer that is in the cache; false: there is none. */
bool convert_cached(struct query *q, const struct digest *content, const char *reader, struct buf *out);
bool convert_has(struct query *q, const struct digest *content, const char *reader);
/* Begins to make it, for a front that must not wait; when the process *pid has ended (the caller reaps it), the
 * answer is in the cache or cannot be had. */
bool convert_begin(struct workspace *ws, const struct digest *content, const char *reader, pid_t *pid, struct err *e);
/* Makes the cache's file; in that process: no other threads, no record open. */
bool convert_make(struct workspace *ws, const struct digest *content, const char *reader, struct err *e);

#endif
