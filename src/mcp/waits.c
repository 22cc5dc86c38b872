/* wait_attempt: asks the record now and then, for attempts of whoever runs them. */
#include "server.h"

#include <stdlib.h>

#define LOOK_US 200000
#define PROGRESS_US 2000000

struct wait {
	struct wait *next;
	struct origin from;
	int64_t attempt;
	int64_t until_us;
};

void waits_add(struct server *sv, const struct origin *from, int64_t attempt, int64_t until_us)
{
	struct wait *w = xcalloc(1, sizeof(*w));

	*w = (struct wait){ .next = sv->waits, .from = origin_dup(from), .attempt = attempt, .until_us = until_us };
	sv->waits = w;
}

static void free_wait(struct wait *w)
{
	origin_free(&w->from);
	free(w);
}

/* True when it was answered. */
static bool look(struct server *sv, struct query *q, struct wait *w)
{
	struct result r = { 0 };
	struct err e = { 0 };
	struct detail d;

	if (query_detail(q, w->attempt, &d, &e)) {
		bool ended = outcome_is_end(d.state);
		query_detail_free(&d);
		if (!ended && clock_mono_us() < w->until_us) {
			if (clock_mono_us() - w->from.progress_us >= PROGRESS_US)
				reply_progress(sv, &w->from, "still running");
			return false;
		}
		if (report_attempt(&r, q, w->attempt, NULL, REPORT_STREAMS | REPORT_IMAGES | REPORT_LINKS, &e))
			e.code = ERR_NONE;
	}
	if (e.code != ERR_NONE)
		result_fail(&r, "%s", e.msg);
	result_send(sv, &w->from, &r);
	return true;
}

int64_t waits_step(struct server *sv)
{
	struct err e = { 0 };

	if (!sv->waits)
		return -1;
	struct query *q = place_query(sv, &e);
	for (struct wait **at = &sv->waits; *at && q;) {
		struct wait *w = *at;
		if (!look(sv, q, w)) {
			at = &w->next;
			continue;
		}
		*at = w->next;
		free_wait(w);
	}
	query_close(q);
	return sv->waits ? LOOK_US : -1;
}

bool waits_cancel(struct server *sv, const struct rpc_id *id)
{
	for (struct wait **at = &sv->waits; *at; at = &(*at)->next) {
		struct wait *w = *at;
		if (!rpc_id_equal(&w->from.id, id))
			continue;
		*at = w->next;
		reply_none(sv, &w->from);
		free_wait(w);
		return true;
	}
	return false;
}

void waits_free(struct server *sv)
{
	while (sv->waits) {
		struct wait *w = sv->waits;
		sv->waits = w->next;
		free_wait(w);
	}
}
