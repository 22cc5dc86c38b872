/*
 * figures: what a run needs so that matplotlib's figures become artifacts: a backend of ours, found
 * by variables that other scripts never look at, and matplotlib's list of fonts, built once per
 * environment by our own code (each run would spend more than 130 ms on it).
 */
#ifndef TICKMARK_MODEL_FIGURES_H
#define TICKMARK_MODEL_FIGURES_H

#include "private.h"

/* The support file, and the variables that lead to it. */
struct sandbox_file figures_backend(void);
void figures_add_env(struct strv *env);

/* What the backend reported in HOME. */
struct figures {
	char *backend;  /* owned; NULL: no figure was made */
	int64_t lost;   /* figures that could not be saved */
};
bool figures_is_report(const char *path); /* as sandbox_collect names it */
void figures_read(struct figures *out, int fd);
void figures_free(struct figures *f);

/* The list of fonts as a file for HOME: false when it is not known (or this environment has no
 * matplotlib), or was not yet at before_us. path and bytes are owned by *keep. */
bool figures_fonts(struct workspace *ws, const struct interpreter *i, int64_t before_us, struct sandbox_file *out, struct buf *keep);
/* Makes it known, in a run of its own that takes a second; for when nobody waits. */
void figures_learn_fonts(struct workspace *ws, const struct interpreter *i);

#endif
