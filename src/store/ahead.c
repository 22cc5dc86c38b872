/*
 * The file is SQLite's own; only what hands out a map (xFetch) is ours, and what begins a transaction. A page that
 * a transaction may read from the file does not change until it ends: with a WAL others write to the WAL, and move
 * it into the file no farther than readers have it already. So blocks last as long as a transaction.
 */
#include "ahead.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define BLOCK (256 << 10)
#define BLOCKS 8
#define IN_A_ROW 4         /* pages asked for one behind the other before their block is read */
#define WORTH (BLOCK / 16) /* bytes asked for in a block, so that the next one is read whole, too */

struct block {
	sqlite3_int64 at;  /* of its first byte in the file; -1: none */
	int n;             /* bytes */
	int pins;          /* pages that SQLite holds */
	int asked;         /* bytes of it that were asked for */
	uint64_t used;     /* when last */
	char *bytes;       /* BLOCK of them */
};

/* Pages that were asked for one behind the other. */
struct run {
	sqlite3_int64 end; /* of the last one; -1: none */
	int pages;
};

/* Lies behind SQLite's own file in the same memory. */
struct ahead {
	const sqlite3_io_methods *own;
	sqlite3_io_methods methods; /* those, with ours in place of some */
	struct block blocks[BLOCKS];
	sqlite3_int64 size;         /* of the file; -1: not asked since a transaction began */
	struct run runs[2];         /* of pages that were not there; the other one is often of pointer maps */
	uint64_t clock;
	char *room;                 /* the bytes of all blocks; owned; NULL: nothing was read yet */
};

static sqlite3_vfs layer;

static int own_size(void)
{
	return (((const sqlite3_vfs *)layer.pAppData)->szOsFile + 15) & ~15;
}

static struct ahead *ahead_of(sqlite3_file *f)
{
	return (struct ahead *)(void *)((char *)f + own_size());
}

/* What is pinned stays readable, but is found no more. */
static void forget(struct ahead *a)
{
	for (int i = 0; i < BLOCKS; i++)
		a->blocks[i].at = -1;
	for (int i = 0; i < 2; i++)
		a->runs[i].end = -1;
	a->size = -1;
}

static int close_file(sqlite3_file *f)
{
	struct ahead *a = ahead_of(f);
	const sqlite3_io_methods *own = a->own;

	free(a->room);
	f->pMethods = own;
	return own->xClose(f);
}

static int lock(sqlite3_file *f, int level)
{
	forget(ahead_of(f));
	return ahead_of(f)->own->xLock(f, level);
}

static int shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	if (flags & SQLITE_SHM_LOCK)
		forget(ahead_of(f));
	return ahead_of(f)->own->xShmLock(f, offset, n, flags);
}

/* ---- blocks ---------------------------------------------------------------------------------------------- */

static struct block *find(struct ahead *a, sqlite3_int64 at)
{
	for (int i = 0; i < BLOCKS; i++)
		if (a->blocks[i].at == at)
			return &a->blocks[i];
	return NULL;
}

/* Nearly all of it was asked for, and nothing is held. */
static bool is_spent(const struct block *b)
{
	return b->at >= 0 && b->pins == 0 && b->asked >= b->n - b->n / 8;
}

/* One whose bytes nobody holds; NULL: there is none. What goes through a stream comes back to no block: the one that
 * was read through last is still in the processor's cache, and the others stay for those who come back to theirs. */
static struct block *oldest(struct ahead *a)
{
	struct block *b = NULL;

	for (int i = 0; i < BLOCKS; i++)
		if (is_spent(&a->blocks[i]) && (!b || a->blocks[i].used > b->used))
			b = &a->blocks[i];
	if (b)
		return b;
	for (int i = 0; i < BLOCKS; i++)
		if (a->blocks[i].pins == 0 && (!b || a->blocks[i].at < 0 || (b->at >= 0 && a->blocks[i].used < b->used)))
			b = &a->blocks[i];
	return b;
}

/* For all blocks: on one huge page, where the kernel has one. */
static bool make_room(struct ahead *a)
{
	a->room = aligned_alloc(BLOCKS * BLOCK, BLOCKS * BLOCK);
	if (!a->room)
		return false;
	madvise(a->room, BLOCKS * BLOCK, MADV_HUGEPAGE);
	for (int i = 0; i < BLOCKS; i++)
		a->blocks[i].bytes = a->room + (size_t)i * BLOCK;
	return true;
}

