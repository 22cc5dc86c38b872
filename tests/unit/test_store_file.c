/* The record as a file: how it is made, who may open it how, and what is left beside it. */
#include <dirent.h>
#include <errno.h>

#include "store_case.h"
#include "store/keep.h"

#include "../../src/store/schema.h"

/* ---- what is in a folder -------------------------------------------------------------------- */

/* "name mode size hash" of every file, sorted; locks of readers are bytes in -shm. */
static char *listing_dup(const char *dir)
{
	struct dirent **names;
	struct buf b = { 0 };
	int n = scandir(dir, &names, NULL, alphasort);

	assert_true(n >= 2);
	for (int i = 0; i < n; i++) {
		char *path = path_join(dir, names[i]->d_name), hex[DIGEST_HEX];
		struct digest d = { 0 };
		struct stat sb;

		assert_int_equal(lstat(path, &sb), 0);
		if (S_ISREG(sb.st_mode)) {
			int fd = open(path, O_RDONLY);

			if (!strstr(path, "-shm"))
				hash_fd(fd, path, &d, NULL, NULL);
			close(fd);
			digest_hex(&d, hex);
			buf_addf(&b, "%s %o %lld %s\n", names[i]->d_name, (unsigned)sb.st_mode & 07777, (long long)sb.st_size, hex);
		}
		free(path);
		free(names[i]);
	}
	free(names);
	return buf_take(&b);
}

static void assert_same_listing(const char *dir, char *before)
{
	char *after = listing_dup(dir);

	assert_string_equal(before, after);
	free(before);
	free(after);
}

static void modes_under_umask(mode_t mask)
{
	char dir[] = "/tmp/store-XXXXXX", *db;
	mode_t before;
	struct place p = { 0 };
	struct dirent **names;
	struct store *st;
	int n, files = 0;

	assert_non_null(mkdtemp(dir));
	before = umask(mask);
	db = path_join(dir, "record.db");
	assert_done(&p, store_create(db, "/w", &p.e));
	st = store_open(db, STORE_WRITE, &p.e);
	assert_non_null(st);
	case_end(&p, st, case_queue(&p, st, 0), "42\n", VERDICT_NONE);
	n = scandir(dir, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		char *path = path_join(dir, names[i]->d_name);
		struct stat sb;

		assert_int_equal(lstat(path, &sb), 0);
		if (S_ISREG(sb.st_mode)) {
			files++;
			assert_int_equal(sb.st_mode & 0777, 0600);
		}
		free(path);
		free(names[i]);
	}
	free(names);
	assert_int_equal(files, 3); /* record.db, -wal, -shm */
	store_close(st);
	umask(before);
	free(db);
	fs_remove_tree(AT_FDCWD, dir, NULL);
}

static void files_are_private_under_any_umask(void **state)
{
	(void)state;
	modes_under_umask(0);
	modes_under_umask(022);
	modes_under_umask(0777);
}

static void create_never_overwrites(void **state)
{
	struct place *p = *state;
	char *before = listing_dup(p->dir);

	assert_fails(p, ERR_EXISTS, "record already", store_create(p->db, "/x", &p->e));
	assert_same_listing(p->dir, before);
}

static void create_needs_a_folder(void **state)
{
	struct place *p = *state;
	char path[160];

	snprintf(path, sizeof(path), "%s/none/record.db", p->dir);
	assert_fails(p, ERR_NOTFOUND, "none/record.db", store_create(path, "/x", &p->e));
}

/* ---- what is no record of ours ------------------------------------------------------------------ */

static void missing_file(void **state)
{
	struct place *p = *state;
	char path[160];

	snprintf(path, sizeof(path), "%s/none.db", p->dir);
	for (int mode = STORE_WRITE; mode <= STORE_EVIDENCE; mode++)
		assert_fails(p, ERR_NOTFOUND, "none.db", store_open(path, (enum store_mode)mode, &p->e));
}

