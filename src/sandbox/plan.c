/* The plan of mounts of one run, as data: a synthetic root with the system's programs, the
 * interpreters, the scratch and the folder, in an order in which parents come first. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "impl.h"
#include "sys.h"

#define READ_ONLY (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV)
#define DATA_ONLY (READ_ONLY | MOUNT_ATTR_NOEXEC)
/* Devices can be written to all the same; their mode, owner and times cannot be changed. */
#define DEVICE_ONLY (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC)
#define TEXT(s) .bytes = s, .len = sizeof(s) - 1

/* What every run has; paths relative to the root. */
static const struct mount_step base_steps[] = {
	{ .kind = MOUNT_DIR, .target = "etc", .access = ACCESS_READ },
	{ .kind = MOUNT_DIR, .target = "dev" },
	{ .kind = MOUNT_DIR, .target = "run/tickmark", .access = ACCESS_READ },
	{ .kind = MOUNT_DIR, .target = "var", .access = ACCESS_READ },
	{ .kind = MOUNT_DIR, .target = "mnt" },
	{ .kind = MOUNT_LINK, .target = "dev/fd", .source = "/proc/self/fd" },
	{ .kind = MOUNT_LINK, .target = "dev/stdin", .source = "/proc/self/fd/0" },
	{ .kind = MOUNT_LINK, .target = "dev/stdout", .source = "/proc/self/fd/1" },
	{ .kind = MOUNT_LINK, .target = "dev/stderr", .source = "/proc/self/fd/2" },
	/* getpwuid must work: os.path.expanduser, getpass.getuser, matplotlib */
	{ .kind = MOUNT_FILE, .target = "etc/passwd",
	  TEXT("root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n" RUN_USER ":x:1000:1000::" SANDBOX_HOME ":/bin/sh\n"
	       "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n") },
	{ .kind = MOUNT_FILE, .target = "etc/group", TEXT("root:x:0:\n" RUN_USER ":x:1000:\nnogroup:x:65534:\n") },
	{ .kind = MOUNT_FILE, .target = "etc/hosts", TEXT("127.0.0.1 localhost " RUN_USER "\n::1 localhost\n") },
	/* "dns" stays in, so that a look-up tries a socket and the record shows what was refused */
	{ .kind = MOUNT_FILE, .target = "etc/nsswitch.conf", TEXT("passwd: files\ngroup: files\nhosts: files dns\n") },
	{ .kind = MOUNT_BIND, .target = "etc/ld.so.cache", .source = "/etc/ld.so.cache", .attr = DATA_ONLY, .optional = true },
	/* Debian: numpy's BLAS is found through it */
	{ .kind = MOUNT_BIND, .target = "etc/alternatives", .source = "/etc/alternatives", .attr = DATA_ONLY, .optional = true },
	{ .kind = MOUNT_BIND, .target = "etc/fonts", .source = "/etc/fonts", .attr = DATA_ONLY, .optional = true },
	{ .kind = MOUNT_BIND, .target = "etc/localtime", .source = "/etc/localtime", .attr = DATA_ONLY, .optional = true },
	{ .kind = MOUNT_BIND, .target = "etc/mime.types", .source = "/etc/mime.types", .attr = DATA_ONLY, .optional = true },
	{ .kind = MOUNT_BIND, .target = "etc/services", .source = "/etc/services", .attr = DATA_ONLY, .optional = true },
	{ .kind = MOUNT_BIND, .target = "etc/matplotlibrc", .source = "/etc/matplotlibrc", .attr = DATA_ONLY, .optional = true },
	{ .kind = MOUNT_BIND, .target = "var/cache/fontconfig", .source = "/var/cache/fontconfig", .attr = DATA_ONLY,
	  .optional = true },
	{ .kind = MOUNT_BIND, .target = "usr", .source = "/usr", .attr = READ_ONLY, .access = ACCESS_EXEC },
	{ .kind = MOUNT_BIND, .target = "dev/null", .source = "/dev/null", .attr = DEVICE_ONLY, .access = ACCESS_DEVICE },
	{ .kind = MOUNT_BIND, .target = "dev/zero", .source = "/dev/zero", .attr = DEVICE_ONLY, .access = ACCESS_DEVICE },
	{ .kind = MOUNT_BIND, .target = "dev/random", .source = "/dev/random", .attr = DEVICE_ONLY, .access = ACCESS_DEVICE },
	{ .kind = MOUNT_BIND, .target = "dev/urandom", .source = "/dev/urandom", .attr = DEVICE_ONLY,
	  .access = ACCESS_DEVICE },
	{ .kind = MOUNT_PROC, .target = "proc", .access = ACCESS_READ },
	{ .kind = MOUNT_SCRATCH, .target = "dev/shm", .source = "shm", .access = ACCESS_WRITE },
	{ .kind = MOUNT_SCRATCH, .target = "tmp", .source = "tmp", .access = ACCESS_WRITE },
	{ .kind = MOUNT_SCRATCH, .target = "home/" RUN_USER, .source = "home", .access = ACCESS_WRITE },
};

