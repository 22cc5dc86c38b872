/*
 * Code and streams as part of a page: every line indented. A terminal gets the beginning and the end
 * of what is long, with a line that says how much is between and how to see it; a pipe gets all.
 */
#include "cmd.h"

#include <stdlib.h>
#include <string.h>

#define HEAD_LINES 40
#define TAIL_LINES 20
#define LINE_MAX_TTY ((size_t)4000) /* bytes shown of one line on a terminal */
#define INDENT "  "

struct excerpt {
	FILE *f;
	bool cut;          /* something is left out */
	size_t lines;      /* in all, as far as they were counted */
	size_t at;         /* number of the line that is being read */
	struct buf line;   /* its bytes so far */
	size_t line_bytes; /* seen of it, kept or not */
	char *hint;        /* how to see the whole; owned */
	unsigned how;      /* enum excerpt_how */
};

static bool count_bytes(void *ctx, const void *p, size_t n, struct err *e)
{
	struct excerpt *x = ctx;
	const char *s = p, *end = s + n;

	(void)e;
	for (; n > 0 && (s = memchr(s, '\n', (size_t)(end - s))); s++)
		x->lines++;
	return true;
}

static bool is_short(const struct excerpt *x)
{
	return console_is_tty(x->f) && !(x->how & EXCERPT_WHOLE);
}

static bool is_shown(const struct excerpt *x)
{
	return !x->cut || x->at < HEAD_LINES || x->at >= x->lines - TAIL_LINES;
}

static void end_line(struct excerpt *x)
{
	struct buf text = { 0 };

	if (is_shown(x)) {
		console_output(x->f, &text, x->line.data ? x->line.data : "", x->line.len);
		if (x->how & EXCERPT_NUMBERS)
			fprintf(x->f, "%6zu" INDENT, x->at + 1);
		else
			fputs(INDENT, x->f);
		fwrite(text.data ? text.data : "", 1, text.len, x->f);
		if (x->line_bytes > x->line.len)
			fprintf(x->f, " [%zu bytes more: %s]", x->line_bytes - x->line.len, x->hint);
		putc('\n', x->f);
		buf_free(&text);
	} else if (x->at == HEAD_LINES) {
		fprintf(x->f, INDENT "[%zu lines more: %s]\n", x->lines - HEAD_LINES - TAIL_LINES, x->hint);
	}
	x->at++;
	buf_clear(&x->line);
	x->line_bytes = 0;
}

static bool show_bytes(void *ctx, const void *p, size_t n, struct err *e)
{
	struct excerpt *x = ctx;
	const char *s = p, *end = s + n;
	size_t most = is_short(x) ? LINE_MAX_TTY : SIZE_MAX;

	(void)e;
	while (n > 0 && s < end) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		size_t len = (size_t)((stop ? stop : end) - s);

		if (is_shown(x) && x->line.len < most)
			buf_add(&x->line, s, MIN(len, most - x->line.len));
		x->line_bytes += len;
		if (stop)
			end_line(x);
		s += len + (stop != NULL);
	}
	return true;
}

static bool count_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	return count_bytes(ctx, c->bytes, c->len, e);
}

static bool show_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	struct excerpt *x = ctx;

	if (c->gap > 0) {
		if (x->line_bytes > 0)
			end_line(x);
		fprintf(x->f, INDENT "[%lld bytes are not in the record]\n", (long long)c->gap);
	}
	return show_bytes(x, c->bytes, c->len, e);
}

static void begin(struct excerpt *x)
{
	x->cut = is_short(x) && x->lines > HEAD_LINES + TAIL_LINES + 20;
}

static bool finish(struct excerpt *x, bool ok)
{
	if (ok && x->line_bytes > 0)
		end_line(x);
	buf_free(&x->line);
	free(x->hint);
	return ok;
}

bool excerpt_code(FILE *f, struct query *q, int64_t attempt, const char *ref, unsigned how, struct err *e)
{
	struct excerpt x = { .f = f, .hint = xasprintf("tickmark show %s --code", ref), .how = how };

	if (!query_code(q, attempt, count_bytes, &x, e))
		return finish(&x, false);
	begin(&x);
	return finish(&x, query_code(q, attempt, show_bytes, &x, e));
}

bool excerpt_stream(FILE *f, struct query *q, int64_t attempt, enum stream_id stream, const char *ref, unsigned how, struct err *e)
{
	struct excerpt x = {
		.f = f, .hint = xasprintf("tickmark show %s --%s", ref, stream == STREAM_OUT ? "stdout" : "stderr"),
		.how = how,
	};

	if (!query_chunks(q, attempt, stream, count_chunk, &x, e))
		return finish(&x, false);
	begin(&x);
	return finish(&x, query_chunks(q, attempt, stream, show_chunk, &x, e));
}
