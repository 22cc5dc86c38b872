/* An item of a comparison for people, unified or side by side. */
#include "diffing.h"

#include "text/picture.h"

#include <stdlib.h>
#include <string.h>

#define PICTURE_COLS 60  /* cells of one of two pictures, at most */
#define PICTURE_LINES 24

static const struct { const char *sign; enum tone tone; } looks[] = {
	[DIFFROW_SENTENCE] = { "# ", TONE_BUSY }, [DIFFROW_HUNK] = { "", TONE_BOLD },   [DIFFROW_SAME] = { " ", TONE_PLAIN },
	[DIFFROW_REMOVED] = { "-", TONE_BAD },    [DIFFROW_ADDED] = { "+", TONE_GOOD }, [DIFFROW_CHANGED] = { "~", TONE_BUSY },
	[DIFFROW_NO_END] = { "", TONE_PLAIN },
};

/* ---- unified ---- */

/* The text of a row with the words that differ in marks. */
static void add_marked(struct buf *out, const struct diffrows *r, const struct diffrow *x)
{
	bool added = x->kind == DIFFROW_ADDED;
	size_t at = 0;

	for (uint32_t i = 0; i < x->pieces; i++) {
		const struct diff_piece *p = &r->pieces[x->piece + i];
		buf_add(out, x->text.p + at, p->start - at);
		buf_adds(out, added ? "{+" : "[-");
		buf_add(out, x->text.p + p->start, p->len);
		buf_adds(out, added ? "+}" : "-]");
		at = p->start + p->len;
	}
	buf_add(out, x->text.p + at, x->text.n - at);
}

static void print_on_terminal(const char *sign, enum tone tone, const char *p, size_t n)
{
	struct buf b = { 0 };

	buf_adds(&b, sign);
	console_output(stdout, &b, p, n);
	char *text = console_tinted(stdout, tone, b.data ? b.data : "");
	puts(text);
	free(text);
	buf_free(&b);
}

static void print_row(const struct diffrows *r, const struct diffrow *x, bool tty, struct buf *scratch)
{
	const char *p = x->text.p;
	size_t n = x->text.n;
	struct buf shown = { 0 };

	if (x->pieces) {
		buf_clear(scratch);
		add_marked(scratch, r, x);
		p = scratch->data;
		n = scratch->len;
	}
	if (n && memchr(p, '\n', n)) { /* a cell's: no line of ours may begin within it */
		escape_text(&shown, p, n, ESCAPE_ALL);
		p = shown.data;
		n = shown.len;
	}
	if (tty) {
		print_on_terminal(looks[x->kind].sign, looks[x->kind].tone, p, n);
	} else {
		fputs(looks[x->kind].sign, stdout);
		fwrite(p, 1, n, stdout);
		putchar('\n');
	}
	buf_free(&shown);
}

/* ---- side by side ---- */

/* Text in exactly w cells, cut where it is longer. */
static void add_cells(struct buf *out, const struct diffrow *x, size_t w)
{
	struct buf text = { 0 };
	size_t cols = 0, i = 0;

	if (x)
		escape_text(&text, x->text.p, MIN(x->text.n, w * 8), ESCAPE_ALL);
	while (i < text.len) {
		uint32_t cp = 0;
		size_t n = utf8_decode(text.data + i, text.len - i, &cp);
		int width = n ? utf8_width(cp) : 1;
		if (cols + (size_t)MAX(width, 0) > w)
			break;
		cols += (size_t)MAX(width, 0);
		i += MAX(n, 1u);
	}
	buf_add(out, text.data ? text.data : "", i);
	for (; cols < w; cols++)
		buf_addc(out, ' ');
	buf_free(&text);
}

static void print_pair(const struct diffing *d, const struct diffrow *left, const struct diffrow *right)
{
	size_t w = (d->width - 3) / 2;
	bool same = left == right;
	struct buf b = { 0 };

	add_cells(&b, left, w);
	buf_addf(&b, " %c ", same ? ' ' : !left ? '>' : !right ? '<' : '|');
	add_cells(&b, right, w);
	while (b.len && b.data[b.len - 1] == ' ')
		b.data[--b.len] = '\0';
	char *text = console_tinted(stdout, same ? TONE_PLAIN : !left ? TONE_GOOD : !right ? TONE_BAD : TONE_BUSY, b.data ? b.data : "");
	puts(text);
	free(text);
	buf_free(&b);
}

/* A block of removed rows and the added ones behind it, two and two; returns what follows. */
static size_t print_block(const struct diffing *d, const struct diffrows *r, size_t at)
{
	size_t removed = at, added, end;

	while (at < r->n && (r->v[at].kind == DIFFROW_REMOVED || r->v[at].kind == DIFFROW_NO_END))
		at++;
	added = at;
	while (at < r->n && (r->v[at].kind == DIFFROW_ADDED || r->v[at].kind == DIFFROW_NO_END))
		at++;
	end = at;
	for (size_t i = 0; removed + i < added || added + i < end; i++) {
		const struct diffrow *left = removed + i < added ? &r->v[removed + i] : NULL;
		const struct diffrow *right = added + i < end ? &r->v[added + i] : NULL;
		left = left && left->kind == DIFFROW_NO_END ? NULL : left;
		right = right && right->kind == DIFFROW_NO_END ? NULL : right;
		if (left || right)
			print_pair(d, left, right);
	}
	return end;
}