static void foreign_files_are_named_and_left_alone(void **state)
{
	static const char *const made_by[] = { "CREATE TABLE t (a); PRAGMA application_id = 1",
		                               "PRAGMA journal_mode = WAL; CREATE TABLE t (a)" };
	struct place *p = *state;
	char dir[128], path[160], *before;

	snprintf(dir, sizeof(dir), "%s/other", p->dir);
	snprintf(path, sizeof(path), "%s/x.db", dir);
	for (size_t i = 0; i < ARRAY_LEN(made_by); i++) {
		struct place other = { 0 };

		assert_int_equal(mkdir(dir, 0700), 0);
		snprintf(other.db, sizeof(other.db), "%.90s", path);
		case_sql(&other, made_by[i]);
		before = listing_dup(dir);
		for (int mode = STORE_WRITE; mode <= STORE_EVIDENCE; mode++)
			assert_fails(p, ERR_CORRUPT, "is not a tickmark record", store_open(path, (enum store_mode)mode, &p->e));
		assert_same_listing(dir, before);
		assert_done(p, fs_remove_tree(AT_FDCWD, dir, &p->e));
	}
}

static void other_things_are_no_records(void **state)
{
	struct place *p = *state;
	char path[160];

	snprintf(path, sizeof(path), "%s/x", p->dir);
	assert_done(p, fs_write(AT_FDCWD, path, "", 0, false, &p->e));
	assert_fails(p, ERR_CORRUPT, "is not a tickmark record", store_open(path, STORE_WRITE, &p->e));
	assert_done(p, fs_write(AT_FDCWD, path, "a,b\n1,2\n", 8, false, &p->e));
	assert_fails(p, ERR_CORRUPT, "is not a tickmark record", store_open(path, STORE_READ, &p->e));
	assert_fails(p, ERR_CORRUPT, "is not a tickmark record", store_open(p->dir, STORE_EVIDENCE, &p->e));
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_fails(p, ERR_CORRUPT, "is not a tickmark record", store_open(path, STORE_WRITE, &p->e));
}

/* ---- versions --------------------------------------------------------------------------------------- */

static const enum store_mode modes[] = { STORE_EVIDENCE, STORE_READ, STORE_WRITE };

/* Beside the record these bytes are refused in every mode, and it stays as it is; then they are moved away, as is said. */
static void refuses_wal(struct place *p, const struct buf *b, const char *why)
{
	char *ours = xasprintf("%s-wal", p->db);
	struct digest before = { 0 }, after = { 0 };
	int fd = open(p->db, O_RDONLY);

	assert_done(p, hash_fd(fd, p->db, &before, NULL, &p->e));
	unlink(ours);
	assert_done(p, fs_write(AT_FDCWD, ours, b->data, b->len, false, &p->e));
	for (size_t i = 0; i < ARRAY_LEN(modes); i++)
		assert_fails(p, ERR_CORRUPT, why, store_open(p->db, modes[i], &p->e));
	lseek(fd, 0, SEEK_SET);
	assert_done(p, hash_fd(fd, p->db, &after, NULL, &p->e));
	assert_true(digest_equal(&before, &after));
	unlink(ours);
	close(fd);
	free(ours);
	store_close(case_open(p, STORE_WRITE));
}

/* SQLite would take it in, and the record would be that database. */
static void the_wal_of_another_database_is_refused(void **state)
{
	struct place *p = *state;
	char *other = path_join(p->dir, "other.db"), *wal = xasprintf("%s-wal", other);
	struct buf b = { 0 };
	sqlite3 *db;

	assert_int_equal(sqlite3_open(other, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)", NULL, NULL, NULL),
	                 SQLITE_OK);
	assert_done(p, fs_read(AT_FDCWD, wal, 1 << 20, &b, &p->e));
	sqlite3_close(db);
	refuses_wal(p, &b, "-wal beside it does not continue it: it is of another record or database");
	buf_free(&b);
	free(other);
	free(wal);
}

/* Nor is it told apart by anything in the file: the two are of one kind. */
static void the_wal_of_another_record_is_refused(void **state)
{
	struct place *p = *state;
	char *other = path_join(p->dir, "other.db"), *wal = xasprintf("%s-wal", other);
	struct buf b = { 0 };

	assert_done(p, store_create(other, "/other", &p->e));
	struct store *st = store_open(other, STORE_WRITE, &p->e);
	assert_non_null(st);
	assert_done(p, store_event(st, "told", 0, "of the other one", &p->e));
	assert_done(p, fs_read(AT_FDCWD, wal, 1 << 20, &b, &p->e));
	store_close(st);
	refuses_wal(p, &b, "-wal beside it does not continue it");
	/* Its own one, with content. */
	st = case_open(p, STORE_WRITE);
	assert_done(p, store_event(st, "told", 0, "of this one", &p->e));
	for (size_t i = 0; i < ARRAY_LEN(modes); i++)
		store_close(case_open(p, modes[i]));
	store_close(st);
	buf_free(&b);
	free(other);
	free(wal);
}

