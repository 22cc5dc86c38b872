/*
 * Which rule files count in a folder: the .gitignore files from the top of its git tree down to it,
 * that tree's info/exclude, and the .tickmarkignore files from the workspace down.
 */
#ifndef TICKMARK_MODEL_GITRULES_H
#define TICKMARK_MODEL_GITRULES_H

#include "ignore.h"
#include "private.h"

/* The rules of one folder, on top of those of the folder above. */
struct gitrules;

/* For the workspace folder itself: with what stands above it in its git tree, if it is in one. */
struct gitrules *gitrules_root(int root, const char *path);
/* For a folder below; `parent` must live longer. `names` tells what is in it. */
struct gitrules_names {
	bool git, gitignore, tickmarkignore;
};
struct gitrules *gitrules_below(const struct gitrules *parent, int folder, const char *path,
                                const struct gitrules_names *names);
void gitrules_free(struct gitrules *g); /* the one level */

/* Decides about `path` (relative to the workspace); EXCLUDE_NOT, EXCLUDE_GITIGNORE or EXCLUDE_IGNORE.
 * The rules of .tickmarkignore come first, and a `!` rule there takes in what git leaves out. `detail`
 * (may be NULL) gets "FILE:LINE: RULE". */
enum exclusion gitrules_match(const struct gitrules *g, const char *path, bool is_folder, struct buf *detail);

/* Folder with info/exclude of the git tree whose top is `folder`, relative to it or absolute; owned,
 * NULL when it is no such top. */
char *gitrules_info(int folder);
/* Hashes the rule files above the workspace. */
void gitrules_hash_outer(const struct gitrules *g, struct hasher *h);

#endif
