/* The second layer over the mounts: Landlock grants the program what the plan of mounts says, so a
 * mistake in a mount opens nothing. https://docs.kernel.org/userspace-api/landlock.html */
#include <errno.h>
#include <string.h>

#include "impl.h"
#include "sys.h"

#define FS_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define FS_ABI1 ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)
#define FS_WRITE (FS_ABI1 & ~(LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK))
#define FS_FILE (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE | \
                 LANDLOCK_ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_IOCTL_DEV)

/* What each version added to the file system rights. */
static const struct { int abi; uint64_t rights; } added_rights[] = {
	{ 1, FS_ABI1 },
	{ 2, LANDLOCK_ACCESS_FS_REFER },
	{ 3, LANDLOCK_ACCESS_FS_TRUNCATE },
	{ 5, LANDLOCK_ACCESS_FS_IOCTL_DEV },
};

static const uint64_t granted[] = {
	[ACCESS_READ] = FS_READ,
	[ACCESS_EXEC] = FS_READ | LANDLOCK_ACCESS_FS_EXECUTE,
	[ACCESS_DEVICE] = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE |
	                  LANDLOCK_ACCESS_FS_IOCTL_DEV, /* IOCTL_DEV: else isatty gives EACCES */
	[ACCESS_WRITE] = FS_WRITE | LANDLOCK_ACCESS_FS_REFER | LANDLOCK_ACCESS_FS_TRUNCATE,
};

int landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	return abi < 0 ? 0 : (int)abi;
}

static uint64_t handled_rights(int abi)
{
	uint64_t rights = 0;

	for (size_t i = 0; i < ARRAY_LEN(added_rights); i++)
		if (abi >= added_rights[i].abi)
			rights |= added_rights[i].rights;
	return rights;
}

int landlock_new(void)
{
	struct sys_landlock_attr attr = { 0 };
	size_t size = sizeof attr.handled_access_fs;
	int abi = landlock_abi();

	attr.handled_access_fs = handled_rights(abi);
	if (abi >= 4) {
		attr.handled_access_net = LANDLOCK_ACCESS_NET_BIND_TCP | LANDLOCK_ACCESS_NET_CONNECT_TCP;
		size = offsetof(struct sys_landlock_attr, scoped);
	}
	if (abi >= 6) {
		attr.scoped = LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | LANDLOCK_SCOPE_SIGNAL;
		size = sizeof attr;
	}
	return (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
}

static int add_rule(int ruleset, const char *path, uint64_t rights, bool is_file)
{
	struct landlock_path_beneath_attr rule = { .allowed_access = is_file ? rights & FS_FILE : rights };
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT ? 0 : -1; /* optional, and not on this machine */
	rule.parent_fd = fd;
	int rc = (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(fd);
	return rc;
}

int landlock_grant(int ruleset, const char *path, enum mount_access access, bool is_file)
{
	return add_rule(ruleset, path, granted[access] & handled_rights(landlock_abi()), is_file);
}

int landlock_enter(int ruleset, bool complete)
{
	int rc = complete ? (int)syscall(SYS_landlock_restrict_self, ruleset, 0) : -1, saved = errno;

	if (ruleset >= 0)
		close(ruleset);
	errno = saved;
	return rc;
}

int landlock_restrict(const struct mount_plan *plan)
{
	int abi = landlock_abi();
	uint64_t handled = handled_rights(abi);

	if (abi == 0)
		return 0;
	int ruleset = landlock_new();
	bool ok = ruleset >= 0 && add_rule(ruleset, "/", LANDLOCK_ACCESS_FS_READ_DIR, false) == 0;
	for (size_t i = 0; i < plan->n && ok; i++) {
		const struct mount_step *s = &plan->steps[i];
		char path[4100];
		if (s->access == ACCESS_NONE)
			continue;
		snprintf(path, sizeof path, "/%s", s->target);
		ok = add_rule(ruleset, path, granted[s->access] & handled, s->is_file || s->access == ACCESS_DEVICE) == 0;
	}
	return landlock_enter(ruleset, ok);
}
