/* The inputs of an attempt as it saw them, and what stands at their paths now. */
#include "comparing.h"

#include "model/dependents.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct finding_now {
	struct comparing *c;
	const char *path;  /* the only one that is asked for; NULL: all */
};

/* The file of now by its bytes; false: it cannot be read, which is said when it is tried again. */
static bool hash_now(const char *path, struct compare_item *x)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	uint64_t size = 0;
	bool ok = fd >= 0 && hash_fd(fd, path, &x->sha256[1], &size, NULL);

	if (fd >= 0)
		close(fd);
	x->size[1] = (int64_t)size;
	return ok;
}

static void take_input(void *ctx, const struct entry *in, enum input_now now)
{
	struct finding_now *f = ctx;
	struct comparing *c = f->c;
	struct digest content = { { 0 } };
	char *path = NULL;

	if (f->path && strcmp(f->path, in->path) != 0)
		return;
	for (size_t i = 0; i < c->side[0].inputs_n; i++) /* whose strings stay */
		if (strcmp(c->side[0].inputs[i].path, in->path) == 0)
			in = &c->side[0].inputs[i];
	struct compare_item *x = compare_add(c, COMPARE_INPUT_FILE, in->path);
	c->now = xreallocarray(c->now, c->n, sizeof(*c->now));
	if (now != INPUT_NOW_NEW)
		compare_fill(x, 0, in);
	if (now != INPUT_NOW_MISSING && query_now(c->query, c->ws, in->path, &path, &content)) {
		x->sha256[1] = content;
		if (path)
			(void)hash_now(path, x);
		else
			(void)store_blob_has(c->query->store, &content, &x->size[1]);
	}
	x->change = now == INPUT_NOW_NEW ? SIDES_ADDED : now == INPUT_NOW_MISSING ? SIDES_REMOVED : SIDES_CHANGED;
	c->now[c->now_n++] = path;
}

static bool is_input(const struct detail *d, const char *path)
{
	for (size_t i = 0; i < d->inputs_n; i++)
		if ((input_was_read(&d->inputs[i]) || d->inputs[i].what == INPUT_MISSING) && strcmp(d->inputs[i].path, path) == 0)
			return true;
	return false;
}

struct comparing *compare_open_now(struct query *q, int64_t attempt, const char *path, struct err *e)
{
	struct comparing *c = xcalloc(1, sizeof(*c));
	struct finding_now f = { c, path };
	size_t all;

	c->query = q;
	c->ws = q->ws;
	c->is_now = true;
	bool ok = query_detail(q, attempt, &c->side[0], e) && ((q->ws && !workspace_is_review(q->ws)) || err_set(e, ERR_NOTFOUND, "evidence has no folder of now")) &&
	          (!path || is_input(&c->side[0], path) || err_set(e, ERR_NOTFOUND, "%s opened no file %s", c->side[0].ref, path)) &&
	          dependents_inputs(q, q->ws, attempt, take_input, &f, &all, e);
	if (ok)
		return c;
	compare_close(c);
	return NULL;
}

void compare_tell_now(const struct comparing *c, struct buf *out)
{
	static const struct { enum compare_change change; const char *what; } kinds[] = {
		{ SIDES_CHANGED, "changed since" }, { SIDES_REMOVED, "missing now" }, { SIDES_ADDED, "new now" },
	};

	for (size_t k = 0, told = 0; k < ARRAY_LEN(kinds); k++) {
		size_t n = 0;
		for (size_t i = 0; i < c->n; i++) {
			if (c->items[i].change != kinds[k].change)
				continue;
			char *name = escape_name_dup(c->items[i].name);
			buf_addf(out, "%s%s%s", n ? ", " : told++ ? "; " : "", n ? "" : kinds[k].what, n ? "" : ": ");
			buf_adds(out, name);
			free(name);
			n++;
		}
	}
	if (c->n == 0)
		buf_adds(out, "every input is as it was seen");
}
