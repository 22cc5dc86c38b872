/* Recorded bytes as text for a model, and what bytes are. */
#include "server.h"
#include "text.h"
#include "text/ansi.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void clean_state(struct buf *out, const char *p, size_t n)
{
	const char *end = p + n;

	while (p < end) {
		const char *esc = memchr(p, '\033', (size_t)(end - p));
		if (!esc)
			esc = end;
		escape_text(out, p, (size_t)(esc - p), ESCAPE_TAB);
		p = esc;
		if (p == end)
			break;
		size_t skip = sgr_length(p, (size_t)(end - p));
		if (skip == 0)
			escape_text(out, p, skip = 1, ESCAPE_ALL);
		p += skip;
	}
}

/* A line that was drawn again (a progress bar) counts as its last state. */
static void clean_one(struct buf *out, const char *p, size_t n)
{
	int64_t earlier = 0;

	while (n > 0 && p[n - 1] == '\r')
		n--;
	for (const char *cr; n > 0 && (cr = memchr(p, '\r', n)); p = cr + 1) {
		earlier += cr > p;
		n -= (size_t)(cr + 1 - p);
	}
	clean_state(out, p, n);
	if (earlier > 0)
		buf_addf(out, " (+%lld earlier states of this line)", (long long)earlier);
}

void clean_text(struct buf *out, const void *p, size_t n)
{
	const char *s = p, *end = s + n;

	while (s < end) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		clean_one(out, s, (size_t)((stop ? stop : end) - s));
		if (stop)
			buf_addc(out, '\n');
		s = stop ? stop + 1 : end;
	}
}

char *clean_line(const char *s)
{
	return escape_text_dup(s ? s : "");
}

char *clean_name(const char *s)
{
	return escape_name_dup(s ? s : "");
}

/* ---- types ---- */

static const struct { const char *magic; size_t at, n; const char *mime; } magics[] = {
	{ "\x89PNG\r\n\x1a\n", 0, 8, "image/png" },
	{ "\xff\xd8\xff", 0, 3, "image/jpeg" },
	{ "GIF87a", 0, 6, "image/gif" },
	{ "GIF89a", 0, 6, "image/gif" },
	{ "WEBPVP8", 8, 7, "image/webp" },
	{ "II*\0", 0, 4, "image/tiff" },
	{ "MM\0*", 0, 4, "image/tiff" },
	{ "%PDF-", 0, 5, "application/pdf" },
};

static const struct { const char *end, *mime; } endings[] = {
	{ ".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
	{ ".csv", "text/csv" }, { ".json", "application/json" }, { ".py", "text/x-python" }, { ".txt", "text/plain" },
	{ ".md", "text/markdown" }, { ".html", "text/html" }, { ".svg", "image/svg+xml" }, { ".png", "image/png" },
	{ ".gif", "image/gif" }, { ".webp", "image/webp" }, { ".bmp", "image/bmp" }, { ".tif", "image/tiff" }, { ".tiff", "image/tiff" },
	{ ".jpg", "image/jpeg" }, { ".jpeg", "image/jpeg" }, { ".pdf", "application/pdf" }, { ".parquet", "application/octet-stream" },
};

const char *mime_of(const char *name, const void *p, size_t n)
{
	size_t len = strlen(name);

	for (size_t i = 0; p && i < ARRAY_LEN(magics); i++)
		if (n >= magics[i].at + magics[i].n && memcmp((const char *)p + magics[i].at, magics[i].magic, magics[i].n) == 0)
			return magics[i].mime;
	for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
		size_t e = strlen(endings[i].end);
		if (len >= e && strcasecmp(name + len - e, endings[i].end) == 0)
			return endings[i].mime;
	}
	if (!p)
		return "application/octet-stream";
	return memchr(p, '\0', n) || !utf8_valid(p, n) ? "application/octet-stream" : "text/plain";
}

bool mime_is_image(const char *mime)
{
	return strcmp(mime, "image/png") == 0 || strcmp(mime, "image/jpeg") == 0 || strcmp(mime, "image/gif") == 0 ||
	       strcmp(mime, "image/webp") == 0;
}

bool mime_is_drawn(const char *mime)
{
	return mime_is_image(mime) || strcmp(mime, "image/bmp") == 0 || strcmp(mime, "image/tiff") == 0;
}
