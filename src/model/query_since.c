/*
 * What would be offered at an input's path now, and whether that is what the attempt read: the attached
 * file or what an earlier step made, by the rules of contest.c, for one path. Not looked at is what leaves
 * a file of the folder out: rules of git, limits, rights.
 */
#include "query_private.h"

#include "claims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct standing {
	enum { STANDS_NOTHING, STANDS_FILE, STANDS_CONTENT, STANDS_UNKNOWN } what;
	char *file;             /* STANDS_FILE: its path; owned */
	int64_t size;           /* STANDS_FILE */
	struct digest sha256;   /* of the content; of a file zero until it is hashed */
	struct digest replaced; /* of what a step made: the content offered there to that attempt; zero: none */
};

/* ---- the attached file ---- */

struct by_hand {
	const char *path;
	char *source;           /* owned; outside the folder */
	struct digest kept;     /* its bytes are in the record; zero: they are not */
	bool removed;
};

static bool take_attached(void *ctx, const struct attachment *a)
{
	struct by_hand *x = ctx;

	if (strcmp(a->name, x->path) != 0)
		return true;
	x->removed = a->removed;
	if (a->removed)
		return true;
	x->source = a->source ? xstrdup(a->source) : NULL;
	x->kept = a->sha256;
	return true;
}

static void look_at_file(struct standing *s, char *file)
{
	struct stat st;

	s->file = file;
	if (stat(file, &st) != 0)
		s->what = errno == ENOENT || errno == ENOTDIR ? STANDS_NOTHING : STANDS_UNKNOWN;
	else
		s->what = S_ISREG(st.st_mode) ? STANDS_FILE : STANDS_UNKNOWN;
	s->size = s->what == STANDS_FILE ? st.st_size : -1;
}

static void look_at_attached(const struct query *q, const struct workspace *ws, const char *path, struct standing *s)
{
	struct by_hand x = { .path = path };

	*s = (struct standing){ .what = STANDS_NOTHING, .size = -1 };
	(void)store_attachment_each(q->store, take_attached, &x, NULL);
	if (x.source) {
		look_at_file(s, x.source);
	} else if (!digest_is_zero(&x.kept)) {
		s->what = STANDS_CONTENT;
		s->sha256 = x.kept;
	} else if (!x.removed && path_is_plain_relative(path)) {
		look_at_file(s, path_join(ws->root, path));
	}
}

static bool hash_file(const struct query *q, struct standing *s)
{
	int fd = open(s->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool ok = fd >= 0 && hash_fd_unless(&q->cancel, fd, s->file, &s->sha256, NULL, NULL);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* ---- against what a step made ---- */

static void take_claim(struct standing *s, const struct claim *c)
{
	free(s->file);
	*s = (struct standing){ .what = STANDS_CONTENT, .size = -1, .sha256 = c->sha256, .replaced = c->replaced };
}

static void settle(const struct query *q, struct standing *s, const struct claim *c)
{
	enum claim_answer answer;

	if (s->what == STANDS_NOTHING)
		take_claim(s, c);
	else if (s->what == STANDS_UNKNOWN || (s->what == STANDS_FILE && !hash_file(q, s)) ||
	         !claim_decide(q->store, c, &s->sha256, &answer, NULL))
		s->what = STANDS_UNKNOWN;
	else if (answer == CLAIM_WINS)
		take_claim(s, c);
}

/* s->file is to be freed. */
static void look(const struct query *q, const struct workspace *ws, const char *path, struct standing *s)
{
	struct claims claims;

	look_at_attached(q, ws, path, s);
	if (!claims_load_at(q->store, path, &claims, NULL)) {
		s->what = STANDS_UNKNOWN;
		return;
	}
	if (claims.n > 0)
		settle(q, s, &claims.v[0]);
	claims_free(&claims);
}

/* ---- answers ---- */

static enum since compare_file(const struct query *q, struct standing *s, const struct entry *input)
{
	/* Size and time are not trusted, but for a size that differs. */
	if (s->size != input->size)
		return SINCE_CHANGED;
	if (digest_is_zero(&s->sha256) && !hash_file(q, s))
		return SINCE_UNKNOWN;
	return digest_equal(&s->sha256, &input->sha256) ? SINCE_SAME : SINCE_CHANGED;
}

static enum since compare_content(const struct standing *s, const struct entry *input)
{
	if (digest_equal(&s->sha256, &input->sha256))
		return SINCE_SAME;
	return input->what == INPUT_UPDATED && digest_equal(&s->replaced, &input->sha256) ? SINCE_OWN : SINCE_CHANGED;
}

static enum since compare(const struct query *q, struct standing *s, const struct entry *input)
{
	switch (s->what) {
	case STANDS_NOTHING: return SINCE_MISSING;
	case STANDS_FILE: return compare_file(q, s, input);
	case STANDS_CONTENT: return compare_content(s, input);
	case STANDS_UNKNOWN: break;
	}
	return SINCE_UNKNOWN;
}

static bool has_folder(const struct workspace *ws)
{
	return ws && !workspace_is_review(ws);
}

enum since query_since(struct query *q, struct workspace *ws, const struct entry *input)
{
	struct standing s;

	if (!has_folder(ws) || digest_is_zero(&input->sha256))
		return SINCE_UNKNOWN;
	look(q, ws, input->path, &s);
	enum since since = compare(q, &s, input);
	free(s.file);
	return since;
}

bool query_lends(struct query *q, struct workspace *ws, const struct entry *input)
{
	struct standing s;

	if (!has_folder(ws))
		return false;
	look_at_attached(q, ws, input->path, &s);
	bool same = s.what == STANDS_FILE && compare_file(q, &s, input) == SINCE_SAME;
	free(s.file);
	return same;
}

bool query_now(struct query *q, struct workspace *ws, const char *input, char **path, struct digest *content)
{
	struct standing s = { .what = STANDS_NOTHING };

	*path = NULL;
	*content = (struct digest){ 0 };
	if (has_folder(ws))
		look(q, ws, input, &s);
	if (s.what == STANDS_FILE)
		*path = s.file;
	else
		free(s.file);
	if (s.what == STANDS_CONTENT)
		*content = s.sha256;
	return s.what == STANDS_FILE || s.what == STANDS_CONTENT;
}
