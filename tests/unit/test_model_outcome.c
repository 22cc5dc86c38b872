/* The table of outcomes, each row with what comes before it, and the lines for people. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/clues.h"
#include "model/outcome.h"

static const struct limits some_limits = {
	.wall_ms = 60000, .cpu_ms = 120000, .memory_bytes = 1 << 30, .scratch_bytes = 1 << 20, .scratch_files = 100,
	.file_bytes = 1 << 20, .open_files = 64, .processes = 128, .artifact_files = 10, .artifact_depth = 5,
};
static const struct environment some_env = {
	.python = "/usr/bin/python3", .version = "3.11.2", .packages = "numpy 1.24.2\npandas 1.5.3\n",
};
static struct refusal no_network = { "network", "socket", "AF_INET", 1, 900000, 900000, false };
static struct refusal no_network_long_ago = { "network", "socket", "AF_INET", 1, 10, 10, false };
static struct refusal no_network_now = { "network", "socket", "AF_INET", 1, 9900000, 9900000, false };
static struct refusal no_mount = { "mount", "mount", "", 1, 900000, 900000, false };
static struct refusal probe = { "memory", "mbind", "", 1, 900000, 900000, true };
static struct refusal no_map = { "memory", "mmap", "68719480832 bytes", 1, 900000, 900000, true };

struct row {
	const char *name;
	struct sandbox_result r;
	const char *err;         /* tail of stderr */
	const char *stopped_by, *fault, *left_out;
	bool ours;               /* the missing module is a file of the workspace */
	enum outcome outcome;
	const char *detail;      /* part of it; "" exactly nothing */
};

#define EXIT(n) { .end = SANDBOX_EXIT, .exit_code = n, .wall_us = 1000000 }
#define KILLED(s) { .end = SANDBOX_EXIT, .exit_code = -1, .signal = s, .wall_us = 1000000 }
#define TRACE "Traceback (most recent call last):\n  File \"x.py\", line 1, in <module>\n    f()\n"
#define REFUSED(x) { .end = SANDBOX_EXIT, .exit_code = 1, .wall_us = 10000000, .refusals = &x, .refusals_n = 1 }

