/* Frames of a traceback that lie in the script itself; those of libraries are not in the record. */
#include "traceback.h"

#include <stdlib.h>
#include <string.h>

#include "model/source.h"

#define TAIL ((int64_t)64 << 10)

/* The script stands below the folder of the run, which may itself be shown as a link to it. */
static bool is_script(const struct detail *d, const char *p, size_t n)
{
	const char *script = d->attempt.script;
	size_t len = script ? strlen(script) : 0, box = d->attempt.box ? strlen(d->attempt.box) : 0;

	if (len == 0 || n < len || memcmp(p + n - len, script, len) != 0)
		return false;
	if (n == len)
		return true;
	n -= len;
	return p[n - 1] == '/' && ((n - 1 == box && memcmp(p, d->attempt.box, box) == 0) ||
	                           (n == 10 && memcmp(p, "/mnt/data/", 10) == 0));
}

int64_t traceback_line(const struct detail *d, const char *p, size_t n)
{
	static const char begin[] = "File \"", middle[] = "\", line ";
	const char *at = memmem(p, n, begin, sizeof(begin) - 1), *quote;
	int64_t line = 0;

	if (!at)
		return 0;
	at += sizeof(begin) - 1;
	quote = memmem(at, n - (size_t)(at - p), middle, sizeof(middle) - 1);
	if (!quote || !is_script(d, at, (size_t)(quote - at)))
		return 0;
	for (at = quote + sizeof(middle) - 1; at < p + n && *at >= '0' && *at <= '9' && line < INT32_MAX; at++)
		line = line * 10 + (*at - '0');
	return line;
}

int64_t traceback_last(struct source_record *r, const struct detail *d)
{
	struct source_spec spec = { .kind = SOURCE_STREAM, .attempt = d->attempt.id, .stream = STREAM_ERR };
	struct source *s = source_open(r, &spec, NULL);
	int64_t size = s ? source_size(s) : 0, n = MIN(size, TAIL), got = 0, last = 0;
	char *bytes = xmalloc((size_t)n + 1);

	if (n > 0)
		got = source_read(s, size - n, bytes, (size_t)n);
	for (int64_t at = 0; at < got;) {
		const char *lf = memchr(bytes + at, '\n', (size_t)(got - at));
		int64_t end = lf ? lf - bytes : got, line = traceback_line(d, bytes + at, (size_t)(end - at));

		last = line ? line : last;
		at = end + 1;
	}
	free(bytes);
	source_close(s);
	return last;
}
