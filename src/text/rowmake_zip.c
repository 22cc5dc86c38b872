/* Two archives by member. Members whose packed bytes are the same are the same; others are told by size. */
#include "rowmake.h"
#include "zip.h"

#include <stdlib.h>
#include <string.h>

struct sums { int64_t added, removed, changed, stamps, packing; };

static void put_one(struct diffrows *r, enum diffrow_kind kind, const struct zip_member *m)
{
	struct buf b = { 0 };

	rowmake_short(&b, m->name.p, m->name.n);
	buf_addf(&b, ": %u bytes", m->size);
	diffrows_say(r, kind, 0, 0, buf_take(&b));
}

static void put_both(struct diffrows *r, const struct zip_member *x, const struct zip_member *y, struct sums *s)
{
	struct buf b = { 0 };

	s->stamps += x->stamp != y->stamp;
	if (x->method == y->method && x->packed.n == y->packed.n && memcmp(x->packed.p, y->packed.p, x->packed.n) == 0)
		return;
	rowmake_short(&b, x->name.p, x->name.n);
	if (x->size == y->size && x->crc == y->crc) {
		buf_addf(&b, ": %u bytes with the same check sum, packed otherwise", x->size);
		s->packing++;
	} else {
		buf_addf(&b, ": %u bytes -> %u", x->size, y->size);
		s->changed++;
	}
	diffrows_say(r, DIFFROW_CHANGED, 0, 0, buf_take(&b));
}

static int order_of(const struct zip_member *x, const struct zip_member *y)
{
	int c = memcmp(x->name.p, y->name.p, MIN(x->name.n, y->name.n));

	return c ? c : (x->name.n > y->name.n) - (x->name.n < y->name.n);
}

bool rowmake_zip(struct span a, struct span b, const struct diffrows_options *o, struct diffrows *out, struct err *e)
{
	size_t n = 0, m = 0, i = 0, k = 0;
	struct sums s = { 0 };
	struct zip_member *x = zip_read(a, &n, e), *y = x ? zip_read(b, &m, e) : NULL;

	if (!y) {
		free(x);
		return false;
	}
	while ((i < n || k < m) && !rowmake_is_full(out, o)) {
		int order = i == n ? 1 : k == m ? -1 : order_of(&x[i], &y[k]);
		s.removed += order < 0;
		s.added += order > 0;
		if (order < 0)
			put_one(out, DIFFROW_REMOVED, &x[i++]);
		else if (order > 0)
			put_one(out, DIFFROW_ADDED, &y[k++]);
		else
			put_both(out, &x[i++], &y[k++], &s);
	}
	if (s.stamps)
		diffrows_sayf(out, DIFFROW_SENTENCE, "time stamps of %lld member%s differ", (long long)s.stamps, s.stamps == 1 ? "" : "s");
	out->differs = a.n != b.n || memcmp(a.p, b.p, a.n) != 0;
	if (out->differs && s.added + s.removed + s.changed + s.packing + s.stamps == 0)
		diffrows_sayf(out, DIFFROW_SENTENCE, "the same members; the archives differ in order, directory or extra fields");
	out->method = xstrdup("members");
	out->summary = xasprintf("%lld member%s changed, %lld added, %lld removed", (long long)s.changed, s.changed == 1 ? "" : "s",
	                         (long long)s.added, (long long)s.removed);
	diffrows_count(out, "members_changed", s.changed);
	diffrows_count(out, "members_added", s.added);
	diffrows_count(out, "members_removed", s.removed);
	diffrows_count(out, "members_time_only", s.stamps);
	free(x);
	free(y);
	return true;
}
