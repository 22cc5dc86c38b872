/*
 * Ways of looking at a file of the record: as a table, as text, as hex. The first bytes choose; Tab goes
 * on. Content up to LOOK_MAX is taken into memory for it; longer files show so much of them, and say so.
 */
#ifndef TICKMARK_UI_LOOK_H
#define TICKMARK_UI_LOOK_H

#include "pane.h"
#include "text/encoding.h"

#define LOOK_MAX ((size_t)32 << 20)
#define LOOK_HEX ((size_t)1 << 20) /* of that, shown as hex */

enum way { LOOK_AUTO, LOOK_TABLE, LOOK_TEXT, LOOK_JSON, LOOK_HEXDUMP };

struct looked_file {
	struct buf bytes;         /* owned */
	bool cut;                 /* there is more */
	struct encoding_guess guess;
	enum encoding encoding;   /* that it is read by */
	char delimiter;           /* by the name; 0 */
};
bool look_read(struct ui *ui, const struct digest *sha256, const char *path, struct looked_file *out, struct err *e);
void look_free(struct looked_file *f);
/* "Windows-1252, guessed", ", 3 bad bytes" … */
void look_encoding_text(const struct looked_file *f, int64_t bad, struct buf *out);
/* The view for a file; NULL without *e: the plain pager does. */
struct view *look_open(struct ui *ui, const struct pager_spec *spec, struct err *e);
/* Another way of looking at the same file, or in another encoding, in place of the top view. */
unsigned look_switch(struct view *v, const struct pager_spec *spec, int dir);
unsigned look_encoding(struct view *v, const struct pager_spec *spec, const char *arg);

/* view_table.c, view_json.c; both take over f. NULL: it is none. */
struct view *view_table_new(struct ui *ui, const struct pager_spec *spec, struct looked_file *f);
struct view *view_json_new(struct ui *ui, const struct pager_spec *spec, struct looked_file *f);

#endif
