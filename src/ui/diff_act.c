/* Searching in a difference, and what is done at a place of it. */
#include "diffview.h"

#include <stdlib.h>
#include <string.h>

/* ---- search ---- */

enum row_answer diff_holds(struct view *v, const struct list_key *key, struct search *s)
{
	const struct diff_view *d = diff_of(v);
	const struct diff_line_at *l = &d->lines[key->v[0]];
	const struct diffrows *r = &d->parts[l->part].rows;
	enum row_answer answer = ROW_LACKS;
	int32_t rows[2] = { l->left, l->right };

	for (int k = 0; k < 2 && !l->head && answer != ROW_HOLDS; k++) {
		if (rows[k] < 0 || (k && rows[1] == rows[0]))
			continue;
		enum row_answer has = row_has(s, r->v[rows[k]].text.p, r->v[rows[k]].text.n);
		answer = has == ROW_LACKS ? answer : has;
	}
	return answer;
}

/* ---- acting ---- */

/* The place on the right, or on the left where the right has none. */
unsigned diff_open_place(struct view *v, const char *arg)
{
	struct diff_view *d = diff_of(v);
	const struct diff_line_at *l = d->shown.n ? &d->lines[diff_cursor(d)] : NULL;
	const struct diff_part *p = l ? &d->parts[l->part] : NULL;
	struct err e = { 0 };

	(void)arg;
	if (!p || !p->cmp)
		return TURN_DRAW;
	int32_t row = l->right >= 0 ? l->right : l->left;
	int side = d->input || p->item.size[1] < 0 || (row >= 0 && p->rows.v[row].kind == DIFFROW_REMOVED) ? 0 : 1;
	int64_t pos = row >= 0 ? compare_position(p->cmp, side, p->rows.v[row].text.p) : 0;
	struct pager_spec spec = { .attempt = side ? p->right : p->left, .section = diff_section(p->item.part), .pos = MAX(pos, 0) };
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
	const struct diff_line_at *l = d->shown.n ? &d->lines[diff_cursor(d)] : NULL;

	(void)arg;
	if (!l || l->head || l->picture)
		return TURN_UNHANDLED;
	const struct diffrow *x = &d->parts[l->part].rows.v[l->right >= 0 ? l->right : l->left];
	ui_copy(v->ui, x->text.p, x->text.n, "the line");
	return TURN_DRAW;
}

/* ---- noting ---- */

/* Whose line the row is; what both have is noted on the right, unless that is a check, which nothing is noted on. */
static int side_noted(const struct diff_part *p, const struct diffrow *x, bool right_is_check)
{
	if (p->item.size[1] < 0 || x->kind == DIFFROW_REMOVED)
		return 0;
	return right_is_check && p->item.size[0] >= 0 && (x->kind == DIFFROW_SAME || x->kind == DIFFROW_CHANGED) ? 0 : 1;
}

static void place_noted(const struct diff_part *p, const struct diffrow *x, int side, struct subject *out)
{
	bool is_line = x->kind == DIFFROW_SAME || x->kind == DIFFROW_REMOVED || x->kind == DIFFROW_ADDED;
	bool is_text = strcmp(p->type, diffrows_type_word(DIFFROWS_TEXT)) == 0;
	struct buf cell = { 0 };

	if (is_line && is_text)
		out->line = side ? x->b : x->a;
	if (out->path && side == (x->kind != DIFFROW_REMOVED) && diffrows_place(&p->rows, x, &cell) && cell.len < sizeof(out->cell))
		memcpy(out->cell, cell.data, cell.len + 1);
	buf_free(&cell);
}

bool diff_noted(struct view *v, struct subject *out)
{
	struct diff_view *d = diff_of(v);
	const struct diff_line_at *l = d->shown.n ? &d->lines[diff_cursor(d)] : NULL;
	const struct diff_part *p = l ? &d->parts[l->part] : NULL;
	int32_t row = !l ? -1 : l->right >= 0 ? l->right : l->left;

	if (row < 0 || d->input)
		return v->ops->subject(v, out);
	int side = side_noted(p, &p->rows.v[row], d->check);
	int section = diff_section(p->item.part);
	out->attempt = side ? p->right : p->left;
	out->check = side && d->check;
	if (section != SECTION_NONE) {
		out->section = section_word((enum section_kind)section);
	} else if (p->item.part == COMPARE_FILE) {
		out->path = xstrdup(side || !p->item.old_name ? p->item.name : p->item.old_name);
		out->artifact = true;
	}
	if (out->section || out->path)
		place_noted(p, &p->rows.v[row], side, out);
	return query_ref(v->ui->query, out->attempt, out->ref, NULL);
}
