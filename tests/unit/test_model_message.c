/* What fronts for assistants need of the model: launching without waiting, corrections, identifiers of calls,
 * messages with their citations, bytes of attached files, the fixer's document. */
#include "run_case.h"

#include "model/fixer.h"
#include "model/message.h"
#include "text.h"

#include <errno.h>

static struct run_request code_request(const char *code)
{
	struct run_request req = request();

	req.code = code;
	req.code_len = strlen(code);
	return req;
}

/* ---- launching ---- */

static void two_are_launched_at_once(void **state)
{
	struct place *p = *state;
	struct run_request req = code_request("print('hello')");
	struct told a, b;

	need_sandbox(p);
	struct run *one = run_launch(p->ws, &req, &p->e), *two = run_launch(p->ws, &req, &p->e);
	assert_true(one && two);
	listen_to(p, two, &b);
	listen_to(p, one, &a);
	assert_int_equal(a.last, RUN_ENDED);
	assert_int_equal(b.last, RUN_ENDED);
	assert_true(a.attempt != b.attempt);
	assert_string_equal(a.out.data, "hello\n");
	assert_string_equal(b.out.data, "hello\n");
	told_free(&a);
	told_free(&b);
	run_free(one);
	run_free(two);
}

/* What run_start would fail of comes by run_next, and nothing is recorded. */
static void a_fault_before_the_start(void **state)
{
	struct place *p = *state;
	struct run_request req = code_request("print(1)");
	struct run_event ev;
	int got = 0;

	need_sandbox(p);
	req.python = "/nonexistent/python";
	struct run *r = run_launch(p->ws, &req, &p->e);
	assert_non_null(r);
	p->e = (struct err){ 0 };
	while (got == 0)
		got = run_next(r, &ev, 60000, &p->e);
	assert_int_equal(got, -1);
	assert_has(p->e.msg, "/nonexistent/python");
	run_free(r);
	struct query *q = query_open(p->ws, &p->e);
	assert_int_equal(query_tally(q, "attempts"), 0);
	query_close(q);
}

/* Remarks are there once it is queued. */
static void remarks_of_a_launch(void **state)
{
	struct place *p = *state;
	struct run_request req = code_request("print(1)");
	struct run_event ev = { 0 };

	need_sandbox(p);
	put("taken.py", "x = 1\n");
	req.code_name = "taken.py";
	struct run *r = run_launch(p->ws, &req, &p->e);
	while (ev.attempt == 0)
		assert_true(run_next(r, &ev, 60000, &p->e) >= 0);
	assert_has(run_remarks(r)[0], "taken-1.py");
	run_free(r);
}

/* ---- corrections and calls ---- */

static void a_correction(void **state)
{
	struct place *p = *state;
	static char *const calls[] = { (char *)"tool=1", (char *)"turn=2", NULL };
	struct run_request req = code_request("1/0");
	struct told t;
	struct detail d;
	int64_t failed, found;

	need_sandbox(p);
	run_to_end(p, &req, &t);
	failed = t.attempt;
	told_free(&t);
	req = code_request("print('good')");
	req.retry_of = failed;
	req.calls = calls;
	run_to_end(p, &req, &t);
	read_detail(p, t.attempt, &d);
	assert_string_equal(d.ref, "1.2");
	assert_string_equal(d.retry_of, "1.1");
	query_detail_free(&d);
	/* Of an attempt that is not the last, and of one that is ok. */
	req.calls = NULL;
	struct told again;
	run_to_end(p, &req, &again);
	read_detail(p, again.attempt, &d);
	assert_string_equal(d.ref, "1.3");
	assert_string_equal(d.retry_of, "1.1");
	query_detail_free(&d);

	struct query *q = query_open(p->ws, &p->e);
	for (char *const *c = calls; *c; c++) {
		assert_done(p, query_by_call(q, *c, &found, &p->e));
		assert_int_equal(found, t.attempt);
	}
	assert_done(p, query_by_call(q, "tool=2", &found, &p->e));
	assert_int_equal(found, 0);
	query_close(q);
	req.retry_of = 99;
	assert_null(run_start(p->ws, &req, &p->e));
	told_free(&t);
	told_free(&again);
}

/* ---- messages ---- */

static bool add_message(void *ctx, const struct said *m)
{
	buf_addf(ctx, "%lld %s/%s %s: %s|", (long long)m->id, m->by.name, m->by.version ? m->by.version : "", m->how, m->text);
	return true;
}

