/* vfs: SQLite's own file system layer with two syncs less. */
#ifndef TICKMARK_STORE_VFS_H
#define TICKMARK_STORE_VFS_H

#include <sqlite3.h>
#include <stdbool.h>

/* Name for sqlite3_open_v2; registered at the first call. NULL (the default) when it cannot be had. */
const char *vfs_name(void);

#endif
