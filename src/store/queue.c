/* Beginning an attempt: all that it rests on and its row, in one durable transaction. */
#include "queue.h"

#include <assert.h>
#include <string.h>

#include "blob.h"
#include "db.h"
#include "environment.h"
#include "ledger.h"
#include "manifest.h"
#include "tally.h"

static bool get_number(struct store *st, enum sql_id sql, int64_t of, int64_t *out, struct err *e)
{
	struct sql q;

	if (!sql_start(st, sql, &q, e))
		return false;
	bind_int(&q, of);
	return sql_int(&q, out, e);
}

static bool add_step(struct store *st, const struct attempt *a, const struct step *s, int64_t *number, struct err *e)
{
	int64_t asker;
	struct sql q;

	if (!s)
		return err_set(e, ERR_INPUT, "a new step needs a title and who asked for it");
	if (!asker_put(st, s->asker.name ? &s->asker : &a->asker, &asker, e) || !sql_start(st, SQL_STEP_ADD, &q, e))
		return false;
	bind_text(&q, s->title ? s->title : "");
	bind_text(&q, s->purpose);
	bind_name(&q, s->script);
	bind_int(&q, asker);
	bind_int(&q, s->created_us ? s->created_us : a->queued_us);
	if (!sql_run(&q, e))
		return false;
	*number = sqlite3_last_insert_rowid(st->db);
	return true;
}

/* Step and number of a check are those of the attempt that it repeats. */
static bool number_check(struct store *st, struct attempt *a, struct err *e)
{
	enum sql_answer answer;
	bool is_check = false;
	struct sql q;

	if (!sql_start(st, SQL_ATTEMPT_NUMBERS, &q, e))
		return false;
	bind_int(&q, a->check_of);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		a->step = col_int(&q);
		a->number = col_int(&q);
		is_check = col_int(&q) != 0;
	}
	sql_end(&q);
	if (answer == SQL_FAILED)
		return false;
	if (answer == SQL_DONE)
		return err_set(e, ERR_NOTFOUND, "%s: the attempt to repeat is not there", st->path);
	if (is_check)
		return err_set(e, ERR_INPUT, "a check is no attempt that could be repeated");
	if (!get_number(st, SQL_ATTEMPT_NEXT_CHECK, a->check_of, &a->check, e))
		return false;
	a->check = MAX(a->check, (int64_t)1);
	return true;
}

static bool number_attempt(struct store *st, struct attempt *a, const struct step *s, bool *new_step, struct err *e)
{
	*new_step = false;
	if (a->check_of)
		return number_check(st, a, e);
	a->check = 0;
	if (a->step == 0) {
		*new_step = true;
		a->number = 1;
		return add_step(st, a, s, &a->step, e);
	}
	if (!get_number(st, SQL_ATTEMPT_NEXT_NUMBER, a->step, &a->number, e))
		return false;
	if (a->number == 0)
		return err_set(e, ERR_NOTFOUND, "%s: there is no step %lld", st->path, (long long)a->step);
	return true;
}

/* Makes sure of everything that the row refers to. */
static bool put_code(struct store *st, struct attempt *a, const struct queue_with *with, int64_t *code, struct err *e)
{
	char hex[DIGEST_HEX];
	int64_t size;

	if (with->code)
		return blob_put(st, with->code, with->code_len, &a->code, code, e);
	if (!blob_find(st, &a->code, code, &size, e))
		return false;
	digest_hex(&a->code, hex);
	return *code != 0 || err_set(e, ERR_NOTFOUND, "%s: the code %.12s is not kept", st->path, hex);
}

static bool put_shared(struct store *st, struct attempt *a, const struct queue_with *with,
                       const struct digest *offered, struct err *e)
{
	int64_t base = 0;

	if (with->offered && with->offered_base)
		(void)store_manifest_find(st, with->offered_base, &base);
	return (!with->environment || environment_put(st, with->environment, &a->environment, e)) &&
	       (!with->policy || policy_put(st, with->policy, &a->policy, e)) &&
	       (!with->offered ||
	        manifest_put(st, with->offered, with->offered_n, offered, base, &a->offered, e));
}

