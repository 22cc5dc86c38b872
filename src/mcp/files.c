/* Files as bytes, and what kind they are. */
#include "files.h"
#include "model/source.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK ((size_t)4096)

static int64_t read_fd(void *ctx, int64_t pos, void *buf, size_t n)
{
	return fs_pread(*(int *)ctx, buf, n, pos);
}

bool file_open(struct server *sv, const char *path, struct file *out, struct err *e)
{
	int fd = attach_open(sv->ws, path, e);
	struct stat st;

	if (fd < 0)
		return false;
	out->fd = xmemdup(&fd, sizeof(fd));
	out->bytes = (struct bytes){ read_fd, out->fd };
	if (fstat(fd, &st) != 0)
		return err_sys(e, "cannot read %s", path);
	out->size = st.st_size;
	return S_ISREG(st.st_mode) || err_set(e, ERR_INPUT, "%s is no regular file", path);
}

bool file_open_blob(struct server *sv, const struct entry *f, struct file *out, struct err *e)
{
	struct source_spec spec = { .kind = SOURCE_BLOB, .sha256 = f->sha256 };

	out->record = source_record_open(workspace_record(sv->ws), false, e);
	out->source = out->record ? source_open(out->record, &spec, e) : NULL;
	if (!out->source)
		return false;
	out->bytes = source_bytes(out->source);
	out->size = source_size(out->source);
	return true;
}

void file_close(struct file *f)
{
	if (f->fd)
		close(*f->fd);
	free(f->fd);
	source_close(f->source);
	source_record_close(f->record);
	*f = (struct file){ 0 };
}

bool file_read(struct bytes bytes, int64_t size, size_t most, struct buf *out)
{
	if (size < 0 || size > (int64_t)most)
		return false;
	char *to = buf_reserve(out, (size_t)size);
	int64_t got = bytes.read(bytes.ctx, 0, to, (size_t)size);
	if (got > 0)
		out->len += (size_t)got;
	return got == size;
}

/* A character that the end of the piece cuts off is no fault. */
static bool looks_like_text(const char *p, size_t n, bool whole)
{
	size_t bad = 0;

	for (size_t i = 0; i < n;) {
		uint32_t cp;
		size_t len = utf8_decode(p + i, n - i, &cp);
		if (p[i] == '\0')
			return false;
		if (len == 0 && (whole || n - i >= 4))
			bad++;
		i += len ? len : 1;
	}
	/* Tables in an old encoding are text too. */
	return bad * 10 <= n;
}

struct file_kind file_look(const char *path, struct bytes bytes, int64_t size)
{
	char head[LOOK];
	int64_t got = MAX(bytes.read(bytes.ctx, 0, head, (size_t)MIN(size, (int64_t)LOOK)), 0);
	struct file_kind k = { .mime = mime_of(path, head, (size_t)got) };

	k.text = !mime_is_image(k.mime) && looks_like_text(head, (size_t)got, got == size);
	return k;
}

static int sextet(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

bool file_decode(const char *p, size_t n, struct buf *out)
{
	uint32_t bits = 0;
	size_t have = 0;

	while (n > 0 && strchr("\r\n= ", p[n - 1]) && p[n - 1])
		n--;
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\n' || p[i] == '\r')
			continue;
		int v = sextet(p[i]);
		if (v < 0)
			return false;
		bits = bits << 6 | (uint32_t)v;
		if (++have == 4) {
			char three[3] = { (char)(bits >> 16), (char)(bits >> 8), (char)bits };
			buf_add(out, three, 3);
			have = 0;
			bits = 0;
		}
	}
	if (have == 1)
		return false;
	if (have > 1)
		buf_addc(out, (char)(bits >> (have == 2 ? 4 : 10)));
	if (have == 3)
		buf_addc(out, (char)(bits >> 2));
	return true;
}
