/*
 * Contents, each kept once, in chunks. Large ones come in by several transactions, so that nobody
 * waits long: an upload row reserves the id, chunks follow, and the row of the blob itself comes with
 * the last ones. When another writer had the same content first, the own chunks are taken out again.
 */
#include "blob.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define AT_ONCE (4 << 20)  /* bytes in one transaction */

/* ---- rows ------------------------------------------------------------------------------------------ */

static bool next_id(struct store *st, int64_t *id, struct err *e)
{
	struct sql q;

	return sql_start(st, SQL_BLOB_NEXT_ID, &q, e) && sql_int(&q, id, e);
}

static bool add_chunk(struct store *st, int64_t id, const void *p, size_t n, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_BLOB_CHUNK_ADD, &q, e))
		return false;
	bind_int(&q, id);
	bind_blob(&q, p, n);
	return sql_run(&q, e);
}

/* All of p in chunks, the first at place *seq. */
static bool add_chunks(struct store *st, int64_t id, int64_t *seq, const char *p, size_t n, struct err *e)
{
	for (size_t at = 0; at < n; at += STORE_CHUNK, (*seq)++) {
		assert(*seq < 1 << BLOB_CHUNK_BITS);
		if (!add_chunk(st, (id << BLOB_CHUNK_BITS) + *seq, p + at, MIN(n - at, (size_t)STORE_CHUNK), e))
			return false;
	}
	return true;
}

static bool add_row(struct store *st, int64_t id, const struct digest *d, int64_t size, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_BLOB_ADD, &q, e))
		return false;
	bind_int(&q, id);
	bind_blob(&q, d->b, sizeof(d->b));
	bind_int(&q, size);
	return sql_run(&q, e);
}

static bool add_upload(struct store *st, int64_t id, const struct uuid *owner, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_UPLOAD_ADD, &q, e))
		return false;
	bind_int(&q, id);
	bind_blob(&q, owner->b, sizeof(owner->b));
	bind_int(&q, clock_now_us());
	return sql_run(&q, e);
}

static bool run_with_id(struct store *st, enum sql_id sql, int64_t id, struct err *e)
{
	struct sql q;

	if (!sql_start(st, sql, &q, e))
		return false;
	bind_int(&q, id);
	return sql_run(&q, e);
}

/* Whether the id is still reserved for this owner: who collects may have taken it for gone, and an id that is free is
 * given again. */
static bool is_reserved(struct store *st, int64_t id, const struct uuid *owner, bool *reserved, struct err *e)
{
	int64_t there;
	struct sql q;

	if (!sql_start(st, SQL_UPLOAD_FIND, &q, e))
		return false;
	bind_int(&q, id);
	bind_blob(&q, owner->b, sizeof(owner->b));
	if (!sql_int(&q, &there, e))
		return false;
	*reserved = there != 0;
	return true;
}

/* Takes out what came in under an id that became no blob. Chunks are guarded as facts are. */
static bool drop_upload(struct store *st, int64_t id, const struct uuid *owner, struct err *e)
{
	struct sql open, shut;
	bool reserved;

	if (!is_reserved(st, id, owner, &reserved, e))
		return false;
	if (!reserved)
		return true;
	return sql_start(st, SQL_PERMIT_OPEN, &open, e) && sql_run(&open, e) &&
	       run_with_id(st, SQL_BLOB_CHUNKS_DROP, id, e) && run_with_id(st, SQL_UPLOAD_DROP, id, e) &&
	       sql_start(st, SQL_PERMIT_CLOSE, &shut, e) && sql_run(&shut, e);
}

/* ---- small ones, in one transaction ----------------------------------------------------------------- */

static bool put_hashed(struct store *st, const void *p, size_t n, const struct digest *d, int64_t *id, struct err *e)
{
	int64_t size, seq = 0;

	if (!blob_find(st, d, id, &size, e) || *id)
		return *id != 0;
	return next_id(st, id, e) && add_chunks(st, *id, &seq, p, n, e) && add_row(st, *id, d, (int64_t)n, e);
}

bool blob_put(struct store *st, const void *p, size_t n, struct digest *out, int64_t *id, struct err *e)
{
	*out = hash_bytes(p, n);
	return put_hashed(st, p, n, out, id, e);
}

static bool put_small(struct store *st, const void *p, size_t n, const struct digest *d, struct err *e)
{
	int64_t id;

	return db_begin(st, DB_NORMAL, e) && db_end(st, put_hashed(st, p, n, d, &id, e), e);
}

/* ---- large ones, in several --------------------------------------------------------------------------- */

