/* Runs from request to record, with the real sandbox and the real interpreter. */
#include "run_case.h"

#include "model/artifacts.h"
#include "model/inputs.h"
#include "model/runplan.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>

static void test_trivial(void **state)
{
	struct place *p = *state;
	struct detail d;
	struct told t;

	need_sandbox(p);
	run_code(p, "step.py", "# Adds two numbers\n# purpose: to see that it can\nprint(1 + 1)\n", &t, &d);
	assert_string_equal(t.out.data, "2\n");
	assert_int_equal(t.err.len, 0);
	assert_string_equal(d.ref, "1.1");
	assert_int_equal(d.state, OUTCOME_OK);
	assert_string_equal(d.end.detail, "");
	assert_string_equal(d.step.title, "Adds two numbers");
	assert_string_equal(d.step.purpose, "to see that it can");
	assert_string_equal(d.step.script, "step.py");
	assert_string_equal(d.attempt.box, p->ws->root);
	assert_string_equal(d.attempt.cwd, ".");
	assert_string_equal(d.attempt.asker.name, "jm");
	assert_int_equal(d.end.out_bytes, 2);
	assert_int_equal(d.end.answer, 0);
	assert_true(d.end.inputs_complete);
	assert_int_equal(d.inputs_n, 0);
	assert_int_equal(d.artifacts_n, 0);
	query_detail_free(&d);
	told_free(&t);

	/* The same script again is the next attempt of its step. */
	run_code(p, "step.py", "print(3)\n", &t, &d);
	assert_string_equal(d.ref, "1.2");
	assert_string_equal(t.out.data, "3\n");
	query_detail_free(&d);
	told_free(&t);
}

static void test_inputs_and_artifacts(void **state)
{
	struct place *p = *state;
	struct detail d;
	struct told t;

	need_sandbox(p);
	put("read.csv", "1\n");
	put("update.csv", "1\n");
	put("over.csv", "1\n");
	put("gone.csv", "1\n");
	put("same.csv", "1\n");
	put("unused.csv", "1\n");
	run_code(p, "step.py",
	         "import os\n"
	         "open('read.csv').read()\n"
	         "open('update.csv', 'a').write('2\\n')\n"
	         "open('over.csv', 'w').write('new\\n')\n"
	         "os.remove('gone.csv')\n"
	         "open('same.csv', 'r+').write('1')\n"
	         "open('made.csv', 'w').write('x'); open('made.csv').read()\n"
	         "os.mkdir('sub'); open('sub/deep.csv', 'w').write('y')\n"
	         "os.symlink('/etc/passwd', 'link'); os.mkfifo('pipe')\n"
	         "open('nothere/x.csv')\n", &t, &d);
	assert_int_equal(d.state, OUTCOME_ERROR);
	assert_has(d.end.detail, "FileNotFoundError");

	static const struct {
		const char *path;
		int class; /* 0: no input */
	} inputs[] = {
		{ "read.csv", INPUT_READ }, { "update.csv", INPUT_UPDATED }, { "over.csv", INPUT_OVERWRITTEN },
		{ "gone.csv", INPUT_DELETED }, { "unused.csv", 0 }, { "made.csv", 0 }, { "step.py", 0 },
		{ "nothere/x.csv", INPUT_MISSING },
	};
	for (size_t i = 0; i < ARRAY_LEN(inputs); i++) {
		const struct entry *f = entry_of(d.inputs, d.inputs_n, inputs[i].path);
		if ((f ? f->what : 0) != inputs[i].class)
			fail_msg("input %s: %d", inputs[i].path, f ? f->what : 0);
	}
	static const struct {
		const char *path;
		int kind; /* 0: no artifact */
		int64_t size;
	} artifacts[] = {
		{ "read.csv", 0, 0 }, { "update.csv", ARTIFACT_CHANGED, 4 }, { "over.csv", ARTIFACT_CHANGED, 4 },
		{ "gone.csv", ARTIFACT_DELETED, -1 }, { "same.csv", 0, 0 }, { "made.csv", ARTIFACT_CREATED, 1 },
		{ "sub/deep.csv", ARTIFACT_CREATED, 1 }, { "link", ARTIFACT_NOTED, -1 }, { "pipe", ARTIFACT_NOTED, -1 },
		{ "step.py", 0, 0 },
	};
	for (size_t i = 0; i < ARRAY_LEN(artifacts); i++) {
		const struct entry *f = entry_of(d.artifacts, d.artifacts_n, artifacts[i].path);
		if ((f ? f->what : 0) != artifacts[i].kind || (f && f->size != artifacts[i].size))
			fail_msg("artifact %s: %d, %lld", artifacts[i].path, f ? f->what : 0, f ? (long long)f->size : 0);
	}
	assert_string_equal(entry_of(d.artifacts, d.artifacts_n, "link")->note, "symlink to /etc/passwd");
	query_detail_free(&d);
	told_free(&t);
	/* Nothing of it reached the folder. */
	assert_false(fs_exists(AT_FDCWD, "made.csv"));
	assert_true(fs_exists(AT_FDCWD, "gone.csv"));
}

