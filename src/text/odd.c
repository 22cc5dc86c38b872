/* Finding hidden, bidirectional and look-alike characters. */
#include "text/odd.h"

#include <string.h>

#include "text.h"

struct span_range { uint32_t first, last; };

static bool is_in(const struct span_range *table, size_t n, uint32_t cp)
{
	for (size_t i = 0; i < n; i++)
		if (cp >= table[i].first && cp <= table[i].last)
			return true;
	return false;
}

/* Unicode Standard Annex 9, 3: explicit formatting characters and implicit marks. */
static const struct span_range bidi[] = { { 0x061C, 0x061C }, { 0x200E, 0x200F }, { 0x202A, 0x202E }, { 0x2066, 0x2069 } };

static const struct span_range latin[] = {
	{ 'A', 'Z' }, { 'a', 'z' }, { 0x00C0, 0x00D6 }, { 0x00D8, 0x00F6 }, { 0x00F8, 0x024F }, { 0x1E00, 0x1EFF },
};

/* Letters that pass for Latin ones: of Cyrillic, Armenian, Cherokee and Lisu any (there whole words are of one
 * script), of Greek those that look so, wide and mathematical letters (Unicode Technical Standard 39). */
static const struct span_range alike[] = {
	{ 0x0391, 0x0392 }, { 0x0395, 0x0397 }, { 0x0399, 0x039A }, { 0x039C, 0x039D }, { 0x039F, 0x039F }, { 0x03A1, 0x03A1 },
	{ 0x03A4, 0x03A5 }, { 0x03A7, 0x03A7 }, { 0x03B9, 0x03B9 }, { 0x03BD, 0x03BD }, { 0x03BF, 0x03BF }, { 0x03F2, 0x03F3 },
	{ 0x0400, 0x052F }, { 0x0531, 0x0587 }, { 0x13A0, 0x13FF }, { 0x212A, 0x212B }, { 0x2160, 0x217F }, { 0xA4D0, 0xA4F7 },
	{ 0xAB30, 0xABBF }, { 0xFF21, 0xFF3A }, { 0xFF41, 0xFF5A }, { 0x1D400, 0x1D7CB },
};

/* Those that pass for a Latin letter by themselves, so that a whole word of them reads as one (the same standard,
 * 4): "сор" in Cyrillic. Wide and mathematical letters are Latin ones in other clothes. */
static const struct span_range twins[] = {
	{ 0x0391, 0x0392 }, { 0x0395, 0x0397 }, { 0x0399, 0x039A }, { 0x039C, 0x039D }, { 0x039F, 0x039F }, { 0x03A1, 0x03A1 },
	{ 0x03A4, 0x03A5 }, { 0x03A7, 0x03A7 }, { 0x03B9, 0x03B9 }, { 0x03BD, 0x03BD }, { 0x03BF, 0x03BF }, { 0x03F2, 0x03F3 },
	{ 0x0405, 0x0406 }, { 0x0408, 0x0408 }, { 0x0410, 0x0410 }, { 0x0412, 0x0412 }, { 0x0415, 0x0415 }, { 0x041A, 0x041A },
	{ 0x041C, 0x041E }, { 0x0420, 0x0423 }, { 0x0425, 0x0425 }, { 0x0430, 0x0430 }, { 0x0435, 0x0435 }, { 0x043E, 0x043E },
	{ 0x0440, 0x0441 }, { 0x0443, 0x0443 }, { 0x0445, 0x0445 }, { 0x0455, 0x0456 }, { 0x0458, 0x0458 }, { 0x0474, 0x0475 },
	{ 0x04AE, 0x04AF }, { 0x04BA, 0x04BB }, { 0x04C0, 0x04C0 }, { 0x04CF, 0x04CF }, { 0x0501, 0x0501 }, { 0x050C, 0x050C },
	{ 0x051A, 0x051D }, { 0x0555, 0x0555 }, { 0x0570, 0x0570 }, { 0x0578, 0x0578 }, { 0x057D, 0x057D }, { 0x0581, 0x0581 },
	{ 0x0585, 0x0585 }, { 0x13A0, 0x13FF }, { 0x212A, 0x212B }, { 0x2160, 0x217F }, { 0xA4D0, 0xA4F7 }, { 0xAB70, 0xABBF },
	{ 0xFF21, 0xFF3A }, { 0xFF41, 0xFF5A }, { 0x1D400, 0x1D7CB },
};

#define ODD_TWIN 0x80 /* of a word of twins: whether it is odd its line tells */

/* The line and the word that are being read. */
struct word {
	struct odd_span *out;
	size_t max, n;
	size_t first;      /* of its look-alikes among out */
	size_t letters;
	bool has_latin, has_greek, has_other; /* letters of each kind; other: no twin of any */
	bool inside;
	size_t line;       /* first of the line's among out */
	bool has_twins;    /* the line has such words */
	bool has_language; /* and words that can be nothing but of another script */
};

/* A single Greek letter is a name that people who calculate use. */
static bool is_of_twins(const struct word *w)
{
	return !w->has_other && w->n > w->first && !(w->has_greek && w->letters == 1);
}

static void end_word(struct word *w)
{
	if (w->inside && !w->has_latin) {
		if (is_of_twins(w)) {
			for (size_t i = w->first; i < w->n; i++)
				w->out[i].kind |= w->out[i].kind == ODD_ALIKE ? ODD_TWIN : 0;
			w->has_twins = true;
		} else {
			w->n = w->first; /* a language of its own */
			w->has_language = w->has_language || w->has_other;
		}
	}
	w->inside = w->has_latin = w->has_greek = w->has_other = false;
	w->letters = 0;
}

