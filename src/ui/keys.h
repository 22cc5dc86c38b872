/*
 * The one table of commands: what can be done, under which name, on which keys, where, and what the
 * help says. Dispatch, help, the command line, completion and rebinding all read it.
 */
#ifndef TICKMARK_UI_KEYS_H
#define TICKMARK_UI_KEYS_H

#include "keydec.h"

/* Where a key is pressed: the columns of the table. */
enum place { PLACE_LIST, PLACE_PAGER, PLACE_DIFF, PLACE_COUNT };

enum command {
	CMD_NONE,
	CMD_DOWN, CMD_UP, CMD_PAGE_DOWN, CMD_PAGE_UP, CMD_HALF_DOWN, CMD_HALF_UP, CMD_FIRST, CMD_LAST,
	CMD_OPEN, CMD_LINK, CMD_OPEN_PLACE, CMD_DOSSIER, CMD_UNFOLD, CMD_FOLD, CMD_SIDE_RIGHT, CMD_SIDE_LEFT,
	CMD_UNFOLD_ALL, CMD_FOLD_ALL,
	CMD_BACK, CMD_ESCAPE, CMD_QUIT, CMD_CANCEL, CMD_REDRAW, CMD_SUSPEND,
	CMD_NEXT_PANE, CMD_PREV_PANE, CMD_NEXT_LOOK, CMD_PREV_LOOK, CMD_NEXT_LAYOUT, CMD_PREV_LAYOUT,
	CMD_WORKSPACE, CMD_EXECUTION, CMD_ARTIFACTS, CMD_MESSAGES, CMD_QUEUE, CMD_SESSIONS, CMD_NOTICES,
	CMD_MAXIMISE, CMD_HELP, CMD_COMMAND_LINE,
	CMD_SEARCH, CMD_SEARCH_NEXT, CMD_SEARCH_PREV, CMD_SEARCH_RECORD, CMD_FILTER, CMD_FILTER_LINES,
	CMD_NEXT_STEP, CMD_PREV_STEP, CMD_NEXT_SECTION, CMD_PREV_SECTION, CMD_NEXT_HUNK, CMD_PREV_HUNK,
	CMD_NEXT_FAILED, CMD_PREV_FAILED, CMD_NEXT_ATTEMPT, CMD_PREV_ATTEMPT, CMD_NEXT_FILE, CMD_PREV_FILE,
	CMD_NEXT_REVIEW, CMD_PREV_REVIEW,
	CMD_MARK, CMD_NOTE, CMD_SELECT, CMD_COPY, CMD_SAVE, CMD_OUTSIDE, CMD_CITE, CMD_TRACE,
	CMD_REPEAT, CMD_RERUN, CMD_EDIT, CMD_ADD, CMD_ASK, CMD_TELL, CMD_PYTHON, CMD_STOP,
	CMD_DIFF, CMD_DIFF_PICK, CMD_CORRECTIONS, CMD_SWAP,
	CMD_WRAP, CMD_CONTEXT, CMD_LESS_CONTEXT, CMD_SPACE, CMD_NUMBERS, CMD_TIMES, CMD_FOLLOW, CMD_MOUSE,
	CMD_BRANCH, CMD_REWIND,
	CMD_GOTO, CMD_THEME, CMD_SET, CMD_EXCLUDED, CMD_REPORT,
	CMD_SORT, CMD_STATISTICS, CMD_HEADER, CMD_ENCODING,
	CMD_COUNT,
};

enum command_flag {
	COMMAND_LATER = 1,  /* its view comes with a later version: said in the help, does nothing */
	COMMAND_ARG = 2,    /* takes an argument on the command line */
	COMMAND_WRITES = 4, /* starts or changes something: refused in evidence */
	COMMAND_ACTS = 8,   /* starts or stops a run: not on a screen too small to see on what */
	COMMAND_REVIEWS = 16, /* with COMMAND_WRITES: goes into the review file of evidence */
};

struct command_info {
	enum command id;
	const char *name;               /* as `:` and key.NAME know it */
	const char *keys[PLACE_COUNT];  /* names separated by blanks; NULL: not there */
	const char *help;               /* one line, as the help prints it */
	unsigned flags;                 /* enum command_flag */
};

extern const struct command_info command_table[]; /* in the order of the help */
extern const size_t command_table_len;
const struct command_info *command_info(enum command id);
const struct command_info *command_find(const char *name, size_t len); /* NULL: no such command */
const char *place_word(enum place p);

/* The keys in force: the table's, changed by the user's `key.NAME = KEY KEY` lines. */
struct keymap;
struct keymap *keymap_new(void);
void keymap_free(struct keymap *m);
/* Binds exactly these keys to a command, wherever it has keys; whatever else had them there loses
 * them. An empty text takes its keys away. ERR_INPUT for an unknown command or key. */
bool keymap_bind(struct keymap *m, const char *command, const char *keys, struct err *e);
enum command keymap_find(const struct keymap *m, enum place p, uint32_t key);
/* The first key of a command in a place into out, "" for none. */
void keymap_key(const struct keymap *m, enum place p, enum command id, char out[KEY_TEXT]);
/* All of them, "j Down". */
void keymap_keys(const struct keymap *m, enum place p, enum command id, struct buf *out);

#endif
