/*
 * model/message: what people and assistants say about what ran. A message is a fact of the record; it
 * may cite attempts as [7.2] (text/cite.h), and only such as exist.
 */
#ifndef TICKMARK_MODEL_MESSAGE_H
#define TICKMARK_MODEL_MESSAGE_H

#include "model/query.h"

#define MESSAGE_MOST ((size_t)64 << 10) /* bytes of a message */

struct said {
	int64_t id;
	struct asker by;
	const char *text;  /* UTF-8, may hold line ends; until the callback returns */
	int64_t at_us;
	const char *how;   /* "mcp", "command", "screen" */
};

/* Puts a message into the record, durably. `by` NULL, or without a name: the person of the settings. ERR_INPUT:
 * empty, too long or no text; ERR_NOTFOUND: it cites what does not exist. *id may be NULL. */
bool message_say(struct workspace *ws, const struct asker *by, const char *text, size_t n, const char *how,
                 int64_t *id, struct err *e);

typedef bool (*said_fn)(void *ctx, const struct said *m); /* false stops */
/* A page behind message `after` (0: from the end it begins at); limit 0: all. */
bool query_messages(struct query *q, int64_t after, bool newest_first, size_t limit, said_fn fn, void *ctx,
                    struct err *e);
/* One of them; `fn` is not called where there is none of that number. */
bool query_message(struct query *q, int64_t id, said_fn fn, void *ctx, struct err *e);
/* When each behind message `after` was said, in order of their numbers (a merged one is older than its
 * neighbours); without their texts. */
bool query_message_times(struct query *q, int64_t after, bool (*fn)(void *ctx, int64_t id, int64_t at_us), void *ctx,
                         struct err *e);
/* When a step came into the record: what was said from then on stands behind it. 0: there is no such step. */
bool query_step_created(struct query *q, int64_t step, int64_t *us, struct err *e);
/* Those that cite an attempt, oldest first. */
bool query_messages_of(struct query *q, int64_t attempt, said_fn fn, void *ctx, struct err *e);

#endif
