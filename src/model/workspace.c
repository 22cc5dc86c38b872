/*
 * The workspace: a folder with a .tickmark in it. Found upward, made, opened, and the one connection
 * that this process holds to its record.
 */
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOME_NAME ".tickmark"

static const char gitignore_text[] = "*\n";
static const char cachedir_text[] = "Signature: 8a477f597d28d172789f06886806bc55\n"
                                    "# Made by tickmark: copies of attached files, made again when they are gone.\n"
                                    "# See https://bford.info/cachedir/\n";
static const char config_text[] = "# Settings of this workspace: lines of name = value; tickmark config lists the names.\n";

/* ---- finding ---- */

/* Where everybody may write, anybody can put a .tickmark: it must not catch what others have below. */
static bool is_planted(const char *folder)
{
	char *home = path_join(folder, HOME_NAME);
	struct stat st, own;
	bool planted = stat(folder, &st) == 0 && (st.st_mode & S_IWOTH) && lstat(home, &own) == 0 && own.st_uid != geteuid();

	free(home);
	return planted;
}

/* The nearest folder at or above `from` that holds a record; owned, NULL when there is none. Like git,
 * it does not go over the border of a file system. */
static char *find_above(const char *from)
{
	struct stat start, st;
	char *at = xstrdup(from);

	if (stat(at, &start) < 0) {
		free(at);
		return NULL;
	}
	for (;;) {
		char *record = path_join(at, HOME_NAME "/record.db");
		/* A link is followed where we make them: anywhere else it could lead into another record. */
		bool found = lstat(record, &st) == 0 && (S_ISREG(st.st_mode) || (S_ISLNK(st.st_mode) && review_is_folder(at)));
		/* Behind a closed door it is there, too; opening it says why it cannot be used. */
		bool closed = !found && errno == EACCES;
		free(record);
		if ((found || closed) && !is_planted(at))
			return at;
		char *up = path_dir(at);
		bool top = strcmp(up, at) == 0 || stat(up, &st) < 0 || st.st_dev != start.st_dev;
		free(at);
		at = up;
		if (top)
			break;
	}
	free(at);
	return NULL;
}

static const char *owner_name(uid_t uid, char text[32])
{
	const struct passwd *pw = getpwuid(uid);

	snprintf(text, 32, "uid %u", (unsigned)uid);
	return pw ? pw->pw_name : text;
}

/* Nobody else's folder says what runs here. */
static bool check_owner(int home, const char *root, struct err *e)
{
	char text[32];
	struct stat st;

	if (fstat(home, &st) < 0)
		return err_sys(e, "cannot look at %s/" HOME_NAME, root);
	if (geteuid() == 0 || st.st_uid == geteuid())
		return true;
	return err_set(e, ERR_READONLY, "%s/" HOME_NAME " belongs to %s; read its record with: tickmark %s/" HOME_NAME "/record.db",
	               root, owner_name(st.st_uid, text), root);
}

static char *make_notice(const char *root)
{
	char why[64];

	if (!fs_is_shared(root, why))
		return NULL;
	return xasprintf("%s lies on a %s: its record is written with a rollback journal, which is slower; work in it "
	                 "from one machine at a time", root, why);
}

