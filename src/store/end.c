/* Streams while an attempt runs, and its end: one durable transaction. */
#include "queue.h"

#include <string.h>

#include "db.h"
#include "ledger.h"
#include "manifest.h"
#include "tally.h"

#define CHUNK_BITS 32 /* of a chunk's id, for its place among those of its attempt */
#define TWIN_LEAST 8  /* bytes that are worth naming another piece */
#define TWIN_NEAR 8   /* pieces that are looked at: the order of the streams may differ a little */

void store_chunks_hash_begin(struct chunks_hash *h)
{
	hash_begin(&h->rows);
	for (size_t i = 0; i < ARRAY_LEN(h->bytes); i++)
		hash_begin(&h->bytes[i]);
}

void store_chunks_hash_add(struct chunks_hash *h, const struct chunk *c)
{
	hash_int(&h->rows, c->stream);
	hash_int(&h->rows, c->group);
	hash_int(&h->rows, c->offset_us);
	hash_int(&h->rows, c->position);
	hash_int(&h->rows, c->gap);
	hash_int(&h->rows, (int64_t)c->len);
	hash_add(&h->bytes[c->stream == STREAM_ERR], c->bytes, c->len);
}

struct digest store_chunks_hash_end(struct chunks_hash *h, struct digest streams[2])
{
	for (size_t i = 0; i < ARRAY_LEN(h->bytes); i++) {
		struct digest d = hash_end(&h->bytes[i]);

		hash_blob(&h->rows, d.b, sizeof(d.b));
		if (streams)
			streams[i] = d;
	}
	return hash_end(&h->rows);
}

/* What its pieces and its end have to know of an attempt. */
static bool get_attempt(struct store *st, int64_t id, struct attempt *a, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	*a = (struct attempt){ .id = id };
	if (!sql_start(st, SQL_ATTEMPT_NUMBERS, &q, e))
		return false;
	bind_int(&q, id);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		a->step = col_int(&q);
		a->number = col_int(&q);
		a->check_of = col_int(&q);
		a->offered = col_int(&q);
	}
	sql_end(&q);
	if (answer == SQL_DONE)
		return err_set(e, ERR_NOTFOUND, "%s: there is no attempt with id %lld", st->path, (long long)id);
	return answer == SQL_ROW;
}

/* Where the pieces of an attempt go, and those of the attempt that it repeats, if it is a check. */
struct place {
	int64_t attempt;
	int64_t next;      /* id of the next piece */
	int64_t check_of;  /* 0: an attempt */
};

static bool find_place(struct store *st, int64_t attempt, int64_t check_of, struct place *p, struct err *e)
{
	struct sql q;

	*p = (struct place){ .attempt = attempt, .check_of = check_of };
	if (!sql_start(st, SQL_CHUNK_LAST, &q, e))
		return false;
	bind_int(&q, attempt);
	if (!sql_int(&q, &p->next, e))
		return false;
	p->next = p->next ? p->next + 1 : attempt << CHUNK_BITS;
	return true;
}

/* A piece with the same bytes at the same place of the attempt that is repeated; 0: none. */
static bool find_twin(struct store *st, const struct place *p, const struct chunk *c, int64_t *twin, struct err *e)
{
	int64_t like = (p->check_of << CHUNK_BITS) + (p->next - (p->attempt << CHUNK_BITS));
	struct sql q;

	*twin = 0;
	if (!p->check_of || c->len < TWIN_LEAST)
		return true;
	if (!sql_start(st, SQL_CHUNK_TWIN, &q, e))
		return false;
	bind_int(&q, MAX(like - TWIN_NEAR, p->check_of << CHUNK_BITS));
	bind_int(&q, like + TWIN_NEAR);
	bind_int(&q, c->stream);
	bind_int(&q, c->position);
	bind_int(&q, (int64_t)c->len);
	bind_blob(&q, c->bytes, c->len);
	return sql_int(&q, twin, e);
}

static bool add_chunk(struct store *st, struct place *p, const struct chunk *c, struct err *e)
{
	int64_t twin;
	struct sql q;

	if (!find_twin(st, p, c, &twin, e) || !sql_start(st, SQL_CHUNK_ADD, &q, e))
		return false;
	bind_int(&q, p->next++);
	bind_int(&q, c->stream);
	bind_int(&q, c->group);
	bind_int(&q, c->offset_us);
	bind_int(&q, c->position);
	bind_int(&q, c->gap);
	if (twin)
		bind_null(&q);
	else
		bind_blob(&q, c->bytes, c->len);
	bind_id(&q, twin);
	return sql_run(&q, e);
}

