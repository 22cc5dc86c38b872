/* Bytes as rows of hexadecimal digits. */
#include "text.h"

void hex_rows(struct buf *out, const void *p, size_t n)
{
	const unsigned char *b = p;

	for (size_t at = 0; at < n; at += 16) {
		buf_addf(out, "%08zx ", at);
		for (size_t i = 0; i < 16; i++) {
			buf_adds(out, i == 8 ? "  " : " ");
			if (at + i < n)
				buf_addf(out, "%02x", b[at + i]);
			else
				buf_adds(out, "  ");
		}
		buf_adds(out, "  ");
		for (size_t i = 0; i < 16 && at + i < n; i++)
			buf_addc(out, b[at + i] >= ' ' && b[at + i] < 127 ? (char)b[at + i] : '.');
		buf_addc(out, '\n');
	}
}
