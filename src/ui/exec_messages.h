/*
 * The messages between the steps of the Execution pane: a row each, behind the step that was the newest when
 * it was said, in order of their times. Here is what they add to the list of the tree, and how such a row looks.
 *
 * A row's key is { step, MESSAGE_ROW, time, id }: behind all rows of the step, and sorted by its numbers as
 * those of the tree are. Step 0: said before there was any.
 */
#ifndef TICKMARK_UI_EXEC_MESSAGES_H
#define TICKMARK_UI_EXEC_MESSAGES_H

#include "canvas.h"
#include "listbox.h"
#include "model/message.h"

#define MESSAGE_ROW INT64_MAX

static inline bool key_is_message(const struct list_key *key)
{
	return key->v[1] == MESSAGE_ROW;
}

/* The list that they stand in: its rows, and the step beside one (0: before the first). */
struct steps_list {
	const struct list_ops *ops;
	void *ctx;
	bool (*beside)(void *ctx, int64_t step, int dir, int64_t *out);
};

struct exec_messages;
struct exec_messages *exec_messages_new(struct query *q, struct steps_list steps);
void exec_messages_free(struct exec_messages *m);
/* There may be more of them: the next look reads those. */
void exec_messages_changed(struct exec_messages *m);

/* No message has a row, until they are shown again. */
void exec_messages_hide(struct exec_messages *m, bool hidden);

/* list_ops of both together; `key` and `out` as there. */
bool exec_messages_end(struct exec_messages *m, int dir, struct list_key *out);
bool exec_messages_step(struct exec_messages *m, struct list_key *key, int dir);

/* "helper: It said all done: [4.1]." on one line, as far as a row can need it; NULL: it cannot be read. Valid
 * until the next call. */
const char *exec_messages_line(struct exec_messages *m, const struct list_key *key);
/* The first attempt that it cites; 0: none. */
int64_t exec_messages_attempt(struct exec_messages *m, const struct list_key *key);
void exec_messages_draw(struct exec_messages *m, const struct list_key *key, struct canvas *c, struct rect r, int y);

#endif
