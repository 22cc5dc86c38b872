/* A live run; for lives.c and those who look at one. */
#ifndef TICKMARK_MCP_LIVES_H
#define TICKMARK_MCP_LIVES_H

#include "server.h"

enum live_state {
	LIVE_WAITS, /* for its turn */
	LIVE_RUNS,
	LIVE_DRAWS, /* it ended; its images are made small enough for the answer */
	LIVE_ENDED, /* its runner brings the record into one file */
	LIVE_OVER,  /* to be freed */
};

struct live {
	struct live *next;
	enum live_state state;
	struct live_order order;
	struct run *run;        /* NULL while it waits */
	int64_t attempt;        /* 0: not in the record yet */
	struct origin from;
	bool asked;             /* somebody awaits the answer */
	int64_t answer_by_us;   /* monotonic times */
	int64_t created_us, started_us, draw_by_us, settle_by_us;
	int64_t bytes;          /* of both streams */
	char *by;               /* who stopped it; NULL */
};

#endif
