/* One connection: opening it, its transactions, its errors. */
#include "db.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ahead.h"
#include "vfs.h"

#define WAIT_US 5000000       /* for other writers, while none of them gets on */
#define WAIT_MOST_US 60000000 /* in all */
#define WAL_PAGES 4000        /* 16 MiB, then a commit moves the WAL into the file */
#define CACHE_KIB 8000

/* ---- errors ------------------------------------------------------------------------------ */

static bool is_full(int sys)
{
	return sys == ENOSPC || sys == EDQUOT || sys == EFBIG;
}

/* SQLite says "disk full" for ENOSPC alone, and by the time of its answer errno may be that of its own
 * clean-up: each file remembers its last. */
static int full_errno(struct store *st, int sys)
{
	sqlite3_file *journal = NULL;
	int last[] = { sys, 0, 0 };

	sqlite3_file_control(st->db, "main", SQLITE_FCNTL_LAST_ERRNO, &last[1]);
	sqlite3_file_control(st->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal);
	if (journal && journal->pMethods)
		journal->pMethods->xFileControl(journal, SQLITE_FCNTL_LAST_ERRNO, &last[2]);
	for (size_t i = 0; i < ARRAY_LEN(last); i++)
		if (is_full(last[i]))
			return last[i];
	return 0;
}

static bool fail_input_output(struct store *st, int rc, int sys, const char *doing, struct err *e)
{
	int full = full_errno(st, sys);

	if (full == EFBIG)
		return err_set(e, ERR_FULL, "%s in %s: it would grow over a limit (%s); raise the file-size limit (ulimit -f) and try again",
		               doing, st->path, strerror(full));
	if (full || rc == SQLITE_IOERR_SHMSIZE)
		return err_set(e, ERR_FULL, "%s in %s: disk full (%s); make room and try again", doing, st->path,
		               strerror(full ? full : ENOSPC));
	err_set(e, ERR_SYS, "%s in %s: %s", doing, st->path, sys ? strerror(sys) : sqlite3_errmsg(st->db));
	if (e)
		e->sys = sys;
	return false;
}

static bool fail_open(struct store *st, int rc, int sys, const char *doing, struct err *e)
{
	if (sys == ENOENT)
		return err_set(e, ERR_NOTFOUND, "%s: %s does not exist", doing, st->path);
	if (sys == EACCES || sys == EPERM || sys == EROFS)
		return err_set(e, ERR_READONLY, "%s in %s: %s", doing, st->path, strerror(sys));
	return fail_input_output(st, rc, sys, doing, e);
}

static bool fail_constraint(struct store *st, int rc, const char *doing, struct err *e)
{
	enum err_code code = rc == SQLITE_CONSTRAINT_UNIQUE || rc == SQLITE_CONSTRAINT_PRIMARYKEY ? ERR_EXISTS
	                     : rc == SQLITE_CONSTRAINT_TRIGGER                                   ? ERR_READONLY
	                                                                                         : ERR_INPUT;

	return err_set(e, code, "%s in %s: %s", doing, st->path, sqlite3_errmsg(st->db));
}

bool db_fail(struct store *st, int rc, const char *doing, struct err *e)
{
	int sys = st->db ? sqlite3_system_errno(st->db) : 0;

	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		die("out of memory");
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_PROTOCOL: /* others were faster too often */
		return err_set(e, ERR_BUSY, "%s in %s: it is locked by another process; try again when that has finished",
		               doing, st->path);
	case SQLITE_FULL:
		return err_set(e, ERR_FULL, "%s in %s: disk full; make room and try again", doing, st->path);
	case SQLITE_IOERR:
		return fail_input_output(st, rc, sys, doing, e);
	case SQLITE_CANTOPEN:
		return fail_open(st, rc, sys, doing, e);
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return err_set(e, ERR_READONLY, "%s in %s: it may only be read", doing, st->path);
	case SQLITE_NOTADB:
		return err_set(e, ERR_CORRUPT, "%s is not a tickmark record", st->path);
	case SQLITE_CORRUPT:
	case SQLITE_FORMAT:
		return err_set(e, ERR_CORRUPT, "%s in %s: the file is damaged: %s", doing, st->path, sqlite3_errmsg(st->db));
	case SQLITE_CONSTRAINT:
		return fail_constraint(st, rc, doing, e);
	case SQLITE_INTERRUPT:
		return err_set(e, ERR_CANCELLED, "%s in %s: cancelled", doing, st->path);
	case SQLITE_ERROR: /* a table or column that is not there: not of our shape */
		return err_set(e, st->mode == STORE_WRITE ? ERR_SYS : ERR_CORRUPT, "%s in %s: %s", doing, st->path,
		               sqlite3_errmsg(st->db));
	default:
		return err_set(e, ERR_SYS, "%s in %s: %s", doing, st->path, sqlite3_errmsg(st->db));
	}
}

/* ---- connection ----------------------------------------------------------------------------- */

/* Does whoever holds the record get on? What it writes goes to the WAL, or to the file itself. */
static bool others_get_on(struct store *st)
{
	struct db_wait *w = &st->wait;
	struct stat sb;
	bool on;

	if (stat(w->file, &sb) < 0)
		return false;
	on = sb.st_size != w->size || sb.st_mtim.tv_sec != w->written.tv_sec || sb.st_mtim.tv_nsec != w->written.tv_nsec;
	w->size = sb.st_size;
	w->written = sb.st_mtim;
	return on;
}

static void begin_waiting(struct store *st)
{
	struct db_wait *w = &st->wait;

	w->began_us = w->since_us = clock_mono_us();
	if (!w->file)
		w->file = st->wal ? xasprintf("%s-wal", st->path) : xstrdup(st->path);
	others_get_on(st);
}

