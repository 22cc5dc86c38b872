/* The plain dialogue, and what it needs of cli.c. */
#ifndef TICKMARK_CLI_PLAIN_H
#define TICKMARK_CLI_PLAIN_H

#include "cli.h"

/* What its commands are about. */
struct plain_place {
	const struct cli_fronts *fronts;
	const char *record; /* a record from elsewhere; NULL: that of the folder */
};

int plain_main(const struct plain_place *place);
/* The answer without its line end; NULL at the end of input and after Ctrl-C. Owned. */
char *plain_ask(const char *prompt);
/* Runs one command line (plain_page.c). */
void plain_run(char **words, const struct plain_place *place);
/* The same by itself: its name first, NULL-terminated; says what is wrong with it. Returns its status. */
int cli_dispatch(char **argv, const struct plain_place *place);

#endif
