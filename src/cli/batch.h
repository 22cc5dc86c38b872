/* Many repeats at once: up to a limit beside each other, stopped by Ctrl-C, gone on with later. */
#ifndef TICKMARK_CLI_BATCH_H
#define TICKMARK_CLI_BATCH_H

#include "cmd.h"

#define BATCH_WORDS 17

struct batch_item {
	int64_t attempt;     /* what is repeated */
	char ref[REF_TEXT];
	const char *given;   /* how it was asked for; NULL: with others by what they are */
	int64_t check;       /* id of its check; 0: none was made */
	bool skipped;        /* stopped before its turn */
	struct err e;        /* why there is no check */
};
struct batch {
	struct batch_item *items;
	size_t n;
	const char *python, *vary;
	size_t jobs;         /* at most at once */
	bool stopped;        /* by Ctrl-C, or as there is no room */
	bool resumable;      /* stopped, and --resume goes on */
	int64_t began_us;    /* which batch it is */
	int64_t after;       /* newest attempt or check when it began: what it made has a later id */
	size_t of;           /* so many the one had that is gone on with; 0: none is */
	char words[BATCH_WORDS]; /* what was asked for, hashed */
	bool same_words;     /* as of the one that is gone on with: it is the whole, whatever was pruned or marked meanwhile */
	size_t resumed;      /* were done in an earlier go */
};

/* The attempts that --all, --failed, --unreviewed and --since ask for, oldest first. False: e. */
bool batch_select(struct cmd *c, struct batch *b, struct err *e);
/* The attempts that the command names, in its order. What there is none of keeps its error. */
void batch_name(struct cmd *c, struct batch *b);
/* With --resume: leaves out what the batch that was stopped has done already, after waiting for what of it still runs. */
bool batch_resume(struct cmd *c, struct batch *b, struct err *e);
/* Closes c->query, runs, and remembers in the workspace's cache what a --resume needs. */
bool batch_run(struct cmd *c, struct batch *b, struct err *e);
void batch_free(struct batch *b);

#endif