static bool add_attempt(struct store *st, struct attempt *a, int64_t code, struct err *e)
{
	int64_t asker, place;
	struct sql q;

	if (!asker_put(st, &a->asker, &asker, e) || !place_put(st, a, &place, e) || !sql_start(st, SQL_ATTEMPT_ADD, &q, e))
		return false;
	bind_blob(&q, a->uuid.b, sizeof(a->uuid.b));
	bind_int(&q, a->step);
	bind_int(&q, a->number);
	bind_id(&q, a->check_of);
	bind_id(&q, a->check);
	bind_int(&q, asker);
	bind_int(&q, a->queued_us);
	bind_int(&q, code);
	bind_name(&q, a->script);
	bind_text(&q, a->origin);
	bind_name(&q, a->cwd);
	bind_text(&q, a->title);
	bind_text(&q, a->purpose);
	bind_int(&q, a->environment);
	bind_int(&q, a->policy);
	bind_int(&q, a->offered);
	bind_id(&q, a->retry_of);
	bind_text(&q, a->vary);
	bind_int(&q, place);
	if (!sql_run(&q, e))
		return false;
	a->id = sqlite3_last_insert_rowid(st->db);
	return true;
}

static bool add_arg(struct store *st, const struct attempt *a, size_t i, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_ARG_ADD, &q, e))
		return false;
	bind_int(&q, a->id);
	bind_int(&q, (int64_t)i);
	bind_blob(&q, a->args[i], strlen(a->args[i]));
	return sql_run(&q, e);
}

static bool add_env(struct store *st, const struct attempt *a, size_t i, struct err *e)
{
	const char *value = a->env_values ? a->env_values[i] : NULL;
	struct sql q;

	if (!sql_start(st, SQL_ENV_ADD, &q, e))
		return false;
	bind_int(&q, a->id);
	bind_int(&q, (int64_t)i);
	bind_text(&q, a->env_names[i]);
	if (value)
		bind_blob(&q, value, strlen(value));
	else
		bind_null(&q);
	return sql_run(&q, e);
}

static bool add_call(struct store *st, const struct attempt *a, size_t i, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_CALL_ADD, &q, e))
		return false;
	bind_int(&q, a->id);
	bind_text(&q, a->calls[i]);
	return sql_run(&q, e);
}

static bool add_lists(struct store *st, const struct attempt *a, struct err *e)
{
	for (size_t i = 0; a->args && a->args[i]; i++)
		if (!add_arg(st, a, i, e))
			return false;
	for (size_t i = 0; a->env_names && a->env_names[i]; i++)
		if (!add_env(st, a, i, e))
			return false;
	for (size_t i = 0; a->calls && a->calls[i]; i++)
		if (!add_call(st, a, i, e))
			return false;
	return true;
}

bool queue_attempt(struct store *st, struct attempt *a, const struct queue_with *with, const struct digest *offered,
                   struct err *e)
{
	int64_t code;
	bool new_step;

	return number_attempt(st, a, with->step, &new_step, e) && put_code(st, a, with, &code, e) &&
	       put_shared(st, a, with, offered, e) && add_attempt(st, a, code, e) && add_lists(st, a, e) &&
	       tally_queued(st, a, new_step, e) && ledger_append(st, "queued", a->id, NULL, e);
}

/* What the caller says of a set is believed as far as there is such a set; one that comes in is hashed. */
static struct digest hash_offered(struct store *st, const struct queue_with *with)
{
	int64_t id;

	if (!with->offered)
		return (struct digest){ 0 };
	if (with->offered_sha256 && store_manifest_find(st, with->offered_sha256, &id))
		return *with->offered_sha256;
	return store_manifest_hash(with->offered, with->offered_n);
}

bool store_attempt_queue(struct store *st, struct attempt *a, const struct queue_with *with, struct err *e)
{
	static const struct queue_with nothing = { 0 };
	struct attempt filled = *a;
	struct digest offered;

	assert(a->script && a->box && a->cwd);
	if (!filled.queued_us)
		filled.queued_us = clock_now_us();
	if (!with)
		with = &nothing;
	offered = hash_offered(st, with); /* before others have to wait for us */
	if (!db_begin(st, DB_FULL, e) || !db_end(st, queue_attempt(st, &filled, with, &offered, e), e))
		return false;
	*a = filled;
	return true;
}
