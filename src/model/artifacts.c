/* From the upper layer to the set of artifacts. */
#include "artifacts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file with several names, whose bytes are read once. */
struct linked {
	struct digest sha256;
	bool known;
	bool kept;    /* in the record */
};

struct collecting {
	struct artifacts *a;
	struct store *store;
	const struct uuid *owner;
	const struct offer *offer;
	const char *script;
	const struct digest *code;
	struct halt *halt;
	struct strv removed;  /* paths removed; folders end in a slash */
	struct strv present;  /* paths found with a file, in order of path */
	struct linked *linked; /* by number */
	size_t linked_n, linked_cap;
};

static struct entry *add(struct artifacts *a, const char *path, uint8_t kind)
{
	a->entries = grow(a->entries, a->n, &a->cap, sizeof(*a->entries));
	struct entry *f = &a->entries[a->n++];

	strv_add(&a->texts, path);
	*f = (struct entry){ .path = a->texts.v[a->texts.n - 1], .what = kind, .size = -1 };
	return f;
}

static void add_note(struct artifacts *a, struct entry *f, const char *note)
{
	if (!note)
		return;
	strv_add(&a->texts, note);
	f->note = a->texts.v[a->texts.n - 1];
}

/* Digest of what stood at this path when the run began; NULL: nothing. */
static const struct digest *before(const struct collecting *c, const char *path, int64_t *size)
{
	const struct entry *f = offer_find(c->offer, path, NULL);

	*size = f ? f->size : -1;
	/* The code that ran lay over any file offered there. */
	if (strcmp(path, c->script) == 0)
		return c->code;
	return f ? &f->sha256 : NULL;
}

/* Of a file with several names, what is known by an earlier one; NULL: it has one, or this is the first. */
static struct linked *find_linked(const struct collecting *c, const struct sandbox_left *left)
{
	return left->several > 0 && left->several < c->linked_n && c->linked[left->several].known ? &c->linked[left->several] : NULL;
}

static void note_linked(struct collecting *c, const struct sandbox_left *left, const struct digest *now, bool kept)
{
	if (left->several == 0)
		return;
	while (c->linked_n <= left->several) {
		c->linked = grow(c->linked, c->linked_n, &c->linked_cap, sizeof(*c->linked));
		c->linked[c->linked_n++] = (struct linked){ 0 };
	}
	struct linked *l = &c->linked[left->several];
	l->sha256 = *now;
	l->known = true;
	l->kept |= kept;
}

static bool keep_file(struct collecting *c, const struct sandbox_left *left, struct err *e)
{
	int64_t old_size, size = left->size;
	const struct digest *old = before(c, left->path, &old_size);
	const struct linked *known = find_linked(c, left);
	struct digest now = known ? known->sha256 : (struct digest){ 0 };
	bool hashed = known || (old && (old == c->code || old_size == left->size));
	const struct entry *offered = offer_find(c->offer, left->path, NULL);
	bool again = false; /* what an earlier attempt made was written again, byte for byte */

	/* Copied up but equal to the folder's file: no artifact. Reading twice is cheaper than keeping what
	 * is not needed. */
	if (hashed) {
		struct cancel cancel = halt_cancel(c->halt);
		if (!known && !hash_fd_unless(&cancel, left->fd, left->path, &now, NULL, e))
			return false;
		again = old && digest_equal(&now, old);
		if (again && (old == c->code || offered->from_attempt == 0)) {
			note_linked(c, left, &now, false);
			return true;
		}
	}
	if (!(known && known->kept) &&
	    !store_blob_put_fd(c->store, c->owner, left->fd, left->path, hashed ? &now : NULL, &now, &size, e))
		return false;
	note_linked(c, left, &now, true);
	struct entry *f = add(c->a, left->path, offered && !again ? ARTIFACT_CHANGED : ARTIFACT_CREATED);
	f->sha256 = now;
	f->size = size;
	f->mode = left->mode;
	add_note(c->a, f, left->note);
	return true;
}

/* After a stop the rest is looked at and not read: what is left out is counted. */
static bool add_file(struct collecting *c, const struct sandbox_left *left, struct err *e)
{
	struct err why = { 0 };

	strv_add(&c->present, left->path);
	if (halt_cuts(c->halt, left->path) || keep_file(c, left, &why))
		return true;
	if (why.code == ERR_CANCELLED && halt_cuts(c->halt, left->path))
		return true;
	if (e)
		*e = why;
	return false;
}

