/* prune, backup, pack: what goes is gone, what stays verifies, nothing is given a number twice. */
#include "store_case.h"
#include "store/db.h"
#include "store/keep.h"

static void print_fault(void *ctx, const char *what)
{
	(void)ctx;
	print_error("fault: %s\n", what);
}

static void assert_intact(struct place *p, struct store *st)
{
	struct verify_result r;

	assert_done(p, store_verify(st, print_fault, NULL, NULL, &r, &p->e));
	assert_int_equal(r.faults, 0);
}

static int64_t ended(struct place *p, struct store *st, int64_t step, const char *text)
{
	int64_t id = case_queue(p, st, step);

	case_end(p, st, id, text, VERDICT_NONE);
	return id;
}

static void assert_prune(struct place *p, struct store *st, const struct prune_rule *rule, struct prune_result *r)
{
	assert_done(p, store_prune(st, rule, true, NULL, NULL, r, &p->e));
	assert_intact(p, st);
}

static bool holds(struct place *p, const char *word)
{
	static const char *const files[] = { "record.db", "record.db-wal", "record.db-shm" };
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		char *path = path_join(p->dir, files[i]);
		struct buf b = { 0 };
		if (fs_read(AT_FDCWD, path, 1 << 30, &b, NULL))
			found |= memmem(b.data, b.len, word, strlen(word)) != NULL;
		buf_free(&b);
		free(path);
	}
	return found;
}

static void a_preview_changes_nothing(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct prune_rule rule = { .parts = PRUNE_ATTEMPTS };
	struct ledger_head before, after;
	struct prune_result r;

	ended(p, st, 0, "one\n");
	ended(p, st, 1, "two\n");
	ended(p, st, 0, "three\n");
	ended(p, st, 0, "four\n");
	assert_done(p, store_head(st, &before, &p->e));
	assert_done(p, store_prune(st, &rule, false, NULL, NULL, &r, &p->e));
	assert_int_equal(r.attempts, 3);
	assert_int_equal(r.kept_newest, 1);
	assert_done(p, store_head(st, &after, &p->e));
	assert_int_equal(before.seq, after.seq);
	assert_int_equal(store_tally(st, "attempts"), 4);
	assert_intact(p, st);
	store_close(st);
}

static void what_went_is_gone_from_every_file(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct prune_rule rule = { .parts = PRUNE_ATTEMPTS, .keep_last = 1, .text = "--keep-last 1", .by = "mb" };
	struct prune_result r;
	char *big = malloc(3000001);
	struct stat before, after;

	memset(big, 'x', 3000000);
	memcpy(big + 1500000, "SECRETWORD", 10);
	big[3000000] = '\0';
	ended(p, st, 0, big);
	ended(p, st, 1, "harmless\n");
	free(big);
	assert_done(p, store_checkpoint(st, &p->e));
	assert_true(holds(p, "SECRETWORD"));
	assert_int_equal(stat(p->db, &before), 0);
	assert_prune(p, st, &rule, &r);
	assert_int_equal(r.attempts, 1);
	assert_true(r.bytes > 3000000);
	assert_done(p, store_checkpoint(st, &p->e));
	assert_false(holds(p, "SECRETWORD"));
	assert_int_equal(stat(p->db, &after), 0);
	assert_true(after.st_size < before.st_size - 5000000);
	assert_true(store_pruned_at(st, "1.1") > 0);
	assert_int_equal(store_pruned_at(st, "1.2"), 0);
	store_close(st);
}

static void marked_cited_corrected_stay(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t marked = ended(p, st, 0, "1\n"), cited = ended(p, st, 0, "2\n");
	struct prune_rule rule = { .parts = PRUNE_ATTEMPTS };
	struct mark m = { .attempt = marked, .judgement = JUDGED_ACCEPTED, .reviewer = "mb", .how = "screen" };
	struct message said = { .by = { ASKER_PERSON, "jm", NULL }, .text = "[2.1]", .how = "command" };
	struct prune_result r;

	ended(p, st, 0, "3\n");
	ended(p, st, 0, "4\n");
	assert_done(p, store_mark_add(st, &m, &p->e));
	assert_done(p, store_message_add(st, &said, &cited, 1, &p->e));
	assert_prune(p, st, &rule, &r);
	assert_int_equal(r.attempts, 1);
	assert_int_equal(r.kept_marked, 1);
	assert_int_equal(r.kept_cited, 1);
	assert_int_equal(r.kept_newest, 1);
	rule.marked = true;
	assert_prune(p, st, &rule, &r);
	assert_int_equal(r.attempts, 1);
	/* A mark that comes later gets no id of one that went. */
	m = (struct mark){ .attempt = cited, .judgement = JUDGED_REJECTED, .reviewer = "mb", .how = "screen" };
	assert_done(p, store_mark_add(st, &m, &p->e));
	assert_int_equal(m.id, 2);
	assert_intact(p, st);
	store_close(st);
}

