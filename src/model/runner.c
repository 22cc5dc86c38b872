/*
 * One attempt from its plan to its end.
 *
 * sandbox cloned (it makes its namespaces while …); plan; sandbox told (it builds its world while …);
 * run file and lock; attempt committed as queued; program let go; one thread captures, this one writes;
 * inputs, artifacts, outcome, verdict; end committed; front told; WAL brought in. Nothing here ends
 * because a front went away.
 */
#include "runner.h"

#include "repeat.h"
#include "rescue.h"
#include "runfile.h"
#include "runner_private.h"
#include "wire.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG_BYTES (64 << 20)
#define END_TRIES_US 60000000 /* how long the end waits for a locked record */
#define END_PAUSE_US 50000
#define KEEP_TRIES 3    /* of contents that a prune takes before the end can name them */
#define SETTLE_TRIES 20 /* a reader in the moment of a checkpoint is gone in the next */
#define SETTLE_PAUSE_US 2000

/* ---- the process ---- */

/* A session of its own, nothing of the front's: its terminal, its pipes, its signals. */
static bool detach(const struct workspace *ws, struct runner_link link, struct err *e)
{
	static const int ignored[] = { SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ, SIGTSTP, SIGTTIN, SIGTTOU };
	static const int plain[] = { SIGCHLD, SIGALRM, SIGWINCH, SIGUSR1, SIGUSR2 };
	int keep_fds[] = { ws->dir, ws->home, link.wire, link.stop };
	sigset_t none;

	setsid();
	for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
		signal(ignored[i], SIG_IGN);
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		signal(plain[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);

	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = 0; fd <= 2; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			return err_sys(e, "cannot let go of the caller's terminal (/dev/null)");
	/* The gaps between what is kept: descriptors of a front may be pipes whose end somebody awaits. */
	for (unsigned from = 3;;) {
		unsigned next = ~0U;
		for (size_t i = 0; i < ARRAY_LEN(keep_fds); i++)
			if (keep_fds[i] >= (int)from && (unsigned)keep_fds[i] < next)
				next = (unsigned)keep_fds[i];
		if (next > from)
			close_range(from, next - 1, 0);
		if (next == ~0U)
			return true;
		from = next + 1;
	}
}

static void tell_error(struct runner *r, const struct err *e)
{
	log_line("runner: %s", e->msg);
	wire_text(r->front, WIRE_ERROR, e->code, e->msg);
}

/* ---- up to the start ---- */

/* Before anything is known but the kind of sandbox, so that the kernel works on it while this process
 * plans. What cannot be had is told when it is needed. */
static void begin_sandbox(struct runner *r)
{
	struct err unused = { 0 };

	r->begun = workspace_tier(r->ws);
	if (r->begun != TIER_NONE)
		r->sandbox = sandbox_begin(r->begun, &unused);
	heap_settle();
}

static bool prepare(struct runner *r, struct err *e)
{
	struct runplan *p = &r->plan;
	struct sandbox_spec spec;

	runplan_spec(p, r->halt.fd, &spec);
	if (r->sandbox && spec.policy.tier != r->begun) {
		sandbox_free(r->sandbox);
		r->sandbox = NULL;
	}
	if (r->sandbox ? !sandbox_furnish(r->sandbox, &spec, e) : !(r->sandbox = sandbox_prepare(&spec, e)))
		return false;
	r->lock = runfile_make(r->ws, &p->attempt.uuid, e);
	return r->lock >= 0;
}

/* Here and not in the front, so that the record is opened for writing once in a run. */
static void mark_vanished(struct runner *r)
{
	struct err why = { 0 };
	int64_t n = 0;
	char *text;

	if (!run_reap(r->ws, &n, &why))
		log_line("runner: attempts whose runner vanished could not be marked: %s", why.msg);
	if (n == 0)
		return;
	text = xasprintf("%lld attempt%s found interrupted: the runner vanished", (long long)n, n == 1 ? "" : "s");
	wire_text(r->front, WIRE_REMARK, 0, text);
	free(text);
}

static bool enqueue(struct runner *r, struct err *e)
{
	struct runplan *p = &r->plan;
	struct queue_with with;

	if (halt_is_asked(&r->halt))
		return err_set(e, ERR_CANCELLED, "stopped before anything was recorded");
	runplan_queue(p, &with);
	r->store = workspace_store(r->ws, e);
	if (!r->store)
		return false;
	mark_vanished(r);
	if (!store_attempt_queue(r->store, &p->attempt, &with, e))
		return false;
	/* From here on it is in the record, and only its end may say that something failed. */
	r->started = sandbox_start(r->sandbox, &r->capture_err);
	int64_t started_us = r->started ? clock_now_us() : 0;
	wire_send(r->front, WIRE_READY, 0, 0, NULL, 0);
	wire_send(r->front, WIRE_QUEUED, 0, p->attempt.id, NULL, 0);
	struct err why = { 0 };
	/* When it started is told by its end; whoever writes that for a runner that vanished reads it here. */
	if (!runfile_queued(r->lock, &p->attempt.uuid, p->attempt.id, started_us, r->ws->record, &why))
		log_line("runner: %s", why.msg);
	return true;
}

/* ---- while it runs ---- */

static void *capture_main(void *ctx)
{
	struct runner *r = ctx;
	struct sandbox_sink sink = { .stream = tape_stream, .ctx = r->tape };

	r->captured = sandbox_run(r->sandbox, &sink, &r->result, &r->capture_err);
	tape_finish(r->tape, &r->out, &r->err);
	return NULL;
}

static void stop_for_record(void *ctx)
{
	struct runner *r = ctx;

	halt_ask(&r->halt);
}

static void run_it(struct runner *r)
{
	const struct limits *limits = &r->plan.policy.limits;
	int64_t until_us = limits->wall_ms > 0 ? clock_mono_us() + limits->wall_ms * 1000 : -1;
	bool detached = r->plan.req->detach;
	pthread_t capture;

	r->backlog = backlog_new(BACKLOG_BYTES);
	r->tape = tape_new(r->backlog, limits, r->halt.fd, until_us);
	writer_begin(&r->writer, r->store, r->plan.attempt.id, detached ? -1 : r->front);
	r->writer.stop = stop_for_record;
	r->writer.stop_ctx = r;
	if (!r->started)
		return;
	struct cancel cancel = halt_cancel(&r->halt);
	store_set_cancel(r->store, &cancel);
	store_expect(r->store, STORE_END);
	int rc = pthread_create(&capture, NULL, capture_main, r);
	if (rc != 0) {
		/* It is let go already, and nobody would see what it does. */
		sandbox_end(r->sandbox);
		errno = rc;
		err_sys(&r->capture_err, "cannot make the thread that captures");
		return;
	}
	writer_run(&r->writer, r->backlog);
	pthread_join(capture, NULL);
}

/* Checks only. The streams of this one must be in the record to be compared. */
static void compare(struct runner *r)
{
	struct runplan *p = &r->plan;
	struct comparison c = {
		.original = &p->original, .attempt = p->attempt.id, .end = &r->end,
		.artifacts = r->artifacts.entries, .artifacts_n = r->artifacts.n, .absent = r->inputs.absent,
		.vary = p->attempt.vary, .cancel = halt_cancel(&r->halt),
	};
	struct err e = { 0 };
	char *at = NULL;

	if (p->attempt.check_of == 0)
		return;
	c.noise = runner_keep(r, setting_get(r->ws, "noise", NULL, NULL));
	if (!writer_flush(&r->writer) || !repeat_compare(r->store, &c, &r->with.verdict, &at, &e)) {
		r->with.verdict = VERDICT_CANNOT;
		at = xstrdup(e.code != ERR_NONE ? e.msg : r->writer.err.msg);
	}
	r->with.first_at = at ? runner_keep(r, at) : NULL;
	r->with.qualified = p->qualified.len ? p->qualified.data : NULL;
}

/* ---- its end ---- */

static bool end_once(struct runner *r, struct err *e)
{
	struct chunk *rest = writer_rest(&r->writer);

	r->with.chunks = rest;
	r->with.chunks_n = r->writer.rows;
	r->end.chunks_sha256 = writer_digest(&r->writer);
	bool ok = store_attempt_end(r->store, &r->end, &r->with, e);
	free(rest);
	return ok;
}

static bool end_patiently(struct runner *r, struct err *e)
{
	int64_t until_us = clock_mono_us() + END_TRIES_US;

	for (;;) {
		*e = (struct err){ 0 };
		if (end_once(r, e))
			return true;
		if (e->code != ERR_BUSY || clock_mono_us() >= until_us)
			return false;
		clock_pause(END_PAUSE_US);
	}
}

/* What a prune took while nothing named it yet is still at hand. Where it cannot be had again, the end says so. */
static bool end_with_contents(struct runner *r, struct err *e)
{
	bool ok = end_patiently(r, e);

	for (int i = 0; !ok && e->code == ERR_NOTFOUND && i < KEEP_TRIES; i++) {
		struct err why = *e;
		if (i == KEEP_TRIES - 1 || !runner_keep_again(r, &why))
			runner_give_up_lost(r, why.msg);
		ok = end_patiently(r, e);
	}
	return ok;
}

/* The record takes no more: what was not written yet is said to be missing, and the end is a fault. */
static bool end_without_rest(struct runner *r, struct err *e)
{
	struct err why = *e;

	writer_make_gaps(&r->writer);
	r->end.outcome = OUTCOME_FAULT;
	r->end.limit = NULL;
	r->end.detail = runner_keep(r, xasprintf("%s; what was recorded up to then is kept", why.msg));
	return end_patiently(r, e);
}

static bool finish(struct runner *r, struct err *e)
{
	struct wire probe;

	runner_judge(r);
	compare(r);
	bool asked = !r->plan.req->detach;
	r->end.answer = asked && (r->writer.front < 0 || wire_receive(r->front, &probe) == WIRE_GONE) ? 1 : 0;
	if (end_with_contents(r, e))
		return true;
	if (e->code != ERR_BUSY && e->code != ERR_EXISTS && end_without_rest(r, e))
		return true;
	return err_prefix(e, "the end of %lld.%lld could not be recorded", (long long)r->plan.attempt.step,
	                  (long long)r->plan.attempt.number);
}

/* An end that nobody can find is none. */
static bool has_record(struct runner *r, struct err *e)
{
	const struct attempt *a = &r->plan.attempt;
	struct err end = *e;
	char ref[64];
	int n = snprintf(ref, sizeof(ref), "%lld.%lld", (long long)a->step, (long long)a->number);

	if (a->check_of)
		snprintf(ref + n, sizeof(ref) - (size_t)n, "r%lld", (long long)a->check);
	if (rescue_record(r->ws, r->store, ref, e))
		return true;
	return end.code == ERR_NONE ? false : err_prefix(e, "%s", end.msg);
}

static void tell_end(struct runner *r)
{
	int64_t totals[2] = { r->end.out_bytes, r->end.err_bytes };

	wire_send(r->front, WIRE_ENDED, 0, r->plan.attempt.id, totals, sizeof(totals));
}

/* The front reads meanwhile what it has to say, and waits for the end of the wire when it has said it. */
static void settle(struct runner *r)
{
	for (int i = 0; i < SETTLE_TRIES && !store_checkpoint(r->store, NULL); i++)
		clock_pause(SETTLE_PAUSE_US);
}

/* Of a file that a stop cut: nobody waits for its parts to go. */
static void drop_cut(struct runner *r)
{
	struct err why = { 0 };

	if (!store_blob_collect(r->store, runfile_owner_lives, r->ws, &why))
		log_line("runner: %s", why.msg);
}

static void release(struct runner *r)
{
	runfile_remove(r->ws, &r->plan.attempt.uuid);
	if (r->lock >= 0)
		close(r->lock);
	r->lock = -1;
}

/* Nobody waits any more. */
static void tidy(struct runner *r)
{
	bool drew = r->artifacts.figures.backend != NULL;

	sandbox_free(r->sandbox);
	sandbox_result_free(&r->result);
	inputs_free(&r->inputs);
	artifacts_free(&r->artifacts);
	writer_free(&r->writer);
	tape_free(r->tape);
	backlog_free(r->backlog);
	strv_free(&r->texts);
	free(r->halt.first_cut);
	store_close(r->ws->store);
	r->ws->store = NULL;
	if (drew)
		figures_learn_fonts(r->ws, &r->plan.python);
	runplan_free(&r->plan);
}

static bool plan_it(struct runner *r, const struct run_request *req, struct err *e)
{
	if (!runplan_make(&r->plan, r->ws, req, e))
		return false;
	for (size_t i = 0; i < r->plan.remarks.n; i++)
		wire_text(r->front, WIRE_REMARK, 0, r->plan.remarks.v[i]);
	return true;
}

static bool attempt_it(struct runner *r, struct err *e)
{
	if (!prepare(r, e) || !runplan_enter(&r->plan, e) || !enqueue(r, e))
		return false;
	run_it(r);
	bool ok = finish(r, e);
	ok = has_record(r, e) && ok;
	release(r);
	if (ok)
		tell_end(r);
	if (r->halt.cut > 0)
		drop_cut(r);
	settle(r);
	return ok;
}

_Noreturn void runner_main(struct workspace *ws, const struct run_request *req, struct runner_link link)
{
	struct runner r = { .ws = ws, .front = link.wire, .lock = -1 };
	struct err e = { 0 };

	bool ok = detach(ws, link, &e) && halt_begin(&r.halt, link.stop, &e);
	if (ok)
		begin_sandbox(&r);
	ok = ok && plan_it(&r, req, &e) && attempt_it(&r, &e);
	if (!ok) {
		tell_error(&r, &e);
		if (r.lock >= 0)
			release(&r);
	}
	shutdown(r.front, SHUT_WR);
	tidy(&r);
	_exit(ok ? 0 : 1);
}
