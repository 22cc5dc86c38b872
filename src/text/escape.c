/*
 * Hostile bytes made visible: for reading (escape_text), and for names that must stay apart and can
 * be typed back (escape_name).
 */
#include "text.h"

#include <string.h>

/* ---- for reading ---- */

/* How many bytes from p on are ASCII that shows, the bulk of nearly everything. */
static size_t plain_run(const unsigned char *p, size_t n)
{
	size_t i = 0;

	while (i < n && p[i] >= 0x20 && p[i] < 0x7F)
		i++;
	return i;
}

static bool is_kept(uint32_t cp, int keep)
{
	return (cp == '\n' && (keep & ESCAPE_NEWLINE)) || (cp == '\t' && (keep & ESCAPE_TAB));
}

static void add_text_char(struct buf *out, const unsigned char *p, size_t len, uint32_t cp, int keep)
{
	if (len == 0)
		buf_addf(out, "\\x%02x", p[0]);
	else if (is_kept(cp, keep))
		buf_addc(out, (char)cp);
	else if (cp < 0x20 || cp == 0x7F)
		buf_addf(out, "^%c", (int)(cp ^ 0x40));
	else if (utf8_is_control(cp) || utf8_is_hidden(cp))
		buf_addf(out, "<U+%04X>", cp);
	else
		buf_add(out, p, len);
}

void escape_text(struct buf *out, const void *bytes, size_t n, int keep)
{
	const unsigned char *p = bytes;

	while (n > 0) {
		uint32_t cp = 0;
		size_t len = plain_run(p, n);
		if (len > 0) {
			buf_add(out, p, len);
		} else {
			len = utf8_decode(p, n, &cp);
			add_text_char(out, p, len, cp, keep);
			len = MAX(len, (size_t)1);
		}
		p += len;
		n -= len;
	}
}

char *escape_text_dup(const char *s)
{
	struct buf b = { 0 };

	escape_text(&b, s, strlen(s), ESCAPE_ALL);
	return buf_take(&b);
}

/* ---- for names ---- */

static const struct {
	char byte, letter;
} name_letters[] = { { '\n', 'n' }, { '\t', 't' }, { '\r', 'r' }, { '\\', '\\' } };

static char letter_of(uint32_t cp)
{
	for (size_t i = 0; i < ARRAY_LEN(name_letters); i++)
		if ((unsigned char)name_letters[i].byte == cp)
			return name_letters[i].letter;
	return '\0';
}

static bool is_deceptive(uint32_t cp)
{
	return cp >= 0x80 && (utf8_is_control(cp) || utf8_is_hidden(cp) || utf8_is_composing(cp) ||
	                      utf8_is_odd_space(cp));
}

static void add_name_char(struct buf *out, const unsigned char *p, size_t len, uint32_t cp, bool at_end)
{
	if (len == 0 || (cp < 0x80 && utf8_is_control(cp) && !letter_of(cp)) || (cp == ' ' && at_end))
		buf_addf(out, "\\x%02x", p[0]);
	else if (letter_of(cp))
		buf_addf(out, "\\%c", letter_of(cp));
	else if (is_deceptive(cp))
		buf_addf(out, cp > 0xFFFF ? "\\U%08x" : "\\u%04x", cp);
	else
		buf_add(out, p, len);
}

void escape_name(struct buf *out, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	while (n > 0) {
		uint32_t cp = 0;
		size_t len = utf8_decode(p, n, &cp);
		add_name_char(out, p, len, cp, p == bytes || n == 1);
		len = MAX(len, (size_t)1);
		p += len;
		n -= len;
	}
}

char *escape_name_dup(const char *s)
{
	struct buf b = { 0 };

	buf_adds(&b, "");
	escape_name(&b, s, strlen(s));
	return buf_take(&b);
}

/* ---- and back ---- */

static int hex_value(char c)
{
	const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c | 0x20) : NULL;

	/* | 0x20 makes letters small, and some signs into digits that they are not */
	if (!at || (c < '0' || (c > '9' && c < 'A')))
		return -1;
	return (int)(at - digits);
}

/* `digits` hexadecimal digits; false where there are fewer. */
static bool take_hex(const char **s, int digits, uint32_t *out)
{
	uint32_t v = 0;

	for (int i = 0; i < digits; i++, (*s)++) {
		int digit = hex_value(**s);
		if (digit < 0)
			return false;
		v = v << 4 | (uint32_t)digit;
	}
	*out = v;
	return v != 0;
}

static bool add_code_point(struct buf *out, uint32_t cp)
{
	if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
		return false;
	if (cp < 0x80) {
		buf_addc(out, (char)cp);
		return true;
	}
	/* lead byte, then six bits in each of the rest */
	int rest = cp < 0x800 ? 1 : cp < 0x10000 ? 2 : 3;
	buf_addc(out, (char)(0xF80 >> rest | cp >> (6 * rest)));
	while (rest-- > 0)
		buf_addc(out, (char)(0x80 | (cp >> (6 * rest) & 0x3F)));
	return true;
}

/* *s stands behind a backslash. */
static bool take_escape(const char **s, struct buf *out)
{
	char letter = *(*s)++;
	uint32_t v;

	for (size_t i = 0; i < ARRAY_LEN(name_letters); i++) {
		if (name_letters[i].letter == letter) {
			buf_addc(out, name_letters[i].byte);
			return true;
		}
	}
	if (letter == 'x' && take_hex(s, 2, &v)) {
		buf_addc(out, (char)v);
		return true;
	}
	return (letter == 'u' && take_hex(s, 4, &v) && add_code_point(out, v)) ||
	       (letter == 'U' && take_hex(s, 8, &v) && add_code_point(out, v));
}

bool escape_name_undo(const char *s, struct buf *out)
{
	size_t before = out->len;
	bool ok = true;

	buf_adds(out, "");
	while (ok && *s) {
		size_t n = strcspn(s, "\\");
		buf_add(out, s, n);
		s += n;
		if (*s == '\\') {
			s++;
			ok = take_escape(&s, out);
		}
	}
	if (!ok) {
		out->len = before;
		out->data[before] = '\0';
	}
	return ok;
}
