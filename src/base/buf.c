/*
 * Memory that is never short, growing byte strings, string vectors and arrays.
 */
#include "base.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)

#ifndef BUF_FIRST
#define BUF_FIRST 64 /* bytes of the first allocation; tests make it tiny */
#endif
#ifndef GROW_FIRST
#define GROW_FIRST 8 /* elements of the first allocation; tests make it tiny */
#endif

static void *must(void *p, size_t size)
{
	if (!p)
		die("out of memory (%zu bytes were asked for)", size);
	return p;
}

void *xmalloc(size_t size)
{
	return must(malloc(size ? size : 1), size);
}

void *xmalloc_large(size_t n)
{
	if (n < HUGE_PAGE)
		return xmalloc(n);
	size_t whole = (n + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	void *p = must(aligned_alloc(HUGE_PAGE, whole), n);
	madvise(p, whole, MADV_HUGEPAGE); /* where it cannot be had: small pages, as ever */
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	if (n == 0 || size == 0)
		n = size = 1;
	return must(calloc(n, size), size);
}

void *xreallocarray(void *p, size_t n, size_t size)
{
	if (n == 0 || size == 0)
		n = size = 1;
	return must(reallocarray(p, n, size), size);
}

char *xstrdup(const char *s)
{
	return xmemdup(s, strlen(s) + 1);
}

char *xstrndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = xmalloc(len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

void *xmemdup(const void *p, size_t n)
{
	void *copy = xmalloc(n);

	if (n)
		memcpy(copy, p, n);
	return copy;
}

char *xasprintf(const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	return buf_take(&b);
}

/* Room for n more bytes and the NUL behind them. */
static void make_room(struct buf *b, size_t n)
{
	if (n >= SIZE_MAX / 2 - b->len)
		die("out of memory (a text of %zu bytes would grow by %zu)", b->len, n);
	size_t need = b->len + n + 1;
	if (need <= b->cap)
		return;

	size_t cap = MAX(b->cap, (size_t)BUF_FIRST);
	while (cap < need)
		cap *= 2;
	b->data = xreallocarray(b->data, cap, 1);
	b->cap = cap;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	make_room(b, n);
	if (n)
		memcpy(b->data + b->len, p, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void buf_adds(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_addc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(b, fmt, ap);
	va_end(ap);
}

void buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;

	make_room(b, 0);
	va_copy(again, ap);
	int n = vsnprintf(b->data + b->len, b->cap - b->len, fmt, ap);
	/* Fails only for a bad format or more than INT_MAX bytes: nothing a caller could mend. */
	assert(n >= 0);
	if ((size_t)n >= b->cap - b->len) {
		make_room(b, (size_t)n);
		vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
	}
	va_end(again);
	b->len += (size_t)n;
}

void buf_add_base64(struct buf *b, const void *bytes, size_t n)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = bytes;

	for (; n > 0; p += MIN(n, (size_t)3), n -= MIN(n, (size_t)3)) {
		uint32_t v = (uint32_t)p[0] << 16 | (n > 1 ? (uint32_t)p[1] << 8 : 0) | (n > 2 ? p[2] : 0);
		char four[4] = { digits[v >> 18], digits[v >> 12 & 63], digits[v >> 6 & 63], digits[v & 63] };
		if (n < 3)
			four[3] = '=';
		if (n < 2)
			four[2] = '=';
		buf_add(b, four, 4);
	}
}

char *buf_reserve(struct buf *b, size_t n)
{
	make_room(b, n);
	/* Zeroed, so that the text ends in NUL however little of the room is used. */
	memset(b->data + b->len, 0, n + 1);
	return b->data + b->len;
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

void buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

char *buf_take(struct buf *b)
{
	make_room(b, 0);
	char *data = b->data;

	data[b->len] = '\0';
	*b = (struct buf){ 0 };
	return data;
}

void strv_take(struct strv *s, char *str)
{
	assert(str);
	s->v = grow(s->v, s->n + 1, &s->cap, sizeof(*s->v));
	s->v[s->n++] = str;
	s->v[s->n] = NULL;
}

void strv_add(struct strv *s, const char *str)
{
	strv_take(s, xstrdup(str));
}

void strv_addf(struct strv *s, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	strv_take(s, buf_take(&b));
}

bool strv_has(const struct strv *s, const char *str)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i], str) == 0)
			return true;
	return false;
}

void strv_free(struct strv *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i]);
	free(s->v);
	*s = (struct strv){ 0 };
}

void *grow(void *items, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return items;

	size_t more = MAX(*cap, (size_t)GROW_FIRST);
	while (more <= n) {
		if (more > SIZE_MAX / 2)
			die("out of memory (%zu elements)", n);
		more *= 2;
	}
	*cap = more;
	return xreallocarray(items, more, size);
}
