/*
 * Putting what the record holds into the user's folders. Names of artifacts come from a run and are
 * hostile: they are followed part by part below the folder that was asked for, never through a link,
 * and a file that is there stays unless the user said otherwise. A file appears whole or not at all.
 */
#include "query_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- one file ---- */

typedef bool (*fill_fn)(void *ctx, int fd, struct err *e);

struct target {
	int dir;            /* where */
	const char *name;   /* a single part */
	const char *shown;  /* for messages */
	mode_t mode;
	bool force;
};

static bool put_in_place(const struct target *t, const char *temp, struct err *e)
{
	if (t->force)
		return renameat(t->dir, temp, t->dir, t->name) == 0 || err_sys(e, "cannot write %s", t->shown);
	if (renameat2(t->dir, temp, t->dir, t->name, RENAME_NOREPLACE) == 0)
		return true;
	/* Not every file system can do that; a link fails where the name is taken, too. */
	if (errno == EINVAL && linkat(t->dir, temp, t->dir, t->name, 0) == 0) {
		unlinkat(t->dir, temp, 0);
		return true;
	}
	if (errno == EEXIST)
		return err_set(e, ERR_EXISTS, "%s is there already; --force replaces it", t->shown);
	return err_sys(e, "cannot write %s", t->shown);
}

static bool write_file(const struct target *t, fill_fn fill, void *ctx, struct err *e)
{
	char temp[64];
	struct uuid u = uuid_new();
	char text[UUID_TEXT];

	uuid_text(&u, text);
	snprintf(temp, sizeof(temp), ".tickmark-%s", text);
	int fd = openat(t->dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, t->mode);
	if (fd < 0)
		return err_sys(e, "cannot write %s", t->shown);
	bool ok = fill(ctx, fd, e) || err_prefix(e, "%s", t->shown);
	if (ok && fchmod(fd, t->mode) != 0)
		ok = err_sys(e, "cannot set the rights of %s", t->shown);
	if (close(fd) != 0 && ok)
		ok = err_sys(e, "cannot write %s", t->shown);
	ok = ok && put_in_place(t, temp, e);
	if (!ok)
		unlinkat(t->dir, temp, 0);
	return ok;
}

/* To a path that the user named: its folders and links are his. */
static bool write_to(const char *to, mode_t mode, bool force, fill_fn fill, void *ctx, struct err *e)
{
	char *dir = path_dir(to);
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	bool ok;

	if (fd < 0)
		ok = err_sys(e, "cannot open the folder %s", dir);
	else if (stat(to, &st) == 0 && S_ISDIR(st.st_mode))
		ok = err_set(e, ERR_INPUT, "%s is a folder; --to DIR puts many files into one", to);
	else
		ok = write_file(&(struct target){ fd, path_base(to), to, mode, force }, fill, ctx, e);
	if (fd >= 0)
		close(fd);
	free(dir);
	return ok;
}

/* ---- what fills it ---- */

struct content {
	struct query *q;
	const char *name;       /* of a file, for errors; NULL: the error's own words do */
	struct digest digest;   /* of a blob … */
	int64_t attempt;        /* … or a stream */
	enum stream_id stream;
	int fd;
	int64_t written;
};

static bool add_bytes(void *ctx, const void *p, size_t n, struct err *e)
{
	struct content *c = ctx;

	if (cancel_is_asked(&c->q->cancel, "the export", e))
		return false;
	return fs_write_fd(c->fd, p, n, "the export", e);
}

static bool fill_blob(void *ctx, int fd, struct err *e)
{
	struct content *c = ctx;

	c->fd = fd;
	if (store_blob_each(c->q->store, &c->digest, add_bytes, c, e))
		return true;
	if (c->name && e && (e->code == ERR_NOTFOUND || e->code == ERR_CORRUPT))
		err_prefix(e, "%s", c->name);
	return false;
}

static bool add_chunk(void *ctx, const struct chunk *chunk, struct err *e)
{
	struct content *c = ctx;
	char text[80];

	/* What was not kept is said where it is missing. */
	if (chunk->gap) {
		snprintf(text, sizeof(text), "\n[tickmark: %lld bytes not kept]\n", (long long)chunk->gap);
		c->written += (int64_t)strlen(text);
		return fs_write_fd(c->fd, text, strlen(text), "the export", e);
	}
	c->written += (int64_t)chunk->len;
	return fs_write_fd(c->fd, chunk->bytes, chunk->len, "the export", e);
}

