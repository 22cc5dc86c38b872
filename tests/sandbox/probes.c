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

#include "running.h"
#include "judging.h"
#include "groups.h"

/* `where`: only under a tier without namespaces, or with a scratch on disk. `site`: Python as users start it; what only
 * asks the kernel needs none of its packages, and starts in half the time without looking for them. */
enum where { ANYWHERE, ONLY_OPEN, ONLY_DISK };
static const struct { const char *name; const struct probe *probes; size_t n; enum where where; bool site; } tables[] = {
	{ "attack", attacks, ARRAY_LEN(attacks), ANYWHERE, false },
	{ "limit", limits, ARRAY_LEN(limits), ANYWHERE, false },
	{ "output", outputs, ARRAY_LEN(outputs), ANYWHERE, false },
	{ "benign", benign, ARRAY_LEN(benign), ANYWHERE, true },
	{ "open attack", open_attacks, ARRAY_LEN(open_attacks), ONLY_OPEN, false },
	{ "disk limit", disk_limits, ARRAY_LEN(disk_limits), ONLY_DISK, false },
};

/* Every way in which a run can be held, each forced in turn (TICKMARK_TEST_TIER and the like). */
static const struct { enum tier tier; enum scratch scratch; } ways[] = {
	{ TIER_A, SCRATCH_TMPFS_XATTR }, { TIER_A, SCRATCH_TMPFS }, { TIER_A, SCRATCH_DISK }, { TIER_A, SCRATCH_COPY },
	{ TIER_A_NOPROC, SCRATCH_TMPFS_XATTR },
	{ TIER_A_ROOT, SCRATCH_TMPFS_XATTR }, { TIER_A_ROOT, SCRATCH_TMPFS }, { TIER_A_ROOT, SCRATCH_DISK },
	{ TIER_B, SCRATCH_COPY },
};

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

static void report(struct runner *r, size_t t, const struct probe *p)
{
	const char *table = tables[t].name;
	bool must = getenv("SANDBOX_MUST_WORK") != NULL;
	struct seen s = { 0 };
	struct buf why = { 0 };
	struct err e = { 0 };

	if (p->counted && !sandbox_counts_memory()) {
		printf("ok %d - %s %s: %s # SKIP no control group with the memory controller\n", ++r->number, r->who, table, p->name);
		fflush(stdout);
		return;
	}
	if (!run_probe(r, p, tables[t].site, &s, &e))
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
				report(r, t, &tables[t].probes[i]);
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
