/* Messages in their order between the steps: only their times are held, a text is read when its row is seen. */
#include "exec_messages.h"

#include <stdlib.h>
#include <string.h>

#include "text/cite.h"

#define LINE_BYTES 600 /* of a text that a row shows: the widest screen has 500 cells */
#define LINES_KEPT 128 /* more than a screen has rows */
#define STEPS_KEPT 256

struct when {
	int64_t at_us, id;
};

struct line {
	int64_t id;
	size_t name;      /* bytes of who said it, in front of the text */
	char *text;       /* NULL: it cannot be read */
	int64_t attempt;  /* that it cites first; 0 none */
};

struct exec_messages {
	struct query *query;
	struct steps_list steps;
	struct when *all;   /* sorted */
	size_t n, cap;
	int64_t newest;     /* highest id among them */
	bool stale, hidden;
	struct { int64_t step, us; } created[STEPS_KEPT]; /* by step */
	struct line lines[LINES_KEPT]; /* by id; facts never change */
};

struct exec_messages *exec_messages_new(struct query *q, struct steps_list steps)
{
	struct exec_messages *m = xcalloc(1, sizeof(*m));

	*m = (struct exec_messages){ .query = q, .steps = steps, .stale = true };
	return m;
}

void exec_messages_free(struct exec_messages *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < LINES_KEPT; i++)
		free(m->lines[i].text);
	free(m->all);
	free(m);
}

void exec_messages_changed(struct exec_messages *m)
{
	m->stale = true;
}

void exec_messages_hide(struct exec_messages *m, bool hidden)
{
	m->hidden = hidden;
}

/* ---- when they were said ---- */

