/*
 * What a file is to the programs outside the sandbox that would open it. Desktops choose by the name, and the name is
 * of the run's choosing: so it has to agree with the first bytes, and be one of those that only show something.
 */
#ifndef TICKMARK_UI_OUTSIDE_H
#define TICKMARK_UI_OUTSIDE_H

#include "base.h"

struct outside {
	const char *type;   /* by its first bytes: "PDF document" */
	const char *ending; /* that the copy's name gets, because its own is of another kind: ".txt"; "" */
};
/* False: it is not opened, e says why. `head` are its first bytes, OUTSIDE_HEAD where it has as many. */
#define OUTSIDE_HEAD ((size_t)512)
bool outside_judge(const char *name, const char *head, size_t n, struct outside *out, struct err *e);

#endif
