/*
 * Memory that launcher and child share, and the orders in it.
 *
 * The child is cloned before it is known what it shall run, so that the kernel makes its namespaces
 * while the caller still plans. What the launcher finds out later is copied here; the mapping is older
 * than the clone, so a pointer into it is good on both sides. Nothing that the run itself does can
 * reach it: execve takes the mapping from the program, the keeper's is behind its not being dumpable, and
 * no descriptor leads to it. Only the keeper's counters come back.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "impl.h"

#define SHARED_BYTES ((size_t)256 << 20) /* address space; memory only for what is written */

bool shared_make(struct sandbox *sb, struct err *e)
{
	void *p = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return err_sys(e, "cannot share memory with the sandbox");
	sb->shared = p;
	sb->shared->next = sizeof *sb->shared;
	return true;
}

void shared_free(struct sandbox *sb)
{
	if (sb->shared != NULL)
		munmap(sb->shared, SHARED_BYTES);
	sb->shared = NULL;
}

/* ---- copies ---------------------------------------------------------------------------------------- */

/* NULL from the first piece on that finds no room. */
static void *room(struct shared *s, size_t n)
{
	size_t at = (s->next + 15) & ~(size_t)15;

	if (s->next == SIZE_MAX || n > SHARED_BYTES - at) {
		s->next = SIZE_MAX;
		return NULL;
	}
	s->next = at + n;
	return (char *)s + at;
}

static void *put(struct shared *s, const void *p, size_t n)
{
	void *to = p != NULL ? room(s, n) : NULL;

	if (to != NULL && n > 0)
		memcpy(to, p, n);
	return to;
}

static char *put_text(struct shared *s, const char *text)
{
	return text != NULL ? put(s, text, strlen(text) + 1) : NULL;
}

static struct strv put_list(struct shared *s, const struct strv *from)
{
	struct strv to = { .v = room(s, (from->n + 1) * sizeof *to.v), .n = from->n };

	for (size_t i = 0; to.v != NULL && i < from->n; i++)
		to.v[i] = put_text(s, from->v[i]);
	return to;
}

static struct sandbox_file *put_files(struct shared *s, const struct sandbox_file *from, size_t n)
{
	struct sandbox_file *to = put(s, from, n * sizeof *to);

	for (size_t i = 0; to != NULL && i < n; i++) {
		to[i].path = put_text(s, from[i].path);
		to[i].bytes = put(s, from[i].bytes, from[i].len);
	}
	return to;
}

static struct mount_plan put_plan(struct shared *s, const struct mount_plan *from)
{
	struct mount_plan to = *from;

	to.steps = put(s, from->steps, from->n * sizeof *to.steps);
	for (size_t i = 0; to.steps != NULL && i < from->n; i++) {
		struct mount_step *step = &to.steps[i];
		step->target = put_text(s, step->target);
		step->source = put_text(s, step->source);
		step->bytes = put(s, step->bytes, step->len);
	}
	to.box_dirs = put_list(s, &from->box_dirs);
	to.box_files = put_list(s, &from->box_files);
	return to;
}

bool orders_write(struct sandbox *sb, const struct sandbox_spec *spec, struct err *e)
{
	struct shared *s = sb->shared;
	struct sandbox *to = &s->orders;

	*to = *sb;
	to->plan = put_plan(s, &sb->plan);
	to->box = put_text(s, sb->box);
	to->cwd = put_text(s, sb->cwd);
	to->disk = put_text(s, sb->disk);
	to->layers = put_list(s, &sb->layers);
	to->argv = put_list(s, &sb->argv);
	to->env = put_list(s, &sb->env);
	to->watch = put_list(s, &sb->watch);
	to->home = put_files(s, sb->home, sb->home_count);
	to->copied = NULL; /* the launcher's alone */
	s->code = put_files(s, spec->code, spec->code_count);
	s->code_count = spec->code_count;
	s->wd = room(s, sb->watch.n * sizeof *s->wd);
	if (s->next == SIZE_MAX)
		return err_set(e, ERR_LIMIT, "script and files of ours for the run take more than %zu MiB", SHARED_BYTES >> 20);
	return true;
}
