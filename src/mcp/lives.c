/*
 * Live runs: started when their turn comes, followed by their descriptors, answered at their end, or
 * earlier with "still running" when the client would not wait as long. A run whose answer was given, or
 * cancelled, is followed to its end all the same.
 */
#include "lives.h"
#include "previews.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_PROGRESS_US 500000
#define PROGRESS_US 2000000
#define TICK_US 250000
#define SETTLE_US 3000000 /* how long a runner may take to bring its record into one file */

/* ---- making and freeing ---- */

void live_order_free(struct live_order *o)
{
	buf_free(&o->code);
	free(o->title);
	free(o->purpose);
	free(o->code_name);
	strv_free(&o->calls);
}

static void free_live(struct live *l)
{
	run_free(l->run);
	live_order_free(&l->order);
	origin_free(&l->from);
	free(l->by);
	free(l);
}

static void drop_answer(struct server *sv, struct live *l)
{
	if (!l->asked)
		return;
	reply_none(sv, &l->from);
	l->asked = false;
}

static size_t count(const struct server *sv, enum live_state state)
{
	size_t n = 0;

	for (const struct live *l = sv->lives; l; l = l->next)
		n += l->state == state;
	return n;
}

/* ---- starting ---- */

static bool start(struct server *sv, struct live *l, struct err *e)
{
	const struct live_order *o = &l->order;
	struct run_request req = {
		.code = o->code.data, .code_len = o->code.len, .code_name = o->code_name, .title = o->title, .purpose = o->purpose,
		.retry_of = o->retry_of, .new_step = o->retry_of == 0, .asker = origin_asker(&l->from), .calls = o->calls.v,
	};

	if (o->timeout_ms) {
		req.limits[0].name = "timeout";
		req.limits[0].value = o->timeout_ms;
	}
	/* The record may have gone since the request came. */
	l->run = sv->ws ? run_launch(sv->ws, &req, e) : NULL;
	if (!sv->ws)
		err_set(e, ERR_NOTFOUND, "the record in %s is gone", sv->dir);
	l->state = l->run ? LIVE_RUNS : LIVE_OVER;
	l->started_us = clock_mono_us();
	return l->run != NULL;
}

static void answer_error(struct server *sv, struct live *l, const struct err *e)
{
	struct result r = { 0 };

	if (!l->asked) {
		log_line("run of %s: %s", origin_asker(&l->from).name, e->msg);
		return;
	}
	result_fail(&r, "%s", e->msg);
	result_send(sv, &l->from, &r);
	l->asked = false;
}

/* How many may run at once: asked for each time, so that the person can change it while we serve. */
static size_t at_once(struct server *sv)
{
	int64_t n;

	/* Settings that cannot be read stop a run itself, and say so there. */
	return settings_assistant_runs(sv->ws, &n, NULL) ? (size_t)n : 1;
}

/* "waits for its turn: 2 run, 3 wait before it". Owned. */
static char *queue_place(struct server *sv, const struct live *l)
{
	size_t before = 0;

	for (const struct live *x = sv->lives; x != l; x = x->next)
		before += x->state == LIVE_WAITS;
	return xasprintf("waits for its turn: %zu run, %zu wait before it", count(sv, LIVE_RUNS), before);
}

static void start_waiting(struct server *sv)
{
	size_t most = count(sv, LIVE_WAITS) > 0 ? at_once(sv) : 0;

	for (struct live *l = sv->lives; l && count(sv, LIVE_RUNS) < most; l = l->next) {
		struct err e = { 0 };
		if (l->state == LIVE_WAITS && !start(sv, l, &e))
			answer_error(sv, l, &e);
	}
}

bool lives_add(struct server *sv, const struct origin *from, struct live_order *what, struct err *e)
{
	struct live **end = &sv->lives;

	if (count(sv, LIVE_WAITS) >= MCP_WAITING) {
		live_order_free(what);
		return err_set(e, ERR_BUSY, "%d runs wait already; wait for some of them", MCP_WAITING);
	}
	struct live *l = xcalloc(1, sizeof(*l));
	l->order = *what;
	l->from = origin_dup(from);
	l->asked = true;
	l->created_us = clock_mono_us();
	l->answer_by_us = l->created_us + what->answer_us;
	while (*end)
		end = &(*end)->next;
	*end = l;
	start_waiting(sv);
	return true;
}

