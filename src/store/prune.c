/*
 * Taking parts of a record away, so that what remains still verifies: for every ledger entry whose rows
 * go, the hash of what they said stays (ledger_content); streams and contents leave their hash in a
 * tombstone; all of that is under the entry of the prune itself.
 *
 * A preview asks the same questions of the record as it stands, so that it needs nobody's turn to write: what goes is told
 * by temp.chosen, never by what is gone already.
 */
#include "chosen.h"

#include <string.h>

#include "tally.h"

/* ---- streams ------------------------------------------------------------------------------------------ */

static bool bury_streams(struct pruning *p, sqlite3_stmt *s, struct err *e)
{
	int64_t attempt = sqlite3_column_int64(s, 0);
	struct tombstone t = { .what = "streams", .ref = (const char *)sqlite3_column_text(s, 1), .bytes = sqlite3_column_int64(s, 2) };
	struct digest chunks = { 0 };

	p->out->streams++;
	return (p->preview || chosen_streams(p, attempt, &chunks, e)) && chosen_tombstone(p, &t, attempt, &chunks, e);
}

/* Checks first: their pieces may name those of their attempt. */
static bool drop_chunks(struct pruning *p, struct err *e)
{
	static const char *const whose[] = { "IS NOT NULL", "IS NULL" };

	for (size_t i = 0; i < ARRAY_LEN(whose); i++)
		if (!chosen_run(p, NULL, e,
		          "DELETE FROM stream_chunk WHERE id >> 32 IN (SELECT c.attempt FROM temp.chosen c JOIN attempt a"
		          " ON a.id = c.attempt WHERE a.check_of %s)", whose[i]))
			return false;
	return true;
}

#define HAS_CHUNKS "EXISTS (SELECT 1 FROM stream_chunk WHERE id >= a.id << 32 AND id < (a.id + 1) << 32)"

static bool prune_streams(struct pruning *p, struct err *e)
{
	return chosen_each(p, "SELECT a.id, " CHOSEN_REF ", " CHOSEN_STREAM_BYTES " FROM temp.chosen c JOIN attempt a ON a.id = c.attempt WHERE "
	                   HAS_CHUNKS " ORDER BY a.id", bury_streams, e) &&
	       (p->preview || drop_chunks(p, e));
}

/* Hashes in the sets of these, or of all other attempts. */
#define OF_SETS(columns, chosen) \
	"SELECT m.sha256 FROM attempt_end n JOIN manifest_entry m ON m.manifest = n." columns \
	" WHERE m.sha256 IS NOT NULL AND n.attempt " chosen " (SELECT attempt FROM temp.chosen)"

/* ---- whole attempts ------------------------------------------------------------------------------------- */

