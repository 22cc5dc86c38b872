/* The grid of cells, what draws into it, and its dumps. */
#include "canvas.h"

#include <stdlib.h>
#include <string.h>

struct canvas {
	int w, h;
	struct cell *cells;
	int cursor_x, cursor_y;
	bool ascii;
};

static const char *const role_words[ROLE_COUNT] = {
	[ROLE_NORMAL] = "normal", [ROLE_DIM] = "dim", [ROLE_STRONG] = "strong", [ROLE_HEADER] = "header",
	[ROLE_STATUS] = "status", [ROLE_KEY] = "key", [ROLE_BORDER] = "border", [ROLE_FOCUS] = "focus",
	[ROLE_TITLE] = "title", [ROLE_GOOD] = "good", [ROLE_BAD] = "bad", [ROLE_WARN] = "warn",
	[ROLE_BUSY] = "busy", [ROLE_NOTICE] = "notice", [ROLE_ERROR] = "error", [ROLE_PROMPT] = "prompt",
	[ROLE_NUMBER] = "number", [ROLE_CONTROL] = "control", [ROLE_GAP] = "gap", [ROLE_STDERR] = "stderr",
	[ROLE_KEYWORD] = "keyword", [ROLE_NAME] = "name", [ROLE_STRING] = "string",
	[ROLE_LITERAL] = "literal", [ROLE_COMMENT] = "comment", [ROLE_DECORATOR] = "decorator",
};

const char *role_word(enum role r)
{
	return role_words[r];
}

struct rect rect_inner(struct rect r)
{
	return (struct rect){ r.x + 1, r.y + 1, MAX(0, r.w - 2), MAX(0, r.h - 2) };
}

struct rect rect_clip(struct rect r, struct rect b)
{
	int x = MAX(r.x, b.x), y = MAX(r.y, b.y);
	int right = MIN(r.x + r.w, b.x + b.w), bottom = MIN(r.y + r.h, b.y + b.h);

	return (struct rect){ x, y, MAX(0, right - x), MAX(0, bottom - y) };
}

bool rect_has(struct rect r, int x, int y)
{
	return x >= r.x && y >= r.y && x < r.x + r.w && y < r.y + r.h;
}

/* ---- the object ------------------------------------------------------------------------------------ */

struct canvas *canvas_new(int w, int h)
{
	struct canvas *c = xcalloc(1, sizeof(*c));

	canvas_resize(c, w, h);
	return c;
}

void canvas_free(struct canvas *c)
{
	if (!c)
		return;
	free(c->cells);
	free(c);
}

void canvas_resize(struct canvas *c, int w, int h)
{
	c->w = MAX(1, w);
	c->h = MAX(1, h);
	c->cells = xreallocarray(c->cells, (size_t)c->w * (size_t)c->h, sizeof(struct cell));
	canvas_clear(c);
}

void canvas_clear(struct canvas *c)
{
	static const struct cell blank = { .width = 1, .len = 1, .bytes = " " };

	for (int i = 0; i < c->w * c->h; i++)
		c->cells[i] = blank;
	c->cursor_x = c->cursor_y = -1;
}

struct rect canvas_area(const struct canvas *c)
{
	return (struct rect){ 0, 0, c->w, c->h };
}

const struct cell *canvas_row(const struct canvas *c, int y)
{
	return &c->cells[y * c->w];
}

void canvas_cursor(struct canvas *c, int x, int y)
{
	bool inside = rect_has(canvas_area(c), x, y);

	c->cursor_x = inside ? x : -1;
	c->cursor_y = inside ? y : -1;
}

void canvas_cursor_get(const struct canvas *c, int *x, int *y)
{
	*x = c->cursor_x;
	*y = c->cursor_y;
}

void canvas_set_ascii(struct canvas *c, bool ascii)
{
	c->ascii = ascii;
}

bool canvas_is_ascii(const struct canvas *c)
{
	return c->ascii;
}

static char ascii_sign(const char *bytes, size_t len);

/* ---- cells -------------------------------------------------------------------------------------------- */

