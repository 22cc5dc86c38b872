/* Questions to the whole file: rows that nothing covers, values of another type, tables that disagree. */
#include "verify.h"

#include <string.h>

#include "derived.h"
#include "ledger.h"
#include "manifest.h"
#include "name.h"

/* Puts the first column into the sentence. */
static void report(struct verify *v, const char *what, const char *first)
{
	const char *at = strstr(what, "%s");

	verify_fault(v, "%.*s%s%s", (int)(at - what), what, first ? first : "?", at + 2);
}

static bool ask_one(struct verify *v, const struct verify_query *query, struct err *e)
{
	sqlite3_stmt *s = NULL;
	char name[VERIFY_NAME];
	int rc = sqlite3_prepare_v2(v->st->db, query->sql, -1, &s, NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		report(v, query->what, query->attempt ? verify_name(v, sqlite3_column_int64(s, 0), name)
		                                      : (const char *)sqlite3_column_text(s, 0));
		rc = SQLITE_OK;
	}
	if (rc != SQLITE_DONE)
		db_fail(v->st, rc, "cannot read the record", e);
	sqlite3_finalize(s);
	return rc == SQLITE_DONE;
}

bool verify_ask(struct verify *v, const struct verify_query *queries, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (!ask_one(v, &queries[i], e))
			return false;
	return true;
}

/* ---- what no entry covers ---------------------------------------------------------------------------- */

/* Rows that have an entry to themselves. */
static bool ask_uncovered(struct verify *v, const struct ledger_kind *k, struct err *e)
{
	char rows[320], twice[256], no_entry[64], two_entries[64];
	bool attempt = strncmp(k->table, "attempt", 7) == 0;
	const struct verify_query questions[] = { { rows, no_entry, attempt }, { twice, two_entries, attempt } };

	/* NOT IN a list with a NULL would be no answer at all. */
	snprintf(rows, sizeof(rows),
	         "SELECT %s FROM %s WHERE (%s) AND %s NOT IN"
	         " (SELECT subject FROM ledger WHERE kind = '%s' AND subject IS NOT NULL)",
	         k->key, k->table, k->where ? k->where : "1", k->key, k->kind);
	snprintf(twice, sizeof(twice), "SELECT subject FROM ledger WHERE kind = '%s' GROUP BY subject HAVING count(*) > 1",
	         k->kind);
	snprintf(no_entry, sizeof(no_entry), "%%s: no ledger entry covers it (%s)", k->table);
	snprintf(two_entries, sizeof(two_entries), "%%s: two ledger entries (%s)", k->kind);
	return verify_ask(v, questions, ARRAY_LEN(questions), e);
}

/* Rows that are covered with another one, which must be there. */
static const struct verify_query orphans[] = {
	{ "SELECT DISTINCT attempt FROM attempt_arg WHERE attempt NOT IN (SELECT id FROM attempt)",
	  "%s: an argument without its attempt", true },
	{ "SELECT DISTINCT attempt FROM attempt_env WHERE attempt NOT IN (SELECT id FROM attempt)",
	  "%s: a variable without its attempt", true },
	{ "SELECT DISTINCT attempt FROM attempt_call WHERE attempt NOT IN (SELECT id FROM attempt)",
	  "%s: an identifier of a call without its attempt", true },
	{ "SELECT DISTINCT message FROM message_cite WHERE message NOT IN (SELECT id FROM message)",
	  "message %s: a citation without its message", false },
	{ "SELECT DISTINCT prune FROM tombstone WHERE prune NOT IN (SELECT id FROM prune)",
	  "prune %s: a tombstone without its prune", false },
	{ "SELECT DISTINCT prune FROM ledger_content WHERE prune NOT IN (SELECT id FROM prune)",
	  "prune %s: a hash without its prune", false },
	{ "SELECT DISTINCT attempt FROM refusal WHERE attempt NOT IN (SELECT attempt FROM attempt_end)",
	  "%s: a refusal that no ledger entry covers", true },
	{ "SELECT DISTINCT id >> 32 FROM stream_chunk WHERE id >> 32 NOT IN (SELECT id FROM attempt)",
	  "%s: pieces of a stream without their attempt", true },
	{ "SELECT DISTINCT id >> 24 FROM blob_chunk WHERE id >> 24 NOT IN (SELECT id FROM blob)"
	  " AND id >> 24 NOT IN (SELECT blob FROM blob_upload)",
	  "content %s: bytes that nothing covers", false },
	{ "SELECT DISTINCT manifest FROM manifest_entry WHERE manifest NOT IN (SELECT id FROM manifest)",
	  "set of files %s: entries that nothing covers", false },
	{ "SELECT id FROM step WHERE id NOT IN (SELECT step FROM attempt)", "step %s: no ledger entry covers it", false },
	{ "SELECT id FROM asker WHERE id NOT IN (SELECT asker FROM attempt) AND id NOT IN (SELECT asker FROM step)"
	  " AND id NOT IN (SELECT asker FROM message)",
	  "asker %s: no ledger entry covers it", false },
	{ "SELECT id FROM place WHERE id NOT IN (SELECT place FROM attempt)", "place %s: no ledger entry covers it", false },
	{ "SELECT id FROM record WHERE id <> 1", "row %s: the record is described twice", false },
	{ "SELECT 'prune_permit' FROM prune_permit", "%s: facts may be changed: a permit was left open", false },
};