static bool drop_rows(struct pruning *p, struct err *e)
{
	static const char *const tables[] = { "attempt_arg", "attempt_env", "attempt_call", "refusal", "mark", "note", "attempt_end",
		                              "change" };

	/* Its marks are of no step any more. */
	if (!chosen_run(p, NULL, e, "UPDATE step_tally SET mark = NULL WHERE mark IN (SELECT id FROM mark WHERE attempt IN"
	                      " (SELECT attempt FROM temp.chosen))"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		if (!chosen_run(p, NULL, e, "DELETE FROM %s WHERE attempt IN (SELECT attempt FROM temp.chosen)", tables[i]))
			return false;
	return drop_chunks(p, e) &&
	       chosen_run(p, NULL, e, "DELETE FROM attempt WHERE check_of IS NOT NULL AND id IN (SELECT attempt FROM temp.chosen)") &&
	       chosen_run(p, NULL, e, "DELETE FROM attempt WHERE id IN (SELECT attempt FROM temp.chosen)");
}

/* What only the chosen needed: as nothing names it any more, it leaves no tombstone of its own. */
static bool drop_orphans(struct pruning *p, struct err *e)
{
	return chosen_run(p, NULL, e,
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

#define STAYS " NOT IN (SELECT attempt FROM temp.chosen)"

/* What the chosen name, before their rows go. */
static bool list_named(struct pruning *p, struct err *e)
{
	return chosen_run(p, NULL, e,
	            "DROP TABLE IF EXISTS temp.named; CREATE TEMP TABLE named (blob INTEGER PRIMARY KEY);"
	            "INSERT OR IGNORE INTO temp.named SELECT code FROM attempt WHERE id IN (SELECT attempt FROM temp.chosen);"
	            "INSERT OR IGNORE INTO temp.named SELECT id FROM blob WHERE sha256 IN (" OF_SETS("inputs", "IN") ")"
	            " OR sha256 IN (" OF_SETS("artifacts", "IN") ")");
}

/* Contents that nothing refers to which stays. Those that nothing referred to before were left by somebody who vanished -
 * or are those of an attempt that is about to end. */
static bool drop_loose_contents(struct pruning *p, struct err *e)
{
	int64_t bytes;

	if (!chosen_run(p, NULL, e,
	          "DROP TABLE IF EXISTS temp.loose; CREATE TEMP TABLE loose (blob INTEGER PRIMARY KEY, size INTEGER);"
	          "INSERT INTO temp.loose SELECT id, size FROM blob WHERE id NOT IN (SELECT code FROM attempt WHERE id" STAYS ")"
	          " AND sha256 NOT IN (SELECT m.sha256 FROM attempt_end e JOIN manifest_entry m ON m.manifest = e.inputs"
	          " WHERE m.sha256 IS NOT NULL AND e.attempt" STAYS ")"
	          " AND sha256 NOT IN (SELECT m.sha256 FROM attempt_end e JOIN manifest_entry m ON m.manifest = e.artifacts"
	          " WHERE m.sha256 IS NOT NULL AND e.attempt" STAYS ")"
	          " AND sha256 NOT IN (SELECT sha256 FROM attachment WHERE sha256 IS NOT NULL)"
	          " AND (id IN (SELECT blob FROM temp.named) OR NOT EXISTS (SELECT 1 FROM running))") ||
	    !db_number(p->st, "SELECT coalesce(sum(size), 0) FROM temp.loose", &bytes, e))
		return false;
	p->out->bytes += bytes;
	return p->preview || chosen_run(p, NULL, e,
	                         "DELETE FROM blob_chunk WHERE id >> 24 IN (SELECT blob FROM temp.loose);"
	                         "DELETE FROM blob WHERE id IN (SELECT blob FROM temp.loose)");
}

static bool prune_attempts(struct pruning *p, struct err *e)
{
	return list_named(p, e) && chosen_bury(p, e) && (p->preview || (drop_rows(p, e) && drop_orphans(p, e))) &&
	       drop_loose_contents(p, e);
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
	return chosen_tombstone(p, &t, sqlite3_column_int64(s, 2), &sha256, e);
}

/* Contents that only the chosen keep. Code stays while its attempt does. */
static bool prune_files(struct pruning *p, struct err *e)
{
	return chosen_run(p, NULL, e,
	            "DROP TABLE IF EXISTS temp.gone; CREATE TEMP TABLE gone (blob INTEGER PRIMARY KEY);"
	            "INSERT INTO temp.gone SELECT id FROM blob WHERE size >= %lld AND id NOT IN (SELECT code FROM attempt)"
	            " AND (sha256 IN (" OF_SETS("artifacts", "IN") ") OR sha256 IN (" OF_SETS("inputs", "IN") "))"
	            " AND sha256 NOT IN (" OF_SETS("artifacts", "NOT IN") ") AND sha256 NOT IN (" OF_SETS("inputs", "NOT IN") ")"
	            " AND sha256 NOT IN (SELECT sha256 FROM attachment WHERE sha256 IS NOT NULL)",
	            (long long)MAX(p->rule->larger, (int64_t)1)) &&
	       chosen_each(p, "SELECT b.sha256, b.size, a.id, " CHOSEN_REF ", m.path FROM temp.gone g JOIN blob b ON b.id = g.blob"
	                   " JOIN manifest_entry m ON m.sha256 = b.sha256 JOIN attempt_end n ON n.artifacts = m.manifest"
	                   " OR n.inputs = m.manifest JOIN attempt a ON a.id = n.attempt GROUP BY b.id ORDER BY a.id, m.path",
	                bury_content, e) &&
	       (p->preview || chosen_run(p, NULL, e,
	                          "DELETE FROM blob_chunk WHERE id >> 24 IN (SELECT blob FROM temp.gone);"
	                          "DELETE FROM blob WHERE id IN (SELECT blob FROM temp.gone)"));
}

/* ---- all of it -------------------------------------------------------------------------------------------- */

static bool open_permit(struct pruning *p, bool open, struct err *e)
{
	struct sql q;

	return sql_start(p->st, open ? SQL_PERMIT_OPEN : SQL_PERMIT_CLOSE, &q, e) && sql_run(&q, e);
}

static bool prune_parts(struct pruning *p, struct err *e)
{
	unsigned parts = p->rule->parts;

	return (!(parts & PRUNE_STREAMS) || parts & PRUNE_ATTEMPTS || prune_streams(p, e)) &&
	       (!(parts & PRUNE_FILES) || parts & PRUNE_ATTEMPTS || prune_files(p, e)) &&
	       (!(parts & PRUNE_ATTEMPTS) || prune_attempts(p, e));
}

static bool prune(struct pruning *p, struct err *e)
{
	return chosen_make(p, e) && chosen_begin(p, e) && open_permit(p, true, e) && prune_parts(p, e) && tally_rebuild(p->st, e) &&
	       open_permit(p, false, e) && ledger_append(p->st, "pruned", p->id, NULL, e);
}

static bool took_nothing(const struct prune_result *r)
{
	return r->attempts + r->checks + r->streams + r->contents == 0;
}

/* One that takes nothing leaves no trace. */
static bool apply_rule(struct pruning *p, struct err *e)
{
	/* Erased bytes are overwritten, in the file and in the pages that the WAL gets. */
	if (!db_exec(p->st, "PRAGMA secure_delete = ON", e) || !db_begin(p->st, DB_FULL, e))
		return false;
	bool ok = prune(p, e);
	if (ok && !took_nothing(p->out))
		ok = db_end(p->st, true, e);
	else
		db_end(p->st, false, NULL);
	return ok;
}

/* All of it as the record stood at one moment; temp tables are not in it. */
static bool preview(struct pruning *p, struct err *e)
{
	bool begun = db_read_begin(p->st);
	bool ok = chosen_make(p, e) && prune_parts(p, e);

	db_read_end(p->st, begun);
	return ok;
}

bool store_prune(struct store *st, const struct prune_rule *rule, bool apply, void (*fn)(void *ctx, const struct tombstone *t),
                 void *ctx, struct prune_result *out, struct err *e)
{
	struct pruning p = { .st = st, .to = st, .rule = rule, .fn = fn, .ctx = ctx, .preview = !apply, .out = out };

	*out = (struct prune_result){ 0 };
	bool ok = apply ? apply_rule(&p, e) : preview(&p, e);
	chosen_forget(&p);
	/* Space that a reader holds at this moment comes back with the next prune. */
	if (ok && apply)
		sqlite3_exec(st->db, "PRAGMA incremental_vacuum", NULL, NULL, NULL);
	if (apply)
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
