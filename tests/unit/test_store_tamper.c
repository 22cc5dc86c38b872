/* Whatever is changed in a record behind our back, verify names it. */
#include "store_case.h"

#include "../../src/store/schema.h"
#include "store/keep.h"

struct found {
	struct strv faults;
};

static void add_fault(void *ctx, const char *what)
{
	strv_add(&((struct found *)ctx)->faults, what);
}

static void verify_at(struct place *p, const char *db, enum store_mode mode, struct found *f, struct verify_result *r)
{
	struct store *st = store_open(db, mode, &p->e);

	*f = (struct found){ 0 };
	if (!st)
		fail_msg("%s", p->e.msg);
	if (!store_verify(st, add_fault, NULL, f, r, &p->e))
		fail_msg("%s", p->e.msg);
	store_close(st);
	assert_int_equal(r->faults, f->faults.n);
}

static bool names(const struct found *f, const char *part)
{
	for (size_t i = 0; i < f->faults.n; i++)
		if (strstr(f->faults.v[i], part))
			return true;
	return false;
}

/* An attempt whose parts were all put before; without an end. */
static void queue_prepared(struct place *p, struct store *st, int64_t offered)
{
	struct policy policy = case_policy;
	struct environment env = case_environment;
	struct attempt a = {
		.uuid = uuid_new(), .step = 2, .asker = { ASKER_PERSON, "jm", NULL }, .script = "s\xff.py", .box = "/b\xfe",
		.cwd = "d\xfd", .host = "desk", .boot_id = "b0b1", .retry_of = 4, .vary = "hashseed=1", .title = "T",
		.code = case_digest("print(1)"), .offered = offered, .origin = "-",
	};

	policy.limits.wall_ms = 1;
	env.zone = "UTC";
	assert_done(p, store_policy_put(st, &policy, &a.policy, &p->e));
	assert_done(p, store_environment_put(st, &env, &a.environment, &p->e));
	assert_done(p, store_attempt_queue(st, &a, NULL, &p->e));
	assert_int_equal(a.number, 2);
}

/* A step of its own, of which one attempt is gone with its mark, and another's streams and files. */
static void prune_one(struct place *p, struct store *st)
{
	int64_t gone = case_queue(p, st, 0), thin = case_queue(p, st, 4), last = case_queue(p, st, 4);
	struct prune_rule rule = { .parts = PRUNE_ATTEMPTS, .marked = true, .attempts = &gone, .attempts_n = 1, .text = "test",
		                   .by = "mb" };
	struct mark m = { .attempt = gone, .judgement = JUDGED_REJECTED, .reviewer = "mb", .how = "screen" };
	struct prune_result r;

	case_end(p, st, gone, "gone\n", VERDICT_NONE);
	case_end(p, st, thin, "thin\n", VERDICT_NONE);
	case_end(p, st, last, "last\n", VERDICT_NONE);
	assert_done(p, store_mark_add(st, &m, &p->e));
	assert_done(p, store_prune(st, &rule, true, NULL, NULL, &r, &p->e));
	assert_int_equal(r.attempts, 1);
	rule.parts = PRUNE_STREAMS | PRUNE_FILES;
	rule.attempts = &thin;
	assert_done(p, store_prune(st, &rule, true, NULL, NULL, &r, &p->e));
	assert_int_equal(r.streams, 1);
	assert_int_equal(r.contents, 1);
}

