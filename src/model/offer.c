/*
 * What every offered set has in common, whether it is of now or recorded. See offer_present.c and
 * offer_recorded.c for how one comes about.
 */
#include "offer_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CACHE_SLACK (INT64_C(3) << 30) /* layers of no current use: this much on top of the set's own size */

void offer_show(struct offer *o)
{
	struct offer_state *s = o->priv;
	size_t n;
	struct view_folder *folders = view_folders(o->entries, o->n, &n);

	for (size_t i = 0; i < s->stack.n; i++)
		strv_take(&o->layers, view_layer_path(s->ws, s->stack.ids[i]));
	strv_add(&o->folders, ".");
	for (size_t i = 1; i < n; i++)
		strv_take(&o->folders, xstrndup(folders[i].path, folders[i].len));
	free(folders);
}

int64_t offer_cache_budget(const struct entry *entries, size_t n)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += MAX(entries[i].size, 0);
	return bytes + CACHE_SLACK;
}

const struct entry *offer_find(const struct offer *o, const char *path, size_t *index)
{
	ssize_t at = view_find(o->entries, o->n, path);

	if (at < 0)
		return NULL;
	if (index)
		*index = (size_t)at;
	return &o->entries[at];
}

int offer_open(const struct offer *o, const char *path, struct err *e)
{
	const struct offer_state *s = o->priv;
	size_t at;

	if (!offer_find(o, path, &at)) {
		err_set(e, ERR_NOTFOUND, "%s was not offered to this attempt", path);
		return -1;
	}
	int fd = -1;
	/* Topmost first, where it is not known which layer holds it. */
	for (size_t i = s->layer_of ? s->layer_of[at] : 0; fd < 0 && i < s->stack.n; i++) {
		fd = view_open_file(s->ws, s->stack.ids[i], path);
		if (s->layer_of)
			break;
	}
	if (fd < 0)
		err_sys(e, "cannot open the copy of %s in %s/.tickmark/cache", path, s->ws->root);
	return fd;
}

void offer_distrust(struct workspace *ws)
{
	index_drop(ws);
	/* What is noted about recorded sets rests on the same layers. */
	fs_remove_tree(ws->home, "cache/set", NULL);
}

void offer_free(struct offer *o)
{
	struct offer_state *s = o->priv;

	if (s) {
		view_release(&s->locks);
		index_free(&s->index);
		store_manifest_free(&s->manifest);
		free(s->entries);
		free(s->layer_of);
		free(s);
	}
	strv_free(&o->layers);
	strv_free(&o->folders);
	strv_free(&o->remarks);
	free(o->absent);
	*o = (struct offer){ 0 };
}
