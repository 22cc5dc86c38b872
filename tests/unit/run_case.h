/* Shared by the tests of runs: a workspace in a folder of its own, scripts run in it to their end. */
#ifndef RUN_CASE_H
#define RUN_CASE_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/query.h"
#include "model/run.h"
#include "model/private.h"

#define UNUSED __attribute__((unused))
#define PYTHON "/usr/bin/python3"

struct place {
	char dir[96];          /* of its own; the workspace "ws" in it is the current folder */
	struct workspace *ws;
	struct err e;
	bool works;            /* a sandbox can be had here */
};

#define assert_done(place, call)                                                  \
	do {                                                                      \
		if (!(call))                                                      \
			fail_msg("%s: %s", #call, (place)->e.msg);                \
	} while (0)

#define assert_fails(place, code_, part, call)                                            \
	do {                                                                              \
		(place)->e = (struct err){ 0 };                                           \
		if (call)                                                                 \
			fail_msg("%s: should fail", #call);                               \
		if ((place)->e.code != (code_) || !strstr((place)->e.msg, part))          \
			fail_msg("%s: %d, %s", #call, (place)->e.code, (place)->e.msg);   \
	} while (0)

#define assert_has(text, part)                                                            \
	do {                                                                              \
		if (!(text) || !strstr(text, part))                                       \
			fail_msg("\"%s\" has no \"%s\"", (text) ? (text) : "NULL", part); \
	} while (0)

static UNUSED int case_setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	const char *tmp = getenv("TMPDIR");
	const struct sandbox_caps *caps;

	snprintf(p->dir, sizeof(p->dir), "%.60s/run-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(p->dir) || chdir(p->dir) != 0)
		return -1;
	*state = p;
	/* Nothing of the user's may decide: settings, name, interpreter. */
	setenv("HOME", p->dir, 1);
	setenv("PATH", "/usr/bin:/bin", 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("VIRTUAL_ENV");
	unsetenv("CONDA_PREFIX");
	if (mkdir("ws", 0755) != 0 || !workspace_create("ws", &p->e) || chdir("ws") != 0 ||
	    !(p->ws = workspace_open(".", &p->e)) || !workspace_caps(p->ws, &caps, &p->e)) {
		print_error("%s\n", p->e.msg);
		return -1;
	}
	p->works = caps->tier != TIER_NONE;
	return 0;
}

static UNUSED int case_teardown(void **state)
{
	struct place *p = *state;

	workspace_close(p->ws);
	bool gone = chdir("/") == 0 && fs_remove_tree(AT_FDCWD, p->dir, &p->e);
	/* A runner may still be tidying up: once its folders are gone it makes no more files. */
	for (int i = 0; !gone && i < 100; i++)
		gone = fs_remove_tree(AT_FDCWD, p->dir, &p->e);
	if (!gone)
		print_error("%s: %s\n", p->dir, p->e.msg);
	free(p);
	return 0;
}

/* Where no sandbox can be had the test is skipped, unless it must work. */
static UNUSED void need_sandbox(struct place *p)
{
	const char *must = getenv("SANDBOX_MUST_WORK");

	if (p->works)
		return;
	if (must && *must)
		fail_msg("no sandbox can be had here");
	skip();
}

static UNUSED void put(const char *path, const char *text)
{
	struct err e = { 0 };

	if (!fs_write(AT_FDCWD, path, text, strlen(text), false, &e))
		fail_msg("%s: %s", path, e.msg);
}

/* What one run gave its front. */
struct told {
	int64_t attempt;
	struct buf out, err;
	int last;             /* kind of the last event */
};

static UNUSED void told_free(struct told *t)
{
	buf_free(&t->out);
	buf_free(&t->err);
	*t = (struct told){ 0 };
}

static UNUSED void listen_to(struct place *p, struct run *r, struct told *t)
{
	struct run_event ev;
	int got;

	*t = (struct told){ .last = RUN_QUEUED };
	while (t->last != RUN_ENDED && t->last != RUN_GONE) {
		while ((got = run_next(r, &ev, 60000, &p->e)) == 0)
			fail_msg("no event for a minute");
		if (got < 0)
			fail_msg("run_next: %s", p->e.msg);
		t->last = (int)ev.kind;
		t->attempt = ev.attempt;
		if (ev.kind == RUN_BYTES)
			buf_add(ev.stream == STREAM_OUT ? &t->out : &t->err, ev.bytes, ev.len);
	}
}

static UNUSED struct run_request request(void)
{
	return (struct run_request){ .asker = { .kind = ASKER_PERSON, .name = "jm" }, .python = PYTHON };
}

/* Runs it to the end; fails the test when it could not begin. */
static UNUSED void run_to_end(struct place *p, const struct run_request *req, struct told *t)
{
	struct run *r = run_start(p->ws, req, &p->e);

	if (!r)
		fail_msg("run_start: %s", p->e.msg);
	listen_to(p, r, t);
	run_free(r);
}

static UNUSED void read_detail(struct place *p, int64_t attempt, struct detail *d)
{
	struct query *q;

	assert_done(p, q = query_open(p->ws, &p->e));
	assert_done(p, query_detail(q, attempt, d, &p->e));
	query_close(q);
}

/* Code as a script in the workspace (NULL: the script that is there), run, its detail read. */
static UNUSED void run_code(struct place *p, const char *script, const char *code, struct told *t, struct detail *d)
{
	struct run_request req = request();

	if (code)
		put(script, code);
	req.script = script;
	run_to_end(p, &req, t);
	assert_int_equal(t->last, RUN_ENDED);
	read_detail(p, t->attempt, d);
}

static UNUSED const struct entry *entry_of(const struct entry *entries, size_t n, const char *path)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(entries[i].path, path) == 0)
			return &entries[i];
	return NULL;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, case_setup, case_teardown)

#endif