static int root_of(sqlite3 *db, const char *table)
{
	sqlite3_stmt *s;
	int page = 0;

	assert_int_equal(sqlite3_prepare_v2(db, "SELECT rootpage FROM sqlite_schema WHERE name = ?", -1, &s, NULL), SQLITE_OK);
	sqlite3_bind_text(s, 1, table, -1, SQLITE_STATIC);
	if (sqlite3_step(s) == SQLITE_ROW)
		page = sqlite3_column_int(s, 0);
	sqlite3_finalize(s);
	assert_true(page > 1);
	return page;
}

/* As who was killed while it moved the WAL into the file can leave it: the ledger's page already is another table's. */
static void a_file_that_its_wal_mends_is_no_other_record(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	char page[2048];
	sqlite3 *db;
	int fd;

	assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
	int ledger = root_of(db, "ledger"), other = root_of(db, "record");
	assert_done(p, store_checkpoint(st, &p->e));
	assert_done(p, store_event(st, "told", 0, "what stands in the WAL", &p->e));
	store_close(st);
	fd = open(p->db, O_RDWR);
	assert_int_equal(pread(fd, page, sizeof(page), (off_t)(other - 1) * 2048), sizeof(page));
	assert_int_equal(pwrite(fd, page, sizeof(page), (off_t)(ledger - 1) * 2048), sizeof(page));
	for (size_t i = 0; i < ARRAY_LEN(modes); i++)
		store_close(case_open(p, modes[i]));
	close(fd);
	sqlite3_close(db);
}

static void a_wal_from_before_is_no_damage(void **state)
{
	struct place *p = *state;
	char *ours = xasprintf("%s-wal", p->db), *copy = path_join(p->dir, "copy.db"), *left = xasprintf("%s-wal", copy);
	char text[8000] = "";
	struct buf b = { 0 };
	struct store *st = case_open(p, STORE_WRITE);

	assert_done(p, store_checkpoint(st, &p->e));
	assert_done(p, store_event(st, "told", 0, "of then", &p->e));
	assert_done(p, fs_read(AT_FDCWD, ours, 1 << 20, &b, &p->e));
	memset(text, 'x', sizeof(text) - 1); /* the file grows: then its head says more pages than the WAL */
	assert_done(p, store_event(st, "told", 0, text, &p->e));
	assert_done(p, store_checkpoint(st, &p->e));
	store_close(st);
	assert_done(p, fs_write(AT_FDCWD, ours, b.data, b.len, false, &p->e));
	for (size_t i = 0; i < ARRAY_LEN(modes); i++)
		assert_fails(p, ERR_CORRUPT, "-wal beside it does not continue it", store_open(p->db, modes[i], &p->e));
	unlink(ours);
	st = case_open(p, STORE_READ);

	/* Nor is one made where such a one lies. */
	assert_done(p, fs_write(AT_FDCWD, left, b.data, b.len, false, &p->e));
	assert_fails(p, ERR_EXISTS, "move it away", store_create(copy, "/new", &p->e) ? copy : NULL);
	assert_fails(p, ERR_EXISTS, "move it away", store_backup(st, copy, &p->e) ? copy : NULL);
	assert_false(fs_exists(AT_FDCWD, copy));
	unlink(left);
	assert_done(p, store_backup(st, copy, &p->e));
	store_close(st);
	buf_free(&b);
	free(ours);
	free(copy);
	free(left);
}

static void newer_version_is_read_and_never_written(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct attempt_full a;
	int64_t id = case_queue(p, st, 0);
	char *before;

	store_close(st);
	case_sql(p, "PRAGMA user_version = 9999; PRAGMA wal_checkpoint(TRUNCATE)");
	before = listing_dup(p->dir);
	assert_fails(p, ERR_VERSION, "newer tickmark", store_open(p->db, STORE_WRITE, &p->e));
	for (int mode = STORE_READ; mode <= STORE_EVIDENCE; mode++) {
		st = case_open(p, (enum store_mode)mode);
		assert_done(p, store_attempt_get(st, id, &a, &p->e));
		assert_string_equal(a.step.title, "Roll up TIV by postcode");
		store_attempt_free(&a);
		assert_fails(p, ERR_READONLY, "reading only", store_event(st, "x", 0, NULL, &p->e));
		store_close(st);
	}
	assert_same_listing(p->dir, before);
}

