/* Guessing and decoding. */
#include "text/encoding.h"

#include <string.h>
#include <strings.h>

#include "text.h"

static const char *const words[ENCODING_COUNT] = {
	[ENCODING_UTF8] = "UTF-8", [ENCODING_UTF16LE] = "UTF-16LE", [ENCODING_UTF16BE] = "UTF-16BE",
	[ENCODING_CP1252] = "Windows-1252", [ENCODING_LATIN1] = "ISO-8859-1",
};

/* WHATWG Encoding, index windows-1252: 0x80 to 0x9F; 0: not assigned. */
static const uint16_t cp1252[32] = {
	0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
	0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
};

const char *encoding_word(enum encoding x)
{
	return words[x];
}

static bool same_word(const char *a, const char *b)
{
	for (;;) {
		a += strspn(a, "-_ ");
		b += strspn(b, "-_ ");
		if (!*a || !*b)
			return *a == *b;
		if (strncasecmp(a++, b++, 1) != 0)
			return false;
	}
}

bool encoding_parse(const char *word, enum encoding *out)
{
	static const struct {
		const char *name;
		enum encoding encoding;
	} others[] = { { "latin1", ENCODING_LATIN1 }, { "cp1252", ENCODING_CP1252 }, { "ansi", ENCODING_CP1252 }, { "utf16", ENCODING_UTF16LE } };

	for (int i = 0; i < ENCODING_COUNT; i++) {
		if (same_word(word, words[i])) {
			*out = (enum encoding)i;
			return true;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		if (same_word(word, others[i].name)) {
			*out = others[i].encoding;
			return true;
		}
	}
	return false;
}

/* ---- guessing --------------------------------------------------------------------------------------- */

static void count_utf8(const unsigned char *p, size_t n, bool whole, int64_t *good, int64_t *bad)
{
	for (size_t at = 0; at < n;) {
		uint32_t cp;
		size_t len = p[at] < 0x80 ? 1 : utf8_decode(p + at, n - at, &cp);

		*good += len > 1;
		if (len == 0 && !whole && n - at < 4)
			return; /* cut off by us */
		*bad += len == 0;
		at += len ? len : 1;
	}
}

/* Text in UTF-16 of western languages has a NUL in nearly every unit, always on the same side. */
static bool looks_utf16(const unsigned char *p, size_t n, enum encoding *out)
{
	size_t even = 0, odd = 0, units = MIN(n, (size_t)4096) / 2;

	for (size_t i = 0; i < units; i++) {
		even += p[2 * i] == 0;
		odd += p[2 * i + 1] == 0;
	}
	if (units < 4 || (odd < units / 2 && even < units / 2))
		return false;
	*out = odd > even ? ENCODING_UTF16LE : ENCODING_UTF16BE;
	return MIN(odd, even) <= units / 50;
}

struct encoding_guess encoding_guess(const void *bytes, size_t n, bool whole)
{
	const unsigned char *p = bytes;
	struct encoding_guess g = { .encoding = ENCODING_UTF8 };
	int64_t good = 0;

	if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
		g.marked = true;
	else if (n >= 2 && (memcmp(p, "\xff\xfe", 2) == 0 || memcmp(p, "\xfe\xff", 2) == 0))
		return (struct encoding_guess){ .encoding = p[0] == 0xFF ? ENCODING_UTF16LE : ENCODING_UTF16BE, .marked = true };
	else if (looks_utf16(p, n, &g.encoding))
		return (struct encoding_guess){ .encoding = g.encoding, .guessed = true };
	g.binary = n > 0 && memchr(p, '\0', n) != NULL;
	count_utf8(p, n, whole, &good, &g.bad);
	if (g.bad == 0 || g.marked || g.binary || good > g.bad) {
		g.guessed = g.bad > 0;
		return g;
	}
	g.encoding = ENCODING_CP1252;
	g.guessed = true;
	g.bad = 0;
	for (size_t i = 0; i < n; i++)
		g.bad += p[i] >= 0x80 && p[i] < 0xA0 && cp1252[p[i] - 0x80] == 0;
	return g;
}

/* ---- decoding ---------------------------------------------------------------------------------------- */

static void put(struct buf *out, uint32_t cp)
{
	if (cp < 0x80) {
		buf_addc(out, (char)cp);
	} else if (cp < 0x800) {
		buf_addc(out, (char)(0xC0 | cp >> 6));
		buf_addc(out, (char)(0x80 | (cp & 0x3F)));
	} else if (cp < 0x10000) {
		buf_addc(out, (char)(0xE0 | cp >> 12));
		buf_addc(out, (char)(0x80 | (cp >> 6 & 0x3F)));
		buf_addc(out, (char)(0x80 | (cp & 0x3F)));
	} else {
		buf_addc(out, (char)(0xF0 | cp >> 18));
		buf_addc(out, (char)(0x80 | (cp >> 12 & 0x3F)));
		buf_addc(out, (char)(0x80 | (cp >> 6 & 0x3F)));
		buf_addc(out, (char)(0x80 | (cp & 0x3F)));
	}
}

/* A byte that stays what it is: alone it is no UTF-8. */
static void put_bad(struct buf *out, unsigned char b)
{
	buf_addc(out, b < 0x80 ? '\x80' : (char)b);
}

static int64_t decode_utf16(bool big, const unsigned char *p, size_t n, struct buf *out)
{
	int64_t bad = 0;

	for (size_t i = 0; i + 1 < n; i += 2) {
		uint32_t u = big ? (uint32_t)p[i] << 8 | p[i + 1] : (uint32_t)p[i + 1] << 8 | p[i], low = 0;

		if (i == 0 && u == 0xFEFF)
			continue;
		if (u >= 0xD800 && u < 0xDC00 && i + 3 < n)
			low = big ? (uint32_t)p[i + 2] << 8 | p[i + 3] : (uint32_t)p[i + 3] << 8 | p[i + 2];
		if (low >= 0xDC00 && low < 0xE000) {
			put(out, 0x10000 + ((u - 0xD800) << 10) + (low - 0xDC00));
			i += 2;
		} else if (u >= 0xD800 && u < 0xE000) {
			put_bad(out, p[i]);
			put_bad(out, p[i + 1]);
			bad++;
		} else {
			put(out, u);
		}
	}
	if (n % 2) {
		put_bad(out, p[n - 1]);
		bad++;
	}
	return bad;
}

static int64_t decode_bytes(bool windows, const unsigned char *p, size_t n, struct buf *out)
{
	int64_t bad = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t cp = windows && p[i] >= 0x80 && p[i] < 0xA0 ? cp1252[p[i] - 0x80] : p[i];

		if (cp == 0 && p[i] != 0) {
			put_bad(out, p[i]);
			bad++;
		} else {
			put(out, cp);
		}
	}
	return bad;
}

int64_t encoding_decode(enum encoding x, const void *bytes, size_t n, struct buf *out)
{
	const unsigned char *p = bytes;
	int64_t good = 0, bad = 0;

	switch (x) {
	case ENCODING_UTF16LE:
	case ENCODING_UTF16BE:
		return decode_utf16(x == ENCODING_UTF16BE, p, n, out);
	case ENCODING_CP1252:
	case ENCODING_LATIN1:
		return decode_bytes(x == ENCODING_CP1252, p, n, out);
	default:
		break;
	}
	if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
		p += 3;
		n -= 3;
	}
	count_utf8(p, n, true, &good, &bad);
	buf_add(out, p, n);
	return bad;
}
