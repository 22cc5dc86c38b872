/* Lines of code that something else names: a traceback, the list of filters. */
#include <stdlib.h>
#include <string.h>

#include "pager.h"
#include "section_text.h"
#include "traceback.h"

#define LINE_MAX_BYTES 4096

void pager_show_line(struct pager *p, int64_t line)
{
	int64_t begin = lines_begin(p->text.lines, p->text.window, line - 1);
	int64_t end = begin >= 0 ? lines_end(p->text.lines, p->text.window, begin) : -1;

	if (begin < 0)
		return;
	p->hit = (struct range){ begin, MAX(begin + 1, end >= 0 ? end : p->text.size) };
	p->follow = false;
	pager_stand_at(p, begin);
	pager_show_place(p, begin);
	/* a third down, so that what led there is seen */
	for (int i = 0; i < p->height / 3; i++) {
		struct text_row before;
		if (!rows_before(pager_rows(p), &p->top, &before))
			break;
		p->top = before;
	}
	pager_settle(p);
}

void pager_set_stops(struct view *v, const int64_t *lines, size_t n)
{
	struct pager *p = pager_of(v);

	free(p->stops);
	p->stops = xcalloc(n + 1, sizeof(*p->stops));
	if (n > 0)
		memcpy(p->stops, lines, n * sizeof(*lines));
	p->stops_n = n;
}

void pager_find_stops(struct pager *p)
{
	struct py_filters found = { 0 };
	struct buf code = { 0 };

	section_find_filters(p->view.ui->query, p->attempt, &code, &found);
	p->stops = xcalloc(found.n + 1, sizeof(*p->stops));
	p->stops_n = 0;
	for (size_t i = 0; i < found.n; i++)
		if (p->stops_n == 0 || p->stops[p->stops_n - 1] != found.at[i].line)
			p->stops[p->stops_n++] = found.at[i].line;
	pyfilter_free(&found);
	buf_free(&code);
}

unsigned pager_go_stop(struct pager *p, int dir)
{
	int64_t at = p->hit.start >= 0 ? p->hit.start : p->empty ? 0 : p->top.start;
	int64_t line = lines_number(p->text.lines, p->text.window, at) + 1;

	for (size_t i = 0; i < p->stops_n; i++) {
		size_t k = dir > 0 ? i : p->stops_n - 1 - i;

		if (dir > 0 ? p->stops[k] > line : p->stops[k] < line) {
			pager_show_line(p, p->stops[k]);
			return TURN_DRAW;
		}
	}
	ui_notice(p->view.ui, dir > 0 ? "this is the last filter" : "this is the first filter");
	return TURN_DRAW;
}

/* The last frame among the rows on the screen, else the last of the whole stderr. */
static int64_t frame_here(struct pager *p, const struct detail *d)
{
	struct text_row row = p->top, next;
	int64_t line = 0, found;

	for (int i = 0; i < p->height && !p->empty; i++) {
		int64_t end = row.end >= 0 ? row.end : p->text.size;
		size_t got;
		const char *bytes = window_at(p->text.window, row.start, (size_t)MIN(end - row.start, LINE_MAX_BYTES), &got);

		found = bytes ? traceback_line(d, bytes, (size_t)MIN((int64_t)got, end - row.start)) : 0;
		line = found ? found : line;
		if (!rows_next(pager_rows(p), &row, &next))
			break;
		row = next;
	}
	return line || p->kind == SECTION_STDOUT ? line : traceback_last(p->view.ui->source, d);
}

static int64_t filter_here(struct pager *p)
{
	int64_t at = p->hit.start >= 0 && pager_is_visible(p, p->hit.start) ? p->hit.start : p->top.start;
	int64_t begin = lines_start(p->text.lines, p->text.window, at);
	size_t got;
	const char *bytes = begin >= 0 ? window_at(p->text.window, begin, 32, &got) : NULL;

	return bytes ? section_filter_line(bytes, MIN(got, (size_t)32)) : 0;
}

unsigned pager_link(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);
	struct pager_spec spec = { .attempt = p->attempt, .section = SECTION_CODE, .filters = p->kind == SECTION_FILTERS };
	struct detail d = { 0 };
	struct err e = { 0 };
	struct view *code;

	if (p->kind == SECTION_FILTERS)
		spec.line = p->empty ? 0 : filter_here(p);
	else if (section_is_stream(p->kind) && query_detail(v->ui->query, p->attempt, &d, &e))
		spec.line = frame_here(p, &d);
	query_detail_free(&d);
	if (spec.line == 0)
		return pager_toggle_states(v, arg);
	code = view_pager_new(v->ui, &spec, &e);
	if (code)
		ui_push(v->ui, code);
	else
		ui_error(v->ui, "%s", e.msg);
	return TURN_DRAW;
}
