/* Choosing attempts that go, and what stays in their place. */
#include "chosen.h"

#include <stdlib.h>
#include <string.h>

/* ---- SQL over the chosen ---------------------------------------------------------------------------- */

bool chosen_run(struct pruning *p, int64_t *changes, struct err *e, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&b, fmt, ap);
	va_end(ap);
	int rc = sqlite3_exec(p->st->db, b.data, NULL, NULL, NULL);
	buf_free(&b);
	if (rc != SQLITE_OK)
		return db_fail(p->st, rc, "cannot prune", e);
	if (changes)
		*changes = sqlite3_changes64(p->st->db);
	return true;
}

bool chosen_each(struct pruning *p, const char *sql, chosen_row_fn fn, struct err *e)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(p->st->db, sql, -1, &s, NULL);
	bool ok = true;

	while (ok && rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		ok = fn(p, s, e);
		rc = SQLITE_OK;
	}
	if (ok && rc != SQLITE_DONE)
		ok = db_fail(p->st, rc, "cannot prune", e);
	sqlite3_finalize(s);
	return ok;
}

/* ---- choosing ----------------------------------------------------------------------------------------- */

static bool list_given(struct pruning *p, struct err *e)
{
	if (!chosen_run(p, NULL, e, "DROP TABLE IF EXISTS temp.given; CREATE TEMP TABLE given (attempt INTEGER PRIMARY KEY)"))
		return false;
	for (size_t i = 0; i < p->rule->attempts_n; i++)
		if (!chosen_run(p, NULL, e, "INSERT OR IGNORE INTO temp.given VALUES (%lld)", (long long)p->rule->attempts[i]))
			return false;
	return true;
}

/* What of the chosen stays nevertheless, counted. */
static bool spare(struct pruning *p, int64_t *count, const char *which, struct err *e)
{
	int64_t n;

	if (!chosen_run(p, &n, e, "DELETE FROM temp.chosen WHERE %s", which))
		return false;
	*count += n;
	return true;
}

/* Ids and numbers are never given twice: the newest attempt of all and that of the newest step stay, and
 * the last of a step while the step does. A correction names the attempt that it corrects: while it
 * stays, that one does. */
static bool spare_needed(struct pruning *p, struct err *e)
{
	struct prune_result *out = p->out;
	int64_t before;

	if (!spare(p, &out->kept_newest,
	           "attempt IN (SELECT coalesce(check_of, id) FROM attempt ORDER BY id DESC LIMIT 1) OR"
	           " attempt IN (SELECT last FROM step_tally ORDER BY step DESC LIMIT 1)", e))
		return false;
	do {
		before = out->kept_corrected + out->kept_newest;
		if (!spare(p, &out->kept_corrected,
		           "attempt IN (SELECT retry_of FROM attempt WHERE retry_of IS NOT NULL"
		           " AND id NOT IN (SELECT attempt FROM temp.chosen))", e) ||
		    !spare(p, &out->kept_newest,
		           "attempt IN (SELECT t.last FROM step_tally t WHERE EXISTS (SELECT 1 FROM attempt a WHERE"
		           " a.step = t.step AND a.check_of IS NULL AND a.id NOT IN (SELECT attempt FROM temp.chosen)))", e))
			return false;
	} while (out->kept_corrected + out->kept_newest != before);
	return true;
}

bool chosen_make(struct pruning *p, struct err *e)
{
	const struct prune_rule *r = p->rule;
	struct prune_result *out = p->out;
	bool whole = r->parts & PRUNE_ATTEMPTS;

	if (!list_given(p, e) ||
	    !chosen_run(p, NULL, e,
	          "DROP TABLE IF EXISTS temp.chosen; CREATE TEMP TABLE chosen (attempt INTEGER PRIMARY KEY);"
	          "INSERT INTO temp.chosen SELECT a.id FROM attempt a LEFT JOIN attempt_end n ON n.attempt = a.id"
	          " WHERE a.check_of IS NULL AND (%d OR a.id %s IN (SELECT attempt FROM temp.given))"
	          " AND (%lld = 0 OR n.attempt IS NULL OR n.ended_us < %lld)"
	          " AND (%lld = 0 OR (SELECT count(*) FROM attempt b WHERE b.step = a.step AND b.check_of IS NULL"
	          " AND b.number > a.number) >= %lld)",
	          r->attempts == NULL, r->others ? "NOT" : "", (long long)r->before_us, (long long)r->before_us,
	          (long long)r->keep_last, (long long)r->keep_last))
		return false;
	return spare(p, &out->kept_running,
	             "attempt IN (SELECT attempt FROM running) OR attempt IN (SELECT a.check_of FROM running r"
	             " JOIN attempt a ON a.id = r.attempt)", e) &&
	       (r->marked || spare(p, &out->kept_marked, "attempt IN (SELECT attempt FROM mark)", e)) &&
	       (!whole || spare(p, &out->kept_cited, "attempt IN (SELECT attempt FROM message_cite)", e)) &&
	       (!whole || spare_needed(p, e)) &&
	       chosen_run(p, NULL, e, "INSERT INTO temp.chosen SELECT id FROM attempt WHERE check_of IN (SELECT attempt FROM temp.chosen)");
}

void chosen_forget(struct pruning *p)
{
	static const char *const tables[] = { "given", "chosen", "live", "named", "loose", "gone", "kept", "wanted" };

	ledger_walk_end(&p->walk);
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		chosen_run(p, NULL, NULL, "DROP TABLE IF EXISTS temp.%s", tables[i]);
}

