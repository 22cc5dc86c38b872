/* Making images small, off the loop. */
#include "previews.h"

#include "model/convert.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>

#define READER "small"
#define WAIT_US 15000000 /* how long an answer waits for images … */
#define LATE_US 5000000  /* … and how long behind its time */
#define LOOK_US 30000
#define AT_ONCE 2   /* processes */
#define KEPT 64     /* contents that are remembered: mostly what could not be made small */

struct preview {
	struct digest content; /* zero: free */
	pid_t pid;             /* 0: it ended */
};
struct previews {
	struct preview all[KEPT];
	size_t next;
};

static struct preview *find(struct server *sv, const struct digest *content)
{
	for (size_t i = 0; sv->previews && i < KEPT; i++)
		if (digest_equal(&sv->previews->all[i].content, content))
			return &sv->previews->all[i];
	return NULL;
}

static size_t count_running(const struct server *sv)
{
	size_t n = 0;

	for (size_t i = 0; sv->previews && i < KEPT; i++)
		n += sv->previews->all[i].pid > 0;
	return n;
}

#define FILE_MOST ((size_t)64 << 20) /* larger ones are not tried */

static bool add_some(void *ctx, const void *p, size_t n, struct err *e)
{
	buf_add(ctx, p, n);
	return ((struct buf *)ctx)->len <= FILE_MOST || err_set(e, ERR_LIMIT, "too large");
}

/* One that cannot be started counts as one that failed: what is large is linked then. */
static void begin(struct server *sv, struct query *q, const struct digest *content)
{
	struct err e = { 0 };
	struct buf b = { 0 };

	if (!sv->previews)
		sv->previews = xcalloc(1, sizeof(*sv->previews));
	while (sv->previews->all[sv->previews->next].pid > 0)
		sv->previews->next = (sv->previews->next + 1) % KEPT;
	struct preview *p = &sv->previews->all[sv->previews->next];
	*p = (struct preview){ .content = *content };
	sv->previews->next = (sv->previews->next + 1) % KEPT;
	if (!query_blob(q, content, add_some, &b, &e) ||
	    !convert_begin(sv->ws, content, (struct span){ b.data, b.len }, READER, &p->pid, &e))
		log_line("image: %s", e.msg);
	buf_free(&b);
}

static bool is_ready(struct server *sv, struct query *q, const struct digest *content)
{
	const struct preview *p = find(sv, content);

	if (p)
		return p->pid == 0;
	struct buf b = { 0 };
	bool there = convert_cached(q, content, READER, &b);
	buf_free(&b);
	if (!there && count_running(sv) < AT_ONCE)
		begin(sv, q, content);
	return there;
}

/* ---- the images of an attempt ---- */

static bool add_bytes(void *ctx, const void *p, size_t n, struct err *e)
{
	buf_add(ctx, p, n);
	return ((struct buf *)ctx)->len <= IMAGE_BYTES || err_set(e, ERR_LIMIT, "too large");
}

/* As it is, where that is small enough. */
static bool read_small(struct query *q, const struct entry *f, struct buf *out)
{
	return f->size <= (int64_t)IMAGE_BYTES && query_blob(q, &f->sha256, add_bytes, out, NULL) && image_fits(out->data, out->len);
}

static bool fits(struct query *q, const struct entry *f)
{
	struct buf b = { 0 };
	bool ok = read_small(q, f, &b);

	buf_free(&b);
	return ok;
}

int64_t previews_until(int64_t answer_us)
{
	int64_t now = clock_mono_us();

	return MIN(now + WAIT_US, MAX(answer_us, now + LATE_US));
}

bool previews_ready_of(struct server *sv, struct query *q, const struct entry *f)
{
	return fits(q, f) || is_ready(sv, q, &f->sha256);
}

bool previews_ready(struct server *sv, struct query *q, int64_t attempt)
{
	struct detail d;
	size_t shown = 0;
	bool ready = true;

	if (!query_detail(q, attempt, &d, NULL))
		return true;
	for (size_t i = 0; i < d.artifacts_n && shown < IMAGES_MOST; i++) {
		const struct entry *f = &d.artifacts[i];
		if (digest_is_zero(&f->sha256) || !mime_is_drawn(mime_of(f->path, NULL, 0)))
			continue;
		shown++;
		ready &= previews_ready_of(sv, q, f);
	}
	query_detail_free(&d);
	return ready;
}

bool preview_add(struct result *r, struct query *q, const struct entry *f, bool *reduced)
{
	struct buf b = { 0 };
	bool shown;

	*reduced = !read_small(q, f, &b);
	if (*reduced)
		buf_clear(&b);
	shown = (!*reduced || convert_cached(q, &f->sha256, READER, &b)) && b.len > 0 && result_image(r, b.data, b.len);
	buf_free(&b);
	return shown;
}

/* ---- the loop ---- */

int64_t previews_step(struct server *sv)
{
	for (size_t i = 0; sv->previews && i < KEPT; i++) {
		struct preview *p = &sv->previews->all[i];
		int status, got = p->pid > 0 ? waitpid(p->pid, &status, WNOHANG) : 0;
		if (got > 0 || (got < 0 && errno == ECHILD))
			p->pid = 0;
	}
	return count_running(sv) > 0 ? LOOK_US : -1;
}

/* Those that run go on: what they make is for the next server. */
void previews_free(struct server *sv)
{
	free(sv->previews);
}
