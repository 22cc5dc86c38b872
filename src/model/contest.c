/*
 * Who is seen at each path: attached files against artifacts of earlier steps, and files against
 * folders of the same name.
 */
#include "refresh.h"

#include <stdlib.h>
#include <string.h>

static void want(struct refresh *r, struct entry en, uint32_t ref)
{
	r->want[r->want_n] = en;
	r->want_ref[r->want_n++] = ref;
}

static void want_file(struct refresh *r, size_t i)
{
	want(r, index_entry_of(&r->scan, &r->scan.files[i]), (uint32_t)i);
}

static void want_claim(struct refresh *r, const struct claim *c)
{
	struct entry en = { .path = c->path, .mode = c->mode & 0111 ? 0755 : 0644, .size = c->size, .mtime_us = c->at_us,
		            .sha256 = c->sha256, .from_attempt = c->attempt };

	want(r, en, (uint32_t)(r->scan.files_n + (size_t)(c - r->c->claims.v)));
}

static bool contest(struct refresh *r, size_t file, const struct claim *c, struct err *e)
{
	enum claim_answer answer;
	char ref[48];

	if (!claim_decide(r->c->st, c, &r->scan.files[file].sha256, &answer, e))
		return false;
	if (answer == CLAIM_EQUAL || c->mentioned) {
		want_file(r, file);
		return true;
	}
	if (!claim_ref(r->c->st, c, ref, e))
		return false;
	if (answer == CLAIM_WINS) {
		want_claim(r, c);
		strv_addf(&r->remarks, "%s: from %s, not the folder", c->path, ref);
	} else {
		want_file(r, file);
		strv_addf(&r->remarks, "%s: the folder's file, changed since %s made its own", c->path, ref);
	}
	return true;
}

/* Merges files and claims, both in order of path. */
static bool merge(struct refresh *r, struct err *e)
{
	const struct claims *claims = &r->c->claims;
	size_t i = 0, k = 0;

	r->want = xreallocarray(NULL, r->scan.files_n + claims->n + 1, sizeof(*r->want));
	r->want_ref = xreallocarray(NULL, r->scan.files_n + claims->n + 1, sizeof(*r->want_ref));
	while (i < r->scan.files_n || k < claims->n) {
		if (i < r->scan.files_n && !refresh_is_attached(&r->scan.files[i])) {
			i++;
			continue;
		}
		int c = i == r->scan.files_n ? 1 : k == claims->n ? -1
		                                 : strcmp(scan_text(&r->scan, r->scan.files[i].path), claims->v[k].path);
		if (c < 0)
			want_file(r, i++);
		else if (c > 0)
			want_claim(r, &claims->v[k++]);
		else if (!contest(r, i++, &claims->v[k++], e))
			return false;
	}
	return true;
}

/* A path cannot be file and folder at once. What the user attached by hand goes before the folder's
 * files, those before artifacts, a newer artifact before an older one. */
static int64_t rank(const struct refresh *r, size_t i)
{
	uint32_t ref = r->want_ref[i];

	if (ref >= r->scan.files_n)
		return r->want[i].mtime_us;
	return r->scan.files[ref].folder == SCAN_NONE ? INT64_MAX : INT64_MAX - 1;
}

static void drop(struct refresh *r, bool *gone, size_t loser, size_t winner)
{
	if (gone[loser])
		return;
	gone[loser] = true;
	strv_addf(&r->remarks, "%s: not shown, as %s is there", r->want[loser].path, r->want[winner].path);
}

static void settle_between(struct refresh *r, bool *gone, size_t i, size_t k)
{
	if (gone[i] || gone[k])
		return;
	if (rank(r, i) < rank(r, k))
		drop(r, gone, i, k);
	else
		drop(r, gone, k, i);
}

/* Of entry i against files where it needs folders, and against what lies below it. */
static void settle_one(struct refresh *r, bool *gone, size_t i)
{
	char *path = xstrdup(r->want[i].path);
	size_t n = strlen(path);

	for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		ssize_t k = view_find(r->want, r->want_n, path);
		*slash = '/';
		if (k >= 0)
			settle_between(r, gone, i, (size_t)k);
	}
	/* "a" and "a/x" need not be neighbours: "a-b" sorts between them. */
	size_t low = i + 1, high = r->want_n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const char *other = r->want[mid].path;
		int c = strncmp(other, path, n);
		if (c < 0 || (c == 0 && (unsigned char)other[n] < '/'))
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < r->want_n && strncmp(r->want[low].path, path, n) == 0 && r->want[low].path[n] == '/'; low++)
		settle_between(r, gone, i, low);
	free(path);
}

static void settle_conflicts(struct refresh *r)
{
	bool *gone = xcalloc(r->want_n + 1, sizeof(*gone));
	size_t kept = 0;

	for (size_t i = 0; i < r->want_n; i++)
		if (rank(r, i) != INT64_MAX - 1) /* files of the folder cannot be in each other's way */
			settle_one(r, gone, i);
	for (size_t i = 0; i < r->want_n; i++) {
		if (gone[i])
			continue;
		r->want[kept] = r->want[i];
		r->want_ref[kept++] = r->want_ref[i];
	}
	r->want_n = kept;
	free(gone);
}

bool contest_choose(struct refresh *r, struct err *e)
{
	if (!merge(r, e))
		return false;
	settle_conflicts(r);
	return true;
}
