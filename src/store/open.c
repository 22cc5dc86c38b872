/* The record file: made, opened in one of three ways, closed. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db.h"
#include "evidence.h"
#include "ledger.h"
#include "schema.h"
#include "seam.h"
#include "store/read.h"

#ifndef TICKMARK_VERSION
#define TICKMARK_VERSION "0.1.0"
#endif

/* ---- opening ----------------------------------------------------------------------------------- */

static struct store *new_store(const char *path, enum store_mode mode)
{
	struct store *st = xcalloc(1, sizeof(*st));

	st->path = xstrdup(path);
	st->mode = mode;
	st->sync = DB_FULL; /* SQLite's own default */
	return st;
}

void store_close(struct store *st)
{
	if (!st)
		return;
	db_disconnect(st);
	free(st->path);
	free(st);
}

static bool look_at_file(struct store *st, struct err *e)
{
	struct stat sb;

	if (stat(st->path, &sb) < 0 && errno == ENOENT && fs_exists(AT_FDCWD, st->path))
		return err_set(e, ERR_NOTFOUND, "cannot open the record %s: it is a link to a file that is not there", st->path);
	if (stat(st->path, &sb) < 0)
		return err_sys(e, "cannot open the record %s", st->path);
	if (!S_ISREG(sb.st_mode))
		return err_set(e, ERR_CORRUPT, "%s is not a tickmark record", st->path);
	st->device = (int64_t)sb.st_dev;
	st->inode = (int64_t)sb.st_ino;
	st->size = sb.st_size;
	st->changed = sb.st_ctim;
	return true;
}

/* The database header (https://sqlite.org/fileformat2.html#the_database_header) */
#define HEADER_SIZE 100
#define HEADER_READ_FORMAT 19 /* 2: WAL */
#define HEADER_USER_VERSION 60
#define HEADER_APPLICATION_ID 68

static int64_t big_endian(const unsigned char *p)
{
	return (int64_t)p[0] << 24 | (int64_t)p[1] << 16 | (int64_t)p[2] << 8 | (int64_t)p[3];
}

/* Whose file it is, read through SQLite's own descriptor (another one, once closed, would drop its
 * locks) and before SQLite reads anything, so that nothing is made beside a file that is not ours. */
