/*
 * Sets of files. A set is known by the hash of its entries and stored once; a large one that is
 * nearly another one is stored as the difference to it: its own rows replace the base's rows of the
 * same path, a row GONE takes one away. Chains of differences are short, so that reading is one pass
 * over the root and one over each small difference.
 */
#include "manifest.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "name.h"

#define GONE (-1)         /* `what` of a row that takes away the base's */
#define GONE_MARK 255     /* the same in struct entry */
#define CHAIN_MAX 8       /* differences on top of each other */
#define WHOLE_BELOW 32    /* sets of fewer entries are never stored as a difference */

/* ---- hash ------------------------------------------------------------------------------------ */

static void hash_id(struct hasher *h, int64_t v, int64_t absent)
{
	if (v == absent)
		hash_null(h);
	else
		hash_int(h, v);
}

static void hash_note(struct hasher *h, const char *note)
{
	char *escaped = note && !name_is_utf8(note) ? name_escape_dup(note) : NULL;

	hash_text(h, escaped ? escaped : note); /* as it will be read back */
	free(escaped);
}

static void hash_entry(struct hasher *h, const struct entry *f)
{
	hash_text(h, f->path);
	hash_int(h, f->what);
	hash_id(h, f->size, -1);
	hash_blob(h, digest_is_zero(&f->sha256) ? NULL : f->sha256.b, sizeof(f->sha256.b));
	hash_int(h, f->mode);
	hash_int(h, f->mtime_us);
	hash_id(h, f->from_attempt, 0);
	hash_note(h, f->note);
}

struct digest store_manifest_hash(const struct entry *entries, size_t n)
{
	struct hasher h;

	hash_begin(&h);
	for (size_t i = 0; i < n; i++)
		hash_entry(&h, &entries[i]);
	return hash_end(&h);
}

bool store_manifest_find(struct store *st, const struct digest *hash, int64_t *id)
{
	struct sql q;

	*id = 0;
	if (!sql_start(st, SQL_MANIFEST_FIND, &q, NULL))
		return false;
	bind_digest(&q, hash);
	return sql_int(&q, id, NULL) && *id != 0;
}

/* ---- reading ---------------------------------------------------------------------------------- */

struct head {
	struct digest sha256;
	int64_t base, files, bytes;
};

static bool get_head(struct store *st, int64_t id, struct head *out, struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, SQL_MANIFEST_GET, &q, e))
		return false;
	bind_int(&q, id);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		out->sha256 = col_digest(&q);
		out->base = col_int(&q);
		out->files = col_int(&q);
		out->bytes = col_int(&q);
	}
	sql_end(&q);
	if (answer == SQL_DONE)
		return err_set(e, ERR_NOTFOUND, "%s: there is no set of files %lld; it was pruned just now, or tickmark verify tells what is damaged", st->path, (long long)id);
	return answer == SQL_ROW;
}

/* Ids from `id` down to its root. A foreign file may hold a ring or a longer chain: CORRUPT. */
struct chain {
	int64_t id[CHAIN_MAX + 1];
	size_t n;
};

static bool get_chain(struct store *st, int64_t id, struct chain *c, struct head *top, struct err *e)
{
	struct head head;

	c->n = 0;
	for (int64_t at = id; at; at = head.base) {
		if (c->n == ARRAY_LEN(c->id))
			return err_set(e, ERR_CORRUPT, "%s: set of files %lld rests on too many others", st->path,
			               (long long)id);
		if (!get_head(st, at, &head, e))
			return false;
		if (c->n == 0)
			*top = head;
		c->id[c->n++] = at;
	}
	return true;
}

struct list {
	struct entry *v; /* owned */
	size_t n, cap;
};

static void read_entry(struct sql *q, struct arena *arena, struct entry *f)
{
	f->path = arena_text(arena, col_name(q));
	if (!f->path)
		f->path = "";
	f->what = (uint8_t)col_int(q);
	f->size = col_int_or(q, -1);
	f->sha256 = col_digest(q);
	f->mode = (uint16_t)col_int(q);
	f->mtime_us = col_int(q);
	f->from_attempt = col_int(q);
	f->note = arena_text(arena, col_text(q));
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

/* By path, each once: a foreign file may give two rows the same bytes. */
static void sort(struct list *l)
{
	size_t n = 0;

	qsort(l->v, l->n, sizeof(*l->v), by_path);
	for (size_t i = 0; i < l->n; i++)
		if (n == 0 || by_path(&l->v[n - 1], &l->v[i]) != 0)
			l->v[n++] = l->v[i];
	l->n = n;
}

/* The rows of one set alone. Escaped names are in another order than their bytes. */
static bool read_rows(struct store *st, int64_t id, struct arena *arena, struct list *out, struct err *e)
{
	enum sql_answer answer;
	bool sorted = true;
	struct sql q;

	if (!sql_start(st, SQL_MANIFEST_ENTRIES, &q, e))
		return false;
	bind_int(&q, id);
	while ((answer = sql_row(&q, e)) == SQL_ROW) {
		out->v = grow(out->v, out->n, &out->cap, sizeof(*out->v));
		read_entry(&q, arena, &out->v[out->n]);
		if (out->n > 0 && by_path(&out->v[out->n - 1], &out->v[out->n]) >= 0)
			sorted = false;
		out->n++;
	}
	if (!sorted)
		sort(out);
	return answer == SQL_DONE;
}

static struct entry *find(const struct list *l, const struct entry *f)
{
	return l->n ? bsearch(f, l->v, l->n, sizeof(*l->v), by_path) : NULL;
}

static void drop_gone(struct list *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].what != GONE_MARK)
			l->v[n++] = l->v[i];
	l->n = n;
}

