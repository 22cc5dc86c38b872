/*
 * Runs the tables of probes beside this file: a Python program each, the policy it runs under, and
 * what must come of it - the end, the output, the refusals recorded, the files left, the files seen
 * as opened. Denials are tested for the stated reason, so most programs check errno themselves and
 * print PASS at their end.
 *
 * As root every probe runs twice, the second time as an ordinary user (the program starts itself
 * again as uid 12345). Output is TAP. SANDBOX_MUST_WORK=1 turns "not available here" into failures.
 * Arguments: names of probes, to run only those.
 */
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox.h"

#include "probe.h"

#include "attacks.h"
#include "benign.h"
#include "limits.h"
#include "open.h"
#include "outputs.h"

#define USER 12345
#define MOST_OUTPUT (256 << 10) /* bytes kept of a stream */
#define MOST_LEFT 400

/* `where`: only under a tier without namespaces, or with a scratch on disk. */
enum where { ANYWHERE, ONLY_OPEN, ONLY_DISK };
static const struct { const char *name; const struct probe *probes; size_t n; enum where where; } tables[] = {
	{ "attack", attacks, ARRAY_LEN(attacks), ANYWHERE },
	{ "limit", limits, ARRAY_LEN(limits), ANYWHERE },
	{ "output", outputs, ARRAY_LEN(outputs), ANYWHERE },
	{ "benign", benign, ARRAY_LEN(benign), ANYWHERE },
	{ "open attack", open_attacks, ARRAY_LEN(open_attacks), ONLY_OPEN },
	{ "disk limit", disk_limits, ARRAY_LEN(disk_limits), ONLY_DISK },
};

/* Every way in which a run can be held, each forced in turn (TICKMARK_TEST_TIER and the like). */
static const struct { enum tier tier; enum scratch scratch; } ways[] = {
	{ TIER_A, SCRATCH_TMPFS_XATTR }, { TIER_A, SCRATCH_TMPFS }, { TIER_A, SCRATCH_DISK }, { TIER_A, SCRATCH_COPY },
	{ TIER_A_NOPROC, SCRATCH_TMPFS_XATTR },
	{ TIER_A_ROOT, SCRATCH_TMPFS_XATTR }, { TIER_A_ROOT, SCRATCH_TMPFS }, { TIER_A_ROOT, SCRATCH_DISK },
	{ TIER_B, SCRATCH_COPY },
};

struct runner {
	char *dir;            /* holds layers, scratch on disk, a copy of this program */
	char *layers[2];
	char *disk;
	struct sandbox_caps caps;
	bool root;            /* who started us; he tries everything as a plain user, too */
	bool forced;          /* another way than the machine's own choice: what is marked `everywhere` */
	char *who;            /* owned: "root", "user B copy" */
	struct stat secret;   /* a file of the caller's beside the layers, which nothing may change */
	int number;           /* of the last test */
	int failed;
	char **only;          /* names asked for; NULL: all */
};

/* What came of one run. */
struct seen {
	struct buf out, err;
	struct strv left;     /* "path", "path/" and "-path" for deleted ones, "path (note)" */
	struct sandbox_result result;
	struct sandbox_collected collected;
};

/* ---- files to run on ----------------------------------------------------------------------- */

static const struct { int layer; const char *path, *text; } layer_files[] = {
	{ 0, "data.csv", "name,value\na,1\nb,2\n" },
	{ 0, "sub/deep.txt", "deep\n" },
	{ 0, "over.txt", "from the upper layer\n" },
	{ 1, "over.txt", "from the lower layer\n" },
	{ 1, "gone/one.txt", "1\n" },
	{ 1, "gone/two.txt", "2\n" },
	{ 1, "append.txt", "first line\n" },
	{ 1, "rewrite.txt", "the old text, to be replaced as a whole\n" },
	{ 1, "same.txt", "same again\n" },
	{ 1, "edit.json", "{\"n\": 1}\n" },
	{ 1, "move.txt", "moved\n" },
	{ 1, "patch.txt", "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen se\n" },
	{ 1, "two words \xc3\xa4.txt", "umlaut\n" },
};
static const char *const watched[] = { ".", "sub", "gone" };