static void version_in_the_wal_counts(void **state)
{
	struct place *p = *state;
	struct store *keep = case_open(p, STORE_WRITE); /* so that the shell's close moves nothing into the file */

	case_sql(p, "PRAGMA user_version = 9999");
	assert_fails(p, ERR_VERSION, "newer tickmark", store_open(p->db, STORE_WRITE, &p->e));
	store_close(keep);
}

static void older_version_without_a_way_is_refused(void **state)
{
	struct place *p = *state;

	case_sql(p, "PRAGMA user_version = 0");
	assert_fails(p, ERR_VERSION, "nothing leads", store_open(p->db, STORE_WRITE, &p->e));
}

static void migration_copies_then_changes_at_once(void **state)
{
	static const struct migration good[] = {
		{ 1, "CREATE TABLE two (a)" },
		{ 2, "CREATE TABLE three (a)" },
	};
	static const struct migration bad[] = {
		{ 1, "CREATE TABLE two (a)" },
		{ 2, "CREATE TABLE two (a)" },
	};
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	char copy[128];
	struct stat sb;

	snprintf(copy, sizeof(copy), "%s.v1", p->db);
	assert_fails(p, ERR_SYS, "version 3", schema_migrate(st, bad, 2, 3, &p->e));
	assert_int_equal(case_number(p, "PRAGMA user_version"), 1);
	assert_int_equal(case_number(p, "SELECT count(*) FROM sqlite_schema WHERE name = 'two'"), 0);

	assert_done(p, schema_migrate(st, good, 2, 3, &p->e));
	assert_int_equal(case_number(p, "PRAGMA user_version"), 3);
	assert_int_equal(case_number(p, "SELECT count(*) FROM sqlite_schema WHERE name IN ('two', 'three')"), 2);
	store_close(st);

	assert_int_equal(stat(copy, &sb), 0);
	assert_int_equal(sb.st_mode & 0777, 0600);
	st = store_open(copy, STORE_WRITE, &p->e);
	if (!st)
		fail_msg("%s", p->e.msg);
	store_close(st);
}

static void other_tables_are_read_not_written(void **state)
{
	struct place *p = *state;
	struct store *st;

	case_sql(p, "CREATE INDEX mine ON attempt (queued_us)");
	assert_fails(p, ERR_CORRUPT, "mine", store_open(p->db, STORE_WRITE, &p->e));
	st = case_open(p, STORE_READ);
	store_close(st);
}

static void missing_trigger_is_noticed(void **state)
{
	struct place *p = *state;

	case_sql(p, "DROP TRIGGER ledger_no_DELETE");
	assert_fails(p, ERR_CORRUPT, "ledger_no_DELETE", store_open(p->db, STORE_WRITE, &p->e));
}

/* ---- facts ------------------------------------------------------------------------------------------- */

static void facts_cannot_be_changed(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct prune_rule rule = { .parts = PRUNE_ATTEMPTS };
	struct prune_result pruned;

	case_end(p, st, case_queue(p, st, 0), "42\n", VERDICT_NONE);
	case_review(p, st, 1);
	case_end(p, st, case_queue(p, st, 1), "43\n", VERDICT_NONE);
	case_end(p, st, case_queue(p, st, 0), "44\n", VERDICT_NONE);
	case_end(p, st, case_queue(p, st, 0), "45\n", VERDICT_NONE);
	assert_done(p, store_prune(st, &rule, true, NULL, NULL, &pruned, &p->e));
	store_close(st);
	for (size_t i = 0; i < schema_facts_n; i++) {
		char sql[128];

		if (strcmp(schema_facts[i], "attachment") == 0)
			continue; /* have no row here */
		snprintf(sql, sizeof(sql), "DELETE FROM %s", schema_facts[i]);
		assert_int_equal(case_sql_rc(p, sql), SQLITE_CONSTRAINT);
		snprintf(sql, sizeof(sql), "UPDATE %s SET rowid = rowid", schema_facts[i]);
		if (case_sql_rc(p, sql) != SQLITE_CONSTRAINT) { /* no rowid */
			snprintf(sql, sizeof(sql), "UPDATE %s SET %s", schema_facts[i],
			         strcmp(schema_facts[i], "manifest_entry") == 0 ? "size = 0"
			         : strcmp(schema_facts[i], "refusal") == 0      ? "count = 0"
			         : strcmp(schema_facts[i], "attempt_call") == 0 ? "key = 'x'"
			         : strcmp(schema_facts[i], "message_cite") == 0 ? "attempt = 0"
			                                                        : "value = x''");
			assert_int_equal(case_sql_rc(p, sql), SQLITE_CONSTRAINT);
		}
	}
}

