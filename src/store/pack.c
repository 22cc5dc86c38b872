/*
 * A copy of a record without some attempts: what is not wanted is never written, so that a step of a large record
 * costs its own bytes, the ledger, and the hash of what stays behind. What comes out is what prune would leave.
 */
#include "pack.h"

#include "chosen.h"
#include "schema.h"
#include "tally.h"

/* ---- what goes along --------------------------------------------------------------------------------- */

/* Attempts, sets and contents; each list as long as what is wanted. */
static bool list_wanted(struct pruning *p, struct err *e)
{
	return chosen_run(p, NULL, e,
	                  "CREATE TEMP TABLE kept (id INTEGER PRIMARY KEY);"
	                  "INSERT INTO temp.kept SELECT id FROM attempt WHERE id NOT IN (SELECT attempt FROM temp.chosen);"
	                  "CREATE TEMP TABLE live (id INTEGER PRIMARY KEY);"
	                  "WITH RECURSIVE used (id) AS (SELECT offered FROM attempt WHERE id IN temp.kept"
	                  " UNION SELECT inputs FROM attempt_end WHERE attempt IN temp.kept AND inputs IS NOT NULL"
	                  " UNION SELECT artifacts FROM attempt_end WHERE attempt IN temp.kept AND artifacts IS NOT NULL"
	                  " UNION SELECT m.base FROM used u CROSS JOIN manifest m ON m.id = u.id WHERE m.base IS NOT NULL)"
	                  " INSERT INTO temp.live SELECT id FROM used;"
	                  "CREATE TEMP TABLE wanted (id INTEGER PRIMARY KEY);"
	                  "INSERT INTO temp.wanted SELECT code FROM attempt WHERE id IN temp.kept"
	                  " UNION SELECT b.id FROM (SELECT m.sha256 FROM temp.kept k CROSS JOIN attempt_end n ON n.attempt = k.id"
	                  " CROSS JOIN manifest_entry m ON m.manifest IN (n.inputs, n.artifacts) WHERE m.sha256 IS NOT NULL"
	                  " UNION SELECT sha256 FROM attachment WHERE sha256 IS NOT NULL) f"
	                  " CROSS JOIN blob b ON b.sha256 = f.sha256");
}

/* Every table of facts: the rows that go along, in the order of their keys. Tables that are rebuildable are made anew. */
static const struct { const char *table, *rows; } parts[] = {
	{ "record", "SELECT * FROM record" },
	{ "prune", "SELECT * FROM prune" },
	{ "tombstone", "SELECT * FROM tombstone" },
	{ "ledger_content", "SELECT * FROM ledger_content" },
	{ "ledger", "SELECT * FROM ledger" },
	{ "attachment", "SELECT * FROM attachment" },
	{ "message", "SELECT * FROM message" },
	{ "message_cite", "SELECT * FROM message_cite" },
	{ "attempt", "SELECT * FROM attempt WHERE id IN temp.kept" },
	{ "attempt_arg", "SELECT * FROM attempt_arg WHERE attempt IN temp.kept" },
	{ "attempt_env", "SELECT * FROM attempt_env WHERE attempt IN temp.kept" },
	{ "attempt_call", "SELECT * FROM attempt_call WHERE attempt IN temp.kept" },
	{ "attempt_end", "SELECT * FROM attempt_end WHERE attempt IN temp.kept" },
	{ "refusal", "SELECT * FROM refusal WHERE attempt IN temp.kept" },
	{ "mark", "SELECT * FROM mark WHERE attempt IS NULL OR attempt IN temp.kept" },
	{ "note", "SELECT * FROM note WHERE attempt IN temp.kept" },
	{ "step", "SELECT * FROM step WHERE id IN (SELECT step FROM attempt WHERE id IN temp.kept)" },
	{ "place", "SELECT * FROM place WHERE id IN (SELECT place FROM attempt WHERE id IN temp.kept)" },
	{ "environment", "SELECT * FROM environment WHERE id IN (SELECT environment FROM attempt WHERE id IN temp.kept)" },
	{ "policy", "SELECT * FROM policy WHERE id IN (SELECT policy FROM attempt WHERE id IN temp.kept)" },
	{ "asker", "SELECT * FROM asker WHERE id IN (SELECT asker FROM attempt WHERE id IN temp.kept UNION SELECT asker FROM message"
	           " UNION SELECT asker FROM step WHERE id IN (SELECT step FROM attempt WHERE id IN temp.kept))" },
	{ "manifest", "SELECT * FROM manifest WHERE id IN temp.live" },
	{ "manifest_entry", "SELECT * FROM manifest_entry WHERE manifest IN temp.live" },
	{ "blob", "SELECT * FROM blob WHERE id IN temp.wanted" },
	{ "blob_chunk", "SELECT c.* FROM temp.wanted w CROSS JOIN blob_chunk c ON c.id >= w.id << 24 AND c.id < (w.id + 1) << 24" },
	{ "stream_chunk", "SELECT c.* FROM temp.kept k CROSS JOIN stream_chunk c ON c.id >= k.id << 32 AND c.id < (k.id + 1) << 32" },
};

