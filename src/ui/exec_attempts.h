/*
 * Attempts of the Execution pane in detail: those looked at last, each with the first lines of its sections
 * as far as they were asked for.
 */
#ifndef TICKMARK_UI_EXEC_ATTEMPTS_H
#define TICKMARK_UI_EXEC_ATTEMPTS_H

#include "section.h"
#include "model/review.h"

/* The first lines of a section, or the last of one that still grows. */
#define EXCERPT_MAX 100
#define EXCERPT_TAIL 12
struct excerpt {
	bool open;
	bool failed;              /* why: in note */
	struct text_view text;
	struct text_row rows[EXCERPT_MAX];
	size_t n;
	bool more_before, more_behind;
	char note[1024];
};

struct exec_attempt {
	int64_t id;
	bool good;                /* detail is there */
	bool stale;               /* something of it changed since it was read */
	struct detail detail;
	enum section_kind sections[SECTION_COUNT];
	size_t sections_n;
	struct oddities odd;      /* of the code alone */
	struct excerpt excerpts[SECTION_COUNT];
	struct py_cache py;
	uint64_t used;            /* for throwing out what was not used for longest */
};

struct exec_attempts;
struct exec_attempts *exec_attempts_new(struct section_context context);
void exec_attempts_free(struct exec_attempts *t);
/* News: the next look reads it again. attempt 0: all. */
void exec_attempts_changed(struct exec_attempts *t, int64_t attempt);
/* Read when it is asked for; NULL: it cannot be had. */
struct exec_attempt *exec_attempts_get(struct exec_attempts *t, int64_t attempt);
struct excerpt *exec_attempts_excerpt(struct exec_attempts *t, struct exec_attempt *a, enum section_kind k);
/* Rows of an unfolded section: lines, what stands for lines left out, or why there are none. */
int64_t exec_attempts_rows(struct exec_attempts *t, int64_t attempt, enum section_kind k);
/* Which of the excerpt's rows is row number `line` (from 1); -1: it stands for the lines before them, n or more:
 * for those behind. */
int64_t excerpt_index(const struct excerpt *x, int64_t line);
/* The bytes of such a row, at most `max`; NULL: none. Valid until the next look at the text. */
const char *excerpt_bytes(struct excerpt *x, int64_t i, size_t max, size_t *n);

#endif
