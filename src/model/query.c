/* Reading the record: references, one attempt, its bytes, what changed since. */
#include "query_private.h"
#include "store/keep.h"

#include "control.h"
#include "store/review.h"
#include "reviewing.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct query *open_mode(struct workspace *ws, const char *path, enum store_mode mode, struct err *e)
{
	struct store *st = store_open(path, mode, e);

	if (!st)
		return NULL;
	struct query *q = xcalloc(1, sizeof(*q));
	q->ws = ws;
	q->store = st;
	return q;
}

struct query *query_open(struct workspace *ws, struct err *e)
{
	return open_mode(ws, ws->record, STORE_READ, e);
}

struct query *query_open_file(const char *path, struct err *e)
{
	return open_mode(NULL, path, STORE_EVIDENCE, e);
}

void query_close(struct query *q)
{
	if (!q)
		return;
	store_close(q->store);
	free(q);
}

bool query_is_unchanged(struct query *q, struct err *e)
{
	return store_is_unchanged(q->store, e);
}

void query_expect_detail(struct query *q)
{
	store_expect(q->store, STORE_DETAIL);
}

bool query_is_evidence(const struct query *q)
{
	return !q->ws;
}

/* ---- references ---- */

static void format_ref(const struct attempt *a, char out[REF_TEXT])
{
	if (a->check)
		snprintf(out, REF_TEXT, "%lld.%lldr%lld", (long long)a->step, (long long)a->number, (long long)a->check);
	else
		snprintf(out, REF_TEXT, "%lld.%lld", (long long)a->step, (long long)a->number);
}

/* True when it was taken away, and says so. */
static bool tell_pruned(struct query *q, const struct ref *ref, struct err *e)
{
	char text[REF_TEXT], when[CLOCK_TEXT];

	snprintf(text, sizeof(text), ref->check ? "%lld.%lldr%lld" : "%lld.%lld", (long long)ref->step,
	         (long long)MAX(ref->attempt, 1), (long long)ref->check);
	int64_t at_us = store_pruned_at(q->store, text);
	if (at_us == 0)
		return false;
	clock_local(at_us, when);
	err_set(e, ERR_NOTFOUND, "%s was pruned on %s", text, when);
	return true;
}

static bool tell_missing(struct query *q, const struct ref *ref, struct err *e)
{
	int64_t last = 0, id = 0, n = 0, steps = 0;
	struct attempt_full full;

	if (tell_pruned(q, ref, e))
		return false;
	if (!store_attempt_find(q->store, ref->step, 0, 0, &last, e))
		return false;
	if (last == 0) {
		if (!store_step_last(q->store, &steps, e))
			return false;
		return err_set(e, ERR_NOTFOUND, "there is no step %lld: %s%lld", (long long)ref->step,
		               steps ? "the newest is " : "the record has ", (long long)steps);
	}
	if (!store_attempt_get(q->store, last, &full, e))
		return false;
	n = full.last_number;
	store_attempt_free(&full);
	if (ref->check && store_attempt_find(q->store, ref->step, ref->attempt, 0, &id, NULL) && id)
		return err_set(e, ERR_NOTFOUND, "there is no check %lld of %lld.%lld", (long long)ref->check,
		               (long long)ref->step, (long long)ref->attempt);
	return err_set(e, ERR_NOTFOUND, "there is no %lld.%lld: step %lld has %lld attempt%s", (long long)ref->step,
	               (long long)ref->attempt, (long long)ref->step, (long long)n, n == 1 ? "" : "s");
}

bool query_resolve(struct query *q, const struct ref *ref, int64_t *attempt, struct err *e)
{
	*attempt = 0;
	if (ref->branch[0])
		return err_set(e, ERR_NOTFOUND, "there is no branch %s", ref->branch);
	if (ref->kind == REF_LAST) {
		if (!store_attempt_last(q->store, ref->back, attempt, e))
			return false;
		if (!*attempt && ref->back)
			return err_set(e, ERR_NOTFOUND, "there is no last~%lld: the record has %lld attempts", (long long)ref->back,
			               (long long)query_tally(q, "attempts"));
		return *attempt || err_set(e, ERR_NOTFOUND, "there is no attempt yet");
	}
	if (!store_attempt_find(q->store, ref->step, ref->attempt, ref->check, attempt, e))
		return false;
	return *attempt || tell_missing(q, ref, e);
}

