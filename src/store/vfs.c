/*
 * A commit into an empty WAL costs SQLite three syncs: one for the WAL's header, one for the folder,
 * one for the commit itself. As the WAL is emptied whenever a run has ended, every run would pay the
 * first two before its process may start. Neither is needed here:
 *
 * - The header is synced for the sake of a WAL that is written over: old frames could be taken for new
 *   ones. In a WAL of no bytes there are none. If header or frames do not reach the disk before a
 *   crash, a checksum fails and the WAL counts as empty; nothing in it was promised yet. The sync of
 *   the commit covers header and frames, as they are one file.
 * - The folder is synced for the sake of a file that was just made. Ours stays from run to run
 *   (SQLITE_FCNTL_PERSIST_WAL), and store_open syncs the folder where there was none.
 *
 * All else goes to SQLite's own layer, unchanged; only the WAL's file is wrapped.
 */
#include "vfs.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>

#define WAL_HEADER 32 /* bytes (https://sqlite.org/fileformat2.html#walformat) */

struct wal_file {
	sqlite3_file base;      /* first: what SQLite sees */
	bool header_only;       /* the file had no bytes, and since then got its header alone */
	_Alignas(sqlite3_int64) unsigned char real[]; /* the file of SQLite's own layer, aligned as it aligns */
};

static sqlite3_file *real_of(sqlite3_file *f)
{
	return (sqlite3_file *)((struct wal_file *)f)->real;
}

static int wal_close(sqlite3_file *f)
{
	return real_of(f)->pMethods->xClose(real_of(f));
}

static int wal_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
	return real_of(f)->pMethods->xRead(real_of(f), p, n, at);
}

static int wal_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	struct wal_file *w = (struct wal_file *)f;
	sqlite3_int64 size = -1;

	w->header_only = at == 0 && n == WAL_HEADER &&
	                 real_of(f)->pMethods->xFileSize(real_of(f), &size) == SQLITE_OK && size == 0;
	return real_of(f)->pMethods->xWrite(real_of(f), p, n, at);
}

static int wal_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	((struct wal_file *)f)->header_only = false;
	return real_of(f)->pMethods->xTruncate(real_of(f), size);
}

static int wal_sync(sqlite3_file *f, int flags)
{
	struct wal_file *w = (struct wal_file *)f;

	if (w->header_only) {
		w->header_only = false;
		return SQLITE_OK;
	}
	return real_of(f)->pMethods->xSync(real_of(f), flags);
}

static int wal_size(sqlite3_file *f, sqlite3_int64 *size)
{
	return real_of(f)->pMethods->xFileSize(real_of(f), size);
}

static int wal_lock(sqlite3_file *f, int level)
{
	return real_of(f)->pMethods->xLock(real_of(f), level);
}

static int wal_unlock(sqlite3_file *f, int level)
{
	return real_of(f)->pMethods->xUnlock(real_of(f), level);
}

static int wal_reserved(sqlite3_file *f, int *out)
{
	return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
}

static int wal_control(sqlite3_file *f, int op, void *arg)
{
	return real_of(f)->pMethods->xFileControl(real_of(f), op, arg);
}

static int wal_sector(sqlite3_file *f)
{
	return real_of(f)->pMethods->xSectorSize(real_of(f));
}

static int wal_device(sqlite3_file *f)
{
	return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
}

static const sqlite3_io_methods wal_methods = {
	.iVersion = 1,
	.xClose = wal_close,
	.xRead = wal_read,
	.xWrite = wal_write,
	.xTruncate = wal_truncate,
	.xSync = wal_sync,
	.xFileSize = wal_size,
	.xLock = wal_lock,
	.xUnlock = wal_unlock,
	.xCheckReservedLock = wal_reserved,
	.xFileControl = wal_control,
	.xSectorSize = wal_sector,
	.xDeviceCharacteristics = wal_device,
};

/* SQLite's own layer plans a sync of the folder for each WAL that it was allowed to make. */
static int open_wal(sqlite3_vfs *own, const char *name, struct wal_file *w, int flags, int *out)
{
	sqlite3_file *real = real_of(&w->base);
	int rc = own->xOpen(own, name, real, flags & ~SQLITE_OPEN_CREATE, out);

	if (rc != SQLITE_OK)
		rc = own->xOpen(own, name, real, flags, out);
	w->header_only = false;
	w->base.pMethods = NULL;
	if (rc == SQLITE_OK)
		w->base.pMethods = &wal_methods;
	return rc;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out)
{
	sqlite3_vfs *own = vfs->pAppData;

	if (flags & SQLITE_OPEN_WAL)
		return open_wal(own, name, (struct wal_file *)f, flags, out);
	return own->xOpen(own, name, f, flags, out);
}

/* SQLite keeps its list of layers by itself, for the whole process. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sqlite3_vfs layer;

static void make_layer(void)
{
	sqlite3_vfs *own = sqlite3_vfs_find(NULL);

	if (!own)
		return;
	layer = *own;
	layer.pNext = NULL;
	layer.zName = "tickmark";
	layer.szOsFile = (int)sizeof(struct wal_file) + own->szOsFile;
	layer.pAppData = own;
	layer.xOpen = open_file;
	if (sqlite3_vfs_register(&layer, 0) != SQLITE_OK)
		layer.zName = NULL;
}

const char *vfs_name(void)
{
	pthread_once(&once, make_layer);
	return layer.zName;
}
