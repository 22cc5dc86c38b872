/* trace.c: what Python really prints, captured and live, and what is no exception. */
#include "text.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TB "Traceback (most recent call last):\n"
#define AT(file, line) "  File \"" file "\", line " line ", in <module>\n    code()\n"

struct expect {
	const char *bytes;   /* stderr */
	const char *type;    /* NULL: none is found */
	const char *message;
	const char *file;    /* NULL: any */
	int64_t line;
	int error;
	const char *path;    /* NULL: none */
	const char *module;  /* NULL: none */
};

static void assert_span(const char *what, struct span s, const char *expect, const char *bytes)
{
	if (!expect)
		expect = "";
	if (s.n != strlen(expect) || (s.n && memcmp(s.p, expect, s.n) != 0))
		fail_msg("%s is '%.*s', not '%s', in:\n%s", what, (int)s.n, s.n ? s.p : "", expect, bytes);
}

static void assert_trace(const struct expect *x, size_t n)
{
	struct trace t;

	memset(&t, 'x', sizeof(t));
	trace_parse(x->bytes, n, &t);
	if (t.found != (x->type != NULL))
		fail_msg("found is %d in:\n%s", t.found, x->bytes);
	assert_span("type", t.type, x->type, x->bytes);
	assert_span("message", t.message, x->message, x->bytes);
	assert_span("path", t.path, x->path, x->bytes);
	assert_span("module", t.module, x->module, x->bytes);
	assert_int_equal(t.error, x->error);
	if (x->file || !x->type) {
		assert_span("file", t.file, x->file, x->bytes);
		assert_int_equal(t.line, x->line);
	}
	assert_int_equal(t.found || t.rest == 0, 1);
}

static void assert_all(const struct expect *cases, size_t n)
{
	for (size_t i = 0; i < n; i++)
		assert_trace(&cases[i], strlen(cases[i].bytes));
}

static void plain_tracebacks(void **state)
{
	static const struct expect cases[] = {
		{ TB AT("/w/a.py", "3") "ValueError: bad value\n", "ValueError", "bad value", "/w/a.py", 3, 0, NULL, NULL },
		{ "output\n" TB AT("a.py", "3") AT("b.py", "44") "MemoryError\n", "MemoryError", "", "b.py", 44, 0, NULL, NULL },
		{ TB AT("a.py", "3") "KeyError: 'x'\n", "KeyError", "'x'", "a.py", 3, 0, NULL, NULL },
		{ TB AT("a.py", "3") "KeyboardInterrupt\n", "KeyboardInterrupt", "", "a.py", 3, 0, NULL, NULL },
		{ TB AT("a.py", "3") "ValueError: two\nlines: of it\n  and more\n", "ValueError", "two", "a.py", 3, 0, NULL, NULL },
		{ TB AT("a.py", "3") "pkg.mod.MyFailure: x: y\n", "pkg.mod.MyFailure", "x: y", "a.py", 3, 0, NULL, NULL },
		{ TB AT("a.py", "3") "f.<locals>.E\nnote\n", "f.<locals>.E", "", "a.py", 3, 0, NULL, NULL },
		{ TB AT("a.py", "3") "ValueError: no newline", "ValueError", "no newline", "a.py", 3, 0, NULL, NULL },
		{ TB AT("a.py", "3") "ValueError: \n", "ValueError", "", "a.py", 3, 0, NULL, NULL },
		{ TB AT("a.py", "3") "ValueError:\n", "ValueError", "", "a.py", 3, 0, NULL, NULL },
		{ TB "  File \"a\", line 3, in f\n    f()\n  [Previous line repeated 996 more times]\n"
		  "RecursionError: maximum recursion depth exceeded\n", "RecursionError",
		  "maximum recursion depth exceeded", "a", 3, 0, NULL, NULL },
		{ "Traceback (most recent call last):\r\n  File \"a.py\", line 3, in f\r\nValueError: x\r\n", "ValueError", "x",
		  "a.py", 3, 0, NULL, NULL },
		{ " 50%|#####     | 5/10 [00:01<00:01]" TB AT("a.py", "3") "ValueError: x\n", "ValueError", "x", "a.py", 3, 0,
		  NULL, NULL },
		{ TB "  File \"q\", line 1, in x\", line 7, in g\nE\n", "E", "", "q\", line 1, in x", 7, 0, NULL, NULL },
		{ TB AT("a.py", "3") "Fehl\xC3\xA9r: x\n", "Fehl\xC3\xA9r", "x", "a.py", 3, 0, NULL, NULL },
	};

	(void)state;
	assert_all(cases, ARRAY_LEN(cases));
}