static const struct row rows[] = {
	/* the cases of o20 */
	{ "zero", EXIT(0), .err = "", .outcome = OUTCOME_OK, .detail = "" },
	{ "three", EXIT(3), .err = "", .outcome = OUTCOME_ERROR, .detail = "" },
	{ "raise", EXIT(1), .err = TRACE "ValueError: balance does not match\n", .outcome = OUTCOME_ERROR,
	  .detail = "ValueError: balance does not match" },
	{ "text", EXIT(1), .err = "refused: missing period\n", .outcome = OUTCOME_ERROR, .detail = "refused: missing period" },
	{ "kill", KILLED(SIGKILL), .err = "", .outcome = OUTCOME_ERROR, .detail = "SIGKILL (killed), not by tickmark" },
	{ "segv", KILLED(SIGSEGV), .err = "", .outcome = OUTCOME_ERROR, .detail = "SIGSEGV (segmentation fault), not by tickmark" },
	{ "abort", KILLED(SIGABRT), .err = "", .outcome = OUTCOME_ERROR, .detail = "SIGABRT" },
	{ "num137", EXIT(137), .err = "", .outcome = OUTCOME_ERROR, .detail = "" },
	{ "memory", { .end = SANDBOX_LIMIT, .exit_code = -1, .signal = SIGKILL, .signal_ours = true, .limit_value = 1 << 30,
	              .limit_reached = 1100 << 20 }, .err = "", .outcome = OUTCOME_LIMIT,
	  .detail = "memory 1.0G reached (1.1G): tickmark run --memory 2G, or tickmark config memory 2G" },
	/* noise is no failure */
	{ "warnings", EXIT(0), .err = "x.py:1: FutureWarning: soon\n", .outcome = OUTCOME_OK, .detail = "" },
	/* a traceback that the script printed itself and survived */
	{ "survived", EXIT(0), .err = TRACE "MemoryError\n", .outcome = OUTCOME_OK, .detail = "" },
	{ "own number", EXIT(2), .err = TRACE "ValueError: x\nusage: x\n", .outcome = OUTCOME_ERROR, .detail = "usage: x" },
	/* order of the rows */
	{ "stopped first", { .end = SANDBOX_STOPPED, .exit_code = -1, .signal = SIGKILL, .signal_ours = true }, .err = "",
	  .stopped_by = "person jm (Ctrl-C)", .fault = "disk full", .outcome = OUTCOME_STOPPED, .detail = "by person jm (Ctrl-C)" },
	{ "fault before 0", EXIT(0), .err = "", .fault = "input a.csv changed under the run", .outcome = OUTCOME_FAULT,
	  .detail = "input a.csv changed" },
	{ "sandbox fault", { .end = SANDBOX_FAULT, .exit_code = -1, .fault = "execve failed" }, .err = "", .outcome = OUTCOME_FAULT,
	  .detail = "execve failed" },
	{ "left out before 0", EXIT(0), .err = "", .left_out = "artifacts", .outcome = OUTCOME_LIMIT,
	  .detail = "3 files not kept; artifacts 10 reached (13): tickmark run --artifacts 20, or tickmark config artifacts 20" },
	/* signals of limits */
	{ "cpu", KILLED(SIGXCPU), .err = "", .outcome = OUTCOME_LIMIT, .detail = "cpu 2m 00s reached" },
	{ "file size", KILLED(SIGXFSZ), .err = "", .outcome = OUTCOME_LIMIT, .detail = "file-size 1.0M" },
	{ "oom kill", { .end = SANDBOX_EXIT, .exit_code = -1, .signal = SIGKILL, .at_memory = true, .peak_memory = 1 << 30 }, .err = "",
	  .outcome = OUTCOME_LIMIT, .detail = "memory" },
	/* errors at a limit, and the same ones elsewhere */
	{ "memory error", { .end = SANDBOX_EXIT, .exit_code = 1, .at_memory = true }, .err = TRACE "MemoryError\n",
	  .outcome = OUTCOME_LIMIT, .detail = "memory 1.0G reached" },
	{ "numpy's", { .end = SANDBOX_EXIT, .exit_code = 1, .refusals = &no_map, .refusals_n = 1 },
	  .err = TRACE "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 8.00 GiB\n", .outcome = OUTCOME_LIMIT,
	  .detail = "memory" },
	{ "memory error of its own", EXIT(1), .err = TRACE "MemoryError\n", .outcome = OUTCOME_ERROR, .detail = "MemoryError" },
	{ "no space", { .end = SANDBOX_EXIT, .exit_code = 1, .at_scratch = true, .scratch_used = 1 << 20 },
	  .err = TRACE "OSError: [Errno 28] No space left on device: 'x'\n", .outcome = OUTCOME_LIMIT, .detail = "scratch 1.0M" },
	{ "no inode", { .end = SANDBOX_EXIT, .exit_code = 1, .at_files = true },
	  .err = TRACE "OSError: [Errno 28] No space left on device: 'x'\n", .outcome = OUTCOME_LIMIT, .detail = "scratch-files 100" },
	{ "no space elsewhere", EXIT(1), .err = TRACE "OSError: [Errno 28] No space left on device: '/x'\n",
	  .outcome = OUTCOME_ERROR, .detail = "No space left" },
	{ "no space, what took it is gone", { .end = SANDBOX_EXIT, .exit_code = 1, .no_other_full = true },
	  .err = TRACE "OSError: [Errno 28] No space left on device\n", .outcome = OUTCOME_LIMIT, .detail = "scratch" },
	{ "no name, they are gone", { .end = SANDBOX_EXIT, .exit_code = 1, .no_other_full = true, .files_were_many = true },
	  .err = TRACE "OSError: [Errno 28] No space left on device: '/tmp/x/f99'\n", .outcome = OUTCOME_LIMIT, .detail = "scratch-files 100" },
	{ "no bytes after many names", { .end = SANDBOX_EXIT, .exit_code = 1, .no_other_full = true, .files_were_many = true },
	  .err = TRACE "OSError: [Errno 28] No space left on device\n", .outcome = OUTCOME_LIMIT, .detail = "scratch 1.0M" },
	{ "a disk that may have been full", { .end = SANDBOX_EXIT, .exit_code = 1, .files_were_many = false },
	  .err = TRACE "OSError: [Errno 28] No space left on device\n", .outcome = OUTCOME_ERROR, .detail = "No space left" },
	{ "files not kept, and no more names", { .end = SANDBOX_EXIT, .exit_code = 1, .at_files = true },
	  .err = TRACE "OSError: [Errno 28] No space left on device: 'x'\n", .left_out = "artifacts", .outcome = OUTCOME_LIMIT,
	  .detail = "; the script itself failed of scratch-files 100 reached: tickmark run --scratch-files 200" },
	{ "no space below /dev, where /dev/shm is", { .end = SANDBOX_EXIT, .exit_code = 1, .no_other_full = true },
	  .err = TRACE "OSError: [Errno 28] No space left on device: '/dev/shm/x'\n", .outcome = OUTCOME_LIMIT, .detail = "scratch" },
	{ "no space for a mapped page", { .end = SANDBOX_EXIT, .exit_code = -1, .signal = SIGBUS, .at_scratch = true }, .err = "",
	  .outcome = OUTCOME_LIMIT, .detail = "scratch" },
	{ "bus error of its own", KILLED(SIGBUS), .err = "", .outcome = OUTCOME_ERROR, .detail = "SIGBUS" },
	{ "too big", EXIT(1),
	  .err = TRACE "OSError: [Errno 27] File too large\n", .outcome = OUTCOME_LIMIT, .detail = "file-size" },
	{ "no process", { .end = SANDBOX_EXIT, .exit_code = 1, .at_processes = true },
	  .err = TRACE "BlockingIOError: [Errno 11] Resource temporarily unavailable\n", .outcome = OUTCOME_LIMIT,
	  .detail = "processes 128" },
	{ "no process, as others had them", { .end = SANDBOX_EXIT, .exit_code = 1, .at_processes = true, .processes_shared = true },
	  .err = TRACE "BlockingIOError: [Errno 11] Resource temporarily unavailable\n", .outcome = OUTCOME_LIMIT,
	  .detail = "as that user counts, too" },
	{ "no thread", { .end = SANDBOX_EXIT, .exit_code = 1, .at_processes = true },
	  .err = TRACE "RuntimeError: can't start new thread\n", .outcome = OUTCOME_LIMIT, .detail = "processes 128" },
	{ "threads that nobody counted", { .end = SANDBOX_EXIT, .exit_code = 1, .tasks_made = 128 },
	  .err = TRACE "RuntimeError: can't start new thread\n", .outcome = OUTCOME_LIMIT, .detail = "processes 128" },
	{ "too few threads for that", { .end = SANDBOX_EXIT, .exit_code = 1, .tasks_made = 127 },
	  .err = TRACE "RuntimeError: can't start new thread\n", .outcome = OUTCOME_ERROR, .detail = "can't start" },
	{ "would block, after many processes", { .end = SANDBOX_EXIT, .exit_code = 1, .tasks_made = 500 },
	  .err = TRACE "BlockingIOError: [Errno 11] Resource temporarily unavailable\n", .outcome = OUTCOME_ERROR,
	  .detail = "BlockingIOError" },
	{ "would block", EXIT(1), .err = TRACE "BlockingIOError: [Errno 11] Resource temporarily unavailable\n",
	  .outcome = OUTCOME_ERROR, .detail = "BlockingIOError" },
	{ "open files", EXIT(1), .err = TRACE "OSError: [Errno 24] Too many open files: 'x'\n", .outcome = OUTCOME_LIMIT,
	  .detail = "open-files 64" },
	/* refusals */
	{ "name", REFUSED(no_network_long_ago),
	  .err = TRACE "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>\n",
	  .outcome = OUTCOME_REFUSED, .detail = "no network here: read it from an attached file (socket AF_INET)" },
	{ "connect", { .end = SANDBOX_EXIT, .exit_code = 1, .wall_us = 1000000, .refusals = &no_network, .refusals_n = 1 },
	  .err = TRACE "PermissionError: [Errno 13] Permission denied\n", .outcome = OUTCOME_REFUSED, .detail = "no network" },
	{ "a driver of a database", REFUSED(no_network_now), .err = TRACE "pymysql.err.OperationalError: (2003, \"Can't connect to MySQL "
	  "server on 'db' ([Errno 13] Permission denied)\")\n", .outcome = OUTCOME_REFUSED, .detail = "no network here" },
	{ "a driver, without a refusal", EXIT(1), .err = TRACE "pymysql.err.OperationalError: (2003, \"Can't connect to MySQL "
	  "server on 'db'\")\n", .outcome = OUTCOME_ERROR, .detail = "OperationalError" },
	{ "words of another failure", REFUSED(no_network_now), .err = TRACE "ValueError: balance does not match\n",
	  .outcome = OUTCOME_ERROR, .detail = "ValueError" },
	{ "connect long ago", REFUSED(no_network_long_ago), .err = TRACE "PermissionError: [Errno 13] Permission denied\n",
	  .outcome = OUTCOME_ERROR, .detail = "PermissionError" },
	{ "a file", { .end = SANDBOX_EXIT, .exit_code = 1, .wall_us = 1000000, .refusals = &no_network, .refusals_n = 1 },
	  .err = TRACE "PermissionError: [Errno 13] Permission denied: '/etc/shadow'\n", .outcome = OUTCOME_ERROR,
	  .detail = "PermissionError" },
	{ "mount", { .end = SANDBOX_EXIT, .exit_code = 1, .wall_us = 1000000, .refusals = &no_mount, .refusals_n = 1 },
	  .err = TRACE "PermissionError: [Errno 1] Operation not permitted: '/x'\n", .outcome = OUTCOME_REFUSED, .detail = "mount" },
	{ "survived refusal", { .end = SANDBOX_EXIT, .exit_code = 0, .wall_us = 1000000, .refusals = &no_network, .refusals_n = 1 },
	  .err = "", .outcome = OUTCOME_OK, .detail = "" },
	{ "another error after one", { .end = SANDBOX_EXIT, .exit_code = 1, .wall_us = 1000000, .refusals = &no_network,
	                               .refusals_n = 1 }, .err = TRACE "KeyError: 'TIV'\n", .outcome = OUTCOME_ERROR,
	  .detail = "KeyError: 'TIV'" },
	{ "a library's probe", { .end = SANDBOX_EXIT, .exit_code = 1, .wall_us = 1000000, .refusals = &probe, .refusals_n = 1 },
	  .err = TRACE "OSError: [Errno 1] Operation not permitted\n", .outcome = OUTCOME_ERROR, .detail = "OSError" },
	{ "no traceback", { .end = SANDBOX_EXIT, .exit_code = 6, .wall_us = 1000000, .refusals = &no_network, .refusals_n = 1 },
	  .err = "curl: (6) Could not resolve host: example.com\n", .outcome = OUTCOME_REFUSED, .detail = "no network" },
	/* modules */
	{ "module", EXIT(1), .err = TRACE "ModuleNotFoundError: No module named 'polars'\n", .outcome = OUTCOME_ERROR,
	  .detail = "no module polars in Python 3.11.2 (/usr/bin/python3), which has numpy 1.24.2, pandas 1.5.3; another one: "
	            "tickmark run --python PATH, or tickmark config python PATH" },
	{ "own module", EXIT(1), .err = TRACE "ModuleNotFoundError: No module named 'helper'\n", .ours = true,
	  .outcome = OUTCOME_ERROR, .detail = "ModuleNotFoundError: No module named 'helper'" },
	/* hostile */
	{ "escape", EXIT(1), .err = "\x1b]0;title\x07last\n", .outcome = OUTCOME_ERROR, .detail = "^[]0;title^Glast" },
};

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct row *row = &rows[i];
		struct sandbox_result r = row->r;
		struct attempt_end end = { 0 };
		struct buf detail = { 0 };
		struct trace trace;
		const char *last = row->err;
		size_t n = strlen(row->err);
		if (r.end == SANDBOX_LIMIT)
			r.limit = limit_find(row->name);
		trace_parse(row->err, n, &trace);
		for (const char *p = row->err; *p; p++)
			if (*p == '\n' && p[1])
				last = p + 1;
		struct outcome_facts f = {
			.result = &r, .limits = &some_limits, .stopped_by = row->stopped_by, .fault = row->fault,
			.left_out = row->left_out ? limit_find(row->left_out) : NULL, .left_out_reached = 13,
			.left_out_what = "3 files not kept", .trace = &trace, .env = &some_env, .module_is_ours = row->ours,
			.last_line = { n ? last : NULL, strcspn(last, "\n") },
		};
		outcome_decide(&f, &end, &detail);
		const char *got = detail.data ? detail.data : "";
		if (end.outcome != row->outcome || (*row->detail ? !strstr(got, row->detail) : *got))
			fail_msg("%s: %s \"%s\"", row->name, outcome_word(end.outcome), got);
		assert_int_equal(end.exit_code, r.exit_code);
		assert_int_equal(end.signal, r.signal);
		assert_true((end.outcome == OUTCOME_LIMIT) == (end.limit != NULL));
		assert_true((end.outcome == OUTCOME_STOPPED) == (end.stopped_by != NULL));
		if (end.limit)
			assert_true(end.limit_value > 0 && end.limit_reached >= end.limit_value);
		buf_free(&detail);
	}
}

