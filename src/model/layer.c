/* Building and publishing one layer. */
#include "layer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define TMP "cache/tmp"
#define LAYERS "cache/layer"

struct layer {
	struct workspace *ws;
	char id[VIEW_ID];
	int tmp;             /* cache/tmp */
	int dir;             /* the layer in it */
	bool published;
	uid_t uid;           /* whom its files belong to */
	gid_t gid;
	bool chown;          /* we may give files away */
	struct strv folders; /* made in it, each behind the one that holds it; without the root */
	char *last;          /* folder of the latest file: most files share it */
	_Atomic int64_t bytes;
	_Atomic bool used;
};

struct layer *layer_begin(struct workspace *ws, struct err *e)
{
	struct layer *l = xcalloc(1, sizeof(*l));
	struct uuid id = uuid_new();

	for (size_t i = 0; i < sizeof(id.b); i++)
		snprintf(l->id + 2 * i, 3, "%02x", id.b[i]);
	l->ws = ws;
	l->dir = -1;
	l->tmp = workspace_open_dir(ws, TMP, e);
	if (l->tmp >= 0)
		l->dir = fs_open_dir(l->tmp, l->id, e);
	if (l->dir < 0) {
		layer_free(l);
		return NULL;
	}
	sandbox_owner(&l->uid, &l->gid);
	l->chown = geteuid() == 0;
	/* So that layer_sweep of another process sees that somebody works on it. */
	flock(l->dir, LOCK_SH);
	return l;
}

void layer_free(struct layer *l)
{
	if (!l)
		return;
	if (!l->published && l->tmp >= 0)
		fs_remove_tree(l->tmp, l->id, NULL);
	if (l->dir >= 0)
		close(l->dir);
	if (l->tmp >= 0)
		close(l->tmp);
	strv_free(&l->folders);
	free(l->last);
	free(l);
}

const char *layer_id(const struct layer *l)
{
	return l->id;
}

bool layer_is_empty(const struct layer *l)
{
	return !l->used;
}

void layer_count(struct layer *l, int64_t bytes)
{
	l->bytes += bytes;
}

bool layer_explain(struct err *e)
{
	static const char remedy[] = "; the cache holds a copy of every attached file: free some space there, or attach less "
	                             "with .tickmarkignore";

	if (e && e->code == ERR_FULL && strlen(e->msg) + sizeof(remedy) <= sizeof(e->msg) && !strstr(e->msg, remedy))
		strcat(e->msg, remedy);
	return false;
}

static bool fault(const struct layer *l, const char *path, struct err *e)
{
	err_sys(e, "cannot write %s into the cache %s/.tickmark/cache", path, l->ws->root);
	return layer_explain(e);
}

/* ---- folders ---- */

static bool make_folder(struct layer *l, const char *path, struct err *e)
{
	if (mkdirat(l->dir, path, 0700) == 0) {
		/* A umask may have taken what we need ourselves; everything else is set when it is published. */
		if (fchmodat(l->dir, path, 0700, 0) < 0)
			return fault(l, path, e);
		strv_add(&l->folders, path);
		return true;
	}
	return errno == EEXIST || fault(l, path, e);
}

bool layer_make_folders(struct layer *l, const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	bool ok = true;

	l->used = true;
	if (n == 0 || (l->last && strlen(l->last) == n && memcmp(l->last, path, n) == 0))
		return true;
	char *part = xstrndup(path, n);
	for (char *p = part; ok && p; ) {
		p = strchr(p, '/');
		if (p)
			*p = '\0';
		ok = make_folder(l, part, e);
		if (p)
			*p++ = '/';
	}
	free(l->last);
	l->last = part;
	if (!ok) {
		free(l->last);
		l->last = NULL;
	}
	return ok;
}