static bool add_chunks(struct store *st, int64_t attempt, int64_t check_of, const struct chunk *chunks, size_t n,
                       struct err *e)
{
	struct place p;

	if (n == 0)
		return true;
	if (!find_place(st, attempt, check_of, &p, e))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!add_chunk(st, &p, &chunks[i], e))
			return false;
	return true;
}

bool store_chunks_add(struct store *st, int64_t attempt, const struct chunk *chunks, size_t n, struct err *e)
{
	struct attempt a;

	if (n == 0)
		return true;
	return get_attempt(st, attempt, &a, e) && db_begin(st, DB_NORMAL, e) &&
	       db_end(st, add_chunks(st, attempt, a.check_of, chunks, n, e), e);
}

struct copying {
	struct store *st;
	struct place place;
};

static bool copy_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	struct copying *to = ctx;

	return add_chunk(to->st, &to->place, c, e);
}

bool end_copy_chunks(struct store *st, const struct attempt *to, struct store *from, int64_t attempt, struct err *e)
{
	struct copying c = { .st = st };

	return find_place(st, to->id, to->check_of, &c.place, e) && store_chunks(from, attempt, 0, copy_chunk, &c, e);
}

/* ---- the end --------------------------------------------------------------------------------------- */

static void bind_exit(struct sql *q, const struct attempt_end *end)
{
	if (end->exit_code < 0)
		bind_null(q);
	else
		bind_int(q, end->exit_code);
	bind_id(q, end->signal);
	bind_int(q, end->signal_ours);
}

static void bind_limit(struct sql *q, const struct attempt_end *end)
{
	bind_text(q, end->limit);
	if (end->limit) {
		bind_int(q, end->limit_value);
		bind_int(q, end->limit_reached);
	} else {
		bind_null(q);
		bind_null(q);
	}
}

static bool add_end(struct store *st, const struct attempt_end *end, const struct end_with *with, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_END_ADD, &q, e))
		return false;
	bind_int(&q, end->attempt);
	bind_id(&q, end->started_us);
	bind_int(&q, end->ended_us);
	bind_int(&q, end->wall_us);
	bind_text(&q, outcome_word(end->outcome));
	bind_exit(&q, end);
	bind_limit(&q, end);
	bind_text(&q, end->stopped_by);
	bind_text(&q, end->detail ? end->detail : "");
	bind_int(&q, end->cpu_user_us);
	bind_int(&q, end->cpu_system_us);
	bind_int(&q, end->peak_memory);
	bind_text(&q, end->memory_by == MEMORY_BY_UNKNOWN ? NULL : memory_by_word(end->memory_by));
	bind_int(&q, end->killed);
	bind_int(&q, end->out_bytes);
	bind_int(&q, end->err_bytes);
	bind_digest(&q, &end->out_sha256);
	bind_digest(&q, &end->err_sha256);
	bind_id(&q, end->inputs);
	bind_int(&q, end->inputs_complete);
	bind_id(&q, end->artifacts);
	bind_text(&q, end->backend);
	bind_int(&q, end->figures_lost);
	bind_int(&q, end->answer);
	bind_text(&q, with->verdict == VERDICT_NONE ? NULL : verdict_word(with->verdict));
	bind_text(&q, with->first_at);
	bind_text(&q, with->qualified);
	return sql_run(&q, e);
}

static bool add_refusal(struct store *st, int64_t attempt, int64_t seq, const struct refusal *r, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_REFUSAL_ADD, &q, e))
		return false;
	bind_int(&q, attempt);
	bind_int(&q, seq);
	bind_text(&q, r->kind);
	bind_text(&q, r->call);
	bind_text(&q, r->argument ? r->argument : "");
	bind_int(&q, r->count);
	bind_int(&q, r->first_us);
	bind_int(&q, r->last_us);
	bind_int(&q, r->harmless);
	return sql_run(&q, e);
}

