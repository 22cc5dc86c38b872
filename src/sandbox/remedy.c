/* What a user can do where namespaces or mounts are refused: read from the settings that are known to
 * refuse them, after the refusal, never instead of trying. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "impl.h"

struct remedy {
	enum stage stage;
	const char *file;     /* that tells */
	long value;           /* in it; -1: that it exists is enough */
	const char *text;
};

#define CONTAINER "this container forbids it: start it with --security-opt seccomp=unconfined --security-opt " \
                  "apparmor=unconfined --security-opt systempaths=unconfined (podman: unmask=ALL), or run on the host"

static const struct remedy remedies[] = {
	{ STAGE_NAMESPACES, "/proc/sys/user/max_user_namespaces", 0,
	  "user namespaces are switched off: as root, sysctl -w user.max_user_namespaces=15000" },
	{ STAGE_NAMESPACES, "/proc/sys/kernel/unprivileged_userns_clone", 0,
	  "user namespaces are switched off for users: as root, sysctl -w kernel.unprivileged_userns_clone=1" },
	{ STAGE_NAMESPACES, "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1,
	  "AppArmor lets only named programs make user namespaces: a tickmark that is installed (make install, package) "
	  "brings a profile; or as root, sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" },
	{ STAGE_NAMESPACES, "/.dockerenv", -1, CONTAINER },
	{ STAGE_NAMESPACES, "/run/.containerenv", -1, CONTAINER },
	{ STAGE_NAMESPACES, "/proc/self/ns/user", -1, "this system does not let tickmark make user namespaces" },
	{ STAGE_NAMESPACES, "/proc/self", -1, "this kernel has no user namespaces (CONFIG_USER_NS)" },
	{ STAGE_MOUNTS, "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1,
	  "AppArmor lets only named programs mount in user namespaces: a tickmark that is installed (make install, "
	  "package) brings a profile; or as root, sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" },
	{ STAGE_MOUNTS, "/.dockerenv", -1, CONTAINER },
	{ STAGE_MOUNTS, "/run/.containerenv", -1, CONTAINER },
	{ STAGE_PROC, "/.dockerenv", -1, CONTAINER },
	{ STAGE_PROC, "/run/.containerenv", -1, CONTAINER },
	{ STAGE_OVERLAY, "/proc/self", -1, "this kernel has no overlay file system for users; choose another kind of scratch" },
};

static bool applies(const struct remedy *r)
{
	char text[32];

	if (r->value < 0)
		return access(r->file, F_OK) == 0;
	FILE *f = fopen(r->file, "re");
	bool yes = f != NULL && fgets(text, sizeof text, f) != NULL && strtol(text, NULL, 10) == r->value;
	if (f != NULL)
		fclose(f);
	return yes;
}

const char *remedy_find(enum stage stage)
{
	/* Becoming the run's user, mounting: AppArmor refuses there what it let pass at the clone. */
	for (size_t i = 0; i < ARRAY_LEN(remedies); i++)
		if (remedies[i].stage == stage && applies(&remedies[i]))
			return remedies[i].text;
	return "";
}