static void blank_cell(struct cell *cell, struct pen pen)
{
	*cell = (struct cell){ .pen = pen, .width = 1, .len = 1, .bytes = " " };
}

/* Makes sure that no half of a wide glyph stays when cell x of the row is overwritten. */
static void split_wide(struct canvas *c, struct cell *row, int x)
{
	if (row[x].width == 0 && x > 0)
		blank_cell(&row[x - 1], row[x - 1].pen);
	if (row[x].width == 2 && x + 1 < c->w)
		blank_cell(&row[x + 1], row[x].pen);
}

void canvas_put(struct canvas *c, struct rect clip, int x, int y, const char *bytes, size_t len, int width,
                struct pen pen)
{
	struct rect in = rect_clip(clip, canvas_area(c));
	struct cell *row;
	char sign;

	if (width < 1 || width > 2 || len == 0 || y < in.y || y >= in.y + in.h)
		return;
	row = &c->cells[y * c->w];
	if (x < in.x || x + width > in.x + in.w || len > CELL_BYTES) { /* does not fit: fillers */
		for (int i = x; i < x + width; i++) {
			if (i >= in.x && i < in.x + in.w) {
				split_wide(c, row, i);
				blank_cell(&row[i], pen);
			}
		}
		return;
	}
	split_wide(c, row, x);
	if (width == 2)
		split_wide(c, row, x + 1);
	row[x] = (struct cell){ .pen = pen, .width = (uint8_t)width, .len = (uint8_t)len };
	memcpy(row[x].bytes, bytes, len);
	if (c->ascii && (unsigned char)bytes[0] >= 0x80) {
		sign = ascii_sign(bytes, len);
		row[x].bytes[0] = sign ? sign : '?';
		row[x].len = 1;
		row[x].width = 1;
		if (width == 2)
			blank_cell(&row[x + 1], pen);
	} else if (width == 2) {
		row[x + 1] = (struct cell){ .pen = pen, .width = 0, .len = 0 };
	}
}

/* ---- short texts ----------------------------------------------------------------------------------------- */

#define TEXT_CELLS 1024 /* most cells of one text; the widest screen has 500 */

/* Our own signs have forms in ASCII; whatever else a run or a name brought is written <U+NNNN>. */
static const struct {
	const char *sign;
	char ascii;
} signs[] = {
	{ "─", '-' }, { "│", '|' }, { "┌", '+' }, { "┐", '+' }, { "└", '+' }, { "┘", '+' }, { "├", '+' },
	{ "┤", '+' }, { "┬", '+' }, { "┴", '+' }, { "▸", '>' }, { "▾", 'v' }, { "…", '~' }, { "·", '.' },
	{ "✓", '+' }, { "»", '"' }, { "✗", 'x' }, { "→", '>' }, { "←", '<' }, { "↓", 'v' }, { "↑", '^' }, { "×", 'x' },
};

static char ascii_sign(const char *bytes, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (strlen(signs[i].sign) == len && memcmp(signs[i].sign, bytes, len) == 0)
			return signs[i].ascii;
	return 0;
}

static uint32_t first_code_point(const struct glyph *g)
{
	const unsigned char *s = (const unsigned char *)g->bytes;
	static const unsigned char masks[] = { 0x7F, 0x7F, 0x1F, 0x0F, 0x07 };
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
	uint32_t cp = s[0] & masks[n];

	for (size_t i = 1; i < n && i < g->n; i++)
		cp = cp << 6 | (s[i] & 0x3F);
	return cp;
}

/* One glyph in ASCII, as one or more; returns how many. */
static size_t ascii_glyph(const struct glyph *g, struct glyph *out, size_t max)
{
	char text[16], sign;
	int n;

	if ((unsigned char)g->bytes[0] < 0x80 && g->n == 1) {
		out[0] = *g;
		return 1;
	}
	sign = ascii_sign(g->bytes, g->n);
	n = sign ? snprintf(text, sizeof(text), "%c", sign)
		 : snprintf(text, sizeof(text), "<U+%04X>", (unsigned)first_code_point(g));
	for (size_t i = 0; i < (size_t)n && i < max; i++) {
		out[i] = *g;
		out[i].kind = sign ? GLYPH_TEXT : GLYPH_ESCAPE;
		out[i].width = out[i].n = 1;
		out[i].bytes[0] = text[i];
	}
	return MIN((size_t)n, max);
}

