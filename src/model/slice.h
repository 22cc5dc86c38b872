/*
 * slice: many short readings in one read transaction, as to begin one costs as much as a reading. It is begun anew
 * before it lasts longer than what others can wait for (store_hold).
 */
#ifndef TICKMARK_MODEL_SLICE_H
#define TICKMARK_MODEL_SLICE_H

#include "store.h"

struct slice {
	struct store *st; /* whose readings these are; the rest begins as 0 */
	bool held;
	int64_t since_us;
};

void slice_turn(struct slice *s); /* between two readings: begins it, or begins anew where it lasts for long */
void slice_end(struct slice *s);  /* before what takes long; harmless a second time */

#endif
