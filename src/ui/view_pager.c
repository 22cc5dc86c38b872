/*
 * The pager: one section, artifact or text, full screen, of any size. It stands at a row and asks for
 * those below; the index of lines, a long search and a far jump go on in slices while no key waits.
 */
#include <stdlib.h>
#include <string.h>

#include "look.h"
#include "pager.h"
#include "section_text.h"
#include "text.h"

#define FEED_SLICE ((int64_t)512 << 10) /* bytes indexed per turn */
#define TIME_COLS 9

/* ---- drawing -------------------------------------------------------------------------------------------------- */

static int number_cols(const struct pager *p)
{
	int64_t n = lines_count(p->text.lines);
	int cols = 4;

	for (int64_t limit = 10000; n >= limit && cols < 12; limit *= 10)
		cols++;
	return cols + (source_gap(p->text.source) >= 0);
}

bool pager_is_behind_gap(const struct pager *p, int64_t pos)
{
	int64_t gap = source_gap(p->text.source);

	return gap >= 0 && pos >= gap;
}

static int margin_cols(const struct pager *p, int w)
{
	int cols = (p->numbers ? number_cols(p) + 1 : 0) + (p->times ? TIME_COLS + 1 : 0);

	return cols < w / 2 ? cols : 0;
}

static void draw_margin(struct pager *p, struct canvas *c, struct rect r, int y, const struct text_row *row)
{
	int x = r.x;

	if (p->times) {
		struct source_origin origin;
		char text[UNIT_TEXT] = "";
		if (row->first && source_origin(p->text.source, row->start, &origin) && origin.stream)
			duration_format(origin.offset_us, text);
		canvas_textf(c, r, x, y, PEN(ROLE_NUMBER), "%*s", TIME_COLS, text);
		x += TIME_COLS + 1;
	}
	if (p->numbers && row->first) {
		int64_t n = row->line >= 0 ? lines_number(p->text.lines, p->text.window, row->line) : -1;
		char text[UNIT_TEXT] = "?";
		if (n >= 0)
			snprintf(text, sizeof(text), "%s%lld", pager_is_behind_gap(p, row->start) ? "~" : "", (long long)n + 1);
		canvas_textf(c, r, x, y, PEN(ROLE_NUMBER), "%*s", number_cols(p), text);
	}
}

struct range pager_chosen(const struct pager *p)
{
	const struct text_row *a = &p->anchor, *b = &p->mark;

	if (!p->selecting)
		return (struct range){ -1, -1 };
	if (a->start > b->start) {
		a = &p->mark;
		b = &p->anchor;
	}
	return (struct range){ a->start, b->next >= 0 ? b->next : p->text.size };
}

static void pager_draw(struct view *v, struct canvas *c, struct rect r)
{
	struct pager *p = pager_of(v);
	int margin = margin_cols(p, r.w), y = r.y;
	struct text_paint paint = { .text = &p->text, .kind = p->kind, .py = &p->py, .search = p->search,
		.current = p->hit, .chosen = pager_chosen(p) };
	struct text_row row, next;

	if (p->height != r.h || p->cols != r.w - margin) {
		p->height = r.h;
		p->cols = MAX(1, r.w - margin);
		pager_rows(p)->cols = p->cols;
		pager_recut(p);
		if (p->follow)
			pager_go_last(p);
		pager_settle(p);
	}
	p->again = false;
	if (p->empty) {
		canvas_text(c, r, r.x + 1, r.y, PEN(ROLE_DIM), p->text.whole ? "empty" : "nothing yet");
		return;
	}
	row = p->top;
	for (; y < r.y + r.h; y++) {
		if (margin)
			draw_margin(p, c, r, y, &row);
		if (!text_paint_row(&paint, c, r, r.x + margin, y, r.w - margin, &row, pager_rows(p)->wrap ? 0 : p->side,
		                    PEN(ROLE_NORMAL)))
			p->again = true;
		if (p->selecting && row.start == p->mark.start) {
			canvas_flag(c, (struct rect){ r.x, y, r.w, 1 }, PEN_SELECTED);
			canvas_cursor(c, r.x, y);
		}
		if (!rows_next(pager_rows(p), &row, &next) || pager_is_tail(p, &next))
			break;
		row = next;
	}
}