static bool open_folders(struct workspace *ws, struct err *e)
{
	ws->dir = open(ws->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (ws->dir < 0)
		return err_sys(e, "cannot open the folder %s", ws->root);
	ws->home = openat(ws->dir, HOME_NAME, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (ws->home < 0)
		return err_sys(e, "cannot open the folder %s/" HOME_NAME, ws->root);
	return check_owner(ws->home, ws->root, e);
}

/* The record of a review lies where the reviewer has it. */
static void follow_link(struct workspace *ws)
{
	struct stat st;
	char *file;

	if (lstat(ws->record, &st) < 0 || !S_ISLNK(st.st_mode) || !(file = realpath(ws->record, NULL)))
		return;
	free(ws->record);
	ws->record = file;
	ws->review = true;
}

struct workspace *workspace_open(const char *from, struct err *e)
{
	char *start = realpath(from, NULL);

	if (!start) {
		err_sys(e, "cannot find the folder %s", from);
		return NULL;
	}
	char *root = find_above(start);
	if (!root) {
		err_set(e, ERR_NOTFOUND, "no record in %s or above; tickmark init makes one", start);
		free(start);
		return NULL;
	}
	free(start);

	struct workspace *ws = xcalloc(1, sizeof(*ws));
	ws->root = root;
	ws->record = path_join(root, HOME_NAME "/record.db");
	follow_link(ws);
	ws->dir = ws->home = -1;
	if (!open_folders(ws, e)) {
		workspace_close(ws);
		return NULL;
	}
	ws->notice = make_notice(root);
	return ws;
}

void workspace_close(struct workspace *ws)
{
	if (!ws)
		return;
	store_close(ws->store);
	if (ws->dir >= 0)
		close(ws->dir);
	if (ws->home >= 0)
		close(ws->home);
	free(ws->root);
	free(ws->record);
	free(ws->notice);
	free(ws);
}

const char *workspace_root(const struct workspace *ws)
{
	return ws->root;
}

const char *workspace_record(const struct workspace *ws)
{
	return ws->record;
}

bool workspace_is_review(const struct workspace *ws)
{
	return ws->review;
}

const char *workspace_notice(const struct workspace *ws)
{
	return ws->notice;
}

/* ---- the record ---- */

struct store *workspace_store(struct workspace *ws, struct err *e)
{
	if (!ws->store)
		ws->store = store_open(ws->record, STORE_WRITE, e);
	return ws->store;
}

bool workspace_is_locked(struct workspace *ws)
{
	struct err e = { 0 };
	struct store *st = workspace_store(ws, NULL);

	return st && !store_is_free(st, &e) && e.code == ERR_BUSY;
}

void workspace_forget_store(struct workspace *ws)
{
	ws->store = NULL;
}

void workspace_settle(struct workspace *ws)
{
	struct stat st;

	/* A command that wrote nothing, where nobody left anything behind, opens nothing for this. */
	char *wal = xasprintf("%s-wal", ws->record);
	bool nothing = !ws->store && (lstat(wal, &st) < 0 || st.st_size == 0);
	free(wal);
	if (nothing)
		return;
	if (workspace_store(ws, NULL))
		store_checkpoint(ws->store, NULL);
}

int workspace_open_dir(struct workspace *ws, const char *name, struct err *e)
{
	int fd = openat(ws->home, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	/* The cache may be deleted at any time, with the tag that keeps it out of backups. */
	fd = fs_open_dir(ws->home, name, e);
	if (fd >= 0 && strncmp(name, "cache", 5) == 0 && !fs_exists(ws->home, "cache/CACHEDIR.TAG"))
		fs_write(ws->home, "cache/CACHEDIR.TAG", cachedir_text, sizeof(cachedir_text) - 1, false, NULL);
	return fd;
}

/* ---- making one ---- */

static bool is_home(const char *dir)
{
	const struct passwd *pw = getpwuid(geteuid());
	const char *homes[] = { getenv("HOME"), pw ? pw->pw_dir : NULL };

	for (size_t i = 0; i < ARRAY_LEN(homes); i++) {
		char *real = homes[i] && homes[i][0] == '/' ? realpath(homes[i], NULL) : NULL;
		bool same = real && strcmp(real, dir) == 0;
		free(real);
		if (same)
			return true;
	}
	return false;
}

static const char *kind_of_place(const char *dir)
{
	static const char *const shared[] = { "/tmp", "/var/tmp", "/dev/shm" };
	const char *temporary = getenv("TMPDIR");

	if (strcmp(dir, "/") == 0)
		return "the root of the file system";
	if (is_home(dir))
		return "a home folder";
	for (size_t i = 0; i < ARRAY_LEN(shared); i++)
		if (strcmp(dir, shared[i]) == 0)
			return "a folder for everybody's temporary files";
	if (temporary && strcmp(dir, temporary) == 0)
		return "a folder for temporary files";
	return NULL;
}

static bool is_inside_own(const char *dir)
{
	const char *at = dir;

	while ((at = strstr(at, "/" HOME_NAME))) {
		at += sizeof("/" HOME_NAME) - 1;
		if (*at == '\0' || *at == '/')
			return true;
	}
	return false;
}

static bool may_create(const char *dir, struct err *e)
{
	const char *place = kind_of_place(dir);

	if (place)
		return err_set(e, ERR_INPUT, "%s is %s and makes no workspace: everything in it would be attached; make a folder "
		               "for the work", dir, place);
	if (is_inside_own(dir))
		return err_set(e, ERR_INPUT, "%s is inside the " HOME_NAME " of a workspace", dir);
	char *record = path_join(dir, HOME_NAME "/record.db");
	bool there = fs_exists(AT_FDCWD, record);
	free(record);
	if (there)
		return err_set(e, ERR_EXISTS, "%s is a workspace already", dir);
	if (access(dir, W_OK | X_OK) < 0)
		return err_sys(e, "cannot make a workspace in %s", dir);
	return true;
}

static char *resolve(const char *dir, struct err *e)
{
	struct stat st;
	char *real = realpath(dir, NULL);

	if (!real) {
		err_sys(e, "cannot find the folder %s", dir);
		return NULL;
	}
	if (stat(real, &st) == 0 && S_ISDIR(st.st_mode))
		return real;
	err_set(e, ERR_INPUT, "%s is no folder", dir);
	free(real);
	return NULL;
}

bool workspace_may_create(const char *dir, struct err *e)
{
	char *real = resolve(dir, e);
	bool ok = real && may_create(real, e);

	free(real);
	return ok;
}

/* What every .tickmark has beside its record. */
static bool furnish(int home, struct err *e)
{
	return fs_mkdirs(home, "run", e) && fs_mkdirs(home, "cache", e) &&
	       fs_write(home, ".gitignore", gitignore_text, sizeof(gitignore_text) - 1, false, e) &&
	       fs_write(home, "cache/CACHEDIR.TAG", cachedir_text, sizeof(cachedir_text) - 1, false, e);
}

bool workspace_furnish(const char *path, struct err *e)
{
	int home = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = home >= 0 ? furnish(home, e) || err_prefix(e, "in %s", path) : err_sys(e, "cannot open the folder %s", path);

	if (home >= 0)
		close(home);
	return ok;
}

/* The record comes last: without it the folder is no workspace, and init can be tried again. */
static bool fill(int home, const char *root, struct err *e)
{
	char *record = path_join(root, HOME_NAME "/record.db");
	bool furnished, ok = !fs_exists(home, "record.db") || err_set(e, ERR_EXISTS, "there is a record already: %s", record);

	furnished = ok && furnish(home, e) &&
	            (fs_exists(home, "config") || fs_write(home, "config", config_text, sizeof(config_text) - 1, false, e));
	if (ok && !furnished)
		ok = err_prefix(e, "in %s/" HOME_NAME, root);
	ok = ok && store_create(record, root, e);

	free(record);
	return ok;
}

static bool is_still(int dir, int home)
{
	struct stat a, b;

	return fstat(home, &a) == 0 && fstatat(dir, HOME_NAME, &b, AT_SYMLINK_NOFOLLOW) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* Under a lock of the folder: who loses a race finds the winner's record, and takes nothing of it away. */
static bool create_in(int dir, const char *root, struct err *e)
{
	bool there = fs_exists(dir, HOME_NAME);
	int home = fs_open_dir(dir, HOME_NAME, e);

	if (home < 0)
		return err_prefix(e, "in %s", root);
	while (flock(home, LOCK_EX) < 0 && errno == EINTR)
		;
	bool ok = check_owner(home, root, e) && fill(home, root, e);
	if (!ok && !there && is_still(dir, home) && !fs_exists(home, "record.db"))
		fs_remove_tree(dir, HOME_NAME, NULL);
	close(home);
	return ok;
}

bool workspace_create(const char *dir, struct err *e)
{
	char *root = resolve(dir, e);
	bool ok = false;

	if (!root)
		return false;
	int fd = may_create(root, e) ? open(root, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	if (fd >= 0) {
		ok = create_in(fd, root, e);
		close(fd);
	} else if (!e || e->code == ERR_NONE) {
		err_sys(e, "cannot open the folder %s", root);
	}
	free(root);
	return ok;
}