static void die_of(const struct err *e)
{
	printf("Bail out! %s\n", e->msg);
	exit(2);
}

static void give_away(const char *path)
{
	uid_t uid;
	gid_t gid;

	sandbox_owner(&uid, &gid);
	if (uid != geteuid() && lchown(path, uid, gid) != 0)
		printf("# cannot give away %s\n", path);
}

static void make_layers(struct runner *r)
{
	struct err e = { 0 };

	for (int i = 0; i < 2; i++) {
		/* A path that would break naive option strings. */
		r->layers[i] = xasprintf("%s/a:b, c\xc3\xa4/layer %d", r->dir, i);
		if (!fs_mkdirs(AT_FDCWD, r->layers[i], &e))
			die_of(&e);
		give_away(r->layers[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(layer_files); i++) {
		char *path = path_join(r->layers[layer_files[i].layer], layer_files[i].path), *dir = path_dir(path);
		if (!fs_mkdirs(AT_FDCWD, dir, &e) ||
		    !fs_write(AT_FDCWD, path, layer_files[i].text, strlen(layer_files[i].text), false, &e))
			die_of(&e);
		give_away(dir);
		give_away(path);
		free(dir);
		free(path);
	}
	char *secret = path_join(r->dir, "secret");
	if (!fs_write(AT_FDCWD, secret, "secret\n", 7, false, &e) || stat(secret, &r->secret) != 0)
		die_of(&e);
	free(secret);
	r->disk = path_join(r->dir, "disk");
	if (!fs_mkdirs(AT_FDCWD, r->disk, &e))
		die_of(&e);
}

/* ---- one run ---------------------------------------------------------------------------------- */

static void take_stream(void *ctx, enum stream_id stream, int64_t group, int64_t offset_us, const void *p, size_t n)
{
	struct seen *s = ctx;
	struct buf *b = stream == STREAM_OUT ? &s->out : &s->err;

	(void)group, (void)offset_us;
	if (b->len < MOST_OUTPUT)
		buf_add(b, p, MIN(n, MOST_OUTPUT - b->len));
}

static bool take_left(void *ctx, const struct sandbox_left *left, struct err *e)
{
	struct seen *s = ctx;

	(void)e;
	if (s->left.n >= MOST_LEFT)
		return true;
	if (left->kind == LEFT_DELETED)
		strv_addf(&s->left, "-%s", left->path);
	else if (left->kind == LEFT_OTHER)
		strv_addf(&s->left, "%s (%s)", left->path, left->note);
	else
		strv_addf(&s->left, "%s %o %lld%s", left->path, left->mode, (long long)left->size,
		          left->blocks_bytes < left->size / 2 ? " sparse" : "");
	return true;
}

static void apply_limits(struct limits *to, const struct limits *changes)
{
	for (size_t i = 0; i < limit_table_len; i++)
		if (limit_get(changes, &limit_table[i]) != 0)
			limit_put(to, &limit_table[i], limit_get(changes, &limit_table[i]));
}

static bool run_probe(struct runner *r, const struct probe *p, struct seen *s, struct err *e)
{
	const char *argv[12] = { "/usr/bin/python3", "main.py" };
	const struct sandbox_file code = { "main.py", p->source, strlen(p->source) };
	const struct sandbox_file home = { ".cache/seed.json", "{}", 2 }, support = { "hook.py", "HOOK = 1\n", 9 };
	struct sandbox_spec spec = {
		.argv = argv, .box = p->box != NULL ? p->box : "/home/analyst/work space", .cwd = p->cwd != NULL ? p->cwd : ".",
		.layers = (const char *const *)r->layers, .layer_count = 2, .code = &code, .code_count = 1,
		.support = &support, .support_count = 1, .home = &home, .home_count = 1,
		.watch = watched, .watch_count = ARRAY_LEN(watched), .stop_fd = -1, .disk_scratch = r->disk,
	};
	const struct sandbox_sink sink = { .stream = take_stream, .ctx = s };

	char pid[32], *where = xasprintf("PROBE_DIR=%s", r->dir);
	snprintf(pid, sizeof pid, "PROBE_PID=%d", (int)getpid());
	const char *env[] = { where, pid, NULL };
	spec.env = env;

	for (size_t i = 0; i < ARRAY_LEN(p->args) && p->args[i] != NULL; i++)
		argv[2 + i] = p->args[i];
	if (p->cwd != NULL)
		argv[1] = "/mnt/data/main.py";
	policy_defaults(ASKER_ASSISTANT, &spec.policy);
	spec.policy.tier = r->caps.tier;
	spec.policy.scratch = p->scratch != SCRATCH_NONE ? p->scratch : r->caps.scratch;
	apply_limits(&spec.policy.limits, &p->limits);

	struct sandbox *sb = sandbox_prepare(&spec, e);
	bool ok = sb != NULL && sandbox_start(sb, e) && sandbox_run(sb, &sink, &s->result, e) &&
	          sandbox_collect(sb, take_left, s, &s->collected, e);
	sandbox_free(sb);
	free(where);
	return ok;
}

static void free_seen(struct seen *s)
{
	buf_free(&s->out);
	buf_free(&s->err);
	strv_free(&s->left);
	sandbox_result_free(&s->result);
}

/* ---- judging ------------------------------------------------------------------------------------ */

static const char *const end_words[] = {
	[SANDBOX_EXIT] = "exit", [SANDBOX_LIMIT] = "limit", [SANDBOX_STOPPED] = "stopped", [SANDBOX_FAULT] = "fault",
};

PRINTF(2, 3)
static void complain(struct buf *why, const char *fmt, ...)
{
	va_list ap;

	buf_adds(why, "# ");
	va_start(ap, fmt);
	buf_vaddf(why, fmt, ap);
	va_end(ap);
	buf_adds(why, "\n");
}

static void judge_end(const struct probe *p, const struct sandbox_result *res, struct buf *why)
{
	if (res->end != p->end)
		complain(why, "ended by %s, not %s (%s)", end_words[res->end], end_words[p->end], res->fault);
	const char *limit = res->limit != NULL ? res->limit->name : "";
	if (p->end == SANDBOX_LIMIT && (p->limit == NULL || strcmp(limit, p->limit) != 0))
		complain(why, "limit \"%s\", not \"%s\"", limit, p->limit);
	if (p->end == SANDBOX_EXIT && res->signal != p->signal)
		complain(why, "signal %d, not %d", res->signal, p->signal);
	if (p->end == SANDBOX_EXIT && p->signal == 0 && res->exit_code != p->exit)
		complain(why, "exit status %d, not %d", res->exit_code, p->exit);
	if (p->end == SANDBOX_EXIT && res->signal_ours)
		complain(why, "a signal is claimed to be ours");
	const bool at[] = { res->at_memory, res->at_scratch, res->at_files, res->at_processes };
	static const char *const names[] = { "memory", "scratch", "files", "processes" };
	for (size_t i = 0; i < ARRAY_LEN(at); i++)
		if (at[i] != (p->at != NULL && strcmp(p->at, names[i]) == 0))
			complain(why, "counter of %s %s", names[i], at[i] ? "stood at its maximum" : "did not stand at its maximum");
	if (res->killed < p->killed)
		complain(why, "%lld processes killed, not %lld", (long long)res->killed, (long long)p->killed);
}

static bool has_refusal(const struct sandbox_result *res, const char *wanted)
{
	for (size_t i = 0; i < res->refusals_n; i++) {
		const struct refusal *f = &res->refusals[i];
		char *text = xasprintf("%s %s%s%s%s", f->kind, f->call, f->argument[0] != '\0' ? " " : "", f->argument,
		                       f->harmless ? " harmless" : "");
		bool same = strcmp(text, wanted) == 0;
		free(text);
		if (same && f->count > 0 && f->first_us >= 0 && f->last_us >= f->first_us)
			return true;
	}
	return false;
}

static void judge_refusals(const struct probe *p, const struct sandbox_result *res, struct buf *why)
{
	for (size_t i = 0; i < ARRAY_LEN(p->refused) && p->refused[i] != NULL; i++)
		if (!has_refusal(res, p->refused[i]))
			complain(why, "refusal \"%s\" was not recorded", p->refused[i]);
	for (size_t i = 0; p->refused[0] == NULL && !p->any_refusal && i < res->refusals_n; i++)
		if (!res->refusals[i].harmless)
			complain(why, "unexpected refusal: %s %s %s", res->refusals[i].kind, res->refusals[i].call,
			         res->refusals[i].argument);
}

static void judge_left(const struct probe *p, const struct seen *s, struct buf *why)
{
	size_t n = 0;

	while (n < ARRAY_LEN(p->left) && p->left[n] != NULL)
		n++;
	for (size_t i = 0; i < n; i++)
		if (i >= s->left.n || strcmp(s->left.v[i], p->left[i]) != 0)
			complain(why, "left[%zu] is \"%s\", not \"%s\"", i, i < s->left.n ? s->left.v[i] : "", p->left[i]);
	for (size_t i = n; i < s->left.n && !p->any_left; i++)
		complain(why, "also left: \"%s\"", s->left.v[i]);
	if (p->left_out != (s->collected.left_out > 0))
		complain(why, "%lld left out (%s)", (long long)s->collected.left_out, s->collected.first_left_out);
}

static void judge_opens(const struct probe *p, const struct sandbox_result *res, struct buf *why)
{
	if (!res->opens_complete)
		complain(why, "the list of opened files is incomplete");
	for (size_t i = 0; i < ARRAY_LEN(p->opens) && p->opens[i] != NULL; i++) {
		bool found = false;
		for (size_t k = 0; k < res->opens_n && !found; k++) {
			const struct sandbox_open *o = &res->opens[k];
			char *text = xasprintf("%s:%s%s%s%s", o->path, o->read ? " read" : "", o->written ? " written" : "",
			                       o->from_nothing ? " from-nothing" : "", o->deleted ? " deleted" : "");
			found = strcmp(text, p->opens[i]) == 0;
			if (!found && strncmp(text, p->opens[i], strcspn(p->opens[i], ":") + 1) == 0)
				complain(why, "seen as \"%s\"", text);
			free(text);
		}
		if (!found)
			complain(why, "not seen: \"%s\"", p->opens[i]);
	}
}

static void quote_stream(struct buf *why, const char *name, const struct buf *b)
{
	complain(why, "%s, %zu bytes:", name, b->len);
	size_t from = b->len > 1500 ? b->len - 1500 : 0;
	buf_adds(why, "#   ");
	for (size_t i = from; i < b->len; i++) {
		unsigned char c = (unsigned char)b->data[i];
		if (c == '\n')
			buf_adds(why, "\n#   ");
		else if (c < ' ' || c == 127)
			buf_addf(why, "\\x%02x", c);
		else
			buf_addc(why, (char)c);
	}
	buf_adds(why, "\n");
}

static void judge_caller(const struct runner *r, struct buf *why)
{
	char *path = path_join(r->dir, "secret");
	struct stat st;
	sigset_t pending;

	if (sigpending(&pending) == 0 && sigismember(&pending, SIGURG))
		complain(why, "a signal reached the caller");

	if (stat(path, &st) != 0 || st.st_mode != r->secret.st_mode || st.st_size != r->secret.st_size ||
	    st.st_ino != r->secret.st_ino || st.st_uid != r->secret.st_uid || st.st_nlink != 1 ||
	    st.st_mtim.tv_sec != r->secret.st_mtim.tv_sec || st.st_ctim.tv_sec != r->secret.st_ctim.tv_sec)
		complain(why, "a file of the caller's was changed");
	free(path);
}

static void judge(struct runner *r, const struct probe *p, const struct seen *s, struct buf *why)
{
	const char *out = s->out.data != NULL ? s->out.data : "", *err = s->err.data != NULL ? s->err.data : "";

	judge_end(p, &s->result, why);
	judge_refusals(p, &s->result, why);
	judge_left(p, s, why);
	judge_opens(p, &s->result, why);
	judge_caller(r, why);
	if (p->out != NULL && strstr(out, p->out) == NULL)
		complain(why, "stdout lacks \"%s\"", p->out);
	if (p->err != NULL && strstr(err, p->err) == NULL)
		complain(why, "stderr lacks \"%s\"", p->err);
	if (p->least_out > s->result.out_bytes)
		complain(why, "only %lld bytes came out", (long long)s->result.out_bytes);
	if (why->len > 0) {
		quote_stream(why, "stdout", &s->out);
		quote_stream(why, "stderr", &s->err);
	}
}

/* ---- the runner ---------------------------------------------------------------------------------- */

static bool is_on_disk(enum scratch s)
{
	return s == SCRATCH_DISK || s == SCRATCH_COPY;
}

/* Of each table: sanitizers see little of what a run does and get a sample; so do, but with SOAK, root, who tries all
 * of it as a plain user too, and the ways of holding a run that this machine would not choose, each its own. */
#ifdef __SANITIZE_ADDRESS__
#define EVERY 6
#else
#define EVERY 1
#endif
#define EVERY_OTHER 3

static bool is_in_sample(const struct runner *r, size_t probe, enum tier tier, enum scratch scratch)
{
	size_t every = r->forced || r->root ? EVERY * EVERY_OTHER : EVERY;

	return getenv("SOAK") != NULL || (probe + (r->forced ? (size_t)tier + (size_t)scratch : 0)) % every == 0;
}

/* ---- the control group of a launcher that was killed ------------------------------------------------- */

#define GROUPS "groups of a killed launcher"

static int count_named(const char *folder)
{
	DIR *d = opendir(folder);
	int n = 0;

	for (struct dirent *ent; d != NULL && (ent = readdir(d)) != NULL;)
		n += strncmp(ent->d_name, "tickmark-", 9) == 0;
	if (d != NULL)
		closedir(d);
	return n;
}

/* In our own group and those above it. */
static int count_groups(void)
{
	struct buf b = { 0 };
	int n = 0;

	if (!fs_read(AT_FDCWD, "/proc/self/cgroup", 4096, &b, NULL))
		return 0;
	char *own = strstr(b.data, "0::/");
	char *path = xasprintf("/sys/fs/cgroup%.*s", own != NULL ? (int)strcspn(own + 3, "\n") : 0, own != NULL ? own + 3 : "");
	for (char *slash; strcmp(path, "/sys/fs/cgroup") != 0 && (slash = strrchr(path, '/')) != NULL; *slash = '\0')
		n += count_named(path);
	free(path);
	buf_free(&b);
	return n + count_named("/sys/fs/cgroup");
}

/* Leaves a group behind as a launcher does that is killed; the keeper goes when it sees that. */
static void leave_group(const struct runner *r)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)!sandbox_begin(r->caps.tier, NULL);
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, NULL, 0);
}