/* Puts the rows of `over` on top of `base`, in place and from the back: a difference is small, and
 * what lies before its first new path is not moved. */
static void lay_over(struct list *base, const struct list *over)
{
	size_t added = 0, i = base->n, k = over->n;
	bool gone = false;

	for (size_t j = 0; j < over->n; j++) {
		added += !find(base, &over->v[j]);
		gone = gone || over->v[j].what == GONE_MARK;
	}
	base->v = xreallocarray(base->v, MAX(base->n + added, (size_t)1), sizeof(*base->v));
	base->n += added;
	for (size_t to = base->n; k > 0; to--) {
		int order = i == 0 ? -1 : by_path(&base->v[i - 1], &over->v[k - 1]);

		base->v[to - 1] = order > 0 ? base->v[i - 1] : over->v[k - 1];
		i -= order >= 0;
		k -= order <= 0;
	}
	if (gone)
		drop_gone(base);
}

static bool read_chain(struct store *st, const struct chain *c, struct arena *arena, struct list *out, struct err *e)
{
	if (!read_rows(st, c->id[c->n - 1], arena, out, e))
		return false;
	for (size_t i = c->n - 1; i-- > 0;) {
		struct list rows = { 0 };
		bool ok = read_rows(st, c->id[i], arena, &rows, e);

		if (ok)
			lay_over(out, &rows);
		free(rows.v);
		if (!ok)
			return false;
	}
	return true;
}

bool store_manifest_get(struct store *st, int64_t id, struct manifest *out, struct err *e)
{
	bool begun = db_read_begin(st);
	struct list list = { 0 };
	struct head head;
	struct chain c;
	bool ok;

	*out = (struct manifest){ .id = id, .arena = arena_new() };
	ok = get_chain(st, id, &c, &head, e) && read_chain(st, &c, out->arena, &list, e);
	db_read_end(st, begun);
	out->entries = list.v;
	out->n = list.n;
	if (ok)
		out->sha256 = head.sha256;
	else
		store_manifest_free(out);
	return ok;
}

void store_manifest_free(struct manifest *m)
{
	free(m->entries);
	arena_free(m->arena);
	*m = (struct manifest){ 0 };
}

const struct entry *manifest_find(const struct manifest *m, const char *path)
{
	return m->n ? bsearch(&(struct entry){ .path = path }, m->entries, m->n, sizeof(*m->entries), by_path) : NULL;
}

bool store_manifest_count(struct store *st, int64_t id, int64_t *files, int64_t *bytes, struct err *e)
{
	struct head head;

	if (!get_head(st, id, &head, e))
		return false;
	*files = head.files;
	*bytes = head.bytes;
	return true;
}

/* The row of `path` in one set alone. */
static enum sql_answer own_row(struct store *st, int64_t id, const char *text, int64_t *what, struct digest *out,
                               struct err *e)
{
	enum sql_answer answer;
	struct sql q;

	if (!sql_start(st, SQL_MANIFEST_ENTRY_GET, &q, e))
		return SQL_FAILED;
	bind_int(&q, id);
	bind_text(&q, text);
	answer = sql_row(&q, e);
	if (answer == SQL_ROW) {
		*what = col_int(&q);
		*out = col_digest(&q);
	}
	sql_end(&q);
	return answer;
}