static void running_stay(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t a = ended(p, st, 0, "1\n");
	struct prune_rule rule = { .parts = PRUNE_ATTEMPTS | PRUNE_STREAMS | PRUNE_FILES };
	struct prune_result r;

	case_queue_as(p, st, 0, a);
	case_queue(p, st, 0);
	ended(p, st, 0, "2\n");
	ended(p, st, 0, "3\n");
	assert_prune(p, st, &rule, &r);
	assert_int_equal(r.kept_running, 2);
	assert_int_equal(r.attempts, 1);
	store_close(st);
}

static void bytes_that_others_have_stay(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t a = ended(p, st, 0, "shared\n");
	struct prune_rule rule = { .parts = PRUNE_FILES | PRUNE_STREAMS, .attempts = &a, .attempts_n = 1 };
	struct digest shared = case_digest("shared\n");
	struct prune_result r;

	ended(p, st, 1, "shared\n");
	assert_prune(p, st, &rule, &r);
	assert_int_equal(r.contents, 0);
	assert_int_equal(r.streams, 1);
	assert_true(store_blob_has(st, &shared, NULL));
	/* Twice takes nothing, and leaves no entry. */
	struct ledger_head before, after;
	assert_done(p, store_head(st, &before, &p->e));
	assert_prune(p, st, &rule, &r);
	assert_done(p, store_head(st, &after, &p->e));
	assert_int_equal(before.seq, after.seq);
	store_close(st);
}

static struct attempt_end end_of(int64_t attempt)
{
	return (struct attempt_end){ .attempt = attempt, .ended_us = 2, .outcome = OUTCOME_OK, .detail = "", .exit_code = 0 };
}

/* Contents come in before the end that names them: a prune in between takes nothing that it did not make nameless, and
 * what vanished for a run that is gone goes when nothing runs. */
static void what_no_row_names_yet_stays(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t old = ended(p, st, 0, "old\n"), running = case_queue(p, st, 0);
	struct prune_rule rule = { .parts = PRUNE_ATTEMPTS, .attempts = &old, .attempts_n = 1 };
	struct entry made = { .path = "new.csv", .what = ARTIFACT_CREATED, .size = 3, .mode = 0644 };
	struct end_with with = { .artifacts = &made, .artifacts_n = 1 };
	struct attempt_end end = end_of(running);
	struct digest gone = case_digest("old\n"), debris;
	struct uuid owner = uuid_new();
	struct prune_result r;

	assert_done(p, store_blob_put(st, &owner, "new", 3, &made.sha256, &p->e));
	assert_done(p, store_blob_put(st, &owner, "debris", 6, &debris, &p->e));
	assert_prune(p, st, &rule, &r);
	assert_int_equal(r.attempts, 1);
	assert_false(store_blob_has(st, &gone, NULL));
	assert_true(store_blob_has(st, &made.sha256, NULL));
	assert_true(store_blob_has(st, &debris, NULL));
	assert_done(p, store_attempt_end(st, &end, &with, &p->e));
	old = ended(p, st, 0, "old\n");
	ended(p, st, 0, "newest\n");
	assert_prune(p, st, &rule, &r);
	assert_true(store_blob_has(st, &made.sha256, NULL));
	assert_false(store_blob_has(st, &debris, NULL));
	store_close(st);
}

