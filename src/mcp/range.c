/* Parts of a text of any size: lines, bytes, matching lines. The text is read in pieces, never whole. */
#include "server.h"
#include "text/search.h"

#include <stdlib.h>
#include <string.h>

#define PIECE ((size_t)256 << 10)
#define BUDGET ((size_t)32 << 10) /* bytes of text in an answer */
#define HITS_MOST 200
#define HIT_BYTES 400             /* shown of a line that matches */

struct wish call_wish(const struct call *c)
{
	return (struct wish){
		.from_line = call_int(c, "from_line", 0), .lines = call_int(c, "lines", 0),
		.from_byte = call_int(c, "from_byte", -1), .bytes = call_int(c, "bytes", -1),
		.search = call_text(c, "search", NULL),
	};
}

static void end_line(struct buf *b)
{
	if (b->len > 0 && b->data[b->len - 1] != '\n')
		buf_addc(b, '\n');
}

/* ---- bytes ---- */

static void add_bytes(struct result *r, struct bytes b, int64_t size, const struct wish *w)
{
	int64_t from = MIN(MAX(w->from_byte, 0), size), n = MIN(w->bytes > 0 ? w->bytes : (int64_t)BUDGET, size - from);
	char *p = xmalloc((size_t)n + 1);
	int64_t got = b.read(b.ctx, from, p, (size_t)n);

	got = MAX(got, 0);
	result_add(r, "bytes %lld to %lld of %lld:\n", (long long)from, (long long)(from + got), (long long)size);
	clean_text(&r->text, p, (size_t)got);
	end_line(&r->text);
	free(p);
}

/* ---- lines ---- */

/* Where lines are; `upto` stops at the beginning of that line. */
struct walk {
	int64_t lines;      /* line ends passed */
	int64_t at;         /* bytes passed */
	bool open_line;     /* something stands behind the last line end */
};

static bool walk_to(struct bytes b, int64_t size, struct walk *w, int64_t upto)
{
	char *piece = xmalloc(PIECE);
	bool ok = true;

	while (ok && w->at < size && w->lines < upto) {
		int64_t got = b.read(b.ctx, w->at, piece, (size_t)MIN((int64_t)PIECE, size - w->at));
		const char *p = piece, *end = piece + MAX(got, 0);
		ok = got > 0;
		while (p < end && w->lines < upto) {
			const char *lf = memchr(p, '\n', (size_t)(end - p));
			w->open_line = !lf;
			w->lines += lf != NULL;
			p = lf ? lf + 1 : end;
		}
		w->at += p - piece;
	}
	free(piece);
	return ok;
}

static void add_lines(struct result *r, struct bytes b, int64_t size, const struct wish *w)
{
	int64_t first = MAX(w->from_line, 1), wanted = w->lines > 0 ? w->lines : INT64_MAX / 2;
	struct walk start = { 0 }, end;

	if (!walk_to(b, size, &start, first - 1)) {
		result_fail(r, "its bytes could not be read");
		return;
	}
	char *p = xmalloc(BUDGET);
	int64_t got = MAX(b.read(b.ctx, start.at, p, (size_t)MIN((int64_t)BUDGET, size - start.at)), 0), n = 0, lines = 0;
	while (n < got && lines < wanted) {
		const char *lf = memchr(p + n, '\n', (size_t)(got - n));
		if (!lf && n > 0 && start.at + got < size)
			break; /* the budget ends inside this line */
		n = lf ? lf + 1 - p : got;
		lines++;
	}
	end = (struct walk){ start.lines, start.at, false };
	bool whole = walk_to(b, size, &end, INT64_MAX);
	long long all = (long long)(end.lines + end.open_line);
	if (n == 0) {
		result_fail(r, size == 0 ? "it is empty" : "there is no line %lld: it has %lld lines", (long long)first, all);
	} else {
		result_add(r, "lines %lld to %lld of %lld (%lld bytes)%s:\n", (long long)start.lines + 1,
		           (long long)(start.lines + lines), all, (long long)size, whole ? "" : ", read in part");
		clean_text(&r->text, p, (size_t)n);
		end_line(&r->text);
		if (start.at + n < size && lines < wanted)
			result_add(r, "[… the answer is full; from_line %lld goes on …]\n", (long long)(start.lines + lines + 1));
	}
	free(p);
}