static void print_pairs(const struct diffing *d, const struct diffrows *r)
{
	bool tty = console_is_tty(stdout);
	struct buf scratch = { 0 };

	for (size_t i = 0; i < r->n;) {
		if (r->v[i].kind == DIFFROW_REMOVED || r->v[i].kind == DIFFROW_ADDED) {
			i = print_block(d, r, i);
			continue;
		}
		if (r->v[i].kind == DIFFROW_SAME)
			print_pair(d, &r->v[i], &r->v[i]);
		else if (r->v[i].kind != DIFFROW_NO_END)
			print_row(r, &r->v[i], tty, &scratch);
		i++;
	}
	buf_free(&scratch);
}

/* ---- pictures ---- */

/* Returns how many lines the picture has. */
static uint32_t add_picture_line(struct buf *out, const struct picture *p, uint32_t cols, uint32_t line)
{
	uint8_t up[3], low[3];
	uint32_t wide, rows;

	picture_fit(p, cols, PICTURE_LINES, &wide, &rows);
	for (uint32_t x = 0; x < wide && line < rows; x++) {
		picture_cell(p, wide, rows, x, line, up, low);
		buf_addc(out, picture_sign(up, low));
	}
	return rows;
}

/* Both by signs, the darker the denser. */
static void print_pictures(const struct diffing *d, const struct diffrows *r)
{
	uint32_t cols = (uint32_t)MIN((d->width - 3) / 2, (size_t)PICTURE_COLS);

	for (uint32_t line = 0, rows = 1; line < rows; line++) {
		struct buf left = { 0 }, right = { 0 };
		uint32_t left_rows = add_picture_line(&left, &r->pictures[0], cols, line);
		uint32_t right_rows = add_picture_line(&right, &r->pictures[1], cols, line);
		rows = MAX(left_rows, right_rows);
		printf("%-*s | %s\n", (int)cols, left.data ? left.data : "", right.data ? right.data : "");
		buf_free(&left);
		buf_free(&right);
	}
}

/* ---- an item ---- */

/* A name as patch(1) and git read it: in quotes where a byte of it could end the line or be misread, with a tab behind
 * it where it has blanks. */
static void add_patch_name(struct buf *out, const char *name)
{
	static const char letters[] = "abtnvfr";
	bool quoted = strpbrk(name, "\"\\") != NULL, blank = strchr(name, ' ') != NULL;

	for (const char *p = name; *p && !quoted; p++)
		quoted = (unsigned char)*p < 0x20 || *p == 0x7F;
	if (!quoted) {
		buf_addf(out, "%s%s", name, blank ? "\t" : "");
		return;
	}
	buf_addc(out, '"');
	for (const char *p = name; *p; p++) {
		unsigned char c = (unsigned char)*p;
		if (c == '"' || c == '\\')
			buf_addf(out, "\\%c", c);
		else if (c >= '\a' && c <= '\r')
			buf_addf(out, "\\%c", letters[c - '\a']);
		else if (c < 0x20 || c == 0x7F)
			buf_addf(out, "\\%03o", c);
		else
			buf_addc(out, *p);
	}
	buf_addc(out, '"');
}

/* "--- 7.1/tiv.csv", for patch -p1; of plain files their own paths, for patch FILE. */
static void print_side(struct diffing *d, const struct compare_item *x, int side)
{
	bool none = x->change == (side ? SIDES_REMOVED : SIDES_ADDED);
	char *name = none ? xstrdup("/dev/null") : compare_path_dup(d->cmp, x, side);
	struct buf b = { 0 };

	add_patch_name(&b, name);
	char *text = console_is_tty(stdout) ? console_str(stdout, b.data) : buf_take(&b);
	printf("%s %s\n", side ? "+++" : "---", text);
	free(text);
	buf_free(&b);
	free(name);
}

/* Right before the first hunk, or git takes them for none; whatever is said of the item stands in front. */
static void print_sides_at(struct diffing *d, const struct compare_item *x, const struct diffrows *r, size_t i)
{
	if (r->v[i].kind != DIFFROW_HUNK || d->headed)
		return;
	d->headed = true;
	print_side(d, x, 0);
	print_side(d, x, 1);
}

static void print_head(const struct compare_item *x, const char *type, const struct diffrows *r)
{
	char *name = diff_item_name(x), *summary = console_str(stdout, r->summary ? r->summary : "");
	char *line = xasprintf("=== %s (%s): %s", name, type, summary), *tinted = console_tinted(stdout, TONE_BOLD, line);

	printf("%s\n", tinted);
	free(tinted);
	free(line);
	free(summary);
	free(name);
}

void diff_print_item(struct diffing *d, const struct compare_item *x, const char *type, const struct diffrows *r)
{
	bool tty = console_is_tty(stdout);
	struct buf scratch = { 0 };

	print_head(x, type, r);
	d->headed = d->side_by_side;
	if (d->side_by_side)
		print_pairs(d, r);
	for (size_t i = 0; i < r->n && !d->side_by_side; i++) {
		print_sides_at(d, x, r, i);
		print_row(r, &r->v[i], tty, &scratch);
	}
	if (r->pictures)
		print_pictures(d, r);
	buf_free(&scratch);
}