static bool fill_stream(void *ctx, int fd, struct err *e)
{
	struct content *c = ctx;

	c->fd = fd;
	c->written = 0;
	return query_chunks(c->q, c->attempt, (int)c->stream, add_chunk, c, e);
}

static bool note_event(struct query *q, int64_t attempt, const char *what, struct err *e)
{
	struct store *st;

	if (!q->ws)
		return true;
	st = workspace_store(q->ws, e);
	return st && store_event(st, "exported", attempt, what, e);
}

static mode_t mode_of(const struct entry *f)
{
	return f->mode & 0100 ? 0700 : 0600;
}

/* ---- one thing ---- */

static bool tell_not_there(const struct detail *d, const char *path, struct err *e)
{
	return err_set(e, ERR_NOTFOUND, "%s has no artifact %s: it has %zu", d->ref, path, d->artifacts_n);
}

static bool find_artifact(const struct detail *d, const char *path, const struct entry **out, struct err *e)
{
	for (size_t i = 0; i < d->artifacts_n; i++) {
		const struct entry *f = &d->artifacts[i];
		if (strcmp(f->path, path) != 0)
			continue;
		if (!artifact_has_bytes(f))
			return err_set(e, ERR_INPUT, "%s of %s has no bytes: it was %s", path, d->ref,
			               artifact_word((enum artifact_kind)f->what));
		*out = f;
		return true;
	}
	return tell_not_there(d, path, e);
}

bool export_artifact(struct query *q, int64_t attempt, const char *path, const char *to, bool force, struct err *e)
{
	const struct entry *f = NULL;
	struct detail d;

	if (!query_detail(q, attempt, &d, e))
		return false;
	bool ok = find_artifact(&d, path, &f, e);
	if (ok) {
		struct content c = { .q = q, .name = path, .digest = f->sha256 };
		ok = write_to(to, mode_of(f), force, fill_blob, &c, e);
	}
	query_detail_free(&d);
	return ok && note_event(q, attempt, path, e);
}

bool export_stream(struct query *q, int64_t attempt, enum stream_id stream, const char *to, bool force, int64_t *written, struct err *e)
{
	struct content c = { .q = q, .attempt = attempt, .stream = stream };

	bool ok = write_to(to, 0600, force, fill_stream, &c, e) &&
	          note_event(q, attempt, stream == STREAM_OUT ? "stdout" : "stderr", e);
	*written = c.written;
	return ok;
}

bool export_made(const char *to, bool force, bool (*fill)(void *ctx, int fd, struct err *e), void *ctx, struct err *e)
{
	mode_t mask = umask(022);

	umask(mask);
	return write_to(to, 0666 & ~mask, force, fill, ctx, e);
}

/* ---- many ---- */

struct many {
	struct query *q;
	const struct detail *d;
	int root;            /* the folder that was asked for */
	const char *to;
	bool force;
	void (*told)(void *ctx, const char *path, int64_t size);
	void *ctx;
	struct strv done;    /* paths written by this export */
};

/* Folders that other programs obey, whoever made what lies in them. */
static bool is_reserved(const char *part, size_t n)
{
	static const char *const names[] = { ".git", ".hg", ".svn", ".tickmark" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strlen(names[i]) == n && strncasecmp(part, names[i], n) == 0)
			return true;
	return false;
}

/* Where an artifact goes below the folder: its own path, HOME and /tmp in folders of their own. */
static char *safe_path(const char *path)
{
	struct buf b = { 0 };
	const char *rest = path;

	if (strncmp(path, "~/", 2) == 0) {
		buf_adds(&b, "_home/");
		rest = path + 2;
	} else if (strncmp(path, "/tmp/", 5) == 0) {
		buf_adds(&b, "_tmp/");
		rest = path + 5;
	}
	if (!path_is_plain_relative(rest)) {
		/* Nothing that a run can make; a record can say anything. */
		struct digest d = hash_bytes(path, strlen(path));
		char hex[DIGEST_HEX];
		digest_hex(&d, hex);
		buf_addf(&b, "_odd-name-%.16s", hex);
		return buf_take(&b);
	}
	while (*rest) {
		const char *end = strchrnul(rest, '/');
		if (is_reserved(rest, (size_t)(end - rest)))
			buf_addc(&b, '_');
		buf_add(&b, rest, (size_t)(end - rest));
		if (*end)
			buf_addc(&b, '/');
		rest = *end ? end + 1 : end;
	}
	return buf_take(&b);
}

