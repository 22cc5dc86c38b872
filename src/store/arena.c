/* Memory that is released all at once: a list of blocks, each twice as large as the one before. */
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"

#define FIRST_BLOCK 1024
#define LARGEST_BLOCK (1 << 20)

struct block {
	struct block *next;
	size_t used;
	size_t size;
	char bytes[];
};

struct arena {
	struct block *blocks; /* the newest first */
};

struct arena *arena_new(void)
{
	return xcalloc(1, sizeof(struct arena));
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	while (a->blocks) {
		struct block *b = a->blocks;

		a->blocks = b->next;
		free(b);
	}
	free(a);
}

static struct block *add_block(struct arena *a, size_t n)
{
	size_t size = a->blocks ? MIN(a->blocks->size * 2, (size_t)LARGEST_BLOCK) : FIRST_BLOCK;
	struct block *b;

	size = MAX(size, n);
	b = xmalloc(sizeof(*b) + size);
	*b = (struct block){ .next = a->blocks, .size = size };
	a->blocks = b;
	return b;
}

static void *take(struct arena *a, size_t n, size_t align)
{
	struct block *b = a->blocks;
	size_t at = b ? (b->used + align - 1) & ~(align - 1) : 0;

	if (!b || at > b->size || b->size - at < n) {
		b = add_block(a, n);
		at = 0;
	}
	b->used = at + n;
	return b->bytes + at;
}

void *arena_take(struct arena *a, size_t n)
{
	return take(a, n, sizeof(void *));
}

char *arena_text(struct arena *a, const char *s)
{
	size_t n;

	if (!s)
		return NULL;
	n = strlen(s) + 1;
	return memcpy(take(a, n, 1), s, n);
}
