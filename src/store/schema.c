/* The tables of a record: made from schema.sql and a list of fact tables, compared, brought up. */
#include "schema.h"
#include "store/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gen/schema_sql.h>

const char *const schema_facts[] = {
	"record",      "blob",    "blob_chunk",  "manifest",    "manifest_entry", "attachment", "environment",
	"policy",      "asker",   "place",       "step",        "attempt",        "attempt_arg", "attempt_env",
	"attempt_end", "refusal", "stream_chunk", "attempt_call", "mark",          "note",       "message",
	"message_cite", "prune",  "tombstone",   "ledger_content", "ledger",
};
const size_t schema_facts_n = ARRAY_LEN(schema_facts);

/* From the version before to the next, in order; an entry is never changed once released. */
const struct migration schema_migrations[] = {
	{ 0, NULL }, /* none so far: version 1 is the first */
};
const size_t schema_migrations_n = 0;

const char *store_schema(void)
{
	return schema_sql;
}

static const char *const guarded[] = { "UPDATE", "DELETE" };

/* As SQLite itself keeps it in sqlite_schema. */
static void trigger_sql(char *out, size_t n, const char *table, const char *action)
{
	snprintf(out, n,
	         "CREATE TRIGGER %s_no_%s BEFORE %s ON %s WHEN NOT EXISTS (SELECT 1 FROM prune_permit) "
	         "BEGIN SELECT RAISE(ABORT, 'facts are never changed'); END",
	         table, action, action, table);
}

#define TRIGGER_SQL 256

static bool make_triggers(struct store *st, struct err *e)
{
	char sql[TRIGGER_SQL];

	for (size_t i = 0; i < schema_facts_n; i++)
		for (size_t k = 0; k < ARRAY_LEN(guarded); k++) {
			trigger_sql(sql, sizeof(sql), schema_facts[i], guarded[k]);
			if (!db_exec(st, sql, e))
				return false;
		}
	return true;
}

bool schema_make(struct store *st, struct err *e)
{
	return db_exec(st, schema_sql, e) && make_triggers(st, e);
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* The next statement of schema.sql: from its CREATE up to its semicolon. Comments may hold anything,
 * strings hold neither quotes nor semicolons that matter here. */
static bool next_statement(const char **at, const char **from, size_t *len)
{
	const char *p = *at;

	for (;;) {
		p += strspn(p, " \n");
		if (strncmp(p, "--", 2) != 0)
			break;
		p += strcspn(p, "\n");
	}
	if (!*p)
		return false;
	*from = p;
	while (*p != ';') {
		if (*p == '\'')
			p += 1 + strcspn(p + 1, "'");
		else if (strncmp(p, "--", 2) == 0)
			p += strcspn(p, "\n") - 1;
		p++;
	}
	*len = (size_t)(p - *from);
	*at = p + 1;
	return true;
}

/* Walks through what should be there, statement by statement. */
struct expected {
	const char *at;   /* rest of schema.sql */
	size_t trigger;   /* of the triggers behind it */
	char buf[TRIGGER_SQL];
};

static bool next_expected(struct expected *x, const char **sql, size_t *len)
{
	size_t table = x->trigger / ARRAY_LEN(guarded);

	if (next_statement(&x->at, sql, len))
		return true;
	if (table >= schema_facts_n)
		return false;
	trigger_sql(x->buf, sizeof(x->buf), schema_facts[table], guarded[x->trigger++ % ARRAY_LEN(guarded)]);
	*sql = x->buf;
	*len = strlen(x->buf);
	return true;
}

/* One row of sqlite_schema against the next expected statement. */
static bool row_equals(sqlite3_stmt *s, struct expected *x, char what[128])
{
	const char *name = (const char *)sqlite3_column_text(s, 0);
	const char *have = (const char *)sqlite3_column_text(s, 1);
	size_t have_len = (size_t)sqlite3_column_bytes(s, 1);
	const char *want;
	size_t len;

	if (next_expected(x, &want, &len) && have && have_len == len && memcmp(have, want, len) == 0)
		return true;
	if (what)
		snprintf(what, 128, "%.100s", name ? name : "?");
	return false;
}

bool schema_equals(struct store *st, char what[128], struct err *e)
{
	/* Indexes that SQLite makes by itself have no text. */
	static const char sql[] = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid";
	struct expected x = { .at = schema_sql };
	sqlite3_stmt *s = NULL;
	const char *want;
	size_t len;
	bool equal = true;
	int rc = sqlite3_prepare_v2(st->db, sql, -1, &s, NULL);

	while (rc == SQLITE_OK && equal)
		if ((rc = sqlite3_step(s)) == SQLITE_ROW) {
			equal = row_equals(s, &x, what);
			rc = SQLITE_OK;
		}
	if (rc == SQLITE_DONE && equal && next_expected(&x, &want, &len)) {
		equal = false;
		if (what)
			snprintf(what, 128, "%.*s is missing", (int)MIN(strcspn(want, "(\n"), (size_t)100), want);
	}
	if (rc != SQLITE_OK && rc != SQLITE_DONE)
		equal = db_fail(st, rc, "cannot read the tables", e);
	sqlite3_finalize(s);
	return equal;
}

/* ---- bringing up ------------------------------------------------------------------------------ */

/* SQLite writes into an empty file only; made here so that its mode is ours from the start. */
static bool copy_beside(struct store *st, struct err *e)
{
	char *copy = xasprintf("%s.v%d", st->path, st->version);
	int fd = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool ok = true;

	if (fd >= 0) {
		char *sql;

		close(fd);
		sql = sqlite3_mprintf("VACUUM INTO %Q", copy);
		ok = db_exec(st, sql, e);
		sqlite3_free(sql);
		if (!ok)
			unlink(copy);
	} else if (errno != EEXIST) { /* one that is there is of an earlier try: as old and as good */
		ok = err_sys(e, "cannot copy the record to %s before it is changed", copy);
	}
	free(copy);
	return ok;
}

static bool run_migrations(struct store *st, const struct migration *steps, size_t n, int to, struct err *e)
{
	char pragma[64];
	int64_t version;

	/* Somebody else may have done it while we waited. */
	if (!db_number(st, "PRAGMA user_version", &version, e))
		return false;
	for (size_t i = 0; i < n && version < to; i++)
		if (steps[i].from == version) {
			if (!db_exec(st, steps[i].sql, e))
				return err_prefix(e, "from version %d", (int)version);
			version++;
		}
	if (version != to)
		return err_set(e, ERR_VERSION, "%s: nothing leads from record version %d to %d", st->path, (int)version, to);
	snprintf(pragma, sizeof(pragma), "PRAGMA user_version = %d", to);
	return db_exec(st, pragma, e);
}

/* Before anything is copied for it. */
static bool has_way(struct store *st, const struct migration *steps, size_t n, int to, struct err *e)
{
	int version = st->version;

	for (size_t i = 0; i < n && version < to; i++)
		version += steps[i].from == version;
	return version == to || err_set(e, ERR_VERSION, "%s: nothing leads from record version %d to %d", st->path, st->version, to);
}

bool schema_migrate(struct store *st, const struct migration *steps, size_t n, int to, struct err *e)
{
	if (!has_way(st, steps, n, to, e) || !copy_beside(st, e) || !db_begin(st, DB_FULL, e) || !db_end(st, run_migrations(st, steps, n, to, e), e))
		return err_prefix(e, "cannot bring the record to version %d", to);
	st->version = to;
	return true;
}