static void report_groups(struct runner *r)
{
	if (!sandbox_counts_memory()) {
		printf("ok %d - %s %s # SKIP no control group with the memory controller\n", ++r->number, r->who, GROUPS);
		fflush(stdout);
		return;
	}
	int before = count_groups();
	leave_group(r);
	int left = count_groups() - before, tries = 0;
	/* Its first process may take a moment to go. */
	while (sandbox_counts_memory() && count_groups() > before && tries++ < 400)
		usleep(50000);
	bool ok = left == 1 && count_groups() == before;
	printf("%s %d - %s %s\n", ok ? "ok" : "not ok", ++r->number, r->who, GROUPS);
	if (!ok)
		printf("# %d were left, and now there are %d more than before\n", left, count_groups() - before);
	fflush(stdout);
	r->failed += !ok;
}

static bool is_named(const struct runner *r, const char *name)
{
	for (char **v = r->only; v != NULL && *v != NULL; v++)
		if (strcmp(*v, name) == 0)
			return true;
	return r->only == NULL;
}

/* Is the probe one of this table for runs held this way? */
static bool is_asked_for(const struct runner *r, size_t table, const struct probe *p, enum tier tier, enum scratch scratch)
{
	if (tables[table].where == ONLY_OPEN && tier != TIER_B)
		return false;
	if (tables[table].where == ONLY_DISK && !is_on_disk(scratch))
		return false;
	if (tables[table].where == ANYWHERE && r->forced && !p->everywhere)
		return false;
	if (r->only == NULL)
		return is_in_sample(r, (size_t)(p - tables[table].probes), tier, scratch);
	for (char **v = r->only; *v != NULL; v++)
		if (strcmp(*v, p->name) == 0)
			return true;
	return false;
}

