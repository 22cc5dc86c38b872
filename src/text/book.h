/* The JSON lines of a reader (model/convert.h): sheets, pages or frames, and what stands in each. */
#ifndef TICKMARK_TEXT_BOOK_H
#define TICKMARK_TEXT_BOOK_H

#include "text.h"

#define BOOK_SHEETS 20000

struct book_cell {
	uint32_t sheet, row, col;
	const char *value, *formula, *text; /* into the parsed line; NULL */
};
struct book {
	struct strv sheets, hidden;  /* names; those of sheets that are not shown */
	struct json_value **lines;   /* owned: cells point into them */
	size_t lines_n, lines_cap;
	struct book_cell *cells;     /* as they came */
	size_t n, cap;
	bool cut;                    /* the reader left something out */
};
/* ERR_CORRUPT: a line is none of a reader's. */
bool book_read(struct span s, struct book *b, struct err *e);
void book_free(struct book *b);
/* Pages as one text: "[page 2]" before what stands on it. */
void book_text(const struct book *b, struct buf *out);
/* One of them; *at goes along the cells. */
void book_page(const struct book *b, uint32_t sheet, size_t *at, struct buf *out);
uint32_t book_sheet(const struct book *b, const char *name); /* UINT32_MAX: there is none */

/* Lines one by one, each gone behind its call, for what is too large to be kept. */
bool book_each_line(struct span s, bool (*fn)(void *ctx, const struct json_value *line, struct err *e), void *ctx, struct err *e);

#endif