/* ---- rows ---------------------------------------------------------------------------------------------- */

static int prepare_insert(struct store *to, const char *table, int columns, sqlite3_stmt **out)
{
	struct buf b = { 0 };

	buf_addf(&b, "INSERT INTO %s VALUES (", table);
	for (int i = 0; i < columns; i++)
		buf_addf(&b, i ? ", ?" : "?");
	buf_addf(&b, ")");
	int rc = sqlite3_prepare_v2(to->db, b.data, -1, out, NULL);
	buf_free(&b);
	return rc;
}

static int insert_row(sqlite3_stmt *from, sqlite3_stmt *to)
{
	for (int i = 0; i < sqlite3_column_count(from); i++)
		sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i));
	sqlite3_step(to);
	return sqlite3_reset(to);
}

static bool copy_rows(struct pruning *p, const char *table, const char *rows, struct err *e)
{
	sqlite3_stmt *from = NULL, *to = NULL;
	int read = sqlite3_prepare_v2(p->st->db, rows, -1, &from, NULL);
	int written = read == SQLITE_OK ? prepare_insert(p->to, table, sqlite3_column_count(from), &to) : SQLITE_OK;

	while (read == SQLITE_OK && written == SQLITE_OK && (read = sqlite3_step(from)) == SQLITE_ROW) {
		read = SQLITE_OK;
		written = insert_row(from, to);
	}
	bool ok = written == SQLITE_OK ? read == SQLITE_DONE || db_fail(p->st, read, "cannot pack the record", e)
	                               : db_fail(p->to, written, "cannot write the copy", e);
	sqlite3_finalize(from);
	sqlite3_finalize(to);
	return ok;
}

static bool fill(void *ctx, struct store *to, struct err *e)
{
	struct pruning *p = ctx;

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (!copy_rows(p, parts[i].table, parts[i].rows, e))
			return false;
	return chosen_begin(p, e) && chosen_bury(p, e) && tally_rebuild(to, e) && ledger_append(to, "pruned", p->id, NULL, e);
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

/* Its rows are written as they are into tables of ours. */
static bool is_of_our_shape(struct store *st, struct err *e)
{
	struct err fault = { 0 };
	char what[128];

	if (st->version != STORE_SCHEMA_VERSION)
		return err_set(e, ERR_VERSION, "%s has record version %d, and this tickmark knows %d: it can be packed whole alone",
		               st->path, st->version, STORE_SCHEMA_VERSION);
	if (schema_equals(st, what, &fault))
		return true;
	if (fault.code == ERR_NONE)
		return err_set(e, ERR_CORRUPT, "%s: its tables are not those of a tickmark record (%s): it can be packed whole alone",
		               st->path, what);
	if (e)
		*e = fault;
	return false;
}

static bool pack(struct pruning *p, const char *file, bool *all, struct err *e)
{
	int64_t n;

	if (!is_of_our_shape(p->st, e) || !chosen_make(p, e) || !db_number(p->st, "SELECT count(*) FROM temp.chosen", &n, e))
		return false;
	*all = n == 0;
	return *all || (list_wanted(p, e) && db_make_record(p->to, file, fill, p, e));
}

bool pack_chosen(struct store *st, struct store *to, const char *file, const struct prune_rule *rule, struct prune_result *left,
                 bool *all, struct err *e)
{
	struct pruning p = { .st = st, .to = to, .rule = rule, .out = left };
	bool begun = db_read_begin(st);

	*left = (struct prune_result){ 0 };
	bool ok = pack(&p, file, all, e);
	chosen_forget(&p);
	db_read_end(st, begun);
	return ok;
}
