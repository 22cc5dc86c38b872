/*
 * tape: what happens to the bytes of a run on the thread that reads them. Of each stream the
 * head goes to the writer as it comes; what follows is kept in a ring of the newest bytes until the
 * end, so that a flood costs neither disk nor queue. All of it is counted and hashed.
 */
#ifndef TICKMARK_MODEL_TAPE_H
#define TICKMARK_MODEL_TAPE_H

#include "backlog.h"

struct tape;

/* `stop_fd` ends every wait for the writer (it is the run's), `until_us` (monotonic, -1 none) too. */
struct tape *tape_new(struct backlog *q, const struct limits *limits, int stop_fd, int64_t until_us);
void tape_free(struct tape *c);
/* For sandbox_sink. */
void tape_stream(void *tape, enum stream_id stream, int64_t group, int64_t offset_us, const void *p, size_t n);

struct taped {
	int64_t bytes;        /* produced */
	int64_t dropped;      /* of them, in the gap */
	struct digest sha256; /* of all of them; zero when none */
};
/* Hands gaps and tails to the queue, ordered among each other, and closes it. */
void tape_finish(struct tape *c, struct taped *out, struct taped *err);

/* The end of stderr (up to 64 KiB and more), for the last exception; valid until tape_free. */
const char *tape_last(const struct tape *c, size_t *n);

#endif
