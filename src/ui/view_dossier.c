/*
 * The dossier: everything about one attempt on one scrolling page, for reading many. Space goes on
 * through it, t marks, u opens the next to review; Enter on a line opens it full screen, and on a
 * traceback goes to the line of code.
 */
#include <stdlib.h>
#include <string.h>

#include "dossier.h"
#include "pane.h"
#include "textdraw.h"
#include "text.h"
#include "traceback.h"

struct dossier_view {
	struct view view;
	struct dossier d;
	struct listview list;
};

static struct dossier_view *dossier_of(struct view *v)
{
	return (struct dossier_view *)v;
}

/* ---- drawing ------------------------------------------------------------------------------------------ */

static void draw_heading(const struct part *p, struct canvas *c, struct rect r, int y)
{
	int x = canvas_text(c, r, r.x + 1, y, PEN(ROLE_TITLE), p->title) + 1;

	if (p->summary && *p->summary)
		x += 1 + canvas_fit(c, r, x, y, r.x + r.w - x - 4, PEN(ROLE_DIM), p->summary);
	if (x < r.x + r.w)
		canvas_rule(c, r, x, y, r.x + r.w - x, PEN(ROLE_BORDER));
}

/* A line that somebody noted something on. */
static bool has_note(const struct dossier *d, const struct part *p, int64_t line)
{
	for (size_t i = 0; line > 0 && i < d->detail.notes_n; i++) {
		const struct review_place *at = &d->detail.notes[i].at;

		if (at->line != line || !at->section)
			continue;
		if (p->path ? at->path && strcmp(at->path, p->path) == 0 : strcmp(at->section, section_word(p->kind)) == 0)
			return true;
	}
	return false;
}

static void draw_row(struct view *view, const struct list_key *key, struct canvas *c, struct rect r, int y)
{
	struct dossier_view *v = dossier_of(view);
	struct part *p = dossier_part(&v->d, (size_t)key->v[0]);
	int64_t row = key->v[1];
	int x = r.x + DOSSIER_INDENT;

	if (row == 0) {
		draw_heading(p, c, r, y);
		return;
	}
	if (!p->open || dossier_is_gap(p, row)) {
		canvas_fit(c, r, x, y, r.x + r.w - x, PEN(ROLE_GAP), p->open ? "… more: Enter shows all" : p->note);
		return;
	}
	struct text_row *t = &p->rows[row - 1];
	int64_t line = t->first ? dossier_line_of_row(p, row) : 0;
	if (p->kind == SECTION_CODE) {
		if (line > 0)
			canvas_textf(c, r, x, y, PEN(ROLE_NUMBER), "%4lld", (long long)line);
		x += DOSSIER_NUMBERS;
	}
	if (has_note(&v->d, p, line))
		canvas_put(c, r, r.x + 1, y, "c", 1, 1, PEN(ROLE_WARN));
	struct text_paint paint = { .text = &p->text, .kind = p->kind, .py = &p->py, .search = listview_wanted(&v->list),
		.current = { -1, -1 }, .chosen = { -1, -1 } };
	text_paint_row(&paint, c, r, x, y, r.x + r.w - x, t, 0, PEN(key->v[0] == 0 && row == 1 ? ROLE_STRONG : ROLE_NORMAL));
}

static void dossier_draw(struct view *view, struct canvas *c, struct rect r)
{
	struct dossier_view *v = dossier_of(view);

	if (dossier_fit(&v->d, r.w, (struct list_key *const[]){ &v->list.box.cursor, &v->list.box.top }, 2))
		listview_filter_again(view, &v->list);
	listview_draw(view, &v->list, c, r);
}

static void dossier_title(struct view *view, struct buf *left, struct buf *right)
{
	struct dossier_view *v = dossier_of(view);
	const struct detail *d = &v->d.detail;
	const char *title = d->attempt.title ? d->attempt.title : d->step.title;
	const struct review_mark *m = review_counts(d);
	int64_t open = query_tally(view->ui->query, "to review");

	buf_addf(left, "%s %s", d->ref, title ? title : "");
	if (m)
		buf_addf(right, "%s %s%s%s  ", judgement_glyph(m->judgement), judgement_word(m->judgement),
		         m->own_work ? ", own work" : "", review_is_stale(d) ? " (stale)" : "");
	buf_addf(right, "%lld to review", (long long)open);
}