/* ---- tombstones --------------------------------------------------------------------------------------- */

bool chosen_tombstone(struct pruning *p, const struct tombstone *t, int64_t attempt, const struct digest *sha256,
                          struct err *e)
{
	struct sql q;

	p->out->bytes += t->bytes;
	if (p->fn)
		p->fn(p->ctx, t);
	if (p->preview)
		return true;
	if (!sql_start(p->to, SQL_TOMBSTONE_ADD, &q, e))
		return false;
	bind_int(&q, p->id);
	bind_text(&q, t->what);
	bind_id(&q, attempt);
	bind_text(&q, t->ref);
	bind_text(&q, t->path);
	if (sha256)
		bind_digest(&q, sha256);
	else
		bind_null(&q);
	bind_int(&q, t->bytes);
	return sql_run(&q, e);
}

static bool hash_chunk(void *ctx, const struct chunk *c, struct err *e)
{
	(void)e;
	store_chunks_hash_add(ctx, c);
	return true;
}

bool chosen_streams(struct pruning *p, int64_t attempt, struct digest *out, struct err *e)
{
	struct chunks_hash h;
	bool pruned;

	if (!ledger_pruned_streams(p->st, attempt, &pruned, out, e))
		return false;
	if (pruned)
		return true;
	store_chunks_hash_begin(&h);
	if (!store_chunks(p->st, attempt, 0, hash_chunk, &h, e))
		return false;
	*out = store_chunks_hash_end(&h, NULL);
	return true;
}

/* ---- entries of the ledger ------------------------------------------------------------------------------ */

static bool keep_content(struct pruning *p, sqlite3_stmt *s, struct err *e)
{
	const struct ledger_kind *kind = ledger_kind_find((const char *)sqlite3_column_text(s, 1));
	int64_t subject = sqlite3_column_int64(s, 2);
	struct digest content, chunks;
	struct sql q;

	p->entries++;
	if ((kind->streams && !chosen_streams(p, subject, &chunks, e)) ||
	    !ledger_content(p->st, kind, subject, &chunks, &p->walk, &content, e) ||
	    !sql_start(p->to, SQL_LEDGER_CONTENT_ADD, &q, e))
		return false;
	bind_int(&q, sqlite3_column_int64(s, 0));
	bind_int(&q, p->id);
	bind_digest(&q, &content);
	return sql_run(&q, e);
}

#define OF_CHOSEN "attempt IN (SELECT attempt FROM temp.chosen)"

/* Exactly one entry covers each fact that goes; a record where that is not so is broken. */
static bool check_covered(struct pruning *p, struct err *e)
{
	int64_t facts;

	if (!db_number(p->st, "SELECT (SELECT count(*) FROM temp.chosen) + (SELECT count(*) FROM attempt_end WHERE " OF_CHOSEN
	                      ") + (SELECT count(*) FROM mark WHERE " OF_CHOSEN ") + (SELECT count(*) FROM note WHERE " OF_CHOSEN ")",
	               &facts, e))
		return false;
	return facts == p->entries ||
	       err_set(e, ERR_CORRUPT, "%s: %lld ledger entries cover %lld facts of what goes; tickmark verify says more",
	               p->st->path, (long long)p->entries, (long long)facts);
}

/* The ledger has no index: one walk through it. */
static bool keep_contents(struct pruning *p, struct err *e)
{
	bool ok = chosen_each(p, "SELECT seq, kind, subject FROM ledger"
	                         " WHERE (kind IN ('queued', 'ended') AND subject IN (SELECT attempt FROM temp.chosen))"
	                         " OR (kind = 'marked' AND subject IN (SELECT id FROM mark WHERE " OF_CHOSEN "))"
	                         " OR (kind = 'noted' AND subject IN (SELECT id FROM note WHERE " OF_CHOSEN "))",
	                      keep_content, e);

	ledger_walk_end(&p->walk);
	return ok && check_covered(p, e);
}

static bool bury_attempt(struct pruning *p, sqlite3_stmt *s, struct err *e)
{
	bool check = sqlite3_column_int(s, 3) != 0;
	struct tombstone t = { .what = check ? "check" : "attempt", .ref = (const char *)sqlite3_column_text(s, 1),
		               .bytes = sqlite3_column_int64(s, 2) };

	(*(check ? &p->out->checks : &p->out->attempts))++;
	return chosen_tombstone(p, &t, sqlite3_column_int64(s, 0), NULL, e);
}

bool chosen_bury(struct pruning *p, struct err *e)
{
	return (p->preview || keep_contents(p, e)) &&
	       chosen_each(p, "SELECT a.id, " CHOSEN_REF ", " CHOSEN_STREAM_BYTES ", a.check_of IS NOT NULL FROM temp.chosen c"
	                      " JOIN attempt a ON a.id = c.attempt ORDER BY a.id", bury_attempt, e);
}

bool chosen_begin(struct pruning *p, struct err *e)
{
	struct sql q;

	if (!sql_start(p->to, SQL_PRUNE_ADD, &q, e))
		return false;
	bind_int(&q, clock_now_us());
	bind_text(&q, p->rule->by ? p->rule->by : "");
	bind_text(&q, p->rule->text ? p->rule->text : "");
	if (!sql_run(&q, e))
		return false;
	p->id = sqlite3_last_insert_rowid(p->to->db);
	return true;
}
