/*
 * What this machine can do, found out by doing it in throw-away children: Ubuntu's AppArmor, for
 * one, lets the clone succeed and refuses the mounts later, so settings prove nothing. The child
 * goes the whole way of a run, with its own two probes in place of execve: changing a file in a
 * subfolder of a layer (copy-up fails where ids do not fit, while making a file works), and removing
 * an attached folder (fails where the upper layer takes no marks).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "impl.h"

#define PROBE_BOX "/work/probe"

/* What the probe inside found missing: a set, and its exit status. */
enum { PROBE_COPY_UP = 1, PROBE_REMOVE = 2, PROBE_FILTER = 4, PROBE_LOCK = 8 };

/* In the order of preference. */
static const struct { enum scratch kind; int allowed; bool disk; bool spaces; const char *lacks; } kinds[] = {
	{ SCRATCH_TMPFS_XATTR, 0, false, true, "" },
	{ SCRATCH_TMPFS, PROBE_REMOVE, false, true, "a run cannot remove attached folders: this needs Linux 6.6" },
	{ SCRATCH_DISK, 0, true, true, "files of a run are written to disk: memory for them needs Linux 6.6" },
	{ SCRATCH_COPY, 0, true, false, "attached files are copied for each run: laying folders over each other is not possible here" },
};

#define LEAST_ABI 6 /* of Landlock, where it is all there is: before, signals reach every process of the user */

/* In the order of preference. */
static const struct { enum tier tier; bool root; int abi; const char *lacks; } tiers[] = {
	{ TIER_A, false, 0, "" },
	{ TIER_A_NOPROC, false, 0, "runs have no /proc, and only each process's own memory is limited: parts of /proc are masked here" },
	{ TIER_A_ROOT, true, 0, "runs are made by root, as no user namespace can be had" },
	{ TIER_B, false, LEAST_ABI, "runs are held by Landlock and the system call filter alone: no namespaces, so names and sizes of "
	  "other files can be asked for, there is no /dev/shm, and the limit of written bytes is watched, not enforced" },
};

/* Without namespaces Landlock has to hold: a file that every machine has, a socket, the keeper. */
static bool is_open(void)
{
	return open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0 || errno != EACCES ||
	       open("/etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0 || mkdir("/tmp/tickmark-probe", 0700) == 0 ||
	       socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || kill(getppid(), 0) == 0;
}

/* As the program, under the filter. */
static int probe_inside(const struct sandbox *sb, const void *arg)
{
	int failed = 0;

	(void)arg;
	if (chdir(sb->box) != 0)
		return PROBE_COPY_UP | PROBE_REMOVE;
	if (!sb->tier->spaces && is_open())
		failed |= PROBE_LOCK;
	int fd = open("sub/file", O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0 || write(fd, "x", 1) != 1)
		failed |= PROBE_COPY_UP;
	if (unlink("gone/file") != 0 || rmdir("gone") != 0 || mkdir("gone", 0700) != 0)
		failed |= PROBE_REMOVE;
	if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EACCES)
		failed |= PROBE_FILTER;
	return failed;
}

/* ---- a layer to try on ------------------------------------------------------------------------ */

static bool own(int dirfd, const char *name, struct err *e)
{
	uid_t uid;
	gid_t gid;

	sandbox_owner(&uid, &gid);
	if (uid != geteuid() && fchownat(dirfd, name, uid, gid, AT_SYMLINK_NOFOLLOW) != 0)
		return err_sys(e, "cannot give the probe's %s to the run's user", name);
	return true;
}

static bool make_layer(int dirfd, struct err *e)
{
	static const char *const dirs[] = { ".", "sub", "gone" }, *const files[] = { "sub/file", "gone/file" };

	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		if ((i > 0 && mkdirat(dirfd, dirs[i], 0700) != 0) || !own(dirfd, dirs[i], e))
			return err_sys(e, "cannot make the probe's folders");
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		if (!fs_write(dirfd, files[i], "probe", 5, false, e) || !own(dirfd, files[i], e))
			return false;
	return true;
}

/* Owned path of a new folder with a layer in it; NULL with an error. */
static char *make_folder(const char *disk, struct err *e)
{
	char *path = xasprintf("%s/probe-XXXXXX", disk != NULL ? disk : "/tmp");

	if (mkdtemp(path) == NULL) {
		err_sys(e, "cannot make a folder for probing in %s", disk != NULL ? disk : "/tmp");
		free(path);
		return NULL;
	}
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = fd >= 0 ? make_layer(fd, e) : err_sys(e, "cannot open %s", path);
	if (fd >= 0)
		close(fd);
	if (ok)
		return path;
	fs_remove_tree(AT_FDCWD, path, NULL);
	free(path);
	return NULL;
}

/* ---- trying ------------------------------------------------------------------------------------ */

static void ignore_stream(void *ctx, enum stream_id stream, int64_t group, int64_t offset_us, const void *p, size_t n)
{
	(void)ctx, (void)stream, (void)group, (void)offset_us, (void)p, (void)n;
}

