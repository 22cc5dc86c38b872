/* Other processes' runs: alive or not, stopping, waiting, and speaking for the dead. */
#include "control.h"
#include "query_private.h"

#include "runfile.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_MS 50 /* between two looks at the record while waiting */

/* The runner of a row: the lock tells, where the row speaks of this machine and this very file. After
 * a boot nothing of before is alive, and device numbers may have changed. */
enum runner_state control_state(struct workspace *ws, const struct control_row *row)
{
	struct stat st;
	bool same_boot = strcmp(row->boot_id, clock_boot_id()) == 0;

	if (strcmp(row->host, clock_host()) != 0 || stat(ws->record, &st) != 0)
		return RUNNER_UNKNOWN;
	if ((int64_t)st.st_ino != row->inode || (same_boot && (int64_t)st.st_dev != row->device))
		return RUNNER_UNKNOWN;
	if (!same_boot)
		return RUNNER_GONE;
	return runfile_is_held(ws, &row->uuid) ? RUNNER_ALIVE : RUNNER_GONE;
}

/* ---- one of those without an end ---- */

struct lookup {
	int64_t attempt;
	struct control_row row;
	struct strv texts;
	bool found;
};

static bool copy_row(void *ctx, const struct attempt_row *row)
{
	struct lookup *l = ctx;

	if (row->id != l->attempt)
		return true;
	strv_add(&l->texts, row->host ? row->host : "");
	strv_add(&l->texts, row->boot_id ? row->boot_id : "");
	l->row = (struct control_row){ row->uuid, l->texts.v[0], l->texts.v[1], row->device, row->inode };
	l->found = true;
	return false;
}

static bool look_up(struct workspace *ws, struct lookup *l, struct err *e)
{
	struct store *st = workspace_store(ws, e);

	return st && store_running(st, copy_row, l, e);
}

enum runner_state run_state(struct workspace *ws, int64_t attempt, struct err *e)
{
	struct lookup l = { .attempt = attempt };
	enum runner_state state = RUNNER_UNKNOWN;

	if (look_up(ws, &l, e)) {
		/* With an end it is gone, in the best of ways. */
		state = l.found ? control_state(ws, &l.row) : RUNNER_GONE;
	}
	strv_free(&l.texts);
	return state;
}

/* ---- stopping ---- */

struct stopping {
	struct workspace *ws;
	int64_t attempt;  /* 0: all */
	const char *by;
	int64_t n;
	bool failed;
	struct err err;
};

static bool stop_one(void *ctx, const struct runfile *r)
{
	struct stopping *s = ctx;

	if (s->attempt && r->attempt != s->attempt)
		return true;
	if (runfile_stop(s->ws, r, s->by, &s->err)) {
		s->n++;
	} else {
		s->failed = true;
	}
	return s->attempt == 0;
}

bool run_stop_attempt(struct workspace *ws, int64_t attempt, const char *by, struct err *e)
{
	struct stopping s = { .ws = ws, .attempt = attempt, .by = by };

	if (!runfile_each(ws, stop_one, &s, e))
		return false;
	if (s.n == 0 && s.failed) {
		if (e)
			*e = s.err;
		return false;
	}
	return s.n > 0 || err_set(e, ERR_NOTFOUND, "it is not running here");
}

bool run_stop_all(struct workspace *ws, const char *by, int64_t *stopped, struct err *e)
{
	struct stopping s = { .ws = ws, .by = by };

	*stopped = 0;
	if (!runfile_each(ws, stop_one, &s, e))
		return false;
	*stopped = s.n;
	/* One that ended by itself in the meantime is as good as stopped. */
	if (s.failed && s.err.code != ERR_NOTFOUND) {
		if (e)
			*e = s.err;
		return false;
	}
	return true;
}

/* ---- waiting ---- */

bool control_has_end(struct workspace *ws, int64_t attempt, bool *ended, struct err *e)
{
	struct store *st = workspace_store(ws, e);
	struct attempt_full full;

	if (!st || !store_attempt_get(st, attempt, &full, e))
		return false;
	*ended = full.end.attempt != 0;
	store_attempt_free(&full);
	return true;
}

static int runner_pidfd(struct workspace *ws, int64_t attempt)
{
	struct lookup l = { .attempt = attempt };
	struct runfile r;
	int fd = -1;

	if (look_up(ws, &l, NULL) && l.found && runfile_read(ws, &l.row.uuid, &r))
		fd = pidfd_open(r.pid, 0);
	strv_free(&l.texts);
	return fd;
}

bool run_wait(struct workspace *ws, int64_t attempt, int64_t timeout_ms, struct err *e)
{
	int64_t until_us = timeout_ms < 0 ? INT64_MAX : clock_mono_us() + timeout_ms * 1000, version = -1;
	struct store *st = workspace_store(ws, e);
	bool ok, ended = false;

	if (!st)
		return false;
	int pidfd = runner_pidfd(ws, attempt);
	for (;;) {
		int64_t now = store_data_version(st);
		ok = version == now || control_has_end(ws, attempt, &ended, e);
		version = now;
		if (!ok || ended)
			break;
		if (run_state(ws, attempt, e) == RUNNER_GONE && control_has_end(ws, attempt, &ended, e) && !ended) {
			ok = err_set(e, ERR_NOTFOUND, "its runner is gone, and it has no end");
			break;
		}
		int64_t left_ms = (until_us - clock_mono_us()) / 1000;
		if (left_ms <= 0) {
			ok = err_set(e, ERR_BUSY, "it is still running");
			break;
		}
		struct pollfd p = { .fd = pidfd, .events = POLLIN };
		if (poll(&p, pidfd >= 0 ? 1 : 0, (int)MIN(left_ms, LOOK_MS)) < 0 && errno == EINTR) {
			ok = err_set(e, ERR_CANCELLED, "waiting was broken off");
			break;
		}
	}
	if (pidfd >= 0)
		close(pidfd);
	return ok;
}

