/*
 * Themes: what the roles of canvas.h look like. A theme is lines of `ROLE = LOOK`, where LOOK is
 * words: a colour, `on` a colour, and bold, dim, italic, underline, reverse. Colours are `default`,
 * the eight names black … white, `bright-` before one of them, 0 to 255, or #rrggbb. Besides the
 * roles there are the flags `selected`, `hit`, `current` and `chosen`, which lie over them.
 */
#ifndef TICKMARK_UI_THEME_H
#define TICKMARK_UI_THEME_H

#include "canvas.h"

struct look {
	struct colour fg, bg; /* COLOUR_DEFAULT: the terminal's own */
	uint8_t attrs;        /* enum style_attr */
};

struct theme;
struct theme *theme_default(void);
/* By name from the user's themes, then from those shipped; a name with a slash is a path. */
struct theme *theme_load(const char *name, struct err *e);
struct theme *theme_parse(const char *text, const char *what, struct err *e);
void theme_free(struct theme *t);
/* The names that theme_load would find besides "default", sorted. */
void theme_list(struct strv *out);
/* `colour` false: attributes alone. */
struct look theme_look(const struct theme *t, struct pen pen, bool colour);

#endif
