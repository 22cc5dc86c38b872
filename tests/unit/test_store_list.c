/* Lists: order, paging, what changed, and that no list reads what it does not show. */
#include "store_case.h"

#include "../../src/store/statement.h"

struct rows {
	struct strv refs;      /* "1.2r1 ok" */
	size_t stop_at;        /* 0: never */
	int64_t last_step;
	int64_t last_id;
};

static bool add_row(void *ctx, const struct attempt_row *row)
{
	struct rows *r = ctx;
	char check[24] = "";

	if (row->check)
		snprintf(check, sizeof(check), "r%lld", (long long)row->check);
	strv_addf(&r->refs, "%lld.%lld%s %s", (long long)row->step, (long long)row->number, check,
	          outcome_word(row->outcome));
	r->last_step = row->step;
	r->last_id = row->id;
	return r->refs.n != r->stop_at;
}

static void assert_rows(struct rows *r, const char *want)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < r->refs.n; i++)
		buf_addf(&b, "%s%s", i ? ", " : "", r->refs.v[i]);
	assert_string_equal(b.data ? b.data : "", want);
	buf_free(&b);
	strv_free(&r->refs);
	*r = (struct rows){ 0 };
}

/* 1.1 ok, 1.2 ok, 1.1r1 ok, 2.1 ok, 3.1 running, 1.1r2 running */
static struct store *fill(struct place *p)
{
	struct store *st = case_open(p, STORE_WRITE);
	int64_t first = case_queue(p, st, 0);

	case_end(p, st, first, "42\n", VERDICT_NONE);
	case_end(p, st, case_queue(p, st, 1), "43\n", VERDICT_NONE);
	case_end(p, st, case_queue_as(p, st, 0, first), "42\n", VERDICT_SAME);
	case_end(p, st, case_queue(p, st, 0), "44\n", VERDICT_NONE);
	case_queue(p, st, 0);
	case_queue_as(p, st, 0, first);
	return st;
}

static void orders_and_pages(void **state)
{
	struct place *p = *state;
	struct store *st = fill(p);
	struct rows r = { 0 };
	int64_t after;

	assert_done(p, store_steps(st, 0, false, 100, add_row, &r, &p->e));
	assert_rows(&r, "1.2 ok, 2.1 ok, 3.1 running");
	assert_done(p, store_steps(st, 0, true, 100, add_row, &r, &p->e));
	assert_rows(&r, "3.1 running, 2.1 ok, 1.2 ok");
	assert_done(p, store_steps(st, 0, true, 2, add_row, &r, &p->e));
	after = r.last_step;
	assert_rows(&r, "3.1 running, 2.1 ok");
	assert_done(p, store_steps(st, after, true, 2, add_row, &r, &p->e));
	assert_rows(&r, "1.2 ok");
	r.stop_at = 1;
	assert_done(p, store_steps(st, 0, false, 100, add_row, &r, &p->e));
	assert_rows(&r, "1.2 ok");
	assert_done(p, store_attempts(st, 0, false, 100, add_row, &r, &p->e));
	assert_rows(&r, "1.1 ok, 1.2 ok, 1.1r1 ok, 2.1 ok, 3.1 running, 1.1r2 running");
	assert_done(p, store_attempts(st, 0, true, 3, add_row, &r, &p->e));
	after = r.last_id;
	assert_rows(&r, "1.1r2 running, 3.1 running, 2.1 ok");
	assert_done(p, store_attempts(st, after, true, 3, add_row, &r, &p->e));
	assert_rows(&r, "1.1r1 ok, 1.2 ok, 1.1 ok");
	assert_done(p, store_step_attempts(st, 1, false, add_row, &r, &p->e));
	assert_rows(&r, "1.1 ok, 1.2 ok");
	assert_done(p, store_step_attempts(st, 1, true, add_row, &r, &p->e));
	assert_rows(&r, "1.1 ok, 1.1r1 ok, 1.1r2 running, 1.2 ok");
	r.stop_at = 2;
	assert_done(p, store_step_attempts(st, 1, true, add_row, &r, &p->e));
	assert_rows(&r, "1.1 ok, 1.1r1 ok");
	assert_done(p, store_running(st, add_row, &r, &p->e));
	assert_rows(&r, "3.1 running, 1.1r2 running");
	store_close(st);
}