/* Others hold the record for milliseconds: short naps, so that nobody in a queue waits long. A queue
 * that moves is waited for; a lock that lasts is not. */
static int wait_for_others(void *ctx, int count)
{
	static const int naps_us[] = { 200, 500, 1000, 2000, 3000, 5000 };
	struct store *st = ctx;
	int us = naps_us[MIN((size_t)count, ARRAY_LEN(naps_us) - 1)];
	int64_t now;

	if (count == 0)
		begin_waiting(st);
	now = clock_mono_us();
	if (now - st->wait.since_us >= WAIT_US) {
		if (now - st->wait.began_us >= WAIT_MOST_US || !others_get_on(st))
			return 0;
		st->wait.since_us = now;
	}
	clock_pause(us);
	return 1;
}

void db_wait_for_others(struct store *st)
{
	sqlite3_busy_handler(st->db, wait_for_others, st);
}

/* SQLite's count of its memory is one lock for all threads, and nobody asks for it. */
static void configure(void)
{
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

bool db_connect(struct store *st, const char *name, int flags, struct err *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	static const int on[] = { SQLITE_DBCONFIG_DEFENSIVE, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE };
	static const int off[] = { SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_DQS_DML,
		                   SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION };
	pthread_once(&once, configure);
	const char *vfs = st->mode == STORE_WRITE ? vfs_name() : ahead_name();
	int rc = sqlite3_open_v2(name, &st->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, vfs);
	int keep_wal = 1;

	if (rc != SQLITE_OK)
		return db_fail(st, rc, "cannot open the record", e);
	for (size_t i = 0; i < ARRAY_LEN(on); i++)
		sqlite3_db_config(st->db, on[i], 1, NULL);
	for (size_t i = 0; i < ARRAY_LEN(off); i++)
		sqlite3_db_config(st->db, off[i], 0, NULL);
	db_wait_for_others(st);
	sqlite3_file_control(st->db, "main", SQLITE_FCNTL_PERSIST_WAL, &keep_wal);
	sqlite3_wal_autocheckpoint(st->db, WAL_PAGES);
	return true;
}

void db_disconnect(struct store *st)
{
	for (size_t i = 0; i < ARRAY_LEN(st->statements); i++)
		sqlite3_finalize(st->statements[i]);
	memset(st->statements, 0, sizeof(st->statements));
	sqlite3_close_v2(st->db);
	st->db = NULL;
	free(st->wait.file);
	st->wait.file = NULL;
}

bool db_exec(struct store *st, const char *sql, struct err *e)
{
	int rc = sqlite3_exec(st->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK || db_fail(st, rc, "cannot prepare the record", e);
}

bool db_word(struct store *st, const char *sql, char *out, size_t n, struct err *e)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(st->db, sql, -1, &s, NULL);
	const char *text = NULL;

	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	if (rc == SQLITE_ROW)
		text = (const char *)sqlite3_column_text(s, 0);
	snprintf(out, n, "%s", text ? text : "");
	if (rc == SQLITE_ROW || rc == SQLITE_DONE)
		rc = SQLITE_OK;
	else
		db_fail(st, rc, "cannot read", e);
	sqlite3_finalize(s);
	return rc == SQLITE_OK;
}

bool db_number(struct store *st, const char *sql, int64_t *out, struct err *e)
{
	char word[32];

	if (!db_word(st, sql, word, sizeof(word), e))
		return false;
	*out = strtoll(word, NULL, 10);
	return true;
}

/* ---- transactions --------------------------------------------------------------------------- */

static bool set_sync(struct store *st, enum db_sync sync, struct err *e)
{
	static const char *const pragmas[] = {
		[DB_NORMAL] = "PRAGMA synchronous = NORMAL",
		[DB_FULL] = "PRAGMA synchronous = FULL",
	};

	if (!st->wal)
		sync = DB_FULL;
	if (sync == st->sync)
		return true;
	if (!db_exec(st, pragmas[sync], e))
		return false;
	st->sync = sync;
	return true;
}

static bool run_simple(struct store *st, enum sql_id id, struct err *e)
{
	struct sql q;

	return sql_start(st, id, &q, e) && sql_run(&q, e);
}

bool db_begin(struct store *st, enum db_sync sync, struct err *e)
{
	if (st->mode != STORE_WRITE)
		return err_set(e, ERR_READONLY, "%s is open for reading only", st->path);
	if (!(st->depth > 0 ? run_simple(st, SQL_NEST, e) : set_sync(st, sync, e) && run_simple(st, SQL_BEGIN, e)))
		return false;
	st->depth++;
	return true;
}

static bool end_inner(struct store *st, bool ok, struct err *e)
{
	if (ok)
		return run_simple(st, SQL_UNNEST, e);
	if (!sqlite3_get_autocommit(st->db) && run_simple(st, SQL_NEST_UNDO, NULL))
		run_simple(st, SQL_UNNEST, NULL);
	return false;
}

bool db_end(struct store *st, bool ok, struct err *e)
{
	if (--st->depth > 0)
		return end_inner(st, ok, e);
	if (ok && run_simple(st, SQL_COMMIT, e))
		return true;
	/* A full disk rolls back by itself. */
	if (!sqlite3_get_autocommit(st->db))
		run_simple(st, SQL_ROLLBACK, NULL);
	return false;
}

bool db_read_begin(struct store *st)
{
	return sqlite3_get_autocommit(st->db) && run_simple(st, SQL_BEGIN_READ, NULL);
}

void db_read_end(struct store *st, bool begun)
{
	if (begun)
		run_simple(st, SQL_COMMIT, NULL);
}

bool store_hold(struct store *st)
{
	return db_read_begin(st);
}

void store_release(struct store *st, bool held)
{
	db_read_end(st, held);
}