static void pager_title(struct view *v, struct buf *left, struct buf *right)
{
	struct pager *p = pager_of(v);
	int64_t line = p->empty || p->top.line < 0 ? -1 : lines_number(p->text.lines, p->text.window, p->top.line);
	bool indexed = lines_fed(p->text.lines) >= p->text.size;
	const char *about = line >= 0 && pager_is_behind_gap(p, p->top.line) ? "~" : "";
	bool gap = source_gap(p->text.source) >= 0;

	buf_adds(left, p->title);
	if (p->stops_n)
		buf_addf(left, " · . next of %zu %s%s", p->stops_n, p->place.path ? "part" : "filter", p->stops_n == 1 ? "" : "s");
	if (p->hunt.on)
		buf_adds(right, "searching … ");
	if (p->follow)
		buf_adds(right, "following ");
	if (pager_rows(p)->wrap)
		buf_adds(right, "wrap ");
	if (p->side > 0 && !pager_rows(p)->wrap)
		buf_addf(right, "col %lld ", (long long)p->side + 1);
	if (line >= 0 && indexed) {
		buf_addf(right, "line %s%lld of %lld%s  ", about, (long long)line + 1, (long long)lines_count(p->text.lines), gap ? " kept" : "");
	} else if (line >= 0) {
		buf_addf(right, "line %s%lld  ", about, (long long)line + 1);
	}
	if (p->made) /* its size would be taken for the file's */
		return;
	section_add_size(right, p->text.size);
	if (!p->text.whole)
		buf_adds(right, " so far");
}

/* ---- news, idle time, the rest ---------------------------------------------------------------------------------------------------- */

/* Inputs, of which it is known now whether they changed: the same lines, longer or shorter. */
static unsigned write_again(struct pager *p)
{
	struct pager_spec spec = { .attempt = p->attempt, .section = (int)p->kind };
	int64_t line = p->empty || p->top.line < 0 ? 0 : lines_number(p->text.lines, p->text.window, p->top.line);
	struct err e = { 0 };

	if (!pager_load(p, &spec, &e)) {
		ui_error(p->view.ui, "%s", e.msg);
		return TURN_DRAW;
	}
	p->goto_line = MAX(line, 0);
	(void)pager_try_goto(p);
	return TURN_DRAW;
}

static unsigned pager_changed(struct view *v, int64_t attempt)
{
	struct pager *p = pager_of(v);
	struct err e = { 0 };
	bool changed;

	if (p->kind == SECTION_INPUTS && attempt == p->attempt && !p->selecting)
		return write_again(p);
	if (p->text.whole || (attempt != 0 && attempt != p->attempt))
		return TURN_NOTHING;
	if (!text_update(&p->text, &changed, &e)) {
		ui_error(v->ui, "%s", e.msg);
		return TURN_DRAW;
	}
	if (!changed)
		return TURN_NOTHING;
	if (p->follow)
		pager_go_last(p);
	else if (p->empty)
		pager_stand_at(p, 0);
	return TURN_DRAW;
}

static unsigned pager_idle(struct view *v, bool *more)
{
	struct pager *p = pager_of(v);
	unsigned mask = p->again ? TURN_DRAW : TURN_NOTHING;

	if (p->place.coming)
		return look_waits(v, &p->place);
	if (p->hunt.on) {
		if (pager_hunt(p))
			mask |= TURN_DRAW;
		*more = *more || p->hunt.on;
		return mask;
	}
	if (lines_fed(p->text.lines) < p->text.size) {
		bool done = text_feed(&p->text, FEED_SLICE);
		*more = *more || !done;
		if (done)
			mask |= TURN_DRAW;
		if (p->goto_line >= 0 && pager_try_goto(p))
			mask |= TURN_DRAW;
	}
	*more = *more || p->again;
	return mask;
}

