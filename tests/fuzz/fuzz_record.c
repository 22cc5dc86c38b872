/*
 * A hostile record: the bytes are opened as evidence, listed, read and verified. Nothing may crash,
 * and the file must not change.
 */
#include "store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool count_row(void *ctx, const struct attempt_row *row)
{
	(void)row;
	return ++*(int *)ctx < 50;
}

static void no_fault(void *ctx, const char *what)
{
	(void)ctx;
	(void)what;
}

static bool skip_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	(void)e;
	*(size_t *)ctx += c->len;
	return true;
}

static void read_all(struct store *st)
{
	struct verify_result v;
	struct attempt_full a;
	struct manifest m;
	struct err e = { 0 };
	size_t bytes = 0;
	int rows = 0;

	store_attempts(st, 0, true, 50, count_row, &rows, &e);
	for (int64_t id = 1; id < 4; id++) {
		e = (struct err){ 0 };
		if (store_attempt_get(st, id, &a, &e))
			store_attempt_free(&a);
		if (store_manifest_get(st, id, &m, &e))
			store_manifest_free(&m);
		store_chunks(st, id, 0, skip_chunk, &bytes, &e);
	}
	store_verify(st, no_fault, NULL, NULL, &v, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[64];
	struct err e = { 0 };
	struct buf after = { 0 };

	if (!path[0])
		snprintf(path, sizeof(path), "/tmp/tickmark-fuzz-%d.db", getpid());
	if (!fs_write(AT_FDCWD, path, data, size, false, &e))
		abort();
	struct store *st = store_open(path, STORE_EVIDENCE, &e);
	if (st)
		read_all(st);
	store_close(st);
	if (!fs_read(AT_FDCWD, path, SIZE_MAX / 2, &after, &e) || after.len != size ||
	    (size && memcmp(after.data, data, size) != 0))
		abort();
	buf_free(&after);
	unlink(path);
	return 0;
}
