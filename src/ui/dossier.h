/*
 * What the files of the dossier share: dossier.c makes its parts, dossier_rows.c their rows, view_dossier.c shows
 * them.
 *
 * A part is a heading and the rows of one section, file or text of ours, opened when the screen comes to
 * it and never longer than a few hundred rows: the rest is a key away. A row's key is { part, row }, row 0
 * the heading.
 */
#ifndef TICKMARK_UI_DOSSIER_H
#define TICKMARK_UI_DOSSIER_H

#include "listbox.h"
#include "section.h"

struct part {
	char *title;            /* owned; "" for the first, which needs none */
	char *summary;          /* owned; beside the title */
	enum section_kind kind; /* SECTION_NONE: a file or a text */
	char *path;             /* owned: of an artifact; NULL */
	struct digest sha256;
	char *words;            /* owned: text of ours; NULL */
	size_t head, tail;      /* most rows of its beginning, and of its end behind a gap */
	bool tried, open;
	char note[1024];        /* why it could not be opened */
	struct text_view text;
	struct py_cache py;
	struct text_row *rows;  /* owned; of `gap` only that it is one is known */
	size_t n;
	size_t gap;             /* index of the row that stands for what is left out; SIZE_MAX: none */
};

struct dossier {
	struct section_context context;
	struct detail detail;
	bool good;              /* detail is there */
	struct part *parts;
	size_t parts_n, parts_cap;
	int cols;               /* cells of a row */
};

#define DOSSIER_INDENT 2
#define DOSSIER_NUMBERS 5   /* cells of line numbers in code */

void dossier_close_rows(struct part *p);
bool dossier_load(struct dossier *d, int64_t attempt, struct err *e);
void dossier_clear(struct dossier *d);
/* Rows for this width; those made before are made again when they are asked for. The keys, which were rows
 * before, become those with the same bytes. True: there were others. */
bool dossier_fit(struct dossier *d, int cols, struct list_key *const keys[], size_t n);
/* The part, opened. */
struct part *dossier_part(struct dossier *d, size_t i);
bool dossier_is_gap(const struct part *p, int64_t row);
/* The row with this line of the part (from 1); 0: it has none, or not among those shown. */
int64_t dossier_row_of_line(struct dossier *d, size_t part, int64_t line);
/* Number of the row's line, from 1; 0 unknown. */
int64_t dossier_line_of_row(struct part *p, int64_t row);
/* NULL: a heading, a gap, or what stands for a part that could not be opened. */
struct text_row *dossier_row(struct part *p, int64_t row);
/* Bytes of the row's text; NULL: none. Valid until the next look at the part. */
const char *dossier_bytes(struct part *p, int64_t row, size_t *n);
/* The same of the row's whole line, as far as it can be had at once; *start is where it begins. */
const char *dossier_line(struct part *p, int64_t row, int64_t *start, size_t *n);
extern const struct list_ops dossier_ops; /* ctx: the dossier */

#endif