static bool pager_subject(struct view *v, struct subject *out)
{
	struct pager *p = pager_of(v);

	if (p->attempt == 0)
		return false;
	out->attempt = p->attempt;
	out->step = p->step;
	memcpy(out->ref, p->ref, sizeof(out->ref));
	out->check = strchr(p->ref, 'r') != NULL;
	pager_line_subject(p, out);
	if (p->place.path) {
		out->path = xstrdup(p->place.path);
		out->artifact = true;
	}
	return true;
}

static unsigned pager_mouse(struct view *v, const struct event *ev)
{
	struct pager *p = pager_of(v);

	if (ev->action == MOUSE_WHEEL_UP || ev->action == MOUSE_WHEEL_DOWN) {
		p->follow = false;
		pager_scroll(p, ev->action == MOUSE_WHEEL_UP ? -3 : 3);
		return TURN_DRAW;
	}
	return TURN_NOTHING;
}

static void unload(struct pager *p)
{
	text_close(&p->text);
	py_cache_free(&p->py);
	free(p->title);
	file_place_free(&p->place);
	free(p->stops);
	p->stops = NULL;
	p->stops_n = 0;
	p->title = NULL;
}

static void pager_free(struct view *v)
{
	struct pager *p = pager_of(v);

	unload(p);
	search_free(p->search);
	free(p->pattern);
	free(p);
}

/* Opens what the spec names; e tells why it cannot be shown. */
static bool open_text(struct ui *ui, const struct pager_spec *spec, struct text_view *text, struct detail *d, struct err *e)
{
	struct section_context context = pane_sections(ui);
	struct source_spec source = { .kind = SOURCE_BLOB, .sha256 = spec->sha256 };

	if (spec->attempt && !query_detail(ui->query, spec->attempt, d, e))
		return false;
	if (spec->section != SECTION_NONE)
		return section_open(&context, d, (enum section_kind)spec->section, text, e);
	if (spec->text)
		source = (struct source_spec){ .kind = SOURCE_TEXT, .text = spec->text, .text_len = spec->text_len };
	return text_open(ui->source, &source, text, e);
}

static char *make_title(const struct pager_spec *spec, const struct detail *d)
{
	char *name, *title;

	if (spec->title)
		return xstrdup(spec->title);
	if (!spec->path)
		return xasprintf("%s %s", d->ref, section_word((enum section_kind)spec->section));
	name = escape_name_dup(spec->path);
	title = xasprintf("%s %s", d->ref, name);
	free(name);
	return title;
}

bool pager_load(struct pager *p, const struct pager_spec *spec, struct err *e)
{
	struct text_view text;
	struct detail d = { 0 };
	bool wrap = pager_rows(p)->wrap, ok = open_text(p->view.ui, spec, &text, &d, e);

	if (ok) {
		char *title = make_title(spec, &d);
		struct file_place place = file_place_of(spec);
		unload(p);
		p->title = title;
		p->place = place;
		p->made = spec->path && spec->text;
		p->text = text;
		p->text.rows.wrap = wrap;
		p->text.rows.words = spec->look == LOOK_PAGES;
		p->text.rows.cols = MAX(1, p->cols);
		p->kind = spec->python ? SECTION_CODE : (enum section_kind)spec->section;
		p->attempt = spec->attempt;
		p->step = d.step.number;
		memcpy(p->ref, d.ref, sizeof(p->ref));
		p->goto_line = -1;
		p->hit = (struct range){ -1, -1 };
		p->hunt.on = p->selecting = false;
		p->side = 0;
		p->follow = !p->text.whole && section_is_stream(p->kind);
		p->numbers = section_is_code(p->kind);
		text_feed(&p->text, 256 << 10);
		if (spec->pos < 0)
			pager_go_last(p);
		else
			pager_stand_at(p, spec->pos);
		if (spec->pos > 0)
			pager_settle(p);
		if (spec->pattern)
			pager_show_found(p, spec);
		if (spec->filters)
			pager_find_stops(p);
		if (spec->line > 0)
			pager_show_line(p, spec->line);
	}
	query_detail_free(&d);
	return ok;
}

