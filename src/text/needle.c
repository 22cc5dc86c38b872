/* Plain bytes in blocks, by the two bytes of them that are rarest there. */
#include "needle.h"

#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#define SAMPLE 4096 /* bytes that tell which bytes are rare */

void needle_set(struct needle *nd, const char *p, size_t n)
{
	*nd = (struct needle){ .bytes = xmemdup(p, n), .n = n, .b = n - 1 };
#ifdef __SSE2__
	nd->wide = __builtin_cpu_supports("avx2");
#endif
}

void needle_clear(struct needle *nd)
{
	free(nd->bytes);
	*nd = (struct needle){ 0 };
}

#ifdef __SSE2__
#define STEP 64 /* places looked at in one go */

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
static uint64_t candidates(const struct needle *nd, const char *p, __m128i a, __m128i b)
{
	uint64_t mask = 0;

	for (int i = 0; i < STEP; i += 16) {
		__m128i x = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + nd->a + i)), a);
		__m128i y = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + nd->b + i)), b);

		mask |= (uint64_t)_mm_movemask_epi8(_mm_and_si128(x, y)) << i;
	}
	return mask;
}

/* From `at` on, the first STEP places with a candidate, or with fewer than STEP before `end`. */
static size_t skip_narrow(const struct needle *nd, const char *p, size_t at, size_t end)
{
	__m128i a = _mm_set1_epi8(nd->bytes[nd->a]), b = _mm_set1_epi8(nd->bytes[nd->b]);

	while (at + STEP <= end && !candidates(nd, p + at, a, b))
		at += STEP;
	return at;
}

/* The same where registers are as wide as that. */
__attribute__((target("avx2"))) static size_t skip_wide(const struct needle *nd, const char *p, size_t at, size_t end)
{
	__m256i a = _mm256_set1_epi8(nd->bytes[nd->a]), b = _mm256_set1_epi8(nd->bytes[nd->b]);

	for (; at + STEP <= end; at += STEP) {
		const __m256i *x = (const void *)(p + at + nd->a), *y = (const void *)(p + at + nd->b);
		__m256i low = _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_loadu_si256(x), a), _mm256_cmpeq_epi8(_mm256_loadu_si256(y), b));
		__m256i high = _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_loadu_si256(x + 1), a), _mm256_cmpeq_epi8(_mm256_loadu_si256(y + 1), b));
		__m256i any = _mm256_or_si256(low, high);

		if (!_mm256_testz_si256(any, any))
			break;
	}
	return at;
}

static size_t skip(const struct needle *nd, const char *p, size_t at, size_t end)
{
	return nd->wide ? skip_wide(nd, p, at, end) : skip_narrow(nd, p, at, end);
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
	for (size_t places = n - nd->n + 1; (at = skip(nd, p, at, places)) + STEP <= places && budget > nd->n; at += STEP) {
		for (uint64_t mask = candidates(nd, p + at, a, b); mask; mask &= mask - 1) {
			const char *hit = p + at + __builtin_ctzll(mask);

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
