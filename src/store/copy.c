/* Copies of a record: as it is, page by page, or packed. */
#include "store/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db.h"

/* The copy grows under a name of its own and gets `path` when it is whole. */
static char *part_name(const char *path)
{
	struct uuid u = uuid_new();
	char id[UUID_TEXT];

	uuid_text(&u, id);
	return xasprintf("%s.%.8s", path, id);
}

/* Errors name what the user gave. */
static bool make_part(const char *part, const char *path, struct err *e)
{
	int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_sys(e, "cannot make %s", path);
	bool ok = fchmod(fd, 0600) == 0 || err_sys(e, "cannot make %s", path);
	close(fd);
	return ok;
}

static bool sync_part(const char *part, const char *path, struct err *e)
{
	int fd = open(part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool ok = fd >= 0 && fsync(fd) == 0;

	if (!ok)
		err_sys(e, "cannot write %s to the disk", path);
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool finish(const char *part, const char *path, struct err *e)
{
	return sync_part(part, path, e) && (renameat2(AT_FDCWD, part, AT_FDCWD, path, RENAME_NOREPLACE) == 0 ||
	                              (errno == EINVAL && link(part, path) == 0) || err_sys(e, "cannot make %s", path));
}

static bool copy(struct store *st, const char *path, bool (*fill)(struct store *st, const char *part, struct err *e),
                 struct err *e)
{
	if (fs_exists(AT_FDCWD, path))
		return err_set(e, ERR_EXISTS, "%s is there already; name another file", path);
	static const char *const beside[] = { "", "-journal", "-wal", "-shm" };
	char *part = part_name(path);
	bool ok = make_part(part, path, e) && fill(st, part, e) && finish(part, path, e);
	for (size_t i = 0; i < ARRAY_LEN(beside); i++) {
		char *name = xasprintf("%s%s", part, beside[i]);
		unlink(name);
		free(name);
	}
	free(part);
	return ok;
}

/* ---- as it is --------------------------------------------------------------------------------------- */

/* In one step: readers hold up no writer, and a copy in steps begins anew whenever one commits. */
static bool fill_backup(struct store *st, const char *part, struct err *e)
{
	struct store to = { .path = (char *)part, .mode = STORE_WRITE, .sync = DB_FULL };
	bool ok = db_connect(&to, part, SQLITE_OPEN_READWRITE, e);
	sqlite3_backup *b = ok ? sqlite3_backup_init(to.db, "main", st->db, "main") : NULL;

	if (ok && !b)
		ok = db_fail(&to, sqlite3_errcode(to.db), "cannot write the copy", e);
	if (b) {
		int rc = sqlite3_backup_step(b, -1);
		sqlite3_backup_finish(b);
		ok = rc == SQLITE_DONE || db_fail(rc == SQLITE_IOERR_READ ? st : &to, rc, "cannot copy the record", e);
	}
	/* One file that needs no other beside it; a workspace that takes it over gets its WAL again. */
	ok = ok && db_exec(&to, "PRAGMA journal_mode = DELETE", e);
	db_disconnect(&to);
	return ok;
}

bool store_backup(struct store *st, const char *path, struct err *e)
{
	return copy(st, path, fill_backup, e);
}

/* ---- packed ----------------------------------------------------------------------------------------- */

static bool fill_pack(struct store *st, const char *part, struct err *e)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(st->db, "VACUUM INTO ?", -1, &s, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(s, 1, part, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	sqlite3_finalize(s);
	return rc == SQLITE_DONE || db_fail(st, rc, "cannot pack the record", e);
}

bool store_pack(struct store *st, const char *path, struct err *e)
{
	return copy(st, path, fill_pack, e);
}
