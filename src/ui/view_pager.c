/*
 * The pager: one section, artifact or text, full screen, of any size. It stands at a row and asks for
 * those below; the index of lines, a long search and a far jump go on in slices while no key waits.
 */
#include <stdlib.h>
#include <string.h>

#include "look.h"
#include "pager.h"
#include "text.h"

#define FEED_SLICE ((int64_t)2 << 20) /* bytes indexed per turn */
#define SIDE_STEP 8                   /* cells that Left and Right scroll */
#define TIME_COLS 9

/* ---- where it stands ------------------------------------------------------------------------------------- */

void pager_stand_at(struct pager *p, int64_t pos)
{
	p->empty = !rows_at(pager_rows(p), MAX(0, pos), &p->top);
}

/* The empty row behind the last line end is none. */
bool pager_is_tail(const struct pager *p, const struct text_row *row)
{
	return row->start >= p->text.size && row->start > 0;
}

/* The rows of the last page; returns how many. */
static size_t last_page(struct pager *p, struct text_row *out)
{
	size_t want = (size_t)MIN(MAX(1, p->height), ROWS_MAX - 1);
	size_t n = rows_back(pager_rows(p), NULL, out, want + 1);

	if (n > 0 && pager_is_tail(p, &out[n - 1]))
		n--;
	if (n > want) {
		memmove(out, out + (n - want), want * sizeof(*out));
		n = want;
	}
	return n;
}

void pager_go_last(struct pager *p)
{
	struct text_row page[ROWS_MAX];
	size_t n = last_page(p, page);

	p->empty = n == 0;
	if (n > 0)
		p->top = page[0];
}

/* No empty space below while there are rows above. */
void pager_settle(struct pager *p)
{
	struct text_row row = p->top, next;
	int n = 1;

	if (p->empty)
		return;
	while (n < p->height && rows_next(pager_rows(p), &row, &next) && !pager_is_tail(p, &next)) {
		row = next;
		n++;
	}
	if (n < p->height)
		pager_go_last(p);
}

static void move_down(struct pager *p, int n)
{
	struct text_row next;

	for (int i = 0; i < n && rows_next(pager_rows(p), &p->top, &next); i++)
		p->top = next;
	pager_settle(p);
}

static void move_up(struct pager *p, int n)
{
	struct text_row rows[ROWS_MAX];
	size_t got = rows_back(pager_rows(p), &p->top, rows, (size_t)MIN(n, ROWS_MAX));

	if (got > 0)
		p->top = rows[0];
}

/* After the cutting of rows changed. */
static void recut(struct pager *p)
{
	rows_forget(pager_rows(p));
	pager_stand_at(p, p->empty ? 0 : p->top.start);
	if (p->selecting) {
		rows_at(pager_rows(p), p->anchor.start, &p->anchor);
		rows_at(pager_rows(p), p->mark.start, &p->mark);
	}
}

/* Whether a byte is on the screen now; *below: how many rows down. */
bool pager_is_visible(struct pager *p, int64_t pos)
{
	struct text_row row = p->top, next;

	for (int i = 0; i < p->height; i++) {
		if (pos >= row.start && (row.end < 0 || pos < row.end || (pos == row.end && row.last)))
			return true;
		if (!rows_next(pager_rows(p), &row, &next))
			return false;
		row = next;
	}
	return false;
}

/* Brings a place into view, a third down from the top, and sideways as far as needed. */
void pager_show_place(struct pager *p, int64_t pos)
{
	struct text_row row;
	int64_t col;

	if (!rows_at(pager_rows(p), pos, &row))
		return;
	if (pos < row.start || (row.end >= 0 && pos > row.end)) { /* in a state that is not shown */
		pager_rows(p)->states = true;
		recut(p);
		if (!rows_at(pager_rows(p), pos, &row))
			return;
	}
	if (!pager_is_visible(p, pos)) {
		p->top = row;
		move_up(p, p->height / 3);
		pager_settle(p);
	}
	if (pager_rows(p)->wrap)
		return;
	col = rows_col(pager_rows(p), &row, pos);
	if (col >= 0 && (col < p->side || col >= p->side + p->cols))
		p->side = MAX(0, col - p->cols / 2);
}