/* ---- reading leaves no trace --------------------------------------------------------------------------- */

static void reading_makes_no_file(void **state)
{
	struct place *p = *state;
	struct store *writer = case_open(p, STORE_WRITE), *reader;
	struct attempt_full a;
	char *before;
	int64_t id = case_queue(p, writer, 0), other;

	before = listing_dup(p->dir);
	reader = case_open(p, STORE_READ);
	assert_done(p, store_attempt_get(reader, id, &a, &p->e)); /* still in the WAL */
	store_attempt_free(&a);
	free(before);
	other = case_queue(p, writer, 0);
	assert_done(p, store_attempt_get(reader, other, &a, &p->e)); /* while the writer is active */
	store_attempt_free(&a);
	assert_fails(p, ERR_READONLY, "reading only", store_event(reader, "x", 0, NULL, &p->e));
	store_close(reader);
	store_close(writer);
	before = listing_dup(p->dir);
	store_close(case_open(p, STORE_READ));
	assert_same_listing(p->dir, before);
}

static void data_version_grows_by_others(void **state)
{
	struct place *p = *state;
	struct store *a = case_open(p, STORE_WRITE), *b = case_open(p, STORE_READ);
	int64_t version = store_data_version(b), own = store_data_version(a);

	assert_int_equal(store_data_version(b), version);
	case_queue(p, a, 0);
	assert_true(store_data_version(b) > version);
	assert_int_equal(store_data_version(a), own);
	store_close(a);
	store_close(b);
}

/* A copy of record and WAL as it stands, in a folder of its own. */
static void copy_live(struct place *p, const char *dir, bool wal)
{
	static const char *const names[] = { "record.db", "record.db-wal" };

	assert_int_equal(mkdir(dir, 0700), 0);
	for (size_t i = 0; i < (wal ? 2 : 1); i++) {
		char *from = path_join(p->dir, names[i]), *to = path_join(dir, names[i]);
		int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0600);

		assert_true(in >= 0 && out >= 0);
		assert_done(p, fs_copy(in, out, to, &p->e));
		close(in);
		close(out);
		free(from);
		free(to);
	}
}

static void evidence_leaves_no_trace(struct place *p, bool wal)
{
	struct place other = { 0 };
	struct store *st = case_open(p, STORE_WRITE);
	struct attempt_full a;
	int64_t id = case_queue(p, st, 0);
	char *before;

	if (!wal)
		assert_done(p, store_checkpoint(st, &p->e));
	snprintf(other.dir, sizeof(other.dir), "%.50s/mail %%?#1", p->dir);
	snprintf(other.db, sizeof(other.db), "%s/record.db", other.dir);
	copy_live(p, other.dir, wal);
	store_close(st);
	before = listing_dup(other.dir);
	st = case_open(&other, STORE_EVIDENCE);
	assert_done(p, store_attempt_get(st, id, &a, &p->e));
	assert_string_equal(a.attempt.host, "desk");
	store_attempt_free(&a);
	assert_fails(p, ERR_READONLY, "reading only", store_event(st, "x", 0, NULL, &p->e));
	assert_fails(p, ERR_READONLY, "reading only", store_chunks_add(st, id, &(struct chunk){ .stream = 1 }, 1, &p->e));
	store_close(st);
	assert_same_listing(other.dir, before);
	assert_done(p, fs_remove_tree(AT_FDCWD, other.dir, &p->e));
}

static void evidence_in_place(void **state)
{
	evidence_leaves_no_trace(*state, false);
}

static void evidence_with_a_wal_is_read_from_a_copy(void **state)
{
	struct place *p = *state;
	char tmp[128], *before;

	snprintf(tmp, sizeof(tmp), "%s/tmp", p->dir);
	assert_int_equal(mkdir(tmp, 0700), 0);
	setenv("TMPDIR", tmp, 1);
	before = listing_dup(tmp);
	evidence_leaves_no_trace(p, true);
	assert_int_equal(rmdir(tmp), 0); /* nothing is left of the copy */
	unsetenv("TMPDIR");
	free(before);
}

