/*
 * outcome: how an attempt ended, by the table of the design (section 1), first match wins, with one
 * line for people that says what the outcome word does not.
 */
#ifndef TICKMARK_MODEL_OUTCOME_H
#define TICKMARK_MODEL_OUTCOME_H

#include "model.h"
#include "sandbox.h"
#include "text.h"

struct outcome_facts {
	const struct sandbox_result *result;
	const struct limits *limits;
	const char *stopped_by;               /* by whom it was ended; NULL */
	const char *fault;                    /* what failed on our side; NULL */
	const struct limit_info *left_out;    /* a limit for which something produced was not kept; NULL */
	int64_t left_out_reached;
	const char *left_out_what;            /* "3 files not kept, first x/y.csv" */
	const struct trace *trace;            /* last exception on stderr */
	struct span last_line;                /* last line of stderr that is not empty */
	const struct environment *env;
	const char *module_elsewhere;         /* where the user's own Python finds the module that was not found; NULL */
	bool module_is_ours;                  /* the module that was not found has a file in the workspace */
	int64_t figures_lost;
	const char *remark;                   /* something to add, whatever the outcome; NULL */
};

/* Fills outcome, exit_code, signal, limit and stopped_by of `end`; adds its detail to `detail`. */
void outcome_decide(const struct outcome_facts *f, struct attempt_end *end, struct buf *detail);
/* "memory 1.0G reached (1.2G): tickmark run --memory 2G, or tickmark config memory 2G" */
void outcome_limit_text(struct buf *out, const struct limit_info *limit, int64_t value, int64_t reached);
/* "SIGSEGV (segmentation fault)" */
void outcome_signal_text(struct buf *out, int sig);

#endif
