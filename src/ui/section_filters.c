/* The section of filters: lines of the code that decide which data count, each with what was found. */
#include <stdlib.h>
#include <string.h>

#include "section_text.h"

static bool take_bytes(void *ctx, const void *p, size_t n, struct err *e)
{
	struct buf *b = ctx;

	(void)e;
	buf_add(b, p, MIN(n, PYFILTER_CODE_MAX - b->len));
	return b->len < PYFILTER_CODE_MAX;
}

void section_find_filters(struct query *q, int64_t attempt, struct buf *code, struct py_filters *out)
{
	query_code(q, attempt, take_bytes, code, NULL);
	pyfilter_find(code->data ? code->data : "", code->len, out);
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

/* `n` places of one line. */
static void write_line(const struct py_filter *found, size_t n, const struct buf *code, struct buf *out)
{
	size_t begin = out->len, start = found->start, end = found->start;
	const char *line;

	buf_addf(out, "%5u  ", found->line);
	for (size_t i = 0; i < n; i++) {
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again = again || strcmp(found[k].what, found[i].what) == 0;
		if (!again)
			buf_addf(out, "%s%s", i ? ", " : "", found[i].what);
	}
	while (out->len - begin < 28)
		buf_addc(out, ' ');
	buf_adds(out, "  ");
	while (start > 0 && code->data[start - 1] != '\n')
		start--;
	while (end < code->len && code->data[end] != '\n')
		end++;
	line = code->data + start;
	end = trimmed(&line, end - start);
	buf_add(out, line, end);
	buf_addc(out, '\n');
}

void section_write_filters(const struct section_context *c, const struct detail *d, struct buf *out)
{
	struct py_filters found = { 0 };
	struct buf code = { 0 };

	section_find_filters(c->query, d->attempt.id, &code, &found);
	for (size_t i = 0, n; i < found.n; i += n) {
		for (n = 1; i + n < found.n && found.at[i + n].line == found.at[i].line;)
			n++;
		write_line(&found.at[i], n, &code, out);
	}
	if (code.len == PYFILTER_CODE_MAX)
		buf_adds(out, "Only the first MiB of the code was looked at.\n");
	if (out->len == 0)
		buf_adds(out, "Nothing was found that filters data.\n");
	pyfilter_free(&found);
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