/* What the child found (PROBE_*), or -1 with *stage and an error where it could not be had. */
static int try_one(enum tier tier, enum scratch kind, const char *layer, const char *disk, enum stage *stage, struct err *e)
{
	const struct sandbox_sink sink = { .stream = ignore_stream };
	struct sandbox_spec spec = {
		.box = PROBE_BOX, .layers = &layer, .layer_count = 1, .stop_fd = -1, .disk_scratch = disk,
		.policy = { .tier = tier, .scratch = kind, .limits = { .wall_ms = 10000, .scratch_bytes = 1 << 20, .processes = 8 } },
	};
	struct sandbox_result result = { 0 };
	int found = -1;

	*stage = STAGE_NAMESPACES;
	struct sandbox *sb = sandbox_prepare_inside(&spec, probe_inside, NULL, e);
	if (sb == NULL)
		return -1;
	if (sandbox_start(sb, e) && sandbox_run(sb, &sink, &result, e)) {
		found = result.end == SANDBOX_EXIT && result.exit_code >= 0 ? result.exit_code : -1;
		if (found < 0)
			err_set(e, ERR_SANDBOX, "the sandbox's probe ended oddly (%s)", result.fault);
	}
	*stage = sb->failed;
	sandbox_result_free(&result);
	sandbox_free(sb);
	return found;
}

static void note(struct sandbox_caps *out, const char *text)
{
	size_t n = strlen(out->why);

	if (text[0] != '\0')
		snprintf(out->why + n, sizeof out->why - n, "%s%s", n > 0 ? "; " : "", text);
}

/* For tests: only this tier, or kind of scratch, is tried (include/sandbox.h). */
static bool is_wanted(const char *variable, const char *word)
{
	const char *wanted = getenv(variable);

	return wanted == NULL || wanted[0] == '\0' || strcmp(wanted, word) == 0;
}

/* Kinds of scratch under one tier; true when one fits. */
static bool try_kinds(enum tier tier, const char *layer, const char *disk, struct sandbox_caps *out, enum stage *stage,
                      struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if ((kinds[i].disk && disk == NULL) || (tier == TIER_B && kinds[i].spaces) ||
		    !is_wanted(SANDBOX_TEST_SCRATCH, scratch_word(kinds[i].kind)))
			continue;
		int found = try_one(tier, kinds[i].kind, layer, disk, stage, e);
		if (found >= 0 && (found & (PROBE_FILTER | PROBE_LOCK)))
			return err_set(e, ERR_SANDBOX, found & PROBE_FILTER ? "the system call filter does not hold on this kernel"
			                                                    : "Landlock does not hold on this kernel");
		if (found >= 0 && (found & ~kinds[i].allowed) == 0) {
			out->tier = tier;
			out->scratch = kinds[i].kind;
			if (found != 0 || (kinds[i].disk && tier != TIER_B))
				note(out, kinds[i].lacks);
			return true;
		}
		if (found < 0 && *stage != STAGE_OVERLAY)
			return false; /* no kind of scratch mends that */
	}
	return false;
}

/* Each tier that this user could have, the best first; the reason why the first of them is not had. */
static void try_tiers(const char *layer, const char *disk, struct sandbox_caps *out)
{
	struct err first = { 0 };
	bool proc_only = false;

	for (size_t i = 0; i < ARRAY_LEN(tiers) && out->tier == TIER_NONE; i++) {
		enum stage stage = STAGE_NONE;
		struct err reason = { 0 };
		if (!is_wanted(SANDBOX_TEST_TIER, tier_word(tiers[i].tier)) || (tiers[i].root && geteuid() != 0) ||
		    (tiers[i].tier == TIER_A_NOPROC && first.code != ERR_NONE && !proc_only))
			continue;
		if (out->landlock_abi < tiers[i].abi)
			err_set(&reason, ERR_SANDBOX, "Landlock of version %d would do as well (Linux 6.12), here it is %d", tiers[i].abi,
			        out->landlock_abi);
		else if (try_kinds(tiers[i].tier, layer, disk, out, &stage, &reason))
			note(out, tiers[i].lacks);
		proc_only = stage == STAGE_PROC;
		if (out->tier == TIER_NONE && first.code == ERR_NONE)
			first = reason;
		else if (out->tier == TIER_NONE && tiers[i].tier == TIER_B)
			note(out, reason.msg);
	}
	if (out->tier == TIER_NONE)
		note(out, first.msg[0] != '\0' ? first.msg : "no kind of scratch works here");
	else if (out->tier != TIER_A_NOPROC)
		note(out, first.msg);
}

bool sandbox_probe(const char *disk, struct sandbox_caps *out, struct err *e)
{
	char *layer = make_folder(disk, e);

	*out = (struct sandbox_caps){ .tier = TIER_NONE, .landlock_abi = landlock_abi() };
	if (layer == NULL)
		return false;
	try_tiers(layer, disk, out);
	if (out->tier != TIER_NONE && out->landlock_abi == 0)
		note(out, "no Landlock in this kernel: its second layer is missing (boot with lsm=landlock,…)");
	if (!is_wanted(SANDBOX_TEST_TIER, "") || !is_wanted(SANDBOX_TEST_SCRATCH, ""))
		note(out, "forced by " SANDBOX_TEST_TIER " or " SANDBOX_TEST_SCRATCH ", which are for tests");
	fs_remove_tree(AT_FDCWD, layer, NULL);
	free(layer);
	return true;
}