/* ---- moving ----------------------------------------------------------------------------------------------- */

/* Another attempt is read from its beginning, and in whole. */
static void to_begin(struct dossier_view *v)
{
	listview_filter(&v->view, &v->list, "");
	v->list.box.placed = false;
	listbox_end(&v->list.box, 1);
}

static bool load(struct dossier_view *v, int64_t attempt)
{
	struct err e = { 0 };

	if (dossier_load(&v->d, attempt, &e))
		return true;
	ui_error(v->view.ui, "%s", e.msg);
	return false;
}

static unsigned go_part(struct view *view, int dir)
{
	struct dossier_view *v = dossier_of(view);
	int64_t i = v->list.box.cursor.v[0] + dir;

	if (dir < 0 && v->list.box.cursor.v[1] > 0)
		i++;
	if (i < 0 || i >= (int64_t)v->d.parts_n) {
		ui_notice(view->ui, dir > 0 ? "this is the last section" : "this is the first section");
		return TURN_DRAW;
	}
	listview_go(view, &v->list, &(struct list_key){ { i, i == 0 ? 1 : 0, 0, 0 } });
	v->list.box.top = v->list.box.cursor;
	return TURN_DRAW;
}

static unsigned next_part(struct view *v, const char *arg)
{
	(void)arg;
	return go_part(v, 1);
}

static unsigned prev_part(struct view *v, const char *arg)
{
	(void)arg;
	return go_part(v, -1);
}

static unsigned go_attempt(struct view *view, int dir)
{
	struct dossier_view *v = dossier_of(view);
	struct ref ref = { .kind = REF_ATTEMPT, .step = v->d.detail.step.number, .attempt = v->d.detail.attempt.number + dir };
	int64_t other;

	if (ref.attempt < 1 || !query_resolve(view->ui->query, &ref, &other, NULL))
		ui_notice(view->ui, dir > 0 ? "this is the last attempt of the step" : "this is the first attempt of the step");
	else if (load(v, other))
		to_begin(v);
	return TURN_DRAW;
}

static unsigned next_attempt(struct view *v, const char *arg)
{
	(void)arg;
	return go_attempt(v, 1);
}

static unsigned prev_attempt(struct view *v, const char *arg)
{
	(void)arg;
	return go_attempt(v, -1);
}

/* ---- Enter -------------------------------------------------------------------------------------------------- */

static int64_t code_part(const struct dossier *d)
{
	for (size_t i = 0; i < d->parts_n; i++)
		if (d->parts[i].kind == SECTION_CODE)
			return (int64_t)i;
	return -1;
}

static bool go_code(struct dossier_view *v, int64_t line)
{
	int64_t part = code_part(&v->d), row = part >= 0 && line > 0 ? dossier_row_of_line(&v->d, (size_t)part, line) : 0;

	if (row == 0)
		return false;
	listview_go(&v->view, &v->list, &(struct list_key){ { part, row, 0, 0 } });
	ui_notice(v->view.ui, "line %lld of the code", (long long)line);
	return true;
}

/* What the row points at: a frame of a traceback, a filter. */
static int64_t line_named(struct dossier_view *v, struct part *p, int64_t row)
{
	size_t n = 0;
	const char *bytes = dossier_bytes(p, row, &n);
	int64_t line = 0;

	if (p->kind == SECTION_FILTERS)
		return bytes ? section_filter_line(bytes, n) : 0;
	if (p->kind != SECTION_STDERR && p->kind != SECTION_STDOUT)
		return 0;
	line = bytes ? traceback_line(&v->d.detail, bytes, n) : 0;
	return line || p->kind != SECTION_STDERR ? line : traceback_last(v->d.context.record, &v->d.detail);
}

