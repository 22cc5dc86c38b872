/*
 * writer: the side of the runner that owns the record. Takes the pieces that capture hands over,
 * tells the front, and commits them: at 250 ms, or 1 MiB, whichever is first.
 */
#ifndef TICKMARK_MODEL_WRITER_H
#define TICKMARK_MODEL_WRITER_H

#include "backlog.h"
#include "store.h"

struct writer {
	struct store *store;
	int64_t attempt;
	int front;            /* wire; -1: nobody */
	bool front_lost;      /* it missed packets and must read the record */
	struct buf hint;      /* the next packet for it … */
	struct chunk hinted;  /* … its stream and position */
	struct chunks_hash hash; /* of all chunks, in order */
	struct item *first;   /* rows not yet committed, owned … */
	struct item *last;
	size_t rows;
	size_t bytes;         /* in them */
	int64_t oldest_us;    /* when the first of them came (monotonic) */
	bool failed;          /* the record could not be written */
	struct err err;       /* why */
	void (*stop)(void *ctx); /* called once, when it failed */
	void *stop_ctx;
};

void writer_begin(struct writer *w, struct store *st, int64_t attempt, int front);
/* Until the queue is closed; what is left (at most 1 MiB) stays for the end. */
void writer_run(struct writer *w, struct backlog *q);
/* Commits what is left; false (w->err) when it cannot be. */
bool writer_flush(struct writer *w);
/* What is left as an array, owned by the caller; the bytes stay the writer's. */
struct chunk *writer_rest(const struct writer *w);
/* What is left becomes gaps of its size: the record takes no more bytes. */
void writer_make_gaps(struct writer *w);
struct digest writer_digest(const struct writer *w);
void writer_free(struct writer *w);

#endif
