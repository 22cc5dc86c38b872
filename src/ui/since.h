/*
 * Whether the inputs of attempts changed since they were read. Files are hashed for that, which takes as long
 * as they are large, so a worker does it; what it finds out is kept, and asked again when it is looked at
 * later.
 */
#ifndef TICKMARK_UI_SINCE_H
#define TICKMARK_UI_SINCE_H

#include "model/query.h"
#include "model/worker.h"

enum since_state {
	SINCE_LOOKING, /* being found out */
	SINCE_KNOWN,
	SINCE_STOPPED, /* by the user */
};

struct since_book;
/* `known` is called, in the thread of the caller, when the answers for an attempt are others than before. */
struct since_book *since_new(struct workers *w, const char *root, void (*known)(void *ctx, int64_t attempt), void *ctx);
void since_free(struct since_book *b); /* NULL is fine */
/* Answers by the inputs of the attempt, valid until the next call; NULL unless they are known. */
enum since_state since_look(struct since_book *b, const struct detail *d, const enum since **answers);
/* Ends what is under way; false: nothing is. */
bool since_cancel(struct since_book *b);

#endif
