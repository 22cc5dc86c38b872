/* What this machine can do, finding by finding, each with what to do about it. */
#include "bytecode.h"
#include "own_python.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#define LITTLE_SPACE (1LL << 30)
#define BYTECODE_SHARE 10 /* one module in so many may be without */

struct report {
	struct workspace *ws;  /* NULL: outside of any */
	void (*fn)(void *ctx, const struct finding *f);
	void *ctx;
};

static void tell(const struct report *r, const char *what, bool good, char *state, const char *remedy)
{
	struct finding f = { .what = what, .state = state, .remedy = remedy ? remedy : "", .good = good };

	r->fn(r->ctx, &f);
	free(state);
}

static void look_at_kernel(const struct report *r)
{
	struct utsname u;

	uname(&u);
	tell(r, "kernel", true, xasprintf("%s %s %s", u.sysname, u.release, u.machine), NULL);
}

bool doctor_caps(struct workspace *ws, struct sandbox_caps *out, struct err *e)
{
	const struct sandbox_caps *known;

	if (ws) {
		if (!workspace_caps(ws, &known, e))
			return false;
		*out = *known;
		return true;
	}
	char dir[] = "/tmp/tickmark-doctor-XXXXXX";
	if (!mkdtemp(dir))
		return err_sys(e, "cannot make a folder in /tmp");
	bool ok = sandbox_probe(dir, out, e);
	fs_remove_tree(AT_FDCWD, dir, NULL);
	return ok;
}

static void look_at_sandbox(const struct report *r)
{
	static const char *const tiers[] = {
		[TIER_NONE] = "none: nothing can be run",
		[TIER_A] = "full (tier A)",
		[TIER_A_NOPROC] = "full, but without /proc (tier A-noproc)",
		[TIER_A_ROOT] = "full, made by root without user namespaces (tier A-root)",
		[TIER_B] = "weaker: Landlock and filter alone (tier B)",
	};
	static const char *const scratches[] = {
		[SCRATCH_NONE] = "none",
		[SCRATCH_TMPFS_XATTR] = "in memory, limited",
		[SCRATCH_TMPFS] = "in memory, limited; attached folders cannot be removed by a run",
		[SCRATCH_DISK] = "on disk",
		[SCRATCH_COPY] = "a copy on disk: every run copies the attached files",
	};
	struct sandbox_caps caps = { 0 };
	struct err e = { 0 };

	if (!doctor_caps(r->ws, &caps, &e)) {
		tell(r, "sandbox", false, xstrdup(e.msg), "");
		return;
	}
	tell(r, "sandbox", caps.tier == TIER_A || caps.tier == TIER_A_ROOT, xstrdup(tiers[caps.tier]), caps.why);
	if (caps.tier != TIER_NONE)
		tell(r, "scratch", caps.scratch == SCRATCH_TMPFS_XATTR || caps.scratch == SCRATCH_TMPFS,
		     xstrdup(scratches[caps.scratch]), caps.scratch == SCRATCH_TMPFS_XATTR ? "" : caps.tier == TIER_B ? "namespaces do better" : "a kernel from 6.6 on does better");
	bool counted = caps.tier != TIER_NONE && sandbox_counts_memory();
	tell(r, "memory", true, xstrdup(counted ? "of a run is counted by the kernel (control group)"
	                                        : "of a run is counted by its keeper, which looks up to 50 times a second"),
	     counted ? "" : "where systemd gives the session a group of its own (systemd-run --user --scope), the kernel does it");
	if (caps.landlock_abi)
		tell(r, "Landlock", true, xasprintf("version %d", caps.landlock_abi), NULL);
	else
		tell(r, "Landlock", false, xstrdup("not there"), "a kernel from 5.13 on, with landlock among its lsm=");
}

/* ---- the interpreter ---- */

static void look_at_packages(const struct report *r, const struct interpreter *i)
{
	static const char *const wanted[] = { "pandas", "openpyxl", "matplotlib" };
	struct buf has = { 0 }, lacks = { 0 };
	char version[32];

	for (size_t k = 0; k < ARRAY_LEN(wanted); k++)
		if (interpreter_has(i, wanted[k], version))
			buf_addf(&has, "%s%s %s", has.len ? ", " : "", wanted[k], version);
		else
			buf_addf(&lacks, "%s%s", lacks.len ? ", " : "", wanted[k]);
	if (lacks.len) {
		buf_addf(&has, "%swithout %s", has.len ? "; " : "", lacks.data);
		char *remedy = xasprintf("%s -m pip install …, or another interpreter: tickmark config python PATH", i->path);
		tell(r, "packages", true, buf_take(&has), remedy);
		free(remedy);
	} else {
		tell(r, "packages", true, buf_take(&has), NULL);
	}
	buf_free(&lacks);
	buf_free(&has);
}

