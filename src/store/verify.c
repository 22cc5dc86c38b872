/*
 * Does the record still say what was written into it? Every column of every fact is under a hash:
 * that of its ledger entry, of its content, of its set, of its streams. What the entries do not cover
 * is found by the questions in verify_rows.c.
 */
#include "verify.h"

#include <stdarg.h>
#include <string.h>

#include "evidence.h"
#include "schema.h"

#define CACHE_ONCE 1000  /* KiB */
#define CACHE_AGAIN 12000

void verify_fault(struct verify *v, const char *fmt, ...)
{
	char what[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	strv_add(v->faults, what);
}

bool verify_each(struct verify *v, enum sql_id sql, int64_t from, int64_t to, verify_row_fn check, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(v->st, sql, &q, e))
		return false;
	bind_int(&q, from);
	bind_int(&q, to);
	while ((answer = sql_row(&q, e)) == SQL_ROW)
		if (!check(v, &q, e)) {
			sql_end(&q);
			return false;
		}
	return answer == SQL_DONE;
}

const char *verify_name(struct verify *v, int64_t attempt, char out[VERIFY_NAME])
{
	struct sql q;

	snprintf(out, VERIFY_NAME, "attempt %lld (missing)", (long long)attempt);
	if (!sql_start(v->st, SQL_ATTEMPT_NUMBERS, &q, NULL))
		return out;
	bind_int(&q, attempt);
	if (sql_row(&q, NULL) == SQL_ROW) {
		long long step = col_int(&q), number = col_int(&q), check;

		col_int(&q);
		col_int(&q);
		check = col_int(&q);
		snprintf(out, VERIFY_NAME, check ? "%lld.%lldr%lld" : "%lld.%lld", step, number, check);
	}
	sql_end(&q);
	return out;
}

/* ---- the file ------------------------------------------------------------------------------------ */

static bool check_schema(struct verify *v, struct err *e)
{
	struct err fault = { 0 };
	char what[128];

	if (v->st->version != STORE_SCHEMA_VERSION)
		verify_fault(v, "its record version is %d, this tickmark knows %d", v->st->version, STORE_SCHEMA_VERSION);
	else if (!schema_equals(v->st, what, &fault) && fault.code == ERR_NONE)
		verify_fault(v, "its tables, views or triggers are not as tickmark made them: %s", what);
	if (fault.code != ERR_NONE && e)
		*e = fault;
	return fault.code == ERR_NONE;
}

/* Not the foreign keys: what is referred to stands under the hash of what refers to it. */
static const struct verify_query file_questions[] = {
	{ "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
	  "the file is damaged: %s", false, NULL },
};

static bool check_file(struct verify *v, int64_t from, int64_t to, struct err *e)
{
	bool ok = check_schema(v, e);

	(void)from;
	(void)to;
	return verify_goes_on(ok, e) && verify_ask(v, file_questions, ARRAY_LEN(file_questions), e) && ok;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

bool verify_goes_on(bool ok, const struct err *e)
{
	return ok || e->code == ERR_CORRUPT;
}

static bool check_counts(struct verify *v, struct err *e)
{
	struct verify_result *r = &v->found;
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(v->st, SQL_VERIFY_COUNTS, &q, e))
		return false;
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		r->attempts = col_int(&q);
		r->checks = col_int(&q);
		r->newest_us = col_int(&q);
		r->running = col_int(&q) > 0;
	}
	sql_end(&q);
	return answer == SQL_ROW && store_head(v->st, &r->head, e);
}

/* All that is asked of the small tables, so that each of their pages is read once. */
static bool check_questions(struct verify *v, int64_t from, int64_t to, struct err *e)
{
	static bool (*const checks[])(struct verify *, struct err *) = {
		check_counts, verify_rows, verify_shared, verify_rebuildable,
	};
	bool ok = true;

	(void)from;
	(void)to;
	for (size_t i = 0; i < ARRAY_LEN(checks) && verify_goes_on(ok, e); i++)
		ok = checks[i](v, e) && ok;
	return ok;
}

bool store_verify(struct store *st, store_fault_fn fault, store_progress_fn progress, void *ctx,
                  struct verify_result *out, struct err *e)
{
	const struct verify_part parts[] = {
		{ check_file, NULL, NULL, CACHE_AGAIN, check_questions },
		{ verify_chain, "ledger", "seq", CACHE_ONCE, NULL },
		{ verify_sets, "manifest", "id", CACHE_AGAIN, NULL },
		{ verify_blobs, "blob", "id", CACHE_ONCE, NULL },
		{ check_questions, NULL, NULL, CACHE_AGAIN, NULL },
	};
	struct verify_team t;
	bool ok;

	*out = (struct verify_result){ 0 };
	verify_team_open(&t, st);
	ok = verify_jobs(&t, parts, ARRAY_LEN(parts), fault, progress, ctx, out, e);
	verify_team_close(&t);
	return ok && store_is_unchanged(st, e);
}
