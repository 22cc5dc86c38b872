/* Noise in archives: members are compared unpacked, each as a text. */
#include "text/noise.h"

#include "zip.h"

#include <stdlib.h>
#include <string.h>

#define MEMBER_MOST ((size_t)4 << 20)

static bool same_name(const struct zip_member *x, const struct zip_member *y)
{
	return x->name.n == y->name.n && memcmp(x->name.p, y->name.p, x->name.n) == 0;
}

static bool same_member(struct noise *n, const struct zip_member *x, const struct zip_member *y, const struct noise_run run[2],
                        struct noise_sum *sum)
{
	struct buf p = { 0 }, q = { 0 };

	if (x->method == y->method && x->packed.n == y->packed.n && memcmp(x->packed.p, y->packed.p, x->packed.n) == 0)
		return true;
	bool same = zip_unpack(x, MEMBER_MOST, &p) && zip_unpack(y, MEMBER_MOST, &q);
	if (same && p.len == q.len && (p.len == 0 || memcmp(p.data, q.data, p.len) == 0)) {
		buf_free(&p);
		buf_free(&q);
		return true;
	}
	if (same)
		noise_compare(n, (struct span){ p.data ? p.data : "", p.len }, (struct span){ q.data ? q.data : "", q.len }, run, sum);
	same = same && sum->same;
	buf_free(&p);
	buf_free(&q);
	return same;
}

bool noise_compare_zip(struct noise *n, struct span a, struct span b, const struct noise_run run[2], struct noise_sum *sum)
{
	size_t n_a = 0, n_b = 0, i;
	struct zip_member *x = zip_read(a, &n_a, NULL), *y = x ? zip_read(b, &n_b, NULL) : NULL;

	if (!y) {
		free(x);
		return false;
	}
	bool same = n_a == n_b;
	for (i = 0; same && i < n_a; i++) {
		sum->counts[NOISE_TIME] += x[i].stamp != y[i].stamp;
		same = same_name(&x[i], &y[i]) && same_member(n, &x[i], &y[i], run, sum);
	}
	sum->same = same;
	sum->at[0] = sum->at[1] = 0;
	free(x);
	free(y);
	return true;
}