static void report(struct runner *r, const char *table, const struct probe *p)
{
	bool must = getenv("SANDBOX_MUST_WORK") != NULL;
	struct seen s = { 0 };
	struct buf why = { 0 };
	struct err e = { 0 };

	if (p->counted && !sandbox_counts_memory()) {
		printf("ok %d - %s %s: %s # SKIP no control group with the memory controller\n", ++r->number, r->who, table, p->name);
		fflush(stdout);
		return;
	}
	if (!run_probe(r, p, &s, &e))
		complain(&why, "%s", e.msg);
	else
		judge(r, p, &s, &why);
	bool skip = s.out.data != NULL && strncmp(s.out.data, "SKIP", 4) == 0 && !must;
	bool ok = skip || why.len == 0;
	printf("%s %d - %s %s: %s%s%s", ok ? "ok" : "not ok", ++r->number, r->who, table, p->name,
	       skip ? " # SKIP " : "", skip ? s.out.data + 5 : "\n");
	if (!ok)
		fputs(why.data, stdout);
	fflush(stdout);
	r->failed += !ok;
	buf_free(&why);
	free_seen(&s);
}

static void run_all(struct runner *r)
{
	for (size_t t = 0; t < ARRAY_LEN(tables); t++)
		for (size_t i = 0; i < tables[t].n; i++)
			if (is_asked_for(r, t, &tables[t].probes[i], r->caps.tier, r->caps.scratch))
				report(r, tables[t].name, &tables[t].probes[i]);
}

