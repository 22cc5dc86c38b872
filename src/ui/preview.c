/* Previews of files. */
#include "preview.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "text.h"
#include "text/encoding.h"
#include "text/grid.h"

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

bool preview_make(struct query *q, const char *path, const struct digest *sha256, struct buf *out, struct err *e)
{
	struct buf head = { 0 };
	struct err fault = { 0 };
	bool ok = query_blob(q, sha256, take_head, &head, &fault) || head.len == HEAD;

	struct encoding_guess guess = encoding_guess(head.data ? head.data : "", head.len, head.len < HEAD);
	if (!ok && e)
		*e = fault;
	if (ok && head.len == 0)
		buf_adds(out, "empty\n");
	else if (ok && guess.binary)
		add_hex(head.data, head.len, out);
	else if (ok)
		add_text(&head, head.len < HEAD, guess, path, out);
	buf_free(&head);
	return ok;
}
