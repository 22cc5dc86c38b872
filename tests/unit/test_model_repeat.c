/* Checks: recorded bytes, recorded place, verdicts, and what qualifies them. */
#include "run_case.h"

#include "model/repeat.h"

static int64_t first_run(struct place *p, const char *code)
{
	struct detail d;
	struct told t;

	run_code(p, "step.py", code, &t, &d);
	int64_t id = d.attempt.id;
	query_detail_free(&d);
	told_free(&t);
	return id;
}

static void check(struct place *p, int64_t of, const char *vary, struct detail *d, struct told *t)
{
	struct run_request req = request();

	req.python = NULL;
	req.check_of = of;
	req.vary = vary;
	run_to_end(p, &req, t);
	assert_int_equal(t->last, RUN_ENDED);
	read_detail(p, t->attempt, d);
}

static void assert_check(struct place *p, int64_t of, enum verdict verdict, const char *first_at)
{
	struct detail d;
	struct told t;

	check(p, of, NULL, &d, &t);
	if (d.verdict != verdict || (first_at ? !d.first_at || strcmp(d.first_at, first_at) != 0 : d.first_at != NULL))
		fail_msg("%s, %s", verdict_word(d.verdict), d.first_at ? d.first_at : "none");
	query_detail_free(&d);
	told_free(&t);
}

/* The files as they were, whatever became of them; never the step's last attempt. */
static void test_recorded_inputs(void **state)
{
	struct place *p = *state;
	struct run_request req = request();
	struct detail d;
	struct told t;

	need_sandbox(p);
	put("in.csv", "399\n");
	int64_t id = first_run(p, "print(open('in.csv').read())\n");
	put("in.csv", "400\n");
	put("step.py", "print('another code')\n");
	check(p, id, NULL, &d, &t);
	assert_string_equal(d.ref, "1.1r1");
	assert_string_equal(d.check_of, "1.1");
	assert_string_equal(t.out.data, "399\n\n");
	assert_int_equal(d.verdict, VERDICT_SAME);
	assert_null(d.first_at);
	assert_null(d.qualified);
	assert_int_equal(d.last_number, 1);
	query_detail_free(&d);
	told_free(&t);

	/* The same after the folder's file is gone. */
	assert_int_equal(unlink("in.csv"), 0);
	assert_check(p, id, VERDICT_SAME, NULL);

	/* A rerun takes the files of now. */
	put("in.csv", "400\n");
	req.rerun_of = id;
	run_to_end(p, &req, &t);
	assert_string_equal(t.out.data, "400\n\n");
	read_detail(p, t.attempt, &d);
	assert_string_equal(d.ref, "1.2");
	query_detail_free(&d);
	told_free(&t);

	/* A check is no attempt to be repeated. */
	req = request();
	req.check_of = 2;
	assert_fails(p, ERR_INPUT, "1.1r1 is a check", run_start(p->ws, &req, &p->e));
	req.check_of = 99;
	assert_fails(p, ERR_NOTFOUND, "", run_start(p->ws, &req, &p->e));
}

/* Scripts that never do the same twice, each in one respect. */
static void test_differences(void **state)
{
	static const struct {
		const char *code, *first_at;
	} cases[] = {
		{ "import time\nprint('always', time.time_ns())\n", NULL },
		{ "import time, sys\nprint('always', time.time_ns(), file=sys.stderr)\n", NULL },
		{ "import time\nopen('x.csv', 'w').write(str(time.time_ns()))\n", "artifact x.csv" },
		{ "import time, zipfile\nz = zipfile.ZipFile('x.zip', 'w')\nz.writestr(zipfile.ZipInfo('a'), 'x')\n"
		  "z.comment = b'%d' % time.time_ns()\nz.close()\n", NULL },
		{ "import time\nopen(str(time.time_ns()), 'w')\n", NULL },
		{ "import time, sys\nsys.exit(1 + time.time_ns() // 1000 % 250)\n", NULL },
		{ "import time\nprint('x' * (time.time_ns() // 1000 % 10000))\n", NULL },
	};
	static const char *const starts[] = { "stdout byte ", "stderr byte ", "artifact x.csv", "artifact x.zip", "artifact ", "exit code ", "stdout" };
	struct place *p = *state;

	need_sandbox(p);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct detail d;
		struct told t;
		check(p, first_run(p, cases[i].code), NULL, &d, &t);
		assert_int_equal(d.verdict, VERDICT_DIFFERS);
		assert_int_equal(strncmp(d.first_at, starts[i], strlen(starts[i])), 0);
		query_detail_free(&d);
		told_free(&t);
	}
	/* What goes by the order of a set shows itself when the seed is varied, and only then. */
	int64_t id = first_run(p, "print({str(i) for i in range(50)})\n");
	assert_check(p, id, VERDICT_SAME, NULL);
	struct detail d;
	struct told t;
	check(p, id, "hashseed=7", &d, &t);
	assert_int_equal(d.verdict, VERDICT_DIFFERS);
	assert_string_equal(d.attempt.vary, "hashseed=7");
	query_detail_free(&d);
	told_free(&t);
	struct run_request req = request();
	req.check_of = id;
	req.vary = "weather";
	assert_fails(p, ERR_INPUT, "cannot be varied", run_start(p->ws, &req, &p->e));
	/* A failure that comes out again is the same. */
	assert_check(p, first_run(p, "raise ValueError('x')\n"), VERDICT_SAME, NULL);
}

