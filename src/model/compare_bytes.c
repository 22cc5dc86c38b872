/* The bytes of one side of an item. */
#include "comparing.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool too_large(struct err *e, int64_t size)
{
	return err_set(e, ERR_LIMIT, "%lld bytes, over %zu", (long long)size, COMPARE_MOST);
}

/* Read at once into memory of its size: growing would need twice as much. */
static bool read_plain(const char *path, struct buf *out, struct err *e)
{
	int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return err_sys(e, "cannot open %s", path);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < (off_t)DIFF_MOST)
		buf_reserve(out, (size_t)st.st_size + 1);
	bool ok = fs_read_fd(fd, path, DIFF_MOST, out, e);
	close(fd);
	return ok;
}

static bool take_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	struct buf *out = ctx;

	if (out->len + c->len > COMPARE_MOST)
		return too_large(e, (int64_t)(out->len + c->len));
	if (c->gap)
		buf_addf(out, "%s[%lld bytes not kept]\n", out->len && out->data[out->len - 1] != '\n' ? "\n" : "", (long long)c->gap);
	else
		buf_add(out, c->bytes, c->len);
	return true;
}

bool compare_bytes_read(struct comparing *c, const struct compare_item *item, int side, struct err *e)
{
	struct buf *out = &c->bytes[side];

	if (side == 1 && c->is_now && c->now[item - c->items]) {
		buf_clear(out);
		return read_plain(c->now[item - c->items], out, e);
	}
	if (c->path[side])
		return out->len > 0 || read_plain(c->path[side], out, e);
	buf_clear(out);
	if (item->part == COMPARE_STDOUT || item->part == COMPARE_STDERR)
		return query_chunks(c->query, c->side[side].attempt.id, item->part == COMPARE_STDOUT ? STREAM_OUT : STREAM_ERR,
		                    take_chunk, out, e);
	if (digest_is_zero(&item->sha256[side]))
		return err_set(e, ERR_NOTFOUND, "there are no bytes on the %s", side ? "right" : "left");
	if (item->size[side] > (int64_t)COMPARE_MOST)
		return too_large(e, item->size[side]);
	if (item->size[side] > 0)
		buf_reserve(out, (size_t)item->size[side] + 1);
	return store_blob_read(c->query->store, &item->sha256[side], COMPARE_MOST, out, e);
}
