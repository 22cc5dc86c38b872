/* Which files programs outside may open, and under what name. */
#include "outside.h"

#include <stdlib.h>
#include <string.h>

#define TEXTS " txt csv tsv tab psv md rst log json jsonl ndjson geojson xml yaml yml toml ini cfg tex bib "

enum { DANGEROUS = 1, IN_TEXT = 2 };

/* `names` are the endings that agree with the bytes, between blanks. `ending` is what another name gets. */
static const struct kind {
	const char *magic;
	const char *type;
	const char *names;
	const char *ending;
	int flags; /* IN_TEXT: whatever the case of its letters, and behind blanks or a byte order mark */
} kinds[] = {
	{ "\x89PNG\r\n\x1a\n", "PNG image", " png ", ".png", 0 },
	{ "\xff\xd8\xff", "JPEG image", " jpg jpeg ", ".jpg", 0 },
	{ "GIF8", "GIF image", " gif ", ".gif", 0 },
	{ "%PDF-", "PDF document", " pdf ", ".pdf", 0 },
	{ "PK\x03\x04", "ZIP archive or office document", " zip xlsx docx pptx ods odt odp npz ", ".zip", 0 },
	{ "\x1f\x8b", "gzip archive", " gz tgz ", ".gz", 0 },
	{ "\x7f" "ELF", "PROGRAM for this machine", NULL, NULL, DANGEROUS },
	{ "MZ", "PROGRAM for Windows", NULL, NULL, DANGEROUS },
	{ "#!", "SCRIPT that would be run", NULL, NULL, DANGEROUS },
	{ "[desktop entry]", "LAUNCHER that would start a program", NULL, NULL, DANGEROUS | IN_TEXT },
	{ "<svg", "SVG image (may hold scripts)", " svg ", ".txt", IN_TEXT },
	{ "<!doctype", "HTML page (may hold scripts)", " html htm ", ".txt", IN_TEXT },
	{ "<html", "HTML page (may hold scripts)", " html htm ", ".txt", IN_TEXT },
};
static const struct kind text = { "", "text", TEXTS "html htm svg ", ".txt", 0 };
/* Of other bytes no ending is known that would be right. */
static const struct kind other = { "", "binary data", TEXTS "parquet feather arrow npy h5 hdf5 sqlite db dat bin bmp tif tiff webp ", NULL, 0 };

static bool begins(const struct kind *k, const char *p, size_t n)
{
	size_t len = strlen(k->magic);

	if (!(k->flags & IN_TEXT))
		return n >= len && memcmp(p, k->magic, len) == 0;
	if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
		p += 3;
		n -= 3;
	}
	while (n > 0 && strchr(" \t\r\n", *p) && *p) {
		p++;
		n--;
	}
	return n >= len && strncasecmp(p, k->magic, len) == 0;
}

static const struct kind *kind_of(const char *p, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (begins(&kinds[i], p, n))
			return &kinds[i];
	return memchr(p, 0, n) ? &other : &text;
}

static bool agrees(const struct kind *k, const char *name)
{
	const char *dot = strrchr(name, '.');
	char *ending = dot && dot != name && !strpbrk(dot, " ") ? xasprintf(" %s ", dot + 1) : NULL;
	bool is = ending && strcasestr(k->names, ending);

	free(ending);
	return is;
}

bool outside_judge(const char *name, const char *head, size_t n, struct outside *out, struct err *e)
{
	const struct kind *k = kind_of(head, n);

	*out = (struct outside){ .type = k->type, .ending = "" };
	if (k->flags & DANGEROUS)
		return err_set(e, ERR_INPUT, "not opened: by its first bytes this is a %s; s saves it", k->type);
	if (agrees(k, name))
		return true;
	if (!k->ending)
		return err_set(e, ERR_INPUT, "not opened: it is binary data, and what programs outside do with such a name is not known; s saves it");
	out->ending = k->ending;
	return true;
}