static struct block *load(sqlite3_file *f, struct ahead *a, sqlite3_int64 at)
{
	struct block *b = oldest(a);

	if (!b || (a->size < 0 && a->own->xFileSize(f, &a->size) != SQLITE_OK) || a->size <= at)
		return NULL;
	if (!a->room && !make_room(a))
		return NULL;
	b->at = -1;
	b->n = a->size - at < BLOCK ? (int)(a->size - at) : BLOCK;
	if (a->own->xRead(f, b->bytes, b->n, at) != SQLITE_OK)
		return NULL; /* SQLite asks for the page itself, and tells why not */
	b->at = at;
	b->asked = 0;
	return b;
}

/* Pages here and there are better read alone, as those of a table that others grew in between: what is read whole
 * is the block beside one that was asked for much, or in which some pages were asked for in a row. Also the one
 * before: a check of the file goes through the rows of a page from the last to the first. */
static bool is_worth_it(struct ahead *a, sqlite3_int64 at, sqlite3_int64 offset, int n)
{
	const struct block *before = at >= BLOCK ? find(a, at - BLOCK) : NULL, *behind = find(a, at + BLOCK);

	if ((before && before->asked >= WORTH) || (behind && behind->asked >= WORTH))
		return true;
	if (a->runs[0].end != offset) {
		struct run other = a->runs[1];

		a->runs[1] = a->runs[0];
		a->runs[0] = other.end == offset ? other : (struct run){ 0 };
	}
	a->runs[0].end = offset + n;
	return ++a->runs[0].pages >= IN_A_ROW;
}

static int fetch(sqlite3_file *f, sqlite3_int64 offset, int n, void **out)
{
	struct ahead *a = ahead_of(f);
	sqlite3_int64 at = offset & ~(sqlite3_int64)(BLOCK - 1);
	struct block *b = find(a, at);

	*out = NULL;
	if (!b && is_worth_it(a, at, offset, n))
		b = load(f, a, at);
	if (!b || offset - at + n > b->n)
		return SQLITE_OK;
	b->pins++;
	b->asked += n;
	b->used = ++a->clock;
	*out = b->bytes + (offset - at);
	return SQLITE_OK;
}

static int unfetch(sqlite3_file *f, sqlite3_int64 offset, void *p)
{
	struct ahead *a = ahead_of(f);

	(void)offset;
	if (!p)
		forget(a);
	for (int i = 0; p && i < BLOCKS; i++) {
		struct block *b = &a->blocks[i];

		if (b->bytes && (char *)p >= b->bytes && (char *)p < b->bytes + BLOCK)
			b->pins--;
	}
	return SQLITE_OK;
}

/* ---- the layer ------------------------------------------------------------------------------------------- */

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *out)
{
	sqlite3_vfs *own = vfs->pAppData;
	int rc = own->xOpen(own, name, f, flags, out);

	if (rc != SQLITE_OK || !(flags & SQLITE_OPEN_MAIN_DB) || !f->pMethods || f->pMethods->iVersion < 3)
		return rc;
	struct ahead *a = ahead_of(f);
	*a = (struct ahead){ .own = f->pMethods, .methods = *f->pMethods };
	forget(a);
	a->methods.xClose = close_file;
	a->methods.xLock = lock;
	a->methods.xShmLock = shm_lock;
	a->methods.xFetch = fetch;
	a->methods.xUnfetch = unfetch;
	f->pMethods = &a->methods;
	return rc;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_layer(void)
{
	sqlite3_vfs *own = sqlite3_vfs_find(NULL);

	if (!own)
		return;
	layer = *own;
	layer.pNext = NULL;
	layer.zName = "tickmark-ahead";
	layer.pAppData = own;
	layer.szOsFile = own_size() + (int)sizeof(struct ahead);
	layer.xOpen = open_file;
	if (sqlite3_vfs_register(&layer, 0) != SQLITE_OK)
		layer.zName = NULL;
}

const char *ahead_name(void)
{
	pthread_once(&once, make_layer);
	return layer.zName;
}
