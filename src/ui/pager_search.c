/* Going to a line, and searching: in slices, while no key waits. */
#include <stdlib.h>
#include <string.h>

#include "pager.h"

#define SEARCH_SLICE ((int64_t)1 << 20) /* bytes searched per turn */

/* ---- going to a line or a share --------------------------------------------------------------------------------------- */

bool pager_try_goto(struct pager *p)
{
	int64_t pos = lines_begin(p->text.lines, p->text.window, p->goto_line);

	if (pos < 0) {
		if (lines_fed(p->text.lines) < p->text.size)
			return false;
		ui_notice(p->view.ui, "there are only %lld lines", (long long)lines_count(p->text.lines));
		pager_go_last(p);
	} else {
		pager_stand_at(p, pos);
		pager_settle(p);
	}
	p->goto_line = -1;
	p->side = 0;
	return true;
}

unsigned pager_goto(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);
	char *end;
	long long n = arg ? strtoll(arg, &end, 10) : 0;

	if (!arg || end == arg || n < 0 || (*end && strcmp(end, "%") != 0))
		return TURN_UNHANDLED;
	p->follow = false;
	p->side = 0;
	if (*end == '%') {
		pager_stand_at(p, (int64_t)((double)p->text.size * (double)MIN(n, 100) / 100));
		pager_settle(p);
		return TURN_DRAW;
	}
	p->goto_line = MAX(0, n - 1);
	if (!pager_try_goto(p))
		ui_notice(v->ui, "looking for line %lld …", n);
	return TURN_DRAW;
}

/* ---- searching ------------------------------------------------------------------------------------------------------------ */

static void hunt_start(struct pager *p, bool back)
{
	int64_t from = p->hit.start >= 0 && pager_is_visible(p, p->hit.start) ? p->hit.start + !back : p->empty ? 0 : p->top.start;

	p->hunt = (struct hunt){ .on = true, .back = back, .from = from };
	p->hunt.todo = back ? (struct range){ 0, from } : (struct range){ from, p->text.size };
	p->hunt.until = p->text.size;
}

/* What came to a growing text since the part up to its end was begun, from the begin of its line on; false: nothing did. */
static bool hunt_what_came(struct pager *p)
{
	struct hunt *h = &p->hunt;
	int64_t start;

	if (p->text.size <= h->until || (h->back && !h->wrapped))
		return false;
	start = h->until > 0 ? lines_start(p->text.lines, p->text.window, h->until - 1) : 0;
	h->todo = (struct range){ MAX(h->from, start < 0 ? h->until : start), p->text.size };
	h->until = p->text.size;
	return true;
}

static void hunt_end_without(struct pager *p)
{
	struct ui *ui = p->view.ui;

	p->hunt.on = false;
	if (p->hunt.sum.undecided > 0)
		ui_notice(ui, "'%s' was not found; %lld lines are undecided: the expression is too costly for them", p->pattern,
		          (long long)p->hunt.sum.undecided);
	else
		ui_notice(ui, "'%s' was not found", p->pattern);
}

/* One slice; true when it is over. */
bool pager_hunt(struct pager *p)
{
	struct range hit;
	struct hunt *h = &p->hunt;

	if (search_range(p->search, p->text.window, &h->todo, h->back, SEARCH_SLICE, &hit, &h->sum) == SEARCH_HIT) {
		h->on = false;
		p->hit = hit.end > hit.start ? hit : (struct range){ hit.start, hit.start + 1 };
		if (h->wrapped)
			ui_notice(p->view.ui, h->back ? "search went on from the end" : "search went on from the beginning");
		pager_show_place(p, p->hit.start);
		return true;
	}
	if (h->todo.start < h->todo.end || hunt_what_came(p))
		return false;
	if (h->wrapped) {
		hunt_end_without(p);
		return true;
	}
	h->wrapped = true;
	h->until = p->text.size;
	h->todo = h->back ? (struct range){ h->from, p->text.size } : (struct range){ 0, MIN(h->from, p->text.size) };
	return h->todo.start >= h->todo.end && (hunt_end_without(p), true);
}

/* False: there is nothing to look for. */
static bool take_pattern(struct pager *p, const char *pattern)
{
	struct err e = { 0 };
	size_t at;

	search_free(p->search);
	p->search = NULL;
	free(p->pattern);
	p->pattern = xstrdup(pattern);
	p->hit = (struct range){ -1, -1 };
	p->hunt.on = false;
	if (!*pattern)
		return false;
	p->search = search_compile(pattern, strlen(pattern), 0, &at, &e);
	if (!p->search)
		ui_error(p->view.ui, "%s", e.msg);
	p->follow = p->follow && !p->search;
	return p->search != NULL;
}

void pager_search(struct view *v, const char *pattern)
{
	struct pager *p = pager_of(v);

	if (!take_pattern(p, pattern))
		return;
	hunt_start(p, false);
	pager_hunt(p);
}

void pager_search_from(struct pager *p, const char *pattern, int64_t pos)
{
	if (!take_pattern(p, pattern))
		return;
	p->hunt = (struct hunt){ .on = true, .from = pos, .until = p->text.size, .todo = { pos, p->text.size } };
	pager_hunt(p);
}

static unsigned search_again(struct view *v, bool back)
{
	struct pager *p = pager_of(v);

	if (!p->search) {
		ui_notice(v->ui, "nothing to search for: / begins a search");
		return TURN_DRAW;
	}
	hunt_start(p, back);
	pager_hunt(p);
	return TURN_DRAW;
}

unsigned pager_search_next(struct view *v, const char *arg)
{
	(void)arg;
	return search_again(v, false);
}

unsigned pager_search_prev(struct view *v, const char *arg)
{
	(void)arg;
	return search_again(v, true);
}

unsigned pager_cancel(struct view *v, const char *arg)
{
	struct pager *p = pager_of(v);

	(void)arg;
	if (!p->hunt.on && p->goto_line < 0)
		return TURN_UNHANDLED;
	p->hunt.on = false;
	p->goto_line = -1;
	ui_notice(v->ui, "cancelled");
	return TURN_DRAW;
}

void pager_show_found(struct pager *p, const struct pager_spec *spec)
{
	int stream = p->kind == SECTION_STDERR ? STREAM_ERR : STREAM_OUT;
	int64_t pos = section_is_stream(p->kind) ? source_find(p->text.source, stream, spec->pos) : spec->pos;

	search_free(p->search);
	p->search = search_compile(spec->pattern, strlen(spec->pattern), 0, NULL, NULL);
	free(p->pattern);
	p->pattern = xstrdup(spec->pattern);
	p->follow = false;
	if (pos < 0)
		return;
	p->hit = (struct range){ pos, pos + MAX(1, spec->found) };
	pager_stand_at(p, 0);
	pager_show_place(p, pos);
}
