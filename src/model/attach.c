/*
 * Attached files as front ends see them: the list with reasons, and what the user adds or takes out.
 */
#include "attachments.h"
#include "runfile.h"
#include "scan.h"
#include "settings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PUT_TRIES 3 /* of bytes from a pipe */

static const char *const exclusion_words[EXCLUDE_COUNT] = {
	[EXCLUDE_NOT] = "attached",
	[EXCLUDE_HIDDEN] = "hidden",
	[EXCLUDE_GITIGNORE] = "ignored by .gitignore",
	[EXCLUDE_IGNORE] = "ignored by .tickmarkignore",
	[EXCLUDE_VENV] = "virtual environment",
	[EXCLUDE_MODULES] = "node_modules",
	[EXCLUDE_PYCACHE] = "__pycache__",
	[EXCLUDE_LOCK] = "lock file of an office program",
	[EXCLUDE_OUTSIDE] = "link that leaves the workspace",
	[EXCLUDE_SPECIAL] = "no regular file",
	[EXCLUDE_UNREADABLE] = "not readable",
	[EXCLUDE_TOO_LARGE] = "over the limit of a file",
	[EXCLUDE_TOO_MANY] = "over the limit of files",
	[EXCLUDE_REMOVED] = "taken out",
};

const char *exclusion_text(enum exclusion x)
{
	return x < EXCLUDE_COUNT ? exclusion_words[x] : "?";
}

/* ---- listing ---- */

static bool scan_folder(struct workspace *ws, const char *dir, struct attachments *added, struct scan *out, struct err *e)
{
	struct scan_rules rules = { 0 };
	struct store *st = NULL;

	*added = (struct attachments){ 0 };
	*out = (struct scan){ 0 };
	if (!settings_attached(ws, &rules.max_files, &rules.max_size, e))
		return false;
	if (ws && (!(st = workspace_store(ws, e)) || !attachments_load(st, added, e)))
		return false;
	char *path = realpath(ws ? ws->root : dir, NULL);
	if (!path)
		return err_sys(e, "cannot find the folder %s", ws ? ws->root : dir);

	int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool ok = root >= 0 || err_sys(e, "cannot open the folder %s", path);
	rules.attachments = added->v;
	rules.attachments_n = added->n;
	ok = ok && scan_walk(root, path, &rules, true, out, e);
	if (root >= 0)
		close(root);
	free(path);
	return ok;
}

static int64_t floor_us(int64_t ns)
{
	return ns >= 0 ? ns / 1000 : -((-ns + 999) / 1000);
}

static void describe(struct workspace *ws, const struct scan *s, const struct scan_file *f, struct attached *out)
{
	*out = (struct attached){
		.path = scan_text(s, f->path),
		.source = f->source ? scan_text(s, f->source) : NULL,
		.excluded = f->excluded,
		.detail = f->detail ? scan_text(s, f->detail) : NULL,
		.size = (int64_t)f->st.size,
		.mtime_us = floor_us(f->st.mtime_ns),
	};
	if (f->kind == SCAN_KEPT)
		out->content = f->sha256;
	if (f->kind == SCAN_KEPT && ws && ws->store)
		store_blob_has(ws->store, &f->sha256, &out->size);
}

bool attach_scan(struct workspace *ws, const char *dir, bool (*fn)(void *ctx, const struct attached *a), void *ctx,
                 struct attach_totals *totals, struct err *e)
{
	struct attachments added;
	struct attached a;
	struct scan s;
	bool ok = scan_folder(ws, dir, &added, &s, e);

	if (totals)
		*totals = (struct attach_totals){ 0 };
	for (size_t i = 0; ok && i < s.files_n; i++) {
		if (s.files[i].unlisted)
			continue;
		describe(ws, &s, &s.files[i], &a);
		if (totals && a.excluded) {
			totals->excluded[a.excluded]++;
		} else if (totals) {
			totals->files++;
			totals->bytes += a.size;
		}
		if (fn && !fn(ctx, &a))
			break;
	}
	scan_free(&s);
	attachments_free(&added);
	return ok;
}

/* ---- one path ---- */

/* The path relative to the workspace's root, NULL when it is outside. Links in its folder count as
 * what they lead to; the last part stays what it is. Owned. */
static char *below_root(struct workspace *ws, const char *path, struct err *e)
{
	char *whole = path_absolute(path, e);

	if (!whole)
		return NULL;
	char *dir = path_dir(whole);
	char *real = realpath(dir, NULL);
	char *resolved = path_join(real ? real : dir, path_base(whole));
	const char *below = path_below(ws->root, resolved);
	char *result = below && strcmp(below, ".") != 0 ? xstrdup(below) : NULL;

	free(resolved);
	free(real);
	free(dir);
	free(whole);
	return result;
}

/* Whether row `f` decides about `path`: it is the path, or a folder left out whole that holds it. */
static bool row_covers(const struct scan *s, const struct scan_file *f, const char *path)
{
	const char *row = scan_text(s, f->path);
	size_t n = strlen(row);

	if (f->unlisted)
		return false;
	if (!f->whole)
		return strcmp(row, path) == 0;
	return strncmp(row, path, n) == 0 || (strlen(path) == n - 1 && strncmp(row, path, n - 1) == 0);
}

