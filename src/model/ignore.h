/*
 * The rules of one .gitignore or .tickmarkignore, by the syntax and meaning of gitignore(5). Pure:
 * bytes in, decisions out. That a file below an ignored folder cannot be taken back in by a `!`
 * rule is up to the caller, who does not descend there.
 */
#ifndef TICKMARK_MODEL_IGNORE_H
#define TICKMARK_MODEL_IGNORE_H

#include "base.h"

struct ignore;

enum ignore_answer { IGNORE_SILENT, IGNORE_YES, IGNORE_NO }; /* no rule fits; left out; taken in by `!` */

struct ignore_rule {
	size_t line;      /* in its file, from 1 */
	const char *text; /* as written, without trailing blanks; lives with the rules */
};

/* Any bytes are some rules: what cannot be a pattern never matches, as in git. */
struct ignore *ignore_parse(const void *p, size_t n);
void ignore_free(struct ignore *g); /* NULL is fine */
bool ignore_is_empty(const struct ignore *g);
/* What the last rule that fits says of `path`, which is relative to the folder of the file with the
 * rules. `rule` (may be NULL) is that rule. Work is bounded by length of rule times length of path. */
enum ignore_answer ignore_match(const struct ignore *g, const char *path, bool is_folder, struct ignore_rule *rule);

#endif
