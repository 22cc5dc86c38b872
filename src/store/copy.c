/* Copies of a record: as it is, page by page, or packed. */
#include "store/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "db.h"
#include "pack.h"

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

/* What a copy is made of, and where. */
struct copying {
	struct store *st;
	const char *part, *path;    /* the file that grows, and its name in the end */
	const struct prune_rule *rule;
	struct prune_result *left;
};

/* Of evidence nothing but SELECTs is asked for, until it is copied: VACUUM and lists of ours count as writing, though its
 * own file is open for reading alone. */
static bool fill_part(struct copying *c, bool (*fill)(struct copying *c, struct err *e), struct err *e)
{
	bool evidence = c->st->mode == STORE_EVIDENCE;

	if (evidence && !db_exec(c->st, "PRAGMA query_only = OFF", e))
		return false;
	bool ok = fill(c, e);
	if (evidence && !db_exec(c->st, "PRAGMA query_only = ON", ok ? e : NULL))
		return false;
	return ok && store_is_unchanged(c->st, e);
}

static bool copy(struct copying *c, bool (*fill)(struct copying *c, struct err *e), struct err *e)
{
	const char *path = c->path;

	if (fs_exists(AT_FDCWD, path))
		return err_set(e, ERR_EXISTS, "%s is there already; name another file", path);
	if (!store_left_nothing(path, e))
		return false;
	static const char *const beside[] = { "", "-journal", "-wal", "-shm" };
	char *part = part_name(path);
	c->part = part;
	bool ok = make_part(part, path, e) && fill_part(c, fill, e) && fs_put_in_place(part, path, e);
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
static bool fill_backup(struct copying *c, struct err *e)
{
	struct store *st = c->st, to = { .path = (char *)c->path, .mode = STORE_WRITE, .sync = DB_FULL };
	bool ok = db_connect(&to, c->part, SQLITE_OPEN_READWRITE, e);
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
	return copy(&(struct copying){ .st = st, .path = path }, fill_backup, e);
}

/* ---- packed ----------------------------------------------------------------------------------------- */

/* SQLite writes it by the connection that reads: which of the two files a fault is of, its kind tells. */
static bool fail_pack(struct copying *c, int rc, struct err *e)
{
	struct store to = { .path = (char *)c->path, .db = c->st->db, .mode = STORE_WRITE };
	int kind = rc & 0xff;
	bool ours = kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB || kind == SQLITE_BUSY || rc == SQLITE_IOERR_READ ||
	            rc == SQLITE_IOERR_SHORT_READ;

	return ours ? db_fail(c->st, rc, "cannot pack the record", e) : db_fail(&to, rc, "cannot write the copy", e);
}

static bool fill_pack(struct copying *c, struct err *e)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(c->st->db, "VACUUM INTO ?", -1, &s, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_text(s, 1, c->part, -1, SQLITE_STATIC);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(s);
	sqlite3_finalize(s);
	return rc == SQLITE_DONE || fail_pack(c, rc, e);
}

bool store_pack(struct store *st, const char *path, struct err *e)
{
	return copy(&(struct copying){ .st = st, .path = path }, fill_pack, e);
}

/* ---- packed, without what was not chosen ------------------------------------------------------------- */

static bool fill_chosen(struct copying *c, struct err *e)
{
	struct store to = { .path = (char *)c->path, .mode = STORE_WRITE, .sync = DB_FULL };
	bool all = false, ok = pack_chosen(c->st, &to, c->part, c->rule, c->left, &all, e);

	db_disconnect(&to);
	return ok && (!all || fill_pack(c, e));
}

bool store_pack_chosen(struct store *st, const char *path, const struct prune_rule *left_out, struct prune_result *left,
                       struct err *e)
{
	return copy(&(struct copying){ .st = st, .path = path, .rule = left_out, .left = left }, fill_chosen, e);
}
