/*
 * cli: the commands. Everything that may be asked of tickmark without its screen; help, man page
 * and shell completions come out of the same table as the dispatch.
 */
#ifndef TICKMARK_CLI_H
#define TICKMARK_CLI_H

#include <stdbool.h>
#include <stdio.h>

struct err;

/* How the screen is to be opened, when the command line names no command (ui.h says what they mean). */
struct cli_screen {
	const char *path;   /* folder or record file; NULL: the current folder */
	const char *script; /* --script FILE */
	const char *dump;   /* --dump KIND */
	const char *theme;  /* --theme NAME */
	int cols, rows;     /* --size COLSxROWS */
	bool plain;         /* --plain: no screen, but numbered questions */
};

/* Other front ends, which belong to the one who knows them all. The first two return the exit status. */
struct cli_fronts {
	int (*screen)(const struct cli_screen *screen);
	int (*mcp)(const char *dir); /* NULL: the current folder */
	void (*keys)(FILE *f);       /* the keys of the screen as a table in Markdown */
	/* Whether this can be the value of a setting of the screen's own; of any other: true. */
	bool (*check_setting)(const char *name, const char *value, struct err *e);
};

/* Runs one command line and returns the exit status: 0 done, 1 the thing examined is not good,
 * 2 tickmark could not, 3 usage, 4 undecided. stdout carries the result alone. */
int cli_main(int argc, char **argv, const struct cli_fronts *fronts);

#endif
