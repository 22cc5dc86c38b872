/*
 * The front's side of a run. Packets carry what came out; whatever did not fit, or is behind the
 * head of a stream, is read from the record by position, so nothing is told twice and nothing twice
 * asked for.
 */
#include "model/run.h"

#include "control.h"
#include "runner.h"
#include "store/read.h"
#include "wire.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define CATCH_UP (16 << 20) /* bytes read from the record at a time, or little more */
#define ROWS 64
#define SETTLE_MS 2000

struct piece {
	enum stream_id stream;
	size_t at, n;             /* in struct run.caught */
};

struct run {
	struct workspace *ws;     /* not owned */
	bool detached;
	int wire;
	int stop;                 /* eventfd; readable by the runner: stop */
	int64_t attempt;          /* 0: not queued yet */
	struct strv remarks;
	struct wire in;           /* the latest packet */
	int64_t told[3];          /* bytes of each stream that were told, by enum stream_id */
	bool catching;            /* the record holds more than was told */
	struct buf caught;        /* from the record … */
	struct piece *pieces;
	size_t pieces_n, pieces_cap, pieces_next;
	int64_t next_row;         /* of the attempt's chunks: all before it were told */
	bool gone;                /* the runner's end of the wire is closed */
	bool ending;              /* its end is in the record; to be told when all else was */
	bool over;                /* nothing comes any more */
};

/* ---- starting ---- */

/* Runners outlive their struct run when nobody watches them to their end; init's children as soon as
 * this process ends, until then ours to wait for. */
static struct {
	pid_t *pids;
	size_t n, cap;
} runners;

static void bury_runners(void)
{
	size_t kept = 0;

	for (size_t i = 0; i < runners.n; i++)
		if (waitpid(runners.pids[i], NULL, WNOHANG) == 0)
			runners.pids[kept++] = runners.pids[i];
	runners.n = kept;
}

/* Pipes and terminals it lets go itself. */
static bool fork_runner(struct run *r, const struct run_request *req, int wire, struct err *e)
{
	bury_runners();
	runners.pids = grow(runners.pids, runners.n, &runners.cap, sizeof(*runners.pids));
	pid_t pid = fork();
	if (pid < 0)
		return err_sys(e, "cannot fork the runner");
	if (pid == 0)
		runner_main(r->ws, req, (struct runner_link){ wire, r->stop });
	runners.pids[runners.n++] = pid;
	return true;
}

/* 1: r->in is filled; 0: time is up; -1: the other end is closed. */
static int next_packet(struct run *r, int timeout_ms)
{
	int64_t until_us = timeout_ms < 0 ? 0 : clock_mono_us() + timeout_ms * 1000LL;

	for (;;) {
		enum wire_result got = wire_receive(r->wire, &r->in);
		if (got != WIRE_NONE)
			return got == WIRE_DONE ? 1 : -1;
		struct pollfd p = { .fd = r->wire, .events = POLLIN };
		int left = -1;
		if (timeout_ms >= 0) {
			int64_t us = until_us - clock_mono_us();
			if (us <= 0)
				return 0;
			left = (int)((us + 999) / 1000);
		}
		/* What a signal means is the caller's business. */
		if (poll(&p, 1, left) < 0 && errno == EINTR)
			return 0;
	}
}

/* Packets up to WIRE_READY; the fork's own errors come as WIRE_ERROR. */
static bool await_ready(struct run *r, struct err *e)
{
	for (;;) {
		int got = next_packet(r, -1);
		if (got < 0)
			return err_set(e, ERR_SYS, "the runner ended before it began");
		if (got == 0)
			continue;
		switch (r->in.kind) {
		case WIRE_REMARK:
			strv_add(&r->remarks, r->in.bytes);
			break;
		case WIRE_ERROR:
			return err_set(e, (enum err_code)r->in.number, "%s", r->in.bytes);
		case WIRE_READY:
			return true;
		default:
			break;
		}
	}
}

/* SQLite's locks and maps must not be seen twice by one library. */
static void let_go_of_record(struct workspace *ws)
{
	store_close(ws->store);
	ws->store = NULL;
}

void run_many(struct workspace *ws)
{
	let_go_of_record(ws);
	heap_leave();
}

