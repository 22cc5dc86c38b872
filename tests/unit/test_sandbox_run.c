/* Runs as the launcher sees them: its stop, its death, its descriptors, its mistakes. Programs under
 * many policies are in tests/sandbox. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/sandbox/impl.h"

#define HANG_GUARD_MS 60000

static struct sandbox_caps caps;
static char dir[] = "/tmp/tickmark-run-XXXXXX";

/* ---- one run, gathered -------------------------------------------------------------------------- */

struct gathered {
	struct buf out, err;
	int64_t groups, last_group, last_offset;
	bool in_order;
	const char *stop_word;  /* once this is in stdout, stop_w is written to */
	int stop_w;
	struct strv left;
	int left_limit;         /* collecting stops after so many; 0: never */
	struct sandbox_result r;
	struct sandbox_collected c;
};

static void take(void *ctx, enum stream_id stream, int64_t group, int64_t offset_us, const void *p, size_t n)
{
	struct gathered *g = ctx;

	buf_add(stream == STREAM_OUT ? &g->out : &g->err, p, n);
	g->in_order &= group >= g->last_group && offset_us >= g->last_offset;
	g->groups += group != g->last_group;
	g->last_group = group;
	g->last_offset = offset_us;
	if (g->stop_word != NULL && g->out.data != NULL && strstr(g->out.data, g->stop_word) != NULL) {
		assert_int_equal(write(g->stop_w, "x", 1), 1);
		g->stop_word = NULL;
	}
}

static bool take_left(void *ctx, const struct sandbox_left *left, struct err *e)
{
	struct gathered *g = ctx;

	strv_addf(&g->left, "%s%s", left->kind == LEFT_DELETED ? "-" : "", left->path);
	if (g->left_limit > 0 && (int)g->left.n >= g->left_limit)
		return err_set(e, ERR_FULL, "enough");
	return true;
}

static void free_gathered(struct gathered *g)
{
	buf_free(&g->out);
	buf_free(&g->err);
	strv_free(&g->left);
	sandbox_result_free(&g->r);
}

static struct sandbox_spec spec_of(const char *const *argv)
{
	struct sandbox_spec s = { .argv = argv, .box = "/home/u/ws", .cwd = ".", .stop_fd = -1 };

	policy_defaults(ASKER_PERSON, &s.policy);
	s.policy.tier = caps.tier;
	s.policy.scratch = caps.scratch;
	s.policy.limits.wall_ms = HANG_GUARD_MS;
	return s;
}

static struct sandbox_spec shell(const char *script, const char **argv)
{
	argv[0] = "/bin/sh";
	argv[1] = "-c";
	argv[2] = script;
	argv[3] = NULL;
	return spec_of(argv);
}

static bool run_spec(const struct sandbox_spec *s, struct gathered *g, struct err *e)
{
	const struct sandbox_sink sink = { .stream = take, .ctx = g };

	g->in_order = true;
	struct sandbox *sb = sandbox_prepare(s, e);
	bool ok = sb != NULL && sandbox_start(sb, e) && sandbox_run(sb, &sink, &g->r, e) &&
	          sandbox_collect(sb, take_left, g, &g->c, e);
	sandbox_free(sb);
	return ok;
}

static void run_shell(const char *script, struct gathered *g)
{
	const char *argv[4];
	struct sandbox_spec s = shell(script, argv);
	struct err e = { 0 };

	if (!run_spec(&s, g, &e))
		fail_msg("%s: %s", script, e.msg);
}

static char *make_layer(const char *name, const char *file, const char *text)
{
	char *path = path_join(dir, name), *whole = path_join(path, file), *parent = path_dir(whole);
	struct err e = { 0 };
	uid_t uid;
	gid_t gid;

	sandbox_owner(&uid, &gid);
	if (!fs_mkdirs(AT_FDCWD, parent, &e) || !fs_write(AT_FDCWD, whole, text, strlen(text), false, &e))
		fail_msg("%s", e.msg);
	if (uid != geteuid() && (chown(path, uid, gid) != 0 || chown(parent, uid, gid) != 0 || chown(whole, uid, gid) != 0))
		fail_msg("cannot give away %s", whole);
	free(whole);
	free(parent);
	return path;
}

/* ---- tests ---------------------------------------------------------------------------------------- */

