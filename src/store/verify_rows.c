/* Questions to the whole file: rows that nothing covers, values of another type, tables that disagree. */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

#include "derived.h"
#include "manifest.h"
#include "name.h"

/* Puts the first column into the sentence. */
static void report(struct verify *v, const char *what, const char *first)
{
	const char *at = strstr(what, "%s");

	verify_fault(v, "%.*s%s%s", (int)(at - what), what, first ? first : "?", at + 2);
}

static bool is_quickly_fine(struct verify *v, const struct verify_query *query)
{
	int64_t fine = 0;

	return query->quick && db_number(v->st, query->quick, &fine, NULL) && fine == 1;
}

static bool ask_one(struct verify *v, const struct verify_query *query, struct err *e)
{
	sqlite3_stmt *s = NULL;
	char name[VERIFY_NAME];
	if (is_quickly_fine(v, query))
		return true;
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
	bool ok = true;

	for (size_t i = 0; i < n && verify_goes_on(ok, e); i++)
		ok = ask_one(v, &queries[i], e) && ok;
	return ok;
}

/* ---- what no entry covers ---------------------------------------------------------------------------- */

/* Keys, in order. */
struct keys {
	int64_t *v;
	size_t n, cap;
};

static void add_key(struct keys *k, int64_t key)
{
	k->v = grow(k->v, k->n, &k->cap, sizeof(*k->v));
	k->v[k->n++] = key;
}

static int compare_keys(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static const char *key_name(struct verify *v, const struct ledger_kind *k, int64_t key, char out[VERIFY_NAME])
{
	if (strncmp(k->table, "attempt", 7) == 0)
		return verify_name(v, key, out);
	snprintf(out, VERIFY_NAME, "%lld", (long long)key);
	return out;
}

/* Every row has an entry to itself, and but one. */
static void compare_covered(struct verify *v, const struct ledger_kind *k, const struct keys *rows, const struct keys *entries)
{
	char name[VERIFY_NAME];
	size_t e = 0;

	for (size_t i = 1; i < entries->n; i++)
		if (entries->v[i] == entries->v[i - 1] && (i == 1 || entries->v[i - 2] != entries->v[i]))
			verify_fault(v, "%s: two ledger entries (%s)", key_name(v, k, entries->v[i], name), k->kind);
	for (size_t i = 0; i < rows->n; i++) {
		while (e < entries->n && entries->v[e] < rows->v[i])
			e++;
		if (e == entries->n || entries->v[e] != rows->v[i])
			verify_fault(v, "%s: no ledger entry covers it (%s)", key_name(v, k, rows->v[i], name), k->table);
	}
}

static bool read_keys(struct verify *v, const char *sql, struct keys *out, struct err *e)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(v->st->db, sql, -1, &s, NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		add_key(out, sqlite3_column_int64(s, 0));
		rc = SQLITE_OK;
	}
	if (rc != SQLITE_DONE)
		db_fail(v->st, rc, "cannot read the record", e);
	sqlite3_finalize(s);
	return rc == SQLITE_DONE;
}

/* What the entries of each kind are about, in one walk. */
static bool read_subjects(struct verify *v, struct keys *of, struct err *e)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(v->st->db, "SELECT kind, subject FROM ledger WHERE subject IS NOT NULL", -1, &s, NULL);

	while (rc == SQLITE_OK && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		const char *word = (const char *)sqlite3_column_text(s, 0);
		const struct ledger_kind *k = word ? ledger_kind_find(word) : NULL;

		if (k)
			add_key(&of[k - ledger_kinds], sqlite3_column_int64(s, 1));
		rc = SQLITE_OK;
	}
	if (rc != SQLITE_DONE)
		db_fail(v->st, rc, "cannot read the record", e);
	sqlite3_finalize(s);
	return rc == SQLITE_DONE;
}

