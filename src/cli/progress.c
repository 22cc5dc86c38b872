/* How far long work is, on the terminal. */
#include "cmd.h"

#include <string.h>

#define PATIENCE_US 500000 /* what is done in a moment needs none */

struct progress progress_begin(const char *what)
{
	return (struct progress){ .what = what, .on = console_is_tty(stderr), .from_us = clock_mono_us(), .shown = -1 };
}

void progress_show(struct progress *p, int64_t done, int64_t total)
{
	int64_t percent = total > 0 ? done * 100 / total : 100;

	if (!p->on || percent == p->shown || clock_mono_us() - p->from_us <= PATIENCE_US)
		return;
	p->shown = percent;
	fprintf(stderr, "\r%s %3lld%%", p->what, (long long)percent);
	fflush(stderr);
}

void progress_end(struct progress *p)
{
	if (p->shown >= 0)
		fprintf(stderr, "\r%*s\r", (int)strlen(p->what) + 5, "");
	fflush(stderr);
}
