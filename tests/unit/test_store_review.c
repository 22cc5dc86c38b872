/* Marks, notes, messages: kept as facts, counted by step, covered by the ledger. */
#include "store_case.h"
#include "store/db.h"
#include "store/keep.h"
#include "store/review.h"

static void no_fault(void *ctx, const char *what)
{
	(void)ctx;
	print_error("fault: %s\n", what);
}

static void assert_intact(struct place *p, struct store *st)
{
	struct verify_result r;

	assert_done(p, store_verify(st, no_fault, NULL, NULL, &r, &p->e));
	assert_int_equal(r.faults, 0);
}

static void mark(struct place *p, struct store *st, int64_t attempt, enum judgement j)
{
	struct mark m = { .attempt = attempt, .judgement = j, .reviewer = "mb", .how = "screen", .note = "footed" };

	assert_done(p, store_mark_add(st, &m, &p->e));
	assert_true(m.id > 0);
}

static void assert_counts(struct store *st, int64_t accepted, int64_t rejected, int64_t to_review)
{
	assert_int_equal(store_tally(st, "accepted"), accepted);
	assert_int_equal(store_tally(st, "rejected"), rejected);
	assert_int_equal(store_tally(st, "to review"), to_review);
}

static int64_t ended(struct place *p, struct store *st, int64_t step)
{
	int64_t id = case_queue(p, st, step);

	case_end(p, st, id, "42\n", VERDICT_NONE);
	return id;
}

static void steps_are_counted_by_their_last_attempt(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t a = ended(p, st, 0), b, check;

	ended(p, st, 0);
	assert_counts(st, 0, 0, 2);
	mark(p, st, a, JUDGED_ACCEPTED);
	assert_counts(st, 1, 0, 1);
	mark(p, st, a, JUDGED_ACCEPTED);
	assert_counts(st, 1, 0, 1);
	/* A check stales nothing, an attempt does. */
	check = case_queue_as(p, st, 0, a);
	case_end(p, st, check, "42\n", VERDICT_SAME);
	assert_counts(st, 1, 0, 1);
	b = ended(p, st, 1);
	assert_counts(st, 0, 0, 2);
	mark(p, st, a, JUDGED_REJECTED);
	assert_counts(st, 0, 0, 2);
	mark(p, st, b, JUDGED_REJECTED);
	assert_counts(st, 0, 1, 1);
	mark(p, st, b, JUDGED_WITHDRAWN);
	assert_counts(st, 0, 0, 2);
	/* The opinion is about no step. */
	mark(p, st, 0, JUDGED_ACCEPTED);
	assert_counts(st, 0, 0, 2);
	assert_intact(p, st);
	store_close(st);
}

static void what_cannot_be_marked(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t a = ended(p, st, 0), check = case_queue_as(p, st, 0, a), running = case_queue(p, st, 0);
	struct mark m = { .attempt = check, .judgement = JUDGED_ACCEPTED, .reviewer = "mb", .how = "screen" };

	case_end(p, st, check, "42\n", VERDICT_SAME);
	assert_fails(p, ERR_INPUT, "check", store_mark_add(st, &m, &p->e));
	m.attempt = running;
	assert_fails(p, ERR_BUSY, "not ended", store_mark_add(st, &m, &p->e));
	m.attempt = 99;
	assert_fails(p, ERR_NOTFOUND, "no such attempt", store_mark_add(st, &m, &p->e));
	m.attempt = a;
	m.judgement = JUDGED_NONE;
	assert_fails(p, ERR_INPUT, "judgement", store_mark_add(st, &m, &p->e));
	m.judgement = JUDGED_QUESTIONED;
	assert_done(p, store_mark_add(st, &m, &p->e));
	assert_fails(p, ERR_EXISTS, "already", store_mark_add(st, &m, &p->e));
	assert_intact(p, st);
	store_close(st);
}

static bool keep_mark(void *ctx, const struct mark *m)
{
	struct strv *v = ctx;

	strv_addf(v, "%s by %s%s%s%s", judgement_word(m->judgement), m->reviewer, m->note ? ": " : "", m->note ? m->note : "",
	          m->signature ? " signed" : "");
	assert_false(digest_is_zero(&m->head));
	return true;
}

static bool first_row(void *ctx, const struct attempt_row *row)
{
	*(struct attempt_row *)ctx = *row;
	return false;
}

