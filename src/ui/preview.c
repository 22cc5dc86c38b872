/* Previews of files. */
#include "preview.h"

#include <string.h>

#define HEAD ((size_t)16 << 10)
#define HEX_ROWS 6

static bool take_head(void *ctx, const void *p, size_t n, struct err *e)
{
	struct buf *b = ctx;

	(void)e;
	buf_add(b, p, MIN(n, HEAD - b->len));
	return b->len < HEAD;
}

static void add_hex(const char *p, size_t n, struct buf *out)
{
	for (size_t at = 0; at < n && at < HEX_ROWS * 16; at += 16) {
		buf_addf(out, "%08zx ", at);
		for (size_t i = 0; i < 16; i++) {
			if (at + i < n)
				buf_addf(out, " %02x", (unsigned char)p[at + i]);
			else
				buf_adds(out, "   ");
		}
		buf_adds(out, "  ");
		for (size_t i = 0; i < 16 && at + i < n; i++)
			buf_addc(out, p[at + i] >= ' ' && p[at + i] < 127 ? p[at + i] : '.');
		buf_addc(out, '\n');
	}
	if (n > HEX_ROWS * 16)
		buf_adds(out, "…\n");
}

bool preview_make(struct query *q, const char *path, const struct digest *sha256, struct buf *out, struct err *e)
{
	struct buf head = { 0 };
	struct err fault = { 0 };
	bool ok = query_blob(q, sha256, take_head, &head, &fault) || head.len == HEAD;

	(void)path;
	if (!ok && e)
		*e = fault;
	if (ok && head.len == 0)
		buf_adds(out, "empty\n");
	else if (ok && memchr(head.data, '\0', head.len))
		add_hex(head.data, head.len, out);
	else if (ok)
		buf_add(out, head.data, head.len);
	buf_free(&head);
	return ok;
}
