/*
 * Ways of isolation, and who a run is on the host.
 *
 * In a tier without namespaces every run of root's gets a uid of its own, which owns nothing else on
 * the machine; an ordinary user's runs stay that user. Elsewhere the layers, kept from run to run,
 * have to belong to the run's user, so it is always the same one.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "impl.h"

#define NOBODY 65534
#define OWN_IDS 0x70000000u /* uids from here on belong to nobody: above users, services and containers */

static const struct tier_info tiers[] = {
	{ .tier = TIER_A, .user_ns = true, .spaces = true, .proc = true },
	{ .tier = TIER_A_NOPROC, .user_ns = true, .spaces = true },
	{ .tier = TIER_A_ROOT, .spaces = true, .proc = true },
	{ .tier = TIER_B },
};

const struct tier_info *tier_find(enum tier t)
{
	for (size_t i = 0; i < ARRAY_LEN(tiers); i++)
		if (tiers[i].tier == t)
			return &tiers[i];
	return NULL;
}

/* Is `id` mapped into our own user namespace? In a rootless container few are. By hand, as stdio's
 * scanning costs more than the rest of a clone. */
static bool id_exists(const char *map, unsigned long id)
{
	char text[4096], *p = text;
	int fd = open(map, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return true; /* no user namespaces: all ids exist */
	text[n] = '\0';
	for (;;) { /* lines of first id, id outside, count */
		char *line = p;
		unsigned long first = strtoul(p, &p, 10);
		strtoul(p, &p, 10);
		unsigned long count = strtoul(p, &p, 10);
		if (p == line)
			return false;
		if (id >= first && id - first < count)
			return true;
	}
}

static bool can_be(unsigned long id)
{
	return id_exists("/proc/self/uid_map", id) && id_exists("/proc/self/gid_map", id);
}

void sandbox_owner(uid_t *uid, gid_t *gid)
{
	*uid = geteuid();
	*gid = getegid();
	/* Root never runs a script: with no capability left it could still write kernel settings and
	 * has no limit of processes. A root whose namespace knows no other user is none. */
	if (*uid == 0 && can_be(NOBODY)) {
		*uid = NOBODY;
		*gid = NOBODY;
	}
}

void tier_identity(const struct tier_info *tier, struct identity *out)
{
	unsigned long own = OWN_IDS + (unsigned long)getpid();

	sandbox_owner(&out->uid, &out->gid);
	if (!tier->spaces && geteuid() == 0 && can_be(own))
		out->uid = out->gid = (uid_t)own;
	out->inner_uid = tier->user_ns ? RUN_ID : out->uid;
	out->inner_gid = tier->user_ns ? RUN_ID : out->gid;
}

/* Processes and threads of the user, as RLIMIT_NPROC counts them. By status and not by the owner of
 * the folder: that is root's where a process hides its memory. */
int64_t tier_tasks_of(uid_t uid)
{
	DIR *d = opendir("/proc");
	int64_t n = 0;

	for (struct dirent *ent; d != NULL && (ent = readdir(d)) != NULL;) {
		char path[300], text[4096];
		if (ent->d_name[0] < '0' || ent->d_name[0] > '9')
			continue;
		snprintf(path, sizeof path, "/proc/%s/status", ent->d_name);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
		if (fd >= 0)
			close(fd);
		text[got > 0 ? got : 0] = '\0';
		const char *who = strstr(text, "\nUid:"), *threads = strstr(text, "\nThreads:");
		if (who != NULL && threads != NULL && strtoul(who + 5, NULL, 10) == uid)
			n += strtol(threads + 9, NULL, 10);
	}
	if (d != NULL)
		closedir(d);
	return n;
}