static bool check_row(void *ctx, const struct attempt_row *row)
{
	(void)ctx;
	assert_string_equal(row->title, "Roll up TIV by postcode");
	assert_string_equal(row->asker, "codex");
	assert_int_equal(row->asker_kind, ASKER_ASSISTANT);
	assert_int_equal(row->step_attempts, 2);
	assert_int_equal(row->artifacts, 1);
	assert_int_equal(row->wall_us, 410000);
	assert_int_equal(row->exit_code, 0);
	assert_null(row->limit);
	assert_string_equal(row->detail, "");
	assert_string_equal(row->host, "desk");
	assert_string_equal(row->boot_id, "b0b0");
	assert_true(row->inode > 0);
	assert_int_equal(row->verdict, VERDICT_NONE);
	return false;
}

static void a_row_shows_what_it_says(void **state)
{
	struct place *p = *state;
	struct store *st = fill(p);

	assert_done(p, store_steps(st, 0, false, 1, check_row, NULL, &p->e));
	store_close(st);
}

/* A callback may read the same list. */
struct nested {
	struct store *st;
	struct place *p;
	int n;
};

static bool count_row(void *ctx, const struct attempt_row *row)
{
	(void)row;
	++*(int *)ctx;
	return true;
}

static bool nest(void *ctx, const struct attempt_row *row)
{
	struct nested *n = ctx;

	(void)row;
	assert_done(n->p, store_attempts(n->st, 0, false, 100, count_row, &n->n, &n->p->e));
	return true;
}

static void lists_can_be_nested(void **state)
{
	struct place *p = *state;
	struct nested n = { .st = fill(p), .p = p };

	assert_done(p, store_attempts(n.st, 0, false, 100, nest, &n, &p->e));
	assert_int_equal(n.n, 36);
	store_close(n.st);
}

static void finding(void **state)
{
	struct place *p = *state;
	struct store *st = fill(p);
	struct attempt_full a;
	int64_t id, n;

	assert_done(p, store_attempt_find(st, 1, 0, 0, &id, &p->e));
	assert_int_equal(id, 2);
	assert_done(p, store_attempt_find(st, 1, 1, 0, &id, &p->e));
	assert_int_equal(id, 1);
	assert_done(p, store_attempt_find(st, 1, 1, 2, &id, &p->e));
	assert_int_equal(id, 6);
	assert_done(p, store_attempt_find(st, 1, 1, 3, &id, &p->e));
	assert_int_equal(id, 0);
	assert_done(p, store_attempt_find(st, 9, 0, 1, &id, &p->e));
	assert_int_equal(id, 0);
	assert_done(p, store_attempt_last(st, 0, &id, &p->e)); /* a check is none */
	assert_int_equal(id, 5);
	assert_done(p, store_attempt_last(st, 2, &id, &p->e));
	assert_int_equal(id, 2);
	assert_done(p, store_attempt_last(st, 4, &id, &p->e));
	assert_int_equal(id, 0);
	assert_done(p, store_step_last(st, &n, &p->e));
	assert_int_equal(n, 3);
	assert_done(p, store_step_by_script(st, "rollup.py", &n, &p->e));
	assert_int_equal(n, 3);
	assert_done(p, store_step_by_script(st, "roll\xff.py", &n, &p->e));
	assert_int_equal(n, 0);
	assert_fails(p, ERR_NOTFOUND, "no attempt with id 77", store_attempt_get(st, 77, &a, &p->e));
	store_close(st);
}

static void tallies(void **state)
{
	struct place *p = *state;
	struct store *st = fill(p);

	assert_int_equal(store_tally(st, "steps"), 3);
	assert_int_equal(store_tally(st, "attempts"), 4);
	assert_int_equal(store_tally(st, "checks"), 2);
	assert_int_equal(store_tally(st, "running"), 2);
	assert_int_equal(store_tally(st, "ok"), 3); /* of attempts, not of checks */
	assert_int_equal(store_tally(st, "error"), 0);
	store_close(st);
}

/* ---- changes --------------------------------------------------------------------------------------- */

static bool add_change(void *ctx, int64_t attempt)
{
	buf_addf(ctx, "%lld ", (long long)attempt);
	return true;
}

static void assert_changes(struct place *p, struct store *st, int64_t *seq, const char *want, bool want_lost)
{
	struct buf b = { 0 };
	bool lost;

	assert_done(p, store_changes(st, seq, &lost, add_change, &b, &p->e));
	assert_string_equal(b.data ? b.data : "", want);
	assert_int_equal(lost, want_lost);
	buf_free(&b);
}