static bool add(void *ctx, int64_t id, int64_t at_us)
{
	struct exec_messages *m = ctx;

	m->all = grow(m->all, m->n, &m->cap, sizeof(*m->all));
	m->all[m->n++] = (struct when){ at_us, id };
	m->newest = id;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct when *x = a, *y = b;

	if (x->at_us != y->at_us)
		return x->at_us < y->at_us ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Messages are only ever added, nearly always as the latest; those that a merge brought are older. */
static void update(struct exec_messages *m)
{
	size_t had = m->n;
	struct err e = { 0 };

	if (!m->stale)
		return;
	m->stale = false;
	if (!query_message_times(m->query, m->newest, add, m, &e))
		log_line("messages: %s", e.msg);
	for (size_t i = MAX(had, (size_t)1); i < m->n; i++) {
		if (compare(&m->all[i - 1], &m->all[i]) < 0)
			continue;
		qsort(m->all, m->n, sizeof(*m->all), compare);
		break;
	}
}

static size_t lower_bound(const struct exec_messages *m, struct when w)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (compare(&m->all[mid], &w) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int64_t created_us(struct exec_messages *m, int64_t step)
{
	size_t i = (size_t)step % STEPS_KEPT;
	struct err e = { 0 };

	if (m->created[i].step == step)
		return m->created[i].us;
	m->created[i].step = step;
	if (!query_step_created(m->query, step, &m->created[i].us, &e)) {
		m->created[i].step = 0;
		log_line("step %lld: %s", (long long)step, e.msg);
	}
	return m->created[i].us;
}

/* Index of the first that was said when the step was there. */
static size_t first_since(struct exec_messages *m, int64_t step)
{
	return step > 0 ? lower_bound(m, (struct when){ created_us(m, step), 0 }) : 0;
}

/* Those that stand behind a step: from *lo to before *hi. */
static void range_behind(struct exec_messages *m, int64_t step, size_t *lo, size_t *hi)
{
	int64_t next;

	update(m);
	*lo = *hi = m->n;
	if (m->n == 0 || m->hidden)
		return;
	*lo = first_since(m, step);
	if (m->steps.beside(m->steps.ctx, step, 1, &next))
		*hi = first_since(m, next);
	*hi = MAX(*lo, *hi); /* a clock that was set back must not turn it round */
}

/* ---- between the rows of the steps ---- */

static struct list_key key_of(const struct exec_messages *m, int64_t step, size_t i)
{
	return (struct list_key){ { step, MESSAGE_ROW, m->all[i].at_us, m->all[i].id } };
}

/* The first (dir 1) or last behind a step. */
static bool end_behind(struct exec_messages *m, int64_t step, int dir, struct list_key *out)
{
	size_t lo, hi;

	range_behind(m, step, &lo, &hi);
	if (lo == hi)
		return false;
	*out = key_of(m, step, dir > 0 ? lo : hi - 1);
	return true;
}

bool exec_messages_end(struct exec_messages *m, int dir, struct list_key *out)
{
	struct list_key last = { 0 };
	bool any = m->steps.ops->end(m->steps.ctx, dir, &last);

	if (end_behind(m, dir < 0 && any ? last.v[0] : 0, dir, out))
		return true;
	*out = last;
	return any;
}

/* The last row of a step itself. */
static bool end_of_step(struct exec_messages *m, int64_t step, struct list_key *out)
{
	int64_t next;

	if (step == 0)
		return false;
	if (!m->steps.beside(m->steps.ctx, step, 1, &next))
		return m->steps.ops->end(m->steps.ctx, -1, out);
	*out = (struct list_key){ { next, 0, 0, 0 } };
	return m->steps.ops->step(m->steps.ctx, out, -1);
}

/* The step itself, or the one before it where it is gone. */
static int64_t step_there(struct exec_messages *m, int64_t step)
{
	struct list_key last = { 0 };
	int64_t next, there;

	if (step == 0)
		return 0;
	if (m->steps.beside(m->steps.ctx, step, 1, &next))
		return m->steps.beside(m->steps.ctx, next, -1, &there) ? there : 0;
	(void)m->steps.ops->end(m->steps.ctx, -1, &last);
	return last.v[0];
}

static bool step_from_message(struct exec_messages *m, struct list_key *key, int dir)
{
	int64_t step = step_there(m, key->v[0]), next;
	size_t lo, hi, i;

	range_behind(m, step, &lo, &hi);
	i = lower_bound(m, (struct when){ key->v[2], key->v[3] });
	bool here = i < m->n && m->all[i].id == key->v[3];
	if (dir > 0 && i + here < hi && i + here >= lo) {
		*key = key_of(m, step, i + here);
		return true;
	}
	if (dir < 0 && i > lo && i <= hi) {
		*key = key_of(m, step, i - 1);
		return true;
	}
	if (dir < 0)
		return end_of_step(m, step, key);
	if (!m->steps.beside(m->steps.ctx, step, 1, &next))
		return false;
	*key = (struct list_key){ { next, 0, 0, 0 } };
	return true;
}

bool exec_messages_step(struct exec_messages *m, struct list_key *key, int dir)
{
	struct list_key next = *key, said;

	if (key_is_message(key))
		return step_from_message(m, key, dir);
	bool moved = m->steps.ops->step(m->steps.ctx, &next, dir);
	bool leaves = !moved || next.v[0] != key->v[0];
	if (leaves && end_behind(m, dir > 0 ? key->v[0] : moved ? next.v[0] : 0, dir, &said)) {
		*key = said;
		return true;
	}
	if (moved)
		*key = next;
	return moved;
}

/* ---- a row ---- */

struct taking {
	struct exec_messages *m;
	struct line *line;
};

static bool take(void *ctx, const struct said *s)
{
	struct taking *t = ctx;
	size_t n = strnlen(s->text, LINE_BYTES);
	char *name = escape_text_dup(s->by.name ? s->by.name : "");
	struct buf b = { 0 };
	struct cite cite;

	buf_adds(&b, name);
	t->line->name = b.len;
	buf_adds(&b, "  ");
	for (size_t i = 0; i < n; i++)
		if (!strchr(" \t\r\n", s->text[i]))
			buf_addc(&b, s->text[i]);
		else if (b.data[b.len - 1] != ' ')
			buf_addc(&b, ' ');
	if (cite_next(s->text, strlen(s->text), 0, &cite))
		(void)query_resolve(t->m->query, &cite.ref, &t->line->attempt, NULL);
	t->line->text = buf_take(&b);
	free(name);
	return false;
}

static const struct line *line_of(struct exec_messages *m, const struct list_key *key)
{
	int64_t id = key->v[3];
	struct line *l = &m->lines[id % LINES_KEPT];
	struct err e = { 0 };

	if (l->id == id)
		return l;
	free(l->text);
	*l = (struct line){ .id = id };
	if (!query_message(m->query, id, take, &(struct taking){ m, l }, &e))
		log_line("message %lld: %s", (long long)id, e.msg);
	return l;
}

const char *exec_messages_line(struct exec_messages *m, const struct list_key *key)
{
	return line_of(m, key)->text;
}

int64_t exec_messages_attempt(struct exec_messages *m, const struct list_key *key)
{
	return line_of(m, key)->attempt;
}

void exec_messages_draw(struct exec_messages *m, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	const struct line *l = line_of(m, key);
	struct rect clip = { r.x, y, r.w - 1, 1 };
	int x = canvas_text(c, clip, r.x + 1, y, PEN(ROLE_DIM), "» ");
	struct cite cite;
	size_t n, at;

	if (!l->text)
		return;
	n = strlen(l->text);
	x = canvas_bytes(c, clip, x, y, PEN(ROLE_DIM), l->text, at = l->name);
	for (size_t from = at; cite_next(l->text, n, from, &cite); from = at = cite.end) {
		x = canvas_bytes(c, clip, x, y, PEN(ROLE_NORMAL), l->text + at, cite.start - at);
		x = canvas_bytes(c, clip, x, y, PEN(ROLE_KEY), l->text + cite.start, cite.end - cite.start);
	}
	x = canvas_bytes(c, clip, x, y, PEN(ROLE_NORMAL), l->text + at, n - at);
	if (x > clip.x + clip.w && clip.w > 4)
		canvas_text(c, clip, clip.x + clip.w - 1, y, PEN(ROLE_DIM), "…");
}
