/* Reading one attempt, whole, and finding it by what people call it. */
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "db.h"
#include "name.h"

/* ---- whole ---------------------------------------------------------------------------------- */

static const char *keep(struct attempt_full *out, const char *s)
{
	return arena_text(out->arena, s);
}

static const char *keep_or(struct attempt_full *out, const char *s, const char *otherwise)
{
	return s ? arena_text(out->arena, s) : otherwise;
}

static void read_asker(struct sql *q, struct attempt_full *out, struct asker *a)
{
	a->kind = (enum asker_kind)col_int(q);
	a->name = keep_or(out, col_text(q), "");
	a->version = keep(out, col_text(q));
}

static void read_attempt(struct sql *q, struct attempt_full *out)
{
	struct attempt *a = &out->attempt;

	a->id = col_int(q);
	a->uuid = col_uuid(q);
	a->step = col_int(q);
	a->number = col_int(q);
	a->check_of = col_int(q);
	a->check = col_int(q);
	read_asker(q, out, &a->asker);
	a->queued_us = col_int(q);
	a->code = col_digest(q);
	a->script = keep_or(out, col_name(q), "");
	a->origin = keep(out, col_text(q));
	a->cwd = keep_or(out, col_name(q), ".");
	a->title = keep(out, col_text(q));
	a->purpose = keep(out, col_text(q));
	a->environment = col_int(q);
	a->policy = col_int(q);
	a->offered = col_int(q);
	a->retry_of = col_int(q);
	a->vary = keep(out, col_text(q));
	a->host = keep_or(out, col_text(q), "");
	a->boot_id = keep_or(out, col_text(q), "");
	a->box = keep_or(out, col_name(q), "");
}

static void read_step(struct sql *q, struct attempt_full *out)
{
	struct step *s = &out->step;

	s->number = out->attempt.step;
	s->title = keep_or(out, col_text(q), "");
	s->purpose = keep(out, col_text(q));
	s->script = keep(out, col_name(q));
	read_asker(q, out, &s->asker);
	s->created_us = col_int(q);
}

static bool get_attempt(struct store *st, int64_t id, struct attempt_full *out, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, SQL_ATTEMPT_GET, &q, e))
		return false;
	bind_int(&q, id);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		read_attempt(&q, out);
		read_step(&q, out);
		out->last_number = col_int(&q);
	}
	sql_end(&q);
	if (answer == SQL_DONE)
		return err_set(e, ERR_NOTFOUND, "%s: there is no attempt with id %lld", st->path, (long long)id);
	return answer == SQL_ROW;
}

/* A NULL-terminated list of strings, each owned by the arena. */
struct words {
	char **v;
	size_t n, cap;
};

static void add_word(struct words *w, char *s)
{
	w->v = grow(w->v, w->n, &w->cap, sizeof(*w->v));
	w->v[w->n++] = s;
}

static char **take_words(struct words *w, struct arena *arena)
{
	char **v;

	add_word(w, NULL);
	v = memcpy(arena_take(arena, w->n * sizeof(*v)), w->v, w->n * sizeof(*v));
	free(w->v);
	return v;
}

static bool get_args(struct store *st, struct attempt_full *out, struct err *e)
{
	enum sql_answer answer;
	struct words args = { 0 };
	struct sql q;

	if (!sql_start(st, SQL_ARG_EACH, &q, e))
		return false;
	bind_int(&q, out->attempt.id);
	while ((answer = sql_row(&q, e)) == SQL_ROW) {
		const char *s = col_text(&q);

		add_word(&args, arena_text(out->arena, s ? s : ""));
	}
	out->attempt.args = take_words(&args, out->arena);
	return answer == SQL_DONE;
}

static bool get_env(struct store *st, struct attempt_full *out, struct err *e)
{
	struct words names = { 0 }, values = { 0 };
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, SQL_ENV_EACH, &q, e))
		return false;
	bind_int(&q, out->attempt.id);
	while ((answer = sql_row(&q, e)) == SQL_ROW) {
		add_word(&names, arena_text(out->arena, col_text(&q)));
		add_word(&values, arena_text(out->arena, col_text(&q)));
	}
	out->attempt.env_names = take_words(&names, out->arena);
	out->attempt.env_values = take_words(&values, out->arena);
	return answer == SQL_DONE;
}

