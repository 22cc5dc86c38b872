/* Counting the ends of lines, by vectors of the compiler's. */
#include "line_ends.h"

#include "text/lines.h"

#include <string.h>

#define VECTOR 32 /* bytes compared at once */
typedef uint8_t vector __attribute__((vector_size(VECTOR)));

static size_t add_up(const vector *v)
{
	size_t total = 0;

	for (size_t i = 0; i < VECTOR; i++)
		total += (*v)[i];
	return total;
}

/* Made twice: the processor that runs it may have wider registers than the one it was built for. */
#if defined(__x86_64__) && defined(__GLIBC__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* LFs in *breaks; whether there is any CR. At most 255 vectors, so that no lane overflows. */
WIDE static bool count_run(const uint8_t *p, size_t vectors, size_t *breaks)
{
	vector lf = { 0 }, cr = { 0 }, v;

	for (size_t i = 0; i < vectors; i++) {
		memcpy(&v, p + i * VECTOR, VECTOR);
		lf -= (vector)(v == '\n');
		cr |= (vector)(v == '\r');
	}
	*breaks += add_up(&lf);
	cr &= 1;
	return add_up(&cr) != 0;
}

static size_t count_states(const uint8_t *p, size_t n, uint8_t before)
{
	size_t states = 0;

	for (const uint8_t *at = p; (at = memchr(at, '\r', n - (size_t)(at - p))); at++) {
		uint8_t prev = at == p ? before : at[-1];

		states += prev != '\r' && prev != '\n';
		if (at + 1 == p + n)
			break;
	}
	return states;
}

struct line_ends line_ends_count(const uint8_t *p, size_t n, uint8_t before)
{
	struct line_ends sum = { 0 };

	while (n) {
		size_t vectors = MIN(n / VECTOR, 255), take = vectors ? vectors * VECTOR : n, breaks = 0;
		bool cr = true;

		if (vectors)
			cr = count_run(p, vectors, &breaks);
		else
			for (size_t i = 0; i < n; i++)
				breaks += p[i] == '\n';
		if (cr)
			sum.states += (int64_t)count_states(p, take, before);
		sum.breaks += (int64_t)breaks;
		before = p[take - 1];
		p += take;
		n -= take;
	}
	return sum;
}

WIDE static size_t count_breaks(const uint8_t *p, size_t vectors)
{
	vector lf = { 0 }, v;

#pragma GCC unroll 4
	for (size_t i = 0; i < vectors; i++) {
		memcpy(&v, p + i * VECTOR, VECTOR);
		lf -= (vector)(v == '\n');
	}
	return add_up(&lf);
}

size_t lines_breaks(const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	size_t breaks = 0;

	for (size_t vectors; (vectors = MIN(n / VECTOR, 255)) > 0; p += vectors * VECTOR, n -= vectors * VECTOR)
		breaks += count_breaks(p, vectors);
	for (size_t i = 0; i < n; i++)
		breaks += p[i] == '\n';
	return breaks;
}