/* Three steps, five attempts, two of them without an end, one check; a set as a difference. */
static void fill(struct place *p)
{
	struct store *st = case_open(p, STORE_WRITE);
	struct attachment attached = { .name = "rates.csv", .source = "/srv/rates.csv" };
	struct attachment removed = { .name = "old.csv", .removed = true };
	struct uuid owner = uuid_new();
	struct entry many[64];
	char paths[64][16];
	int64_t first, id, base;

	first = case_queue(p, st, 0);
	case_end(p, st, first, "the same text\n", VERDICT_NONE);
	case_end(p, st, case_queue(p, st, 1), "another text\n", VERDICT_NONE);
	case_end(p, st, case_queue_as(p, st, 0, first), "the same text\n", VERDICT_SAME);
	case_end(p, st, case_queue(p, st, 0), "the same text\n", VERDICT_NONE);
	case_queue(p, st, 0);
	for (int i = 0; i < 64; i++) {
		snprintf(paths[i], sizeof(paths[i]), i == 7 ? "f%02d\xff" : "f%02d", i);
		many[i] = (struct entry){ .path = paths[i], .size = i, .mode = 0644, .sha256 = case_digest(paths[i]),
			                  .mtime_us = 5, .from_attempt = i == 9 ? first : 0, .note = i == 3 ? "fifo" : NULL };
	}
	assert_done(p, store_manifest_put(st, many, 64, 0, &base, &p->e));
	many[11].size = 1000;
	assert_done(p, store_manifest_put(st, many, 63, base, &id, &p->e));
	queue_prepared(p, st, id);
	assert_done(p, store_event(st, "exported", first, "tiv.csv to /tmp", &p->e));
	assert_done(p, store_blob_put(st, &owner, "rates", 5, &attached.sha256, &p->e));
	assert_done(p, store_attach(st, &attached, &p->e));
	assert_done(p, store_attach(st, &removed, &p->e));
	case_review(p, st, first);
	prune_one(p, st);
	assert_done(p, store_checkpoint(st, &p->e));
	store_close(st);
}

static int setup(void **state)
{
	if (case_setup(state) != 0)
		return -1;
	fill(*state);
	return 0;
}

/* Entries about attempts are walked through in order: whichever way they ended, and whatever lies in between. */
static void ends_in_any_order(void **state)
{
	enum { MANY = 40 };
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct verify_result r;
	struct found f;
	int64_t ids[MANY];

	for (size_t i = 0; i < MANY; i++)
		ids[i] = case_queue(p, st, 0);
	for (size_t i = 0; i < MANY; i++) /* of every third one no end, the others up and down and with leaps */
		if (i * 7 % MANY % 3)
			case_end(p, st, ids[i * 7 % MANY], "said\n", VERDICT_NONE);
	store_close(st);
	verify_at(p, p->db, STORE_READ, &f, &r);
	assert_int_equal(f.faults.n, 0);
	strv_free(&f.faults);
	case_sql(p, "DROP TRIGGER attempt_arg_no_update; UPDATE attempt_arg SET value = 'x' WHERE attempt = 20 AND seq = 0;"
	            "DROP TRIGGER refusal_no_delete; DELETE FROM refusal WHERE attempt = 33");
	verify_at(p, p->db, STORE_READ, &f, &r);
	assert_true(names(&f, "20.1: it or its ledger entry"));
	assert_true(names(&f, "33.1: it or its ledger entry"));
	strv_free(&f.faults);
}

static void whole_record_has_no_fault(void **state)
{
	struct place *p = *state;
	struct verify_result r;
	struct found f;

	verify_at(p, p->db, STORE_READ, &f, &r);
	for (size_t i = 0; i < f.faults.n; i++)
		print_error("%s\n", f.faults.v[i]);
	assert_int_equal(r.faults, 0);
	assert_int_equal(r.attempts, 7);
	assert_int_equal(r.checks, 1);
	assert_true(r.running);
	assert_int_equal(r.entries, 1 + 6 + 4 + 1 + 2 + 3 + 6 + 1 + 2);
	assert_int_equal(r.head.seq, r.entries);
	assert_true(r.blobs > 3);
	strv_free(&f.faults);
	verify_at(p, p->db, STORE_EVIDENCE, &f, &r);
	assert_int_equal(r.faults, 0);
}

static bool cancel_after(void *ctx, int64_t done, int64_t total)
{
	(void)ctx;
	assert_true(done <= total);
	return done < 5;
}

