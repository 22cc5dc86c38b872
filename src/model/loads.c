/* From the run files to the processes, and from two looks to a share. */
#include "model/loads.h"

#include <stdlib.h>

#include "runfile.h"
#include "sandbox.h"

#define LEAST_US 100000 /* between two looks, for a share to mean something: /proc counts in 10 ms */

struct known {
	struct load load;
	int64_t at_us;     /* of the look that the share counts from */
	int64_t cpu_us;    /* processor time then */
	bool seen;
};

struct loads {
	struct workspace *ws;
	struct known *v;
	size_t n, cap;
};

struct loads *loads_new(struct workspace *ws)
{
	struct loads *l = xcalloc(1, sizeof(*l));

	l->ws = ws;
	return l;
}

void loads_free(struct loads *l)
{
	if (!l)
		return;
	free(l->v);
	free(l);
}

static struct known *entry_of(struct loads *l, int64_t attempt)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].load.attempt == attempt)
			return &l->v[i];
	l->v = grow(l->v, l->n, &l->cap, sizeof(*l->v));
	l->v[l->n] = (struct known){ .load = { .attempt = attempt, .percent = -1 } };
	return &l->v[l->n++];
}

static bool look_at(void *ctx, const struct runfile *r)
{
	struct loads *l = ctx;
	struct sandbox_load now;
	int64_t us = clock_mono_us();
	struct known *k;

	if (r->attempt == 0 || !runfile_is_of_process(r) || !sandbox_load(r->pid, &now))
		return true;
	k = entry_of(l, r->attempt);
	k->seen = true;
	k->load.cpu_us = now.cpu_us;
	k->load.memory = now.memory;
	k->load.threads = now.threads;
	if (k->at_us == 0) {
		k->at_us = us;
		k->cpu_us = now.cpu_us;
	} else if (us - k->at_us >= LEAST_US) {
		k->load.percent = MAX(0, now.cpu_us - k->cpu_us) * 100 / (us - k->at_us);
		k->at_us = us;
		k->cpu_us = now.cpu_us;
	}
	return true;
}

void loads_look(struct loads *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++)
		l->v[i].seen = false;
	(void)runfile_each(l->ws, look_at, l, NULL);
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].seen)
			l->v[kept++] = l->v[i];
	l->n = kept;
}

const struct load *loads_find(const struct loads *l, int64_t attempt)
{
	for (size_t i = 0; l && i < l->n; i++)
		if (l->v[i].load.attempt == attempt)
			return &l->v[i].load;
	return NULL;
}

const struct load *loads_at(const struct loads *l, size_t i)
{
	return l && i < l->n ? &l->v[i].load : NULL;
}