/* ---- speaking for the dead ---- */

struct dead {
	int64_t *ids;
	struct uuid *uuids;
	size_t n, cap, uuid_cap;
	struct workspace *ws;
};

static bool note_dead(void *ctx, const struct attempt_row *row)
{
	struct dead *d = ctx;
	struct control_row c = { row->uuid, row->host ? row->host : "", row->boot_id ? row->boot_id : "", row->device, row->inode };

	if (control_state(d->ws, &c) != RUNNER_GONE)
		return true;
	d->ids = grow(d->ids, d->n, &d->cap, sizeof(*d->ids));
	d->uuids = grow(d->uuids, d->n, &d->uuid_cap, sizeof(*d->uuids));
	d->ids[d->n] = row->id;
	d->uuids[d->n++] = row->uuid;
	return true;
}

/* Totals of what the record holds of it. */
struct totals {
	int64_t bytes[3];
	int64_t last_us;
	struct chunks_hash hash;
};

static bool add_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	struct totals *t = ctx;

	(void)e;
	t->bytes[c->stream] = MAX(t->bytes[c->stream], c->position + c->gap + (int64_t)c->len);
	t->last_us = MAX(t->last_us, c->offset_us);
	store_chunks_hash_add(&t->hash, c);
	return true;
}

static bool write_interrupted(struct store *st, int64_t id, int64_t started_us, struct err *e)
{
	struct attempt_full full;
	struct totals t = { 0 };
	struct end_with with = { 0 };
	struct digest streams[2];

	if (!store_attempt_get(st, id, &full, e))
		return false;
	store_chunks_hash_begin(&t.hash);
	bool ok = store_chunks(st, id, 0, add_chunk, &t, e);
	struct attempt_end end = {
		.attempt = id,
		.started_us = started_us,
		.ended_us = (started_us ? started_us : full.attempt.queued_us) + t.last_us,
		.wall_us = t.last_us,
		.outcome = OUTCOME_INTERRUPTED,
		.exit_code = -1,
		.detail = "its runner vanished; what was recorded up to then is kept",
		.out_bytes = t.bytes[STREAM_OUT],
		.err_bytes = t.bytes[STREAM_ERR],
		.chunks_sha256 = store_chunks_hash_end(&t.hash, streams),
		.answer = 1,
	};
	if (end.out_bytes)
		end.out_sha256 = streams[0];
	if (end.err_bytes)
		end.err_sha256 = streams[1];
	store_attempt_free(&full);
	return ok && store_attempt_end(st, &end, &with, e);
}

/* Only who holds its lock may speak for it. */
static bool bury(struct workspace *ws, struct store *st, int64_t id, const struct uuid *u, int64_t *n, struct err *e)
{
	struct err why = { 0 };
	struct runfile left = { .started_us = 0 };
	int lock = runfile_take(ws, u, &why);

	if (lock < 0)
		return why.code == ERR_BUSY || err_set(e, why.code, "%s", why.msg);
	(void)runfile_read(ws, u, &left);
	bool ok = write_interrupted(st, id, left.started_us, &why);
	if (ok)
		(*n)++;
	/* Its end came in the very last moment, or another process was faster. */
	if (!ok && why.code == ERR_EXISTS)
		ok = true;
	if (ok)
		runfile_remove(ws, u);
	close(lock);
	return ok || err_set(e, why.code, "%s", why.msg);
}

static bool is_alive(void *ctx, const struct uuid *owner)
{
	return runfile_is_held(ctx, owner);
}

bool run_reap(struct workspace *ws, int64_t *n, struct err *e)
{
	struct store *st = workspace_store(ws, e);
	struct dead d = { .ws = ws };
	int64_t stale = 0;

	*n = 0;
	bool ok = st && store_running(st, note_dead, &d, e);
	for (size_t i = 0; ok && i < d.n; i++)
		ok = bury(ws, st, d.ids[i], &d.uuids[i], n, e);
	ok = ok && runfile_sweep(ws, &stale, e);
	/* Uploads without an owner are left by runners that vanished, and so only then. */
	if (ok && (d.n > 0 || stale > 0))
		ok = store_blob_collect(st, is_alive, ws, e);
	free(d.ids);
	free(d.uuids);
	return ok;
}

static bool note_any(void *ctx, const struct attempt_row *row)
{
	(void)row;
	return !(*(bool *)ctx = true);
}

bool run_reap_due(struct workspace *ws, struct query *q)
{
	bool any = false;

	return !store_running(q->store, note_any, &any, NULL) || any || !runfile_none(ws);
}
