/* Reading the directory of a zip archive; every place is checked against the archive's bounds. */
#include "zip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define END_COMMENT 65535

uint64_t zip_number(const char *p, size_t n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | (unsigned char)p[n];
	return v;
}

static uint32_t le(const char *p, size_t n)
{
	return (uint32_t)zip_number(p, n);
}

size_t zip_end(struct span z)
{
	size_t most = MIN(z.n, (size_t)(ZIP_END + END_COMMENT));

	for (size_t back = ZIP_END; back <= most; back++)
		if (memcmp(z.p + z.n - back, "PK\5\6", 4) == 0)
			return z.n - back;
	return SIZE_MAX;
}

static bool read_packed(struct span z, uint32_t at, uint32_t packed, struct zip_member *m)
{
	if (z.n < ZIP_LOCAL || at > z.n - ZIP_LOCAL || memcmp(z.p + at, "PK\3\4", 4) != 0)
		return false;
	size_t whole = ZIP_LOCAL + le(z.p + at + 26, 2) + le(z.p + at + 28, 2), begin = at + whole;
	if (begin > z.n || packed > z.n - begin)
		return false;
	m->local = (struct span){ z.p + at, whole };
	m->packed = (struct span){ z.p + begin, packed };
	return true;
}

/* The entry at *at, which is moved behind it. */
static bool read_entry(struct span z, size_t *at, struct zip_member *m)
{
	if (z.n < ZIP_ENTRY || *at > z.n - ZIP_ENTRY || memcmp(z.p + *at, "PK\1\2", 4) != 0)
		return false;
	const char *p = z.p + *at;
	size_t name = le(p + 28, 2), whole = ZIP_ENTRY + name + le(p + 30, 2) + le(p + 32, 2);
	if (whole > z.n - *at || (le(p + 8, 2) & 1))
		return false;
	*m = (struct zip_member){
		.name = { p + ZIP_ENTRY, name }, .entry = { p, whole }, .flags = (uint16_t)le(p + 8, 2), .method = (uint16_t)le(p + 10, 2),
		.stamp = le(p + 12, 4), .crc = le(p + 16, 4), .size = le(p + 24, 4),
	};
	*at += whole;
	return read_packed(z, le(p + 42, 4), le(p + 20, 4), m);
}

int zip_by_place(const void *x, const void *y)
{
	const struct zip_member *a = x, *b = y;

	return (a->local.p > b->local.p) - (a->local.p < b->local.p);
}

static int by_name(const void *x, const void *y)
{
	const struct zip_member *a = x, *b = y;
	int c = memcmp(a->name.p, b->name.p, MIN(a->name.n, b->name.n));

	c = c ? c : (a->name.n > b->name.n) - (a->name.n < b->name.n);
	return c ? c : (a->index > b->index) - (a->index < b->index);
}

/* Leaves them in the order in which they lie. */
static bool lie_apart(struct zip_member *v, size_t n, const char *directory)
{
	qsort(v, n, sizeof(*v), zip_by_place);
	for (size_t i = 0; i < n; i++)
		if (v[i].packed.p + v[i].packed.n > (i + 1 < n ? v[i + 1].local.p : directory))
			return false;
	return true;
}

struct zip_member *zip_read(struct span z, size_t *n, struct err *e)
{
	size_t end = zip_end(z), at;
	struct zip_member *v = NULL;

	*n = 0;
	if (end == SIZE_MAX) {
		err_set(e, ERR_CORRUPT, "no zip archive: its directory is missing");
		return NULL;
	}
	size_t members = le(z.p + end + 10, 2);
	if (members > ZIP_MEMBERS) {
		err_set(e, ERR_LIMIT, "an archive of over %d members", ZIP_MEMBERS);
		return NULL;
	}
	at = le(z.p + end + 16, 4);
	v = xcalloc(members + 1, sizeof(*v));
	while (*n < members && read_entry(z, &at, &v[*n])) {
		v[*n].index = *n;
		++*n;
	}
	if (*n < members) {
		free(v);
		err_set(e, ERR_CORRUPT, "no zip archive that can be read: entry %zu of its directory is damaged or encrypted", *n + 1);
		return NULL;
	}
	if (members > 0 && !lie_apart(v, members, v[0].entry.p)) {
		free(v);
		err_set(e, ERR_CORRUPT, "no zip archive that can be read: its members overlap");
		return NULL;
	}
	qsort(v, members, sizeof(*v), by_name);
	return v;
}

static bool inflate_all(const struct zip_member *m, char *to)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)m->packed.p, .avail_in = (uInt)m->packed.n, .next_out = (Bytef *)to,
		           .avail_out = m->size };

	if (inflateInit2(&z, -MAX_WBITS) != Z_OK) /* negative: without zlib's own head, as zip has it */
		return false;
	int rc = inflate(&z, Z_FINISH);
	bool whole = rc == Z_STREAM_END && z.total_out == m->size;
	inflateEnd(&z);
	return whole;
}

bool zip_unpack(const struct zip_member *m, size_t max, struct buf *out)
{
	if (m->size > max || (m->method != 0 && m->method != 8) || (m->method == 0 && m->packed.n != m->size))
		return false;
	char *to = buf_reserve(out, (size_t)m->size + 1);
	if (m->method == 0)
		memcpy(to, m->packed.p, m->size);
	else if (!inflate_all(m, to))
		return false;
	out->len += m->size;
	return crc32(crc32(0, NULL, 0), (const Bytef *)to, m->size) == m->crc;
}
