/*
 * Reading a whole record in order, for verify. SQLite reads page by page; a system call for each 2 KiB costs more
 * than the hash of them, and so does a fault for each page of a memory map where page tables are a virtual
 * machine's. So whoever reads the page behind the last one gets the larger piece that it lies in, from which the
 * reads before and behind it are served: integrity_check goes backwards, the hashes forwards. Pages read here and
 * there (of small tables) stay what they are.
 *
 * What was read ahead must not grow old: it is used within one read transaction only, in which SQLite lets nobody
 * write to the pages of the file that the reader may ask for.
 */
#include "vfs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define PIECE (64 << 10) /* bytes */
#define PIECES 32        /* that are kept */

struct ahead_file {
	sqlite3_file base;       /* first: what SQLite sees */
	unsigned char *pieces;   /* NULL: nothing is read ahead */
	sqlite3_int64 number[PIECES]; /* of the piece that is there, from 1; 0: none */
	sqlite3_int64 next;      /* where the last read ended */
	sqlite3_int64 size;      /* of the file */
	_Alignas(sqlite3_int64) unsigned char real[]; /* the file of SQLite's own layer, aligned as it aligns */
};

static sqlite3_file *real_of(sqlite3_file *f)
{
	return (sqlite3_file *)((struct ahead_file *)f)->real;
}

static int ahead_close(sqlite3_file *f)
{
	free(((struct ahead_file *)f)->pieces);
	return real_of(f)->pMethods->xClose(real_of(f));
}

/* The piece that holds the byte at `at`; NULL when it is not there, and not to be (or cannot be) read. */
static const unsigned char *piece(struct ahead_file *a, sqlite3_int64 at, bool in_order)
{
	sqlite3_int64 number = at / PIECE, from = number * PIECE;
	size_t slot = (size_t)(number % PIECES);
	unsigned char *p = a->pieces + slot * PIECE;
	int len = (int)(a->size - from < PIECE ? a->size - from : PIECE);

	if (a->number[slot] == number + 1)
		return p;
	if (!in_order)
		return NULL;
	a->number[slot] = 0;
	if (real_of(&a->base)->pMethods->xRead(real_of(&a->base), p, len, from) != SQLITE_OK)
		return NULL;
	a->number[slot] = number + 1;
	return p;
}

static int ahead_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
	struct ahead_file *a = (struct ahead_file *)f;
	bool in_order = at == a->next;
	const unsigned char *from;

	a->next = at + n;
	/* A page lies in one piece: both are powers of two. */
	if (!a->pieces || n > PIECE || at % PIECE + n > PIECE || at + n > a->size || !(from = piece(a, at, in_order)))
		return real_of(f)->pMethods->xRead(real_of(f), p, n, at);
	memcpy(p, from + at % PIECE, (size_t)n);
	return SQLITE_OK;
}

static int ahead_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	(void)f;
	(void)p;
	(void)n;
	(void)at;
	return SQLITE_READONLY;
}

static int ahead_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	(void)f;
	(void)size;
	return SQLITE_READONLY;
}

static int ahead_sync(sqlite3_file *f, int flags)
{
	(void)f;
	(void)flags;
	return SQLITE_READONLY;
}

static int ahead_size(sqlite3_file *f, sqlite3_int64 *size)
{
	return real_of(f)->pMethods->xFileSize(real_of(f), size);
}

static int ahead_lock(sqlite3_file *f, int level)
{
	return real_of(f)->pMethods->xLock(real_of(f), level);
}

static int ahead_unlock(sqlite3_file *f, int level)
{
	return real_of(f)->pMethods->xUnlock(real_of(f), level);
}

static int ahead_reserved(sqlite3_file *f, int *out)
{
	return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
}

static int ahead_control(sqlite3_file *f, int op, void *arg)
{
	return real_of(f)->pMethods->xFileControl(real_of(f), op, arg);
}

static int ahead_sector(sqlite3_file *f)
{
	return real_of(f)->pMethods->xSectorSize(real_of(f));
}

static int ahead_device(sqlite3_file *f)
{
	return real_of(f)->pMethods->xDeviceCharacteristics(real_of(f));
}

static int ahead_shm_map(sqlite3_file *f, int region, int size, int extend, void volatile **out)
{
	return real_of(f)->pMethods->xShmMap(real_of(f), region, size, extend, out);
}

static int ahead_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	return real_of(f)->pMethods->xShmLock(real_of(f), offset, n, flags);
}

static void ahead_shm_barrier(sqlite3_file *f)
{
	real_of(f)->pMethods->xShmBarrier(real_of(f));
}

static int ahead_shm_unmap(sqlite3_file *f, int drop)
{
	return real_of(f)->pMethods->xShmUnmap(real_of(f), drop);
}

static const sqlite3_io_methods methods = {
	.iVersion = 2, /* no memory map */
	.xClose = ahead_close,
	.xRead = ahead_read,
	.xWrite = ahead_write,
	.xTruncate = ahead_truncate,
	.xSync = ahead_sync,
	.xFileSize = ahead_size,
	.xLock = ahead_lock,
	.xUnlock = ahead_unlock,
	.xCheckReservedLock = ahead_reserved,
	.xFileControl = ahead_control,
	.xSectorSize = ahead_sector,
	.xDeviceCharacteristics = ahead_device,
	.xShmMap = ahead_shm_map,
	.xShmLock = ahead_shm_lock,
	.xShmBarrier = ahead_shm_barrier,
	.xShmUnmap = ahead_shm_unmap,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out)
{
	sqlite3_vfs *own = vfs->pAppData;
	struct ahead_file *a = (struct ahead_file *)f;
	int rc;

	if (!(flags & SQLITE_OPEN_MAIN_DB))
		return own->xOpen(own, name, f, flags, out);
	memset(a, 0, sizeof(*a));
	rc = own->xOpen(own, name, real_of(f), flags, out);
	if (rc == SQLITE_OK)
		a->base.pMethods = &methods;
	return rc;
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
	layer.zName = "tickmark-ahead";
	layer.szOsFile = (int)sizeof(struct ahead_file) + own->szOsFile;
	layer.pAppData = own;
	layer.xOpen = open_file;
	if (sqlite3_vfs_register(&layer, 0) != SQLITE_OK)
		layer.zName = NULL;
}

const char *vfs_ahead_name(void)
{
	pthread_once(&once, make_layer);
	return layer.zName;
}

void vfs_ahead_begin(sqlite3 *db)
{
	sqlite3_file *f = NULL;
	struct ahead_file *a;

	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &f) != SQLITE_OK || !f || f->pMethods != &methods)
		return;
	a = (struct ahead_file *)f;
	if (real_of(f)->pMethods->xFileSize(real_of(f), &a->size) == SQLITE_OK)
		a->pieces = malloc((size_t)PIECE * PIECES);
}
