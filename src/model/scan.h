/*
 * A look at the folder: which files are attached, which are left out and why, and the stat by which
 * a later look tells that nothing changed. The same tables serve in memory and inside the index
 * (index.h), so they hold offsets and no pointers.
 */
#ifndef TICKMARK_MODEL_SCAN_H
#define TICKMARK_MODEL_SCAN_H

#include "private.h"

/* By what a file or folder is known to be the same. All zero: it is not there or cannot be reached. */
struct scan_stat {
	uint64_t size;
	int64_t mtime_ns;
	int64_t ctime_ns;
	uint64_t inode;
	uint64_t device;
	uint32_t mode;   /* st_mode */
	uint32_t owner;
};

#define SCAN_NONE UINT32_MAX

struct scan_folder {
	struct scan_stat st;
	uint32_t path;      /* offset in the text; "." for the root */
	uint32_t unused;
};

enum scan_kind {
	SCAN_PLAIN,    /* a regular file */
	SCAN_LINK,     /* a symlink to a regular file inside the workspace; stat is that of the file */
	SCAN_ELSEWHERE,/* attached from `source` */
	SCAN_KEPT,     /* attached bytes that the record keeps; stat says size and time only */
	SCAN_WATCHED,  /* no file to attach: rules, markers; looked at because it decides about others */
};

struct scan_file {
	struct scan_stat st;
	struct digest sha256;    /* content; zero: not known */
	uint32_t path;           /* offset in the text; relative to the workspace */
	uint32_t name;           /* offset of its last part */
	uint32_t folder;         /* index of its folder; SCAN_NONE: reached by its whole path */
	uint32_t source;         /* offset: SCAN_ELSEWHERE; else 0 */
	uint32_t detail;         /* offset of why it is left out; 0 */
	uint8_t excluded;        /* enum exclusion */
	uint8_t kind;            /* enum scan_kind */
	uint8_t whole;           /* a folder that is left out as a whole; its path ends in a slash */
	uint8_t decides;         /* left out, but a change of its stat may change what is attached */
	uint8_t unlisted;        /* stands here for `decides` alone */
	uint8_t unused[3];
};

/* Files are in order of path (memcmp), each path once but for SCAN_WATCHED ones. */
struct scan {
	struct scan_folder *folders;
	size_t folders_n, folders_cap;
	struct scan_file *files;
	size_t files_n, files_cap;
	uint32_t *by_folder;         /* indices of files, those of one folder together */
	struct buf text;             /* strings, each with its NUL; offset 0 is "" */
	int64_t excluded[EXCLUDE_COUNT]; /* left out, by reason */
};

/* What decides about attaching besides the folder itself. */
struct scan_rules {
	int64_t max_files, max_size;
	const struct attachment *attachments; /* by name; may be empty */
	size_t attachments_n;
};

/* Looks at everything below `root` (an O_PATH descriptor, `path` its absolute path). With `all`,
 * what is left out is listed too; else only what is attached or decides. */
bool scan_walk(int root, const char *path, const struct scan_rules *rules, bool all, struct scan *out, struct err *e);
void scan_free(struct scan *s);

/* Rows whose present stat is another one than that in the row, or is not older than `stamp_ns` (git's
 * rule for racy entries: it may have changed within one tick of the clock), in order. */
struct scan_diff {
	struct scan_stat st; /* now */
	uint32_t row;
	uint32_t unused;
};
struct scan_diffs {
	struct scan_diff *folders, *files;
	size_t folders_n, files_n;
};
/* Looks at every row, by up to `threads` threads that are gone on return. */
void scan_compare(int root, const char *path, const struct scan *s, int64_t stamp_ns, int threads, struct scan_diffs *out);
void scan_diffs_free(struct scan_diffs *d);
int64_t scan_mtime_us(const struct scan_stat *st);
bool scan_is_same(const struct scan_stat *a, const struct scan_stat *b);
bool scan_is_settled(const struct scan_stat *st, int64_t stamp_ns);
int scan_threads(size_t files); /* how many are worth it */

/* Opens an attached file for reading, as it was found: no link followed but the last part of a
 * SCAN_LINK, and that only inside the workspace. -1 with errno. Not for SCAN_KEPT. */
int scan_open(int root, const char *path, const struct scan *s, const struct scan_file *f);
void scan_stat_fd(int fd, struct scan_stat *out); /* zero when it cannot be had */
void scan_stat_path(int root, const char *path, struct scan_stat *out); /* the same, no link followed */
bool scan_may_read(int root, const struct scan *s, const struct scan_file *f);
/* Opens what is at `path`, no link followed anywhere. -1 with errno. */
int scan_open_below(int root, const char *path, int flags);
/* Opens a file for reading of which only the path is known; a link as in scan_open. */
int scan_open_path(int root, const char *root_path, const char *path);

/* Everything outside the folder that decides about it: rule files above, in order, hashed. */
void scan_outer_hash(int root, const char *path, struct hasher *h);

static inline const char *scan_text(const struct scan *s, uint32_t offset)
{
	return s->text.data + offset;
}

#endif
