/*
 * The threads of a search. Attempts are taken one by one, newest first; what each thread found waits in a
 * ring until all before it was told, so that the order is that of the record whatever the threads do.
 */
#include "search_attempt.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE 256       /* attempts read at once */
#define RING 64        /* attempts that may be under way or wait to be told */
#define THREADS 8
#define HEAP (4 << 20)

static const char *const words[FOUND_COUNT] = {
	[FOUND_TITLE] = "title", [FOUND_PURPOSE] = "purpose", [FOUND_CODE] = "code", [FOUND_STDOUT] = "stdout",
	[FOUND_STDERR] = "stderr", [FOUND_NAME] = "name", [FOUND_FILE] = "file", [FOUND_INPUT] = "input", [FOUND_MARK] = "mark",
	[FOUND_NOTE] = "note", [FOUND_MESSAGE] = "message",
};

const char *found_word(enum found_in in)
{
	return words[in];
}

struct slot {
	struct found found;
	bool done;
};

struct hunt {
	const char *record;
	bool evidence;
	const struct record_search_request *r;
	struct blanks *blanks;
	atomic_bool ending;      /* nobody wants more */
	/* under the lock */
	pthread_mutex_t lock;
	pthread_cond_t found;    /* the next slot has hits, or a thread ended */
	pthread_cond_t room;     /* a slot is free */
	int cramped;             /* threads that wait for room */
	int64_t page[PAGE];
	size_t page_n, page_at;
	int64_t after;           /* keyset of the next page */
	bool listed;             /* there are no more pages */
	uint64_t taken, told;    /* attempts handed out, attempts told: their slots are between */
	int threads;             /* that run */
	struct slot ring[RING];
	struct record_search_sum passed; /* of attempts without a hit that nobody was told of yet */
	struct err error;
};

static bool should_stop(void *ctx)
{
	struct hunt *h = ctx;

	return atomic_load_explicit(&h->ending, memory_order_relaxed) || (h->r->cancelled && h->r->cancelled(h->r->ctx));
}

/* ---- which attempt next ------------------------------------------------------------------------------ */

static bool note_id(void *ctx, const struct attempt_row *row)
{
	struct hunt *h = ctx;

	h->after = row->id;
	if (!row->check)
		h->page[h->page_n++] = row->id;
	return true;
}

/* With the lock held; `st` is the caller's own. */
static bool next_id(struct hunt *h, struct store *st, int64_t *id)
{
	while (h->page_at == h->page_n && !h->listed) {
		int64_t after = h->after;

		h->page_at = h->page_n = 0;
		if (!store_attempts(st, after, true, PAGE, note_id, h, &h->error))
			h->listed = true;
		h->listed = h->listed || h->after == after || h->after <= 1;
	}
	if (h->page_at == h->page_n)
		return false;
	*id = h->page[h->page_at++];
	return true;
}

/* Takes an attempt and its slot; false: there is nothing more to do. */
static bool take(struct hunt *h, struct store *st, int64_t *id, struct slot **slot)
{
	bool got = false;

	pthread_mutex_lock(&h->lock);
	h->cramped++;
	while (!should_stop(h) && h->taken - h->told >= RING)
		pthread_cond_wait(&h->room, &h->lock);
	h->cramped--;
	if (!should_stop(h) && next_id(h, st, id)) {
		*slot = &h->ring[h->taken++ % RING];
		got = true;
	}
	pthread_mutex_unlock(&h->lock);
	return got;
}

/* ---- what was found ------------------------------------------------------------------------------------ */

static void add_sum(struct record_search_sum *sum, const struct record_search_sum *s)
{
	sum->hits += s->hits;
	sum->attempts += s->attempts;
	sum->bytes += s->bytes;
	sum->undecided += s->undecided;
	sum->unreadable += s->unreadable;
	sum->binary += s->binary;
	sum->missing += s->missing;
}

/* With the lock held. What has no hit is only counted, by whoever comes by: most attempts have none, and to wake the
 * one who tells for each would cost more than to look at it. */
static void pass(struct hunt *h)
{
	uint64_t before = h->told;

	for (; h->told < h->taken; h->told++) {
		struct slot *slot = &h->ring[h->told % RING];

		if (!slot->done || slot->found.n > 0)
			break;
		add_sum(&h->passed, &slot->found.sum);
		found_free(&slot->found);
		slot->done = false;
	}
	if (h->cramped && h->told != before)
		pthread_cond_broadcast(&h->room);
	if (h->ring[h->told % RING].done)
		pthread_cond_signal(&h->found);
}

/* ---- the threads ---------------------------------------------------------------------------------------- */

static void fail(struct hunt *h, const struct err *e)
{
	pthread_mutex_lock(&h->lock);
	if (h->error.code == ERR_NONE)
		h->error = *e;
	pthread_mutex_unlock(&h->lock);
	atomic_store(&h->ending, true);
}

