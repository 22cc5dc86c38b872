/* The parts of a difference as lines of the screen, unified or side by side. */
#include "diffview.h"

#include <stdlib.h>
#include <string.h>

static void add_line(struct diff_view *d, struct diff_line_at x)
{
	d->lines = grow(d->lines, d->shown.n, &d->lines_cap, sizeof(*d->lines));
	d->lines[d->shown.n++] = x;
}

/* Removed rows from `at` and the added ones behind them, two and two; returns what follows. */
static size_t lay_block(struct diff_view *d, uint32_t part, const struct diffrows *r, size_t at)
{
	size_t removed = at, added, end;

	while (at < r->n && r->v[at].kind == DIFFROW_REMOVED)
		at++;
	if (at < r->n && r->v[at].kind == DIFFROW_NO_END)
		at++;
	added = at;
	while (at < r->n && r->v[at].kind == DIFFROW_ADDED)
		at++;
	end = at;
	size_t n = added - removed;
	n -= n && r->v[added - 1].kind == DIFFROW_NO_END;
	for (size_t i = 0; i < n || added + i < end; i++) {
		int32_t left = i < n ? (int32_t)(removed + i) : -1, right = added + i < end ? (int32_t)(added + i) : -1;
		add_line(d, (struct diff_line_at){ .part = part, .left = left, .right = right });
	}
	return MAX(end, removed + 1);
}

static void lay_part(struct diff_view *d, uint32_t part)
{
	const struct diffrows *r = &d->parts[part].rows;

	add_line(d, (struct diff_line_at){ .part = part, .left = -1, .right = -1, .head = true });
	for (size_t i = 0; i < r->n;) {
		bool changed = r->v[i].kind == DIFFROW_REMOVED || r->v[i].kind == DIFFROW_ADDED;
		if (d->beside && changed) {
			i = lay_block(d, part, r, i);
			continue;
		}
		add_line(d, (struct diff_line_at){ .part = part, .left = (int32_t)i, .right = (int32_t)i });
		i++;
	}
	for (int i = 0, n = diff_picture_lines(d, r); i < n; i++)
		add_line(d, (struct diff_line_at){ .part = part, .left = -1, .right = -1, .picture = (uint16_t)(i + 1) });
}

void diff_relayout(struct diff_view *d)
{
	d->shown.n = 0;
	for (size_t i = 0; i < d->parts_n; i++)
		lay_part(d, (uint32_t)i);
	listview_filter_again(&d->view, &d->list);
	diff_go_to_line(d, diff_cursor(d));
}

static bool shows_same(const struct diff_line_at *l, const struct diff_line_at *at)
{
	if (l->part != at->part || l->head != at->head || (l->picture > 0) != (at->picture > 0))
		return false;
	return l->head || l->picture ? l->picture <= at->picture : at->left >= 0 ? l->left == at->left : l->right == at->right;
}

void diff_go_to_same(struct diff_view *d, const struct diff_line_at *at)
{
	for (size_t i = 0; i < d->shown.n; i++) {
		if (!shows_same(&d->lines[i], at))
			continue;
		diff_go_to_line(d, i);
		if (!at->picture)
			return;
	}
}

/* Line numbers grow: the last row that has one is the widest. */
static void fit_numbers(struct diff_view *d, const struct diffrows *r)
{
	for (size_t i = r->n; i-- > 0;) {
		uint32_t most = MAX(r->v[i].a, r->v[i].b);
		int cols = 2;
		if (most == 0)
			continue;
		for (uint32_t n = most; n >= 10; n /= 10)
			cols++;
		d->number_cols = MAX(d->number_cols, cols);
		return;
	}
}

void diff_add_part(struct diff_view *d, struct diff_part *p)
{
	d->parts = grow(d->parts, d->parts_n, &d->parts_cap, sizeof(*d->parts));
	d->parts[d->parts_n++] = *p;
	fit_numbers(d, &p->rows);
	size_t line = d->shown.n;
	lay_part(d, (uint32_t)d->parts_n - 1);
	listview_filter_again(&d->view, &d->list);
	if (!d->list.box.placed)
		diff_go_to_line(d, 0);
	if (d->wanted && d->wanted < d->shown.n) {
		diff_go_to_line(d, d->wanted);
		d->wanted = 0;
	}
	for (; p->first >= 0 && diff_cursor(d) == 0 && !d->wanted && line < d->shown.n; line++)
		if (d->lines[line].left == p->first)
			diff_go_to_line(d, line);
}

static bool has_pictures(const struct diff_view *d)
{
	for (size_t i = 0; i < d->parts_n; i++)
		if (d->parts[i].rows.pictures)
			return true;
	return false;
}

void diff_take_size(struct diff_view *d, struct rect r)
{
	bool other = d->width != r.w || d->height != r.h;

	d->width = r.w;
	d->height = r.h;
	if (!other || !has_pictures(d))
		return;
	struct diff_line_at at = d->shown.n ? d->lines[diff_cursor(d)] : (struct diff_line_at){ 0 };
	diff_relayout(d);
	diff_go_to_same(d, &at);
}