static bool look_at_header(struct store *st, struct err *e)
{
	unsigned char header[HEADER_SIZE];
	sqlite3_file *file = NULL;

	sqlite3_file_control(st->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	if (!file || !file->pMethods || file->pMethods->xRead(file, header, sizeof(header), 0) != SQLITE_OK ||
	    memcmp(header, "SQLite format 3", 16) != 0)
		return err_set(e, ERR_CORRUPT, "%s is not a tickmark record", st->path);
	if (big_endian(header + HEADER_APPLICATION_ID) != STORE_APPLICATION_ID)
		return err_set(e, ERR_CORRUPT, "%s is not a tickmark record, but a database of another program", st->path);
	st->version = (int)big_endian(header + HEADER_USER_VERSION);
	st->wal = header[HEADER_READ_FORMAT] == 2;
	return true;
}

int store_newer(struct store *st)
{
	return st->version > STORE_SCHEMA_VERSION ? st->version : 0;
}

static bool refuse_newer(struct store *st, struct err *e)
{
	return st->version <= STORE_SCHEMA_VERSION ||
	       err_set(e, ERR_VERSION,
	               "%s was made by a newer tickmark (record version %d, this one knows %d): it can be read, not written",
	               st->path, st->version, STORE_SCHEMA_VERSION);
}

/* The version as it is now: what the header said may stand in the WAL by now, which may be another database's. */
static bool read_version(struct store *st, struct err *e)
{
	int64_t version, application;

	if (!db_number(st, "PRAGMA user_version", &version, e) || !db_number(st, "PRAGMA application_id", &application, e))
		return seam_explain(st, e);
	if (application != STORE_APPLICATION_ID)
		return seam_refuse(st, e);
	st->version = (int)version;
	return seam_fits(st, e);
}

/* Connects without reading: the first read opens a WAL and its shared memory. */
static bool connect_writable(struct store *st, struct err *e)
{
	if (!db_connect(st, st->path, SQLITE_OPEN_READWRITE, e) || !look_at_header(st, e) || !refuse_newer(st, e))
		return false;
	if (sqlite3_db_readonly(st->db, "main") != 0)
		return err_set(e, ERR_READONLY, "%s may only be read: make it writable, or say what you think of it in a review file"
		                                " (tickmark review)", st->path);
	return true;
}

/* Without shared memory: a rollback journal. An exclusive lock lets SQLite read a WAL that an earlier
 * one left, without shared memory, and change the mode. */
static bool use_rollback_journal(struct store *st, struct err *e)
{
	char mode[16];

	st->wal = false;
	if (!db_exec(st, "PRAGMA locking_mode = EXCLUSIVE", e) ||
	    !db_word(st, "PRAGMA journal_mode = DELETE", mode, sizeof(mode), e))
		return false;
	if (strcmp(mode, "delete") != 0)
		return err_set(e, ERR_BUSY, "%s: it is in use by another process, and %s", st->path, st->why);
	/* The lock goes with the next read. */
	return db_exec(st, "PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema", e);
}

static bool use_wal(struct store *st, struct err *e)
{
	char mode[16];

	if (!db_word(st, "PRAGMA journal_mode = WAL", mode, sizeof(mode), e))
		return false;
	st->wal = strcmp(mode, "wal") == 0;
	return st->wal || err_set(e, ERR_SYS, "%s: no WAL", st->path);
}

static bool set_journal(struct store *st, struct err *e)
{
	struct err fault = { 0 };
	char why[64];

	if (fs_is_shared(st->path, why)) {
		snprintf(st->why, sizeof(st->why), "%s", why);
		return use_rollback_journal(st, e);
	}
	if (use_wal(st, &fault))
		return true;
	if (fault.code == ERR_BUSY || fault.code == ERR_FULL || fault.code == ERR_CORRUPT) {
		if (e)
			*e = fault;
		return false;
	}
	/* A connection that met the fault keeps it: a fresh one. */
	db_disconnect(st);
	snprintf(st->why, sizeof(st->why), "shared memory cannot be had beside the record");
	return connect_writable(st, e) && use_rollback_journal(st, e);
}

static bool check_schema(struct store *st, struct err *e)
{
	struct err fault = { 0 };
	char what[128];

	if (st->version < STORE_SCHEMA_VERSION &&
	    !schema_migrate(st, schema_migrations, schema_migrations_n, STORE_SCHEMA_VERSION, e))
		return false;
	if (schema_equals(st, what, &fault))
		return true;
	if (fault.code != ERR_NONE) {
		if (e)
			*e = fault;
		return false;
	}
	return err_set(e, ERR_CORRUPT, "%s: its tables are not those of a tickmark record (%s): it can be read, not written",
	               st->path, what);
}

static bool set_up_writing(struct store *st, struct err *e)
{
	sqlite3_db_config(st->db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
	return db_exec(st, "PRAGMA recursive_triggers = ON; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = FAST;"
	                   "PRAGMA cache_size = -8000", e);
}

/* Makes the names of files that were made in it durable. */
static void sync_folder(const char *path)
{
	char *dir = path_dir(path);
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd); /* where a folder cannot be synced there is nothing better */
		close(fd);
	}
	free(dir);
}

static bool has_wal(const struct store *st)
{
	char *wal = xasprintf("%s-wal", st->path);
	bool has = fs_exists(AT_FDCWD, wal);

	free(wal);
	return has;
}

