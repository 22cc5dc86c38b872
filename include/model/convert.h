/*
 * model/convert: what is in complex files, as JSON lines. A reader is a small program on Python's standard
 * library that runs inside the sandbox with the system's python3 and sees nothing but the one file; its answer
 * is bounded and kept in the workspace's cache by the content and the reader's version. That it was
 * made is an event in the ledger. Outside a workspace, so in evidence, the answer is kept nowhere.
 *
 * Each line is [name], which begins a sheet, slide, page or frame ([name, "hidden"]: one that is not shown), or
 * [name, row, column, value, formula, text], each of the last three a text or null:
 *   xlsx   value as the file has it (a text that looks like a number has a ' before it), formula, and as text the
 *          date that a number is shown as
 *   docx   text of the paragraphs of "document", "header1", "footnotes" …
 *   pptx   of "slide 1", "notes of slide 1" …
 *   pdf    lines of "page 1" …, by pdftotext where it is installed
 *   image  rows of "frame 1" … (JPEG, GIF, BMP, WebP, TIFF) as hexadecimal RGBA, where python3 has Pillow
 *   small  not lines: an image at most 1600 pixels wide or high and 120 kB, PNG or JPEG, where python3 has Pillow; for
 *          assistants, and for no kind of file by itself
 * {"more": …} stands at the end where something was left out.
 */
#ifndef TICKMARK_MODEL_CONVERT_H
#define TICKMARK_MODEL_CONVERT_H

#include "base.h"

#include <sys/types.h>

struct query;
struct span; /* text.h */
struct workspace;

/* The reader for a file of this name that begins so; NULL: none. */
const char *convert_reader(const char *name, struct span bytes);
/* The lines for `bytes`, whose hash is `content`: from the cache, or by a process of its own (so that it may be
 * called from any thread, with the record open). ws NULL: outside of any, by a full sandbox, and kept nowhere.
 * ERR_CORRUPT says why the reader could not. `cancel` (NULL: never) is looked at now and then. */
bool convert_lines(struct workspace *ws, const struct digest *content, struct span bytes, const char *reader, const bool *cancel,
                   struct buf *out, struct err *e);
/* The answer that is in the cache; false: there is none. */
bool convert_cached(struct query *q, const struct digest *content, const char *reader, struct buf *out);
/* Begins to make it, for a front that must not wait; when the process *pid has ended (the caller reaps it), the
 * answer is in the cache or cannot be had. */
bool convert_begin(struct workspace *ws, const struct digest *content, struct span bytes, const char *reader, pid_t *pid,
                   struct err *e);
/* Reads the content from the record, or from `fd` where it is not kept, and makes the cache's file (ws NULL: writes the
 * answer to stdout); in that process: no other threads, no record open. */
bool convert_make(struct workspace *ws, const struct digest *content, const char *reader, int fd, struct err *e);
/* Removes all that is kept: something of it may have been pruned. */
void convert_forget(struct workspace *ws);

#endif
