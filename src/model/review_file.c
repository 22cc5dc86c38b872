/*
 * The review of a record from elsewhere. The record itself is never written: what the reviewer adds (marks, notes,
 * messages, checks) goes to a copy beside it, NAME.review.db, which is a record like any other and begins behind
 * the head of the original: "review begun" is its first entry of its own. A review file has no folder of files;
 * the folder that everything else of a workspace needs (locks, caches) stands in the user's cache, with a link to
 * the file for its record, and is made again when it is gone.
 */
#include "model/keep.h"

#include "private.h"
#include "store/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define SUFFIX ".review.db"
#define BEGUN "review begun"

/* ---- names ---------------------------------------------------------------------------------------- */

static bool has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), k = strlen(suffix);

	return n > k && strcmp(path + n - k, suffix) == 0;
}

char *keep_review_name(const char *file)
{
	size_t n = strlen(file) - (has_suffix(file, ".db") ? 3 : 0);

	return xasprintf("%.*s" SUFFIX, (int)n, file);
}

/* ---- whose review it is ----------------------------------------------------------------------------- */

/* Does it hold the whole of the original, and go on behind its head as a review? */
static bool is_bound(struct store *review, struct store *original, bool *bound, struct err *e)
{
	struct uuid ours, theirs;
	struct ledger_head head;
	struct ledger_head there;
	int64_t begun;

	if (!store_uuid(original, &theirs, e) || !store_head(original, &head, e) || !store_uuid(review, &ours, e) ||
	    !store_head_at(review, head.seq, &there, e) || !store_event_at(review, head.seq + 1, BEGUN, &begun, NULL, e))
		return false;
	*bound = memcmp(&ours, &theirs, sizeof(ours)) == 0 && there.seq == head.seq &&
	         digest_equal(&there.entry, &head.entry) && begun;
	return true;
}

static bool check_bound(const char *review, const char *file, struct err *e)
{
	struct store *original = store_open(file, STORE_EVIDENCE, e);
	struct store *copy = original ? store_open(review, STORE_READ, e) : NULL;
	bool bound = false, ok = copy && is_bound(copy, original, &bound, e);

	store_close(copy);
	store_close(original);
	return ok && (bound || err_set(e, ERR_EXISTS, "%s is no review of %s as it is now; it is left alone", review, file));
}

static bool is_there(const char *file, const char *suffix, bool *content)
{
	char *name = xasprintf("%s%s", file, suffix);
	struct stat sb;
	bool there = stat(name, &sb) == 0 && sb.st_uid == geteuid();

	*content = there && sb.st_size > 0;
	free(name);
	return there;
}

/* A file that is being written here, or was until somebody was killed: it can be read without making anything
 * beside it, and need not be copied for that. */
static bool is_live(const char *file)
{
	bool wal, shm;

	is_there(file, "-wal", &wal);
	is_there(file, "-shm", &shm);
	return wal && shm;
}

/* A review file that this user began on this machine; one that came by mail (by itself) is evidence. */
static bool is_own(const char *file)
{
	struct store *st;
	struct stat sb;
	char *text = NULL, *here;
	int64_t seq = 0;
	bool own;

	if (!has_suffix(file, SUFFIX) || stat(file, &sb) < 0 || sb.st_uid != geteuid() || access(file, W_OK) < 0)
		return false;
	st = store_open(file, is_live(file) ? STORE_READ : STORE_EVIDENCE, NULL);
	if (!st)
		return false;
	here = xasprintf(" on %s", clock_host());
	own = store_event_at(st, 0, BEGUN, &seq, &text, NULL) && seq && text && has_suffix(text, here);
	free(here);
	free(text);
	store_close(st);
	return own;
}

bool keep_find_review(const char *file, char **review, struct err *e)
{
	char *beside;

	*review = NULL;
	if (is_own(file)) {
		*review = xstrdup(file);
		return true;
	}
	beside = keep_review_name(file);
	if (!fs_exists(AT_FDCWD, beside) || !is_own(beside)) {
		free(beside);
		return true;
	}
	if (!check_bound(beside, file, e)) {
		free(beside);
		return false;
	}
	*review = beside;
	return true;
}

/* ---- its folder --------------------------------------------------------------------------------------- */

static char *cache_dir(struct err *e)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (xdg && *xdg == '/')
		return path_join(xdg, "tickmark/reviews");
	if (home && *home == '/')
		return path_join(home, ".cache/tickmark/reviews");
	err_set(e, ERR_INPUT, "a review needs a folder for its caches: set HOME or XDG_CACHE_HOME");
	return NULL;
}

bool review_is_folder(const char *folder)
{
	char *base = cache_dir(NULL), *real = base ? realpath(base, NULL) : NULL, *above = path_dir(folder);
	bool yes = real && strcmp(real, above) == 0;

	free(above);
	free(real);
	free(base);
	return yes;
}

/* The link may be of a file that was moved, or of another one with the same name. */
static bool make_link(const char *home, const char *record, struct err *e)
{
	char *link = path_join(home, "record.db"), *old = realpath(link, NULL);
	bool ok = old && strcmp(old, record) == 0;

	if (!ok) {
		unlink(link);
		ok = symlink(record, link) == 0 || errno == EEXIST || err_sys(e, "cannot make %s", link);
	}
	free(old);
	free(link);
	return ok;
}

