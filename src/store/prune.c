/*
 * Taking parts of a record away, so that what remains still verifies: for every ledger entry whose rows
 * go, the hash of what they said stays (ledger_content); streams and contents leave their hash in a
 * tombstone; all of that is under the entry of the prune itself.
 *
 * A preview is the same work, rolled back.
 */
#include "store/keep.h"

#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "ledger.h"
#include "name.h"
#include "tally.h"

struct pruning {
	struct store *st;
	const struct prune_rule *rule;
	void (*fn)(void *ctx, const struct tombstone *t);
	void *ctx;
	struct prune_result *out;
	int64_t id;                /* of the prune */
};

/* ---- SQL over the chosen ---------------------------------------------------------------------------- */

/* Runs one statement built of fixed text and numbers; *changes may be NULL. */
static bool runf(struct pruning *p, int64_t *changes, struct err *e, const char *fmt, ...) PRINTF(4, 5);

static bool runf(struct pruning *p, int64_t *changes, struct err *e, const char *fmt, ...)
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

typedef bool (*row_fn)(struct pruning *p, sqlite3_stmt *s, struct err *e);

/* Every row of a statement that does not change while it is read. */
static bool each_row(struct pruning *p, const char *sql, row_fn fn, struct err *e)
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
	if (!runf(p, NULL, e, "DROP TABLE IF EXISTS temp.given; CREATE TEMP TABLE given (attempt INTEGER PRIMARY KEY)"))
		return false;
	for (size_t i = 0; i < p->rule->attempts_n; i++)
		if (!runf(p, NULL, e, "INSERT OR IGNORE INTO temp.given VALUES (%lld)", (long long)p->rule->attempts[i]))
			return false;
	return true;
}

