/* Previews of files. */
#include "preview.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/convert.h"
#include "text.h"
#include "text/encoding.h"
#include "text/grid.h"
#include "text/picture.h"
#include "text/reading.h"

#define HEAD ((size_t)16 << 10)
#define HEX_ROWS 6

static bool take_head(void *ctx, const void *p, size_t n, struct err *e)
{
	struct buf *b = ctx;

	(void)e;
	buf_add(b, p, MIN(n, HEAD - b->len));
	return b->len < HEAD;
}

static void add_hex(const char *p, size_t n, struct buf *out)
{
	hex_rows(out, p, MIN(n, (size_t)HEX_ROWS * 16));
	if (n > HEX_ROWS * 16)
		buf_adds(out, "…\n");
}

#define TABLE_ROWS 12
#define TABLE_COLS 12
#define CELL_MAX 24

static char *cell_text(struct grid *g, size_t row, size_t col)
{
	struct span s = grid_cell(g, row, col);
	struct buf out = { 0 };

	if (s.p)
		escape_text(&out, s.p, MIN(s.n, (size_t)CELL_MAX), ESCAPE_ALL);
	if (s.n > CELL_MAX)
		buf_adds(&out, "…");
	return out.len ? buf_take(&out) : xstrdup("");
}

/* The first records with their columns under each other. `whole`: nothing was cut off, the last is one too. */
static void add_table(struct grid *g, bool whole, struct buf *out)
{
	size_t rows = MIN(grid_rows(g) - !whole, (size_t)TABLE_ROWS), cols = MIN(grid_cols(g), (size_t)TABLE_COLS);
	size_t width[TABLE_COLS] = { 0 };

	for (int pass = 0; pass < 2; pass++) {
		for (size_t r = 0; r < rows; r++) {
			for (size_t i = 0; i < cols; i++) {
				char *text = cell_text(g, r, i);
				size_t n = utf8_cols(text, strlen(text));

				if (pass == 0)
					width[i] = MAX(width[i], n);
				else
					buf_addf(out, "%s%*s", text, i + 1 < cols ? (int)(width[i] + 2 - n) : 0, "");
				free(text);
			}
			if (pass == 1)
				buf_adds(out, grid_cols(g) > cols ? " …\n" : "\n");
		}
	}
	if (grid_rows(g) > rows)
		buf_addf(out, "… %zu%s rows\n", grid_rows(g) - 1, whole ? "" : " or more");
}

/* Text in its encoding; a table where it is one. */
static void add_text(const struct buf *head, bool whole, struct encoding_guess guess, const char *path, struct buf *out)
{
	const char *dot = strrchr(path, '.');
	struct buf text = { 0 };

	encoding_decode(guess.encoding, head->data, head->len, &text);
	if (guess.encoding != ENCODING_UTF8 || guess.bad)
		buf_addf(out, "(%s, guessed)\n", encoding_word(guess.encoding));
	if (dot && (strcasecmp(dot, ".csv") == 0 || strcasecmp(dot, ".tsv") == 0)) {
		size_t n = text.len;
		struct grid *g = grid_new_take(xmemdup(text.data ? text.data : "", n + (n == 0)), n, strcasecmp(dot, ".tsv") == 0 ? '\t' : 0);
		bool table = grid_is_table(g);

		if (table)
			add_table(g, whole, out);
		grid_free(g);
		if (table)
			buf_clear(&text);
	}
	buf_add(out, text.data ? text.data : "", text.len);
	buf_free(&text);
}

/* ---- what readers open ---- */

#define FILE_MOST ((size_t)4 << 20)  /* bytes of a file whose sheets are counted, and of a reader's answer that is looked at */

static bool take_file(void *ctx, const void *p, size_t n, struct err *e)
{
	struct buf *b = ctx;

	(void)e;
	buf_add(b, p, MIN(n, FILE_MOST + 1 - b->len));
	return b->len <= FILE_MOST;
}

static const struct kind {
	const char *reader, *word, *part;
} kinds[] = {
	{ "xlsx", "workbook", "sheet" }, { "pptx", "presentation", "slide" }, { "docx", "document", NULL },
	{ "pdf", "PDF document", NULL }, { "image", "image", NULL },
};

