/* Between search_attempt.c, which looks through one attempt, and search_record.c, which drives it. */
#ifndef TICKMARK_MODEL_SEARCH_ATTEMPT_H
#define TICKMARK_MODEL_SEARCH_ATTEMPT_H

#include "model/searching.h"
#include "private.h"
#include "slice.h"
#include "text/search.h"

/* Hits of one attempt, with the bytes they point at. */
struct found {
	struct record_hit *v;  /* text, title and path are offsets into `texts`, + 1; 0: NULL */
	size_t n, cap;
	struct buf texts;
	struct record_search_sum sum;
};
void found_free(struct found *f);
/* With pointers in place of offsets; valid while f is not added to. */
struct record_hit found_hit(const struct found *f, size_t i);

/* Contents without a hit, shared by the threads: digests, in a table that only grows. */
struct blanks;
struct blanks *blanks_new(void);
void blanks_free(struct blanks *b);

struct looker {
	struct store *st;      /* of this thread, as all that follow */
	struct slice slice;
	struct search *search;
	struct store_reader *reader;
	char *piece;           /* bytes of a stream that are looked at */
	const struct record_search_request *r;
	struct blanks *blanks;
	bool (*stop)(void *ctx); /* cancelled, or nobody wants more */
	void *stop_ctx;
};
/* Gives *l its own connection and pattern. looker_close also where this failed. */
bool looker_open(struct looker *l, const char *record, bool evidence, struct err *e);
void looker_close(struct looker *l);
/* Looks through one attempt; what cannot be read is counted. */
void look_at_attempt(struct looker *l, int64_t attempt, struct found *out);
/* The messages of the record. */
bool look_at_messages(struct looker *l, struct found *out, struct err *e);

#endif