static void history_is_kept_and_rows_show_the_newest(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t a = ended(p, st, 0);
	struct mark m = { .attempt = a, .judgement = JUDGED_REJECTED, .reviewer = "x", .how = "command", .signer = "ssh-ed25519 A",
		          .signature = "s", .signature_len = 1 };
	struct attempt_row row = { 0 };
	struct strv v = { 0 };

	mark(p, st, a, JUDGED_ACCEPTED);
	assert_done(p, store_mark_add(st, &m, &p->e));
	assert_done(p, store_marks(st, a, keep_mark, &v, &p->e));
	assert_int_equal(v.n, 2);
	assert_string_equal(v.v[0], "accepted by mb: footed");
	assert_string_equal(v.v[1], "rejected by x signed");
	strv_free(&v);
	assert_done(p, store_steps(st, 0, true, 1, first_row, &row, &p->e));
	assert_int_equal(row.judgement, JUDGED_REJECTED);
	assert_int_equal(row.stale, JUDGED_NONE);
	ended(p, st, 1);
	assert_done(p, store_steps(st, 0, true, 1, first_row, &row, &p->e));
	assert_int_equal(row.judgement, JUDGED_NONE);
	assert_int_equal(row.stale, JUDGED_REJECTED);
	store_close(st);
}

static bool keep_note(void *ctx, const struct note *n)
{
	strv_addf(ctx, "%s %s %lld %s: %s", n->section, n->path, (long long)n->line, n->cell, n->text);
	return true;
}

static bool keep_message(void *ctx, const struct message *m)
{
	strv_addf(ctx, "%s: %s", m->by.name, m->text);
	return true;
}

static void notes_and_messages(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t a = ended(p, st, 0), b = ended(p, st, 0), cites[] = { b, a, b };
	struct note n = { .attempt = a, .section = "file", .path = "t\xff.csv", .line = 3, .cell = "B7", .text = "agreed",
		          .reviewer = "mb", .how = "screen" };
	struct message m = { .by = { ASKER_ASSISTANT, "codex", "1.2" }, .text = "as in [1.1] and [2.1]", .how = "mcp" };
	struct message other = { .by = { ASKER_PERSON, "jm", NULL }, .text = "good", .how = "command" };
	struct strv v = { 0 };

	assert_done(p, store_note_add(st, &n, &p->e));
	assert_done(p, store_notes(st, a, keep_note, &v, &p->e));
	assert_int_equal(v.n, 1);
	assert_string_equal(v.v[0], "file t\xff.csv 3 B7: agreed");
	strv_free(&v);
	assert_done(p, store_message_add(st, &m, cites, ARRAY_LEN(cites), &p->e));
	assert_done(p, store_message_add(st, &other, NULL, 0, &p->e));
	assert_done(p, store_messages_of(st, b, keep_message, &v, &p->e));
	assert_int_equal(v.n, 1);
	assert_done(p, store_messages(st, 0, true, 10, keep_message, &v, &p->e));
	assert_int_equal(v.n, 3);
	assert_string_equal(v.v[1], "jm: good");
	strv_free(&v);
	assert_intact(p, st);
	store_close(st);
}

static void a_call_is_found_again(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t first = ended(p, st, 0), id;
	char key[] = "example.com/toolUseId=t2";
	char *calls[] = { key, key, NULL };
	struct queue_with with = { .step = &case_step, .environment = &case_environment, .policy = &case_policy, .code = "1",
		                   .code_len = 1 };
	static const struct entry none;
	struct attempt a = { .uuid = uuid_new(), .asker = { ASKER_ASSISTANT, "codex", "1" }, .script = "s.py", .box = "/b",
		             .cwd = ".", .host = "h", .boot_id = "b", .calls = calls };

	with.offered = &none;
	assert_done(p, store_attempt_by_call(st, key, &id, &p->e));
	assert_int_equal(id, 0);
	assert_done(p, store_attempt_queue(st, &a, &with, &p->e));
	assert_done(p, store_attempt_by_call(st, key, &id, &p->e));
	assert_int_equal(id, a.id);
	assert_int_not_equal(id, first);
	case_end(p, st, a.id, "1\n", VERDICT_NONE);
	assert_intact(p, st);
	store_close(st);
}