/* What was found there already may have gone with the attempt that had it. */
static void an_end_names_what_is_kept(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t old = ended(p, st, 0, "same\n"), running = case_queue(p, st, 0);
	struct prune_rule rule = { .parts = PRUNE_ATTEMPTS, .attempts = &old, .attempts_n = 1 };
	struct entry made = { .path = "t.csv", .what = ARTIFACT_CREATED, .size = 5, .mode = 0644 }, read = made;
	struct end_with with = { .artifacts = &made, .artifacts_n = 1, .inputs = &read, .inputs_n = 1 };
	struct attachment attached = { .name = "t.csv" };
	struct attempt_end end = end_of(running);
	struct uuid owner = uuid_new();
	struct prune_result r;

	assert_done(p, store_blob_put(st, &owner, "same\n", 5, &made.sha256, &p->e));
	read.path = "in.csv";
	read.what = INPUT_READ;
	read.sha256 = attached.sha256 = made.sha256;
	assert_prune(p, st, &rule, &r);
	assert_fails(p, ERR_NOTFOUND, "the bytes of in.csv are not kept", store_attempt_end(st, &end, &with, &p->e));
	assert_fails(p, ERR_NOTFOUND, "the bytes of t.csv are not kept", store_attach(st, &attached, &p->e));
	read.note = "its bytes changed";
	assert_fails(p, ERR_NOTFOUND, "the bytes of t.csv are not kept", store_attempt_end(st, &end, &with, &p->e));
	assert_intact(p, st);
	assert_done(p, store_blob_put(st, &owner, "same\n", 5, &made.sha256, &p->e));
	assert_done(p, store_attempt_end(st, &end, &with, &p->e));
	assert_done(p, store_attach(st, &attached, &p->e));
	assert_intact(p, st);
	store_close(st);
}

static void count_gone(void *ctx, const char *what)
{
	*(int *)ctx += strstr(what, "bytes of an artifact are gone") != NULL;
}

static int gone(struct place *p, struct store *st)
{
	struct verify_result r;
	int n = 0;

	assert_done(p, store_verify(st, count_gone, NULL, &n, &r, &p->e));
	return n;
}

/* A tombstone tells of those that had ended before it, not of who had the same bytes again. */
static void an_old_tombstone_excuses_no_later_loss(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t a = ended(p, st, 0, "again\n"), b;
	struct prune_rule rule = { .parts = PRUNE_FILES, .attempts = &a, .attempts_n = 1 };
	struct digest d = case_digest("again\n");
	struct buf bytes = { 0 };
	struct prune_result r;

	assert_prune(p, st, &rule, &r);
	assert_int_equal(r.contents, 2); /* and the input */
	assert_fails(p, ERR_NOTFOUND, "was pruned on", store_blob_read(st, &d, 9, &bytes, &p->e));
	b = ended(p, st, 0, "again\n");
	assert_int_equal(gone(p, st), 0);
	case_sql(p, "INSERT INTO prune_permit VALUES (1); DELETE FROM blob_chunk WHERE id >> 24 = (SELECT id FROM blob WHERE size = 6);"
	            "DELETE FROM blob WHERE size = 6; DELETE FROM prune_permit");
	assert_int_equal(gone(p, st), 1);
	assert_fails(p, ERR_NOTFOUND, "no prune took it", store_blob_read(st, &d, 9, &bytes, &p->e));
	/* Its own prune does. */
	ended(p, st, 2, "again\n");
	rule.attempts = &b;
	rule.others = true;
	assert_prune(p, st, &rule, &r);
	assert_int_equal(gone(p, st), 0);
	buf_free(&bytes);
	store_close(st);
}

