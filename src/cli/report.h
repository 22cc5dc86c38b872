/*
 * What the files of the report share: report.c collects, report_steps.c knows what else there is of a step,
 * report_write.c writes, report_FORM.c are its forms. All recorded text goes through the escaping of its form; nothing
 * is loaded from elsewhere.
 */
#ifndef TICKMARK_CLI_REPORT_H
#define TICKMARK_CLI_REPORT_H

#include "cmd.h"
#include "model/review.h"

/* An attempt in the report. Strings are owned, "" where there is nothing to say. */
struct report_row {
	int64_t attempt, step, number;
	char ref[REF_TEXT];
	char *title, *purpose, *asker, *outcome, *detail;
	char *ran;           /* "2026-11-30 20:10:57, 0.13s, CPython 3.11.2, sandbox A" */
	char *verdict;       /* of its last check */
	const char *mark;    /* "accepted", "none" */
	bool stale, own_work, is_signed;
	char *note, *reviewer;
	int64_t queued_us, marked_us;
	char *notes;         /* one line each, with place and name */
	char *inputs;        /* one line each, with hash */
	char *files;         /* that it left; the same */
	char *earlier;       /* attempts of the step before it, and what was said of them; one line each */
	char *later;         /* what it is not the last attempt of */
	int64_t out_bytes, err_bytes; /* that it wrote */
};

/* What was asked for of an attempt's texts; NULL: was not. Owned. */
struct report_texts {
	char *code, *out, *err;
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
	bool every;          /* each attempt has a row */
	bool code, out, err; /* texts that were asked for */
};

/* A form: what stands in front, one row for each attempt, then, where it has parts, one of those for each. Texts go
 * into the parts, or else the rows. */
struct report_form {
	const char *name;
	void (*begin)(const struct report *r, struct buf *out);
	void (*row)(const struct report *r, const struct report_row *row, const struct report_texts *t, struct buf *out);
	void (*part)(const struct report *r, const struct report_row *row, const struct report_texts *t, struct buf *out); /* NULL */
	void (*between)(struct buf *out); /* rows and parts */
	void (*end)(struct buf *out);
};
extern const struct report_form report_md, report_html, report_csv;

bool report_collect(struct cmd *c, struct report *r, struct err *e);
void report_free(struct report *r);
/* Texts are read as they are written: a report holds no more of them than one attempt's. Those that are not as they
 * were recorded are not shown, which is said in their place and counted in *unreadable. */
bool report_write(struct cmd *c, const struct report *r, const struct report_form *form, int fd, int64_t *unreadable,
                  struct err *e);

/* What stands at its head, in order, each by `fact` in the form of the report. */
void report_facts(const struct report *r, void (*fact)(struct buf *out, const char *name, const char *value), struct buf *out);
/* What is said of one attempt, its texts aside; an empty value is nothing to say. */
void report_row_facts(const struct report_row *row, void (*fact)(struct buf *out, const char *name, const char *value), struct buf *out);
/* "rejected, STALE, own work" */
void report_mark_text(const struct report_row *row, struct buf *out);
/* Notes as the report shows them, one line each. */
void report_notes_text(const struct detail *d, struct buf *out);

/* ---- what else there is of the steps (report_steps.c) ---- */

struct report_steps;
/* Of one step, 0: of all; added to what is known already. */
bool report_steps_load(struct cmd *c, struct report_steps **s, int64_t step, struct err *e);
void report_steps_free(struct report_steps *s);
/* "same (7.2r1)", that of the last check; "" without one. Owned. */
char *report_steps_verdict(const struct report_steps *s, int64_t step, int64_t number);
/* Attempts before `number`: each that has a mark or a note, the newest others, and how many there are. Owned. */
char *report_steps_earlier(struct cmd *c, const struct report_steps *s, int64_t step, int64_t number, struct err *e);

#endif