char *keep_review_folder(const char *review, struct err *e)
{
	char *record = realpath(review, NULL), *base = record ? cache_dir(e) : NULL, *folder = NULL, *home, hex[DIGEST_HEX];
	struct digest name;
	bool ok = record || err_sys(e, "cannot find %s", review);

	if (ok && base) {
		name = hash_bytes(record, strlen(record));
		digest_hex(&name, hex);
		folder = xasprintf("%s/%.16s", base, hex);
		home = path_join(folder, ".tickmark");
		ok = fs_mkdirs(AT_FDCWD, home, e) && workspace_furnish(home, e) && make_link(home, record, e);
		free(home);
	}
	free(base);
	free(record);
	if (ok && folder)
		return folder;
	free(folder);
	return NULL;
}

/* ---- making one ----------------------------------------------------------------------------------------- */

static void ignore_fault(void *ctx, const char *what)
{
	(void)ctx;
	(void)what;
}

/* That it is a review stands in its ledger, right behind the head that it is bound to. */
static bool begin(const char *review, const char *file, const struct digest *head, struct err *e)
{
	char hex[DIGEST_HEX], *person;
	struct store *st = store_open(review, STORE_WRITE, e);

	if (!st)
		return false;
	digest_hex(head, hex);
	person = settings_person(NULL, e);
	char *text = person ? xasprintf("copy of %s, head %s, by %s on %s", file, hex, person, clock_host()) : NULL;
	bool ok = text && store_event(st, BEGUN, 0, text, e) && store_checkpoint(st, e);
	free(text);
	free(person);
	store_close(st);
	return ok;
}

static void remove_all(const char *review)
{
	static const char *const beside[] = { "", "-wal", "-shm", "-journal" };

	for (size_t i = 0; i < ARRAY_LEN(beside); i++) {
		char *name = xasprintf("%s%s", review, beside[i]);
		unlink(name);
		free(name);
	}
}

/* A review is known by its name, also to whoever opens it later: under another one nothing would go into it. */
static bool check_name(const char *review, struct err *e)
{
	return has_suffix(path_base(review), SUFFIX) ||
	       err_set(e, ERR_INPUT, "a review file is known by its name: %s must end in " SUFFIX, review);
}

/* Said of the name that the user gave, and before all of the record was read. */
static bool check_folder(const char *review, struct err *e)
{
	char *dir = path_dir(review);
	bool ok = access(dir, W_OK | X_OK) == 0 ||
	          err_set(e, ERR_SYS, "cannot make %s: %s; name a review file in another folder", review, strerror(errno));

	free(dir);
	return ok;
}

/* A review is a copy. A file system that shares what is equal needs less, and then says so itself when it is full. */
static bool check_room(const char *file, const char *review, struct err *e)
{
	char *dir = path_dir(review), needs[UNIT_TEXT], has[UNIT_TEXT];
	struct statvfs v;
	struct stat sb;
	bool known = stat(file, &sb) == 0 && statvfs(dir, &v) == 0;
	int64_t room = known ? (int64_t)v.f_bavail * (int64_t)v.f_frsize : 0;

	free(dir);
	if (!known || room >= sb.st_size)
		return true;
	size_format(sb.st_size, needs);
	size_format(room, has);
	return err_set(e, ERR_FULL, "cannot make %s: disk full: a review is a copy of the record, %s, and there is room for %s; name a review file on "
	               "another disk", review, needs, has);
}

/* Errors name what the user gave. */
static void name_as_given(struct err *e, const char *part, const char *review)
{
	const char *at = e ? strstr(e->msg, part) : NULL;
	struct err own;

	if (!at)
		return;
	own = *e;
	snprintf(e->msg, sizeof(e->msg), "%.*s%s%s", (int)(at - e->msg), own.msg, review, own.msg + (at - e->msg) + strlen(part));
}

/* Under a name of its own until it is one: a kill leaves no copy that looks like a review, and of several that
 * begin at once one is the first. */
static bool copy_and_begin(struct store *st, const char *file, const char *review, struct keep_copy *out, struct err *e)
{
	struct uuid u = uuid_new();
	char id[UUID_TEXT], *part;
	bool ok;

	uuid_text(&u, id);
	part = xasprintf("%s.%.8s.new", review, id);
	ok = store_backup(st, part, e) && keep_describe(part, out, e) && begin(part, file, &out->head, e) &&
	     fs_put_in_place(part, review, e);
	if (!ok)
		name_as_given(e, part, review);
	remove_all(part);
	free(part);
	return ok;
}

bool keep_review(const char *file, const char *review, struct keep_copy *out, int64_t *faults, struct err *e)
{
	struct store *st = check_name(review, e) ? store_open(file, STORE_EVIDENCE, e) : NULL;
	struct verify_result r;

	if (!st)
		return false;
	bool ok = !fs_exists(AT_FDCWD, review) || err_set(e, ERR_EXISTS, "%s is there already; tickmark %s opens it", review, review);
	ok = ok && store_left_nothing(review, e) && check_folder(review, e) && check_room(file, review, e) && store_verify(st, ignore_fault, NULL, NULL, &r, e);
	if (ok)
		*faults = r.faults;
	ok = ok && copy_and_begin(st, file, review, out, e);
	store_close(st);
	if (!ok && e && e->code == ERR_VERSION)
		err_set(e, ERR_VERSION, "%s was made by %s tickmark: this one can read it, and begin no review of it", file,
		        strstr(e->msg, "newer") ? "a newer" : "an older");
	return ok;
}
