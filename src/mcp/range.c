/* Parts of a text of any size: lines, bytes, matching lines. The text is read in pieces, never whole. */
#include "server.h"
#include "text/search.h"

#include <stdlib.h>
#include <string.h>

#define PIECE ((size_t)256 << 10)
#define BUDGET ((size_t)32 << 10) /* bytes of an answer … */
#define SHOWN ((size_t)40 << 10)  /* … and of the text that they become */
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

/* Up to BUDGET bytes from `at`, no letter cut off; -1: not readable. */
static int64_t read_some(struct bytes b, int64_t at, int64_t size, char p[BUDGET + 1])
{
	int64_t most = (int64_t)BUDGET, got = b.read(b.ctx, at, p, (size_t)MIN(most + 1, size - at));

	if (got <= most)
		return got;
	for (got = most; got > most - 4 && (p[got] & 0xC0) == 0x80;)
		got--;
	return got;
}

/* ---- bytes ---- */

static void add_bytes(struct result *r, struct bytes b, int64_t size, const struct wish *w)
{
	int64_t from = MIN(MAX(w->from_byte, 0), size), wanted = w->bytes > 0 ? MIN(w->bytes, size - from) : size - from;
	char *p = xmalloc(BUDGET + 1);
	int64_t got = MIN(read_some(b, from, size, p), wanted);
	struct buf text = { 0 };

	if (got < 0) {
		result_fail(r, "its bytes could not be read");
	} else {
		int64_t shown = (int64_t)clip_head(&text, p, (size_t)got, SHOWN);
		result_add(r, "bytes %lld to %lld of %lld:\n", (long long)from, (long long)(from + shown), (long long)size);
		buf_add(&r->text, text.data ? text.data : "", text.len);
		end_line(&r->text);
		if (shown < wanted)
			result_add(r, "[… the answer is full; from_byte %lld goes on …]\n", (long long)(from + shown));
	}
	buf_free(&text);
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

/* What is shown of the lines from a place on. */
struct some {
	struct buf text;
	int64_t bytes, lines;
	bool cut;            /* the one line there is goes on */
};

/* Whole lines that fit, or what fits of the first; `last`: nothing follows behind p[n]. */
static void take_some(struct some *s, const char *p, size_t n, bool last, int64_t wanted)
{
	for (size_t at = 0; at < n && s->lines < wanted; at = (size_t)s->bytes) {
		const char *lf = memchr(p + at, '\n', n - at);
		size_t line = lf ? (size_t)(lf + 1 - p) - at : n - at, before = s->text.len;
		bool whole = lf || last;

		if (whole)
			clean_text(&s->text, p + at, line);
		if (!whole || s->text.len > SHOWN) {
			s->text.len = before;
			if (s->lines > 0)
				return; /* the next answer begins with it */
			line = clip_head(&s->text, p, line, SHOWN);
			s->cut = true;
		}
		s->bytes += (int64_t)line;
		s->lines++;
		if (s->cut)
			return;
	}
}

static void say_more(struct result *r, const struct some *s, int64_t line, int64_t at, int64_t all)
{
	if (!s->cut)
		result_add(r, "[… the answer is full; from_line %lld goes on …]\n", (long long)line + 1);
	else if (line < all)
		result_add(r, "[… line %lld is cut here; from_byte %lld goes on in it, from_line %lld behind it …]\n", (long long)line,
		           (long long)at, (long long)line + 1);
	else
		result_add(r, "[… line %lld is cut here; from_byte %lld goes on in it …]\n", (long long)line, (long long)at);
}

static void add_lines(struct result *r, struct bytes b, int64_t size, const struct wish *w)
{
	int64_t first = MAX(w->from_line, 1), wanted = w->lines > 0 ? w->lines : INT64_MAX / 2;
	struct walk start = { 0 }, end;
	struct some some = { 0 };
	char *p = xmalloc(BUDGET + 1);
	int64_t got = walk_to(b, size, &start, first - 1) ? read_some(b, start.at, size, p) : -1;

	if (got < 0) {
		result_fail(r, "its bytes could not be read");
		free(p);
		return;
	}
	take_some(&some, p, (size_t)got, start.at + got >= size, wanted);
	end = (struct walk){ start.lines, start.at, false };
	bool whole = walk_to(b, size, &end, INT64_MAX);
	int64_t all = end.lines + end.open_line, last = start.lines + some.lines;
	if (some.lines == 0) {
		result_fail(r, size == 0 ? "it is empty" : "there is no line %lld: it has %lld lines", (long long)first, (long long)all);
	} else {
		result_add(r, "lines %lld to %lld of %lld (%lld bytes)%s:\n", (long long)start.lines + 1, (long long)last, (long long)all,
		           (long long)size, whole ? "" : ", read in part");
		buf_add(&r->text, some.text.data ? some.text.data : "", some.text.len);
		end_line(&r->text);
		if (some.cut || (start.at + some.bytes < size && some.lines < wanted))
			say_more(r, &some, last, start.at + some.bytes, all);
	}
	buf_free(&some.text);
	free(p);
}

/* ---- matching lines ---- */

struct hits {
	struct result *r;
	struct bytes bytes;
	int64_t size;
	const char *block;
	size_t block_len, counted;  /* of the block */
	int64_t line;               /* line ends before block + counted */
	int64_t shown;
	size_t budget;
	bool failed;                /* bytes could not be read */
};

static int64_t breaks(const char *p, size_t n)
{
	int64_t found = 0;

	for (const char *end = p + n; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		found++;
	return found;
}

/* The line, or what of it lies around the match at `match`; letters are not cut. */
static void show_hit(struct hits *h, const char *p, size_t n, size_t match)
{
	struct buf text = { 0 };
	size_t skip = 0;

	if (h->shown >= HITS_MOST || h->r->text.len > h->budget)
		return;
	if (n > HIT_BYTES) {
		skip = match > HIT_BYTES / 2 ? match - HIT_BYTES / 2 : 0;
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
}

static bool take_hit(void *ctx, size_t line, const struct match *m)
{
	struct hits *h = ctx;
	const char *p = h->block + line, *lf = memchr(p, '\n', h->block_len - line);

	h->line += breaks(h->block + h->counted, line - h->counted);
	h->counted = line;
	show_hit(h, p, lf ? (size_t)(lf - p) : h->block_len - line, m->start);
	return true;
}

/* A line that is longer than a piece, in pieces that overlap; returns where it ends. */
static int64_t search_long(struct hits *h, struct search *s, int64_t at, struct search_sum *sum)
{
	struct walk line = { .at = at };
	char around[2 * HIT_BYTES + 1];

	h->failed |= !walk_to(h->bytes, h->size, &line, 1);
	struct window *w = window_new(h->bytes);
	struct range todo = { at, line.at }, hit;
	if (search_range(s, w, &todo, false, 0, &hit, sum) == SEARCH_HIT) {
		int64_t from = MAX(at, hit.start - HIT_BYTES), to = MIN(line.at - line.lines, hit.start + HIT_BYTES);
		int64_t got = h->bytes.read(h->bytes.ctx, from, around, (size_t)(to - from));
		if (got > 0)
			show_hit(h, around, (size_t)got, (size_t)(hit.start - from));
	}
	h->failed |= window_failed(w);
	window_free(w);
	h->line += line.lines;
	return line.at;
}

static void search(struct hits *h, struct search *s, struct search_sum *sum)
{
	struct buf block = { 0 };
	int64_t at = 0;

	while (at < h->size || block.len > 0) {
		size_t room = MAX(PIECE, block.len + PIECE / 2) - block.len;
		char *to = buf_reserve(&block, room);
		int64_t got = at < h->size ? h->bytes.read(h->bytes.ctx, at, to, (size_t)MIN((int64_t)room, h->size - at)) : 0;
		h->failed |= got < 0 || (got == 0 && at < h->size);
		block.len += (size_t)MAX(got, 0);
		at += MAX(got, 0);
		bool last = h->failed || at >= h->size;
		if (!last && !memchr(block.data, '\n', block.len)) {
			at = search_long(h, s, at - (int64_t)block.len, sum);
			buf_clear(&block);
			if (h->failed)
				break;
			continue;
		}
		h->block = block.data;
		h->block_len = block.len;
		h->counted = 0;
		size_t done = search_block(s, block.data, block.len, last, take_hit, h, sum);
		h->line += breaks(block.data + h->counted, done - MIN(done, h->counted));
		if (last)
			break;
		memmove(block.data, block.data + done, block.len - done);
		block.len -= done;
	}
	buf_free(&block);
}

static void add_matches(struct result *r, struct bytes b, int64_t size, const struct wish *w)
{
	struct hits h = { .r = r, .bytes = b, .size = size, .budget = r->text.len + BUDGET };
	struct search_sum sum = { 0 };
	struct err e = { 0 };
	size_t at;
	struct search *s = search_compile(w->search, strlen(w->search), 0, &at, &e);

	if (!s) {
		result_fail(r, "search: %s", e.msg);
		return;
	}
	search(&h, s, &sum);
	search_free(s);
	result_add(r, "%lld matching line%s of %lld bytes", (long long)sum.hits, sum.hits == 1 ? "" : "s", (long long)size);
	if (sum.hits > h.shown)
		result_add(r, "; the first %lld are shown", (long long)h.shown);
	if (sum.undecided)
		result_add(r, "; %lld lines could not be decided: the expression is too expensive for them", (long long)sum.undecided);
	result_add(r, h.failed ? "; its bytes could only be read in part\n" : "\n");
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
