/* Moving in a list that is known only by the neighbours of its rows. */
#include "listbox.h"

#include <string.h>

void listbox_init(struct listbox *l, const struct list_ops *ops, void *ctx)
{
	*l = (struct listbox){ .ops = ops, .ctx = ctx, .height = 1 };
}

bool listbox_key_equal(const struct list_key *a, const struct list_key *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Places the cursor at the last row at first: the newest is what one comes for. */
static bool place(struct listbox *l)
{
	if (!l->placed && l->ops->end(l->ctx, -1, &l->cursor)) {
		l->top = l->cursor;
		l->placed = true;
	}
	return l->placed;
}

bool listbox_move(struct listbox *l, int64_t rows)
{
	int dir = rows < 0 ? -1 : 1;
	bool moved = false;

	if (!place(l))
		return false;
	for (int64_t i = 0; i < rows * dir && l->ops->step(l->ctx, &l->cursor, dir); i++)
		moved = true;
	return moved;
}

/* Moves cursor and screen together, so that the cursor keeps its place on the screen. */
bool listbox_page(struct listbox *l, int rows)
{
	struct list_key before = l->cursor;
	int dir = rows < 0 ? -1 : 1;

	if (!place(l))
		return false;
	for (int i = 0; i < rows * dir && l->ops->step(l->ctx, &l->cursor, dir); i++)
		l->ops->step(l->ctx, &l->top, dir);
	return !listbox_key_equal(&before, &l->cursor);
}

bool listbox_end(struct listbox *l, int dir)
{
	struct list_key key;

	if (!l->ops->end(l->ctx, dir, &key))
		return false;
	bool moved = !l->placed || !listbox_key_equal(&key, &l->cursor);
	listbox_select(l, &key);
	l->top = l->cursor;
	return moved;
}

void listbox_select(struct listbox *l, const struct list_key *key)
{
	l->cursor = *key;
	if (!l->placed)
		l->top = *key;
	l->placed = true;
}

/* Rows from a to b (b not above a), at most max. */
static int distance(struct listbox *l, struct list_key a, const struct list_key *b, int max)
{
	int n = 0;

	while (n < max && l->ops->compare(l->ctx, &a, b) < 0 && l->ops->step(l->ctx, &a, 1))
		n++;
	return n;
}

static void move_key(struct listbox *l, struct list_key *key, int rows)
{
	int dir = rows < 0 ? -1 : 1;

	for (int i = 0; i < rows * dir && l->ops->step(l->ctx, key, dir); i++)
		;
}

/* Brings the cursor into view: a jump of more than a screen lands in the middle. */
static void show_cursor(struct listbox *l)
{
	int down;

	if (l->ops->compare(l->ctx, &l->cursor, &l->top) < 0) {
		bool far = distance(l, l->cursor, &l->top, l->height) >= l->height;
		l->top = l->cursor;
		if (far)
			move_key(l, &l->top, -(l->height / 2));
		return;
	}
	down = distance(l, l->top, &l->cursor, 2 * l->height);
	if (down < l->height)
		return;
	l->top = l->cursor;
	move_key(l, &l->top, down >= 2 * l->height ? -(l->height / 2) : -(l->height - 1));
}

static size_t fill(struct listbox *l, int height, struct list_key *out)
{
	struct list_key key = l->top;
	size_t n = 0;

	do {
		out[n++] = key;
	} while (n < (size_t)height && l->ops->step(l->ctx, &key, 1));
	return n;
}

size_t listbox_rows(struct listbox *l, int height, struct list_key *out)
{
	size_t n;

	if (height < 1 || !place(l))
		return 0;
	l->height = height;
	show_cursor(l);
	n = fill(l, height, out);
	if (n < (size_t)height) {
		move_key(l, &l->top, (int)n - height);
		n = fill(l, height, out);
	}
	return n;
}

bool listbox_scroll(struct listbox *l, int rows)
{
	struct list_key before;
	int from_top;

	if (!place(l))
		return false;
	before = l->top;
	move_key(l, &l->top, rows);
	if (l->ops->compare(l->ctx, &l->cursor, &l->top) < 0)
		l->cursor = l->top;
	from_top = distance(l, l->top, &l->cursor, l->height);
	if (from_top >= l->height) {
		l->cursor = l->top;
		move_key(l, &l->cursor, l->height - 1);
	}
	return !listbox_key_equal(&before, &l->top);
}

/* A row that vanished is left by a step to a neighbour, which the source can find from any key. */
void listbox_validate(struct listbox *l)
{
	struct list_key first, last;

	if (!l->placed)
		return;
	if (!l->ops->end(l->ctx, 1, &first) || !l->ops->end(l->ctx, -1, &last)) {
		l->placed = false;
		return;
	}
	struct list_key *keys[] = { &l->cursor, &l->top };
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct list_key probe = *keys[i];
		if (l->ops->compare(l->ctx, &probe, &first) <= 0) {
			*keys[i] = first;
		} else if (l->ops->compare(l->ctx, &probe, &last) >= 0) {
			*keys[i] = last;
		} else if (l->ops->step(l->ctx, &probe, -1)) {
			*keys[i] = probe; /* its row before … */
			if (l->ops->step(l->ctx, &probe, 1) && l->ops->compare(l->ctx, &probe, keys[i]) > 0)
				*keys[i] = probe; /* … and back: itself, or what took its place */
		}
	}
}

/* ---- arrays -------------------------------------------------------------------------------------------- */

static bool array_end(void *ctx, int dir, struct list_key *out)
{
	const struct list_array *a = ctx;

	*out = (struct list_key){ { dir > 0 ? 0 : (int64_t)a->n - 1 } };
	return a->n > 0;
}

static bool array_step(void *ctx, struct list_key *key, int dir)
{
	const struct list_array *a = ctx;
	int64_t to = key->v[0] + dir;

	if (to < 0 || to >= (int64_t)a->n)
		return false;
	key->v[0] = to;
	return true;
}

static int array_compare(void *ctx, const struct list_key *a, const struct list_key *b)
{
	(void)ctx;
	return (a->v[0] > b->v[0]) - (a->v[0] < b->v[0]);
}

const struct list_ops list_array_ops = { .end = array_end, .step = array_step, .compare = array_compare };