static bool open_writable(struct store *st, struct err *e)
{
	bool had = has_wal(st);

	if (!connect_writable(st, e) || !(set_journal(st, e) || seam_explain(st, e)))
		return false;
	if (!had && st->wal)
		sync_folder(st->path); /* vfs.c leaves it to us */
	return set_up_writing(st, e) && read_version(st, e) && refuse_newer(st, e) && check_schema(st, e);
}

static bool open_evidence(struct store *st, struct err *e)
{
	return (evidence_connect(st, e) || seam_explain(st, e)) && look_at_header(st, e) && read_version(st, e);
}

/* Can the record be read as it lives? Then nothing is made beside it, or it may be made. Where only the folder may not
 * be written, what SQLite needs is there already, and others write into it: a copy would not show that. */
static bool is_live(const char *path)
{
	static const char *const parts[] = { "", "-wal", "-shm" };
	char *dir = path_dir(path);
	bool live = access(dir, W_OK) == 0;

	free(dir);
	if (live)
		return true;
	live = true;
	for (size_t i = 0; live && i < ARRAY_LEN(parts); i++) {
		char *name = xasprintf("%s%s", path, parts[i]);
		live = access(name, W_OK) == 0;
		free(name);
	}
	return live;
}

/* A live record has its -shm already; SQLite would make a missing one again. */
static bool open_readable(struct store *st, struct err *e)
{
	if (!is_live(st->path))
		return open_evidence(st, e);
	if (!db_connect(st, st->path, SQLITE_OPEN_READONLY, e) || !look_at_header(st, e))
		return false;
	if (st->version > STORE_SCHEMA_VERSION) {
		db_disconnect(st);
		return open_evidence(st, e);
	}
	return (db_exec(st, "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8000", e) || seam_explain(st, e)) && read_version(st, e);
}

static bool open_store(struct store *st, struct err *e)
{
	static bool (*const open_as[])(struct store *st, struct err *e) = {
		[STORE_WRITE] = open_writable,
		[STORE_READ] = open_readable,
		[STORE_EVIDENCE] = open_evidence,
	};

	return look_at_file(st, e) && open_as[st->mode](st, e);
}

struct store *store_open(const char *path, enum store_mode mode, struct err *e)
{
	struct store *st = new_store(path, mode);

	if (open_store(st, e))
		return st;
	store_close(st);
	return NULL;
}

struct store *db_open_ahead(const struct store *like, struct err *e)
{
	struct store *st = new_store(like->path, like->mode == STORE_EVIDENCE ? STORE_EVIDENCE : STORE_READ);

	if (open_store(st, e) && !st->copied && db_read_begin(st)) {
		store_read_ahead(st);
		return st;
	}
	store_close(st);
	return NULL;
}

/* ---- making -------------------------------------------------------------------------------------- */

static bool make_empty_file(const char *path, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool ok;

	if (fd < 0)
		return err_sys(e, "cannot make the record %s", path);
	ok = fchmod(fd, 0600) == 0 || err_sys(e, "cannot make the record %s", path);
	close(fd);
	return ok;
}

static bool add_record(struct store *st, const char *workspace, struct err *e)
{
	struct uuid uuid = uuid_new();
	struct sql q;

	if (!sql_start(st, SQL_RECORD_ADD, &q, e))
		return false;
	bind_blob(&q, uuid.b, sizeof(uuid.b));
	bind_int(&q, clock_now_us());
	bind_text(&q, "tickmark " TICKMARK_VERSION);
	bind_text(&q, clock_host());
	bind_name(&q, workspace);
	return sql_run(&q, e);
}

static bool make_tables(struct store *st, struct err *e)
{
	char pragmas[96];

	snprintf(pragmas, sizeof(pragmas), "PRAGMA application_id = %d; PRAGMA user_version = %d", STORE_APPLICATION_ID,
	         STORE_SCHEMA_VERSION);
	return db_exec(st, pragmas, e) && schema_make(st, e);
}

