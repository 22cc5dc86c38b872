/*
 * Reading a file without leaving a trace beside it. SQLite's "immutable" does exactly that, but sees
 * neither a -wal nor a hot -journal. Where one of these has content, a copy is read instead: it is made
 * in a folder of mode 0700 and removed as soon as SQLite has it open, so that not even a kill leaves it.
 */
#include "evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TRIES 5             /* to copy a file that somebody else writes */
#define WAL_HEADER 32       /* bytes; a WAL of no more holds nothing */

static const char *const side_files[] = { "-wal", "-journal" };

bool evidence_side_has(const char *path, const char *suffix)
{
	char *name = xasprintf("%s%s", path, suffix);
	struct stat sb;
	bool has = stat(name, &sb) == 0 && sb.st_size > (strcmp(suffix, "-wal") == 0 ? WAL_HEADER : 0);

	free(name);
	return has;
}

static bool has_side_content(const char *path)
{
	return evidence_side_has(path, "-wal") || evidence_side_has(path, "-journal");
}

/* ---- in place ---------------------------------------------------------------------------------- */

char *evidence_uri_dup(const char *path)
{
	struct buf b = { 0 };

	buf_adds(&b, "file:");
	for (const char *p = path; *p; p++)
		if (strchr("/._-", *p) || (*p >= '0' && *p <= '9') || ((*p | 32) >= 'a' && (*p | 32) <= 'z'))
			buf_addc(&b, *p);
		else
			buf_addf(&b, "%%%02X", (unsigned char)*p);
	buf_adds(&b, "?mode=ro&immutable=1");
	return buf_take(&b);
}

static bool connect_in_place(struct store *st, struct err *e)
{
	char *uri = evidence_uri_dup(st->path);
	bool ok = db_connect(st, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, e);

	free(uri);
	st->in_place = true;
	return ok;
}

bool store_is_unchanged(struct store *st, struct err *e)
{
	struct stat sb;

	if (!st->in_place)
		return true;
	if (stat(st->path, &sb) == 0 && sb.st_size == st->size && sb.st_ctim.tv_sec == st->changed.tv_sec &&
	    sb.st_ctim.tv_nsec == st->changed.tv_nsec)
		return true;
	return err_set(e, ERR_BUSY, "%s was changed by another process while it was read; open it again", st->path);
}

/* ---- a copy -------------------------------------------------------------------------------------- */

/* What changes when a writer moves its WAL into the file while we copy. */
struct version {
	struct timespec changed;
	off_t size;
	char wal[WAL_HEADER];
};

static void get_version(const char *path, struct version *v)
{
	char *wal = xasprintf("%s-wal", path);
	struct stat sb = { 0 };
	int fd = open(wal, O_RDONLY | O_CLOEXEC);

	memset(v, 0, sizeof(*v));
	if (stat(path, &sb) == 0) {
		v->changed = sb.st_ctim;
		v->size = sb.st_size;
	}
	if (fd >= 0) {
		/* What cannot be read counts as empty: then it was so before, too. */
		if (pread(fd, v->wal, sizeof(v->wal), 0) < 0)
			memset(v->wal, 0, sizeof(v->wal));
		close(fd);
	}
	free(wal);
}

static bool copy_one(const char *from, const char *to, bool may_lack, struct err *e)
{
	int in = open(from, O_RDONLY | O_CLOEXEC), out;
	bool ok;

	if (in < 0)
		return (may_lack && errno == ENOENT) || err_sys(e, "cannot read %s", from);
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ok = out >= 0 ? fs_copy(in, out, to, e) : err_sys(e, "cannot make %s", to);
	if (out >= 0)
		close(out);
	close(in);
	return ok;
}

/* The file first: a WAL only grows while the file stays as it is. */
static bool copy_all(const char *path, const char *copy, struct err *e)
{
	bool ok = copy_one(path, copy, false, e);

	for (size_t i = 0; ok && i < ARRAY_LEN(side_files); i++) {
		char *from = xasprintf("%s%s", path, side_files[i]);
		char *to = xasprintf("%s%s", copy, side_files[i]);

		unlink(to);
		ok = copy_one(from, to, true, e);
		free(from);
		free(to);
	}
	return ok;
}

static bool copy_steady(const char *path, const char *copy, struct err *e)
{
	struct version before, after;

	for (int i = 0; i < TRIES; i++) {
		get_version(path, &before);
		if (!copy_all(path, copy, e))
			return false;
		get_version(path, &after);
		if (memcmp(&before, &after, sizeof(before)) == 0)
			return true;
	}
	return err_set(e, ERR_BUSY, "%s is being written by another process; try again later", path);
}

/* With a lock of its own for good, SQLite needs no -shm and keeps what it has open. */
static bool connect_copy_in(struct store *st, const char *dir, struct err *e)
{
	char *copy = path_join(dir, "record.db");
	bool ok = copy_steady(st->path, copy, e) && db_connect(st, copy, SQLITE_OPEN_READWRITE, e) &&
	          db_exec(st, "PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_schema", e);

	free(copy);
	return ok;
}

static bool connect_copy(struct store *st, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = path_join(tmp && *tmp == '/' ? tmp : "/tmp", "tickmark-XXXXXX");
	bool ok;

	st->copied = true;
	if (mkdtemp(dir)) {
		ok = connect_copy_in(st, dir, e);
		fs_remove_tree(AT_FDCWD, dir, NULL);
	} else {
		ok = err_sys(e, "cannot make a folder for a private copy of %s", st->path);
	}
	free(dir);
	return ok;
}

bool evidence_connect(struct store *st, struct err *e)
{
	static const int off[] = { SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW };
	bool ok = has_side_content(st->path) ? connect_copy(st, e) : connect_in_place(st, e);

	if (!ok)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(off); i++)
		sqlite3_db_config(st->db, off[i], 0, NULL);
	return db_exec(st, "PRAGMA query_only = ON; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;"
	                   "PRAGMA temp_store = MEMORY", e);
}
