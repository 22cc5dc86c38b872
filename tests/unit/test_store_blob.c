/* Contents: any size, any number of writers, from memory and from files. */
#include "store_case.h"

#define MIB (1 << 20)

static char *noise_dup(size_t n, unsigned seed)
{
	char *p = xmalloc(n + 1);

	for (size_t i = 0; i < n; i++) {
		seed = seed * 1103515245 + 12345;
		p[i] = (char)(seed >> 16);
	}
	return p;
}

static void assert_kept(struct place *p, struct store *st, const struct digest *d, const char *bytes, size_t n)
{
	struct buf b = { 0 };
	int64_t size;

	assert_true(store_blob_has(st, d, &size));
	assert_int_equal(size, n);
	assert_done(p, store_blob_read(st, d, n, &b, &p->e));
	assert_int_equal(b.len, n);
	if (n)
		assert_memory_equal(b.data, bytes, n);
	buf_free(&b);
}

static const size_t sizes[] = { 0, 1, MIB - 1, MIB, MIB + 1, 4 * MIB, 4 * MIB + 1, 9 * MIB + 5 };

static void sizes_around_chunks(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct uuid owner = uuid_new();

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		char *bytes = noise_dup(sizes[i], (unsigned)i);
		struct digest d, want = hash_bytes(bytes, sizes[i]);

		assert_false(store_blob_has(st, &want, NULL));
		assert_done(p, store_blob_put(st, &owner, bytes, sizes[i], &d, &p->e));
		assert_true(digest_equal(&d, &want));
		assert_kept(p, st, &d, bytes, sizes[i]);
		free(bytes);
	}
	store_close(st);
	assert_int_equal(case_number(p, "SELECT count(*) FROM blob"), ARRAY_LEN(sizes));
	assert_int_equal(case_number(p, "SELECT count(*) FROM blob_upload"), 0);
}

static void same_content_is_kept_once(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct uuid owner = uuid_new();
	char *bytes = noise_dup(5 * MIB, 1);
	struct digest d;
	int64_t chunks;

	assert_done(p, store_blob_put(st, &owner, bytes, 5 * MIB, &d, &p->e));
	chunks = case_number(p, "SELECT count(*) FROM blob_chunk");
	assert_done(p, store_blob_put(st, &owner, bytes, 5 * MIB, &d, &p->e));
	assert_int_equal(case_number(p, "SELECT count(*) FROM blob_chunk"), chunks);
	store_close(st);
	free(bytes);
}

static int file_of(struct place *p, const char *bytes, size_t n)
{
	char *path = path_join(p->dir, "file");
	int fd;

	assert_done(p, fs_write(AT_FDCWD, path, bytes, n, false, &p->e));
	fd = open(path, O_RDWR);
	free(path);
	assert_true(fd >= 0);
	return fd;
}

static void from_files(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct uuid owner = uuid_new();

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		for (int known = 0; known < 2; known++) {
			char *bytes = noise_dup(sizes[i], (unsigned)(100 + 2 * i + (size_t)known));
			struct digest want = hash_bytes(bytes, sizes[i]), d;
			int fd = file_of(p, bytes, sizes[i]);
			int64_t size;

			lseek(fd, 3, SEEK_SET); /* it is read from its start anyhow */
			assert_done(p, store_blob_put_fd(st, &owner, fd, "file", known ? &want : NULL, &d, &size, &p->e));
			assert_true(digest_equal(&d, &want));
			assert_int_equal(size, sizes[i]);
			assert_kept(p, st, &d, bytes, sizes[i]);
			close(fd);
			free(bytes);
		}
	store_close(st);
}

static void kept_file_is_not_read_again(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct uuid owner = uuid_new();
	struct digest want, d;
	int64_t size;

	assert_done(p, store_blob_put(st, &owner, "abc", 3, &want, &p->e));
	assert_done(p, store_blob_put_fd(st, &owner, -1, "file", &want, &d, &size, &p->e)); /* no such descriptor */
	assert_int_equal(size, 3);
	assert_fails(p, ERR_SYS, "cannot read file", store_blob_put_fd(st, &owner, -1, "file", NULL, &d, &size, &p->e));
	store_close(st);
}

static bool asked_at_last(const void *ctx)
{
	int *left = (int *)ctx;

	return (*left)-- <= 0;
}

static bool nobody_lives(void *ctx, const struct uuid *u)
{
	(void)ctx, (void)u;
	return false;
}