static void read_end(struct sql *q, struct attempt_full *out)
{
	struct attempt_end *end = &out->end;

	end->attempt = col_int(q);
	end->started_us = col_int(q);
	end->ended_us = col_int(q);
	end->wall_us = col_int(q);
	if (!outcome_parse(col_text(q), &end->outcome))
		end->outcome = OUTCOME_FAULT;
	end->exit_code = (int)col_int_or(q, -1);
	end->signal = (int)col_int(q);
	end->signal_ours = col_int(q) != 0;
	end->limit = keep(out, col_text(q));
	end->limit_value = col_int(q);
	end->limit_reached = col_int(q);
	end->stopped_by = keep(out, col_text(q));
	end->detail = keep_or(out, col_text(q), "");
	end->cpu_user_us = col_int(q);
	end->cpu_system_us = col_int(q);
	end->peak_memory = col_int(q);
	end->memory_by = memory_by_parse(col_text(q));
	end->killed = col_int(q);
	end->out_bytes = col_int(q);
	end->err_bytes = col_int(q);
	end->out_sha256 = col_digest(q);
	end->err_sha256 = col_digest(q);
	end->inputs = col_int(q);
	end->inputs_complete = col_int(q) != 0;
	end->artifacts = col_int(q);
	end->backend = keep(out, col_text(q));
	end->figures_lost = col_int(q);
	end->answer = col_int(q);
	out->verdict = verdict_parse(col_text(q));
	out->first_at = keep(out, col_text(q));
	out->qualified = keep(out, col_text(q));
}

static bool get_end(struct store *st, struct attempt_full *out, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	out->end = (struct attempt_end){ .outcome = OUTCOME_RUNNING, .exit_code = -1, .detail = "" };
	if (!sql_start(st, SQL_END_GET, &q, e))
		return false;
	bind_int(&q, out->attempt.id);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW)
		read_end(&q, out);
	sql_end(&q);
	return answer != SQL_FAILED;
}

static bool get_refusals(struct store *st, struct attempt_full *out, struct err *e)
{
	enum sql_answer answer;
	size_t cap = 0;
	struct sql q;

	if (!sql_start(st, SQL_REFUSAL_EACH, &q, e))
		return false;
	bind_int(&q, out->attempt.id);
	while ((answer = sql_row(&q, e)) == SQL_ROW) {
		struct refusal *r;

		out->refusals = grow(out->refusals, out->refusals_n, &cap, sizeof(*out->refusals));
		r = &out->refusals[out->refusals_n++];
		r->kind = keep_or(out, col_text(&q), "");
		r->call = keep_or(out, col_text(&q), "");
		r->argument = keep_or(out, col_text(&q), "");
		r->count = col_int(&q);
		r->first_us = col_int(&q);
		r->last_us = col_int(&q);
		r->harmless = col_int(&q) != 0;
	}
	return answer == SQL_DONE;
}

bool store_attempt_get(struct store *st, int64_t id, struct attempt_full *out, struct err *e)
{
	bool begun = db_read_begin(st);
	bool ok;

	*out = (struct attempt_full){ .arena = arena_new() };
	ok = get_attempt(st, id, out, e) && get_args(st, out, e) && get_env(st, out, e) && get_end(st, out, e) &&
	     get_refusals(st, out, e);
	db_read_end(st, begun);
	if (!ok)
		store_attempt_free(out);
	return ok;
}

void store_attempt_free(struct attempt_full *a)
{
	free(a->refusals);
	arena_free(a->arena);
	*a = (struct attempt_full){ 0 };
}

/* ---- finding -------------------------------------------------------------------------------------- */

/* First column by up to two numbers; `b` is bound when the statement takes two. */
static bool find(struct store *st, enum sql_id sql, int64_t a, int64_t b, int64_t *id, struct err *e)
{
	struct sql q;

	*id = 0;
	if (!sql_start(st, sql, &q, e))
		return false;
	if (sqlite3_bind_parameter_count(q.s) > 0)
		bind_int(&q, a);
	if (sqlite3_bind_parameter_count(q.s) > 1)
		bind_int(&q, b);
	return sql_int(&q, id, e);
}

bool store_attempt_find(struct store *st, int64_t step, int64_t number, int64_t check, int64_t *id, struct err *e)
{
	if (!find(st, number ? SQL_ATTEMPT_BY_NUMBER : SQL_ATTEMPT_BY_STEP, step, number, id, e))
		return false;
	return check == 0 || *id == 0 || find(st, SQL_ATTEMPT_BY_CHECK, *id, check, id, e);
}

bool store_attempt_last(struct store *st, int64_t back, int64_t *id, struct err *e)
{
	return find(st, SQL_ATTEMPT_LAST, back, 0, id, e);
}

bool store_step_last(struct store *st, int64_t *number, struct err *e)
{
	return find(st, SQL_STEP_LAST, 0, 0, number, e);
}

bool store_attempt_by_call(struct store *st, const char *key, int64_t *id, struct err *e)
{
	struct sql q;

	*id = 0;
	if (!sql_start(st, SQL_ATTEMPT_BY_CALL, &q, e))
		return false;
	bind_text(&q, key);
	return sql_int(&q, id, e);
}

bool store_step_by_script(struct store *st, const char *script, int64_t *number, struct err *e)
{
	char *escaped = name_is_plain(script) ? NULL : name_escape_dup(script);
	bool ok;
	struct sql q;

	*number = 0;
	ok = sql_start(st, SQL_STEP_BY_SCRIPT, &q, e);
	if (ok) {
		bind_text(&q, escaped ? escaped : script);
		ok = sql_int(&q, number, e);
	}
	free(escaped);
	return ok;
}
