/* What is synced, and how often: a layer below the store's counts. */
#include "store_case.h"

static struct counts {
	int wal;      /* syncs of a -wal */
	int db;       /* of the file itself */
	int made;     /* times a -wal was opened so that SQLite will sync its folder */
} counts;

static const sqlite3_io_methods *own_wal, *own_db;
static sqlite3_io_methods wal_methods, db_methods;
static sqlite3_vfs layer;

static int sync_wal(sqlite3_file *f, int flags)
{
	counts.wal++;
	return own_wal->xSync(f, flags);
}

static int sync_db(sqlite3_file *f, int flags)
{
	counts.db++;
	return own_db->xSync(f, flags);
}

/* The file stays SQLite's own; its table of functions is exchanged for a copy with another xSync. */
static int open_counted(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out)
{
	sqlite3_vfs *own = vfs->pAppData;
	int rc = own->xOpen(own, name, f, flags, out);

	if (rc != SQLITE_OK)
		return rc;
	if (flags & SQLITE_OPEN_WAL) {
		counts.made += (flags & SQLITE_OPEN_CREATE) != 0;
		own_wal = f->pMethods;
		wal_methods = *own_wal;
		wal_methods.xSync = sync_wal;
		f->pMethods = &wal_methods;
	} else if (flags & SQLITE_OPEN_MAIN_DB) {
		own_db = f->pMethods;
		db_methods = *own_db;
		db_methods.xSync = sync_db;
		f->pMethods = &db_methods;
	}
	return rc;
}

/* Before the store asks for the default layer the first time. */
static int register_layer(void **state)
{
	sqlite3_vfs *own = sqlite3_vfs_find(NULL);

	(void)state;
	layer = *own;
	layer.zName = "counting";
	layer.pAppData = own;
	layer.xOpen = open_counted;
	return sqlite3_vfs_register(&layer, 1);
}

static void assert_counts(int wal, int db, const char *what)
{
	if (counts.wal != wal || counts.db != db || counts.made != 0)
		fail_msg("%s: %d syncs of the WAL, %d of the file, %d of the folder", what, counts.wal, counts.db, counts.made);
	counts = (struct counts){ 0 };
}

/* As a run does it: a process opens, queues, writes, ends; then the WAL is emptied. Twice. */
static void a_run_costs_two_syncs(void **state)
{
	struct place *p = *state;

	for (int i = 0; i < 2; i++) {
		struct store *st;
		struct chunks_hash h;
		int64_t id;

		counts = (struct counts){ 0 };
		st = case_open(p, STORE_WRITE);
		assert_counts(0, 0, "opening");
		id = case_queue(p, st, 0);
		assert_counts(1, 0, "queue");
		store_chunks_hash_begin(&h);
		case_chunk(p, st, id, "a line\n", &h);
		case_chunk(p, st, id, "a line\n", &h);
		assert_counts(0, 0, "streams");
		case_end(p, st, id, "the end\n", VERDICT_NONE);
		assert_counts(1, 0, "end");
		assert_done(p, store_checkpoint(st, &p->e));
		assert_counts(1, 1, "checkpoint");
		assert_done(p, store_checkpoint(st, &p->e));
		assert_counts(0, 0, "checkpoint of nothing");
		store_close(st);
		assert_counts(0, 0, "closing");
	}
}

static void reading_syncs_nothing(void **state)
{
	struct place *p = *state;
	struct store *st;

	st = case_open(p, STORE_WRITE);
	case_queue(p, st, 0);
	store_close(st);
	counts = (struct counts){ 0 };
	st = case_open(p, STORE_EVIDENCE);
	store_close(st);
	st = case_open(p, STORE_READ);
	assert_int_equal(store_tally(st, "attempts"), 1);
	store_close(st);
	assert_int_equal(counts.wal + counts.db, 0);
}

/* A WAL that is written over still gets its header synced first: only an empty one does not need it. */
static void a_wal_that_is_written_over_is_synced_as_ever(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	sqlite3 *db;

	case_queue(p, st, 0);
	assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA wal_checkpoint(PASSIVE)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	counts = (struct counts){ 0 };
	case_queue(p, st, 0);
	assert_counts(2, 0, "queue over an old WAL");
	store_close(st);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_run_costs_two_syncs, case_setup, case_teardown),
		cmocka_unit_test_setup_teardown(reading_syncs_nothing, case_setup, case_teardown),
		cmocka_unit_test_setup_teardown(a_wal_that_is_written_over_is_synced_as_ever, case_setup, case_teardown),
	};

	return cmocka_run_group_tests(tests, register_layer, NULL);
}
