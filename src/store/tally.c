/* The rebuildable tables: counts, what runs, what changed, what later steps are offered. */
#include "tally.h"

#include <stdlib.h>

#include "derived.h"
#include "manifest.h"

#define CHANGES_KEPT 256
#define CHANGES_DROPPED 64 /* at a time, so that most commits leave the oldest page alone */

static bool count(struct store *st, const char *name, int64_t by, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_TALLY_ADD, &q, e))
		return false;
	bind_text(&q, name);
	bind_int(&q, by);
	return sql_run(&q, e);
}

static bool run_with_id(struct store *st, enum sql_id sql, int64_t id, struct err *e)
{
	struct sql q;

	if (!sql_start(st, sql, &q, e))
		return false;
	bind_int(&q, id);
	return sql_run(&q, e);
}

static bool add_change(struct store *st, int64_t attempt, struct err *e)
{
	int64_t seq;

	if (!run_with_id(st, SQL_CHANGE_ADD, attempt, e))
		return false;
	seq = sqlite3_last_insert_rowid(st->db);
	if (seq % CHANGES_DROPPED || seq <= CHANGES_KEPT)
		return true;
	return run_with_id(st, SQL_CHANGE_DROP, seq - CHANGES_KEPT, e);
}

static bool count_step_attempt(struct store *st, const struct attempt *a, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_STEP_TALLY_ADD, &q, e))
		return false;
	bind_int(&q, a->step);
	bind_int(&q, a->id);
	return sql_run(&q, e);
}

/* ---- review --------------------------------------------------------------------------------------- */

/* The judgement that counts for a step: that of its last attempt, unless withdrawn. */
static bool counted_judgement(struct store *st, int64_t step, enum judgement *out, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	*out = JUDGED_NONE;
	if (!sql_start(st, SQL_STEP_TALLY_STATE, &q, e))
		return false;
	bind_int(&q, step);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW)
		*out = judgement_parse(col_text(&q));
	if (*out == JUDGED_WITHDRAWN)
		*out = JUDGED_NONE;
	sql_end(&q);
	return answer != SQL_FAILED;
}

static bool count_judgement(struct store *st, enum judgement j, int64_t by, struct err *e)
{
	return count(st, j == JUDGED_NONE ? "to review" : judgement_word(j), by, e);
}

static bool move_judgement(struct store *st, enum judgement from, enum judgement to, struct err *e)
{
	return from == to || (count_judgement(st, from, -1, e) && count_judgement(st, to, 1, e));
}

bool tally_review_begin(struct store *st, int64_t attempt, struct tally_review *out, struct err *e)
{
	struct sql q;

	out->attempt = attempt;
	if (!sql_start(st, SQL_ATTEMPT_NUMBERS, &q, e))
		return false;
	bind_int(&q, attempt);
	return sql_int(&q, &out->step, e) && counted_judgement(st, out->step, &out->counted, e);
}

bool tally_marked(struct store *st, const struct tally_review *before, int64_t mark, struct err *e)
{
	enum judgement now;
	struct sql q;

	if (!sql_start(st, SQL_STEP_TALLY_MARK, &q, e))
		return false;
	bind_int(&q, before->attempt);
	bind_int(&q, mark);
	return sql_run(&q, e) && counted_judgement(st, before->step, &now, e) &&
	       move_judgement(st, before->counted, now, e) && add_change(st, before->attempt, e);
}

bool tally_touched(struct store *st, int64_t attempt, struct err *e)
{
	return add_change(st, attempt, e);
}

/* A new attempt makes its step one to review again. */
static bool count_to_review(struct store *st, int64_t step, bool new_step, struct err *e)
{
	enum judgement before;

	if (new_step)
		return count_judgement(st, JUDGED_NONE, 1, e);
	return counted_judgement(st, step, &before, e) && move_judgement(st, before, JUDGED_NONE, e);
}

/* ---- attempts ------------------------------------------------------------------------------------- */

bool tally_queued(struct store *st, const struct attempt *a, bool new_step, struct err *e)
{
	if (!run_with_id(st, SQL_RUNNING_ADD, a->id, e) || !count(st, "running", 1, e) || !add_change(st, a->id, e))
		return false;
	if (a->check_of)
		return count(st, "checks", 1, e);
	return (!new_step || count(st, "steps", 1, e)) && count(st, "attempts", 1, e) &&
	       count_to_review(st, a->step, new_step, e) && count_step_attempt(st, a, e);
}

/* ---- what later steps are offered -------------------------------------------------------------- */

static bool add_produced(struct store *st, const struct attempt *a, const struct attempt_end *end,
                         const struct entry *f, struct err *e)
{
	struct digest replaced;
	struct sql q;

	if (!manifest_at(st, a->offered, f->path, &replaced, e) || !sql_start(st, SQL_PRODUCED_ADD, &q, e))
		return false;
	bind_name(&q, f->path);
	bind_int(&q, a->step);
	bind_int(&q, a->id);
	bind_digest(&q, &f->sha256);
	bind_int(&q, f->size);
	bind_int(&q, f->mode);
	bind_int(&q, end->ended_us);
	bind_digest(&q, &replaced);
	return sql_run(&q, e);
}

