/* Searching in a difference, and what is done at a place of it. */
#include "diffview.h"

#include <stdlib.h>
#include <string.h>

/* ---- search ---- */

static unsigned find_next(struct view *v, int dir)
{
	struct diff_view *d = diff_of(v);

	if (!d->search) {
		ui_notice(v->ui, "nothing is searched for; / begins");
		return TURN_DRAW;
	}
	for (size_t n = 1; n <= d->lines_n; n++) {
		size_t i = (d->cursor + (dir > 0 ? n : d->lines_n - n)) % d->lines_n;
		if (!diff_line_has(d, &d->lines[i], d->search))
			continue;
		if ((dir > 0) != (i > d->cursor))
			ui_notice(v->ui, dir > 0 ? "went on from the beginning" : "went on from the end");
		diff_go_to_line(d, i);
		return TURN_DRAW;
	}
	ui_notice(v->ui, "'%s' is not in this difference", d->pattern);
	return TURN_DRAW;
}

unsigned diff_search_next(struct view *v, const char *arg)
{
	(void)arg;
	return find_next(v, 1);
}

unsigned diff_search_prev(struct view *v, const char *arg)
{
	(void)arg;
	return find_next(v, -1);
}

void diff_search(struct view *v, const char *pattern)
{
	struct diff_view *d = diff_of(v);
	struct err e = { 0 };
	size_t at;
	struct search *s = search_compile(pattern, strlen(pattern), 0, &at, &e);

	if (!s) {
		ui_error(v->ui, "%s", e.msg);
		return;
	}
	search_free(d->search);
	free(d->pattern);
	d->search = s;
	d->pattern = xstrdup(pattern);
	(void)find_next(v, 1);
}

/* ---- filter ---- */

/* Takes s; NULL shows all lines. The cursor stays on its line, or goes to the head of its part. */
static void set_filter(struct diff_view *d, struct search *s, const char *pattern)
{
	struct diff_line_at at = d->lines_n ? d->lines[d->cursor] : (struct diff_line_at){ .head = true, .left = -1, .right = -1 };
	struct diff_line_at head = { .part = at.part, .left = -1, .right = -1, .head = true };

	search_free(d->filter);
	free(d->filter_pattern);
	d->filter = s;
	d->filter_pattern = s ? xstrdup(pattern) : NULL;
	diff_relayout(d);
	d->cursor = d->top = 0;
	diff_go_to_same(d, &head);
	diff_go_to_same(d, &at);
}

unsigned diff_escape(struct view *v, const char *arg)
{
	struct diff_view *d = diff_of(v);

	(void)arg;
	if (!d->search && !d->filter)
		return TURN_UNHANDLED;
	if (!d->search) {
		set_filter(d, NULL, NULL);
		return TURN_DRAW;
	}
	search_free(d->search);
	d->search = NULL;
	return TURN_DRAW;
}

static void filter_by(void *ctx, const char *pattern)
{
	struct diff_view *d = ctx;
	struct err e = { 0 };
	struct search *s = *pattern ? search_compile(pattern, strlen(pattern), 0, NULL, &e) : NULL;

	if (*pattern && !s) {
		ui_error(d->view.ui, "%s", e.msg);
		return;
	}
	set_filter(d, s, pattern);
	if (!s || d->lines_n)
		return;
	ui_notice(d->view.ui, "'%s' is not in this difference: all lines are shown", pattern);
	set_filter(d, NULL, NULL);
}

unsigned diff_filter_lines(struct view *v, const char *arg)
{
	static const struct prompt_ops ask = { .label = "show only what matches: ", .kind = PROMPT_TEXT, .done = filter_by };
	struct diff_view *d = diff_of(v);

	if (arg)
		filter_by(d, arg);
	else
		ui_ask(v->ui, &ask, d, d->filter ? d->filter_pattern : NULL, HISTORY_SEARCH);
	return TURN_DRAW;
}

/* ---- acting ---- */

static int section_of(enum compare_part p)
{
	switch (p) {
	case COMPARE_CODE:
		return SECTION_CODE;
	case COMPARE_STDOUT:
		return SECTION_STDOUT;
	case COMPARE_STDERR:
		return SECTION_STDERR;
	default:
		return SECTION_NONE;
	}
}

/* The place on the right, or on the left where the right has none. */
unsigned diff_open_place(struct view *v, const char *arg)
{
	struct diff_view *d = diff_of(v);
	const struct diff_line_at *l = d->lines_n ? &d->lines[d->cursor] : NULL;
	const struct diff_part *p = l ? &d->parts[l->part] : NULL;
	struct err e = { 0 };

	(void)arg;
	if (!p || !p->cmp)
		return TURN_DRAW;
	int32_t row = l->right >= 0 ? l->right : l->left;
	int side = d->input || p->item.size[1] < 0 || (row >= 0 && p->rows.v[row].kind == DIFFROW_REMOVED) ? 0 : 1;
	int64_t pos = row >= 0 ? compare_position(p->cmp, side, p->rows.v[row].text.p) : 0;
	struct pager_spec spec = { .attempt = side ? p->right : p->left, .section = section_of(p->item.part), .pos = MAX(pos, 0) };
	if (spec.section == SECTION_NONE) {
		spec.sha256 = p->item.sha256[side];
		spec.path = side || !p->item.old_name ? p->item.name : p->item.old_name;
	}
	if (spec.section == SECTION_NONE && digest_is_zero(&spec.sha256)) {
		ui_notice(v->ui, "there is no more to this part");
		return TURN_DRAW;
	}
	struct view *pager = view_pager_new(v->ui, &spec, &e);
	if (pager)
		ui_push(v->ui, pager);
	else
		ui_error(v->ui, "%s", e.msg);
	return TURN_DRAW;
}

unsigned diff_copy_row(struct view *v, const char *arg)
{
	struct diff_view *d = diff_of(v);
	const struct diff_line_at *l = d->lines_n ? &d->lines[d->cursor] : NULL;

	(void)arg;
	if (!l || l->head || l->picture)
		return TURN_UNHANDLED;
	const struct diffrow *x = &d->parts[l->part].rows.v[l->right >= 0 ? l->right : l->left];
	ui_copy(v->ui, x->text.p, x->text.n, "the line");
	return TURN_DRAW;
}
