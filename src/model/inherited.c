/* Claims against the files of the folder, without making an offer of them. */
#include "model/inherited.h"

#include "claims.h"
#include "query_private.h"
#include "scan.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HASHED_MOST ((int64_t)64 << 20) /* bytes of files of the same names: it is only a list */

/* The attached file at the path of a claim. */
struct rival {
	bool there;
	char *source;          /* where it is, when elsewhere; owned, NULL */
	int64_t size;
	struct digest content; /* zero: to be read */
};
struct weighing {
	struct query *q;
	struct workspace *ws;
	struct claims claims;
	struct rival *rivals; /* one for each claim */
	int64_t hashed;
};

static int by_path(const void *path, const void *claim)
{
	return strcmp(path, ((const struct claim *)claim)->path);
}

static bool take_rival(void *ctx, const struct attached *a)
{
	struct weighing *w = ctx;
	const struct claim *c = a->excluded || w->claims.n == 0
	                            ? NULL : bsearch(a->path, w->claims.v, w->claims.n, sizeof(*w->claims.v), by_path);

	if (c) {
		struct rival *r = &w->rivals[c - w->claims.v];
		free(r->source);
		*r = (struct rival){ true, a->source ? xstrdup(a->source) : NULL, a->size, a->content };
	}
	return true;
}

/* False: it cannot be read any more. */
static bool read_rival(const struct weighing *w, const struct rival *r, const char *path, struct digest *out)
{
	int fd;

	*out = r->content;
	if (!digest_is_zero(out))
		return true;
	fd = r->source ? open(r->source, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : scan_open_path(w->ws->dir, w->ws->root, path);
	if (fd < 0)
		return false;
	bool ok = hash_fd(fd, path, out, NULL, NULL);
	close(fd);
	return ok;
}

/* *seen: the next run finds what the claim is about. */
static bool weigh(struct weighing *w, size_t i, bool *seen, bool *doubtful, struct err *e)
{
	const struct claim *c = &w->claims.v[i];
	const struct rival *r = &w->rivals[i];
	enum claim_answer answer = CLAIM_WINS;
	struct digest now;

	*doubtful = r->there && digest_is_zero(&r->content) && w->hashed + r->size > HASHED_MOST;
	*seen = true;
	if (!r->there || *doubtful)
		return true;
	w->hashed += digest_is_zero(&r->content) ? r->size : 0;
	bool ok = !read_rival(w, r, c->path, &now) || claim_decide(w->q->store, c, &now, &answer, e);
	*seen = answer != CLAIM_LOSES;
	return ok;
}

bool inherited_each(struct query *q, struct workspace *ws, bool (*fn)(void *ctx, const struct inherited *f), void *ctx,
                    struct err *e)
{
	struct weighing w = { .q = q, .ws = ws };
	bool ok = claims_load(q->store, NULL, 0, &w.claims, e), goes_on = true;

	w.rivals = xcalloc(w.claims.n + 1, sizeof(*w.rivals));
	ok = ok && (w.claims.n == 0 || attach_scan(ws, ws->root, take_rival, &w, NULL, e));
	for (size_t i = 0; ok && goes_on && i < w.claims.n; i++) {
		const struct claim *c = &w.claims.v[i];
		struct inherited f = { .path = c->path, .size = c->size, .attempt = c->attempt };
		bool seen;
		ok = weigh(&w, i, &seen, &f.doubtful, e);
		if (ok && seen)
			goes_on = fn(ctx, &f);
	}
	for (size_t i = 0; i < w.claims.n; i++)
		free(w.rivals[i].source);
	free(w.rivals);
	claims_free(&w.claims);
	return ok;
}
