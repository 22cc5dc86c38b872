/* Contents: found by their hash, and read in order, the hash checked at the end. */
#include "blob.h"

bool blob_find(struct store *st, const struct digest *d, int64_t *id, int64_t *size, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	*id = 0;
	if (!sql_start(st, SQL_BLOB_FIND, &q, e))
		return false;
	bind_blob(&q, d->b, sizeof(d->b));
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		*id = col_int(&q);
		*size = col_int(&q);
	}
	sql_end(&q);
	return answer != SQL_FAILED;
}

bool store_blob_has(struct store *st, const struct digest *d, int64_t *size)
{
	int64_t id, bytes;

	if (!blob_find(st, d, &id, &bytes, NULL) || id == 0)
		return false;
	if (size)
		*size = bytes;
	return true;
}

/* One chunk; *n is its size. Each is its own read, so that a slow consumer holds up no checkpoint. */
static bool give_chunk(struct store *st, const char *hex, int64_t chunk, size_t *n, store_bytes_fn add, void *ctx, struct err *e)
{
	enum sql_answer answer;
	bool ok = false;
	struct sql q;

	if (!sql_start(st, SQL_BLOB_CHUNK_GET, &q, e))
		return false;
	bind_int(&q, chunk);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		const void *p = col_blob(&q, n);

		ok = add(ctx, p, *n, e);
	} else if (answer == SQL_DONE) {
		err_set(e, ERR_CORRUPT, "%s: a part of content %.12s is missing; tickmark verify tells what is damaged", st->path, hex);
	}
	sql_end(&q);
	return ok;
}

/* All chunks of a blob in order: ERR_CORRUPT when one is missing. */
static bool each_chunk(struct store *st, const char *hex, int64_t id, int64_t size, store_bytes_fn add, void *ctx, struct err *e)
{
	int64_t chunk = id << BLOB_CHUNK_BITS;
	size_t n;

	while (size > 0) {
		if (!give_chunk(st, hex, chunk++, &n, add, ctx, e))
			return false;
		if (n == 0 || (int64_t)n > size)
			return err_set(e, ERR_CORRUPT, "%s: content %.12s has not the size recorded for it; tickmark verify tells what is damaged", st->path, hex);
		size -= (int64_t)n;
	}
	return true;
}

struct checked {
	struct hasher hash;
	store_bytes_fn add;
	void *ctx;
};

static bool add_checked(void *ctx, const void *p, size_t n, struct err *e)
{
	struct checked *c = ctx;

	hash_add(&c->hash, p, n);
	return c->add(c->ctx, p, n, e);
}

static bool tell_missing(struct store *st, const struct digest *d, const char *hex, struct err *e)
{
	char when[CLOCK_TEXT];
	int64_t at_us = 0;
	struct sql q;

	if (sql_start(st, SQL_TOMBSTONE_CONTENT, &q, NULL)) {
		bind_digest(&q, d);
		(void)sql_int(&q, &at_us, NULL);
	}
	if (at_us == 0)
		return err_set(e, ERR_NOTFOUND, "%s: content %.12s is not kept, and no prune took it; tickmark verify tells what is damaged", st->path, hex);
	clock_local(at_us, when);
	return err_set(e, ERR_NOTFOUND, "%s: content %.12s was pruned on %s", st->path, hex, when);
}

bool store_blob_each(struct store *st, const struct digest *d, store_bytes_fn add, void *ctx, struct err *e)
{
	struct checked c = { .add = add, .ctx = ctx };
	char hex[DIGEST_HEX];
	struct digest have;
	int64_t id, size;

	digest_hex(d, hex);
	if (!blob_find(st, d, &id, &size, e))
		return false;
	if (id == 0)
		return tell_missing(st, d, hex, e);
	hash_begin(&c.hash);
	if (!each_chunk(st, hex, id, size, add_checked, &c, e))
		return false;
	have = hash_end(&c.hash);
	if (!digest_equal(&have, d))
		return err_set(e, ERR_CORRUPT, "%s: content %.12s is not what was recorded; run tickmark verify", st->path,
		               hex);
	return true;
}

struct reading {
	struct buf *out;
	size_t max;
};

static bool add_to_buf(void *ctx, const void *p, size_t n, struct err *e)
{
	struct reading *r = ctx;

	if (r->out->len + n > r->max)
		return err_set(e, ERR_LIMIT, "a kept content is larger than %zu bytes", r->max);
	buf_add(r->out, p, n);
	return true;
}

bool store_blob_read(struct store *st, const struct digest *d, size_t max, struct buf *out, struct err *e)
{
	struct reading r = { .out = out, .max = out->len + max };

	return store_blob_each(st, d, add_to_buf, &r, e);
}

struct writing {
	int fd;
	const char *what;
};

static bool add_to_file(void *ctx, const void *p, size_t n, struct err *e)
{
	struct writing *w = ctx;

	return fs_write_fd(w->fd, p, n, w->what, e);
}

bool store_blob_write(struct store *st, const struct digest *d, int fd, const char *what, struct err *e)
{
	struct writing w = { .fd = fd, .what = what };
	struct err why = { 0 };

	if (store_blob_each(st, d, add_to_file, &w, &why))
		return true;
	/* What the disk refuses names the file already. */
	if (why.code == ERR_NOTFOUND || why.code == ERR_CORRUPT)
		return err_set(e, why.code, "%s: %s", what, why.msg);
	if (e)
		*e = why;
	return false;
}
