/* Guessing and decoding. */
#include "text/encoding.h"

#include <errno.h>
#include <iconv.h>
#include <string.h>
#include <strings.h>

#include "text.h"

/* From ENCODING_COMMON on as iconv calls them. */
static const char *const words[] = {
	[ENCODING_UTF8] = "UTF-8", [ENCODING_UTF16LE] = "UTF-16LE", [ENCODING_UTF16BE] = "UTF-16BE",
	[ENCODING_UTF32LE] = "UTF-32LE", [ENCODING_UTF32BE] = "UTF-32BE",
	[ENCODING_CP1252] = "Windows-1252", [ENCODING_LATIN1] = "ISO-8859-1",
	"Windows-1250", "Windows-1251", "Windows-1253", "Windows-1254", "Windows-1255", "Windows-1256", "Windows-1257", "ISO-8859-2",
	"ISO-8859-5", "ISO-8859-7", "ISO-8859-9", "ISO-8859-15", "IBM437", "IBM850", "IBM852", "KOI8-R", "Macintosh", "Shift_JIS", "EUC-JP",
	"GB18030", "Big5", "EUC-KR",
};

/* WHATWG Encoding, index windows-1252: 0x80 to 0x9F; 0: not assigned. */
static const uint16_t cp1252[32] = {
	0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
	0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
};

const char *encoding_word(enum encoding x)
{
	return (size_t)x < ARRAY_LEN(words) ? words[x] : NULL;
}

static bool is_readable(enum encoding x)
{
	if (x < ENCODING_COMMON)
		return true;
	iconv_t cd = iconv_open("UTF-8", words[x]);

	return cd != (iconv_t)-1 && iconv_close(cd) == 0;
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
	} others[] = { { "latin1", ENCODING_LATIN1 }, { "cp1252", ENCODING_CP1252 }, { "ansi", ENCODING_CP1252 }, { "utf16", ENCODING_UTF16LE },
		      { "utf32", ENCODING_UTF32LE } };
	static const char *const prefixes[] = { "", "Windows-", "ISO-", "IBM" }; /* "cp1250", "8859-2", "cp852" */
	bool code_page = strncasecmp(word, "cp", 2) == 0;

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		for (size_t k = 0; k < ARRAY_LEN(prefixes); k++) {
			size_t n = strlen(prefixes[k]);

			if (strncmp(words[i], prefixes[k], n) != 0 || !same_word(k && code_page ? word + 2 : word, words[i] + n))
				continue;
			*out = (enum encoding)i;
			return is_readable(*out);
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
	else if (n >= 4 && (memcmp(p, "\xff\xfe\0\0", 4) == 0 || memcmp(p, "\0\0\xfe\xff", 4) == 0))
		return (struct encoding_guess){ .encoding = p[0] ? ENCODING_UTF32LE : ENCODING_UTF32BE, .marked = true };
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

/* A byte that stays what it is: alone it is no UTF-8. One that would be a character is written as the others are
 * shown, so that it neither passes for text nor ends a line. */
static void put_bad(struct buf *out, unsigned char b)
{
	if (b < 0x80)
		buf_addf(out, "\\x%02x", b);
	else
		buf_addc(out, (char)b);
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

static int64_t decode_utf32(bool big, const unsigned char *p, size_t n, struct buf *out)
{
	int64_t bad = 0;
	size_t i = 0;

	for (; i + 3 < n; i += 4) {
		uint32_t u = big ? (uint32_t)p[i] << 24 | (uint32_t)p[i + 1] << 16 | (uint32_t)p[i + 2] << 8 | p[i + 3]
		                 : (uint32_t)p[i + 3] << 24 | (uint32_t)p[i + 2] << 16 | (uint32_t)p[i + 1] << 8 | p[i];

		if (i == 0 && u == 0xFEFF)
			continue;
		if (u < 0xD800 || (u >= 0xE000 && u < 0x110000)) {
			put(out, u);
			continue;
		}
		for (size_t k = 0; k < 4; k++)
			put_bad(out, p[i + k]);
		bad++;
	}
	bad += i < n;
	for (; i < n; i++)
		put_bad(out, p[i]);
	return bad;
}

#define KEPT_MOST 16 /* bytes of UTF-8 that iconv may hold back */

static int64_t decode_others(const char *name, const unsigned char *p, size_t n, struct buf *out)
{
	iconv_t cd = iconv_open("UTF-8", name);
	char *in = (char *)(uintptr_t)p; /* iconv does not write there */
	int64_t bad = 0;

	while (n > 0) {
		char piece[4096], *to = piece;
		size_t room = sizeof(piece) - KEPT_MOST;
		bool stuck = cd == (iconv_t)-1 || (iconv(cd, &in, &n, &to, &room) == (size_t)-1 && errno != E2BIG);

		/* some keep a letter until they know what stands behind it */
		room += KEPT_MOST;
		if (cd != (iconv_t)-1 && (stuck || n == 0))
			(void)iconv(cd, NULL, NULL, &to, &room);
		buf_add(out, piece, (size_t)(to - piece));
		if (!stuck || n == 0)
			continue;
		put_bad(out, (unsigned char)*in++);
		n--;
		bad++;
	}
	if (cd != (iconv_t)-1)
		iconv_close(cd);
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
	case ENCODING_UTF32LE:
	case ENCODING_UTF32BE:
		return decode_utf32(x == ENCODING_UTF32BE, p, n, out);
	case ENCODING_UTF8:
		break;
	default:
		return decode_others(words[x], p, n, out);
	}
	if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
		p += 3;
		n -= 3;
	}
	count_utf8(p, n, true, &good, &bad);
	buf_add(out, p, n);
	return bad;
}