/* Wherever it is broken off, nothing of it is kept, and what came in can be collected; afterwards it can come. */
static void file_can_be_broken_off(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct uuid owner = uuid_new();
	const size_t n = 9 * MIB;
	char *bytes = noise_dup(n, 11);
	int fd = file_of(p, bytes, n);
	struct digest want = hash_bytes(bytes, n), d;
	int64_t size;
	int broken = 0;

	for (int at = 0; at < 1000; at += at < 4 ? 1 : 47) {
		int left = at;
		store_set_cancel(st, &(struct cancel){ asked_at_last, &left });
		for (int known = 0; known < 2; known++) {
			left = known ? MIN(at, 3) : at;
			p->e = (struct err){ 0 };
			if (store_blob_put_fd(st, &owner, fd, "file", known ? &want : NULL, &d, &size, &p->e))
				goto kept;
			assert_int_equal(p->e.code, ERR_CANCELLED);
			assert_false(store_blob_has(st, &want, NULL));
			broken++;
		}
		assert_done(p, store_blob_collect(st, nobody_lives, NULL, &p->e));
	}
kept:
	assert_true(broken > 8);
	store_set_cancel(st, &(struct cancel){ 0 });
	assert_done(p, store_blob_put_fd(st, &owner, fd, "file", NULL, &d, &size, &p->e));
	assert_kept(p, st, &want, bytes, n);
	close(fd);
	free(bytes);
	store_close(st);
}

/* Between two parts another process takes the upload for a dead one's, and its number is given again. */
struct collector {
	struct place *p;
	int parts;
	struct digest other;
};

static bool collect_meanwhile(const void *ctx)
{
	struct collector *c = *(struct collector *const *)ctx;
	struct uuid owner = { { 2 } };

	if (c->parts++ != 2)
		return false;
	struct store *st = case_open(c->p, STORE_WRITE);
	assert_done(c->p, store_blob_collect(st, nobody_lives, NULL, &c->p->e));
	assert_done(c->p, store_blob_put(st, &owner, "other", 5, &c->other, &c->p->e));
	store_close(st);
	return false;
}

static void an_upload_that_was_collected_fails(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct collector c = { .p = p }, *at = &c;
	struct uuid owner = { { 1 } };
	const size_t n = 13 * MIB;
	char *bytes = noise_dup(n, 12);
	int fd = file_of(p, bytes, n);
	struct digest want = hash_bytes(bytes, n), d;

	store_set_cancel(st, &(struct cancel){ collect_meanwhile, &at });
	assert_fails(p, ERR_BUSY, "taken away meanwhile", store_blob_put_fd(st, &owner, fd, "file", &want, &d, NULL, &p->e));
	assert_false(store_blob_has(st, &want, NULL));
	assert_kept(p, st, &c.other, "other", 5);
	assert_int_equal(case_number(p, "SELECT count(*) FROM blob_chunk"), 1);
	assert_int_equal(case_number(p, "SELECT count(*) FROM blob_upload"), 0);
	assert_done(p, store_blob_put_fd(st, &owner, fd, "file", &want, &d, NULL, &p->e));
	assert_kept(p, st, &want, bytes, n);
	close(fd);
	free(bytes);
	store_close(st);
}

static void file_that_changed_is_refused(void **state)
{
	static const size_t n[] = { 100, 6 * MIB };
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct uuid owner = uuid_new();

	for (size_t i = 0; i < ARRAY_LEN(n); i++) {
		char *bytes = noise_dup(n[i], 7);
		int fd = file_of(p, bytes, n[i]);
		struct digest want = case_digest("something else"), d;
		int64_t size;

		assert_fails(p, ERR_CHANGED, "file changed while it was read",
		             store_blob_put_fd(st, &owner, fd, "file", &want, &d, &size, &p->e));
		close(fd);
		free(bytes);
	}
	store_close(st);
	assert_int_equal(case_number(p, "SELECT count(*) FROM blob"), 0);
	assert_int_equal(case_number(p, "SELECT count(*) FROM blob_chunk"), 0);
	assert_int_equal(case_number(p, "SELECT count(*) FROM blob_upload"), 0);
}

static void read_has_a_limit(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct uuid owner = uuid_new();
	struct buf b = { 0 };
	struct digest d;

	assert_done(p, store_blob_put(st, &owner, "0123456789", 10, &d, &p->e));
	assert_fails(p, ERR_LIMIT, "larger than 9", store_blob_read(st, &d, 9, &b, &p->e));
	d = case_digest("never put");
	assert_fails(p, ERR_NOTFOUND, "is not kept", store_blob_read(st, &d, 9, &b, &p->e));
	buf_free(&b);
	store_close(st);
}

static void written_to_a_file(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct uuid owner = uuid_new();
	char *bytes = noise_dup(2 * MIB + 9, 3), *path = path_join(p->dir, "out");
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	struct digest d, have;

	assert_done(p, store_blob_put(st, &owner, bytes, 2 * MIB + 9, &d, &p->e));
	assert_done(p, store_blob_write(st, &d, fd, "out", &p->e));
	lseek(fd, 0, SEEK_SET);
	assert_done(p, hash_fd(fd, "out", &have, NULL, &p->e));
	assert_true(digest_equal(&d, &have));
	close(fd);
	free(path);
	free(bytes);
	store_close(st);
}

