/* Files of the folder and of the record, as bytes of any size. */
#ifndef TICKMARK_MCP_FILES_H
#define TICKMARK_MCP_FILES_H

#include "server.h"

struct source;
struct source_record;
struct file {
	struct bytes bytes;
	int64_t size;
	int *fd;                      /* owned, of a file of the folder; NULL */
	struct source *source;        /* of a file in the record; NULL */
	struct source_record *record;
};
/* An attached file; ERR_INPUT with the reason where it is left out. */
bool file_open(struct server *sv, const char *path, struct file *out, struct err *e);
bool file_open_blob(struct server *sv, const struct entry *f, struct file *out, struct err *e);
void file_close(struct file *f);
/* The whole, where it is not over `most`. */
bool file_read(struct bytes bytes, int64_t size, size_t most, struct buf *out);

struct file_kind {
	const char *mime;
	bool text;
};
struct file_kind file_look(const char *path, struct bytes bytes, int64_t size);

/* Base64 (RFC 4648; line ends are passed over) to bytes; false: it is none. */
bool file_decode(const char *p, size_t n, struct buf *out);

#endif
