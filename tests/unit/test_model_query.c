/* Reading the record: references, lists, what changed since, evidence. */
#include "run_case.h"
#include "model/review.h"

#include <time.h>

static struct query *open_query(struct place *p)
{
	struct query *q = query_open(p->ws, &p->e);

	assert_done(p, q);
	return q;
}

static void quick(struct place *p, const char *script, const char *code)
{
	struct detail d;
	struct told t;

	run_code(p, script, code, &t, &d);
	query_detail_free(&d);
	told_free(&t);
}

static void check(struct place *p, int64_t attempt)
{
	struct run_request req = request();
	struct told t;

	req.check_of = attempt;
	run_to_end(p, &req, &t);
	told_free(&t);
}

static void test_references(void **state)
{
	struct place *p = *state;
	struct query *q;
	int64_t id;
	char ref[REF_TEXT];

	need_sandbox(p);
	q = open_query(p);
	assert_fails(p, ERR_NOTFOUND, "no attempt yet", query_resolve_text(q, "last", &id, &p->e));
	assert_fails(p, ERR_NOTFOUND, "there is no step 1", query_resolve_text(q, "1", &id, &p->e));
	query_close(q);
	quick(p, "a.py", "pass\n");
	quick(p, "a.py", "pass\n");
	quick(p, "b.py", "pass\n");
	check(p, 1);
	q = open_query(p);
	static const struct {
		const char *text;
		int64_t id;
		const char *ref;
	} good[] = {
		{ "1", 2, "1.2" }, { "1.1", 1, "1.1" }, { "2", 3, "2.1" }, { "1.1r1", 4, "1.1r1" }, { "last", 3, "2.1" },
		{ "last~1", 2, "1.2" }, { "last~2", 1, "1.1" },
	};
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		assert_done(p, query_resolve_text(q, good[i].text, &id, &p->e));
		assert_int_equal(id, good[i].id);
		assert_done(p, query_ref(q, id, ref, &p->e));
		assert_string_equal(ref, good[i].ref);
	}
	assert_fails(p, ERR_NOTFOUND, "there is no 1.3: step 1 has 2 attempts", query_resolve_text(q, "1.3", &id, &p->e));
	assert_fails(p, ERR_NOTFOUND, "there is no 2.2: step 2 has 1 attempt", query_resolve_text(q, "2.2", &id, &p->e));
	assert_fails(p, ERR_NOTFOUND, "there is no check 2 of 1.1", query_resolve_text(q, "1.1r2", &id, &p->e));
	assert_fails(p, ERR_NOTFOUND, "the newest is 2", query_resolve_text(q, "7", &id, &p->e));
	assert_fails(p, ERR_NOTFOUND, "no last~3: the record has", query_resolve_text(q, "last~3", &id, &p->e));
	assert_fails(p, ERR_NOTFOUND, "no branch side", query_resolve_text(q, "1@side", &id, &p->e));
	assert_fails(p, ERR_INPUT, "", query_resolve_text(q, "seven", &id, &p->e));
	query_close(q);
}

static bool add_ref(void *ctx, const struct row *r)
{
	buf_addf(ctx, "%s ", r->ref);
	return true;
}

static void assert_log(struct place *p, struct query *q, struct log_filter f, const char *expected)
{
	struct buf b = { 0 };

	buf_adds(&b, "");
	assert_done(p, query_log(q, &f, add_ref, &b, &p->e));
	assert_string_equal(b.data, expected);
	buf_free(&b);
}

static bool take_row(void *ctx, const struct row *r)
{
	*(struct row *)ctx = *r;
	return false;
}