static void details_of_messages(void **state)
{
	static const struct expect cases[] = {
		{ TB "OSError: [Errno 28] No space left on device\n", "OSError", "[Errno 28] No space left on device", NULL, 0,
		  28, NULL, NULL },
		{ TB "FileNotFoundError: [Errno 2] No such file or directory: 'data/x.csv'\n", "FileNotFoundError",
		  "[Errno 2] No such file or directory: 'data/x.csv'", NULL, 0, 2, "data/x.csv", NULL },
		{ TB "FileNotFoundError: [Errno 2] No such file or directory: \"it's.csv\"\n", "FileNotFoundError",
		  "[Errno 2] No such file or directory: \"it's.csv\"", NULL, 0, 2, "it's.csv", NULL },
		{ TB "FileNotFoundError: [Errno 2] No such file or directory: 'it\\'s \"x\".csv'\n", "FileNotFoundError",
		  "[Errno 2] No such file or directory: 'it\\'s \"x\".csv'", NULL, 0, 2, "it\\'s \"x\".csv", NULL },
		{ TB "FileNotFoundError: [Errno 2] No such file or directory: b'a'\n", "FileNotFoundError",
		  "[Errno 2] No such file or directory: b'a'", NULL, 0, 2, "a", NULL },
		{ TB "FileNotFoundError: [Errno 2] No such file or directory: 'a' -> 'b'\n", "FileNotFoundError",
		  "[Errno 2] No such file or directory: 'a' -> 'b'", NULL, 0, 2, "a", NULL },
		{ TB "FileNotFoundError: no model at 'm.pkl' here\n", "FileNotFoundError", "no model at 'm.pkl' here", NULL, 0,
		  0, "m.pkl", NULL },
		{ TB "FileNotFoundError: 'x.csv'\n", "FileNotFoundError", "'x.csv'", NULL, 0, 0, "x.csv", NULL },
		{ TB "FileNotFoundError: it isn't there\n", "FileNotFoundError", "it isn't there", NULL, 0, 0, NULL, NULL },
		{ TB "FileNotFoundError: 'cut off\n", "FileNotFoundError", "'cut off", NULL, 0, 0, NULL, NULL },
		{ TB "FileNotFoundError: 'cut off\\\n", "FileNotFoundError", "'cut off\\", NULL, 0, 0, NULL, NULL },
		{ TB "PermissionError: [Errno 13] Permission denied: '/etc/shadow'\n", "PermissionError",
		  "[Errno 13] Permission denied: '/etc/shadow'", NULL, 0, 13, "/etc/shadow", NULL },
		{ TB "urllib.error.URLError: <urlopen error [Errno 111] Connection refused>\n", "urllib.error.URLError",
		  "<urlopen error [Errno 111] Connection refused>", NULL, 0, 111, NULL, NULL },
		{ TB "socket.gaierror: [Errno -3] Temporary failure in name resolution\n", "socket.gaierror",
		  "[Errno -3] Temporary failure in name resolution", NULL, 0, -3, NULL, NULL },
		{ TB "OSError: [Errno x] y\n", "OSError", "[Errno x] y", NULL, 0, 0, NULL, NULL },
		{ TB "OSError: [Errno 5\n", "OSError", "[Errno 5", NULL, 0, 0, NULL, NULL },
		{ TB "OSError: [Errno 99999999999999999999] y\n", "OSError", "[Errno 99999999999999999999] y", NULL, 0, 0, NULL,
		  NULL },
		{ TB "OSError: [Errno -\n", "OSError", "[Errno -", NULL, 0, 0, NULL, NULL },
		{ TB "ModuleNotFoundError: No module named 'pandas'\n", "ModuleNotFoundError", "No module named 'pandas'", NULL,
		  0, 0, NULL, "pandas" },
		{ TB "ModuleNotFoundError: No module named 'json.x'; 'json' is not a package\n", "ModuleNotFoundError",
		  "No module named 'json.x'; 'json' is not a package", NULL, 0, 0, NULL, "json.x" },
	};

	(void)state;
	assert_all(cases, ARRAY_LEN(cases));
}