static bool take(void *ctx, const struct sandbox_left *left, struct err *e)
{
	struct collecting *c = ctx;

	switch (left->kind) {
	case LEFT_FILE:
		if (figures_is_report(left->path)) {
			figures_read(&c->a->figures, left->fd);
			return true;
		}
		return add_file(c, left, e);
	case LEFT_DELETED:
		strv_add(&c->removed, left->path);
		return true;
	case LEFT_OTHER:
		add_note(c->a, add(c->a, left->path, ARTIFACT_NOTED), left->note);
		strv_add(&c->present, left->path);
		return true;
	}
	return true;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

static bool has(const struct strv *sorted, const char *path)
{
	return sorted->n && bsearch(&path, sorted->v, sorted->n, sizeof(*sorted->v), by_text) != NULL;
}

/* By itself, or below a removed folder. */
static bool is_removed(const struct strv *removed, const char *path)
{
	char *folder = xstrdup(path);
	bool found = has(removed, path);

	for (char *slash = strchr(folder, '/'); slash && !found; slash = strchr(slash + 1, '/')) {
		char below = slash[1];
		slash[1] = '\0';
		found = has(removed, folder);
		slash[1] = below;
	}
	free(folder);
	return found;
}

static void sort_texts(struct strv *v)
{
	if (v->n > 1)
		qsort(v->v, v->n, sizeof(*v->v), by_text);
}

/* Every offered file that is gone counts, also those below a removed folder; one that was made
 * again is there. */
static void add_removed(struct collecting *c)
{
	if (c->removed.n == 0)
		return;
	sort_texts(&c->present);
	sort_texts(&c->removed);
	for (size_t i = 0; i < c->offer->n; i++) {
		const char *path = c->offer->entries[i].path;
		if (is_removed(&c->removed, path) && !has(&c->present, path))
			add(c->a, path, ARTIFACT_DELETED);
	}
}

static void sort(struct artifacts *a)
{
	size_t n = 0;

	if (a->n > 1)
		qsort(a->entries, a->n, sizeof(*a->entries), by_path);
	for (size_t i = 0; i < a->n; i++)
		if (n == 0 || strcmp(a->entries[n - 1].path, a->entries[i].path) != 0)
			a->entries[n++] = a->entries[i];
	a->n = n;
}

bool artifacts_collect(struct artifacts *a, struct store *st, const struct uuid *owner, struct sandbox *sb,
                       const struct offer *o, const char *script, const struct digest *code, struct halt *halt,
                       struct err *e)
{
	struct collecting c = { .a = a, .store = st, .owner = owner, .offer = o, .script = script, .code = code, .halt = halt };

	*a = (struct artifacts){ 0 };
	bool ok = sandbox_collect(sb, take, &c, &a->collected, e);
	if (ok)
		add_removed(&c);
	sort(a);
	strv_free(&c.removed);
	strv_free(&c.present);
	free(c.linked);
	return ok;
}

struct keeping {
	const struct artifacts *a;
	struct store *store;
	const struct uuid *owner;
};

static bool keep_again(void *ctx, const struct sandbox_left *left, struct err *e)
{
	const struct keeping *k = ctx;
	struct digest now;

	if (left->kind != LEFT_FILE || k->a->n == 0)
		return true;
	const struct entry *f = bsearch(&(struct entry){ .path = left->path }, k->a->entries, k->a->n, sizeof(*f), by_path);
	if (!f || f->note || digest_is_zero(&f->sha256) || store_blob_has(k->store, &f->sha256, NULL))
		return true;
	return store_blob_put_fd(k->store, k->owner, left->fd, left->path, &f->sha256, &now, NULL, e);
}

bool artifacts_keep_again(struct artifacts *a, struct store *st, const struct uuid *owner, struct sandbox *sb, struct err *e)
{
	struct keeping k = { a, st, owner };
	struct sandbox_collected unused;

	return sandbox_collect(sb, keep_again, &k, &unused, e);
}

void artifacts_free(struct artifacts *a)
{
	free(a->entries);
	strv_free(&a->texts);
	figures_free(&a->figures);
	*a = (struct artifacts){ 0 };
}
