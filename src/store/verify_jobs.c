/*
 * verify on all cores: pieces of the work, threads that take them in order, each with a connection of its own.
 * The connections read one state of the record: each begins its read transaction, and they are used together
 * only if the newest ledger entry is the same for all (every change of a fact comes with an entry). Where that
 * cannot be had, one thread does everything on the connection of the caller.
 */
#include "verify.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define PIECES 24          /* of a part that is a range of keys */
#define HEAP (16 << 20)
#define TRIES 20           /* for one state, while others write */
#define TICK_OPS 50000     /* steps of SQLite's machine between looks at the caller's wish to stop */
#define TELL_MS 100        /* between two reports while other threads are at work */

struct piece {
	const struct verify_part *part;
	int64_t from, to;
	struct strv faults;
	struct err err;            /* ERR_CORRUPT: a fault too */
	atomic_bool taken;
};

struct verify_run {
	struct piece *pieces;      /* in the order in which their faults are told */
	size_t n;
	atomic_size_t next;        /* piece to take, if nobody has yet */
	atomic_size_t done;        /* pieces */
	atomic_bool cancelled;     /* by the caller, or since something failed */
	store_progress_fn progress;
	void *ctx;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	size_t at_work;            /* threads beside the caller's */
};

/* ---- how far it is ------------------------------------------------------------------------------- */

static bool tell(struct verify_run *run)
{
	if (run->progress && !run->progress(run->ctx, (int64_t)atomic_load(&run->done), (int64_t)run->n))
		atomic_store(&run->cancelled, true);
	return !atomic_load(&run->cancelled);
}

bool verify_step(struct verify *v, struct err *e)
{
	if (v->caller ? tell(v->run) : !atomic_load(&v->run->cancelled))
		return true;
	return err_set(e, ERR_CANCELLED, "verifying %s: cancelled", v->st->path);
}

/* A single question may take long, too. */
static int tick(void *ctx)
{
	struct verify *v = ctx;

	return !(v->caller ? tell(v->run) : !atomic_load(&v->run->cancelled));
}

/* ---- threads --------------------------------------------------------------------------------------- */

static void set_cache(struct verify *v, int kib)
{
	char sql[48];

	if (v->cache_kib == kib)
		return;
	v->cache_kib = kib;
	snprintf(sql, sizeof(sql), "PRAGMA cache_size = -%d", kib);
	db_exec(v->st, sql, NULL);
}

static void check_piece(struct verify *v, struct piece *p)
{
	v->faults = &p->faults;
	set_cache(v, p->part->cache_kib);
	if (!p->part->check(v, p->from, p->to, &p->err) && p->err.code != ERR_CORRUPT)
		atomic_store(&v->run->cancelled, true);
	atomic_fetch_add(&v->run->done, 1);
}

/* Who did a piece has the pages of the one that goes with it, and takes that next. */
static struct piece *next_piece(struct verify_run *run, const struct piece *done)
{
	size_t i;

	for (i = 0; done && done->part->kin && i < run->n; i++)
		if (run->pieces[i].part->check == done->part->kin && !atomic_exchange(&run->pieces[i].taken, true))
			return &run->pieces[i];
	while ((i = atomic_fetch_add(&run->next, 1)) < run->n)
		if (!atomic_exchange(&run->pieces[i].taken, true))
			return &run->pieces[i];
	return NULL;
}

/* p: the piece to begin with; NULL: any. */
static void work(struct verify *v, struct piece *p)
{
	struct verify_run *run = v->run;

	sqlite3_progress_handler(v->st->db, TICK_OPS, tick, v);
	for (p = p ? p : next_piece(run, NULL); p && !atomic_load(&run->cancelled); p = next_piece(run, p))
		check_piece(v, p);
	sqlite3_progress_handler(v->st->db, 0, NULL, NULL);
}

static void *thread(void *ctx)
{
	struct verify *v = ctx;

	work(v, NULL);
	pthread_mutex_lock(&v->run->lock);
	v->run->at_work--;
	pthread_cond_signal(&v->run->ended);
	pthread_mutex_unlock(&v->run->lock);
	return NULL;
}