static void syntax_errors_have_no_header(void **state)
{
	static const struct expect cases[] = {
		{ "  File \"/w/s.py\", line 1\n    print(\n         ^\nSyntaxError: '(' was never closed\n", "SyntaxError",
		  "'(' was never closed", "/w/s.py", 1, 0, NULL, NULL },
		{ "  File \"i.py\", line 3\n    y\n     ^\nIndentationError: unindent does not match\n", "IndentationError",
		  "unindent does not match", "i.py", 3, 0, NULL, NULL },
		{ TB "  File \"<stdin>\", line 1, in <module>\n  File \"/w/s.py\", line 9\n    print(\n         ^\n"
		  "SyntaxError: '(' was never closed\n", "SyntaxError", "'(' was never closed", "/w/s.py", 9, 0, NULL, NULL },
	};

	(void)state;
	assert_all(cases, ARRAY_LEN(cases));
}

static void chains_give_the_last(void **state)
{
	static const struct expect cases[] = {
		{ TB AT("a.py", "1") "KeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\n"
		  TB AT("b.py", "2") "ValueError: b\n", "ValueError", "b", "b.py", 2, 0, NULL, NULL },
		{ TB AT("a.py", "1") "OSError: [Errno 5] x\n\nThe above exception was the direct cause of the following "
		  "exception:\n\n" TB "RuntimeError\n", "RuntimeError", "", "", 0, 0, NULL, NULL },
		{ "multiprocessing.pool.RemoteTraceback: \n\"\"\"\n" TB AT("w.py", "1") "ValueError: in worker\n\"\"\"\n\n"
		  "The above exception was the direct cause of the following exception:\n\n" TB AT("m.py", "2")
		  "ValueError: in main\n", "ValueError", "in main", "m.py", 2, 0, NULL, NULL },
		{ TB AT("a.py", "1") "ValueError: logged\nINFO: going on\n" TB AT("b.py", "2") "TypeError: last\nbye\n", "TypeError",
		  "last", "b.py", 2, 0, NULL, NULL },
	};

	(void)state;
	assert_all(cases, ARRAY_LEN(cases));
}

static void groups_give_the_last_leaf(void **state)
{
	static const char group[] =
		"  + Exception Group Traceback (most recent call last):\n"
		"  |   File \"/w/g.py\", line 7, in <module>\n"
		"  |     asyncio.run(main())\n"
		"  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)\n"
		"  +-+---------------- 1 ----------------\n"
		"    | Traceback (most recent call last):\n"
		"    |   File \"/w/g.py\", line 3, in bad2\n"
		"    |     raise ValueError\n"
		"    | ValueError: two\n"
		"lines\n"
		"    +---------------- 2 ----------------\n"
		"    | Traceback (most recent call last):\n"
		"    |   File \"/w/g.py\", line 2, in bad\n"
		"    |     open('/nope/x.csv')\n"
		"    |     ^^^^^^^^^^^^^^^^^^^\n"
		"    | FileNotFoundError: [Errno 2] No such file or directory: '/nope/x.csv'\n"
		"    +------------------------------------\n";
	static const char nested[] =
		"  + Exception Group Traceback (most recent call last):\n"
		"  |   File \"g2.py\", line 1, in <module>\n"
		"  | ExceptionGroup: eg (2 sub-exceptions)\n"
		"  +-+---------------- 1 ----------------\n"
		"    | ValueError: 1\n"
		"    +---------------- 2 ----------------\n"
		"    | ExceptionGroup: in (2 sub-exceptions)\n"
		"    +-+---------------- 1 ----------------\n"
		"      | KeyError: 'k'\n"
		"      +---------------- 2 ----------------\n"
		"      | OSError: [Errno 28] No space\n"
		"      +------------------------------------\n";
	static const char many[] =
		"  + Exception Group Traceback (most recent call last):\n"
		"  | ExceptionGroup: eg (16 sub-exceptions)\n"
		"  +-+---------------- 1 ----------------\n"
		"    | ValueError: 1\n"
		"    +---------------- ... ----------------\n"
		"    | and 1 more exception\n"
		"    +------------------------------------\n"
		"not: an exception\n";
	static const struct expect cases[] = {
		{ group, "FileNotFoundError", "[Errno 2] No such file or directory: '/nope/x.csv'", "/w/g.py", 2, 2, "/nope/x.csv",
		  NULL },
		{ nested, "OSError", "[Errno 28] No space", "", 0, 28, NULL, NULL },
		{ many, "ValueError", "1", "", 0, 0, NULL, NULL },
	};

	(void)state;
	assert_all(cases, ARRAY_LEN(cases));
	/* after a group, a plain traceback is plain again */
	char *both = xasprintf("%s\nDuring handling:\n\n" TB AT("z.py", "5") "E: z\n", group);
	assert_trace(&(struct expect){ both, "E", "z", "z.py", 5, 0, NULL, NULL }, strlen(both));
	free(both);
}

