/*
 * The three panes and how they share the screen: side by side where there is room, one at a time
 * where there is not. Keys that the panes do not share go to the one that has the focus.
 */
#include <stdlib.h>
#include <string.h>

#include "pane.h"
#include "turns.h"
#include "text.h"

#define THREE_COLS 72 /* from here on all three are shown */
#define THREE_ROWS 16
#define LEFT_MIN 22
#define LEFT_MAX 26

struct panes {
	struct view view;
	struct view *pane[PANE_COUNT];
	struct rect frame[PANE_COUNT]; /* of the last draw; w 0: not shown */
	enum pane_id focus;
	bool maximised;
};

static const struct view_ops ops;

static struct panes *panes_of(struct view *v)
{
	return (struct panes *)v;
}

struct section_context pane_sections(const struct ui *ui)
{
	return (struct section_context){ ui->source, ui->query, ui->ws, ui->loads, ui->since };
}

void pane_frame(struct canvas *c, struct rect r, const char *title, bool focused)
{
	struct pen pen = PEN(focused ? ROLE_FOCUS : ROLE_BORDER);
	int used;

	canvas_box(c, r, pen);
	if (r.w < 8)
		return;
	canvas_text(c, r, r.x + 1, r.y, pen, " ");
	used = canvas_fit(c, r, r.x + 2, r.y, r.w - 5, focused ? PEN(ROLE_TITLE) : pen, title);
	canvas_text(c, r, r.x + 2 + used, r.y, pen, focused ? "*" : " ");
}

enum role outcome_role(enum outcome o)
{
	static const uint8_t roles[OUTCOME_COUNT] = {
		[OUTCOME_QUEUED] = ROLE_BUSY, [OUTCOME_RUNNING] = ROLE_BUSY, [OUTCOME_OK] = ROLE_GOOD,
		[OUTCOME_ERROR] = ROLE_BAD, [OUTCOME_LIMIT] = ROLE_WARN, [OUTCOME_REFUSED] = ROLE_WARN,
		[OUTCOME_STOPPED] = ROLE_WARN, [OUTCOME_FAULT] = ROLE_BAD, [OUTCOME_INTERRUPTED] = ROLE_WARN,
	};

	return (enum role)roles[o < OUTCOME_COUNT ? o : 0];
}

enum role judgement_role(enum judgement j)
{
	return j == JUDGED_ACCEPTED ? ROLE_GOOD : j == JUDGED_QUESTIONED ? ROLE_WARN : j == JUDGED_REJECTED ? ROLE_BAD : ROLE_DIM;
}

int pane_draw_mark(struct canvas *c, struct rect r, int x, int y, enum judgement j, enum judgement stale,
                   const char *reviewer)
{
	const char *glyph = judgement_glyph(j);
	char text[64];

	if (!*glyph && !*judgement_glyph(stale))
		return x;
	if (!*glyph)
		snprintf(text, sizeof(text), r.w >= 60 ? "(%s) stale " : "(%s) ", judgement_glyph(stale));
	else
		snprintf(text, sizeof(text), r.w >= 60 && reviewer ? "%s %.*s " : "%s ", glyph, 10, reviewer ? reviewer : "");
	if (!utf8_valid(text, strlen(text))) /* a name cut inside a letter */
		snprintf(text, sizeof(text), "%s ", glyph);
	x -= canvas_measure(c, text);
	canvas_text(c, r, x, y, PEN(*glyph ? judgement_role(j) : ROLE_DIM), text);
	return x;
}

static struct view *focused(struct panes *p)
{
	return p->pane[p->focus];
}

/* ---- layout --------------------------------------------------------------------------------------------- */

static void lay_out(struct panes *p, struct rect r)
{
	int left = MIN(LEFT_MAX, MAX(LEFT_MIN, r.w / 4)), top = r.h / 2;

	memset(p->frame, 0, sizeof(p->frame));
	if (p->maximised || r.w < THREE_COLS || r.h + 2 < THREE_ROWS) {
		p->frame[p->focus] = r;
		return;
	}
	p->frame[PANE_WORKSPACE] = (struct rect){ r.x, r.y, left, top };
	p->frame[PANE_ARTIFACTS] = (struct rect){ r.x, r.y + top, left, r.h - top };
	p->frame[PANE_EXECUTION] = (struct rect){ r.x + left, r.y, r.w - left, r.h };
}