struct run *run_launch(struct workspace *ws, const struct run_request *req, struct err *e)
{
	struct run *r = xcalloc(1, sizeof(*r));
	int ends[2] = { -1, -1 };

	r->ws = ws;
	r->detached = req->detach;
	r->wire = -1;
	r->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	let_go_of_record(ws);
	bool ok = r->stop >= 0 || err_sys(e, "cannot make an eventfd");
	ok = ok && wire_pair(ends, e);
	if (ok) {
		r->wire = ends[0];
		ok = fork_runner(r, req, ends[1], e);
		close(ends[1]);
	}
	if (!ok) {
		run_free(r);
		return NULL;
	}
	return r;
}

struct run *run_start(struct workspace *ws, const struct run_request *req, struct err *e)
{
	struct run *r = run_launch(ws, req, e);

	if (r && !await_ready(r, e)) {
		run_free(r);
		return NULL;
	}
	return r;
}

int run_fd(const struct run *r)
{
	return r->detached ? -1 : r->wire;
}

char *const *run_remarks(const struct run *r)
{
	static char *const none[] = { NULL };

	return r->remarks.n ? r->remarks.v : none;
}

void run_stop(struct run *r, const char *by)
{
	static const uint64_t one = 1;

	wire_text(r->wire, WIRE_STOP, 0, by);
	(void)!write(r->stop, &one, sizeof(one));
}

/* Its last packet was read; what it does then, it does in milliseconds or not at all. */
void run_settle(struct run *r)
{
	struct pollfd p = { .fd = r ? r->wire : -1, .events = POLLRDHUP };

	if (!r || !r->ending || r->gone || r->detached)
		return;
	while (poll(&p, 1, SETTLE_MS) < 0 && errno == EINTR)
		;
}

void run_free(struct run *r)
{
	if (!r)
		return;
	if (r->wire >= 0)
		close(r->wire);
	if (r->stop >= 0)
		close(r->stop);
	strv_free(&r->remarks);
	buf_free(&r->caught);
	free(r->pieces);
	free(r);
	bury_runners();
}

/* ---- reading the record where packets are missing ---- */

/* What of a row was not told yet; it is told from now on. */
static bool catch_row(struct run *r, struct store_reader *reader, const struct chunk_row *row, struct err *e)
{
	int64_t *told = &r->told[row->stream];

	if (row->gap && row->position + row->gap > *told)
		*told = row->position + row->gap;
	if (row->position + row->len <= *told)
		return true;
	size_t skip = row->position < *told ? (size_t)(*told - row->position) : 0, n = (size_t)row->len - skip;
	char *to = buf_reserve(&r->caught, n);
	if (!store_chunk_read(reader, row, (int64_t)skip, to, n, e))
		return false;
	r->pieces = grow(r->pieces, r->pieces_n, &r->pieces_cap, sizeof(*r->pieces));
	r->pieces[r->pieces_n++] = (struct piece){ (enum stream_id)row->stream, r->caught.len, n };
	r->caught.len += n;
	*told = row->position + row->len;
	return true;
}

struct row_list {
	struct chunk_row rows[ROWS];
	size_t n;
};

static bool note_row(void *ctx, const struct chunk_row *row)
{
	struct row_list *l = ctx;

	l->rows[l->n++] = *row;
	return l->n < ROWS;
}

static bool catch_rows(struct run *r, struct store_reader *reader, struct err *e)
{
	struct row_list l;
	bool all = false;

	while (!all && r->caught.len < CATCH_UP) {
		l.n = 0;
		if (!store_chunk_rows(reader, r->attempt, r->next_row, INT64_MAX, ROWS, note_row, &l, &r->next_row, &all, e))
			return false;
		for (size_t i = 0; i < l.n; i++)
			if (!catch_row(r, reader, &l.rows[i], e))
				return false;
	}
	return true;
}

/* False with error only; r->pieces is empty when the record holds no more than was told. The reader
 * lives no longer than this: the connection may be closed for the next run_start. */
static bool catch_up(struct run *r, struct err *e)
{
	struct store *st = workspace_store(r->ws, e);
	struct store_reader *reader = st ? store_reader_new(st, e) : NULL;

	r->pieces_n = r->pieces_next = 0;
	buf_clear(&r->caught);
	bool ok = reader && catch_rows(r, reader, e);
	store_reader_free(reader);
	return ok;
}