static void changes_come_once(void **state)
{
	struct place *p = *state;
	struct store *st = fill(p);
	int64_t seq = 0;

	assert_changes(p, st, &seq, "1 2 3 4 5 6 ", false);
	assert_changes(p, st, &seq, "", false);
	case_end(p, st, 5, "1\n", VERDICT_NONE);
	case_queue(p, st, 1);
	assert_changes(p, st, &seq, "5 7 ", false);
	store_close(st);
}

static void old_changes_are_lost_and_it_is_said(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t seq = 0;
	bool lost;
	struct buf b = { 0 };

	case_queue(p, st, 0);
	assert_changes(p, st, &seq, "1 ", false);
	case_sql(p, "WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1279)"
	            "INSERT INTO change SELECT i, 1 FROM n");
	case_queue(p, st, 1); /* the 1,280th */
	assert_int_equal(case_number(p, "SELECT count(*) FROM change"), 256);
	assert_done(p, store_changes(st, &seq, &lost, add_change, &b, &p->e));
	assert_true(lost);
	assert_int_equal(seq, 1280);
	assert_changes(p, st, &seq, "", false);
	buf_free(&b);
	store_close(st);
}

/* ---- produced ---------------------------------------------------------------------------------------- */

static enum produced_next add_produced(void *ctx, const struct produced *f)
{
	buf_addf(ctx, "%s of %lld by %lld; ", f->path, (long long)f->step, (long long)f->attempt);
	assert_int_equal(f->size, 3);
	assert_int_equal(f->mode, 0644);
	assert_true(digest_is_zero(&f->replaced));
	return PRODUCED_NEXT;
}

static void newest_artifact_of_each_step(void **state)
{
	struct place *p = *state;
	struct store *st = fill(p);
	struct buf b = { 0 };

	assert_done(p, store_produced(st, add_produced, &b, &p->e));
	assert_string_equal(b.data, "tiv.csv of 2 by 4; tiv.csv of 1 by 2; ");
	buf_free(&b);
	store_close(st);
}

static enum produced_next keep_replaced(void *ctx, const struct produced *f)
{
	*(struct digest *)ctx = f->replaced;
	return PRODUCED_NEXT;
}

static enum produced_next first_of_path(void *ctx, const struct produced *f)
{
	buf_addf(ctx, "%s of %lld; ", f->path, (long long)f->step);
	return strcmp(f->path, "last") == 0 ? PRODUCED_ENOUGH : PRODUCED_NEXT_PATH;
}

/* However many steps made a path, and whichever its name. */
static void the_newest_of_each_path(void **state)
{
	static const struct { const char *path; int steps; } made[] = { { "a", 40 }, { "a\xff", 17 }, { "b", 1 }, { "c", 16 }, { "last", 15 }, { "z", 1 } };
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct entry artifact = { .what = ARTIFACT_CREATED, .size = 1, .mode = 0644 };
	struct end_with with = { .artifacts = &artifact, .artifacts_n = 1 };
	struct uuid owner = uuid_new();
	struct buf b = { 0 };

	assert_done(p, store_blob_put(st, &owner, "x", 1, &artifact.sha256, &p->e));
	for (size_t i = 0; i < ARRAY_LEN(made); i++)
		for (int k = 0; k < made[i].steps; k++) {
			struct attempt_end end = { .outcome = OUTCOME_OK, .ended_us = 1, .attempt = case_queue(p, st, 0) };

			artifact.path = made[i].path;
			assert_done(p, store_attempt_end(st, &end, &with, &p->e));
		}
	assert_done(p, store_produced(st, first_of_path, &b, &p->e));
	assert_string_equal(b.data, "a of 40; a\xff of 57; b of 58; c of 74; last of 89; ");
	buf_free(&b);
	store_close(st);
}

static void what_an_artifact_replaced(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct entry artifact = { .path = "schedule.csv", .what = ARTIFACT_CHANGED, .size = 1, .mode = 0644 };
	struct attempt_end end = { .outcome = OUTCOME_OK, .ended_us = 1 };
	struct end_with with = { .artifacts = &artifact, .artifacts_n = 1 };
	struct digest want = case_digest("schedule"), d = { { 0 } };
	struct uuid owner = uuid_new();

	assert_done(p, store_blob_put(st, &owner, "x", 1, &artifact.sha256, &p->e));
	end.attempt = case_queue(p, st, 0);
	assert_done(p, store_attempt_end(st, &end, &with, &p->e));
	assert_done(p, store_produced(st, keep_replaced, &d, &p->e));
	assert_true(digest_equal(&d, &want));
	store_close(st);
}

