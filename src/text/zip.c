/* Reading the directory of a zip archive; every place is checked against the archive's bounds. */
#include "zip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define END_BYTES 22
#define END_COMMENT 65535
#define ENTRY_BYTES 46
#define LOCAL_BYTES 30

static uint32_t le(const char *p, int n)
{
	uint32_t v = 0;

	for (int i = n; i-- > 0;)
		v = v << 8 | (unsigned char)p[i];
	return v;
}

/* Where the record at the end begins; SIZE_MAX: nowhere. */
static size_t find_end(struct span z)
{
	size_t most = MIN(z.n, (size_t)(END_BYTES + END_COMMENT));

	for (size_t back = END_BYTES; back <= most; back++)
		if (memcmp(z.p + z.n - back, "PK\5\6", 4) == 0)
			return z.n - back;
	return SIZE_MAX;
}

static bool read_packed(struct span z, uint32_t at, uint32_t packed, struct zip_member *m)
{
	if (z.n < LOCAL_BYTES || at > z.n - LOCAL_BYTES || memcmp(z.p + at, "PK\3\4", 4) != 0)
		return false;
	size_t begin = (size_t)at + LOCAL_BYTES + le(z.p + at + 26, 2) + le(z.p + at + 28, 2);
	if (begin > z.n || packed > z.n - begin)
		return false;
	m->packed = (struct span){ z.p + begin, packed };
	return true;
}

/* The entry at *at, which is moved behind it. */
static bool read_entry(struct span z, size_t *at, struct zip_member *m)
{
	if (z.n < ENTRY_BYTES || *at > z.n - ENTRY_BYTES || memcmp(z.p + *at, "PK\1\2", 4) != 0)
		return false;
	const char *p = z.p + *at;
	size_t name = le(p + 28, 2), whole = ENTRY_BYTES + name + le(p + 30, 2) + le(p + 32, 2);
	if (whole > z.n - *at || (le(p + 8, 2) & 1))
		return false;
	*m = (struct zip_member){
		.name = { p + ENTRY_BYTES, name }, .method = (uint16_t)le(p + 10, 2), .stamp = le(p + 12, 4), .crc = le(p + 16, 4),
		.size = le(p + 24, 4),
	};
	*at += whole;
	return read_packed(z, le(p + 42, 4), le(p + 20, 4), m);
}

static int compare_members(const void *x, const void *y)
{
	const struct zip_member *a = x, *b = y;
	int c = memcmp(a->name.p, b->name.p, MIN(a->name.n, b->name.n));

	return c ? c : (a->name.n > b->name.n) - (a->name.n < b->name.n);
}

struct zip_member *zip_read(struct span z, size_t *n, struct err *e)
{
	size_t end = find_end(z), at;
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
	while (*n < members && read_entry(z, &at, &v[*n]))
		++*n;
	if (*n < members) {
		free(v);
		err_set(e, ERR_CORRUPT, "no zip archive that can be read: entry %zu of its directory is damaged or encrypted", *n + 1);
		return NULL;
	}
	qsort(v, members, sizeof(*v), compare_members);
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
