/* Observed opens become inputs. */
#include "inputs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEEP_MOST (256LL << 20) /* bytes kept of files that may not have been read at all */

struct gathering {
	struct inputs *in;
	struct store *st;
	const struct uuid *owner;
	const struct offer *offer;
	struct halt *halt;
};

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

static void note_absent(struct inputs *in, struct entry *f)
{
	f->note = "its bytes could not be had";
	if (!in->absent)
		in->absent = xstrdup(f->path);
}

static void note_changed(struct inputs *in, struct entry *f)
{
	f->note = "its bytes changed";
	if (!in->changed)
		in->changed = xstrdup(f->path);
}

/* Kept already or not, the bytes that the run had are hashed. */
static bool read_again(struct gathering *d, const struct entry *f, int fd, struct err *e)
{
	struct cancel cancel = halt_cancel(d->halt);
	struct digest now;
	int64_t size;

	if (!store_blob_has(d->st, &f->sha256, &size))
		return store_blob_put_fd(d->st, d->owner, fd, f->path, &f->sha256, &now, &size, e);
	if (!hash_fd_unless(&cancel, fd, f->path, &now, NULL, e))
		return false;
	return digest_equal(&now, &f->sha256) || err_set(e, ERR_CHANGED, "%s changed", f->path);
}

/* After a stop the rest is not read: what is left out is counted. An entry whose bytes are not there says why. */
static bool keep(struct gathering *d, struct entry *f, struct err *e)
{
	static const char stopped[] = "not kept: stopped meanwhile";
	struct err why = { 0 };

	if (halt_cuts(d->halt, f->path)) {
		f->note = stopped;
		return true;
	}
	int fd = offer_open(d->offer, f->path, &why);
	if (fd < 0) {
		note_changed(d->in, f);
		return true;
	}
	bool ok = read_again(d, f, fd, &why);
	close(fd);
	if (!ok && why.code == ERR_CHANGED) {
		note_changed(d->in, f);
	} else if (!ok && why.code == ERR_CANCELLED && halt_cuts(d->halt, f->path)) {
		f->note = stopped;
	} else if (!ok) {
		f->note = "its bytes could not be kept";
		return err_set(e, why.code, "%s", why.msg);
	}
	return true;
}

static bool add_opened(struct gathering *d, const struct sandbox_open *open, struct err *e)
{
	size_t index = 0;
	const struct entry *offered = offer_find(d->offer, open->path, &index);
	uint8_t class = inputs_class(open);

	/* What the run made itself is no input. */
	if (!offered || class == 0)
		return true;
	struct entry *f = add(d->in, offered, class);
	if (!input_was_read(f))
		return true;
	if (d->offer->absent && d->offer->absent[index]) {
		note_absent(d->in, f);
		return true;
	}
	return keep(d, f, e);
}

/* The list of opens is known to lack some: whatever was offered may have been read. */
static bool add_all(struct gathering *d, const struct sandbox_result *r, const char *script, struct err *e)
{
	const struct offer *o = d->offer;
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
		struct entry *own = add(d->in, f, class ? class : INPUT_READ);
		bool certain = class && input_was_read(own);
		if (o->absent && o->absent[i]) {
			note_absent(d->in, own); /* nothing proves that its placeholder was not read */
			continue;
		}
		if (!certain && f->size > left) {
			own->note = "not kept: it may not have been read";
			d->in->unkept++;
			continue;
		}
		if (!certain)
			left -= f->size;
		if (!keep(d, own, e))
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
                 const struct sandbox_result *r, const char *script, const char *missing, struct halt *halt, struct err *e)
{
	struct gathering d = { in, st, owner, o, halt };
	bool ok = true;

	*in = (struct inputs){ .complete = r->opens_complete };
	if (!in->complete)
		ok = add_all(&d, r, script, e);
	for (size_t k = 0; ok && in->complete && k < r->opens_n; k++)
		if (strcmp(r->opens[k].path, script) != 0)
			ok = add_opened(&d, &r->opens[k], e);
	add_missing(in, o, missing);
	if (in->n > 1)
		qsort(in->entries, in->n, sizeof(*in->entries), by_path);
	return ok;
}

bool inputs_keep_again(struct inputs *in, struct store *st, const struct uuid *owner, const struct offer *o, struct err *e)
{
	struct digest now;
	bool ok = true;

	for (size_t i = 0; ok && i < in->n; i++) {
		const struct entry *f = &in->entries[i];
		if (!input_was_read(f) || f->note || store_blob_has(st, &f->sha256, NULL))
			continue;
		int fd = offer_open(o, f->path, e);
		ok = fd >= 0 && store_blob_put_fd(st, owner, fd, f->path, &f->sha256, &now, NULL, e);
		if (fd >= 0)
			close(fd);
	}
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