/* ---- drawing -------------------------------------------------------------------------------------------------- */

static int number_cols(const struct pager *p)
{
	int64_t n = lines_count(p->text.lines);
	int cols = 4;

	for (int64_t limit = 10000; n >= limit && cols < 12; limit *= 10)
		cols++;
	return cols;
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
		if (n >= 0)
			canvas_textf(c, r, x, y, PEN(ROLE_NUMBER), "%*lld", number_cols(p), (long long)n + 1);
		else
			canvas_textf(c, r, x, y, PEN(ROLE_NUMBER), "%*s", number_cols(p), "?");
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
		recut(p);
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
	char size[UNIT_TEXT];

	buf_adds(left, p->title);
	size_format(p->text.size, size);
	if (p->stops_n)
		buf_addf(left, " · . next of %zu filter%s", p->stops_n, p->stops_n == 1 ? "" : "s");
	if (p->hunt.on)
		buf_adds(right, "searching … ");
	if (p->follow)
		buf_adds(right, "following ");
	if (pager_rows(p)->wrap)
		buf_adds(right, "wrap ");
	if (p->side > 0 && !pager_rows(p)->wrap)
		buf_addf(right, "col %lld ", (long long)p->side + 1);
	if (line >= 0 && indexed) {
		buf_addf(right, "line %lld of %lld  ", (long long)line + 1, (long long)lines_count(p->text.lines));
	} else if (line >= 0) {
		buf_addf(right, "line %lld  ", (long long)line + 1);
	}
	buf_addf(right, "%s%s%s", size, p->text.size < 1000 ? " bytes" : "", p->text.whole ? "" : " so far");
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

static void keep_mark_visible(struct pager *p)
{
	if (!pager_is_visible(p, p->mark.start))
		pager_show_place(p, p->mark.start);
}

/* While selecting, the mark moves; else the text. */
static void move(struct pager *p, int rows)
{
	struct text_row next;

	if (p->empty)
		return;
	if (!p->selecting) {
		if (rows > 0)
			move_down(p, rows);
		else
			move_up(p, -rows);
		return;
	}
	for (int i = 0; i < abs(rows); i++) {
		if (!(rows > 0 ? rows_next(pager_rows(p), &p->mark, &next) && !pager_is_tail(p, &next)
		               : rows_before(pager_rows(p), &p->mark, &next)))
			break;
		p->mark = next;
	}
	keep_mark_visible(p);
}

static unsigned pager_move(struct pager *p, enum command id)
{
	int page = MAX(1, p->height), half = MAX(1, p->height / 2);

	p->goto_line = -1;
	if (id != CMD_DOWN && id != CMD_PAGE_DOWN && id != CMD_HALF_DOWN)
		p->follow = false;
	switch (id) {
	case CMD_DOWN:
		move(p, 1);
		break;
	case CMD_UP:
		move(p, -1);
		break;
	case CMD_PAGE_DOWN:
		move(p, page);
		break;
	case CMD_PAGE_UP:
		move(p, -page);
		break;
	case CMD_HALF_DOWN:
		move(p, half);
		break;
	case CMD_HALF_UP:
		move(p, -half);
		break;
	case CMD_FIRST:
		pager_stand_at(p, 0);
		break;
	case CMD_LAST:
		pager_go_last(p);
		break;
	default:
		return TURN_UNHANDLED;
	}
	return TURN_DRAW;
}

static unsigned pager_command(struct view *v, enum command id, const char *arg)
{
	(void)arg;
	return pager_move(pager_of(v), id);
}

static unsigned side_right(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);

	(void)arg;
	if (pager_rows(p)->wrap)
		ui_notice(v->ui, "lines are wrapped; w scrolls them sideways instead");
	else
		p->side += SIDE_STEP;
	return TURN_DRAW;
}

static unsigned side_left(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);

	(void)arg;
	p->side = MAX(0, p->side - SIDE_STEP);
	return TURN_DRAW;
}

static unsigned toggle_wrap(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);

	(void)arg;
	pager_rows(p)->wrap = !pager_rows(p)->wrap;
	p->side = 0;
	recut(p);
	pager_settle(p);
	return TURN_DRAW;
}

