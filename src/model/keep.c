/* Keeping a record: sizes, prune, copies. */
#include "model/keep.h"

#include "model/convert.h"

#include "index.h"
#include "query_private.h"
#include "store/keep.h"
#include "text.h"
#include "view.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CACHE_DEPTH 64 /* of folders, as deep as a layer may be and more */

const char *keep_schema(void)
{
	return store_schema();
}

/* ---- sizes ------------------------------------------------------------------------------------- */

/* Bytes of the blocks below a folder, which is closed. */
static int64_t blocks_below(int dir, int depth)
{
	DIR *d = dir < 0 ? NULL : fdopendir(dir);
	int64_t bytes = 0;
	struct dirent *f;

	if (!d) {
		if (dir >= 0)
			close(dir);
		return 0;
	}
	while ((f = readdir(d))) {
		struct stat st;

		if (strcmp(f->d_name, ".") == 0 || strcmp(f->d_name, "..") == 0 ||
		    fstatat(dirfd(d), f->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		bytes += (int64_t)st.st_blocks * 512;
		if (S_ISDIR(st.st_mode) && depth < CACHE_DEPTH)
			bytes += blocks_below(openat(dirfd(d), f->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
			                      depth + 1);
	}
	closedir(d);
	return bytes;
}

bool keep_sizes(struct query *q, struct record_sizes *out, int64_t *cache, struct err *e)
{
	*cache = q->ws ? blocks_below(openat(q->ws->home, "cache", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), 0) : -1;
	return store_sizes(q->store, out, e);
}

bool keep_largest(struct query *q, size_t n, bool (*fn)(void *ctx, const struct large_content *l), void *ctx, struct err *e)
{
	return store_largest(q->store, n, fn, ctx, e);
}

/* ---- which ------------------------------------------------------------------------------------- */

static bool add_id(void *ctx, const struct attempt_row *row)
{
	struct keep_list *list = ctx;

	list->ids = grow(list->ids, list->n, &list->cap, sizeof(*list->ids));
	list->ids[list->n++] = row->id;
	return true;
}

bool keep_collect(struct query *q, const char *text, struct keep_list *list, struct err *e)
{
	struct attempt_row row = { 0 };
	struct ref ref;

	if (!ref_parse(text, &ref, e))
		return false;
	if (ref.check)
		return err_set(e, ERR_INPUT, "%s is a check: it goes with its attempt", text);
	if (!query_resolve(q, &ref, &row.id, e))
		return false;
	if (ref.kind != REF_LAST && ref.attempt == 0)
		return store_step_attempts(q->store, ref.step, false, add_id, list, e);
	return add_id(list, &row);
}

/* ---- prune -------------------------------------------------------------------------------------- */

/* Layers that no run holds; what holds one is younger than what was pruned, or lets it go when it ends. */
static void drop_copies(struct workspace *ws)
{
	static const struct view_stack none;
	int lock = index_lock(ws, NULL);

	if (lock < 0)
		return;
	index_drop(ws);
	fs_remove_tree(ws->home, "cache/set", NULL);
	view_evict(ws, &none, 0);
	close(lock);
}

bool keep_prune(struct workspace *ws, const struct prune_rule *rule, bool apply,
                void (*fn)(void *ctx, const struct tombstone *t), void *ctx, struct prune_result *out, struct err *e)
{
	struct store *st = workspace_store(ws, e);

	if (!st || !store_prune(st, rule, apply, fn, ctx, out, e))
		return false;
	if (apply) {
		drop_copies(ws);
		convert_forget(ws);
		store_checkpoint(st, NULL);
	}
	return true;
}

/* ---- copies --------------------------------------------------------------------------------------- */

static bool describe(const char *path, struct keep_copy *out, struct err *e)
{
	struct store *st = store_open(path, STORE_EVIDENCE, e);
	struct ledger_head head;
	struct stat sb;

	*out = (struct keep_copy){ 0 };
	if (!st)
		return false;
	bool ok = store_head(st, &head, e);
	if (ok) {
		out->attempts = store_tally(st, "attempts");
		out->entries = head.seq;
		out->head = head.entry;
		out->size = stat(path, &sb) == 0 ? sb.st_size : 0;
	}
	store_close(st);
	return ok;
}

bool keep_backup(struct query *q, const char *path, struct keep_copy *out, struct err *e)
{
	return store_backup(q->store, path, e) && describe(path, out, e);
}

/* In a copy that nobody else knows yet. */
static bool prune_others(const char *path, const struct keep_list *only, struct prune_result *left, struct err *e)
{
	struct prune_rule rule = {
		.parts = PRUNE_ATTEMPTS, .marked = true, .others = true, .attempts = only->ids, .attempts_n = only->n,
		.text = "packed without the other attempts", .by = "tickmark pack",
	};
	struct store *st = store_open(path, STORE_WRITE, e);
	bool ok = st && store_prune(st, &rule, true, NULL, NULL, left, e) && store_checkpoint(st, e);

	store_close(st);
	return ok;
}

/* By way of a copy of everything, which goes away again. */
static bool pack_chosen(struct query *q, const char *path, const struct keep_list *only, struct prune_result *left,
                        struct err *e)
{
	static const char *const beside[] = { "", "-wal", "-shm", "-journal" };
	char *whole = xasprintf("%s.whole", path);
	bool ok = store_backup(q->store, whole, e) && prune_others(whole, only, left, e);
	struct store *st = ok ? store_open(whole, STORE_READ, e) : NULL;

	ok = st && store_pack(st, path, e);
	store_close(st);
	for (size_t i = 0; i < ARRAY_LEN(beside); i++) {
		char *name = xasprintf("%s%s", whole, beside[i]);
		unlink(name);
		free(name);
	}
	free(whole);
	return ok;
}

bool keep_pack(struct query *q, const char *path, const struct keep_list *only, struct prune_result *left,
               struct keep_copy *out, struct err *e)
{
	bool ok = only && only->n > 0 ? pack_chosen(q, path, only, left, e) : store_pack(q->store, path, e);

	return ok && describe(path, out, e);
}

/* ---- reviewing elsewhere ---------------------------------------------------------------------------- */

bool keep_merge(struct workspace *ws, const char *path, struct merge_result *out, struct err *e)
{
	struct stat sb;
	bool folder = stat(path, &sb) == 0 && S_ISDIR(sb.st_mode);
	char *file = folder ? path_join(path, ".tickmark/record.db") : xstrdup(path);
	struct store *st = workspace_store(ws, e), *from = st ? store_open(file, STORE_EVIDENCE, e) : NULL;
	bool ok = from && store_merge(st, from, out, e);

	store_close(from);
	free(file);
	return ok;
}

static void ignore_fault(void *ctx, const char *what)
{
	(void)ctx;
	(void)what;
}

/* The copy is a record like any other; that it is one stands in its ledger. */
static bool begin_review(const char *record, const char *path, const struct keep_copy *k, struct err *e)
{
	char head[DIGEST_HEX];
	struct store *st = store_open(record, STORE_WRITE, e);

	if (!st)
		return false;
	digest_hex(&k->head, head);
	char *text = xasprintf("copy of %s, head %s", path, head);
	bool ok = store_event(st, "review begun", 0, text, e) && store_checkpoint(st, e);
	free(text);
	store_close(st);
	return ok;
}

static bool copy_for_review(struct store *st, const char *path, const char *dir, struct keep_copy *out, struct err *e)
{
	char *home = path_join(dir, ".tickmark"), *record = path_join(home, "record.db");
	bool ok = mkdir(dir, 0700) == 0 || err_sys(e, "cannot make the folder %s", dir);

	ok = ok && (mkdir(home, 0700) == 0 || err_sys(e, "cannot make the folder %s", home));
	ok = ok && store_backup(st, record, e) && describe(record, out, e) && begin_review(record, path, out, e);
	free(record);
	free(home);
	return ok;
}

bool keep_review(const char *path, const char *dir, struct keep_copy *out, int64_t *faults, struct err *e)
{
	struct store *st = store_open(path, STORE_EVIDENCE, e);
	struct verify_result r;

	if (!st)
		return false;
	bool ok = store_verify(st, ignore_fault, NULL, NULL, &r, e);
	*faults = r.faults;
	ok = ok && copy_for_review(st, path, dir, out, e);
	store_close(st);
	return ok;
}
