/* bytecode: modules of an interpreter's packages that every run has to compile anew. */
#ifndef TICKMARK_MODEL_BYTECODE_H
#define TICKMARK_MODEL_BYTECODE_H

#include "private.h"

struct bytecode {
	int64_t modules;     /* looked at */
	int64_t without;     /* of those */
	const char *folder;  /* the first site folder with such; of the interpreter; NULL */
};
void bytecode_count(const struct interpreter *i, struct bytecode *out);

#endif
