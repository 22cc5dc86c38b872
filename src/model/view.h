/*
 * Layers: immutable trees of copies under .tickmark/cache/layer, laid over each other to show one set
 * of files. A stack is named topmost first. Whatever is published is never written again: a layer is
 * built in cache/tmp and renamed into place. Files are 0600 (0700 when executable) and folders 0700,
 * owned by the ids that a run is mapped to.
 */
#ifndef TICKMARK_MODEL_VIEW_H
#define TICKMARK_MODEL_VIEW_H

#include "private.h"

#define VIEW_LAYERS 8   /* most layers of a stack that grows; a recorded set may need a few more */
#define VIEW_STACK_MAX 12
#define VIEW_ID 33      /* 32 hexadecimal digits and NUL */

struct view_stack {
	char ids[VIEW_STACK_MAX][VIEW_ID];
	int64_t bytes[VIEW_STACK_MAX]; /* of the files in it */
	uint32_t n;
	uint32_t unused;
};

/* A stack and what it shows. */
struct view {
	struct view_stack stack;
	const struct entry *entries; /* sorted by path */
	const uint8_t *layer_of;     /* index in the stack */
	size_t n;
};

char *view_layer_path(const struct workspace *ws, const char *id); /* absolute; owned */
/* Keeps the layers from eviction as long as the descriptors are open, in whichever process. False
 * when one of them is gone. */
struct view_locks {
	int fds[VIEW_STACK_MAX];
	size_t n;
};
bool view_hold(struct workspace *ws, const struct view_stack *stack, struct view_locks *out);
void view_release(struct view_locks *locks);
/* Opens one file of a layer for reading; -1 with errno. */
int view_open_file(struct workspace *ws, const char *id, const char *path);
/* Whether all files are there in their sizes: after a crash of the machine they may not be. */
bool view_is_whole(struct workspace *ws, const struct view *v);
/* Removes layers that nobody holds and no stack in `keep` names, oldest use first, until they are
 * within `budget` bytes and number. Under the index lock. */
void view_evict(struct workspace *ws, const struct view_stack *keep, int64_t budget);

/* ---- folders of a set ---- */

struct view_folder {
	const char *path;  /* not terminated: into an entry's path */
	size_t len;        /* 0: the root */
	int64_t mtime_us;  /* newest of the files below */
};
/* Folders of the files, each behind the one that holds it; owned array. */
struct view_folder *view_folders(const struct entry *entries, size_t n, size_t *count);
/* NULL: no folder of the set. */
const struct view_folder *view_find_folder(const struct view_folder *folders, size_t n, const char *path, size_t len);
/* -1: no entry. */
ssize_t view_find(const struct entry *entries, size_t n, const char *path);

#endif
