/* Plain bytes in blocks, by the two bytes of them that are rarest there. */
#include "needle.h"

#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define SAMPLE 4096 /* bytes that tell which bytes are rare */

void needle_set(struct needle *nd, const char *p, size_t n)
{
	*nd = (struct needle){ .bytes = xmemdup(p, n), .n = n, .b = n - 1 };
}

void needle_clear(struct needle *nd)
{
	free(nd->bytes);
	*nd = (struct needle){ 0 };
}

#ifdef __SSE2__
#define STEP 32

static void choose(struct needle *nd, const char *p)
{
	unsigned seen[256] = { 0 };

	for (size_t i = 0; i < SAMPLE; i++)
		seen[(unsigned char)p[i]]++;
	for (size_t i = 0; i < nd->n; i++) {
		unsigned here = seen[(unsigned char)nd->bytes[i]];

		if (here < seen[(unsigned char)nd->bytes[nd->a]]) {
			nd->b = nd->a;
			nd->a = i;
		} else if (i != nd->a && (nd->b == nd->a || here < seen[(unsigned char)nd->bytes[nd->b]])) {
			nd->b = i;
		}
	}
}

/* Whether both bytes stand where a needle would have them, for STEP places from p on, by bit. */
static unsigned candidates(const struct needle *nd, const char *p, __m128i a, __m128i b)
{
	unsigned mask = 0;

	for (int i = 0; i < STEP; i += 16) {
		__m128i x = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + nd->a + i)), a);
		__m128i y = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + nd->b + i)), b);

		mask |= (unsigned)_mm_movemask_epi8(_mm_and_si128(x, y)) << i;
	}
	return mask;
}

const char *needle_find(struct needle *nd, const char *p, size_t n)
{
	size_t at = 0, budget = 4 * n; /* bytes that false candidates may cost */

	if (n < SAMPLE || nd->n > n)
		return memmem(p, n, nd->bytes, nd->n);
	if (!nd->chosen)
		choose(nd, p);
	nd->chosen = true;
	__m128i a = _mm_set1_epi8(nd->bytes[nd->a]), b = _mm_set1_epi8(nd->bytes[nd->b]);
	for (size_t places = n - nd->n + 1; at + STEP <= places && budget > nd->n; at += STEP) {
		for (unsigned mask = candidates(nd, p + at, a, b); mask; mask &= mask - 1) {
			const char *hit = p + at + __builtin_ctz(mask);

			if (memcmp(hit, nd->bytes, nd->n) == 0)
				return hit;
			budget -= MIN(budget, nd->n);
			nd->chosen = budget > 3 * n; /* else the data is of another kind by now */
		}
	}
	return memmem(p + at, n - at, nd->bytes, nd->n);
}

#else

const char *needle_find(struct needle *nd, const char *p, size_t n)
{
	return memmem(p, n, nd->bytes, nd->n);
}

#endif