static void panes_draw(struct view *v, struct canvas *c, struct rect r)
{
	struct panes *p = panes_of(v);

	lay_out(p, r);
	for (int i = 0; i < PANE_COUNT; i++) {
		struct view *pane = p->pane[i];
		struct buf left = { 0 }, right = { 0 };
		if (p->frame[i].w == 0)
			continue;
		buf_addf(&left, "%d %s", i + 1, pane->ops->name);
		if (pane->ops->title)
			pane->ops->title(pane, &left, &right);
		listview_filter_brief(pane->ops->list(pane), &left);
		pane_frame(c, p->frame[i], left.data, i == (int)p->focus);
		pane->area = rect_inner(p->frame[i]);
		pane->unfocused = i != (int)p->focus;
		if (pane->area.w > 0 && pane->area.h > 0)
			pane->ops->draw(pane, c, pane->area);
		buf_free(&left);
		buf_free(&right);
	}
}

static void add_tally(struct ui *ui, struct buf *out, const char *name, const char *one, const char *many)
{
	int64_t n = query_tally(ui->query, name);

	buf_addf(out, "%s%lld %s", out->len ? " · " : "", (long long)n, n == 1 ? one : many);
}

/* How far the review is: what was said, and what is left. */
static void add_review(struct ui *ui, struct buf *out)
{
	static const enum judgement judgements[] = { JUDGED_ACCEPTED, JUDGED_QUESTIONED, JUDGED_REJECTED };
	int64_t left = query_tally(ui->query, "to review");

	for (size_t i = 0; i < ARRAY_LEN(judgements); i++) {
		int64_t n = query_tally(ui->query, judgement_word(judgements[i]));

		if (n > 0)
			buf_addf(out, "  %s %lld", judgement_glyph(judgements[i]), (long long)n);
	}
	if (left > 0)
		buf_addf(out, "  %lld to review", (long long)left);
	if (*judgement_glyph(ui->opinion.judgement))
		buf_adds(out, " · record ");
	review_opinion_brief(&ui->opinion, out);
}

static void panes_title(struct view *v, struct buf *left, struct buf *right)
{
	struct ui *ui = v->ui;
	struct buf counts = { 0 };

	bool review = ui->ws && workspace_is_review(ui->ws);
	buf_adds(left, path_base(ui->evidence || review ? ui->record : ui->root));
	if (ui->evidence || review)
		buf_adds(left, review ? " (review)" : " (evidence)");
	add_tally(ui, &counts, "steps", "step", "steps");
	add_tally(ui, &counts, "attempts", "attempt", "attempts");
	if (ui->running > 0)
		buf_addf(&counts, " · %lld running", (long long)ui->running);
	if (turns_waiting(ui) > 0)
		buf_addf(&counts, " · %zu waiting", turns_waiting(ui));
	add_review(ui, &counts);
	buf_addf(left, "   %s", counts.data);
	buf_free(&counts);
	buf_adds(right, ui->sandbox);
}

/* ---- keys ------------------------------------------------------------------------------------------------ */

unsigned view_panes_focus(struct view *v, enum pane_id pane)
{
	panes_of(v)->focus = pane;
	return TURN_DRAW;
}

void view_panes_select(struct view *v, int64_t attempt, bool unfold)
{
	pane_execution_select(panes_of(v)->pane[PANE_EXECUTION], attempt, unfold);
}

void view_panes_goto(struct view *v, int64_t step)
{
	panes_of(v)->focus = PANE_EXECUTION;
	pane_execution_goto(panes_of(v)->pane[PANE_EXECUTION], step);
}

void view_panes_visit(struct view *v, struct buf *out)
{
	if (v->ops == &ops)
		pane_execution_visit(panes_of(v)->pane[PANE_EXECUTION], out);
}

void view_panes_revisit(struct view *v, const char *line)
{
	if (v->ops == &ops)
		pane_execution_revisit(panes_of(v)->pane[PANE_EXECUTION], line);
}

/* Tab goes in the order of the numbers. */
static unsigned next_pane(struct view *v, const char *arg)
{
	struct panes *p = panes_of(v);

	(void)arg;
	p->focus = (p->focus + 1) % PANE_COUNT;
	return TURN_DRAW;
}