/* A copy is reviewed elsewhere while the original goes on; what was said comes home, once. */
static void a_review_comes_home(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE), *copy;
	int64_t a = ended(p, st, 0), b;
	char *path = path_join(p->dir, "copy.db");
	struct merge_result r;
	struct strv v = { 0 };

	assert_done(p, store_backup(st, path, &p->e));
	copy = store_open(path, STORE_WRITE, &p->e);
	assert_non_null(copy);
	case_review(p, copy, a);
	mark(p, copy, 0, JUDGED_ACCEPTED);
	b = ended(p, copy, 0);
	case_review(p, copy, b); /* about what is only there */
	ended(p, st, 0);         /* under the same id */
	mark(p, st, a, JUDGED_REJECTED);
	assert_done(p, store_merge(st, &(struct uuid){ { 1 } }, copy, &r, &p->e));
	assert_int_equal(r.marks, 2);
	assert_int_equal(r.notes, 1);
	assert_int_equal(r.messages, 2);
	assert_int_equal(r.unknown, 2);
	assert_int_equal(r.already, 0);
	assert_done(p, store_marks(st, a, keep_mark, &v, &p->e));
	assert_int_equal(v.n, 2);
	assert_string_equal(v.v[1], "questioned by mb: why signed");
	strv_free(&v);
	assert_intact(p, st);
	struct ledger_head before, after;
	assert_done(p, store_head(st, &before, &p->e));
	assert_done(p, store_merge(st, &(struct uuid){ { 1 } }, copy, &r, &p->e));
	assert_int_equal(r.marks + r.notes + r.messages, 0);
	assert_int_equal(r.already, 5);
	assert_done(p, store_head(st, &after, &p->e));
	assert_int_equal(before.seq, after.seq);
	store_close(copy);
	/* A copy that was tampered with says nothing. */
	char *real = strdup(p->db);
	snprintf(p->db, sizeof(p->db), "%s", path);
	case_sql(p, "INSERT INTO prune_permit VALUES (1); UPDATE mark SET judgement = 'accepted'; DELETE FROM prune_permit");
	snprintf(p->db, sizeof(p->db), "%s", real);
	free(real);
	copy = store_open(path, STORE_EVIDENCE, &p->e);
	assert_fails(p, ERR_CORRUPT, "broken", store_merge(st, &(struct uuid){ { 1 } }, copy, &r, &p->e));
	store_close(copy);
	/* Nor does another record. */
	char *other = path_join(p->dir, "other.db");
	assert_done(p, store_create(other, "/elsewhere", &p->e));
	copy = store_open(other, STORE_EVIDENCE, &p->e);
	assert_fails(p, ERR_INPUT, "not a copy", store_merge(st, &(struct uuid){ { 1 } }, copy, &r, &p->e));
	store_close(copy);
	store_close(st);
	free(other);
	free(path);
}

static int die_at(unsigned what, void *ctx, void *statement, void *sql)
{
	int *left = ctx;

	(void)what;
	(void)statement;
	(void)sql;
	if (--*left <= 0)
		kill(getpid(), SIGKILL);
	return 0;
}

/* Merges in a process that is killed at its n-th statement; true: it got to its end before. */
static bool merge_and_die(struct place *p, const char *review, int n)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		struct store *st = store_open(p->db, STORE_WRITE, NULL), *from = store_open(review, STORE_EVIDENCE, NULL);
		struct merge_result r;
		if (!st || !from)
			_exit(2);
		sqlite3_trace_v2(st->db, SQLITE_TRACE_STMT, die_at, &n);
		_exit(store_merge(st, &(struct uuid){ { 1 } }, from, &r, NULL) ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true((WIFEXITED(status) && WEXITSTATUS(status) == 0) || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
	return WIFEXITED(status);
}

#define BROUGHT "(SELECT count(*) FROM attempt WHERE check_of IS NOT NULL) + (SELECT count(*) FROM mark) + (SELECT count(*)" \
	" FROM note) + (SELECT count(*) FROM message) + (SELECT count(*) FROM ledger WHERE kind = 'merged')"

/* The sanitizers are slow, and where it is killed is not what they look at. */
#ifdef __SANITIZE_ADDRESS__
#define EACH 17
#else
#define EACH 3
#endif

/* Whenever it is killed: all of it is there, or nothing; the next one brings all, and nothing twice. */
static void a_merge_is_whole_or_not_there(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE), *copy;
	char *path = path_join(p->dir, "copy.db");
	int64_t a = ended(p, st, 0);
	int kills = 0;

	assert_done(p, store_backup(st, path, &p->e));
	store_close(st);
	copy = store_open(path, STORE_WRITE, &p->e);
	assert_non_null(copy);
	case_end(p, copy, case_queue_as(p, copy, 0, a), "of the repeat\n", VERDICT_DIFFERS);
	case_review(p, copy, a);
	mark(p, copy, 0, JUDGED_ACCEPTED);
	assert_done(p, store_checkpoint(copy, &p->e));
	store_close(copy);
	for (int n = 1; !merge_and_die(p, path, n); n += EACH, kills++) {
		st = case_open(p, STORE_WRITE);
		assert_intact(p, st);
		store_close(st);
		if (case_number(p, "SELECT " BROUGHT) != 0)
			fail_msg("killed at statement %d: a part of it is there", n);
	}
	assert_true(kills > 45 / EACH);
	/* one check, two marks, a note, a message, and where they came from */
	assert_int_equal(case_number(p, "SELECT " BROUGHT), 6);
	assert_true(merge_and_die(p, path, 100000));
	assert_int_equal(case_number(p, "SELECT " BROUGHT), 6);
	st = case_open(p, STORE_WRITE);
	assert_intact(p, st);
	store_close(st);
	free(path);
}

#define WITH_RECORD(test) cmocka_unit_test_setup_teardown(test, case_setup, case_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_RECORD(steps_are_counted_by_their_last_attempt),
		WITH_RECORD(what_cannot_be_marked),
		WITH_RECORD(history_is_kept_and_rows_show_the_newest),
		WITH_RECORD(notes_and_messages),
		WITH_RECORD(a_call_is_found_again),
		WITH_RECORD(a_review_comes_home),
		WITH_RECORD(a_merge_is_whole_or_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
