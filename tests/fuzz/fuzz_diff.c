/*
 * Two texts in one input, parted at its third byte's share: every kind of difference, readers' lines, and noise. Rows
 * must lie within their sides, and texts that are the same must be told so.
 */
#include "text/diffrows.h"
#include "text/noise.h"

#include <stdlib.h>
#include <string.h>

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void check_rows(enum diffrows_type type, struct span a, struct span b, const struct diffrows_options *o)
{
	struct diffrows r;
	struct err e = { 0 };
	bool same = a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);

	if (!diffrows_make(type, a, b, o, &r, &e)) {
		must(e.code != ERR_NONE);
		diffrows_free(&r);
		return;
	}
	must(r.differs == !same);
	must(r.summary && r.method);
	for (size_t i = 0; i < r.n; i++)
		for (uint32_t k = 0; k < r.v[i].pieces; k++)
			must((size_t)r.pieces[r.v[i].piece + k].start + r.pieces[r.v[i].piece + k].len <= r.v[i].text.n);
	diffrows_free(&r);
}

/* Lines as a reader might say them. */
static void check_converted(struct span a, struct span b, const struct diffrows_options *o, unsigned which)
{
	static const char *const readers[] = { "xlsx", "docx", "pptx", "image" };
	struct diffrows r;
	struct err e = { 0 };
	const char *type = NULL;
	bool ok = diffrows_converted(readers[which % ARRAY_LEN(readers)], a, b, o, &r, &type, &e);

	must(type && (ok ? r.summary && r.method : e.code != ERR_NONE));
	diffrows_free(&r);
}

static void check_noise(struct span a, struct span b)
{
	static const struct noise_run runs[2] = { { 1796033700000000, 1796033703000000 }, { 1796120100000000, 1796120103000000 } };
	struct noise_sum sum = { 0 };
	struct noise *n = noise_new(NULL, true, NULL);

	noise_compare(n, a, b, runs, &sum);
	must(sum.same || (sum.at[0] <= a.n && sum.at[1] <= b.n));
	struct noise_limits limits = { .bytes = 64 << 20 };
	(void)noise_compare_zip(n, a, b, runs, &limits, &sum);
	(void)noise_compare_pdf(a, b, runs, &sum);
	noise_free(n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	size_t n = size - 2, half = n * data[1] / 255;
	struct span a = { (const char *)data + 2, half }, b = { (const char *)data + 2 + half, n - half };
	struct diffrows_options o = { .context = data[0] >> 6, .words = true, .fold_space = data[0] & 8, .tolerant = data[0] & 16 };
	enum diffrows_type type = (enum diffrows_type)(data[0] % 8);

	if (type > DIFFROWS_BINARY + 1)
		check_converted(a, b, &o, data[0] >> 5);
	else if (type > DIFFROWS_BINARY)
		check_noise(a, b);
	else
		check_rows(type, a, b, &o);
	return 0;
}