static void test_lists(void **state)
{
	struct place *p = *state;
	struct row row;

	need_sandbox(p);
	quick(p, "a.py", "pass\n");
	quick(p, "a.py", "raise SystemExit(4)\n");
	quick(p, "b.py", "open('x', 'w')\n");
	check(p, 1);
	struct query *q = open_query(p);
	assert_log(p, q, (struct log_filter){ 0 }, "2.1 1.2 1.1 ");
	assert_log(p, q, (struct log_filter){ .oldest_first = true }, "1.1 1.2 2.1 ");
	assert_log(p, q, (struct log_filter){ .checks = true }, "1.1r1 2.1 1.2 1.1 ");
	assert_log(p, q, (struct log_filter){ .limit = 2 }, "2.1 1.2 ");
	assert_log(p, q, (struct log_filter){ .limit = 1, .after = 3 }, "1.2 ");
	assert_log(p, q, (struct log_filter){ .oldest_first = true, .after = 1 }, "1.2 2.1 ");
	assert_log(p, q, (struct log_filter){ .steps = true }, "2.1 1.2 ");
	assert_log(p, q, (struct log_filter){ .steps = true, .oldest_first = true }, "1.2 2.1 ");
	assert_log(p, q, (struct log_filter){ .steps = true, .after = 2 }, "1.2 ");
	assert_log(p, q, (struct log_filter){ .step = 1 }, "1.2 1.1 ");
	assert_log(p, q, (struct log_filter){ .step = 1, .oldest_first = true, .checks = true }, "1.1 1.1r1 1.2 ");
	assert_log(p, q, (struct log_filter){ .step = 1, .limit = 1 }, "1.2 ");
	assert_log(p, q, (struct log_filter){ .step = 1, .after = 2 }, "1.1 ");
	assert_log(p, q, (struct log_filter){ .step = 9 }, "");

	assert_done(p, query_log(q, &(struct log_filter){ .step = 1, .limit = 1 }, take_row, &row, &p->e));
	assert_int_equal(row.state, OUTCOME_ERROR);
	assert_int_equal(row.exit_code, 4);
	assert_int_equal(row.step_attempts, 2);
	assert_int_equal(query_tally(q, "steps"), 2);
	assert_int_equal(query_tally(q, "attempts"), 3);
	assert_int_equal(query_tally(q, "checks"), 1);
	assert_int_equal(query_tally(q, "ok"), 2);
	assert_int_equal(query_tally(q, "nonsense"), 0);
	query_close(q);
}

static bool add_bytes(void *ctx, const void *p, size_t n, struct err *e)
{
	(void)e;
	buf_add(ctx, p, n);
	return true;
}

static bool count_offered(void *ctx, const struct entry *f)
{
	size_t *n = ctx;

	(void)f;
	++*n;
	return true;
}

static void test_bytes(void **state)
{
	struct place *p = *state;
	struct buf b = { 0 };
	size_t n = 0;

	need_sandbox(p);
	put("other.csv", "1\n");
	quick(p, "a.py", "print('x')\n");
	struct query *q = open_query(p);
	assert_done(p, query_code(q, 1, add_bytes, &b, &p->e));
	assert_string_equal(b.data, "print('x')\n");
	buf_free(&b);
	assert_done(p, query_offered(q, 1, count_offered, &n, &p->e));
	assert_int_equal(n, 2);
	assert_fails(p, ERR_NOTFOUND, "", query_code(q, 99, add_bytes, &b, &p->e));
	struct digest none = { { 1 } };
	assert_fails(p, ERR_NOTFOUND, "", query_blob(q, &none, add_bytes, &b, &p->e));
	struct verify_report r;
	assert_done(p, query_verify(q, NULL, NULL, NULL, &r, &p->e));
	assert_int_equal(r.attempts, 1);
	assert_int_equal(r.faults, 0);
	query_close(q);
}

