/* Writing a report, with the texts of one attempt at a time. */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_MAX ((size_t)64 << 10) /* bytes of code and of each stream */
#define AT_ONCE ((size_t)256 << 10) /* bytes that wait for being written */

/* The beginning of code or a stream, as it is read. */
struct reading {
	struct buf kept;
	int64_t bytes;   /* read so far, and what the record says it has not */
	bool cut;        /* the rest was not read */
};

static void take_bytes(struct reading *r, const void *p, size_t n)
{
	buf_add(&r->kept, p, MIN(n, TEXT_MAX - r->kept.len));
	r->bytes += (int64_t)n;
}

/* To its end: only then its hash is checked. */
static bool take_code(void *ctx, const void *p, size_t n, struct err *e)
{
	(void)e;
	take_bytes(ctx, p, n);
	return true;
}

static bool take_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	struct reading *r = ctx;
	char gap[64] = "";

	(void)e;
	if (c->gap)
		snprintf(gap, sizeof(gap), "\n[%lld bytes not kept]\n", (long long)c->gap);
	r->bytes += c->gap;
	buf_add(&r->kept, gap, MIN(strlen(gap), TEXT_MAX - r->kept.len));
	take_bytes(r, c->bytes, c->len);
	r->cut = r->kept.len == TEXT_MAX;
	return !r->cut;
}

/* Visible text, with what is left out said behind it. Of what is not as it was recorded nothing is shown but that. */
static char *as_text(struct reading *r, int64_t bytes, const struct err *e, int64_t *unreadable)
{
	struct buf out = { 0 };
	size_t n = r->kept.len;

	if (e->code) {
		buf_addf(&out, "[cannot be shown: %s; tickmark verify tells more]", e->msg);
		(*unreadable)++;
	} else {
		while (n > 0 && r->kept.len == TEXT_MAX && (r->kept.data[n - 1] & 0xC0) == 0x80)
			n--;
		escape_text(&out, r->kept.data ? r->kept.data : "", n, ESCAPE_NEWLINE | ESCAPE_TAB);
		if (r->cut || r->bytes > (int64_t)n)
			buf_addf(&out, "\n[the first %zu of %lld bytes; tickmark show has the rest]", n, (long long)MAX(bytes, r->bytes));
	}
	buf_free(&r->kept);
	return buf_take(&out);
}

static char *code_text(struct cmd *c, int64_t attempt, int64_t *unreadable)
{
	struct reading r = { 0 };
	struct err e = { 0 };

	query_code(c->query, attempt, take_code, &r, &e);
	return as_text(&r, r.bytes, &e, unreadable);
}

static char *stream_text(struct cmd *c, int64_t attempt, int stream, int64_t bytes, int64_t *unreadable)
{
	struct reading r = { 0 };
	struct err e = { 0 };

	if (query_chunks(c->query, attempt, stream, take_chunk, &r, &e) && !r.cut && r.bytes < bytes)
		err_set(&e, ERR_CORRUPT, "%lld of its %lld bytes are not in the record", (long long)(bytes - r.bytes), (long long)bytes);
	return as_text(&r, bytes, &e, unreadable);
}

static struct report_texts take_texts(struct cmd *c, const struct report *r, const struct report_row *row, int64_t *unreadable)
{
	struct report_texts t = { 0 };

	if (r->code)
		t.code = code_text(c, row->attempt, unreadable);
	if (r->out)
		t.out = stream_text(c, row->attempt, STREAM_OUT, row->out_bytes, unreadable);
	if (r->err)
		t.err = stream_text(c, row->attempt, STREAM_ERR, row->err_bytes, unreadable);
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

bool report_write(struct cmd *c, const struct report *r, const struct report_form *form, int fd, int64_t *unreadable,
                  struct err *e)
{
	struct buf out = { 0 };
	bool ok = true;

	form->begin(r, &out);
	for (int pass = 0; ok && pass < (form->part ? 2 : 1); pass++) {
		bool last = pass == 1 || !form->part;

		if (pass == 1)
			form->between(&out);
		for (size_t i = 0; ok && i < r->n; i++) {
			struct report_texts t = last ? take_texts(c, r, &r->rows[i], unreadable) : (struct report_texts){ 0 };
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
