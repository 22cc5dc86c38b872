/* Members of a zip archive (APPNOTE 6.3), by its directory at the end. */
#ifndef TICKMARK_TEXT_ZIP_H
#define TICKMARK_TEXT_ZIP_H

#include "text.h"

#define ZIP_MEMBERS 20000

struct zip_member {
	struct span name;
	struct span packed;   /* its bytes as they lie in the archive */
	uint16_t method;
	uint32_t crc, size, stamp; /* stamp: MS-DOS date and time */
};
/* Members in order of name (owned); NULL with ERR_CORRUPT: no archive, or one of a kind not read (split,
 * encrypted, over 4 GiB). */
struct zip_member *zip_read(struct span archive, size_t *n, struct err *e);
/* Unpacks a member of at most `max` bytes, stored or deflated, its check sum checked; false: it cannot be. */
bool zip_unpack(const struct zip_member *m, size_t max, struct buf *out);

#endif
