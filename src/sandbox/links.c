/* Files met under one name already: a table of inodes, by number, with open addressing. */
#include <stdlib.h>
#include <sys/stat.h>

#include "impl.h"

/* The slot of an inode, or the free one that it would take. */
static struct inode *slot_of(struct inode *slots, size_t n, dev_t dev, ino_t ino)
{
	size_t at = ((uint64_t)ino * 0x9e3779b97f4a7c15u >> 32) & (n - 1);

	while (slots[at].path != NULL && (slots[at].ino != ino || slots[at].dev != dev))
		at = (at + 1) & (n - 1);
	return &slots[at];
}

static void grow_table(struct links *l)
{
	size_t n = l->slots > 0 ? 2 * l->slots : 64;
	struct inode *more = xcalloc(n, sizeof *more);

	for (size_t i = 0; i < l->slots; i++)
		if (l->inodes[i].path != NULL)
			*slot_of(more, n, l->inodes[i].dev, l->inodes[i].ino) = l->inodes[i];
	free(l->inodes);
	l->inodes = more;
	l->slots = n;
}

struct inode *links_meet(struct links *l, const struct stat *st, const char *prefix, const char *path)
{
	if (2 * l->n >= l->slots)
		grow_table(l);
	struct inode *i = slot_of(l->inodes, l->slots, st->st_dev, st->st_ino);
	if (i->path == NULL)
		*i = (struct inode){ .dev = st->st_dev, .ino = st->st_ino, .path = xasprintf("%s%s", prefix, path), .number = ++l->n };
	return i;
}

void links_free(struct links *l)
{
	for (size_t i = 0; i < l->slots; i++)
		free(l->inodes[i].path);
	free(l->inodes);
	*l = (struct links){ 0 };
}
