/*
 * Where malloc's memory lies. A page fault costs more than most of what a short command does with the page, so
 * its heap is put on huge pages; and a process that forks many others does not lend them its loose ends.
 */
#include "base.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)
#define APART_USUAL ((size_t)128 << 10) /* malloc's own choice of M_MMAP_THRESHOLD */
#define APART_SMALL ((size_t)16 << 10)  /* pieces of this size come from elsewhere, and go back there */
#define APART_LARGE (4 << 20)
#define TAKEN_MOST ((size_t)1 << 20)    /* bytes of a free piece that heap_leave takes at once */
#define BINS_END ((size_t)1024)         /* below it malloc keeps free pieces by their size, */
#define BIN_STEP ((size_t)16)           /* in such steps */
#define CACHED_MOST ((size_t)1 << 20)   /* more than malloc keeps free without counting it as such */

/*
 * malloc's heap is moved to below the border of a huge page, and grows past it by one of those at once.
 * Nothing beyond the border may be touched before the kernel knows, so what is left of the old heap is
 * taken out of the way, and with it the place at which the new one begins: a piece larger than any that
 * lies about free, whose pages are never touched.
 */
void heap_settle(void)
{
	static void *held[2];
	size_t page = (size_t)sysconf(_SC_PAGESIZE), begin = 24 * page, rest = mallinfo2().keepcost;

	if (held[1] != NULL)
		return;
	held[0] = rest > 512 ? malloc(rest - 256) : NULL;
	uintptr_t end = (uintptr_t)sbrk(0), border = (end + begin + page + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	if (sbrk((intptr_t)(border - page - begin - end)) == (void *)-1)
		return;
	mallopt(M_TOP_PAD, HUGE_PAGE);
	mallopt(M_TRIM_THRESHOLD, 2 * HUGE_PAGE);
	mallopt(M_MMAP_THRESHOLD, APART_USUAL);
	held[1] = malloc(begin);
	if ((uintptr_t)sbrk(0) >= border + HUGE_PAGE)
		madvise((void *)border, HUGE_PAGE, MADV_HUGEPAGE);
}

void heap_leave(void)
{
	static void *taken; /* the latest piece; it begins with the one before */
	struct mallinfo2 info = mallinfo2();
	uintptr_t end = (uintptr_t)sbrk(0) - info.keepcost;
	size_t most = info.fordblks + CACHED_MOST;

	if (info.arena == 0) /* another malloc than the C library's, of which nothing is known */
		return;
	mallopt(M_TRIM_THRESHOLD, 2 * HUGE_PAGE); /* and malloc's own limits stand still from here on */
	for (size_t size = TAKEN_MOST; size > sizeof(size_t); size = size > BINS_END ? size / 2 : size - BIN_STEP) {
		void **p;
		while ((p = malloc(size - sizeof(size_t))) != NULL && (uintptr_t)p + size <= end && most >= size) {
			*p = taken;
			taken = p;
			most -= size;
		}
		free(p); /* it is new: no free piece is so large */
	}
	mallopt(M_MMAP_THRESHOLD, APART_SMALL);
}

/* The top of the heap is taken and given back at once, so that it is there, and on huge pages. */
void heap_hold(size_t n)
{
	mallopt(M_MMAP_THRESHOLD, (int)n);
	mallopt(M_TOP_PAD, HUGE_PAGE);
	mallopt(M_TRIM_THRESHOLD, 2 * (int)n);
	char *all = malloc(n - HUGE_PAGE / 2);
	size_t skip = all ? -(uintptr_t)all % HUGE_PAGE : 0;

	if (all)
		madvise(all + skip, n - HUGE_PAGE / 2 - skip, MADV_HUGEPAGE);
	free(all);
	mallopt(M_MMAP_THRESHOLD, APART_LARGE);
}
