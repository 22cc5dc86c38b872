/* Addresses of what the record and the folder hold. */
#include "server.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define ATTEMPT "tickmark://attempt/"
#define FILES "tickmark://file/"

/* RFC 3986: unreserved characters and the slash stay, every other byte is escaped. */
static void encode(struct buf *b, const char *s)
{
	for (; *s; s++)
		if (isalnum((unsigned char)*s) || strchr("-._~/", *s))
			buf_addc(b, *s);
		else
			buf_addf(b, "%%%02X", (unsigned char)*s);
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Owned; NULL for what is no escape, and for NULs. */
static char *decode(const char *s)
{
	struct buf b = { 0 };

	for (; *s; s++) {
		int c = (unsigned char)*s;
		if (c == '%') {
			int high = hex(s[1]), low = high >= 0 ? hex(s[2]) : -1;
			c = low >= 0 ? high * 16 + low : 0;
			s += 2;
		}
		if (c == 0) {
			buf_free(&b);
			return NULL;
		}
		buf_addc(&b, (char)c);
	}
	return buf_take(&b);
}

char *uri_attempt(const char *ref, const char *word, const char *path)
{
	struct buf b = { 0 };

	buf_addf(&b, ATTEMPT "%s", ref);
	if (word)
		buf_addf(&b, "/%s", word);
	if (path) {
		buf_addc(&b, '/');
		encode(&b, path);
	}
	return buf_take(&b);
}

char *uri_file(const char *path)
{
	struct buf b = { 0 };

	buf_adds(&b, FILES);
	encode(&b, path);
	return buf_take(&b);
}

static bool parse_attempt(const char *s, struct uri *out)
{
	size_t n = strcspn(s, "/");

	if (n == 0 || n >= sizeof(out->ref))
		return false;
	memcpy(out->ref, s, n);
	out->ref[n] = '\0';
	s += n;
	out->kind = URI_ATTEMPT;
	if (*s == '\0')
		return true;
	out->kind = strncmp(s, "/file/", 6) == 0 ? URI_ARTIFACT : URI_SECTION;
	out->rest = decode(s + (out->kind == URI_ARTIFACT ? 6 : 1));
	return out->rest && *out->rest;
}

bool uri_parse(const char *text, struct uri *out)
{
	bool ok = false;

	*out = (struct uri){ 0 };
	if (strncmp(text, ATTEMPT, strlen(ATTEMPT)) == 0) {
		ok = parse_attempt(text + strlen(ATTEMPT), out);
	} else if (strncmp(text, FILES, strlen(FILES)) == 0) {
		out->kind = URI_FILE;
		out->rest = decode(text + strlen(FILES));
		ok = out->rest && *out->rest;
	}
	if (!ok)
		uri_free(out);
	return ok;
}

void uri_free(struct uri *u)
{
	free(u->rest);
	*u = (struct uri){ 0 };
}
