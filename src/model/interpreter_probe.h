/*
 * interpreter_probe: what an interpreter is, found out by running a script of ours with it inside the
 * sandbox, and kept in .tickmark/cache while the stat of its binary and site folders stays the same.
 * The cache is believed about names and versions only, never about what a run may see.
 */
#ifndef TICKMARK_MODEL_INTERPRETER_PROBE_H
#define TICKMARK_MODEL_INTERPRETER_PROBE_H

#include "private.h"

/* Fills path (made canonical), env, prefixes, and problem when it cannot be used. False only when we
 * could not do our part (no sandbox, no memory for it on disk …). Takes path. */
bool interpreter_examine(struct workspace *ws, char *path, const char *origin, struct interpreter *out, struct err *e);

/* Another zone than the user's, for a run that is to have it again. */
void interpreter_in_zone(struct interpreter *i, const char *zone);

/* Runs `python script` (a support file of ours) in the sandbox with nothing else to see; out gets its
 * stdout, complaint the end of its stderr. False when it did not end with 0. */
bool interpreter_run_ours(struct workspace *ws, const struct interpreter *i, const struct sandbox_file *script,
                          struct buf *out, struct buf *complaint, struct err *e);
/* "cache/NAME-XXXX": file for what is known of the interpreter at `path`. */
void interpreter_cache_name(const char *what, const char *path, char name[80]);

#endif
