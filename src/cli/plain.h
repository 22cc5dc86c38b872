/* The plain dialogue, and what it needs of cli.c. */
#ifndef TICKMARK_CLI_PLAIN_H
#define TICKMARK_CLI_PLAIN_H

int plain_main(void);
/* Runs one command line: its name first, NULL-terminated; says what is wrong with it. Returns its status. */
int cli_dispatch(char **argv);

#endif