struct upload {
	struct store *st;
	const struct uuid *owner;
	int64_t id;            /* once it is reserved */
	bool reserved;         /* the upload row is committed */
	int64_t seq;           /* chunks */
	int64_t size;          /* bytes */
	struct hasher hash;
};

/* Inside a transaction: it is still there, with all that came in so far. */
static bool check_reserved(struct upload *u, struct err *e)
{
	bool reserved;

	if (!is_reserved(u->st, u->id, u->owner, &reserved, e))
		return false;
	return reserved || err_set(e, ERR_BUSY, "%s: what had come in of a content was taken away meanwhile, as if nobody"
	                           " wrote it any more; try again", u->st->path);
}

static bool upload_part(struct upload *u, const char *p, size_t n, struct err *e)
{
	if (u->reserved ? !check_reserved(u, e) : !next_id(u->st, &u->id, e) || !add_upload(u->st, u->id, u->owner, e))
		return false;
	return add_chunks(u->st, u->id, &u->seq, p, n, e);
}

/* One transaction of at most AT_ONCE bytes; all but the last are a multiple of STORE_CHUNK. */
static bool upload_add(struct upload *u, const char *p, size_t n, struct err *e)
{
	hash_add(&u->hash, p, n);
	u->size += (int64_t)n;
	if (!db_begin(u->st, DB_NORMAL, e) || !db_end(u->st, upload_part(u, p, n, e), e))
		return false;
	u->reserved = true;
	return true;
}

static void upload_abandon(struct upload *u)
{
	/* An id that was not committed may be another writer's by now. */
	if (u->reserved && db_begin(u->st, DB_NORMAL, NULL))
		db_end(u->st, drop_upload(u->st, u->id, u->owner, NULL), NULL);
}

static bool upload_close(struct upload *u, const struct digest *d, struct err *e)
{
	int64_t other, size;

	if (!blob_find(u->st, d, &other, &size, e))
		return false;
	if (other)
		return drop_upload(u->st, u->id, u->owner, e);
	return check_reserved(u, e) && add_row(u->st, u->id, d, u->size, e) && run_with_id(u->st, SQL_UPLOAD_DROP, u->id, e);
}

/* Ends with what the bytes really were; `want` is what they have to be. */
static bool upload_end(struct upload *u, const struct digest *want, const char *what, struct err *e)
{
	struct digest have = hash_end(&u->hash);

	if (!digest_equal(&have, want))
		return err_set(e, ERR_CHANGED, "%s changed while it was read", what);
	return db_begin(u->st, DB_NORMAL, e) && db_end(u->st, upload_close(u, want, e), e);
}

static bool put_large(struct store *st, const struct uuid *owner, const char *p, size_t n, const struct digest *d,
                      struct err *e)
{
	struct upload u = { .st = st, .owner = owner };

	hash_begin(&u.hash);
	for (size_t at = 0; at < n; at += AT_ONCE)
		if (!upload_add(&u, p + at, MIN(n - at, (size_t)AT_ONCE), e)) {
			upload_abandon(&u);
			return false;
		}
	if (upload_end(&u, d, "a content", e))
		return true;
	upload_abandon(&u);
	return false;
}

bool store_blob_put(struct store *st, const struct uuid *owner, const void *p, size_t n, struct digest *out,
                    struct err *e)
{
	*out = hash_bytes(p, n);
	if (store_blob_has(st, out, NULL))
		return true;
	return n <= AT_ONCE ? put_small(st, p, n, out, e) : put_large(st, owner, p, n, out, e);
}

/* ---- from a file ------------------------------------------------------------------------------------- */

static bool copy_file(struct upload *u, int fd, const char *what, char *part, struct err *e)
{
	for (;;) {
		if (cancel_is_asked(&u->st->cancel, what, e))
			return false;
		int64_t got = fs_pread(fd, part, AT_ONCE, u->size);
		if (got < 0)
			return err_sys(e, "cannot read %s", what);
		if (got == 0)
			return true;
		if (!upload_add(u, part, (size_t)got, e))
			return false;
	}
}

static bool put_large_file(struct store *st, const struct uuid *owner, int fd, const char *what,
                           const struct digest *want, int64_t *size, struct err *e)
{
	struct upload u = { .st = st, .owner = owner };
	char *part = xmalloc(AT_ONCE);
	struct err why = { 0 };

	hash_begin(&u.hash);
	bool ok = copy_file(&u, fd, what, part, &why) && upload_end(&u, want, what, &why);
	if (!ok && why.code != ERR_CANCELLED)
		upload_abandon(&u);
	if (!ok && e)
		*e = why;
	free(part);
	*size = u.size;
	return ok;
}