unsigned pager_toggle_states(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);

	(void)arg;
	pager_rows(p)->states = !pager_rows(p)->states;
	recut(p);
	pager_settle(p);
	ui_notice(v->ui, pager_rows(p)->states ? "every earlier state of lines that were drawn again is shown"
	                                    : "the last state of each line is shown");
	return TURN_DRAW;
}

static unsigned toggle_numbers(struct view *v, const char *arg)
{
	(void)arg;
	pager_of(v)->numbers = !pager_of(v)->numbers;
	return TURN_DRAW;
}

static unsigned toggle_times(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);

	(void)arg;
	if (!section_is_stream(p->kind)) {
		ui_notice(v->ui, "only streams have times");
		return TURN_DRAW;
	}
	p->times = !p->times;
	return TURN_DRAW;
}

static unsigned toggle_follow(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);

	(void)arg;
	p->follow = !p->follow;
	if (p->follow)
		pager_go_last(p);
	return TURN_DRAW;
}

/* ---- news, idle time, the rest ---------------------------------------------------------------------------------------------------- */

static unsigned pager_changed(struct view *v, int64_t attempt)
{
	struct pager *p = pager_of(v);
	struct err e = { 0 };
	bool changed;

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
	if (p->path) {
		out->path = xstrdup(p->path);
		out->artifact = true;
	}
	return true;
}

static unsigned pager_mouse(struct view *v, const struct event *ev)
{
	struct pager *p = pager_of(v);

	if (ev->action == MOUSE_WHEEL_UP || ev->action == MOUSE_WHEEL_DOWN) {
		p->follow = false;
		move(p, ev->action == MOUSE_WHEEL_UP ? -3 : 3);
		return TURN_DRAW;
	}
	return TURN_NOTHING;
}

static void unload(struct pager *p)
{
	text_close(&p->text);
	py_cache_free(&p->py);
	free(p->title);
	free(p->path);
	free(p->stops);
	p->stops = NULL;
	p->stops_n = 0;
	p->title = p->path = NULL;
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
	struct section_context context = { ui->source, ui->query, ui->ws };
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
		char *title = make_title(spec, &d), *path = spec->path ? xstrdup(spec->path) : NULL;
		unload(p);
		p->title = title;
		p->path = path;
		p->text = text;
		p->text.rows.wrap = wrap;
		p->text.rows.cols = MAX(1, p->cols);
		p->kind = spec->python ? SECTION_CODE : (enum section_kind)spec->section;
		p->attempt = spec->attempt;
		p->step = d.step.number;
		memcpy(p->ref, d.ref, sizeof(p->ref));
		p->sha256 = spec->sha256;
		p->look = spec->look;
		p->encoding = spec->encoding;
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
	{ CMD_SIDE_RIGHT, side_right }, { CMD_SIDE_LEFT, side_left }, { CMD_WRAP, toggle_wrap }, { CMD_LINK, pager_link },
	{ CMD_NUMBERS, toggle_numbers }, { CMD_TIMES, toggle_times }, { CMD_FOLLOW, toggle_follow }, { CMD_GOTO, pager_goto },
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

static const struct view_ops ops = {
	.name = "Pager", .place = PLACE_PAGER, .actions = actions, .command = pager_command, .hints = hints,
	.draw = pager_draw, .title = pager_title, .mouse = pager_mouse, .changed = pager_changed, .idle = pager_idle,
	.subject = pager_subject, .search = pager_search, .free = pager_free,
};

struct view *view_pager_new(struct ui *ui, const struct pager_spec *spec, struct err *e)
{
	struct view *other = look_open(ui, spec, e);
	struct pager *p;

	if (other)
		return other;
	p = xcalloc(1, sizeof(*p));
	p->view = (struct view){ .ops = &ops, .ui = ui };
	p->height = MAX(1, ui->rows - 2);
	p->cols = MAX(1, ui->cols);
	p->text.rows.wrap = true;
	if (pager_load(p, spec, e))
		return &p->view;
	free(p);
	return NULL;
}