static void test_removed_folder(void **state)
{
	struct place *p = *state;
	struct detail d;
	struct told t;

	need_sandbox(p);
	assert_int_equal(mkdir("old", 0755), 0);
	put("old/a.csv", "a\n");
	put("old/b.csv", "b\n");
	run_code(p, "step.py",
	         "import shutil, os\nshutil.rmtree('old')\nos.mkdir('old'); open('old/b.csv', 'w').write('B\\n')\n", &t, &d);
	if (d.policy.scratch != SCRATCH_TMPFS) {
		assert_int_equal(d.state, OUTCOME_OK);
		assert_int_equal(d.artifacts_n, 2);
		assert_int_equal(entry_of(d.artifacts, 2, "old/a.csv")->what, ARTIFACT_DELETED);
		assert_int_equal(entry_of(d.artifacts, 2, "old/b.csv")->what, ARTIFACT_CHANGED);
	}
	query_detail_free(&d);
	told_free(&t);
}

/* A change of the folder while a run goes on does not reach it, and the record keeps what ran. */
static void test_code_is_what_was_read(void **state)
{
	struct place *p = *state;
	struct run_request req = request();
	struct run_event ev;
	struct detail d;
	struct told t;

	need_sandbox(p);
	put("in.csv", "before\n");
	put("step.py", "import time\nprint('go', flush=True)\ntime.sleep(0.2)\nprint(open('in.csv').read(), open(__file__).read())\n");
	req.script = "step.py";
	struct run *r = run_start(p->ws, &req, &p->e);
	assert_done(p, r);
	put("in.csv", "after!\n");
	put("step.py", "print('another')\n");
	while (run_next(r, &ev, 60000, &p->e) == 1 && ev.kind != RUN_BYTES)
		;
	listen_to(p, r, &t);
	run_free(r);
	assert_has(t.out.data, "before");
	assert_has(t.out.data, "time.sleep");
	read_detail(p, t.attempt, &d);
	assert_int_equal(d.inputs_n, 1);
	struct digest before = hash_bytes("before\n", 7);
	assert_true(digest_equal(&d.inputs[0].sha256, &before));
	query_detail_free(&d);
	told_free(&t);
}