bool manifest_at(struct store *st, int64_t id, const char *path, struct digest *out, struct err *e)
{
	char *escaped = name_is_plain(path) ? NULL : name_escape_dup(path);
	enum sql_answer answer = SQL_DONE;
	int64_t what = 0;
	struct head head;
	struct chain c;

	*out = (struct digest){ 0 };
	if (!get_chain(st, id, &c, &head, e))
		answer = SQL_FAILED;
	for (size_t i = 0; answer == SQL_DONE && i < c.n; i++)
		answer = own_row(st, c.id[i], escaped ? escaped : path, &what, out, e);
	if (answer == SQL_ROW && what == GONE)
		*out = (struct digest){ 0 };
	free(escaped);
	return answer != SQL_FAILED;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static bool add_head(struct store *st, const struct entry *entries, size_t n, const struct digest *hash, int64_t base,
                     int64_t *id, struct err *e)
{
	int64_t bytes = 0;
	struct sql q;

	for (size_t i = 0; i < n; i++)
		bytes += MAX(entries[i].size, (int64_t)0);
	if (!sql_start(st, SQL_MANIFEST_ADD, &q, e))
		return false;
	bind_digest(&q, hash);
	bind_id(&q, base);
	bind_int(&q, (int64_t)n);
	bind_int(&q, bytes);
	if (!sql_run(&q, e))
		return false;
	*id = sqlite3_last_insert_rowid(st->db);
	return true;
}

static bool add_entry(struct store *st, int64_t id, const struct entry *f, struct err *e)
{
	struct sql q;

	if (!sql_start(st, SQL_MANIFEST_ENTRY_ADD, &q, e))
		return false;
	bind_int(&q, id);
	bind_name(&q, f->path);
	bind_int(&q, f->what == GONE_MARK ? GONE : f->what);
	if (f->size < 0)
		bind_null(&q);
	else
		bind_int(&q, f->size);
	bind_digest(&q, &f->sha256);
	bind_int(&q, f->mode);
	bind_int(&q, f->mtime_us);
	bind_id(&q, f->from_attempt);
	bind_text(&q, f->note);
	return sql_run(&q, e);
}

static bool same_note(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_entry(const struct entry *a, const struct entry *b)
{
	return a->what == b->what && a->mode == b->mode && a->size == b->size && a->mtime_us == b->mtime_us &&
	       a->from_attempt == b->from_attempt && digest_equal(&a->sha256, &b->sha256) && same_note(a->note, b->note);
}

/* Rows that make `entries` out of `base`; false as soon as they are more than `most`. */
static bool difference(const struct manifest *base, const struct entry *entries, size_t n, size_t most,
                       struct list *out)
{
	size_t i = 0, k = 0;

	while (i < base->n || k < n) {
		int order = i == base->n ? 1 : k == n ? -1 : by_path(&base->entries[i], &entries[k]);
		struct entry row = order < 0 ? (struct entry){ .path = base->entries[i].path, .what = GONE_MARK, .size = -1 }
		                             : entries[k];

		if (order != 0 || !same_entry(&base->entries[i], &entries[k])) {
			if (out->n == most)
				return false;
			out->v = grow(out->v, out->n, &out->cap, sizeof(*out->v));
			out->v[out->n++] = row;
		}
		i += order <= 0;
		k += order >= 0;
	}
	return true;
}

/* The set to store the difference to: `base`, or its root once the chain is long. */
static bool pick_base(struct store *st, int64_t base, int64_t *picked, struct err *e)
{
	struct head head;
	struct chain c;

	if (!get_chain(st, base, &c, &head, e))
		return false;
	*picked = c.n <= CHAIN_MAX ? base : c.id[c.n - 1];
	return true;
}

/* Stores as a difference if that is a quarter of the whole at most: *done. */
static bool put_difference(struct store *st, const struct entry *entries, size_t n, const struct digest *hash,
                           int64_t base, int64_t *id, bool *done, struct err *e)
{
	struct manifest m = { 0 };
	struct list rows = { 0 };
	bool ok = pick_base(st, base, &base, e) && store_manifest_get(st, base, &m, e);

	*done = ok && difference(&m, entries, n, n / 4, &rows);
	if (*done)
		ok = add_head(st, entries, n, hash, base, id, e);
	for (size_t i = 0; *done && ok && i < rows.n; i++)
		ok = add_entry(st, *id, &rows.v[i], e);
	free(rows.v);
	store_manifest_free(&m);
	return ok;
}

bool manifest_put(struct store *st, const struct entry *entries, size_t n, const struct digest *hash, int64_t base,
                  int64_t *id, struct err *e)
{
	bool done = false;

	if (store_manifest_find(st, hash, id))
		return true;
	for (size_t i = 1; i < n; i++)
		assert(by_path(&entries[i - 1], &entries[i]) < 0);
	if (base && n >= WHOLE_BELOW && !put_difference(st, entries, n, hash, base, id, &done, e))
		return false;
	if (done)
		return true;
	if (!add_head(st, entries, n, hash, 0, id, e))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!add_entry(st, *id, &entries[i], e))
			return false;
	return true;
}

bool store_manifest_put(struct store *st, const struct entry *entries, size_t n, int64_t base, int64_t *id,
                        struct err *e)
{
	/* Most sets are there already: no lock for those. */
	struct digest hash = store_manifest_hash(entries, n);

	if (store_manifest_find(st, &hash, id))
		return true;
	return db_begin(st, DB_NORMAL, e) && db_end(st, manifest_put(st, entries, n, &hash, base, id, e), e);
}