/* ---- answering ---- */

static void add_front(struct result *r, const struct server *sv, const struct live *l)
{
	if (!l->order.made)
		return;
	char *dir = clean_name(sv->dir);
	result_add(r, "note: there was no record yet; one was made in %s/.tickmark\n", dir);
	free(dir);
}

#define QUEUED_US 300000 /* less is not worth a word */

static void add_queued(struct result *r, const struct live *l)
{
	char text[UNIT_TEXT];

	if (l->started_us - l->created_us < QUEUED_US)
		return;
	duration_format(l->started_us - l->created_us, text);
	result_add(r, "note: it waited %s for its turn\n", text);
}

static void answer(struct server *sv, struct live *l)
{
	struct result r = { 0 };
	struct err e = { 0 };

	if (!l->asked)
		return;
	struct query *q = place_query(sv, &e);
	bool ok = q && report_attempt(&r, q, l->attempt, l->run ? run_remarks(l->run) : NULL,
	                              REPORT_STREAMS | REPORT_IMAGES | REPORT_LINKS, &e);
	query_close(q);
	if (ok) {
		add_front(&r, sv, l);
		add_queued(&r, l);
	} else {
		result_fail(&r, "%s", e.msg);
	}
	result_send(sv, &l->from, &r);
	l->asked = false;
}

/* ---- following ---- */

static void finish(struct live *l)
{
	l->state = LIVE_ENDED;
	l->settle_by_us = clock_mono_us() + SETTLE_US;
}

/* The answer goes out when its images are there, or nobody wants it any more. */
static void draw(struct server *sv, struct live *l)
{
	bool ready = !l->asked || clock_mono_us() > l->draw_by_us;
	struct query *q = ready ? NULL : place_query(sv, NULL);

	ready = !q || previews_ready(sv, q, l->attempt);
	query_close(q);
	if (!ready)
		return;
	answer(sv, l);
	finish(l);
}

static void vanished(struct server *sv, struct live *l)
{
	int64_t n;

	(void)run_reap(sv->ws, &n, NULL);
	answer(sv, l);
	finish(l);
}

static void take_event(struct server *sv, struct live *l, const struct run_event *ev)
{
	switch (ev->kind) {
	case RUN_QUEUED:
		l->attempt = ev->attempt;
		break;
	case RUN_BYTES:
		l->bytes += (int64_t)ev->len;
		break;
	case RUN_ENDED:
		l->state = LIVE_DRAWS;
		l->draw_by_us = previews_until(l->answer_by_us);
		draw(sv, l);
		break;
	case RUN_GONE:
		vanished(sv, l);
		break;
	}
}

#define EVENTS_AT_ONCE 256 /* of one run, before others and stdin have their turn */

static bool follow(struct server *sv, struct live *l)
{
	struct run_event ev;
	struct err e = { 0 };
	int got = 1;

	for (int i = 0; i < EVENTS_AT_ONCE && l->state == LIVE_RUNS; i++) {
		got = run_next(l->run, &ev, 0, &e);
		if (got <= 0)
			break;
		take_event(sv, l, &ev);
	}
	if (got < 0) {
		answer_error(sv, l, &e);
		l->state = LIVE_OVER;
	}
	return got > 0 && l->state == LIVE_RUNS;
}

/* Its wire is closed when all is in one file. */
static void settle(struct live *l)
{
	struct pollfd p = { .fd = run_fd(l->run), .events = POLLRDHUP };

	if (poll(&p, 1, 0) != 0 || clock_mono_us() > l->settle_by_us)
		l->state = LIVE_OVER;
}

static void tell_progress(struct server *sv, struct live *l)
{
	int64_t now = clock_mono_us(), since = l->from.progress_us ? l->from.progress_us : l->created_us;
	char size[UNIT_TEXT], *text;

	if (!l->asked || now - since < (l->from.progress_us ? PROGRESS_US : FIRST_PROGRESS_US))
		return;
	size_format(l->bytes, size);
	if (l->state == LIVE_WAITS)
		text = queue_place(sv, l);
	else if (l->state == LIVE_DRAWS)
		text = xstrdup("ended; its images are made smaller");
	else
		text = xasprintf("%s, %lld s, %s bytes of output", l->attempt ? "running" : "starting",
		                 (long long)(now - l->started_us) / 1000000, size);
	reply_progress(sv, &l->from, text);
	free(text);
}

