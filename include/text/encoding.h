/*
 * text/encoding: bytes of a file as UTF-8. The file itself is never touched; what the encoding cannot say
 * stays as the bytes it is, which are shown as such.
 */
#ifndef TICKMARK_TEXT_ENCODING_H
#define TICKMARK_TEXT_ENCODING_H

#include "base.h"

/* Those that are guessed and gone through; behind them those that iconv(3) reads where they are asked for by name. */
enum encoding { ENCODING_UTF8, ENCODING_UTF16LE, ENCODING_UTF16BE, ENCODING_UTF32LE, ENCODING_UTF32BE, ENCODING_CP1252, ENCODING_LATIN1,
	ENCODING_COMMON };
const char *encoding_word(enum encoding x); /* "UTF-8", "Windows-1252"; NULL behind the last one */
/* Without regard to case and hyphens. False: none of these, or this machine cannot read it. */
bool encoding_parse(const char *word, enum encoding *out);

struct encoding_guess {
	enum encoding encoding;
	bool marked;       /* by a byte order mark: not guessed */
	bool guessed;      /* nothing but the bytes speaks for it; ASCII and whole UTF-8 are no guess */
	bool binary;       /* this is no text */
	int64_t bad;       /* bytes that it cannot say */
};
/* Looks at the bytes given. `whole`: the file ends with them. */
struct encoding_guess encoding_guess(const void *p, size_t n, bool whole);
/* Adds the text without its byte order mark; returns how many bytes or code units it could not say. */
int64_t encoding_decode(enum encoding x, const void *p, size_t n, struct buf *out);

#endif
