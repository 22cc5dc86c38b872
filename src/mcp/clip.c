/*
 * Streams within a budget: the whole, or the beginning and the end with exact totals and how to get at
 * the rest. What is cut is cut at line ends where there are some, never inside a character.
 */
#include "server.h"
#include "text/secret.h"

#include <stdlib.h>
#include <string.h>

#define COLLECT ((size_t)32 << 10) /* raw bytes kept of either end of a stream */

struct ends {
	int64_t bytes, lost, breaks;
	bool open_line;
	struct secret_scan secret;
	struct buf head, tail;     /* tail: the last COLLECT bytes at least, once head is full */
};

struct collecting {
	struct ends of[3];         /* by enum stream_id */
};

/* Bytes behind the head; what is older than COLLECT is dropped now and then. */
static void add_tail(struct buf *tail, const char *p, size_t n)
{
	if (n > COLLECT) {
		p += n - COLLECT;
		n = COLLECT;
	}
	buf_add(tail, p, n);
	if (tail->len <= 4 * COLLECT)
		return;
	memmove(tail->data, tail->data + tail->len - COLLECT, COLLECT);
	tail->len = COLLECT;
}

static int64_t count_breaks(const char *p, size_t n)
{
	int64_t found = 0;

	for (const char *end = p + n; (p = memchr(p, '\n', (size_t)(end - p))); p++)
		found++;
	return found;
}

static bool collect(void *ctx, const struct chunk *c, struct err *e)
{
	struct ends *s = &((struct collecting *)ctx)->of[c->stream];
	const char *p = c->bytes;
	size_t n = c->len;

	(void)e;
	s->bytes += c->gap + (int64_t)n;
	s->lost += c->gap;
	if (n == 0)
		return true;
	s->breaks += count_breaks(p, n);
	secret_feed(&s->secret, p, n);
	s->open_line = p[n - 1] != '\n';
	size_t to_head = s->tail.len == 0 && s->lost == 0 ? MIN(n, COLLECT - s->head.len) : 0;
	buf_add(&s->head, p, to_head);
	if (n > to_head)
		add_tail(&s->tail, p + to_head, n - to_head);
	return true;
}

/* ---- cutting ---- */

static bool is_inside(const char *p, size_t at, size_t n)
{
	return at < n && (p[at] & 0xC0) == 0x80;
}

size_t clip_head(struct buf *out, const char *p, size_t n, size_t most)
{
	struct buf text = { 0 };
	size_t take = MIN(n, most);

	for (;;) {
		const char *end = take < n ? memrchr(p, '\n', take) : NULL;
		if (end && (size_t)(end - p) > take / 2)
			take = (size_t)(end - p) + 1;
		while (take > 0 && is_inside(p, take, n))
			take--;
		buf_clear(&text);
		clean_text(&text, p, take);
		if (text.len <= most || take <= 1)
			break;
		take = take * most / text.len;
	}
	buf_add(out, text.data ? text.data : "", text.len);
	buf_free(&text);
	return take;
}

static size_t fit_tail(struct buf *out, const char *p, size_t n, size_t most)
{
	struct buf text = { 0 };
	size_t take = MIN(n, most);

	for (;;) {
		const char *start = p + n - take, *end = take < n ? memchr(start, '\n', take) : NULL;
		if (end && (size_t)(end - start) + 1 < take / 2)
			take -= (size_t)(end - start) + 1;
		while (take > 0 && is_inside(p, n - take, n))
			take--;
		buf_clear(&text);
		clean_text(&text, p + n - take, take);
		if (text.len <= most || take <= 1)
			break;
		take = take * most / text.len;
	}
	buf_add(out, text.data ? text.data : "", text.len);
	buf_free(&text);
	return take;
}

static void end_line(struct buf *b)
{
	if (b->len > 0 && b->data[b->len - 1] != '\n')
		buf_addc(b, '\n');
}

void clip_text(struct result *r, const char *p, size_t n, size_t budget, const char *more)
{
	struct buf whole = { 0 };

	if (n <= budget)
		clean_text(&whole, p, n);
	if (n <= budget && whole.len <= budget) {
		buf_add(&r->text, whole.data ? whole.data : "", whole.len);
	} else {
		struct buf tail = { 0 };
		size_t head = clip_head(&r->text, p, n, budget * 2 / 3), rest = fit_tail(&tail, p + head, n - head, budget / 3);
		end_line(&r->text);
		buf_addf(&r->text, "[… %zu bytes left out here%s …]\n", n - head - rest, more);
		buf_add(&r->text, tail.data ? tail.data : "", tail.len);
		buf_free(&tail);
	}
	end_line(&r->text);
	buf_free(&whole);
}

