/*
 * Carries out the plan of mounts: builds the world of a run and moves into it.
 *
 * Everything writable is one tmpfs, mounted on a folder that exists anywhere (/tmp). In it lie the
 * subfolders upper and work (of the overlay), home, tmp, shm, code and root; on root another tmpfs is
 * mounted, the synthetic root. After pivot_root the first mount goes with the old root in a single
 * detach; what is left of it is a descriptor for the launcher and the subfolders bound into the root,
 * so the run never sees upper, work or code themselves.
 *
 * Sources are descriptors that the launcher opened in this mount namespace: a path below a private
 * folder cannot be reached from here, one opened in another mount namespace is refused by the kernel,
 * and a ':' in a path would break the overlay's options.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "impl.h"
#include "sys.h"

struct world {
	struct sandbox *sb;
	const struct sources *src;
	int control;  /* for child_fail */
	int scratch;  /* root of the scratch tmpfs; also the current folder */
	int root;     /* the synthetic root */
	int covers;   /* overlays made for mount points that a read-only tree lacks */
};

static const char *const bases[] = { "/tmp", "/var/tmp", "/mnt", "/opt", "/srv", "/home", "/media" };
static const char *const scratch_dirs[] = { "root", "upper", "work", "home", "tmp", "shm", "code", "cover" };

/* mkdir -p; false with errno. */
static bool make_dirs(int dirfd, const char *path)
{
	char part[4096];
	size_t n = strlen(path);

	if (n >= sizeof part) {
		errno = ENAMETOOLONG;
		return false;
	}
	if (mkdirat(dirfd, path, 0755) == 0 || errno == EEXIST)
		return true;
	if (errno != ENOENT)
		return false;
	for (size_t i = 1; i <= n; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdirat(dirfd, part, 0755) != 0 && errno != EEXIST)
			return false;
	}
	return true;
}

static bool make_parent(int dirfd, const char *path)
{
	const char *slash = strrchr(path, '/');
	char parent[4096];

	if (slash == NULL)
		return true;
	snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
	return make_dirs(dirfd, parent);
}