static void test_places(void **state)
{
	struct place *p = *state;
	struct run_request req = request();
	struct detail d;
	struct told t;

	need_sandbox(p);
	assert_int_equal(mkdir("sub", 0755), 0);
	assert_int_equal(mkdir("empty", 0755), 0);
	put("sub/helper.py", "VALUE = 42\n");
	put("sub/data.csv", "x\n");
	put("sub/step.py", "import helper, os, sys\nprint(helper.VALUE, __file__, os.getcwd(), sys.argv[1:], os.path.exists('/mnt/data/sub'))\n");
	put("../outside.py", "print(__file__)\n");

	/* From the root; from its own folder; from a folder that holds nothing. */
	static const char *const froms[][3] = {
		{ ".", "sub/step.py", "sub/step.py" }, { "sub", "step.py", "step.py" }, { "empty", "../sub/step.py", "../sub/step.py" },
	};
	char *args[] = { (char *)"a b", (char *)"--x", NULL };
	for (size_t i = 0; i < ARRAY_LEN(froms); i++) {
		assert_int_equal(chdir(froms[i][0]), 0);
		req.script = froms[i][1];
		req.args = args;
		run_to_end(p, &req, &t);
		read_detail(p, t.attempt, &d);
		assert_int_equal(d.state, OUTCOME_OK);
		assert_string_equal(d.attempt.script, "sub/step.py");
		assert_string_equal(d.attempt.cwd, froms[i][0]);
		char *cwd = strcmp(froms[i][0], ".") == 0 ? xstrdup(p->ws->root) : path_join(p->ws->root, froms[i][0]);
		char *file = path_join(p->ws->root, "sub/step.py"), *plain = path_clean(file);
		assert_has(t.out.data, "42 ");
		assert_has(t.out.data, cwd);
		assert_has(t.out.data, "['a b', '--x'] True");
		free(plain);
		free(file);
		free(cwd);
		query_detail_free(&d);
		told_free(&t);
		assert_int_equal(chdir(p->ws->root), 0);
	}

	/* From elsewhere: by its base name in the root, and where it came from is recorded. */
	req.script = "../outside.py";
	run_to_end(p, &req, &t);
	read_detail(p, t.attempt, &d);
	assert_string_equal(d.attempt.script, "outside.py");
	assert_string_equal(path_base(d.attempt.origin), "outside.py");
	assert_true(d.attempt.origin[0] == '/');
	query_detail_free(&d);
	told_free(&t);
}

static void test_code_from_a_pipe(void **state)
{
	struct place *p = *state;
	struct run_request req = request();
	struct detail d;
	struct told t;

	need_sandbox(p);
	put("stdin.py", "print('mine')\n");
	req.code = "import sys\nprint(open('stdin.py').read(), sys.argv)\n";
	req.code_len = strlen(req.code);
	for (int i = 1; i <= 2; i++) {
		run_to_end(p, &req, &t);
		assert_has(t.out.data, "print('mine')");
		read_detail(p, t.attempt, &d);
		assert_int_equal(d.step.number, i);
		assert_string_equal(d.attempt.script, "stdin-1.py");
		assert_string_equal(d.attempt.origin, "-");
		assert_null(d.step.script);
		query_detail_free(&d);
		told_free(&t);
	}
}

static void test_variables(void **state)
{
	struct place *p = *state;
	struct run_request req = request();
	char *env[] = { (char *)"RATE=3", NULL }, *secret[] = { (char *)"API_KEY=s3cr3t-probe", NULL }, *bad[] = { (char *)"1X=2", NULL };
	struct detail d;
	struct told t;

	need_sandbox(p);
	setenv("SSH_AUTH_SOCK", "/tmp/agent", 1);
	put("step.py", "import os\nprint(os.environ['RATE'], len(os.environ['API_KEY']), 'SSH_AUTH_SOCK' in os.environ)\n");
	req.script = "step.py";
	req.env = env;
	req.secret_env = secret;
	run_to_end(p, &req, &t);
	assert_string_equal(t.out.data, "3 12 False\n");
	read_detail(p, t.attempt, &d);
	assert_string_equal(d.attempt.env_names[0], "RATE");
	assert_string_equal(d.attempt.env_values[0], "3");
	assert_string_equal(d.attempt.env_names[1], "API_KEY");
	assert_null(d.attempt.env_values[1]);
	query_detail_free(&d);
	told_free(&t);

	struct buf record = { 0 };
	struct stat st;
	do
		workspace_settle(p->ws);
	while (stat(".tickmark/record.db-wal", &st) == 0 && st.st_size > 0);
	assert_done(p, fs_read(AT_FDCWD, p->ws->record, 64 << 20, &record, &p->e));
	assert_null(memmem(record.data, record.len, "s3cr3t-probe", 12));
	buf_free(&record);
	req.env = bad;
	assert_fails(p, ERR_INPUT, "NAME=VALUE", run_start(p->ws, &req, &p->e));
}