/* Sets go by their hash: whoever looked one up before a prune gets that one, whatever has its number by now. */
static void a_set_is_its_hash(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct entry many[40], one = case_offered_plain;
	char paths[40][8];
	struct queue_with with = { .step = &case_step, .environment = &case_environment, .policy = &case_policy, .code = "1",
		                   .code_len = 1, .offered = many, .offered_n = 40 };
	struct attempt a = { .uuid = uuid_new(), .asker = { ASKER_PERSON, "jm", NULL }, .script = "s.py", .box = "/b", .cwd = ".",
		             .host = "desk", .boot_id = "b" };
	struct digest was, base = { 0 };
	struct prune_result r;
	struct manifest m;
	int64_t id, last;

	for (int i = 0; i < 40; i++) {
		snprintf(paths[i], sizeof(paths[i]), "f%02d", i);
		many[i] = (struct entry){ .path = paths[i], .mode = 0644, .size = i, .sha256 = case_digest(paths[i]) };
	}
	was = store_manifest_hash(many, 40);
	with.offered_sha256 = &was;
	assert_done(p, store_attempt_queue(st, &a, &with, &p->e));
	struct prune_rule rule = { .parts = PRUNE_ATTEMPTS, .attempts = (int64_t[]){ a.id }, .attempts_n = 1 };
	struct attempt_end end = end_of(a.id);
	assert_done(p, store_attempt_end(st, &end, NULL, &p->e));
	ended(p, st, 0, "newest\n");
	last = case_number(p, "SELECT max(id) FROM manifest");
	assert_prune(p, st, &rule, &r);
	assert_false(store_manifest_find(st, &was, &id));
	/* Another comes first; no number is given twice. */
	one.path = "other.csv";
	assert_done(p, store_manifest_put(st, &one, 1, 0, &id, &p->e));
	assert_true(id > last);
	/* The base is gone, too: stored whole. */
	with.offered_base = &was;
	many[3].size = 1000;
	base = store_manifest_hash(many, 40);
	with.offered_sha256 = &base;
	a.uuid = uuid_new();
	a.step = 0;
	assert_done(p, store_attempt_queue(st, &a, &with, &p->e));
	assert_done(p, store_manifest_get(st, a.offered, &m, &p->e));
	assert_int_equal(m.n, 40);
	assert_true(digest_equal(&m.sha256, &base));
	assert_int_equal(m.entries[3].size, 1000);
	store_manifest_free(&m);
	store_close(st);
}

/* A record that is read without locks is not copied, nor merged, in two states. */
static void evidence_that_changes_is_not_copied(void **state)
{
	struct place *p = *state;
	char *copy = path_join(p->dir, "copy.db");
	struct prune_rule others = { .parts = PRUNE_ATTEMPTS, .others = true, .marked = true, .attempts = (int64_t[]){ 2 }, .attempts_n = 1 };
	struct prune_result left;
	struct store *st = case_open(p, STORE_WRITE);
	FILE *f;

	ended(p, st, 0, "1\n");
	ended(p, st, 0, "2\n");
	assert_done(p, store_checkpoint(st, &p->e));
	store_close(st);
	st = case_open(p, STORE_EVIDENCE);
	assert_done(p, store_is_unchanged(st, &p->e));
	assert_done(p, store_pack(st, copy, &p->e));
	assert_int_equal(unlink(copy), 0);
	assert_done(p, store_pack_chosen(st, copy, &others, &left, &p->e));
	assert_int_equal(left.attempts, 1);
	assert_int_equal(unlink(copy), 0);
	f = fopen(p->db, "a");
	assert_non_null(f);
	fputc(0, f);
	fclose(f);
	assert_fails(p, ERR_BUSY, "was changed by another process", store_is_unchanged(st, &p->e));
	assert_fails(p, ERR_BUSY, "was changed by another process", store_backup(st, copy, &p->e));
	assert_fails(p, ERR_BUSY, "was changed by another process", store_pack(st, copy, &p->e));
	assert_fails(p, ERR_BUSY, "was changed by another process", store_pack_chosen(st, copy, &others, &left, &p->e));
	assert_false(fs_exists(AT_FDCWD, copy));
	store_close(st);
	free(copy);
}

static void checks_go_with_their_attempt(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	int64_t a = ended(p, st, 0, "same text\n"), check = case_queue_as(p, st, 0, a);
	struct prune_rule rule = { .parts = PRUNE_STREAMS, .attempts = &a, .attempts_n = 1 };
	struct prune_result r;

	case_end(p, st, check, "same text\n", VERDICT_SAME);
	ended(p, st, 1, "other\n");
	assert_prune(p, st, &rule, &r);
	assert_int_equal(r.streams, 2);
	rule.parts = PRUNE_ATTEMPTS;
	assert_prune(p, st, &rule, &r);
	assert_int_equal(r.attempts, 1);
	assert_int_equal(r.checks, 1);
	assert_int_equal(case_number(p, "SELECT count(*) FROM attempt"), 1);
	store_close(st);
}