/* The folder of a path below root, made where missing, never through a link. */
static int open_below(int root, const char *path, const char *shown, struct err *e)
{
	int at = fcntl(root, F_DUPFD_CLOEXEC, 3);

	while (at >= 0) {
		const char *slash = strchr(path, '/');
		if (!slash)
			return at;
		char *part = xstrndup(path, (size_t)(slash - path));
		if (mkdirat(at, part, 0700) != 0 && errno != EEXIST) {
			err_sys(e, "cannot make a folder for %s", shown);
			free(part);
			close(at);
			return -1;
		}
		int next = openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int why = errno;
		free(part);
		close(at);
		at = next;
		errno = why;
		path = slash + 1;
	}
	err_sys(e, "cannot open the folder for %s", shown);
	return -1;
}

static bool put(struct many *m, const char *path, mode_t mode, int64_t size, fill_fn fill, struct content *c, struct err *e)
{
	/* Two artifacts may come to one name (_tmp/x, /tmp/x): then the second gets another. */
	char *safe = safe_path(path);
	for (int k = 1; strv_has(&m->done, safe); k++) {
		free(safe);
		char *first = safe_path(path);
		safe = xasprintf("%s.%d", first, k);
		free(first);
	}
	char *shown = path_join(m->to, safe);
	int dir = open_below(m->root, safe, shown, e);
	bool ok = dir >= 0 && write_file(&(struct target){ dir, path_base(safe), shown, mode, m->force }, fill, c, e);
	if (dir >= 0)
		close(dir);
	if (ok) {
		strv_add(&m->done, safe);
		if (m->told)
			m->told(m->ctx, safe, size >= 0 ? size : c->written);
	}
	free(shown);
	free(safe);
	return ok;
}

static bool put_artifacts(struct many *m, struct err *e)
{
	for (size_t i = 0; i < m->d->artifacts_n; i++) {
		const struct entry *f = &m->d->artifacts[i];
		struct content c = { .q = m->q, .name = f->path, .digest = f->sha256 };
		if (!artifact_has_bytes(f))
			continue;
		if (!put(m, f->path, mode_of(f), f->size, fill_blob, &c, e))
			return false;
	}
	return true;
}

char *export_code_dup(const char *script)
{
	return xasprintf("_code/%s", script && path_is_plain_relative(script) ? script : "code.py");
}

static bool put_rest(struct many *m, struct err *e)
{
	struct content code = { .q = m->q, .digest = m->d->attempt.code };
	struct content out = { .q = m->q, .attempt = m->d->attempt.id, .stream = STREAM_OUT };
	struct content err = { .q = m->q, .attempt = m->d->attempt.id, .stream = STREAM_ERR };
	int64_t size = 0;

	(void)store_blob_has(m->q->store, &code.digest, &size);
	char *path = export_code_dup(m->d->attempt.script);
	bool ok = put(m, path, 0600, size, fill_blob, &code, e) && put(m, EXPORT_STDOUT, 0600, -1, fill_stream, &out, e) &&
	          put(m, EXPORT_STDERR, 0600, -1, fill_stream, &err, e);
	free(path);
	return ok;
}

bool export_many(struct query *q, int64_t attempt, const char *to, bool whole, bool force,
                 void (*told)(void *ctx, const char *path, int64_t size), void *ctx, struct err *e)
{
	struct detail d;

	if (!query_detail(q, attempt, &d, e))
		return false;
	struct many m = { .q = q, .d = &d, .to = to, .force = force, .told = told, .ctx = ctx };
	bool ok = fs_mkdirs(AT_FDCWD, to, e);
	m.root = ok ? open(to, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (ok && m.root < 0)
		ok = err_sys(e, "cannot open the folder %s", to);
	ok = ok && put_artifacts(&m, e) && (!whole || put_rest(&m, e));
	if (m.root >= 0)
		close(m.root);
	/* What was written before a failure was exported, too. */
	if (m.done.n && !note_event(q, attempt, whole ? "everything" : "all artifacts", ok ? e : NULL))
		ok = false;
	strv_free(&m.done);
	query_detail_free(&d);
	return ok;
}
