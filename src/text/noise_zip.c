/*
 * Noise in archives: members are compared unpacked, each as a text. All else an archive holds (comments, attributes,
 * extra fields, bytes between members) is compared byte by byte, in the order in which it lies; left out of that are
 * only stamps, which have to be those of the run, and the numbers that follow from the members themselves.
 */
#include "text/noise.h"

#include "moment.h"
#include "zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEMBER_MOST ((size_t)4 << 20)

/* ---- what is no member ---- */

/* Seconds since 1970, or an MS-DOS date and time, which counts them by two. */
struct stamp { uint32_t v; bool dos; };

struct outline {
	struct buf bytes;
	struct stamp *stamps;
	size_t n, cap;
};

/* With its length in front, so that one piece cannot end within another. */
static size_t put(struct outline *o, const char *from, const char *to)
{
	buf_addf(&o->bytes, "%zu ", (size_t)(to - from));
	buf_add(&o->bytes, from, (size_t)(to - from));
	return o->bytes.len - (size_t)(to - from);
}

/* A number that follows from what is compared elsewhere; one that does not say so stays. */
static void leave_out(struct outline *o, size_t at, size_t n, uint64_t told)
{
	bool follows = zip_number(o->bytes.data + at, n) == told;

	if (follows)
		memset(o->bytes.data + at, 0, n);
	buf_addc(&o->bytes, follows ? '=' : ' ');
}

static void take_stamp(struct outline *o, size_t at, bool dos)
{
	o->stamps = grow(o->stamps, o->n, &o->cap, sizeof(*o->stamps));
	o->stamps[o->n++] = (struct stamp){ (uint32_t)zip_number(o->bytes.data + at, 4), dos };
	memset(o->bytes.data + at, 0, 4);
}

#define EXTRA_SIZES 0x0001  /* of archives over 4 GiB, and of those that might have become one */
#define EXTRA_TIMES 0x5455  /* a byte of flags, then seconds since 1970 */

static void put_extra(struct outline *o, size_t at, size_t n, const struct zip_member *m)
{
	for (size_t end = at + n; end - at >= 4;) {
		size_t kind = zip_number(o->bytes.data + at, 2), len = zip_number(o->bytes.data + at + 2, 2);
		at += 4;
		if (len > end - at)
			return;
		if (kind == EXTRA_SIZES && len >= 16) {
			leave_out(o, at, 8, m->size);
			leave_out(o, at + 8, 8, m->packed.n);
		}
		for (size_t k = 1; kind == EXTRA_TIMES && k + 4 <= len; k += 4)
			take_stamp(o, at + k, false);
		at += len;
	}
}

static void put_local(struct outline *o, const struct zip_member *m)
{
	size_t at = put(o, m->local.p, m->local.p + m->local.n), name = zip_number(m->local.p + 26, 2);

	leave_out(o, at + 10, 4, m->stamp);
	leave_out(o, at + 14, 4, m->crc);
	leave_out(o, at + 18, 4, m->packed.n);
	leave_out(o, at + 22, 4, m->size);
	put_extra(o, at + ZIP_LOCAL + name, m->local.n - ZIP_LOCAL - name, m);
}

static void put_entry(struct outline *o, const struct zip_member *m, struct span archive)
{
	size_t at = put(o, m->entry.p, m->entry.p + m->entry.n);

	take_stamp(o, at + 12, true);
	leave_out(o, at + 16, 4, m->crc);
	leave_out(o, at + 20, 4, m->packed.n);
	leave_out(o, at + 24, 4, m->size);
	leave_out(o, at + 42, 4, (uint64_t)(m->local.p - archive.p));
	put_extra(o, at + ZIP_ENTRY + m->name.n, zip_number(m->entry.p + 30, 2), m);
}

/* What lies behind a member: mostly nothing, or its check sum and sizes, of four or eight bytes. */
static void put_behind(struct outline *o, const struct zip_member *m, const char *to)
{
	const char *from = m->packed.p + m->packed.n;
	size_t n = (size_t)(to - from), at = put(o, from, to), signature = n > 4 && memcmp(from, "PK\7\10", 4) == 0 ? 4 : 0;
	size_t wide = n == signature + 20 ? 8 : 4;

	if (!(m->flags & ZIP_LATER) || n < signature + 4 + 2 * wide)
		return;
	leave_out(o, at + signature, 4, m->crc);
	leave_out(o, at + signature + 4, wide, m->packed.n);
	leave_out(o, at + signature + 4 + wide, wide, m->size);
}

static int by_index(const void *x, const void *y)
{
	const struct zip_member *a = x, *b = y;

	return (a->index > b->index) - (a->index < b->index);
}