/* Whatever is taken in whatever order, it verifies, and no reference is given twice. */
static void any_rules_in_any_order(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	unsigned seed = 7;
	struct prune_result r;

	for (int round = 0; round < 60; round++) {
		int64_t steps = 0, ids[3];
		assert_done(p, store_step_last(st, &steps, &p->e));
		for (int i = 0; i < 4; i++) {
			char text[32];
			int64_t step = steps && rand_r(&seed) % 3 ? 1 + rand_r(&seed) % steps : 0, found = 0;
			if (step)
				assert_done(p, store_attempt_find(st, step, 0, 0, &found, &p->e));
			snprintf(text, sizeof(text), "text %d\n", rand_r(&seed) % 20);
			int64_t id = ended(p, st, found ? step : 0, text);
			ids[i % 3] = id;
			if (rand_r(&seed) % 3 == 0)
				case_end(p, st, case_queue_as(p, st, 0, id), text, VERDICT_SAME);
			if (rand_r(&seed) % 4 == 0)
				case_review(p, st, id);
		}
		struct prune_rule rule = { .parts = 1 + rand_r(&seed) % 7, .keep_last = rand_r(&seed) % 3,
			                   .marked = rand_r(&seed) % 2, .larger = rand_r(&seed) % 8 };
		if (rand_r(&seed) % 2) {
			rule.attempts = ids;
			rule.attempts_n = 2;
			rule.others = rand_r(&seed) % 4 == 0;
		}
		assert_done(p, store_prune(st, &rule, rand_r(&seed) % 4 != 0, NULL, NULL, &r, &p->e));
		if (round % 5 == 4)
			assert_intact(p, st);
	}
	assert_intact(p, st);
	assert_int_equal(case_number(p, "SELECT count(*) FROM tombstone WHERE what = 'attempt' AND ref IN"
	                                " (SELECT ref FROM attempts)"), 0);
	assert_int_equal(case_number(p, "SELECT count(*) FROM (SELECT ref FROM tombstone WHERE what IN ('attempt', 'check')"
	                                " GROUP BY ref HAVING count(*) > 1)"), 0);
	assert_true(case_number(p, "SELECT count(*) FROM tombstone WHERE what = 'attempt'") > 20);
	store_close(st);
}

static void copies(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE), *copy;
	char *backup = path_join(p->dir, "backup.db"), *packed = path_join(p->dir, "packed.db");
	struct ledger_head head, other;

	ended(p, st, 0, "1\n");
	case_review(p, st, 1);
	assert_done(p, store_head(st, &head, &p->e));
	assert_done(p, store_backup(st, backup, &p->e));
	assert_done(p, store_pack(st, packed, &p->e));
	assert_fails(p, ERR_EXISTS, "there already", store_backup(st, backup, &p->e));
	assert_fails(p, ERR_EXISTS, "there already", store_pack(st, packed, &p->e));
	assert_fails(p, ERR_NOTFOUND, "/none", store_pack(st, "/none/there.db", &p->e));
	for (int i = 0; i < 2; i++) {
		struct stat sb;
		assert_int_equal(stat(i ? packed : backup, &sb), 0);
		assert_int_equal(sb.st_mode & 0777, 0600);
		copy = store_open(i ? packed : backup, STORE_EVIDENCE, &p->e);
		assert_non_null(copy);
		assert_intact(p, copy);
		assert_done(p, store_head(copy, &other, &p->e));
		assert_true(digest_equal(&head.entry, &other.entry));
		store_close(copy);
		/* It can take the place of the record. */
		copy = store_open(i ? packed : backup, STORE_WRITE, &p->e);
		assert_non_null(copy);
		case_end(p, copy, case_queue(p, copy, 0), "2\n", VERDICT_NONE);
		assert_intact(p, copy);
		store_close(copy);
	}
	store_close(st);
	free(backup);
	free(packed);
}

/* ---- packing what was chosen ------------------------------------------------------------------------ */

/* Rows of a table in one of two copies, and not in the other; the moment of the prune is each one's own. */
static int64_t only_in(sqlite3 *db, const char *table, const char *one, const char *other)
{
	const char *columns = strcmp(table, "prune") == 0 ? "id, by, rule" : "*";
	const char *newest = strcmp(table, "ledger") == 0 ? " WHERE kind <> 'pruned'" : "";
	sqlite3_stmt *s;

	if (strcmp(table, "change") == 0)
		return 0; /* numbers of whoever watches this file */
	char *sql = sqlite3_mprintf("SELECT count(*) FROM (SELECT %s FROM %s.%s%s EXCEPT SELECT %s FROM %s.%s%s)", columns, one, table,
	                      newest, columns, other, table, newest);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	int64_t n = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	sqlite3_free(sql);
	return n;
}