/* The glyphs of a text, at most TEXT_CELLS. */
static size_t text_glyphs(const struct canvas *c, const char *p, size_t n, struct glyph *out)
{
	struct glyph *plain;
	size_t got = 0, found;

	if (!c->ascii)
		return cells_text(p, n, false, out, TEXT_CELLS);
	plain = xcalloc(TEXT_CELLS, sizeof(*plain));
	found = cells_text(p, n, false, plain, TEXT_CELLS);
	for (size_t i = 0; i < found && got < TEXT_CELLS; i++)
		got += ascii_glyph(&plain[i], out + got, TEXT_CELLS - got);
	free(plain);
	return got;
}

static int put_glyphs(struct canvas *c, struct rect clip, int x, int y, struct pen pen, const struct glyph *g, size_t n)
{
	struct pen visible = pen;

	visible.role = ROLE_CONTROL;
	for (size_t i = 0; i < n; i++) {
		bool control = g[i].kind == GLYPH_ESCAPE || g[i].kind == GLYPH_NUL;
		if (x < clip.x + clip.w)
			canvas_put(c, clip, x, y, g[i].bytes, g[i].n, g[i].width, control ? visible : pen);
		x += g[i].width;
	}
	return x;
}

int canvas_bytes(struct canvas *c, struct rect clip, int x, int y, struct pen pen, const char *p, size_t n)
{
	struct glyph glyphs[TEXT_CELLS];

	return put_glyphs(c, clip, x, y, pen, glyphs, text_glyphs(c, p, n, glyphs));
}

int canvas_text(struct canvas *c, struct rect clip, int x, int y, struct pen pen, const char *text)
{
	return canvas_bytes(c, clip, x, y, pen, text, strlen(text));
}

int canvas_textf(struct canvas *c, struct rect clip, int x, int y, struct pen pen, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	x = canvas_bytes(c, clip, x, y, pen, b.data ? b.data : "", b.len);
	buf_free(&b);
	return x;
}

/* How many glyphs have room in max cells; their cells in *cells. */
static size_t glyphs_within(const struct glyph *g, size_t n, int max, int *cells)
{
	size_t i = 0;

	for (*cells = 0; i < n && *cells + g[i].width <= max; i++)
		*cells += g[i].width;
	return i;
}

int canvas_measure(const struct canvas *c, const char *text)
{
	struct glyph glyphs[TEXT_CELLS];
	int cells;

	glyphs_within(glyphs, text_glyphs(c, text, strlen(text), glyphs), INT32_MAX, &cells);
	return cells;
}

int canvas_fit(struct canvas *c, struct rect clip, int x, int y, int w, struct pen pen, const char *text)
{
	struct glyph glyphs[TEXT_CELLS];
	size_t n = text_glyphs(c, text, strlen(text), glyphs);
	int cells;

	if (w <= 0)
		return 0;
	if (glyphs_within(glyphs, n, w, &cells) == n)
		return put_glyphs(c, clip, x, y, pen, glyphs, n) - x;
	put_glyphs(c, clip, x, y, pen, glyphs, glyphs_within(glyphs, n, w - 1, &cells));
	canvas_put(c, clip, x + cells, y, "…", strlen("…"), 1, pen);
	return cells + 1;
}

/* ---- shapes -------------------------------------------------------------------------------------------------- */

void canvas_fill(struct canvas *c, struct rect r, char ch, struct pen pen)
{
	struct rect in = rect_clip(r, canvas_area(c));

	for (int y = in.y; y < in.y + in.h; y++)
		for (int x = in.x; x < in.x + in.w; x++)
			canvas_put(c, in, x, y, &ch, 1, 1, pen);
}

static void put_sign(struct canvas *c, struct rect clip, int x, int y, const char *sign, struct pen pen)
{
	canvas_put(c, clip, x, y, sign, strlen(sign), 1, pen);
}