/* What of the chosen stays nevertheless, counted. */
static bool spare(struct pruning *p, int64_t *count, const char *which, struct err *e)
{
	int64_t n;

	if (!runf(p, &n, e, "DELETE FROM temp.chosen WHERE %s", which))
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

static bool choose(struct pruning *p, struct err *e)
{
	const struct prune_rule *r = p->rule;
	struct prune_result *out = p->out;
	bool whole = r->parts & PRUNE_ATTEMPTS;

	if (!list_given(p, e) ||
	    !runf(p, NULL, e,
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
	       runf(p, NULL, e, "INSERT INTO temp.chosen SELECT id FROM attempt WHERE check_of IN (SELECT attempt FROM temp.chosen)");
}

/* ---- tombstones --------------------------------------------------------------------------------------- */

static bool add_tombstone(struct pruning *p, const struct tombstone *t, int64_t attempt, const struct digest *sha256,
                          struct err *e)
{
	struct sql q;

	p->out->bytes += t->bytes;
	if (p->fn)
		p->fn(p->ctx, t);
	if (!sql_start(p->st, SQL_TOMBSTONE_ADD, &q, e))
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

/* As the ledger's entry of its end has it. */
static bool streams_digest(struct pruning *p, int64_t attempt, struct digest *out, struct err *e)
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

#define REF "a.step || '.' || a.number || coalesce('r' || a.check_number, '')"
#define STREAM_BYTES "(SELECT coalesce(sum(length(bytes)), 0) FROM stream_chunk WHERE id >= a.id << 32 AND id < (a.id + 1) << 32)"
#define HAS_CHUNKS "EXISTS (SELECT 1 FROM stream_chunk WHERE id >= a.id << 32 AND id < (a.id + 1) << 32)"

/* ---- streams ------------------------------------------------------------------------------------------ */

static bool bury_streams(struct pruning *p, sqlite3_stmt *s, struct err *e)
{
	int64_t attempt = sqlite3_column_int64(s, 0);
	struct tombstone t = { .what = "streams", .ref = (const char *)sqlite3_column_text(s, 1), .bytes = sqlite3_column_int64(s, 2) };
	struct digest chunks;

	p->out->streams++;
	return streams_digest(p, attempt, &chunks, e) && add_tombstone(p, &t, attempt, &chunks, e);
}

/* Checks first: their pieces may name those of their attempt. */
static bool drop_chunks(struct pruning *p, struct err *e)
{
	static const char *const whose[] = { "IS NOT NULL", "IS NULL" };

	for (size_t i = 0; i < ARRAY_LEN(whose); i++)
		if (!runf(p, NULL, e,
		          "DELETE FROM stream_chunk WHERE id >> 32 IN (SELECT c.attempt FROM temp.chosen c JOIN attempt a"
		          " ON a.id = c.attempt WHERE a.check_of %s)", whose[i]))
			return false;
	return true;
}

static bool prune_streams(struct pruning *p, struct err *e)
{
	return each_row(p, "SELECT a.id, " REF ", " STREAM_BYTES " FROM temp.chosen c JOIN attempt a ON a.id = c.attempt WHERE "
	                   HAS_CHUNKS " ORDER BY a.id", bury_streams, e) &&
	       drop_chunks(p, e);
}

/* ---- whole attempts ------------------------------------------------------------------------------------- */

/* The entries about what goes, in one walk through the ledger, which has no index. */
static bool find_entries(struct pruning *p, struct err *e)
{
	return runf(p, NULL, e,
	            "DROP TABLE IF EXISTS temp.covered;"
	            "CREATE TEMP TABLE covered (kind TEXT, subject INTEGER, seq INTEGER, PRIMARY KEY (kind, subject)) WITHOUT ROWID;"
	            "INSERT OR IGNORE INTO temp.covered SELECT kind, subject, seq FROM ledger"
	            " WHERE (kind IN ('queued', 'ended') AND subject IN (SELECT attempt FROM temp.chosen))"
	            " OR (kind = 'marked' AND subject IN (SELECT id FROM mark WHERE attempt IN (SELECT attempt FROM temp.chosen)))"
	            " OR (kind = 'noted' AND subject IN (SELECT id FROM note WHERE attempt IN (SELECT attempt FROM temp.chosen)))");
}

static bool keep_content(struct pruning *p, const char *kind, int64_t subject, const struct digest *chunks, struct err *e)
{
	struct digest content;
	char sql[128];
	int64_t seq;
	struct sql q;

	snprintf(sql, sizeof(sql), "SELECT seq FROM temp.covered WHERE kind = '%s' AND subject = %lld", kind, (long long)subject);
	if (!db_number(p->st, sql, &seq, e))
		return false;
	if (seq == 0)
		return err_set(e, ERR_CORRUPT, "no ledger entry \"%s\" covers it; tickmark verify says more", kind);
	if (!ledger_content(p->st, ledger_kind_find(kind), subject, chunks, NULL, &content, e) ||
	    !sql_start(p->st, SQL_LEDGER_CONTENT_ADD, &q, e))
		return false;
	bind_int(&q, seq);
	bind_int(&q, p->id);
	bind_digest(&q, &content);
	return sql_run(&q, e);
}

static bool bury_attempt(struct pruning *p, sqlite3_stmt *s, struct err *e)
{
	int64_t attempt = sqlite3_column_int64(s, 0);
	bool check = sqlite3_column_int(s, 3) != 0;
	struct tombstone t = { .what = check ? "check" : "attempt", .ref = (const char *)sqlite3_column_text(s, 1),
		               .bytes = sqlite3_column_int64(s, 2) };
	struct digest chunks;

	(*(check ? &p->out->checks : &p->out->attempts))++;
	return streams_digest(p, attempt, &chunks, e) && keep_content(p, "queued", attempt, NULL, e) &&
	       keep_content(p, "ended", attempt, &chunks, e) && add_tombstone(p, &t, attempt, NULL, e);
}

static bool bury_mark(struct pruning *p, sqlite3_stmt *s, struct err *e)
{
	return keep_content(p, "marked", sqlite3_column_int64(s, 0), NULL, e);
}

static bool bury_note(struct pruning *p, sqlite3_stmt *s, struct err *e)
{
	return keep_content(p, "noted", sqlite3_column_int64(s, 0), NULL, e);
}

static bool drop_rows(struct pruning *p, struct err *e)
{
	static const char *const tables[] = { "attempt_arg", "attempt_env", "attempt_call", "refusal", "mark", "note", "attempt_end",
		                              "change" };

	/* Its marks are of no step any more. */
	if (!runf(p, NULL, e, "UPDATE step_tally SET mark = NULL WHERE mark IN (SELECT id FROM mark WHERE attempt IN"
	                      " (SELECT attempt FROM temp.chosen))"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		if (!runf(p, NULL, e, "DELETE FROM %s WHERE attempt IN (SELECT attempt FROM temp.chosen)", tables[i]))
			return false;
	return drop_chunks(p, e) &&
	       runf(p, NULL, e, "DELETE FROM attempt WHERE check_of IS NOT NULL AND id IN (SELECT attempt FROM temp.chosen)") &&
	       runf(p, NULL, e, "DELETE FROM attempt WHERE id IN (SELECT attempt FROM temp.chosen)");
}

/* What only the chosen needed: as nothing names it any more, it leaves no tombstone of its own. */
static bool drop_orphans(struct pruning *p, struct err *e)
{
	return runf(p, NULL, e,
	            "DELETE FROM step WHERE id NOT IN (SELECT step FROM attempt);"
	            "DELETE FROM place WHERE id NOT IN (SELECT place FROM attempt);"
	            "DELETE FROM asker WHERE id NOT IN (SELECT asker FROM attempt) AND id NOT IN (SELECT asker FROM step)"
	            " AND id NOT IN (SELECT asker FROM message);"
	            "DROP TABLE IF EXISTS temp.live; CREATE TEMP TABLE live (manifest INTEGER PRIMARY KEY);"
	            "WITH RECURSIVE used (id) AS (SELECT offered FROM attempt UNION SELECT inputs FROM attempt_end"
	            " WHERE inputs IS NOT NULL UNION SELECT artifacts FROM attempt_end WHERE artifacts IS NOT NULL"
	            " UNION SELECT m.base FROM manifest m JOIN used u ON m.id = u.id WHERE m.base IS NOT NULL)"
	            " INSERT INTO temp.live SELECT id FROM used;"
	            "DELETE FROM manifest_entry WHERE manifest NOT IN (SELECT manifest FROM temp.live);"
	            "DELETE FROM manifest WHERE id NOT IN (SELECT manifest FROM temp.live);"
	            "DELETE FROM environment WHERE id NOT IN (SELECT environment FROM attempt);"
	            "DELETE FROM policy WHERE id NOT IN (SELECT policy FROM attempt)");
}

/* Contents that nothing refers to. */
static bool drop_loose_contents(struct pruning *p, struct err *e)
{
	int64_t bytes;

	if (!runf(p, NULL, e,
	          "DROP TABLE IF EXISTS temp.loose; CREATE TEMP TABLE loose (blob INTEGER PRIMARY KEY, size INTEGER);"
	          "INSERT INTO temp.loose SELECT id, size FROM blob WHERE id NOT IN (SELECT code FROM attempt)"
	          " AND sha256 NOT IN (SELECT m.sha256 FROM attempt_end e JOIN manifest_entry m ON m.manifest = e.inputs"
	          " WHERE m.sha256 IS NOT NULL)"
	          " AND sha256 NOT IN (SELECT m.sha256 FROM attempt_end e JOIN manifest_entry m ON m.manifest = e.artifacts"
	          " WHERE m.sha256 IS NOT NULL)"
	          " AND sha256 NOT IN (SELECT sha256 FROM attachment WHERE sha256 IS NOT NULL)") ||
	    !db_number(p->st, "SELECT coalesce(sum(size), 0) FROM temp.loose", &bytes, e) ||
	    !runf(p, NULL, e,
	          "DELETE FROM blob_chunk WHERE id >> 24 IN (SELECT blob FROM temp.loose);"
	          "DELETE FROM blob WHERE id IN (SELECT blob FROM temp.loose)"))
		return false;
	p->out->bytes += bytes;
	return true;
}

static bool prune_attempts(struct pruning *p, struct err *e)
{
	return find_entries(p, e) &&
	       each_row(p, "SELECT a.id, " REF ", " STREAM_BYTES ", a.check_of IS NOT NULL FROM temp.chosen c"
	                   " JOIN attempt a ON a.id = c.attempt ORDER BY a.id", bury_attempt, e) &&
	       each_row(p, "SELECT id FROM mark WHERE attempt IN (SELECT attempt FROM temp.chosen)", bury_mark, e) &&
	       each_row(p, "SELECT id FROM note WHERE attempt IN (SELECT attempt FROM temp.chosen)", bury_note, e) &&
	       drop_rows(p, e) && drop_orphans(p, e) && drop_loose_contents(p, e);
}

/* ---- files ------------------------------------------------------------------------------------------------ */

static bool bury_content(struct pruning *p, sqlite3_stmt *s, struct err *e)
{
	struct tombstone t = { .what = "content", .bytes = sqlite3_column_int64(s, 1), .ref = (const char *)sqlite3_column_text(s, 3),
		               .path = (const char *)sqlite3_column_text(s, 4) };
	struct digest sha256 = { 0 };

	if (sqlite3_column_bytes(s, 0) == (int)sizeof(sha256.b))
		memcpy(sha256.b, sqlite3_column_blob(s, 0), sizeof(sha256.b));
	p->out->contents++;
	return add_tombstone(p, &t, sqlite3_column_int64(s, 2), &sha256, e);
}

#define OF_SETS(columns, chosen) \
	"SELECT m.sha256 FROM attempt_end n JOIN manifest_entry m ON m.manifest = n." columns \
	" WHERE m.sha256 IS NOT NULL AND n.attempt " chosen " (SELECT attempt FROM temp.chosen)"

/* Contents that only the chosen keep. Code stays while its attempt does. */
static bool prune_files(struct pruning *p, struct err *e)
{
	return runf(p, NULL, e,
	            "DROP TABLE IF EXISTS temp.gone; CREATE TEMP TABLE gone (blob INTEGER PRIMARY KEY);"
	            "INSERT INTO temp.gone SELECT id FROM blob WHERE size >= %lld AND id NOT IN (SELECT code FROM attempt)"
	            " AND (sha256 IN (" OF_SETS("artifacts", "IN") ") OR sha256 IN (" OF_SETS("inputs", "IN") "))"
	            " AND sha256 NOT IN (" OF_SETS("artifacts", "NOT IN") ") AND sha256 NOT IN (" OF_SETS("inputs", "NOT IN") ")"
	            " AND sha256 NOT IN (SELECT sha256 FROM attachment WHERE sha256 IS NOT NULL)",
	            (long long)MAX(p->rule->larger, (int64_t)1)) &&
	       each_row(p, "SELECT b.sha256, b.size, a.id, " REF ", m.path FROM temp.gone g JOIN blob b ON b.id = g.blob"
	                   " JOIN manifest_entry m ON m.sha256 = b.sha256 JOIN attempt_end n ON n.artifacts = m.manifest"
	                   " OR n.inputs = m.manifest JOIN attempt a ON a.id = n.attempt GROUP BY b.id ORDER BY a.id, m.path",
	                bury_content, e) &&
	       runf(p, NULL, e,
	            "DELETE FROM blob_chunk WHERE id >> 24 IN (SELECT blob FROM temp.gone);"
	            "DELETE FROM blob WHERE id IN (SELECT blob FROM temp.gone)");
}

/* ---- all of it -------------------------------------------------------------------------------------------- */

static bool open_permit(struct pruning *p, bool open, struct err *e)
{
	struct sql q;

	return sql_start(p->st, open ? SQL_PERMIT_OPEN : SQL_PERMIT_CLOSE, &q, e) && sql_run(&q, e);
}

static bool add_prune(struct pruning *p, struct err *e)
{
	struct sql q;

	if (!sql_start(p->st, SQL_PRUNE_ADD, &q, e))
		return false;
	bind_int(&q, clock_now_us());
	bind_text(&q, p->rule->by ? p->rule->by : "");
	bind_text(&q, p->rule->text ? p->rule->text : "");
	if (!sql_run(&q, e))
		return false;
	p->id = sqlite3_last_insert_rowid(p->st->db);
	return true;
}

static bool prune(struct pruning *p, struct err *e)
{
	unsigned parts = p->rule->parts;

	return choose(p, e) && add_prune(p, e) && open_permit(p, true, e) &&
	       (!(parts & PRUNE_STREAMS) || parts & PRUNE_ATTEMPTS || prune_streams(p, e)) &&
	       (!(parts & PRUNE_FILES) || parts & PRUNE_ATTEMPTS || prune_files(p, e)) &&
	       (!(parts & PRUNE_ATTEMPTS) || prune_attempts(p, e)) && tally_rebuild(p->st, e) && open_permit(p, false, e) &&
	       ledger_append(p->st, "pruned", p->id, NULL, e);
}

static bool took_nothing(const struct prune_result *r)
{
	return r->attempts + r->checks + r->streams + r->contents == 0;
}

/* A preview, and one that takes nothing, leaves no trace. */
static bool prune_or_not(struct pruning *p, bool apply, struct err *e)
{
	bool ok = prune(p, e);

	if (ok && apply && !took_nothing(p->out))
		return db_end(p->st, true, e);
	db_end(p->st, false, NULL);
	return ok;
}

bool store_prune(struct store *st, const struct prune_rule *rule, bool apply, void (*fn)(void *ctx, const struct tombstone *t),
                 void *ctx, struct prune_result *out, struct err *e)
{
	struct pruning p = { .st = st, .rule = rule, .fn = fn, .ctx = ctx, .out = out };

	*out = (struct prune_result){ 0 };
	/* Erased bytes are overwritten, in the file and in the pages that the WAL gets. */
	if (!db_exec(st, apply ? "PRAGMA secure_delete = ON" : "PRAGMA secure_delete = OFF", e) || !db_begin(st, DB_FULL, e))
		return false;
	bool ok = prune_or_not(&p, apply, e);
	sqlite3_exec(st->db, "DROP TABLE IF EXISTS temp.given; DROP TABLE IF EXISTS temp.chosen; DROP TABLE IF EXISTS temp.live;"
	                     "DROP TABLE IF EXISTS temp.loose; DROP TABLE IF EXISTS temp.gone; DROP TABLE IF EXISTS temp.covered",
	             NULL, NULL, NULL);
	/* Space that a reader holds at this moment comes back with the next prune. */
	if (ok && apply)
		sqlite3_exec(st->db, "PRAGMA incremental_vacuum", NULL, NULL, NULL);
	sqlite3_exec(st->db, "PRAGMA secure_delete = FAST", NULL, NULL, NULL);
	return ok;
}

bool store_pruned_streams(struct store *st, int64_t attempt, int64_t bytes[3], struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	memset(bytes, 0, 3 * sizeof(*bytes));
	if (!sql_start(st, SQL_TOMBSTONE_LOST, &q, e))
		return false;
	bind_int(&q, attempt);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		bytes[STREAM_OUT] = col_int(&q);
		bytes[STREAM_ERR] = col_int(&q);
	}
	sql_end(&q);
	return answer != SQL_FAILED;
}

int64_t store_pruned_at(struct store *st, const char *ref)
{
	int64_t at_us = 0;
	struct sql q;

	if (!sql_start(st, SQL_TOMBSTONE_AT, &q, NULL))
		return 0;
	bind_text(&q, ref);
	return sql_int(&q, &at_us, NULL) ? at_us : 0;
}