/* Values that are read as something else than what they are. Where the ledger's own SELECTs hash the
 * columns as they are stored, this is done there. */
static const struct verify_query types[] = {
	{ "SELECT DISTINCT manifest FROM manifest_entry WHERE typeof(path) <> 'text' OR typeof(what) <> 'integer'"
	  " OR what NOT BETWEEN -1 AND 5 OR typeof(size) NOT IN ('integer', 'null') OR size < 0"
	  " OR typeof(sha256) NOT IN ('blob', 'null') OR length(sha256) <> 32 OR sha256 = zeroblob(32)"
	  " OR typeof(mode) <> 'integer' OR mode NOT BETWEEN 0 AND 65535 OR typeof(mtime_us) <> 'integer'"
	  " OR typeof(from_attempt) NOT IN ('integer', 'null') OR from_attempt <= 0"
	  " OR typeof(note) NOT IN ('text', 'null') OR typeof(path_bytes) NOT IN ('blob', 'null')"
	  " OR instr(CAST(path AS BLOB), x'00') > 0 OR instr(CAST(note AS BLOB), x'00') > 0",
	  "set of files %s: a value is not of its type", false },
	/* A row that takes away the base's says nothing else. */
	{ "SELECT DISTINCT manifest FROM manifest_entry WHERE what = -1 AND (size IS NOT NULL OR sha256 IS NOT NULL"
	  " OR mode <> 0 OR mtime_us <> 0 OR from_attempt IS NOT NULL OR note IS NOT NULL)",
	  "set of files %s: a row that takes a file away says more", false },
	{ "SELECT id FROM manifest WHERE typeof(files) <> 'integer' OR typeof(bytes) <> 'integer'"
	  " OR typeof(base) NOT IN ('integer', 'null')",
	  "set of files %s: a value is not of its type", false },
	{ "SELECT id FROM blob WHERE typeof(sha256) <> 'blob' OR typeof(size) <> 'integer'",
	  "content %s: a value is not of its type", false },
	{ "SELECT DISTINCT id >> 24 FROM blob_chunk WHERE typeof(bytes) <> 'blob'",
	  "content %s: a value is not of its type", false },
	{ "SELECT DISTINCT id >> 32 FROM stream_chunk WHERE typeof(stream) <> 'integer' OR typeof(grp) <> 'integer'"
	  " OR typeof(offset_us) <> 'integer' OR typeof(position) <> 'integer' OR typeof(gap) <> 'integer'"
	  " OR typeof(bytes) NOT IN ('blob', 'null') OR typeof(twin) NOT IN ('integer', 'null')"
	  " OR (bytes IS NULL) = (twin IS NULL)",
	  "%s: a piece of a stream: a value is not of its type", true },
	{ "SELECT DISTINCT c.id >> 32 FROM stream_chunk c LEFT JOIN stream_chunk t ON t.id = c.twin"
	  " LEFT JOIN attempt a ON a.id = c.id >> 32 WHERE c.twin IS NOT NULL AND (t.bytes IS NULL"
	  " OR t.id >> 32 IS NOT a.check_of OR t.stream <> c.stream OR t.position <> c.position)",
	  "%s: a piece of a stream names one that is not its like", true },
	{ "SELECT id FROM environment WHERE typeof(fingerprint) <> 'blob'", "environment %s: a value is not of its type",
	  false },
	{ "SELECT id FROM policy WHERE typeof(sha256) <> 'blob'", "policy %s: a value is not of its type", false },
};

#define NOT_PRUNED " AND m.sha256 NOT IN (SELECT sha256 FROM tombstone WHERE what = 'content')"