/* ---- one stream ---- */

static void add_title(struct result *r, const char *name, const struct ends *s)
{
	long long lines = (long long)(s->breaks + s->open_line);

	if (s->bytes == 0) {
		result_add(r, "%s: empty\n", name);
		return;
	}
	result_add(r, "%s: %lld bytes, %s%lld line%s", name, (long long)s->bytes, s->lost ? "more than " : "", lines,
	           lines == 1 && !s->lost ? "" : "s");
	if (s->lost)
		result_add(r, " (%lld bytes of the middle are not in the record either: its limit)", (long long)s->lost);
	result_add(r, "\n");
	if (s->secret.kind)
		result_add(r, "note: line %lld looks like %s; it is recorded as it came: tell the person, and do not repeat it\n",
		           (long long)s->secret.line, s->secret.kind);
}

/* Both ends as far as they are kept: never more than was collected. */
static void add_ends(struct result *r, const char *name, const char *ref, const struct ends *s, size_t budget)
{
	struct buf tail = { 0 };
	size_t head = clip_head(&r->text, s->head.data, s->head.len, budget / 2), rest;
	int64_t lines_before, lines_after;

	end_line(&r->text);
	if (s->tail.len == 0 && s->lost == 0)
		rest = fit_tail(&tail, s->head.data + head, s->head.len - head, budget / 2);
	else
		rest = fit_tail(&tail, s->tail.data ? s->tail.data : "", s->tail.len, budget / 2);
	const char *end = s->tail.len ? s->tail.data + s->tail.len : s->head.data + s->head.len;
	lines_before = count_breaks(s->head.data, head);
	lines_after = count_breaks(end - rest, rest) + s->open_line;
	result_add(r, "[… %lld bytes left out here", (long long)s->bytes - (long long)head - (long long)rest);
	if (!s->lost && lines_before < s->breaks + s->open_line - lines_after)
		result_add(r, ", lines %lld to %lld", (long long)lines_before + 1,
		           (long long)(s->breaks + s->open_line - lines_after));
	result_add(r, "; read_attempt with attempt \"%s\", section \"%s\", from_line %lld goes on from here …]\n", ref, name,
	           (long long)lines_before + 1);
	buf_add(&r->text, tail.data ? tail.data : "", tail.len);
	end_line(&r->text);
	buf_free(&tail);
}

static void add_stream(struct result *r, const char *name, const char *ref, const struct ends *s, size_t budget)
{
	struct buf whole = { 0 };
	size_t kept = s->head.len + s->tail.len;

	add_title(r, name, s);
	if (s->bytes == 0)
		return;
	bool fits = s->lost == 0 && (int64_t)kept == s->bytes && kept <= budget;
	if (fits) {
		buf_add(&whole, s->head.data ? s->head.data : "", s->head.len);
		buf_add(&whole, s->tail.data ? s->tail.data : "", s->tail.len);
		struct buf text = { 0 };
		clean_text(&text, whole.data, whole.len);
		fits = text.len <= budget;
		if (fits) {
			buf_add(&r->text, text.data, text.len);
			end_line(&r->text);
		}
		buf_free(&text);
	}
	buf_free(&whole);
	if (!fits)
		add_ends(r, name, ref, s, budget);
}

bool clip_streams(struct result *r, struct query *q, int64_t attempt, const char *ref, size_t budget, struct err *e)
{
	struct collecting c = { 0 };
	bool ok = query_chunks(q, attempt, 0, collect, &c, e);

	if (ok) {
		size_t out = (size_t)MIN(c.of[STREAM_OUT].bytes, (int64_t)budget);
		size_t err = (size_t)MIN(c.of[STREAM_ERR].bytes, (int64_t)budget);
		/* Each may have half; what one leaves the other gets. */
		size_t for_out = MAX(budget / 2, budget - err), for_err = MAX(budget / 2, budget - out);
		add_stream(r, "stdout", ref, &c.of[STREAM_OUT], for_out);
		add_stream(r, "stderr", ref, &c.of[STREAM_ERR], for_err);
	}
	for (int i = STREAM_OUT; i <= STREAM_ERR; i++) {
		buf_free(&c.of[i].head);
		buf_free(&c.of[i].tail);
	}
	return ok;
}
