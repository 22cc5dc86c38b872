/* vfs: SQLite's own file system layer with two syncs less, and one that reads ahead. */
#ifndef TICKMARK_STORE_VFS_H
#define TICKMARK_STORE_VFS_H

#include <sqlite3.h>
#include <stdbool.h>

/* Names for sqlite3_open_v2; registered at the first call. NULL (the default) when it cannot be had. */
const char *vfs_name(void);
const char *vfs_ahead_name(void); /* for reading only (vfs_ahead.c) */

/* Reads ahead from now on. The connection has a read transaction open, and is closed with it. */
void vfs_ahead_begin(sqlite3 *db);

#endif