bool query_resolve_text(struct query *q, const char *text, int64_t *attempt, struct err *e)
{
	struct ref ref;

	return ref_parse(text, &ref, e) && query_resolve(q, &ref, attempt, e);
}

bool query_by_call(struct query *q, const char *call, int64_t *attempt, struct err *e)
{
	return store_attempt_by_call(q->store, call, attempt, e);
}

bool query_ref(struct query *q, int64_t attempt, char out[REF_TEXT], struct err *e)
{
	struct attempt_full full;

	out[0] = '\0';
	if (!store_attempt_get(q->store, attempt, &full, e))
		return false;
	format_ref(&full.attempt, out);
	store_attempt_free(&full);
	return true;
}

/* ---- one attempt ---- */

enum outcome query_state(struct query *q, const struct attempt_row *row)
{
	struct control_row c = { row->uuid, row->host ? row->host : "", row->boot_id ? row->boot_id : "", row->device, row->inode };

	if (outcome_is_end(row->outcome) || !q->ws)
		return row->outcome;
	return control_state(q->ws, &c) == RUNNER_GONE ? OUTCOME_INTERRUPTED : OUTCOME_RUNNING;
}

struct state_of {
	struct query *q;
	int64_t attempt;
	enum outcome state;
};

static bool find_state(void *ctx, const struct attempt_row *row)
{
	struct state_of *s = ctx;

	if (row->id != s->attempt)
		return true;
	s->state = query_state(s->q, row);
	return false;
}

/* What detail->arena points at. */
struct detail_parts {
	struct attempt_full full;
	struct environment env;
	struct manifest inputs, artifacts;
	bool has_env;
	struct review_said said;
};

static bool read_parts(struct query *q, int64_t attempt, struct detail *out, struct detail_parts *p, struct err *e)
{
	struct store *st = q->store;
	const struct attempt *a = &p->full.attempt;

	if (!store_attempt_get(st, attempt, &p->full, e))
		return false;
	p->has_env = store_environment_get(st, a->environment, &p->env, e);
	if (!p->has_env || !store_policy_get(st, a->policy, &out->policy, e) ||
	    !store_manifest_count(st, a->offered, &out->offered_files, &out->offered_bytes, e))
		return false;
	const struct attempt_end *end = &p->full.end;
	return (!end->inputs || store_manifest_get(st, end->inputs, &p->inputs, e)) &&
	       (!end->artifacts || store_manifest_get(st, end->artifacts, &p->artifacts, e)) &&
	       (!a->retry_of || query_ref(q, a->retry_of, out->retry_of, e)) &&
	       (!a->check_of || query_ref(q, a->check_of, out->check_of, e)) &&
	       (a->check_of || review_read(st, attempt, &p->said, e));
}

static bool count_message(void *ctx, const struct message *m)
{
	(void)m;
	++*(int64_t *)ctx;
	return true;
}

bool query_detail(struct query *q, int64_t attempt, struct detail *out, struct err *e)
{
	struct detail_parts *p = xcalloc(1, sizeof(*p));

	*out = (struct detail){ .arena = p };
	if (!read_parts(q, attempt, out, p, e) || !store_messages_of(q->store, attempt, count_message, &out->messages, e)) {
		query_detail_free(out);
		return false;
	}
	format_ref(&p->full.attempt, out->ref);
	out->step = p->full.step;
	out->attempt = p->full.attempt;
	out->end = p->full.end;
	out->env = p->env;
	out->inputs = p->inputs.entries;
	out->inputs_n = p->inputs.n;
	out->artifacts = p->artifacts.entries;
	out->artifacts_n = p->artifacts.n;
	out->refusals = p->full.refusals;
	out->refusals_n = p->full.refusals_n;
	out->verdict = p->full.verdict;
	out->first_at = p->full.first_at;
	out->qualified = p->full.qualified;
	out->last_number = p->full.last_number;
	out->marks = p->said.marks;
	out->marks_n = p->said.marks_n;
	out->notes = p->said.notes;
	out->notes_n = p->said.notes_n;

	struct state_of s = { q, attempt, p->full.end.outcome };
	if (!p->full.end.attempt && !store_running(q->store, find_state, &s, e)) {
		query_detail_free(out);
		return false;
	}
	out->state = s.state;
	return true;
}