bool attach_why(struct workspace *ws, const char *path, enum exclusion *x, struct buf *detail, struct err *e)
{
	char *below = below_root(ws, path, e);
	const char *name = below ? below : path;
	struct attachments added;
	struct scan s;
	bool ok = scan_folder(ws, NULL, &added, &s, e), found = false;

	for (size_t i = 0; ok && !found && i < s.files_n; i++) {
		const struct scan_file *f = &s.files[i];
		if (!row_covers(&s, f, name))
			continue;
		found = true;
		*x = f->excluded;
		if (!f->excluded && f->source)
			buf_addf(detail, "from %s", scan_text(&s, f->source));
		if (f->detail)
			buf_adds(detail, scan_text(&s, f->detail));
	}
	if (ok && !found)
		ok = err_set(e, ERR_NOTFOUND, "there is no file %s in %s", name, ws->root);
	scan_free(&s);
	attachments_free(&added);
	free(below);
	return ok;
}

/* ---- the bytes of one ---- */

/* What came from a pipe is in the record only. */
static int open_kept(struct workspace *ws, const struct digest *d, const char *name, struct err *e)
{
	struct store *st = workspace_store(ws, e);
	int fd = st ? memfd_create("attached", MFD_CLOEXEC) : -1;

	if (st && fd < 0)
		err_sys(e, "cannot read %s", name);
	if (fd < 0 || (store_blob_write(st, d, fd, name, e) && lseek(fd, 0, SEEK_SET) == 0))
		return fd;
	close(fd);
	return -1;
}

