/*
 * model/legend: the abbreviations that reviewers use in notes, as auditors use tick marks: F footed, S agreed to
 * source, R recomputed, and what the settings add (`legend.X = words`, of the workspace before the user's; empty
 * words take one away).
 */
#ifndef TICKMARK_MODEL_LEGEND_H
#define TICKMARK_MODEL_LEGEND_H

#include "model.h"

#define LEGEND_MOST 24 /* more are not read */
#define LEGEND_SIGN 16 /* bytes of an abbreviation */

struct legend_sign {
	char sign[LEGEND_SIGN];
	char *meaning; /* owned */
};
struct legend {
	struct legend_sign v[LEGEND_MOST];
	size_t n;
};

/* ws NULL: the user's alone. What cannot be read leaves what could be, and *e says why. */
bool legend_load(struct workspace *ws, struct legend *out, struct err *e);
void legend_free(struct legend *l);
/* The abbreviation at the end of a text, as a word of its own; NULL: there is none. *at: where it begins. */
const struct legend_sign *legend_at_end(const struct legend *l, const char *text, size_t *at);
/* "F footed · S agreed to source". */
void legend_text(const struct legend *l, struct buf *out);
/* Whether a setting of this name is one of the legend, and its value is fit for it. */
bool legend_is_setting(const char *name);
bool legend_check(const char *name, const char *meaning, struct err *e);

#endif