/* Contents that must be kept: artifacts, and inputs unless a note says why not. */
static const struct verify_query contents[] = {
	{ "SELECT u.attempt FROM (SELECT min(attempt) AS attempt, artifacts FROM attempt_end GROUP BY artifacts) u"
	  " JOIN manifest_entry m ON m.manifest = u.artifacts WHERE m.what IN (1, 2) AND m.sha256 IS NOT NULL"
	  " AND m.note IS NULL AND m.sha256 NOT IN (SELECT sha256 FROM blob)" NOT_PRUNED,
	  "%s: the bytes of an artifact are gone", true },
	{ "SELECT u.attempt FROM (SELECT min(attempt) AS attempt, inputs FROM attempt_end GROUP BY inputs) u"
	  " JOIN manifest_entry m ON m.manifest = u.inputs WHERE m.what IN (1, 2) AND m.sha256 IS NOT NULL"
	  " AND m.note IS NULL AND m.sha256 NOT IN (SELECT sha256 FROM blob)" NOT_PRUNED,
	  "%s: the bytes of an input are gone", true },
	{ "SELECT name FROM attachment WHERE sha256 IS NOT NULL AND sha256 NOT IN (SELECT sha256 FROM blob)",
	  "attached %s: its bytes are gone", false },
};

bool verify_rows(struct verify *v, struct err *e)
{
	for (size_t i = 0; i < ledger_kinds_n; i++)
		if (!ask_uncovered(v, &ledger_kinds[i], e))
			return false;
	return verify_ask(v, orphans, ARRAY_LEN(orphans), e) && verify_ask(v, types, ARRAY_LEN(types), e) &&
	       verify_ask(v, contents, ARRAY_LEN(contents), e);
}

/* ---- rebuildable ------------------------------------------------------------------------------------------ */

/* Rows of either side that the other lacks. */
#define DISAGREE(columns, want, have)                                                     \
	"WITH want AS (" want "), have AS (" have ") SELECT " columns " FROM"             \
	" (SELECT * FROM (SELECT * FROM want EXCEPT SELECT * FROM have) UNION"            \
	" SELECT * FROM (SELECT * FROM have EXCEPT SELECT * FROM want)) GROUP BY 1"

static const struct verify_query derived[] = {
	{ DISAGREE("name", DERIVED_TALLY, "SELECT name, value FROM tally WHERE value <> 0"),
	  "rebuildable: tally: '%s' disagrees with the facts", false },
	{ DISAGREE("step", DERIVED_STEPS, "SELECT step, attempts, last, mark FROM step_tally"),
	  "rebuildable: step_tally: step %s disagrees with the facts", false },
	{ DISAGREE("attempt", DERIVED_RUNNING, "SELECT attempt FROM running"),
	  "rebuildable: running: %s disagrees with the facts", true },
	{ "SELECT DISTINCT attempt FROM change WHERE attempt NOT IN (SELECT id FROM attempt)",
	  "rebuildable: change: %s disagrees with the facts", true },
	{ "SELECT blob FROM blob_upload WHERE blob IN (SELECT id FROM blob)",
	  "rebuildable: blob_upload: content %s is there already", false },
	{ DISAGREE("path || ' of step ' || step", DERIVED_PRODUCED,
	           "SELECT path, path_bytes, step, attempt, sha256, size, mode, at_us FROM produced"),
	  "rebuildable: produced: %s disagrees with the facts", false },
};

/* What stood at the path before, in the set that was offered. */
static bool check_replaced_row(struct verify *v, struct sql *q, struct err *e)
{
	const char *path = col_name(q);
	long long step = col_int(q);
	struct digest have = col_digest(q), want;
	struct err fault = { 0 };

	if (!manifest_at(v->st, col_int(q), path ? path : "", &want, &fault) && fault.code != ERR_CORRUPT &&
	    fault.code != ERR_NOTFOUND) {
		if (e)
			*e = fault;
		return false;
	}
	if (fault.code != ERR_NONE || !digest_equal(&have, &want))
		verify_fault(v, "rebuildable: produced: %s of step %lld: what it replaced disagrees with the facts", path,
		             step);
	return true;
}

static bool check_replaced(struct verify *v, struct err *e)
{
	enum sql_answer answer;
	bool ok = true;
	struct sql q;

	if (!sql_start(v->st, SQL_VERIFY_PRODUCED, &q, e))
		return false;
	while (ok && (answer = sql_row(&q, e)) == SQL_ROW)
		ok = check_replaced_row(v, &q, e);
	sql_end(&q);
	return ok && answer == SQL_DONE;
}

bool verify_rebuildable(struct verify *v, struct err *e)
{
	return verify_ask(v, derived, ARRAY_LEN(derived), e) && check_replaced(v, e);
}
