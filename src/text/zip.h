/* Members of a zip archive (APPNOTE 6.3), by its directory at the end. */
#ifndef TICKMARK_TEXT_ZIP_H
#define TICKMARK_TEXT_ZIP_H

#include "text.h"

#define ZIP_MEMBERS 20000

#define ZIP_LOCAL 30 /* bytes of the header before a member, without its name and extra fields */
#define ZIP_ENTRY 46 /* likewise of one in the directory */
#define ZIP_END 22   /* of the record at the end, without its comment */

struct zip_member {
	struct span name;
	struct span local;    /* the header before it */
	struct span packed;   /* its bytes as they lie in the archive */
	struct span entry;    /* what the directory says of it */
	size_t index;         /* its place in the directory */
	uint16_t flags, method;
	uint32_t crc, size, stamp; /* stamp: MS-DOS date and time */
};
#define ZIP_LATER 8       /* flags: check sum and sizes stand behind it */

/* A little-endian number of n bytes. */
uint64_t zip_number(const char *p, size_t n);
/* Where the record at the end begins; SIZE_MAX: nowhere. */
size_t zip_end(struct span archive);
/* Members in order of name (owned), of which no two share a byte of the archive: what unpacks to too much
 * is no small one. NULL with ERR_CORRUPT: no archive, or one of a kind not read (split, encrypted, over 4 GiB). */
struct zip_member *zip_read(struct span archive, size_t *n, struct err *e);
/* For qsort: members of one archive in the order in which they lie there. */
int zip_by_place(const void *x, const void *y);
/* Unpacks a member of at most `max` bytes, stored or deflated, its check sum checked; false: it cannot be. */
bool zip_unpack(const struct zip_member *m, size_t max, struct buf *out);

#endif