/* ---- events ---- */

static int tell(struct run_event *ev, struct run_event what)
{
	*ev = what;
	return 1;
}

static int tell_bytes(struct run *r, struct run_event *ev, enum stream_id stream, const char *p, size_t n)
{
	return tell(ev, (struct run_event){ .kind = RUN_BYTES, .attempt = r->attempt, .stream = stream, .bytes = p, .len = n });
}

/* A piece of the record; 0 when there is none (any more). */
static int next_piece(struct run *r, struct run_event *ev, struct err *e)
{
	if (!r->catching)
		return 0;
	if (r->pieces_next == r->pieces_n && !catch_up(r, e))
		return -1;
	if (r->pieces_n == 0) {
		r->catching = false;
		return 0;
	}
	const struct piece *p = &r->pieces[r->pieces_next++];
	return tell_bytes(r, ev, p->stream, r->caught.data + p->at, p->n);
}

/* Bytes in r->in: what of them is new. */
static int take_bytes(struct run *r, struct run_event *ev)
{
	struct wire *w = &r->in;

	if (w->stream != STREAM_OUT && w->stream != STREAM_ERR)
		return 0;
	int64_t *told = &r->told[w->stream], end = w->number + (int64_t)w->len;
	if (end <= *told)
		return 0;
	/* The runner never leaves a hole without WIRE_SYNC; if it did, the record closes it at the end. */
	size_t skip = w->number < *told ? (size_t)(*told - w->number) : 0;
	*told = end;
	return tell_bytes(r, ev, (enum stream_id)w->stream, w->bytes + skip, w->len - skip);
}

static void take_end(struct run *r)
{
	int64_t totals[2] = { -1, -1 };

	if (r->in.len == sizeof(totals))
		memcpy(totals, r->in.bytes, sizeof(totals));
	r->ending = true;
	r->catching = !r->detached && (totals[0] != r->told[STREAM_OUT] || totals[1] != r->told[STREAM_ERR]);
}

/* One packet; 0 when it told nothing. */
static int take_packet(struct run *r, struct run_event *ev, struct err *e)
{
	struct wire *w = &r->in;

	switch (w->kind) {
	case WIRE_REMARK:
		strv_add(&r->remarks, w->bytes);
		return 0;
	case WIRE_QUEUED:
		r->attempt = w->number;
		return tell(ev, (struct run_event){ .kind = RUN_QUEUED, .attempt = r->attempt });
	case WIRE_BYTES:
		return take_bytes(r, ev);
	case WIRE_SYNC:
		r->catching = true;
		return 0;
	case WIRE_ENDED:
		take_end(r);
		return 0;
	case WIRE_ERROR:
		r->over = true;
		err_set(e, (enum err_code)w->number, "%s", w->bytes);
		return -1;
	default:
		return 0;
	}
}

/* The runner is gone and said no end: the record knows whether there is one. */
static int take_gone(struct run *r, struct err *e)
{
	bool ended = false;

	r->gone = true;
	if (r->attempt == 0) {
		r->over = true;
		err_set(e, ERR_SYS, "the runner ended before the attempt was recorded");
		return -1;
	}
	if (!control_has_end(r->ws, r->attempt, &ended, e))
		return -1;
	r->ending = ended;
	r->catching = !r->detached;
	return 0;
}

int run_next(struct run *r, struct run_event *ev, int timeout_ms, struct err *e)
{
	for (;;) {
		int got = next_piece(r, ev, e);
		if (got != 0)
			return got;
		if (r->ending && !r->over) {
			r->over = true;
			return tell(ev, (struct run_event){ .kind = RUN_ENDED, .attempt = r->attempt });
		}
		if (r->gone || r->over) {
			r->over = true;
			return tell(ev, (struct run_event){ .kind = RUN_GONE, .attempt = r->attempt });
		}
		got = next_packet(r, timeout_ms);
		if (got == 0)
			return 0;
		got = got < 0 ? take_gone(r, e) : take_packet(r, ev, e);
		if (got != 0)
			return got;
	}
}