static bool check_covered(struct verify *v, struct err *e)
{
	struct keys *of = xcalloc(ledger_kinds_n, sizeof(*of));
	bool ok = read_subjects(v, of, e);
	char sql[160];

	for (size_t i = 0; i < ledger_kinds_n; i++) {
		const struct ledger_kind *k = &ledger_kinds[i];
		struct keys rows = { 0 };

		if (of[i].n)
			qsort(of[i].v, of[i].n, sizeof(*of[i].v), compare_keys);
		snprintf(sql, sizeof(sql), "SELECT %s FROM %s WHERE %s ORDER BY 1", k->key, k->table, k->where ? k->where : "1");
		ok = ok && read_keys(v, sql, &rows, e);
		if (ok)
			compare_covered(v, k, &rows, &of[i]);
		free(rows.v);
		free(of[i].v);
	}
	free(of);
	return ok;
}

/* Rows that are covered with another one, which must be there. */
static const struct verify_query orphans[] = {
	{ "SELECT DISTINCT attempt FROM attempt_arg WHERE attempt NOT IN (SELECT id FROM attempt)",
	  "%s: an argument without its attempt", true, NULL },
	{ "SELECT DISTINCT attempt FROM attempt_env WHERE attempt NOT IN (SELECT id FROM attempt)",
	  "%s: a variable without its attempt", true, NULL },
	{ "SELECT DISTINCT attempt FROM attempt_call WHERE attempt NOT IN (SELECT id FROM attempt)",
	  "%s: an identifier of a call without its attempt", true, NULL },
	{ "SELECT DISTINCT message FROM message_cite WHERE message NOT IN (SELECT id FROM message)",
	  "message %s: a citation without its message", false, NULL },
	{ "SELECT DISTINCT prune FROM tombstone WHERE prune NOT IN (SELECT id FROM prune)",
	  "prune %s: a tombstone without its prune", false, NULL },
	{ "SELECT DISTINCT prune FROM ledger_content WHERE prune NOT IN (SELECT id FROM prune)",
	  "prune %s: a hash without its prune", false, NULL },
	{ "SELECT DISTINCT attempt FROM refusal WHERE attempt NOT IN (SELECT attempt FROM attempt_end)",
	  "%s: a refusal that no ledger entry covers", true, NULL },
	/* The first pieces of all, and those behind an attempt without an end; what stands behind others is seen when
	 * they are read, and so it is with contents. */
	{ "SELECT id >> 32 FROM (SELECT (SELECT id FROM stream_chunk ORDER BY id LIMIT 1) AS id UNION ALL SELECT (SELECT c.id FROM stream_chunk c"
	  " WHERE c.id >= (a.id + 1) << 32 ORDER BY c.id LIMIT 1) FROM attempt a"
	  " WHERE NOT EXISTS (SELECT 1 FROM attempt_end WHERE attempt = a.id))"
	  " WHERE id IS NOT NULL AND id >> 32 NOT IN (SELECT id FROM attempt)",
	  "%s: pieces of a stream without their attempt", true, NULL },
	{ "SELECT id >> 24 FROM (SELECT (SELECT id FROM blob_chunk ORDER BY id LIMIT 1) AS id UNION ALL SELECT (SELECT c.id FROM blob_chunk c"
	  " WHERE c.id >= (u.blob + 1) << 24 ORDER BY c.id LIMIT 1) FROM blob_upload u)"
	  " WHERE id IS NOT NULL AND id >> 24 NOT IN (SELECT id FROM blob) AND id >> 24 NOT IN (SELECT blob FROM blob_upload)",
	  "content %s: bytes that nothing covers", false, NULL },
	{ "SELECT DISTINCT manifest FROM manifest_entry WHERE manifest NOT IN (SELECT id FROM manifest)",
	  "set of files %s: entries that nothing covers", false, NULL },
	{ "SELECT id FROM manifest WHERE base IS NOT NULL AND base NOT IN (SELECT id FROM manifest)",
	  "set of files %s: the one that it is a difference to is not there", false, NULL },
	{ "SELECT id FROM step s WHERE NOT EXISTS (SELECT 1 FROM attempt WHERE step = s.id AND check_of IS NULL)", "step %s: no ledger entry covers it", false, NULL },
	{ "SELECT id FROM asker WHERE id NOT IN (SELECT asker FROM attempt) AND id NOT IN (SELECT asker FROM step)"
	  " AND id NOT IN (SELECT asker FROM message)",
	  "asker %s: no ledger entry covers it", false, NULL },
	{ "SELECT id FROM place WHERE id NOT IN (SELECT place FROM attempt)", "place %s: no ledger entry covers it", false, NULL },
	{ "SELECT id FROM record WHERE id <> 1", "row %s: the record is described twice", false, NULL },
	{ "SELECT 'prune_permit' FROM prune_permit", "%s: facts may be changed: a permit was left open", false, NULL },
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
	  "set of files %s: a value is not of its type", false, NULL },
	/* A row that takes away the base's says nothing else. */
	{ "SELECT DISTINCT manifest FROM manifest_entry WHERE what = -1 AND (size IS NOT NULL OR sha256 IS NOT NULL"
	  " OR mode <> 0 OR mtime_us <> 0 OR from_attempt IS NOT NULL OR note IS NOT NULL)",
	  "set of files %s: a row that takes a file away says more", false, NULL },
	{ "SELECT id FROM manifest WHERE typeof(files) <> 'integer' OR typeof(bytes) <> 'integer'"
	  " OR typeof(base) NOT IN ('integer', 'null')",
	  "set of files %s: a value is not of its type", false, NULL },
	{ "SELECT id FROM blob WHERE typeof(sha256) <> 'blob' OR typeof(size) <> 'integer'",
	  "content %s: a value is not of its type", false, NULL },
	/* Those of ended attempts are looked at with their hash. */
	{ "SELECT a.id FROM attempt a WHERE NOT EXISTS (SELECT 1 FROM attempt_end WHERE attempt = a.id) AND EXISTS (SELECT 1 FROM stream_chunk c"
	  " LEFT JOIN stream_chunk t ON t.id = c.twin WHERE c.id >= a.id << 32 AND c.id < (a.id + 1) << 32"
	  " AND (typeof(c.stream) <> 'integer' OR typeof(c.grp) <> 'integer' OR typeof(c.offset_us) <> 'integer'"
	  " OR typeof(c.position) <> 'integer' OR typeof(c.gap) <> 'integer' OR typeof(c.bytes) NOT IN ('blob', 'null')"
	  " OR typeof(c.twin) NOT IN ('integer', 'null') OR (c.bytes IS NULL) = (c.twin IS NULL)"
	  " OR (c.twin IS NOT NULL AND (t.bytes IS NULL OR t.id >> 32 IS NOT a.check_of OR t.stream <> c.stream"
	  " OR t.position <> c.position))))",
	  "%s: a piece of a stream: a value is not of its type", true, NULL },
	{ "SELECT id FROM environment WHERE typeof(fingerprint) <> 'blob'", "environment %s: a value is not of its type",
	  false, NULL },
	{ "SELECT id FROM policy WHERE typeof(sha256) <> 'blob'", "policy %s: a value is not of its type", false, NULL },
};

