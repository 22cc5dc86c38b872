/* Short readings share a read transaction. */
#include "slice.h"

#define SLICE_US 50000

void slice_turn(struct slice *s)
{
	int64_t now = clock_mono_us();

	if (s->held && now - s->since_us < SLICE_US)
		return;
	slice_end(s);
	s->held = store_hold(s->st);
	s->since_us = now;
}

void slice_end(struct slice *s)
{
	if (s->held)
		store_release(s->st, true);
	s->held = false;
}
