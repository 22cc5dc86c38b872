/* Makers of rows, one for each type of content. */
#ifndef TICKMARK_TEXT_ROWMAKE_H
#define TICKMARK_TEXT_ROWMAKE_H

#include "text/diffrows.h"

/* False with ERR_INPUT, ERR_CORRUPT or ERR_LIMIT and nothing added: a side is none of that type. */
bool rowmake_table(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e);
bool rowmake_json(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e);
bool rowmake_zip(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e);
bool rowmake_image(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e);
bool rowmake_text(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e);
bool rowmake_bytes(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e);
/* The same from the lines of readers (model/convert.h), of files whose bytes differ. */
bool rowmake_book(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e);
bool rowmake_pages(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e);
bool rowmake_frames(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e);
/* No more rows fit; said once. */
bool rowmake_is_full(struct diffrows *r, const struct diffrows_options *o);
/* Asked to stop: ERR_CANCELLED. */
bool rowmake_is_cancelled(const struct diffrows_options *o, struct err *e);
/* Of the row said last; `text` is owned by the rows from now on. */
void rowmake_place(struct diffrows *r, char *text);
/* Adds bytes as one line of at most 200. */
void rowmake_short(struct buf *out, const char *p, size_t n);

#endif