/* A file of up to AT_ONCE bytes, read in full; *got of them. */
static bool put_small_file(struct store *st, int fd, const char *what, const struct digest *want, struct digest *out,
                           int64_t *size, bool *small, struct err *e)
{
	char *part = xmalloc(AT_ONCE + 1);
	int64_t got = fs_pread(fd, part, AT_ONCE + 1, 0);
	bool ok = got >= 0 || err_sys(e, "cannot read %s", what);

	*small = got <= AT_ONCE;
	if (ok && *small) {
		*size = got;
		*out = hash_bytes(part, (size_t)got);
		if (want && !digest_equal(want, out))
			ok = err_set(e, ERR_CHANGED, "%s changed while it was read", what);
		else
			ok = store_blob_has(st, out, NULL) || put_small(st, part, (size_t)got, out, e);
	}
	free(part);
	return ok;
}

/* The hash of a file that must be large; kept already: *known. */
static bool hash_large_file(struct store *st, int fd, const char *what, struct digest *out, int64_t *size, bool *known,
                            struct err *e)
{
	uint64_t bytes;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return err_sys(e, "cannot read %s", what);
	if (!hash_fd_unless(&st->cancel, fd, what, out, &bytes, e))
		return false;
	*known = store_blob_has(st, out, size);
	return true;
}

void store_set_cancel(struct store *st, const struct cancel *c)
{
	st->cancel = *c;
}

bool store_blob_put_fd(struct store *st, const struct uuid *owner, int fd, const char *what,
                       const struct digest *want, struct digest *out, int64_t *size, struct err *e)
{
	bool small, known = false;
	int64_t bytes;

	if (!size)
		size = &bytes;
	if (want && store_blob_has(st, want, size)) {
		*out = *want;
		return true;
	}
	if (!put_small_file(st, fd, what, want, out, size, &small, e))
		return false;
	if (small)
		return true;
	/* Reading twice costs less than writing what is there already. */
	if (want)
		*out = *want;
	else if (!hash_large_file(st, fd, what, out, size, &known, e))
		return false;
	return known || put_large_file(st, owner, fd, what, out, size, e);
}

/* ---- from another record ------------------------------------------------------------------------------- */

struct copying {
	struct upload u;
	struct buf part;
};

/* Its pieces may be cut otherwise than ours. */
static bool copy_piece(void *ctx, const void *p, size_t n, struct err *e)
{
	struct copying *c = ctx;

	buf_add(&c->part, p, n);
	while (c->part.len >= AT_ONCE) {
		if (!upload_add(&c->u, c->part.data, AT_ONCE, e))
			return false;
		memmove(c->part.data, c->part.data + AT_ONCE, c->part.len - AT_ONCE);
		c->part.len -= AT_ONCE;
	}
	return true;
}

static bool copy_end(struct copying *c, const struct digest *d, struct err *e)
{
	if (!c->u.reserved)
		return put_small(c->u.st, c->part.data ? c->part.data : "", c->part.len, d, e);
	return (c->part.len == 0 || upload_add(&c->u, c->part.data, c->part.len, e)) && upload_end(&c->u, d, "a content", e);
}

bool store_blob_copy(struct store *st, const struct uuid *owner, struct store *from, const struct digest *d, struct err *e)
{
	struct copying c = { .u = { .st = st, .owner = owner } };
	bool ok;

	if (store_blob_has(st, d, NULL))
		return true;
	hash_begin(&c.u.hash);
	ok = store_blob_each(from, d, copy_piece, &c, e) && copy_end(&c, d, e);
	if (!ok)
		upload_abandon(&c.u);
	buf_free(&c.part);
	return ok;
}

/* ---- collecting ---------------------------------------------------------------------------------------- */

/* The next upload behind *id; *id 0 when there is none. */
static bool next_upload(struct store *st, int64_t *id, struct uuid *owner, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, SQL_UPLOAD_EACH, &q, e))
		return false;
	bind_int(&q, *id);
	answer = sql_row(&q, e);
	*id = 0;
	if (answer == SQL_ROW) {
		*id = col_int(&q);
		*owner = col_uuid(&q);
	}
	sql_end(&q);
	return answer != SQL_FAILED;
}

bool store_blob_collect(struct store *st, bool (*alive)(void *ctx, const struct uuid *owner), void *ctx,
                        struct err *e)
{
	int64_t id = 0;
	struct uuid owner;

	for (;;) {
		if (!next_upload(st, &id, &owner, e))
			return false;
		if (id == 0)
			return true;
		if (alive(ctx, &owner))
			continue;
		if (!db_begin(st, DB_NORMAL, e) || !db_end(st, drop_upload(st, id, &owner, e), e))
			return false;
	}
}