static void test_result(void **state)
{
	struct gathered g = { 0 };

	(void)state;
	run_shell("echo out; echo err >&2; echo x > f; exit 4", &g);
	assert_int_equal(g.r.end, SANDBOX_EXIT);
	assert_int_equal(g.r.exit_code, 4);
	assert_int_equal(g.r.signal, 0);
	assert_string_equal(g.out.data, "out\n");
	assert_string_equal(g.err.data, "err\n");
	assert_true(g.in_order);
	assert_int_equal(g.r.out_bytes, 4);
	assert_int_equal(g.r.err_bytes, 4);
	assert_true(g.r.started_us > 0 && g.r.wall_us > 0 && g.r.peak_memory > 0 && g.r.scratch_used >= 4096);
	assert_true(g.r.opens_complete);
	assert_int_equal(g.r.killed, 0);
	assert_int_equal(g.left.n, 1);
	assert_int_equal(g.c.files, 1);
	assert_int_equal(g.c.bytes, 2);
	free_gathered(&g);
}

static void test_stop(void **state)
{
	struct gathered g = { .stop_word = "ready" };
	const char *argv[4];
	struct sandbox_spec s = shell("trap '' TERM INT HUP; echo kept > f; sleep 600 & echo ready; wait; sleep 600", argv);
	struct err e = { 0 };
	int p[2];

	(void)state;
	assert_int_equal(pipe(p), 0);
	s.stop_fd = p[0];
	g.stop_w = p[1];
	if (!run_spec(&s, &g, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(g.r.end, SANDBOX_STOPPED);
	assert_int_equal(g.r.exit_code, -1);
	assert_int_equal(g.r.signal, SIGKILL);
	assert_true(g.r.signal_ours);
	assert_null(g.r.limit);
	assert_int_equal(g.r.killed, 1);
	assert_int_equal(g.left.n, 1); /* what it wrote is kept */
	close(p[0]);
	close(p[1]);
	free_gathered(&g);
}

/* Stopped before it began. */
static void test_stop_at_once(void **state)
{
	struct gathered g = { 0 };
	const char *argv[4];
	struct sandbox_spec s = shell("sleep 600", argv);
	struct err e = { 0 };
	int p[2];

	(void)state;
	assert_int_equal(pipe(p), 0);
	close(p[1]); /* a hang-up is readable too */
	s.stop_fd = p[0];
	assert_true(run_spec(&s, &g, &e));
	assert_int_equal(g.r.end, SANDBOX_STOPPED);
	close(p[0]);
	free_gathered(&g);
}

static void test_limit_names_value_and_reached(void **state)
{
	struct gathered g = { 0 };
	const char *argv[4];
	struct sandbox_spec s = shell("sleep 600", argv);
	struct err e = { 0 };

	(void)state;
	s.policy.limits.wall_ms = 200;
	assert_true(run_spec(&s, &g, &e));
	assert_int_equal(g.r.end, SANDBOX_LIMIT);
	assert_ptr_equal(g.r.limit, limit_find("timeout"));
	assert_int_equal(g.r.limit_value, 200);
	assert_true(g.r.limit_reached >= 200);
	assert_true(g.r.signal_ours);
	free_gathered(&g);
}

static void test_interpreter_is_missing(void **state)
{
	const char *argv[] = { "/usr/bin/no-such-interpreter", NULL };
	struct sandbox_spec s = spec_of(argv);
	struct gathered g = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_true(run_spec(&s, &g, &e));
	assert_int_equal(g.r.end, SANDBOX_FAULT);
	assert_non_null(strstr(g.r.fault, "No such file"));
	free_gathered(&g);
}

static void test_mistakes_of_the_caller(void **state)
{
	const char *argv[4], *layer = "/nonexistent/layer", *prefix = "/nonexistent/python";
	struct sandbox_file bad = { "../x", "x", 1 };
	struct sandbox_spec s;
	struct err e;

	(void)state;
#define REFUSED(code_, part, change) \
	do { \
		s = shell("true", argv); \
		e = (struct err){ 0 }; \
		change; \
		struct sandbox *sb_ = sandbox_prepare(&s, &e); \
		assert_null(sb_); \
		if (e.code != (code_) || strstr(e.msg, part) == NULL) \
			fail_msg("%d: %s", e.code, e.msg); \
	} while (0)
	REFUSED(ERR_NOTFOUND, "/nonexistent/layer", (s.layers = &layer, s.layer_count = 1));
	REFUSED(ERR_NOTFOUND, "/nonexistent/python", (s.prefixes = &prefix, s.prefix_count = 1));
	REFUSED(ERR_INPUT, "\"/usr\"", s.box = "/usr");
	REFUSED(ERR_INPUT, "../x", (s.code = &bad, s.code_count = 1));
	REFUSED(ERR_INPUT, "../x", (s.home = &bad, s.home_count = 1));
	REFUSED(ERR_INPUT, "absolute", argv[0] = "sh");
	REFUSED(ERR_SANDBOX, "nothing runs unconfined", s.policy.tier = TIER_NONE);
	REFUSED(ERR_SANDBOX, "no scratch", s.policy.scratch = SCRATCH_NONE);
	REFUSED(ERR_INPUT, "disk", s.policy.scratch = SCRATCH_COPY);
#undef REFUSED
}

static void test_given_up(void **state)
{
	const char *argv[4];
	struct sandbox_spec s = shell("sleep 600", argv);
	struct err e = { 0 };

	(void)state;
	struct sandbox *sb = sandbox_prepare(&s, &e);
	assert_non_null(sb);
	pid_t pid = sb->pid;
	sandbox_free(sb); /* before it was ready */
	assert_int_equal(kill(pid, 0), -1);

	sb = sandbox_prepare(&s, &e);
	assert_true(sandbox_start(sb, &e));
	pid = sb->pid;
	sandbox_free(sb); /* while it runs */
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie either */
	sandbox_free(NULL);
}

/* The caller is killed: everything of the run goes with it, whatever it does to survive. */
static void test_death_of_the_caller(void **state)
{
	int word[2];

	(void)state;
	assert_int_equal(pipe(word), 0);
	pid_t caller = fork();
	if (caller == 0) {
		const char *argv[4];
		struct sandbox_spec s = shell("trap '' TERM HUP INT; (setsid sleep 600 &) ; echo up; sleep 600", argv);
		struct err e = { 0 };
		struct sandbox *sb = sandbox_prepare(&s, &e);
		if (sb == NULL || !sandbox_start(sb, &e))
			_exit(1);
		struct pollfd p = { .fd = sb->out, .events = POLLIN };
		poll(&p, 1, HANG_GUARD_MS);
		if (write(word[1], &sb->pid, sizeof sb->pid) < 0)
			_exit(1);
		pause();
		_exit(1);
	}
	pid_t keeper = 0;
	assert_int_equal(read(word[0], &keeper, sizeof keeper), sizeof keeper);
	int pidfd = (int)syscall(434 /* pidfd_open */, keeper, 0);
	assert_true(pidfd >= 0);
	assert_int_equal(kill(caller, SIGKILL), 0);
	assert_int_equal(waitpid(caller, NULL, 0), caller);
	/* Process 1 is gone only when all others of its namespace are. */
	struct pollfd p = { .fd = pidfd, .events = POLLIN };
	assert_int_equal(poll(&p, 1, HANG_GUARD_MS), 1);
	close(pidfd);
	close(word[0]);
	close(word[1]);
}

/* Descriptors without close-on-exec and a held lock: neither the program nor the keeper keeps them. */
static void test_no_descriptor_is_inherited(void **state)
{
	char *path = path_join(dir, "lock");
	int lock = open(path, O_RDWR | O_CREAT, 0600); /* no O_CLOEXEC on purpose */
	struct gathered g = { 0 };
	const char *argv[4];
	struct sandbox_spec s = shell("ls /proc/self/fd; echo ready; sleep 600", argv);
	struct err e = { 0 };

	(void)state;
	assert_true(lock >= 0);
	assert_int_equal(fcntl(lock, F_DUPFD, 200), 200);
	assert_int_equal(flock(lock, LOCK_EX | LOCK_NB), 0);
	struct sandbox *sb = sandbox_prepare(&s, &e);
	assert_non_null(sb);
	assert_true(sandbox_start(sb, &e));
	for (struct pollfd p = { .fd = sb->out, .events = POLLIN }; g.out.data == NULL || strstr(g.out.data, "ready") == NULL;) {
		char text[4096];
		assert_int_equal(poll(&p, 1, HANG_GUARD_MS), 1);
		ssize_t n = read(sb->out, text, sizeof text);
		assert_true(n > 0);
		buf_add(&g.out, text, (size_t)n);
	}
	assert_string_equal(g.out.data, "0\n1\n2\n3\nready\n"); /* 3 is the one that ls opened */
	close(lock);
	close(200);
	int again = open(path, O_RDWR | O_CLOEXEC);
	assert_int_equal(flock(again, LOCK_EX | LOCK_NB), 0); /* nobody holds it any more */
	close(again);
	sandbox_free(sb);
	free_gathered(&g);
	free(path);
}

/* What the caller ignores or blocks is not ignored or blocked inside. */
static void test_signals_are_reset(void **state)
{
	struct gathered g = { 0 };
	sigset_t all, before;

	(void)state;
	const unsigned long ignore[8] = { 1 }; /* SIG_IGN, for the kernel: the C library has no say over 32 and 33 */
	syscall(SYS_rt_sigaction, 32, ignore, NULL, 8);
	syscall(SYS_rt_sigaction, 33, ignore, NULL, 8);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	run_shell("grep -E '^Sig(Ign|Blk)' /proc/self/status | cut -f2 | sort -u; yes | head -1; kill -HUP $$; echo no", &g);
	sigprocmask(SIG_SETMASK, &before, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	assert_string_equal(g.out.data, "0000000000000000\ny\n");
	assert_int_equal(g.r.signal, SIGHUP);
	assert_false(g.r.signal_ours);
	free_gathered(&g);
}

static void test_twenty_layers(void **state)
{
	char *layers[20];
	struct gathered g = { 0 };
	const char *argv[4];
	struct sandbox_spec s = shell("cat f; ls | wc -l; cat 19.txt", argv);
	struct err e = { 0 };

	(void)state;
	for (int i = 0; i < 20; i++) {
		char *name = xasprintf("layers of a rather long name, so that options must not hold it/%d", i);
		char *text = xasprintf("%d\n", i), *file = xasprintf("%d.txt", i);
		layers[i] = make_layer(name, "f", text);
		free(make_layer(name, file, text));
		free(name);
		free(text);
		free(file);
	}
	s.layers = (const char *const *)layers;
	s.layer_count = 20;
	if (!run_spec(&s, &g, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(g.out.data, "0\n21\n19\n");
	assert_int_equal(g.left.n, 0);
	for (int i = 0; i < 20; i++)
		free(layers[i]);
	free_gathered(&g);
}

/* An interpreter's folder inside the folder itself: visible, read-only, no artifact. */
static void test_prefix_in_the_box(void **state)
{
	char *venv = make_layer("host/ws/venv", "bin/tool", "tool\n"), *box = path_join(dir, "host/ws");
	const char *prefixes[] = { venv }, *argv[4];
	struct sandbox_spec s = shell("cat venv/bin/tool; echo x > venv/bin/tool; rmdir venv; mv venv v2; ls; touch new", argv);
	struct gathered g = { 0 };
	struct err e = { 0 };

	(void)state;
	s.box = box;
	s.prefixes = prefixes;
	s.prefix_count = 1;
	if (!run_spec(&s, &g, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(g.out.data, "tool\nvenv\n");
	assert_int_equal(g.left.n, 1);
	assert_string_equal(g.left.v[0], "new");
	free(venv);
	free(box);
	free_gathered(&g);
}

static void test_environment_is_replaced_by_name(void **state)
{
	const char *argv[4], *env[] = { "PATH=/usr/bin", "NEW=two words", "TZ=Asia/Tokyo", NULL };
	struct sandbox_spec s = shell("echo \"$PATH|$NEW|$TZ|$HOME\"", argv);
	struct gathered g = { 0 };
	struct err e = { 0 };

	(void)state;
	s.env = env;
	assert_true(run_spec(&s, &g, &e));
	assert_string_equal(g.out.data, "/usr/bin|two words|Asia/Tokyo|" SANDBOX_HOME "\n");
	free_gathered(&g);

	char **built = policy_environment(&s.policy);
	bool utf8 = false;
	for (char **v = built; *v != NULL; v++) {
		utf8 |= strcmp(*v, "PYTHONUTF8=1") == 0;
		free(*v);
	}
	free(built);
	assert_true(utf8);
}

static void test_home_seeds(void **state)
{
	const struct sandbox_file home[] = { { "a/seed", "12345", 5 }, { "other", "x", 1 } };
	const char *argv[4];
	struct sandbox_spec s = shell("cat ~/a/seed; echo 54321 > ~/a/seed; cat ~/other > o2; cp o2 ~/other", argv);
	struct gathered g = { 0 };
	struct err e = { 0 };

	(void)state;
	s.home = home;
	s.home_count = 2;
	assert_true(run_spec(&s, &g, &e));
	assert_string_equal(g.out.data, "12345");
	assert_int_equal(g.left.n, 2); /* o2 and the changed seed; "other" came out the same */
	assert_string_equal(g.left.v[0], "o2");
	assert_string_equal(g.left.v[1], "~/a/seed");
	free_gathered(&g);
}

static void test_collector_stops_the_walk(void **state)
{
	struct gathered g = { .left_limit = 2 };
	const char *argv[4];
	struct sandbox_spec s = shell("touch a b c d", argv);
	struct err e = { 0 };

	(void)state;
	assert_false(run_spec(&s, &g, &e));
	assert_int_equal(e.code, ERR_FULL);
	assert_int_equal(g.left.n, 2);
	free_gathered(&g);
}

/* A watch that cannot be had never fails a run; the list is then incomplete. */
static void test_watch_of_what_is_not_there(void **state)
{
	const char *watch[] = { "no such folder", "." }, *argv[4];
	struct sandbox_spec s = shell("cat f", argv);
	char *layer = make_layer("watched", "f", "x");
	const char *layers[] = { layer };
	struct gathered g = { 0 };
	struct err e = { 0 };

	(void)state;
	s.watch = watch;
	s.watch_count = 2;
	s.layers = layers;
	s.layer_count = 1;
	assert_true(run_spec(&s, &g, &e));
	assert_true(g.r.opens_complete);
	assert_int_equal(g.r.opens_n, 1);
	assert_string_equal(g.r.opens[0].path, "f");
	assert_true(g.r.opens[0].read);
	free(layer);
	free_gathered(&g);
}

/* Reading a large file by small reads makes very many events: merged, none lost, the list complete. */
static void test_many_events(void **state)
{
	char *layer = make_layer("events", "a", ""), *path = path_join(layer, "a");
	const char *layers[] = { layer }, *watch[] = { "." }, *argv[4];
	struct sandbox_spec s = shell("dd if=a of=/dev/null bs=512 2>/dev/null; for i in 1 2 3 4 5; do cat a >/dev/null; done", argv);
	struct gathered g = { 0 };
	struct err e = { 0 };

	(void)state;
	assert_int_equal(truncate(path, 32 << 20), 0);
	s.layers = layers;
	s.layer_count = 1;
	s.watch = watch;
	s.watch_count = 1;
	assert_true(run_spec(&s, &g, &e));
	assert_true(g.r.opens_complete);
	assert_int_equal(g.r.opens_n, 1);
	free(layer);
	free(path);
	free_gathered(&g);
}

static void test_two_at_once(void **state)
{
	const char *argv[4], *argv2[4];
	struct sandbox_spec s = shell("echo one; cat", argv), s2 = shell("echo two; exit 3", argv2);
	struct gathered g = { 0 }, g2 = { 0 };
	const struct sandbox_sink sink = { take, &g }, sink2 = { take, &g2 };
	struct err e = { 0 };

	(void)state;
	struct sandbox *a = sandbox_prepare(&s, &e), *b = sandbox_prepare(&s2, &e);
	assert_non_null(a);
	assert_non_null(b);
	assert_true(sandbox_start(b, &e) && sandbox_run(b, &sink2, &g2.r, &e));
	assert_true(sandbox_start(a, &e) && sandbox_run(a, &sink, &g.r, &e));
	assert_string_equal(g.out.data, "one\n");
	assert_string_equal(g2.out.data, "two\n");
	assert_int_equal(g2.r.exit_code, 3);
	sandbox_free(a);
	sandbox_free(b);
	free_gathered(&g);
	free_gathered(&g2);
}

/* All of one stream arrives, to its last byte. */
static void test_many_bytes(void **state)
{
	struct gathered g = { 0 };

	(void)state;
	run_shell("seq 1 2000000", &g);
	assert_int_equal(g.r.out_bytes, 14888896);
	assert_int_equal(g.out.len, 14888896);
	assert_memory_equal(g.out.data + g.out.len - 16, "1999999\n2000000\n", 16);
	free_gathered(&g);
}

static void test_disk_is_left_clean(void **state)
{
	char *disk = path_join(dir, "disk"), *layer = make_layer("clean", "sub/f", "x");
	const char *layers[] = { layer }, *argv[4];
	struct err e = { 0 };

	(void)state;
	assert_int_equal(mkdir(disk, 0700), 0);
	for (enum scratch kind = SCRATCH_DISK; kind <= SCRATCH_COPY; kind++) {
		struct sandbox_spec s = shell("echo y >> sub/f; mkdir -p a/b; chmod 0 a", argv);
		struct gathered g = { 0 };
		s.policy.scratch = kind;
		s.disk_scratch = disk;
		s.layers = layers;
		s.layer_count = 1;
		if (!run_spec(&s, &g, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(g.left.n, 1);
		assert_string_equal(g.left.v[0], "sub/f");
		free_gathered(&g);
	}
	assert_int_equal(rmdir(disk), 0);
	free(disk);
	free(layer);
}

static void test_owner_is_never_root(void **state)
{
	uid_t uid;
	gid_t gid;

	(void)state;
	sandbox_owner(&uid, &gid);
	if (geteuid() == 0) {
		assert_int_equal(uid, 65534);
		assert_int_equal(gid, 65534);
	} else {
		assert_int_equal(uid, geteuid());
	}
}

static void test_defaults(void **state)
{
	struct policy person, assistant;

	(void)state;
	policy_defaults(ASKER_PERSON, &person);
	policy_defaults(ASKER_ASSISTANT, &assistant);
	assert_int_equal(person.limits.wall_ms, 600000);
	assert_int_equal(assistant.limits.wall_ms, 60000);
	assert_true(person.limits.memory_bytes >= INT64_C(2) << 30);
	assert_true(person.limits.scratch_bytes <= INT64_C(4) << 30);
	assert_int_equal(person.limits.processes, 128);
	assert_int_equal(person.limits.stream_head + person.limits.stream_tail, 64 << 20);
	for (size_t i = 0; i < limit_table_len; i++)
		assert_true(limit_get(&person.limits, &limit_table[i]) > 0);
	/* Twice what may be used, and what many threads merely reserve, fits. */
	assert_true(policy_address_space(&person.limits, true) > 2 * (uint64_t)person.limits.memory_bytes);
	person.limits.memory_bytes = 0;
	assert_int_equal(policy_address_space(&person.limits, true), 0);
}

static int set_up(void **state)
{
	struct err e = { 0 };

	(void)state;
	if (mkdtemp(dir) == NULL || !sandbox_probe(dir, &caps, &e)) {
		fprintf(stderr, "%s\n", e.msg);
		return -1;
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return fs_remove_tree(AT_FDCWD, dir, NULL) ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owner_is_never_root),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_result),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_stop_at_once),
		cmocka_unit_test(test_limit_names_value_and_reached),
		cmocka_unit_test(test_interpreter_is_missing),
		cmocka_unit_test(test_mistakes_of_the_caller),
		cmocka_unit_test(test_given_up),
		cmocka_unit_test(test_death_of_the_caller),
		cmocka_unit_test(test_no_descriptor_is_inherited),
		cmocka_unit_test(test_signals_are_reset),
		cmocka_unit_test(test_twenty_layers),
		cmocka_unit_test(test_prefix_in_the_box),
		cmocka_unit_test(test_environment_is_replaced_by_name),
		cmocka_unit_test(test_home_seeds),
		cmocka_unit_test(test_collector_stops_the_walk),
		cmocka_unit_test(test_watch_of_what_is_not_there),
		cmocka_unit_test(test_many_events),
		cmocka_unit_test(test_two_at_once),
		cmocka_unit_test(test_many_bytes),
		cmocka_unit_test(test_disk_is_left_clean),
	};
	struct sandbox_caps first;
	struct err e = { 0 };

	if (!sandbox_probe(NULL, &first, &e) || first.tier == TIER_NONE) {
		printf("no sandbox here: %s%s\n", first.why, e.msg);
		return getenv("SANDBOX_MUST_WORK") != NULL;
	}
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