static void progress_can_cancel(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_READ);
	struct verify_result r;
	struct found f = { 0 };

	assert_fails(p, ERR_CANCELLED, "cancelled", store_verify(st, add_fault, cancel_after, &f, &r, &p->e));
	strv_free(&f.faults);
	store_close(st);
}

/* ---- changing ------------------------------------------------------------------------------------ */

/* A copy of the record, opened by somebody who knows how to get around triggers and checks. */
struct forger {
	char path[128];
	sqlite3 *db;
};

static void forge_begin(struct place *p, struct forger *f)
{
	int in = open(p->db, O_RDONLY), out;

	snprintf(f->path, sizeof(f->path), "%s/forged.db", p->dir);
	unlink(f->path);
	out = open(f->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fs_copy(in, out, f->path, NULL));
	close(in);
	close(out);
	assert_int_equal(sqlite3_open(f->path, &f->db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(f->db, "PRAGMA synchronous = OFF; INSERT INTO prune_permit VALUES (1);"
	                              "PRAGMA ignore_check_constraints = 1",
	                              NULL, NULL, NULL), SQLITE_OK);
}

static int forge(struct forger *f, const char *sql)
{
	return sqlite3_exec(f->db, sql, NULL, NULL, NULL);
}

static void forge_end(struct forger *f)
{
	char side[160];

	forge(f, "DELETE FROM prune_permit");
	sqlite3_close(f->db);
	snprintf(side, sizeof(side), "%s-wal", f->path);
	unlink(side);
	snprintf(side, sizeof(side), "%s-shm", f->path);
	unlink(side);
}

/* Runs `sql` on a copy; the faults that verify then finds. */
static size_t faults_after(struct place *p, const char *sql, struct found *found)
{
	struct verify_result r;
	struct forger f;
	char *message;
	int rc;

	forge_begin(p, &f);
	rc = forge(&f, sql);
	message = xstrdup(sqlite3_errmsg(f.db));
	forge_end(&f);
	if (rc != SQLITE_OK)
		fail_msg("%s: %s", sql, message);
	free(message);
	verify_at(p, f.path, STORE_EVIDENCE, found, &r);
	return found->faults.n;
}

/* Changes of a column @ that differ in value, in type, and in being there at all. */
static const char *const changes[] = {
	"CASE typeof(@) WHEN 'integer' THEN @ + 1 WHEN 'text' THEN @ || 'x'"
	" WHEN 'blob' THEN CAST(substr(@, 1, length(@) - 1) || x'21' AS BLOB) ELSE 7 END",
	"CASE WHEN @ IS NULL THEN 0 ELSE NULL END",
	"CASE WHEN @ IS NULL THEN '' WHEN typeof(@) = 'blob' THEN zeroblob(length(@)) ELSE CAST(@ AS BLOB) END",
	"CASE typeof(@) WHEN 'text' THEN @ || char(0) || 'hidden' WHEN 'integer' THEN @ || 'x'"
	" WHEN 'blob' THEN CAST(@ || x'00' AS BLOB) ELSE x'' END",
};

static char *for_column_dup(const char *text, const char *column)
{
	struct buf b = { 0 };

	for (; *text; text++)
		if (*text == '@')
			buf_adds(&b, column);
		else
			buf_addc(&b, *text);
	return buf_take(&b);
}

/* All values of a column, with their types. */
static char *column_dup(sqlite3 *db, const char *table, const char *column)
{
	char *sql = xasprintf("SELECT group_concat(v) FROM (SELECT typeof(%s) || hex(CAST(%s AS BLOB)) AS v FROM %s ORDER BY 1)",
	                      column, column, table);
	sqlite3_stmt *s;
	char *all;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	all = xstrdup((const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	free(sql);
	return all;
}

/* Faults found after one cell was changed; SIZE_MAX when it cannot be changed so (NOT NULL, a key). */
static size_t change_cell(struct place *p, const char *table, const char *where, const char *column, size_t change)
{
	char *value = for_column_dup(changes[change], column);
	char *sql = xasprintf("UPDATE %s SET %s = %s WHERE %s", table, column, value, where);
	struct verify_result r;
	struct found found;
	struct forger f;
	char *before, *after;
	bool changed;

	forge_begin(p, &f);
	before = column_dup(f.db, table, column);
	changed = forge(&f, sql) == SQLITE_OK;
	after = column_dup(f.db, table, column);
	changed = changed && strcmp(before, after) != 0;
	forge_end(&f);
	free(before);
	free(after);
	free(value);
	free(sql);
	if (!changed)
		return SIZE_MAX;
	verify_at(p, f.path, STORE_EVIDENCE, &found, &r);
	strv_free(&found.faults);
	return (size_t)r.faults;
}

static void strings_of(const char *db, const char *sql, struct strv *out)
{
	sqlite3_stmt *s;
	sqlite3 *c;

	assert_int_equal(sqlite3_open_v2(db, &c, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(c, sql, -1, &s, NULL), SQLITE_OK);
	while (sqlite3_step(s) == SQLITE_ROW)
		strv_add(out, (const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	sqlite3_close(c);
}

/* Keys of a table's rows as conditions: all of its INTEGER or whole primary key. */
static void rows_of(const char *db, const char *table, struct strv *out)
{
	char sql[512];
	struct strv keys = { 0 };
	struct buf b = { 0 };

	snprintf(sql, sizeof(sql), "SELECT name FROM pragma_table_info('%s') WHERE pk > 0 ORDER BY pk", table);
	strings_of(db, sql, &keys);
	for (size_t i = 0; i < keys.n; i++)
		buf_addf(&b, "%s'%s = ' || quote(%s)", i ? " || ' AND ' || " : "", keys.v[i], keys.v[i]);
	snprintf(sql, sizeof(sql), "SELECT %s FROM %s", b.data, table);
	strings_of(db, sql, out);
	buf_free(&b);
	strv_free(&keys);
}

/* The sanitizers are slow, and the reading is the same for every column, row and forgery. */
#ifdef __SANITIZE_ADDRESS__
#define EVERY 9
#else
#define EVERY 1
#endif

static void every_column_of_every_fact(void **state)
{
	struct place *p = *state;
	bool soak = getenv("SOAK") != NULL;
	size_t tried = 0, missed = 0;

	for (size_t t = 0; t < schema_facts_n; t++) {
		struct strv columns = { 0 }, rows = { 0 };
		char sql[128];

		snprintf(sql, sizeof(sql), "SELECT name FROM pragma_table_info('%s')", schema_facts[t]);
		strings_of(p->db, sql, &columns);
		rows_of(p->db, schema_facts[t], &rows);
		assert_true(columns.n > 0 && rows.n > 0);
		for (size_t c = 0; c < columns.n; c += EVERY)
			for (size_t change = 0; change < ARRAY_LEN(changes); change++) {
				/* Some rows of each, whether NULL or not; in check one, another each time. */
				size_t step = soak ? MAX(rows.n / 2, (size_t)1) : rows.n;

				for (size_t r = soak ? 0 : (c + change) % rows.n; r < rows.n; r += step) {
					size_t n = change_cell(p, schema_facts[t], rows.v[r], columns.v[c], change);

					tried += n != SIZE_MAX;
					if (n == 0) {
						print_error("not found: %s.%s, change %zu, row %s\n", schema_facts[t], columns.v[c],
						            change, rows.v[r]);
						missed++;
					}
				}
			}
		strv_free(&columns);
		strv_free(&rows);
	}
	print_message("%zu changes tried\n", tried);
	assert_true(tried > (soak ? 500 : 200) / EVERY);
	assert_int_equal(missed, 0);
}

/* Rows that are gone. */
static void every_deleted_row(void **state)
{
	struct place *p = *state;
	size_t missed = 0;

	for (size_t t = 0; t < schema_facts_n; t++) {
		struct strv rows = { 0 };

		rows_of(p->db, schema_facts[t], &rows);
		for (size_t r = t % EVERY; r < rows.n; r += EVERY) {
			char sql[512];
			struct found f;

			snprintf(sql, sizeof(sql), "DELETE FROM %s WHERE %s", schema_facts[t], rows.v[r]);
			if (faults_after(p, sql, &f) == 0) {
				print_error("not missed: %s %s\n", schema_facts[t], rows.v[r]);
				missed++;
			}
			strv_free(&f.faults);
		}
		strv_free(&rows);
	}
	assert_int_equal(missed, 0);
}

struct forgery {
	const char *sql;
	const char *named; /* part of a fault that must be found */
};

static const struct forgery forgeries[] = {
	/* inserted */
	{ "INSERT INTO attempt SELECT 99, uuid, 2, 3, NULL, NULL, asker, queued_us, code, script, script_bytes, origin, cwd,"
	  " cwd_bytes, title, purpose, environment, policy, offered, retry_of, vary, place FROM attempt WHERE id = 1",
	  "2.3: no ledger entry covers it" },
	{ "CREATE TEMP TABLE t AS SELECT * FROM attempt_end WHERE attempt = 1; UPDATE t SET attempt = 5;"
	  " INSERT INTO attempt_end SELECT * FROM t",
	  "3.1: no ledger entry covers it" },
	{ "INSERT INTO stream_chunk SELECT (1 << 32) + 1, stream, grp, offset_us, position + 3, gap, bytes, twin FROM stream_chunk"
	  " WHERE id = 1 << 32",
	  "1.1: " },
	{ "INSERT INTO stream_chunk VALUES ((77 << 32), 1, 1, 1, 0, 0, x'41', NULL)", "without their attempt" },
	{ "INSERT INTO refusal SELECT attempt, 1, kind, call, argument, count, first_us, last_us, harmless FROM refusal"
	  " WHERE attempt = 2",
	  "1.2: " },
	{ "INSERT INTO refusal VALUES (5, 0, 'network', 'socket', '', 1, 1, 1, 0)", "3.1: a refusal" },
	{ "UPDATE attempt_end SET verdict = 'same' WHERE attempt = 2", "1.2: " },
	{ "UPDATE attempt_end SET verdict = 'differs' WHERE attempt = 3", "1.1r1: " },
	/* bytes of a check that are those of its attempt: changed there, named elsewhere, given twice */
	{ "UPDATE stream_chunk SET bytes = 'the other text' WHERE id = 1 << 32", "1.1r1: stdout differs" },
	{ "UPDATE stream_chunk SET twin = 4 << 32 WHERE id = 3 << 32", "1.1r1: a piece of a stream names" },
	{ "UPDATE stream_chunk SET bytes = x'41' WHERE id = 3 << 32", "1.1r1: " },
	{ "UPDATE stream_chunk SET bytes = (SELECT bytes FROM stream_chunk WHERE id = 1 << 32) WHERE id = 3 << 32", "1.1r1: " },
	{ "INSERT INTO attempt_arg VALUES (1, 2, x'41')", "1.1: " },
	{ "INSERT INTO attempt_env VALUES (1, 2, 'A', x'41')", "1.1: " },
	{ "INSERT INTO step SELECT 9, title, purpose, script, script_bytes, asker, created_us FROM step WHERE id = 1", "step 9" },
	{ "INSERT INTO asker VALUES (9, 1, 'x', NULL)", "asker 9" },
	{ "INSERT INTO place VALUES (9, 'h', 'b', '/x', NULL, 1, 2)", "place 9" },
	{ "INSERT INTO attachment VALUES (9, 1, 'add', 'x', NULL, NULL, NULL, NULL, NULL)", "9: no ledger entry" },
	{ "INSERT INTO manifest_entry VALUES (99, 'x', NULL, 0, 1, NULL, 0, 0, NULL, NULL)", "set of files 99" },
	{ "INSERT INTO manifest_entry SELECT offered, 'x', NULL, 0, 1, NULL, 0, 0, NULL, NULL FROM attempt WHERE id = 1",
	  "1.1: its offered files" },
	{ "INSERT INTO blob_chunk VALUES (99 << 24, x'41')", "content 99" },
	{ "INSERT INTO blob_chunk SELECT id + 1, x'41' FROM blob_chunk WHERE id = 1 << 24", "content" },
	{ "INSERT INTO ledger SELECT seq + 1, at_us, kind, subject, text, entry FROM ledger ORDER BY seq DESC LIMIT 1",
	  "two ledger entries" },
	/* swapped and renumbered */
	{ "UPDATE attempt_end SET attempt = -1 WHERE attempt = 1; UPDATE attempt_end SET attempt = 1 WHERE attempt = 2;"
	  " UPDATE attempt_end SET attempt = 2 WHERE attempt = -1",
	  "1.2: it or its ledger entry" },
	{ "UPDATE attempt SET number = 3 WHERE id = 1; UPDATE attempt SET number = 1 WHERE id = 2;"
	  " UPDATE attempt SET number = 2 WHERE id = 1",
	  "it or its ledger entry" },
	{ "UPDATE manifest SET id = -1 WHERE id = 1; UPDATE manifest SET id = 1 WHERE id = 2; UPDATE manifest SET id = 2 WHERE id = -1",
	  "its" },
	{ "UPDATE blob SET id = -1 WHERE id = 1; UPDATE blob SET id = 1 WHERE id = 2; UPDATE blob SET id = 2 WHERE id = -1",
	  "content" },
	{ "UPDATE stream_chunk SET id = id + 1 WHERE id >> 32 = 1", "1.1: the pieces" },
	{ "UPDATE attempt SET environment = 3 - environment", "it or its ledger entry" },
	{ "UPDATE attempt SET policy = 3 - policy", "it or its ledger entry" },
	{ "UPDATE step SET id = 8 WHERE id = 2; UPDATE attempt SET step = 8 WHERE step = 2", "8.1: it or its ledger entry" },
	{ "UPDATE ledger SET seq = -1 WHERE seq = 3; UPDATE ledger SET seq = 3 WHERE seq = 4; UPDATE ledger SET seq = 4 WHERE seq = -1",
	  "ledger entry 3" },
	/* whole attempt taken out, its entries too */
	{ "DELETE FROM ledger WHERE subject = 4 AND kind IN ('queued', 'ended'); DELETE FROM attempt_end WHERE attempt = 4;"
	  " DELETE FROM attempt WHERE id = 4",
	  "ledger: entries" },
	/* the tail of the ledger alone */
	{ "DELETE FROM ledger WHERE seq > 6", "no ledger entry covers it" },
	{ "DELETE FROM ledger", "no ledger entry covers it" },
	{ "UPDATE ledger SET subject = NULL WHERE kind = 'queued' AND subject = 1", "1.1: no ledger entry" },
	/* the schema */
	{ "DROP TRIGGER attempt_no_UPDATE", "not as tickmark made them" },
	{ "DROP VIEW attempts; CREATE VIEW attempts AS SELECT 1", "not as tickmark made them: a" },
	{ "CREATE TRIGGER x AFTER INSERT ON attempt BEGIN DELETE FROM tally; END", "not as tickmark made them: x" },
	{ "CREATE TABLE x (a)", "not as tickmark made them: x" },
	{ "PRAGMA user_version = 9999", "record version is 9999" },
	{ "DROP TRIGGER attempt_no_UPDATE; DROP TRIGGER attempt_no_DELETE", "not as tickmark made them" },
	/* rebuildable */
	{ "UPDATE tally SET value = 77 WHERE name = 'ok'", "rebuildable: tally: 'ok'" },
	{ "DELETE FROM step_tally WHERE step = 1", "rebuildable: step_tally: step 1" },
	{ "INSERT INTO running VALUES (1)", "rebuildable: running: 1.1" },
	{ "DELETE FROM running", "rebuildable: running: 3.1" },
	{ "UPDATE produced SET attempt = 1 WHERE step = 1", "rebuildable: produced: tiv.csv of step 1" },
	{ "UPDATE produced SET replaced = zeroblob(31) || x'01' WHERE step = 1", "rebuildable: produced: tiv.csv of step 1" },
	{ "INSERT INTO change (attempt) VALUES (44)", "rebuildable: change" },
};

static void forgeries_are_named(void **state)
{
	struct place *p = *state;
	size_t missed = 0;

	for (size_t i = 0; i < ARRAY_LEN(forgeries); i += EVERY) {
		struct found f;

		faults_after(p, forgeries[i].sql, &f);
		if (!names(&f, forgeries[i].named)) {
			print_error("not named: %s\n", forgeries[i].sql);
			for (size_t k = 0; k < f.faults.n; k++)
				print_error("    %s\n", f.faults.v[k]);
			missed++;
		}
		strv_free(&f.faults);
	}
	assert_int_equal(missed, 0);
}

/* A changed hash is that entry's fault alone, as changed rows are. */
static void the_next_entry_is_not_blamed(void **state)
{
	static const char *const forged[] = {
		"UPDATE ledger SET entry = randomblob(32) WHERE seq = 4",
		"UPDATE ledger SET at_us = 1 WHERE seq = 4",
		"UPDATE attempt SET queued_us = 1 WHERE id = 2",
	};
	struct place *p = *state;

	for (size_t i = 0; i < ARRAY_LEN(forged); i++) {
		struct found f;

		assert_int_equal(faults_after(p, forged[i], &f), 1);
		assert_true(names(&f, "1.2: it or its ledger entry 4 (queued)"));
		strv_free(&f.faults);
	}
}

static void permit_left_open(void **state)
{
	struct place *p = *state;
	struct verify_result r;
	struct found f;

	case_sql(p, "INSERT INTO prune_permit VALUES (1)");
	verify_at(p, p->db, STORE_READ, &f, &r);
	assert_true(names(&f, "permit was left open"));
	strv_free(&f.faults);
}

/* Bytes of the file, anywhere: either found, or in a page that holds nothing. */
static void flipped_bytes(void **state)
{
	struct place *p = *state;
	char path[128];
	struct stat sb;
	size_t found_n = 0;

	snprintf(path, sizeof(path), "%s/forged.db", p->dir);
	assert_int_equal(stat(p->db, &sb), 0);
	for (off_t at = 200; at < sb.st_size; at += 4096 * 3 + 577) {
		struct err e = { 0 };
		struct verify_result r;
		struct found f = { 0 };
		struct store *st;
		unsigned char b;
		int in = open(p->db, O_RDONLY), out = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

		assert_true(fs_copy(in, out, path, NULL));
		assert_int_equal(pread(out, &b, 1, at), 1);
		b ^= 0x55;
		assert_int_equal(pwrite(out, &b, 1, at), 1);
		close(in);
		close(out);
		st = store_open(path, STORE_EVIDENCE, &e);
		if (st && store_verify(st, add_fault, NULL, &f, &r, &e))
			found_n += f.faults.n > 0;
		else
			found_n += e.code == ERR_CORRUPT;
		strv_free(&f.faults);
		store_close(st);
	}
	assert_true(found_n > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ends_in_any_order, case_setup, case_teardown),
		cmocka_unit_test_setup_teardown(whole_record_has_no_fault, setup, case_teardown),
		cmocka_unit_test_setup_teardown(progress_can_cancel, setup, case_teardown),
		cmocka_unit_test_setup_teardown(every_column_of_every_fact, setup, case_teardown),
		cmocka_unit_test_setup_teardown(every_deleted_row, setup, case_teardown),
		cmocka_unit_test_setup_teardown(forgeries_are_named, setup, case_teardown),
		cmocka_unit_test_setup_teardown(the_next_entry_is_not_blamed, setup, case_teardown),
		cmocka_unit_test_setup_teardown(permit_left_open, setup, case_teardown),
		cmocka_unit_test_setup_teardown(flipped_bytes, setup, case_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