static void test_refused_requests(void **state)
{
	struct place *p = *state;
	struct run_request req = request(), none = request();
	char *twice[] = { (char *)"A=1", (char *)"A=2", NULL };

	assert_fails(p, ERR_INPUT, "one of", run_start(p->ws, &none, &p->e));
	req.script = "nothere.py";
	assert_fails(p, ERR_NOTFOUND, "nothere.py", run_start(p->ws, &req, &p->e));
	put("step.py", "pass\n");
	req.script = "step.py";
	req.python = "/nothere/python3";
	assert_fails(p, ERR_NOTFOUND, "/nothere/python3", run_start(p->ws, &req, &p->e));
	req.python = PYTHON;
	need_sandbox(p);
	req.step = 7;
	assert_fails(p, ERR_NOTFOUND, "no step 7", run_start(p->ws, &req, &p->e));
	req.step = 0;
	req.limits[0].name = "patience";
	assert_fails(p, ERR_INPUT, "no limit \"patience\"", run_start(p->ws, &req, &p->e));
	req.limits[0].name = NULL;
	req.env = twice;
	assert_fails(p, ERR_INPUT, "given twice", run_start(p->ws, &req, &p->e));
	/* None of them left a trace. */
	struct query *q = query_open(p->ws, &p->e);
	assert_done(p, q);
	assert_int_equal(query_tally(q, "attempts"), 0);
	query_close(q);
}

static void test_limits_and_tails(void **state)
{
	struct place *p = *state;
	struct run_request req = request();
	struct detail d;
	struct told t;

	need_sandbox(p);
	put("step.py", "import time\nfor i in range(20): print('checked account', i)\nprint('half a line', end='')\n"
	               "open('partial.csv', 'w').write('a,b\\n')\ntime.sleep(3600)\n");
	req.script = "step.py";
	req.limits[0].name = "timeout";
	req.limits[0].value = 1000;
	run_to_end(p, &req, &t);
	read_detail(p, t.attempt, &d);
	assert_int_equal(d.state, OUTCOME_LIMIT);
	assert_string_equal(d.end.limit, "timeout");
	assert_int_equal(d.end.limit_value, 1000);
	assert_has(d.end.detail, "timeout 1.00s reached");
	assert_has(d.end.detail, "tickmark run --timeout 2s");
	assert_has(t.out.data, "half a line");
	assert_int_equal(d.artifacts_n, 1);
	query_detail_free(&d);
	told_free(&t);
}

static bool add_bytes(void *ctx, const struct chunk *c, struct err *e)
{
	(void)e;
	if (c->gap)
		buf_addf(ctx, "[%lld]", (long long)c->gap);
	buf_add(ctx, c->bytes, c->len);
	return true;
}

