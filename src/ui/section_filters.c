/* The section of filters: lines of the code that decide which data count, each with what was found. */
#include <stdlib.h>
#include <string.h>

#include "section_text.h"
#include "text/pyfilter.h"

#define CODE_MAX ((size_t)1 << 20)

static bool take_bytes(void *ctx, const void *p, size_t n, struct err *e)
{
	struct buf *b = ctx;

	(void)e;
	buf_add(b, p, MIN(n, CODE_MAX - b->len));
	return b->len < CODE_MAX;
}

static size_t trimmed(const char **p, size_t n)
{
	while (n && (**p == ' ' || **p == '\t')) {
		++*p;
		n--;
	}
	while (n && ((*p)[n - 1] == '\n' || (*p)[n - 1] == '\r' || (*p)[n - 1] == ' '))
		n--;
	return n;
}

static void write_line(int64_t number, const struct py_filter *found, size_t n, const char *line, size_t len, struct buf *out)
{
	size_t begin = out->len;

	buf_addf(out, "%5lld  ", (long long)number);
	for (size_t i = 0; i < n; i++) {
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again = again || found[k].what == found[i].what;
		if (!again)
			buf_addf(out, "%s%s", i ? ", " : "", found[i].what);
	}
	while (out->len - begin < 28)
		buf_addc(out, ' ');
	buf_adds(out, "  ");
	len = trimmed(&line, len);
	buf_add(out, line, len);
	buf_addc(out, '\n');
}

void section_write_filters(const struct section_context *c, const struct detail *d, struct buf *out)
{
	struct pyfilter_state st = { 0 };
	struct py_filter found[16];
	struct buf code = { 0 };
	int64_t number = 0;

	query_code(c->query, d->attempt.id, take_bytes, &code, NULL);
	for (size_t at = 0; at < code.len;) {
		const char *lf = memchr(code.data + at, '\n', code.len - at);
		size_t len = lf ? (size_t)(lf + 1 - code.data) - at : code.len - at;
		size_t n = pyfilter_line(&st, code.data + at, len, found, ARRAY_LEN(found));

		number++;
		if (n > 0)
			write_line(number, found, n, code.data + at, len, out);
		at += len;
	}
	if (code.len == CODE_MAX)
		buf_adds(out, "Only the first MiB of the code was looked at.\n");
	if (out->len == 0)
		buf_adds(out, "Nothing was found that filters data.\n");
	buf_free(&code);
}

int64_t section_filter_line(const char *row, size_t n)
{
	int64_t line = 0;
	size_t at = 0;

	while (at < n && row[at] == ' ')
		at++;
	for (; at < n && row[at] >= '0' && row[at] <= '9' && line < INT32_MAX; at++)
		line = line * 10 + (row[at] - '0');
	return line;
}