static int count_way(const struct runner *r, enum tier tier, enum scratch scratch)
{
	int n = 0;

	for (size_t t = 0; t < ARRAY_LEN(tables); t++)
		for (size_t i = 0; i < tables[t].n; i++)
			n += is_asked_for(r, t, &tables[t].probes[i], tier, scratch);
	return n;
}

/* The way that the machine chooses is done already, in full. As root those that differ for root. */
static bool is_other_way(size_t way, bool root, enum tier tier, enum scratch scratch)
{
	bool differs = ways[way].tier == TIER_A_ROOT || ways[way].tier == TIER_B;

	if (root ? !differs : ways[way].tier == TIER_A_ROOT)
		return false;
	return ways[way].tier != tier || ways[way].scratch != scratch;
}

/* By whoever started us: then this way only. */
static bool is_forced(void)
{
	return getenv(SANDBOX_TEST_TIER) != NULL || getenv(SANDBOX_TEST_SCRATCH) != NULL;
}

static int count_all(struct runner *r, bool root)
{
	bool own = r->root;

	r->root = root;
	int n = count_way(r, r->caps.tier, r->caps.scratch) + is_named(r, GROUPS);
	r->forced = !is_forced();
	for (size_t w = 0; r->forced && w < ARRAY_LEN(ways); w++)
		if (is_other_way(w, root, r->caps.tier, r->caps.scratch))
			n += count_way(r, ways[w].tier, ways[w].scratch);
	r->forced = false;
	r->root = own;
	return n;
}