static void name_kind(struct query *q, const struct digest *sha256, const char *reader, struct buf *out)
{
	struct buf file = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (strcmp(kinds[i].reader, reader) != 0)
			continue;
		buf_adds(out, kinds[i].word);
		if (!kinds[i].part || !query_blob(q, sha256, take_file, &file, NULL) || file.len > FILE_MOST)
			break;
		size_t n = reading_parts((struct span){ file.data ? file.data : "", file.len }, reader);
		if (n)
			buf_addf(out, ", %zu %s%s", n, kinds[i].part, n == 1 ? "" : "s");
	}
	buf_free(&file);
}

static void add_sheet(struct span lines, struct buf *out)
{
	struct reading_sheet s;

	if (reading_sheet(lines, 0, false, &s, NULL)) {
		char *name = escape_text_dup(s.name ? s.name : "");
		size_t n = s.csv.len;
		struct grid *g = grid_new_take(n ? buf_take(&s.csv) : xstrdup(""), n, ',');

		buf_addf(out, "sheet 1: %s\n", name);
		if (n)
			add_table(g, true, out);
		grid_free(g);
		free(name);
	}
	reading_sheet_free(&s);
}

static void add_pages(struct span lines, struct buf *out)
{
	struct reading_pages p;

	if (reading_pages(lines, &p, NULL))
		buf_add(out, p.text.data ? p.text.data : "", MIN(p.text.len, HEAD));
	reading_pages_free(&p);
}

static void add_pixels(struct span lines, struct buf *out)
{
	struct reading_image facts;
	struct picture picture;

	if (!reading_image(lines, false, &facts, &picture, NULL))
		return;
	buf_addf(out, "%u x %u pixels\n", facts.width, facts.height);
	picture_free(&picture);
}

/* What a reader said before; no reader is begun for a preview, as there may be many. */
static void add_read(struct query *q, const struct digest *sha256, const char *reader, struct buf *out)
{
	struct buf lines = { 0 };
	bool cached = convert_cached(q, sha256, reader, &lines) && lines.len <= FILE_MOST;
	struct span said = { lines.data ? lines.data : "", lines.len };

	name_kind(q, sha256, reader, out);
	buf_adds(out, ": Enter opens it\n");
	if (cached && strcmp(reader, "xlsx") == 0)
		add_sheet(said, out);
	else if (cached && strcmp(reader, "image") == 0)
		add_pixels(said, out);
	else if (cached)
		add_pages(said, out);
	buf_free(&lines);
}

/* The head of a PNG (RFC 2083, 4.1.1) has its size at once. */
static void add_png(const struct buf *head, struct buf *out)
{
	const uint8_t *p = (const uint8_t *)head->data;

	if (head->len >= 24)
		buf_addf(out, "image, %u x %u pixels: Enter shows it\n", (unsigned)p[16] << 24 | (unsigned)p[17] << 16 | (unsigned)p[18] << 8 | p[19],
		         (unsigned)p[20] << 24 | (unsigned)p[21] << 16 | (unsigned)p[22] << 8 | p[23]);
	else
		buf_adds(out, "image, cut off\n");
}

bool preview_make(struct query *q, const char *path, const struct digest *sha256, struct buf *out, struct err *e)
{
	struct buf head = { 0 };
	struct err fault = { 0 };
	bool ok = query_blob(q, sha256, take_head, &head, &fault) || head.len == HEAD;
	struct span bytes = { head.data ? head.data : "", head.len };
	struct encoding_guess guess = encoding_guess(bytes.p, bytes.n, head.len < HEAD);
	const char *reader = convert_reader(path, bytes);

	if (!ok && e)
		*e = fault;
	if (ok && head.len == 0)
		buf_adds(out, "empty\n");
	else if (ok && png_is(bytes))
		add_png(&head, out);
	else if (ok && reader)
		add_read(q, sha256, reader, out);
	else if (ok && guess.binary)
		add_hex(head.data, head.len, out);
	else if (ok)
		add_text(&head, head.len < HEAD, guess, path, out);
	buf_free(&head);
	return ok;
}