/* Contents that the sets of ended attempts must have, and have not. */
#define LACKS(set) \
	"SELECT m.manifest, m.sha256 FROM (SELECT DISTINCT " set " AS manifest FROM attempt_end) u" \
	" JOIN manifest_entry m ON m.manifest = u.manifest WHERE m.what IN (1, 2) AND m.sha256 IS NOT NULL" \
	" AND m.note IS NULL AND m.sha256 NOT IN (SELECT sha256 FROM blob)"
#define LACKS_NONE(set) "SELECT NOT EXISTS (" LACKS(set) ")"
/* What a prune took excuses those that had ended by then, in the order of the ledger: who ended later had it again. */
#define LOST(set) \
	"WITH lacks AS MATERIALIZED (" LACKS(set) ")," \
	" moment AS MATERIALIZED (SELECT kind, subject, seq FROM ledger WHERE kind IN ('ended', 'pruned'))," \
	" taken AS MATERIALIZED (SELECT t.sha256, max(p.seq) AS seq FROM tombstone t JOIN moment p ON p.subject = t.prune" \
	" AND p.kind = 'pruned' WHERE t.what = 'content' GROUP BY t.sha256)" \
	" SELECT min(e.attempt) FROM lacks JOIN attempt_end e ON e." set " = lacks.manifest LEFT JOIN taken ON taken.sha256 = lacks.sha256" \
	" LEFT JOIN moment n ON n.subject = e.attempt AND n.kind = 'ended'" \
	" WHERE taken.seq IS NULL OR n.seq > taken.seq GROUP BY lacks.manifest, lacks.sha256"

