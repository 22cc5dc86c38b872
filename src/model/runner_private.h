/* What the files of the runner share: one attempt from its plan to its end. */
#ifndef TICKMARK_MODEL_RUNNER_PRIVATE_H
#define TICKMARK_MODEL_RUNNER_PRIVATE_H

#include "artifacts.h"
#include "halt.h"
#include "inputs.h"
#include "runplan.h"
#include "tape.h"
#include "writer.h"

struct runner {
	struct workspace *ws;
	struct runplan plan;
	struct store *store;      /* of ws, while it runs */
	int front;                /* wire */
	struct halt halt;
	int lock;                 /* run file */
	struct sandbox *sandbox;
	enum tier begun;          /* the kind it was begun as */
	struct backlog *backlog;
	struct tape *tape;
	struct writer writer;
	bool started;             /* the program was let go */
	bool captured;            /* sandbox_run did its work */
	struct err capture_err;
	struct sandbox_result result;
	struct taped out, err;
	struct inputs inputs;
	struct artifacts artifacts;
	struct attempt_end end;
	struct end_with with;
	struct strv texts;        /* that end and with point at */
};

/* The text, which lives as long as r from now on. */
const char *runner_keep(struct runner *r, char *text);
/* What it meant, once nothing of it runs: keeps its files, fills `end` and `with` but for the verdict. */
void runner_judge(struct runner *r);
/* Puts those of its contents into the record that are not there any more. */
bool runner_keep_again(struct runner *r, struct err *e);
/* The end says of them that they are lost, and becomes a fault. */
void runner_give_up_lost(struct runner *r, const char *why);

#endif