static void test_limit_text(void **state)
{
	static const struct {
		const char *name;
		int64_t value, reached;
		const char *text;
	} cases[] = {
		{ "timeout", 600000, 600100, "timeout 10m 00s reached (10m 00s): tickmark run --timeout 20m, or tickmark config timeout 20m" },
		{ "timeout", 3000, 0, "timeout 3.00s reached: tickmark run --timeout 6s, or tickmark config timeout 6s" },
		{ "timeout", 250, 0, "timeout 0.25s reached: tickmark run --timeout 500ms, or tickmark config timeout 500ms" },
		{ "memory", 12637700096, 0, "memory 12G reached: tickmark run --memory 24G, or tickmark config memory 24G" },
		{ "memory", 512 << 20, 0, "memory 512M reached: tickmark run --memory 1G, or tickmark config memory 1G" },
		/* what is advised must be above what was needed */
		{ "memory", 1, 790528, "memory 1 reached (772K): tickmark run --memory 1M, or tickmark config memory 1M" },
		{ "scratch", 700, 900, "scratch 700 reached (900): tickmark run --scratch 2K, or tickmark config scratch 2K" },
		{ "processes", 128, 128, "processes 128 reached: tickmark run --processes 256, or tickmark config processes 256" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf b = { 0 };
		outcome_limit_text(&b, limit_find(cases[i].name), cases[i].value, cases[i].reached);
		assert_string_equal(b.data, cases[i].text);
		buf_free(&b);
	}
}

static void test_signal_text(void **state)
{
	struct buf b = { 0 };

	(void)state;
	outcome_signal_text(&b, SIGTERM);
	buf_addc(&b, ' ');
	outcome_signal_text(&b, SIGRTMIN + 3);
	assert_string_equal(b.data, "SIGTERM (terminated) signal 37");
	buf_free(&b);
}

static void test_additions(void **state)
{
	struct sandbox_result r = EXIT(0);
	struct trace trace = { 0 };
	struct attempt_end end = { 0 };
	struct buf detail = { 0 };
	struct outcome_facts f = { .result = &r, .limits = &some_limits, .trace = &trace, .figures_lost = 2, .remark = "and more" };

	(void)state;
	outcome_decide(&f, &end, &detail);
	assert_int_equal(end.outcome, OUTCOME_OK);
	assert_string_equal(detail.data, "2 figures not saved; and more");
	buf_free(&detail);
}

/* ---- clues ---- */

static void test_clues(void **state)
{
	static const struct {
		const char *err, *missing, *last;
		bool ours;
	} cases[] = {
		{ "", NULL, NULL, false },
		{ "warning\n\n \n", NULL, "warning", false },
		{ TRACE "FileNotFoundError: [Errno 2] No such file or directory: 'a.csv'\n", "sub/a.csv",
		  "FileNotFoundError: [Errno 2] No such file or directory: 'a.csv'", false },
		{ TRACE "FileNotFoundError: [Errno 2] No such file or directory: '../a b/c.csv'\n", "a b/c.csv", "", false },
		{ TRACE "FileNotFoundError: [Errno 2] No such file or directory: '/home/jm/ws/x.csv'\n", "x.csv", "", false },
		{ TRACE "FileNotFoundError: [Errno 2] No such file or directory: '/etc/x.csv'\n", NULL, "", false },
		{ TRACE "FileNotFoundError: [Errno 2] No such file or directory: '../../x.csv'\n", NULL, "", false },
		{ TRACE "FileNotFoundError: [Errno 2] No such file or directory: 'new\\nline\\x07\\udce9\\\\.csv'\n",
		  "sub/new\nline\x07\xe9\\.csv", "", false },
		{ TRACE "FileNotFoundError: [Errno 2] No such file or directory: '\\x9b.csv'\n", "sub/\xc2\x9b.csv", "", false },
		{ TRACE "FileNotFoundError: [Errno 2] No such file or directory: '\\q.csv'\n", NULL, "", false },
		{ TRACE "FileNotFoundError: [Errno 2] No such file or directory: 'a\\x00b'\n", NULL, "", false },
		{ TRACE "PermissionError: [Errno 13] Permission denied: 'a.csv'\n", NULL, "", false },
		{ TRACE "ModuleNotFoundError: No module named 'helper'\n", NULL, "", true },
		{ TRACE "ModuleNotFoundError: No module named 'pkg.deep.er'\n", NULL, "", true },
		{ TRACE "ModuleNotFoundError: No module named 'help'\n", NULL, "", false },
		{ TRACE "ModuleNotFoundError: No module named 'pandas'\n", NULL, "", false },
	};
	struct entry entries[] = { { .path = "lib/helper.py" }, { .path = "pkg/x.csv" } };
	struct offer offer = { .entries = entries, .n = ARRAY_LEN(entries) };
	struct attempt a = { .box = "/home/jm/ws", .cwd = "sub" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct clues c;
		const char *missing = cases[i].missing, *last = cases[i].last;
		clues_find(cases[i].err, strlen(cases[i].err), &a, &offer, &c);
		if (!missing != !c.missing || (missing && strcmp(missing, c.missing) != 0))
			fail_msg("%zu: missing %s", i, c.missing ? c.missing : "none");
		if (!last != !c.last_line.p || (last && *last && (c.last_line.n != strlen(last) || memcmp(last, c.last_line.p, c.last_line.n) != 0)))
			fail_msg("%zu: last line %.*s", i, (int)c.last_line.n, c.last_line.p ? c.last_line.p : "");
		assert_int_equal(c.module_is_ours, cases[i].ours);
		clues_free(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows), cmocka_unit_test(test_limit_text), cmocka_unit_test(test_signal_text),
		cmocka_unit_test(test_additions), cmocka_unit_test(test_clues),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
