/* arena: memory that is released all at once, for what readers hand out. */
#ifndef TICKMARK_STORE_ARENA_H
#define TICKMARK_STORE_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a); /* NULL is fine */
void *arena_take(struct arena *a, size_t n); /* aligned for pointers; not zeroed */
char *arena_text(struct arena *a, const char *s); /* copy; NULL stays NULL */

#endif
