/* Whether a place is one that others share, which cannot be trusted with shared memory. */
#include "base.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/statfs.h>

/* statfs(2); the magic numbers are spread over kernel headers that are not always installed. */
static const struct {
	uint32_t magic;
	const char *name;
} shared_filesystems[] = {
	{ 0x00006969, "NFS" },
	{ 0x0000517B, "SMB" },
	{ 0xFF534D42, "CIFS" },
	{ 0xFE534D42, "SMB" },
	{ 0x5346414F, "AFS" },
	{ 0x6B414653, "AFS" },
	{ 0x01021997, "9P" },
	{ 0x65735546, "FUSE" }, /* virtiofs calls itself so, too */
	{ 0x00C36400, "Ceph" },
	{ 0x73757245, "Coda" },
	{ 0x0000564C, "NCP" },
	{ 0x7461636F, "OCFS2" },
	{ 0x01161970, "GFS2" },
	{ 0x0BD00BD0, "Lustre" },
	{ 0x47504653, "GPFS" },
	{ 0x20030528, "OrangeFS" },
	{ 0x786F4256, "VirtualBox shared folder" },
	{ 0xBACBACBC, "VMware shared folder" },
};

/* Names that these programs give their folders; "OneDrive - Company" and "Dropbox (Team)" too. */
static const char *const synchronised_folders[] = {
	"OneDrive", "Dropbox", "Google Drive", "GoogleDrive", "iCloudDrive", "iCloud Drive", "Nextcloud",
	"ownCloud", "pCloudDrive", "MEGAsync", "Syncthing", "Seafile", "SynologyDrive", "Yandex.Disk",
	"Box Sync", "Tresorit", "kDrive", "Proton Drive",
};

static bool part_names(const char *part, size_t n, const char *name)
{
	size_t len = strlen(name);

	if (n < len || strncasecmp(part, name, len) != 0)
		return false;
	if (n == len)
		return true;
	return n > len + 2 && (memcmp(part + len, " - ", 3) == 0 || memcmp(part + len, " (", 2) == 0);
}

static const char *synchroniser_of(const char *path)
{
	while (*path) {
		size_t n = strcspn(path, "/");
		for (size_t i = 0; i < ARRAY_LEN(synchronised_folders); i++)
			if (part_names(path, n, synchronised_folders[i]))
				return synchronised_folders[i];
		path += n + (path[n] == '/');
	}
	return NULL;
}

/* The path without links, or that of the nearest folder above that is there. */
static char *resolve_existing(const char *path)
{
	char *at = xstrdup(path);

	for (;;) {
		char *real = realpath(at, NULL);
		char *up = real ? NULL : path_dir(at);
		bool top = up && strcmp(up, at) == 0;
		free(at);
		if (real)
			return real;
		if (top) {
			free(up);
			return xstrdup("/");
		}
		at = up;
	}
}

static const char *shared_filesystem_of(const char *path)
{
	struct statfs fs;

	if (statfs(path, &fs) < 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(shared_filesystems); i++)
		if (shared_filesystems[i].magic == (uint32_t)fs.f_type)
			return shared_filesystems[i].name;
	return NULL;
}

bool fs_is_shared(const char *path, char why[64])
{
	char *real = resolve_existing(path);
	const char *filesystem = shared_filesystem_of(real);
	const char *synchroniser = synchroniser_of(path);

	if (!synchroniser)
		synchroniser = synchroniser_of(real);
	why[0] = '\0';
	if (filesystem)
		snprintf(why, 64, "shared file system (%s)", filesystem);
	else if (synchroniser)
		snprintf(why, 64, "folder synchronised by %s", synchroniser);
	free(real);
	return filesystem || synchroniser;
}