/* ---- attachments ---------------------------------------------------------------------------------------- */

static bool add_attachment(void *ctx, const struct attachment *a)
{
	buf_addf(ctx, "%s%s%s%s; ", a->removed ? "-" : "+", a->name, a->source ? " from " : "", a->source ? a->source : "");
	return true;
}

static void newest_event_of_each_name(void **state)
{
	static const struct attachment events[] = {
		{ .name = "b.csv", .source = "/srv/b.csv" }, { .name = "a\xff.csv", .source = "/srv/a\xfe.csv" },
		{ .name = "b.csv", .removed = true },        { .name = "c.csv", .origin = "from the portal" },
	};
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct buf b = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		assert_done(p, store_attach(st, &events[i], &p->e));
	assert_done(p, store_attachment_each(st, add_attachment, &b, &p->e));
	assert_string_equal(b.data, "+a\xff.csv from /srv/a\xfe.csv; -b.csv; +c.csv; ");
	buf_free(&b);
	store_close(st);
}

/* ---- plans ------------------------------------------------------------------------------------------------ */

/* What SQLite would do: every step of it. */
static char *plan_dup(sqlite3 *db, const char *sql)
{
	char *explain = xasprintf("EXPLAIN QUERY PLAN %s", sql);
	struct buf b = { 0 };
	sqlite3_stmt *s;

	if (sqlite3_prepare_v2(db, explain, -1, &s, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	while (sqlite3_step(s) == SQLITE_ROW)
		buf_addf(&b, "%s\n", (const char *)sqlite3_column_text(s, 3));
	sqlite3_finalize(s);
	free(explain);
	return buf_take(&b);
}

static bool is_one_of(size_t id, const enum sql_id *these, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (these[i] == id)
			return true;
	return false;
}

/* Whatever reads is a list, but for what is named here: a new one is looked at as soon as it is written. That none
 * walks through a table is looked at below. */
static void lists_use_keys_and_read_no_content(void **state)
{
	/* bytes of a file or a stream, and where the next of them go */
	static const enum sql_id content[] = {
		SQL_BLOB_NEXT_ID, SQL_BLOB_CHUNK_GET, SQL_CHUNK_LAST, SQL_CHUNK_TWIN, SQL_CHUNK_EACH, SQL_VERIFY_CHUNKS, SQL_VERIFY_BLOB_CHUNKS,
	};
	/* all of the record, for who asked for that; the refusals of one attempt */
	static const enum sql_id counts[] = { SQL_VERIFY_COUNTS, SQL_GLANCE };
	/* few: names that the user attached, attempts that changed since the last look, the largest files of a size report; why
	 * a content cannot be had; signatures that are checked */
	static const enum sql_id sorted[] = { SQL_ATTACHMENT_EACH, SQL_CHANGE_EACH, SQL_LARGEST, SQL_TOMBSTONE_CONTENT, SQL_MARK_ENDS };
	struct place *p = *state;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
	for (size_t i = 0; i < SQL_COUNT; i++) {
		const char *sql = sql_table[i];
		char *plan = strncmp(sql, "SELECT", 6) == 0 ? plan_dup(db, sql) : NULL;

		if (plan && strcasestr(sql, "count(") && !is_one_of(i, counts, ARRAY_LEN(counts)))
			fail_msg("it counts: %s", sql);
		if (plan && (strstr(plan, "TEMP B-TREE") || strstr(plan, "AUTOMATIC")) && !is_one_of(i, sorted, ARRAY_LEN(sorted)))
			fail_msg("it sorts: %s\n%s", sql, plan);
		if (plan && (strstr(sql, "stream_chunk") || strstr(sql, "blob_chunk")) && !is_one_of(i, content, ARRAY_LEN(content)))
			fail_msg("it reads content: %s", sql);
		free(plan);
	}
	sqlite3_close(db);
}

/* Whatever is asked during a run, a mark, a step of the screen costs the same in a record of any size. */
static void no_statement_walks_through_facts(void **state)
{
	static const char *const few[] = { "environment", "policy", "asker", "place", "attachment", "running", "CONSTANT ROW" };
	/* From the newest on with a limit, or all of them for who asked for all of them. */
	static const enum sql_id walks[] = {
		SQL_ATTEMPT_LAST, SQL_NOTED_EACH, SQL_UUID_EACH, SQL_CHECK_EACH, SQL_LARGEST, SQL_LEDGER_FIND, SQL_LEDGER_EVENT,
		SQL_TOMBSTONE_CONTENT, SQL_TOMBSTONE_AT, SQL_FACTS_TOMBSTONES, SQL_FACTS_CONTENTS, SQL_VERIFY_COUNTS,
		SQL_VERIFY_MANIFEST_USER, SQL_VERIFY_PRODUCED, SQL_MARK_ENDS,
		SQL_LEDGER_END, SQL_LEDGER_END_NEWEST, /* back from the newest to the end that a mark is about */
		SQL_MARK_ADD, SQL_NOTE_ADD, /* what was pruned, looked at below */
	};
	struct place *p = *state;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
	for (size_t i = 0; i < SQL_COUNT; i++) {
		bool fine = strncmp(sql_table[i], "PRAGMA", 6) == 0 || strchr(sql_table[i], ' ') == NULL ||
		            is_one_of(i, walks, ARRAY_LEN(walks));

		char *plan = fine ? NULL : plan_dup(db, sql_table[i]);
		for (const char *at = plan; at && (at = strstr(at, "SCAN ")) != NULL; at += 5) {
			bool small = strncmp(at + 5, "r\n", 2) == 0; /* running, by its short name */

			for (size_t k = 0; k < ARRAY_LEN(few); k++)
				small = small || strncmp(at + 5, few[k], strlen(few[k])) == 0;
			if (!small)
				fail_msg("%s\n%s", sql_table[i], plan);
		}
		free(plan);
	}
	for (size_t i = 0; i < 2; i++) {
		char *plan = plan_dup(db, sql_table[i ? SQL_MARK_ADD : SQL_NOTE_ADD]);

		assert_non_null(strstr(plan, "SCAN c\n"));
		assert_non_null(strstr(plan, "SEARCH l USING INTEGER PRIMARY KEY"));
		free(plan);
	}
	sqlite3_close(db);
}

/* Every statement can be prepared: no name is misspelt. */
static void every_statement_is_sql(void **state)
{
	struct place *p = *state;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(p->db, &db), SQLITE_OK);
	for (size_t i = 0; i < SQL_COUNT; i++) {
		sqlite3_stmt *s;

		assert_non_null(sql_table[i]);
		if (sqlite3_prepare_v2(db, sql_table[i], -1, &s, NULL) != SQLITE_OK)
			fail_msg("%s: %s", sql_table[i], sqlite3_errmsg(db));
		sqlite3_finalize(s);
	}
	sqlite3_close(db);
}

static void views_work_in_a_plain_shell(void **state)
{
	static const char *const views[] = { "attempts", "artifacts", "inputs", "streams", "code" };
	struct place *p = *state;
	struct store *st = fill(p);
	char sql[96];

	for (size_t i = 0; i < ARRAY_LEN(views); i++) {
		snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s WHERE ref LIKE '1.1%%'", views[i]);
		assert_true(case_number(p, sql) >= 2);
	}
	assert_int_equal(case_number(p, "SELECT count(*) FROM attempts WHERE asked_by = 'codex' AND outcome = 'ok'"), 4);
	assert_int_equal(case_number(p, "SELECT text = '42' || char(10) FROM streams WHERE ref = '1.1'"), 1);
	assert_int_equal(case_number(p, "SELECT text = 'print(1)' FROM code WHERE ref = '1.1r1'"), 1);
	store_close(st);
}

#define WITH_RECORD(test) cmocka_unit_test_setup_teardown(test, case_setup, case_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_RECORD(orders_and_pages),
		WITH_RECORD(a_row_shows_what_it_says),
		WITH_RECORD(lists_can_be_nested),
		WITH_RECORD(finding),
		WITH_RECORD(tallies),
		WITH_RECORD(changes_come_once),
		WITH_RECORD(old_changes_are_lost_and_it_is_said),
		WITH_RECORD(newest_artifact_of_each_step),
		WITH_RECORD(what_an_artifact_replaced),
		WITH_RECORD(the_newest_of_each_path),
		WITH_RECORD(newest_event_of_each_name),
		WITH_RECORD(lists_use_keys_and_read_no_content),
		WITH_RECORD(no_statement_walks_through_facts),
		WITH_RECORD(every_statement_is_sql),
		WITH_RECORD(views_work_in_a_plain_shell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