static void run_way(struct runner *r, size_t w)
{
	bool must = getenv("SANDBOX_MUST_WORK") != NULL;
	struct err e = { 0 };
	char *who = r->who;

	setenv(SANDBOX_TEST_TIER, tier_word(ways[w].tier), 1);
	setenv(SANDBOX_TEST_SCRATCH, scratch_word(ways[w].scratch), 1);
	if (!sandbox_probe(r->disk, &r->caps, &e))
		die_of(&e);
	r->who = xasprintf("%s %s %s", who, tier_word(ways[w].tier), scratch_word(ways[w].scratch));
	if (r->caps.tier != TIER_NONE) {
		run_all(r);
	} else {
		int n = count_way(r, ways[w].tier, ways[w].scratch);
		for (int i = 0; i < n; i++)
			printf("%s %d - %s%s%s\n", must ? "not ok" : "ok", ++r->number, r->who, must ? ": " : " # SKIP ", r->caps.why);
		r->failed += must ? n : 0;
	}
	unsetenv(SANDBOX_TEST_TIER);
	unsetenv(SANDBOX_TEST_SCRATCH);
	free(r->who);
	r->who = who;
}

static void run_other_ways(struct runner *r)
{
	const struct sandbox_caps own = r->caps;

	r->forced = true;
	for (size_t w = 0; w < ARRAY_LEN(ways); w++)
		if (is_other_way(w, geteuid() == 0, own.tier, own.scratch))
			run_way(r, w);
	r->forced = false;
	r->caps = own;
}