static unsigned prev_pane(struct view *v, const char *arg)
{
	struct panes *p = panes_of(v);

	(void)arg;
	p->focus = (p->focus + PANE_COUNT - 1) % PANE_COUNT;
	return TURN_DRAW;
}

static unsigned maximise(struct view *v, const char *arg)
{
	struct panes *p = panes_of(v);

	(void)arg;
	p->maximised = !p->maximised;
	return TURN_DRAW;
}

static unsigned panes_command(struct view *v, enum command id, const char *arg)
{
	return view_action(focused(panes_of(v)), id, arg);
}

static unsigned panes_mouse(struct view *v, const struct event *ev)
{
	struct panes *p = panes_of(v);

	for (int i = 0; i < PANE_COUNT; i++) {
		if (!rect_has(p->frame[i], ev->x, ev->y))
			continue;
		unsigned mask = TURN_NOTHING;
		if (ev->action == MOUSE_PRESS && (int)p->focus != i) {
			p->focus = (enum pane_id)i;
			mask = TURN_DRAW;
		}
		return mask | view_mouse(p->pane[i], ev);
	}
	return TURN_NOTHING;
}

/* ---- the rest goes to all or to the focused one -------------------------------------------------------------- */

static unsigned panes_changed(struct view *v, int64_t attempt)
{
	struct panes *p = panes_of(v);
	unsigned mask = TURN_DRAW;

	for (int i = 0; i < PANE_COUNT; i++)
		if (p->pane[i]->ops->changed)
			mask |= p->pane[i]->ops->changed(p->pane[i], attempt);
	return mask;
}

static unsigned panes_tick(struct view *v)
{
	return view_tick(panes_of(v)->pane[PANE_EXECUTION]);
}

static unsigned panes_idle(struct view *v, bool *more)
{
	struct panes *p = panes_of(v);
	unsigned mask = TURN_NOTHING;

	for (int i = 0; i < PANE_COUNT; i++)
		mask |= view_idle(p->pane[i], more);
	return mask;
}

static bool panes_subject(struct view *v, struct subject *out)
{
	struct view *pane = focused(panes_of(v));

	return pane->ops->subject && pane->ops->subject(pane, out);
}

static void panes_search(struct view *v, const char *pattern)
{
	view_search(focused(panes_of(v)), pattern);
}

static void panes_free(struct view *v)
{
	struct panes *p = panes_of(v);

	for (int i = 0; i < PANE_COUNT; i++)
		p->pane[i]->ops->free(p->pane[i]);
	free(p);
}

static const struct view_action actions[] = {
	{ CMD_NEXT_PANE, next_pane }, { CMD_PREV_PANE, prev_pane }, { CMD_MAXIMISE, maximise }, { CMD_NONE, NULL },
};

static const struct view_hint hints[] = {
	{ CMD_OPEN, "open" }, { CMD_HELP, "help" }, { CMD_REPEAT, "repeat" }, { CMD_RERUN, "rerun" }, { CMD_EDIT, "edit" },
	{ CMD_ADD, "add" }, { CMD_MARK, "mark" }, { CMD_STOP, "stop" }, { CMD_SEARCH, "search" }, { CMD_NEXT_PANE, "pane" },
	{ CMD_BACK, "quit" }, { CMD_NONE, NULL },
};

static const struct view_ops ops = {
	.name = "Panes", .place = PLACE_LIST, .actions = actions, .command = panes_command, .hints = hints,
	.draw = panes_draw, .title = panes_title, .mouse = panes_mouse, .changed = panes_changed, .tick = panes_tick,
	.idle = panes_idle, .subject = panes_subject, .search = panes_search, .free = panes_free,
};

struct view *view_panes_new(struct ui *ui)
{
	struct panes *p = xcalloc(1, sizeof(*p));

	p->view = (struct view){ .ops = &ops, .ui = ui };
	p->focus = PANE_EXECUTION;
	p->pane[PANE_WORKSPACE] = pane_workspace_new(ui);
	p->pane[PANE_EXECUTION] = pane_execution_new(ui);
	p->pane[PANE_ARTIFACTS] = pane_artifacts_new(ui);
	return &p->view;
}