/* Contents that must be kept: artifacts, and inputs unless a note says why not. */
static const struct verify_query contents[] = {
	{ LOST("artifacts"), "%s: the bytes of an artifact are gone", true, LACKS_NONE("artifacts") },
	{ LOST("inputs"), "%s: the bytes of an input are gone", true, LACKS_NONE("inputs") },
	{ "SELECT name FROM attachment WHERE sha256 IS NOT NULL AND sha256 NOT IN (SELECT sha256 FROM blob)",
	  "attached %s: its bytes are gone", false, NULL },
};

static const struct {
	const struct verify_query *v;
	size_t n;
} lists[] = {
	{ orphans, ARRAY_LEN(orphans) },
	{ types, ARRAY_LEN(types) },
	{ contents, ARRAY_LEN(contents) },
};

bool verify_rows(struct verify *v, struct err *e)
{
	bool ok = check_covered(v, e);

	for (size_t i = 0; i < ARRAY_LEN(lists) && verify_goes_on(ok, e); i++)
		ok = verify_ask(v, lists[i].v, lists[i].n, e) && ok;
	return ok;
}

/* ---- rebuildable ------------------------------------------------------------------------------------------ */

/* Rows of either side that the other lacks. */
#define DISAGREE(columns, want, have)                                                     \
	"WITH want AS MATERIALIZED (" want "), have AS MATERIALIZED (" have ") SELECT " columns " FROM" \
	" (SELECT * FROM (SELECT * FROM want EXCEPT SELECT * FROM have) UNION"            \
	" SELECT * FROM (SELECT * FROM have EXCEPT SELECT * FROM want)) GROUP BY 1"

/* Each file of an attempt that was ok is there, or a later one of its step; and there is nothing else. */
#define PRODUCED_IS_FINE                                                                                           \
	"SELECT coalesce(sum(p.attempt IS NULL OR p.attempt < a.id), 0) = 0 AND coalesce(sum(p.attempt = a.id"       \
	" AND p.path_bytes IS m.path_bytes AND p.sha256 IS m.sha256 AND p.size IS m.size AND p.mode IS m.mode"       \
	" AND p.at_us IS e.ended_us), 0) = (SELECT count(*) FROM produced)"                                          \
	" FROM attempt_end e CROSS JOIN attempt a ON a.id = e.attempt CROSS JOIN manifest_entry m ON m.manifest = e.artifacts" \
	" LEFT JOIN produced p ON p.path = m.path AND p.step = a.step WHERE a.check_of IS NULL AND e.outcome = 'ok'"  \
	" AND m.what IN (1, 2) AND m.sha256 IS NOT NULL"

static const struct verify_query derived[] = {
	{ DISAGREE("name", DERIVED_TALLY, "SELECT name, value FROM tally WHERE value <> 0"),
	  "rebuildable: tally: '%s' disagrees with the facts", false, NULL },
	{ DISAGREE("step", DERIVED_STEPS, "SELECT step, attempts, last, mark FROM step_tally"),
	  "rebuildable: step_tally: step %s disagrees with the facts", false, NULL },
	{ DISAGREE("attempt", DERIVED_RUNNING, "SELECT attempt FROM running"),
	  "rebuildable: running: %s disagrees with the facts", true, NULL },
	{ "SELECT DISTINCT attempt FROM change WHERE attempt NOT IN (SELECT id FROM attempt)",
	  "rebuildable: change: %s disagrees with the facts", true, NULL },
	{ "SELECT blob FROM blob_upload WHERE blob IN (SELECT id FROM blob)",
	  "rebuildable: blob_upload: content %s is there already", false, NULL },
	{ DISAGREE("path || ' of step ' || step", DERIVED_PRODUCED,
	           "SELECT path, path_bytes, step, attempt, sha256, size, mode, at_us FROM produced"),
	  "rebuildable: produced: %s disagrees with the facts", false, PRODUCED_IS_FINE },
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
	bool ok = verify_ask(v, derived, ARRAY_LEN(derived), e);

	return verify_goes_on(ok, e) && check_replaced(v, e) && ok;
}
