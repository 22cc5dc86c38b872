/*
 * A layer in the making: a folder in cache/tmp that nobody else sees until it is published.
 */
#ifndef TICKMARK_MODEL_LAYER_H
#define TICKMARK_MODEL_LAYER_H

#include "view.h"

struct layer;

struct layer *layer_begin(struct workspace *ws, struct err *e);
/* Throws it away unless it was published. NULL is fine. */
void layer_free(struct layer *l);
const char *layer_id(const struct layer *l);
bool layer_is_empty(const struct layer *l);

/* Makes the folders that a path needs; not by several threads at once. */
bool layer_make_folders(struct layer *l, const char *path, struct err *e);
/* A new file, open for reading and writing. Several threads may, when the folders are there. */
int layer_create(struct layer *l, const char *path, struct err *e);
/* Sets mode, owner and time when its bytes are complete. */
bool layer_finish_file(const struct layer *l, int fd, const char *path, uint16_t mode, int64_t mtime_us, struct err *e);
bool layer_unlink(struct layer *l, const char *path, struct err *e);
/* The same file as in a published layer; false (without a message) when the file system says no. */
bool layer_link(struct layer *l, int from, const char *path);
/* Hides what lower layers have at `path`. False (without a message) where that cannot be made. */
bool layer_whiteout(struct layer *l, const char *path);
void layer_count(struct layer *l, int64_t bytes); /* adds to what it is said to hold */
/* Puts it in its place. Its folders get the times of those of the set. */
bool layer_publish(struct layer *l, const struct view_folder *folders, size_t n, int64_t *bytes, struct err *e);

/* Says what to do about a full disk, behind a message that tells of one; returns false. */
bool layer_explain(struct err *e);

/* Removes what crashed runs left in cache/tmp. Under the index lock. */
void layer_sweep(struct workspace *ws);

#endif