static void assert_same_rows(const char *packed, const char *pruned)
{
	sqlite3_stmt *s;
	sqlite3 *db;
	char *attach = sqlite3_mprintf("ATTACH %Q AS other", pruned);
	int tables = 0;

	assert_int_equal(sqlite3_open(packed, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, attach, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_free(attach);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
	                                    -1, &s, NULL), SQLITE_OK);
	for (; sqlite3_step(s) == SQLITE_ROW; tables++) {
		const char *table = (const char *)sqlite3_column_text(s, 0);
		if (only_in(db, table, "main", "other") || only_in(db, table, "other", "main"))
			fail_msg("%s: the packed copy has other rows than the pruned one", table);
	}
	assert_true(tables > 25);
	sqlite3_finalize(s);
	sqlite3_close(db);
}

static void pack_and_prune(struct place *p, struct store *st, const struct prune_rule *others, int i)
{
	char *packed = xasprintf("%s/packed%d.db", p->dir, i), *pruned = xasprintf("%s/pruned%d.db", p->dir, i);
	struct prune_result left, r;
	struct store *copy;

	assert_done(p, store_pack_chosen(st, packed, others, &left, &p->e));
	assert_done(p, store_backup(st, pruned, &p->e));
	copy = store_open(pruned, STORE_WRITE, &p->e);
	assert_non_null(copy);
	assert_done(p, store_prune(copy, others, true, NULL, NULL, &r, &p->e));
	assert_done(p, store_checkpoint(copy, &p->e));
	store_close(copy);
	assert_int_equal(left.attempts, r.attempts);
	assert_int_equal(left.checks, r.checks);
	assert_int_equal(left.kept_cited, r.kept_cited);
	assert_int_equal(left.kept_newest, r.kept_newest);
	assert_same_rows(packed, pruned);
	copy = store_open(packed, STORE_WRITE, &p->e);
	assert_non_null(copy);
	assert_intact(p, copy);
	assert_done(p, store_checkpoint(copy, &p->e));
	store_close(copy);
	free(packed);
	free(pruned);
}

static void a_chosen_copy_is_what_prune_would_leave(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct prune_rule some = { .parts = PRUNE_STREAMS | PRUNE_FILES }, others = { .parts = PRUNE_ATTEMPTS, .marked = true, .others = true };
	struct message said = { .by = { ASKER_PERSON, "jm", NULL }, .text = "[2.1]", .how = "command" };
	int64_t ids[4];
	struct prune_result r;

	for (int i = 0; i < 4; i++) {
		char text[16];
		snprintf(text, sizeof(text), "%d\n", i);
		ids[i] = ended(p, st, i % 2 ? i / 2 + 1 : 0, text);
		case_end(p, st, case_queue_as(p, st, 0, ids[i]), text, VERDICT_SAME);
	}
	case_review(p, st, ids[0]);
	case_review(p, st, ids[3]);
	assert_done(p, store_message_add(st, &said, &ids[2], 1, &p->e));
	some.attempts = &ids[1];
	some.attempts_n = 1;
	some.marked = true;
	assert_done(p, store_prune(st, &some, true, NULL, NULL, &r, &p->e));
	ended(p, st, 0, "the newest\n");
	for (int i = 0; i < 4; i++) {
		others.attempts = &ids[i];
		others.attempts_n = 1 + (i == 0);
		/* Once from a connection that may not write. */
		struct store *from = i == 2 ? case_open(p, STORE_READ) : st;
		pack_and_prune(p, from, &others, i);
		if (from != st)
			store_close(from);
	}
	store_close(st);
}

static void a_broken_record_is_not_packed_in_parts(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct prune_rule others = { .parts = PRUNE_ATTEMPTS, .marked = true, .others = true, .attempts_n = 1 };
	char *packed = path_join(p->dir, "packed.db");
	struct prune_result left;
	int64_t newest;

	for (int i = 0; i < 3; i++)
		newest = ended(p, st, 0, "1\n");
	others.attempts = &newest;
	case_sql(p, "INSERT INTO prune_permit VALUES (1); DELETE FROM ledger WHERE kind = 'ended' AND subject = 1;"
	            "DELETE FROM prune_permit");
	assert_fails(p, ERR_CORRUPT, "tickmark verify says more", store_pack_chosen(st, packed, &others, &left, &p->e));
	case_sql(p, "CREATE TABLE more (id)");
	assert_fails(p, ERR_CORRUPT, "(more)", store_pack_chosen(st, packed, &others, &left, &p->e));
	assert_false(fs_exists(AT_FDCWD, packed));
	store_close(st);
	free(packed);
}