/* A finaliser's or another thread's exception did not end the script, unless there is no other. */
static void ignored_ones_count_less(void **state)
{
	static const char ignored[] = "Exception ignored in: <function A.__del__ at 0x7f560b135bc0>\n" TB
				      "  File \"d.py\", line 2, in __del__\nRuntimeError: in del\n";
	static const char thread[] = "Exception in thread Thread-1 (f):\n" TB AT("t.py", "2")
				     "ZeroDivisionError: division by zero\n";
	static const char real[] = TB AT("r.py", "9") "KeyError: 'real'\n";
	static const char *const orders[][3] = {
		{ real, ignored, "" }, { real, thread, ignored }, { thread, real, "" }, { ignored, real, thread },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		char *all = xasprintf("%s%s%s", orders[i][0], orders[i][1], orders[i][2]);
		assert_trace(&(struct expect){ all, "KeyError", "'real'", "r.py", 9, 0, NULL, NULL }, strlen(all));
		free(all);
	}
	assert_trace(&(struct expect){ thread, "ZeroDivisionError", "division by zero", "t.py", 2, 0, NULL, NULL },
	             strlen(thread));
	assert_trace(&(struct expect){ ignored, "RuntimeError", "in del", "d.py", 2, 0, NULL, NULL }, strlen(ignored));
}

static void what_is_no_exception(void **state)
{
	static const char *const cases[] = {
		"", "\n", "text\n", "cannot read the file\n", "ValueError: said by sys.exit\n", "error: x\n",
		"usage: a.py [-h] x\na.py: error: the following arguments are required: x\n",
		"a.py:3: DeprecationWarning: old\n  import imp\n",
		TB, TB AT("a.py", "3"), TB "not an exception line\n", TB "\n", TB "3: x\n", TB ".E: x\n", TB "E.: x\n", TB "a b: x\n",
		TB "E:x\n",
		"  File \"a.py\", line 3, in f\n    g()\nstill running: 5 files\n",
		"  File \"a.py\", line 3, in f\nDone\n",
		"  File \"a.py\", line x\nValueError: y\n", "  File \"a.py\nValueError: y\n", "  File \"\nValueError: y\n",
		("Fatal Python error: Segmentation fault\n\nCurrent thread 0x0 (most recent call first):\n"
		 "  File \"a.py\", line 5 in f\n  File \"a.py\", line 9 in <module>\n"),
		"Segmentation fault\n", "Traceback\nValueError: x\n", "KeyboardInterrupt\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_trace(&(struct expect){ .bytes = cases[i] }, strlen(cases[i]));
	struct trace t;
	trace_parse(NULL, 0, &t);
	assert_false(t.found);
	assert_false(trace_is(&t, "E"));
}

static void a_cut_off_header_does_not_matter(void **state)
{
	static const char whole[] = TB AT("a.py", "3") AT("b.py", "4") "pkg.SomeError: x\n";
	struct trace t;

	(void)state;
	/* as long as one whole frame is left */
	size_t last = (size_t)(strstr(whole, "  File \"b.py\"") - whole);
	for (size_t cut = 0; cut < strlen(whole); cut++) {
		trace_parse(whole + cut, strlen(whole) - cut, &t);
		assert_int_equal(t.found, cut <= last);
		if (t.found)
			assert_int_equal(t.line, 4);
	}
}

static void types_are_compared_by_their_last_part(void **state)
{
	static const char text[] = TB "urllib.error.URLError: x\n";
	struct trace t;

	(void)state;
	trace_parse(text, strlen(text), &t);
	assert_true(trace_is(&t, "URLError"));
	assert_true(trace_is(&t, "urllib.error.URLError"));
	assert_true(trace_is(&t, "error.URLError"));
	assert_false(trace_is(&t, "Error"));
	assert_false(trace_is(&t, "RLError"));
	assert_false(trace_is(&t, "x.urllib.error.URLError"));
}

static void rest_counts_what_follows(void **state)
{
	static const char text[] = TB "E: x\n12345\n";
	struct trace t;

	(void)state;
	trace_parse(text, strlen(text), &t);
	assert_int_equal(t.rest, 6);
	trace_parse(text, strlen(text) - 6, &t);
	assert_int_equal(t.rest, 0);
}

/* Every prefix of everything, from exact allocations, so that the sanitizer sees a step too far. */
static void hostile_input(void **state)
{
	static const char *const pieces[] = {
		TB, ("  + Exception Group " TB), "    | ", "  +-+---------------- 1 ----------------\n", "  File \"a\", line 3, in f\n",
		"  File \"", "\", line ", "E: ", "[Errno ", "28]", ": '", "'", "\\", "\n", "\r\n", "\0", "No module named '", "\xFF",
		"FileNotFoundError: ", "Exception ignored in x\n", "b'", "<locals>", ".", "|", "+", " ", "99999999999999999999",
	};
	uint32_t x = 7;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct buf b = { 0 };
		struct trace t;
		for (int k = 0; k < i % 12; k++) {
			x = x * 1103515245 + 12345;
			size_t which = (x >> 16) % ARRAY_LEN(pieces);
			buf_add(&b, pieces[which], MAX(strlen(pieces[which]), (size_t)1));
		}
		size_t n = b.len ? (x >> 8) % (b.len + 1) : 0;
		char *exact = xmemdup(b.data, n);
		trace_parse(exact, n, &t);
		if (t.found)
			assert_true(t.type.n > 0 && t.type.p >= exact && t.type.p + t.type.n <= exact + n);
		free(exact);
		buf_free(&b);
	}
}