/* Exactly at the limit nothing is cut; one byte more is a gap of one byte, at its place. */
static void test_head_and_tail(void **state)
{
	struct place *p = *state;
	struct run_request req = request();
	struct query *q;
	struct told t;

	need_sandbox(p);
	put("step.py", "import sys\nsys.stdout.write('h' * 1000 + 'm' * int(sys.argv[1]) + 't' * 500)\n");
	req.script = "step.py";
	req.limits[0].name = "stream-head";
	req.limits[0].value = 1000;
	req.limits[1].name = "stream-tail";
	req.limits[1].value = 500;
	for (int extra = 0; extra <= 1; extra++) {
		char text[16], *args[] = { text, NULL };
		struct buf kept = { 0 }, expected = { 0 };
		struct detail d;
		snprintf(text, sizeof(text), "%d", extra);
		req.args = args;
		run_to_end(p, &req, &t);
		read_detail(p, t.attempt, &d);
		assert_done(p, q = query_open(p->ws, &p->e));
		assert_done(p, query_chunks(q, t.attempt, STREAM_OUT, add_bytes, &kept, &p->e));
		for (int i = 0; i < 1000; i++)
			buf_addc(&expected, 'h');
		if (extra)
			buf_adds(&expected, "[1]");
		for (int i = 0; i < 500; i++)
			buf_addc(&expected, 't');
		assert_string_equal(kept.data, expected.data);
		assert_int_equal(d.end.out_bytes, 1500 + extra);
		assert_int_equal(d.state, OUTCOME_OK);
		/* The front got what the record has. */
		assert_int_equal(t.out.len, 1500);
		query_close(q);
		query_detail_free(&d);
		told_free(&t);
		buf_free(&kept);
		buf_free(&expected);
	}
}

/* A front that does not read for a while misses nothing. */
static void test_slow_front(void **state)
{
	struct place *p = *state;
	struct run_request req = request();
	struct detail d;
	struct told t;

	need_sandbox(p);
	put("step.py", "for i in range(400000): print('line', i)\n");
	req.script = "step.py";
	struct run *r = run_start(p->ws, &req, &p->e);
	assert_done(p, r);
	/* Its end is in the record before the first packet is looked at. */
	struct run_event ev;
	assert_int_equal(run_next(r, &ev, 60000, &p->e), 1);
	assert_int_equal(ev.kind, RUN_QUEUED);
	assert_done(p, run_wait(p->ws, ev.attempt, 60000, &p->e));
	listen_to(p, r, &t);
	run_free(r);
	read_detail(p, t.attempt, &d);
	assert_int_equal(t.out.len, d.end.out_bytes);
	struct digest all = hash_bytes(t.out.data, t.out.len);
	assert_true(digest_equal(&all, &d.end.out_sha256));
	query_detail_free(&d);
	told_free(&t);
}

static void test_stop(void **state)
{
	struct place *p = *state;
	struct run_request req = request();
	struct run_event ev;
	struct detail d;
	struct told t;

	need_sandbox(p);
	put("step.py", "import time\nprint('started', flush=True)\ntime.sleep(3600)\n");
	req.script = "step.py";
	struct run *r = run_start(p->ws, &req, &p->e);
	assert_done(p, r);
	while (run_next(r, &ev, 60000, &p->e) == 1 && ev.kind != RUN_BYTES)
		;
	run_stop(r, "person jm (Ctrl-C)");
	listen_to(p, r, &t);
	run_free(r);
	assert_int_equal(t.last, RUN_ENDED);
	read_detail(p, t.attempt, &d);
	assert_int_equal(d.state, OUTCOME_STOPPED);
	assert_string_equal(d.end.stopped_by, "person jm (Ctrl-C)");
	assert_string_equal(d.end.detail, "by person jm (Ctrl-C)");
	query_detail_free(&d);
	told_free(&t);
}

static void test_detached(void **state)
{
	struct place *p = *state;
	struct run_request req = request();
	struct run_event ev;
	struct detail d;

	need_sandbox(p);
	put("step.py", "print('x')\n");
	req.script = "step.py";
	req.detach = true;
	struct run *r = run_start(p->ws, &req, &p->e);
	assert_done(p, r);
	assert_int_equal(run_fd(r), -1);
	assert_int_equal(run_next(r, &ev, 60000, &p->e), 1);
	assert_int_equal(ev.kind, RUN_QUEUED);
	run_free(r);
	assert_done(p, run_wait(p->ws, ev.attempt, 60000, &p->e));
	read_detail(p, ev.attempt, &d);
	assert_int_equal(d.state, OUTCOME_OK);
	assert_int_equal(d.end.answer, 0);
	query_detail_free(&d);
}

