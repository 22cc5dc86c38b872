/* Exports: hostile names stay below the folder, nothing is overwritten or followed, bytes are exact. */
#include "run_case.h"

#include "model/query_private.h"

static void read_back(struct place *p, const char *path, const char *text)
{
	struct buf b = { 0 };

	assert_done(p, fs_read(AT_FDCWD, path, 1 << 20, &b, &p->e));
	assert_int_equal(b.len, strlen(text));
	assert_memory_equal(b.data ? b.data : "", text, b.len);
	buf_free(&b);
}

static void quick(struct place *p, const char *code)
{
	struct detail d;
	struct told t;

	run_code(p, "step.py", code, &t, &d);
	assert_int_equal(d.state, OUTCOME_OK);
	query_detail_free(&d);
	told_free(&t);
}

static void test_one(void **state)
{
	struct place *p = *state;
	struct stat st;

	need_sandbox(p);
	quick(p, "import os\nopen('a.csv', 'w').write('one')\nopen('tool.sh', 'w').write('#!'); os.chmod('tool.sh', 0o755)\n"
	         "os.symlink('/etc/passwd', 'link')\nprint('to stdout', end='')\n");
	struct query *q = query_open(p->ws, &p->e);
	assert_done(p, q);
	umask(0);
	assert_done(p, export_artifact(q, 1, "a.csv", "../out.csv", false, &p->e));
	read_back(p, "../out.csv", "one");
	assert_int_equal(stat("../out.csv", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_done(p, export_artifact(q, 1, "tool.sh", "../tool.sh", false, &p->e));
	assert_int_equal(stat("../tool.sh", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_done(p, export_stream(q, 1, STREAM_OUT, "../stdout", false, &(int64_t){ 0 }, &p->e));
	read_back(p, "../stdout", "to stdout");

	/* What is there stays, unless the user said otherwise; a link is replaced, never followed. */
	put("../victim", "keep");
	assert_int_equal(symlink("victim", "../link"), 0);
	assert_fails(p, ERR_EXISTS, "is there already", export_artifact(q, 1, "a.csv", "../out.csv", false, &p->e));
	assert_fails(p, ERR_EXISTS, "is there already", export_artifact(q, 1, "a.csv", "../link", false, &p->e));
	assert_done(p, export_artifact(q, 1, "a.csv", "../link", true, &p->e));
	read_back(p, "../victim", "keep");
	read_back(p, "../link", "one");

	assert_fails(p, ERR_NOTFOUND, "no artifact b.csv", export_artifact(q, 1, "b.csv", "../b", false, &p->e));
	assert_fails(p, ERR_INPUT, "has no bytes", export_artifact(q, 1, "link", "../b", false, &p->e));
	assert_fails(p, ERR_INPUT, "is a folder", export_artifact(q, 1, "a.csv", "..", true, &p->e));
	assert_fails(p, ERR_NOTFOUND, "nothere", export_artifact(q, 1, "a.csv", "nothere/b", false, &p->e));
	query_close(q);
}

static void add_told(void *ctx, const char *path, int64_t size)
{
	buf_addf(ctx, "%s %lld\n", path, (long long)size);
}

static void test_many(void **state)
{
	struct place *p = *state;
	struct buf told = { 0 };

	need_sandbox(p);
	quick(p, "import os\nos.makedirs('north'); os.makedirs('.git/hooks')\n"
	         "for n in ('report.csv', 'north/report.csv', '-rf', 'new\\nline', '.git/hooks/pre-commit', '/tmp/t.csv', "
	         "os.path.expanduser('~/h.csv'), b'latin-\\xe9'):\n    open(n, 'wb').write(b'x')\n"
	         "print('out'); import sys; print('err', file=sys.stderr)\n");
	struct query *q = query_open(p->ws, &p->e);
	assert_done(p, q);
	assert_done(p, export_many(q, 1, "../all", false, false, add_told, &told, &p->e));
	static const char *const paths[] = { "report.csv", "north/report.csv", "-rf", "new\nline", "_.git/hooks/pre-commit",
	                                     "_tmp/t.csv", "_home/h.csv", "latin-\xe9" };
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		char *path = path_join("../all", paths[i]), *line = xasprintf("%s 1\n", paths[i]);
		read_back(p, path, "x");
		assert_has(told.data, line);
		free(line);
		free(path);
	}
	assert_false(fs_exists(AT_FDCWD, "../all/.git"));
	assert_fails(p, ERR_EXISTS, "is there already", export_many(q, 1, "../all", false, false, NULL, NULL, &p->e));
	assert_done(p, export_many(q, 1, "../all", true, true, NULL, NULL, &p->e));
	read_back(p, "../all/_stdout.txt", "out\n");
	read_back(p, "../all/_stderr.txt", "err\n");
	assert_true(fs_exists(AT_FDCWD, "../all/_code/step.py"));
	buf_free(&told);
	query_close(q);
}

/* A link in the folder leads out of it: it is not gone through. */
static void test_links_on_the_way(void **state)
{
	struct place *p = *state;

	need_sandbox(p);
	quick(p, "import os\nos.makedirs('north'); open('north/report.csv', 'w').write('x')\n");
	assert_int_equal(mkdir("../all", 0700), 0);
	assert_int_equal(mkdir("../outside", 0700), 0);
	assert_int_equal(symlink("../outside", "../all/north"), 0);
	struct query *q = query_open(p->ws, &p->e);
	assert_done(p, q);
	assert_false(export_many(q, 1, "../all", false, true, NULL, NULL, &p->e));
	assert_has(p->e.msg, "north/report.csv");
	assert_false(fs_exists(AT_FDCWD, "../outside/report.csv"));
	query_close(q);
}

/* A record can say anything: names that no run can make. */
static void test_forged_names(void **state)
{
	static const char *const names[] = { "../up.csv", "/etc/cron.d/x", "a/../../up.csv", "a//b", "~/../up.csv", "/tmp/../up.csv" };
	struct place *p = *state;
	struct store *st = workspace_store(p->ws, &p->e);
	struct entry entries[ARRAY_LEN(names)];
	struct buf told = { 0 };
	struct uuid owner = uuid_new();

	assert_done(p, st);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		entries[i] = (struct entry){ .path = names[i], .what = ARTIFACT_CREATED, .mode = 0644, .size = 1 };
		assert_done(p, store_blob_put(st, &owner, "x", 1, &entries[i].sha256, &p->e));
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		for (size_t k = i + 1; k < ARRAY_LEN(names); k++)
			if (strcmp(entries[k].path, entries[i].path) < 0) {
				struct entry swap = entries[i];
				entries[i] = entries[k];
				entries[k] = swap;
			}
	static char *none[] = { NULL };
	struct attempt a = { .uuid = owner, .asker = { ASKER_PERSON, "jm", NULL }, .queued_us = 1, .script = "../../x.py",
	                     .box = "/w", .cwd = ".", .args = none, .env_names = none, .env_values = none, .host = "h", .boot_id = "b" };
	struct step step = { .title = "x", .asker = a.asker };
	struct environment env = { .python = "p", .version = "3", .implementation = "C", .prefix = "/", .base_prefix = "/",
	                           .platform = "L", .locale = "C", .zone = "UTC", .packages = "" };
	struct policy policy = { .tier = TIER_A, .scratch = SCRATCH_TMPFS };
	struct entry offered = { 0 };
	struct queue_with with = { .step = &step, .environment = &env, .policy = &policy, .code = "x", .code_len = 1,
	                           .offered = &offered };
	a.code = hash_bytes("x", 1);
	assert_done(p, store_attempt_queue(st, &a, &with, &p->e));
	struct attempt_end end = { .attempt = a.id, .ended_us = 2, .outcome = OUTCOME_OK, .detail = "" };
	struct end_with ends = { .artifacts = entries, .artifacts_n = ARRAY_LEN(names) };
	assert_done(p, store_attempt_end(st, &end, &ends, &p->e));

	struct query *q = query_open(p->ws, &p->e);
	assert_done(p, q);
	assert_done(p, export_many(q, a.id, "../all", true, false, add_told, &told, &p->e));
	assert_null(strstr(told.data, ".."));
	assert_false(fs_exists(AT_FDCWD, "../up.csv"));
	assert_false(fs_exists(AT_FDCWD, "../all/up.csv"));
	assert_has(told.data, "_code/code.py");
	size_t lines = 0;
	for (const char *s = told.data; *s; s++)
		lines += *s == '\n';
	assert_int_equal(lines, ARRAY_LEN(names) + 3);
	buf_free(&told);
	query_close(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_one), TEST(test_many), TEST(test_links_on_the_way), TEST(test_forged_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