static void damage_is_noticed_when_read(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct uuid owner = uuid_new();
	struct buf b = { 0 };
	struct digest d;

	assert_done(p, store_blob_put(st, &owner, "0123456789", 10, &d, &p->e));
	case_sql(p, "INSERT INTO prune_permit VALUES (1); UPDATE blob_chunk SET bytes = x'30313233343536373841'");
	assert_fails(p, ERR_CORRUPT, "not what was recorded", store_blob_read(st, &d, 10, &b, &p->e));
	case_sql(p, "UPDATE blob_chunk SET bytes = x'3031'");
	assert_fails(p, ERR_CORRUPT, "missing", store_blob_read(st, &d, 10, &b, &p->e));
	case_sql(p, "DELETE FROM blob_chunk");
	assert_fails(p, ERR_CORRUPT, "missing", store_blob_read(st, &d, 10, &b, &p->e));
	buf_free(&b);
	store_close(st);
}

/* ---- uploads --------------------------------------------------------------------------------------- */

static bool is_alive(void *ctx, const struct uuid *owner)
{
	return memcmp(ctx, owner, sizeof(*owner)) == 0;
}

static void uploads_of_the_dead_are_collected(void **state)
{
	struct place *p = *state;
	struct uuid alive = uuid_new();
	struct store *st;
	struct digest d;

	case_sql(p, "INSERT INTO blob_upload VALUES (1, zeroblob(16), 1), (2, zeroblob(16), 1);"
	            "INSERT INTO blob_chunk VALUES (1 << 24, x'41'), ((1 << 24) + 1, x'41'), (2 << 24, x'41')");
	st = case_open(p, STORE_WRITE);
	/* An id that is reserved is not given again. */
	assert_done(p, store_blob_put(st, &alive, "x", 1, &d, &p->e));
	assert_int_equal(case_number(p, "SELECT max(id) FROM blob"), 3);
	assert_done(p, store_blob_collect(st, is_alive, &alive, &p->e));
	store_close(st);
	assert_int_equal(case_number(p, "SELECT count(*) FROM blob_upload"), 0);
	assert_int_equal(case_number(p, "SELECT count(*) FROM blob_chunk"), 1);
}

static void uploads_of_the_living_stay(void **state)
{
	struct place *p = *state;
	struct uuid zero = { { 0 } };
	struct store *st;

	case_sql(p, "INSERT INTO blob_upload VALUES (1, zeroblob(16), 1); INSERT INTO blob_chunk VALUES (1 << 24, x'41')");
	st = case_open(p, STORE_WRITE);
	assert_done(p, store_blob_collect(st, is_alive, &zero, &p->e));
	store_close(st);
	assert_int_equal(case_number(p, "SELECT count(*) FROM blob_chunk"), 1);
}

/* A forged upload row must not take a kept content with it. */
static void collecting_never_takes_a_kept_content(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct uuid owner = uuid_new();
	struct digest d;

	assert_done(p, store_blob_put(st, &owner, "abc", 3, &d, &p->e));
	case_sql(p, "INSERT INTO blob_upload SELECT id, zeroblob(16), 1 FROM blob");
	assert_done(p, store_blob_collect(st, is_alive, &owner, &p->e));
	assert_kept(p, st, &d, "abc", 3);
	store_close(st);
}

/* Eight processes put the same large contents at the same time. */
static void writers_of_the_same_content(void **state)
{
	enum { WRITERS = 8 };
	struct place *p = *state;
	char *bytes = noise_dup(5 * MIB, 9);
	struct digest want = hash_bytes(bytes, 5 * MIB);
	pid_t pids[WRITERS];
	struct store *st;
	int status;

	for (int i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			struct uuid owner = uuid_new();
			struct digest d;

			st = store_open(p->db, STORE_WRITE, &p->e);
			if (st && store_blob_put(st, &owner, bytes, 5 * MIB, &d, &p->e) && digest_equal(&d, &want))
				_exit(0);
			print_error("%s\n", p->e.msg);
			_exit(1);
		}
	}
	for (int i = 0; i < WRITERS; i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	st = case_open(p, STORE_READ);
	assert_kept(p, st, &want, bytes, 5 * MIB);
	store_close(st);
	assert_int_equal(case_number(p, "SELECT count(*) FROM blob_chunk"), 5);
	assert_int_equal(case_number(p, "SELECT count(*) FROM blob_upload"), 0);
	free(bytes);
}

#define WITH_RECORD(test) cmocka_unit_test_setup_teardown(test, case_setup, case_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_RECORD(sizes_around_chunks),
		WITH_RECORD(same_content_is_kept_once),
		WITH_RECORD(from_files),
		WITH_RECORD(kept_file_is_not_read_again),
		WITH_RECORD(file_can_be_broken_off),
		WITH_RECORD(an_upload_that_was_collected_fails),
		WITH_RECORD(file_that_changed_is_refused),
		WITH_RECORD(read_has_a_limit),
		WITH_RECORD(written_to_a_file),
		WITH_RECORD(damage_is_noticed_when_read),
		WITH_RECORD(uploads_of_the_dead_are_collected),
		WITH_RECORD(uploads_of_the_living_stay),
		WITH_RECORD(collecting_never_takes_a_kept_content),
		WITH_RECORD(writers_of_the_same_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