static void *work(void *arg)
{
	struct hunt *h = arg;
	struct looker l = { .r = h->r, .blanks = h->blanks, .stop = should_stop, .stop_ctx = h };
	struct err e = { 0 };
	struct slot *slot;
	int64_t id;

	heap_hold(HEAP); /* of this thread: SQLite takes its pages one by one */
	bool ok = looker_open(&l, h->record, h->evidence, &e);
	if (!ok)
		fail(h, &e);
	while (ok && take(h, l.st, &id, &slot)) {
		look_at_attempt(&l, id, &slot->found);
		pthread_mutex_lock(&h->lock);
		slot->done = true;
		pass(h);
		pthread_mutex_unlock(&h->lock);
	}
	looker_close(&l);
	pthread_mutex_lock(&h->lock);
	h->threads--;
	pthread_cond_signal(&h->found);
	pthread_cond_broadcast(&h->room);
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

static bool tell(const struct found *f, bool (*hit)(void *ctx, const struct record_hit *h), void *ctx, struct record_search_sum *sum)
{
	bool more = true;

	add_sum(sum, &f->sum);
	for (size_t i = 0; more && i < f->n; i++) {
		struct record_hit v = found_hit(f, i);
		more = hit(ctx, &v);
	}
	return more;
}

/* Tells slot by slot, in the caller's thread. */
static void collect(struct hunt *h, bool (*hit)(void *ctx, const struct record_hit *h), void *ctx, struct record_search_sum *sum)
{
	for (bool more = true; more;) {
		struct found found = { 0 };
		struct slot *slot;

		pthread_mutex_lock(&h->lock);
		while (!(slot = &h->ring[h->told % RING])->done && h->threads > 0)
			pthread_cond_wait(&h->found, &h->lock);
		more = slot->done;
		if (!atomic_load(&h->ending))
			add_sum(sum, &h->passed);
		h->passed = (struct record_search_sum){ 0 };
		if (more) {
			found = slot->found;
			*slot = (struct slot){ 0 };
			h->told++;
			pthread_cond_broadcast(&h->room);
			pass(h);
		}
		pthread_mutex_unlock(&h->lock);
		if (!atomic_load(&h->ending) && !tell(&found, hit, ctx, sum))
			atomic_store(&h->ending, true);
		found_free(&found);
	}
}

/* ---- from begin to end ------------------------------------------------------------------------------------- */

static void start_threads(struct hunt *h, pthread_t *threads, int n)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&h->lock);
	for (int i = 0; i < n && pthread_create(&threads[i], NULL, work, h) == 0; i++)
		h->threads++;
	pthread_mutex_unlock(&h->lock);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static int threads_for(const struct record_search_request *r)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return r->threads > 0 ? MIN(r->threads, THREADS) : (int)MAX(1, MIN(cores, THREADS));
}

static bool search_messages(struct hunt *h, bool (*hit)(void *ctx, const struct record_hit *h), void *ctx, struct record_search_sum *sum,
                            struct err *e)
{
	struct looker l = { .r = h->r, .blanks = h->blanks, .stop = should_stop, .stop_ctx = h };
	struct found messages = { 0 };
	bool ok = looker_open(&l, h->record, h->evidence, e) && look_at_messages(&l, &messages, e);

	if (ok)
		tell(&messages, hit, ctx, sum);
	looker_close(&l);
	found_free(&messages);
	return ok;
}

static bool run(struct hunt *h, bool (*hit)(void *ctx, const struct record_hit *h), void *ctx, struct record_search_sum *sum, struct err *e)
{
	pthread_t threads[THREADS];
	int n;

	start_threads(h, threads, threads_for(h->r));
	n = h->threads;
	if (n == 0)
		return err_set(e, ERR_SYS, "no thread could be started");
	collect(h, hit, ctx, sum);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	if (h->error.code != ERR_NONE) {
		if (e)
			*e = h->error;
		return false;
	}
	if (h->r->cancelled && h->r->cancelled(h->r->ctx))
		return err_set(e, ERR_CANCELLED, "cancelled");
	if (atomic_load(&h->ending) || (h->r->in && !(h->r->in & 1u << FOUND_MESSAGE)))
		return true;
	return search_messages(h, hit, ctx, sum, e);
}

bool record_search(const char *record, bool evidence, const struct record_search_request *r, bool (*hit)(void *ctx, const struct record_hit *h),
                   void *ctx, struct record_search_sum *sum, size_t *error_at, struct err *e)
{
	struct search *probe = search_compile(r->pattern, r->pattern_len, r->flags, error_at, e);
	struct hunt *h;
	bool ok;

	*sum = (struct record_search_sum){ 0 };
	if (!probe)
		return false;
	search_free(probe);
	h = xcalloc(1, sizeof(*h));
	h->record = record;
	h->evidence = evidence;
	h->r = r;
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->found, NULL);
	pthread_cond_init(&h->room, NULL);
	h->blanks = blanks_new();
	ok = run(h, hit, ctx, sum, e);
	blanks_free(h->blanks);
	for (size_t i = 0; i < RING; i++)
		found_free(&h->ring[i].found);
	pthread_cond_destroy(&h->found);
	pthread_cond_destroy(&h->room);
	pthread_mutex_destroy(&h->lock);
	free(h);
	return ok;
}