static bool has_bytes(const struct entry *f)
{
	return artifact_has_bytes(f) && !digest_is_zero(&f->sha256);
}

bool tally_ended(struct store *st, const struct attempt *a, const struct attempt_end *end,
                 const struct end_with *with, struct err *e)
{
	if (!run_with_id(st, SQL_RUNNING_DROP, a->id, e) || !count(st, "running", -1, e) || !add_change(st, a->id, e))
		return false;
	if (a->check_of)
		return true;
	if (!count(st, outcome_word(end->outcome), 1, e))
		return false;
	for (size_t i = 0; end->outcome == OUTCOME_OK && i < with->artifacts_n; i++)
		if (has_bytes(&with->artifacts[i]) && !add_produced(st, a, end, &with->artifacts[i], e))
			return false;
	return true;
}

/* ---- anew --------------------------------------------------------------------------------------------- */

/* One that is not there, or of another attempt now. */
static bool rebuild_produced_row(struct store *st, sqlite3_stmt *s, struct err *e)
{
	struct sql q = { .st = st, .s = s };
	struct entry f = { .path = col_name(&q) };
	struct attempt a = { .step = col_int(&q) };
	struct attempt_end end = { 0 };

	a.id = col_int(&q);
	f.sha256 = col_digest(&q);
	f.size = col_int(&q);
	f.mode = (uint16_t)col_int(&q);
	end.ended_us = col_int(&q);
	a.offered = col_int(&q);
	return add_produced(st, &a, &end, &f, e);
}

static bool rebuild_produced(struct store *st, struct err *e)
{
	static const char stale[] =
		"DELETE FROM produced WHERE (path, step, attempt) NOT IN (SELECT path, step, attempt FROM (" DERIVED_PRODUCED "))";
	static const char lacking[] =
		"SELECT d.*, a.offered FROM (" DERIVED_PRODUCED ") d JOIN attempt a ON a.id = d.attempt"
		" WHERE (d.path, d.step) NOT IN (SELECT path, step FROM produced)";
	sqlite3_stmt *s = NULL;
	bool ok = db_exec(st, stale, e);
	int rc = ok ? sqlite3_prepare_v2(st->db, lacking, -1, &s, NULL) : SQLITE_OK;

	/* The list is put together before its first row comes (NOT IN and GROUP BY), so rows may be added. */
	while (ok && rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		ok = rebuild_produced_row(st, s, e);
		rc = SQLITE_OK;
	}
	if (ok && rc != SQLITE_DONE)
		ok = db_fail(st, rc, "cannot rebuild what later steps are offered", e);
	sqlite3_finalize(s);
	return ok;
}

bool tally_rebuild(struct store *st, struct err *e)
{
	return db_exec(st,
	               "DELETE FROM tally; INSERT INTO tally (name, value) " DERIVED_TALLY ";"
	               "DELETE FROM step_tally; INSERT INTO step_tally (step, attempts, last, mark) " DERIVED_STEPS ";"
	               "DELETE FROM running; INSERT INTO running (attempt) " DERIVED_RUNNING ";"
	               /* A gap in the numbers tells whoever watches that it must look at everything. */
	               "DELETE FROM change WHERE attempt NOT IN (SELECT id FROM attempt);"
	               "INSERT INTO change (attempt) SELECT max(id) FROM attempt HAVING max(id) IS NOT NULL;"
	               "INSERT INTO change (attempt) SELECT max(id) FROM attempt HAVING max(id) IS NOT NULL;"
	               "DELETE FROM change WHERE seq < (SELECT max(seq) FROM change)", e) &&
	       rebuild_produced(st, e);
}

int64_t store_tally(struct store *st, const char *name)
{
	int64_t value = 0;
	struct sql q;

	if (!sql_start(st, SQL_TALLY_GET, &q, NULL))
		return 0;
	bind_text(&q, name);
	return sql_int(&q, &value, NULL) ? value : 0;
}

static bool each_change(struct sql *q, int64_t *seq, bool (*fn)(void *ctx, int64_t attempt), void *ctx,
                        struct err *e)
{
	enum sql_answer answer;

	bind_int(q, *seq);
	while ((answer = sql_row(q, e)) == SQL_ROW) {
		int64_t attempt = col_int(q);

		*seq = col_int(q);
		if (!fn(ctx, attempt))
			break;
	}
	sql_end(q);
	return answer != SQL_FAILED;
}

bool store_changes(struct store *st, int64_t *seq, bool *lost, bool (*fn)(void *ctx, int64_t attempt), void *ctx,
                   struct err *e)
{
	bool begun = db_read_begin(st);
	int64_t first;
	struct sql q;
	bool ok = sql_start(st, SQL_CHANGE_FIRST, &q, e) && sql_int(&q, &first, e) &&
	          sql_start(st, SQL_CHANGE_EACH, &q, e);

	if (ok) {
		*lost = first > *seq + 1;
		ok = each_change(&q, seq, fn, ctx, e);
	}
	db_read_end(st, begun);
	return ok;
}