/* A few are always without: templates, code for other versions. */
static void look_at_bytecode(const struct report *r, const struct interpreter *i)
{
	struct bytecode b;

	bytecode_count(i, &b);
	if (b.modules == 0)
		return;
	if (b.without * BYTECODE_SHARE <= b.modules) {
		tell(r, "byte code", true, xasprintf("packages are compiled (%lld modules)", (long long)b.modules), NULL);
		return;
	}
	bool ours = access(b.folder, W_OK) == 0;
	char *remedy = xasprintf("every run compiles them anew, as it may not write there: %s%s -m compileall -q '%s'",
	                         ours ? "" : "sudo ", i->path, b.folder);
	tell(r, "byte code", false, xasprintf("%lld of %lld modules of packages are not compiled", (long long)b.without,
	                                      (long long)b.modules), remedy);
	free(remedy);
}

static void tell_own_python(void *ctx, char *state, const char *remedy)
{
	tell(ctx, "your Python", true, state, remedy);
}

static void look_at_interpreter(const struct report *r)
{
	struct interpreter i = { 0 };
	struct err e = { 0 };

	if (!r->ws)
		return;
	if (!interpreter_choose(r->ws, NULL, &i, &e)) {
		tell(r, "interpreter", false, xstrdup(e.msg), "tickmark config python PATH");
		return;
	}
	tell(r, "interpreter", true, xasprintf("%s %s, %s (%s)", i.env.implementation, i.env.version, i.path, i.origin), NULL);
	look_at_packages(r, &i);
	look_at_bytecode(r, &i);
	own_python_each(i.env.version, i.user_base != NULL, tell_own_python, (void *)r);
	interpreter_free(&i);
}

/* ---- the record ---- */

static void look_at_record(const struct report *r)
{
	struct err e = { 0 };
	const char *why = NULL;

	if (!r->ws) {
		tell(r, "record", true, xstrdup("no workspace here"), "tickmark init makes one");
		return;
	}
	struct store *st = workspace_store(r->ws, &e);
	if (!st) {
		tell(r, "record", false, xstrdup(e.msg), "");
		return;
	}
	const char *mode = store_journal(st, &why);
	bool wal = strcmp(mode, "wal") == 0;
	tell(r, "record", wal, xasprintf("%s, journal %s", r->ws->record, mode), wal ? "" : workspace_notice(r->ws) ? workspace_notice(r->ws) : why);
}

/* What others could read, of what only the user should. */
static void look_at_rights(const struct report *r)
{
	static const char *const names[] = { ".tickmark", ".tickmark/record.db", ".tickmark/record.db-wal", ".tickmark/config",
	                                     ".tickmark/run", ".tickmark/cache" };
	struct buf wide = { 0 };
	struct stat st;

	if (!r->ws)
		return;
	for (size_t k = 0; k < ARRAY_LEN(names); k++)
		if (fstatat(r->ws->dir, names[k], &st, AT_SYMLINK_NOFOLLOW) == 0 && (st.st_mode & 077))
			buf_addf(&wide, "%s%s", wide.len ? ", " : "", names[k]);
	if (wide.len) {
		char *remedy = xasprintf("chmod -R go= %s/.tickmark", r->ws->root);
		tell(r, "rights", false, xasprintf("others may read %s", wide.data), remedy);
		free(remedy);
	} else {
		tell(r, "rights", true, xstrdup("only you may read the record"), NULL);
	}
	buf_free(&wide);
}

static void look_at_space(const struct report *r)
{
	struct statvfs v;
	char text[UNIT_TEXT];

	if (!r->ws || statvfs(r->ws->root, &v) != 0)
		return;
	int64_t left = (int64_t)v.f_bavail * (int64_t)v.f_frsize;
	size_format(left, text);
	tell(r, "disk", left >= LITTLE_SPACE, xasprintf("%s free", text),
	     left >= LITTLE_SPACE ? "" : "a full disk ends runs; make room, or tickmark prune");
}

static void look_at_helpers(const struct report *r)
{
	static const struct {
		const char *path, *name, *without;
	} helpers[] = {
		{ "/usr/bin/chafa", "chafa", "images are shown by name and size only; apt install chafa" },
		{ "/usr/bin/pdftotext", "pdftotext", "PDF files are shown by name and size only; apt install poppler-utils" },
	};

	for (size_t k = 0; k < ARRAY_LEN(helpers); k++) {
		bool there = access(helpers[k].path, X_OK) == 0;
		tell(r, helpers[k].name, true, xstrdup(there ? helpers[k].path : "not installed"), there ? "" : helpers[k].without);
	}
}

bool doctor_each(struct workspace *ws, void (*fn)(void *ctx, const struct finding *f), void *ctx, struct err *e)
{
	static void (*const looks[])(const struct report *r) = {
		look_at_kernel, look_at_sandbox, look_at_interpreter, look_at_record, look_at_rights, look_at_space, look_at_helpers,
	};
	struct report r = { ws, fn, ctx };

	(void)e;
	for (size_t i = 0; i < ARRAY_LEN(looks); i++)
		looks[i](&r);
	return true;
}