static bool make_file(int dirfd, const char *path, const void *bytes, size_t len, mode_t mode)
{
	if (!make_parent(dirfd, path))
		return false;
	int fd = openat(dirfd, path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return false;
	const char *p = bytes;
	while (len > 0) {
		ssize_t n = write(fd, p, len);
		if (n < 0) {
			close(fd);
			return false;
		}
		p += n;
		len -= (size_t)n;
	}
	return close(fd) == 0;
}

/* ---- the scratch -------------------------------------------------------------------------- */

static void mount_tmpfs(struct world *w, const char *where, int64_t bytes, int64_t files, const char *mode)
{
	char options[128];

	snprintf(options, sizeof options, "size=%lld,nr_inodes=%lld,mode=%s", (long long)bytes, (long long)files, mode);
	if (mount("tmpfs", where, "tmpfs", MS_NOSUID | MS_NODEV, options) != 0)
		child_fail(w->control, STAGE_MOUNTS, errno, "mounting a tmpfs on %s", where);
}

/* What we put into the scratch ourselves is not to be taken from what the run may use. */
static void measure_own(const struct sandbox *sb, int64_t *bytes, int64_t *files)
{
	const struct { const struct sandbox_file *f; size_t n; } sets[] = {
		{ sb->shared->code, sb->shared->code_count }, { sb->home, sb->home_count },
	};

	*bytes = 256 << 10;
	*files = 64;
	for (size_t s = 0; s < ARRAY_LEN(sets); s++) {
		for (size_t i = 0; i < sets[s].n; i++) {
			*bytes += (int64_t)(sets[s].f[i].len / 4096 + 1) * 4096;
			for (const char *p = sets[s].f[i].path; *p != '\0'; p++)
				*files += *p == '/';
			++*files;
		}
	}
}

static void make_scratch(struct world *w)
{
	const struct limits *l = &w->sb->policy.limits;
	int64_t bytes, files;
	size_t b = 0;

	measure_own(w->sb, &bytes, &files);
	for (size_t i = 0; i < w->sb->plan.box_dirs.n; i++)
		files += 8;
	while (b < ARRAY_LEN(bases) && access(bases[b], F_OK) != 0)
		b++;
	if (b == ARRAY_LEN(bases))
		child_fail(w->control, STAGE_MOUNTS, ENOENT, "looking for a folder to mount on (/tmp)");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		child_fail(w->control, STAGE_MOUNTS, errno, "making the mounts private");
	mount_tmpfs(w, bases[b], l->scratch_bytes > 0 ? l->scratch_bytes + bytes : 0,
	            l->scratch_files > 0 ? l->scratch_files + files : 0, "0700");
	if (chdir(bases[b]) != 0 || (w->scratch = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		child_fail(w->control, STAGE_MOUNTS, errno, "entering the scratch");
	for (size_t i = 0; i < ARRAY_LEN(scratch_dirs); i++)
		if (mkdir(scratch_dirs[i], 0755) != 0)
			child_fail(w->control, STAGE_MOUNTS, errno, "making %s in the scratch", scratch_dirs[i]);
	mount_tmpfs(w, "root", w->sb->plan.root_bytes, w->sb->plan.root_files, "0755");
	if ((w->root = open("root", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
		child_fail(w->control, STAGE_MOUNTS, errno, "entering the root");
}

static void put_files(struct world *w, const char *dir, const struct sandbox_file *files, size_t n, mode_t mode)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		child_fail(w->control, STAGE_MOUNTS, errno, "opening %s in the scratch", dir);
	for (size_t i = 0; i < n; i++)
		if (!make_file(fd, files[i].path, files[i].bytes, files[i].len, mode))
			child_fail(w->control, STAGE_MOUNTS, errno, "putting %s into %s", files[i].path, dir);
	close(fd);
}

/* ---- mount points ---------------------------------------------------------------------------- */

/*
 * A read-only tree lacks the mount point: lays a read-only overlay over its deepest existing folder,
 * so that folder gains the missing names (a workspace recorded at /usr/local/ws on a machine that
 * has none there).
 */
static void cover_folder(struct world *w, const char *target, bool file)
{
	char at[4096], cover[32], skeleton[4200], options[128];
	struct stat st;

	snprintf(at, sizeof at, "%s", target);
	do {
		char *slash = strrchr(at, '/');
		if (slash == NULL)
			child_fail(w->control, STAGE_MOUNTS, ENOENT, "making the mount point /%s", target);
		*slash = '\0';
	} while (fstatat(w->root, at, &st, 0) != 0 || !S_ISDIR(st.st_mode));

	snprintf(cover, sizeof cover, "cover/%d", w->covers++);
	snprintf(skeleton, sizeof skeleton, "%s/%s", cover, target + strlen(at) + 1);
	if (file ? !make_file(w->scratch, skeleton, "", 0, 0644) : !make_dirs(w->scratch, skeleton))
		child_fail(w->control, STAGE_MOUNTS, errno, "making the mount point /%s", target);
	int lower = openat(w->root, at, O_PATH | O_CLOEXEC);
	snprintf(options, sizeof options, "lowerdir=%s:/proc/self/fd/%d", cover, lower);
	snprintf(skeleton, sizeof skeleton, "root/%s", at);
	if (lower < 0 || mount("overlay", skeleton, "overlay", MS_RDONLY | MS_NOSUID | MS_NODEV, options) != 0)
		child_fail(w->control, STAGE_MOUNTS, errno, "covering /%s to make a mount point in it", at);
	close(lower);
}

static void make_point(struct world *w, const char *target, bool file)
{
	struct stat st;

	if (!file && (make_dirs(w->root, target) || errno == EEXIST))
		return;
	if (file && fstatat(w->root, target, &st, 0) == 0)
		return;
	if (file && make_file(w->root, target, "", 0, 0644))
		return;
	if (errno != EROFS && errno != EACCES && errno != EPERM)
		child_fail(w->control, STAGE_MOUNTS, errno, "making the mount point /%s", target);
	cover_folder(w, target, file);
}

/* Attaches a detached tree at its place. */
static void attach(struct world *w, int tree, const struct mount_step *s)
{
	make_point(w, s->target, s->is_file);
	if (sys_move_mount(tree, "", w->root, s->target, MOVE_MOUNT_F_EMPTY_PATH) != 0)
		child_fail(w->control, STAGE_MOUNTS, errno, "mounting /%s", s->target);
	close(tree);
}

/* ---- one function per kind of step ----------------------------------------------------------- */

static void do_dir(struct world *w, const struct mount_step *s)
{
	if (!make_dirs(w->root, s->target))
		child_fail(w->control, STAGE_MOUNTS, errno, "making /%s", s->target);
}

static void do_file(struct world *w, const struct mount_step *s)
{
	if (!make_file(w->root, s->target, s->bytes, s->len, 0444))
		child_fail(w->control, STAGE_MOUNTS, errno, "writing /%s", s->target);
}

static void do_link(struct world *w, const struct mount_step *s)
{
	if (!make_parent(w->root, s->target) || symlinkat(s->source, w->root, s->target) != 0)
		child_fail(w->control, STAGE_MOUNTS, errno, "linking /%s", s->target);
}

static void do_bind(struct world *w, const struct mount_step *s)
{
	if (s->fd < 0)
		return; /* optional, and not on this machine */
	int tree = sys_open_tree(s->fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);
	if (tree < 0)
		child_fail(w->control, STAGE_MOUNTS, errno, "taking %s", s->source);
	if (sys_mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, s->attr | MOUNT_ATTR_NOSUID) != 0)
		child_fail(w->control, STAGE_MOUNTS, errno, "making %s read-only", s->source);
	attach(w, tree, s);
	close(s->fd);
}

static void do_scratch(struct world *w, const struct mount_step *s)
{
	int tree = sys_open_tree(w->scratch, s->source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

	if (tree < 0)
		child_fail(w->control, STAGE_MOUNTS, errno, "taking %s of the scratch", s->source);
	attach(w, tree, s);
}

static void do_proc(struct world *w, const struct mount_step *s)
{
	if (!w->sb->tier->proc) {
		do_dir(w, s);
		return;
	}
	make_point(w, s->target, false);
	char *where = path_join("root", s->target);
	if (mount("proc", where, "proc", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
		child_fail(w->control, STAGE_PROC, errno, "mounting proc");
	free(where);
}

/* The topmost lower layer: code in memory, mount points, the current folder. */
static void make_code_layer(struct world *w)
{
	const struct mount_plan *plan = &w->sb->plan;
	int fd = open("code", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; i < plan->box_dirs.n; i++)
		if (fd < 0 || !make_dirs(fd, plan->box_dirs.v[i]))
			child_fail(w->control, STAGE_MOUNTS, errno, "making %s in the folder", plan->box_dirs.v[i]);
	for (size_t i = 0; i < plan->box_files.n; i++)
		if (fd < 0 || !make_file(fd, plan->box_files.v[i], "", 0, 0644))
			child_fail(w->control, STAGE_MOUNTS, errno, "making %s in the folder", plan->box_files.v[i]);
	close(fd);
	put_files(w, "code", w->sb->shared->code, w->sb->shared->code_count, 0644);
}

static void mount_overlay(struct world *w, const struct mount_step *s)
{
	enum scratch kind = w->sb->policy.scratch;
	struct buf o = { 0 };

	if (kind == SCRATCH_DISK)
		buf_addf(&o, "upperdir=/proc/self/fd/%d/upper,workdir=/proc/self/fd/%d/work,volatile", w->src->upper, w->src->upper);
	else
		buf_adds(&o, "upperdir=upper,workdir=work");
	/* Without userxattr the overlay wants trusted.* xattrs, which a user namespace may not write:
	 * it then works without any, as on kernels whose tmpfs has none (before 6.6). */
	if (kind != SCRATCH_TMPFS)
		buf_adds(&o, ",userxattr");
	else if (w->sb->tier->tier == TIER_A_ROOT) /* root's may write them: no marks but those that we read */
		buf_adds(&o, ",redirect_dir=nofollow,metacopy=off,index=off");
	buf_adds(&o, ",lowerdir=code");
	for (size_t i = 0; i < w->src->layers_n; i++)
		buf_addf(&o, ":/proc/self/fd/%d", w->src->layers[i]);
	if (o.len >= 4096)
		child_fail(w->control, STAGE_MOUNTS, E2BIG, "laying %zu layers over each other", w->src->layers_n);
	char *where = path_join("root", s->target);
	if (mount("overlay", where, "overlay", MS_NOSUID | MS_NODEV, o.data) != 0)
		child_fail(w->control, STAGE_OVERLAY, errno, "mounting the folder as an overlay");
	free(where);
	buf_free(&o);
}

static void do_box(struct world *w, const struct mount_step *s)
{
	make_point(w, s->target, false);
	if (w->sb->policy.scratch != SCRATCH_COPY) {
		make_code_layer(w);
		mount_overlay(w, s);
		return;
	}
	int tree = sys_open_tree(w->src->upper, "upper", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (tree < 0 || sys_mount_setattr(tree, "", AT_EMPTY_PATH, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV) != 0)
		child_fail(w->control, STAGE_MOUNTS, errno, "taking the copy of the folder");
	attach(w, tree, s);
}

static void (*const doers[])(struct world *w, const struct mount_step *s) = {
	[MOUNT_DIR] = do_dir,
	[MOUNT_FILE] = do_file,
	[MOUNT_LINK] = do_link,
	[MOUNT_BIND] = do_bind,
	[MOUNT_SCRATCH] = do_scratch,
	[MOUNT_BOX] = do_box,
	[MOUNT_PROC] = do_proc,
};

static void enter_root(struct world *w)
{
	if (fchdir(w->root) != 0 || sys_pivot_root(".", ".") != 0)
		child_fail(w->control, STAGE_MOUNTS, errno, "changing the root");
	/* The old root now lies on top of the new one; what is detached takes the scratch's own mount along. */
	if (umount2(".", MNT_DETACH) != 0 || chdir("/") != 0)
		child_fail(w->control, STAGE_MOUNTS, errno, "leaving the old root");
	if (sys_mount_setattr(AT_FDCWD, "/", 0, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV) != 0)
		child_fail(w->control, STAGE_MOUNTS, errno, "making the root read-only");
}

int mounts_build(struct sandbox *sb, const struct sources *src, int control)
{
	struct world w = { .sb = sb, .src = src, .control = control };

	make_scratch(&w);
	put_files(&w, "home", sb->home, sb->home_count, 0644);
	for (size_t i = 0; i < sb->plan.n; i++)
		doers[sb->plan.steps[i].kind](&w, &sb->plan.steps[i]);
	for (size_t i = 0; i < src->layers_n; i++)
		close(src->layers[i]);
	if (src->upper >= 0)
		close(src->upper);
	enter_root(&w);
	close(w.root);
	return w.scratch;
}
