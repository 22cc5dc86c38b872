/*
 * The sections of an attempt: code, inputs, streams, files and the rest. Each is a source of bytes
 * with what is needed to show it as rows; small ones are texts that are written here.
 */
#ifndef TICKMARK_UI_SECTION_H
#define TICKMARK_UI_SECTION_H

#include "model/query.h"
#include "model/source.h"
#include "text/pylex.h"
/* query.h has a struct row of its own */
#include "text/rows.h"

enum section_kind {
	SECTION_NONE, /* the attempt itself */
	SECTION_ASKED, /* who asked for it, and what for; where that is more than a person's run */
	SECTION_CODE,
	SECTION_FILTERS, /* lines of the code that decide which data count */
	SECTION_INPUTS,
	SECTION_OUTPUT, /* both streams in order of arrival */
	SECTION_STDOUT,
	SECTION_STDERR,
	SECTION_FILES,
	SECTION_REFUSALS,
	SECTION_REVIEW, /* marks and notes */
	SECTION_ENVIRONMENT,
	SECTION_POLICY,
	SECTION_RESOURCES,
	SECTION_MESSAGES, /* that cite it */
	SECTION_COUNT,
};
const char *section_word(enum section_kind k); /* "stdout" */
/* Which of them an attempt has, in order of showing; returns how many. `filters`: its code has some. */
size_t section_list(const struct detail *d, bool filters, enum section_kind out[SECTION_COUNT]);
/* The line of code that a row of the section filters is about; 0: none. */
int64_t section_filter_line(const char *row, size_t n);
/* "14 lines", "empty", "layers.xlsx 6.1K": what stands beside its name. */
void section_summary(const struct detail *d, enum section_kind k, struct buf *out);
bool section_is_code(enum section_kind k);
bool section_is_stream(enum section_kind k);

/* How "changed since" is answered: query and workspace, or NULL where nobody can tell. */
struct section_context {
	struct source_record *record;
	struct query *query;
	struct workspace *ws; /* NULL: evidence */
};

/* Something open for showing. */
struct text_view {
	struct source *source;
	struct window *window;
	struct lines *lines;    /* index; fed by text_feed */
	struct rows rows;
	bool whole;             /* cannot grow */
	int64_t size;
};
/* Opens the section; false: e says why (bytes not kept …). */
bool section_open(const struct section_context *c, const struct detail *d, enum section_kind k, struct text_view *out,
                  struct err *e);
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