bool db_make_record(struct store *st, const char *file, bool (*fill)(void *ctx, struct store *st, struct err *e), void *ctx,
                    struct err *e)
{
	return db_connect(st, file, SQLITE_OPEN_READWRITE, e) &&
	       db_exec(st, "PRAGMA page_size = 2048; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = OFF", e) &&
	       db_begin(st, DB_FULL, e) && db_end(st, make_tables(st, e) && fill(ctx, st, e), e);
}

static bool fill(void *ctx, struct store *st, struct err *e)
{
	return add_record(st, ctx, e) && ledger_append(st, "made", 1, NULL, e);
}

/* A whole record under another name. */
static bool make_record(const char *path, const char *workspace, struct err *e)
{
	struct store *st = new_store(path, STORE_WRITE);
	bool ok = db_make_record(st, path, fill, (void *)workspace, e);

	store_close(st);
	return ok;
}

bool store_create(const char *path, const char *workspace, struct err *e)
{
	char *name, id[UUID_TEXT];
	struct uuid uuid = uuid_new();
	struct store *st;
	bool ok;

	if (fs_exists(AT_FDCWD, path))
		return err_set(e, ERR_EXISTS, "there is a record already: %s", path);
	if (!store_left_nothing(path, e))
		return false;
	uuid_text(&uuid, id);
	name = xasprintf("%s.%.8s", path, id);
	ok = make_empty_file(name, e) && make_record(name, workspace, e) && fs_put_in_place(name, path, e);
	unlink(name);
	free(name);
	if (!ok)
		return false;
	/* Sets the journal; -wal and -shm stay from here on, so that readers never make files. */
	st = store_open(path, STORE_WRITE, e);
	store_close(st);
	return st != NULL;
}

/* ---- about the file -------------------------------------------------------------------------------- */

static int never_wait(void *ctx, int count)
{
	(void)ctx;
	(void)count;
	return 0;
}

bool store_is_free(struct store *st, struct err *e)
{
	sqlite3_busy_handler(st->db, never_wait, NULL);
	bool ok = db_begin(st, DB_NORMAL, e);
	db_wait_for_others(st);
	if (ok)
		db_end(st, false, NULL);
	return ok;
}

bool store_checkpoint(struct store *st, struct err *e)
{
	int rc;

	if (st->mode != STORE_WRITE || !st->wal)
		return true;
	sqlite3_busy_handler(st->db, never_wait, NULL);
	rc = sqlite3_wal_checkpoint_v2(st->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	db_wait_for_others(st);
	return rc == SQLITE_OK || db_fail(st, rc, "cannot bring the WAL into the file", e);
}

int64_t store_data_version(struct store *st)
{
	int64_t version = 0;
	struct sql q;

	return sql_start(st, SQL_DATA_VERSION, &q, NULL) && sql_int(&q, &version, NULL) ? version : 0;
}

const char *store_journal(struct store *st, const char **why)
{
	if (why)
		*why = st->why;
	return st->wal ? "wal" : "delete";
}

const char *store_path(const struct store *st)
{
	return st->path;
}

void store_file(const struct store *st, int64_t *device, int64_t *inode)
{
	*device = st->device;
	*inode = st->inode;
}

static enum sql_answer read_record(struct store *st, struct uuid *uuid, char **path, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, SQL_RECORD_GET, &q, e))
		return SQL_FAILED;
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		const char *s;

		*uuid = col_uuid(&q);
		s = col_name(&q);
		*path = xstrdup(s ? s : "");
	}
	sql_end(&q);
	if (answer == SQL_DONE)
		err_set(e, ERR_CORRUPT, "%s: the row that says what it is is missing", st->path);
	return answer;
}

bool store_uuid(struct store *st, struct uuid *out, struct err *e)
{
	char *path = NULL;
	bool ok = read_record(st, out, &path, e) == SQL_ROW;

	free(path);
	return ok;
}

char *store_workspace(struct store *st, struct err *e)
{
	struct uuid uuid;
	char *path = NULL;

	return read_record(st, &uuid, &path, e) == SQL_ROW ? path : NULL;
}
