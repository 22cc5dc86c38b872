/* runner: the process that runs one attempt and alone writes it. */
#ifndef TICKMARK_MODEL_RUNNER_H
#define TICKMARK_MODEL_RUNNER_H

#include "model/run.h"
#include "private.h"

/* What it inherits: one end of the wire, and an eventfd by which the front stops it. */
struct runner_link {
	int wire;
	int stop;
};

/* In a forked child without a connection to the record. Does not return. */
_Noreturn void runner_main(struct workspace *ws, const struct run_request *req, struct runner_link link);

#endif