static unsigned open_row(struct view *view, const char *arg)
{
	struct dossier_view *v = dossier_of(view);
	const struct list_key *key = &v->list.box.cursor;
	struct part *p = dossier_part(&v->d, (size_t)key->v[0]);
	int64_t row = key->v[1];
	struct pager_spec spec = { .attempt = v->d.detail.attempt.id, .section = (int)p->kind };
	struct err e = { 0 };
	struct view *pager;

	(void)arg;
	if (p->words || !v->list.box.placed)
		return TURN_DRAW;
	if (row > 0 && !dossier_is_gap(p, row) && go_code(v, line_named(v, p, row)))
		return TURN_DRAW;
	if (p->open && row >= 1 && row <= (int64_t)p->n && !dossier_is_gap(p, row) && p->kind != SECTION_NONE)
		spec.pos = p->rows[row - 1].start;
	if (p->path) {
		spec.path = p->path;
		spec.sha256 = p->sha256;
	}
	pager = view_pager_new(view->ui, &spec, &e);
	if (pager)
		ui_push(view->ui, pager);
	else
		ui_error(view->ui, "%s", e.msg);
	return TURN_DRAW;
}

/* ---- searching ------------------------------------------------------------------------------------------------ */

/* The first match in the row's line from `from` on, a wrapped line being one. */
static enum search_answer line_match(struct part *p, int64_t row, int64_t from, struct search *s, struct range *hit)
{
	int64_t start = 0;
	size_t n = 0;
	const char *line = dossier_line(p, row, &start, &n);
	struct match m;
	enum search_answer answer = line && from - start <= (int64_t)n ? search_line(s, line, n, (size_t)MAX(0, from - start), &m) : SEARCH_NONE;

	if (answer == SEARCH_HIT)
		*hit = (struct range){ start + (int64_t)m.start, start + (int64_t)MAX(m.end, m.start + 1) };
	return answer;
}

static enum row_answer answer_of(enum search_answer a)
{
	return a == SEARCH_HIT ? ROW_HOLDS : a == SEARCH_UNDECIDED ? ROW_UNDECIDED : ROW_LACKS;
}

/* A match that begins in the row; of a line that is wrapped, another row may hold the next one. */
static enum row_answer holds(struct view *view, const struct list_key *key, struct search *search)
{
	struct part *p = dossier_part(&dossier_of(view)->d, (size_t)key->v[0]);
	struct text_row *row;
	struct range hit;
	enum search_answer answer;

	if (key->v[1] == 0)
		return row_has(search, p->title, strlen(p->title));
	row = dossier_row(p, key->v[1]);
	if (!row)
		return ROW_LACKS;
	answer = line_match(p, key->v[1], row->start, search, &hit);
	if (answer == SEARCH_HIT && row->end >= 0 && hit.start >= row->end && !(row->last && hit.start == row->end))
		return ROW_LACKS;
	return answer_of(answer);
}

/* All rows of a line that matches. */
static enum row_answer fits(struct view *view, const struct list_key *key, struct search *search)
{
	struct part *p = dossier_part(&dossier_of(view)->d, (size_t)key->v[0]);
	struct range hit;

	return key->v[1] == 0 ? row_has(search, p->title, strlen(p->title)) : answer_of(line_match(p, key->v[1], 0, search, &hit));
}

static enum row_part part_of(struct view *view, const struct list_key *key)
{
	struct part *p = dossier_part(&dossier_of(view)->d, (size_t)key->v[0]);

	return key->v[1] == 0 ? PART_HEAD : dossier_row(p, key->v[1]) ? PART_ROW : PART_GAP;
}

static const struct listview_ops list_ops = {
	.draw_row = draw_row, .holds = holds, .fits = fits, .part = part_of, .filters = true,
	.where = "on this page; what it leaves out is searched full screen",
};

/* ---- the view --------------------------------------------------------------------------------------------------- */

static unsigned dossier_changed(struct view *view, int64_t attempt)
{
	struct dossier_view *v = dossier_of(view);
	struct list_key cursor = v->list.box.cursor, top = v->list.box.top;

	if (attempt != 0 && attempt != v->d.detail.attempt.id && v->d.detail.end.attempt)
		return TURN_DRAW; /* the count of what is left may be another */
	if (!load(v, v->d.detail.attempt.id))
		return TURN_DRAW;
	cursor.v[0] = MIN(cursor.v[0], (int64_t)v->d.parts_n - 1); /* a filter that leaves nothing lets it stand anywhere */
	v->list.box.cursor = cursor;
	v->list.box.top = top;
	listbox_validate(&v->list.box);
	return TURN_DRAW;
}

