/* What a look at the bytes of an attempt tells before anybody reads them. */
#include "reviewing.h"

#include "text.h"
#include "text/lines.h"
#include "text/odd.h"
#include "text/pyfilter.h"

#include <stdlib.h>
#include <string.h>

#define CODE_MAX PYFILTER_CODE_MAX
#define STREAM_MAX ((size_t)64 << 10) /* of each stream: its beginning */

static bool take_bytes(void *ctx, const void *p, size_t n, struct err *e)
{
	struct buf *b = ctx;

	(void)e;
	buf_add(b, p, MIN(n, CODE_MAX - b->len));
	return b->len < CODE_MAX;
}

/* Lines that hold some. */
static int64_t count_filters(const struct buf *code)
{
	struct py_filters found = { 0 };
	int64_t lines = 0;

	pyfilter_find(code->data ? code->data : "", code->len, &found);
	for (size_t i = 0; i < found.n; i++)
		lines += i == 0 || found.at[i].line != found.at[i - 1].line;
	pyfilter_free(&found);
	return lines;
}

static bool look_at_code(struct query *q, int64_t attempt, struct oddities *out, struct err *e)
{
	struct buf code = { 0 };
	struct odd_sum sum = { 0 };
	struct err fault = { 0 };
	bool ok = query_code(q, attempt, take_bytes, &code, &fault) || code.len == CODE_MAX;

	if (!ok && e)
		*e = fault;
	out->code_lines = -1;
	if (ok) {
		odd_count(&sum, code.data ? code.data : "", code.len);
		out->code_hidden = sum.hidden;
		out->code_bidi = sum.bidi;
		out->code_alike = sum.alike;
		out->filters = count_filters(&code);
		if (code.len < CODE_MAX)
			out->code_lines = (int64_t)lines_breaks(code.data ? code.data : "", code.len) +
			                  (code.len > 0 && code.data[code.len - 1] != '\n');
	}
	buf_free(&code);
	return ok;
}

static bool take_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	struct buf *b = ctx;

	(void)e;
	buf_add(b, c->bytes, MIN(c->len, STREAM_MAX - b->len));
	return b->len < STREAM_MAX;
}

static void look_at_streams(struct query *q, int64_t attempt, struct oddities *out)
{
	for (int stream = STREAM_OUT; stream <= STREAM_ERR; stream++) {
		struct buf text = { 0 };
		struct odd_sum sum = { 0 };

		query_chunks(q, attempt, stream, take_chunk, &text, NULL);
		odd_count(&sum, text.data ? text.data : "", text.len);
		out->out_hidden += sum.hidden;
		out->out_bidi += sum.bidi;
		out->out_alike += sum.alike;
		buf_free(&text);
	}
}

static int64_t count_names(const struct entry *entries, size_t n)
{
	int64_t odd = 0;

	for (size_t i = 0; i < n; i++) {
		struct odd_sum sum = { 0 };

		odd_count(&sum, entries[i].path, strlen(entries[i].path));
		odd += sum.hidden + sum.bidi + sum.alike > 0;
	}
	return odd;
}

bool query_oddities(struct query *q, const struct detail *d, bool streams, struct oddities *out, struct err *e)
{
	*out = (struct oddities){ .code_lines = -1 };
	if (!look_at_code(q, d->attempt.id, out, e))
		return false;
	if (streams)
		look_at_streams(q, d->attempt.id, out);
	out->names = count_names(d->inputs, d->inputs_n) + count_names(d->artifacts, d->artifacts_n);
	return true;
}

bool oddities_any(const struct oddities *o)
{
	return o->code_hidden + o->code_bidi + o->code_alike + o->out_hidden + o->out_bidi + o->out_alike + o->names > 0;
}

static void add(struct buf *out, int64_t n, const char *one, const char *many)
{
	if (n > 0)
		buf_addf(out, "%s%lld %s", out->len ? ", " : "", (long long)n, n == 1 ? one : many);
}

void oddities_text(const struct oddities *o, struct buf *out)
{
	add(out, o->code_hidden, "hidden character in the code", "hidden characters in the code");
	add(out, o->code_bidi, "character of direction in the code", "characters of direction in the code");
	add(out, o->code_alike, "look-alike letter in the code", "look-alike letters in the code");
	add(out, o->out_hidden, "hidden character in the output", "hidden characters in the output");
	add(out, o->out_bidi, "character of direction in the output", "characters of direction in the output");
	add(out, o->out_alike, "look-alike letter in the output", "look-alike letters in the output");
	add(out, o->names, "file name with such characters", "file names with such characters");
}
