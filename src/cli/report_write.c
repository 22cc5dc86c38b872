/* Writing a report, with the texts of one attempt at a time. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_MAX ((size_t)64 << 10) /* bytes of code and of each stream */
#define AT_ONCE ((size_t)256 << 10) /* bytes that wait for being written */

static bool take_bytes(void *ctx, const void *p, size_t n, struct err *e)
{
	struct buf *b = ctx;

	(void)e;
	buf_add(b, p, MIN(n, TEXT_MAX + 1 - b->len));
	return b->len <= TEXT_MAX;
}

static bool take_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	struct buf *b = ctx;

	if (c->gap)
		buf_addf(b, "\n[%lld bytes not kept]\n", (long long)c->gap);
	return b->len <= TEXT_MAX && take_bytes(b, c->bytes, c->len, e);
}

/* Visible text, with what is left out, or cannot be read, said in its place. */
static char *as_text(struct buf *raw, int64_t bytes, const struct err *e)
{
	struct buf out = { 0 };
	size_t n = MIN(raw->len, TEXT_MAX);
	char of[48] = " bytes";

	if (bytes)
		snprintf(of, sizeof(of), " of %lld bytes", (long long)bytes);
	while (n > 0 && raw->len > TEXT_MAX && (raw->data[n] & 0xC0) == 0x80)
		n--;
	escape_text(&out, raw->data ? raw->data : "", n, ESCAPE_NEWLINE | ESCAPE_TAB);
	if (raw->len > n)
		buf_addf(&out, "\n[the first %zu%s; tickmark show has the rest]", n, of);
	if (e->code)
		buf_addf(&out, "\n[cannot be read: %s]", e->msg);
	buf_free(raw);
	return buf_take(&out);
}

static char *stream_text(struct cmd *c, int64_t attempt, int stream, int64_t bytes)
{
	struct buf raw = { 0 };
	struct err e = { 0 };

	query_chunks(c->query, attempt, stream, take_chunk, &raw, &e);
	return as_text(&raw, bytes, &e);
}

static struct report_texts take_texts(struct cmd *c, const struct report *r, const struct report_row *row)
{
	struct report_texts t = { 0 };
	struct buf raw = { 0 };
	struct err e = { 0 };

	if (r->code) {
		query_code(c->query, row->attempt, take_bytes, &raw, &e);
		t.code = as_text(&raw, 0, &e);
	}
	if (r->out)
		t.out = stream_text(c, row->attempt, STREAM_OUT, row->out_bytes);
	if (r->err)
		t.err = stream_text(c, row->attempt, STREAM_ERR, row->err_bytes);
	return t;
}

static bool flush(struct buf *out, size_t above, int fd, struct err *e)
{
	if (out->len <= above)
		return true;
	bool ok = fs_write_fd(fd, out->data, out->len, "the report", e);
	buf_clear(out);
	return ok;
}

bool report_write(struct cmd *c, const struct report *r, const struct report_form *form, int fd, struct err *e)
{
	struct buf out = { 0 };
	bool ok = true;

	form->begin(r, &out);
	for (int pass = 0; ok && pass < (form->part ? 2 : 1); pass++) {
		bool last = pass == 1 || !form->part;

		if (pass == 1)
			form->between(&out);
		for (size_t i = 0; ok && i < r->n; i++) {
			struct report_texts t = last ? take_texts(c, r, &r->rows[i]) : (struct report_texts){ 0 };
			(pass ? form->part : form->row)(r, &r->rows[i], &t, &out);
			free(t.code);
			free(t.out);
			free(t.err);
			ok = flush(&out, AT_ONCE, fd, e);
		}
	}
	if (ok && form->end)
		form->end(&out);
	ok = ok && flush(&out, 0, fd, e);
	buf_free(&out);
	return ok;
}
