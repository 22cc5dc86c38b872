/*
 * What the files of the report share: report.c collects, report_FORM.c write. All recorded text goes
 * through the escaping of its form; nothing is loaded from elsewhere.
 */
#ifndef TICKMARK_CLI_REPORT_H
#define TICKMARK_CLI_REPORT_H

#include "cmd.h"
#include "model/review.h"

/* An attempt in the report. Strings are owned. */
struct report_row {
	int64_t attempt, step, number;
	char ref[REF_TEXT];
	char *title, *purpose, *asker, *outcome, *detail;
	char *verdict;       /* of its last check; "" */
	const char *mark;    /* "accepted", "none" */
	bool stale, own_work, is_signed;
	char *note, *reviewer;
	int64_t queued_us, marked_us;
	char *notes;         /* one line each, with place and name */
	char *inputs;        /* one line each, with hash */
	char *code, *out, *err; /* when asked for; NULL */
};

struct report {
	struct record_identity record;
	char *workspace;     /* folder */
	char *made_by;       /* name of the person */
	int64_t made_us;
	char *scope;         /* "all 12 steps, each as its last attempt" */
	char *legend;        /* of the abbreviations in notes; "" where there are no notes */
	char *opinion;       /* "accepted by …", "none was given" */
	int64_t accepted, questioned, rejected, open; /* of the rows */
	struct report_row *rows;
	size_t n, cap;
	bool code, out, err;
};

bool report_collect(struct cmd *c, struct report *r, struct err *e);
void report_free(struct report *r);

/* What stands at its head, in order, each by `fact` in the form of the report. */
void report_facts(const struct report *r, void (*fact)(struct buf *out, const char *name, const char *value), struct buf *out);
void report_html(const struct report *r, struct buf *out);
void report_md(const struct report *r, struct buf *out);
void report_csv(const struct report *r, struct buf *out);

#endif
