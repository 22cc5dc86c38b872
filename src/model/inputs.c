/* Observed opens become inputs. */
#include "inputs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEEP_MOST (256LL << 20) /* bytes kept of files that may not have been read at all */

uint8_t inputs_class(const struct sandbox_open *o)
{
	if (o->written)
		return o->from_nothing && !o->read ? INPUT_OVERWRITTEN : INPUT_UPDATED;
	if (o->read)
		return INPUT_READ;
	return o->deleted ? INPUT_DELETED : 0;
}

static struct entry *add(struct inputs *in, const struct entry *offered, uint8_t class)
{
	in->entries = grow(in->entries, in->n, &in->cap, sizeof(*in->entries));
	struct entry *f = &in->entries[in->n++];

	*f = (struct entry){ .path = offered->path, .what = class, .size = offered->size, .sha256 = offered->sha256 };
	return f;
}

static bool was_read(uint8_t class)
{
	return class == INPUT_READ || class == INPUT_UPDATED;
}

static void note_changed(struct inputs *in, const char *path)
{
	if (!in->changed)
		in->changed = xstrdup(path);
}

/* Kept already or not, the bytes that the run had are hashed. */
static bool keep(struct inputs *in, struct store *st, const struct uuid *owner, const struct offer *o,
                 const struct entry *f, struct err *e)
{
	struct err why = { 0 };
	struct digest now;
	int64_t size;
	int fd = offer_open(o, f->path, &why);
	bool ok;

	if (fd < 0) {
		note_changed(in, f->path);
		return true;
	}
	if (store_blob_has(st, &f->sha256, &size)) {
		ok = hash_fd(fd, f->path, &now, NULL, &why);
		if (ok && !digest_equal(&now, &f->sha256))
			note_changed(in, f->path);
	} else {
		ok = store_blob_put_fd(st, owner, fd, f->path, &f->sha256, &now, &size, &why);
		if (!ok && why.code == ERR_CORRUPT) {
			note_changed(in, f->path);
			ok = true;
		}
	}
	close(fd);
	if (!ok && e)
		*e = why;
	return ok;
}

static bool add_opened(struct inputs *in, struct store *st, const struct uuid *owner, const struct offer *o,
                       const struct sandbox_open *open, struct err *e)
{
	size_t index = 0;
	const struct entry *offered = offer_find(o, open->path, &index);
	uint8_t class = inputs_class(open);

	/* What the run made itself is no input. */
	if (!offered || class == 0)
		return true;
	add(in, offered, class);
	if (!was_read(class))
		return true;
	if (o->absent && o->absent[index]) {
		if (!in->absent)
			in->absent = xstrdup(offered->path);
		return true;
	}
	return keep(in, st, owner, o, offered, e);
}

/* The list of opens is known to lack some: whatever was offered may have been read. */
static bool add_all(struct inputs *in, struct store *st, const struct uuid *owner, const struct offer *o,
                    const struct sandbox_result *r, const char *script, struct err *e)
{
	int64_t left = KEEP_MOST;
	size_t k = 0;

	for (size_t i = 0; i < o->n; i++) {
		const struct entry *f = &o->entries[i];
		while (k < r->opens_n && strcmp(r->opens[k].path, f->path) < 0)
			k++;
		bool seen = k < r->opens_n && strcmp(r->opens[k].path, f->path) == 0;
		uint8_t class = seen ? inputs_class(&r->opens[k]) : 0;
		if (strcmp(f->path, script) == 0)
			continue;
		add(in, f, class ? class : INPUT_READ);
		bool certain = was_read(class);
		if (o->absent && o->absent[i]) {
			if (certain && !in->absent)
				in->absent = xstrdup(f->path);
			continue;
		}
		if (!certain && f->size > left) {
			in->unkept++;
			continue;
		}
		if (!certain)
			left -= f->size;
		if (!keep(in, st, owner, o, f, e))
			return false;
	}
	return true;
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->path, ((const struct entry *)b)->path);
}

static void add_missing(struct inputs *in, const struct offer *o, const char *path)
{
	if (!path || offer_find(o, path, NULL))
		return;
	strv_add(&in->paths, path);
	struct entry none = { .path = in->paths.v[in->paths.n - 1], .size = -1 };
	add(in, &none, INPUT_MISSING);
}

bool inputs_find(struct inputs *in, struct store *st, const struct uuid *owner, const struct offer *o,
                 const struct sandbox_result *r, const char *script, const char *missing, struct err *e)
{
	bool ok = true;

	*in = (struct inputs){ .complete = r->opens_complete };
	if (!in->complete)
		ok = add_all(in, st, owner, o, r, script, e);
	for (size_t k = 0; ok && in->complete && k < r->opens_n; k++)
		if (strcmp(r->opens[k].path, script) != 0)
			ok = add_opened(in, st, owner, o, &r->opens[k], e);
	add_missing(in, o, missing);
	if (in->n > 1)
		qsort(in->entries, in->n, sizeof(*in->entries), by_path);
	return ok;
}

void inputs_free(struct inputs *in)
{
	free(in->entries);
	strv_free(&in->paths);
	free(in->changed);
	free(in->absent);
	*in = (struct inputs){ 0 };
}
