/* Where the pager stands, the keys that move it, and the ways of showing lines. */
#include <stdlib.h>
#include <string.h>

#include "pager.h"

#define SIDE_STEP 8 /* cells that Left and Right scroll */

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

void pager_recut(struct pager *p)
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
		pager_recut(p);
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

/* ---- moving ------------------------------------------------------------------------------------------------------ */

static void keep_mark_visible(struct pager *p)
{
	if (!pager_is_visible(p, p->mark.start))
		pager_show_place(p, p->mark.start);
}

void pager_scroll(struct pager *p, int rows)
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

static unsigned move_by(struct pager *p, enum command id)
{
	int page = MAX(1, p->height), half = MAX(1, p->height / 2);

	p->goto_line = -1;
	if (id != CMD_DOWN && id != CMD_PAGE_DOWN && id != CMD_HALF_DOWN)
		p->follow = false;
	switch (id) {
	case CMD_DOWN:
		pager_scroll(p, 1);
		break;
	case CMD_UP:
		pager_scroll(p, -1);
		break;
	case CMD_PAGE_DOWN:
		pager_scroll(p, page);
		break;
	case CMD_PAGE_UP:
		pager_scroll(p, -page);
		break;
	case CMD_HALF_DOWN:
		pager_scroll(p, half);
		break;
	case CMD_HALF_UP:
		pager_scroll(p, -half);
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

unsigned pager_command(struct view *v, enum command id, const char *arg)
{
	(void)arg;
	return move_by(pager_of(v), id);
}

unsigned pager_side_right(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);

	(void)arg;
	if (pager_rows(p)->wrap)
		ui_notice(v->ui, "lines are wrapped; w scrolls them sideways instead");
	else
		p->side += SIDE_STEP;
	return TURN_DRAW;
}

unsigned pager_side_left(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);

	(void)arg;
	p->side = MAX(0, p->side - SIDE_STEP);
	return TURN_DRAW;
}

unsigned pager_toggle_wrap(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);

	(void)arg;
	pager_rows(p)->wrap = !pager_rows(p)->wrap;
	p->side = 0;
	pager_recut(p);
	pager_settle(p);
	return TURN_DRAW;
}

unsigned pager_toggle_states(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);

	(void)arg;
	pager_rows(p)->states = !pager_rows(p)->states;
	pager_recut(p);
	pager_settle(p);
	ui_notice(v->ui, pager_rows(p)->states ? "every earlier state of lines that were drawn again is shown"
	                                    : "the last state of each line is shown");
	return TURN_DRAW;
}

unsigned pager_toggle_numbers(struct view *v, const char *arg)
{
	(void)arg;
	pager_of(v)->numbers = !pager_of(v)->numbers;
	return TURN_DRAW;
}

unsigned pager_toggle_times(struct view *v, const char *arg)
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

unsigned pager_toggle_follow(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);

	(void)arg;
	p->follow = !p->follow;
	if (p->follow)
		pager_go_last(p);
	return TURN_DRAW;
}