static int run_as_user(const struct runner *r, char **argv)
{
	char *copy = path_join(r->dir, "probes"), number[16];
	struct err e = { 0 };
	int in = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), out = open(copy, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	int status = 0;

	if (in < 0 || out < 0 || !fs_copy(in, out, copy, &e) || fchmod(out, 0755) != 0)
		die_of(&e);
	close(out);
	close(in);
	if (chmod(r->dir, 0755) != 0)
		printf("# cannot open %s for the user\n", r->dir);
	snprintf(number, sizeof number, "%d", r->number);
	pid_t pid = fork();
	if (pid == 0) {
		setenv("PROBES_FROM", number, 1);
		if (setgroups(0, NULL) == 0 && setresgid(USER, USER, USER) == 0 && setresuid(USER, USER, USER) == 0)
			execv(copy, argv);
		_exit(2);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 1;
	free(copy);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

int main(int argc, char **argv)
{
	struct runner r = { .who = xstrdup(geteuid() == 0 ? "root" : "user"), .only = argc > 1 ? argv + 1 : NULL,
		               .root = geteuid() == 0 };
	const char *from = getenv("PROBES_FROM");
	bool twice = geteuid() == 0 && from == NULL;
	struct err e = { 0 };
	char dir[] = "/tmp/tickmark-probes-XXXXXX";

	if (mkdtemp(dir) == NULL || !sandbox_probe(dir, &r.caps, &e))
		die_of(&e);
	r.dir = dir;
	if (r.caps.tier == TIER_NONE) {
		bool must = getenv("SANDBOX_MUST_WORK") != NULL;
		printf(must ? "1..1\nnot ok 1 - a sandbox can be had\n# %s\n" : "1..0 # SKIP %s\n", r.caps.why);
		fs_remove_tree(AT_FDCWD, dir, NULL);
		return must;
	}
	r.number = from != NULL ? atoi(from) : 0;
	if (from == NULL)
		printf("1..%d\n", count_all(&r, geteuid() == 0) + (twice ? count_all(&r, false) : 0));
	printf("# %s: tier %s, scratch %s, Landlock ABI %d %s\n", r.who, tier_word(r.caps.tier), scratch_word(r.caps.scratch),
	       r.caps.landlock_abi, r.caps.why);
	fflush(stdout);
	sigset_t urgent;
	sigemptyset(&urgent);
	sigaddset(&urgent, SIGURG);
	sigprocmask(SIG_BLOCK, &urgent, NULL); /* judge_caller */
	/* What must not reach a run. */
	setenv("SECRET_OF_THE_CALLER", "1", 1);
	make_layers(&r);
	run_all(&r);
	if (is_named(&r, GROUPS))
		report_groups(&r);
	if (!is_forced())
		run_other_ways(&r);
	int status = r.failed > 0;
	if (twice)
		status |= run_as_user(&r, argv);
	fs_remove_tree(AT_FDCWD, dir, NULL);
	free(r.layers[0]);
	free(r.layers[1]);
	free(r.disk);
	free(r.who);
	return status;
}
