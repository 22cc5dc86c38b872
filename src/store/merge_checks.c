/* Checks that a reviewer made, brought home whole: code, files, streams, verdict. */
#include "merge.h"

#include <stdlib.h>

#include "manifest.h"
#include "queue.h"

/* One of theirs on its way. */
struct check {
	struct attempt_full full;
	struct environment environment;
	struct policy policy;
	struct manifest offered, inputs, artifacts;
	struct strv calls;
};

static void check_free(struct check *c)
{
	store_attempt_free(&c->full);
	store_environment_free(&c->environment);
	store_manifest_free(&c->offered);
	store_manifest_free(&c->inputs);
	store_manifest_free(&c->artifacts);
	strv_free(&c->calls);
}

static bool read_calls(struct store *from, int64_t attempt, struct strv *out, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(from, SQL_CALL_EACH, &q, e))
		return false;
	bind_int(&q, attempt);
	while ((answer = sql_row(&q, e)) == SQL_ROW) {
		const char *key = col_text(&q);

		strv_add(out, key ? key : "");
	}
	return answer == SQL_DONE;
}

static bool read_check(struct store *from, int64_t id, struct check *c, struct err *e)
{
	const struct attempt *a = &c->full.attempt;
	const struct attempt_end *end = &c->full.end;

	return store_attempt_get(from, id, &c->full, e) && store_environment_get(from, a->environment, &c->environment, e) &&
	       store_policy_get(from, a->policy, &c->policy, e) && store_manifest_get(from, a->offered, &c->offered, e) &&
	       (!end->inputs || store_manifest_get(from, end->inputs, &c->inputs, e)) &&
	       (!end->artifacts || store_manifest_get(from, end->artifacts, &c->artifacts, e)) && read_calls(from, id, &c->calls, e);
}

/* ---- bytes -------------------------------------------------------------------------------------------- */

/* Large ones go by small transactions, as those of a run do; who is broken off leaves what is collected later. */
static bool copy_content(struct merging *m, const struct digest *d, bool must, bool *lacks)
{
	if (digest_is_zero(d) || store_blob_has(m->st, d, NULL))
		return true;
	if (store_blob_has(m->from, d, NULL))
		return store_blob_copy(m->st, m->owner, m->from, d, m->e);
	*lacks = *lacks || must;
	return true;
}

/* *lacks: something was pruned there that a check must have. */
static bool copy_contents(struct merging *m, const struct check *c, bool *lacks)
{
	const struct manifest *sets[] = { &c->inputs, &c->artifacts };

	if (!copy_content(m, &c->full.attempt.code, true, lacks))
		return false;
	for (size_t s = 0; s < ARRAY_LEN(sets); s++)
		for (size_t i = 0; i < sets[s]->n && !*lacks; i++) {
			const struct entry *f = &sets[s]->entries[i];
			bool kept = (f->what == INPUT_READ || f->what == INPUT_UPDATED) && !f->note;

			if (!copy_content(m, &f->sha256, kept, lacks))
				return false;
		}
	return true;
}

/* ---- rows --------------------------------------------------------------------------------------------- */

/* Theirs by their ids; a set that is here already is the same set. */
static bool map_offered(struct merging *m, struct check *c)
{
	int64_t here;

	if (store_manifest_find(m->st, &c->offered.sha256, &here))
		return true;
	for (size_t i = 0; i < c->offered.n; i++)
		if (!merge_map(m, c->offered.entries[i].from_attempt, &c->offered.entries[i].from_attempt))
			return false;
	return true;
}

static bool add_rows(struct merging *m, struct check *c, int64_t check_of)
{
	struct attempt a = c->full.attempt;
	struct attempt_end end = c->full.end;
	struct digest offered = store_manifest_hash(c->offered.entries, c->offered.n);
	const struct queue_with with = { .environment = &c->environment, .policy = &c->policy, .offered = c->offered.entries,
		                         .offered_n = c->offered.n };
	const struct end_with rest = {
		.inputs = c->inputs.entries, .inputs_n = c->inputs.n, .artifacts = c->artifacts.entries, .artifacts_n = c->artifacts.n,
		.refusals = c->full.refusals, .refusals_n = c->full.refusals_n, .verdict = c->full.verdict,
		.first_at = c->full.first_at, .qualified = c->full.qualified,
	};
	int64_t theirs = a.id;

	a.check_of = check_of;
	a.retry_of = 0;
	a.calls = c->calls.v;
	if (!queue_attempt(m->st, &a, &with, &offered, m->e) || !end_copy_chunks(m->st, &a, m->from, theirs, m->e))
		return false;
	end.attempt = a.id;
	return end_attempt(m->st, &end, &rest, m->e);
}

static bool is_here(struct merging *m, int64_t check_of, const struct uuid *uuid, bool *here)
{
	int64_t id = 0;
	struct sql q;

	if (!sql_start(m->st, SQL_CHECK_BY_UUID, &q, m->e))
		return false;
	bind_int(&q, check_of);
	bind_blob(&q, uuid->b, sizeof(uuid->b));
	bool ok = sql_int(&q, &id, m->e);
	*here = id != 0;
	return ok;
}

/* What becomes of one of theirs. */
enum fate { CHECK_FAILED, CHECK_COMES, CHECK_HERE, CHECK_UNKNOWN };

static enum fate fate_of(struct merging *m, int64_t id, struct check *c, int64_t *check_of)
{
	bool here = false;

	if (!read_check(m->from, id, c, m->e) || !merge_map(m, c->full.attempt.check_of, check_of))
		return CHECK_FAILED;
	if (*check_of == 0)
		return CHECK_UNKNOWN;
	if (!is_here(m, *check_of, &c->full.attempt.uuid, &here))
		return CHECK_FAILED;
	return here ? CHECK_HERE : CHECK_COMES;
}

static bool bring_contents(struct merging *m, int64_t id, struct check *c)
{
	bool lacks = false;
	int64_t check_of;
	enum fate fate = fate_of(m, id, c, &check_of);

	return fate == CHECK_COMES ? copy_contents(m, c, &lacks) : fate != CHECK_FAILED;
}

/* Nobody else can write by now, so that what another merge brought meanwhile is seen. */
static bool bring_check(struct merging *m, int64_t id, struct check *c)
{
	bool lacks = false;
	int64_t check_of;
	enum fate fate = fate_of(m, id, c, &check_of);

	if (fate == CHECK_COMES) {
		if (!copy_contents(m, c, &lacks) || !map_offered(m, c) || (!lacks && !add_rows(m, c, check_of)))
			return false;
		m->out->checks += !lacks;
	}
	m->out->unknown += fate == CHECK_UNKNOWN || lacks;
	m->out->already += fate == CHECK_HERE;
	return fate != CHECK_FAILED;
}

static bool each_check(struct merging *m, bool (*bring)(struct merging *m, int64_t id, struct check *c))
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(m->from, SQL_CHECK_EACH, &q, m->e))
		return false;
	while ((answer = sql_row(&q, m->e)) == SQL_ROW) {
		struct check c = { 0 };
		bool ok = bring(m, col_int(&q), &c);

		check_free(&c);
		if (!ok) {
			sql_end(&q);
			return false;
		}
	}
	return answer == SQL_DONE;
}

bool merge_check_contents(struct merging *m)
{
	return each_check(m, bring_contents);
}

bool merge_checks(struct merging *m)
{
	return each_check(m, bring_check);
}
