/* Which bytes are one glyph, and the visible form of everything that is none. */
#include "glyph.h"

#include <assert.h>
#include <string.h>

#include "sgr.h"
#include "text.h"

/* ---- characters ---------------------------------------------------------------------------- */

struct range { uint32_t first, last; };

static bool in_table(const struct range *table, size_t n, uint32_t c)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c > table[mid].last)
			low = mid + 1;
		else if (c < table[mid].first)
			high = mid;
		else
			return true;
	}
	return false;
}

/* What may be followed by one emoji or text variation selector (emoji-variation-sequences.txt, by
 * blocks); the selector is not sent, for it changes widths in some terminals only. */
static const struct range variable[] = {
	{ 0x23, 0x23 },     { 0x2a, 0x2a },     { 0x30, 0x39 },     { 0xa9, 0xa9 },     { 0xae, 0xae },
	{ 0x203c, 0x203c }, { 0x2049, 0x2049 }, { 0x2122, 0x2122 }, { 0x2139, 0x2139 }, { 0x2194, 0x21aa },
	{ 0x231a, 0x23fa }, { 0x24c2, 0x24c2 }, { 0x25aa, 0x25fe }, { 0x2600, 0x27bf }, { 0x2934, 0x2935 },
	{ 0x2b05, 0x2b55 }, { 0x3030, 0x303d }, { 0x3297, 0x3299 }, { 0x1f000, 0x1f9ff },
};

/* Cells of a character; 0: a mark that joins the one before; -1: shown by number. The skin tones, which
 * some terminals draw into the emoji before and some do not, are among these. */
static int width_of(uint32_t c)
{
	if ((c >= 0x4e00 && c <= 0x9fff) || (c >= 0xac00 && c <= 0xd7a3))
		return 2; /* Han and Hangul, without a look at the tables */
	if (utf8_is_hidden(c) || (c >= 0x1f3fb && c <= 0x1f3ff))
		return -1;
	return utf8_width(c);
}

/* ---- items --------------------------------------------------------------------------------------- */

static bool escape(struct item *out, size_t len, uint8_t kind, const char *fmt, ...) PRINTF(4, 5);
static bool escape(struct item *out, size_t len, uint8_t kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	out->n = (uint8_t)vsnprintf(out->form, sizeof(out->form), fmt, ap);
	va_end(ap);
	out->cells = out->n;
	out->len = (uint8_t)len;
	out->kind = kind;
	return true;
}

static bool control(const char *p, size_t n, bool more, struct style *s, struct item *out)
{
	uint8_t c = (uint8_t)p[0];
	size_t len;

	if (c == '\t') {
		*out = (struct item){ .len = 1, .cells = 1, .kind = GLYPH_BLANK, .n = 1, .form = " " };
		return true;
	}
	if (c == '\033') {
		if (more && sgr_is_partial(p, n))
			return false;
		len = sgr_parse(p, n, s);
		if (len) {
			*out = (struct item){ .len = (uint8_t)len };
			return true;
		}
	}
	return escape(out, 1, c ? GLYPH_ESCAPE : GLYPH_NUL, "^%c", c ^ 0x40);
}

/* Adds the marks that stand behind the base to the glyph; false: there could be more. */
static bool add_marks(const char *p, size_t n, bool more, uint32_t base, struct item *out)
{
	const uint8_t *u = (const uint8_t *)p;

	for (size_t marks = 0; marks < CELLS_MARKS; marks++) {
		size_t len;
		uint32_t c;

		if (more && n - out->len < 4 && (n == out->len || u[out->len] >= 0x80))
			return false;
		if (n == out->len || u[out->len] < 0x80)
			return true;
		len = utf8_decode(p + out->len, n - out->len, &c);
		if (!len)
			return true;
		if (marks == 0 && (c == 0xfe0e || c == 0xfe0f) && in_table(variable, ARRAY_LEN(variable), base)) {
			out->len = (uint8_t)(out->len + len);
			continue;
		}
		if (width_of(c) != 0)
			return true;
		memcpy(out->form + out->n, p + out->len, len);
		out->n = (uint8_t)(out->n + len);
		out->len = (uint8_t)(out->len + len);
	}
	return true;
}

bool glyph_next(const char *p, size_t n, bool more, struct style *s, struct item *out)
{
	const uint8_t *u = (const uint8_t *)p;
	uint32_t c = 0;
	size_t len;
	int width;

	if (n == 0)
		return false;
	if (u[0] < 0x20 || u[0] == 0x7f)
		return control(p, n, more, s, out);
	if (more && n < 4 && u[0] >= 0xc2)
		return false;
	len = utf8_decode(p, n, &c);
	if (!len)
		return escape(out, 1, GLYPH_ESCAPE, "\\x%02x", u[0]);
	width = c < 0x80 ? 1 : width_of(c);
	if (width <= 0)
		return escape(out, len, GLYPH_ESCAPE, "<U+%04X>", (unsigned)c);
	*out = (struct item){ .len = (uint8_t)len, .cells = (uint8_t)width, .kind = GLYPH_TEXT, .n = (uint8_t)len };
	assert(len + 4 * CELLS_MARKS <= sizeof(out->form));
	memcpy(out->form, p, len);
	return add_marks(p, n, more, c, out);
}