/* ---- matching lines ---- */

struct hits {
	struct result *r;
	const char *block;
	size_t block_len, counted;  /* of the block */
	int64_t line;               /* line ends before block + counted */
	int64_t shown;
	size_t budget;
};

static int64_t breaks(const char *p, size_t n)
{
	int64_t found = 0;

	for (const char *end = p + n; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		found++;
	return found;
}

static bool take_hit(void *ctx, size_t line, const struct match *m)
{
	struct hits *h = ctx;
	const char *p = h->block + line, *lf = memchr(p, '\n', h->block_len - line);
	size_t n = lf ? (size_t)(lf - p) : h->block_len - line, skip = 0;
	struct buf text = { 0 };

	h->line += breaks(h->block + h->counted, line - h->counted);
	h->counted = line;
	if (h->shown >= HITS_MOST || h->r->text.len > h->budget)
		return true;
	if (n > HIT_BYTES) {
		skip = m->start > HIT_BYTES / 2 ? m->start - HIT_BYTES / 2 : 0;
		while (skip > 0 && (p[skip] & 0xC0) == 0x80)
			skip--;
		n = MIN(n - skip, (size_t)HIT_BYTES);
		while (n > 1 && (p[skip + n] & 0xC0) == 0x80)
			n--;
	}
	clean_text(&text, p + skip, n);
	result_add(h->r, "%lld: %s%s\n", (long long)h->line + 1, skip ? "…" : "", text.data ? text.data : "");
	buf_free(&text);
	h->shown++;
	return true;
}

static void search(struct hits *h, struct search *s, struct bytes b, int64_t size, struct search_sum *sum)
{
	struct buf block = { 0 };
	int64_t at = 0;

	while (at < size || block.len > 0) {
		size_t room = MAX(PIECE, block.len + PIECE / 2) - block.len;
		char *to = buf_reserve(&block, room);
		int64_t got = at < size ? b.read(b.ctx, at, to, (size_t)MIN((int64_t)room, size - at)) : 0;
		if (got < 0)
			break;
		block.len += (size_t)got;
		at += got;
		h->block = block.data;
		h->block_len = block.len;
		h->counted = 0;
		size_t done = search_block(s, block.data, block.len, at >= size, take_hit, h, sum);
		h->line += breaks(block.data + h->counted, done - MIN(done, h->counted));
		if (done == 0 && got == 0)
			break;
		memmove(block.data, block.data + done, block.len - done);
		block.len -= done;
	}
	buf_free(&block);
}

static void add_matches(struct result *r, struct bytes b, int64_t size, const struct wish *w)
{
	struct hits h = { .r = r, .budget = r->text.len + BUDGET };
	struct search_sum sum = { 0 };
	struct err e = { 0 };
	size_t at;
	struct search *s = search_compile(w->search, strlen(w->search), 0, &at, &e);

	if (!s) {
		result_fail(r, "search: %s", e.msg);
		return;
	}
	search(&h, s, b, size, &sum);
	search_free(s);
	result_add(r, "%lld matching line%s of %lld bytes", (long long)sum.hits, sum.hits == 1 ? "" : "s", (long long)size);
	if (sum.hits > h.shown)
		result_add(r, "; the first %lld are shown", (long long)h.shown);
	if (sum.undecided)
		result_add(r, "; %lld lines could not be decided: the expression is too expensive for them", (long long)sum.undecided);
	result_add(r, "\n");
}

void range_add(struct result *r, struct bytes bytes, int64_t size, const struct wish *wish)
{
	if (wish->search)
		add_matches(r, bytes, size, wish);
	else if (wish->from_byte >= 0 || wish->bytes >= 0)
		add_bytes(r, bytes, size, wish);
	else
		add_lines(r, bytes, size, wish);
}
