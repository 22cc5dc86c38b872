/*
 * The sections of an attempt: code, inputs, streams, files and the rest. Each is a text that can be opened
 * (textview.h); those that are no bytes of the record are written by section_text.c.
 */
#ifndef TICKMARK_UI_SECTION_H
#define TICKMARK_UI_SECTION_H

#include "model/loads.h"
#include "model/query.h"
#include "since.h"
#include "textview.h"

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
bool section_is_code(enum section_kind k);
bool section_is_stream(enum section_kind k);

/* What they are made from; workspace and loads are NULL where nobody can tell how things are now. */
struct section_context {
	struct source_record *record;
	struct query *query;
	struct workspace *ws;      /* NULL: evidence */
	const struct loads *loads; /* of what runs; NULL */
	struct since_book *since;  /* NULL with ws */
};

/* "14 lines", "empty", "layers.xlsx 6.1K": what stands beside its name. */
void section_summary(const struct section_context *c, const struct detail *d, enum section_kind k, struct buf *out);
/* Opens the section; false: e says why (bytes not kept …). */
bool section_open(const struct section_context *c, const struct detail *d, enum section_kind k, struct text_view *out,
                  struct err *e);

#endif