/* By content: size and time are the same, and it shows all the same. */
static void test_since(void **state)
{
	struct place *p = *state;
	struct detail d;
	struct told t;
	struct stat st;

	need_sandbox(p);
	put("same.csv", "1\n");
	put("edited.csv", "399\n");
	put("longer.csv", "1\n");
	put("gone.csv", "1\n");
	quick(p, "make.py", "open('made.csv', 'w').write('m')\n");
	run_code(p, "a.py", "for n in ('same', 'edited', 'longer', 'gone', 'made'): open(n + '.csv').read()\n", &t, &d);
	assert_int_equal(d.inputs_n, 5);
	assert_int_equal(stat("edited.csv", &st), 0);
	put("edited.csv", "400\n");
	struct timespec times[2] = { st.st_atim, st.st_mtim };
	assert_int_equal(utimensat(AT_FDCWD, "edited.csv", times, 0), 0);
	put("longer.csv", "12\n");
	assert_int_equal(unlink("gone.csv"), 0);
	static const struct {
		const char *path;
		enum since since;
	} expected[] = {
		{ "same.csv", SINCE_SAME }, { "edited.csv", SINCE_CHANGED }, { "longer.csv", SINCE_CHANGED },
		{ "gone.csv", SINCE_MISSING }, { "made.csv", SINCE_SAME },
	};
	struct query *q = open_query(p);
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		const struct entry *f = entry_of(d.inputs, d.inputs_n, expected[i].path);
		assert_non_null(f);
		if (query_since(q, p->ws, f) != expected[i].since)
			fail_msg("%s: %d", expected[i].path, (int)query_since(q, p->ws, f));
	}
	assert_int_equal(query_since(q, NULL, &d.inputs[0]), SINCE_UNKNOWN);
	query_close(q);
	query_detail_free(&d);
	told_free(&t);
}

static void test_evidence(void **state)
{
	struct place *p = *state;
	struct detail d;
	struct buf before = { 0 }, after = { 0 };

	need_sandbox(p);
	quick(p, "a.py", "print('x')\n");
	/* The runner may be at it itself. */
	struct stat st;
	do
		workspace_settle(p->ws);
	while (stat(".tickmark/record.db-wal", &st) == 0 && st.st_size > 0);
	workspace_close(p->ws);
	p->ws = NULL;
	assert_done(p, fs_read(AT_FDCWD, ".tickmark/record.db", 64 << 20, &before, &p->e));
	assert_int_equal(mkdir("../elsewhere", 0700), 0);
	assert_done(p, fs_write(AT_FDCWD, "../elsewhere/copy.db", before.data, before.len, false, &p->e));
	struct query *q = query_open_file("../elsewhere/copy.db", &p->e);
	assert_done(p, q);
	assert_true(query_is_evidence(q));
	assert_done(p, query_detail(q, 1, &d, &p->e));
	assert_int_equal(d.state, OUTCOME_OK);
	query_detail_free(&d);
	query_close(q);
	assert_done(p, fs_read(AT_FDCWD, "../elsewhere/copy.db", 64 << 20, &after, &p->e));
	assert_int_equal(before.len, after.len);
	assert_memory_equal(before.data, after.data, before.len);
	assert_false(fs_exists(AT_FDCWD, "../elsewhere/copy.db-wal"));
	assert_false(fs_exists(AT_FDCWD, "../elsewhere/copy.db-shm"));
	buf_free(&before);
	buf_free(&after);
	assert_fails(p, ERR_NOTFOUND, "nothere.db", query_open_file("nothere.db", &p->e));
	assert_done(p, p->ws = workspace_open(".", &p->e));
}

/* Lines of a document are those of the text that a reader made of it. */
static void places_are_told(void **state)
{
	static const struct { struct review_place at; const char *text; } table[] = {
		{ { .section = "code", .line = 5 }, "code line 5" },
		{ { .section = "file", .path = "a.csv", .cell = "B7" }, "file a.csv cell B7" },
		{ { .section = "file", .path = "a.txt", .line = 2 }, "file a.txt line 2" },
		{ { .section = "file", .path = "d/A.PDF", .line = 2 }, "file d/A.PDF line 2 of its text" },
		{ { .section = "file", .path = "pdf", .line = 2 }, "file pdf line 2" },
		{ { .section = "file", .path = "a.json", .cell = "$.b" }, "file a.json at $.b" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		struct buf out = { 0 };

		review_place_text(&table[i].at, &out);
		assert_string_equal(out.data, table[i].text);
		buf_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_told),
		TEST(test_references), TEST(test_lists), TEST(test_bytes), TEST(test_since), TEST(test_evidence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
