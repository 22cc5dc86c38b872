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

#include "exec_attempts.h"
#include "exec_messages.h"
#include "exec_steps.h"
#include "listbox.h"

struct exec_tree;
struct exec_tree *exec_tree_new(struct section_context context);
void exec_tree_free(struct exec_tree *t);
extern const struct list_ops exec_tree_ops; /* ctx: the tree */
/* The same as if everything were unfolded that says what was run, and what came of it: for searching. */
extern const struct list_ops exec_tree_all_ops;
struct exec_steps *exec_tree_steps(struct exec_tree *t);
struct exec_messages *exec_tree_messages(struct exec_tree *t);

enum exec_level { LEVEL_STEP, LEVEL_ATTEMPT, LEVEL_SECTION, LEVEL_LINE, LEVEL_MESSAGE };
enum exec_level exec_level(const struct list_key *key);
/* The step or attempt of a row; NULL: it is gone. Valid until the next call with the tree. */
const struct exec_item *exec_tree_item(struct exec_tree *t, const struct list_key *key);
/* The attempt that a row is about: a step's last, the first that a message cites, its own otherwise. 0: none. */
int64_t exec_tree_attempt_id(struct exec_tree *t, const struct list_key *key);
/* Its details, read when they are asked for; NULL: they cannot be had. */
struct exec_attempt *exec_tree_attempt(struct exec_tree *t, int64_t attempt);
/* The section that a row is in; NULL: its attempt cannot be had. */
struct excerpt *exec_tree_excerpt(struct exec_tree *t, const struct list_key *key);

/* Lines and messages are leaves. */
static inline bool exec_can_unfold(const struct list_key *key)
{
	return exec_level(key) < LEVEL_LINE;
}
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
/* The next look reads its details again. */
void exec_tree_refresh(struct exec_tree *t, int64_t attempt);
/* News: the next look reads it again. attempt 0: everything. */
void exec_tree_changed(struct exec_tree *t, int64_t attempt);

#endif