/* A front that goes away changes nothing but what the record says about the answer. */
static void test_front_goes_away(void **state)
{
	struct place *p = *state;
	struct run_request req = request();
	struct run_event ev;
	struct detail d;

	need_sandbox(p);
	put("step.py", "import time\nprint('x', flush=True)\ntime.sleep(0.3)\nprint('y')\n");
	req.script = "step.py";
	struct run *r = run_start(p->ws, &req, &p->e);
	assert_done(p, r);
	assert_int_equal(run_next(r, &ev, 60000, &p->e), 1);
	run_free(r);
	assert_done(p, run_wait(p->ws, ev.attempt, 60000, &p->e));
	read_detail(p, ev.attempt, &d);
	assert_int_equal(d.state, OUTCOME_OK);
	assert_int_equal(d.end.out_bytes, 4);
	assert_int_equal(d.end.answer, 1);
	query_detail_free(&d);
}

static void test_steps(void **state)
{
	struct place *p = *state;
	struct run_request req = request();
	struct detail d;
	struct told t;

	need_sandbox(p);
	run_code(p, "a.py", "# First\nraise SystemExit(1)\n", &t, &d);
	query_detail_free(&d);
	told_free(&t);
	/* Corrected: a new attempt, with another title, of the step that failed. */
	run_code(p, "a.py", "# First, mended\nprint(1)\n", &t, &d);
	assert_string_equal(d.ref, "1.2");
	assert_string_equal(d.retry_of, "1.1");
	assert_string_equal(d.step.title, "First");
	assert_string_equal(d.attempt.title, "First, mended");
	query_detail_free(&d);
	told_free(&t);
	req.script = "a.py";
	req.new_step = true;
	run_to_end(p, &req, &t);
	read_detail(p, t.attempt, &d);
	assert_string_equal(d.ref, "2.1");
	query_detail_free(&d);
	told_free(&t);
	/* Code from a client as an attempt of a step that is named. */
	req = request();
	req.code = "print(2)";
	req.code_len = 8;
	req.step = 1;
	req.asker = (struct asker){ ASKER_ASSISTANT, "codex", "1.2" };
	run_to_end(p, &req, &t);
	read_detail(p, t.attempt, &d);
	assert_string_equal(d.ref, "1.3");
	assert_string_equal(d.attempt.asker.name, "codex");
	query_detail_free(&d);
	told_free(&t);
}

static void ignore(void *ctx, enum stream_id stream, int64_t group, int64_t offset_us, const void *bytes, size_t n)
{
	(void)ctx, (void)stream, (void)group, (void)offset_us, (void)bytes, (void)n;
}

