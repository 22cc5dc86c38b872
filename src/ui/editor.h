/* The user's editor on a draft, and every way in which that can end. */
#ifndef TICKMARK_UI_EDITOR_H
#define TICKMARK_UI_EDITOR_H

#include "screen.h"

enum edit_result {
	EDIT_CHANGED,   /* the draft differs from what it began with */
	EDIT_UNCHANGED, /* it does not; said */
	EDIT_FAILED,    /* the editor could not be started, or failed; said */
};
/* A line for sh by $VISUAL, $EDITOR, sensible-editor, nano, vi; owned. NULL: none is there. */
char *editor_choose(void);
/* Whether something was left there: more than blanks and line ends. */
bool editor_has_draft(const char *path);
/* Lets the user edit the file, which must exist; `began` is what counts as unchanged. */
enum edit_result editor_run(struct ui *ui, const char *path, const struct buf *began);

#endif
