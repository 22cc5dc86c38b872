/*
 * text/secret: output that looks like a secret (keys of well-known services, private keys, tokens, values
 * of variables that are named so), to be pointed at, never altered. Guesses by form alone.
 */
#ifndef TICKMARK_TEXT_SECRET_H
#define TICKMARK_TEXT_SECRET_H

#include "base.h"

#define SECRET_SPAN 160                /* bytes that a form may need to be known */
#define SECRET_LOOKED ((int64_t)4 << 20) /* bytes of a stream that are looked at */

/* A stream that comes in pieces; zero at its beginning. */
struct secret_scan {
	const char *kind;  /* "a GitHub token"; NULL: none found so far */
	int64_t line;      /* of it, from 1 */
	int64_t breaks;    /* line ends seen */
	int64_t seen;      /* bytes */
	char carry[SECRET_SPAN]; /* the last bytes, for what lies across pieces */
	size_t carry_n;
};
/* Only the first find counts; later pieces cost nothing then, nor those behind SECRET_LOOKED. */
void secret_feed(struct secret_scan *s, const void *p, size_t n);

#endif
