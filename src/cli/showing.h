/* The sections of an attempt's page, for show. */
#ifndef TICKMARK_CLI_SHOWING_H
#define TICKMARK_CLI_SHOWING_H

#include "cmd.h"

struct showing {
	struct cmd *c;
	struct query *q;
	const struct detail *d;
	bool titles; /* more than one section */
	bool numbers; /* in front of the lines of code and streams */
};

bool showing_head(struct showing *s, struct err *e);
bool showing_purpose(struct showing *s, struct err *e);
bool showing_code(struct showing *s, struct err *e);
bool showing_stdout(struct showing *s, struct err *e);
bool showing_stderr(struct showing *s, struct err *e);
bool showing_inputs(struct showing *s, struct err *e);
bool showing_offered(struct showing *s, struct err *e);
bool showing_artifacts(struct showing *s, struct err *e);
bool showing_refusals(struct showing *s, struct err *e);
bool showing_review(struct showing *s, struct err *e);
bool showing_environment(struct showing *s, struct err *e);
bool showing_policy(struct showing *s, struct err *e);
bool showing_resources(struct showing *s, struct err *e);

#endif