void query_detail_free(struct detail *d)
{
	struct detail_parts *p = d->arena;

	if (p) {
		store_attempt_free(&p->full);
		if (p->has_env)
			store_environment_free(&p->env);
		store_manifest_free(&p->inputs);
		store_manifest_free(&p->artifacts);
		review_said_free(&p->said);
	}
	free(p);
	*d = (struct detail){ 0 };
}

/* ---- bytes ---- */

bool query_blob(struct query *q, const struct digest *d, bytes_fn fn, void *ctx, struct err *e)
{
	return store_blob_each(q->store, d, fn, ctx, e);
}

bool query_code(struct query *q, int64_t attempt, bytes_fn fn, void *ctx, struct err *e)
{
	struct attempt_full full;

	if (!store_attempt_get(q->store, attempt, &full, e))
		return false;
	struct digest code = full.attempt.code;
	store_attempt_free(&full);
	return store_blob_each(q->store, &code, fn, ctx, e);
}

struct counted {
	chunk_fn fn;
	void *ctx;
	size_t n;
};

static bool count_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	struct counted *t = ctx;

	t->n++;
	return t->fn(t->ctx, c, e);
}

/* What a prune took is no empty stream: a gap of its size stands for each. */
static bool pruned_chunks(struct query *q, int64_t attempt, int stream, chunk_fn fn, void *ctx, struct err *e)
{
	int64_t lost[3];
	bool ok = store_pruned_streams(q->store, attempt, lost, e);

	for (int i = STREAM_OUT; ok && i <= STREAM_ERR; i++) {
		struct chunk gap = { .stream = (enum stream_id)i, .gap = lost[i], .bytes = "" };

		if (gap.gap > 0 && (!stream || stream == i))
			ok = fn(ctx, &gap, e);
	}
	return ok;
}

bool query_chunks(struct query *q, int64_t attempt, int stream, chunk_fn fn, void *ctx, struct err *e)
{
	struct counted c = { fn, ctx, 0 };

	return store_chunks(q->store, attempt, stream, count_chunk, &c, e) &&
	       (c.n > 0 || pruned_chunks(q, attempt, stream, fn, ctx, e));
}

bool query_offered(struct query *q, int64_t attempt, bool (*fn)(void *ctx, const struct entry *f), void *ctx, struct err *e)
{
	struct attempt_full full;
	struct manifest m;

	if (!store_attempt_get(q->store, attempt, &full, e))
		return false;
	int64_t offered = full.attempt.offered;
	store_attempt_free(&full);
	if (!store_manifest_get(q->store, offered, &m, e))
		return false;
	for (size_t i = 0; i < m.n && fn(ctx, &m.entries[i]); i++)
		;
	store_manifest_free(&m);
	return true;
}

/* ---- one state for many ---- */

bool query_hold(struct query *q)
{
	return store_hold(q->store);
}

void query_release(struct query *q, bool held)
{
	store_release(q->store, held);
}

void query_set_cancel(struct query *q, struct cancel c)
{
	q->cancel = c;
}

/* ---- writing ---- */

#define NAP_US 20000

bool query_wait_for_record(struct query *q, const char *record, struct err *e)
{
	struct store *st = store_open(record, STORE_WRITE, e);
	bool ok = false;

	while (st && !(ok = store_is_free(st, e)) && e->code == ERR_BUSY && !cancel_is_asked(&q->cancel, "waiting for the record", e))
		clock_pause(NAP_US);
	store_close(st);
	return ok;
}

/* ---- verify ---- */

bool query_knows_all(struct query *q, struct err *e)
{
	int newer = store_newer(q->store);

	return newer == 0 || err_set(e, ERR_VERSION, "the record was made by a newer tickmark (record version %d, this one knows less), and "
	                             "only that one can verify it: update, or ask for it where the record comes from; what is known here "
	                             "can be read (tickmark log)", newer);
}

bool query_verify(struct query *q, void (*fault)(void *ctx, const char *what), bool (*progress)(void *ctx, int64_t done, int64_t total),
                  void *ctx, struct verify_report *out, struct err *e)
{
	struct verify_result r = { 0 };

	if (!store_verify(q->store, fault, progress, ctx, &r, e))
		return false;
	*out = (struct verify_report){
		.entries = r.entries, .attempts = r.attempts, .checks = r.checks, .blobs = r.blobs, .bytes = r.bytes,
		.faults = r.faults, .newest_us = r.newest_us, .head_seq = r.head.seq, .head = r.head.entry, .running = r.running,
	};
	return true;
}