void canvas_rule(struct canvas *c, struct rect clip, int x, int y, int w, struct pen pen)
{
	for (int i = 0; i < w; i++)
		put_sign(c, clip, x + i, y, "─", pen);
}

void canvas_box(struct canvas *c, struct rect r, struct pen pen)
{
	int right = r.x + r.w - 1, bottom = r.y + r.h - 1;

	if (r.w < 2 || r.h < 2)
		return;
	canvas_rule(c, r, r.x, r.y, r.w, pen);
	canvas_rule(c, r, r.x, bottom, r.w, pen);
	for (int y = r.y + 1; y < bottom; y++) {
		put_sign(c, r, r.x, y, "│", pen);
		put_sign(c, r, right, y, "│", pen);
	}
	put_sign(c, r, r.x, r.y, "┌", pen);
	put_sign(c, r, right, r.y, "┐", pen);
	put_sign(c, r, r.x, bottom, "└", pen);
	put_sign(c, r, right, bottom, "┘", pen);
}

void canvas_flag(struct canvas *c, struct rect r, uint8_t flags)
{
	struct rect in = rect_clip(r, canvas_area(c));

	for (int y = in.y; y < in.y + in.h; y++)
		for (int x = in.x; x < in.x + in.w; x++)
			c->cells[y * c->w + x].pen.flags |= flags;
}

/* ---- dumps ---------------------------------------------------------------------------------------------- */

void canvas_dump_text(const struct canvas *c, struct buf *out)
{
	for (int y = 0; y < c->h; y++) {
		const struct cell *row = canvas_row(c, y);
		size_t end = out->len;
		for (int x = 0; x < c->w; x++) {
			buf_add(out, row[x].bytes, row[x].len);
			if (row[x].len != 1 || row[x].bytes[0] != ' ')
				end = row[x].len ? out->len : end;
		}
		out->len = end;
		buf_addc(out, '\n');
	}
}

static bool pen_equal(const struct pen *a, const struct pen *b)
{
	return memcmp(a, b, sizeof(*a)) == 0; /* bytes alone, no padding */
}

#define LEGEND_MAX 62
static const char letters[] = ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

static void add_colour(struct buf *out, const char *what, struct colour colour)
{
	if (colour.kind == COLOUR_RGB)
		buf_addf(out, " %s #%02x%02x%02x", what, colour.r, colour.g, colour.b);
	else if (colour.kind == COLOUR_INDEX)
		buf_addf(out, " %s %u", what, colour.r);
}

static void add_legend(struct buf *out, char letter, const struct pen *pen)
{
	static const char *const flags[] = { "selected", "hit", "current", "chosen" };
	static const char *const attrs[] = { "bold", "dim", "italic", "underline", "blink", "reverse" };

	buf_addf(out, "%c %s", letter, role_word(pen->role));
	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		if (pen->flags & 1 << i)
			buf_addf(out, " %s", flags[i]);
	for (size_t i = 0; i < ARRAY_LEN(attrs); i++)
		if (pen->attrs & 1 << i)
			buf_addf(out, " %s", attrs[i]);
	add_colour(out, "fg", pen->fg);
	add_colour(out, "bg", pen->bg);
	buf_addc(out, '\n');
}

void canvas_dump_style(const struct canvas *c, struct buf *out)
{
	struct pen legend[LEGEND_MAX] = { PEN(ROLE_NORMAL) };
	size_t n = 1;

	for (int y = 0; y < c->h; y++) {
		const struct cell *row = canvas_row(c, y);
		size_t end = out->len;
		for (int x = 0; x < c->w; x++) {
			size_t i = 0;
			while (i < n && !pen_equal(&legend[i], &row[x].pen))
				i++;
			if (i == n && n < LEGEND_MAX)
				legend[n++] = row[x].pen;
			buf_addc(out, letters[MIN(i, n - 1)]);
			if (i != 0)
				end = out->len;
		}
		out->len = end;
		buf_addc(out, '\n');
	}
	for (size_t i = 1; i < n; i++)
		add_legend(out, letters[i], &legend[i]);
}
