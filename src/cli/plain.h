/* The plain dialogue, and what it needs of cli.c. */
#ifndef TICKMARK_CLI_PLAIN_H
#define TICKMARK_CLI_PLAIN_H

#include "cli.h"

int plain_main(const struct cli_fronts *fronts);
/* Runs one command line: its name first, NULL-terminated; says what is wrong with it. Returns its status. */
int cli_dispatch(char **argv, const struct cli_fronts *fronts);

#endif