/* Among words of its own language a word of twins is one of them; among Latin ones it deceives. */
static void end_line(struct word *w)
{
	size_t kept = w->line;

	for (size_t i = w->line; w->has_twins && i < w->n; i++) {
		bool twin = w->out[i].kind & ODD_TWIN;

		w->out[i].kind &= (uint8_t)~ODD_TWIN;
		if (!twin || !w->has_language)
			w->out[kept++] = w->out[i];
	}
	if (w->has_twins)
		w->n = kept;
	w->line = w->n;
	w->has_twins = w->has_language = false;
}

static void add(struct word *w, size_t start, size_t len, enum odd_kind kind)
{
	if (w->n < w->max)
		w->out[w->n++] = (struct odd_span){ start, len, (uint8_t)kind };
}

static bool is_word_part(uint32_t cp)
{
	return (cp >= '0' && cp <= '9') || cp == '_';
}

static bool is_of_emoji(uint32_t cp, uint32_t before)
{
	return (cp == 0xFE0F || cp == 0xFE0E || cp == 0x200D) && before >= 0x2000;
}

/* Bytes of ASCII from `at` on. */
static size_t ascii_run(const char *p, size_t n, size_t at)
{
	size_t from = at;
	uint64_t eight;

	for (; at + 8 <= n; at += 8) {
		memcpy(&eight, p + at, 8);
		if (eight & UINT64_C(0x8080808080808080))
			break;
	}
	while (at < n && !(p[at] & 0x80))
		at++;
	return at - from;
}

static void take_letter(struct word *w, size_t at, size_t len, uint32_t cp)
{
	if (!w->inside) {
		w->inside = true;
		w->first = w->n;
	}
	w->letters++;
	if (is_in(latin, ARRAY_LEN(latin), cp)) {
		w->has_latin = true;
		return;
	}
	w->has_greek = w->has_greek || (cp >= 0x370 && cp < 0x400);
	w->has_other = w->has_other || !is_in(twins, ARRAY_LEN(twins), cp);
	if (is_in(alike, ARRAY_LEN(alike), cp))
		add(w, at, len, ODD_ALIKE);
}

/* How far back a word of ASCII reaches that ends at `at`. */
static bool ends_in_latin_word(const char *p, size_t from, size_t at)
{
	for (; at > from; at--) {
		char c = p[at - 1];
		if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))
			return true;
		if (!is_word_part((unsigned char)c))
			return false;
	}
	return false;
}

/* *done: bytes looked at. */
static size_t find(const char *p, size_t n, struct odd_span *out, size_t max, size_t *done)
{
	struct word w = { .out = out, .max = max };
	uint32_t before = 0;
	size_t at = 0;

	while (at < n && w.n < max) {
		size_t run = ascii_run(p, n, at), len;
		uint32_t cp;

		if (run) {
			for (size_t i = 0; w.inside && i < run; i++) {
				if (is_in(latin, 2, (unsigned char)p[at + i]))
					w.has_latin = true;
				else if (!is_word_part((unsigned char)p[at + i]))
					end_word(&w);
			}
			if (!w.inside && at + run < n && ends_in_latin_word(p, at, at + run)) {
				w.inside = w.has_latin = true;
				w.first = w.n;
			}
			if ((w.has_twins || w.has_language) && memchr(p + at, '\n', run))
				end_line(&w);
			at += run;
			before = (unsigned char)p[at - 1];
			continue;
		}
		len = utf8_decode(p + at, n - at, &cp);
		if (len == 0) {
			end_word(&w);
			at++;
			continue;
		}
		if (is_in(bidi, ARRAY_LEN(bidi), cp)) {
			end_word(&w);
			add(&w, at, len, ODD_BIDI);
		} else if (utf8_is_hidden(cp)) {
			if (!(cp == 0xFEFF && at == 0) && !is_of_emoji(cp, before)) {
				end_word(&w);
				add(&w, at, len, ODD_HIDDEN);
			}
		} else if (is_in(latin, ARRAY_LEN(latin), cp) || is_in(alike, ARRAY_LEN(alike), cp) || (cp >= 0x370 && cp < 0x2000)) {
			take_letter(&w, at, len, cp);
		} else {
			end_word(&w);
			w.has_language = w.has_language || (cp >= 0x2E80 && cp < 0xA4D0); /* wide letters are at home there */
		}
		before = cp;
		at += len;
	}
	end_word(&w);
	end_line(&w);
	*done = at;
	return w.n;
}

size_t odd_find(const char *p, size_t n, struct odd_span *out, size_t max)
{
	size_t done;

	return find(p, n, out, max, &done);
}

#define PIECE 512

void odd_count(struct odd_sum *sum, const char *p, size_t n)
{
	struct odd_span found[PIECE];

	while (n > 0) {
		size_t done, got = find(p, n, found, PIECE, &done);

		for (size_t i = 0; i < got; i++) {
			sum->hidden += found[i].kind == ODD_HIDDEN;
			sum->bidi += found[i].kind == ODD_BIDI;
			sum->alike += found[i].kind == ODD_ALIKE;
		}
		p += done;
		n -= done;
	}
}
