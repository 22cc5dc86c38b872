/* The system call filter: loading it, and the numbers of the calls whose refusal is recorded. */
#ifndef TICKMARK_SANDBOX_FILTER_H
#define TICKMARK_SANDBOX_FILTER_H

#include "base.h"

/* A call that the filter hands to the launcher. */
struct filter_call {
	int nr;           /* system call number on this architecture */
	int rule;         /* index into rules[] */
	const char *name;
};

/* Of runs with namespaces, and (open) of those without: rules.h. */
extern const struct filter_call filter_calls[], filter_calls_open[];
extern const size_t filter_calls_n, filter_calls_open_n;

/* Loads the filter into this process, with mappings longer than longest_map refused (0: any may be
 * tried); `open`: the one of runs without namespaces. Needs no_new_privs. Returns the descriptor of its notifications, close-on-exec, or -1
 * with errno. Allocates nothing. */
int filter_load(bool open, uint64_t longest_map);

#endif
