/*
 * db: one connection, its transactions and the one place where SQLite's answers become errors.
 */
#ifndef TICKMARK_STORE_DB_H
#define TICKMARK_STORE_DB_H

#include <sqlite3.h>
#include <time.h>

#include "statement.h"
#include "store.h"

/* PRAGMA synchronous. With a rollback journal every commit is full. */
enum db_sync { DB_NORMAL = 1, DB_FULL = 2 };

struct store {
	sqlite3 *db;
	char *path;                          /* as given to store_open */
	enum store_mode mode;
	sqlite3_stmt *statements[SQL_COUNT]; /* prepared when first used */
	enum db_sync sync;                   /* what synchronous is now */
	bool wal;
	int depth;                           /* of write transactions inside each other */
	struct cancel cancel;                /* of long work on contents */
	char why[128];                       /* reason for no WAL, or "" */
	int64_t device, inode;               /* of the file */
	int64_t size;                        /* and what changes when it is written, as it was opened */
	struct timespec changed;
	bool in_place;                       /* read without locks: see store_is_unchanged */
	bool copied;                         /* a private copy is read, which has no name any more */
	int version;                         /* user_version */
	struct db_wait {
		char *file;                  /* that whoever holds the record writes to */
		int64_t size;                /* of it, when it was last seen to change */
		struct timespec written;
		int64_t began_us, since_us;  /* waiting in all, and since that change */
	} wait;                              /* of the busy handler */
};

/* Opens the file named by a path or (flags has SQLITE_OPEN_URI) a URI; sets what every connection of
 * ours has, runs no SQL. */
bool db_connect(struct store *st, const char *name, int flags, struct err *e);
void db_disconnect(struct store *st);
/* Makes a record of an empty file that nobody else knows yet, so that it needs no journal: connects, makes the tables,
 * and has `fill` write into them, all in one transaction (open.c). */
bool db_make_record(struct store *st, const char *file, bool (*fill)(void *ctx, struct store *st, struct err *e), void *ctx,
                    struct err *e);
/* Another connection that reads the same file, to read all of it in one transaction, which it begins (open.c). */
struct store *db_open_ahead(const struct store *like, struct err *e);
/* Waits for others, up to 5 s in which none of them gets on (the state after db_connect). */
void db_wait_for_others(struct store *st);

/* SQLite's last answer `rc` as an error about `doing` ("cannot add an attempt"); returns false. */
bool db_fail(struct store *st, int rc, const char *doing, struct err *e);
/* Runs fixed SQL without parameters. */
bool db_exec(struct store *st, const char *sql, struct err *e);
/* First column of the first row of fixed SQL. */
bool db_number(struct store *st, const char *sql, int64_t *out, struct err *e);
/* The same as text, cut to n. */
bool db_word(struct store *st, const char *sql, char *out, size_t n, struct err *e);

/* A write transaction (BEGIN IMMEDIATE); db_end commits when `ok`, else rolls back, and hands `ok` on. One inside another
 * is taken back alone, and durable with the outer one. */
bool db_begin(struct store *st, enum db_sync sync, struct err *e);
bool db_end(struct store *st, bool ok, struct err *e);
/* A read transaction, so that several SELECTs see one state; none when one is open already. */
bool db_read_begin(struct store *st);
void db_read_end(struct store *st, bool begun);

#endif