/* Without a user namespace the run sees its id on the host, which is nobody's. */
static const struct mount_step root_steps[] = {
	{ .kind = MOUNT_FILE, .target = "etc/passwd",
	  TEXT("root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n" RUN_USER ":x:65534:65534::" SANDBOX_HOME ":/bin/sh\n") },
	{ .kind = MOUNT_FILE, .target = "etc/group", TEXT("root:x:0:\n" RUN_USER ":x:65534:\n") },
};

/* Top folders that are symlinks into usr on merged systems, and folders elsewhere. */
static const char *const system_dirs[] = { "bin", "sbin", "lib", "lib64", "lib32", "libx32" };

/* A box must neither cover these nor, where `inside` is set, lie within. */
static const struct { const char *path; bool inside; } reserved[] = {
	{ "/usr", false }, { "/etc", false }, { "/dev", false }, { "/bin", false }, { "/sbin", false },
	{ "/lib", false }, { "/lib64", false }, { "/proc", true }, { SANDBOX_SUPPORT, true },
};

/* Parts of a virtual environment that is made in the workspace itself. */
static const char *const venv_parts[] = { "bin", "lib", "lib64", "include", "share", "pyvenv.cfg" };

static void add_step(struct mount_plan *plan, const struct mount_step *from)
{
	plan->steps = grow(plan->steps, plan->n, &plan->cap, sizeof *plan->steps);
	struct mount_step *s = &plan->steps[plan->n++];
	*s = *from;
	s->target = xstrdup(from->target);
	s->source = from->source != NULL ? xstrdup(from->source) : NULL;
	s->fd = -1;
}

static void step_free(struct mount_step *s)
{
	free((char *)s->target);
	free((char *)s->source);
}

static void add_bind(struct mount_plan *plan, const char *path, bool optional)
{
	add_step(plan, &(struct mount_step){ .kind = MOUNT_BIND, .target = path + 1, .source = path,
	                                     .attr = READ_ONLY, .access = ACCESS_EXEC, .optional = optional });
}

static void add_base(struct mount_plan *plan, enum tier tier)
{
	for (size_t i = 0; i < ARRAY_LEN(base_steps); i++) {
		const struct mount_step *s = &base_steps[i];
		for (size_t k = 0; tier == TIER_A_ROOT && k < ARRAY_LEN(root_steps); k++)
			if (strcmp(root_steps[k].target, s->target) == 0)
				s = &root_steps[k];
		add_step(plan, s);
	}
}

static void add_system_dirs(struct mount_plan *plan)
{
	for (size_t i = 0; i < ARRAY_LEN(system_dirs); i++) {
		char path[16], text[256];
		struct stat st;
		snprintf(path, sizeof path, "/%s", system_dirs[i]);
		if (lstat(path, &st) != 0)
			continue;
		ssize_t n = S_ISLNK(st.st_mode) ? readlink(path, text, sizeof text - 1) : -1;
		if (n > 0) {
			text[n] = '\0';
			add_step(plan, &(struct mount_step){ .kind = MOUNT_LINK, .target = path + 1, .source = text });
		} else if (S_ISDIR(st.st_mode)) {
			add_bind(plan, path, true);
		}
	}
}