static void test_secrets_and_arguments(void **state)
{
	struct place *p = *state;
	struct run_request req = request();
	char *secret[] = { (char *)"KEY=abc", NULL }, *env[] = { (char *)"RATE=2", NULL }, *args[] = { (char *)"x", (char *)"", NULL };
	struct detail d;
	struct told t;

	need_sandbox(p);
	put("step.py", "import os, sys\nprint(os.environ['RATE'], sys.argv[1:], len(os.environ.get('KEY', '')))\n");
	req.script = "step.py";
	req.secret_env = secret;
	req.env = env;
	req.args = args;
	run_to_end(p, &req, &t);
	assert_string_equal(t.out.data, "2 ['x', ''] 3\n");
	int64_t id = t.attempt;
	told_free(&t);
	check(p, id, NULL, &d, &t);
	assert_string_equal(t.out.data, "2 ['x', ''] 0\n");
	assert_int_equal(d.verdict, VERDICT_DIFFERS);
	assert_string_equal(d.first_at, "stdout byte 13");
	assert_string_equal(d.qualified, "without the secret variable KEY");
	query_detail_free(&d);
	told_free(&t);
	/* Brought again, it is the same. */
	req = request();
	req.check_of = id;
	req.secret_env = secret;
	run_to_end(p, &req, &t);
	read_detail(p, t.attempt, &d);
	assert_int_equal(d.verdict, VERDICT_SAME);
	assert_null(d.qualified);
	query_detail_free(&d);
	told_free(&t);
}

/* Absolute paths of the recorded place work in a copy of the workspace elsewhere. */
static void test_elsewhere(void **state)
{
	struct place *p = *state;
	struct detail d;
	struct told t;

	need_sandbox(p);
	put("in.csv", "1\n");
	char *code = xasprintf("import os\nprint(os.getcwd(), open('%s/in.csv').read())\n", p->ws->root);
	int64_t id = first_run(p, code);
	free(code);
	workspace_close(p->ws);
	p->ws = NULL;
	assert_int_equal(chdir(".."), 0);
	assert_int_equal(rename("ws", "moved"), 0);
	assert_int_equal(chdir("moved"), 0);
	p->ws = workspace_open(".", &p->e);
	assert_done(p, p->ws);
	check(p, id, NULL, &d, &t);
	assert_int_equal(d.verdict, VERDICT_SAME);
	query_detail_free(&d);
	told_free(&t);
}

/* ---- what needs no run ---- */

static void test_cannot_compare(void **state)
{
	struct attempt_full original = { .end = { .attempt = 1, .outcome = OUTCOME_OK } };
	struct attempt_end end = { .outcome = OUTCOME_OK };
	struct comparison c = { .original = &original, .end = &end };
	enum verdict v;
	struct err e;
	char *at;

	(void)state;
	assert_true(repeat_compare(NULL, &c, &v, &at, &e));
	assert_int_equal(v, VERDICT_SAME);
	assert_null(at);
	c.absent = "in.csv";
	assert_true(repeat_compare(NULL, &c, &v, &at, &e));
	assert_int_equal(v, VERDICT_CANNOT);
	assert_string_equal(at, "input in.csv was not kept");
	free(at);
	c.absent = NULL;
	static const enum outcome of_original[] = { OUTCOME_STOPPED, OUTCOME_FAULT, OUTCOME_INTERRUPTED };
	for (size_t i = 0; i < ARRAY_LEN(of_original); i++) {
		original.end.outcome = of_original[i];
		assert_true(repeat_compare(NULL, &c, &v, &at, &e));
		assert_int_equal(v, VERDICT_CANNOT);
		free(at);
	}
	original.end.outcome = OUTCOME_OK;
	end.outcome = OUTCOME_STOPPED;
	assert_true(repeat_compare(NULL, &c, &v, &at, &e));
	assert_int_equal(v, VERDICT_CANNOT);
	free(at);
	end.outcome = OUTCOME_ERROR;
	assert_true(repeat_compare(NULL, &c, &v, &at, &e));
	assert_int_equal(v, VERDICT_DIFFERS);
	assert_string_equal(at, "outcome error, was ok");
	free(at);
}

static void test_qualify(void **state)
{
	struct environment was = { .implementation = "CPython", .version = "3.11.2", .platform = "Linux-6.1", .zone = "UTC",
	                           .packages = "a 1\nb 1\nc 1\nd 1\ne 1\npandas 1.5.3\n" };
	struct environment is = was;
	struct buf b = { 0 };

	(void)state;
	repeat_qualify(&b, &was, &is);
	assert_int_equal(b.len, 0);
	/* What is there in addition cannot have been used. */
	is.packages = "a 1\naa 7\nb 1\nc 1\nd 1\ne 1\npandas 1.5.3\nz 9\n";
	repeat_qualify(&b, &was, &is);
	assert_int_equal(b.len, 0);
	is.version = "3.12.3";
	is.packages = "a 1\nb 1\nc 1\nd 1\ne 1\npandas 2.1.0\n";
	is.zone = "Europe/Berlin";
	repeat_qualify(&b, &was, &is);
	assert_string_equal(b.data, "Python 3.12.3 for 3.11.2; pandas 2.1.0 for 1.5.3; zone Europe/Berlin for UTC");
	buf_clear(&b);
	is = was;
	is.packages = "a 2\nb 2\nd 1\n";
	repeat_qualify(&b, &was, &is);
	assert_string_equal(b.data, "a 2 for 1; b 2 for 1; without c 1; 2 more packages differ");
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_recorded_inputs), TEST(test_differences), TEST(test_secrets_and_arguments), TEST(test_elsewhere),
		cmocka_unit_test(test_cannot_compare), cmocka_unit_test(test_qualify),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