/* What a prune takes between the keeping of contents and the end that names them is still at hand. */
static void test_kept_again(void **state)
{
	struct place *p = *state;
	struct run_request req = request();
	struct sandbox_sink sink = { .stream = ignore };
	struct sandbox_result result = { 0 };
	struct sandbox_spec spec;
	struct halt halt = { .fd = -1 };
	struct artifacts made;
	struct inputs used;
	struct runplan plan;

	need_sandbox(p);
	put("in.csv", "read\n");
	req.code = "print(open('in.csv').read(), file=open('out.csv', 'w'))";
	req.code_len = strlen(req.code);
	assert_done(p, runplan_make(&plan, p->ws, &req, &p->e));
	runplan_spec(&plan, -1, &spec);
	struct sandbox *sb = sandbox_prepare(&spec, &p->e);
	assert_done(p, sb && sandbox_start(sb, &p->e) && sandbox_run(sb, &sink, &result, &p->e));
	struct store *st = workspace_store(p->ws, &p->e);
	const struct uuid *owner = &plan.attempt.uuid;
	assert_done(p, inputs_find(&used, st, owner, &plan.offer, &result, plan.attempt.script, NULL, &halt, &p->e));
	assert_done(p, artifacts_collect(&made, st, owner, sb, &plan.offer, plan.attempt.script, &plan.attempt.code, &halt, &p->e));
	assert_int_equal(made.n, 1);
	assert_int_equal(used.n, 1);
	for (int i = 0; i < 2; i++) {
		sqlite3 *db;
		assert_int_equal(sqlite3_open(p->ws->record, &db), SQLITE_OK);
		assert_int_equal(sqlite3_exec(db, "INSERT INTO prune_permit VALUES (1); DELETE FROM blob_chunk; DELETE FROM blob;"
		                                  "DELETE FROM prune_permit", NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		assert_false(store_blob_has(st, &made.entries[0].sha256, NULL));
		assert_done(p, inputs_keep_again(&used, st, owner, &plan.offer, &p->e));
		assert_done(p, artifacts_keep_again(&made, st, owner, sb, &p->e));
		assert_true(store_blob_has(st, &made.entries[0].sha256, NULL));
		assert_true(store_blob_has(st, &used.entries[0].sha256, NULL));
	}
	sandbox_free(sb);
	sandbox_result_free(&result);
	inputs_free(&used);
	artifacts_free(&made);
	runplan_free(&plan);
}

static void test_figures(void **state)
{
	struct place *p = *state;
	struct detail d;
	struct told t;

	need_sandbox(p);
	run_code(p, "probe.py", "import importlib.util\nprint(importlib.util.find_spec('matplotlib') is not None)\n", &t, &d);
	bool there = strcmp(t.out.data, "True\n") == 0;
	query_detail_free(&d);
	told_free(&t);
	if (!there)
		skip();
	run_code(p, "step.py",
	         "import matplotlib.pyplot as plt\n"
	         "open('figure-1.png', 'w').write('mine')\n"
	         "for title in ('first', 'second'):\n"
	         "    plt.plot([1, 3, 2]); plt.title(title); plt.show()\n"
	         "plt.plot([1]); plt.savefig('own.png')\n"
	         "plt.figure(); plt.plot([2])\n"
	         "print('reached the end')\n", &t, &d);
	assert_string_equal(t.out.data, "reached the end\n");
	assert_int_equal(d.state, OUTCOME_OK);
	assert_has(d.end.backend, "Agg");
	assert_int_equal(d.end.figures_lost, 0);
	static const char *const made[] = { "figure-1.png", "figure-2.png", "figure-3.png", "figure-4.png", "own.png" };
	assert_int_equal(d.artifacts_n, ARRAY_LEN(made));
	for (size_t i = 0; i < ARRAY_LEN(made); i++)
		assert_string_equal(d.artifacts[i].path, made[i]);
	assert_int_equal(d.artifacts[0].size, 4);
	query_detail_free(&d);
	told_free(&t);

	run_code(p, "lost.py",
	         "import os, matplotlib.pyplot as plt\nos.mkdir('d'); os.chdir('d'); plt.plot([1]); os.rmdir('../d'); plt.show()\n",
	         &t, &d);
	assert_int_equal(d.end.figures_lost, 1);
	assert_has(d.end.detail, "1 figure not saved");
	query_detail_free(&d);
	told_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_trivial), TEST(test_inputs_and_artifacts), TEST(test_removed_folder), TEST(test_code_is_what_was_read),
		TEST(test_places), TEST(test_code_from_a_pipe), TEST(test_variables), TEST(test_refused_requests),
		TEST(test_limits_and_tails), TEST(test_head_and_tail), TEST(test_slow_front), TEST(test_stop), TEST(test_detached),
		TEST(test_front_goes_away), TEST(test_steps), TEST(test_figures), TEST(test_kept_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