/* Debian keeps sitecustomize.py in /etc/python3.N. Asked for by name: listing /etc takes longer. */
static void add_etc_python(struct mount_plan *plan)
{
	for (int minor = 0; minor < 30; minor++) {
		char path[24];
		snprintf(path, sizeof path, minor > 0 ? "/etc/python3.%d" : "/etc/python3", minor);
		if (access(path, F_OK) == 0)
			add_step(plan, &(struct mount_step){ .kind = MOUNT_BIND, .target = path + 1, .source = path,
			                                     .attr = DATA_ONLY, .optional = true });
	}
}

static bool is_system_link(const char *path)
{
	for (size_t i = 0; i < ARRAY_LEN(system_dirs); i++) {
		char top[16];
		struct stat st;
		snprintf(top, sizeof top, "/%s", system_dirs[i]);
		if (path_below(top, path) != NULL)
			return lstat(top, &st) == 0 && S_ISLNK(st.st_mode);
	}
	return false;
}

/* Is `path` visible already, through usr or an interpreter's folder that holds it? */
static bool is_covered(const struct mount_plan *plan, const char *box, const char *path)
{
	if (strcmp(path, "/") == 0 || is_system_link(path))
		return true;
	for (size_t i = 0; i < plan->n; i++) {
		const struct mount_step *s = &plan->steps[i];
		if (s->kind != MOUNT_BIND || s->access != ACCESS_EXEC || path_below(s->source, path) == NULL)
			continue;
		bool hidden = path_below(box, path) != NULL && path_below(s->source, box) != NULL;
		if (!hidden)
			return true;
	}
	return false;
}

/* The workspace is itself a virtual environment: its parts one by one, read-only. */
static void add_venv_parts(struct mount_plan *plan, const char *box)
{
	for (size_t i = 0; i < ARRAY_LEN(venv_parts); i++) {
		struct stat st;
		char *path = path_join(box, venv_parts[i]);
		if (lstat(path, &st) == 0 && (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode))) {
			add_bind(plan, path, false);
			strv_add(S_ISDIR(st.st_mode) ? &plan->box_dirs : &plan->box_files, venv_parts[i]);
		}
		free(path);
	}
}

static bool add_prefix(struct mount_plan *plan, const char *box, const char *given, struct err *e)
{
	if (given[0] != '/')
		return err_set(e, ERR_INPUT, "%s: the folder of an interpreter must be an absolute path", given);
	char *path = path_clean(given);
	bool ok = true;

	if (path_below("/proc", path) != NULL || path_below("/dev", path) != NULL || path_below("/sys", path) != NULL)
		ok = err_set(e, ERR_INPUT, "%s: an interpreter cannot be taken from there", path);
	else if (strcmp(path, box) == 0)
		add_venv_parts(plan, box);
	else if (!is_covered(plan, box, path))
		add_bind(plan, path, false);
	free(path);
	return ok;
}

static bool check_box(const char *given, const char *box, struct err *e)
{
	bool bad = given[0] != '/' || strcmp(given, box) != 0 || strcmp(box, "/") == 0;

	for (size_t i = 0; i < ARRAY_LEN(reserved) && !bad; i++)
		bad = path_below(box, reserved[i].path) != NULL ||
		      (reserved[i].inside && path_below(reserved[i].path, box) != NULL);
	if (bad)
		return err_set(e, ERR_INPUT, "a folder at \"%s\" cannot be shown to a run: it would hide the system's own; "
		               "use a folder elsewhere", given);
	return true;
}

/* /mnt/data and /var/tmp, unless the box lies at, above or below them. */
static void add_link(struct mount_plan *plan, const char *box, const char *path, const char *text)
{
	if (path_below(path, box) == NULL && path_below(box, path) == NULL)
		add_step(plan, &(struct mount_step){ .kind = MOUNT_LINK, .target = path + 1, .source = text });
}