static int open_row(struct workspace *ws, const struct scan *s, const struct scan_file *f, struct err *e)
{
	const char *name = scan_text(s, f->path);
	int fd;

	if (f->excluded) {
		err_set(e, ERR_INPUT, "%s is not attached: %s%s%s", name, exclusion_text(f->excluded), f->detail ? ", " : "",
		        f->detail ? scan_text(s, f->detail) : "");
		return -1;
	}
	if (f->kind == SCAN_KEPT)
		return open_kept(ws, &f->sha256, name, e);
	if (f->source)
		fd = open(scan_text(s, f->source), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	else
		fd = openat(ws->dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		err_sys(e, "cannot read %s", name);
	return fd;
}

int attach_open(struct workspace *ws, const char *name, struct err *e)
{
	struct attachments added;
	struct scan s;
	bool ok = scan_folder(ws, NULL, &added, &s, e), found = false;
	int fd = -1;

	for (size_t i = 0; ok && !found && i < s.files_n; i++) {
		found = row_covers(&s, &s.files[i], name);
		if (found)
			fd = open_row(ws, &s, &s.files[i], e);
	}
	if (ok && !found)
		err_set(e, ERR_NOTFOUND, "there is no file %s among the attached files", name);
	scan_free(&s);
	attachments_free(&added);
	return fd;
}

/* ---- adding and taking out ---- */

/* Whether a file system takes every part of it; runs would all fail of a name that none takes. */
static bool fits(const char *name)
{
	size_t n;

	for (const char *p = name; *p; p += n + (p[n] == '/'))
		if ((n = strcspn(p, "/")) > NAME_MAX)
			return false;
	return true;
}

static bool check_name(const char *name, struct err *e)
{
	if (!path_is_plain_relative(name) || strlen(name) >= PATH_MAX / 2)
		return err_set(e, ERR_INPUT, "'%s' cannot be the name of an attached file: give a path below the workspace "
		               "without '..'", name);
	if (!fits(name))
		return err_set(e, ERR_INPUT, "'%.80s…' cannot be the name of an attached file: a part of it has over %d bytes", name, NAME_MAX);
	if (strcmp(name, ".tickmark") == 0 || strncmp(name, ".tickmark/", 10) == 0)
		return err_set(e, ERR_INPUT, "'%s' cannot be attached: .tickmark belongs to the record", name);
	return true;
}

/* A name that would need a file to be a folder at the same time can never be offered. */
static bool check_room(struct workspace *ws, const char *name, struct err *e)
{
	char *part = xstrdup(name);
	struct stat st;
	bool ok = true;

	for (char *slash = strchr(part, '/'); ok && slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (fstatat(ws->dir, part, &st, 0) == 0 && !S_ISDIR(st.st_mode))
			ok = err_set(e, ERR_INPUT, "'%s' cannot be attached: %s is a file; choose another name", name, part);
		*slash = '/';
	}
	if (ok && fstatat(ws->dir, name, &st, 0) == 0 && S_ISDIR(st.st_mode))
		ok = err_set(e, ERR_INPUT, "'%s' cannot be attached: it is a folder in the workspace; choose another name", name);
	free(part);
	return ok;
}

/* `path` has no links in it. */
static bool check_file(struct workspace *ws, const char *path, struct err *e)
{
	const char *below = path_below(ws->root, path);
	int64_t files, size;
	char text[UNIT_TEXT], limit[UNIT_TEXT];
	struct stat st;

	/* Also because closing any descriptor of the record would drop SQLite's locks on it. */
	if (below && strncmp(below, ".tickmark/", 10) == 0)
		return err_set(e, ERR_INPUT, "%s cannot be attached: .tickmark belongs to the record", path);

	if (stat(path, &st) < 0)
		return err_sys(e, "cannot attach %s", path);
	if (S_ISDIR(st.st_mode))
		return err_set(e, ERR_INPUT, "%s is a folder; attach its files one by one", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_INPUT, "%s is no regular file; for data from a pipe: attach add - --name NAME", path);
	if (access(path, R_OK) < 0)
		return err_sys(e, "cannot read %s", path);
	if (!settings_attached(ws, &files, &size, e))
		return false;
	if (st.st_size <= size)
		return true;
	size_format(st.st_size, text);
	size_format(size, limit);
	return err_set(e, ERR_LIMIT, "%s has %s, the limit of an attached file is %s; tickmark config attached-size raises it",
	               path, text, limit);
}

static bool record(struct workspace *ws, const struct attachment *a, struct err *e)
{
	struct store *st = workspace_store(ws, e);

	return st && store_attach(st, a, e);
}

bool attach_add(struct workspace *ws, const char *path, const char *name, struct err *e)
{
	struct attachment a = { 0 };
	char *below = below_root(ws, path, e);
	char *real = realpath(path, NULL);
	bool ok = false;

	if (!real) {
		err_sys(e, "cannot attach %s", path);
		goto out;
	}
	if (!name && below)
		name = below;
	a.name = name ? name : path_base(real);
	if (!check_name(a.name, e) || !check_file(ws, real, e))
		goto out;
	/* A file of the folder itself, at its own path: no source, so that the folder may move. */
	if (!below || strcmp(below, a.name) != 0) {
		a.source = real;
		if (!check_room(ws, a.name, e))
			goto out;
	}
	ok = record(ws, &a, e);
out:
	free(real);
	free(below);
	return ok;
}

/* What comes from a pipe has no size yet: it goes into a file of ours first. */
static int spool(struct workspace *ws, int fd, struct err *e)
{
	int dir = workspace_open_dir(ws, "cache/tmp", e);
	int out = dir >= 0 ? openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;

	if (dir >= 0 && out < 0) {
		struct uuid id = uuid_new();
		char name[UUID_TEXT];
		uuid_text(&id, name);
		out = openat(dir, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
		if (out >= 0)
			unlinkat(dir, name, 0);
		else
			err_sys(e, "cannot make a file in .tickmark/cache/tmp");
	}
	if (dir >= 0)
		close(dir);
	if (out < 0)
		return -1;
	if (fs_copy(fd, out, "the attached data", e) && lseek(out, 0, SEEK_SET) == 0)
		return out;
	close(out);
	return -1;
}

/* A prune that comes between the bytes and the row that names them takes them: then once more. */
static bool put_and_record(struct workspace *ws, struct store *st, int fd, struct attachment *a, struct err *e)
{
	struct uuid owner = uuid_new();
	int life = runfile_show_life(ws, &owner, e);
	struct err why = { .code = ERR_NOTFOUND };
	bool ok = false;

	if (life < 0)
		return false;
	for (int i = 0; !ok && why.code == ERR_NOTFOUND && i < PUT_TRIES; i++) {
		why = (struct err){ 0 };
		ok = store_blob_put_fd(st, &owner, fd, a->name, NULL, &a->sha256, NULL, &why) && store_attach(st, a, &why);
	}
	runfile_end_life(ws, &owner, life);
	if (!ok && e)
		*e = why;
	return ok;
}

bool attach_add_fd(struct workspace *ws, int fd, const char *name, const char *origin, struct err *e)
{
	struct attachment a = { .name = name, .origin = origin };
	struct store *st = workspace_store(ws, e);

	if (!st || !check_name(name, e) || !check_room(ws, name, e))
		return false;
	int copy = spool(ws, fd, e);
	if (copy < 0)
		return false;
	bool ok = put_and_record(ws, st, copy, &a, e);
	close(copy);
	return ok;
}

bool attach_remove(struct workspace *ws, const char *name, struct err *e)
{
	struct attachment a = { .removed = true };
	struct attachments added;
	struct scan s;
	char *clean = path_clean(name);
	bool ok = scan_folder(ws, NULL, &added, &s, e), found = false;

	for (size_t i = 0; ok && !found && i < s.files_n; i++) {
		const char *path = scan_text(&s, s.files[i].path);
		size_t n = strlen(clean);
		/* A folder goes as a whole, if anything of it is attached. */
		found = !s.files[i].excluded && strncmp(path, clean, n) == 0 && (path[n] == '\0' || path[n] == '/');
	}
	const struct attachment *was = attachments_find(&added, clean);
	if (ok && !found && !(was && !was->removed))
		ok = err_set(e, ERR_NOTFOUND, "%s is not attached", name);
	a.name = clean;
	ok = ok && record(ws, &a, e);
	scan_free(&s);
	attachments_free(&added);
	free(clean);
	return ok;
}
