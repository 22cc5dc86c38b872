/* The queue of runs that the screen was asked for. */
#include "turns.h"

#include <stdlib.h>
#include <string.h>

#include "spawn.h"

struct due {
	void (*start)(void *ctx);
	void (*drop)(void *ctx);
	void *ctx;
};

struct turns {
	struct due *v; /* owned; first come first */
	size_t n, cap;
};

static int64_t limit_of(struct ui *ui)
{
	char *value = setting_get(ui->ws, "at-once", NULL, NULL);
	int64_t n = 1;

	if (value && !int_parse(value, 1, INT64_MAX, &n, NULL))
		n = 1;
	free(value);
	return n;
}

/* A child that was started has its attempt in the record soon, and is counted until then. */
static bool is_free(struct ui *ui)
{
	int64_t running = ui->query ? query_tally(ui->query, "running") : 0;

	return MAX(running, (int64_t)spawn_runs(ui)) < limit_of(ui);
}

bool turns_take(struct ui *ui, void (*start)(void *ctx), void (*drop)(void *ctx), void *ctx)
{
	struct turns *t = ui->turns;

	if (turns_waiting(ui) == 0 && is_free(ui)) {
		start(ctx);
		return false;
	}
	if (!t)
		t = ui->turns = xcalloc(1, sizeof(*t));
	t->v = grow(t->v, t->n, &t->cap, sizeof(*t->v));
	t->v[t->n++] = (struct due){ start, drop, ctx };
	return true;
}

void turns_next(struct ui *ui)
{
	struct turns *t = ui->turns;

	while (t && t->n > 0 && is_free(ui)) {
		struct due first = t->v[0];

		t->n--;
		memmove(t->v, t->v + 1, t->n * sizeof(*t->v));
		first.start(first.ctx);
	}
}

size_t turns_waiting(const struct ui *ui)
{
	return ui->turns ? ui->turns->n : 0;
}

size_t turns_drop_all(struct ui *ui)
{
	struct turns *t = ui->turns;
	size_t n = turns_waiting(ui);

	ui->turns = NULL;
	for (size_t i = 0; i < n; i++)
		t->v[i].drop(t->v[i].ctx);
	if (t)
		free(t->v);
	free(t);
	return n;
}
