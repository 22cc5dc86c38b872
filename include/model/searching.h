/*
 * model/searching: a pattern over the whole record: code, streams, names and text of files, titles,
 * purposes, marks, notes and messages. Attempts are looked at newest first by one thread per core, each
 * with a connection of its own; hits come in that order, while the search goes on. Contents that several
 * attempts share are read once. Checks are left out: they repeat what is searched already, or say where
 * they differ.
 *
 * No thread is left when record_search returns, so that a run may be started behind it.
 */
#ifndef TICKMARK_MODEL_SEARCHING_H
#define TICKMARK_MODEL_SEARCHING_H

#include "model/query.h"

enum found_in {
	FOUND_TITLE, FOUND_PURPOSE, FOUND_CODE, FOUND_STDOUT, FOUND_STDERR, FOUND_NAME, /* of a file */
	FOUND_FILE,  /* an artifact's text */
	FOUND_INPUT, /* a kept input's text */
	FOUND_MARK, FOUND_NOTE, FOUND_MESSAGE, FOUND_COUNT,
};
const char *found_word(enum found_in in); /* "code"; as --in and the documents name it */
#define FOUND_ALL ((1u << FOUND_COUNT) - 1)

/* A line that matches. Strings live until the callback returns. */
struct record_hit {
	int64_t attempt, step;    /* 0: a message */
	int64_t message;          /* its id; 0: none */
	char ref[REF_TEXT];
	const char *title;        /* of the attempt, else of its step */
	enum found_in in;
	const char *path;         /* of a file; NULL */
	struct digest sha256;     /* of its content; zero */
	int64_t line;             /* from 1; 0: none */
	int64_t position;         /* of the match in the code, file, or stream as produced */
	int64_t length;           /* bytes of the match */
	const char *text;         /* the line, or HIT_TEXT bytes of it around the match */
	size_t len;
	size_t match_start, match_len; /* in text */
	int64_t more;             /* lines of the same place that match too and are not told one by one */
};
#define HIT_TEXT 400

struct record_search_request {
	const char *pattern;
	size_t pattern_len;
	unsigned flags;           /* enum search_flags of text/search.h */
	unsigned in;              /* bits by enum found_in; 0: FOUND_ALL */
	size_t most;              /* lines told of one place; 0: 200 */
	int threads;              /* 0: one per core, 8 at most */
	bool (*cancelled)(void *ctx); /* NULL: never. From any thread */
	void *ctx;
};
struct record_search_sum {
	int64_t hits;             /* lines that match, told or not */
	int64_t attempts;         /* looked at */
	int64_t bytes;
	int64_t undecided;        /* lines that the pattern is too costly for */
	int64_t unreadable;       /* places that could not be read: pruned or damaged */
	int64_t binary;           /* files that hold no text */
	int64_t missing;          /* bytes of streams that are not in the record: over a limit, or pruned */
};
/* Calls `hit` in the caller's thread, newest attempt first, messages at the end; it returns false to stop.
 * False: a wrong pattern (ERR_INPUT, *error_at its byte), the record cannot be read, or ERR_CANCELLED. */
bool record_search(const char *record, bool evidence, const struct record_search_request *r, bool (*hit)(void *ctx, const struct record_hit *h),
                   void *ctx, struct record_search_sum *sum, size_t *error_at, struct err *e);

#endif