/* Leaves the members in the order of the directory. */
static void outline(struct outline *o, struct span archive, struct zip_member *v, size_t n)
{
	const char *end = archive.p + zip_end(archive), *directory = end, *behind = end;

	qsort(v, n, sizeof(*v), zip_by_place);
	for (size_t i = 0; i < n; i++) {
		directory = v[i].index == 0 ? v[i].entry.p : directory;
		behind = v[i].index == n - 1 ? v[i].entry.p + v[i].entry.n : behind;
	}
	(void)put(o, archive.p, n ? v[0].local.p : directory);
	for (size_t i = 0; i < n; i++) {
		buf_addf(&o->bytes, "%zu ", v[i].index);
		put_local(o, &v[i]);
		put_behind(o, &v[i], i + 1 < n ? v[i + 1].local.p : directory);
	}
	qsort(v, n, sizeof(*v), by_index);
	for (size_t i = 0; i < n; i++)
		put_entry(o, &v[i], archive);
	if (behind < end)
		(void)put(o, behind, end);
	size_t at = put(o, end, archive.p + archive.n);
	leave_out(o, at + 12, 4, (uint64_t)(behind - directory));
	leave_out(o, at + 16, 4, (uint64_t)(directory - archive.p));
}

static struct span stamp_text(const struct stamp *s, char text[32])
{
	uint32_t day = s->v >> 16, clock = s->v & 0xFFFF;
	int n = s->dos ? snprintf(text, 32, "%04u%02u%02u_%02u%02u%02u", 1980 + (day >> 9), day >> 5 & 15, day & 31, clock >> 11,
	                          clock >> 5 & 63, (clock & 31) * 2)
	               : snprintf(text, 32, "%u", s->v);

	return (struct span){ text, (size_t)n };
}

static bool same_stamp(const struct stamp *x, const struct stamp *y, const struct noise_run run[2], struct noise_sum *sum)
{
	char a[32], b[32];

	if (x->dos != y->dos || x->v == y->v)
		return x->dos == y->dos;
	bool same = moment_same_zone(stamp_text(x, a), run[0].from_us, run[0].to_us, stamp_text(y, b), run[1].from_us, run[1].to_us);
	sum->counts[NOISE_TIME] += same;
	return same;
}

static bool same_outline(const struct outline *x, const struct outline *y, const struct noise_run run[2], struct noise_sum *sum)
{
	bool same = x->n == y->n && x->bytes.len == y->bytes.len && memcmp(x->bytes.data, y->bytes.data, x->bytes.len) == 0;

	for (size_t i = 0; same && i < x->n; i++)
		same = same_stamp(&x->stamps[i], &y->stamps[i], run, sum);
	return same;
}

static void outline_free(struct outline *o)
{
	buf_free(&o->bytes);
	free(o->stamps);
}

/* ---- members ---- */

static struct span span_of(const struct buf *b)
{
	return (struct span){ b->data ? b->data : "", b->len };
}

static bool same_span(struct span a, struct span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static bool same_content(struct noise *n, struct span a, struct span b, const struct noise_run run[2], struct noise_sum *sum)
{
	if (same_span(a, b)) {
		sum->counts[NOISE_PACKING]++;
		return true;
	}
	/* Rules are of texts. */
	if (memchr(a.p, '\0', a.n) || memchr(b.p, '\0', b.n))
		return false;
	noise_compare(n, a, b, run, sum);
	return sum->same;
}

static bool same_member(struct noise *n, const struct zip_member *x, const struct zip_member *y, const struct noise_run run[2],
                        struct noise_limits *limits, struct noise_sum *sum)
{
	struct buf p = { 0 }, q = { 0 };

	if (!same_span(x->name, y->name))
		return false;
	if (x->method == y->method && x->crc == y->crc && x->size == y->size && same_span(x->packed, y->packed))
		return true;
	limits->bytes -= (int64_t)x->size + y->size;
	if (limits->bytes < 0 || cancel_is_asked(&limits->cancel, "", NULL))
		return false;
	bool same = zip_unpack(x, MEMBER_MOST, &p) && zip_unpack(y, MEMBER_MOST, &q) &&
	            same_content(n, span_of(&p), span_of(&q), run, sum);
	buf_free(&p);
	buf_free(&q);
	return same;
}

bool noise_compare_zip(struct noise *n, struct span a, struct span b, const struct noise_run run[2], struct noise_limits *limits,
                       struct noise_sum *sum)
{
	size_t n_a = 0, n_b = 0;
	struct zip_member *x = zip_read(a, &n_a, NULL), *y = x ? zip_read(b, &n_b, NULL) : NULL;
	struct outline p = { 0 }, q = { 0 };

	if (!y) {
		free(x);
		return false;
	}
	outline(&p, a, x, n_a);
	outline(&q, b, y, n_b);
	bool same = n_a == n_b && same_outline(&p, &q, run, sum);
	for (size_t i = 0; same && i < n_a; i++)
		same = same_member(n, &x[i], &y[i], run, limits, sum);
	sum->same = same;
	sum->at[0] = sum->at[1] = 0;
	outline_free(&p);
	outline_free(&q);
	free(x);
	free(y);
	return true;
}