static const struct view_action actions[] = {
	{ CMD_SIDE_RIGHT, pager_side_right }, { CMD_SIDE_LEFT, pager_side_left }, { CMD_WRAP, pager_toggle_wrap }, { CMD_LINK, pager_link },
	{ CMD_NUMBERS, pager_toggle_numbers }, { CMD_TIMES, pager_toggle_times }, { CMD_FOLLOW, pager_toggle_follow }, { CMD_GOTO, pager_goto },
	{ CMD_SEARCH_NEXT, pager_search_next }, { CMD_SEARCH_PREV, pager_search_prev }, { CMD_CANCEL, pager_cancel }, { CMD_ESCAPE, pager_escape },
	{ CMD_SELECT, pager_select }, { CMD_COPY, pager_copy }, { CMD_NEXT_SECTION, pager_next_section },
	{ CMD_PREV_SECTION, pager_prev_section }, { CMD_NEXT_LOOK, pager_next_look }, { CMD_PREV_LOOK, pager_prev_look },
	{ CMD_ENCODING, pager_encoding }, { CMD_NEXT_ATTEMPT, pager_next_attempt }, { CMD_PREV_ATTEMPT, pager_prev_attempt },
	{ CMD_FILTER_LINES, pager_filter_lines }, { CMD_NONE, NULL },
};

static const struct view_hint hints[] = {
	{ CMD_BACK, "back" }, { CMD_SEARCH, "search" }, { CMD_WRAP, "wrap" }, { CMD_NEXT_SECTION, "section" },
	{ CMD_NEXT_LOOK, "streams" }, { CMD_FOLLOW, "follow" }, { CMD_COPY, "copy" }, { CMD_HELP, "help" }, { CMD_NONE, NULL },
};

/* A file has other ways of being looked at than a stream, and no end that comes. */
static const char *hint_word(struct view *v, const struct view_hint *h)
{
	if (!pager_of(v)->place.path)
		return h->word;
	return h->id == CMD_FOLLOW ? NULL : h->id == CMD_NEXT_LOOK ? "text, hex" : h->word;
}

static const struct view_ops ops = {
	.name = "Pager", .place = PLACE_PAGER, .actions = actions, .command = pager_command, .hints = hints, .hint_word = hint_word,
	.draw = pager_draw, .title = pager_title, .mouse = pager_mouse, .changed = pager_changed, .idle = pager_idle,
	.subject = pager_subject, .search = pager_search, .free = pager_free,
};

struct view *pager_plain_new(struct ui *ui, const struct pager_spec *spec, struct err *e)
{
	struct pager *p = xcalloc(1, sizeof(*p));

	p->view = (struct view){ .ops = &ops, .ui = ui };
	p->height = MAX(1, ui->rows - 2);
	p->cols = MAX(1, ui->cols);
	p->text.rows.wrap = true;
	if (pager_load(p, spec, e))
		return &p->view;
	free(p);
	return NULL;
}

struct view *view_pager_new(struct ui *ui, const struct pager_spec *spec, struct err *e)
{
	struct view *other = look_open(ui, spec, e);

	return other ? other : pager_plain_new(ui, spec, e);
}

const struct file_place *pager_place(struct view *v)
{
	return v->ops == &ops && pager_of(v)->place.path ? &pager_of(v)->place : NULL;
}

void pager_set_coming(struct view *v)
{
	pager_of(v)->place.coming = true;
}
