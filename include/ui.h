/*
 * ui: the screen. Opens the workspace at a folder, or a record file as evidence, and lets people
 * read, watch and run again by keyboard. The same views run without a terminal from a key script.
 */
#ifndef TICKMARK_UI_H
#define TICKMARK_UI_H

#include "base.h"

struct ui_options {
	const char *script; /* key script ("-": stdin); then no terminal is used. NULL */
	int cols, rows;     /* size of the screen of a script; 0: 80x24 */
	const char *dump;   /* what the end of a script prints: "text", "style", "both", "none"; NULL: text */
	const char *theme;  /* name or path of a theme; NULL: setting `theme` of the user, or the default */
};

/* Where a key script is played, what came back from the last visit (rows unfolded, cursor, filter) does so only
 * with TICKMARK_SCREEN_STATE in the environment. */
/* Runs the screen until it is quit; returns the exit status: 0, or 2 with one line on stderr when it
 * could not. `path` is a folder (NULL: the current one) or a record file.
 *
 * A key script is lines:
 *   key NAME...     keys as the help spells them: key j Down Ctrl-D Enter
 *   text TEXT       each character as a key
 *   paste TEXT      a bracketed paste; \n, \r, \t, \e and \\ are escapes
 *   mouse press|release|wheel-up|wheel-down X Y
 *   wait-idle       until nothing runs, no worker is busy and the record is quiet (60 s at most)
 *   wait TEXT       until TEXT stands on the screen (60 s at most; then the script fails, status 1)
 *   see TEXT        fails unless TEXT stands on the screen
 *   unsee TEXT      fails if TEXT stands on the screen
 *   resize COLSxROWS
 *   dump [text|style|both]
 * Empty lines and those that begin with # are passed over. */
int ui_main(const char *path, const struct ui_options *options);

/* Whether `value` can be that of a setting of the screen's own (theme, mouse, key.NAME); true for all others. */
bool ui_check_setting(const char *name, const char *value, struct err *e);

/* The keys as they are unless somebody binds them otherwise, as a table in Markdown. */
void ui_keys_table(FILE *f);

#endif