static bool dossier_subject(struct view *view, struct subject *out)
{
	struct dossier_view *v = dossier_of(view);
	struct part *p = dossier_part(&v->d, (size_t)v->list.box.cursor.v[0]);

	out->attempt = v->d.detail.attempt.id;
	out->step = v->d.detail.step.number;
	out->check = v->d.detail.attempt.check != 0;
	memcpy(out->ref, v->d.detail.ref, sizeof(out->ref));
	if (p->path) {
		out->path = xstrdup(p->path);
		out->artifact = true;
	} else if (p->kind == SECTION_CODE || p->kind == SECTION_STDOUT || p->kind == SECTION_STDERR) {
		out->section = section_word(p->kind);
		out->line = dossier_line_of_row(p, v->list.box.cursor.v[1]);
	}
	return true;
}

static void dossier_free(struct view *view)
{
	struct dossier_view *v = dossier_of(view);

	dossier_clear(&v->d);
	listview_done(&v->list);
	free(v);
}

static struct listview *dossier_list(struct view *v)
{
	return &dossier_of(v)->list;
}

static const struct view_action actions[] = {
	{ CMD_LINK, open_row }, { CMD_NEXT_SECTION, next_part }, { CMD_PREV_SECTION, prev_part },
	{ CMD_NEXT_ATTEMPT, next_attempt }, { CMD_PREV_ATTEMPT, prev_attempt }, { CMD_NONE, NULL },
};

static const struct view_hint hints[] = {
	{ CMD_PAGE_DOWN, "on" }, { CMD_MARK, "mark" }, { CMD_NOTE, "note" }, { CMD_NEXT_REVIEW, "next" },
	{ CMD_LINK, "open" }, { CMD_NEXT_SECTION, "section" }, { CMD_BACK, "back" }, { CMD_HELP, "help" }, { CMD_FILTER_LINES, "filter" }, { CMD_NONE, NULL },
};

static const struct view_ops ops = {
	.name = "Dossier", .list = dossier_list, .place = PLACE_PAGER, .actions = actions, .hints = hints, .draw = dossier_draw,
	.title = dossier_title, .changed = dossier_changed, .subject = dossier_subject, .free = dossier_free,
};

struct view *view_dossier_new(struct ui *ui, int64_t attempt, struct err *e)
{
	struct dossier_view *v = xcalloc(1, sizeof(*v));

	v->view = (struct view){ .ops = &ops, .ui = ui };
	v->d.context = pane_sections(ui);
	v->d.cols = ui->cols;
	listview_init(&v->list, &list_ops, &dossier_ops, &v->d);
	if (!dossier_load(&v->d, attempt, e)) {
		free(v);
		return NULL;
	}
	to_begin(v);
	return &v->view;
}

bool view_is_dossier(const struct view *v)
{
	return v->ops == &ops;
}

void view_dossier_show(struct view *view, int64_t attempt)
{
	struct dossier_view *v = dossier_of(view);

	if (load(v, attempt))
		to_begin(v);
}

bool view_dossier_go(struct view *view, const struct subject *s)
{
	struct dossier_view *v = dossier_of(view);

	if (*s->cell)
		return false; /* a cell has no row here */
	if (!s->section && !s->path)
		return true;
	for (size_t i = 0; i < v->d.parts_n; i++) {
		struct part *p = dossier_part(&v->d, i);
		int64_t row = s->line ? dossier_row_of_line(&v->d, i, s->line) : 0;

		if (s->path ? !p->path || strcmp(p->path, s->path) != 0 : p->path || p->kind == SECTION_NONE || strcmp(section_word(p->kind), s->section) != 0)
			continue;
		listbox_select(&v->list.box, &(struct list_key){ { (int64_t)i, row, 0, 0 } });
		return row > 0 || s->line == 0;
	}
	return false;
}
