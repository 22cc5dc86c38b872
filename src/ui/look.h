/*
 * Ways of looking at a file of the record, or of the folder as it is now: as a table, as text, as hex; what a
 * reader makes of office files, PDF and images (converted.h). The first bytes choose; Tab goes on. Content up to
 * LOOK_MAX is taken into memory for it; longer files show so much of them, and say so.
 */
#ifndef TICKMARK_UI_LOOK_H
#define TICKMARK_UI_LOOK_H

#include "pane.h"
#include "text/encoding.h"
#include "text/reading.h"

#define LOOK_MAX ((size_t)32 << 20)
#define LOOK_HEX ((size_t)1 << 20) /* of that, shown as hex */

enum way { LOOK_AUTO, LOOK_VALUES, LOOK_FORMULAS, LOOK_PAGES, LOOK_PICTURE, LOOK_TABLE, LOOK_TEXT, LOOK_JSON, LOOK_HEXDUMP };

/* Which file a view shows, and how: so that it can be opened another way. */
struct file_place {
	int64_t attempt, step;    /* that it belongs to; 0: none */
	char ref[REF_TEXT];       /* of the attempt, where look_title was asked; "" */
	struct digest sha256;
	char *path;               /* owned; NULL: it is no file */
	char *file;               /* owned; as in pager_spec */
	int look, encoding;
	size_t part;
	bool coming;              /* what is shown stands for what a reader is at work on */
};
struct file_place file_place_of(const struct pager_spec *spec);
void file_place_free(struct file_place *p);
struct pager_spec file_place_spec(const struct file_place *p); /* strings stay p's */
/* The file as what keys act on; false: it belongs to no attempt. */
bool file_place_subject(const struct file_place *p, struct subject *out);

struct looked_file {
	struct buf bytes;         /* owned */
	bool cut;                 /* there is more */
	struct encoding_guess guess;
	enum encoding encoding;   /* that it is read by */
	char delimiter;           /* by the name; 0 */
	const char *reader;       /* of office files, PDF and images; NULL: none */
	struct digest content;    /* where there is a reader: the hash */
};
bool look_read(struct ui *ui, const struct pager_spec *spec, struct looked_file *out, struct err *e);
void look_free(struct looked_file *f);
/* "Windows-1252, guessed", ", 3 bad bytes" … */
void look_encoding_text(const struct looked_file *f, int64_t bad, struct buf *out);
/* "7.2 layers.csv", "layers.csv as it is now": owned. Learns of what attempt it is. */
char *look_title(struct ui *ui, struct file_place *p);
/* The view for a file; NULL without *e: the plain pager does. */
struct view *look_open(struct ui *ui, const struct pager_spec *spec, struct err *e);
/* Another way of looking at the same file, or in another encoding, in place of the top view. */
unsigned look_switch(struct view *v, const struct file_place *at, int dir);
unsigned look_encoding(struct view *v, const struct file_place *at, const char *arg);
/* The next sheet, page …, in place of the top view. */
unsigned look_part(struct view *v, const struct file_place *at, size_t parts, int dir);
/* The top view, which waits for a reader, becomes what it waits for once that is at work no more: it came to its end
 * while another view lay above, too, or was let go for another file's. v may be gone then. */
unsigned look_waits(struct view *v, const struct file_place *at);

struct picture;
/* view_table.c, view_json.c; they take over f. NULL: it is none. */
struct view *view_table_new(struct ui *ui, const struct pager_spec *spec, struct looked_file *f);
struct view *view_json_new(struct ui *ui, const struct pager_spec *spec, struct looked_file *f);
/* Out of what a reader made; the sheet's CSV is taken over, the picture copied. */
struct view *view_sheet_new(struct ui *ui, const struct pager_spec *spec, struct reading_sheet *sheet);
struct view *view_picture_new(struct ui *ui, const struct pager_spec *spec, const struct picture *picture, const struct reading_image *facts);

#endif
