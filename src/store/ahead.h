/*
 * ahead: reading a record in blocks. SQLite reads page by page, one system call each, or maps the file, which
 * costs a fault for each page and ends the process when somebody cuts the file short. Here it gets its pages out
 * of blocks that one call reads, wherever pages are read in a row.
 */
#ifndef TICKMARK_STORE_AHEAD_H
#define TICKMARK_STORE_AHEAD_H

/* Name for sqlite3_open_v2, as vfs_name. Blocks are read once PRAGMA mmap_size is not 0: for SQLite they are a map. */
const char *ahead_name(void);

#endif