/* Owner, mode and time of a folder, by what the run must see. */
static bool finish_folder(const struct layer *l, const char *path, int64_t mtime_us)
{
	struct timespec t = { .tv_sec = mtime_us / 1000000, .tv_nsec = mtime_us % 1000000 * 1000 };
	struct stat st;

	if (t.tv_nsec < 0) {
		t.tv_sec--;
		t.tv_nsec += 1000000000;
	}
	if (fstatat(l->dir, path, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	if ((st.st_uid != l->uid || st.st_gid != l->gid) && (l->chown || st.st_uid == l->uid) &&
	    fchownat(l->dir, path, l->uid, l->gid, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	/* A folder with the set-group-id bit hands it on. */
	if ((st.st_mode & 07777) != 0700 && fchmodat(l->dir, path, 0700, 0) < 0)
		return false;
	return utimensat(l->dir, path, (struct timespec[]){ t, t }, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool finish_folders(const struct layer *l, const struct view_folder *folders, size_t n, struct err *e)
{
	/* The deep ones first: what is made below changes the time of a folder. */
	for (size_t i = l->folders.n; i-- > 0;) {
		const char *path = l->folders.v[i];
		const struct view_folder *f = view_find_folder(folders, n, path, strlen(path));
		if (!f)
			unlinkat(l->dir, path, AT_REMOVEDIR); /* its files were not needed after all */
		else if (!finish_folder(l, path, f->mtime_us))
			return fault(l, path, e);
	}
	return finish_folder(l, ".", n > 0 ? folders[0].mtime_us : 0) || fault(l, ".", e);
}

/* ---- files ---- */

int layer_create(struct layer *l, const char *path, struct err *e)
{
	int fd = openat(l->dir, path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	l->used = true;
	if (fd < 0)
		fault(l, path, e);
	return fd;
}

bool layer_finish_file(const struct layer *l, int fd, const char *path, uint16_t mode, int64_t mtime_us, struct err *e)
{
	struct timespec t = { .tv_sec = mtime_us / 1000000, .tv_nsec = mtime_us % 1000000 * 1000 };
	mode_t want = mode & 0111 ? 0700 : 0600;
	struct stat st;

	if (t.tv_nsec < 0) {
		t.tv_sec--;
		t.tv_nsec += 1000000000;
	}
	if (fstat(fd, &st) < 0)
		return fault(l, path, e);
	if ((st.st_uid != l->uid || st.st_gid != l->gid) && (l->chown || st.st_uid == l->uid) &&
	    fchown(fd, l->uid, l->gid) < 0)
		return fault(l, path, e);
	if ((st.st_mode & 07777) != want && fchmod(fd, want) < 0)
		return fault(l, path, e);
	return futimens(fd, (struct timespec[]){ t, t }) == 0 || fault(l, path, e);
}

bool layer_unlink(struct layer *l, const char *path, struct err *e)
{
	return unlinkat(l->dir, path, 0) == 0 || fault(l, path, e);
}

bool layer_link(struct layer *l, int from, const char *path)
{
	return linkat(from, path, l->dir, path, 0) == 0;
}

/* overlayfs.rst, "whiteouts and opaque directories"; since Linux 5.8 everybody may make them. */
bool layer_whiteout(struct layer *l, const char *path)
{
	l->used = true;
	return mknodat(l->dir, path, S_IFCHR | 0600, makedev(0, 0)) == 0;
}

/* ---- publishing ---- */

bool layer_publish(struct layer *l, const struct view_folder *folders, size_t n, int64_t *bytes, struct err *e)
{
	char name[VIEW_ID + 8];

	if (!finish_folders(l, folders, n, e))
		return false;
	int home = workspace_open_dir(l->ws, LAYERS, e);
	if (home < 0)
		return false;
	snprintf(name, sizeof(name), "%s.lock", l->id);
	int lock = openat(home, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool ok = lock >= 0;
	if (ok) {
		char text[32];
		int len = snprintf(text, sizeof(text), "%lld\n", (long long)l->bytes);
		ok = fs_write_fd(lock, text, (size_t)len, name, NULL) || fault(l, name, e);
		ok = ok && (renameat(l->tmp, l->id, home, l->id) == 0 || fault(l, l->id, e));
		close(lock);
	} else {
		fault(l, name, e);
	}
	close(home);
	l->published = ok;
	if (ok)
		*bytes = l->bytes;
	return ok;
}

void layer_sweep(struct workspace *ws)
{
	int tmp = workspace_open_dir(ws, TMP, NULL);
	DIR *d = tmp >= 0 ? fdopendir(tmp) : NULL;

	if (!d) {
		if (tmp >= 0)
			close(tmp);
		return;
	}
	for (struct dirent *en; (en = readdir(d));) {
		if (strlen(en->d_name) != VIEW_ID - 1 || strspn(en->d_name, "0123456789abcdef") != VIEW_ID - 1)
			continue;
		int fd = openat(dirfd(d), en->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		bool idle = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
		if (idle)
			fs_remove_tree(dirfd(d), en->d_name, NULL);
		if (fd >= 0)
			close(fd);
	}
	closedir(d);
}