static void expect_messages(struct place *p, int64_t of, bool newest, size_t limit, const char *wanted)
{
	struct buf got = { 0 };
	struct query *q = query_open(p->ws, &p->e);

	buf_adds(&got, "");
	if (of)
		assert_done(p, query_messages_of(q, of, add_message, &got, &p->e));
	else
		assert_done(p, query_messages(q, 0, newest, limit, add_message, &got, &p->e));
	assert_string_equal(got.data ? got.data : "", wanted);
	query_close(q);
	buf_free(&got);
}

static void messages(void **state)
{
	struct place *p = *state;
	struct asker helper = { .kind = ASKER_ASSISTANT, .name = "helper", .version = "2" }, jm = { .kind = ASKER_PERSON, .name = "jm" };
	struct run_request req = code_request("print(1)");
	struct told t;
	struct detail d;
	int64_t id;

	need_sandbox(p);
	run_to_end(p, &req, &t);
	assert_done(p, message_say(p->ws, &helper, "it is [1.1], [1.1] again \n\n", 26, "mcp", &id, &p->e));
	assert_int_equal(id, 1);
	assert_done(p, message_say(p->ws, &jm, "no [x]", 6, "command", NULL, &p->e));
	expect_messages(p, 0, false, 0, "1 helper/2 mcp: it is [1.1], [1.1] again|2 jm/ command: no [x]|");
	expect_messages(p, 0, true, 1, "2 jm/ command: no [x]|");
	expect_messages(p, t.attempt, false, 0, "1 helper/2 mcp: it is [1.1], [1.1] again|");
	read_detail(p, t.attempt, &d);
	assert_int_equal(d.messages, 1);
	query_detail_free(&d);
	/* Without a name it is the person of the settings. */
	assert_done(p, setting_set(p->ws, "name", "Jo Miller", &p->e));
	assert_done(p, message_say(p->ws, NULL, "me", 2, "screen", NULL, &p->e));
	expect_messages(p, 0, true, 1, "3 Jo Miller/ screen: me|");

	static const struct { const char *text; size_t n; enum err_code code; const char *part; } bad[] = {
		{ "", 0, ERR_INPUT, "empty" },
		{ " \n\t", 3, ERR_INPUT, "empty" },
		{ "a\0b", 3, ERR_INPUT, "UTF-8" },
		{ "a\xff", 2, ERR_INPUT, "UTF-8" },
		{ "see [1.2]", 9, ERR_NOTFOUND, "[1.2]: there is no 1.2: step 1 has 1 attempt" },
		{ "see [4.1r2]", 11, ERR_NOTFOUND, "[4.1r2]" },
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_fails(p, bad[i].code, bad[i].part, message_say(p->ws, &jm, bad[i].text, bad[i].n, "command", NULL, &p->e));
	char *most = xmalloc(MESSAGE_MOST + 1);
	memset(most, 'x', MESSAGE_MOST + 1);
	assert_fails(p, ERR_INPUT, "at most", message_say(p->ws, &jm, most, MESSAGE_MOST + 1, "command", NULL, &p->e));
	assert_done(p, message_say(p->ws, &jm, most, MESSAGE_MOST, "command", &id, &p->e));
	assert_int_equal(id, 4);
	free(most);
	told_free(&t);
}

/* ---- attached bytes ---- */

static void expect_bytes(struct place *p, const char *name, const char *wanted)
{
	struct buf b = { 0 };
	int fd = attach_open(p->ws, name, &p->e);

	if (fd < 0)
		fail_msg("%s: %s", name, p->e.msg);
	assert_done(p, fs_read_fd(fd, name, 1000, &b, &p->e));
	assert_string_equal(b.data, wanted);
	buf_free(&b);
	close(fd);
}

static void expect_none(struct place *p, const char *name, enum err_code code, const char *part)
{
	assert_fails(p, code, part, attach_open(p->ws, name, &p->e) >= 0);
}

static void bytes_of_attached_files(void **state)
{
	struct place *p = *state;
	int pipes[2];

	put("a.csv", "one");
	put(".hidden", "secret");
	put("../outside.txt", "outside");
	assert_int_equal(mkdir("sub", 0755), 0);
	put("sub/b.csv", "two");
	assert_int_equal(symlink("../outside.txt", "leads-out"), 0);
	assert_int_equal(symlink("a.csv", "link.csv"), 0);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(write(pipes[1], "piped", 5), 5);
	close(pipes[1]);
	assert_done(p, attach_add_fd(p->ws, pipes[0], "from-pipe.txt", "me", &p->e));
	close(pipes[0]);
	assert_done(p, attach_add(p->ws, "../outside.txt", "in.txt", &p->e));
	expect_bytes(p, "a.csv", "one");
	expect_bytes(p, "sub/b.csv", "two");
	expect_bytes(p, "link.csv", "one");
	expect_bytes(p, "from-pipe.txt", "piped");
	expect_bytes(p, "in.txt", "outside");
	expect_none(p, ".hidden", ERR_INPUT, "hidden");
	expect_none(p, "leads-out", ERR_INPUT, "leaves the workspace");
	expect_none(p, ".tickmark/record.db", ERR_NOTFOUND, "no file");
	expect_none(p, "../outside.txt", ERR_NOTFOUND, "no file");
	expect_none(p, "/etc/passwd", ERR_NOTFOUND, "no file");
	expect_none(p, "sub", ERR_NOTFOUND, "no file");
	expect_none(p, "", ERR_NOTFOUND, "no file");
}

/* ---- the fixer ---- */

static const struct json_value *member(const struct json_value *v, const char *key)
{
	const struct json_value *m = json_get(v, key);

	if (!m)
		fail_msg("no member %s", key);
	return m;
}

static void the_document_for_a_fixer(void **state)
{
	struct place *p = *state;
	struct run_request req = code_request("# Sum\nimport sys\nopen('a.csv').read()\nsys.stderr.write('x' * 30000 + '\\n')\nopen('nope.csv')\n");
	struct told t;

	need_sandbox(p);
	put("a.csv", "one");
	run_to_end(p, &req, &t);
	struct query *q = query_open(p->ws, &p->e);
	char *text = fixer_document(q, p->ws, t.attempt, &p->e);
	query_close(q);
	assert_done(p, text);
	struct json_value *v = json_read(text, strlen(text), &p->e);
	assert_done(p, v);
	assert_string_equal(json_text(member(v, "kind"), ""), "fix");
	assert_int_equal(json_int(member(v, "version"), 0), 1);
	assert_string_equal(json_text(member(v, "attempt"), ""), "1.1");
	assert_string_equal(json_text(member(v, "title"), ""), "Sum");
	assert_string_equal(json_text(member(v, "outcome"), ""), "error");
	assert_int_equal(json_int(member(v, "exit_code"), 0), 1);
	assert_string_equal(json_text(member(v, "code"), ""), req.code);
	assert_string_equal(json_text(json_get(json_at(member(v, "inputs"), 0), "path"), ""), "a.csv");
	assert_string_equal(json_text(json_at(member(v, "missing"), 0), ""), "nope.csv");
	assert_int_equal(json_count(member(v, "history")), 0);
	assert_int_equal(json_count(member(v, "files")), 1);
	const char *tail = json_text(member(v, "stderr_tail"), "");
	assert_true(strlen(tail) <= 16 << 10);
	assert_has(tail, "FileNotFoundError");
	json_free(v);
	free(text);
	told_free(&t);
}

static void what_fixers_answer(void **state)
{
	struct place *p = *state;
	static const struct { const char *command, *code, *fault; } cases[] = {
		{ "cat", "{\"x\":1}", NULL },
		{ "printf 'print(1)\\n'", "print(1)\n", NULL },
		{ "printf '```python\\nprint(1)\\n```\\n\\n'", "print(1)\n", NULL },
		{ "printf '```\\na\\nb\\n```'", "a\nb\n", NULL },
		{ "printf '```'", "```", NULL },
		{ "printf '```\\n```'", NULL, "gave no code" },
		{ "printf 'x = \"```\"\\n'", "x = \"```\"\n", NULL },
		{ "pwd", NULL, NULL },
		{ "true", NULL, "gave no code" },
		{ "echo x; exit 3", NULL, "gave up: exit 3" },
		{ "no-such-program-x 2>/dev/null", NULL, "could not be found" },
		{ "kill -KILL $$", NULL, "signal 9" },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf code = { 0 };
		p->e = (struct err){ 0 };
		bool ok = fixer_run(p->ws, cases[i].command, "{\"x\":1}", &code, &p->e);
		if (ok != !cases[i].fault)
			fail_msg("%s: %s", cases[i].command, p->e.msg);
		if (cases[i].fault)
			assert_has(p->e.msg, cases[i].fault);
		else if (cases[i].code)
			assert_string_equal(code.data, cases[i].code);
		else /* pwd: in the workspace */
			assert_has(code.data, workspace_root(p->ws));
		buf_free(&code);
	}
	char *name = fixer_name("  /usr/bin/claude -p x");
	assert_string_equal(name, "claude");
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(two_are_launched_at_once), TEST(a_fault_before_the_start), TEST(remarks_of_a_launch), TEST(a_correction),
		TEST(messages), TEST(bytes_of_attached_files), TEST(the_document_for_a_fixer), TEST(what_fixers_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