static void ignore_fault(void *ctx, const char *what)
{
	(void)ctx;
	(void)what;
}

/* Read in place is read without locks: a verdict on two states would be worth nothing. */
static void evidence_that_is_written_meanwhile_is_not_verified(void **state)
{
	struct place *p = *state;
	struct verify_result r;
	struct store *st;

	case_sql(p, "PRAGMA journal_mode = DELETE");
	st = case_open(p, STORE_EVIDENCE);
	assert_done(p, store_verify(st, ignore_fault, NULL, NULL, &r, &p->e));
	case_sql(p, "INSERT INTO tally VALUES ('x', 1)");
	assert_fails(p, ERR_BUSY, "changed by another process", store_verify(st, ignore_fault, NULL, NULL, &r, &p->e));
	store_close(st);
}

/* A rollback journal that a crash left: read as if it were rolled back, and left as it is. */
static void evidence_with_a_hot_journal(void **state)
{
	struct place *p = *state;
	struct place other = { 0 };
	char *before, *journal;
	struct store *st;
	struct ledger_head head;
	sqlite3 *db;
	pid_t pid;
	int status;

	snprintf(other.dir, sizeof(other.dir), "%.50s/hot", p->dir);
	snprintf(other.db, sizeof(other.db), "%s/record.db", other.dir);
	copy_live(p, other.dir, false);
	case_sql(&other, "PRAGMA journal_mode = DELETE");
	pid = fork();
	if (pid == 0) { /* spills its pages into the file and dies */
		sqlite3_open(other.db, &db);
		sqlite3_exec(db, "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE;"
		                 "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)"
		                 "INSERT INTO ledger SELECT i + 1000, 1, 'x', NULL, hex(randomblob(3000)),"
		                 " zeroblob(32) FROM n", NULL, NULL, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	journal = xasprintf("%s-journal", other.db);
	assert_true(fs_exists(AT_FDCWD, journal));
	before = listing_dup(other.dir);
	st = case_open(&other, STORE_EVIDENCE);
	assert_done(p, store_head(st, &head, &p->e));
	assert_int_equal(head.seq, 1);
	store_close(st);
	assert_same_listing(other.dir, before);
	free(journal);
}

/* ---- journals --------------------------------------------------------------------------------------------- */

static void wal_by_default(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	const char *why;

	assert_string_equal(store_journal(st, &why), "wal");
	assert_string_equal(why, "");
	store_close(st);
}

static void synced_folder_gets_a_rollback_journal(void **state)
{
	struct place *p = *state;
	struct place other = { 0 };
	struct store *st;
	const char *why;
	char dir[128];

	snprintf(dir, sizeof(dir), "%s/OneDrive", p->dir);
	assert_int_equal(mkdir(dir, 0700), 0);
	snprintf(other.db, sizeof(other.db), "%.70s/record.db", dir);
	assert_done(&other, store_create(other.db, "/w", &other.e));
	st = case_open(&other, STORE_WRITE);
	assert_string_equal(store_journal(st, &why), "delete");
	assert_true(strlen(why) > 0);
	case_end(&other, st, case_queue(&other, st, 0), "42\n", VERDICT_NONE);
	assert_done(&other, store_checkpoint(st, &other.e));
	store_close(st);
	assert_int_equal(case_number(&other, "SELECT count(*) FROM attempt_end"), 1);
	st = case_open(&other, STORE_READ);
	assert_string_equal(store_journal(st, &why), "delete");
	store_close(st);
}

/* A WAL record that comes into a synced folder with what is still in its WAL. */
static void wal_is_taken_over_into_a_rollback_journal(void **state)
{
	struct place *p = *state;
	struct place other = { 0 };
	struct store *st = case_open(p, STORE_WRITE);

	case_queue(p, st, 0);
	snprintf(other.dir, sizeof(other.dir), "%.50s/Dropbox", p->dir);
	snprintf(other.db, sizeof(other.db), "%s/record.db", other.dir);
	copy_live(p, other.dir, true);
	store_close(st);
	st = case_open(&other, STORE_WRITE);
	assert_string_equal(store_journal(st, NULL), "delete");
	case_queue(&other, st, 0);
	store_close(st);
	assert_int_equal(case_number(&other, "SELECT count(*) FROM attempt"), 2);
}

static void no_shared_memory_gets_a_rollback_journal(void **state)
{
	struct place *p = *state;
	struct place other = { 0 };
	struct store *st;
	const char *why;
	char shm[160];

	snprintf(other.dir, sizeof(other.dir), "%.50s/noshm", p->dir);
	snprintf(other.db, sizeof(other.db), "%s/record.db", other.dir);
	copy_live(p, other.dir, false);
	snprintf(shm, sizeof(shm), "%s-shm", other.db);
	assert_int_equal(symlink("nowhere", shm), 0); /* SQLite follows no link here */
	st = case_open(&other, STORE_WRITE);
	assert_string_equal(store_journal(st, &why), "delete");
	assert_non_null(strstr(why, "shared memory"));
	case_queue(&other, st, 0);
	store_close(st);
}

/* ---- checkpoint --------------------------------------------------------------------------------------------- */

static void checkpoint_makes_the_file_whole(void **state)
{
	struct place *p = *state;
	struct place other = { 0 };
	struct store *st = case_open(p, STORE_WRITE), *reader;
	char wal[128];
	struct stat sb;

	case_end(p, st, case_queue(p, st, 0), "42\n", VERDICT_NONE);
	assert_done(p, store_checkpoint(st, &p->e));
	snprintf(wal, sizeof(wal), "%s-wal", p->db);
	assert_int_equal(stat(wal, &sb), 0);
	assert_int_equal(sb.st_size, 0);
	snprintf(other.dir, sizeof(other.dir), "%.50s/alone", p->dir);
	snprintf(other.db, sizeof(other.db), "%s/record.db", other.dir);
	copy_live(p, other.dir, false);
	reader = case_open(&other, STORE_EVIDENCE);
	assert_int_equal(store_tally(reader, "ok"), 1);
	store_close(reader);
	store_close(st);
}

static void checkpoint_says_when_somebody_reads(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	sqlite3 *db;

	case_queue(p, st, 0);
	assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN; SELECT count(*) FROM attempt", NULL, NULL, NULL), SQLITE_OK);
	assert_fails(p, ERR_BUSY, "locked", store_checkpoint(st, &p->e));
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_done(p, store_checkpoint(st, &p->e));
	store_close(st);
}

#define WITH_RECORD(test) cmocka_unit_test_setup_teardown(test, case_setup, case_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_private_under_any_umask),
		WITH_RECORD(create_never_overwrites),
		WITH_RECORD(create_needs_a_folder),
		WITH_RECORD(missing_file),
		WITH_RECORD(foreign_files_are_named_and_left_alone),
		WITH_RECORD(other_things_are_no_records),
		WITH_RECORD(the_wal_of_another_database_is_refused),
		WITH_RECORD(the_wal_of_another_record_is_refused),
		WITH_RECORD(a_file_that_its_wal_mends_is_no_other_record),
		WITH_RECORD(a_wal_from_before_is_no_damage),
		WITH_RECORD(newer_version_is_read_and_never_written),
		WITH_RECORD(version_in_the_wal_counts),
		WITH_RECORD(older_version_without_a_way_is_refused),
		WITH_RECORD(migration_copies_then_changes_at_once),
		WITH_RECORD(other_tables_are_read_not_written),
		WITH_RECORD(missing_trigger_is_noticed),
		WITH_RECORD(facts_cannot_be_changed),
		WITH_RECORD(reading_makes_no_file),
		WITH_RECORD(data_version_grows_by_others),
		WITH_RECORD(evidence_in_place),
		WITH_RECORD(evidence_with_a_wal_is_read_from_a_copy),
		WITH_RECORD(evidence_that_is_written_meanwhile_is_not_verified),
		WITH_RECORD(evidence_with_a_hot_journal),
		WITH_RECORD(wal_by_default),
		WITH_RECORD(synced_folder_gets_a_rollback_journal),
		WITH_RECORD(wal_is_taken_over_into_a_rollback_journal),
		WITH_RECORD(no_shared_memory_gets_a_rollback_journal),
		WITH_RECORD(checkpoint_makes_the_file_whole),
		WITH_RECORD(checkpoint_says_when_somebody_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