/* Sets of inputs and artifacts are whole: what a person sees in them needs no other set. */
static bool put_sets(struct store *st, struct attempt_end *end, const struct end_with *with, struct err *e)
{
	struct digest inputs = store_manifest_hash(with->inputs, with->inputs_n);
	struct digest artifacts = store_manifest_hash(with->artifacts, with->artifacts_n);

	return manifest_put(st, with->inputs, with->inputs_n, &inputs, 0, &end->inputs, e) &&
	       manifest_put(st, with->artifacts, with->artifacts_n, &artifacts, 0, &end->artifacts, e);
}

static bool hash_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	(void)e;
	store_chunks_hash_add(ctx, c);
	return true;
}

/* Of a runner that vanished nobody has the running hash. */
static bool hash_chunks(struct store *st, int64_t attempt, struct digest *out, struct err *e)
{
	struct chunks_hash h;

	store_chunks_hash_begin(&h);
	if (!store_chunks(st, attempt, 0, hash_chunk, &h, e))
		return false;
	*out = store_chunks_hash_end(&h, NULL);
	return true;
}

/* Contents came in by transactions of their own, and a prune may have taken since what no row named. */
static bool check_kept(struct store *st, int64_t set, size_t n, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (n == 0)
		return true;
	if (!sql_start(st, SQL_MANIFEST_LACKS, &q, e))
		return false;
	bind_int(&q, set);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW)
		err_set(e, ERR_NOTFOUND, "%s: the bytes of %s are not kept; they were pruned meanwhile", st->path, col_name(&q));
	sql_end(&q);
	return answer == SQL_DONE;
}

static bool add_facts(struct store *st, const struct attempt *a, struct attempt_end *end, const struct end_with *with,
                      struct err *e)
{
	if (!add_chunks(st, a->id, a->check_of, with->chunks, with->chunks_n, e) || !put_sets(st, end, with, e) ||
	    !check_kept(st, end->inputs, with->inputs_n, e) || !check_kept(st, end->artifacts, with->artifacts_n, e) ||
	    !add_end(st, end, with, e))
		return false;
	for (size_t i = 0; i < with->refusals_n; i++)
		if (!add_refusal(st, a->id, (int64_t)i, &with->refusals[i], e))
			return false;
	return !digest_is_zero(&end->chunks_sha256) || hash_chunks(st, a->id, &end->chunks_sha256, e);
}

static bool refuse_second(struct store *st, const struct attempt *a, struct err *e)
{
	int64_t ended;
	struct sql q;

	if (!sql_start(st, SQL_END_GET, &q, e))
		return false;
	bind_int(&q, a->id);
	if (!sql_int(&q, &ended, e))
		return false;
	return ended == 0 || err_set(e, ERR_EXISTS, "%s: attempt %lld.%lld has ended already", st->path,
	                             (long long)a->step, (long long)a->number);
}

bool end_attempt(struct store *st, struct attempt_end *end, const struct end_with *with, struct err *e)
{
	struct attempt a;

	return get_attempt(st, end->attempt, &a, e) && refuse_second(st, &a, e) && add_facts(st, &a, end, with, e) &&
	       tally_ended(st, &a, end, with, e) && ledger_append(st, "ended", a.id, &end->chunks_sha256, e);
}

bool store_attempt_end(struct store *st, struct attempt_end *end, const struct end_with *with, struct err *e)
{
	static const struct end_with nothing = { 0 };

	if (!outcome_is_end(end->outcome))
		return err_set(e, ERR_INPUT, "\"%s\" ends no attempt", outcome_word(end->outcome));
	return db_begin(st, DB_FULL, e) && db_end(st, end_attempt(st, end, with ? with : &nothing, e), e);
}

bool store_chunks(struct store *st, int64_t attempt, int stream, store_chunk_fn fn, void *ctx, struct err *e)
{
	enum sql_answer answer;
	bool ok = true;
	struct sql q;

	if (!sql_start(st, SQL_CHUNK_EACH, &q, e))
		return false;
	bind_int(&q, attempt);
	bind_int(&q, stream);
	while (ok && (answer = sql_row(&q, e)) == SQL_ROW) {
		struct chunk c;

		col_int(&q); /* id */
		c.stream = (enum stream_id)col_int(&q);
		c.group = col_int(&q);
		c.offset_us = col_int(&q);
		c.position = col_int(&q);
		c.gap = col_int(&q);
		c.bytes = col_blob(&q, &c.len);
		ok = fn(ctx, &c, e);
	}
	sql_end(&q);
	return ok && answer != SQL_FAILED;
}
