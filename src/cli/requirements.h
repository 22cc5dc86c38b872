/* The packages that an attempt could import, for pip on another machine. */
#ifndef TICKMARK_CLI_REQUIREMENTS_H
#define TICKMARK_CLI_REQUIREMENTS_H

#include "cmd.h"

/* Hands a requirements.txt to fn: comments on the interpreter, then "name==version" lines. What is no name or
 * version by PEP 508 and PEP 440 stands there as a comment, since pip takes options from such files. */
bool requirements_write(const struct detail *d, bytes_fn fn, void *ctx, struct err *e);

#endif
