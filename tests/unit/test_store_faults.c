/*
 * The n-th write, sync or truncation of the record's files fails, once or from then on: whatever was
 * acknowledged before stays, what was refused left nothing behind, and the record verifies.
 * In check every STEPth n, with SOAK=1 each.
 */
#include "store_case.h"

/* ---- a layer below SQLite that fails ------------------------------------------------------------------ */

enum fault_kind { FAIL_WRITE, FAIL_SYNC, FAIL_TRUNCATE, FAULT_KINDS };

static struct {
	bool armed, lasting, met;
	enum fault_kind kind;
	long left;   /* calls of the kind until it fails */
	int code;
} fault;

struct faulty {
	sqlite3_file base;
	_Alignas(sqlite3_int64) unsigned char real[];
};

static sqlite3_vfs layer, *own;
static sqlite3_io_methods methods;

static sqlite3_file *real_of(sqlite3_file *f)
{
	return (sqlite3_file *)((struct faulty *)f)->real;
}

static bool fails(enum fault_kind kind)
{
	if (!fault.armed || kind != fault.kind)
		return false;
	if (fault.left > 0 && --fault.left > 0)
		return false;
	if (fault.met && !fault.lasting)
		return false;
	fault.met = true;
	return true;
}

static int do_close(sqlite3_file *f)
{
	return real_of(f)->pMethods->xClose(real_of(f));
}

static int do_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
	return real_of(f)->pMethods->xRead(real_of(f), p, n, at);
}

static int do_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	/* Half of it gets there, as on a disk that fills up. */
	if (fails(FAIL_WRITE)) {
		real_of(f)->pMethods->xWrite(real_of(f), p, n / 2, at);
		return fault.code;
	}
	return real_of(f)->pMethods->xWrite(real_of(f), p, n, at);
}

static int do_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	return fails(FAIL_TRUNCATE) ? SQLITE_IOERR_TRUNCATE : real_of(f)->pMethods->xTruncate(real_of(f), size);
}

static int do_sync(sqlite3_file *f, int flags)
{
	return fails(FAIL_SYNC) ? SQLITE_IOERR_FSYNC : real_of(f)->pMethods->xSync(real_of(f), flags);
}

static int do_size(sqlite3_file *f, sqlite3_int64 *size)
{
	return real_of(f)->pMethods->xFileSize(real_of(f), size);
}

static int do_lock(sqlite3_file *f, int level)
{
	return real_of(f)->pMethods->xLock(real_of(f), level);
}

static int do_unlock(sqlite3_file *f, int level)
{
	return real_of(f)->pMethods->xUnlock(real_of(f), level);
}

static int do_reserved(sqlite3_file *f, int *out)
{
	return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
}

static int do_control(sqlite3_file *f, int op, void *arg)
{
	return real_of(f)->pMethods->xFileControl(real_of(f), op, arg);
}

static int do_sector(sqlite3_file *f)
{
	return real_of(f)->pMethods->xSectorSize(real_of(f));
}

static int do_device(sqlite3_file *f)
{
	return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
}

static int do_shm_map(sqlite3_file *f, int region, int size, int extend, void volatile **out)
{
	return real_of(f)->pMethods->xShmMap(real_of(f), region, size, extend, out);
}

static int do_shm_lock(sqlite3_file *f, int at, int n, int flags)
{
	return real_of(f)->pMethods->xShmLock(real_of(f), at, n, flags);
}

static void do_shm_barrier(sqlite3_file *f)
{
	real_of(f)->pMethods->xShmBarrier(real_of(f));
}

static int do_shm_unmap(sqlite3_file *f, int drop)
{
	return real_of(f)->pMethods->xShmUnmap(real_of(f), drop);
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out)
{
	int rc = own->xOpen(own, name, real_of(f), flags, out);

	(void)vfs;
	f->pMethods = rc == SQLITE_OK ? &methods : NULL;
	return rc;
}

/* Before the store makes its own layer, which goes on top of the default one. */
static void install(void)
{
	methods = (sqlite3_io_methods){
		.iVersion = 2, .xClose = do_close, .xRead = do_read, .xWrite = do_write, .xTruncate = do_truncate,
		.xSync = do_sync, .xFileSize = do_size, .xLock = do_lock, .xUnlock = do_unlock,
		.xCheckReservedLock = do_reserved, .xFileControl = do_control, .xSectorSize = do_sector,
		.xDeviceCharacteristics = do_device, .xShmMap = do_shm_map, .xShmLock = do_shm_lock,
		.xShmBarrier = do_shm_barrier, .xShmUnmap = do_shm_unmap,
	};
	own = sqlite3_vfs_find(NULL);
	layer = *own;
	layer.zName = "faulty";
	layer.szOsFile = (int)sizeof(struct faulty) + own->szOsFile;
	layer.xOpen = open_file;
	assert_int_equal(sqlite3_vfs_register(&layer, 1), SQLITE_OK);
}

/* ---- what is done under faults --------------------------------------------------------------------------- */

#define LARGE 100000 /* bytes of a content: some fifty pages */

/* What was acknowledged. */
struct done {
	int64_t queued, ended, marked, chunks;
	bool blob;
};

