/* Keeping a record: sizes, prune, copies. */
#include "model/keep.h"

#include "model/convert.h"

#include "index.h"
#include "query_private.h"
#include "runfile.h"
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

bool keep_describe(const char *path, struct keep_copy *out, struct err *e)
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
	return store_backup(q->store, path, e) && keep_describe(path, out, e);
}

bool keep_pack(struct query *q, const char *path, const struct keep_list *only, struct prune_result *left,
               struct keep_copy *out, struct err *e)
{
	bool chosen = only && only->n > 0;
	struct prune_rule others = {
		.parts = PRUNE_ATTEMPTS, .marked = true, .others = true, .attempts = chosen ? only->ids : NULL,
		.attempts_n = chosen ? only->n : 0, .text = "packed without the other attempts", .by = "tickmark pack",
	};
	bool ok = chosen ? store_pack_chosen(q->store, path, &others, left, e) : store_pack(q->store, path, e);

	return ok && keep_describe(path, out, e);
}

/* ---- reviewing elsewhere ---------------------------------------------------------------------------- */

bool keep_merge(struct workspace *ws, const char *path, struct merge_result *out, struct err *e)
{
	struct stat sb;
	bool folder = stat(path, &sb) == 0 && S_ISDIR(sb.st_mode);
	char *file = folder ? path_join(path, ".tickmark/record.db") : xstrdup(path);
	struct store *st = workspace_store(ws, e), *from = st ? store_open(file, STORE_EVIDENCE, e) : NULL;
	struct uuid owner = uuid_new();
	int life = from ? runfile_show_life(ws, &owner, e) : -1;
	bool ok = life >= 0 && store_merge(st, &owner, from, out, e);

	runfile_end_life(ws, &owner, life);
	store_close(from);
	free(file);
	return ok;
}