/* The caller goes on hearing how far it is. */
static void wait_for_others(struct verify_run *run)
{
	pthread_mutex_lock(&run->lock);
	while (run->at_work > 0) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += TELL_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&run->ended, &run->lock, &until);
		pthread_mutex_unlock(&run->lock);
		tell(run);
		pthread_mutex_lock(&run->lock);
	}
	pthread_mutex_unlock(&run->lock);
}

/* Signals are for the threads that the caller knows of. */
static size_t start(struct verify *v, size_t n, pthread_t *threads)
{
	sigset_t all, before;
	size_t started = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (started < n && pthread_create(&threads[started], NULL, thread, &v[started]) == 0)
		started++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

static void work_together(struct verify_team *team, struct verify_run *run)
{
	struct verify *v = team->v;
	pthread_t threads[VERIFY_THREADS];
	size_t started;

	struct piece *first = next_piece(run, NULL); /* what needs most memory is for the caller's thread (heap_hold) */

	run->at_work = team->n - 1;
	started = start(v + 1, team->n - 1, threads);
	pthread_mutex_lock(&run->lock);
	run->at_work -= team->n - 1 - started;
	pthread_mutex_unlock(&run->lock);
	work(&v[0], first);
	wait_for_others(run);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	tell(run); /* the end, too */
}

/* ---- one state for all ----------------------------------------------------------------------------- */

static size_t cores(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

static bool sees(struct store *st, const struct digest *head)
{
	struct ledger_head mine;

	return store_head(st, &mine, NULL) && digest_equal(&mine.entry, head);
}

/* Opens connections that read the same state as `st`; how many of `most` could be had. */
static size_t open_all(struct verify *v, struct store *st, size_t most)
{
	struct ledger_head head;

	/* A private copy has no name that could be opened again. */
	if (st->copied || !store_head(st, &head, NULL))
		return 0;
	for (size_t n = 0; n < most; n++) {
		struct store *other = db_open_ahead(st, NULL);

		if (!other || !sees(other, &head.entry)) {
			store_close(other);
			return n;
		}
		v[n].st = other;
	}
	return most;
}

static void close_all(struct verify *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		store_close(v[i].st);
}

static bool any_pruned(struct store *st)
{
	int64_t n = 1;

	return !db_number(st, "SELECT EXISTS (SELECT 1 FROM ledger_content) OR EXISTS (SELECT 1 FROM tombstone)", &n, NULL) || n > 0;
}

void verify_team_open(struct verify_team *t, struct store *st)
{
	size_t most = MIN(cores(), (size_t)VERIFY_THREADS);

	heap_hold(HEAP); /* each row's value is memory of its own, and each page of a small table */
	*t = (struct verify_team){ .st = st };
	t->begun = db_read_begin(st);
	t->n = open_all(t->v, st, most);
	/* While others write, a connection may see more than the one before: all begin again. */
	for (int i = 0; t->begun && t->n < most && i < TRIES && !st->copied; i++) {
		close_all(t->v, t->n);
		db_read_end(st, true);
		t->begun = db_read_begin(st);
		t->n = open_all(t->v, st, most);
	}
	if (t->n == 0) {
		t->v[0].st = st;
		t->n = 1;
	}
	t->v[0].caller = true;
	for (size_t i = 0; i < t->n; i++)
		t->v[i].pruned = any_pruned(st);
}

void verify_team_close(struct verify_team *t)
{
	if (t->v[0].st != t->st)
		close_all(t->v, t->n);
	db_read_end(t->st, t->begun);
}

/* ---- pieces ------------------------------------------------------------------------------------------ */

static struct piece *add_piece(struct verify_run *run, size_t *cap)
{
	run->pieces = grow(run->pieces, run->n, cap, sizeof(*run->pieces));
	run->pieces[run->n] = (struct piece){ 0 };
	return &run->pieces[run->n++];
}

/* Keys may be anything in a file that is not ours: no difference of two fits its type. */
static void cut_range(struct verify_run *run, size_t *cap, const struct verify_part *part, int64_t first, int64_t last)
{
	uint64_t span = (uint64_t)last - (uint64_t)first, width = span / PIECES + 1;

	for (uint64_t at = 0;; at += width) {
		struct piece *p = add_piece(run, cap);

		p->part = part;
		p->from = (int64_t)((uint64_t)first + at);
		p->to = span - at < width ? last : (int64_t)((uint64_t)first + at + width - 1);
		if (span - at < width)
			return;
	}
}

static bool cut(struct store *st, struct verify_run *run, size_t *cap, const struct verify_part *part, struct err *e)
{
	char sql[96];
	int64_t first = 0, last = 0;
	struct err fault = { 0 };

	if (!part->table) {
		add_piece(run, cap)->part = part;
		return true;
	}
	snprintf(sql, sizeof(sql), "SELECT min(%s) FROM %s", part->key, part->table);
	bool ok = db_number(st, sql, &first, &fault);
	snprintf(sql, sizeof(sql), "SELECT max(%s) FROM %s", part->key, part->table);
	ok = ok && db_number(st, sql, &last, &fault);
	if (ok) {
		cut_range(run, cap, part, first, last);
	} else if (fault.code == ERR_CORRUPT) { /* met again, and told, by whoever reads it */
		*add_piece(run, cap) = (struct piece){ .part = part, .from = INT64_MIN, .to = INT64_MAX };
		ok = true;
	} else if (e) {
		*e = fault;
	}
	return ok;
}

/* ---- all --------------------------------------------------------------------------------------------- */

/* What went wrong first; that others were cancelled for it is no answer. */
static const struct err *first_error(const struct verify_run *run)
{
	const struct err *cancelled = NULL;

	for (size_t i = 0; i < run->n; i++) {
		const struct err *e = &run->pieces[i].err;

		if (e->code == ERR_CANCELLED)
			cancelled = e;
		else if (e->code != ERR_NONE && e->code != ERR_CORRUPT)
			return e;
	}
	return cancelled;
}

/* In the order of the pieces; damage that several of them met is told once. */
static void tell_faults(const struct verify_run *run, store_fault_fn fault, struct verify_result *out)
{
	const char *damage = "";

	for (size_t i = 0; i < run->n; i++) {
		const struct piece *p = &run->pieces[i];

		for (size_t k = 0; k < p->faults.n; k++)
			fault(run->ctx, p->faults.v[k]);
		out->faults += (int64_t)p->faults.n;
		if (p->err.code == ERR_CORRUPT && strcmp(p->err.msg, damage) != 0) {
			damage = p->err.msg;
			fault(run->ctx, damage);
			out->faults++;
		}
	}
}

/* The counts are found by one thread. */
static void add_found(struct verify_result *sum, const struct verify_result *one)
{
	sum->entries += one->entries;
	sum->blobs += one->blobs;
	sum->bytes += one->bytes;
	sum->attempts += one->attempts;
	sum->checks += one->checks;
	sum->newest_us += one->newest_us;
	sum->running = sum->running || one->running;
	if (one->head.seq)
		sum->head = one->head;
}

static bool finish(const struct verify_run *run, const struct verify_team *t, store_fault_fn fault, struct verify_result *out,
                   struct err *e)
{
	const struct err *error = first_error(run);

	for (size_t i = 0; i < t->n; i++)
		add_found(out, &t->v[i].found);
	if (error && e)
		*e = *error;
	if (error)
		return false;
	if (atomic_load(&run->cancelled))
		return err_set(e, ERR_CANCELLED, "verifying %s: cancelled", t->st->path);
	tell_faults(run, fault, out);
	return true;
}

bool verify_jobs(struct verify_team *t, const struct verify_part *parts, size_t n, store_fault_fn fault,
                 store_progress_fn progress, void *ctx, struct verify_result *out, struct err *e)
{
	struct verify_run run = { .progress = progress, .ctx = ctx,
		                  .lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER };
	size_t cap = 0;
	bool ok = true;

	for (size_t i = 0; i < t->n; i++)
		t->v[i].run = &run;
	for (size_t i = 0; i < n && ok; i++)
		ok = cut(t->st, &run, &cap, &parts[i], e);
	if (ok) {
		work_together(t, &run);
		ok = finish(&run, t, fault, out, e);
	}
	for (size_t i = 0; i < run.n; i++)
		strv_free(&run.pieces[i].faults);
	free(run.pieces);
	return ok;
}