static bool add_support(struct mount_plan *plan, const struct sandbox_spec *spec, struct err *e)
{
	for (size_t i = 0; i < spec->support_count; i++) {
		const struct sandbox_file *f = &spec->support[i];
		if (!path_is_plain_relative(f->path))
			return err_set(e, ERR_INPUT, "support file \"%s\": not a plain relative path", f->path);
		char *target = path_join(SANDBOX_SUPPORT, f->path);
		add_step(plan, &(struct mount_step){ .kind = MOUNT_FILE, .target = target + 1, .bytes = f->bytes, .len = f->len });
		free(target);
	}
	return true;
}

static int by_order(const void *a, const void *b)
{
	const struct mount_step *x = a, *y = b;
	bool xm = x->kind >= MOUNT_BIND, ym = y->kind >= MOUNT_BIND;

	if (xm != ym)
		return xm ? 1 : -1; /* what lies in the root itself comes first */
	return strcmp(x->target, y->target); /* a parent is a prefix, so it sorts before */
}

/* The box replaces what would stand at its own place, and holds the mount points below it. */
static void settle_box(struct mount_plan *plan, const char *box)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++) {
		struct mount_step *s = &plan->steps[i];
		char *path = path_join("/", s->target);
		const char *below = path_below(box, path);
		bool same = below != NULL && strcmp(below, ".") == 0 && s->kind != MOUNT_BOX;
		if (below != NULL && !same && s->kind == MOUNT_SCRATCH)
			strv_add(&plan->box_dirs, below);
		if (below != NULL && !same && s->kind == MOUNT_BIND && strv_has(&plan->box_files, below) == false &&
		    !strv_has(&plan->box_dirs, below))
			strv_add(&plan->box_dirs, below);
		if (same) {
			step_free(s);
		} else {
			plan->steps[n++] = *s;
		}
		free(path);
	}
	plan->n = n;
}

static void measure_root(struct mount_plan *plan)
{
	plan->root_files = 64;
	plan->root_bytes = 64 << 10;
	for (size_t i = 0; i < plan->n; i++) {
		const struct mount_step *s = &plan->steps[i];
		for (const char *p = s->target; *p != '\0'; p++)
			plan->root_files += *p == '/';
		plan->root_files++;
		plan->root_bytes += (int64_t)(s->len / 4096 + 1) * 4096;
	}
}

bool plan_make(struct mount_plan *plan, const struct sandbox_spec *spec, struct err *e)
{
	char *box = path_clean(spec->box);
	bool ok = check_box(spec->box, box, e);

	if (!ok)
		goto out;
	add_base(plan, spec->policy.tier);
	add_system_dirs(plan);
	add_etc_python(plan);
	add_link(plan, box, "/mnt/data", box);
	add_link(plan, box, "/var/tmp", "/tmp");
	if (spec->cwd != NULL && strcmp(spec->cwd, ".") != 0) {
		if (!path_is_plain_relative(spec->cwd)) {
			ok = err_set(e, ERR_INPUT, "\"%s\": not a folder of the workspace", spec->cwd);
			goto out;
		}
		strv_add(&plan->box_dirs, spec->cwd);
	}
	for (size_t i = 0; i < spec->prefix_count && ok; i++)
		ok = add_prefix(plan, box, spec->prefixes[i], e);
	if (!ok || !(ok = add_support(plan, spec, e)))
		goto out;
	add_step(plan, &(struct mount_step){ .kind = MOUNT_BOX, .target = box + 1, .access = ACCESS_WRITE });
	settle_box(plan, box);
	qsort(plan->steps, plan->n, sizeof *plan->steps, by_order);
	measure_root(plan);
out:
	free(box);
	return ok;
}

void plan_free(struct mount_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		step_free(&plan->steps[i]);
	free(plan->steps);
	strv_free(&plan->box_dirs);
	strv_free(&plan->box_files);
	*plan = (struct mount_plan){ 0 };
}