static bool end_it(struct store *st, int64_t id, struct err *e)
{
	struct attempt_end end = { .attempt = id, .started_us = 1, .ended_us = 2, .wall_us = 1, .outcome = OUTCOME_OK,
		                   .detail = "", .inputs_complete = true, .out_bytes = 6 };
	struct end_with with = { 0 };

	return store_attempt_end(st, &end, &with, e);
}

static bool queue_it(struct store *st, int64_t *id, struct err *e)
{
	static const struct entry none;
	struct queue_with with = { .step = &case_step, .environment = &case_environment, .policy = &case_policy,
		                   .code = "print(1)", .code_len = 8, .offered = &none };
	struct attempt a = { .uuid = uuid_new(), .asker = { ASKER_PERSON, "jm", NULL }, .script = "s.py", .box = "/b", .cwd = ".",
		             .host = "h", .boot_id = "b" };

	bool ok = store_attempt_queue(st, &a, &with, e);
	*id = a.id;
	return ok;
}

/* A day in a record's life: as far as it goes; true when everything was done. */
static bool live(struct place *p, struct done *d)
{
	struct err e = { 0 };
	struct store *st = store_open(p->db, STORE_WRITE, &e);
	struct uuid owner = uuid_new();
	char *large = xcalloc(1, LARGE);
	struct digest digest;
	int64_t id = 0;
	bool ok = st != NULL;

	for (int i = 0; ok && i < 3; i++) {
		struct chunk c = { .stream = STREAM_OUT, .group = 1, .bytes = "hello\n", .len = 6 };
		large[0] = (char)i;
		ok = queue_it(st, &id, &e);
		d->queued += ok;
		ok = ok && store_chunks_add(st, id, &c, 1, &e);
		ok = ok && store_blob_put(st, &owner, large, LARGE, &digest, &e);
		d->blob |= ok;
		ok = ok && end_it(st, id, &e);
		d->ended += ok;
		struct mark m = { .attempt = id, .judgement = JUDGED_ACCEPTED, .reviewer = "mb", .how = "screen" };
		ok = ok && store_mark_add(st, &m, &e);
		d->marked += ok;
		ok = ok && store_checkpoint(st, &e);
	}
	if (!ok && e.code != ERR_FULL && e.code != ERR_SYS && e.code != ERR_CORRUPT)
		fail_msg("a fault of the disk is called: %d, %s", e.code, e.msg);
	store_close(st);
	free(large);
	return ok;
}

static void print_fault(void *ctx, const char *what)
{
	(void)ctx;
	print_error("fault: %s\n", what);
}

static bool nobody_lives(void *ctx, const struct uuid *owner)
{
	(void)ctx;
	(void)owner;
	return false;
}

static void assert_kept(struct place *p, const struct done *d)
{
	struct store *st = case_open(p, STORE_WRITE);
	struct verify_result r;

	assert_done(p, store_blob_collect(st, nobody_lives, NULL, &p->e));
	assert_done(p, store_verify(st, print_fault, NULL, NULL, &r, &p->e));
	assert_int_equal(r.faults, 0);
	assert_true(r.attempts >= d->queued);
	store_close(st);
	assert_true(case_number(p, "SELECT count(*) FROM attempt_end") >= d->ended);
	assert_true(case_number(p, "SELECT count(*) FROM mark") >= d->marked);
}

static long injected;

#ifdef __SANITIZE_ADDRESS__
#define STEP 97 /* the sanitizers are slow, and the failures are the same */
#else
#define STEP 10
#endif

/* Every n up to the last that is met. */
static void fail_each(void **state, enum fault_kind kind, bool lasting, int code)
{
	long step = getenv("SOAK") ? 1 : STEP, n = 1 + (long)kind;

	for (bool met = true; met; n += step) {
		struct done d = { 0 };
		assert_int_equal(case_setup(state), 0);
		struct place *p = *state;

		fault.armed = true;
		fault.kind = kind;
		fault.lasting = lasting;
		fault.code = code;
		fault.left = n;
		fault.met = false;
		live(p, &d);
		met = fault.met;
		fault.armed = false;
		injected += met;
		assert_kept(p, &d);
		/* It goes on as if nothing had been. */
		struct done after = { 0 };
		assert_true(live(p, &after));
		assert_int_equal(after.ended, 3);
		case_teardown(state);
	}
}

static void each_write_once(void **state)
{
	fail_each(state, FAIL_WRITE, false, SQLITE_IOERR_WRITE);
}

static void each_write_from_then_on(void **state)
{
	fail_each(state, FAIL_WRITE, true, SQLITE_FULL);
}

static void each_sync_once(void **state)
{
	fail_each(state, FAIL_SYNC, false, 0);
}

static void each_sync_from_then_on(void **state)
{
	fail_each(state, FAIL_SYNC, true, 0);
}

static void each_truncation_from_then_on(void **state)
{
	fail_each(state, FAIL_TRUNCATE, true, 0);
	print_message("%ld faults injected, no acknowledged fact lost\n", injected);
	assert_true(injected > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_write_once),
		cmocka_unit_test(each_write_from_then_on),
		cmocka_unit_test(each_sync_once),
		cmocka_unit_test(each_sync_from_then_on),
		cmocka_unit_test(each_truncation_from_then_on),
	};

	install();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