static void answer_queued(struct server *sv, struct live *l)
{
	struct result r = { 0 };
	char *place = queue_place(sv, l);

	result_add(&r, "not started yet: it %s. It starts by itself then, unless your program has gone, and list_attempts shows it. %zu runs of "
	           "yours go on at once here; the person can change that: tickmark config assistant-runs N\n", place, at_once(sv));
	result_send(sv, &l->from, &r);
	l->asked = false;
	free(place);
}

/* The client would give up: it gets what there is, and where to ask for the rest. */
static void answer_early(struct server *sv, struct live *l)
{
	if (!l->asked || clock_mono_us() <= l->answer_by_us)
		return;
	if (l->state == LIVE_RUNS && l->attempt)
		answer(sv, l);
	else if (l->state == LIVE_WAITS)
		answer_queued(sv, l);
}

static void sweep(struct server *sv)
{
	for (struct live **at = &sv->lives; *at;) {
		struct live *l = *at;
		if (l->state != LIVE_OVER) {
			at = &l->next;
			continue;
		}
		*at = l->next;
		drop_answer(sv, l);
		free_live(l);
	}
}

int64_t lives_step(struct server *sv)
{
	bool more = false;

	for (struct live *l = sv->lives; l; l = l->next) {
		if (l->state == LIVE_RUNS)
			more |= follow(sv, l);
		if (l->state <= LIVE_DRAWS) {
			tell_progress(sv, l);
			answer_early(sv, l);
		}
		if (l->state == LIVE_DRAWS)
			draw(sv, l);
		if (l->state == LIVE_ENDED)
			settle(l);
	}
	sweep(sv);
	start_waiting(sv);
	sweep(sv);
	return more ? 0 : sv->lives ? TICK_US : -1;
}

size_t lives_fill(struct server *sv, struct pollfd *fds, size_t max)
{
	size_t n = 0;

	for (struct live *l = sv->lives; l && n < max; l = l->next)
		if (l->state == LIVE_RUNS || l->state == LIVE_ENDED)
			fds[n++] = (struct pollfd){ .fd = run_fd(l->run), .events = l->state == LIVE_RUNS ? POLLIN : POLLRDHUP };
	return n;
}

/* ---- stopping ---- */

static void stop(struct live *l, const char *by)
{
	if (l->state == LIVE_WAITS)
		l->state = LIVE_OVER;
	else if (l->state == LIVE_RUNS && !l->by)
		run_stop(l->run, l->by = xstrdup(by));
}

bool lives_cancel(struct server *sv, const struct rpc_id *id)
{
	for (struct live *l = sv->lives; l; l = l->next) {
		if (!l->asked || !rpc_id_equal(&l->from.id, id))
			continue;
		char *by = xasprintf("client %s (cancelled)", origin_asker(&l->from).name);
		drop_answer(sv, l);
		stop(l, by);
		free(by);
		sweep(sv);
		start_waiting(sv);
		return true;
	}
	return false;
}

void lives_stop_by_attempt(struct server *sv, int64_t attempt, const char *by, bool *found)
{
	*found = false;
	for (struct live *l = sv->lives; l; l = l->next) {
		if (l->attempt != attempt || l->state != LIVE_RUNS)
			continue;
		stop(l, by);
		*found = true;
	}
}

const struct live *lives_by_call(const struct server *sv, const char *call)
{
	for (const struct live *l = sv->lives; l; l = l->next)
		if (l->state != LIVE_OVER && strv_has(&l->order.calls, call))
			return l;
	return NULL;
}

bool lives_busy(const struct server *sv)
{
	for (const struct live *l = sv->lives; l; l = l->next)
		if (l->asked && l->state != LIVE_OVER)
			return true;
	return false;
}

/* The server ends: those that run go on, and learn that nobody is there any more. */
void lives_free(struct server *sv)
{
	while (sv->lives) {
		struct live *l = sv->lives;
		sv->lives = l->next;
		free_live(l);
	}
}