/* The Python of this machine, whatever its version prints. */
static void live(void **state)
{
	static const struct {
		const char *code, *type;
		int error;
	} cases[] = {
		{ "raise ValueError(1)", "ValueError", 0 },
		{ "open('/nonexistent')", "FileNotFoundError", 2 },
		{ "import nonexistent_module", "ModuleNotFoundError", 0 },
		{ "print(", "SyntaxError", 0 },
		{ "def f(): f()\nf()", "RecursionError", 0 },
		{ "try: 1/0\nexcept Exception as e: raise KeyError('x') from e", "KeyError", 0 },
		{ "def f():\n class E(Exception): pass\n raise E\nf()", "E", 0 },
		{ "import sys; sys.exit('just text')", NULL, 0 },
		{ "import sys; sys.exit(3)", NULL, 0 },
		{ "raise OSError(28, 'full')", "OSError", 28 },
		{ "eval('1 +')", "SyntaxError", 0 },
		{ "import urllib.error as u; raise u.URLError(OSError(111, 'refused'))", "URLError", 111 },
		{ "class A:\n def __del__(s): raise RuntimeError\na = A()\nraise KeyError", "KeyError", 0 },
		{ "raise ExceptionGroup('g', [ValueError(1), OSError(5, 'x')]) if 'ExceptionGroup' in dir(__builtins__) "
		  "else OSError(5, 'x')", "OSError", 5 },
	};

	(void)state;
	if (system("python3 -c '' 2>/dev/null") != 0) {
		print_message("# SKIP no python3 here\n");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		setenv("TICKMARK_TEST_CODE", cases[i].code, 1);
		FILE *f = popen("python3 -I -c \"$TICKMARK_TEST_CODE\" 2>&1 >/dev/null", "r");
		char got[16384];
		size_t n = fread(got, 1, sizeof(got) - 1, f);
		struct trace t;
		pclose(f);
		got[n] = '\0';
		trace_parse(got, n, &t);
		if (t.found != (cases[i].type != NULL) || (t.found && !trace_is(&t, cases[i].type)) ||
		    (t.found && t.error != cases[i].error))
			fail_msg("%s: found %d, error %d:\n%s", cases[i].code, t.found, t.error, got);
		if (t.found && t.line < 1 && strncmp(cases[i].code, "raise Ex", 8) != 0)
			fail_msg("%s: no line:\n%s", cases[i].code, got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_tracebacks),
		cmocka_unit_test(details_of_messages),
		cmocka_unit_test(syntax_errors_have_no_header),
		cmocka_unit_test(chains_give_the_last),
		cmocka_unit_test(groups_give_the_last_leaf),
		cmocka_unit_test(ignored_ones_count_less),
		cmocka_unit_test(what_is_no_exception),
		cmocka_unit_test(a_cut_off_header_does_not_matter),
		cmocka_unit_test(types_are_compared_by_their_last_part),
		cmocka_unit_test(rest_counts_what_follows),
		cmocka_unit_test(hostile_input),
		cmocka_unit_test(live),
	};
	return cmocka_run_group_tests_name("text/trace", tests, NULL, NULL);
}
