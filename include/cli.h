/*
 * cli: the commands. Everything that may be asked of tickmark without its screen; help, man page
 * and shell completions come out of the same table as the dispatch.
 */
#ifndef TICKMARK_CLI_H
#define TICKMARK_CLI_H

/* Runs one command line and returns the exit status: 0 done, 1 the thing examined is not good,
 * 2 tickmark could not, 3 usage, 4 undecided. stdout carries the result alone. */
int cli_main(int argc, char **argv);

#endif