static bool count_large(void *ctx, const struct large_content *l)
{
	int64_t *sizes = ctx;

	if (l->bytes >= 20000)
		sizes[l->input ? 1 : 0]++;
	return true;
}

static void sizes(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct record_sizes z;
	int64_t large[2] = { 0 };
	char text[20001];

	memset(text, 'a', 20000);
	text[20000] = '\0';
	ended(p, st, 0, text);
	assert_done(p, store_sizes(st, &z, &p->e));
	assert_int_equal(z.code, 8);
	assert_int_equal(z.inputs, 8);
	assert_int_equal(z.artifacts, 20000);
	assert_int_equal(z.streams, 20000);
	assert_int_equal(z.artifacts_n, 1);
	assert_true(z.file + z.wal > 40000);
	assert_done(p, store_largest(st, 5, count_large, large, &p->e));
	assert_int_equal(large[0], 1);
	assert_int_equal(large[1], 0);
	store_close(st);
}

/* Rows that SELECTs walked through in full. */
static int count_walked(unsigned what, void *ctx, void *statement, void *us)
{
	int64_t *rows = ctx;

	(void)what;
	(void)us;
	*rows += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
	return 0;
}

/* Each table once, apart from the ends of attempts, that name sets of two kinds; and half of that for sorting. */
static void sizes_take_one_walk(void **state)
{
	struct place *p = *state;
	struct store *st = case_open(p, STORE_WRITE);
	struct record_sizes z;
	int64_t walked = 0, rows, codes;

	for (int i = 0; i < 30; i++) {
		char text[16];
		snprintf(text, sizeof(text), "%d\n", i);
		ended(p, st, 0, text);
	}
	rows = case_number(p, "SELECT (SELECT count(*) FROM blob) + (SELECT count(*) FROM stream_chunk) +"
	                      " 2 * (SELECT count(*) FROM attempt_end) + (SELECT count(*) FROM attempt) + (SELECT count(*) FROM"
	                      " manifest_entry)");
	codes = case_number(p, "SELECT count(DISTINCT code) FROM attempt");
	sqlite3_trace_v2(st->db, SQLITE_TRACE_PROFILE, count_walked, &walked);
	assert_done(p, store_sizes(st, &z, &p->e));
	sqlite3_trace_v2(st->db, 0, NULL, NULL);
	assert_int_equal(z.code_n, codes);
	assert_int_equal(z.artifacts_n, 30);
	assert_int_equal(z.inputs_n, 1);
	assert_int_equal(z.streams_n, 30);
	assert_true(walked > 90);
	if (walked > rows * 3 / 2)
		fail_msg("%lld rows were walked through, for %lld", (long long)walked, (long long)rows);
	store_close(st);
}

#define WITH_RECORD(test) cmocka_unit_test_setup_teardown(test, case_setup, case_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_RECORD(a_preview_changes_nothing),
		WITH_RECORD(what_went_is_gone_from_every_file),
		WITH_RECORD(marked_cited_corrected_stay),
		WITH_RECORD(running_stay),
		WITH_RECORD(bytes_that_others_have_stay),
		WITH_RECORD(what_no_row_names_yet_stays),
		WITH_RECORD(an_end_names_what_is_kept),
		WITH_RECORD(an_old_tombstone_excuses_no_later_loss),
		WITH_RECORD(a_set_is_its_hash),
		WITH_RECORD(evidence_that_changes_is_not_copied),
		WITH_RECORD(checks_go_with_their_attempt),
		WITH_RECORD(any_rules_in_any_order),
		WITH_RECORD(copies),
		WITH_RECORD(a_chosen_copy_is_what_prune_would_leave),
		WITH_RECORD(a_broken_record_is_not_packed_in_parts),
		WITH_RECORD(sizes),
		WITH_RECORD(sizes_take_one_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
