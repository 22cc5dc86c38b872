/* A text open for showing as rows: where its bytes come from, and what is kept about them. */
#ifndef TICKMARK_UI_TEXTVIEW_H
#define TICKMARK_UI_TEXTVIEW_H

#include "model/source.h"
#include "text/pylex.h"
#include "text/rows.h"

struct text_view {
	struct source *source;
	struct window *window;
	struct lines *lines;    /* index; fed by text_feed */
	struct rows rows;
	bool whole;             /* cannot grow */
	int64_t size;
};
bool text_open(struct source_record *r, const struct source_spec *spec, struct text_view *out, struct err *e);
void text_close(struct text_view *t);
/* Looks whether it grew. */
bool text_update(struct text_view *t, bool *changed, struct err *e);
/* Feeds the index with up to `budget` bytes; true when it has all there is. */
bool text_feed(struct text_view *t, int64_t budget);
/* The states of a Python text at the begin of each line, as far as `line`; kept by the caller. */
struct py_cache {
	struct py_state *states; /* of line 0, PY_STRIDE, 2 * PY_STRIDE … */
	size_t n, cap;
};
#define PY_STRIDE 64
void py_cache_free(struct py_cache *c);
/* The state at the begin of line number `line`, from the bytes of the text. */
struct py_state py_cache_state(struct py_cache *c, struct text_view *t, int64_t line);

#endif
