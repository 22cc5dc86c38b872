/*
 * runplan: everything about an attempt that is known before its process starts, made from a request:
 * code, place, step, interpreter, limits, offered set. Made in the runner, whose connection it uses.
 */
#ifndef TICKMARK_MODEL_RUNPLAN_H
#define TICKMARK_MODEL_RUNPLAN_H

#include "model/run.h"
#include "offer.h"

struct runplan {
	struct workspace *ws;
	const struct run_request *req;
	struct buf code;               /* the bytes that run */
	struct attempt attempt;        /* as it will be queued */
	struct step step;              /* when it is a new one (attempt.step 0) */
	struct interpreter python;
	struct policy policy;
	struct offer offer;
	struct attempt_full original;  /* rerun and check: the attempt it comes from */
	struct strv remarks;           /* for run_remarks */
	struct buf qualified;          /* checks: how this environment differs from the recorded one */
	/* what attempt and spec point at */
	struct strv texts, args, env_names, env_values, env, argv;
	char **recorded_values;        /* owned array, NULL where secret */
	char *none[1];                 /* an empty list */
	struct sandbox_file code_file, support, fonts;
	struct buf fonts_bytes;
};

/* What the sandbox must know. */
bool runplan_make(struct runplan *p, struct workspace *ws, const struct run_request *req, struct err *e);
/* The rest, what the record must know: asked while the sandbox builds its world already. */
bool runplan_enter(struct runplan *p, struct err *e);
/* What the sandbox is told; points into the plan. */
void runplan_spec(struct runplan *p, int stop_fd, struct sandbox_spec *out);
/* What is put into the record with the attempt; points into the plan. */
void runplan_queue(const struct runplan *p, struct queue_with *out);
void runplan_free(struct runplan *p);

#endif
