/* Questions of a plan that are answered in files of their own, and what those share. */
#ifndef TICKMARK_MODEL_RUNPLAN_PARTS_H
#define TICKMARK_MODEL_RUNPLAN_PARTS_H

#include "runplan.h"

bool runplan_is_check(const struct runplan *p);
bool runplan_is_recorded(const struct runplan *p); /* a check or a rerun */
/* Owned by the plan from here on. */
const char *runplan_keep(struct runplan *p, char *text);
const char *runplan_keep_dup(struct runplan *p, const char *text);

/* runplan_code.c: the bytes that run, under which path, in which current folder. */
bool runplan_code(struct runplan *p, struct err *e);
bool runplan_place(struct runplan *p, struct err *e);
bool runplan_free_name(struct runplan *p, struct err *e);
/* Path of `to` as seen from folder `from`, both relative to the same root; owned. */
char *runplan_relative(const char *from, const char *to);

/* runplan_env.c: variables, and what a check varies. */
bool runplan_variables(struct runplan *p, struct err *e);
bool runplan_vary(struct runplan *p, struct err *e);

#endif
