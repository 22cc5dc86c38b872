/*
 * The rows of the Execution pane: steps, their attempts and checks, the sections of an attempt, and
 * the first lines of a section, as far as they are unfolded. Steps come from the record in pages by
 * their numbers; whatever is folded is not read.
 *
 * A row's key is { step, attempt id, section, line }, 0 from the first that does not apply. A step
 * with one attempt and no checks has the sections right below it. Messages stand between the steps, with
 * keys of their own (exec_messages.h), unless the list is filtered.
 */
#ifndef TICKMARK_UI_EXEC_TREE_H
#define TICKMARK_UI_EXEC_TREE_H

#include "exec_messages.h"
#include "listbox.h"
#include "section.h"
#include "model/filtering.h"
#include "model/review.h"

/* A step (as its last attempt), an attempt or a check. Strings are owned by the tree. */
struct exec_item {
	int64_t step, attempt, number, check;
	char ref[REF_TEXT];
	char *title;
	char *asker;
	char *limit;
	char *detail;
	enum outcome state;
	int exit_code, signal;
	int64_t queued_us, wall_us, step_attempts, artifacts;
	enum verdict verdict;
	enum judgement judgement, stale;
	char *reviewer;
};

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

struct exec_tree;
struct exec_tree *exec_tree_new(struct section_context context);
void exec_tree_free(struct exec_tree *t);
extern const struct list_ops exec_tree_ops; /* ctx: the tree */
/* Steps that do not fit are not in it; the tree keeps the filter. NULL: all are. */
void exec_tree_filter(struct exec_tree *t, struct list_filter *f);
const struct list_filter *exec_tree_filter_of(const struct exec_tree *t);
/* Why the record could not be read the last time; NULL: it could. */
const char *exec_tree_error(const struct exec_tree *t);

enum exec_level { LEVEL_STEP, LEVEL_ATTEMPT, LEVEL_SECTION, LEVEL_LINE, LEVEL_MESSAGE };
enum exec_level exec_level(const struct list_key *key);
/* The step or attempt of a row; NULL: it is gone. Valid until the next call with the tree. */
const struct exec_item *exec_tree_item(struct exec_tree *t, const struct list_key *key);
/* The attempt that a row is about: a step's last, the first that a message cites, its own otherwise. 0: none. */
int64_t exec_tree_attempt_id(struct exec_tree *t, const struct list_key *key);
/* Its details, read when they are asked for; NULL: they cannot be had. */
struct exec_attempt *exec_tree_attempt(struct exec_tree *t, int64_t attempt);
struct excerpt *exec_tree_excerpt(struct exec_tree *t, struct exec_attempt *a, enum section_kind k);

struct exec_messages *exec_tree_messages(struct exec_tree *t);

bool exec_tree_can_unfold(struct exec_tree *t, const struct list_key *key);
bool exec_tree_is_unfolded(const struct exec_tree *t, const struct list_key *key);
void exec_tree_fold(struct exec_tree *t, const struct list_key *key, bool unfold);
/* The i-th unfolded row, in no order; NULL: there are not so many. */
const struct list_key *exec_tree_unfolded_at(const struct exec_tree *t, size_t i);
void exec_tree_fold_all(struct exec_tree *t);
bool exec_tree_parent(struct exec_tree *t, const struct list_key *key, struct list_key *out);
/* Whether the step shows its attempts (else the sections of its only one). */
bool exec_tree_has_attempts(struct exec_tree *t, int64_t step);
/* The key of the row of an attempt, or of its step where that has no attempts of its own; unfolds the
 * step as far as needed. False: no such attempt. */
bool exec_tree_find(struct exec_tree *t, int64_t attempt, struct list_key *out);
/* News: the next look reads it again. attempt 0: everything. */
void exec_tree_changed(struct exec_tree *t, int64_t attempt);

#endif
