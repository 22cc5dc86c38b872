/* vfs: SQLite's own file system layer with two syncs less. */
#ifndef TICKMARK_STORE_VFS_H
#define TICKMARK_STORE_VFS_H

/* Name for sqlite3_open_v2; registers it at the first call. NULL (the default) when it cannot be had. */
const char *vfs_name(void);

#endif
