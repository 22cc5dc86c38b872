/* Two documents by their text: paragraphs of a document, slide by slide, page by page. */
#include "book.h"
#include "rowmake.h"

#include <stdlib.h>
#include <string.h>

/* Its bytes belong to out, as rows point into them. */
static struct span text_of(const struct book *b, struct diffrows *out)
{
	struct buf text = { 0 };

	book_text(b, &text);
	size_t n = text.len;
	char *p = buf_take(&text);
	strv_take(&out->texts, p);
	return (struct span){ p, n };
}

bool rowmake_pages(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e)
{
	struct book x = { 0 }, y = { 0 };
	bool ok = book_read(a, &x, e) && !rowmake_is_cancelled(o, e) && book_read(b, &y, e) && !rowmake_is_cancelled(o, e);

	if (ok) {
		ok = rowmake_text(text_of(&x, out), text_of(&y, out), o, out, e);
		free(out->method);
		out->method = xstrdup(out->coarse ? "lines of its text, coarser" : "lines of its text");
		if (x.cut || y.cut)
			diffrows_sayf(out, DIFFROW_SENTENCE, "there is more text than is read: the rest was not compared");
		if (ok && !out->differs)
			diffrows_sayf(out, DIFFROW_SENTENCE, "the same text: the files differ in formats, properties or time stamps");
		out->differs = true; /* readers are asked of different bytes only */
	}
	book_free(&x);
	book_free(&y);
	return ok;
}
